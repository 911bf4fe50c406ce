"""Where the pointer is, which Blender tells only operators that are invoked."""

import bpy

from ..ui import hover
from .running import Result


class LINKPOSE_OT_watch_pointer(bpy.types.Operator):
    """Look whether the pointer has left the view in which the tool shows something."""

    bl_idname = "linkpose.watch_pointer"
    bl_label = "Watch Pointer"
    bl_options = {"INTERNAL"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Tell the tool."""
        hover.watch(context, event.mouse_x, event.mouse_y)
        return {"CANCELLED"}
