"""The state that every method works on: a problem, where it started, the best pose so far, and what counts as met."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .compiled import ORIGIN
from .problem import Evaluation, Problem
from .turns import aim_vector, rotation_vector

if TYPE_CHECKING:
    from .goal import Goal

# How far, in a drag, a handle may move for a target that it cannot get to, against the target's own motion.
FOLLOW = 1.5
# What a search tries to get to, better than any tolerance asks for [reach, rad].
FINE = 1e-6


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What counts as met: distance [m] and angle [rad]."""

    distance: float
    angle: float

    def holds(self, at: Evaluation) -> bool:
        """True when every goal is met."""
        return at.distance2 <= self.distance * self.distance and at.angle2 <= self.angle * self.angle


class Run:
    """One problem being searched.

    Attributes:
        problem: the goals.
        start: the pose it began with.
        best: the best pose so far, never further from the goals than ``start``.
        tolerance: what counts as met.
        leash: how far a handle may be from where it was at the start [m] unless the goals are met; infinite in
            one-shot solves.
        rest: (dof,) the pose to stay near where the goals leave a choice, or None.
    """

    def __init__(
        self,
        problem: Problem,
        start: Evaluation,
        tolerance: Tolerance,
        leash: float = math.inf,
        rest: list[float] | None = None,
    ) -> None:
        self.problem = problem
        self.start = self.best = start
        self.leash = leash
        self.tolerance = tolerance
        self.rest = rest
        scale = problem.compiled.scale
        self._fine = Tolerance(min(tolerance.distance, FINE * scale), min(tolerance.angle, FINE))

    @property
    def reached(self) -> bool:
        """True when the best pose meets every goal."""
        return self.tolerance.holds(self.best)

    @property
    def fine(self) -> bool:
        """True when there is nothing left to improve."""
        return self.is_fine(self.best)

    def is_fine(self, at: Evaluation) -> bool:
        """True when a pose leaves nothing to improve."""
        return self._fine.holds(at) or not at.values

    def way(self, at: Evaluation) -> float:
        """Squared way of the unknowns since the start, in strides."""
        stride = self.problem.compiled.stride
        return sum(((a - b) / s) ** 2 for a, b, s in zip(at.values, self.start.values, stride, strict=True))

    def meets(self, at: Evaluation) -> bool:
        """True when a pose meets every goal."""
        return self.tolerance.holds(at)

    def admits(self, at: Evaluation) -> bool:
        """True for a pose that may be shown: it keeps to the leash or meets the goals."""
        return self.within_leash(at) or self.meets(at)

    def within_leash(self, at: Evaluation) -> bool:
        """True when no handle is further from where it was than the leash allows."""
        return self.leash == math.inf or self.moved(at) <= self.leash

    def moved(self, at: Evaluation) -> float:
        """Largest way [m] of a handle with a target since the start."""
        largest = 0.0
        for asked, now, before in zip(self.problem.asked, at.placed, self.start.placed, strict=True):
            if asked.position is not None:
                way = math.sqrt((now[0] - before[0]) ** 2 + (now[1] - before[1]) ** 2 + (now[2] - before[2]) ** 2)
                largest = max(largest, way)
        return largest

    def offer(self, at: Evaluation, *, worth: float = 0.0) -> bool:
        """Take a pose as the best if it is better.

        A pose that meets the goals beats any that does not. Others must keep to the leash and be better by ``worth``.
        """
        best = self.best
        met = self.tolerance.holds(at)
        if met and not self.tolerance.holds(best):
            better = True
        elif not met and (self.tolerance.holds(best) or not self.within_leash(at)):
            better = False
        else:
            better = at.error < best.error * (1.0 - worth)
        if better:
            self.best = at
        return better


def motion_of_targets(before: Problem, after: Problem) -> float:
    """How far [m] the targets went between two problems on one chain; infinite when other things are asked.

    A turn counts with the way of a point one reach away.
    """
    if before.points != after.points or len(before.goals) != len(after.goals):
        return math.inf
    largest = 0.0
    for was, now in zip(before.goals, after.goals, strict=True):
        if was.body != now.body or was.weight != now.weight or _kind(was) != _kind(now):
            return math.inf
        way = 0.0
        if was.position is not None and now.position is not None:
            way += math.dist(was.position, now.position)
        if was.orientation is not None and now.orientation is not None:
            placed = (0.0, 0.0, 0.0, *was.orientation[0], *was.orientation[1], *was.orientation[2])
            target = (*now.orientation[0], *now.orientation[1], *now.orientation[2])
            way += math.hypot(*rotation_vector(target, placed)) * after.compiled.scale
        if was.aim is not None and now.aim is not None:
            way += math.hypot(*aim_vector((was.aim[1], now.aim[1]), ORIGIN)) * after.compiled.scale
        largest = max(largest, way)
    return largest


def _kind(goal: Goal) -> tuple[object, ...]:
    """What a goal asks for, without the numbers that move."""
    return goal.position is None, goal.orientation is None, None if goal.aim is None else goal.aim[0]
