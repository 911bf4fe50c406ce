"""Armatures that are no robots: what is read, what is written, and what Blender shows."""

from __future__ import annotations

import itertools
import math
import random

import bpy
import numpy as np
import pytest
from blender.posing import (
    MODES,
    arm,
    assert_skeleton_is_what_blender_shows,
    changed,
    channels,
    make_armature,
    shown,
    tail,
)
from blender.support import api, module

INHERIT = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")


def tumble(armature: bpy.types.Object, seed: int, *, location: float = 0.2) -> None:
    """Random channels in every rotation mode."""
    draw = random.Random(seed)
    for bone in armature.pose.bones:
        bone.location = [draw.uniform(-location, location) for _ in range(3)]
        bone.rotation_euler = [draw.uniform(-3.0, 3.0) for _ in range(3)]
        bone.rotation_quaternion = [draw.uniform(-1.0, 1.0) for _ in range(4)]
        bone.rotation_axis_angle = [draw.uniform(-6.0, 6.0)] + [draw.uniform(-1.0, 1.0) for _ in range(3)]
    bpy.context.view_layer.update()


def limit_rotation(bone: bpy.types.PoseBone, order: str = "AUTO", **axes: tuple[float, float]) -> bpy.types.Constraint:
    constraint = bone.constraints.new("LIMIT_ROTATION")
    constraint.owner_space = "LOCAL"
    constraint.euler_order = order
    for axis, (low, high) in axes.items():
        setattr(constraint, f"use_limit_{axis}", True)
        setattr(constraint, f"min_{axis}", low)
        setattr(constraint, f"max_{axis}", high)
    bpy.context.view_layer.update()
    return constraint


def held(armature: bpy.types.Object) -> dict[str, str]:
    return dict(module("rig.reading").read(armature).held)


@pytest.mark.parametrize("mode", [*MODES, "YZX"])
def test_any_pose_in_any_rotation_mode_is_read_as_shown(mode: str) -> None:
    armature = arm(mode=mode, roll=0.4)
    for seed in range(5):
        tumble(armature, seed)
        assert_skeleton_is_what_blender_shows(armature)


@pytest.mark.parametrize("inherit", INHERIT)
def test_uniform_scale_local_location_and_connection_are_read_as_shown(inherit: str) -> None:
    armature = arm(6, roll=0.4)
    for bone, (local, connected) in zip(
        armature.data.bones, itertools.cycle(itertools.product((True, False), repeat=2))
    ):
        bone.inherit_scale = inherit
        bone.use_local_location = local
        bone["wants_connection"] = connected
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in armature.data.edit_bones:
        bone.use_connect = bool(bone.parent) and bool(bone["wants_connection"])
    bpy.ops.object.mode_set(mode="OBJECT")
    tumble(armature, 1)
    for bone, scale in zip(armature.pose.bones, (2.0, 1.0, 0.5, 1.0, 3.0, 1.0), strict=True):
        bone.scale = (scale,) * 3
    assert_skeleton_is_what_blender_shows(armature)
    assert held(armature) == {}


@pytest.mark.parametrize("inherit", INHERIT)
@pytest.mark.parametrize("rotation", [True, False])
def test_uneven_scale_and_no_inherited_rotation_are_read_as_shown(inherit: str, rotation: bool) -> None:
    armature = arm(5, roll=0.4)
    for bone in armature.data.bones:
        bone.inherit_scale = inherit
    armature.data.bones["b3"].use_inherit_rotation = rotation
    tumble(armature, 2)
    armature.pose.bones["b1"].scale = (1.0, 2.0, 0.5)
    assert_skeleton_is_what_blender_shows(armature)


def test_chains_go_through_a_bone_whose_shear_is_taken_out_under_uneven_scale() -> None:
    armature = arm(4)
    armature.data.bones["b2"].inherit_scale = "FIX_SHEAR"
    armature.pose.bones["b0"].scale = (1.0, 1.6, 0.6)
    armature.pose.bones["b1"].rotation_euler = (0.3, -0.2, 0.5)
    bpy.context.view_layer.update()
    assert held(armature) == {}
    for step in ((0.2, 0.1, -0.1), (-0.3, 0.1, 0.1)):
        target = tail(armature, "b3") + np.array(step)
        solution = api.solve(armature, "b3", target, tolerance=1e-5)
        assert solution.status == "REACHED"
        assert len(solution.values) == 12
        assert np.linalg.norm(tail(armature, "b3") - target) < 2e-5


