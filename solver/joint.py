"""What a skeleton is made of: bodies, and the axes about or along which each moves against its parent."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .law import Law

Matrix = NDArray[np.float64]


class AxisKind(enum.IntEnum):
    """How an axis moves its body."""

    HINGE = 0
    SLIDE = 1


@dataclass(frozen=True, slots=True)
class Mimic:
    """A follower's relation to its source: ``value = multiplier * source + offset``.

    Attributes:
        source: name of the axis that is followed.
        multiplier: factor on the source's value.
        offset: added to it [rad] or [m].
    """

    source: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Axis:
    """One number by which a body moves against its parent.

    Attributes:
        name: unique in the skeleton: the joint's name, or ``"joint:x"`` where a joint has several axes.
        kind: hinge [rad] or slide [m].
        direction: (3,) unit vector in the joint frame as the joint's earlier axes left it.
        lower: smallest value allowed, ``-inf`` where there is none.
        upper: largest value allowed, ``inf`` where there is none.
        continuous: a hinge whose values are equal modulo a whole turn; reported in (-pi, pi].
        stiffness: 0 (free) to 1 (as good as locked): how reluctantly the solver moves it.
        mimic: the relation, when this axis follows another one and is no unknown of its own.
    """

    name: str
    kind: AxisKind
    direction: tuple[float, float, float]
    lower: float = -math.inf
    upper: float = math.inf
    continuous: bool = False
    stiffness: float = 0.0
    mimic: Mimic | None = None


@dataclass(frozen=True)
class Body:
    """A rigid part and the joint that holds it.

    Its frame is ``parent frame @ origin @ motion of the axes, in order @ offset``.

    Attributes:
        name: unique in the skeleton.
        parent: name of the parent body, None for a root.
        joint: the joint's name; "" for a root without one.
        origin: (4, 4) joint frame in the parent's frame (in skeleton space for a root).
        axes: the joint's axes in the order in which they act; none means fixed.
        offset: (4, 4) constant after the motion.
        point: (3,) default handle in the body's frame: the origin of a link, the tail of a bone.
        anchor: True when chains must stop at this body.
        branch: False when this body's subtree never counts as a branch of its parent (helper bones); True when it
            always does; None = the rule.
        law: what places the body instead, where no constants can: ``origin``, ``axes`` and ``offset`` are then true of
            one pose, and good for lengths.
    """

    name: str
    parent: str | None
    joint: str = ""
    origin: Matrix = field(default_factory=lambda: np.eye(4))
    axes: tuple[Axis, ...] = ()
    offset: Matrix = field(default_factory=lambda: np.eye(4))
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    anchor: bool = False
    branch: bool | None = None
    law: Law | None = None


def planar_axes(joint: str, normal: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> tuple[Axis, ...]:
    """A joint that slides in a plane and turns about its normal: ``"joint:x"``, ``"joint:y"``, ``"joint:yaw"``.

    Args:
        joint: its name.
        normal: (3,) unit vector in the joint frame. For Z the plane's x and y are those of the frame; for another one
            they are what the shortest turn from Z to it makes of them.
    """
    (x, y, z) = np.array(turn_z_to(normal)).T.tolist()
    return (
        Axis(f"{joint}:x", AxisKind.SLIDE, _direction(x)),
        Axis(f"{joint}:y", AxisKind.SLIDE, _direction(y)),
        Axis(f"{joint}:yaw", AxisKind.HINGE, _direction(z), continuous=True),
    )


def floating_axes(joint: str) -> tuple[Axis, ...]:
    """A joint that moves freely: ``"joint:x"``, ``"joint:y"``, ``"joint:z"``, then turns ``"joint:rx"`` and so on.

    Near a quarter turn about y the other two turn about the same line; where that can be, count the turns from the
    present orientation.
    """
    units = (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0)), ("z", (0.0, 0.0, 1.0)))
    slides = tuple(Axis(f"{joint}:{name}", AxisKind.SLIDE, unit) for name, unit in units)
    turns = tuple(Axis(f"{joint}:r{name}", AxisKind.HINGE, unit, continuous=True) for name, unit in units)
    return slides + turns


def turn_z_to(direction: tuple[float, float, float]) -> Matrix:
    """(3, 3) rotation whose third column is ``direction``; the identity for Z itself."""
    x, y, z = direction
    if z < 0.0:  # by way of a half turn about X, far from the pole of the formula below
        return np.diag((1.0, -1.0, -1.0)) @ turn_z_to((x, -y, -z))
    k = 1.0 / (1.0 + z)
    return np.array(((1.0 - k * x * x, -k * x * y, x), (-k * x * y, 1.0 - k * y * y, y), (-x, -y, z)))


def _direction(numbers: list[float]) -> tuple[float, float, float]:
    x, y, z = numbers
    return (x, y, z)
