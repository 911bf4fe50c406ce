"""Forty frames of drag and key by turns, twice around: curves without a jump that say what was dragged."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.posing import keyed, make_named, shown
from blender.robots import import_text, joint_text
from blender.support import module
from mathutils import Matrix, Quaternion

FRAMES = 40
STEP = math.radians(20.0)
MODES = ("QUATERNION", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "AXIS_ANGLE")
PATHS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}


def go(frame: int) -> None:
    bpy.context.scene.frame_set(frame)


def drag(armature: bpy.types.Object, body: str, target: np.ndarray, point: tuple[float, ...] | None = None) -> None:
    grip = module("rig.grip").by_name(bpy.context, armature.name, body, point)
    session = module("rig.drag").DragSession(bpy.context, grip, np.zeros(3))
    start = np.array(session.target)
    for share in (0.5, 1.0):
        session.aim(start + share * (target - start))
        session.advance(bpy.context)
    assert session.confirm(bpy.context).status == "REACHED"
    assert session.refused_key == ""


def carried(kind: str, mode: str) -> bpy.types.Object:
    """A bone of length 1 that turns as a whole, within limits or on a hinge, on another one that is animated.

    The object is animated as well, and so is the scale of the bone. Its own keys are none of these.
    """
    armature = make_named([("carrier", "", (0, 0, 0), (0, 0, 0.5)), ("bone", "carrier", (0, 0, 0.5), (1.0, 0, 0.5))])
    carrier, bone = armature.pose.bones["carrier"], armature.pose.bones["bone"]
    carrier.linkpose_anchor = "ALWAYS"
    bone.rotation_mode = mode
    if kind == "hinge":
        bone.lock_rotation = (True, True, False)
    elif kind == "limited":
        limit = bone.constraints.new("LIMIT_ROTATION")
        limit.owner_space, limit.euler_order = "LOCAL", "XYZ"
        for axis, most in (("x", 0.7), ("y", 0.7), ("z", 7.5)):
            setattr(limit, f"use_limit_{axis}", True)
            setattr(limit, f"min_{axis}", -most)
            setattr(limit, f"max_{axis}", most)
    for frame, turn in ((1, 0.0), (FRAMES, 0.8)):
        carrier.rotation_quaternion = (math.cos(turn), 0.0, 0.0, math.sin(turn))
        carrier.keyframe_insert("rotation_quaternion", frame=frame)
        bone.scale = (1.0 + turn,) * 3
        bone.keyframe_insert("scale", frame=frame)
        armature.location = (turn, 0.0, 2.0 * turn)
        armature.keyframe_insert("location", frame=frame)
    return armature


def around(armature: bpy.types.Object, frame: int) -> np.ndarray:
    """Where the tail of the bone goes, twice around its own z axis at rest, a bit up and down for what is no hinge."""
    rest = np.array(armature.data.bones["carrier"].matrix_local.inverted() @ armature.data.bones["bone"].matrix_local)
    at = shown(armature, "carrier") @ rest
    angle = STEP * (frame - 1)
    up = 0.0 if all(armature.pose.bones["bone"].lock_rotation[:2]) else 0.4 * math.sin(3.0 * angle)
    way = np.array((-math.cos(up) * math.sin(angle), math.cos(up) * math.cos(angle), math.sin(up)))
    return (at @ (*(way * armature.pose.bones["bone"].scale[0]), 1.0))[:3]


def turned(order: str, angles: tuple[float, ...]) -> Quaternion:
    """The rotation of Euler angles."""
    first, second, third = (Matrix.Rotation(angles["XYZ".index(axis)], 3, axis) for axis in order)
    return (third @ second @ first).to_quaternion()


def own_motion(mode: str, before: tuple[float, ...], after: tuple[float, ...]) -> Iterator[tuple[float, float]]:
    """The step of every channel, and how far the channel goes on the shortest way between the two rotations."""
    if mode == "QUATERNION":
        begin, end = Quaternion(before), Quaternion(after)
        most = begin.rotation_difference(end).angle
        most = 2.0 * math.sin(min(most, 2.0 * math.pi - most) / 4.0)
        yield from ((abs(b - a), most) for a, b in zip(before, after, strict=True))
        return
    if mode == "AXIS_ANGLE":
        begin, end = (Quaternion(values[1:], values[0]) for values in (before, after))
    else:
        begin, end = turned(mode, before), turned(mode, after)
    if begin.dot(end) < 0.0:
        end.negate()
    ways = [begin.slerp(end, share) for share in np.linspace(0.0, 1.0, 65)]
    if mode == "AXIS_ANGLE":
        # Without a rotation to begin with, its axis is that of the motion.
        axis = before[1:] if begin.angle > 1e-4 else tuple(end.axis)
        values = [(before[0], *axis)]
        for way in ways[1:]:
            axis, angle = way.to_axis_angle()
            side = -1.0 if sum(a * b for a, b in zip(axis, values[-1][1:], strict=True)) < 0.0 else 1.0
            angle = side * angle
            angle += 2.0 * math.pi * round((values[-1][0] - angle) / (2.0 * math.pi))
            values.append((angle, *(side * part for part in axis)))
    else:
        angles = [ways[0].to_euler(mode)]
        angles[0][:] = before
        for way in ways[1:]:
            angles.append(way.to_euler(mode, angles[-1]))
        values = [tuple(each) for each in angles]
    for i in range(len(before)):
        yield abs(after[i] - before[i]), sum(abs(b[i] - a[i]) for a, b in itertools.pairwise(values))


def assert_no_jump(armature: bpy.types.Object, mode: str) -> None:
    path = f'pose.bones["bone"].{PATHS.get(mode, "rotation_euler")}'
    own = {c.array_index: c for c in module("rig.compat").fcurves(armature) if c.data_path == path}
    count = {"QUATERNION": 4, "AXIS_ANGLE": 4}.get(mode, 3)
    bone = armature.pose.bones["bone"]
    still = tuple(getattr(bone, path.rpartition(".")[2]))
    rows = [tuple(own[i].evaluate(k + 1) if i in own else still[i] for i in range(count)) for k in range(FRAMES)]
    for k, (before, after) in enumerate(itertools.pairwise(rows)):
        # Near a gimbal lock the other triple of angles may be nearer, all in all, though not in each.
        steps, most = np.sum(list(own_motion(mode, before, after)), axis=0)
        assert steps <= most + 1e-4, (k, before, after, most)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["ball", "limited", "hinge"])
def test_drags_and_keys_by_turns_leave_no_jump_and_say_what_was_dragged(kind: str, mode: str) -> None:
    armature = carried(kind, mode)
    expected = {}
    for frame in range(1, FRAMES + 1):
        go(frame)
        target = around(armature, frame)
        drag(armature, "bone", target)
        expected[frame] = shown(armature, "bone")
        assert np.linalg.norm((expected[frame] @ (0.0, 1.0, 0.0, 1.0))[:3] - target) < 1e-5
    assert_no_jump(armature, mode)
    for frame, matrix in expected.items():
        go(frame)
        assert np.abs(shown(armature, "bone") - matrix).max() < 1e-5, frame
    if kind == "hinge" and mode not in PATHS:
        ((_, points),) = ((i, p) for (path, i), p in keyed(armature).items() if '"bone"].rotation' in path)
        assert np.allclose(np.diff([value for _, value in points]), STEP, atol=1e-4)


def test_a_continuous_joint_goes_on_and_on(tmp_path: Path) -> None:
    text = '<link name="a"/><link name="bone"/>' + joint_text("spin", "continuous", "a", "bone")
    armature = import_text(tmp_path, text).armature
    for frame in range(1, FRAMES + 1):
        go(frame)
        angle = 0.1 - STEP * frame
        frame_of_joint = np.array(armature.matrix_world @ armature.data.bones["bone"].matrix_local)
        way = frame_of_joint[:3, :3] @ (math.cos(angle), math.sin(angle), 0.0)
        drag(armature, "bone", frame_of_joint[:3, 3] + 0.5 * way, point_of(armature))
    ((_, points),) = keyed(armature).items()
    assert np.allclose(np.diff([value for _, value in points]), -STEP, atol=1e-4)


def point_of(armature: bpy.types.Object) -> tuple[float, ...]:
    """The link's point that is half a metre from its axis, where the joint's x axis is at rest."""
    link = module("rig.definition").read(armature.data.bones["bone"]).frame
    return tuple((np.linalg.inv(link) @ (0.5, 0.0, 0.0, 1.0))[:3])
