"""The joints in the sidebar: values, limits, poses as text, pins, keys."""

from __future__ import annotations

import json
import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.posing import arm, channels, import_bare, keyed, shown
from blender.robots import import_text, joint_text
from blender.support import api, module


@pytest.fixture
def panda(tmp_path: Path) -> bpy.types.Object:
    armature = import_bare("panda", tmp_path)
    bpy.context.view_layer.objects.active = armature
    return armature


def sliders_of(armature: bpy.types.Object, bone: str = "") -> dict[str, object]:
    made = module("rig.sliders").make(armature, bone)
    assert not made.refused, made.refused
    return {slider.joint: slider for slider in made.sliders}


def active(armature: bpy.types.Object, bone: str) -> None:
    bpy.context.view_layer.objects.active = armature
    armature.data.bones.active = armature.data.bones[bone]


def frames(armature: bpy.types.Object) -> dict[tuple[str, int], list[float]]:
    return {place: [frame for frame, _ in found] for place, found in keyed(armature).items()}


def scope(name: str) -> None:
    bpy.context.window_manager.linkpose.scope = name


def test_each_joint_of_a_robot_has_a_slider_with_its_limits_and_unit(panda: bpy.types.Object) -> None:
    found = sliders_of(panda)
    skeleton = api.read_skeleton(panda)
    assert list(found) == list(skeleton.unknowns)
    for place, joint in enumerate(skeleton.unknowns):
        channel = found[joint].channel
        name = module("ui.joint_values").name_of(channel)
        described = bpy.types.PoseBone.bl_rna.properties[name]
        assert described.hard_min == pytest.approx(skeleton.lower[place], abs=1e-6)
        assert described.hard_max == pytest.approx(skeleton.upper[place], abs=1e-6)
        assert described.unit == ("LENGTH" if "finger" in joint else "ROTATION")
        assert not described.is_animatable


def test_a_slider_writes_the_joints_one_channel_and_stops_at_the_limits(panda: bpy.types.Object) -> None:
    slider = sliders_of(panda)["panda_joint4"]
    name = module("ui.joint_values").name_of(slider.channel)
    bone, before = panda.pose.bones[slider.bone], channels(panda)
    setattr(bone, name, -1.25)
    assert bone.rotation_euler.z == np.float32(-1.25)
    assert {other for other, held in channels(panda).items() if held != before[other]} == {slider.bone}
    setattr(bone, name, 3.0)
    assert slider.channel.lower <= bone.rotation_euler.z <= slider.channel.upper
    assert getattr(bone, name) == pytest.approx(slider.channel.upper, abs=1e-6)
    assert api.get_pose(panda)["panda_joint4"] == pytest.approx(slider.channel.upper, abs=1e-6)


def test_a_channel_beyond_its_limits_reads_as_it_is_shown(panda: bpy.types.Object) -> None:
    slider = sliders_of(panda)["panda_joint4"]
    for number in (0.5, 9.0, -4.0):
        panda.pose.bones[slider.bone].rotation_euler.z = number
        bpy.context.view_layer.update()
        expected = api.get_pose(panda)["panda_joint4"]
        assert module("rig.sliders").value(panda.pose.bones[slider.bone], slider.channel) == pytest.approx(expected)


def test_followers_are_listed_and_follow(panda: bpy.types.Object) -> None:
    made = module("rig.sliders").make(panda, "")
    assert [(joint, bone) for joint, bone, _, _ in made.followers] == [("panda_finger_joint2", "panda_rightfinger")]
    slider = next(one for one in made.sliders if one.joint == "panda_finger_joint1")
    module("rig.sliders").set_value(panda.pose.bones[slider.bone], slider.channel, 0.03)
    bpy.context.view_layer.update()
    assert panda.pose.bones["panda_rightfinger"].location.z == pytest.approx(0.03)


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "ZXY"])
def test_sliders_of_a_ball_turn_it_about_one_axis_without_jumps(mode: str) -> None:
    armature = arm(3, mode=mode)
    bone = armature.pose.bones["b1"]
    found = sliders_of(armature, "b2")
    assert [name for name in found if name.startswith("b1")] == [
        f"b1:{axis}" for axis in ("yxz" if mode == "ZXY" else "zyx")
    ]
    module("rig.sliders").set_value(bone, found["b1:z"].channel, 0.4)
    turn = module("rig.sliders").set_value
    last = shown(armature, "b1")[:3, :3]
    # The middle angle goes through a right angle, where angles read back from a quaternion would jump.
    for degrees in range(0, 180, 3):
        turn(bone, found["b1:y"].channel, math.radians(degrees))
        now = shown(armature, "b1")[:3, :3]
        assert np.abs(now - last).max() < 0.06
        last = now
        for axis, value in (("z", 0.4), ("y", math.radians(degrees)), ("x", 0.0)):
            assert module("rig.sliders").value(bone, found[f"b1:{axis}"].channel) == pytest.approx(value, abs=1e-6)