@pytest.mark.parametrize("inherit", ["FULL", "ALIGNED"])
def test_joints_under_uneven_scale_reach_their_targets_as_blender_shows_them(inherit: str) -> None:
    armature = arm(5, roll=0.3)
    armature.pose.bones["b0"].scale = (1.3, 0.8, 0.6)
    armature.pose.bones["b2"].scale = (0.7, 1.2, 1.0)
    armature.pose.bones["b0"].rotation_euler = (0.3, 0.2, -0.4)
    armature.data.bones["b4"].inherit_scale = inherit
    bpy.context.view_layer.update()
    assert held(armature) == {}
    for step in ((0.3, 0.1, -0.2), (-0.4, 0.2, 0.1), (0.1, -0.3, -0.1)):
        target = tail(armature, "b3") + np.array(step)
        solution = api.solve(armature, "b3", target, tolerance=1e-5)
        assert solution.status == "REACHED"
        assert np.linalg.norm(tail(armature, "b3") - target) < 2e-5
    chain = module("rig.chains").take(armature, "b4")[1]
    assert chain.dof == 15


def test_joints_above_a_bone_that_does_not_inherit_rotation_move_its_head_alone() -> None:
    armature = arm(4)
    armature.data.bones["b2"].use_inherit_rotation = False
    tumble(armature, 3)
    before = shown(armature, "b2")
    api.set_pose(armature, {"b1:x": 0.4, "b0:z": -0.3})
    assert np.abs(shown(armature, "b2")[:3, :3] - before[:3, :3]).max() < 1e-6
    assert np.linalg.norm(shown(armature, "b2")[:3, 3] - before[:3, 3]) > 0.05
    assert_skeleton_is_what_blender_shows(armature)
    skeleton = api.read_skeleton(armature)
    assert len(skeleton.chain("b3").unknowns) == 12
    target = tail(armature, "b3") + np.array((0.25, 0.2, -0.2))
    solution = api.solve(armature, "b3", target)
    assert solution.status.value == "REACHED"
    assert np.linalg.norm(tail(armature, "b3") - target) < 1e-4


@pytest.mark.parametrize("kind", ["COPY_ROTATION", "DAMPED_TRACK", "CHILD_OF"])
def test_a_constrained_bone_stays_where_it_is_and_ends_the_chain(kind: str) -> None:
    armature = arm(4)
    tumble(armature, 4)
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location, target.rotation_euler = (1.0, 2.0, 3.0), (0.3, 0.4, 0.5)
    armature.pose.bones["b1"].constraints.new(kind).target = target
    bpy.context.view_layer.update()
    assert_skeleton_is_what_blender_shows(armature)
    assert "'b1'" not in held(armature)["b1"]
    assert "constraint" in held(armature)["b1"]
    assert api.read_skeleton(armature).chain("b3").unknowns[0] == "b2:z"
    with pytest.raises(module("errors").RigError, match="'b1' is moved by its constraint"):
        api.solve(armature, "b1", (0.0, 0.0, 1.0))


def test_members_of_an_ik_chain_stay_where_they_are() -> None:
    armature = arm(5)
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (0.4, 0.2, 0.6)
    ik = armature.pose.bones["b3"].constraints.new("IK")
    ik.target, ik.chain_count = target, 2
    bpy.context.view_layer.update()
    assert set(held(armature)) == {"b2", "b3"}
    assert_skeleton_is_what_blender_shows(armature)
    ik.mute = True
    bpy.context.view_layer.update()
    assert held(armature) == {}


def test_a_driven_bone_stays_where_it_is() -> None:
    armature = arm(3)
    armature.pose.bones["b1"].driver_add("rotation_euler", 0).driver.expression = "0.7"
    bpy.context.view_layer.update()
    assert set(held(armature)) == {"b1"}
    assert_skeleton_is_what_blender_shows(armature)


def test_locks_and_ik_locks_leave_the_free_axes() -> None:
    armature = arm(4)
    bones = armature.pose.bones
    bones["b0"].lock_rotation = (True, True, False)
    bones["b1"].lock_rotation = (False, True, False)
    bones["b2"].lock_ik_x = True
    bones["b3"].lock_rotation = (True, True, True)
    skeleton = api.read_skeleton(armature)
    assert skeleton.unknowns == ("b0", "b1:z", "b1:x", "b2:z", "b2:y")
    assert "locked" in held(armature)["b3"]


