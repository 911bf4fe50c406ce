"""Robots: what is read, what is written and what Blender shows, against pinocchio."""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.oracle import MOVING, Oracle
from blender.posing import changed, channels, import_bare
from blender.robots import NAMES, import_text, joint_text, link_frames, robot_file, size
from blender.support import api, module

POSES = 20


def pinocchio_frames(path: Path, poses: list[dict[str, float]], folder: Path) -> list[dict[str, np.ndarray]]:
    """Link frames, computed in a process of its own: pinocchio and Blender need not know of each other."""
    if importlib.util.find_spec("pinocchio") is None:
        pytest.skip("no pinocchio in this environment: pip install pin")
    asked = folder / "poses.json"
    asked.write_text(json.dumps(poses))
    script = Path(__file__).with_name("pinocchio_frames.py")
    done = subprocess.run([sys.executable, script, path, asked], capture_output=True, text=True, check=True)
    return [{link: np.array(frame) for link, frame in frames.items()} for frames in json.loads(done.stdout)]


def rotation_error(a: np.ndarray, b: np.ndarray) -> float:
    """Angle [rad] between two frames, for small ones."""
    return float(np.linalg.norm(a[:3, :3] - b[:3, :3])) / math.sqrt(2.0)


@pytest.mark.parametrize("name", NAMES)
def test_set_pose_shows_and_reads_what_pinocchio_says(name: str, tmp_path: Path) -> None:
    path = robot_file(name)
    oracle, armature = Oracle(path), api.import_urdf(path).armature
    poses = [oracle.random_pose(seed) for seed in range(POSES)]
    moving = [joint for joint in oracle.joints.values() if joint.type in MOVING]
    followers = [joint.name for joint in moving if joint.mimic is not None]
    complete = [pose | {joint: oracle.value(joint, pose) for joint in followers} for pose in poses]
    length = size(armature)
    for pose, frames in zip(complete, pinocchio_frames(path, complete, tmp_path), strict=True):
        api.set_pose(armature, pose)
        skeleton, got = api.read_skeleton(armature), api.get_pose(armature)
        for joint, value in pose.items():
            assert got[joint] == pytest.approx(value, abs=1e-6), joint
        shown, computed = link_frames(armature), skeleton.forward(skeleton.vector(pose))
        assert shown.keys() == computed.keys() == frames.keys() & shown.keys()
        for link in shown:
            for found in (shown[link], computed[link]):
                assert np.linalg.norm(found[:3, 3] - frames[link][:3, 3]) < 1e-5 * length, link
                assert rotation_error(found, frames[link]) < 2e-5, link


def chain_of(name: str, body: str, folder: Path) -> tuple[str, ...]:
    return api.read_skeleton(import_bare(name, folder)).chain(body).unknowns


def test_the_hand_of_the_panda_takes_its_seven_arm_joints(tmp_path: Path) -> None:
    assert chain_of("panda", "panda_hand", tmp_path) == tuple(f"panda_joint{i}" for i in range(1, 8))


@pytest.mark.parametrize("finger", ["panda_leftfinger", "panda_rightfinger"])
def test_either_finger_of_the_panda_takes_the_finger_joint_alone(finger: str, tmp_path: Path) -> None:
    assert chain_of("panda", finger, tmp_path) == ("panda_finger_joint1",)


@pytest.mark.parametrize("leg", ["LF", "RF", "LH", "RH"])
def test_a_foot_of_the_anymal_takes_its_three_leg_joints(leg: str, tmp_path: Path) -> None:
    assert chain_of("anymal_c", f"{leg}_FOOT", tmp_path) == (f"{leg}_HAA", f"{leg}_HFE", f"{leg}_KFE")


def test_the_tool_of_the_scara_takes_two_hinges_and_a_slide(tmp_path: Path) -> None:
    armature = import_bare("scara", tmp_path)
    skeleton = api.read_skeleton(armature)
    kinds = {axis.name: axis.kind.name for axis in skeleton.axes}
    chain = skeleton.chain(skeleton.bodies[-1])
    assert [kinds[name] for name in chain.unknowns] == ["HINGE", "HINGE", "SLIDE"]


def test_limits_are_float32_numbers_inside_the_urdf_limits(tmp_path: Path) -> None:
    path = robot_file("panda")
    oracle, skeleton = Oracle(path), api.read_skeleton(import_bare("panda", tmp_path))
    for name, lower, upper in zip(skeleton.unknowns, skeleton.lower, skeleton.upper, strict=True):
        joint = oracle.joints[name]
        assert joint.lower <= lower == float(np.float32(lower)) < joint.lower + 1e-6
        assert joint.upper >= upper == float(np.float32(upper)) > joint.upper - 1e-6


def test_a_value_at_its_limit_is_written_inside_it(tmp_path: Path) -> None:
    path = robot_file("panda")
    oracle, armature = Oracle(path), import_bare("panda", tmp_path)
    for end in ("lower", "upper"):
        api.set_pose(armature, {joint.name: getattr(joint, end) for joint in oracle.free})
        for name, value in api.get_pose(armature).items():
            joint = oracle.joints[name]
            assert joint.lower <= value <= joint.upper, name
            if joint.mimic is None:
                assert value == pytest.approx(getattr(joint, end), abs=1e-6)


def test_a_channel_beyond_its_limit_counts_as_the_limit_that_is_shown(tmp_path: Path) -> None:
    armature = import_bare("panda", tmp_path)
    rig = module("rig.reading").read(armature)
    channel = rig.channels["panda_joint4"]
    armature.pose.bones[channel.bone].rotation_euler[channel.index] = 0.0
    upper = rig.skeleton.upper[rig.skeleton.unknowns.index("panda_joint4")]
    assert api.get_pose(armature)["panda_joint4"] == upper
    skeleton = api.read_skeleton(armature)
    shown = link_frames(armature)
    for link, frame in skeleton.forward(skeleton.vector(api.get_pose(armature))).items():
        assert np.abs(frame - shown[link]).max() < 1e-5


