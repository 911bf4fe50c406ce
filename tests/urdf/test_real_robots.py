"""Published robots, against pinocchio and yourdfpy."""

from __future__ import annotations

import math
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from linkpose.urdf import Joint, Robot, UrdfError, load

POSES = 20

# Folder fixture, file below it. The last number is how many unknowns the robot has.
KNOWN = {
    "panda": ("robots", "panda_moveit/panda_description/urdf/panda.urdf", 8),
    "fanuc": ("robots", "fanuc_m10ia_moveit/fanuc_description/urdf/fanuc.urdf", 6),
    "anymal_c": ("robots", "anymal_c/anymal_c_simple_description/urdf/anymal.urdf", 12),
    "scara": ("robots", "scara_yguel/scara_description/urdf/scara.urdf", 3),
    "kinova_gen3": (
        "robots",
        "kinova_gen3/kortex_description/arms/gen3/7dof/urdf/GEN3-7DOF-NOVISION_FOR_URDF_ARM_V12.urdf",
        7,
    ),
    "robotiq_2f_85": ("robots", "robotiq/_expanded/robotiq_2f_85.urdf", 1),
    "panda (example-robot-data)": ("example_robot_data", "panda_description/urdf/panda.urdf", 8),
    "ur5": ("example_robot_data", "ur_description/urdf/ur5_robot.urdf", 6),
    "talos": ("example_robot_data", "talos_data/robots/talos_full_v2.urdf", 32),
    "pr2": ("example_robot_data", "pr2_description/urdf/pr2.urdf", 20),
}


@pytest.fixture(params=KNOWN)
def known(request) -> tuple[Robot, int]:
    folder, file, unknowns = KNOWN[request.param]
    return load(request.getfixturevalue(folder) / file), unknowns


def random_poses(robot: Robot, count: int = POSES):
    """Poses inside the limits, by joint name; a turn either way where there are none."""
    skeleton = robot.skeleton()
    generator = np.random.default_rng(5)
    lower = np.where(np.isfinite(skeleton.lower), skeleton.lower, -math.pi)
    upper = np.where(np.isfinite(skeleton.upper), skeleton.upper, math.pi)
    return [generator.uniform(lower, upper) for _ in range(count)]


def test_forward_kinematics_equal_pinocchio(known):
    pinocchio = pytest.importorskip("pinocchio")
    robot, unknowns = known
    skeleton = robot.skeleton()
    assert len(skeleton.unknowns) == unknowns
    model = pinocchio.buildModelFromUrdf(str(robot.path))
    data = model.createData()
    frame_ids = {link.name: model.getFrameId(link.name, pinocchio.FrameType.BODY) for link in robot.links}
    assert max(frame_ids.values()) < model.nframes
    movable = [joint for joint in robot.joints if joint.type != "fixed"]
    assert {joint.name for joint in movable} == set(model.names) - {"universe"}
    for q in random_poses(robot):
        values = skeleton.pose(q)
        other = pinocchio.neutral(model)
        for joint in movable:
            index = model.joints[model.getJointId(joint.name)]
            value = values[joint.name]
            other[index.idx_q : index.idx_q + index.nq] = (math.cos(value), math.sin(value)) if index.nq == 2 else value
        pinocchio.framesForwardKinematics(model, data, other)
        for name, frame in skeleton.forward(q).items():
            np.testing.assert_allclose(frame, data.oMf[frame_ids[name]].homogeneous, atol=1e-9, err_msg=name)


def value_in(joint: Joint, pose: dict[str, float], pinocchio: ModuleType, width: int) -> list[float]:
    """A joint's part of pinocchio's configuration, which has ``width`` numbers."""
    if joint.type == "floating":
        x, y, z, rx, ry, rz = (pose[f"{joint.name}:{axis}"] for axis in ("x", "y", "z", "rx", "ry", "rz"))
        rotate = pinocchio.rpy.rotate
        turned = pinocchio.Quaternion(rotate("x", rx) @ rotate("y", ry) @ rotate("z", rz))
        return [x, y, z, *turned.coeffs()]
    if joint.type == "planar":
        x, y, yaw = (pose[f"{joint.name}:{axis}"] for axis in ("x", "y", "yaw"))
        return [x, y, math.cos(yaw), math.sin(yaw)]
    value = pose[joint.name]
    return [math.cos(value), math.sin(value)] if width == 2 else [value]


