"""A chain as plain numbers, for loops on Python floats: an array library costs more than it saves at this size."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import SkeletonError
from .joint import Axis, AxisKind, Matrix
from .skeleton import axis_motion

if TYPE_CHECKING:
    from .chain import Chain, Point

# What is left of the pace of an unknown that is as good as locked.
LEAST_PACE = 0.01

# World axis (3) and a point on it (3).
Line = tuple[float, float, float, float, float, float]

# Position (3); then the rotation by rows (9), where it is asked for.
Placed = tuple[float, ...]

# A step's place, whether it slides, its unknown, and how far [rad, m] a pace of that moves it.
Influence = tuple[int, bool, int, float]

# A body, a point in its frame, and whether the body's rotation is wanted as well.
Handle = tuple[str, "Point", bool]


class Step(NamedTuple):
    """One turn about, or slide along, the local Z of a frame that is constant in the frame of the step before.

    Attributes:
        c00 to c22: constant rotation by rows.
        tx, ty, tz: constant translation [m].
        slide: False for a turn.
        unknown: place in the chain's values; ``multiplier * value + offset`` is the angle [rad] or way [m].
        parent: the step before, -1 for skeleton space.
        kept: True when another step than the next one starts from this frame.
        hung: the tips that hang on it.
    """

    c00: float
    c01: float
    c02: float
    c10: float
    c11: float
    c12: float
    c20: float
    c21: float
    c22: float
    tx: float
    ty: float
    tz: float
    slide: bool
    unknown: int
    multiplier: float
    offset: float
    parent: int
    kept: bool
    hung: tuple[int, ...]

    @property
    def translation(self) -> Point:
        """(3,) the constant one [m]."""
        return (self.tx, self.ty, self.tz)


class Tip(NamedTuple):
    """Where a handle hangs.

    Attributes:
        step: the last step that moves it, -1 when nothing does.
        base: (3,) origin of the first joint above it, which no unknown of the chain moves; the handle itself when
            nothing moves it.
        reach: largest distance [m] of the handle from ``base``, by summed lengths and slide ranges.
        fold: smallest one, by the same lengths: 0, or what the longest leaves over when all the others fold back.
        path: the steps that move it, from the anchor outwards.
    """

    step: int
    base: Point
    reach: float
    fold: float
    path: tuple[int, ...]


class Compiled:
    """Steps from the anchor outwards: each a constant frame, then a turn about, or a slide along, its local Z.

    Everything that the chain does not move is folded into the constants. Uniform scale, mirrored or not, is folded
    into lengths, so that every step's frame is a rotation.

    Attributes:
        steps: parents before children.
        tips: one a handle.
        dof: number of unknowns.
        lower, upper: limits; infinite for those that wrap.
        scale: a length [m] of the chain's own, positive and finite: the largest reach, where there is one.
        stride: per unknown what counts as one unit of its motion: 1 rad, or ``scale`` for a slide.
        pace: the same less its stiffness: how far it goes where a free one would go its stride.
        groups: per unknown its steps.
        paths: per tip the steps that move it: place, slides or not, unknown, and how far a pace of that moves the step.
        moved_by: per step the tips that it moves.
    """

    def __init__(self, chain: Chain, handles: tuple[Handle, ...]) -> None:
        """Walk from the roots to the bodies of these handles; see :meth:`Chain.compiled`."""
        walk = _Walk(chain)
        hung = [walk.hang(*handle) for handle in handles]
        tips_of: dict[int, list[int]] = {}
        for i, (step, _) in enumerate(hung):
            tips_of.setdefault(step, []).append(i)
        kept = {step.parent for i, step in enumerate(walk.steps) if step.parent != i - 1}
        self.dof = chain.dof
        self.steps: tuple[Step, ...] = tuple(
            step._replace(kept=i in kept, hung=tuple(tips_of.get(i, ()))) for i, step in enumerate(walk.steps)
        )
        self._hung = [constant for _, constant in hung]
        self._fixed: list[Placed] = [_ORIGIN if step >= 0 else constant for step, constant in hung]
        lower, upper = chain.lower.tolist(), chain.upper.tolist()
        self.lower = [-math.inf if wraps else v for v, wraps in zip(lower, chain.continuous, strict=True)]
        self.upper = [math.inf if wraps else v for v, wraps in zip(upper, chain.continuous, strict=True)]
        self.groups: tuple[tuple[int, ...], ...] = tuple(
            tuple(i for i, step in enumerate(walk.steps) if step.unknown == unknown) for unknown in range(self.dof)
        )
        ranges = [self._range(step) for step in walk.steps]
        self.tips = tuple(_tip(walk.steps, ranges, step, constant) for step, constant in hung)
        finite = [tip.reach for tip in self.tips if math.isfinite(tip.reach)]
        self.scale = max(finite, default=0.0) or _extent(walk.steps) or 1.0
        slides = {step.unknown for step in walk.steps if step.slide}
        self.stride = [self.scale if unknown in slides else 1.0 for unknown in range(self.dof)]
        stiff = chain.skeleton.stiffness[list(chain.index)].tolist()
        self.pace = [unit * max(1.0 - s, LEAST_PACE) for unit, s in zip(self.stride, stiff, strict=True)]
        self.paths: tuple[tuple[Influence, ...], ...] = tuple(
            tuple(
                (i, s.slide, s.unknown, s.multiplier * self.pace[s.unknown]) for i in tip.path for s in [walk.steps[i]]
            )
            for tip in self.tips
        )
        self.moved_by: tuple[tuple[int, ...], ...] = tuple(
            tuple(i for i, tip in enumerate(self.tips) if step in tip.path) for step in range(len(walk.steps))
        )

    def _range(self, step: Step) -> tuple[float, float]:
        if step.multiplier == 0.0:
            return step.offset, step.offset
        ends = [limit[step.unknown] * step.multiplier + step.offset for limit in (self.lower, self.upper)]
        return min(ends), max(ends)

    def hung(self, tip: int) -> Placed:
        """A handle, and its body's rotation where it is wanted, in the frame of the last step that moves it."""
        return self._hung[tip]

    def clamp(self, values: list[float]) -> list[float]:
        """The values moved into the limits."""
        return [
            low if value < low else high if value > high else value
            for value, low, high in zip(values, self.lower, self.upper, strict=True)
        ]

    def place(self, values: list[float]) -> tuple[list[Line], list[Placed]]:
        """Forward kinematics.

        Args:
            values: (dof,) [rad] or [m].

        Returns:
            Per step its axis and a point on it, and per tip its position and, where asked for, its rotation; in
            skeleton space.
        """
        lines: list[Line] = []
        placed = self._fixed.copy()
        kept: dict[int, Placed] = {-1: _ORIGIN}
        r00 = r11 = r22 = 1.0
        r01 = r02 = r10 = r12 = r20 = r21 = x = y = z = 0.0
        last = -1
        i = 0
        for (
            c00, c01, c02, c10, c11, c12, c20, c21, c22, tx, ty, tz,
            slide, unknown, multiplier, offset, parent, keep, hung,
        ) in self.steps:  # fmt: skip
            if parent != last:
                x, y, z, r00, r01, r02, r10, r11, r12, r20, r21, r22 = kept[parent]
            x += r00 * tx + r01 * ty + r02 * tz
            y += r10 * tx + r11 * ty + r12 * tz
            z += r20 * tx + r21 * ty + r22 * tz
            a00 = r00 * c00 + r01 * c10 + r02 * c20
            a01 = r00 * c01 + r01 * c11 + r02 * c21
            a10 = r10 * c00 + r11 * c10 + r12 * c20
            a11 = r10 * c01 + r11 * c11 + r12 * c21
            a20 = r20 * c00 + r21 * c10 + r22 * c20
            a21 = r20 * c01 + r21 * c11 + r22 * c21
            r02, r12, r22 = (
                r00 * c02 + r01 * c12 + r02 * c22,
                r10 * c02 + r11 * c12 + r12 * c22,
                r20 * c02 + r21 * c12 + r22 * c22,
            )
            lines.append((r02, r12, r22, x, y, z))
            value = values[unknown] * multiplier + offset
            if slide:
                x += r02 * value
                y += r12 * value
                z += r22 * value
                r00, r01, r10, r11, r20, r21 = a00, a01, a10, a11, a20, a21
            else:
                c = math.cos(value)
                s = math.sin(value)
                r00 = a00 * c + a01 * s
                r01 = a01 * c - a00 * s
                r10 = a10 * c + a11 * s
                r11 = a11 * c - a10 * s
                r20 = a20 * c + a21 * s
                r21 = a21 * c - a20 * s
            if keep:
                kept[i] = (x, y, z, r00, r01, r02, r10, r11, r12, r20, r21, r22)
            if hung:
                for tip in hung:
                    tx, ty, tz, *turn = self._hung[tip]
                    px = x + r00 * tx + r01 * ty + r02 * tz
                    py = y + r10 * tx + r11 * ty + r12 * tz
                    pz = z + r20 * tx + r21 * ty + r22 * tz
                    if not turn:
                        placed[tip] = (px, py, pz)
                        continue
                    c00, c01, c02, c10, c11, c12, c20, c21, c22 = turn
                    placed[tip] = (
                        px, py, pz,
                        r00 * c00 + r01 * c10 + r02 * c20,
                        r00 * c01 + r01 * c11 + r02 * c21,
                        r00 * c02 + r01 * c12 + r02 * c22,
                        r10 * c00 + r11 * c10 + r12 * c20,
                        r10 * c01 + r11 * c11 + r12 * c21,
                        r10 * c02 + r11 * c12 + r12 * c22,
                        r20 * c00 + r21 * c10 + r22 * c20,
                        r20 * c01 + r21 * c11 + r22 * c21,
                        r20 * c02 + r21 * c12 + r22 * c22,
                    )  # fmt: skip
            last = i
            i += 1
        return lines, placed


