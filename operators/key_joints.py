"""Keys of the joints that the sidebar shows."""

import bpy
from bpy.props import IntProperty, StringProperty

from ..errors import LinkposeError, RigError
from ..rig import keys, sliders
from ..ui import joints_panel, sidebar
from ..ui.texts import report
from .running import Result


def _about(context: bpy.types.Context) -> tuple[bpy.types.Object, str]:
    """(armature, bone) whose joints the panel shows.

    Raises:
        RigError: there are none.
    """
    about = joints_panel.asked(context)
    if about is None:
        raise RigError("there is no active bone: choose one, or a mesh that hangs on one")
    return about


class LINKPOSE_OT_key_joints(bpy.types.Operator):
    """Key all the shown joints at the current frame."""

    bl_idname = "linkpose.key_joints"
    bl_label = "Insert Joint Keys"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """For an armature, or what it carries."""
        return sidebar.armature_of(context) is not None

    def execute(self, context: bpy.types.Context) -> Result:
        """Called by Blender."""
        try:
            about = _about(context)
            count = keys.insert(about[0], *sliders.joints(*about))
        except LinkposeError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, report("{count} channels keyed").format(count=count))
        return {"FINISHED"}


class LINKPOSE_OT_delete_keys(bpy.types.Operator):
    """Delete the keys of all the shown joints at the current frame."""

    bl_idname = "linkpose.delete_keys"
    bl_label = "Delete Joint Keys"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """For an armature, or what it carries."""
        return sidebar.armature_of(context) is not None

    def execute(self, context: bpy.types.Context) -> Result:
        """Called by Blender."""
        try:
            about = _about(context)
            rig, names = sliders.joints(*about)
        except LinkposeError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        count = sliders.delete_keys(about[0], rig, names, context.scene.frame_current_final)
        if not count:
            self.report({"WARNING"}, report("These joints have no keys at this frame"))
            return {"CANCELLED"}
        self.report({"INFO"}, report("{count} keys deleted").format(count=count))
        return {"FINISHED"}


class LINKPOSE_OT_toggle_key(bpy.types.Operator):
    """Key this joint at the current frame, or delete its key there."""

    bl_idname = "linkpose.toggle_key"
    bl_label = "Toggle Joint Key"
    bl_options = {"INTERNAL", "UNDO"}

    armature: StringProperty(options={"SKIP_SAVE"})
    bone: StringProperty(options={"SKIP_SAVE"})
    path: StringProperty(options={"SKIP_SAVE"})
    index: IntProperty(options={"SKIP_SAVE"}, min=-1)

    def execute(self, context: bpy.types.Context) -> Result:
        """Called by Blender."""
        armature = context.view_layer.objects.get(self.armature)
        if armature is None or armature.type != "ARMATURE" or self.bone not in armature.pose.bones:
            return {"CANCELLED"}
        try:
            sliders.toggle_key(armature, self.bone, self.path, self.index, context.scene.frame_current_final)
        except LinkposeError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


CLASSES = (LINKPOSE_OT_key_joints, LINKPOSE_OT_delete_keys, LINKPOSE_OT_toggle_key)
