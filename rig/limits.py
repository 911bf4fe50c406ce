"""How a joint is made of a bone: one free channel, its limits as Blender itself obeys them, the neutral pose."""

from __future__ import annotations

import math
from collections.abc import Collection

import bpy
import numpy as np

from .definition import PRISMATIC, REVOLUTE, Definition

CONSTRAINT = "Joint Limits"

# Where a range lacks less than this of a whole turn [rad], Blender 4.2 to 5.2 show angles well inside it at one of its
# ends: seen at 3e-7, as limits of ±3.14159265 are in float32. No pose is lost without a constraint there.
NEARLY_A_TURN = 4e-6


def inward(lower: float, upper: float) -> tuple[float, float]:
    """Limits as float32 numbers that lie inside the given ones.

    Blender stores channels and constraint limits in float32; rounded to nearest, more than every second limit of a real
    robot would lie outside.

    Args:
        lower: smallest value allowed, infinite where there is none.
        upper: largest value allowed, infinite where there is none.

    Returns:
        The smallest and the largest float32 number in between, as Python floats; where there is none in between, the
        nearest one twice.
    """
    low, high = np.float32(lower), np.float32(upper)
    if math.isfinite(lower) and float(low) < lower:
        low = np.nextafter(low, np.float32(np.inf))
    if math.isfinite(upper) and float(high) > upper:
        high = np.nextafter(high, np.float32(-np.inf))
    if low > high:
        nearest = float(np.float32(lower))
        return nearest, nearest
    return float(low), float(high)


def neutral(definition: Definition) -> float:
    """Zero clamped into the joint's limits, as a float32 number inside them [rad] or [m]."""
    lower, upper = inward(definition.lower, definition.upper)
    return min(max(0.0, lower), upper)


def apply(bone: bpy.types.PoseBone, definition: Definition) -> None:
    """Leave the bone the channels of its joint's values, limited, at the neutral value.

    A follower is limited by its source alone: its driver has the only say, its own limits are data.
    """
    bone.rotation_mode = definition.rotation_mode
    own = definition.moves and definition.mimic_joint is None
    _lock(bone, definition.slides if own else (), definition.turns if own else ())
    if not own or definition.has_several_axes:
        return
    path, index = definition.channel
    getattr(bone, path)[index] = neutral(definition)
    if definition.type == REVOLUTE:
        _limit_rotation(bone, definition)
    elif definition.type == PRISMATIC:
        _limit_location(bone, definition)


def _lock(bone: bpy.types.PoseBone, slides: Collection[int], turns: Collection[int]) -> None:
    """Lock all but these parts, 0, 1, 2 for x, y, z."""
    bone.lock_location = [part not in slides for part in range(3)]
    bone.lock_rotation = [part not in turns for part in range(3)]
    bone.lock_rotation_w = len(turns) < 3
    bone.lock_scale = (True, True, True)
    # Blender's own IK knows rotations only.
    bone.lock_ik_x, bone.lock_ik_y, bone.lock_ik_z = (part not in turns for part in range(3))


def _limit_rotation(bone: bpy.types.PoseBone, definition: Definition) -> None:
    if not (math.isfinite(definition.lower) and math.isfinite(definition.upper)):
        return
    lower, upper = inward(definition.lower, definition.upper)
    if 0.0 < math.tau - (upper - lower) < NEARLY_A_TURN:
        return
    constraint = bone.constraints.new("LIMIT_ROTATION")
    assert isinstance(constraint, bpy.types.LimitRotationConstraint)
    _name(constraint)
    constraint.use_limit_z = True
    constraint.min_z, constraint.max_z = lower, upper
    constraint.use_legacy_behavior = False
    constraint.euler_order = "XYZ"
    # Blender cuts IK limits at half a turn and to ranges that hold 0: any other range is left to the constraint.
    if lower <= 0.0 <= upper and lower >= -math.pi and upper <= math.pi:
        bone.use_ik_limit_z = True
        bone.ik_min_z, bone.ik_max_z = lower, upper


def _limit_location(bone: bpy.types.PoseBone, definition: Definition) -> None:
    lower, upper = inward(definition.lower, definition.upper)
    if not (math.isfinite(lower) or math.isfinite(upper)):
        return
    constraint = bone.constraints.new("LIMIT_LOCATION")
    assert isinstance(constraint, bpy.types.LimitLocationConstraint)
    _name(constraint)
    if math.isfinite(lower):
        constraint.use_min_z, constraint.min_z = True, lower
    if math.isfinite(upper):
        constraint.use_max_z, constraint.max_z = True, upper


def _name(constraint: bpy.types.LimitRotationConstraint | bpy.types.LimitLocationConstraint) -> None:
    constraint.name = CONSTRAINT
    constraint.owner_space = "LOCAL"
    # Makes R and G in the viewport stop at the limit instead of running the channel past it.
    constraint.use_transform_limit = True
    constraint.show_expanded = False
