"""Damped least squares with joint limits held by an active set, on plain floats."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import mul

from .problem import Evaluation, Problem

# Damping is GAIN times the squared error; halved on progress, quadrupled otherwise, within a factor of GAIN_RANGE.
GAIN = 0.05
GAIN_RANGE = 100.0
FLOOR = 1e-9
# Largest change of an unknown in a step [paces: 1 rad, or the chain's own length for a slide; less where it is stiff].
STEP_CAP = 1.2
# How much of the error is looked at when the target is out of reach [reach]: beyond, the direction is all that counts.
FAR_ERROR = 0.2
# A step smaller than this [paces] is none.
STILL = 1e-9


class Descent:
    """One run of the Levenberg-Marquardt method from a start pose.

    A joint at a limit that the gradient pushes outwards leaves the step (the active set); the others are clamped
    after it. Clamping alone would make joints stick and flip. Where there are fewer errors than unknowns the dual
    form is solved: ``(J Jᵀ + λ) y = e``, ``Δq = Jᵀ y``.

    A free run takes every step, good or bad. A careful one, for targets that cannot be had, looks at no more than
    FAR_ERROR of the error, and takes a step only if it is better and allowed; without that it would thrash.

    Attributes:
        at: the pose reached.
        still: True when the last step was as good as none: a minimum, or a singular pose.
    """

    def __init__(
        self,
        problem: Problem,
        start: Evaluation,
        *,
        careful: bool = False,
        allowed: Callable[[Evaluation], bool] | None = None,
    ) -> None:
        """Begin at a pose.

        Args:
            problem: the goals.
            start: the pose.
            careful: see above.
            allowed: says which poses a careful run may take; None = all.
        """
        self.at = start
        self.still = False
        self._careful = careful
        self._allowed = allowed
        self._problem = problem
        self._gain = GAIN
        self._rows: list[list[float]] | None = None
        self._aim: list[float] = []

    def step(self) -> Evaluation:
        """One iteration; returns the pose that was tried, which :attr:`at` is then, unless it was rejected."""
        problem, at = self._problem, self.at
        if self._rows is None:
            self._rows = problem.rows(at)
            for i in problem.blocked(at, self._rows):
                for row in self._rows:
                    row[i] = 0.0
            self._aim = _shortened(at.errors) if self._careful else at.errors
        rows = self._rows
        change = damped_step(rows, self._aim, self._gain * at.error + FLOOR)
        largest = max(max(change), -min(change))
        self.still = largest < STILL
        factor = STEP_CAP / largest if largest > STEP_CAP else 1.0
        compiled = problem.compiled
        values = []
        for value, move, pace, low, high in zip(
            at.values, change, compiled.pace, compiled.lower, compiled.upper, strict=True
        ):
            value += move * factor * pace
            values.append(low if value < low else high if value > high else value)
        tried = problem.evaluate(values)
        good = tried.error < at.error
        if good and self._careful and self._allowed is not None:
            good = self._allowed(tried)
        if good:
            self._gain = max(0.5 * self._gain, GAIN / GAIN_RANGE)
        else:
            self._gain = min(4.0 * self._gain, GAIN * GAIN_RANGE)
            if self._careful:
                return tried
        self.at = tried
        self._rows = None
        return tried


def damped_step(rows: list[list[float]], errors: Sequence[float], damping: float) -> list[float]:
    """(n,) least-squares step of ``rows`` (m, n) towards ``errors`` (m,), damped."""
    if len(rows) == 3:
        return _step_of_three(rows, errors, damping)
    if len(rows) <= len(rows[0]):
        weights = _solve(_gram(rows, damping), list(errors))
        return [sum(map(mul, column, weights)) for column in zip(*rows, strict=True)]
    columns = list(zip(*rows, strict=True))
    return _solve(_gram(columns, damping), [sum(map(mul, column, errors)) for column in columns])


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
    yz -= lower * xz
    c -= lower * b
    corner = xz / xx
    zz -= corner * xz
    d -= corner * b
    lower_z = yz / yy
    zz -= lower_z * yz
    d -= lower_z * c
    d /= zz
    c = c / yy - lower_z * d
    b = b / xx - lower * c - corner * d
    return [x * b + y * c + z * d for x, y, z in zip(*rows, strict=True)]


def _gram(rows: Sequence[Sequence[float]], damping: float) -> list[list[float]]:
    """Lower triangle of the products of the rows with each other; ``damping`` on the diagonal."""
    lower = [[sum(map(mul, row, other)) for other in rows[: i + 1]] for i, row in enumerate(rows)]
    for i, row in enumerate(lower):
        row[i] += damping
    return lower


def _solve(a: list[list[float]], b: list[float]) -> list[float]:
    """Solve a symmetric positive definite system, given by its lower triangle, by L D Lᵀ; both are overwritten."""
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
        row[i] = pivot if pivot > 1e-300 else 1e-300
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


def _shortened(errors: list[float]) -> list[float]:
    length = math.sqrt(sum(map(mul, errors, errors)))
    if length <= FAR_ERROR:
        return errors
    factor = FAR_ERROR / length
    return [error * factor for error in errors]
