"""Which unknowns may move when a body is dragged, and where they are anchored."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..errors import SkeletonError
from .joint import AxisKind, Matrix

if TYPE_CHECKING:
    from .compiled import Compiled
    from .problem import Problem
    from .skeleton import Skeleton, Vector
    from .step import Handle

# How many sets of handles a chain keeps its numbers for.
KEPT = 16


class Chain:
    """The unknowns from an anchor to the dragged body, or to several bodies: then a tree.

    The anchor rule: walk from the dragged body's assembly (bodies joined by fixed joints) towards the root, taking
    every movable joint, and stop before moving the first assembly above it that branches, that is, carries more than
    one movable subtree. Followers count as movable, the dragged body's own assembly does not count.

    A follower is never an unknown. Where one is taken, its source becomes an unknown of the chain, on the path or
    not; unless the source also moves the anchor: then the follower is held.

    Attributes:
        skeleton: that it is a part of.
        bodies: names of the dragged bodies.
        q: (n,) full pose of the skeleton at which everything outside the chain is held; read-only.
        unknowns: names, anchor first.
        dof: their number; 0 is allowed.
        index: their places in ``skeleton.unknowns``.
        lower, upper: (dof,) limits; infinite where there are none.
        continuous: per unknown, True where it wraps.
        anchor: name of the body that stays and carries the first joint; "" when the chain moves a root, which is held
            by nothing but skeleton space. For several bodies the nearest one above all their anchors.
        path: body names from the anchor to the dragged body; for several the bodies of the tree, parents first.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        bodies: Sequence[str],
        *,
        q: ArrayLike,
        anchor: str | Sequence[int | None] | None = None,
        length: int | None = None,
    ) -> None:
        """Walk the chain; see :meth:`Skeleton.chain` for the arguments.

        Instead of one anchor for all there may be one for each body: its place in the skeleton, -1 for all the way up,
        None for the rule.

        Raises:
            SkeletonError: no body, a name that does not exist, an anchor that is not above a dragged body, a length
                below 1, a pose of the wrong shape.
        """
        if not bodies:
            raise SkeletonError("a chain needs at least one body, and none was named")
        if length is not None and length < 1:
            raise SkeletonError(f"a chain of length {length} was asked for; at least 1 unknown is needed")
        self.skeleton = skeleton
        self.bodies = tuple(bodies)
        anchors: Sequence[str | int | None] = (
            [anchor] * len(self.bodies) if anchor is None or isinstance(anchor, str) else anchor
        )
        walks = [
            _walk(skeleton, skeleton.index(name), each, length) for name, each in zip(self.bodies, anchors, strict=True)
        ]
        taken = set().union(*(unknowns for _, _, unknowns in walks))
        top = _common_ancestor(skeleton, [start for _, start, _ in walks])
        on_path = sorted(set().union(*(path for path, _, _ in walks)))
        if top >= 0 and top not in on_path:
            on_path.insert(0, top)
        self.anchor = "" if top < 0 else skeleton.bodies[top]
        single = len(walks) == 1
        self.path: tuple[str, ...] = tuple(skeleton.bodies[i] for i in (walks[0][0] if single else on_path))
        moved = {i for path, _, _ in walks for i in path}
        order: dict[int, None] = {}
        for axis, body in enumerate(skeleton.axis_body):
            if body in moved and skeleton.axis_unknown[axis] in taken:
                order.setdefault(skeleton.axis_unknown[axis])
        self.index: tuple[int, ...] = tuple(order)
        self.unknowns: tuple[str, ...] = tuple(skeleton.unknowns[i] for i in self.index)
        self.dof = len(self.index)
        self._places = np.array(self.index, dtype=np.intp)
        self.lower: Vector = skeleton.lower[self._places]
        self.upper: Vector = skeleton.upper[self._places]
        self.lower.setflags(write=False)
        self.upper.setflags(write=False)
        self.continuous: tuple[bool, ...] = tuple(skeleton.continuous[i] for i in self.index)
        self.wraps, self._followed = self._relations()
        self.winds = True in self.wraps
        self._followed_plainly = self._followed == tuple((name, i, 1.0, 0.0) for i, name in enumerate(self.unknowns))
        self._bind(q)

    def __repr__(self) -> str:
        return f"Chain({self.anchor!r} to {', '.join(map(repr, self.bodies))}, {self.dof} unknowns)"

    def at(self, q: ArrayLike) -> Chain:
        """The same chain with everything outside it held at another full pose ``q`` (n,).

        Raises:
            SkeletonError: the pose has the wrong shape or holds no finite numbers.
        """
        other = object.__new__(Chain)
        other.__dict__.update(self.__dict__)
        other._bind(q)
        return other

    @property
    def values(self) -> Vector:
        """(dof,) the chain's part of :attr:`q`."""
        return self.q[self._places]

    @property
    def reach(self) -> float:
        """Largest distance [m] of the first dragged body's handle from the chain's first joint.

        By summed lengths and slide ranges, so no pose goes beyond it; ``inf`` when a slide has no limit.
        """
        body = self.bodies[0]
        return self.compiled(((body, self.skeleton.body(body).point, False),)).tips[0].reach

    def full(self, values: ArrayLike) -> Vector:
        """(n,) full pose: :attr:`q` with the chain's own ``values`` (dof,) put in; the rest is bit-identical."""
        q = self.q.copy()
        q[self._places] = self.checked(values)
        return q

    def pose(self, values: Iterable[float]) -> dict[str, float]:
        """Values of every axis that the chain moves, followers included, by name [rad] or [m].

        Args:
            values: (dof,) of the chain.
        """
        if self._followed_plainly:
            return dict(zip(self.unknowns, values, strict=True))
        numbers = list(values)
        return {name: multiplier * numbers[place] + offset for name, place, multiplier, offset in self._followed}

    def forward(self, values: ArrayLike, body: str | None = None) -> Matrix:
        """(4, 4) frame of a body in skeleton space; the first dragged body's when none is named.

        Args:
            values: (dof,) of the chain; not clamped here.
            body: any body of the skeleton.

        Raises:
            SkeletonError: there is no such body, or ``values`` has the wrong shape.
        """
        return self.skeleton.frame(self.bodies[0] if body is None else body, self.full(values))

    def checked(self, values: ArrayLike) -> Vector:
        """``values`` as (dof,) float64.

        Raises:
            SkeletonError: no numbers, another shape, or a number that is not finite.
        """
        try:
            numbers = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise SkeletonError(f"the values of this chain are {values!r}; numbers are needed") from None
        if numbers.shape != (self.dof,):
            raise SkeletonError(f"values of this chain have shape ({self.dof},), not {numbers.shape}")
        listed = numbers.tolist()
        if not math.isfinite(sum(listed)):
            for name, number in zip(self.unknowns, listed, strict=True):
                if not math.isfinite(number):
                    raise SkeletonError(f"the values hold no finite number for {name!r}")
        return numbers

    def __getstate__(self) -> dict[str, object]:
        """For copies and pickles: without what is kept for the next call, of which functions cannot be pickled."""
        return {**self.__dict__, "_cache": {}, "last_problem": None}

    def compiled(self, handles: tuple[Handle, ...], weights: tuple[float, ...] | None = None) -> Compiled:
        """The chain as plain numbers, kept for the next call.

        Args:
            handles: (body, point in its frame, whether its rotation is wanted) each.
            weights: (dof,) how willingly each unknown moves; None = 1 each.

        Raises:
            SkeletonError: a body that does not exist, or a joint that is scaled unevenly.
        """
        key = (handles, weights)
        found = self._cache.get(key)
        if found is None:
            from .compiled import Compiled

            if len(self._cache) >= KEPT:
                self._cache.clear()
            found = self._cache[key] = Compiled(self, handles, weights)
        return found

    def _bind(self, q: ArrayLike) -> None:
        held = self.skeleton.checked(q).copy()
        held.setflags(write=False)
        self.q: Vector = held
        self._cache: dict[tuple[tuple[Handle, ...], tuple[float, ...] | None], Compiled] = {}
        # What was asked last, from which the next problem is made: most ask for the same body elsewhere.
        self.last_problem: Problem | None = None

    def _relations(self) -> tuple[tuple[bool, ...], tuple[tuple[str, int, float, float], ...]]:
        """Which unknowns may be reported wrapped, and (name, place, multiplier, offset) of every axis that they move.

        A whole turn of a source turns a follower by its multiplier: only where that is a whole turn too is it the
        same pose.
        """
        skeleton = self.skeleton
        place = {unknown: i for i, unknown in enumerate(self.index)}
        wraps = list(self.continuous)
        followed = []
        rows = zip(skeleton.axes, skeleton.axis_unknown, skeleton.axis_multiplier, skeleton.axis_offset, strict=True)
        for axis, unknown, multiplier, offset in rows:
            if unknown in place:
                followed.append((axis.name, place[unknown], multiplier, offset))
                if axis.kind != AxisKind.HINGE or not float(multiplier).is_integer():
                    wraps[place[unknown]] = False
        return tuple(wraps), tuple(followed)


