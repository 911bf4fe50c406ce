"""Goals on a chain as numbers: how far a pose is from them, and how that changes with each unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import GoalError
from .compiled import Line, Placed

if TYPE_CHECKING:
    from .chain import Chain, Point
    from .goal import Goal

# How much a radian weighs against one reach of distance. Anything from 0.12 to 1 does.
TURN_WEIGHT = 0.3
# A smaller product of error and effect is the rounding of none: its sign says nothing.
LEAST_PUSH = 1e-13


class Evaluation(NamedTuple):
    """A pose against the goals.

    Attributes:
        values: (dof,) unwrapped.
        lines: per step its axis and a point on it.
        placed: per goal its handle's position, and its rotation where asked for.
        errors: the weighted error, goal by goal: 3 rows for a position, 3 for an orientation.
        error: its squared length.
        distance2: largest squared distance [m²] of a handle from its target.
        angle2: largest squared angle [rad²] between a body and its orientation.
    """

    values: list[float]
    lines: list[Line]
    placed: list[Placed]
    errors: list[float]
    error: float
    distance2: float
    angle2: float


class Problem:
    """Goals on a chain.

    Attributes:
        chain: the chain.
        goals: as given.
        compiled: the chain as numbers for these goals' handles.
        points: (goals,) handles in their bodies' frames.
        asked: per goal its position, the weight of that [1/m], its orientation (9, by rows) and the weight of that.
    """

    def __init__(self, chain: Chain, goals: Sequence[Goal]) -> None:
        """Check the goals against the chain.

        Raises:
            GoalError: no goals, or one for a body that the chain's skeleton does not have or that does not belong to
                the chain.
        """
        if not goals:
            raise GoalError("no goal was given; give at least one")
        self.chain = chain
        self.goals = tuple(goals)
        handles = []
        for goal in self.goals:
            if goal.body not in chain.path:
                raise GoalError(
                    f"a goal asks for {goal.body!r}, which is no body of the chain from {chain.anchor!r} to "
                    f"{' and '.join(map(repr, chain.bodies))}; start the chain at that body, or name it beside these"
                )
            point = chain.skeleton.body(goal.body).point if goal.point is None else goal.point
            handles.append((goal.body, point, goal.orientation is not None))
        self.points: tuple[Point, ...] = tuple(point for _, point, _ in handles)
        self.compiled = chain.compiled(tuple(handles))
        compiled = self.compiled
        heaviest = max(goal.weight for goal in self.goals)
        self.asked: list[tuple[Point | None, float, tuple[float, ...] | None, float]] = []
        for goal in self.goals:
            turned = None if goal.orientation is None else sum(goal.orientation, ())
            weight = goal.weight / heaviest
            self.asked.append((goal.position, weight / compiled.scale, turned, weight * TURN_WEIGHT))

    def out_of_reach(self) -> bool:
        """True when a target is farther than its chain can stretch, or nearer than it can fold."""
        for asked, tip in zip(self.asked, self.compiled.tips, strict=True):
            if asked[0] is not None and not tip.fold <= math.dist(asked[0], tip.base) <= tip.reach:
                return True
        return False

    def evaluate(self, values: list[float]) -> Evaluation:
        """Forward kinematics and errors of a pose (dof,)."""
        return self.judge(values, *self.compiled.place(values))

    def judge(self, values: list[float], lines: list[Line], placed: list[Placed]) -> Evaluation:
        """Errors of a pose whose forward kinematics is known."""
        errors: list[float] = []
        error = distance2 = angle2 = 0.0
        for (target, weight, turned, turn_weight), at in zip(self.asked, placed, strict=True):
            if target is not None:
                x = target[0] - at[0]
                y = target[1] - at[1]
                z = target[2] - at[2]
                square = x * x + y * y + z * z
                if square > distance2:
                    distance2 = square
                error += square * weight * weight
                errors += (x * weight, y * weight, z * weight)
            if turned is not None:
                x, y, z = rotation_vector(turned, at)
                square = x * x + y * y + z * z
                if square > angle2:
                    angle2 = square
                error += square * turn_weight * turn_weight
                errors += (x * turn_weight, y * turn_weight, z * turn_weight)
        return Evaluation(values, lines, placed, errors, error, distance2, angle2)

    def rows(self, at: Evaluation) -> list[list[float]]:
        """The derivative: a row an error, a column an unknown, in units of the unknown's pace."""
        rows: list[list[float]] = []
        lines = at.lines
        dof = self.compiled.dof
        for (target, weight, turned, turn_weight), path, placed in zip(
            self.asked, self.compiled.paths, at.placed, strict=True
        ):
            if target is not None:
                px, py, pz = placed[:3]
                row_x, row_y, row_z = [0.0] * dof, [0.0] * dof, [0.0] * dof
                for i, slide, unknown, factor in path:
                    ax, ay, az, ox, oy, oz = lines[i]
                    factor *= weight
                    if slide:
                        row_x[unknown] += ax * factor
                        row_y[unknown] += ay * factor
                        row_z[unknown] += az * factor
                    else:
                        ox = px - ox
                        oy = py - oy
                        oz = pz - oz
                        row_x[unknown] += (ay * oz - az * oy) * factor
                        row_y[unknown] += (az * ox - ax * oz) * factor
                        row_z[unknown] += (ax * oy - ay * ox) * factor
                rows += (row_x, row_y, row_z)
            if turned is not None:
                row_x, row_y, row_z = [0.0] * dof, [0.0] * dof, [0.0] * dof
                for i, slide, unknown, factor in path:
                    if not slide:
                        ax, ay, az = lines[i][:3]
                        factor *= turn_weight
                        row_x[unknown] += ax * factor
                        row_y[unknown] += ay * factor
                        row_z[unknown] += az * factor
                rows += (row_x, row_y, row_z)
        return rows

    def blocked(self, at: Evaluation, rows: list[list[float]], share: float = 0.0) -> list[int]:
        """Places of the unknowns at a limit that the error pushes outwards.

        Args:
            at: the pose.
            rows: its derivative.
            share: how much of the error, as the cosine of its angle to the unknown's own effect, must do so.
        """
        found = []
        lower, upper = self.compiled.lower, self.compiled.upper
        for i, value in enumerate(at.values):
            if value <= lower[i] or value >= upper[i]:
                push = square = 0.0
                for row, error in zip(rows, at.errors, strict=True):
                    push += row[i] * error
                    square += row[i] * row[i]
                least = max(LEAST_PUSH, share * math.sqrt(square * at.error))
                if (push > least and value >= upper[i]) or (push < -least and value <= lower[i]):
                    found.append(i)
        return found


