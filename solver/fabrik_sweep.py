"""FABRIK on a chain's real axes, on plain floats: one sweep of a search.

After Aristidou and Lasenby (FABRIK: A fast, iterative solver for the inverse kinematics problem, 2011). What the
published method does with free points is done here with joints: the backward pass says where the joints should be,
and the forward pass turns each of them about its own axis, so that every pose is one that the chain can hold.

The *backward pass* pins the handle and walks from it to the anchor, the *forward pass* walks from the anchor outwards;
the paper names them the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import add
from typing import TYPE_CHECKING

from .ccd import move_group, turned_about
from .problem import Evaluation, Problem, pairs

if TYPE_CHECKING:
    from .run import Tolerance

# What a handle weighs against a joint on the way to it. With equal weights real arms do not converge.
TIP_WEIGHT = 30.0
# Share of a handle's weight that its position, and its orientation, keep at least.
LEAST_SHARE = 0.1
# Where on the body's axes the three points of an orientation lie [reach].
LEVER = 0.5
# Largest turn of a hinge in a sweep [rad], and largest slide [reach].
TURN_CAP = 0.5
SLIDE_CAP = 0.1
# A hinge whose points all lie nearer to its axis than this [reach] is left alone.
LEAST_LEVER = 1e-6

_Point = tuple[float, float, float]
# Sums over points: weight times point times desired place (9, the point's component first), weight times point (3),
# weight times desired place (3), the weight, and the weight together with that of directions, which have no place.
_Sums = list[float]
# How what hangs on a step has been moved: a rotation by rows (9) and a translation (3).
_Motion = tuple[float, ...]
_STILL: _Motion = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


class Reach:
    """One sweep: a backward pass from every handle, then a forward pass that turns each hinge and pushes each slide.

    The best turn is ``atan2(sum of w (a×r)·d, sum of w r·d)`` over all the points beyond, with r a point and d its
    desired place, both as seen from the axis ``a``; the best push is the weighted mean of the way along the axis. The
    sums are gathered once, from the handles inwards, and carried along on the way out, so that a sweep costs no more
    than the chain is long. Several handles add their points. An orientation is three points at LEVER on the body's
    axes, and an aim is one, hung where the handle is; the handle's weight goes to whichever error is larger in units of
    its tolerance.

    An unknown that moves several joints is taken when the first of them is reached, by the best step of its summed
    derivative.
    """

    def __init__(self, problem: Problem, start: Evaluation, tolerance: Tolerance, *, cap: float = 1.0) -> None:
        """Take over a pose.

        Args:
            problem: the goals.
            start: where to begin.
            tolerance: the units in which errors of position and orientation are compared.
            cap: factor on the largest step.
        """
        self.values = start.values.copy()
        self._problem = problem
        self._tolerance = tolerance
        self._turn_cap = cap * TURN_CAP
        self._slide_cap = cap * SLIDE_CAP * problem.compiled.scale
        self._take(start)

    def run(self) -> list[float]:
        """Sweep all unknowns once; (dof,) values inside the limits."""
        compiled = self._problem.compiled
        motions = {-1: _STILL}
        for i, step in enumerate(compiled.steps):
            motions[i] = before = motions[step.parent]
            group = compiled.groups[step.unknown]
            if len(group) > 1:
                if i == group[0]:
                    self._take(move_group(self._problem, self.values, step.unknown, self._turn_cap, self._slide_cap))
                    motions = dict.fromkeys(motions, _STILL)
                continue
            sums = self._sums.get(i)
            ease = compiled.ease[step.unknown]
            if sums is None or step.multiplier == 0.0 or ease == 0.0:
                continue
            wanted = ease * (self._push(i, sums, before) if step.slide else self._turn(i, sums, before))
            cap = self._slide_cap if step.slide else self._turn_cap
            value = self.values[step.unknown]
            after = value + min(cap, max(-cap, wanted)) / step.multiplier
            after = min(compiled.upper[step.unknown], max(compiled.lower[step.unknown], after))
            if after != value:
                self.values[step.unknown] = after
                motions[i] = self._moved(i, before, step.multiplier * (after - value), step.slide)
        return self.values

    def _take(self, at: Evaluation) -> None:
        """Backward pass: sum up all the points beyond each step, and where they should be."""
        problem = self._problem
        compiled = problem.compiled
        bx, by, bz = compiled.tips[0].base  # near the chain: products of far places would lose their digits
        self._lines = [(ax, ay, az, x - bx, y - by, z - bz) for ax, ay, az, x, y, z in at.lines]
        self._sums: dict[int, _Sums] = {}
        rows = iter(at.errors)
        for asked, tip, placed in zip(problem.asked, compiled.tips, at.placed, strict=True):
            target, weight = asked.position, asked.weight
            directions = pairs(asked, placed)
            far = math.hypot(next(rows), next(rows), next(rows)) / weight if target is not None else 0.0
            off = math.hypot(next(rows), next(rows), next(rows)) / asked.turn_weight if directions else 0.0
            sums = [0.0] * 17
            joint_weight = weight * weight
            tip_weight = TIP_WEIGHT * joint_weight
            share = self._share(far, off)
            here = there = (placed[0] - bx, placed[1] - by, placed[2] - bz)
            if target is not None:
                there = (target[0] - bx, target[1] - by, target[2] - bz)
                _add(sums, here, there, share * tip_weight if directions else tip_weight)
            lever = LEVER * compiled.scale
            for axis, wanted in directions:
                if target is None:
                    _add_direction(sums, _along((0.0, 0.0, 0.0), axis, lever), wanted, lever * tip_weight)
                else:
                    point, place = _along(here, axis, lever), _along(there, wanted, lever)
                    _add(sums, point, place, (1.0 - share) * tip_weight)
            for i in reversed(tip.path):
                known = self._sums.get(i)
                self._sums[i] = sums.copy() if known is None else list(map(add, known, sums))
                if target is not None:
                    joint = self._lines[i][3:]
                    there = place_at(there, joint, math.dist(joint, here))
                    here = joint
                    _add(sums, here, there, joint_weight)

    def _share(self, distance: float, angle: float) -> float:
        """What position gets of a handle's weight; orientation gets the rest."""
        far, off = distance / self._tolerance.distance, angle / self._tolerance.angle
        if not far + off > 0.0:
            return 0.5
        return min(1.0 - LEAST_SHARE, max(LEAST_SHARE, far / (far + off)))

    def _turn(self, i: int, sums: _Sums, before: _Motion) -> float:
        """The best turn [rad]: everything is seen from where the sweep began, with the axis through ``o``."""
        ax, ay, az, ox, oy, oz = self._lines[i]
        r00, r01, r02, r10, r11, r12, r20, r21, r22, gx, gy, gz = before
        xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz, dx, dy, dz, weight, lever = sums
        hx = ox + r00 * gx + r10 * gy + r20 * gz
        hy = oy + r01 * gx + r11 * gy + r21 * gz
        hz = oz + r02 * gx + r12 * gy + r22 * gz
        ex = r00 * dx + r10 * dy + r20 * dz - weight * hx
        ey = r01 * dx + r11 * dy + r21 * dz - weight * hy
        ez = r02 * dx + r12 * dy + r22 * dz - weight * hz
        c00 = xx * r00 + xy * r10 + xz * r20 - px * hx - ox * ex
        c01 = xx * r01 + xy * r11 + xz * r21 - px * hy - ox * ey
        c02 = xx * r02 + xy * r12 + xz * r22 - px * hz - ox * ez
        c10 = yx * r00 + yy * r10 + yz * r20 - py * hx - oy * ex
        c11 = yx * r01 + yy * r11 + yz * r21 - py * hy - oy * ey
        c12 = yx * r02 + yy * r12 + yz * r22 - py * hz - oy * ez
        c20 = zx * r00 + zy * r10 + zz * r20 - pz * hx - oz * ex
        c21 = zx * r01 + zy * r11 + zz * r21 - pz * hy - oz * ey
        c22 = zx * r02 + zy * r12 + zz * r22 - pz * hz - oz * ez
        sine = ax * (c12 - c21) + ay * (c20 - c02) + az * (c01 - c10)
        along = ax * (c00 * ax + c01 * ay + c02 * az)
        along += ay * (c10 * ax + c11 * ay + c12 * az)
        along += az * (c20 * ax + c21 * ay + c22 * az)
        cosine = c00 + c11 + c22 - along
        if math.hypot(sine, cosine) <= LEAST_LEVER * self._problem.compiled.scale2 * lever:
            return 0.0
        return math.atan2(sine, cosine)

    def _push(self, i: int, sums: _Sums, before: _Motion) -> float:
        """The best push [m]: the weighted mean of the way along the axis."""
        ax, ay, az = self._lines[i][:3]
        r00, r01, r02, r10, r11, r12, r20, r21, r22, gx, gy, gz = before
        px, py, pz, dx, dy, dz, weight = sums[9:16]
        if not weight > 0.0:
            return 0.0
        total = (r00 * ax + r01 * ay + r02 * az) * (dx - weight * gx)
        total += (r10 * ax + r11 * ay + r12 * az) * (dy - weight * gy)
        total += (r20 * ax + r21 * ay + r22 * az) * (dz - weight * gz)
        return (total - (ax * px + ay * py + az * pz)) / weight

    def _moved(self, i: int, before: _Motion, moved: float, slide: bool) -> _Motion:
        """What hangs on a step has been moved ``before``, and now by the step's own motion first."""
        ax, ay, az, ox, oy, oz = self._lines[i]
        r00, r01, r02, r10, r11, r12, r20, r21, r22, gx, gy, gz = before
        if slide:
            tx, ty, tz = ax * moved, ay * moved, az * moved
        else:
            sine, cosine = math.sin(moved), math.cos(moved)
            (r00, r10, r20), (r01, r11, r21), (r02, r12, r22) = (
                (
                    before[0] * x + before[1] * y + before[2] * z,
                    before[3] * x + before[4] * y + before[5] * z,
                    before[6] * x + before[7] * y + before[8] * z,
                )
                for x, y, z in (turned_about(ax, ay, az, *unit, sine, cosine) for unit in _UNITS)
            )
            x, y, z = turned_about(ax, ay, az, ox, oy, oz, sine, cosine)
            tx, ty, tz = ox - x, oy - y, oz - z
        gx += before[0] * tx + before[1] * ty + before[2] * tz
        gy += before[3] * tx + before[4] * ty + before[5] * tz
        gz += before[6] * tx + before[7] * ty + before[8] * tz
        return (r00, r01, r02, r10, r11, r12, r20, r21, r22, gx, gy, gz)


