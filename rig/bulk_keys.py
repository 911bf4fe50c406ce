"""Keys for a whole series of frames in one pass, beside those that are there."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import RigError
from ..solver import Chain
from . import animated, compat, control, keys, series, snapshot
from .frames import go_to
from .reading import Reading

Array = NDArray[np.float64]

# Keys closer than this are the same key [frames].
_SAME_FRAME = 1e-3
# Handles of new keys that Blender does not place by itself reach so far [frames].
_REACH = 1.0 / 3.0


def insert(armature: bpy.types.Object, rig: Reading, chain: Chain, values: Array, frames: Sequence[float]) -> int:
    """Key poses of a chain, one at each frame; keys at other frames stay, those at the same frames are replaced.

    Locked and driven channels are left out. Afterwards the armature is shown as it is animated at the current frame;
    changes of animated channels that were not keyed are kept where they are not part of the chain.

    Args:
        armature: the one that was read.
        rig: what the chain was taken of.
        chain: of its skeleton.
        values: (n, dof) of the chain.
        frames: (n,) in any order, each once.

    Returns:
        How many channels were keyed.

    Raises:
        RigError: Blender refuses, as for an action that is linked from a library.
    """
    if not len(frames):
        return 0
    order = np.argsort(np.asarray(frames, dtype=np.float64))
    at, poses = np.asarray(frames, dtype=np.float64)[order], values[order]
    now = bpy.context.scene.frame_current_final
    before = animated.take(armature)
    columns = _columns(armature, rig, chain, poses, float(at[0]))
    had = {place: _has_key(curve, float(at[0])) for place, curve in _curves(armature).items()}
    for bone, path, index, _ in columns:
        holder = _holder(armature, bone)
        keys.insert_one(holder, path, index, float(at[0]))
    curves = _curves(armature)
    times = _in_action(armature, at)
    for bone, path, index, column in columns:
        place = (_holder(armature, bone).path_from_id(path), index)
        _fill(curves[place], times, column, first_is_new=not had.get(place, False))
    armature.update_tag()
    go_to(now)
    keyed = {(_holder(armature, bone).path_from_id(path), index) for bone, path, index, _ in columns}
    others = {place: value for place, value in before.values.items() if place not in keyed}
    animated.restore(armature, animated.AnimatedValues(others))
    bpy.context.view_layer.update()
    return len(columns)


def _columns(
    armature: bpy.types.Object, rig: Reading, chain: Chain, poses: Array, first: float
) -> list[tuple[str, str, int, Array]]:
    """(bone, path, index, numbers) of every channel that is to be keyed."""
    driven, curves = control.driven(armature), _curves(armature)
    found = []
    for bone, path in series.paths(rig, chain):
        holder = _holder(armature, bone)
        now = snapshot.numbers(holder, path)
        old = [_before(curves.get((holder.path_from_id(path), i)), first, value) for i, value in enumerate(now)]
        numbers, indices = series.channels(rig, chain, poses, bone, path, old)
        whole = path == "rotation_quaternion" or path == "rotation_axis_angle"
        for index in indices:
            column = numbers[:, index]
            if (path, index) in driven.get(bone, frozenset()):
                continue
            # A locked part of a whole rotation is needed where it moves all the same; see keys.insert.
            if keys.is_locked(holder, path, index) and not (whole and np.abs(column - now[index]).max() > 1e-6):
                continue
            _refuse_closed(armature, curves.get((holder.path_from_id(path), index)))
            found.append((bone, path, index, column))
    return found


def _refuse_closed(armature: bpy.types.Object, curve: bpy.types.FCurve | None) -> None:
    """Refuse curves that Blender would not key, before anything is written.

    Raises:
        RigError: the curve, its group or its action cannot be changed.
    """
    if curve is None:
        return
    action = curve.id_data
    if curve.lock or (curve.group is not None and curve.group.lock):
        raise RigError(
            f"armature {armature.name!r} could not be keyed: its curve {curve.data_path}[{curve.array_index}] "
            "is locked; unlock it first"
        )
    if action.library is not None:
        raise RigError(
            f"armature {armature.name!r} could not be keyed: its action {action.name!r} is linked: make it local"
        )


def _fill(curve: bpy.types.FCurve, times: Array, column: Array, *, first_is_new: bool) -> None:
    """Put keys on a curve that has one at the first time already."""
    points = curve.keyframe_points
    count = len(points)
    there = _get(points, "co", 2 * count).reshape(-1, 2)
    places = np.clip(np.searchsorted(there[:, 0], times - _SAME_FRAME), 0, count - 1)
    match = np.abs(there[places, 0] - times) <= _SAME_FRAME
    added = int((~match).sum())
    if added:
        points.add(added)
    total = count + added
    co = _get(points, "co", 2 * total).reshape(-1, 2)
    left, right = (_get(points, side, 2 * total).reshape(-1, 2) for side in ("handle_left", "handle_right"))
    shift = column[match] - co[places[match], 1]
    for handle in (left, right):
        handle[places[match], 1] += shift
    co[places[match], 1] = column[match]
    co[count:, 0], co[count:, 1] = times[~match], column[~match]
    new = np.arange(count, total)
    if first_is_new:
        new = np.append(new, places[0])
    left[new], right[new] = co[new] - (_REACH, 0.0), co[new] + (_REACH, 0.0)
    edit = bpy.context.preferences.edit
    for name, chosen in (
        ("handle_left_type", edit.keyframe_new_handle_type),
        ("handle_right_type", edit.keyframe_new_handle_type),
        ("interpolation", edit.keyframe_new_interpolation_type),
    ):
        kinds = np.empty(total, dtype=np.int32)
        points.foreach_get(name, kinds)
        kinds[new] = compat.enum_value(bpy.types.Keyframe, name, chosen)
        points.foreach_set(name, kinds)
    for name, numbers in (("co", co), ("handle_left", left), ("handle_right", right)):
        points.foreach_set(name, numbers.ravel())
    curve.update()


def _get(points: bpy.types.FCurveKeyframePoints, name: str, count: int) -> Array:
    numbers = np.empty(count, dtype=np.float32)
    points.foreach_get(name, numbers)
    return numbers.astype(np.float64)


def _in_action(armature: bpy.types.Object, frames: Array) -> Array:
    """Frames of the scene in the time of the action, which another strip may stretch while it is tweaked."""
    animation = armature.animation_data
    if animation is None or not animation.use_tweak_mode:
        return frames
    return np.array([animation.nla_tweak_strip_time_to_scene(frame, invert=True) for frame in frames.tolist()])


def _before(curve: bpy.types.FCurve | None, first: float, value: float) -> float:
    """What a channel holds before the first frame: at its last key there, or now."""
    if curve is None or not len(curve.keyframe_points) or curve.keyframe_points[0].co[0] >= first - _SAME_FRAME:
        return value
    return float(curve.evaluate(max(key.co[0] for key in curve.keyframe_points if key.co[0] < first - _SAME_FRAME)))


def _has_key(curve: bpy.types.FCurve, frame: float) -> bool:
    return any(abs(key.co[0] - frame) <= _SAME_FRAME for key in curve.keyframe_points)


def _curves(armature: bpy.types.Object) -> dict[tuple[str, int], bpy.types.FCurve]:
    return {(curve.data_path, curve.array_index): curve for curve in compat.fcurves(armature)}


def _holder(armature: bpy.types.Object, bone: str) -> snapshot.Holder:
    found = snapshot.holder(armature, bone)
    if found is None:
        raise RigError(f"armature {armature.name!r} no longer has the bone {bone!r}")
    return found
