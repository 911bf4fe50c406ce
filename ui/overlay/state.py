"""What an overlay shows, as plain data that outlives every event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...rig.ranges import Ranges

Array = NDArray[np.float64]
Point = Sequence[float] | Array


@dataclass(frozen=True)
class Parts:
    """What of it the user wants to see.

    Attributes:
        chain: the line from joint to joint.
        ranges: each joint's axis and range.
        values: the numbers of all joints, and not only of those at limits or near the handle.
        ghost: where everything was when the drag began.
        reach: how far the chain reaches, while the target is farther.
        collisions: a tint on links that touch.
    """

    chain: bool = True
    ranges: bool = True
    values: bool = False
    ghost: bool = True
    reach: bool = True
    collisions: bool = True


@dataclass(frozen=True)
class Shell:
    """How far a chain reaches: the target would have to be between two spheres.

    Attributes:
        centre: (3,) the chain's first joint, world space.
        reach: radius of the outer sphere [m].
        fold: of the inner one, 0 for none.
    """

    centre: Array
    reach: float
    fold: float


@dataclass(frozen=True)
class Mesh:
    """A rigid shape to be drawn, in its own space.

    Attributes:
        points: (n, 3) float32.
        edges: (m, 2) int32, those that make its outline.
        triangles: (k, 3) int32.
    """

    points: NDArray[np.float32]
    edges: NDArray[np.int32]
    triangles: NDArray[np.int32]


@dataclass
class OverlayState:
    """What to draw, in world space.

    Attributes:
        scene: name of the scene that the drag is in; windows that show another one stay bare.
        parts: what the user wants to see of it.
        target, handle: (3,) points.
        joints: points along the chain, anchor first.
        ranges: the joints, None where they are not known.
        values: text of each joint's value, in the order of ``ranges``.
        named: names of joints that hold the handle back, told beside their values.
        reached: False tints the target.
        text: shown beside the target.
        pins: points of bodies that stay.
        start: points of the chain when the drag began, the handle last.
        shell: drawn when the target is out of reach.
        locks: (axis of the theme 0 to 2, unit vector) of each line that the target may move along.
        locked_at: (3,) a point of those lines.
        shapes: of links, by name, that can be drawn as ghosts or tinted.
        ghosts: place (4, 4) of each link's shape when the drag began.
        colliding: place (4, 4) now of the links that touch something.
    """

    scene: str
    parts: Parts = field(default_factory=Parts)
    target: Point = (0.0, 0.0, 0.0)
    handle: Point = (0.0, 0.0, 0.0)
    joints: Sequence[Point] = field(default_factory=list)
    ranges: Ranges | None = None
    values: Sequence[str] = ()
    named: frozenset[str] = frozenset()
    reached: bool = True
    text: str = ""
    pins: Sequence[Point] = ()
    start: Sequence[Point] = ()
    shell: Shell | None = None
    locks: Sequence[tuple[int, Point]] = ()
    locked_at: Point = (0.0, 0.0, 0.0)
    shapes: dict[str, Mesh] = field(default_factory=dict)
    ghosts: dict[str, Array] = field(default_factory=dict)
    colliding: dict[str, Array] = field(default_factory=dict)
