"""Joints with several values, free bases and several roots, as Blender shows them."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.robots import bone_of_joint, import_text, joint_text, link_frames
from blender.support import module

ROBOT = (
    '<link name="base"/><link name="cart"/><link name="drone"/><link name="ball"/><link name="arm"/>'
    + joint_text("drive", "planar", "base", "cart", '<origin xyz="0 0 1" rpy="0.3 0.2 2.0"/>', "{axis}")
    + joint_text("fly", "floating", "cart", "drone", '<origin xyz="0.2 0 1" rpy="0.1 1.2 0.5"/>')
    + joint_text("swing", "spherical", "drone", "ball", '<origin xyz="0.2 0.1 0.4" rpy="0 0 1"/>')
    + joint_text("turn", "revolute", "ball", "arm", '<origin xyz="0.2 0 0.4"/><limit lower="-1" upper="1"/>', "0 1 0")
)
FREE = {
    "drive": ({0, 1}, {2}),
    "fly": ({0, 1, 2}, {0, 1, 2}),
    "swing": (set(), {0, 1, 2}),
    "free_base": ({0, 1, 2}, {0, 1, 2}),
}


def robot(folder: Path, axis: str = "0 0 1", **options: object):
    report = import_text(folder, ROBOT.replace("{axis}", axis), **options)
    return report.armature, module("urdf").load(folder / "made.urdf")


def test_the_channels_of_a_bone_are_free_as_its_joint_is_and_the_others_locked(tmp_path: Path) -> None:
    armature, _ = robot(tmp_path, free_base=True)
    for joint, (slides, turns) in FREE.items():
        bone = bone_of_joint(armature, joint)
        assert {i for i in range(3) if not bone.lock_location[i]} == slides, joint
        assert {i for i in range(3) if not bone.lock_rotation[i]} == turns, joint
        assert all(bone.lock_scale)
        assert not bone.constraints
        assert tuple(bone.location) == (0, 0, 0)


@pytest.mark.parametrize("axis", ["0 0 1", "1 0 0", "0 -2 0", "0.3 0.4 -0.5"])
def test_what_blender_shows_is_what_the_file_says_at_any_pose(axis: str, tmp_path: Path) -> None:
    api = module("api")
    armature, read = robot(tmp_path, axis, free_base=True)
    skeleton = read.skeleton(free_base=True)
    assert set(api.read_skeleton(armature).unknowns) == set(skeleton.unknowns)
    generator = np.random.default_rng(3)
    for _ in range(5):
        pose = skeleton.pose(generator.uniform(-1.0, 1.0, len(skeleton.unknowns)))
        api.set_pose(armature, pose)
        assert api.get_pose(armature) == pytest.approx(pose, abs=1e-6)
        shown, expected = link_frames(armature), skeleton.forward(skeleton.vector(pose))
        for link, frame in expected.items():
            np.testing.assert_allclose(shown[link], frame, atol=2e-5, err_msg=link)


def test_the_curve_of_a_channel_is_the_value_of_its_joint(tmp_path: Path) -> None:
    api = module("api")
    armature, _ = robot(tmp_path)
    api.set_pose(armature, {"drive:y": 0.25, "drive:yaw": 0.5, "fly:z": -0.75, "fly:rx": 0.125})
    assert bone_of_joint(armature, "drive").location[1] == 0.25
    assert bone_of_joint(armature, "drive").rotation_euler[2] == 0.5
    assert bone_of_joint(armature, "fly").location[2] == -0.75
    assert bone_of_joint(armature, "fly").rotation_euler[0] == 0.125


def test_a_solve_moves_a_floating_joint_past_the_pole_of_its_angles(tmp_path: Path) -> None:
    api = module("api")
    armature, _ = robot(tmp_path)
    about_y = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    found = api.solve(armature, "drone", (0.4, -0.3, 1.5), orientation=about_y)
    assert found.status.name == "REACHED"
    shown = link_frames(armature)["drone"]
    np.testing.assert_allclose(shown[:3, 3], (0.4, -0.3, 1.5), atol=1e-4)
    np.testing.assert_allclose(shown[:3, :3], about_y, atol=2e-3)


def test_a_locked_value_stays_and_the_others_move(tmp_path: Path) -> None:
    api = module("api")
    armature, _ = robot(tmp_path)
    bone_of_joint(armature, "drive").lock_location[0] = True
    api.solve(armature, "cart", (0.3, 0.2, 1.1))
    pose = api.get_pose(armature)
    assert pose["drive:x"] == 0.0
    assert pose["drive:y"] != 0.0


def test_without_a_free_base_the_root_stays(tmp_path: Path) -> None:
    armature, read = robot(tmp_path)
    assert set(module("api").read_skeleton(armature).unknowns) == set(read.skeleton().unknowns)
    assert all(armature.pose.bones["base"].lock_location)


def test_several_roots_are_bones_without_parents_at_one_place(tmp_path: Path) -> None:
    links = "".join(f'<link name="{name}"/>' for name in "abcd")
    joint = joint_text("j", "continuous", "c", "d", '<origin xyz="0 0 1"/>')
    report = import_text(tmp_path, links + joint, free_base=True)
    armature = report.armature
    assert [bone.name for bone in armature.pose.bones if bone.parent is None] == ["a", "b", "c"]
    assert any("3 links hang from no joint" in warning for warning in report.warnings)
    module("api").set_pose(armature, {"free_base_c:x": 2.0, "j": 1.0})
    shown = link_frames(armature)
    np.testing.assert_allclose(shown["d"][:3, 3], (2, 0, 1), atol=1e-6)
    np.testing.assert_allclose(shown["a"], np.eye(4), atol=1e-6)


def test_a_capsule_is_closed_and_as_large_as_its_file_says(tmp_path: Path) -> None:
    shape = '<visual><geometry><capsule radius="0.1" length="0.5"/></geometry></visual>'
    import_text(tmp_path, f'<link name="a">{shape}</link>')
    (mesh,) = bpy.data.meshes
    corners = np.array([vertex.co for vertex in mesh.vertices])
    np.testing.assert_allclose(np.ptp(corners, axis=0), (0.2, 0.2, 0.7), atol=1e-6)
    sides: dict[tuple[int, int], int] = {}
    volume = 0.0
    for polygon in mesh.polygons:
        volume += polygon.area * np.dot(polygon.center, polygon.normal) / 3.0
        for key in polygon.edge_keys:
            sides[key] = sides.get(key, 0) + 1
    assert set(sides.values()) == {2}
    assert volume == pytest.approx(4 / 3 * math.pi * 0.1**3 + math.pi * 0.1**2 * 0.5, rel=0.02)


def test_axes_that_blender_keeps_inexactly_are_told(tmp_path: Path) -> None:
    def report(kind: str, degrees: float):
        origin = f'<origin xyz="0.3 0.2 0.5" rpy="{math.radians(180 - degrees)} 0 0"/>'
        return import_text(tmp_path, '<link name="a"/><link name="b"/>' + joint_text("fly", kind, "a", "b", origin))

    (warning,) = report("floating", 5.5).warnings
    assert "made.urdf:1: floating joint 'fly'" in warning
    assert "-Y" in warning
    told = float(warning.partition(" only")[0].rpartition(" ")[2])
    bone = bpy.context.object.data.bones["b"]
    angle = math.radians(174.5)
    wanted = np.array(((1, 0, 0), (0, math.cos(angle), -math.sin(angle)), (0, math.sin(angle), math.cos(angle))))
    assert np.abs(np.array(bone.matrix_local)[:3, :3] - wanted).max() == pytest.approx(told, rel=0.5)
    for kind, degrees in (("floating", 60.0), ("continuous", 5.5), ("fixed", 5.5)):
        assert report(kind, degrees).warnings == ()
