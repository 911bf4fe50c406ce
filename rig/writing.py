"""From unknowns to Blender's channels: never a matrix, never another rotation mode, nothing that need not change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np

from ..errors import RigError
from . import euler
from .channels import rotation_path
from .euler import Matrix
from .reading import BoneReading, Reading
from .snapshot import BoneState, Holder, holder, numbers


def write(
    armature: bpy.types.Object,
    reading: Reading,
    q: Sequence[float] | np.ndarray,
    unknowns: Iterable[str] | None = None,
    *,
    turns: bool = True,
) -> None:
    """Write a pose to the channels that keep it. Values beyond limits are clamped.

    Quaternion signs and the whole turns of angles without limits stay next to what the channel holds. A value that the
    channel holds already, or that it was read with, changes no bit.

    Args:
        armature: the one that was read.
        reading: of it.
        q: (n,) full pose.
        unknowns: which of its values to write; None = all. A bone whose rotation is kept as a whole, such as a
            quaternion, is written from all its unknowns when one of them is named.
        turns: False writes angles without limits as they are given, whole turns included.

    Raises:
        RigError: a bone is gone, or is turned in another mode than when it was read.
    """
    skeleton = reading.skeleton
    values = np.clip(np.asarray(q, dtype=np.float64), skeleton.lower, skeleton.upper)
    place = {name: i for i, name in enumerate(skeleton.unknowns)}
    asked = skeleton.unknowns if unknowns is None else tuple(unknowns)
    names = set(asked)
    for bone_name in reading.written_bones(asked):
        bone = holder(armature, bone_name)
        entry = reading.bones[bone_name]
        if bone is None:
            raise RigError(f"armature {armature.name!r} no longer has the bone {bone_name!r}")
        if bone.rotation_mode != entry.state.rotation_mode:
            raise RigError(
                f"bone {bone_name!r} was read in rotation mode {entry.state.rotation_mode} and is now in "
                f"{bone.rotation_mode}: read the armature again"
            )
        wanted = [float(values[place[name]]) for name in entry.unknowns]
        for name, number in zip(entry.unknowns, wanted, strict=True):
            channel = reading.channels[name]
            if name in names and channel.index >= 0:
                endless = skeleton.continuous[place[name]]
                _write_one(bone, channel.path, channel.index, number, nearest=endless and turns)
        if any(reading.channels[name].index < 0 for name in entry.unknowns if name in names):
            _write_whole(bone, entry, wanted)


def property_of(rotation: Matrix, mode: str, old: Sequence[float]) -> tuple[float, ...]:
    """A (3, 3) rotation as the property of a rotation mode, in the way that is nearest to an old one."""
    if mode == "QUATERNION":
        return euler.to_quaternion(rotation, old)
    if mode == "AXIS_ANGLE":
        return euler.to_axis_angle(rotation, old)
    return euler.nearest_euler(rotation, mode, old)


def beside(mode: str, values: Sequence[float], old: Sequence[float]) -> tuple[float, ...]:
    """The same rotation in the way that is nearest to another one, without new rounding where only signs change.

    Args:
        mode: rotation mode of both.
        values: the rotation property.
        old: the one to be near.
    """
    if mode == "QUATERNION":
        side = sum(a * b for a, b in zip(values, old, strict=True))
        return tuple(-number for number in values) if side < 0.0 else tuple(values)
    if mode == "AXIS_ANGLE":
        return euler.to_axis_angle(euler.from_axis_angle(values), old)
    return euler.nearest_euler(euler.from_euler(values, mode), mode, old)


def whole(entry: BoneReading, values: Sequence[float], old: Sequence[float]) -> tuple[float, ...]:
    """The rotation property of a bone for these values of its unknowns, next to what it held.

    Args:
        entry: of the bone.
        values: of ``entry.unknowns``.
        old: the property as it is.
    """
    new = list(property_of(entry.motion.rotation(entry.angles(values)), entry.state.rotation_mode, old))
    for i in entry.motion.kept:
        # They differ by rounding, or an axis was locked while the angle was 0 and it meant nothing.
        if abs(new[i] - old[i]) < 1e-6:
            new[i] = old[i]
    return tuple(new)


def _write_one(bone: Holder, path: str, index: int, value: float, *, nearest: bool) -> None:
    holder = getattr(bone, path)
    old = holder[index]
    if nearest:
        value = euler.nearest_turn(value, old)
    if float(np.float32(value)) != old:
        holder[index] = value


def _write_whole(bone: Holder, entry: BoneReading, values: Sequence[float]) -> None:
    path = rotation_path(entry.state)
    old = numbers(bone, path)
    slides = len(entry.motion.slides)
    if tuple(values[slides:]) == tuple(free.value for free in entry.motion.turns):
        new = stored_rotation(entry.state)
    else:
        new = whole(entry, values, old)
    if new != old:
        setattr(bone, path, new)


def stored_rotation(state: BoneState) -> tuple[float, ...]:
    """The rotation property that the bone's mode uses, as it was read."""
    if state.rotation_mode == "QUATERNION":
        return state.quaternion
    return state.axis_angle if state.rotation_mode == "AXIS_ANGLE" else state.euler
