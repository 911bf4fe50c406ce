"""Keys: which channels get one, where, and how values join those of the neighbouring keys."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.posing import MODES, arm, changed, channels, keyed, shown
from blender.robots import import_text, joint_text
from blender.support import api, module

SPINNER = '<link name="a"/><link name="b"/><link name="c"/>' + (
    joint_text("spin", "continuous", "a", "b")
    + joint_text("follow", "continuous", "b", "c", '<mimic joint="spin" multiplier="2"/>')
)


def insert(armature: bpy.types.Object, unknowns: tuple[str, ...] | None = None, frame: float | None = None) -> int:
    rig = module("rig.reading").read(armature, rebase=True)
    return module("rig.keys").insert(armature, rig, rig.skeleton.unknowns if unknowns is None else unknowns, frame)


def go(frame: int) -> None:
    bpy.context.scene.frame_set(frame)


def test_one_channel_of_one_joint_is_keyed_in_a_group_named_after_its_bone(tmp_path: Path) -> None:
    armature = import_text(tmp_path, SPINNER).armature
    api.set_pose(armature, {"spin": 0.5}, frame=12)
    assert keyed(armature) == {('pose.bones["b"].rotation_euler', 2): [(12.0, 0.5)]}
    assert [curve.group.name for curve in module("rig.compat").fcurves(armature)] == ["b"]


def test_a_follower_is_never_keyed(tmp_path: Path) -> None:
    armature = import_text(tmp_path, SPINNER).armature
    drivers = len(armature.animation_data.drivers)
    api.set_pose(armature, {"spin": 0.5, "follow": 1.0}, frame=3)
    assert [path for path, _ in keyed(armature)] == ['pose.bones["b"].rotation_euler']
    assert len(armature.animation_data.drivers) == drivers


def test_keys_go_to_the_current_frame_when_none_is_given() -> None:
    armature = arm(1)
    go(7)
    armature.pose.bones["b0"].lock_rotation = (False, True, True)
    assert insert(armature, ("b0",)) == 1
    assert keyed(armature) == {('pose.bones["b0"].rotation_euler', 0): [(7.0, 0.0)]}


def test_a_first_key_is_made_whatever_the_preferences_say() -> None:
    edit = bpy.context.preferences.edit
    before = edit.use_keyframe_insert_available
    edit.use_keyframe_insert_available = True
    try:
        armature = arm(1)
        assert insert(armature) == 3
    finally:
        edit.use_keyframe_insert_available = before


def test_locked_and_driven_channels_are_not_keyed() -> None:
    armature = arm(2)
    rig = module("rig.reading").read(armature)
    armature.pose.bones["b0"].lock_rotation[1] = True
    armature.pose.bones["b1"].driver_add("rotation_euler", 2).driver.expression = "0.1"
    bpy.context.view_layer.update()
    assert module("rig.keys").insert(armature, rig, rig.skeleton.unknowns) == 4
    assert {key for key in keyed(armature)} == {
        (f'pose.bones["{bone}"].rotation_euler', index) for bone, index in (("b0", 0), ("b0", 2), ("b1", 0), ("b1", 1))
    }


@pytest.mark.parametrize(("mode", "count"), [("QUATERNION", 4), ("AXIS_ANGLE", 4), ("XYZ", 3)])
def test_a_ball_is_keyed_as_a_whole_and_only_in_its_own_mode(mode: str, count: int) -> None:
    armature = arm(2, mode=mode)
    assert insert(armature, ("b1:x",)) == count
    path = module("rig.channels").rotation_path(module("rig.snapshot").take_bone(armature.pose.bones["b1"]))
    assert set(keyed(armature)) == {(f'pose.bones["b1"].{path}', i) for i in range(count)}


def test_a_locked_part_of_a_quaternion_is_not_keyed() -> None:
    armature = arm(1, mode="QUATERNION")
    armature.pose.bones["b0"].lock_rotation[1] = True
    assert insert(armature) == 3
    assert {index for _, index in keyed(armature)} == {0, 1, 3}


def test_a_joint_without_limits_turns_on_past_half_a_turn_from_key_to_key(tmp_path: Path) -> None:
    armature = import_text(tmp_path, SPINNER).armature
    rig, write = module("rig.reading"), module("rig.writing").write
    for frame in range(1, 11):
        go(frame)
        angle = math.remainder(0.9 * frame, 2.0 * math.pi)
        # As the solver reports it, and from a channel that was left anywhere.
        armature.pose.bones["b"].rotation_euler.z = 0.0
        reading = rig.read(armature)
        write(armature, reading, [angle])
        insert(armature)
    (points,) = keyed(armature).values()
    assert [value for _, value in points] == pytest.approx([0.9 * frame for frame in range(1, 11)], abs=1e-5)


def test_a_key_before_all_others_joins_the_one_after_it(tmp_path: Path) -> None:
    armature = import_text(tmp_path, SPINNER).armature
    api.set_pose(armature, {"spin": 7.0}, frame=20)
    go(5)
    armature.pose.bones["b"].rotation_euler.z = 0.6
    insert(armature)
    assert keyed(armature)[('pose.bones["b"].rotation_euler', 2)][0] == pytest.approx((5.0, 0.6 + 2.0 * math.pi))


def test_a_joint_with_limits_keeps_its_value(tmp_path: Path) -> None:
    text = '<link name="a"/><link name="b"/>' + joint_text(
        "j", "revolute", "a", "b", '<limit lower="-6.2" upper="6.2"/>'
    )
    armature = import_text(tmp_path, text).armature
    api.set_pose(armature, {"j": -6.0}, frame=1)
    api.set_pose(armature, {"j": 6.0}, frame=10)
    assert [value for _, value in next(iter(keyed(armature).values()))] == [-6.0, 6.0]


@pytest.mark.parametrize("mode", MODES)
def test_a_ball_that_tumbles_on_has_no_jump_between_keys(mode: str) -> None:
    armature = arm(1, mode=mode)
    reading, write = module("rig.reading"), module("rig.writing").write
    expected = {}
    for frame in range(1, 25):
        go(frame)
        # An animator's undo or a script may leave any sign and turn.
        bone = armature.pose.bones["b0"]
        bone.rotation_quaternion = [-number for number in bone.rotation_quaternion]
        bone.rotation_euler.x += 2.0 * math.pi
        bpy.context.view_layer.update()
        rig = reading.read(armature, rebase=True)
        write(armature, rig, [0.1, 0.05, 0.4])
        bpy.context.view_layer.update()
        insert(armature)
        expected[frame] = shown(armature, "b0")
    for (_, index), points in keyed(armature).items():
        steps = np.abs(np.diff([value for _, value in points]))
        assert steps.max() < (0.6 if mode != "ZXY" else 1.2), (index, points)
    for frame, matrix in expected.items():
        go(frame)
        assert np.abs(shown(armature, "b0") - matrix).max() < 1e-5


def test_keying_again_replaces_the_key() -> None:
    armature = arm(1)
    for value in (0.1, 0.2):
        bpy.context.view_layer.update()
        armature.pose.bones["b0"].rotation_euler.x = value
        insert(armature, ("b0:x",))
    assert keyed(armature)[('pose.bones["b0"].rotation_euler', 0)] == [(1.0, pytest.approx(0.2))]


@pytest.mark.parametrize("interpolation", ["BEZIER", "LINEAR"])
def test_changes_that_are_not_keyed_survive_the_keys_of_others(interpolation: str) -> None:
    edit = bpy.context.preferences.edit
    before_preference = edit.keyframe_new_interpolation_type
    edit.keyframe_new_interpolation_type = interpolation
    try:
        armature = arm(3)
        go(1)
        insert(armature)
        go(10)
        for bone in armature.pose.bones:
            bone.rotation_euler = (0.3, 0.2, 0.1)
        bpy.context.view_layer.update()
        before = channels(armature)
        insert(armature, ("b2:x",))
        bpy.context.view_layer.update()
        assert changed(before, channels(armature)) == set()
    finally:
        edit.keyframe_new_interpolation_type = before_preference
    for curve in module("rig.compat").fcurves(armature):
        assert {key.interpolation for key in curve.keyframe_points} == {interpolation}
