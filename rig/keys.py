"""Keyframes on the channels that keep a pose: one by one, so that no locked or driven channel is keyed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import bpy

from ..errors import RigError
from . import animated, compat, control, euler, snapshot
from .reading import BoneReading, Reading
from .snapshot import Holder
from .writing import beside, stored_rotation

# Keys closer than this are the same key [frames].
_SAME_FRAME = 1e-3

Curves = Mapping[tuple[str, int], bpy.types.FCurve]


@dataclass(frozen=True)
class Rules:
    """What Blender's auto-keying leaves out, and how it marks its keys.

    Attributes:
        available: key only channels that have a curve.
        replace: key only channels that have a key at the frame.
        needed: leave out keys that would change nothing.
        cycle_aware: put keys of a cyclic curve into its first cycle.
        type: of the keys, such as "EXTREME".
        paths: (data path on the armature object, array index or -1 for all) of an active keying set; None = all.
    """

    available: bool = False
    replace: bool = False
    needed: bool = False
    cycle_aware: bool = False
    type: str = "KEYFRAME"
    paths: frozenset[tuple[str, int]] | None = None

    def allow(self, path: str, index: int, curve: bpy.types.FCurve | None, frame: float) -> bool:
        """Whether a channel with this curve is keyed at all."""
        if self.paths is not None and not {(path, index), (path, -1)} & self.paths:
            return False
        if self.replace:
            return _key_at(curve, frame) is not None
        return curve is not None or not self.available

    @property
    def options(self) -> set[Literal["INSERTKEY_NEEDED", "INSERTKEY_CYCLE_AWARE"]]:
        """What is left to Blender to decide."""
        found: set[Literal["INSERTKEY_NEEDED", "INSERTKEY_CYCLE_AWARE"]] = set()
        if self.needed:
            found.add("INSERTKEY_NEEDED")
        if self.cycle_aware:
            found.add("INSERTKEY_CYCLE_AWARE")
        return found


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
        rules: what is left out.

    Returns:
        How many channels were keyed.

    Raises:
        RigError: Blender refuses, as for an action that is linked from a library.
    """
    where = bpy.context.scene.frame_current_final if frame is None else float(frame)
    driven = control.driven(armature)
    curves = _curves(armature)
    parts: dict[tuple[str, str], list[int]] = {}
    for name in unknowns:
        channel = reading.channels[name]
        parts.setdefault((channel.bone, channel.path), []).append(channel.index)
    count = 0
    new: list[tuple[str, int]] = []
    for (bone_name, path), indices in parts.items():
        bone = snapshot.holder(armature, bone_name)
        if bone is None:
            raise RigError(f"armature {armature.name!r} no longer has the bone {bone_name!r}")
        own = driven.get(bone_name, frozenset())
        _unwind(bone, path, indices, curves, where, reading, bone_name)
        for index in _parts(bone, path, indices, reading.bones[bone_name]):
            if (path, index) in own:
                continue
            place = (bone.path_from_id(path), index)
            if not rules.allow(*place, curves.get(place), where):
                continue
            if _key_at(curves.get(place), where) is None:
                new.append(place)
            count += _insert(bone, path, index, where, rules)
    if new:
        _dress(armature, new, where)
    return count


def _curves(armature: bpy.types.Object) -> Curves:
    return {(curve.data_path, curve.array_index): curve for curve in compat.fcurves(armature)}


def _frame_of(key: bpy.types.Keyframe) -> float:
    return float(key.co[0])


def _key_at(curve: bpy.types.FCurve | None, frame: float) -> bpy.types.Keyframe | None:
    """The key of a curve at a frame, if there is one."""
    if curve is None:
        return None
    place = bisect_left(curve.keyframe_points, frame - _SAME_FRAME, key=_frame_of)
    if place == len(curve.keyframe_points):
        return None
    found = curve.keyframe_points[place]
    return found if _frame_of(found) < frame + _SAME_FRAME else None


