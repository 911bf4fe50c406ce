"""Limit Rotation and Limit Location, as Blender applies them: to a bone's own channels, or to its matrix elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .euler import TURN, Triple, from_euler, to_euler

Matrix = NDArray[np.float64]

_SAME = 1e-6


@dataclass(frozen=True, slots=True)
class RotationLimit:
    """What a bone's Limit Rotation constraints leave of its rotation.

    Attributes:
        order: Euler order in which the angles are limited.
        lower, upper: (3,) [rad], infinite where an axis is free, equal where it is held.
        legacy: clamp angles as numbers instead of on the circle.
        parts: the limits, in the order in which they act, that this one stands for; none for one of its own.
    """

    order: str
    lower: Triple
    upper: Triple
    legacy: bool = False
    parts: tuple[RotationLimit, ...] = ()

    def clamp(self, angles: Sequence[float]) -> Triple:
        """The angles that are shown for (3,) angles in :attr:`order`; those inside come back as they are."""
        if self.parts:
            for part in self.parts:
                angles = part.clamp(angles)
            return angles[0], angles[1], angles[2]
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


@dataclass(frozen=True, eq=False, slots=True)
class Space:
    """Where a limit looks at a bone.

    Attributes:
        into: (4, 4) from armature space to there.
        back: (4, 4) from there to armature space.
        inside: whether it moves with the armature object.
        of_parent: whether it moves with the bone's parent; ``into`` and ``back`` then begin and end in that.
    """

    into: Matrix
    back: Matrix
    inside: bool = False
    of_parent: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Limit:
    """One limit of a stack.

    Attributes:
        name: of the constraint.
        rule: what it lets pass.
        space: where it looks at the bone; None = at its channels.
        influence: how much of its effect is taken; what is left is mixed in world space.
        to_world: that space.
    """

    name: str
    rule: RotationLimit | LocationLimit
    space: Space | None
    influence: float
    to_world: Space


@dataclass(frozen=True, slots=True)
class Clamps:
    """What a bone's constraints do.

    Attributes:
        rotation, location: what they leave of the channels, as long as that is all they do; None where there are none.
        other: name of the first active constraint that is no limit that we know, "" when there is none.
        stack: all limits, in the order in which they act.
        simple: whether :attr:`rotation` and :attr:`location` say all about them.
    """

    rotation: RotationLimit | None = None
    location: LocationLimit | None = None
    other: str = ""
    stack: tuple[Limit, ...] = ()
    simple: bool = True


NOTHING = Clamps()


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


def both_locations(first: LocationLimit, second: LocationLimit) -> LocationLimit:
    """The range that two constraints leave, the second after the first."""
    lower = second.clamp(first.clamp((-math.inf,) * 3))
    return LocationLimit(lower, second.clamp(first.clamp((math.inf,) * 3)))


def both_rotations(first: RotationLimit, second: RotationLimit) -> RotationLimit:
    """The range that two constraints of one order leave; where they exclude each other the later one wins."""
    lower = [max(a, b) for a, b in zip(first.lower, second.lower, strict=True)]
    upper = [min(a, b) for a, b in zip(first.upper, second.upper, strict=True)]
    for i in range(3):
        if lower[i] > upper[i]:
            lower[i] = upper[i] = _clamp(first.lower[i], second.lower[i], second.upper[i])
    parts = (*(first.parts or (first,)), *(second.parts or (second,)))
    low, high = (lower[0], lower[1], lower[2]), (upper[0], upper[1], upper[2])
    return RotationLimit(first.order, low, high, first.legacy, parts)


def _clamp(value: float, lower: float, upper: float) -> float:
    return min(max(value, lower), upper)