def _walk(
    skeleton: Skeleton, body: int, anchor: str | int | None, length: int | None
) -> tuple[list[int], int, set[int]]:
    """(bodies from the anchor to ``body``, the anchor's index or -1, the unknowns taken) of one dragged body."""
    named = -1
    if isinstance(anchor, int):
        named = anchor if anchor < 0 else _assembly(skeleton, anchor)
    elif anchor is not None and anchor != "root":
        named = _assembly(skeleton, skeleton.index(anchor))
    upwards: list[int] = []
    moving: list[int] = []
    start = body
    while start >= 0:
        top = _assembly(skeleton, start)
        if top == named:
            break
        own = not moving
        if anchor is None and not own and (_branches(skeleton, top) > 1 or _marked(skeleton, top)):
            break
        if not skeleton.body_at(top).axes:
            if named >= 0:
                raise SkeletonError(
                    f"the anchor {anchor!r} is not above {skeleton.bodies[body]!r}; above it are "
                    + (", ".join(repr(skeleton.bodies[i]) for i in _above(skeleton, body)) or "no bodies")
                )
            break
        moving.append(top)
        while start != top:
            upwards.append(start)
            start = skeleton.parent[start]
        upwards.append(top)
        start = skeleton.parent[top]
    if start < 0 and named >= 0:
        raise SkeletonError(
            f"the anchor {anchor!r} is not above {skeleton.bodies[body]!r}; above it are "
            + (", ".join(repr(skeleton.bodies[i]) for i in _above(skeleton, body)) or "no bodies")
        )
    held = {skeleton.axis_unknown[axis] for i in _upwards(skeleton, start) for axis in skeleton.axes_of(i)}
    taken: dict[int, None] = {}
    for i in moving:
        for axis in reversed(skeleton.axes_of(i)):
            unknown = skeleton.axis_unknown[axis]
            if unknown not in held and (length is None or len(taken) < length):
                taken.setdefault(unknown)
    # A length, or a held follower, may leave joints next to the anchor that do not move: what they carry is the anchor.
    last = next(
        (i for i in reversed(moving) if any(skeleton.axis_unknown[a] in taken for a in skeleton.axes_of(i))), -1
    )
    if last < 0:
        return [body], body, set()
    start = skeleton.parent[last]
    path = upwards[: upwards.index(last) + 1] + ([start] if start >= 0 else [])
    return path[::-1], start, set(taken)


