"""The sidebar panel for the active bone's part in chains."""

import bpy

from ..rig import marks


class LINKPOSE_PT_marks(bpy.types.Panel):
    """Below "Linkpose" in its tab, while a bone is active in Pose Mode."""

    bl_label = "Active Bone"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Linkpose"
    bl_parent_id = "LINKPOSE_PT_drag"
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
