"""Searching in slices: the one object behind every drag and every solve."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GoalError, SkeletonError
from .chain import Chain
from .descent import Sweeps, first_line
from .goal import Goal, positive
from .methods import METHODS, beyond_first_line, sweeps
from .problem import Problem, problem_of
from .run import FOLLOW, Run, Tolerance, motion_of_targets
from .solution import Solution, describe

Weights = Mapping[str, float] | ArrayLike

# What a drag spends at a time [s].
SLICE_SECONDS = 0.004
# Tolerance of a script [reach], and the smallest one [m].
TOLERANCE = 1e-5
LEAST_TOLERANCE = 1e-9
# A greater weight of a joint leaves nothing of the others but rounding.
MOST_WEIGHT = 1e6

_END = object()


class Search:
    """A search that can be advanced in slices, and given new goals between them.

    The slices decide only when it pauses: the poses are the same, bit for bit, as those of one long call. The best
    pose is kept. ``tolerance`` decides the status only: while time is left the search goes on to a millionth of the
    reach, so that slow drags do not step. A goal that is already met moves nothing.

    Between two targets a handle moves at most 1.5 times as far as its target did, unless it gets there: out of reach,
    the arm stretches towards the target and neither jumps nor shakes.

    Attributes:
        chain: what may move.
        method: "AUTO", "CCD" or "FABRIK".
        tolerance: largest distance [m] that counts as reached.
        orientation_tolerance: largest angle [rad] that counts as reached.
        iterations: sweeps done for the present goals.
        done: True when there is nothing left to do for the present goals.
    """

    iterations: int
    done: bool
    _solution: Solution | None

    def __init__(
        self,
        chain: Chain,
        goals: Goal | Sequence[Goal],
        q0: ArrayLike | None = None,
        *,
        method: str = "AUTO",
        tolerance: float | None = None,
        orientation_tolerance: float = 1e-3,
        joint_weights: Weights | None = None,
        rest: ArrayLike | None = None,
        clock: Callable[[], float] = time.perf_counter,
        one_shot: bool = False,
    ) -> None:
        """Begin at a pose; nothing is searched yet.

        Args:
            chain: what may move.
            goals: for bodies of the chain.
            q0: (dof,) values to start from; None = the chain's part of its pose. Clamped into the limits.
            method: "AUTO", "CCD" or "FABRIK".
            tolerance: [m]; None = 1e-5 of the reach.
            orientation_tolerance: [rad].
            joint_weights: how willingly each unknown moves, 1 as usual, 0 not at all, 1e6 at most: by name,
                those left out being 1, or (dof,).
            rest: (dof,) the pose to stay near as far as the goals leave a choice; None = wherever the search ends.
            clock: says the time in seconds; only differences count.
            one_shot: True for targets that have nothing to do with the start: restarts are allowed, and handles may
                go anywhere. Until the first :meth:`retarget` only.

        Raises:
            GoalError: a goal for a body that is not in the chain, a start pose of the wrong shape, an unknown method,
                a tolerance that is not positive.
        """
        if method not in METHODS:
            raise GoalError(f"there is no method {method!r}; choose one of {', '.join(map(repr, METHODS))}")
        self._weights = None if joint_weights is None else _checked_weights(chain, joint_weights)
        problem = problem_of(chain, _listed(goals), self._weights)
        if problem.compiled.uneven is not None and method != "AUTO":
            raise GoalError(f"{problem.compiled.uneven}, which {method} cannot follow; use AUTO")
        if tolerance is None:
            tolerance = max(TOLERANCE * problem.compiled.scale, LEAST_TOLERANCE)
        limits = problem.compiled.tolerance
        if limits is None or limits.distance != tolerance or limits.angle != orientation_tolerance:
            check_tolerances(tolerance, orientation_tolerance)
            limits = Tolerance(float(tolerance), float(orientation_tolerance), problem.compiled.scale)
            problem.compiled.tolerance = limits
        self.chain = chain
        self.method = method
        self.tolerance = limits.distance
        self.orientation_tolerance = limits.angle
        self._clock = clock
        compiled = problem.compiled
        if q0 is None:
            first = problem.first() if one_shot else None
            run = Run(problem, compiled.start, limits, written=not one_shot and method == "AUTO", first=first)
        else:
            start = compiled.clamp(_values(chain, "start pose", q0))
            run = Run(problem, start, limits, written=not one_shot and method == "AUTO")
        if rest is not None:
            run.rest = compiled.clamp(_values(chain, "rest pose", rest))
        if not one_shot:
            run.leash = FOLLOW * (math.sqrt(run.start.distance2) + math.sqrt(run.start.angle2) * compiled.scale)
        self._begin(run, one_shot)

    def __repr__(self) -> str:
        return (
            f"Search({self.chain!r}, {self.method}, {self.iterations} iterations, {'done' if self.done else 'going'})"
        )

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The present goals."""
        return self._run.problem.goals

    @property
    def solution(self) -> Solution:
        """The best pose so far."""
        if self._solution is None:
            self._solution = describe(self._run, self.iterations)
        return self._solution

    def advance(self, seconds: float = SLICE_SECONDS, *, sweeps: int | None = None) -> Solution:
        """Search for a slice of time.

        Args:
            seconds: budget; it is overrun by less than one sweep. At least one sweep is done, unless :attr:`done`.
            sweeps: at most so many; None = no cap.

        Returns:
            The best pose so far.

        Raises:
            GoalError: a budget that is negative or no number.
        """
        try:
            usable = seconds >= 0.0
        except TypeError:
            raise GoalError(f"a budget of {seconds!r} was given; seconds are needed") from None
        if not usable:
            raise GoalError(f"a budget of {seconds} s was given; it cannot be negative")
        self._solution = None
        if seconds == math.inf and sweeps is None:
            self._finish()
            return self.solution
        end = self._clock() + seconds
        last = math.inf if sweeps is None else self.iterations + max(1, sweeps)
        if not self.done and self._sweeps is None:
            self._pause()
        while not self.done:
            self.iterations += 1
            self.done = self._sweeps is None or next(self._sweeps, _END) is _END
            if self.iterations >= last or self._clock() >= end:
                break
        return self.solution

    def retarget(self, goals: Goal | Sequence[Goal]) -> None:
        """New goals, from the best pose so far, which is judged anew: an old best never wins.

        Raises:
            GoalError: a goal for a body that is not in the chain. The present goals then stay.
        """
        before = self._run
        listed = _listed(goals)
        problem = before.problem.again(listed) or Problem(self.chain, listed, self._weights)
        leash = FOLLOW * motion_of_targets(before.problem, problem)
        if not self.done:  # what it had not yet gone
            leash += max(0.0, before.leash - before.moved(before.best))
        tolerance = before.tolerance
        if problem.compiled is not before.problem.compiled:
            tolerance = Tolerance(self.tolerance, self.orientation_tolerance, problem.compiled.scale)
        run = Run(problem, before.best.values, tolerance, written=True)
        run.leash, run.rest = leash, before.rest
        self._begin(run, one_shot=False)

    def _begin(self, run: Run, one_shot: bool) -> None:
        self._run = run
        self._one_shot = one_shot
        self._sweeps: Sweeps | None = None
        self.iterations = 0
        self.done = False
        self._solution = None
        if run.rest is not None:
            self._pause()
        else:
            self.done = run.fine

    def _pause(self) -> None:
        """Begin, and pause before the first sweep."""
        self._sweeps = sweeps(self.method, self._run, self._one_shot)
        self.done = next(self._sweeps, _END) is _END

    def _finish(self) -> None:
        """All that is left, without pauses: the same sweeps as with them."""
        if self.done:
            return
        run, going = self._run, self._sweeps
        run.hurried = True
        if going is None and self.method == "AUTO" and not run.far:
            self.iterations += first_line(run)
            if not run.reached:
                for _ in beyond_first_line(run, self._one_shot):
                    self.iterations += 1
        else:
            if going is None:
                going = sweeps(self.method, run, self._one_shot)
                next(going)
            self.iterations += 1  # the sweep that ends it does not come out
            for _ in going:
                self.iterations += 1
        self.iterations += run.unpaused
        self.done = True


