"""What a search found, and why it is not better."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from .problem import Evaluation, Problem
from .run import Run
from .skeleton import Vector

# An unknown at a limit is named when this much of the error pushes it outwards (cosine of an angle).
PUSHED = 1e-3


class Status(enum.StrEnum):
    """How a search came out; the first that applies."""

    REACHED = "REACHED"
    """Every goal is met within its tolerance."""
    OUT_OF_REACH = "OUT_OF_REACH"
    """A target is farther than the chain can stretch, or nearer than it can fold."""
    AT_LIMITS = "AT_LIMITS"
    """Joints at their limits are in the way."""
    STALLED = "STALLED"
    """Nothing better was found, or not yet."""


class GoalResidual(NamedTuple):
    """What is left of one goal: distance [m] and angle [rad]; None where nothing was asked."""

    body: str
    position: float | None
    orientation: float | None


@dataclass(frozen=True, eq=False)
class Solution:
    """The best pose found. Reading it changes nothing.

    Attributes:
        values: (dof,) inside the limits; those that wrap in (-pi, pi]. Read-only.
        pose: value of every axis that the chain moves, followers included, by name [rad] or [m].
        position_residual: largest distance of a handle from its target [m]; 0 where none was asked for.
        orientation_residual: largest angle to an orientation, or of an aim [rad]; 0 where none was asked for.
        goals: the same goal by goal.
        iterations: sweeps done for these goals.
        status: see :class:`Status`.
        limited: names of the unknowns at a limit that the error pushes outwards, for any status.
        shortfall: the position residual [m] when the goals are not met, else 0.
        why: the same in one line for people.
    """

    values: Vector
    pose: dict[str, float]
    position_residual: float
    orientation_residual: float
    goals: tuple[GoalResidual, ...]
    iterations: int
    status: Status
    limited: tuple[str, ...]
    shortfall: float
    why: str

    def __getattr__(self, name: str) -> object:
        """The pose and the goals are worked out when they are asked for first: most frames of a drag never are."""
        if name not in {"pose", "goals"} or "_found" not in self.__dict__:
            raise AttributeError(f"a solution has no {name!r}")
        problem, best, numbers = self.__dict__["_found"]
        value = problem.chain.pose(numbers) if name == "pose" else _residuals(problem, best)
        self.__dict__[name] = value
        return value

    def __getstate__(self) -> dict[str, object]:
        """For copies and pickles: the fields, without the search they come from."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def describe(run: Run, iterations: int) -> Solution:
    """The solution that a run has come to."""
    problem, best = run.problem, run.best
    chain = problem.chain
    numbers = best.values
    if chain.winds:
        numbers = [wrapped(v) if wraps else v for v, wraps in zip(numbers, chain.wraps, strict=True)]
    values = np.array(numbers)
    values.setflags(write=False)
    if len(problem.goals) == 1:
        distance, angle = math.sqrt(best.distance2), math.sqrt(best.angle2)
    else:
        goals = _residuals(problem, best)
        distance = max([goal.position for goal in goals if goal.position is not None], default=0.0)
        angle = max([goal.orientation for goal in goals if goal.orientation is not None], default=0.0)
    limited: tuple[str, ...] = ()
    status, why, shortfall = Status.REACHED, "on target", 0.0
    reached = run.reached
    if not (reached and run.fine):
        pushed = problem.blocked(best, problem.rows(best), PUSHED) if best.values else []
        limited = tuple([chain.unknowns[i] for i in pushed])
        if not reached:
            shortfall = distance
            status, why = _missed(run, distance, angle, pushed)
    solution = object.__new__(Solution)
    # At once instead of field by field, which is what a frozen class does: there is one for every frame of a drag. The
    # search may go on; what is left to work out is kept as it is now.
    solution.__dict__.update(
        values=values,
        position_residual=distance,
        orientation_residual=angle,
        iterations=iterations,
        status=status,
        limited=limited,
        shortfall=shortfall,
        why=why,
        _found=(problem, best, numbers),
    )
    return solution


def _missed(run: Run, distance: float, angle: float, pushed: list[int]) -> tuple[Status, str]:
    """Why the goals are not met, and the same in words; ``pushed`` are the unknowns at limits in the way."""
    if run.far:
        return Status.OUT_OF_REACH, f"{_length(distance)} out of reach"
    chain, upper = run.problem.chain, run.problem.compiled.upper
    names = [(chain.unknowns[i], "upper" if run.best.values[i] >= upper[i] else "lower") for i in pushed]
    return Status.AT_LIMITS if pushed else Status.STALLED, _to_go(run, distance, angle) + _limits(names)


def wrapped(angle: float) -> float:
    """The same angle in (-pi, pi]; one that is there already is returned as it is."""
    if -math.pi < angle <= math.pi:
        return angle
    angle = math.remainder(angle, 2.0 * math.pi)
    return math.pi if angle == -math.pi else angle


def _residuals(problem: Problem, at: Evaluation) -> tuple[GoalResidual, ...]:
    if len(problem.goals) == 1:
        goal = problem.goals[0]
        distance = None if goal.position is None else math.sqrt(at.distance2)
        angle = None if goal.orientation is None and goal.aim is None else math.sqrt(at.angle2)
        return (GoalResidual(goal.body, distance, angle),)
    residuals = []
    rows = iter(at.errors)
    for goal, (target, weight, turned, turn_weight, aim) in zip(problem.goals, problem.asked, strict=True):
        distance = angle = None
        if target is not None:
            distance = math.hypot(next(rows), next(rows), next(rows)) / weight
        if turned is not None or aim is not None:
            angle = math.hypot(next(rows), next(rows), next(rows)) / turn_weight
        residuals.append(GoalResidual(goal.body, distance, angle))
    return tuple(residuals)


def _length(metres: float) -> str:
    return f"{metres:.3f} m" if metres >= 0.1 else f"{_short(1000.0 * metres)} mm"


def _short(number: float) -> str:
    """Two figures or so, never an exponent."""
    if number < 0.01:
        return "under 0.01"
    return f"{number:.{0 if number >= 10.0 else 1 if number >= 1.0 else 2}f}"


def _to_go(run: Run, distance: float, angle: float) -> str:
    left = []
    if distance > run.tolerance.distance:
        left.append(_length(distance))
    if angle > run.tolerance.angle:
        left.append(f"{_short(math.degrees(angle))}°")
    return " and ".join(left) + " to go"


def _limits(pushed: list[tuple[str, str]]) -> str:
    if not pushed:
        return ""
    if len(pushed) == 1:
        return f": {pushed[0][0]} at its {pushed[0][1]} limit"
    names = ", ".join(name for name, _ in pushed[:-1]) + f" and {pushed[-1][0]}"
    return f": {names} at their limits"
