"""Joints as Blender itself sees them: one channel, limits, followers, definitions, names."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.oracle import Oracle
from blender.robots import (
    bone_of_joint,
    definitions,
    import_bare,
    import_text,
    joint_text,
    link_frames,
    robot_file,
    set_channels,
)
from blender.support import module

TWO = '<link name="a"/><link name="b"/>'


def _limit(lower: float, upper: float) -> str:
    return f'<limit lower="{lower!r}" upper="{upper!r}" velocity="2" effort="5"/>'


def _shown(bone: bpy.types.PoseBone) -> float:
    """The angle about local Z that Blender shows, against the rest."""
    bpy.context.view_layer.update()
    rest = np.array(bone.bone.matrix_local, dtype=np.float64)
    if bone.parent is not None:
        above = np.array(bone.parent.bone.matrix_local, dtype=np.float64)
        rest = np.array(bone.parent.matrix, dtype=np.float64) @ np.linalg.inv(above) @ rest
    local = np.linalg.inv(rest) @ np.array(bone.matrix, dtype=np.float64)
    return math.atan2(local[1, 0], local[0, 0])


def test_a_bone_has_the_one_channel_of_its_joint_and_no_other(tmp_path: Path) -> None:
    links = "".join(f'<link name="{name}"/>' for name in "abcde")
    joints = (
        joint_text("turn", "revolute", "a", "b", _limit(-1.0, 1.0))
        + joint_text("slide", "prismatic", "b", "c", _limit(-1.0, 1.0))
        + joint_text("spin", "continuous", "c", "d")
        + joint_text("weld", "fixed", "d", "e")
    )
    armature = import_text(tmp_path, links + joints).armature
    free = {"b": "turn", "c": "slide", "d": "spin"}
    for bone in armature.pose.bones:
        assert bone.rotation_mode == "XYZ"
        locks = [*bone.lock_location, *bone.lock_rotation, *bone.lock_scale]
        expected = [True] * 9
        if bone.name in free:
            expected[2 if free[bone.name] == "slide" else 5] = False
        assert locks == expected, bone.name
        turns = bone.name in ("b", "d")
        assert (bone.lock_ik_x, bone.lock_ik_y, bone.lock_ik_z) == (True, True, not turns)


@pytest.mark.parametrize("name", ["panda", "kinova_gen3", "robotiq_2f_85", "scara"])
def test_blender_clamps_what_is_outside_the_limits_and_nothing_else(name: str) -> None:
    path = robot_file(name)
    oracle, armature = Oracle(path), import_bare(path)
    inside = oracle.random_pose(3)
    for joint in oracle.free:
        if joint.type == "continuous":
            continue
        span = joint.upper - joint.lower
        for asked, expected in (
            (joint.upper + 0.1 * min(span, 0.5), joint.upper),
            (joint.lower - 0.1 * min(span, 0.5), joint.lower),
            (inside[joint.name], inside[joint.name]),
        ):
            set_channels(armature, {**inside, joint.name: asked})
            wanted = oracle.frames({**inside, joint.name: expected})
            for link, frame in link_frames(armature).items():
                assert np.allclose(frame, wanted[link], atol=2e-6), (joint.name, asked, link)


def test_limits_beyond_half_a_turn_hold(tmp_path: Path) -> None:
    armature = import_text(tmp_path, TWO + joint_text("j", "revolute", "a", "b", _limit(-0.0175, 3.7525))).armature
    bone = bone_of_joint(armature, "j")
    bone.rotation_euler.z = 3.5
    assert math.remainder(_shown(bone) - 3.5, math.tau) == pytest.approx(0.0, abs=1e-6)
    bone.rotation_euler.z = 4.5
    assert math.remainder(_shown(bone) - 3.7525, math.tau) == pytest.approx(0.0, abs=1e-6)
    assert not bone.use_ik_limit_z


@pytest.mark.parametrize("limit", [3.14159265, math.pi, 3.1415926, 3.14159, 3.14])
def test_angles_inside_limits_of_nearly_a_turn_are_shown_as_they_are(limit: float, tmp_path: Path) -> None:
    armature = import_text(tmp_path, TWO + joint_text("j", "revolute", "a", "b", _limit(-limit, limit))).armature
    bone = bone_of_joint(armature, "j")
    for angle in np.random.default_rng(1).uniform(-limit + 1e-3, limit - 1e-3, 200):
        bone.rotation_euler.z = angle
        assert _shown(bone) == pytest.approx(angle, abs=1e-5)
        assert module("api").get_pose(armature)["j"] == pytest.approx(angle, abs=1e-6)


def test_written_limits_are_float32_numbers_inside_the_files() -> None:
    path = robot_file("panda")
    oracle, armature = Oracle(path), import_bare(path)
    for joint in oracle.free:
        constraint = bone_of_joint(armature, joint.name).constraints[0]
        lower, upper = constraint.min_z, constraint.max_z
        assert joint.lower <= lower < joint.lower + 1e-6
        assert joint.upper - 1e-6 < upper <= joint.upper
        assert constraint.owner_space == "LOCAL"
        assert constraint.use_transform_limit
        if joint.type == "revolute":
            assert not constraint.use_legacy_behavior


def test_ik_limits_stand_only_where_blender_can_hold_them() -> None:
    path = robot_file("panda")
    oracle, armature = Oracle(path), import_bare(path)
    seen = set()
    for joint in oracle.free:
        if joint.type != "revolute":
            continue
        bone = bone_of_joint(armature, joint.name)
        holds = joint.lower <= 0.0 <= joint.upper and max(-joint.lower, joint.upper) <= math.pi
        assert bone.use_ik_limit_z == holds, joint.name
        if holds:
            assert bone.ik_min_z == pytest.approx(joint.lower, abs=1e-6)
            assert bone.ik_max_z == pytest.approx(joint.upper, abs=1e-6)
        seen.add(holds)
    assert seen == {True, False}  # panda_joint4 never comes to zero


def test_a_range_without_zero_starts_at_its_nearer_end(tmp_path: Path) -> None:
    armature = import_text(tmp_path, TWO + joint_text("j", "revolute", "a", "b", _limit(0.3, 1.2))).armature
    value = bone_of_joint(armature, "j").rotation_euler.z
    assert 0.3 <= value < 0.3 + 1e-6
    assert _shown(bone_of_joint(armature, "j")) == pytest.approx(0.3, abs=1e-6)


def test_a_continuous_joint_has_no_limits(tmp_path: Path) -> None:
    armature = import_text(tmp_path, TWO + joint_text("j", "continuous", "a", "b")).armature
    bone = bone_of_joint(armature, "j")
    assert not bone.constraints
    assert not bone.use_ik_limit_z
    bone.rotation_euler.z = 9.0
    assert math.remainder(_shown(bone) - 9.0, math.tau) == pytest.approx(0.0, abs=1e-6)


MIMIC = (
    "".join(f'<link name="{name}"/>' for name in "abcde")
    + joint_text("third", "revolute", "a", "d", _limit(-0.01, 0.01) + '<mimic joint="second" multiplier="2"/>')
    + joint_text("second", "continuous", "a", "c", '<mimic joint="first" multiplier="-1.5" offset="0.2"/>')
    + joint_text("first", "revolute", "a", "b", _limit(-0.4, 1.0))
    + joint_text("slide", "prismatic", "a", "e", _limit(0, 0.1) + '<mimic joint="first" multiplier="1e-05"/>')
)


def test_followers_follow_through_chains_and_clamp_their_source(tmp_path: Path) -> None:
    armature = import_text(tmp_path, MIMIC).armature
    bones = {joint: bone_of_joint(armature, joint) for joint in ("first", "second", "third", "slide")}
    # Beyond its limits Blender shows an angle at the end that is nearer on the circle: for -3 that is the upper one.
    for asked, shown in ((0.0, 0.0), (0.5, 0.5), (2.0, 1.0), (-1.0, -0.4), (-3.0, 1.0), (6.0, -0.28318530718)):
        bones["first"].rotation_euler.z = asked
        bpy.context.view_layer.update()
        assert _shown(bones["first"]) == pytest.approx(shown, abs=1e-6)
        assert _shown(bones["second"]) == pytest.approx(-1.5 * shown + 0.2, abs=1e-6)
        assert _shown(bones["third"]) == pytest.approx(2 * (-1.5 * shown + 0.2), abs=2e-6)
        assert bones["slide"].location.z == pytest.approx(1e-5 * shown, abs=1e-9)


def test_a_follower_is_neither_limited_nor_free_and_its_driver_needs_no_auto_run(tmp_path: Path) -> None:
    armature = import_text(tmp_path, MIMIC).armature
    drivers = armature.animation_data.drivers
    assert len(drivers) == 3
    for curve in drivers:
        assert curve.driver.is_valid
        assert curve.driver.is_simple_expression
    for joint in ("second", "third", "slide"):
        bone = bone_of_joint(armature, joint)
        assert not bone.constraints
        assert all((*bone.lock_location, *bone.lock_rotation, *bone.lock_scale))


def test_the_gripper_closes_as_its_file_says() -> None:
    path = robot_file("robotiq_2f_85")
    oracle, armature = Oracle(path), import_bare(path)
    assert len([joint for joint in oracle.joints.values() if joint.mimic]) >= 5
    for value in (0.0, 0.3, 0.8):
        set_channels(armature, {oracle.free[0].name: value})
        expected = oracle.frames({oracle.free[0].name: value})
        for link, frame in link_frames(armature).items():
            assert np.allclose(frame, expected[link], atol=1e-6), (value, link)


def test_followers_follow_their_own_armature_after_a_duplicate(tmp_path: Path) -> None:
    armature = import_text(tmp_path, MIMIC).armature
    twin = armature.copy()
    twin.data = armature.data.copy()
    bpy.context.scene.collection.objects.link(twin)
    bone_of_joint(twin, "first").rotation_euler.z = 0.7
    bpy.context.view_layer.update()
    assert _shown(bone_of_joint(twin, "second")) == pytest.approx(-1.5 * 0.7 + 0.2, abs=1e-6)
    assert _shown(bone_of_joint(armature, "second")) == pytest.approx(0.2, abs=1e-6)


def test_bones_of_fixed_joints_are_hidden_and_others_are_not() -> None:
    path = robot_file("anymal_c")
    oracle, armature = Oracle(path), import_bare(path)
    visible = module("rig.compat").bone_is_visible
    fixed = {joint.child for joint in oracle.joints.values() if joint.type == "fixed"}
    assert len(fixed) == 65
    for name, definition in definitions(armature).items():
        assert visible(armature.pose.bones[name]) == (definition.link not in fixed), name
        assert len(armature.data.bones[name].collections) == 1


def test_three_joints_at_one_point_are_three_bones_of_their_own(tmp_path: Path) -> None:
    body = "".join(f'<link name="{name}"/>' for name in "abcd") + "".join(
        joint_text(f"j{axis}", "revolute", parent, child, _limit(-1.0, 1.0), axis)
        for parent, child, axis in (("a", "b", "0 0 1"), ("b", "c", "0 1 0"), ("c", "d", "1 0 0"))
    )
    armature = import_text(tmp_path, body).armature
    assert len(armature.data.bones) == 4
    oracle = Oracle(tmp_path / "made.urdf")
    pose = oracle.random_pose(1)
    set_channels(armature, pose)
    for link, frame in oracle.frames(pose).items():
        assert np.allclose(link_frames(armature)[link], frame, atol=2e-6)
        assert armature.data.bones[link].length > 0.01


@pytest.mark.parametrize("axis", ["1 0 0", "0 1 0", "0 -1 0", "0 0 -1", "1 1 1", "0 0 2", "-0.3 0.1 -0.9"])
@pytest.mark.parametrize("child", ["0 -0.5 0", "0 0 0.5", "1e-4 -0.5 0", "0.3 -0.5 0.02"])
def test_an_axis_is_exact_wherever_the_child_lies(axis: str, child: str, tmp_path: Path) -> None:
    body = "".join(f'<link name="{name}"/>' for name in "abcd") + "".join(
        joint_text(
            f"j{parent}",
            "revolute",
            parent,
            link,
            f'<origin xyz="{child}" rpy="0 {turn} 0"/>' + _limit(-3.0, 3.0),
            axis,
        )
        for parent, link, turn in (("a", "b", 0.0), ("b", "c", 0.7), ("c", "d", 1.5708))
    )
    armature = import_text(tmp_path, body).armature
    oracle = Oracle(tmp_path / "made.urdf")
    pose = oracle.random_pose(5)
    set_channels(armature, pose)
    shown = link_frames(armature)
    for link, frame in oracle.frames(pose).items():
        assert np.allclose(shown[link], frame, atol=4e-6), link


def test_definitions_hold_the_files_numbers_in_double_precision_and_survive_a_save(tmp_path: Path) -> None:
    body = (
        TWO
        + '<link name="c"/>'
        + joint_text("first", "revolute", "a", "b", _limit(-2.8973, 1.1))
        + joint_text("second", "continuous", "b", "c", '<mimic joint="first" multiplier="0.1" offset="0.7"/>')
    )
    import_text(tmp_path, body)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    armature = bpy.data.objects["made"]
    found = definitions(armature)
    assert (found["a"].type, found["a"].joint, found["a"].link) == ("root", "", "a")
    first, second = found["b"], found["c"]
    assert (first.type, first.joint, first.lower, first.upper) == ("revolute", "first", -2.8973, 1.1)
    assert (first.velocity, first.effort, first.mimic_joint) == (2.0, 5.0, None)
    assert (second.type, second.mimic_joint, second.mimic_multiplier, second.mimic_offset) == (
        "continuous",
        "first",
        0.1,
        0.7,
    )
    assert (second.lower, second.upper) == (-math.inf, math.inf)
    assert second.frame.shape == (4, 4)
    assert second.frame.dtype == np.float64
    record = module("rig.definition").read_robot(armature.data)
    assert (record.name, Path(record.source).name, record.version) == ("made", "made.urdf", 1)


def test_bones_of_other_armatures_have_no_definition() -> None:
    data = bpy.data.armatures.new("plain")
    other = bpy.data.objects.new("plain", data)
    bpy.context.scene.collection.objects.link(other)
    bpy.context.view_layer.objects.active = other
    bpy.ops.object.mode_set(mode="EDIT")
    data.edit_bones.new("bone").tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    definition = module("rig.definition")
    assert definition.read(data.bones["bone"]) is None
    assert definition.read_robot(data) is None
    data.bones["bone"]["linkpose"] = {"link": "half a definition"}
    with pytest.raises(module("errors").RigError, match="import the robot again"):
        definition.read(data.bones["bone"])


def test_long_and_unicode_names_stay_whole_in_the_definition_and_unlike_on_the_bones(tmp_path: Path) -> None:
    names = ["基" * 30, "基" * 30 + "一", "x" * 62 + "é", "x" * 62, 'say "hi" \\ there']
    links = "".join(f"<link name={_quoted(name)}/>" for name in names)
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link={_quoted(parent)}/><child link={_quoted(child)}/></joint>'
        for i, (parent, child) in enumerate(itertools.pairwise(names))
    )
    mimic = '<link name="end"/>' + joint_text("last", "continuous", "x" * 62, "end", '<mimic joint="j3"/>')
    armature = import_text(tmp_path, links + joints + mimic).armature
    found = definitions(armature)
    assert {one.link for one in found.values()} == {*names, "end"}
    for name in found:
        assert len(name.encode()) <= 63
    set_channels(armature, {"j3": 0.4})
    assert _shown(bone_of_joint(armature, "last")) == pytest.approx(0.4, abs=1e-6)


def _quoted(name: str) -> str:
    from xml.sax.saxutils import quoteattr

    return quoteattr(name)


def test_limits_that_meet_hold_the_one_value(tmp_path: Path) -> None:
    armature = import_text(tmp_path, TWO + joint_text("j", "revolute", "a", "b", _limit(0.1, 0.1))).armature
    assert _shown(bone_of_joint(armature, "j")) == pytest.approx(0.1, abs=1e-7)


def test_a_joint_whose_limits_meet_takes_its_one_value_and_refuses_others(tmp_path: Path) -> None:
    api = module("api")
    armature = import_text(tmp_path, TWO + joint_text("j", "revolute", "a", "b", _limit(3.141, 3.141))).armature
    api.set_pose(armature, {"j": 3.141})
    assert api.get_pose(armature)["j"] == pytest.approx(3.141)
    with pytest.raises(module("errors").RigError, match=r"can only be 3\.141: .*its limits meet"):
        api.set_pose(armature, {"j": 3.0})


def test_rounding_inwards_never_leaves_the_limits() -> None:
    inward = module("rig.limits").inward
    for lower, upper in ((-2.8973, 2.8973), (0.1, 0.30000000000000004), (-math.inf, 0.7), (-0.3, math.inf)):
        low, high = inward(lower, upper)
        assert lower <= low <= high <= upper
        assert (low, high) == (float(np.float32(low)), float(np.float32(high)))