def solve(
    chain: Chain,
    goals: Goal | Sequence[Goal],
    q0: ArrayLike | None = None,
    *,
    method: str = "AUTO",
    tolerance: float | None = None,
    orientation_tolerance: float = 1e-3,
    joint_weights: Weights | None = None,
    rest: ArrayLike | None = None,
    budget: float | None = None,
) -> Solution:
    """Find a pose that meets the goals, wherever it is; of several, one near the start.

    The default method is the damped least squares of Levenberg and Marquardt with the error in the damping (Sugihara,
    Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, 2011), limits as an active set, and
    restarts; the others are cyclic coordinate descent and FABRIK.

    Args:
        chain: what may move.
        goals: for bodies of the chain.
        q0: (dof,) values to start from; None = the chain's part of its pose. Clamped into the limits.
        method: "AUTO", "CCD" or "FABRIK".
        tolerance: [m]; None = 1e-5 of the reach.
        orientation_tolerance: [rad].
        joint_weights: how willingly each unknown moves, 1 as usual, 0 not at all, 1e6 at most: by name, those
            left out being 1, or (dof,).
        rest: (dof,) the pose to stay near as far as the goals leave a choice; None = wherever the search ends.
        budget: seconds; None = until done. With a budget the result depends on the machine's speed.

    Returns:
        The best pose found; a target that cannot be had is a status, not an error.

    Raises:
        GoalError: a goal, start pose or option that means nothing.
    """
    search = Search(
        chain,
        goals,
        q0,
        method=method,
        tolerance=tolerance,
        orientation_tolerance=orientation_tolerance,
        joint_weights=joint_weights,
        rest=rest,
        one_shot=True,
    )
    return search.advance(math.inf if budget is None else budget)


