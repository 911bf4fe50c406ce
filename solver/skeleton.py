"""The kinematic tree: bodies joined by joints, as immutable arrays, and its forward kinematics."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import SkeletonError
from .joint import Axis, AxisKind, Body, Matrix, floating_axes
from .tree import check_axis, check_unique, parents_first, resolve_mimics, suggest

if TYPE_CHECKING:
    from .chain import Chain

Vector = NDArray[np.float64]

_EYE = np.eye(4)
_EYE.setflags(write=False)

# The body, and the joint, that moves a whole skeleton.
ROOT_MOTION = "root_motion"


class Skeleton:
    """An immutable tree of bodies. Knows nothing of where it was read from.

    A full pose ``q`` (n,) holds one value for every unknown, in the order of :attr:`unknowns`: angles [rad], slides
    [m]. Mimic followers have no place in it; their values come from their sources. Skeleton space is the frame in
    which the origins of the roots are given.

    Attributes:
        bodies: body names, parents before children.
        joints: names of the joints that move, followers included, in the order of their bodies.
        unknowns: names of the axes that are no followers; the order of ``q``.
        lower, upper: (n,) limits of the unknowns.
        continuous: (n,) True where an unknown wraps.
        stiffness: (n,) in [0, 1].
        parent: (bodies,) index of the parent, -1 for a root.
        axes: every axis, followers included, body by body in the order of action.
        axis_body: (axes,) index of the body that each axis moves.
        axis_unknown, axis_multiplier, axis_offset: (axes,) ``value = multiplier * q[unknown] + offset``; chains of
            mimics are resolved to their first source.
        has_laws: whether any body is placed by a law.
    """

    def __init__(self, bodies: Iterable[Body]) -> None:
        """Check and freeze the tree.

        Args:
            bodies: in any order; every parent must be among them.

        Raises:
            SkeletonError: a name used twice, a parent or mimic source that does not exist, a loop of parents or of
                mimics, a matrix or a handle of the wrong shape, limits that exclude every value, a stiffness or a
                relation that means nothing. The message names the culprit.
        """
        self._bodies = parents_first(list(bodies))
        self.bodies: tuple[str, ...] = tuple(body.name for body in self._bodies)
        self._index = {name: i for i, name in enumerate(self.bodies)}
        self.parent: tuple[int, ...] = tuple(
            -1 if body.parent is None else self._index[body.parent] for body in self._bodies
        )
        children: list[list[int]] = [[] for _ in self._bodies]
        for i, parent in enumerate(self.parent):
            if parent >= 0:
                children[parent].append(i)
        self.children: tuple[tuple[int, ...], ...] = tuple(tuple(c) for c in children)
        self.axes: tuple[Axis, ...] = tuple(axis for body in self._bodies for axis in body.axes)
        self.axis_body: tuple[int, ...] = tuple(i for i, body in enumerate(self._bodies) for _ in body.axes)
        ends = list(itertools.accumulate(len(body.axes) for body in self._bodies))
        self._body_axes = tuple(range(end - len(body.axes), end) for body, end in zip(self._bodies, ends, strict=True))
        self.joints: tuple[str, ...] = tuple(body.joint for body in self._bodies if body.axes)
        check_unique("axis", [axis.name for axis in self.axes])
        check_unique("joint", self.joints)
        for axis in self.axes:
            check_axis(axis)
        relations = resolve_mimics(self.axes)
        free = [axis for axis in self.axes if axis.mimic is None]
        self.unknowns: tuple[str, ...] = tuple(axis.name for axis in free)
        self._unknown = {name: i for i, name in enumerate(self.unknowns)}
        self.axis_unknown: tuple[int, ...] = tuple(self._unknown[source] for source, _, _ in relations)
        self.axis_multiplier: tuple[float, ...] = tuple(multiplier for _, multiplier, _ in relations)
        self.axis_offset: tuple[float, ...] = tuple(offset for _, _, offset in relations)
        self.lower = _frozen(np.array([axis.lower for axis in free], dtype=np.float64))
        self.upper = _frozen(np.array([axis.upper for axis in free], dtype=np.float64))
        self.continuous: tuple[bool, ...] = tuple(axis.continuous for axis in free)
        self.stiffness = _frozen(np.array([axis.stiffness for axis in free], dtype=np.float64))
        self.has_laws = any(body.law is not None for body in self._bodies)

    def __repr__(self) -> str:
        return f"Skeleton({len(self.bodies)} bodies, {len(self.unknowns)} unknowns)"

    def body(self, name: str) -> Body:
        """The body of that name.

        Raises:
            SkeletonError: there is none; close names are suggested.
        """
        return self._bodies[self.index(name)]

    def index(self, name: str) -> int:
        """Place of a body in :attr:`bodies`.

        Raises:
            SkeletonError: there is no such body; close names are suggested.
        """
        try:
            return self._index[name]
        except KeyError:
            raise SkeletonError(f"no body {name!r} in this skeleton; {suggest(name, self.bodies)}") from None

    def body_at(self, index: int) -> Body:
        """The body at a place of :attr:`bodies`."""
        return self._bodies[index]

    def branches(self, body: str) -> int:
        """How many movable subtrees hang on the assembly that a body is a part of; helpers do not count.

        Raises:
            SkeletonError: there is no such body; close names are suggested.
        """
        from .chain import branches

        return branches(self, self.index(body))

    def axes_of(self, index: int) -> range:
        """Places in :attr:`axes` of the axes that move the body at ``index``, in the order of action."""
        return self._body_axes[index]

    def neutral(self) -> Vector:
        """(n,) zero for every unknown, clamped into its limits."""
        return np.clip(np.zeros(len(self.unknowns)), self.lower, self.upper)

    def middle(self) -> Vector:
        """(n,) the middle of each unknown's limits; the neutral value where a limit is missing or the unknown wraps."""
        middle = self.neutral()
        for i, (lower, upper) in enumerate(zip(self.lower, self.upper, strict=True)):
            if math.isfinite(lower) and math.isfinite(upper) and not self.continuous[i]:
                middle[i] = 0.5 * (lower + upper)
        return middle

    def vector(self, values: Mapping[str, float]) -> Vector:
        """A full pose from joint values; unknowns that are not named are neutral.

        Args:
            values: by unknown (joint) name [rad] or [m]. A follower may be given beside its source, and is ignored.

        Returns:
            (n,) not clamped.

        Raises:
            SkeletonError: a name that is no joint, a follower without its source, or a value that is no finite number.
        """
        q = self.neutral()
        followers = {
            axis.name: self.unknowns[self.axis_unknown[i]] for i, axis in enumerate(self.axes) if axis.mimic is not None
        }
        for name, value in values.items():
            if name in followers:
                if followers[name] not in values:
                    raise SkeletonError(f"joint {name!r} follows {followers[name]!r}: set that one instead")
                continue
            if name not in self._unknown:
                raise SkeletonError(f"no joint {name!r} in this skeleton; {suggest(name, self.unknowns)}")
            try:
                number = float(value)
            except (TypeError, ValueError, OverflowError):
                number = math.nan
            if not math.isfinite(number):
                raise SkeletonError(f"joint {name!r} was given {value!r}; a finite number is needed")
            q[self._unknown[name]] = number
        return q

    def pose(self, q: ArrayLike) -> dict[str, float]:
        """The value of every axis, followers included, by name [rad] or [m]."""
        values = self.axis_values(q)
        return {axis.name: values[i] for i, axis in enumerate(self.axes)}

    def axis_values(self, q: ArrayLike) -> list[float]:
        """(axes,) value of every axis, followers included, in the order of :attr:`axes`."""
        numbers = self.checked(q).tolist()
        return [
            multiplier * numbers[unknown] + offset
            for unknown, multiplier, offset in zip(
                self.axis_unknown, self.axis_multiplier, self.axis_offset, strict=True
            )
        ]

    def forward(self, q: ArrayLike) -> dict[str, Matrix]:
        """Forward kinematics: the frame of every body in skeleton space.

        Args:
            q: (n,) full pose; not clamped here.

        Returns:
            (4, 4) float64 by body name.
        """
        values = self.axis_values(q)
        frames: list[Matrix] = []
        for i, parent in enumerate(self.parent):
            own = [values[axis] for axis in self._body_axes[i]]
            frames.append(self.placed(i, _EYE if parent < 0 else frames[parent], own))
        return dict(zip(self.bodies, frames, strict=True))

    def placed(self, index: int, parent: Matrix, values: Sequence[float]) -> Matrix:
        """(4, 4) frame of the body at a place of :attr:`bodies`.

        Args:
            index: the place.
            parent: (4, 4) frame of its parent in skeleton space; the identity for a root.
            values: of its axes.
        """
        body = self._bodies[index]
        if body.law is not None:
            return body.law.frame(parent, values)
        frame = parent @ body.origin
        for axis, value in zip(body.axes, values, strict=True):
            frame = frame @ axis_motion(axis, value)
        return frame @ body.offset

    def frame(self, body: str, q: ArrayLike) -> Matrix:
        """(4, 4) frame of one body in skeleton space, by the bodies above it only.

        Args:
            body: its name.
            q: (n,) full pose; not clamped here.

        Raises:
            SkeletonError: there is no such body, or the pose has the wrong shape.
        """
        numbers = self.checked(q)
        above = [self.index(body)]
        while self.parent[above[-1]] >= 0:
            above.append(self.parent[above[-1]])
        frame = _EYE
        for i in reversed(above):
            values = [
                float(self.axis_multiplier[axis] * numbers[self.axis_unknown[axis]] + self.axis_offset[axis])
                for axis in self._body_axes[i]
            ]
            frame = self.placed(i, frame, values)
        return frame

    def chain(
        self,
        bodies: str | Sequence[str],
        *,
        q: ArrayLike | None = None,
        anchor: str | None = None,
        length: int | None = None,
        root_motion: bool = False,
    ) -> Chain:
        """The unknowns that may move to bring ``bodies`` somewhere; see :class:`~.chain.Chain`.

        Args:
            bodies: the dragged body, or several (then the union tree).
            q: (n,) full pose at which everything outside the chain is held; None = neutral.
            anchor: None = the rule (stop before moving the first assembly above that branches), ``"root"``, or the
                name of the body that stays.
            length: at most so many unknowns, counted from the dragged body; None = no cap.
            root_motion: True adds the six unknowns that move the whole skeleton, first ``"root_motion:x"``; the chain
                then goes all the way up, and its skeleton is that of :meth:`with_root_motion`.

        Raises:
            SkeletonError: a name that does not exist or is none, an anchor that is not above a dragged body, a length
                that is no whole number or below 1, an anchor or a length beside ``root_motion``.
        """
        from .chain import Chain

        names = _names(bodies)
        if anchor is not None and not isinstance(anchor, str):
            raise SkeletonError(f"the anchor is {anchor!r}; the name of a body is needed, or 'root'")
        if length is not None:
            length = _whole(length)
        if root_motion:
            if anchor not in (None, "root") or length is not None:
                raise SkeletonError("with root_motion the chain goes all the way up: leave anchor and length away")
            full = np.concatenate((np.zeros(6), self.neutral() if q is None else self.checked(q)))
            return Chain(self.with_root_motion(), names, q=full, anchor="root")
        return Chain(self, names, q=self.neutral() if q is None else self.checked(q), anchor=anchor, length=length)

    def with_root_motion(self) -> Skeleton:
        """The same skeleton below a body ``"root_motion"`` that moves freely, about the first root's origin.

        Its full poses have six unknowns more, in front: the way along the axes of skeleton space, then the turns about
        them. At zero everything is where it is without.
        """
        name = ROOT_MOTION
        while name in self._index or any(axis.name.startswith(name) for axis in self.axes):
            name += "_"
        first = next(body for body in self._bodies if body.parent is None)
        there, back = np.eye(4), np.eye(4)
        there[:3, 3], back[:3, 3] = first.origin[:3, 3], -first.origin[:3, 3]
        mover = Body(name, None, name, there, floating_axes(name), back)
        return Skeleton(
            [mover, *(replace(body, parent=name) if body.parent is None else body for body in self._bodies)]
        )

    def checked(self, q: ArrayLike) -> Vector:
        """``q`` as (n,) float64.

        Raises:
            SkeletonError: no numbers, another shape, or a number that is not finite.
        """
        try:
            numbers = np.asarray(q, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise SkeletonError(f"the pose is {q!r}; numbers are needed") from None
        if numbers.shape != (len(self.unknowns),):
            raise SkeletonError(f"a pose of this skeleton has shape ({len(self.unknowns)},), not {numbers.shape}")
        if not np.isfinite(numbers).all():
            bad = self.unknowns[int(np.flatnonzero(~np.isfinite(numbers))[0])]
            raise SkeletonError(f"the pose holds no finite number for {bad!r}")
        return numbers


def axis_motion(axis: Axis, value: float) -> Matrix:
    """(4, 4) motion of one axis: Rodrigues' rotation about it by ``value`` [rad], or a slide along it [m]."""
    x, y, z = axis.direction
    motion = np.eye(4)
    if axis.kind == AxisKind.SLIDE:
        motion[:3, 3] = (x * value, y * value, z * value)
        return motion
    c, s = math.cos(value), math.sin(value)
    k = 1.0 - c
    motion[:3, :3] = (
        (c + k * x * x, k * x * y - s * z, k * x * z + s * y),
        (k * x * y + s * z, c + k * y * y, k * y * z - s * x),
        (k * x * z - s * y, k * y * z + s * x, c + k * z * z),
    )
    return motion


def _names(bodies: str | Sequence[str]) -> tuple[str, ...]:
    if isinstance(bodies, str):
        return (bodies,)
    try:
        return tuple(bodies)
    except TypeError:
        raise SkeletonError(f"a chain was asked for {bodies!r}; the name of a body is needed, or several") from None


def _whole(length: int) -> int:
    try:
        return operator.index(length)
    except TypeError:
        raise SkeletonError(f"a chain of length {length!r} was asked for; a whole number is needed") from None


def _frozen(array: Vector) -> Vector:
    array.setflags(write=False)
    return array
