"""The state that every method works on: a problem, where it started, the best pose so far, and what counts as met."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .compiled import ORIGIN
from .least_squares import FAR_ERROR, GAIN
from .problem import Evaluation, Problem
from .turns import aim_vector, rotation_vector

if TYPE_CHECKING:
    from .goal import Goal
    from .least_squares import Iteration
    from .step import Point

# How far, in a drag, a handle may move for a target that it cannot get to, against the target's own motion.
FOLLOW = 1.5
# What a search tries to get to, better than any tolerance asks for [reach, rad].
FINE = 1e-6


class Tolerance:
    """What counts as met, and what leaves nothing to improve.

    Attributes:
        distance: of a handle from its target that counts as met [m].
        angle: the same of an orientation or an aim [rad].
        met2, met_angle2: their squares.
        fine2, fine_angle2: squares of what leaves nothing to improve.
        far_error2: the largest squared error [m²] that careful least squares looks at.
    """

    __slots__ = ("angle", "distance", "far_error2", "fine2", "fine_angle2", "met2", "met_angle2")

    def __init__(self, distance: float, angle: float, scale: float = 1.0) -> None:
        """On a chain of that scale [m]."""
        self.distance = distance
        self.angle = angle
        self.met2 = distance * distance
        self.met_angle2 = angle * angle
        self.fine2 = min(distance, FINE * scale) ** 2
        self.fine_angle2 = min(angle, FINE) ** 2
        self.far_error2 = (FAR_ERROR * scale) ** 2


class Run:
    """One problem being searched.

    Attributes:
        problem: the goals.
        far: whether a target is out of reach.
        start: the pose it began with.
        best: the best pose so far, never further from the goals than ``start``.
        tolerance: what counts as met.
        leash: how far a handle may be from where it was at the start [m] unless the goals are met; infinite in
            one-shot solves.
        rest: (dof,) the pose to stay near where the goals leave a choice, or None.
        hurried: True when nobody looks at the search before its end.
        unpaused: iterations for which it did not pause then.
        iteration, numbers: of least squares; see :class:`~.least_squares.Plain`.
    """

    leash = math.inf
    rest: list[float] | None = None
    hurried = False
    unpaused = 0

    def __init__(
        self,
        problem: Problem,
        values: list[float],
        tolerance: Tolerance,
        *,
        written: bool = False,
        first: Iteration | None = None,
    ) -> None:
        """Look at the start.

        Args:
            problem: the goals.
            values: (dof,) of the start.
            tolerance: what counts as met.
            written: see :meth:`Problem.iteration`.
            first: the iteration at these values, if there is one for them.
        """
        self.problem = problem
        self.tolerance = tolerance
        self.far = problem.out_of_reach()
        self.iteration, numbers = problem.iteration(written=written)
        self.numbers = (*numbers, tolerance.fine2, tolerance.fine_angle2)
        if not values:
            self.start = problem.evaluate(values)
        elif first is None or self.far:
            self.start = self.look(values, careful=self.far)
        else:
            trial = first(values, self.numbers, math.inf, GAIN, GAIN, math.inf)
            self.start = Evaluation(problem, values, trial[1], trial[2], trial[3], trial[5], trial, False)
        self.best = self.start

    def look(self, values: list[float], *, careful: bool) -> Evaluation:
        """Look at a pose, and work out the first step of a line from it; see :class:`~.least_squares.Plain`."""
        cap = self.tolerance.far_error2 if careful else math.inf
        trial = self.iteration(values, self.numbers, math.inf, GAIN, GAIN, cap)
        return Evaluation(self.problem, values, trial[1], trial[2], trial[3], trial[5], trial, careful)

    def error(self, values: list[float]) -> float:
        """The squared error [m²] of a pose (dof,), and nothing else."""
        at_once = (*self.numbers[:-2], math.inf, math.inf)  # anything is good enough: no step is worked out
        return self.iteration(values, at_once, math.inf, GAIN, GAIN, math.inf)[1]

    def blocked(self, at: Evaluation) -> tuple[int, ...]:
        """Places of the unknowns at a limit that the error pushes outwards."""
        if at.ahead is not None:
            return at.ahead[6]
        return tuple(self.problem.blocked(at, self.problem.rows(at)))

    @property
    def reached(self) -> bool:
        """True when the best pose meets every goal."""
        return self.meets(self.best)

    @property
    def fine(self) -> bool:
        """True when there is nothing left to improve."""
        return self.is_fine(self.best)

    def is_fine(self, at: Evaluation) -> bool:
        """True when a pose leaves nothing to improve."""
        limits = self.tolerance
        return (at.distance2 <= limits.fine2 and at.angle2 <= limits.fine_angle2) or not at.values

    def way(self, at: Evaluation) -> float:
        """Squared way of the unknowns since the start, in strides."""
        stride = self.problem.compiled.stride
        return sum(((a - b) / s) ** 2 for a, b, s in zip(at.values, self.start.values, stride, strict=True))

    def meets(self, at: Evaluation) -> bool:
        """True when a pose meets every goal."""
        return at.distance2 <= self.tolerance.met2 and at.angle2 <= self.tolerance.met_angle2

    def admits(self, at: Evaluation) -> bool:
        """True for a pose that may be shown: it keeps to the leash or meets the goals."""
        return self.within_leash(at) or self.meets(at)

    def within_leash(self, at: Evaluation) -> bool:
        """True when no handle is further from where it was than the leash allows."""
        return self.leash == math.inf or self.moved(at) <= self.leash

    def moved(self, at: Evaluation) -> float:
        """Largest way [m] of a handle with a target since the start."""
        return self.gone(at.handles)

    def gone(self, handles: tuple[Point, ...]) -> float:
        """The same for handles at these places."""
        start = self.start.handles
        if len(handles) == 1:
            return math.dist(handles[0], start[0]) if self.problem.asked[0].position is not None else 0.0
        largest = 0.0
        for asked, now, before in zip(self.problem.asked, handles, start, strict=True):
            if asked.position is not None:
                largest = max(largest, math.dist(now, before))
        return largest

    def offer(self, at: Evaluation, *, worth: float = 0.0) -> bool:
        """Take a pose as the best if it is better.

        A pose that meets the goals beats any that does not. Others must keep to the leash and be better by ``worth``.
        """
        best = self.best
        better = at.error < best.error * (1.0 - worth)
        limits = self.tolerance
        if at.distance2 <= limits.met2 and at.angle2 <= limits.met_angle2:
            better = better or not self.meets(best)
        elif better:
            better = (self.leash == math.inf or self.moved(at) <= self.leash) and not self.meets(best)
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
