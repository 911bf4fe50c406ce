"""Goals on a chain as numbers: how far a pose is from them, and how that changes with each unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import GoalError
from .least_squares import Plain
from .step import Line, Placed, Point
from .turns import aim_vector, aimed, rotation_vector

if TYPE_CHECKING:
    from .chain import Chain
    from .goal import Goal
    from .least_squares import Iteration, Trial

# How much a radian weighs against one reach of distance. Anything from 0.12 to 1 does.
TURN_WEIGHT = 0.3
# A smaller product of error and effect [reach²] is the rounding of none: its sign says nothing.
LEAST_PUSH = 1e-13
# So much [reach] beyond what a chain can reach is rounding.
NO_WAY = 1e-12
# Half of what an unknown is moved by for a difference [rad, reach].
DIFFERENCE = 1e-5
# A law bends where the differences to either side differ by more than this share.
KINK = 0.05


class Asked(NamedTuple):
    """One goal as numbers.

    Attributes:
        position: (3,) target of the handle [m], or None.
        weight: of that, 1 for the heaviest goal.
        turned: (9,) rotation of the body by rows, or None.
        turn_weight: of that, or of the aim [m]: what a radian counts as.
        aim: an axis of the body (3,), and where it shall point (3,), or None.
    """

    position: Point | None
    weight: float
    turned: tuple[float, ...] | None
    turn_weight: float
    aim: tuple[Point, Point] | None


class Details(NamedTuple):
    """What a pose's forward kinematics gives.

    Attributes:
        lines: per step its axis and a point on it.
        placed: per goal its handle's position, and its rotation where asked for.
        errors: the weighted error, goal by goal: 3 rows for a position, 3 for an orientation or an aim.
    """

    lines: list[Line]
    placed: list[Placed]
    errors: list[float]


class Evaluation:
    """A pose against the goals.

    Attributes:
        values: (dof,) unwrapped.
        error: the squared length of the weighted error [m²].
        distance2: largest squared distance [m²] of a handle from its target.
        angle2: largest squared angle [rad²] between a body and its orientation, or an axis and its direction.
        handles: per goal the position of its handle.
        ahead: what an iteration made of it, with the step from here; None where there was none.
        first: of an iteration that begins a line: whether it was a careful one; else None.
    """

    __slots__ = ("_details", "_problem", "ahead", "angle2", "distance2", "error", "first", "handles", "values")

    def __init__(
        self,
        problem: Problem,
        values: list[float],
        error: float,
        distance2: float,
        angle2: float,
        handles: tuple[Point, ...],
        ahead: Trial | None = None,
        first: bool | None = None,
        details: Details | None = None,
    ) -> None:
        """Keep these; the details are worked out when they are asked for."""
        self.values = values
        self.error = error
        self.distance2 = distance2
        self.angle2 = angle2
        self.handles = handles
        self.ahead = ahead
        self.first = first
        self._problem = problem
        self._details = details

    @property
    def _known(self) -> Details:
        if self._details is None:
            self._details = self._problem.evaluate(self.values)._known
        return self._details

    @property
    def lines(self) -> list[Line]:
        """Per step its axis and a point on it."""
        return self._known.lines

    @property
    def placed(self) -> list[Placed]:
        """Per goal its handle's position, and its rotation where asked for."""
        return self._known.placed

    @property
    def errors(self) -> list[float]:
        """The weighted error, goal by goal: 3 rows for a position, 3 for an orientation or an aim."""
        return self._known.errors


