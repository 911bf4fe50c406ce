"""Bodies that are placed by a rule of their own, and the forward kinematics of chains that move such bodies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from .joint import Axis, AxisKind, Matrix
from .step import Handle, Placed

if TYPE_CHECKING:
    from .chain import Chain
    from .skeleton import Skeleton


class Law(Protocol):
    """Where a body is, by its parent and its own values: for what no constant frames around axes can say.

    A law is a function: it keeps nothing from one call to the next.
    """

    @property
    def keeps_lengths(self) -> bool:
        """Whether every pose has the lengths that the body's constants and axes say."""
        ...

    def frame(self, parent: Matrix, values: Sequence[float]) -> Matrix:
        """(4, 4) frame in skeleton space.

        Args:
            parent: (4, 4) frame of the parent body in skeleton space; the identity for a root.
            values: of the body's axes.
        """
        ...

    def settled(self, parent: Matrix, values: Sequence[float]) -> Sequence[float]:
        """Values that give the same frame, and stay what they are where the law can say so.

        A law that lets only a part of the poses pass gives the same frame for many values. A search that follows the
        derivative must not get lost among those.
        """
        ...


class _Turn(NamedTuple):
    """An axis and where its value comes from; its rotation is ``1 + s cross + (1 - c) square``.

    Attributes:
        slide: whether it is a slide.
        direction: (3,) unit vector.
        cross, square: (3, 3) cross-product matrix of the direction, and its square.
        unknown: place in the chain's values, -1 for a constant.
        multiplier, offset: ``multiplier * value + offset``; the constant is the offset.
        own: whether the value is that unknown itself.
    """

    slide: bool
    direction: Matrix
    cross: Matrix
    square: Matrix
    unknown: int
    multiplier: float
    offset: float
    own: bool


class _Part(NamedTuple):
    """A body that the chain moves.

    Attributes:
        above: place of the parent among the parts, -1 where the chain does not move it.
        base: (4, 4) the parent's frame in that case.
        law: of the body, or None.
        origin, offset: (4, 4) of the body.
        axes: of the body.
    """

    above: int
    base: Matrix
    law: Law | None
    origin: Matrix
    offset: Matrix
    axes: tuple[_Turn, ...]


