"""Whether a skeleton says what Blender shows: in random poses, and of every bone whose channels are stirred."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from blender.support import module

# Angles of joints without limits are drawn from this range to either side [rad], and slides from so much of a bone.
ANYWHERE = 3.0
SLIDE = 0.5


@dataclass
class Agreement:
    """What came of comparing one armature.

    Attributes:
        worst: largest difference of a matrix: of its place in sizes of the armature, of its shape in its own size.
        bone: where that was.
        compared: bones that were compared.
        loose: bones that are called placed from elsewhere.
        other: poses in which Limit Rotation's other triple won.
    """

    worst: float = 0.0
    bone: str = ""
    compared: int = 0
    loose: int = 0
    other: int = 0


def size_of(armature: bpy.types.Object) -> float:
    """Diagonal of the box of all heads and tails in armature space."""
    ends = np.array([end for bone in armature.data.bones for end in (bone.head_local, bone.tail_local)])
    return float(np.linalg.norm(ends.max(axis=0) - ends.min(axis=0)))


def random_pose(rig: Any, draw: np.random.Generator, lengths: dict[str, float]) -> np.ndarray:
    """(n,) values of all unknowns within their limits."""
    skeleton, start = rig.skeleton, rig.pose()
    q = np.empty(len(start))
    slides = {axis.name for axis in skeleton.axes if axis.kind == 1}
    for i, name in enumerate(skeleton.unknowns):
        room = SLIDE * lengths[rig.channels[name].bone] if name in slides else ANYWHERE
        low, high = skeleton.lower[i], skeleton.upper[i]
        low = max(low, start[i] - room) if math.isinf(low) or name in slides else low
        high = min(high, start[i] + room) if math.isinf(high) or name in slides else high
        q[i] = draw.uniform(low, high)
    return q


def frames_under(rig: Any, q: np.ndarray, shown: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Forward kinematics below bodies that are placed from elsewhere, from where Blender shows those."""
    skeleton, values = rig.skeleton, rig.skeleton.axis_values(q)
    loose = rig.loose
    frames: list[np.ndarray] = []
    for i, body in enumerate(skeleton.bodies):
        if body in loose:
            frames.append(shown[body])
            continue
        above = np.eye(4) if skeleton.parent[i] < 0 else frames[skeleton.parent[i]]
        frames.append(skeleton.placed(i, above, [values[axis] for axis in skeleton.axes_of(i)]))
    return dict(zip(skeleton.bodies, frames, strict=True))


def _noise_above(rig: Any, shown: dict[str, np.ndarray]) -> dict[str, float]:
    """How uneven Blender's own rounding leaves the scale of the bone above that is placed from elsewhere.

    An Armature constraint blends rotations in single precision, and what hangs on it inherits what that leaves.
    """
    found: dict[str, float] = {}
    for body, parent in zip(rig.skeleton.bodies, rig.skeleton.parent, strict=True):
        found[body] = 0.0 if parent < 0 else found[rig.skeleton.bodies[parent]]
        if body in rig.loose:
            square = shown[body][:3, :3].T @ shown[body][:3, :3]
            uneven = float(np.abs(3.0 * square / max(np.trace(square), 1e-30) - np.eye(3)).max())
            found[body] = uneven if uneven < 1e-4 else 0.0
    return found


def compare(armature: bpy.types.Object, *, poses: int = 20, seed: int = 1, **options: Any) -> Agreement:
    """Read once, then compare random poses of all unknowns with what Blender evaluates."""
    reading, writing = module("rig.reading"), module("rig.writing")
    rig = reading.read(armature, **options)
    found = Agreement(loose=len(rig.loose))
    size, lengths = size_of(armature), {bone.name: bone.length for bone in armature.data.bones}
    draw = np.random.default_rng(seed)
    before = module("rig.snapshot").take(armature)
    followers = [body for body in rig.skeleton.bodies if body not in rig.loose]
    found.compared = len(followers)
    for _ in range(poses):
        q = random_pose(rig, draw, lengths)
        writing.write(armature, rig, q)
        armature.update_tag()
        bpy.context.view_layer.update()
        wanted = rig.as_shown(q)
        found.other += not np.array_equal(wanted, q)
        shown = {body: reading.frame_shown(armature, rig, body) for body in rig.skeleton.bodies}
        frames = frames_under(rig, wanted, shown)
        noise = _noise_above(rig, shown)
        for body in followers:
            frame, real = frames[body], shown[body]
            shape = np.abs(frame[:3, :3] - real[:3, :3]).max() / max(np.abs(real[:3, :3]).max(), 1e-9)
            place = np.abs(frame[:3, 3] - real[:3, 3]).max() / max(size, np.abs(real[:3, 3]).max())
            worst = float(max(shape, place)) - noise[body]
            if worst > found.worst:
                found.worst, found.bone = worst, rig.bone_of(body)
    module("rig.snapshot").restore(armature, before)
    armature.update_tag()
    bpy.context.view_layer.update()
    return found


def disobedient(armature: bpy.types.Object, *, rounds: int = 3, seed: int = 2, amount: float = 0.05) -> set[str]:
    """Bones without limits of their own that do not follow their channels, found by stirring all channels of all bones.

    Blender itself says where a bone with these channels belongs in its parent.
    """
    take = module("rig.snapshot").take
    draw = np.random.default_rng(seed)
    before, found = take(armature), set()
    for _ in range(rounds):
        for bone in armature.pose.bones:
            bone.location = np.array(bone.location) + draw.uniform(-amount, amount, 3) * bone.length
            bone.scale = np.array(bone.scale) * draw.uniform(1.0 - amount, 1.0 + amount, 3)
            path = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
            path = path.get(bone.rotation_mode, "rotation_euler")
            values = np.array(getattr(bone, path))
            setattr(bone, path, values + draw.uniform(-amount, amount, len(values)))
        written = take(armature)
        armature.update_tag()
        bpy.context.view_layer.update()
        after = take(armature)
        for bone in armature.pose.bones:
            if repr(written.states[bone.name]) != repr(after.states[bone.name]):
                found.add(bone.name)
                continue
            real, due = np.array(bone.matrix), np.array(_by_channels(bone))
            shape = np.abs(real[:3, :3] - due[:3, :3]).max() / max(np.abs(due[:3, :3]).max(), 1e-9)
            place = np.linalg.norm(real[:3, 3] - due[:3, 3])
            if shape > 1e-3 or place > 1e-3 * max(bone.length, 1e-3 * size_of(armature)) + 1e-5 * np.abs(due).max():
                found.add(bone.name)
        module("rig.snapshot").restore(armature, before)
    armature.update_tag()
    bpy.context.view_layer.update()
    limits = ("LIMIT_ROTATION", "LIMIT_LOCATION")
    only_limits = {
        bone.name
        for bone in armature.pose.bones
        if len(bone.constraints) and all(getattr(one, "type", "") in limits for one in bone.constraints)
    }
    return found - only_limits


def _by_channels(bone: bpy.types.PoseBone) -> Any:
    basis = bone.matrix_basis.copy()
    if bone.bone.use_connect:
        basis.translation = (0.0, 0.0, 0.0)
    if bone.parent is None:
        return bone.bone.convert_local_to_pose(basis, bone.bone.matrix_local)
    return bone.bone.convert_local_to_pose(
        basis,
        bone.bone.matrix_local,
        parent_matrix=bone.parent.matrix,
        parent_matrix_local=bone.parent.bone.matrix_local,
    )
