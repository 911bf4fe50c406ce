"""Of all the poses that meet the goals, one near a rest pose: motion in the null space of the goals."""

from __future__ import annotations

import math
from collections.abc import Generator
from operator import mul

from .least_squares import FLOOR, damped_step
from .problem import Evaluation
from .run import Run

# Largest change of an unknown in a step [paces], and the smallest one that counts.
STEP_CAP = 0.3
STILL = 1e-5
LONGEST = 40
# Iterations that bring a step back onto the goals.
CORRECTIONS = 3


def relax(run: Run) -> Generator[None, None, None]:
    """Step towards the rest pose as far as the goals, and the limits, let it; the goals stay met.

    A step is the way to the rest pose less what of it would move the handles, ``b + J⁺ (e - J b)``; least squares then
    takes off what is left of second order. One that does not come nearer is tried at a quarter.
    """
    share = 1.0
    for _ in range(LONGEST):
        at = run.best
        change = _step(run, at)
        largest = max(map(abs, change), default=0.0)
        if share * largest < STILL:
            return
        yield
        factor = share * min(1.0, STEP_CAP / largest)
        compiled = run.problem.compiled
        moved = [v + c * factor * pace for v, c, pace in zip(at.values, change, compiled.pace, strict=True)]
        tried = run.look(compiled.clamp(moved), careful=False)
        for _ in range(CORRECTIONS):
            if tried.ahead is None or tried.ahead[0] is None:
                break
            tried = run.look(tried.ahead[0], careful=False)
        if run.meets(tried) and _away(run, tried) < _away(run, at):
            run.best = tried
            share = min(1.0, 2.0 * share)
        else:
            share *= 0.25


def _step(run: Run, at: Evaluation) -> list[float]:
    """(dof,) in paces; unknowns at a limit that it would push outwards stay."""
    problem = run.problem
    compiled = problem.compiled
    lean = [w / compiled.pace[i] if i in compiled.movable else 0.0 for i, w in enumerate(_ways(run, at))]
    rows = problem.rows(at)
    floor = FLOOR * compiled.scale2
    change = lean
    for _ in range(1 + compiled.dof):
        left = [e - sum(map(mul, row, lean)) for row, e in zip(rows, at.errors, strict=True)]
        change = [a + b for a, b in zip(lean, damped_step(rows, left, floor), strict=True)]
        blocked = [
            i
            for i, (value, move) in enumerate(zip(at.values, change, strict=True))
            if (value >= compiled.upper[i] and move > 0.0) or (value <= compiled.lower[i] and move < 0.0)
        ]
        if not blocked:
            break
        for i in blocked:
            lean[i] = 0.0
            for row in rows:
                row[i] = 0.0
    return change


def _ways(run: Run, at: Evaluation) -> list[float]:
    """(dof,) from a pose to the rest pose, the short way round where turns are equal."""
    ways = []
    for value, rest, wraps in zip(at.values, run.rest or at.values, run.problem.chain.wraps, strict=True):
        ways.append(math.remainder(rest - value, 2.0 * math.pi) if wraps else rest - value)
    return ways


def _away(run: Run, at: Evaluation) -> float:
    """Squared distance from the rest pose in the metric of the steps: unwilling unknowns weigh more."""
    pace = run.problem.compiled.pace
    return math.fsum((way / pace[i]) ** 2 for i, way in enumerate(_ways(run, at)) if i in run.problem.compiled.movable)
