"""The entry in File > Import, and importing by dropping a file into the window."""

from __future__ import annotations

import bpy

# Named, not imported: operators know the user interface, not the other way round.
IMPORT = "linkpose.import_urdf"


class LINKPOSE_FH_urdf(bpy.types.FileHandler):
    """Imports a robot when its file is dropped into a 3D viewport or an outliner."""

    bl_idname = "LINKPOSE_FH_urdf"
    bl_label = "URDF"
    bl_import_operator = IMPORT
    bl_file_extensions = ".urdf;.xacro"

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        """Where a new object would be seen to appear."""
        return context.area is not None and context.area.type in {"VIEW_3D", "OUTLINER"}


def draw_import(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    """Draw the entry of File > Import."""
    self.layout.operator(IMPORT, text="Robot (.urdf, .xacro)")


def register() -> None:
    """Add the entry and the file handler."""
    bpy.utils.register_class(LINKPOSE_FH_urdf)
    bpy.types.TOPBAR_MT_file_import.append(draw_import)


def unregister() -> None:
    """Take both away again."""
    bpy.types.TOPBAR_MT_file_import.remove(draw_import)
    bpy.utils.unregister_class(LINKPOSE_FH_urdf)