_UNITS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def place_at(anchor: _Point, toward: Sequence[float], distance: float) -> _Point:
    """(3,) the point at ``distance`` [m] from ``anchor`` towards another one; ``anchor`` itself where they coincide."""
    x, y, z = toward[0] - anchor[0], toward[1] - anchor[1], toward[2] - anchor[2]
    length = math.sqrt(x * x + y * y + z * z)
    factor = distance / length if length > 1e-12 * distance else 0.0
    return (anchor[0] + factor * x, anchor[1] + factor * y, anchor[2] + factor * z)


def _along(start: _Point, axis: _Point, lever: float) -> _Point:
    return (start[0] + lever * axis[0], start[1] + lever * axis[1], start[2] + lever * axis[2])


def _add(sums: _Sums, point: Sequence[float], place: Sequence[float], weight: float) -> None:
    """Add a point and where it should be."""
    _add_direction(sums, point, place, weight)
    sums[9] += weight * point[0]
    sums[10] += weight * point[1]
    sums[11] += weight * point[2]
    sums[12] += weight * place[0]
    sums[13] += weight * place[1]
    sums[14] += weight * place[2]
    sums[15] += weight


def _add_direction(sums: _Sums, point: Sequence[float], place: Sequence[float], weight: float) -> None:
    """Add a direction and where it should point; it turns, but has no place."""
    x, y, z = place
    wx, wy, wz = weight * point[0], weight * point[1], weight * point[2]
    sums[0] += wx * x
    sums[1] += wx * y
    sums[2] += wx * z
    sums[3] += wy * x
    sums[4] += wy * y
    sums[5] += wy * z
    sums[6] += wz * x
    sums[7] += wz * y
    sums[8] += wz * z
    sums[16] += weight
