"""The other side of a character follows what is dragged, as with Blender's X-Axis Mirror.

With the rest matrices A of a bone and of its other side, and F = diag(-1, 1, 1), ``C = inv(A) @ F @ A_other`` takes the
axes of the one to those of the other, and the other side's rotation is ``inv(C) @ rotation @ C``: where Blender's own
rule applies, because both rest symmetrically and are rolled alike, C is F and both rules agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from . import definition, euler, reading, sides, writing
from .channels import Free
from .clamps import clamp_angle
from .euler import Matrix, Triple
from .reading import BoneReading, Reading
from .snapshot import OBJECT

Vector = NDArray[np.float64]

_FLIP = np.diag((-1.0, 1.0, 1.0))
# Angles that are off by less, are off by rounding [rad].
_SAME = 1e-6


@dataclass(frozen=True, eq=False)
class _Side:
    """What one bone does: as it was at the start, and where its values are kept."""

    entry: BoneReading
    places: tuple[int, ...]
    rotation: Matrix
    location: Vector


@dataclass(frozen=True, eq=False)
class _Pair:
    """A dragged bone and its other side.

    Attributes:
        source, other: the two.
        across: (3, 3) inverse of C, see above.
        way: (3, 3) takes a location of the one to that of the other.
        turns, slides: which kinds of channels follow.
    """

    source: _Side
    other: _Side
    across: Matrix
    way: Matrix
    turns: bool
    slides: bool


@dataclass(frozen=True)
class Wish:
    """Whether the other side shall follow, and whether the change is mirrored rather than the pose."""

    on: bool = False
    relative: bool = False


NO = Wish()


class Mirror:
    """The other side of the bones of a chain. Holds plain data only, so it may be kept across events.

    Attributes:
        rig: the reading that the unknowns below belong to.
        unknowns: names of what follows.
    """

    def __init__(self, rig: Reading, unknowns: tuple[str, ...], followed: Sequence[_Pair], *, relative: bool) -> None:
        """Take over what :func:`take` found."""
        self.rig = rig
        self.unknowns = unknowns
        self._pairs = followed
        self._relative = relative
        self._q = rig.pose()

    @property
    def bones(self) -> tuple[str, ...]:
        """Names of the bones that follow."""
        return self.rig.written_bones(self.unknowns)

    def write(self, armature: bpy.types.Object, q: Vector) -> None:
        """Write the other side of a pose. It stays within its own limits, and keeps what is locked.

        Args:
            armature: that both sides belong to.
            q: (n,) full pose of the dragged side's reading, as shown.

        Raises:
            RigError: a bone is gone, or is turned in another mode than at the start.
        """
        for pair in self._pairs:
            values = [float(q[place]) for place in pair.source.places]
            if pair.turns:
                self._turn(pair, values)
            if pair.slides:
                self._slide(pair, values)
        # A rotation that Limit Rotation would not let pass becomes the one that it makes of it.
        writing.write(armature, self.rig, self.rig.as_shown(self._q), self.unknowns)

    def _turn(self, pair: _Pair, values: Sequence[float]) -> None:
        source, other = pair.source.entry, pair.other.entry
        rotation = source.motion.rotation(source.angles(values))
        if self._relative:
            rotation = pair.source.rotation.T @ rotation
        rotation = pair.across @ rotation @ pair.across.T
        if self._relative:
            rotation = pair.other.rotation @ rotation
        places = pair.other.places[len(other.motion.slides) :]
        old = other.angles(self._q[list(pair.other.places)].tolist())
        angles = _angles(other, rotation, old)
        for free, place in zip(other.motion.turns, places, strict=True):
            self._q[place] = angles[free.part]

    def _slide(self, pair: _Pair, values: Sequence[float]) -> None:
        location = _location(pair.source.entry, values)
        if self._relative:
            location = pair.other.location + pair.way @ (location - pair.source.location)
        else:
            location = pair.way @ location
        for free, place in zip(pair.other.entry.motion.slides, pair.other.places, strict=False):
            self._q[place] = min(max(float(location[free.part]), free.lower), free.upper)


def asked(armature: bpy.types.Object) -> tuple[bool, bool]:
    """Whether the armature's pose options ask for X-Axis Mirror, and for a relative one."""
    pose = armature.pose
    return bool(pose.use_mirror_x), bool(pose.use_mirror_relative)


def take(armature: bpy.types.Object, rig: Reading, unknowns: Iterable[str], *, relative: bool = False) -> Mirror | None:
    """The other side of what unknowns move, from the pose as it is shown; None where nothing has another side.

    Bones whose other side is dragged as well, or carries what is dragged, have none; neither have the links of robots,
    nor bones whose other side does not follow its own channels. Scale does not follow.

    Args:
        armature: in the active view layer; its pose is that of ``rig``.
        rig: reading of the dragged side.
        unknowns: its names of what is dragged.
        relative: mirror the change since now, not the pose.

    Raises:
        RigError: the armature cannot be read.
    """
    assert isinstance(armature.data, bpy.types.Armature)
    bones = armature.data.bones
    dragged: dict[str, set[str]] = {}
    for name in unknowns:
        if rig.channels[name].bone != OBJECT:
            dragged.setdefault(rig.channels[name].bone, set()).add(name)
    of_side = sides.of_armature(armature.data)
    carrying = {above.name for bone in dragged for above in bones[bone].parent_recursive}
    others = {}
    for bone in dragged:
        other = of_side.other(bone)
        if other and other not in dragged and other not in carrying and not _is_link(bones[bone], bones[other]):
            others[bone] = other
    slid = {other: True for bone, other in others.items() if _moved(rig.bones[bone], dragged[bone])[1]}
    own = reading.read(armature, rebase=True, slides=slid) if slid else rig
    found, names = [], []
    for bone, other in others.items():
        if other in own.bones:
            turns, slides = _moved(rig.bones[bone], dragged[bone])
            found.append(
                _Pair(
                    source=_side(rig, bone),
                    other=_side(own, other),
                    across=_across(_rest(bones[bone]), _rest(bones[other])),
                    way=_across(_axes_of_location(bones[bone]), _axes_of_location(bones[other])),
                    turns=turns,
                    slides=slides,
                )
            )
            entry = own.bones[other]
            count = len(entry.motion.slides)
            names += (*(entry.unknowns[:count] if slides else ()), *(entry.unknowns[count:] if turns else ()))
    return Mirror(own, tuple(names), found, relative=relative) if names else None


