"""What a chain is compiled to: steps, each a constant frame and a motion, and the tips that hang on them."""

from __future__ import annotations

from typing import NamedTuple

Point = tuple[float, float, float]

# World axis (3) and a point on it (3).
Line = tuple[float, float, float, float, float, float]

# Position (3); then the rotation by rows (9), where it is asked for.
Placed = tuple[float, ...]

# A step's place, whether it slides, its unknown, and how far [rad, m] a pace of that moves it.
Influence = tuple[int, bool, int, float]

# A body, a point in its frame, and whether the body's rotation is wanted as well.
Handle = tuple[str, Point, bool]


class Step(NamedTuple):
    """One turn about, or slide along, the local Z of a frame that is constant in the frame of the step before.

    Attributes:
        c00 to c22: constant rotation by rows.
        tx, ty, tz: constant translation [m].
        slide: False for a turn.
        unknown: place in the chain's values; ``multiplier * value + offset`` is the angle [rad] or way [m].
        parent: the step before, -1 for skeleton space.
        kept: True when another step than the next one starts from this frame.
        hung: the tips that hang on it.
    """

    c00: float
    c01: float
    c02: float
    c10: float
    c11: float
    c12: float
    c20: float
    c21: float
    c22: float
    tx: float
    ty: float
    tz: float
    slide: bool
    unknown: int
    multiplier: float
    offset: float
    parent: int
    kept: bool
    hung: tuple[int, ...]

    @property
    def translation(self) -> Point:
        """(3,) the constant one [m]."""
        return (self.tx, self.ty, self.tz)


class Tip(NamedTuple):
    """Where a handle hangs.

    Attributes:
        step: the last step that moves it, -1 when nothing does.
        base: (3,) origin of the first joint above it, which no unknown of the chain moves; the handle itself when
            nothing moves it.
        reach: largest distance [m] of the handle from ``base``, by summed lengths and slide ranges.
        fold: smallest one, by the same lengths: 0, or what the longest leaves over when all the others fold back.
        path: the steps that move it, from the anchor outwards.
    """

    step: int
    base: Point
    reach: float
    fold: float
    path: tuple[int, ...]
