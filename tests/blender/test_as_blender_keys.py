"""What a drag keys under auto-keying, against what Blender's own operators key after the same change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import pytest
from blender.posing import make_named
from blender.support import errors, module

FRAME = 10
PATHS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
Setup = Callable[[bpy.types.Object], None]
# Without a window, these operators segfault in 4.2; window tests compare with them there.
in_background = pytest.mark.skipif(bpy.app.version < (5, 0), reason="Blender's own operators need a window before 5.0")


@pytest.fixture(autouse=True)
def auto_keying() -> bpy.types.ToolSettings:
    edit, tools = bpy.context.preferences.edit, bpy.context.scene.tool_settings
    tools.use_keyframe_insert_auto = True
    edit.use_keyframe_insert_available = edit.use_auto_keyframe_insert_needed = False
    edit.keyframe_new_interpolation_type, edit.keyframe_new_handle_type = "BEZIER", "AUTO_CLAMPED"
    return tools


def pair(mode: str, prepare: Setup | None) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Two equal armatures of a bone on another one."""
    first = make_named([("a", "", (0, 0, 0), (0, 0, 0.3)), ("b", "a", (0, 0, 0.3), (0, 0.05, 0.6))])
    for bone in first.pose.bones:
        bone.rotation_mode = mode
    second = first.copy()
    bpy.context.scene.collection.objects.link(second)
    for armature in (first, second):
        if prepare is not None:
            prepare(armature)
    bpy.context.scene.frame_set(FRAME)
    return first, second


def turn(armature: bpy.types.Object) -> None:
    """Blender's own rotation of the bone, with its auto-keying."""
    select(armature)
    with view():
        bpy.ops.transform.rotate(value=0.3, orient_axis="Y", orient_type="GLOBAL")
    bpy.ops.object.mode_set(mode="OBJECT")


