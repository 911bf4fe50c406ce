"""The sidebar panel for the active bone's part in chains."""

import bpy

from ..rig import marks
from .sidebar import Tab


class LINKPOSE_PT_marks(Tab, bpy.types.Panel):
    """Shown while a bone is active in Pose Mode."""

    bl_label = "Active Bone"
    bl_order = 7
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown in Pose Mode."""
        return context.active_pose_bone is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Called by Blender."""
        layout, bone = self.layout, context.active_pose_bone
        if bone is None:
            return
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.label(text=bone.name, icon="BONE_DATA", translate=False)
        for name in marks.PROPERTIES:
            layout.prop(bone, name)


def register() -> None:
    """Register the marks and the panel."""
    marks.register()
    bpy.utils.register_class(LINKPOSE_PT_marks)


def unregister() -> None:
    """Unregister them."""
    bpy.utils.unregister_class(LINKPOSE_PT_marks)
    marks.unregister()