def test_locked_joints_are_marked_and_limits_are_those_of_the_constraint() -> None:
    armature = arm(3)
    armature.pose.bones["b1"].lock_rotation = (True, True, True)
    limit = armature.pose.bones["b2"].constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x, limit.min_x, limit.max_x = "LOCAL", True, -0.25, 0.5
    found = sliders_of(armature, "b2")
    assert not any(name.startswith("b1") for name in found)
    channel = found["b2:x"].channel
    assert (channel.lower, channel.upper) == pytest.approx((-0.25, 0.5))
    assert math.isinf(found["b2:y"].channel.upper)


def test_sliders_are_made_anew_when_a_lock_or_limit_changes_and_only_then(panda: bpy.types.Object) -> None:
    rig, panel = module("rig.sliders"), module("ui.joints_panel")
    made = rig.make(panda, "")
    before = rig.key_of(panda, made)
    panda.pose.bones["panda_link3"].rotation_euler.z = 0.3
    assert rig.key_of(panda, made) == before
    panda.pose.bones["panda_link3"].lock_rotation[2] = True
    assert rig.key_of(panda, made) != before
    assert panel.asked(bpy.context) == (panda, "")


def test_reset_goes_to_the_neutral_pose_within_limits_as_one_step(panda: bpy.types.Object) -> None:
    scope("ROBOT")
    api.set_pose(panda, {"panda_joint1": 1.0, "panda_joint4": -2.0, "panda_finger_joint1": 0.02})
    assert bpy.ops.linkpose.reset_pose() == {"FINISHED"}
    skeleton = api.read_skeleton(panda)
    expected = skeleton.pose(skeleton.neutral())
    assert api.get_pose(panda) == pytest.approx(expected, abs=1e-6)
    assert expected["panda_joint4"] < 0.0


def test_randomize_stays_within_limits_and_equal_seeds_give_equal_poses(panda: bpy.types.Object) -> None:
    scope("ROBOT")
    skeleton, poses = api.read_skeleton(panda), []
    for seed in (1, 2, 1):
        assert bpy.ops.linkpose.randomize_pose(seed=seed) == {"FINISHED"}
        pose = api.get_pose(panda)
        poses.append(pose)
        for i, joint in enumerate(skeleton.unknowns):
            assert skeleton.lower[i] <= pose[joint] <= skeleton.upper[i]
    assert poses[0] == poses[2]
    assert poses[0] != poses[1]
    bpy.ops.linkpose.randomize_pose(seed=5, amount=0.0)
    assert api.get_pose(panda) == pytest.approx(poses[2], abs=1e-6)


def test_only_the_chain_is_reset_where_only_that_is_shown(panda: bpy.types.Object) -> None:
    scope("ROBOT")
    bpy.ops.linkpose.randomize_pose(seed=3)
    before = api.get_pose(panda)
    active(panda, "panda_link2")
    scope("CHAIN")
    bpy.ops.linkpose.reset_pose()
    after = api.get_pose(panda)
    scope("ROBOT")
    assert {joint for joint in after if after[joint] != before[joint]} == {"panda_joint1", "panda_joint2"}


def test_a_copied_pose_is_json_by_joint_and_pasting_it_brings_it_back(panda: bpy.types.Object) -> None:
    text = module("rig.pose_text")
    bpy.ops.linkpose.randomize_pose(seed=7)
    pose = api.get_pose(panda)
    written = text.write(pose)
    assert json.loads(written) == pose
    bpy.ops.linkpose.reset_pose()
    api.set_pose(panda, text.read(written))
    assert api.get_pose(panda) == pytest.approx(pose, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "copy a pose first"),
        ("hello", "'hello' is no pose"),
        ("[1, 2]", "not a list"),
        ("{}", "an empty one"),
        ('{"panda_joint1": "a"}', "'panda_joint1' has the value 'a'"),
        ('{"panda_joint1": true}', "True"),
        ('{"panda_joint1": NaN}', "nan"),
        ('{"panda_joint1": 1' + "0" * 400 + "}", "a finite number is needed"),
        ("[" * 100000, "nested too deeply"),
        ('{"panda_joint1": 0.1, "panda_joint99": 0}', "panda_joint99"),
    ],
)
def test_a_text_that_is_no_pose_is_refused_with_the_reason_and_changes_nothing(
    panda: bpy.types.Object, text: str, said: str
) -> None:
    before = channels(panda)
    with pytest.raises(module("errors").LinkposeError, match=said):
        api.set_pose(panda, module("rig.pose_text").read(text))
    assert channels(panda) == before


