"""What is asked of a body."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import GoalError

# A coordinate beyond this [m] cannot be squared any more.
LARGEST = 1e100

Point = tuple[float, float, float]
Rows = tuple[Point, Point, Point]
Aim = tuple[Point, Point]


@dataclass(frozen=True, slots=True, init=False)
class Goal:
    """Where a body's handle shall be, and how the body shall be turned: wholly, or by one axis. In skeleton space.

    Attributes:
        body: name of the body.
        position: (3,) target of the handle [m]; None = anywhere.
        orientation: (3, 3) rows of the body frame's rotation matrix; None = any.
        aim: an axis of the body, (3,) in its frame, and the direction (3,) in which that shall point, whatever the turn
            about it; both of unit length. None = any.
        point: (3,) the handle in the body's frame [m]; None = the body's default, the origin of a link or the tail
            of a bone.
        weight: how much this goal counts against others that cannot all be met.
    """

    body: str
    position: Point | None
    orientation: Rows | None
    aim: Aim | None
    point: Point | None
    weight: float

    def __init__(
        self,
        body: str,
        position: ArrayLike | None = None,
        orientation: ArrayLike | None = None,
        aim: tuple[ArrayLike, ArrayLike] | None = None,
        point: ArrayLike | None = None,
        weight: float = 1.0,
    ) -> None:
        """Check and freeze.

        Raises:
            GoalError: nothing is asked, both an orientation and an aim, a wrong shape, a number that is not finite or
                too large to be squared, an orientation that is no rotation, an aim without direction, a weight that is
                not positive.
        """
        if position is None and orientation is None and aim is None:
            raise GoalError(f"the goal for {body!r} asks for nothing; give a position, an orientation or an aim")
        if orientation is not None and aim is not None:
            raise GoalError(
                f"the goal for {body!r} asks for an orientation and an aim; the orientation alone says both"
            )
        if weight != 1.0:
            if not positive(weight):
                raise GoalError(f"the goal for {body!r} has the weight {weight!r}; a positive number is needed")
            weight = float(weight)
        # One comes with every frame of a drag: the slots are set straight, past the guard of a frozen class.
        _set_body(self, body)
        _set_position(self, None if position is None else _point(body, "position", position))
        _set_orientation(self, None if orientation is None else _rotation(body, orientation))
        _set_aim(self, None if aim is None else _aim(body, aim))
        _set_point(self, None if point is None else _point(body, "point", point))
        _set_weight(self, weight)


_set_body, _set_position, _set_orientation, _set_aim, _set_point, _set_weight = (
    vars(Goal)[name].__set__ for name in ("body", "position", "orientation", "aim", "point", "weight")
)


def _numbers(body: str, what: str, value: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise GoalError(f"the {what} of the goal for {body!r} is {value!r}; numbers are needed") from None
    if numbers.shape != shape:
        raise GoalError(f"the {what} of the goal for {body!r} has shape {numbers.shape}; {shape} is needed")
    if not all(map(math.isfinite, numbers.ravel().tolist())):
        raise GoalError(f"the {what} of the goal for {body!r} holds a number that is not finite: {numbers.tolist()}")
    if np.abs(numbers).max() > LARGEST:
        raise GoalError(f"the {what} of the goal for {body!r} is too far away to be measured: {numbers.tolist()}")
    return numbers


def positive(number: object) -> bool:
    """True for a finite number above 0."""
    try:
        return 0.0 < float(number) < math.inf  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False


def _point(body: str, what: str, value: ArrayLike) -> Point:
    # Every frame of a drag comes through here: three usable floats are known without the help of an array.
    three = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(three, (list, tuple)) and len(three) == 3:
        x, y, z = three
        if type(x) is float and type(y) is float and type(z) is float and abs(x) + abs(y) + abs(z) < LARGEST:
            return (x, y, z)
    x, y, z = _numbers(body, what, value, (3,)).tolist()
    return (x, y, z)


def _aim(body: str, value: tuple[ArrayLike, ArrayLike]) -> Aim:
    try:
        axis, direction = value
    except (TypeError, ValueError):
        raise GoalError(f"the aim of the goal for {body!r} is {value!r}; an axis and a direction are needed") from None
    return _unit(body, "aim's axis", axis), _unit(body, "aim's direction", direction)


def _unit(body: str, what: str, value: ArrayLike) -> Point:
    x, y, z = _point(body, what, value)
    length = math.hypot(x, y, z)
    if length < 1e-12:
        raise GoalError(f"the {what} of the goal for {body!r} has no length")
    return (x / length, y / length, z / length)


def _rotation(body: str, value: ArrayLike) -> Rows:
    if type(value) is np.ndarray and value.dtype == np.float64 and value.shape == (3, 3):
        a, b, c = value.tolist()  # what is not finite is no rotation, see below
    else:
        a, b, c = _numbers(body, "orientation", value, (3, 3)).tolist()
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = a, b, c
    defect = max(
        abs(ax * ax + ay * ay + az * az - 1.0),
        abs(bx * bx + by * by + bz * bz - 1.0),
        abs(cx * cx + cy * cy + cz * cz - 1.0),
        abs(ax * bx + ay * by + az * bz),
        abs(bx * cx + by * cy + bz * cz),
        abs(cx * ax + cy * ay + cz * az),
    )
    volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    if not defect <= 1e-3 or volume < 0.0:
        _numbers(body, "orientation", value, (3, 3))
        raise GoalError(
            f"the orientation of the goal for {body!r} is no rotation matrix (scaled, sheared or mirrored): {[a, b, c]}"
        )
    if defect > 1e-12:
        # Two steps of Newton's iteration for the polar factor: single-precision input becomes a rotation to 1e-12.
        matrix = np.array((a, b, c))
        for _ in range(2):
            matrix = matrix @ (1.5 * np.eye(3) - 0.5 * (matrix.T @ matrix))
        a, b, c = matrix.tolist()
    return (tuple(a), tuple(b), tuple(c))
