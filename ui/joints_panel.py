"""The sidebar panel with a slider for each joint, and what can be done with all of them."""

from collections.abc import Hashable
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatVectorProperty, IntProperty, PointerProperty, StringProperty

from ..rig import sliders
from ..rig.sliders import Slider, Sliders
from . import joint_values
from .deferred import Deferred
from .sidebar import Tab, armature_of, draw_lines, subject
from .texts import tr

SCOPES = (
    ("ROBOT", "Robot", "All joints of the robot"),
    ("CHAIN", "Chain", "The joints that a drag of the active link or bone would move"),
)


# Where the window manager has them.
_SETTINGS = "linkpose"


class LINKPOSE_PG_panel(bpy.types.PropertyGroup):
    """What the panels are set to; not saved with the file."""

    scope: EnumProperty(name="Joints", description="Which joints are shown", items=SCOPES)
    target: FloatVectorProperty(
        name="Target", description="Where the handle is to go, in world space", subtype="TRANSLATION"
    )
    use_orientation: BoolProperty(name="Orientation", description="Also turn the body to a given rotation")
    orientation: FloatVectorProperty(
        name="Rotation", description="How the body is to be turned, in world space", subtype="EULER"
    )
    frame: IntProperty(name="Tool Frame", description="The chosen line of the list")
    result: StringProperty(name="Result", description="What became of the last Solve")
    result_of: StringProperty(name="Result Of", description="Armature and bone that it was solved for")
    is_reached: BoolProperty(name="Reached", description="Whether the last Solve reached its target")


def settings(context: bpy.types.Context) -> LINKPOSE_PG_panel:
    """What the panels are set to."""
    return getattr(context.window_manager, _SETTINGS)


def asked(context: bpy.types.Context) -> tuple[bpy.types.Object, str] | None:
    """(armature, bone) whose chain the panels and their operators are about; "" for a whole robot."""
    armature = armature_of(context)
    if armature is None:
        return None
    if sliders.is_robot(armature) and settings(context).scope == "ROBOT":
        return armature, ""
    return subject(context)


def _make(armature: bpy.types.Object, bone: str) -> Sliders:
    made = sliders.make(armature, bone)
    for slider in made.sliders:
        joint_values.name_of(slider.channel)
    return made


def _failed(bone: str, error: Exception) -> Sliders:
    return Sliders(bone, (), (), str(error))


_sliders: Deferred[Sliders] = Deferred(_make, _failed)
# What was made last for an armature and a bone: which bones have to be looked at to know whether it still holds.
_last: dict[tuple[int, str], Sliders] = {}


def known(armature: bpy.types.Object, bone: str) -> Sliders | None:
    """The sliders of a bone's chain, None where they are yet to be made; cheap enough for every redraw."""
    place = (armature.session_uid, bone)
    found = _sliders.get(_key(armature, bone, _last.get(place)), armature, bone)
    if found is None:
        return _last.get(place)
    if _last.get(place) is not found:
        _last[place] = found
        # From now on its bones are looked at as well: known under that name, it is not made twice.
        _sliders.know(_key(armature, bone, found), found)
    return found


def _key(armature: bpy.types.Object, bone: str, made: Sliders | None) -> Hashable:
    return bone, sliders.key_of(armature, made)


class LINKPOSE_PT_joints(Tab, bpy.types.Panel):
    """The joints' values."""

    bl_label = "Joints"
    bl_order = 1

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for armatures and what they carry."""
        return armature_of(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Called by Blender."""
        layout, armature = self.layout, armature_of(context)
        if armature is None:
            return
        if sliders.is_robot(armature):
            layout.row(align=True).prop(settings(context), "scope", expand=True)
        about = asked(context)
        if about is None:
            layout.label(text="Choose a bone", icon="INFO")
            return
        made = known(*about)
        if made is None:
            layout.label(text="Reading…", icon="TIME")
        elif made.refused:
            draw_lines(layout.column(align=True), made.refused, "INFO")
        else:
            column = layout.column(align=True)
            for slider in made.sliders:
                _draw_slider(column, armature, slider, context.scene.frame_current_final)
            for joint, bone, path, index in made.followers:
                row = column.row(align=True)
                row.enabled = False
                row.prop(armature.pose.bones[bone], path, index=index, text=joint, translate=False)
        _draw_buttons(layout)


# Blender's own signs, as beside its buttons.
_STATES: dict[str, Any] = {"": "DECORATE", "ANIMATED": "DECORATE_ANIMATE", "KEYED": "DECORATE_KEYFRAME"}


def _draw_slider(column: bpy.types.UILayout, armature: bpy.types.Object, slider: Slider, frame: float) -> None:
    bone = armature.pose.bones.get(slider.bone)
    if bone is None:
        return
    channel, row = slider.channel, column.row(align=True)
    row.enabled = not slider.locked
    if armature.override_library is not None:
        # Of an override only what its library lets be overridden can be edited: the channel itself.
        if channel.index >= 0:
            row.prop(bone, channel.path, index=channel.index, text=slider.joint, translate=False)
        return
    bounded = channel.limited or not channel.slides
    row.prop(bone, joint_values.name_of(channel), text=slider.joint, slider=bounded, translate=False)
    state = sliders.keyed_state(armature, bone, channel, frame)
    toggle: Any = row.operator("linkpose.toggle_key", icon=_STATES[state], text="", emboss=False)
    toggle.armature, toggle.bone, toggle.path, toggle.index = armature.name, bone.name, channel.path, channel.index


def _draw_buttons(layout: bpy.types.UILayout) -> None:
    column = layout.column(align=True)
    row = column.row(align=True)
    row.operator("linkpose.reset_pose", icon="LOOP_BACK")
    row.operator("linkpose.randomize_pose", icon="MOD_NOISE")
    row = column.row(align=True)
    row.operator("linkpose.copy_pose", icon="COPYDOWN")
    row.operator("linkpose.paste_pose", icon="PASTEDOWN")
    row = column.row(align=True)
    row.operator("linkpose.key_joints", icon="KEY_HLT", text=tr("Insert Keys"))
    row.operator("linkpose.delete_keys", icon="KEY_DEHLT", text=tr("Delete Keys"))


@bpy.app.handlers.persistent
def _forget(*_: object) -> None:
    """Another file: its objects may have the numbers of the old ones."""
    _sliders.forget()
    _last.clear()
    sliders.forget()


_CLASSES = (LINKPOSE_PG_panel, LINKPOSE_PT_joints)


def register() -> None:
    """Register the panel and what it is set to."""
    for cls in _CLASSES:
        bpy.utils.register_class(cls)
    setattr(bpy.types.WindowManager, _SETTINGS, PointerProperty(type=LINKPOSE_PG_panel))
    bpy.app.handlers.load_post.append(_forget)


def unregister() -> None:
    """Unregister them, and take away the properties of joints."""
    bpy.app.handlers.load_post.remove(_forget)
    _forget()
    joint_values.forget()
    delattr(bpy.types.WindowManager, _SETTINGS)
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
