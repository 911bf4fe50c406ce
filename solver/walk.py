"""From a chain's bodies and axes to steps and tips."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import SkeletonError
from .joint import Axis, AxisKind, Matrix, turn_z_to
from .skeleton import axis_motion
from .step import Placed, Point, Step, Tip

if TYPE_CHECKING:
    from .chain import Chain

# What a few products of rotations leave of an exact 0 or 1.
ROUNDING = 1e-15


class _Frame(NamedTuple):
    """Where a walk stands: the step that moves this frame, the constant since then, the scale gathered on the way."""

    step: int
    constant: Matrix
    scale: float


class Walk:
    """Gathers the steps on the way to each handle; ways that part share what they have in common."""

    def __init__(self, chain: Chain) -> None:
        self.steps: list[Step] = []
        self.uneven: str | None = None
        self._chain = chain
        self._place = {unknown: i for i, unknown in enumerate(chain.index)}
        self._values = chain.skeleton.axis_values(chain.q)
        self._frames: dict[int, _Frame] = {-1: _Frame(-1, np.eye(4), 1.0)}

    def hang(self, body: str, point: Point, oriented: bool) -> tuple[int, Placed]:
        """The step that moves a handle, and the handle in that step's frame, with the body's rotation if wanted."""
        step, constant, scale = self._frame(self._chain.skeleton.index(body))
        position = scale * (constant[:3, :3] @ point + constant[:3, 3])
        placed = _tidied(position, float(np.abs(position).max()))
        if not oriented:
            return step, placed
        linear: Placed = tuple(constant[:3, :3].ravel().tolist())
        if self.uneven is None:
            linear = _tidied(np.array(nearest_rotation(linear)), 1.0)
        return step, (*placed, *linear)

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
        axes = skeleton.axes_of(body)
        if (
            described.law is not None
            and frame.step < 0
            and not any(skeleton.axis_unknown[i] in self._place for i in axes)
        ):
            return frame._replace(constant=skeleton.placed(body, frame.constant, [self._values[i] for i in axes]))
        frame = frame._replace(constant=frame.constant @ described.origin)
        for i in axes:
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
        if abs(size) < 1e-12:
            raise SkeletonError(f"joint {axis.name!r} is scaled by zero along an axis; give it another scale")
        if np.abs(linear.T @ linear / size**2 - np.eye(3)).max() > 1e-4:
            self.uneven = self.uneven or f"joint {axis.name!r} is scaled by different factors along its axes"
            size = 1.0
        elif abs(size - 1.0) < 1e-6:
            size = 1.0  # single-precision noise of a rotation: left as it is
        align = turn_z_to(axis.direction)
        rotation = linear / size @ align
        translation = before.constant[:3, 3] * before.scale
        scale = before.scale * size
        slide = axis.kind == AxisKind.SLIDE
        if slide:
            multiplier, offset = multiplier * scale, offset * scale
        constants = (*_tidied(rotation, 1.0), *_tidied(translation, float(np.abs(translation).max())))
        self.steps.append(Step._make((*constants, slide, unknown, multiplier, offset, before.step, False, ())))
        back = np.eye(4)
        back[:3, :3] = align.T
        return _Frame(len(self.steps) - 1, back, scale)


def _tidied(numbers: Matrix, unit: float) -> tuple[float, ...]:
    """The numbers in one row, with those that are 0 or one ``unit`` but for rounding put right.

    A quarter turn comes out of a file's angles with cosines of 6e-17. They would be carried through every product.
    """
    row = numbers.ravel()
    whole = np.rint(row / unit) * unit if unit > 0.0 else row
    return tuple((np.where(np.abs(row - whole) <= ROUNDING * unit, whole, row) + 0.0).tolist())


def make_tip(steps: list[Step], ranges: list[tuple[float, float]], step: int, local: Placed) -> Tip:
    """The tip at ``local`` in the frame of a step, with the lengths of its way there; ``ranges`` are the steps'."""
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


def moving_path(steps: list[Step], tip: Tip, local: Placed) -> tuple[int, ...]:
    """The tip's path without its last turns about axes that go through the handle, such as a wrist's roll."""
    path = list(tip.path)
    x, y, z = local[:3]
    while path and not steps[path[-1]].slide and x == y == 0.0:
        step = steps[path.pop()]
        x, y, z = _tidied(np.reshape(step[:9], (3, 3)) @ (x, y, z) + step.translation, math.hypot(z, *step.translation))
    return tuple(path)


def stretched(steps: list[Step], tip: Tip) -> Tip:
    """The tip of an uneven chain: each length times all that may stretch it."""
    # The lengths are those of its own frame; a frame stretches what hangs on it by its largest singular value at most.
    most = math.prod(_stretch(steps[i]) for i in tip.path)
    return tip._replace(reach=tip.reach * most, fold=0.0)


def _stretch(step: Step) -> float:
    return max(1.0, float(np.linalg.svd(np.reshape(step[:9], (3, 3)), compute_uv=False)[0]))


def nearest_rotation(linear: Sequence[float]) -> Placed:
    """(9,) the rotation nearest to a linear map, both by rows; of a mirrored one that of its mirror image."""
    u, _, v = np.linalg.svd(np.reshape(linear, (3, 3)))
    rotation = u @ v
    if np.linalg.det(rotation) < 0.0:
        rotation = -rotation
    found: Placed = tuple(rotation.ravel().tolist())
    return found


def extent(steps: list[Step]) -> float:
    """A length of a chain whose slides have no limits."""
    return sum(math.hypot(*step.translation) for step in steps if step.parent >= 0)