def test_a_target_in_numbers_is_solved_keyed_and_told(panda: bpy.types.Object) -> None:
    active(panda, "panda_hand")
    bpy.ops.linkpose.take_target()
    chosen = bpy.context.window_manager.linkpose
    start = np.array(chosen.target)
    where = (shown(panda, "panda_hand") @ module("rig.definition").read(panda.data.bones["panda_hand"]).frame)[:3, 3]
    assert start == pytest.approx(where, abs=1e-5)
    goal = start + np.array((-0.1, 0.15, -0.2))
    asked = {"armature": panda.name, "bone": "panda_hand"}
    assert bpy.ops.linkpose.solve_target(**asked, target=goal) == {"FINISHED"}
    bpy.ops.linkpose.take_target()
    assert np.array(chosen.target) == pytest.approx(goal, abs=1e-4)
    assert {path for path, _ in keyed(panda)} == {f'pose.bones["panda_link{i}"].rotation_euler' for i in range(1, 8)}
    turned = tuple(chosen.orientation)
    bpy.ops.linkpose.solve_target(**asked, target=start, use_orientation=True, orientation=turned)
    assert chosen.is_reached
    bpy.ops.linkpose.take_target()
    assert np.array(chosen.orientation) == pytest.approx(turned, abs=2e-3)
    bpy.ops.linkpose.solve_target(**asked, target=(5.0, 0.0, 0.5))
    assert "out of reach" in chosen.result
    assert not chosen.is_reached


LIMIT = '<limit lower="-2" upper="2" effort="1" velocity="1"/>'


def legs(folder: Path) -> bpy.types.Object:
    """A trunk that moves freely on two bent legs of three joints each."""
    body = '<link name="trunk"/>'
    for side, y in (("left", 0.1), ("right", -0.1)):
        above = "trunk"
        for joint, link, at in (("a", "hip", f"0 {y} 0"), ("b", "knee", "0.05 0 -0.3"), ("c", "foot", "-0.05 0 -0.3")):
            extra = f'<origin xyz="{at}"/>{LIMIT}'
            body += f'<link name="{side}_{link}"/>'
            body += joint_text(f"{side}_{joint}", "revolute", above, f"{side}_{link}", extra, "0 1 0")
            above = f"{side}_{link}"
    armature = import_text(folder, body, free_base=True).armature
    bend = (("a", 0.3), ("b", -0.6))
    api.set_pose(armature, {f"{side}_{joint}": value for side in ("left", "right") for joint, value in bend})
    return armature


def test_pinned_feet_stay_while_the_trunk_is_solved_for(tmp_path: Path) -> None:
    armature = legs(tmp_path)
    pinning = module("rig.pinning")
    for foot in ("left_foot", "right_foot"):
        active(armature, foot)
        assert bpy.ops.linkpose.pin() == {"FINISHED"}
    # Three joints cannot hold a rotation as well.
    assert pinning.pinned(armature) == {"left_foot": "PLACE", "right_foot": "PLACE"}
    feet = [shown(armature, foot)[:3, 3] for foot in ("left_foot", "right_foot")]
    trunk = shown(armature, "trunk")[:3, 3]
    wanted = trunk + np.array((0.05, 0.0, -0.04))
    bpy.ops.linkpose.solve_target(armature=armature.name, bone="trunk", target=wanted)
    assert shown(armature, "trunk")[:3, 3] == pytest.approx(wanted, abs=2e-3)
    for foot, before in zip(("left_foot", "right_foot"), feet, strict=True):
        assert shown(armature, foot)[:3, 3] == pytest.approx(before, abs=1e-4)
    bpy.ops.linkpose.unpin(armature=armature.name, bone="left_foot")
    assert list(pinning.pinned(armature)) == ["right_foot"]
    bpy.ops.linkpose.solve_target(
        armature=armature.name, bone="right_foot", target=feet[1] + np.array((0.05, 0.0, 0.03))
    )
    assert shown(armature, "right_foot")[:3, 3] == pytest.approx(feet[1] + np.array((0.05, 0.0, 0.03)), abs=1e-3)


