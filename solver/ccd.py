"""Cyclic coordinate descent: one unknown after the other does its best, from the handle to the anchor.

The rule of Wang and Chen (A combined optimization method for solving the inverse kinematics problems of mechanical
manipulators, 1991), with capped steps. For several goals and for orientations the closed form is the same with sums:
a hinge's best angle is ``atan2(sum of a·(u×v), sum of u·v)``, where an orientation counts as three points on the
body's axes, and an aim as one.
"""

from __future__ import annotations

import math

from .problem import Evaluation, Problem, pairs
from .step import Line

# Largest turn of a hinge in a sweep [rad], and largest slide [reach].
TURN_CAP = 0.25
SLIDE_CAP = 0.04
# A handle, or a target, nearer to an axis than this [reach] lies on it.
ON_AXIS = 1e-9


class Sweep:
    """One sweep. Each hinge and slide sees the tips as the ones before it left them.

    Joints nearer to the anchor do not move while those further out turn, so carrying the tips along is exact, and one
    forward kinematics a sweep is enough. An unknown that moves several joints is taken when its innermost one is
    reached, by the best step of its summed derivative.
    """

    def __init__(self, problem: Problem, start: Evaluation, *, cap: float = 1.0) -> None:
        """Take over a pose.

        Args:
            problem: the goals.
            start: where to begin.
            cap: factor on the largest step.
        """
        self.values = start.values.copy()
        self._problem = problem
        self._cap = cap
        self._take(start)

    def run(self) -> list[float]:
        """Sweep all unknowns once; (dof,) values inside the limits."""
        compiled = self._problem.compiled
        for i in range(len(compiled.steps) - 1, -1, -1):
            unknown = compiled.steps[i].unknown
            group = compiled.groups[unknown]
            if len(group) > 1:
                if i == group[0]:
                    slide_cap = self._cap * SLIDE_CAP * compiled.scale
                    self._take(move_group(self._problem, self.values, unknown, self._cap * TURN_CAP, slide_cap))
            else:
                self._move_step(i, unknown)
        return self.values

    def _take(self, at: Evaluation) -> None:
        self._lines = at.lines
        self._points = [placed[:3] for placed in at.placed]
        self._turned = list(map(pairs, self._problem.asked, at.placed))

    def _move_step(self, i: int, unknown: int) -> None:
        step = self._problem.compiled.steps[i]
        multiplier = step.multiplier
        ease = self._problem.compiled.ease[unknown]
        if multiplier == 0.0 or ease == 0.0:
            return
        slide = step.slide
        wanted = ease * (self._slide(i) if slide else self._turn(i))
        cap = self._cap * (SLIDE_CAP * self._problem.compiled.scale if slide else TURN_CAP)
        wanted = min(cap, max(-cap, wanted))
        if wanted == 0.0:
            return
        moved = multiplier * self._set(unknown, self.values[unknown] + wanted / multiplier)
        for goal in self._problem.compiled.moved_by[i]:
            self._carry(goal, self._lines[i], moved, slide)

    def _set(self, unknown: int, value: float) -> float:
        """Clamp and store; the change that is left of it."""
        compiled = self._problem.compiled
        before = self.values[unknown]
        value = min(compiled.upper[unknown], max(compiled.lower[unknown], value))
        self.values[unknown] = value
        return value - before

    def _turn(self, i: int) -> float:
        ax, ay, az, ox, oy, oz = self._lines[i]
        sine = cosine = 0.0
        least = (ON_AXIS * self._problem.compiled.scale) ** 2
        for goal in self._problem.compiled.moved_by[i]:
            target, weight, _, turn_weight, _ = self._problem.asked[goal]
            if target is not None:
                px, py, pz = self._points[goal]
                px, py, pz = px - ox, py - oy, pz - oz
                tx, ty, tz = target[0] - ox, target[1] - oy, target[2] - oz
                along = ax * px + ay * py + az * pz
                ux, uy, uz = px - along * ax, py - along * ay, pz - along * az
                along = ax * tx + ay * ty + az * tz
                vx, vy, vz = tx - along * ax, ty - along * ay, tz - along * az
                # The parts across the axis themselves: a difference of squares would not tell none from rounding.
                if ux * ux + uy * uy + uz * uz > least and vx * vx + vy * vy + vz * vz > least:
                    square = weight * weight
                    cross = ax * (uy * vz - uz * vy) + ay * (uz * vx - ux * vz) + az * (ux * vy - uy * vx)
                    sine += square * cross
                    cosine += square * (ux * vx + uy * vy + uz * vz)
            square = turn_weight * turn_weight
            for (px, py, pz), (tx, ty, tz) in self._turned[goal]:
                cross = ax * (py * tz - pz * ty) + ay * (pz * tx - px * tz) + az * (px * ty - py * tx)
                along = (ax * px + ay * py + az * pz) * (ax * tx + ay * ty + az * tz)
                sine += square * cross
                cosine += square * (px * tx + py * ty + pz * tz - along)
        return math.atan2(sine, cosine) if sine or cosine else 0.0

    def _slide(self, i: int) -> float:
        ax, ay, az = self._lines[i][:3]
        total = weights = 0.0
        for goal in self._problem.compiled.moved_by[i]:
            target, weight = self._problem.asked[goal][:2]
            if target is not None:
                px, py, pz = self._points[goal]
                square = weight * weight
                total += square * ((target[0] - px) * ax + (target[1] - py) * ay + (target[2] - pz) * az)
                weights += square
        return total / weights if weights else 0.0

    def _carry(self, goal: int, line: Line, moved: float, slide: bool) -> None:
        ax, ay, az, ox, oy, oz = line
        px, py, pz = self._points[goal]
        if slide:
            self._points[goal] = (px + ax * moved, py + ay * moved, pz + az * moved)
            return
        sine, cosine = math.sin(moved), math.cos(moved)
        x, y, z = turned_about(ax, ay, az, px - ox, py - oy, pz - oz, sine, cosine)
        self._points[goal] = (x + ox, y + oy, z + oz)
        self._turned[goal] = [
            (turned_about(ax, ay, az, x, y, z, sine, cosine), wanted) for (x, y, z), wanted in self._turned[goal]
        ]


