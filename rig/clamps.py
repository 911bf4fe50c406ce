"""Limit Rotation and Limit Location in local space, as Blender applies them to a bone's own channels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import bpy

from .euler import TURN, Triple, from_euler, to_euler

_SAME = 1e-6


@dataclass(frozen=True, slots=True)
class RotationLimit:
    """What a bone's Limit Rotation constraints leave of its rotation.

    Attributes:
        order: Euler order in which the angles are limited.
        lower, upper: (3,) [rad], infinite where an axis is free, equal where it is held.
        legacy: clamp angles as numbers instead of on the circle.
    """

    order: str
    lower: Triple
    upper: Triple
    legacy: bool = False

    def clamp(self, angles: Sequence[float]) -> Triple:
        """The angles that are shown for (3,) angles in :attr:`order`; those inside come back as they are."""
        rule = _clamp if self.legacy else clamp_angle
        x, y, z = (rule(angle, low, high) for angle, low, high in zip(angles, self.lower, self.upper, strict=True))
        return x, y, z

    def shown(self, angles: Sequence[float]) -> tuple[Triple, bool]:
        """What Blender shows for angles in :attr:`order`, and whether it got there by clamping these very angles.

        Blender clamps the canonical triple of the rotation, which can be another one than the given.
        """
        near = self.clamp(angles)
        canonical = self.clamp(to_euler(from_euler(angles, self.order), self.order)[0])
        if near == canonical:
            return near, True
        difference = from_euler(near, self.order) - from_euler(canonical, self.order)
        return (near, True) if float(abs(difference).max()) < _SAME else (canonical, False)


@dataclass(frozen=True, slots=True)
class LocationLimit:
    """(3,) range that Limit Location constraints leave of a bone's location, infinite where it is free."""

    lower: Triple
    upper: Triple

    def clamp(self, location: Sequence[float]) -> Triple:
        """The location that is shown."""
        x, y, z = (_clamp(v, low, high) for v, low, high in zip(location, self.lower, self.upper, strict=True))
        return x, y, z


@dataclass(frozen=True, slots=True)
class Clamps:
    """What a bone's constraints do to its channels.

    Attributes:
        rotation, location: the limits, None where there are none.
        other: name of the first active constraint that does something else, "" when there is none.
    """

    rotation: RotationLimit | None = None
    location: LocationLimit | None = None
    other: str = ""


NOTHING = Clamps()

_SPACES = {
    "CUSTOM": "a custom space",
    "LOCAL_WITH_PARENT": "local space with its parent",
    "POSE": "pose space",
    "WORLD": "world space",
}


def clamp_angle(angle: float, lower: float, upper: float) -> float:
    """The angle put into a range on the circle, at the nearer end when it lies outside; inside, as it is."""
    if upper <= lower:
        return lower
    if lower <= angle <= upper or upper - lower >= TURN:
        return angle
    beyond = (angle - lower) % TURN
    if beyond <= upper - lower:
        return lower + beyond
    return upper if beyond - (upper - lower) < TURN - beyond else lower


def is_active(constraint: object) -> bool:
    """Whether a constraint has a say; one of a type that this Blender does not know has none."""
    return (
        isinstance(constraint, bpy.types.Constraint)
        and constraint.enabled
        and not constraint.mute
        and constraint.influence > 0.0
        and constraint.is_valid
    )


def read(bone: bpy.types.PoseBone) -> Clamps:
    """What the constraints of a bone do to its channels."""
    if not len(bone.constraints):
        return NOTHING
    rotation: RotationLimit | None = None
    location: LocationLimit | None = None
    for constraint in bone.constraints:
        if not is_active(constraint):
            continue
        whole = constraint.influence == 1.0 and constraint.owner_space == "LOCAL"
        if whole and isinstance(constraint, bpy.types.LimitRotationConstraint):
            found = _rotation(constraint, bone.rotation_mode)
            if rotation is not None and (rotation.order, rotation.legacy) != (found.order, found.legacy):
                return Clamps(rotation, location, constraint.name)
            rotation = found if rotation is None else _both(rotation, found)
        elif whole and isinstance(constraint, bpy.types.LimitLocationConstraint):
            limit = _location(constraint)
            if location is not None:
                limit = LocationLimit(
                    location.clamp(limit.clamp((-math.inf,) * 3)), location.clamp(limit.clamp((math.inf,) * 3))
                )
            location = limit
        else:
            return Clamps(rotation, location, constraint.name)
    return Clamps(rotation, location)


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
        if legacy or high - low < TURN:
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


def _both(first: RotationLimit, second: RotationLimit) -> RotationLimit:
    """The range that two constraints of one order leave; where they exclude each other the later one wins."""
    lower = [max(a, b) for a, b in zip(first.lower, second.lower, strict=True)]
    upper = [min(a, b) for a, b in zip(first.upper, second.upper, strict=True)]
    for i in range(3):
        if lower[i] > upper[i]:
            lower[i] = upper[i] = _clamp(first.lower[i], second.lower[i], second.upper[i])
    return RotationLimit(first.order, (lower[0], lower[1], lower[2]), (upper[0], upper[1], upper[2]), first.legacy)


def _clamp(value: float, lower: float, upper: float) -> float:
    return min(max(value, lower), upper)