def test_a_drag_holds_what_is_pinned_and_is_repeated_with_it(tmp_path: Path) -> None:
    armature = legs(tmp_path)
    pinning = module("rig.pinning")
    for foot in ("left_foot", "right_foot"):
        pinning.pin(armature, foot)
    feet = [shown(armature, foot)[:3, 3] for foot in ("left_foot", "right_foot")]
    wanted = shown(armature, "trunk")[:3, 3] + np.array((-0.04, 0.0, -0.05))
    bpy.ops.linkpose.drag("EXEC_DEFAULT", armature=armature.name, body="trunk", target=wanted)
    for foot, before in zip(("left_foot", "right_foot"), feet, strict=True):
        assert shown(armature, foot)[:3, 3] == pytest.approx(before, abs=1e-3)
    assert shown(armature, "trunk")[:3, 3] == pytest.approx(wanted, abs=5e-3)


def test_a_bone_with_joints_enough_is_pinned_with_its_rotation() -> None:
    armature = arm(3)
    active(armature, "b2")
    module("rig.pinning").pin(armature, "b2")
    assert module("rig.pinning").pinned(armature) == {"b2": "WHOLE"}
    assert module("rig.pinning").goals(armature) == ("b2",)
    assert module("rig.pinning").goals(armature, but=("b2",)) == ()


def test_keys_of_the_chain_are_inserted_and_deleted_at_the_frame(panda: bpy.types.Object) -> None:
    active(panda, "panda_link3")
    scope("CHAIN")
    bpy.context.scene.frame_set(12)
    assert bpy.ops.linkpose.key_joints() == {"FINISHED"}
    places = {(f'pose.bones["panda_link{i}"].rotation_euler', 2) for i in (1, 2, 3)}
    assert frames(panda) == {place: [12.0] for place in places}
    bpy.context.scene.frame_set(20)
    assert bpy.ops.linkpose.key_joints() == {"FINISHED"}
    assert bpy.ops.linkpose.delete_keys() == {"FINISHED"}
    assert frames(panda) == {place: [12.0] for place in places}
    assert bpy.ops.linkpose.delete_keys() == {"CANCELLED"}
    scope("ROBOT")


def test_sliders_and_poses_are_keyed_only_while_auto_keying_is_on(panda: bpy.types.Object) -> None:
    scope("ROBOT")
    slider = sliders_of(panda)["panda_joint2"]
    name = module("ui.joint_values").name_of(slider.channel)
    tools = bpy.context.scene.tool_settings
    tools.use_keyframe_insert_auto = False
    setattr(panda.pose.bones[slider.bone], name, 0.2)
    bpy.ops.linkpose.reset_pose()
    assert keyed(panda) == {}
    tools.use_keyframe_insert_auto = True
    setattr(panda.pose.bones[slider.bone], name, 0.4)
    place = (f'pose.bones["{slider.bone}"].rotation_euler', 2)
    assert keyed(panda) == {place: [(1.0, pytest.approx(0.4))]}
    tools.use_keyframe_insert_auto = False


def test_links_without_a_mesh_that_joints_move_are_the_tool_frames(tmp_path: Path) -> None:
    box = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'
    body = (
        f'<link name="base">{box}</link><link name="arm">{box}</link><link name="tcp"/><link name="mount"/>'
        + joint_text("turn", "revolute", "base", "arm", '<limit lower="-1" upper="1" effort="1" velocity="1"/>')
        + joint_text("tool", "fixed", "arm", "tcp", '<origin xyz="0.3 0 0.1" rpy="0 0 0.5"/>')
        + joint_text("floor", "fixed", "base", "mount")
    )
    armature = import_text(tmp_path, body).armature
    frames = module("rig.toolframes")
    (one,) = frames.of(armature)
    assert one.link == "tcp"
    api.set_pose(armature, {"turn": 0.7})
    expected = (0.3 * math.cos(0.7), 0.3 * math.sin(0.7), 0.1)
    assert frames.places(armature, (one,))[0] == pytest.approx(expected, abs=1e-6)
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.linkpose.choose_body(bone=one.bone) == {"FINISHED"}
    assert module("ui.sidebar").subject(bpy.context) == (armature, one.bone)