def move_group(problem: Problem, values: list[float], unknown: int, turn_cap: float, slide_cap: float) -> Evaluation:
    """Take the best step of an unknown that moves several joints, by its summed derivative.

    Args:
        problem: the goals.
        values: (dof,) changed in place.
        unknown: its place.
        turn_cap: largest turn of any of its hinges [rad].
        slide_cap: largest way of any of its slides [m].

    Returns:
        The pose.
    """
    compiled = problem.compiled
    at = problem.evaluate(values.copy())
    rows = problem.rows(at)
    length2 = sum(row[unknown] * row[unknown] for row in rows)
    if length2 <= (ON_AXIS * compiled.scale) ** 2:
        return at
    push = sum(row[unknown] * error for row, error in zip(rows, at.errors, strict=True))
    wanted = push / length2 * compiled.pace[unknown]
    for step in (compiled.steps[i] for i in compiled.groups[unknown]):
        if step.multiplier:
            most = (slide_cap if step.slide else turn_cap) / abs(step.multiplier)
            wanted = min(most, max(-most, wanted))
    before = values[unknown]
    for _ in range(4):  # the derivative may promise too much: then half of it, and at last nothing
        values[unknown] = min(compiled.upper[unknown], max(compiled.lower[unknown], before + wanted))
        tried = problem.evaluate(values.copy())
        if tried.error < at.error:
            return tried
        wanted *= 0.5
    values[unknown] = before
    return at


def turned_about(
    ax: float, ay: float, az: float, x: float, y: float, z: float, sine: float, cosine: float
) -> tuple[float, float, float]:
    """Rodrigues' rotation of (x, y, z) about the unit axis."""
    along = (ax * x + ay * y + az * z) * (1.0 - cosine)
    return (
        x * cosine + (ay * z - az * y) * sine + ax * along,
        y * cosine + (az * x - ax * z) * sine + ay * along,
        z * cosine + (ax * y - ay * x) * sine + az * along,
    )