class Problem:
    """Goals on a chain.

    Attributes:
        chain: the chain.
        goals: as given.
        compiled: the chain as numbers for these goals' handles.
        points: (goals,) handles in their bodies' frames.
        asked: one a goal.
        weights: (dof,) how willingly each unknown moves; None = 1 each.
    """

    def __init__(self, chain: Chain, goals: Sequence[Goal], weights: tuple[float, ...] | None = None) -> None:
        """Check the goals against the chain.

        Args:
            chain: what may move.
            goals: for its bodies.
            weights: (dof,) how willingly each unknown moves; None = 1 each.

        Raises:
            GoalError: no goals, or one for a body that the chain's skeleton does not have or that does not belong to
                the chain.
        """
        if not goals:
            raise GoalError("no goal was given; give at least one")
        self.chain = chain
        self.goals = tuple(goals)
        handles = []
        heaviest = 0.0
        for goal in self.goals:
            if goal.body not in chain.path:
                raise GoalError(
                    f"a goal asks for {goal.body!r}, which is no body of the chain from {chain.anchor!r} to "
                    f"{' and '.join(map(repr, chain.bodies))}; start the chain at that body, or name it beside these"
                )
            point = chain.skeleton.body(goal.body).point if goal.point is None else goal.point
            handles.append((goal.body, point, goal.orientation is not None or goal.aim is not None))
            heaviest = max(heaviest, goal.weight)
        self.points: tuple[Point, ...] = tuple([point for _, point, _ in handles])
        self.weights = weights
        self.compiled = chain.compiled(tuple(handles), weights)
        self._heaviest = heaviest
        self.asked = [self._asked(goal) for goal in self.goals]

    def again(self, goals: Sequence[Goal]) -> Problem | None:
        """The problem of goals that ask for the same things elsewhere, as those of a drag do; None for other goals."""
        if len(goals) != 1 or len(self.goals) != 1:
            return None
        was, now = self.goals[0], goals[0]
        if (
            now.body != was.body
            or now.point != was.point
            or now.weight != was.weight
            or (now.orientation is None) != (was.orientation is None)
            or now.aim is not None
            or was.aim is not None
        ):
            return None
        other = object.__new__(Problem)
        other.__dict__.update(self.__dict__)
        other.goals = (now,)
        other.asked = [self._asked(now)]
        return other

    def _asked(self, goal: Goal) -> Asked:
        weight = goal.weight / self._heaviest
        rows = goal.orientation
        turned = None if rows is None else rows[0] + rows[1] + rows[2]
        return Asked(goal.position, weight, turned, weight * TURN_WEIGHT * self.compiled.scale, goal.aim)

    def iteration(self, *, written: bool) -> tuple[Iteration, tuple[float, ...]]:
        """One iteration of least squares for these goals, and the numbers that say where they are.

        Args:
            written: True to have it written out as straight code, if that can be, which costs some milliseconds once.
        """
        numbers: tuple[float, ...] = ()
        if len(self.asked) == 1:
            asked = self.asked[0]
            if asked.position is not None and asked.aim is None:
                function = self.compiled.iteration(asked.turned is not None, written=written)
                if function is not None:
                    return function, asked.position if asked.turned is None else asked.position + asked.turned
        return Plain(self), numbers

    def first(self) -> Iteration | None:
        """The iteration for these goals at the chain's own pose, written out; None where there is none."""
        asked = self.asked[0]
        if len(self.asked) > 1 or asked.position is None or asked.aim is not None:
            return None
        return self.compiled.first(asked.turned is not None)

    def out_of_reach(self) -> bool:
        """True when a target is farther than its chain can stretch, or nearer than it can fold, and not by rounding."""
        slack = NO_WAY * self.compiled.scale
        for (position, _, _, _, _), (_, base, reach, fold, _) in zip(self.asked, self.compiled.tips, strict=True):
            if position is not None and not fold - slack <= math.dist(position, base) <= reach + slack:
                return True
        return False

    def evaluate(self, values: list[float]) -> Evaluation:
        """Forward kinematics and errors of a pose (dof,)."""
        lines, placed = self.compiled.place(values)
        errors: list[float] = []
        error = distance2 = angle2 = 0.0
        for (target, weight, turned, turn_weight, aim), at in zip(self.asked, placed, strict=True):
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
            elif aim is not None:
                x, y, z = aim_vector(aim, at)
            else:
                continue
            square = x * x + y * y + z * z
            if square > angle2:
                angle2 = square
            error += square * turn_weight * turn_weight
            errors += (x * turn_weight, y * turn_weight, z * turn_weight)
        if error != error:  # numbers beyond all bounds: no comparison above has seen them, and nothing is met
            distance2 = angle2 = math.nan
        handles = tuple([(at[0], at[1], at[2]) for at in placed])
        details = Details(lines, placed, errors)
        return Evaluation(self, values, error, distance2, angle2, handles, details=details)

    def rows(self, at: Evaluation) -> list[list[float]]:
        """The derivative: a row an error, a column an unknown, in units of the unknown's pace."""
        if self.compiled.uneven is not None:
            return self._differences(at)
        rows: list[list[float]] = []
        lines = at.lines
        dof = self.compiled.dof
        for (target, weight, turned, turn_weight, aim), path, placed in zip(
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
            elif aim is not None:
                bx, by, bz = aimed(aim[0], placed)
                row_x, row_y, row_z = [0.0] * dof, [0.0] * dof, [0.0] * dof
                for i, slide, unknown, factor in path:
                    if not slide:
                        ax, ay, az = lines[i][:3]
                        along = ax * bx + ay * by + az * bz  # a turn about the aimed axis itself changes nothing
                        factor *= turn_weight
                        row_x[unknown] += (ax - along * bx) * factor
                        row_y[unknown] += (ay - along * by) * factor
                        row_z[unknown] += (az - along * bz) * factor
                rows += (row_x, row_y, row_z)
        return rows

    def _differences(self, at: Evaluation) -> list[list[float]]:
        """The same by central differences, for joints whose frames are no rotations."""
        compiled = self.compiled
        rows = [[0.0] * compiled.dof for _ in at.errors]
        for i in compiled.movable:
            step = DIFFERENCE * compiled.stride[i]
            ends = []
            for change in (step, -step):
                moved = at.values.copy()
                moved[i] += change
                ends.append(self.evaluate(moved).errors)
            factor = 0.5 * compiled.pace[i] / step
            side = None if compiled.law is None else _way_down(at.errors, *ends)
            if side is not None:
                # What the law does on the other side is of no use.
                if side < 0:
                    continue
                ends[1 - side] = at.errors
                factor *= 2.0
            for row, after, before in zip(rows, *ends, strict=True):
                row[i] = (before - after) * factor
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
                least = max(LEAST_PUSH * self.compiled.scale2, share * math.sqrt(square * at.error))
                if (push > least and value >= upper[i]) or (push < -least and value <= lower[i]):
                    found.append(i)
        return found


def problem_of(chain: Chain, goals: Sequence[Goal], weights: tuple[float, ...] | None) -> Problem:
    """The problem of goals on a chain; quickly, where the last one on it asked for the same things elsewhere.

    Raises:
        GoalError: as for :class:`Problem`.
    """
    last = chain.last_problem
    problem = last.again(goals) if last is not None and last.weights == weights else None
    if problem is None:
        problem = chain.last_problem = Problem(chain, goals, weights)
    return problem


def _way_down(errors: list[float], after: list[float], before: list[float]) -> int | None:
    """Which side of a kink is the way down: 0 for ``after``, 1 for ``before``, -1 for neither; None for no kink."""
    ahead = [a - e for a, e in zip(after, errors, strict=True)]
    back = [e - b for b, e in zip(before, errors, strict=True)]
    bend = math.dist(ahead, back)
    if bend <= KINK * max(math.hypot(*ahead), math.hypot(*back)):
        return None
    now, left, right = (math.fsum(x * x for x in each) for each in (errors, after, before))
    if min(left, right) >= now:
        return -1
    return 0 if left < right else 1


def pairs(asked: Asked, placed: Placed) -> list[tuple[Point, Point]]:
    """Directions of a placed body and where they shall point: its axes for an orientation, one for an aim."""
    if asked.turned is not None:
        t00, t01, t02, t10, t11, t12, t20, t21, t22 = asked.turned
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = placed[3:]
        return [
            ((r00, r10, r20), (t00, t10, t20)),
            ((r01, r11, r21), (t01, t11, t21)),
            ((r02, r12, r22), (t02, t12, t22)),
        ]
    return [] if asked.aim is None else [(aimed(asked.aim[0], placed), asked.aim[1])]