def test_limits_come_from_limit_rotation_and_ik_limits() -> None:
    armature = arm(2)
    limit_rotation(armature.pose.bones["b0"], x=(-0.5, 1.0), y=(0.0, 0.0))
    bone = armature.pose.bones["b1"]
    bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, -0.25, 0.25
    bone.rotation_euler.x = 0.5
    skeleton = api.read_skeleton(armature)
    limits = dict(zip(skeleton.unknowns, zip(skeleton.lower, skeleton.upper, strict=True), strict=True))
    assert limits["b0:x"] == (-0.5, 1.0)
    assert limits["b0:z"] == (-math.inf, math.inf)
    assert "b0:y" not in limits
    # Blender shows what lies beyond an IK limit: it stays allowed.
    assert limits["b1:x"] == (-0.25, 0.5)


@pytest.mark.parametrize("order", ["AUTO", "XYZ", "ZXY", "YZX"])
@pytest.mark.parametrize("mode", MODES)
def test_a_limited_ball_is_read_as_shown_also_when_its_channels_are_outside(mode: str, order: str) -> None:
    armature = arm(3, mode=mode)
    for bone in armature.pose.bones:
        limit_rotation(bone, order, x=(-0.6, 0.9), y=(-0.2, 0.3), z=(-1.2, 2.5))
    for seed in range(10):
        tumble(armature, seed)
        assert_skeleton_is_what_blender_shows(armature)
        skeleton, pose = api.read_skeleton(armature), module("rig.reading").read(armature).pose()
        assert np.all((skeleton.lower <= pose) & (pose <= skeleton.upper))


@pytest.mark.parametrize("rebase", [False, True])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("limited", [False, True])
def test_what_is_written_is_shown(mode: str, limited: bool, rebase: bool) -> None:
    reading, writing = module("rig.reading"), module("rig.writing")
    armature = arm(4, mode=mode, roll=0.3)
    if limited:
        for bone in armature.pose.bones:
            limit_rotation(bone, "ZXY", x=(-1.0, 1.0), y=(-0.3, 0.3), z=(-0.9, 1.2))
    tumble(armature, 7, location=0.1)
    rig = reading.read(armature, rebase=rebase)
    draw = np.random.default_rng(1)
    for _ in range(5):
        q = np.clip(draw.uniform(-1.2, 1.2, len(rig.skeleton.unknowns)), rig.skeleton.lower, rig.skeleton.upper)
        writing.write(armature, rig, q)
        for body, frame in rig.skeleton.forward(q).items():
            assert np.abs(shown(armature, body) - frame).max() < 1e-5
    assert {bone.rotation_mode for bone in armature.pose.bones} == {mode}


@pytest.mark.parametrize("mode", MODES)
def test_get_pose_and_set_pose_are_inverse(mode: str) -> None:
    armature = arm(4, mode=mode)
    tumble(armature, 5)
    before, matrices = channels(armature), [shown(armature, f"b{i}") for i in range(4)]
    pose = api.get_pose(armature)
    api.set_pose(armature, pose)
    assert changed(before, channels(armature)) == set()
    for bone in armature.pose.bones:
        bone.rotation_quaternion, bone.rotation_euler = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        bone.rotation_axis_angle = (0.0, 0.0, 1.0, 0.0)
    api.set_pose(armature, pose)
    for i, matrix in enumerate(matrices):
        assert np.abs(shown(armature, f"b{i}") - matrix).max() < 1e-5


@pytest.mark.parametrize("mode", MODES)
def test_signs_and_turns_stay_next_to_what_was_there(mode: str) -> None:
    reading, writing = module("rig.reading"), module("rig.writing")
    armature = arm(1, mode=mode)
    bone = armature.pose.bones["b0"]
    bone.rotation_quaternion = (-0.9, 0.1, -0.3, 0.2)
    bone.rotation_euler = (6.5, -0.4, -12.2)
    bone.rotation_axis_angle = (-7.0, 0.2, 0.3, 0.9)
    path = module("rig.channels").rotation_path(module("rig.snapshot").take_bone(bone))
    before = np.array(getattr(bone, path))
    rig = reading.read(armature, rebase=True)
    writing.write(armature, rig, rig.pose() + 0.01)
    after = np.array(getattr(bone, path))
    if mode in ("QUATERNION", "AXIS_ANGLE"):
        before[-3:] /= np.linalg.norm(before[-3:]) if mode == "AXIS_ANGLE" else np.linalg.norm(before)
        before[:1] /= 1.0 if mode == "AXIS_ANGLE" else np.linalg.norm((-0.9, 0.1, -0.3, 0.2))
    assert np.abs(after - before).max() < 0.1


def test_going_away_and_coming_back_restores_every_bit() -> None:
    reading, writing = module("rig.reading"), module("rig.writing")
    for mode in MODES:
        armature = arm(3, mode=mode, name=mode)
        tumble(armature, 6)
        before = channels(armature)
        rig = reading.read(armature, rebase=True)
        writing.write(armature, rig, rig.pose() + 0.3)
        assert changed(before, channels(armature)) == {"b0", "b1", "b2"}
        writing.write(armature, rig, rig.pose())
        assert changed(before, channels(armature)) == set()