def replayed(armature: bpy.types.Object, channels: Mapping[str, Iterable[str]]) -> tuple[Reading, tuple[str, ...]]:
    """A reading with the unknowns that are kept in some channels, to key them again.

    Args:
        armature: in the active view layer.
        channels: data paths by bone.

    Raises:
        RigError: the armature cannot be read.
    """
    rig = reading.read(
        armature, rebase=True, slides={bone: True for bone, paths in channels.items() if "location" in paths}
    )
    names = tuple(name for name, where in rig.channels.items() if where.path in channels.get(where.bone, ()))
    return rig, names


def _side(rig: Reading, bone: str) -> _Side:
    entry = rig.bones[bone]
    place = {name: i for i, name in enumerate(rig.skeleton.unknowns)}
    places = tuple(place[name] for name in entry.unknowns)
    return _Side(entry, places, entry.motion.rotation(), np.array(entry.motion.location))


def _is_link(*bones: bpy.types.Bone) -> bool:
    return any(definition.read(bone) is not None for bone in bones)


def _moved(entry: BoneReading, unknowns: set[str]) -> tuple[bool, bool]:
    """Whether any of the unknowns turns the bone, and whether any slides it."""
    count = len(entry.motion.slides)
    return not unknowns.isdisjoint(entry.unknowns[count:]), not unknowns.isdisjoint(entry.unknowns[:count])


def _location(entry: BoneReading, values: Sequence[float]) -> Vector:
    """(3,) location of a bone for these values of its unknowns."""
    found = np.array(entry.motion.location)
    for free, value in zip(entry.motion.slides, values, strict=False):
        found[free.part] = value
    return found


def _angles(entry: BoneReading, rotation: Matrix, old: Triple) -> Triple:
    """The angles of a bone that come nearest to a (3, 3) rotation: its own limits and locks have the last word.

    Of the two triples that make a rotation the one is taken from which less is cut off, then the one nearer to the old.
    """
    motion = entry.motion
    if motion.swing:
        return _swing(entry, rotation, old)
    if motion.base is not None:
        rotation = motion.base.T @ rotation
    free = {one.part: one for one in motion.turns}
    best: tuple[float, float, Triple] | None = None
    for triple in euler.to_euler(rotation, motion.order):
        kept, cut = list(motion.angles), 0.0
        for part, angle in enumerate(triple):
            if part in free:
                kept[part] = _within(angle, free[part], old[part])
            cut += abs(euler.nearest_turn(angle - kept[part], 0.0))
        away = sum(abs(a - b) for a, b in zip(kept, old, strict=True))
        candidate = (max(0.0, cut - _SAME), away, (kept[0], kept[1], kept[2]))
        if best is None or candidate < best:
            best = candidate
    assert best is not None
    return best[2]


def _swing(entry: BoneReading, rotation: Matrix, old: Triple) -> Triple:
    """The angles of a bone that swings without twist, for the nearest such rotation; the old ones where none is."""
    outer, inner = entry.motion.turns
    quaternion = list(euler.to_quaternion(rotation))
    quaternion[1 + 3 - outer.part - inner.part] = 0.0
    if np.linalg.norm(quaternion) < _SAME:
        return old
    angles = euler.to_swing(euler.from_quaternion(quaternion), outer.part, inner.part)
    kept = list(entry.motion.angles)
    for free, angle in zip((outer, inner), angles, strict=True):
        kept[free.part] = min(max(angle, free.lower), free.upper)
    return kept[0], kept[1], kept[2]


def _within(angle: float, free: Free, old: float) -> float:
    """The angle put into the limits on the circle; without limits, next to the old one."""
    if np.isinf(free.lower) and np.isinf(free.upper):
        return euler.nearest_turn(angle, old)
    return clamp_angle(angle, free.lower, free.upper)


def _rest(bone: bpy.types.Bone) -> Matrix:
    return np.array(bone.matrix_local, dtype=np.float64)[:3, :3]


def _axes_of_location(bone: bpy.types.Bone) -> Matrix:
    """(3, 3) directions at rest, in the columns, in which the parts of a bone's location move it."""
    if bone.use_local_location:
        return _rest(bone)
    return np.eye(3) if bone.parent is None else _rest(bone.parent)


def _across(axes: Matrix, other_axes: Matrix) -> Matrix:
    """(3, 3) from what is counted along a bone's axes (3, 3) to the mirrored along its other side's."""
    # Exactly orthogonal: Blender's rest matrices are single precision.
    u, _, v = np.linalg.svd(other_axes.T @ _FLIP @ axes)
    result: Matrix = u @ v
    return result
