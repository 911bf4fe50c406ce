"""Which link or bone is active, and which are pinned."""

import bpy
from bpy.props import StringProperty

from ..errors import LinkposeError
from ..rig import pinning
from ..ui import sidebar
from .running import Result


class LINKPOSE_OT_choose_body(bpy.types.Operator):
    """Make this link the active one, for the sliders, the target and pins."""

    bl_idname = "linkpose.choose_body"
    bl_label = "Choose Link"
    bl_options = {"INTERNAL", "UNDO"}

    bone: StringProperty(options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        """Make its bone the active one of its armature, and that the active object."""
        armature = sidebar.armature_of(context)
        if armature is None or self.bone not in armature.data.bones:
            return {"CANCELLED"}
        context.view_layer.objects.active = armature
        armature.data.bones.active = armature.data.bones[self.bone]
        return {"FINISHED"}


class LINKPOSE_OT_pin(bpy.types.Operator):
    """Pin the active link or bone: it stays where it is while others are dragged."""

    bl_idname = "linkpose.pin"
    bl_label = "Pin Active"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """For an active bone, or what hangs on one."""
        return context.mode in {"OBJECT", "POSE"} and sidebar.subject(context) is not None

    def execute(self, context: bpy.types.Context) -> Result:
        """Called by Blender."""
        armature, bone = sidebar.subject(context)
        try:
            pinning.pin(armature, bone)
        except LinkposeError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class LINKPOSE_OT_unpin(bpy.types.Operator):
    """Let this link or bone move again."""

    bl_idname = "linkpose.unpin"
    bl_label = "Unpin"
    bl_options = {"REGISTER", "UNDO"}

    armature: StringProperty(options={"SKIP_SAVE", "HIDDEN"})
    bone: StringProperty(options={"SKIP_SAVE", "HIDDEN"})

    def execute(self, context: bpy.types.Context) -> Result:
        """Called by Blender."""
        armature = context.view_layer.objects.get(self.armature)
        if armature is None or armature.type != "ARMATURE" or self.bone not in armature.pose.bones:
            return {"CANCELLED"}
        pinning.pin(armature, self.bone, pinning.NONE)
        return {"FINISHED"}


CLASSES = (LINKPOSE_OT_choose_body, LINKPOSE_OT_pin, LINKPOSE_OT_unpin)
