"""The sidebar panels for a target in numbers, for pins, and for links without a mesh."""

from __future__ import annotations

from typing import Any

import bpy

from ..rig import names, pinning, toolframes
from .joints_panel import settings
from .sidebar import Tab, armature_of, draw_lines, subject


class LINKPOSE_PT_target(Tab, bpy.types.Panel):
    """Where the active link or bone is to go."""

    bl_label = "Target"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 2

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown where there is a bone to bring there."""
        return context.mode in {"OBJECT", "POSE"} and subject(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Called by Blender."""
        layout, about, chosen = self.layout, subject(context), settings(context)
        if about is None:
            return
        row = layout.row(align=True)
        row.label(text=about[1], icon="BONE_DATA", translate=False)
        row.operator("linkpose.take_target", icon="EYEDROPPER", text="")
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(chosen, "target")
        column.prop(chosen, "use_orientation")
        if chosen.use_orientation:
            column.prop(chosen, "orientation")
        layout.operator("linkpose.solve_target", icon="CON_KINEMATIC")
        if chosen.result and chosen.result_of == result_of(*about):
            draw_lines(layout.column(align=True), chosen.result, "CHECKMARK" if chosen.is_reached else "ERROR")


class LINKPOSE_PT_pins(Tab, bpy.types.Panel):
    """The bodies that stay."""

    bl_label = "Pins"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 3

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for armatures and what they carry."""
        return armature_of(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Called by Blender."""
        layout, armature = self.layout, armature_of(context)
        if armature is None:
            return
        column = layout.column(align=True)
        for bone in pinning.pinned(armature):
            row = column.row(align=True)
            row.label(text=bone, icon="PINNED", translate=False)
            row.prop(armature.pose.bones[bone], pinning.PROPERTY, text="")
            unpin: Any = row.operator("linkpose.unpin", icon="X", text="")
            unpin.armature, unpin.bone = armature.name, bone
        layout.operator("linkpose.pin", icon="PINNED")


class LINKPOSE_UL_frames(bpy.types.UIList):
    """The bones of links without a mesh, each a button that makes it the active one."""

    bl_idname = "LINKPOSE_UL_frames"

    def draw_item(
        self,
        _context: bpy.types.Context,
        layout: bpy.types.UILayout,
        data: Any,  # noqa: ANN401 (the stubs do not know of what list)
        item: Any,  # noqa: ANN401
        _icon: int,
        _active_data: Any,  # noqa: ANN401
        _active_property: str,
    ) -> None:
        """Called by Blender for each line."""
        active = data.bones.active is not None and data.bones.active.name == item.name
        row = layout.row(align=True)
        choose = row.operator(
            "linkpose.choose_body", text=item.name, icon="EMPTY_AXIS", emboss=active, depress=active, translate=False
        )
        choose.bone = item.name

    def filter_items(self, context: bpy.types.Context, data: Any, _: str) -> tuple[list[int], list[int]]:  # noqa: ANN401
        """Called by Blender: which bones are shown."""
        armature = armature_of(context)
        wanted = set() if armature is None else {one.bone for one in toolframes.of(armature)}
        text = self.filter_name.lower()
        shown = [self.bitflag_filter_item if b.name in wanted and text in b.name.lower() else 0 for b in data.bones]
        return shown, []


class LINKPOSE_PT_frames(Tab, bpy.types.Panel):
    """Links without a mesh, such as the frame of a tool."""

    bl_label = "Tool Frames"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 4

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for robots that have such links."""
        armature = armature_of(context)
        return armature is not None and bool(toolframes.of(armature))

    def draw(self, context: bpy.types.Context) -> None:
        """Called by Blender."""
        armature = armature_of(context)
        if armature is not None:
            self.layout.template_list("LINKPOSE_UL_frames", "", armature.data, "bones", settings(context), "frame")


def result_of(armature: bpy.types.Object, bone: str) -> str:
    """What tells whose result is kept; names that are given again mean others."""
    return f"{armature.session_uid}/{bone}"


def body_name(armature: bpy.types.Object, bone: str) -> str:
    """The body that a bone stands for."""
    assert isinstance(armature.data, bpy.types.Armature)
    return names.body_names(armature.data).get(bone, bone)


_CLASSES = (LINKPOSE_UL_frames, LINKPOSE_PT_target, LINKPOSE_PT_pins, LINKPOSE_PT_frames)


def register() -> None:
    """Register the panels, and the pins of bones."""
    pinning.register()
    for cls in _CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Unregister them."""
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
    pinning.unregister()
