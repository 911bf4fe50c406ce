"""Damped least squares with joint limits held by an active set, on plain floats."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .step import Point

if TYPE_CHECKING:
    from .problem import Problem

# Damping is a gain times the squared error, and FLOOR [reach²]; the gain is halved on progress, else quadrupled.
GAIN = 0.1
LEAST_GAIN, MOST_GAIN = 0.01 * GAIN, 100.0 * GAIN
FLOOR = 1e-9
# Largest change of an unknown in a step [paces: 1 rad, or the chain's own length for a slide; less where it is stiff].
STEP_CAP = 1.2
# How much of the error is looked at when the target is out of reach [reach]: beyond, the direction is all that counts.
FAR_ERROR = 0.2
# A step shorter than this [paces] is none.
STILL = 1e-9
# A pivot is the damping at least; one below this share of it is rounding, as far multiplied followers make it.
LEAST_PIVOT = 0.5

# What a trial comes to: where the next step leads, or None when there is nothing left to improve; the squared error;
# the squared distance [m²] and angle [rad²]; whether the step is as good as none; the handles' places; the unknowns at
# a limit that the error pushes outwards.
Trial = tuple[list[float] | None, float, float, float, bool, tuple[Point, ...], tuple[int, ...]]
# See Plain.
Iteration = Callable[[list[float], tuple[float, ...], float, float, float, float], Trial]


class Plain:
    """One iteration in loops, for any goals on any chain: the rule that generated functions write out.

    A pose is looked at, and a step from it worked out. A joint at a limit that the gradient pushes outwards leaves the
    step (the active set); the others are clamped after it. Clamping alone would make joints stick and flip. Where there
    are fewer errors than unknowns the dual form is solved: ``(J Jᵀ + λ) y = e``, ``Δq = Jᵀ y``.
    """

    def __init__(self, problem: Problem) -> None:
        """For the goals of a problem."""
        self._problem = problem

    def __call__(
        self,
        values: list[float],
        numbers: tuple[float, ...],
        before: float,
        good: float,
        bad: float,
        cap: float,
    ) -> Trial:
        """Look at a pose, and beyond it.

        Args:
            values: (dof,) of the pose.
            numbers: where the goals are, which a generated function needs; the last two are the squared distance [m²]
                and angle [rad²] that leave nothing to improve.
            before: the squared error of the pose before.
            good: the gain of the damping when this one is better than that.
            bad: the gain when it is not.
            cap: a larger squared error counts as this one: beyond, the direction is all that matters.
        """
        problem = self._problem
        at = problem.evaluate(values)
        if at.distance2 <= numbers[-2] and at.angle2 <= numbers[-1]:
            return None, at.error, at.distance2, at.angle2, False, at.handles, ()
        rows = problem.rows(at)
        blocked = tuple(problem.blocked(at, rows))
        for i in blocked:
            for row in rows:
                row[i] = 0.0
        errors = at.errors
        if at.error > cap:
            factor = math.sqrt(cap / at.error)
            errors = [error * factor for error in errors]
        compiled = problem.compiled
        floor = FLOOR * compiled.scale2
        change = damped_step(rows, errors, (good if at.error < before else bad) * at.error + floor)
        length2 = _dot(change, change)
        factor = 1.0
        if length2 > STEP_CAP * STEP_CAP:
            factor = STEP_CAP / max(STEP_CAP, max(change), -min(change))
        following = []
        for value, move, pace, low, high in zip(
            values, change, compiled.pace, compiled.lower, compiled.upper, strict=True
        ):
            value += move * factor * pace
            following.append(low if value < low else high if value > high else value)
        if compiled.law is not None:
            following = compiled.law.settled(following)
        return following, at.error, at.distance2, at.angle2, length2 < STILL * STILL, at.handles, blocked


def damped_step(rows: list[list[float]], errors: Sequence[float], damping: float) -> list[float]:
    """(n,) least-squares step of ``rows`` (m, n) towards ``errors`` (m,), damped."""
    if len(rows) == 3:
        return _step_of_three(rows, errors, damping)
    if len(rows) <= len(rows[0]):
        weights = _solve(_gram(rows, damping), list(errors), damping)
        return [_dot(column, weights) for column in zip(*rows, strict=True)]
    columns = list(zip(*rows, strict=True))
    return _solve(_gram(columns, damping), [_dot(column, errors) for column in columns], damping)


def _step_of_three(rows: list[list[float]], errors: Sequence[float], damping: float) -> list[float]:
    """The dual form for one position, written out: the case that every drag is made of."""
    xx = yy = zz = damping
    xy = xz = yz = 0.0
    for x, y, z in zip(*rows, strict=True):
        xx += x * x
        yy += y * y
        zz += z * z
        xy += x * y
        xz += x * z
        yz += y * z
    b, c, d = errors
    lower = xy / xx
    yy -= lower * xy
    if not yy > LEAST_PIVOT * damping:
        yy = damping
    yz -= lower * xz
    c -= lower * b
    corner = xz / xx
    zz -= corner * xz
    d -= corner * b
    lower_z = yz / yy
    zz -= lower_z * yz
    if not zz > LEAST_PIVOT * damping:
        zz = damping
    d -= lower_z * c
    d /= zz
    c = c / yy - lower_z * d
    b = b / xx - lower * c - corner * d
    return [x * b + y * c + z * d for x, y, z in zip(*rows, strict=True)]


def _gram(rows: Sequence[Sequence[float]], damping: float) -> list[list[float]]:
    """Lower triangle of the products of the rows with each other; ``damping`` on the diagonal."""
    lower = [[_dot(row, other) for other in rows[: i + 1]] for i, row in enumerate(rows)]
    for i, row in enumerate(lower):
        row[i] += damping
    return lower


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    # Not sum(): from Python 3.12 on that compensates rounding, and generated functions, which add one by one, do not.
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += x * y
    return total


def _solve(a: list[list[float]], b: list[float], damping: float) -> list[float]:
    """Solve a damped system, given by its lower triangle, by L D Lᵀ; both are overwritten."""
    size = len(b)
    for i in range(size):
        row = a[i]
        for j in range(i):
            other = a[j]
            value = row[j]
            for k in range(j):
                value -= row[k] * other[k]
            row[j] = value
        pivot = row[i]
        for j in range(i):
            scaled = row[j] / a[j][j]
            pivot -= scaled * row[j]
            row[j] = scaled
        row[i] = pivot if pivot > LEAST_PIVOT * damping else damping
    for i in range(size):
        row = a[i]
        value = b[i]
        for k in range(i):
            value -= row[k] * b[k]
        b[i] = value
    for i in range(size - 1, -1, -1):
        value = b[i] / a[i][i]
        for k in range(i + 1, size):
            value -= a[k][i] * b[k]
        b[i] = value
    return b