@pytest.mark.parametrize("folder", ["robots", "example_robot_data"])
def test_forward_kinematics_equal_pinocchio_for_all_that_it_can_read(request, folder):
    pinocchio = pytest.importorskip("pinocchio")
    compared, types = 0, set()
    for file in all_files(request.getfixturevalue(folder)):
        try:
            model, robot = pinocchio.buildModelFromUrdf(str(file)), load(file)
        except (ValueError, UrdfError):
            continue
        # It knows planes normal to Z only.
        if any(joint.type == "planar" and joint.axis != (0.0, 0.0, 1.0) for joint in robot.joints):
            continue
        data, skeleton = model.createData(), robot.skeleton()
        movable = [joint for joint in robot.joints if joint.type != "fixed"]
        assert {joint.name for joint in movable} == set(model.names) - {"universe"}, file
        frame_ids = {link.name: model.getFrameId(link.name, pinocchio.FrameType.BODY) for link in robot.links}
        for q in random_poses(robot):
            pose, other = skeleton.pose(q), pinocchio.neutral(model)
            for joint in movable:
                index = model.joints[model.getJointId(joint.name)]
                other[index.idx_q : index.idx_q + index.nq] = value_in(joint, pose, pinocchio, index.nq)
            pinocchio.framesForwardKinematics(model, data, other)
            frames = skeleton.forward(q)
            expected = np.array([data.oMf[frame_ids[name]].homogeneous for name in frames])
            np.testing.assert_allclose(list(frames.values()), expected, atol=1e-9, err_msg=str(file))
        compared += 1
        types |= {joint.type for joint in movable}
    assert compared > 60
    assert types >= {"revolute", "continuous", "prismatic"}
    assert folder != "robots" or "floating" in types


# What we read otherwise than the file says, which the warnings tell.
REREAD = ("read as", "read without", "mimic", "exchanged", "count as none", "only", "left out", "held at")


@pytest.mark.parametrize("folder", ["robots", "example_robot_data"])
def test_joints_limits_and_followers_equal_yourdfpy_or_a_warning_names_them(request, folder):
    yourdfpy = pytest.importorskip("yourdfpy")
    compared = 0
    for file in all_files(request.getfixturevalue(folder)):
        try:
            robot = load(file)
            other = yourdfpy.URDF.load(
                str(file), build_scene_graph=False, load_meshes=False, load_collision_meshes=False
            ).robot
        except (UrdfError, ValueError, TypeError, IndexError):
            continue
        theirs = {joint.name: joint for joint in other.joints}
        ours = {joint.name: joint for joint in robot.joints}
        unlike = theirs.keys() ^ ours.keys()
        for name in theirs.keys() & ours.keys():
            if not same(ours[name], theirs[name]):
                unlike.add(name)
        for name in unlike:
            told = [warning for warning in robot.warnings if f"{name!r}" in warning]
            assert any(word in warning for warning in told for word in REREAD), (file, name)
        compared += 1
    assert compared > 60


def same(ours: Joint, theirs: Any) -> bool:
    """Whether two readers have the same joint."""
    if (ours.type, ours.parent, ours.child) != (theirs.type, theirs.parent, theirs.child):
        return False
    if not np.allclose(ours.origin, np.eye(4) if theirs.origin is None else theirs.origin, atol=1e-12):
        return False
    if ours.type in ("revolute", "prismatic", "continuous", "planar"):
        axis = np.array((1.0, 0, 0) if theirs.axis is None else theirs.axis)
        if not np.allclose(ours.axis, axis / np.linalg.norm(axis), atol=1e-12):
            return False
    limits = None if theirs.limit is None else (theirs.limit.lower or 0.0, theirs.limit.upper or 0.0)
    if ours.type in ("revolute", "prismatic") and (ours.lower, ours.upper) != limits:
        return False
    if ours.mimic is None or theirs.mimic is None:
        return ours.mimic is theirs.mimic
    multiplier = 1.0 if theirs.mimic.multiplier is None else theirs.mimic.multiplier
    relation = (theirs.mimic.joint, multiplier, theirs.mimic.offset or 0.0)
    return (ours.mimic.joint, ours.mimic.multiplier, ours.mimic.offset) == relation


def test_joints_limits_and_followers_equal_yourdfpy(known):
    yourdfpy = pytest.importorskip("yourdfpy")
    robot, _ = known
    other = yourdfpy.URDF.load(str(robot.path), build_scene_graph=False, load_meshes=False, load_collision_meshes=False)
    assert [link.name for link in robot.links] == [link.name for link in other.robot.links]
    assert len(robot.joints) == len(other.robot.joints)
    for ours, theirs in zip(robot.joints, other.robot.joints, strict=True):
        assert (ours.name, ours.parent, ours.child) == (theirs.name, theirs.parent, theirs.child)
        assert ours.type == theirs.type
        np.testing.assert_allclose(ours.origin, np.eye(4) if theirs.origin is None else theirs.origin, atol=1e-12)
        if ours.type == "fixed":
            continue
        np.testing.assert_allclose(ours.axis, np.array(theirs.axis) / np.linalg.norm(theirs.axis), atol=1e-12)
        if ours.type != "continuous":
            assert (ours.lower, ours.upper) == (theirs.limit.lower or 0.0, theirs.limit.upper or 0.0)
        if theirs.limit is not None:
            assert (ours.velocity, ours.effort) == (theirs.limit.velocity, theirs.limit.effort)
        assert (ours.mimic is None) == (theirs.mimic is None)
        if ours.mimic is not None:
            relation = (theirs.mimic.joint, theirs.mimic.multiplier or 1.0, theirs.mimic.offset or 0.0)
            assert (ours.mimic.joint, ours.mimic.multiplier, ours.mimic.offset) == relation