def check_tolerances(tolerance: float | None, orientation_tolerance: float) -> None:
    """Refuse tolerances that are no positive numbers.

    Raises:
        GoalError: with the one that is not.
    """
    for what, number in (("tolerance", tolerance), ("orientation_tolerance", orientation_tolerance)):
        if not (positive(number) or (number is tolerance is None)):
            raise GoalError(f"the {what} is {number!r}; a positive number is needed")


def _listed(goals: Goal | Sequence[Goal]) -> Sequence[Goal]:
    if isinstance(goals, Goal):
        return (goals,)
    listed = tuple(goals) if isinstance(goals, Iterable) else (goals,)
    for goal in listed:
        if not isinstance(goal, Goal):
            raise GoalError(f"one of the goals is {goal!r}; a Goal is needed")
    return listed


def _values(chain: Chain, what: str, given: ArrayLike) -> list[float]:
    try:
        return list(chain.checked(np.asarray(given, dtype=np.float64)).tolist())
    except (SkeletonError, TypeError, ValueError, OverflowError) as error:
        raise GoalError(f"the {what} does not fit: {error}") from None


def _checked_weights(chain: Chain, given: Weights) -> tuple[float, ...]:
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in chain.unknowns]
        if unknown:
            raise GoalError(
                f"a joint weight is given for {unknown[0]!r}, which is no unknown of this chain; it has "
                + (", ".join(map(repr, chain.unknowns)) or "none")
            )
        for name, weight in given.items():
            if not (positive(weight) or weight == 0.0):
                raise GoalError(f"the joint weight of {name!r} is {weight!r}; 0 or a positive number is needed")
        weights = [float(given.get(name, 1.0)) for name in chain.unknowns]
    else:
        weights = _values(chain, "list of joint weights", given)
    for name, weight in zip(chain.unknowns, weights, strict=True):
        if not 0.0 <= weight <= MOST_WEIGHT:
            raise GoalError(f"the joint weight of {name!r} is {weight}; a number from 0 to {MOST_WEIGHT:g} is needed")
    return tuple(weights)