def _dress(armature: bpy.types.Object, places: Iterable[tuple[str, int]], frame: float) -> None:
    """Give new keys the handles and interpolation that the user prefers, as Blender does for its own operators only.

    From the third key of a curve on, Blender copies the interpolation from the neighbour.
    """
    edit = bpy.context.preferences.edit
    handle, interpolation = edit.keyframe_new_handle_type, edit.keyframe_new_interpolation_type
    curves = _curves(armature)
    held = animated.take(armature)
    touched = False
    for place in places:
        curve = curves.get(place)
        key = _key_at(curve, frame)
        if curve is None or key is None:
            continue
        asked = interpolation if len(curve.keyframe_points) <= 2 else key.interpolation
        if (key.handle_left_type, key.handle_right_type, key.interpolation) == (handle, handle, asked):
            continue
        key.handle_left_type = key.handle_right_type = handle
        key.interpolation = asked
        curve.update()
        touched = True
    if touched:
        # Touching keys makes Blender evaluate the animation again, and forget every change that was not keyed.
        bpy.context.view_layer.update()
        animated.restore(armature, held)


def _parts(bone: Holder, path: str, indices: Sequence[int], entry: BoneReading) -> list[int]:
    """Array indices to key.

    A locked part of a quaternion or axis is left out only if it is as it was read: where a lock means nothing to the
    solver, such as that of W on a robot's bone that was switched to quaternions, the other parts alone say nothing.
    """
    if -1 not in indices:
        return [index for index in sorted(indices) if not is_locked(bone, path, index)]
    now, before = snapshot.numbers(bone, path), stored_rotation(entry.state)
    return [i for i in range(len(now)) if not is_locked(bone, path, i) or now[i] != before[i]]


def insert_one(bone: Holder, path: str, index: int, frame: float) -> None:
    """Key one channel as it is.

    Raises:
        RigError: Blender refuses.
    """
    _insert(bone, path, index, frame, ALL)


def _insert(bone: Holder, path: str, index: int, frame: float, rules: Rules) -> int:
    try:
        kind: Any = rules.type
        done = bone.keyframe_insert(
            path, index=index, frame=frame, group=group_of(bone), options=rules.options, keytype=kind
        )
    except (RuntimeError, TypeError) as error:
        raise RigError(f"{_described(bone)} could not be keyed: {error}") from error
    if not done and not rules.needed:
        raise RigError(
            f"{_described(bone)} could not be keyed at frame {frame:g}: its curve is locked, or its action is linked "
            "and cannot be changed; unlock it or make it local"
        )
    return int(done)


def _described(bone: Holder) -> str:
    return f"{'bone' if isinstance(bone, bpy.types.PoseBone) else 'armature'} {bone.name!r}"


def group_of(bone: Holder) -> str:
    """The group that Blender itself puts the curves of a bone or an object into."""
    return bone.name if isinstance(bone, bpy.types.PoseBone) else "Object Transforms"


def is_locked(bone: Holder, path: str, index: int) -> bool:
    """Whether the animator has locked a part of a channel."""
    if path == "location":
        return bool(bone.lock_location[index])
    if path == "rotation_euler":
        return bool(bone.lock_rotation[index])
    if bone.lock_rotations_4d:
        return bool((bone.lock_rotation_w, *bone.lock_rotation)[index])
    return all(bone.lock_rotation)


def _unwind(
    bone: Holder,
    path: str,
    indices: Sequence[int],
    curves: Curves,
    frame: float,
    reading: Reading,
    name: str,
) -> None:
    """Bring the channels to the way of saying their rotation that is nearest to the neighbouring key."""
    if path == "location":
        return
    full_path = bone.path_from_id(path)
    own = [curves.get((full_path, index)) for index in range(len(getattr(bone, path)))]
    neighbour = _neighbour([curve for curve in own if curve is not None], frame)
    if neighbour is None:
        return
    old = tuple(getattr(bone, path))
    before = tuple(value if curve is None else curve.evaluate(neighbour) for curve, value in zip(own, old, strict=True))
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


def endless(reading: Reading, bone: str) -> list[str]:
    """The names of a bone's angles without limits."""
    skeleton = reading.skeleton
    own = set(reading.bones[bone].unknowns)
    return [name for name, free in zip(skeleton.unknowns, skeleton.continuous, strict=True) if free and name in own]


def _neighbour(curves: Sequence[bpy.types.FCurve], frame: float) -> float | None:
    """Frame of the last key before, or else of the first key after; a key on the frame itself will be replaced."""
    earlier, later = [], []
    for curve in curves:
        keys = curve.keyframe_points
        before = bisect_left(keys, frame - _SAME_FRAME, key=_frame_of)
        after = bisect_right(keys, frame + _SAME_FRAME, key=_frame_of)
        if before > 0:
            earlier.append(_frame_of(keys[before - 1]))
        if after < len(keys):
            later.append(_frame_of(keys[after]))
    return max(earlier) if earlier else min(later, default=None)
