"""Keyframes on the channels that keep a pose: one by one, so that no locked or driven channel is keyed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import bpy

from ..errors import RigError
from . import compat, control, curves, euler, snapshot
from .channels import rotation_path
from .curves import Curves, Place
from .reading import BoneReading, Reading
from .snapshot import Holder, take_bone
from .writing import beside, stored_rotation

Option = Literal["INSERTKEY_NEEDED", "INSERTKEY_CYCLE_AWARE", "INSERTKEY_VISUAL"]

_LOCKED = "its curve is locked, or the NLA strips leave it no say; unlock it, or mute the strips"


@dataclass(frozen=True)
class Rules:
    """What Blender's auto-keying leaves out or adds, and how it marks its keys.

    Attributes:
        available: key only channels that have a curve.
        replace: key only channels that have a key at the frame.
        needed: leave out keys that would change nothing.
        cycle_aware: put keys of a cyclic curve into its first cycle.
        visual: key what constraints make of the channels.
        type: of the keys, such as "EXTREME".
        whole: key location, rotation and scale of every bone that has one of the unknowns.
    """

    available: bool = False
    replace: bool = False
    needed: bool = False
    cycle_aware: bool = False
    visual: bool = False
    type: str = "KEYFRAME"
    whole: bool = False

    def allow(self, curve: bpy.types.FCurve | None, frame: float) -> bool:
        """Whether a channel with this curve is keyed at all, at a frame of its action."""
        if self.replace:
            return curves.key_at(curve, frame) is not None
        return curve is not None or not self.available

    @property
    def options(self) -> set[Option]:
        """What is left to Blender to decide."""
        chosen: tuple[tuple[Option, bool], ...] = (
            ("INSERTKEY_NEEDED", self.needed),
            ("INSERTKEY_CYCLE_AWARE", self.cycle_aware),
            ("INSERTKEY_VISUAL", self.visual),
        )
        return {option for option, wanted in chosen if wanted}


@dataclass(frozen=True)
class Property:
    """A property that a keying set names.

    Attributes:
        owner: the data-block.
        path: data path from it.
        index: array index, -1 for all.
        group: of its curves, "" for none.
    """

    owner: bpy.types.ID
    path: str
    index: int
    group: str


ALL = Rules()


def insert(
    armature: bpy.types.Object,
    reading: Reading,
    unknowns: Iterable[str],
    frame: float | None = None,
    rules: Rules = ALL,
) -> int:
    """Key the present values of unknowns, whether they are keyed already or not.

    Mimic followers are no unknowns, so they are never keyed. Where a channel can say one rotation in several ways
    (whole turns of an angle without limits, the sign of a quaternion), it is first changed to the way that is nearest
    to the neighbouring key: the one before, or else the one after.

    Args:
        armature: the one that was read.
        reading: of it.
        unknowns: what to key.
        frame: where; None = the current frame.
        rules: what is left out or added.

    Returns:
        How many channels were keyed.

    Raises:
        RigError: Blender refuses some, as for an action that is linked from a library; the others are keyed.
    """
    where = bpy.context.scene.frame_current_final if frame is None else float(frame)
    driven = control.driven(armature)
    writer = _Writer(armature, where, rules)
    for (bone_name, path), indices in _channels(reading, unknowns).items():
        bone = _holder(armature, bone_name)
        writer.unwind(bone, path, indices, reading, bone_name)
        own = driven.get(bone_name, frozenset())
        for index in _parts(bone, path, indices, reading.bones[bone_name]):
            if (path, index) not in own:
                writer.key(bone.path_from_id(path), index, group_of(bone))
        if rules.whole:
            for other, index in _others(bone, path, indices):
                if (other, index) not in own:
                    writer.key(bone.path_from_id(other), index, group_of(bone))
    return writer.end()


def insert_properties(
    armature: bpy.types.Object,
    reading: Reading,
    unknowns: Iterable[str],
    properties: Iterable[Property],
    rules: Rules,
) -> int:
    """Key what a keying set names, at the current frame, after unwinding the unknowns as :func:`insert` does.

    Args:
        armature: the one that was read.
        reading: of it.
        unknowns: what the drag has moved.
        properties: what to key, on the armature or elsewhere.
        rules: how.

    Returns:
        How many properties were keyed.

    Raises:
        RigError: Blender refuses some; the others are keyed.
    """
    where = bpy.context.scene.frame_current_final
    writers: dict[bpy.types.ID, _Writer] = {armature: _Writer(armature, where, rules)}
    for (bone_name, path), indices in _channels(reading, unknowns).items():
        writers[armature].unwind(_holder(armature, bone_name), path, indices, reading, bone_name)
    for one in properties:
        writer = writers.setdefault(one.owner, _Writer(one.owner, where, rules))
        length = _length(one)
        if length is None:
            # Blender's own rules name properties that were renamed, and skip them.
            continue
        for index in range(length) if length and one.index < 0 else (max(one.index, 0),):
            writer.key(one.path, index, one.group, single=not length)
    return sum(writer.end() for writer in writers.values())


class _Writer:
    """Keys channels of one data-block at one frame."""

    def __init__(self, owner: bpy.types.ID, frame: float, rules: Rules) -> None:
        self.owner = owner
        self.frame = frame
        self.rules = rules
        self.local = curves.frame_in_action(owner, frame)
        self.layered = curves.is_layered(owner)
        self.curves: Curves = curves.of(owner)
        data = compat.animation(owner)
        action = None if data is None else data.action
        self.linked = "" if action is None or action.library is None else action.name
        self.new: dict[Place, float] = {}
        self.turned: set[str] = set()
        self.count = 0
        self.refused: list[str] = []

    def key(self, path: str, index: int, group: str, *, single: bool = False) -> None:
        """Key one channel where the rules allow it; ``single`` for a property that is no array."""
        place = (path, index)
        curve = self.curves.get(place)
        at = curves.frame_in_cycle(curve, self.local) if self.rules.cycle_aware else self.local
        if not self.rules.allow(curve, at):
            return
        if self.linked:
            # Before 5.0 Blender keys it all the same, and the keys are gone when the file is opened again.
            self.refused.append(
                f"{path}[{index}] could not be keyed: its action {self.linked!r} is linked; make it local, or give the "
                "object an action of its own"
            )
            return
        fresh = curves.key_at(curve, at) is None
        kind: Any = self.rules.type
        try:
            done = self.owner.keyframe_insert(
                path,
                index=-1 if single else index,
                frame=self.frame,
                group=group,
                options=self.rules.options,
                keytype=kind,
            )
        except (RuntimeError, TypeError) as error:
            self.refused.append(f"{path}[{index}] could not be keyed: {error}")
            return
        if not done:
            if not self.rules.needed:
                self.refused.append(f"{path}[{index}] could not be keyed at frame {self.frame:g}: {_LOCKED}")
            return
        self.count += 1
        if fresh:
            self.new[place] = at

    def unwind(self, bone: Holder, path: str, indices: Sequence[int], reading: Reading, name: str) -> None:
        """Bring the channels to the way of saying their rotation that is nearest to the neighbouring key.

        Where NLA strips take part, the curves are in other numbers than the channels, which are left as they are: next
        to what they were before, which is what the whole stack says.
        """
        if path == "location":
            return
        if path == "rotation_axis_angle":
            self.turned.add(bone.path_from_id(path))
        if self.layered:
            return
        full_path = bone.path_from_id(path)
        own = [self.curves.get((full_path, index)) for index in range(len(getattr(bone, path)))]
        at = curves.neighbour([curve for curve in own if curve is not None], self.local)
        if at is None:
            return
        old = tuple(getattr(bone, path))
        before = tuple(value if curve is None else curve.evaluate(at) for curve, value in zip(own, old, strict=True))
        if -1 in indices:
            new = beside(bone.rotation_mode, old, before)
        else:
            turning = {reading.channels[unknown].index for unknown in endless(reading, name)}
            new = tuple(
                euler.nearest_turn(value, before[i]) if i in turning and i in indices else value
                for i, value in enumerate(old)
            )
        if any(abs(a - b) > 1e-6 for a, b in zip(new, old, strict=True)):
            setattr(bone, path, new)

    def end(self) -> int:
        """Finish the keys. Returns how many there are, and refuses if Blender refused any."""
        if self.new:
            curves.dress(self.owner, self.new, self.turned)
        if self.refused:
            more = f" (and {len(self.refused) - 1} more)" if len(self.refused) > 1 else ""
            raise RigError(self.refused[0] + more)
        return self.count


def _channels(reading: Reading, unknowns: Iterable[str]) -> Mapping[tuple[str, str], list[int]]:
    """The channels of unknowns: indices by bone and data path."""
    found: dict[tuple[str, str], list[int]] = {}
    for name in unknowns:
        channel = reading.channels[name]
        found.setdefault((channel.bone, channel.path), []).append(channel.index)
    return found


def _holder(armature: bpy.types.Object, name: str) -> Holder:
    found = snapshot.holder(armature, name)
    if found is None:
        raise RigError(f"armature {armature.name!r} no longer has the bone {name!r}")
    return found


def group_of(bone: Holder) -> str:
    """The group that Blender itself puts the curves of a bone or an object into."""
    return bone.name if isinstance(bone, bpy.types.PoseBone) else "Object Transforms"


def insert_one(bone: Holder, path: str, index: int, frame: float) -> None:
    """Key one channel as it is.

    Raises:
        RigError: Blender refuses.
    """
    owner = bone.id_data
    assert isinstance(owner, bpy.types.ID)
    writer = _Writer(owner, frame, ALL)
    writer.key(bone.path_from_id(path), index, group_of(bone))
    writer.end()


def _parts(bone: Holder, path: str, indices: Sequence[int], entry: BoneReading) -> list[int]:
    """Array indices to key.

    A locked part of a quaternion or axis is left out only if it is as it was read: where a lock means nothing to the
    solver, such as that of W on a robot's bone that was switched to quaternions, the other parts alone say nothing.
    """
    if -1 not in indices:
        return [index for index in sorted(indices) if not is_locked(bone, path, index)]
    now, before = snapshot.numbers(bone, path), stored_rotation(entry.state)
    return [i for i in range(len(now)) if not is_locked(bone, path, i) or now[i] != before[i]]


def _others(bone: Holder, path: str, indices: Sequence[int]) -> Iterable[Place]:
    """The unlocked channels of a bone beside those of its unknowns."""
    for other in ("location", rotation_path(take_bone(bone)), "scale"):
        if other == "location" and isinstance(bone, bpy.types.PoseBone) and bone.bone.use_connect:
            continue
        for index in range(len(getattr(bone, other))):
            own = other == path and (-1 in indices or index in indices)
            if not own and not is_locked(bone, other, index):
                yield other, index


def is_locked(bone: Holder, path: str, index: int) -> bool:
    """Whether the animator has locked a part of a channel."""
    if path == "location":
        return bool(bone.lock_location[index])
    if path == "scale":
        return bool(bone.lock_scale[index])
    if path == "rotation_euler":
        return bool(bone.lock_rotation[index])
    if bone.lock_rotations_4d:
        return bool((bone.lock_rotation_w, *bone.lock_rotation)[index])
    return all(bone.lock_rotation)


def endless(reading: Reading, bone: str) -> list[str]:
    """The names of a bone's angles without limits."""
    skeleton = reading.skeleton
    own = set(reading.bones[bone].unknowns)
    return [name for name, free in zip(skeleton.unknowns, skeleton.continuous, strict=True) if free and name in own]


def _length(one: Property) -> int | None:
    """How many channels a property has; 0 where it is no array, None where it is gone."""
    try:
        value: Any = one.owner.path_resolve(one.path)
    except ValueError:
        return None
    return len(value) if hasattr(value, "__len__") and not isinstance(value, str | bytes | set) else 0
