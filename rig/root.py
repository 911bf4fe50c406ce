"""Moving a whole armature by its object: the object's own channels as the first joint of everything."""

from __future__ import annotations

import math
from dataclasses import replace

import bpy
import numpy as np

from ..errors import RigError
from ..solver import Axis, AxisKind, Body
from . import control, euler
from .channels import Free, Motion, euler_order, free_ball, is_euler, rotation_of
from .euler import Matrix
from .matrices import about, even_scale, inverse, placed
from .reading import BoneReading, Reading
from .snapshot import BoneState, numbers, take_bone
from .stacks import is_active

# The body that moves all others, and the joint that its unknowns are named after.
NAME = "root_motion"
_AXES = "xyz"


def with_object(armature: bpy.types.Object, rig: Reading) -> Reading:
    """A reading in which the armature object moves as well, by its location and rotation as far as no lock holds them.

    The space of the skeleton is that of the armature where it stands now. Parents of the object, delta transforms and
    its scale stay as they are.

    Args:
        armature: that was read.
        rig: the reading.

    Raises:
        RigError: the object cannot be moved by its channels, with the reason.
    """
    motion = _motion(armature)
    name = NAME
    while any(taken.startswith(name) for taken in (*rig.skeleton.bodies, *rig.skeleton.joints)):
        name += "_"
    slides = tuple(f"{name}:location_{_AXES[free.part]}" for free in motion.slides)
    turns = tuple(f"{name}:{_AXES[free.part]}" for free in motion.turns)
    entry = BoneReading(take_bone(armature), motion, (*slides, *turns))
    return rig.below(_body(armature, name, entry), entry)


def _motion(armature: bpy.types.Object) -> Motion:
    """What of the object's channels is free.

    Raises:
        RigError: nothing is, or something else moves the object.
    """
    _refuse_held(armature)
    state = take_bone(armature)
    x, y, z = state.location
    slides = tuple(
        Free(part, -math.inf, math.inf, value)
        for part, value in enumerate((x, y, z))
        if not armature.lock_location[part]
    )
    at = replace(_turning(armature, state), location=(x, y, z), slides=slides)
    if not at.free:
        raise RigError(
            f"armature {armature.name!r} cannot be moved as a whole: its location and rotation are locked; unlock "
            "them in its Object properties, or leave root_motion away"
        )
    return at


def _turning(armature: bpy.types.Object, state: BoneState) -> Motion:
    locks = tuple(armature.lock_rotation)
    by_parts = armature.lock_rotations_4d and not is_euler(state)
    if not any(locks) and not (by_parts and armature.lock_rotation_w):
        return free_ball(state, rotation_of(state), state.location, rebase=True)
    order, direct = euler_order(state), is_euler(state)
    a, b, c = state.euler if direct else euler.to_euler(rotation_of(state), order)[0]
    # A quaternion that is locked part by part leaves no plain hinges.
    free = () if by_parts else tuple(part for part in euler.acting(order) if not locks[part])
    turns = tuple(Free(part, -math.inf, math.inf, (a, b, c)[part]) for part in free)
    return Motion(order, (a, b, c), direct, (0.0, 0.0, 0.0), turns)


def _refuse_held(armature: bpy.types.Object) -> None:
    reason = ""
    for constraint in armature.constraints:
        if is_active(constraint):
            reason = f"its object constraint {constraint.name!r} places it: mute the constraint"
    animation = armature.animation_data
    for curve in animation.drivers if animation is not None else ():
        path = curve.data_path.removeprefix("delta_")
        if path in control.TRANSFORMS and not curve.mute and curve.driver is not None and curve.driver.is_valid:
            reason = f"a driver on its {curve.data_path} places it: remove or mute the driver"
    if not reason and even_scale(np.diag(_scale(armature))) is None:
        reason = "it is scaled unevenly: apply the scale"
    if reason:
        raise RigError(f"armature {armature.name!r} cannot be moved as a whole: {reason}, or leave root_motion away")


def _body(armature: bpy.types.Object, name: str, entry: BoneReading) -> Body:
    """The mover: its joint frame is that of the object's parent, its own frame the armature's, as it stands now."""
    motion = entry.motion
    delta = _delta_rotation(armature, entry.state)
    shift = np.array(armature.delta_location, dtype=np.float64)
    basis = placed(
        delta @ rotation_of(entry.state) * _scale(armature), np.array(motion.location, dtype=np.float64) + shift
    )
    origin = inverse(basis)
    now = np.eye(4)
    fixed = np.array(motion.location) + shift
    axes = []
    names = iter(entry.unknowns)
    for free in motion.slides:
        axes.append(_axis(next(names), AxisKind.SLIDE, np.eye(3)[:, free.part]))
        fixed[free.part] -= free.value
        now[free.part, 3] = free.value
    origin = origin @ placed(np.eye(3), fixed)
    turning = {free.part: free for free in motion.turns}
    if motion.base is not None:
        constant = delta @ motion.base
        axes.extend(_axis(next(names), AxisKind.HINGE, constant[:, free.part]) for free in motion.turns)
    else:
        # What is left of the rotation once the free angles are taken out of it, hinge by hinge.
        constant = delta
        for part in euler.acting(motion.order):
            if part in turning:
                direction = constant[:, part]
                axes.append(_axis(next(names), AxisKind.HINGE, direction))
                now[:3, :3] = now[:3, :3] @ about(direction, turning[part].value)
            else:
                constant = constant @ euler.about(part, motion.angles[part])
    return Body(name, None, name, origin, tuple(axes), inverse(origin @ now))


def _axis(name: str, kind: AxisKind, direction: Matrix) -> Axis:
    x, y, z = (direction / np.linalg.norm(direction)).tolist()
    return Axis(name, kind, (x, y, z), continuous=kind == AxisKind.HINGE)


def _delta_rotation(armature: bpy.types.Object, state: BoneState) -> Matrix:
    """(3, 3) rotation that comes before the channel's own; Blender offers none for axis and angle."""
    if state.rotation_mode == "QUATERNION":
        return euler.from_quaternion(numbers(armature, "delta_rotation_quaternion"))
    if state.rotation_mode == "AXIS_ANGLE":
        return np.eye(3)
    return euler.from_euler(numbers(armature, "delta_rotation_euler"), state.rotation_mode)


def _scale(armature: bpy.types.Object) -> Matrix:
    """(3,) scale, its delta included."""
    return np.array(armature.scale, dtype=np.float64) * np.array(armature.delta_scale, dtype=np.float64)