_ORIGIN: Placed = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class _Frame(NamedTuple):
    """Where a walk stands: the step that moves this frame, the constant since then, the scale gathered on the way."""

    step: int
    constant: Matrix
    scale: float


class _Walk:
    """Gathers the steps on the way to each handle; ways that part share what they have in common."""

    def __init__(self, chain: Chain) -> None:
        self.steps: list[Step] = []
        self._chain = chain
        self._place = {unknown: i for i, unknown in enumerate(chain.index)}
        self._values = chain.skeleton.axis_values(chain.q)
        self._frames: dict[int, _Frame] = {-1: _Frame(-1, np.eye(4), 1.0)}

    def hang(self, body: str, point: Point, oriented: bool) -> tuple[int, Placed]:
        """The step that moves a handle, and the handle in that step's frame, with the body's rotation if wanted."""
        step, constant, scale = self._frame(self._chain.skeleton.index(body))
        position = scale * (constant[:3, :3] @ point + constant[:3, 3])
        if not oriented:
            return step, tuple(position.tolist())
        u, _, v = np.linalg.svd(constant[:3, :3])
        rotation = u @ v if np.linalg.det(u @ v) > 0.0 else -(u @ v)
        return step, (*position.tolist(), *rotation.ravel().tolist())

    def _frame(self, body: int) -> _Frame:
        skeleton = self._chain.skeleton
        todo = []
        while body not in self._frames:
            todo.append(body)
            body = skeleton.parent[body]
        for body in reversed(todo):
            self._frames[body] = self._follow(body, self._frames[skeleton.parent[body]])
        return self._frames[todo[0]] if todo else self._frames[body]

    def _follow(self, body: int, frame: _Frame) -> _Frame:
        """The frame of a body from its parent's."""
        skeleton = self._chain.skeleton
        described = skeleton.body_at(body)
        frame = frame._replace(constant=frame.constant @ described.origin)
        for i in skeleton.axes_of(body):
            unknown = self._place.get(skeleton.axis_unknown[i])
            if unknown is None:
                motion = axis_motion(skeleton.axes[i], self._values[i])
                frame = frame._replace(constant=frame.constant @ motion)
            else:
                relation = (unknown, skeleton.axis_multiplier[i], skeleton.axis_offset[i])
                frame = self._add(skeleton.axes[i], relation, frame)
        return frame._replace(constant=frame.constant @ described.offset)

    def _add(self, axis: Axis, relation: tuple[int, float, float], before: _Frame) -> _Frame:
        unknown, multiplier, offset = relation
        linear = before.constant[:3, :3]
        size = float(np.cbrt(np.linalg.det(linear)))
        if abs(size) < 1e-12 or np.abs(linear.T @ linear / size**2 - np.eye(3)).max() > 1e-4:
            raise SkeletonError(
                f"joint {axis.name!r} is scaled by different factors along its axes, or by zero; "
                "apply the scale, or set the bones above it to inherit it evenly"
            )
        if abs(size - 1.0) < 1e-6:
            size = 1.0  # single-precision noise of a rotation: left as it is
        align = _turn_z_to(axis.direction)
        rotation = linear / size @ align
        translation = before.constant[:3, 3] * before.scale
        scale = before.scale * size
        slide = axis.kind == AxisKind.SLIDE
        if slide:
            multiplier, offset = multiplier * scale, offset * scale
        constants = (*rotation.ravel().tolist(), *translation.tolist())
        self.steps.append(Step._make((*constants, slide, unknown, multiplier, offset, before.step, False, ())))
        back = np.eye(4)
        back[:3, :3] = align.T
        return _Frame(len(self.steps) - 1, back, scale)


