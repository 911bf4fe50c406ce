"""The list of package folders in the preferences."""

import bpy

from ..ui.preferences import stored
from .running import Result


class LINKPOSE_OT_add_package_folder(bpy.types.Operator):
    """Add a folder in which package:// names of robots are looked for."""

    bl_idname = "linkpose.add_package_folder"
    bl_label = "Add Package Folder"
    bl_options = {"INTERNAL"}

    directory: bpy.props.StringProperty(subtype="DIR_PATH", options={"SKIP_SAVE"})
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for it."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> Result:
        """Add it, unless it is there already."""
        preferences = stored(context)
        if preferences is None or not self.directory:
            return {"CANCELLED"}
        if all(folder.path != self.directory for folder in preferences.package_folders):
            preferences.package_folders.add().path = self.directory
            context.preferences.is_dirty = True
        return {"FINISHED"}


class LINKPOSE_OT_remove_package_folder(bpy.types.Operator):
    """Take a folder from the list; the folder itself stays."""

    bl_idname = "linkpose.remove_package_folder"
    bl_label = "Remove Package Folder"
    bl_options = {"INTERNAL"}

    index: bpy.props.IntProperty(options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        """Remove it."""
        preferences = stored(context)
        if preferences is None or not 0 <= self.index < len(preferences.package_folders):
            return {"CANCELLED"}
        preferences.package_folders.remove(self.index)
        context.preferences.is_dirty = True
        return {"FINISHED"}
