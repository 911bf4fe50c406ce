"""Where the links and visuals of real robots stand, against an oracle on the XML alone and against pinocchio."""

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
from blender.oracle import Oracle
from blender.robots import NAMES, definitions, import_bare, link_frames, robot_file, set_channels, size, visuals
from blender.support import api, module


@pytest.fixture(params=NAMES)
def robot(request: pytest.FixtureRequest):
    path = robot_file(request.param)
    return Oracle(path), api.import_urdf(path).armature


@pytest.fixture(params=NAMES)
def bare_robot(request: pytest.FixtureRequest):
    path = robot_file(request.param)
    return Oracle(path), import_bare(path)


def _rotation_error(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a[:3, :3] @ b[:3, :3].T - np.eye(3))) / math.sqrt(2.0)


def test_links_and_visuals_stand_where_the_urdf_says_in_random_poses(robot) -> None:
    oracle, armature = robot
    length = size(armature)
    with_visuals = {link for link in oracle.links if oracle.visual_origins(link)}
    assert len(visuals(armature)) >= 0.9 * len(with_visuals) > 0
    for seed in range(3):
        pose = oracle.random_pose(seed)
        set_channels(armature, pose)
        expected, shown = oracle.frames(pose), link_frames(armature)
        assert shown.keys() == expected.keys()
        for link, frame in expected.items():
            assert np.linalg.norm(shown[link][:3, 3] - frame[:3, 3]) < 1e-5 * length, link
            assert _rotation_error(shown[link], frame) < 2e-5, link
        for link, shapes in visuals(armature).items():
            origins = oracle.visual_origins(link)
            assert len(shapes) <= len(origins)
            if len(shapes) < len(origins):
                continue  # a mesh of this link is not on this disk
            for shape, origin in zip(shapes, origins, strict=True):
                world = np.array(shape.matrix_world, dtype=np.float64)
                assert np.linalg.norm(world[:3, 3] - (expected[link] @ origin)[:3, 3]) < 1e-5 * length, shape.name
                assert _rotation_error(world, expected[link] @ origin) < 2e-5, shape.name
                assert np.allclose(np.linalg.norm(world[:3, :3], axis=0), 1.0, atol=1e-5), shape.name


def test_rest_bones_keep_clear_of_where_blender_is_inexact(bare_robot) -> None:
    _, armature = bare_robot
    least = math.cos(math.radians(45.0))
    for bone in armature.data.bones:
        y = np.array(bone.matrix_local, dtype=np.float64)[:3, 1]
        assert -y[1] < least, bone.name
        if bone.parent is not None:
            assert -y @ np.array(bone.parent.matrix_local)[:3, 1] < least, bone.name
        assert bone.length > 1e-3
        assert not bone.use_connect


def test_local_z_of_a_bone_is_its_joints_axis(bare_robot) -> None:
    oracle, armature = bare_robot
    rest = oracle.frames({joint.name: 0.0 for joint in oracle.free} | _zero_followers(oracle))
    for name, definition in definitions(armature).items():
        if definition.moves and not _follows_with_offset(oracle, definition.joint):
            axis = rest[definition.link][:3, :3] @ oracle.joints[definition.joint].axis
            z = np.array(armature.data.bones[name].matrix_local, dtype=np.float64)[:3, 2]
            assert np.linalg.norm(z - axis) < 2e-6, name


def _zero_followers(oracle: Oracle) -> dict[str, float]:
    return {joint.name: 0.0 for joint in oracle.joints.values() if joint.mimic is not None}


def _follows_with_offset(oracle: Oracle, joint: str) -> bool:
    mimic = oracle.joints[joint].mimic
    return mimic is not None and mimic[2] != 0.0


def test_the_pose_of_an_import_is_neutral(bare_robot) -> None:
    _, armature = bare_robot
    neutral = module("rig.limits").neutral
    for name, definition in definitions(armature).items():
        if definition.moves and definition.mimic_joint is None:
            path, index = definition.channel
            value = getattr(armature.pose.bones[name], path)[index]
            assert value == neutral(definition)
            assert definition.lower <= value <= definition.upper
            assert value == 0.0 or not definition.lower <= 0.0 <= definition.upper


@pytest.mark.parametrize("name", ["panda", "ur5", "talos"])
def test_links_stand_where_pinocchio_says(name: str, tmp_path: Path) -> None:
    if importlib.util.find_spec("pinocchio") is None:
        pytest.skip("no pinocchio in this environment: pip install pin")
    path = robot_file(name)
    oracle, armature = Oracle(path), import_bare(path)
    poses = [oracle.random_pose(seed) for seed in range(20)]
    followed = [{joint: oracle.value(joint, pose) for joint in _moving(oracle)} for pose in poses]
    (tmp_path / "poses.json").write_text(json.dumps(followed))
    # In a process of its own: two large binaries that need not know of each other.
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("pinocchio_frames.py")), str(path), str(tmp_path / "poses.json")],
        capture_output=True,
        text=True,
        check=True,
    )
    # Without visuals the bones' box is smaller than the robot's size: the stricter measure.
    length = size(armature)
    for pose, frames in zip(poses, json.loads(done.stdout), strict=True):
        set_channels(armature, pose)
        shown = link_frames(armature)
        for link, numbers in frames.items():
            frame = np.array(numbers)
            assert np.linalg.norm(shown[link][:3, 3] - frame[:3, 3]) < 1e-5 * length, link
            assert _rotation_error(shown[link], frame) < 2e-5, link


def _moving(oracle: Oracle) -> list[str]:
    return [joint.name for joint in oracle.joints.values() if joint.type in ("revolute", "continuous", "prismatic")]


def test_a_moved_and_turned_armature_takes_its_visuals_along() -> None:
    path = robot_file("scara")
    oracle, armature = Oracle(path), api.import_urdf(path).armature
    armature.location = (1.0, -2.0, 0.5)
    armature.rotation_euler = (0.3, -0.4, 2.0)
    bpy.context.view_layer.update()
    world = np.array(armature.matrix_world, dtype=np.float64)
    pose = oracle.random_pose(7)
    set_channels(armature, pose)
    for link, frame in oracle.frames(pose).items():
        for shape, origin in zip(visuals(armature).get(link, ()), oracle.visual_origins(link), strict=False):
            assert np.allclose(np.array(shape.matrix_world), world @ frame @ origin, atol=1e-5)