class LawForward:
    """Forward kinematics of a chain body by body, for chains that move bodies with laws.

    Attributes:
        body: name of the first body with a law.
        keeps_lengths: whether all laws do.
    """

    def __init__(self, chain: Chain, handles: Sequence[Handle]) -> None:
        """Gather what the chain moves on the way to the handles; see :func:`moves_laws`."""
        skeleton = chain.skeleton
        place = {unknown: i for i, unknown in enumerate(chain.index)}
        values = skeleton.axis_values(chain.q)
        frames: dict[int, Matrix] = {-1: np.eye(4)}
        parts: dict[int, int] = {}
        self._parts: list[_Part] = []
        laws = []
        for i in _on_the_way(skeleton, [name for name, _, _ in handles]):
            body, parent = skeleton.body_at(i), skeleton.parent[i]
            axes = []
            for a in skeleton.axes_of(i):
                unknown = place.get(skeleton.axis_unknown[a], -1)
                relation = (skeleton.axis_multiplier[a], skeleton.axis_offset[a]) if unknown >= 0 else (0.0, values[a])
                axes.append(_turn(skeleton.axes[a], unknown, *relation))
            base = frames.get(parent)
            if base is not None and all(axis.unknown < 0 for axis in axes):
                frames[i] = skeleton.placed(i, base, [axis.offset for axis in axes])
                continue
            if body.law is not None:
                laws.append(body)
            part = _Part(
                parts.get(parent, -1),
                frames[-1] if base is None else base,
                body.law,
                body.origin,
                body.offset,
                tuple(axes),
            )
            parts[i] = len(self._parts)
            self._parts.append(part)
        self.body = laws[0].name if laws else ""
        self.keeps_lengths = all(body.law is not None and body.law.keeps_lengths for body in laws)
        self._lower: list[float] = chain.lower.tolist()
        self._upper: list[float] = chain.upper.tolist()
        self._wraps = chain.continuous
        self._hung: list[tuple[int, Matrix, tuple[float, ...], bool]] = []
        for name, point, oriented in handles:
            i = skeleton.index(name)
            self._hung.append((parts.get(i, -1), frames.get(i, frames[-1]), (*point, 1.0), oriented))
        # The last pose and its frames: a derivative changes one value at a time.
        self._values: list[float] = []
        self._frames: list[Matrix] = []
        self._first = [
            next((k for k, part in enumerate(self._parts) if any(axis.unknown == i for axis in part.axes)), 0)
            for i in range(chain.dof)
        ]

    def place(self, values: list[float]) -> list[Placed]:
        """Per handle its position (3), and its body's linear map by rows (9) where the rotation is wanted."""
        frames = self._moved(values)
        found: list[Placed] = []
        for part, frame, point, oriented in self._hung:
            if part >= 0:
                frame = frames[part]
            position = (frame[:3] @ point).tolist()
            found.append((*position, *frame[:3, :3].ravel().tolist()) if oriented else tuple(position))
        return found

    def settled(self, values: list[float]) -> list[float]:
        """Values (dof,) that place everything alike, and from which a derivative leads on."""
        values = values.copy()
        frames: list[Matrix] = []
        for part in self._parts:
            parent = part.base if part.above < 0 else frames[part.above]
            numbers = _numbers(part, values)
            if part.law is not None:
                for axis, number in zip(part.axes, part.law.settled(parent, numbers), strict=True):
                    if axis.own:
                        values[axis.unknown] = self._within(axis.unknown, number, values[axis.unknown])
                numbers = _numbers(part, values)
            frames.append(_frame(part, parent, numbers))
        self._values, self._frames = values.copy(), frames
        return values

    def _within(self, unknown: int, number: float, before: float) -> float:
        if self._wraps[unknown]:
            return number + 2.0 * math.pi * round((before - number) / (2.0 * math.pi))
        lower, upper = self._lower[unknown], self._upper[unknown]
        return lower if number < lower else upper if number > upper else number

    def _moved(self, values: list[float]) -> list[Matrix]:
        """Frame of every part; those before the first one that changed are kept."""
        first = len(self._parts)
        if len(self._frames) < first:
            first = 0
        else:
            for i, (now, before) in enumerate(zip(values, self._values, strict=True)):
                if now != before and self._first[i] < first:
                    first = self._first[i]
        frames = self._frames[:first]
        for part in self._parts[first:]:
            parent = part.base if part.above < 0 else frames[part.above]
            frames.append(_frame(part, parent, _numbers(part, values)))
        self._values, self._frames = values.copy(), frames
        return frames


def moves_laws(chain: Chain, handles: Sequence[Handle]) -> bool:
    """Whether a chain moves a body that is placed by a law, on the way to some handles."""
    skeleton = chain.skeleton
    if not skeleton.has_laws:
        return False
    unknowns = set(chain.index)
    moved: set[int] = set()
    for i in _on_the_way(skeleton, [name for name, _, _ in handles]):
        if skeleton.parent[i] in moved or any(skeleton.axis_unknown[a] in unknowns for a in skeleton.axes_of(i)):
            if skeleton.body_at(i).law is not None:
                return True
            moved.add(i)
    return False


def _on_the_way(skeleton: Skeleton, names: Iterable[str]) -> list[int]:
    """Places of these bodies and of all above them, parents first."""
    found: set[int] = set()
    for name in names:
        i = skeleton.index(name)
        while i >= 0 and i not in found:
            found.add(i)
            i = skeleton.parent[i]
    return sorted(found)


def _turn(axis: Axis, unknown: int, multiplier: float, offset: float) -> _Turn:
    x, y, z = axis.direction
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    own = unknown >= 0 and axis.mimic is None
    return _Turn(
        axis.kind == AxisKind.SLIDE, np.array(axis.direction), cross, cross @ cross, unknown, multiplier, offset, own
    )


def _numbers(part: _Part, values: list[float]) -> list[float]:
    return [
        axis.multiplier * values[axis.unknown] + axis.offset if axis.unknown >= 0 else axis.offset for axis in part.axes
    ]


def _frame(part: _Part, parent: Matrix, numbers: Sequence[float]) -> Matrix:
    if part.law is not None:
        return part.law.frame(parent, numbers)
    frame = parent @ part.origin
    linear = frame[:3, :3]
    for axis, value in zip(part.axes, numbers, strict=True):
        if axis.slide:
            frame[:3, 3] += linear @ (axis.direction * value)
        else:
            linear = linear + linear @ (math.sin(value) * axis.cross + (1.0 - math.cos(value)) * axis.square)
    frame[:3, :3] = linear
    return frame @ part.offset