def test_visuals_equal_yourdfpy(known):
    yourdfpy = pytest.importorskip("yourdfpy")
    robot, _ = known
    other = yourdfpy.URDF.load(str(robot.path), build_scene_graph=False, load_meshes=False, load_collision_meshes=False)
    for ours, theirs in zip(robot.links, other.robot.links, strict=True):
        assert len(ours.visuals) == len(theirs.visuals)
        assert len(ours.collisions) == len(theirs.collisions)
        for one, two in zip(ours.visuals + ours.collisions, theirs.visuals + theirs.collisions, strict=True):
            np.testing.assert_allclose(one.origin, np.eye(4) if two.origin is None else two.origin, atol=1e-12)


@pytest.mark.parametrize("robot", ["panda", "fanuc", "anymal_c", "kinova_gen3", "robotiq_2f_85", "ur5", "talos", "pr2"])
def test_every_mesh_of_a_whole_package_is_found_where_it_is_written(request, robot):
    folder, file, _ = KNOWN[robot]
    read = load(request.getfixturevalue(folder) / file)
    meshes = [
        item.geometry for link in read.links for item in link.visuals + link.collisions if hasattr(item.geometry, "uri")
    ]
    assert meshes
    for mesh in meshes:
        assert mesh.path is not None
        assert mesh.path.is_file()
        assert mesh.path.name == mesh.uri.rsplit("/", 1)[-1]
    assert not any("was not found" in warning or "was found as" in warning for warning in read.warnings)


def test_a_robot_is_found_from_any_current_folder(robots, monkeypatch, tmp_path):
    file = robots / KNOWN["panda"][1]
    monkeypatch.chdir(tmp_path)
    assert not load(file).warnings


def all_files(folder: Path) -> list[Path]:
    files = sorted(folder.rglob("*.urdf"))
    assert len(files) > 40
    return files


@pytest.mark.parametrize("folder", ["robots", "example_robot_data"])
def test_every_published_file_is_read_or_refused_with_file_line_and_remedy(request, folder):
    refused: list[UrdfError] = []
    read: list[Robot] = []
    for file in all_files(request.getfixturevalue(folder)):
        try:
            read.append(load(file))
        except UrdfError as error:
            refused.append(error)
    for error in refused:
        assert str(error).startswith(f"{error.path}:{error.line}: ")
        assert ";" in str(error)
    for robot in read:
        skeleton = robot.skeleton()
        frames = skeleton.forward(skeleton.neutral())
        assert all(np.isfinite(frame).all() for frame in frames.values()), robot.path
        assert all(warning.startswith(f"{robot.path}:") and ";" in warning for warning in robot.warnings)
    assert len(read) > 60


MUST_FAIL = {
    "error_dupilcate_material_names": "describes no link",
    "error_duplicate_joint_names": "there is a joint 'JointA' already in line 29",
    "error_duplicate_link_names": "there is a link 'link2' already in line 11",
    "error_incorrect_joint_child_link_name": "child link 'link_dummy', which does not exist",
    "error_incorrect_joint_parent_link_name": "parent link 'BaseLink_dummy', which does not exist",
    "error_incorrect_joint_type": "no joint type 'incorrect_type'",
    "error_incorrect_vec3": "4 numbers; 3 are needed",
    "error_incorrect_vec4": "2 numbers; 4 are needed",
    "error_joint_axis_0": "is zero",
    "error_no_joint_child": "has no <child>",
    "error_no_joint_mimic_joint": "'joint' is missing",
    "error_no_joint_parent": "has no <parent>",
    "error_no_joint_parent_link": "'link' is missing",
    "error_no_joint_type": "'type' is missing",
    "error_no_link": "describes no link",
    "error_no_material_name": "'name' is missing",
    "error_no_urdf_xml": "no robot",
    "error_xml_syntax": "no well-formed XML",
}


# Wrong too, but real robots do the same.
MUST_WARN = {
    "error_convert_loop_joint_structure": "closes a loop",
    "error_incorrect_mimic_joint": "mimics 'foo', which does not exist",
}


def test_the_wrong_files_of_another_reader_fail_here_too(robots):
    folder = robots / "newton_urdf_tests" / "tests_data"
    assert {file.stem for file in folder.glob("error_*.urdf")} == {*MUST_FAIL, *MUST_WARN}
    for stem, words in MUST_WARN.items():
        (warning,) = load(folder / f"{stem}.urdf").warnings
        assert words in warning
    for stem, words in MUST_FAIL.items():
        with pytest.raises(UrdfError) as caught:
            load(folder / f"{stem}.urdf")
        assert words in str(caught.value)
    others = [file for file in folder.glob("*.urdf") if not file.stem.startswith("error_")]
    assert len(others) > 50
    for file in others:
        load(file).skeleton()
