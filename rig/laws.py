"""Bones whose place no constant frames around hinges can say: how a parent carries them changes as that moves.

These are bones that Limit Rotation or Limit Location hold in other axes than their own or in part only, bones whose
shear is taken out below an unevenly scaled joint, and bones that do not inherit rotation. Their forward kinematics is
Blender's own rule, step by step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from . import euler
from .bones import ALIGNED, AVERAGE, FIX_SHEAR, FULL, NONE, NONE_LEGACY
from .channels import Motion
from .clamps import Limit, LocationLimit
from .euler import Triple
from .matrices import upright

Matrix = NDArray[np.float64]

# A frame that differs by no more than this, of its size, is the same.
_SAME = 1e-9
_ALIKE = 1e-6


@dataclass(frozen=True, eq=False, slots=True)
class Carrier:
    """How a bone is carried by its parent; see :mod:`.placing` for the same of all bones at once.

    Attributes:
        offset: (4, 4) rest offset from the parent's rest; the rest matrix of a root.
        parent_rest: (3, 3) the parent's rest matrix.
        inherit_scale: FULL, FIX_SHEAR …; of no effect on a root.
        inherits_rotation, local_location: switches of the bone.
        root: whether it has no parent.
    """

    offset: Matrix
    parent_rest: Matrix
    inherit_scale: int
    inherits_rotation: bool
    local_location: bool
    root: bool

    def carried(self, parent: Matrix) -> Carried:
        """What the channels are applied to under a parent (4, 4); the identity for a root."""
        linear, offset = parent[:3, :3], self.offset
        turned, post = self._turned(linear), None
        if not self.root:
            if self.inherit_scale == ALIGNED:
                turned, post = self._aligned(linear)
            elif self.inherit_scale == FIX_SHEAR:
                turned = upright(turned)
        start = linear @ offset[:3, 3] + parent[:3, 3]
        return Carried(turned, post, start, linear @ offset[:3, :3] if self.local_location else linear, parent)

    def _turned(self, linear: Matrix) -> Matrix:
        mode, offset = self.inherit_scale, self.offset[:3, :3]
        if self.root:
            return linear @ offset
        if self.inherits_rotation:
            if mode in (NONE, AVERAGE):
                linear = upright(linear, unit=True) * (_average(linear) if mode == AVERAGE else 1.0)
            elif mode == NONE_LEGACY:
                linear = linear / _lengths(linear)
            return linear @ offset
        if mode == AVERAGE:
            return self.parent_rest @ offset * _average(linear)
        if mode in (FULL, FIX_SHEAR):
            lengths = _lengths(linear)
            if mode == FIX_SHEAR:
                lengths = lengths * (_average(linear) / np.cbrt(max(float(lengths.prod()), 1e-30)))
            return (self.parent_rest * lengths) @ offset
        return self.parent_rest @ offset

    def _aligned(self, linear: Matrix) -> tuple[Matrix, Matrix]:
        if self.inherits_rotation:
            straight = upright(linear)
            lengths = _lengths(straight)
            return (straight / lengths) @ self.offset[:3, :3], lengths
        lengths = _lengths(linear)
        factor = _average(linear) / np.cbrt(max(float(lengths.prod()), 1e-30))
        return self.parent_rest @ self.offset[:3, :3], lengths * factor


@dataclass(frozen=True, eq=False, slots=True)
class Carried:
    """What a bone's channels are applied to.

    Attributes:
        turned: (3, 3) before them.
        post: (3,) factors on the columns behind them, None for 1.
        start: (3,) origin without a location.
        along: (3, 3) what the location is multiplied by.
        parent: (4, 4) of the parent bone.
    """

    turned: Matrix
    post: Matrix | None
    start: Matrix
    along: Matrix
    parent: Matrix

    def placed(self, linear: Matrix, location: Sequence[float] | Matrix) -> Matrix:
        """(4, 4) matrix for channels: rotation and scale (3, 3), location (3,)."""
        frame = np.eye(4)
        made = self.turned @ linear
        frame[:3, :3] = made if self.post is None else made * self.post
        frame[:3, 3] = self.start + self.along @ location
        return frame

    def channels(self, frame: Matrix) -> tuple[Matrix, Matrix]:
        """(3, 3) and (3,) of which :meth:`placed` makes a frame.

        Raises:
            LinAlgError: the parent is flat.
        """
        linear = np.linalg.solve(self.turned, frame[:3, :3] if self.post is None else frame[:3, :3] / self.post)
        location = np.linalg.solve(self.along, frame[:3, 3] - self.start)
        return np.asarray(linear, dtype=np.float64), np.asarray(location, dtype=np.float64)


@dataclass(frozen=True, eq=False, slots=True)
class BoneLaw:
    """Where a bone is by its parent and its unknowns; a :class:`~.solver.Law`.

    Attributes:
        carrier: how its parent carries it.
        motion: what its channels make, before the limits of the stack.
        scale: (3,) channel.
        connected: whether limits leave its head where it is.
        stack: limits in the order in which they act.
        to_bone: (4, 4) from the frame of the parent's body to the parent bone, None where they are the same.
        to_link: (4, 4) the frame of the body in the bone, None where they are the same.
        keeps_lengths: see there.
    """

    carrier: Carrier
    motion: Motion
    scale: Matrix
    connected: bool
    stack: tuple[Limit, ...]
    to_bone: Matrix | None = None
    to_link: Matrix | None = None
    keeps_lengths: bool = False

    @property
    def follows_object(self) -> bool:
        """Whether it says the same of parents that the armature object has moved as of those that bones have."""
        carrier = self.carrier
        return (carrier.root or carrier.inherits_rotation) and not any(
            limit.space is not None and limit.space.inside for limit in self.stack
        )

    def frame(self, parent: Matrix, values: Sequence[float]) -> Matrix:
        """(4, 4) frame under a parent, by the unknowns in the order of ``motion.free``."""
        carried = self._carried(parent)
        frame = self._limited(carried, self._free(carried, values))
        return frame if self.to_link is None else frame @ self.to_link

    def shown(self, parent: Matrix) -> Matrix:
        """(4, 4) frame under a parent, by the values of ``motion``."""
        return self.frame(parent, [free.value for free in self.motion.free])

    def settled(self, parent: Matrix, values: Sequence[float]) -> Sequence[float]:
        """Unknowns that the limits let pass as they are, for the same frame; the given ones where there are none."""
        if not self.stack or any(limit.influence < 1.0 for limit in self.stack):
            return values
        carried = self._carried(parent)
        free = self._free(carried, values)
        shown = self._limited(carried, free)
        size = max(1e-9, float(np.abs(shown).max()))
        if float(np.abs(shown - free).max()) <= _SAME * size:
            return values
        try:
            linear, location = carried.channels(shown)
        except np.linalg.LinAlgError:
            return values
        with np.errstate(divide="ignore", invalid="ignore"):
            rotation = linear / self.scale
        if not np.isfinite(rotation).all():
            return values
        found = self._values(rotation, location.tolist(), values)
        again = self._free(carried, found)
        return found if float(np.abs(shown - again).max()) <= _ALIKE * size else values

    def as_shown(self, parent: Matrix) -> BoneLaw:
        """The same with a motion whose values the limits let pass, where there are such values."""
        motion = self.motion
        before = [free.value for free in motion.free]
        values = self.settled(parent, before)
        if values is before:
            return self
        count = len(motion.slides)
        angles, location = list(motion.angles), list(motion.location)
        for free, value in zip(motion.slides, values, strict=False):
            location[free.part] = value
        for free, value in zip(motion.turns, values[count:], strict=True):
            angles[free.part] = value
        slides = tuple(replace(free, value=value) for free, value in zip(motion.slides, values, strict=False))
        turns = tuple(replace(free, value=value) for free, value in zip(motion.turns, values[count:], strict=True))
        base = motion.base
        if base is not None:
            base = motion.rotation(angles)
            angles, turns = [0.0, 0.0, 0.0], motion.turns
        return replace(
            self,
            motion=replace(
                motion,
                angles=(angles[0], angles[1], angles[2]),
                location=(location[0], location[1], location[2]),
                slides=slides,
                turns=turns,
                base=base,
            ),
        )

    def _carried(self, parent: Matrix) -> Carried:
        return self.carrier.carried(parent if self.to_bone is None else parent @ self.to_bone)

    def _free(self, carried: Carried, values: Sequence[float]) -> Matrix:
        """The frame without limits."""
        motion = self.motion
        location = list(motion.location)
        for free, value in zip(motion.slides, values, strict=False):
            location[free.part] = value
        angles = list(motion.angles)
        # A swing has its first turn once more behind the others.
        for free, value in zip(motion.turns, values[len(motion.slides) :], strict=not motion.swing):
            angles[free.part] = value
        return carried.placed(motion.rotation(angles) * self.scale, location)

    def _limited(self, carried: Carried, frame: Matrix) -> Matrix:
        head = frame[:3, 3]
        for limit in self.stack:
            frame = _apply(limit, carried, frame)
        if self.connected and self.stack:
            frame[:3, 3] = head
        return frame

    def _values(self, rotation: Matrix, location: Sequence[float], before: Sequence[float]) -> list[float]:
        motion = self.motion
        found = [location[free.part] for free in motion.slides]
        if not motion.turns:
            return found
        old = list(motion.angles)
        for free, value in zip(motion.turns, before[len(motion.slides) :], strict=not motion.swing):
            old[free.part] = value
        angles: Sequence[float]
        again: list[float] = []
        if motion.swing:
            outer, inner = (free.part for free in motion.turns)
            swing = euler.to_swing(rotation, outer, inner)
            angles = [0.0] * 3
            angles[outer], angles[inner] = swing
            again = [swing[0]] * (len(before) - len(motion.free))
        else:
            turned = rotation if motion.base is None else motion.base.T @ rotation
            angles = euler.nearest_euler(turned, motion.order, old)
        return [*found, *(min(max(angles[free.part], free.lower), free.upper) for free in motion.turns), *again]


def _apply(limit: Limit, carried: Carried, frame: Matrix) -> Matrix:
    """The matrix after one limit."""
    space = limit.space
    if space is None:
        linear, location = carried.channels(frame)
        owned = np.eye(4)
        owned[:3, :3], owned[:3, 3] = linear, location
    else:
        seen = np.linalg.solve(carried.parent, frame) if space.of_parent else frame
        owned = space.into @ seen
    rule = limit.rule
    if isinstance(rule, LocationLimit):
        owned[:3, 3] = rule.clamp(owned[:3, 3].tolist())
    else:
        straight = upright(owned[:3, :3])
        lengths = np.linalg.norm(straight, axis=0)
        angles = _angles(straight / np.maximum(lengths, 1e-30), rule.order)
        owned[:3, :3] = euler.from_euler(rule.clamp(angles), rule.order) * lengths
    if space is None:
        found = carried.placed(owned[:3, :3], owned[:3, 3])
    else:
        found = space.back @ owned
        if space.of_parent:
            found = carried.parent @ found
    if limit.influence < 1.0:
        return limit.to_world.back @ blended(limit.to_world.into @ frame, limit.to_world.into @ found, limit.influence)
    return found


def _angles(rotation: Matrix, order: str) -> Triple:
    return euler.to_euler(rotation, order)[0]


def blended(before: Matrix, after: Matrix, share: float) -> Matrix:
    """(4, 4) between two affine matrices, as Blender mixes them: rotation, stretch and place each on its own."""
    parts = []
    for matrix in (before, after):
        u, sizes, v = np.linalg.svd(matrix[:3, :3])
        turned, stretch = u @ v, (v.T * sizes) @ v
        if np.linalg.det(turned) < 0.0:
            turned, stretch = -turned, -stretch
        parts.append((euler.to_quaternion(turned), stretch))
    (first, stretch), (second, other) = parts
    found = np.eye(4)
    found[:3, :3] = euler.from_quaternion(_between(first, second, share).tolist()) @ (
        (1.0 - share) * stretch + share * other
    )
    found[:3, 3] = (1.0 - share) * before[:3, 3] + share * after[:3, 3]
    return found


def _between(first: Sequence[float], second: Sequence[float], share: float) -> Matrix:
    """(4,) on the short arc between two unit quaternions."""
    a, b = np.array(first), np.array(second)
    cosine = float(a @ b)
    if cosine < 0.0:
        a, cosine = -a, -cosine
    if cosine > 1.0 - 1e-9:
        return (1.0 - share) * a + share * b
    angle = float(np.arccos(cosine))
    mixed: Matrix = (np.sin((1.0 - share) * angle) * a + np.sin(share * angle) * b) / np.sin(angle)
    return mixed


def _average(linear: Matrix) -> float:
    return float(np.cbrt(abs(np.linalg.det(linear))))


def _lengths(linear: Matrix) -> Matrix:
    return np.maximum(np.linalg.norm(linear, axis=0), 1e-30)
