"""FABRIK on a chain's real axes, many poses at a time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .fabrik_target import Asked, Options, Target
from .lanes import Frames

if TYPE_CHECKING:
    from .chain import Chain

Array = NDArray[np.float64]

# So many lanes are worked on at a time; more do not fit into the processor's caches.
WIDTH = 256
# A point nearer to an axis than this [m] says nothing about the turn about it.
LEAST_LEVER = 1e-6
# Share of the weight that position, and orientation, keep at least.
LEAST_SHARE = 0.1
# A lane is stuck when so many sweeps do not take this share off its error; then it tries so many offsets of so much
# [rad, or reach for a slide], each larger than the last one, and then it ends.
STUCK_AFTER = 10
STUCK_SHARE = 0.01
TRIALS = 4
OFFSET = 0.1
GROWTH = 2.0
# Largest step in a sweep of an unknown that moves several joints [rad, or reach for a slide].
GROUP_CAP = 0.5


class Constrained(NamedTuple):
    """What :func:`solve_constrained` found.

    Attributes:
        values: (…, dof) inside the limits; those that wrap in (-pi, pi].
        iterations: (…) sweeps.
        position_residual: (…) distance of the handle from its target [m].
        orientation_residual: (…) angle to the rotation [rad]; 0 where it is not asked for.
    """

    values: Array
    iterations: NDArray[np.int64]
    position_residual: Array
    orientation_residual: Array


def solve_constrained(chain: Chain, target: Target, options: Options | None = None) -> Constrained:
    """Bring a chain's handle to a target, or to many at a time, by FABRIK on its real axes.

    Every sweep has two passes. The backward one says where the joints should be: the handle on its target, every
    joint at its present distance from the next one. The forward one goes from the base outwards and turns each hinge
    by ``atan2(sum of w (a×r)·d, sum of w r·d)`` over all the points beyond, r and d being the parts of the point and
    of its desired place that are perpendicular to the axis ``a``; a slide takes the weighted mean of the way along its
    axis. Both are clamped to their limits before the next one is looked at, so every pose is one that the chain can
    hold. The best one is kept; a lane that is stuck tries small offsets, which are dropped if they do not help.

    An unknown that moves several joints takes the best step of its summed derivative.

    Args:
        chain: its first dragged body's handle is what is brought to the target.
        target: anything with the attributes of :class:`Target`; leading axes are lanes.
        options: anything with the attributes of :class:`Options`; None = their defaults.

    Raises:
        GoalError: a wrong shape, a number that is not finite, an option that means nothing.
    """
    asked = Asked(chain, target, options or Options())
    blocks = [_Block(asked, slice(first, first + WIDTH)).run() for first in range(0, max(asked.count, 1), WIDTH)]
    values, iterations, distance, angle = (np.concatenate(parts, axis=-1) for parts in zip(*blocks, strict=True))
    found = values.T
    turns = [i for i, wraps in enumerate(chain.wraps) if wraps]
    found[:, turns] = math.pi - np.mod(math.pi - found[:, turns], 2.0 * math.pi)
    return Constrained(
        found.reshape(*asked.batch, chain.dof),
        iterations.reshape(asked.batch),
        distance.reshape(asked.batch),
        angle.reshape(asked.batch),
    )


class _Block:
    """Some lanes on their way. Those that have ended leave the arrays that are worked on."""

    def __init__(self, asked: Asked, part: slice) -> None:
        self._asked = asked
        self._lanes = asked.lanes
        self.values = asked.start[:, part].copy()
        self._position = asked.position[:, part]
        self._enforced = asked.enforced[part]
        self._rotation = None if asked.rotation is None else asked.rotation[:, :, part]
        count = self.values.shape[1]
        self._best = self.values.copy()
        self._distance = np.full(count, np.inf)
        self._angle = np.zeros(count)
        self._iterations = np.zeros(count, dtype=np.int64)
        self._going = np.arange(count)
        self._score, self._mark = np.full(count, np.inf), np.full(count, np.inf)
        self._since, self._trials = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        lower, upper = self._lanes.lower[0][:, None], self._lanes.upper[0][:, None]
        self._limits = (lower, upper)

    def run(self) -> tuple[Array, NDArray[np.int64], Array, Array]:
        """Values (dof, lanes), sweeps, distances and angles of the best poses."""
        for sweep in range(self._asked.most + 1):
            frames = self._lanes.place(self.values, self._asked.numbers)
            frames = self._judge(frames, sweep)
            if not len(self._going):
                break
            if sweep < self._asked.most:
                self._sweep(frames)
        return self._best, self._iterations, self._distance, self._angle

    def _judge(self, frames: Frames, sweep: int) -> Frames:
        """Keep the best, let go of the lanes that are met or at their end, and disturb those that are stuck."""
        asked, going = self._asked, self._going
        self._far = np.sqrt(((self._position - frames.tip) ** 2).sum(axis=0))
        self._off = np.zeros_like(self._far)
        score = self._far / asked.tolerance
        if self._rotation is not None and frames.turned is not None:
            self._off = np.where(self._enforced, _angle(frames.turned, self._rotation), 0.0)
            score = np.maximum(score, self._off / asked.angle)
        better = score < self._score[going]
        mine = going[better]
        self._score[mine], self._best[:, mine] = score[better], self.values[:, better]
        self._distance[mine], self._angle[mine] = self._far[better], self._off[better]
        self._iterations[going] = sweep
        progress = score < (1.0 - STUCK_SHARE) * self._mark[going]
        self._mark[going] = np.where(progress, score, self._mark[going])
        self._since[going] = np.where(progress, 0, self._since[going] + 1)
        stuck = self._since[going] >= STUCK_AFTER
        ended = (self._score[going] <= 1.0) | (stuck & (self._trials[going] >= TRIALS))
        stuck &= ~ended
        if stuck.any():
            self._disturb(going[stuck], stuck)
        if ended.any():
            keep = ~ended
            self._going, self.values = going[keep], self.values[:, keep]
            self._position, self._enforced = self._position[:, keep], self._enforced[keep]
            self._far, self._off = self._far[keep], self._off[keep]
            if self._rotation is not None:
                self._rotation = self._rotation[:, :, keep]
        if len(self._going) and (stuck.any() or ended.any()):
            return self._lanes.place(self.values, asked.numbers)
        return frames

    def _disturb(self, lanes: NDArray[np.int64], here: NDArray[np.bool_]) -> None:
        """Every unknown a little away from the best pose, to either side in an order without a pattern."""
        trial = self._trials[lanes]
        unknown = np.arange(self._lanes.dof)[:, None]
        size = OFFSET * GROWTH**trial * self._lanes.pace[0][:, None]
        moved = self._best[:, lanes] + size * np.sin(1.0 + 2.4 * unknown + trial)
        self.values[:, here] = np.clip(moved, *self._limits)
        self._trials[lanes] += 1
        self._since[lanes] = 0
        self._mark[lanes] = np.inf

    def _sweep(self, frames: Frames) -> None:
        """Backward pass, then forward pass over all steps."""
        self._axes = frames.axes
        self._reach(frames)
        moved: set[int] = set()
        for i, step in enumerate(self._lanes.steps):
            group = [k for k, other in enumerate(self._lanes.steps) if other.unknown == step.unknown]
            if len(group) > 1:
                if i == group[0]:
                    self._move_group(step.unknown, group)
                    moved.add(step.unknown)
                continue
            multiplier = self._asked.numbers.steps[i][12]
            if isinstance(multiplier, float) and multiplier == 0.0:
                continue
            wanted = self._push(i) if step.slide else self._turn(i)
            self._shift(i, multiplier * self._set(step.unknown, wanted / multiplier))

    def _reach(self, frames: Frames) -> None:
        """The points, their weights, and by a backward pass where they should be."""
        asked, steps = self._asked, len(self._lanes.steps)
        extra = 1 if self._rotation is None else 4
        self._points = np.empty((steps + extra, 3, len(self._going)))
        self._desired = np.empty_like(self._points)
        self._weights = np.ones((steps + extra, len(self._going)))
        self._points[:steps], self._points[steps], self._desired[steps] = frames.origins, frames.tip, self._position
        far, off = self._far / asked.tolerance, self._off / asked.angle
        share = np.clip(far / np.maximum(far + off, 1e-300), LEAST_SHARE, 1.0 - LEAST_SHARE)
        share = np.where(self._enforced, share, 1.0)
        self._weights[steps] = asked.tip_weight * share
        if self._rotation is not None and frames.turned is not None:
            self._points[steps + 1 :] = frames.tip + asked.lever * frames.turned
            self._desired[steps + 1 :] = self._position + asked.lever * self._rotation
            self._weights[steps + 1 :] = asked.tip_weight * (1.0 - share)
        for i in range(steps - 1, -1, -1):
            length = _norm(self._points[i + 1] - self._points[i])
            way = self._points[i] - self._desired[i + 1]
            distance = _norm(way)
            with np.errstate(divide="ignore", invalid="ignore"):
                factor = np.where(distance > 1e-12 * length, length / distance, 0.0)
            self._desired[i] = self._desired[i + 1] + factor * way

    def _turn(self, i: int) -> Array:
        """(lanes,) the best turn about a hinge [rad]; 0 where everything beyond lies on its axis."""
        axis, origin = self._axes[i], self._points[i]
        points, desired = self._points[i + 1 :] - origin, self._desired[i + 1 :] - origin
        along = (points * axis).sum(axis=1)
        radial = points - along[:, None] * axis
        weights = self._weights[i + 1 :] * ((radial**2).sum(axis=1) > LEAST_LEVER**2)
        x, y, z = radial.transpose(1, 0, 2)
        ax, ay, az = axis
        dx, dy, dz = desired.transpose(1, 0, 2)
        across = (ay * z - az * y) * dx + (az * x - ax * z) * dy + (ax * y - ay * x) * dz
        sine = (weights * across).sum(axis=0)
        cosine = (weights * (x * dx + y * dy + z * dz)).sum(axis=0)
        return np.asarray(np.arctan2(sine, cosine), dtype=np.float64)

    def _push(self, i: int) -> Array:
        """(lanes,) the best way along a slide [m]."""
        way = ((self._desired[i + 1 :] - self._points[i + 1 :]) * self._axes[i]).sum(axis=1)
        weights = self._weights[i + 1 :]
        return np.asarray((weights * way).sum(axis=0) / weights.sum(axis=0), dtype=np.float64)

    def _set(self, unknown: int, change: Array) -> Array:
        """Clamp and store; the change that is left of it."""
        after = np.clip(self.values[unknown] + change, self._limits[0][unknown], self._limits[1][unknown])
        moved = after - self.values[unknown]
        self.values[unknown] = after
        return np.asarray(moved, dtype=np.float64)

    def _shift(self, i: int, moved: Array) -> None:
        """Carry along what lies beyond a step."""
        axis, origin = self._axes[i], self._points[i]
        if self._lanes.steps[i].slide:
            self._points[i + 1 :] += axis * moved
            return
        sine, cosine = np.sin(moved), np.cos(moved)
        self._points[i + 1 :] = origin + _turned(axis, self._points[i + 1 :] - origin, sine, cosine)
        self._axes[i + 1 :] = _turned(axis, self._axes[i + 1 :], sine, cosine)

    def _move_group(self, unknown: int, group: list[int]) -> None:
        """The best step of an unknown that moves several joints, by their summed derivative."""
        slope = np.zeros_like(self._points)
        for i in group:
            multiplier = self._asked.numbers.steps[i][12]
            axis = self._axes[i]
            if self._lanes.steps[i].slide:
                slope[i + 1 :] += multiplier * axis
            else:
                slope[i + 1 :] += multiplier * _cross(axis, self._points[i + 1 :] - self._points[i])
        weights = self._weights[:, None]
        length2 = (weights * slope**2).sum(axis=(0, 1))
        push = (weights * slope * (self._desired - self._points)).sum(axis=(0, 1))
        wanted = np.where(length2 > LEAST_LEVER**2, push / np.maximum(length2, 1e-300), 0.0)
        self._set(
            unknown,
            np.clip(wanted, -GROUP_CAP * self._lanes.pace[0][unknown], GROUP_CAP * self._lanes.pace[0][unknown]),
        )
        frames = self._lanes.place(self.values, self._asked.numbers)
        steps = len(self._lanes.steps)
        self._axes, self._points[:steps], self._points[steps] = frames.axes, frames.origins, frames.tip
        if frames.turned is not None:
            self._points[steps + 1 :] = frames.tip + self._asked.lever * frames.turned


def _norm(vectors: Array) -> Array:
    return np.asarray(np.sqrt((vectors**2).sum(axis=0)), dtype=np.float64)


def _cross(axis: Array, vectors: Array) -> Array:
    """(…, 3, lanes) of (3, lanes) with (…, 3, lanes)."""
    ax, ay, az = axis
    x, y, z = vectors[..., 0, :], vectors[..., 1, :], vectors[..., 2, :]
    return np.stack((ay * z - az * y, az * x - ax * z, ax * y - ay * x), axis=-2)


def _turned(axis: Array, vectors: Array, sine: Array, cosine: Array) -> Array:
    """Rodrigues' rotation of (…, 3, lanes) about (3, lanes)."""
    along = (vectors * axis).sum(axis=-2, keepdims=True)
    turned: Array = vectors * cosine + _cross(axis, vectors) * sine + along * axis * (1.0 - cosine)
    return turned


def _angle(turned: Array, wanted: Array) -> Array:
    """(lanes,) angle between two rotations, each (3, 3, lanes) columns first."""
    sine = 0.5 * _norm(np.cross(turned, wanted, axis=1).sum(axis=0))
    cosine = 0.5 * ((turned * wanted).sum(axis=(0, 1)) - 1.0)
    return np.asarray(np.arctan2(sine, cosine), dtype=np.float64)