def view() -> Any:
    """The context of a 3D view, which the operators ask for."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=window, area=area, region=region)


def select(armature: bpy.types.Object) -> None:
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob == armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="POSE")
    for bone in armature.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == "b"


def key_ours(armature: bpy.types.Object, values: tuple[float, ...]) -> None:
    """The same rotation, keyed as a drag keys it."""
    bone = armature.pose.bones["b"]
    path = PATHS.get(bone.rotation_mode, "rotation_euler")
    rig = module("rig.reading").read(armature, rebase=True)
    before = module("rig.snapshot").take(armature, ["b"])
    setattr(bone, path, values)
    armature.update_tag()
    bpy.context.view_layer.update()
    keying = module("rig.keying")
    names = [name for name, channel in rig.channels.items() if channel.bone == "b"]
    keying.key(bpy.context, armature, rig, names, before, keying.Keying("CHAIN", "AUTO"))


def keys_of(armature: bpy.types.Object) -> dict[tuple[str, int], list[tuple[object, ...]]]:
    return {
        (curve.data_path, curve.array_index): [
            (
                *(round(number, 5) for number in key.co),
                key.type,
                key.interpolation,
                key.handle_left_type,
                key.handle_right_type,
            )
            for key in curve.keyframe_points
        ]
        for curve in module("rig.compat").fcurves(armature)
    }


def at(*frames: int, path: str = "rotation_euler", index: int = -1) -> Setup:
    def prepare(armature: bpy.types.Object) -> None:
        for frame in frames:
            armature.pose.bones["b"].keyframe_insert(path, index=index, frame=frame)

    return prepare


def changed(prepare: Setup, change: Callable[[bpy.types.FCurve], object]) -> Setup:
    def both(armature: bpy.types.Object) -> None:
        prepare(armature)
        change(module("rig.compat").fcurves(armature)[0])

    return both


def edit(**values: object) -> Callable[[], None]:
    def apply() -> None:
        for name, value in values.items():
            setattr(bpy.context.preferences.edit, name, value)

    return apply


def tools(**values: object) -> Callable[[], None]:
    def apply() -> None:
        for name, value in values.items():
            setattr(bpy.context.scene.tool_settings, name, value)

    return apply


def linear() -> None:
    edit(
        keyframe_new_interpolation_type="LINEAR",
        keyframe_new_handle_type="VECTOR",
        use_auto_keyframe_insert_needed=True,
    )()


CASES = {
    "as it is": ("XYZ", None, None),
    "quaternion": ("QUATERNION", None, None),
    "axis and angle": ("AXIS_ANGLE", None, None),
    "available, none": ("XYZ", None, edit(use_keyframe_insert_available=True)),
    "available, one": ("XYZ", at(1, index=2), edit(use_keyframe_insert_available=True)),
    "available, scale": ("XYZ", at(1, path="scale"), edit(use_keyframe_insert_available=True)),
    "needed": ("XYZ", at(1, 20), edit(use_auto_keyframe_insert_needed=True)),
    "replace, elsewhere": ("XYZ", at(1, 20), tools(auto_keying_mode="REPLACE_KEYS")),
    "replace, here": ("XYZ", at(1, FRAME, index=1), tools(auto_keying_mode="REPLACE_KEYS")),
    "cycle": (
        "XYZ",
        changed(at(1, 9), lambda curve: curve.modifiers.new("CYCLES")),
        tools(use_keyframe_cycle_aware=True),
    ),
    "type": ("XYZ", None, tools(keyframe_type="BREAKDOWN")),
    "linear, first": ("XYZ", None, linear),
    "linear, second": ("XYZ", at(1), linear),
    "linear, between": ("XYZ", at(1, 20), linear),
    "linear, again": ("XYZ", at(1, FRAME, 20), linear),
    "muted curve": ("XYZ", changed(at(1, 20), lambda curve: setattr(curve, "mute", True)), None),
}


@in_background
@pytest.mark.parametrize("case", CASES)
def test_auto_keying_keys_what_blenders_own_rotation_does(case: str) -> None:
    mode, prepare, settings = CASES[case]
    first, second = pair(mode, prepare)
    if settings is not None:
        settings()
    turn(first)
    key_ours(second, tuple(getattr(first.pose.bones["b"], PATHS.get(mode, "rotation_euler"))))
    if case == "axis and angle":
        assert keys_of(second).keys() == keys_of(first).keys()
    else:
        assert keys_of(second) == keys_of(first)


SETS = (
    "Available",
    "Location",
    "Rotation",
    "Scaling",
    "BUILTIN_KSI_LocRot",
    "LocRotScale",
    "LocRotScaleCProp",
    "BUILTIN_KSI_RotScale",
    "BUILTIN_KSI_VisualRot",
    "BUILTIN_KSI_BendyBones",
    "WholeCharacterSelected",
)


@in_background
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION"])
def test_a_keying_set_of_blenders_keys_its_channels_of_the_dragged_bones(
    name: str, mode: str, auto_keying: bpy.types.ToolSettings
) -> None:
    def prepare(armature: bpy.types.Object) -> None:
        armature.pose.bones["b"]["custom"] = 1.0
        at(1, path=PATHS.get(mode, "rotation_euler"))(armature)
        at(1, path="scale", index=1)(armature)

    first, second = pair(mode, prepare)
    sets = bpy.context.scene.keying_sets_all
    sets.active = next(one for one in sets if one.bl_idname == name)
    auto_keying.use_keyframe_insert_keyingset = True
    # These two have no say in what a keying set lists.
    bpy.context.preferences.edit.use_keyframe_insert_available = True
    bpy.context.preferences.edit.use_auto_keyframe_insert_needed = True
    bone = first.pose.bones["b"]
    path = PATHS.get(mode, "rotation_euler")
    values = (0.9, 0.1, 0.3, 0.2)[4 - len(getattr(bone, path)) :]
    setattr(bone, path, values)
    select(first)
    with view():
        bpy.ops.anim.keyframe_insert_by_name(type=name)
    bpy.ops.object.mode_set(mode="OBJECT")
    key_ours(second, values)
    found, expected = keys_of(second), keys_of(first)
    # Blender's operator says nothing of new keys' looks in all versions.
    assert {place: [key[:2] for key in keys] for place, keys in found.items()} == {
        place: [key[:2] for key in keys] for place, keys in expected.items()
    }


def test_a_locked_channel_is_not_keyed_by_auto_keying_and_is_by_a_set_that_lists_it(
    auto_keying: bpy.types.ToolSettings,
) -> None:
    first, second = pair("XYZ", lambda armature: armature.pose.bones["b"].lock_rotation.__setitem__(1, True))
    key_ours(first, (0.1, 0.0, 0.2))
    assert ('pose.bones["b"].rotation_euler', 1) not in keys_of(first)
    assert len(keys_of(first)) == 8
    sets = bpy.context.scene.keying_sets_all
    sets.active = next(one for one in sets if one.bl_idname == "Rotation")
    auto_keying.use_keyframe_insert_keyingset = True
    key_ours(second, (0.1, 0.0, 0.2))
    assert set(keys_of(second)) == {('pose.bones["b"].rotation_euler', i) for i in range(3)}


def test_one_locked_curve_does_not_keep_the_others_from_being_keyed() -> None:
    bpy.context.preferences.edit.use_auto_keyframe_insert_needed = False
    first, _ = pair("XYZ", changed(at(1, 20), lambda curve: setattr(curve, "lock", True)))
    with pytest.raises(errors.RigError, match=r"rotation_euler\[0\] could not be keyed at frame 10: its curve is"):
        key_ours(first, (0.1, 0.2, 0.3))
    counts = {index: len(keys) for (path, index), keys in keys_of(first).items() if path.endswith("rotation_euler")}
    assert counts == {0: 2, 1: 3, 2: 3}