def test_a_pose_written_as_it_was_read_changes_no_bit(tmp_path: Path) -> None:
    armature = import_bare("kinova_gen3", tmp_path)
    oracle = Oracle(robot_file("kinova_gen3"))
    api.set_pose(armature, oracle.random_pose(3) | {"joint_1": 9.5, "joint_3": -4.0})
    before = channels(armature)
    api.set_pose(armature, api.get_pose(armature))
    assert changed(before, channels(armature)) == set()


def test_setting_one_joint_leaves_every_other_bit_alone(tmp_path: Path) -> None:
    armature = import_bare("panda", tmp_path)
    before = channels(armature)
    api.set_pose(armature, {"panda_joint3": 0.5})
    assert changed(before, channels(armature)) == {"panda_link3"}


def test_a_posed_root_an_unkeyed_offset_and_a_scaled_root_bone_are_read_as_shown(tmp_path: Path) -> None:
    path = robot_file("scara")
    armature = import_bare("scara", tmp_path)
    root = armature.pose.bones[0]
    root.location, root.rotation_euler, root.scale = (0.1, 0.2, -0.3), (0.3, 0.2, 0.1), (2.0, 2.0, 2.0)
    other = armature.pose.bones[4]
    other.location, other.rotation_euler = (0.05, 0.0, 0.02), (0.1, -0.2, 0.0)
    api.set_pose(armature, Oracle(path).random_pose(1))
    skeleton, shown = api.read_skeleton(armature), link_frames(armature)
    for link, frame in skeleton.forward(skeleton.vector(api.get_pose(armature))).items():
        assert np.abs(frame - shown[link]).max() < 1e-5, link
    assert len(skeleton.unknowns) == len(Oracle(path).free)


FOLLOWERS = "".join(f'<link name="{name}"/>' for name in "abcd") + (
    joint_text("follower", "revolute", "b", "c", '<limit lower="0" upper="1"/><mimic joint="source" multiplier="-1"/>')
    + joint_text("second", "revolute", "c", "d", '<limit lower="-3" upper="3"/><mimic joint="follower" offset="0.2"/>')
    + joint_text("source", "revolute", "a", "b", '<limit lower="-2" upper="2"/>')
)


def test_followers_follow_and_are_no_unknowns(tmp_path: Path) -> None:
    armature = import_text(tmp_path, FOLLOWERS).armature
    api.set_pose(armature, {"source": 0.7})
    assert api.read_skeleton(armature).unknowns == ("source",)
    assert api.get_pose(armature) == pytest.approx({"source": 0.7, "follower": -0.7, "second": -0.5}, abs=1e-6)


def test_a_follower_whose_driver_is_gone_is_a_joint_of_its_own(tmp_path: Path) -> None:
    armature = import_text(tmp_path, FOLLOWERS).armature
    armature.animation_data_clear()
    skeleton = api.read_skeleton(armature)
    assert set(skeleton.unknowns) == {"source", "follower", "second"}
    api.set_pose(armature, {"source": 0.7})
    shown = link_frames(armature)
    for link, frame in skeleton.forward(skeleton.vector(api.get_pose(armature))).items():
        assert np.abs(frame - shown[link]).max() < 1e-5


def test_a_follower_whose_driver_says_something_else_ends_the_chain(tmp_path: Path) -> None:
    armature = import_text(tmp_path, FOLLOWERS).armature
    next(iter(armature.animation_data.drivers)).driver.expression = "0.3"
    bpy.context.view_layer.update()
    reading = module("rig.reading").read(armature)
    held = [body for body in "bcd" if body in reading.held]
    assert held
    shown = link_frames(armature)
    for link, frame in reading.skeleton.forward(reading.pose()).items():
        assert np.abs(frame - shown[link]).max() < 1e-5


def test_a_locked_joint_is_read_but_not_moved(tmp_path: Path) -> None:
    armature = import_text(tmp_path, FOLLOWERS).armature
    armature.pose.bones["b"].lock_rotation[2] = True
    api.set_pose(armature, api.get_pose(armature))
    with pytest.raises(module("errors").RigError, match="'source'"):
        api.set_pose(armature, {"source": 0.5})
    assert api.get_pose(armature)["source"] == 0.0


def test_a_copied_bone_is_a_bare_bone(tmp_path: Path) -> None:
    armature = import_text(tmp_path, FOLLOWERS).armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in armature.data.edit_bones:
        bone.select = bone.select_head = bone.select_tail = bone.name == "c"
    bpy.ops.armature.duplicate()
    bpy.ops.object.mode_set(mode="OBJECT")
    bodies = api.read_skeleton(armature).bodies
    assert set("abcd") < set(bodies)
    assert len(bodies) == 5


def test_robot_bones_turned_in_another_mode_are_read_and_written(tmp_path: Path) -> None:
    armature = import_text(tmp_path, FOLLOWERS).armature
    bone = armature.pose.bones["b"]
    bone.rotation_mode = "QUATERNION"
    bpy.context.view_layer.update()
    reading = module("rig.reading").read(armature)
    assert reading.channels["source"].path == "rotation_quaternion"
    module("rig.writing").write(armature, reading, [0.4])
    bpy.context.view_layer.update()
    assert bone.rotation_mode == "QUATERNION"
    assert list(bone.rotation_quaternion) == pytest.approx([math.cos(0.2), 0.0, 0.0, math.sin(0.2)], abs=1e-6)
    assert api.get_pose(armature)["source"] == pytest.approx(0.4, abs=1e-6)