@pytest.mark.parametrize("locked", ["nothing", "y", "y by parts"])
@pytest.mark.parametrize("mode", MODES)
def test_a_solve_reaches_as_blender_evaluates_it(mode: str, locked: str) -> None:
    armature = arm(5, mode=mode, roll=0.3)
    armature.location, armature.rotation_euler, armature.scale = (1.0, -2.0, 0.5), (0.3, 0.5, -1.0), (2.5,) * 3
    for bone in armature.pose.bones:
        bone.lock_rotation[1] = locked != "nothing"
        bone.lock_rotations_4d = locked == "y by parts"
    bpy.context.view_layer.update()
    before = {bone.name: rotations(bone) for bone in armature.pose.bones}
    skeleton = api.read_skeleton(armature)
    assert len(skeleton.unknowns) == (15 if locked == "nothing" else 10)
    length = skeleton.chain("b4").reach * 2.5
    for direction in ((0.3, 0.2, 0.4), (-0.2, 0.5, 0.1), (0.1, -0.4, 0.3)):
        target = shown(armature, "b0")[:3, 3] + np.array(direction) / np.linalg.norm(direction) * 0.6 * length
        solution = api.solve(armature, "b4", target)
        assert solution.status.value == "REACHED", solution
        assert np.linalg.norm(tail(armature, "b4") - target) < 1e-4 * length
        assert solution.position_residual < 1e-4 * length
    for bone in armature.pose.bones:
        assert bone.rotation_mode == mode
        if locked == "y by parts" and mode == "QUATERNION":
            assert bone.rotation_quaternion[2] == 0.0
        elif locked != "nothing" and mode in ("XYZ", "ZXY"):
            assert bone.rotation_euler[1] == before[bone.name][1]
        elif locked == "y":
            assert abs(bone.matrix_basis.to_euler("XYZ").y) < 1e-5


def rotations(bone: bpy.types.PoseBone) -> tuple[float, ...]:
    return tuple(bone.rotation_euler)


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE"])
@pytest.mark.parametrize(
    "locks", [(False, True, False), (True, False, False), (False, False, True), (True, False, True)]
)
def test_parts_of_a_rotation_that_are_locked_stay_as_they_are(mode: str, locks: tuple[bool, ...]) -> None:
    reading, writing = module("rig.reading"), module("rig.writing")
    armature = arm(1, mode=mode)
    bone = armature.pose.bones["b0"]
    bone.lock_rotation = locks
    bone.rotation_quaternion = (0.9, *(0.0 if lock else 0.3 * (i + 1) for i, lock in enumerate(locks)))
    bone.rotation_axis_angle = (0.8, *(0.0 if lock else 0.3 * (i + 1) for i, lock in enumerate(locks)))
    path = module("rig.channels").rotation_path(module("rig.snapshot").take_bone(bone))
    before = tuple(getattr(bone, path))
    assert_skeleton_is_what_blender_shows(armature)
    rig = reading.read(armature, rebase=True)
    assert len(rig.skeleton.unknowns) == 3 - sum(locks)
    for step in (0.4, -1.1, 2.0):
        q = rig.pose() + step
        writing.write(armature, rig, q)
        assert np.abs(shown(armature, "b0") - rig.skeleton.forward(q)["b0"]).max() < 1e-5
        after = tuple(getattr(bone, path))
        assert [after[i + 1] for i, lock in enumerate(locks) if lock] == [0.0] * sum(locks)
    writing.write(armature, rig, rig.pose())
    assert tuple(getattr(bone, path)) == before


def test_a_bone_turned_about_a_locked_part_is_not_moved_and_says_why() -> None:
    armature = arm(1, mode="QUATERNION")
    bone = armature.pose.bones["b0"]
    bone.lock_rotation[1] = True
    bone.rotation_quaternion = (0.9, 0.1, 0.4, 0.0)
    assert "4D" in held(armature)["b0"]
    bone.lock_rotations_4d = False
    assert held(armature) == {}


def test_locked_channels_and_locations_are_not_touched_by_a_solve() -> None:
    armature = arm(4)
    for bone in armature.pose.bones:
        bone.lock_rotation[1] = True
        bone.rotation_euler[1] = 0.2
        bone.location = (0.01, 0.02, 0.03)
    bpy.context.view_layer.update()
    before = {bone.name: (tuple(bone.location), bone.rotation_euler[1]) for bone in armature.pose.bones}
    api.solve(armature, "b3", (0.4, 0.3, 0.5))
    assert before == {bone.name: (tuple(bone.location), bone.rotation_euler[1]) for bone in armature.pose.bones}