def _turn_z_to(direction: tuple[float, float, float]) -> Matrix:
    """(3, 3) rotation whose third column is ``direction``; the identity for Z itself."""
    x, y, z = direction
    if z < 0.0:  # by way of a half turn about X, far from the pole of the formula below
        return np.diag((1.0, -1.0, -1.0)) @ _turn_z_to((x, -y, -z))
    k = 1.0 / (1.0 + z)
    return np.array(((1.0 - k * x * x, -k * x * y, x), (-k * x * y, 1.0 - k * y * y, y), (-x, -y, z)))


def _tip(steps: list[Step], ranges: list[tuple[float, float]], step: int, local: Placed) -> Tip:
    path: list[int] = []
    i = step
    while i >= 0:
        path.insert(0, i)
        i = steps[i].parent
    x, y, z = local[:3]
    if not path:
        return Tip(-1, (x, y, z), 0.0, 0.0, ())
    ends = [steps[i].translation for i in path[1:]] + [(x, y, z)]
    shortest, longest = [], []
    for i, (ax, ay, az) in zip(path, ends, strict=True):
        low, high = ranges[i] if steps[i].slide else (0.0, 0.0)
        across = math.hypot(ax, ay)
        shortest.append(math.hypot(across, max(az + low, -(az + high), 0.0)))
        longest.append(max(math.hypot(across, az + low), math.hypot(across, az + high)))
    reach = sum(longest)
    fold = 0.0
    if math.isfinite(reach):
        fold = max(0.0, *(near - (reach - far) for near, far in zip(shortest, longest, strict=True)))
    bx, by, bz = steps[path[0]].translation
    return Tip(step, (bx, by, bz), reach, fold, tuple(path))


def _extent(steps: list[Step]) -> float:
    """A length of a chain whose slides have no limits."""
    return sum(math.hypot(*step.translation) for step in steps if step.parent >= 0)
