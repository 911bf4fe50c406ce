"""Reading the limits of a bone from its stack of constraints."""

from __future__ import annotations

import math

import bpy
import numpy as np

from .clamps import Clamps, Limit, LocationLimit, Matrix, RotationLimit, Space, both_locations, both_rotations
from .euler import TURN
from .matrices import inverse

_SPACES = {
    "CUSTOM": "a custom space",
    "LOCAL_WITH_PARENT": "local space with its parent",
    "POSE": "pose space",
    "WORLD": "world space",
}


def is_active(constraint: object) -> bool:
    """Whether a constraint has a say; one of a type that this Blender does not know has none."""
    return (
        isinstance(constraint, bpy.types.Constraint)
        and constraint.enabled
        and not constraint.mute
        and constraint.influence > 0.0
        and constraint.is_valid
    )


def read(bone: bpy.types.PoseBone, armature: bpy.types.Object, *, robot: bool = False) -> Clamps:
    """What the constraints of a bone do.

    Args:
        bone: of the armature.
        armature: as it is shown.
        robot: whether the bone is a robot's: of its one joint only simple limits are understood.
    """
    stack: list[Limit] = []
    rotation: RotationLimit | None = None
    location: LocationLimit | None = None
    simple = True
    for constraint in bone.constraints:
        if not is_active(constraint):
            continue
        rule: RotationLimit | LocationLimit
        if isinstance(constraint, bpy.types.LimitRotationConstraint):
            rule = _rotation(constraint, bone.rotation_mode)
        elif isinstance(constraint, bpy.types.LimitLocationConstraint):
            rule = _location(constraint)
        else:
            return Clamps(rotation, location, constraint.name)
        own = constraint.owner_space == "LOCAL"
        if not own and not _is_known(constraint, bone, armature):
            return Clamps(rotation, location, constraint.name)
        stack.append(_limit(constraint, rule, bone, armature))
        simple = simple and own and constraint.influence == 1.0
        if robot and not simple:
            return Clamps(rotation, location, constraint.name)
        if not simple:
            continue
        if isinstance(rule, LocationLimit):
            location = rule if location is None else both_locations(location, rule)
        elif rotation is None:
            rotation = rule
        elif (rotation.order, rotation.legacy) == (rule.order, rule.legacy):
            rotation = both_rotations(rotation, rule)
        else:
            simple = False
    if not simple:
        rotation = location = None
    return Clamps(rotation, location, "", tuple(stack), simple)


def _is_known(constraint: bpy.types.Constraint, bone: bpy.types.PoseBone, armature: bpy.types.Object) -> bool:
    """Whether a limit's space stands while the armature's bones move, as far as can be seen, or is the parent's."""
    if constraint.owner_space != "CUSTOM" or constraint.space_object is None or _is_parents(constraint, bone, armature):
        return True
    step = constraint.space_object
    if step == armature and not constraint.space_subtarget:
        return True
    while step is not None and step != armature:
        step = step.parent
    return step is None


def _is_parents(constraint: bpy.types.Constraint, bone: bpy.types.PoseBone, armature: bpy.types.Object) -> bool:
    return bool(
        constraint.owner_space == "CUSTOM"
        and constraint.space_object == armature
        and bone.parent is not None
        and constraint.space_subtarget == bone.parent.name
    )


def _limit(
    constraint: bpy.types.LimitRotationConstraint | bpy.types.LimitLocationConstraint,
    rule: RotationLimit | LocationLimit,
    bone: bpy.types.PoseBone,
    armature: bpy.types.Object,
) -> Limit:
    world = np.array(armature.matrix_world, dtype=np.float64)
    to_world = _space(world)
    space: Space | None = None
    if constraint.owner_space == "WORLD":
        space = to_world
    elif constraint.owner_space == "POSE":
        space = Space(np.eye(4), np.eye(4), inside=True)
    elif constraint.owner_space == "LOCAL_WITH_PARENT":
        rest = np.array(bone.bone.matrix_local, dtype=np.float64)
        space = Space(inverse(rest), rest, inside=True)
    elif _is_parents(constraint, bone, armature):
        space = Space(np.eye(4), np.eye(4), of_parent=True)
    elif constraint.owner_space == "CUSTOM":
        target = constraint.space_object
        if target is None:
            space = to_world
        else:
            at = np.array(target.matrix_world, dtype=np.float64)
            if target.type == "ARMATURE" and constraint.space_subtarget in target.pose.bones:
                at = at @ np.array(target.pose.bones[constraint.space_subtarget].matrix, dtype=np.float64)
            space = _space(inverse(at) @ world)
    return Limit(constraint.name, rule, space, float(constraint.influence), to_world)


def _space(into: Matrix) -> Space:
    return Space(into, inverse(into))


def named_limits(bone: bpy.types.PoseBone, part: int, *, slides: bool) -> list[str]:
    """The limit constraints that have a say on one axis of a bone, in words, in the order of its stack.

    Args:
        bone: that has them.
        part: 0, 1, 2 for x, y, z.
        slides: whether the location is meant, not the rotation.
    """
    axis = "xyz"[part]
    found: list[tuple[str, bpy.types.Constraint, bool]] = []
    for constraint in bone.constraints:
        if not is_active(constraint):
            continue
        if slides and isinstance(constraint, bpy.types.LimitLocationConstraint):
            says = getattr(constraint, f"use_min_{axis}") or getattr(constraint, f"use_max_{axis}")
            found.append(("Limit Location", constraint, says))
        elif not slides and isinstance(constraint, bpy.types.LimitRotationConstraint):
            found.append(("Limit Rotation", constraint, getattr(constraint, f"use_limit_{axis}")))
    return [
        f"{kind} “{constraint.name}”" + _manner(constraint)
        for kind, constraint, says in found
        # In other axes than the bone's own, a limit of any of them may hold this one.
        if says or constraint.owner_space != "LOCAL"
    ]


def _manner(constraint: bpy.types.Constraint) -> str:
    parts = []
    if constraint.owner_space != "LOCAL":
        parts.append(f"in {_SPACES.get(constraint.owner_space, constraint.owner_space)}")
    if constraint.influence < 1.0:
        parts.append(f"influence {constraint.influence:.2g}")
    return f" ({', '.join(parts)})" if parts else ""


def _rotation(constraint: bpy.types.LimitRotationConstraint, mode: str) -> RotationLimit:
    order: str = constraint.euler_order
    if order == "AUTO":
        order = mode if len(mode) == 3 else "XYZ"
    legacy = bool(constraint.use_legacy_behavior)
    lower, upper = [-math.inf] * 3, [math.inf] * 3
    for i, axis in enumerate("xyz"):
        if not getattr(constraint, f"use_limit_{axis}"):
            continue
        low, high = getattr(constraint, f"min_{axis}"), getattr(constraint, f"max_{axis}")
        if legacy:
            lower[i], upper[i] = min(low, high), high
        elif high - low < TURN:
            lower[i], upper[i] = low, max(low, high)
    return RotationLimit(order, (lower[0], lower[1], lower[2]), (upper[0], upper[1], upper[2]), legacy)


def _location(constraint: bpy.types.LimitLocationConstraint) -> LocationLimit:
    lower, upper = [-math.inf] * 3, [math.inf] * 3
    for i, axis in enumerate("xyz"):
        if getattr(constraint, f"use_min_{axis}"):
            lower[i] = getattr(constraint, f"min_{axis}")
        if getattr(constraint, f"use_max_{axis}"):
            upper[i] = getattr(constraint, f"max_{axis}")
    return LocationLimit((lower[0], lower[1], lower[2]), (upper[0], upper[1], upper[2]))
