"""FABRIK: forward and backward reaching inverse kinematics, on free points and on a chain's real axes.

After Aristidou and Lasenby, FABRIK: A fast, iterative solver for the inverse kinematics problem, Graphical Models 73
(2011). Here the *backward pass* pins the end effector and walks from it to the base, the *forward pass* pins the base
and walks outwards; papers and lecture notes often name them the other way round.

Leading axes are batch axes and are broadcast; each lane of a batch is solved as it would be alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import GoalError
from .fabrik_lanes import Constrained, solve_constrained
from .fabrik_target import Options, Target

__all__ = [
    "Constrained",
    "Options",
    "Points",
    "Target",
    "backward_pass",
    "forward_pass",
    "place_at_distance",
    "solve_constrained",
    "solve_points",
]

Array = NDArray[np.float64]

# Two points nearer to each other than this share of the distance that is asked for have no direction between them.
COINCIDENT = 1e-12
# A chain is straight, and its target on its line, within this share of its length; then it is bent by the other share.
STRAIGHT = 1e-9
NUDGE = 0.05
# What counts as on target where no tolerance is given [summed lengths].
TOLERANCE = 1e-6


class Points(NamedTuple):
    """What :func:`solve_points` found.

    Attributes:
        points: (…, n, 3) base first.
        iterations: (…) pairs of passes; 0 where the target was met at once or is out of reach.
        residual: (…) distance of the last point from the target.
    """

    points: Array
    iterations: NDArray[np.int64]
    residual: Array


def place_at_distance(anchor: ArrayLike, toward: ArrayLike, distance: ArrayLike) -> Array:
    """The points at a distance from ``anchor`` on the way to ``toward``.

    Args:
        anchor: (…, 3).
        toward: (…, 3); where it coincides with the anchor, the way is along +X.
        distance: (…).

    Returns:
        (…, 3)
    """
    start, reach = np.asarray(anchor, dtype=np.float64), np.asarray(distance, dtype=np.float64)[..., None]
    way = np.asarray(toward, dtype=np.float64) - start
    length = np.linalg.norm(way, axis=-1, keepdims=True)
    none = length <= COINCIDENT * np.abs(reach)
    unit = np.where(none, (1.0, 0.0, 0.0), way / np.where(none, 1.0, length))
    return np.asarray(start + reach * unit, dtype=np.float64)


def backward_pass(points: ArrayLike, lengths: ArrayLike, target: ArrayLike) -> Array:
    """Put the end effector onto the target and draw the others after it, one by one, down to the base.

    Args:
        points: (…, n, 3) base first.
        lengths: (…, n - 1) of the segments between them.
        target: (…, 3) for the last point.

    Returns:
        (…, n, 3) with the segments at their lengths; the base has left its place.
    """
    moved, sizes, end = _broadcast(points, lengths, target)
    moved[..., -1, :] = end
    for i in range(moved.shape[-2] - 2, -1, -1):
        moved[..., i, :] = place_at_distance(moved[..., i + 1, :], moved[..., i, :], sizes[..., i])
    return moved


def forward_pass(points: ArrayLike, lengths: ArrayLike, base: ArrayLike) -> Array:
    """Put the first point onto the base and draw the others after it, one by one, out to the end effector.

    Args:
        points: (…, n, 3) base first.
        lengths: (…, n - 1) of the segments between them.
        base: (…, 3) for the first point.

    Returns:
        (…, n, 3) with the segments at their lengths.
    """
    moved, sizes, start = _broadcast(points, lengths, base)
    moved[..., 0, :] = start
    for i in range(1, moved.shape[-2]):
        moved[..., i, :] = place_at_distance(moved[..., i - 1, :], moved[..., i, :], sizes[..., i - 1])
    return moved


def solve_points(
    points: ArrayLike,
    target: ArrayLike,
    *,
    lengths: ArrayLike | None = None,
    tolerance: float | None = None,
    max_iterations: int = 100,
) -> Points:
    """Bring the last of a chain of points to a target; the first stays and the segments keep their lengths.

    A target farther from the base than the summed lengths stretches the chain along the line to it. A straight chain
    with its target on its own line, which the passes would only push to and fro, is bent a little first. The best
    points are kept.

    Args:
        points: (…, n, 3) base first; at least one.
        target: (…, 3).
        lengths: (…, n - 1) of the segments; None = as they are.
        tolerance: distance from the target that ends a lane; None = 1e-6 of its summed lengths.
        max_iterations: most pairs of passes.

    Returns:
        Points, iterations and residual.

    Raises:
        GoalError: a wrong shape, a number that is not finite, a negative length or cap.
    """
    chain = _finite("points", points)
    if chain.ndim < 2 or chain.shape[-1] != 3 or chain.shape[-2] < 1:
        raise GoalError(f"the points have shape {chain.shape}; (…, n, 3) with at least one point is needed")
    segments = np.linalg.norm(np.diff(chain, axis=-2), axis=-1) if lengths is None else _finite("lengths", lengths)
    if np.any(segments < 0.0):
        raise GoalError(f"the lengths hold a negative number: {segments.min()}")
    if max_iterations < 0 or not (tolerance is None or tolerance >= 0.0):
        raise GoalError(f"max_iterations is {max_iterations} and tolerance {tolerance}; neither can be negative")
    chain, segments, goal = _broadcast(chain, segments, _finite("target", target))
    batch = chain.shape[:-2]
    count = math.prod(batch)
    lanes, sizes = chain.reshape(count, *chain.shape[-2:]), segments.reshape(count, segments.shape[-1])
    goals = goal.reshape(count, 3)
    iterations = np.zeros(len(lanes), dtype=np.int64)
    base, total = lanes[:, 0].copy(), sizes.sum(axis=-1)
    met = np.full(len(lanes), tolerance) if tolerance is not None else TOLERANCE * total
    found = lanes.copy() if lengths is None else forward_pass(lanes, sizes, base)
    residual = _distance(found, goals)
    far = np.linalg.norm(goals - base, axis=-1) > total
    if far.any():
        found[far] = _stretched(base[far], sizes[far], goals[far])
        residual[far] = _distance(found[far], goals[far])
    going = np.flatnonzero(~far & (residual > met))
    current = _bent(found[going], goals[going], total[going])
    for iteration in range(1, max_iterations + 1):
        if not len(going):
            break
        current = backward_pass(current, sizes[going], goals[going])
        current = forward_pass(current, sizes[going], base[going])
        left = _distance(current, goals[going])
        better = left < residual[going]
        found[going[better]], residual[going[better]] = current[better], left[better]
        iterations[going] = iteration
        on = left > met[going]
        going, current = going[on], current[on]
    return Points(found.reshape(chain.shape), iterations.reshape(batch), residual.reshape(batch))


def _broadcast(points: ArrayLike, lengths: ArrayLike, end: ArrayLike) -> tuple[Array, Array, Array]:
    """Copies with all batch axes; shapes that do not fit are refused."""
    chain, sizes, goal = (np.asarray(a, dtype=np.float64) for a in (points, lengths, end))
    if chain.ndim < 2 or chain.shape[-1] != 3 or sizes.shape[-1:] != (chain.shape[-2] - 1,) or goal.shape[-1:] != (3,):
        raise GoalError(
            f"points {chain.shape}, lengths {sizes.shape} and end {goal.shape} do not fit; "
            "(…, n, 3), (…, n - 1) and (…, 3) are needed"
        )
    try:
        batch = np.broadcast_shapes(chain.shape[:-2], sizes.shape[:-1], goal.shape[:-1])
    except ValueError:
        raise GoalError(
            f"the batch axes of points {chain.shape}, lengths {sizes.shape} and end {goal.shape} do not fit"
        ) from None
    return (
        np.broadcast_to(chain, batch + chain.shape[-2:]).copy(),
        np.broadcast_to(sizes, batch + sizes.shape[-1:]),
        np.broadcast_to(goal, (*batch, 3)),
    )


def _finite(what: str, value: ArrayLike) -> Array:
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise GoalError(f"the {what} are {value!r}; numbers are needed") from None
    if not np.isfinite(numbers).all():
        raise GoalError(f"the {what} hold a number that is not finite: {numbers[~np.isfinite(numbers)].flat[0]}")
    return numbers


def _distance(points: Array, goals: Array) -> Array:
    return np.asarray(np.linalg.norm(points[:, -1] - goals, axis=-1), dtype=np.float64)


def _stretched(base: Array, lengths: Array, goals: Array) -> Array:
    """(lanes, n, 3) straight from the base towards the target."""
    way = place_at_distance(np.zeros(3), goals - base, np.ones(len(base)))
    along = np.concatenate((np.zeros((len(base), 1)), np.cumsum(lengths, axis=-1)), axis=-1)
    return np.asarray(base[:, None] + along[..., None] * way[:, None], dtype=np.float64)


def _bent(points: Array, goals: Array, total: Array) -> Array:
    """The points; where they and the target lie on one line, those between the ends are moved off it, to one side."""
    base = points[:, :1]
    from_base = np.concatenate((points, goals[:, None]), axis=1) - base
    far = np.argmax(np.linalg.norm(from_base, axis=-1), axis=-1)
    line = place_at_distance(np.zeros(3), from_base[np.arange(len(points)), far], np.ones(len(points)))
    off = np.linalg.norm(np.cross(from_base, line[:, None]), axis=-1).max(axis=-1)
    straight = off <= STRAIGHT * total
    least = np.argmin(np.abs(line), axis=-1)
    side = np.cross(line, np.eye(3)[least])
    side *= (NUDGE * total * straight / np.linalg.norm(side, axis=-1))[:, None]
    bent = points.copy()
    bent[:, 1:-1] += side[:, None]
    return bent