def _assembly(skeleton: Skeleton, body: int) -> int:
    """The topmost body of the assembly: the one that a joint moves, or a root."""
    while not skeleton.body_at(body).axes and skeleton.parent[body] >= 0:
        body = skeleton.parent[body]
    return body


def branches(skeleton: Skeleton, body: int) -> int:
    """Movable subtrees that hang on the assembly of the body at this place."""
    return _branches(skeleton, _assembly(skeleton, body))


def _members(skeleton: Skeleton, top: int) -> list[int]:
    members = [top]
    for body in members:
        members.extend(child for child in skeleton.children[body] if not skeleton.body_at(child).axes)
    return members


def _marked(skeleton: Skeleton, top: int) -> bool:
    return any(skeleton.body_at(body).anchor for body in _members(skeleton, top))


def _branches(skeleton: Skeleton, body: int) -> int:
    """Movable subtrees that hang on the assembly below ``body``."""
    count = 0
    for child in skeleton.children[body]:
        described = skeleton.body_at(child)
        if described.branch is False:
            continue
        if described.axes:
            count += 1
        else:
            count += max(_branches(skeleton, child), 1 if described.branch else 0)
    return count


def _upwards(skeleton: Skeleton, body: int) -> list[int]:
    """``body`` and everything above it; nothing for -1."""
    found = []
    while body >= 0:
        found.append(body)
        body = skeleton.parent[body]
    return found


def _above(skeleton: Skeleton, body: int) -> list[int]:
    return _upwards(skeleton, skeleton.parent[body])


def _common_ancestor(skeleton: Skeleton, bodies: Sequence[int]) -> int:
    """The nearest body that is, or is above, each of these; -1 when there is none."""
    first, *others = [_upwards(skeleton, body) for body in bodies]
    shared = set(first).intersection(*others)
    return next((body for body in first if body in shared), -1)