def test_the_values_of_a_solution_are_those_of_set_pose() -> None:
    armature = arm(4, mode="QUATERNION")
    tumble(armature, 9, location=0.0)
    solution = api.solve(armature, "b3", (0.4, 0.3, 0.5))
    expected = tail(armature, "b3")
    tumble(armature, 10, location=0.0)
    api.set_pose(armature, solution.pose)
    assert np.linalg.norm(tail(armature, "b3") - expected) < 1e-5
    chain = api.read_skeleton(armature).chain("b3")
    assert np.allclose(chain.skeleton.forward(chain.full(solution.values))["b3"], shown(armature, "b3"), atol=1e-5)


def test_a_snapshot_restores_every_bit_of_every_mode() -> None:
    snapshot = module("rig.snapshot")
    armature = arm(6)
    for bone, mode in zip(armature.pose.bones, ("QUATERNION", "AXIS_ANGLE", "XYZ", "ZYX", "YXZ", "ZXY"), strict=True):
        bone.rotation_mode = mode
    tumble(armature, 11)
    armature.pose.bones["b0"].rotation_quaternion = (-0.0, 3.0, 0.0, 0.0)
    armature.pose.bones["b2"].scale = (1.0, -1.0, 0.0)
    before = channels(armature)
    taken = snapshot.take(armature)
    assert taken.bones == tuple(f"b{i}" for i in range(6))
    assert (taken.has_animation, taken.action) == (False, "")
    tumble(armature, 12)
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
        bone.scale = (2.0, 2.0, 2.0)
    snapshot.restore(armature, taken)
    assert changed(before, channels(armature)) == set()
    with pytest.raises(module("errors").RigError, match="'nothing'"):
        snapshot.take(armature, ["nothing"])


def test_a_branching_body_anchors_the_chain_of_a_plain_armature() -> None:
    armature = make_armature(
        [(0, 0, 0.3), (0, 0, 0.6), (0.3, 0, 0.6), (0.6, 0, 0.6), (-0.3, 0, 0.6)], parents=[-1, 0, 1, 2, 1]
    )
    chain = api.read_skeleton(armature).chain("b3")
    assert chain.anchor == "b1"
    assert {name.partition(":")[0] for name in chain.unknowns} == {"b2", "b3"}


def test_a_bone_that_is_stiff_in_ik_moves_less() -> None:
    found = []
    for stiffness in (0.0, 0.95):
        armature = arm(3)
        stiff = armature.pose.bones["b1"]
        stiff.ik_stiffness_x = stiff.ik_stiffness_y = stiff.ik_stiffness_z = stiffness
        rest = shown(armature, "b1")[:3, :3]
        parent = shown(armature, "b0")[:3, :3]
        target = tail(armature, "b2") + np.array((0.25, 0.1, -0.2))
        assert api.solve(armature, "b2", target).status == "REACHED"
        turned = shown(armature, "b0")[:3, :3].T @ shown(armature, "b1")[:3, :3]
        found.append(np.abs(turned - parent.T @ rest).max())
    assert found[1] < 0.5 * found[0]


def test_a_rotation_that_limits_would_show_otherwise_is_not_called_reached() -> None:
    """With wide limits, Blender clamps another triple of angles than the one that lies within."""
    draw = random.Random(3)
    reached = 0
    for _ in range(25):
        armature = arm(2, mode="XYZ", name="wide")
        for bone in armature.pose.bones:
            limit_rotation(bone, x=(-2.6, 2.6), y=(-2.6, 2.6), z=(-2.6, 2.6))
            bone.rotation_euler = [draw.uniform(-2.5, 2.5) for _ in range(3)]
        bpy.context.view_layer.update()
        target = tail(armature, "b1")
        orientation = shown(armature, "b1")[:3, :3]
        for bone in armature.pose.bones:
            bone.rotation_euler = [draw.uniform(-1.0, 1.0) for _ in range(3)]
        bpy.context.view_layer.update()
        solution = api.solve(armature, "b1", target, orientation=orientation)
        missed = np.linalg.norm(tail(armature, "b1") - target)
        assert missed == pytest.approx(solution.position_residual, abs=2e-5)
        if solution.status == "REACHED":
            reached += 1
            assert missed < 1e-4
            assert np.abs(shown(armature, "b1")[:3, :3] - orientation).max() < 5e-3
        bpy.data.objects.remove(armature)
    assert reached >= 15