def rotation_vector(target: Sequence[float], placed: Placed) -> Point:
    """(3,) the turn [rad] in skeleton space that takes a placed body to a target rotation (9, by rows)."""
    t00, t01, t02, t10, t11, t12, t20, t21, t22 = target
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = placed[3:]
    m00 = t00 * r00 + t01 * r01 + t02 * r02
    m11 = t10 * r10 + t11 * r11 + t12 * r12
    m22 = t20 * r20 + t21 * r21 + t22 * r22
    m01 = t00 * r10 + t01 * r11 + t02 * r12
    m10 = t10 * r00 + t11 * r01 + t12 * r02
    m02 = t00 * r20 + t01 * r21 + t02 * r22
    m20 = t20 * r00 + t21 * r01 + t22 * r02
    m12 = t10 * r20 + t11 * r21 + t12 * r22
    m21 = t20 * r10 + t21 * r11 + t22 * r12
    x, y, z = 0.5 * (m21 - m12), 0.5 * (m02 - m20), 0.5 * (m10 - m01)
    sine = math.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (m00 + m11 + m22 - 1.0)
    if sine > 1e-6:
        factor = math.atan2(sine, cosine) / sine
        return (x * factor, y * factor, z * factor)
    if cosine > 0.0:
        return (x, y, z)
    # Half a turn: the axis is the longest column of M + 1, along what little the sine still says.
    columns = ((m00 + 1.0, m10, m20), (m01, m11 + 1.0, m21), (m02, m12, m22 + 1.0))
    a, b, c = max(columns, key=lambda column: column[0] ** 2 + column[1] ** 2 + column[2] ** 2)
    factor = math.atan2(sine, cosine) / math.sqrt(a * a + b * b + c * c)
    if a * x + b * y + c * z < 0.0:
        factor = -factor
    return (a * factor, b * factor, c * factor)
