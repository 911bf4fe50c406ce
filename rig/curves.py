"""Keys in F-curves: where they are, which ones are beside a frame, and how new ones look."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence

import bpy

from . import animated, compat

# Keys closer than this are the same key [frames].
_SAME_FRAME = 1e-3
# An angle so near to whole turns is no rotation, and its axis says nothing [rad].
_NO_TURN = 1e-6

Place = tuple[str, int]
Curves = Mapping[Place, bpy.types.FCurve]


def of(owner: bpy.types.ID) -> Curves:
    """The curves of an object's action, by data path and array index."""
    return {(curve.data_path, curve.array_index): curve for curve in compat.fcurves(owner)}


def key_at(curve: bpy.types.FCurve | None, frame: float) -> bpy.types.Keyframe | None:
    """The key of a curve at a frame, if there is one."""
    if curve is None:
        return None
    place = bisect_left(curve.keyframe_points, frame - _SAME_FRAME, key=_frame_of)
    if place == len(curve.keyframe_points):
        return None
    found = curve.keyframe_points[place]
    return found if _frame_of(found) < frame + _SAME_FRAME else None


def neighbour(curves: Sequence[bpy.types.FCurve], frame: float) -> float | None:
    """Frame of the last key before, or else of the first key after; a key on the frame itself will be replaced."""
    earlier, later = _beside(curves, frame)
    return max(earlier) if earlier else min(later, default=None)


def frame_in_action(owner: bpy.types.ID, frame: float) -> float:
    """A frame of the scene in the time of the action that is edited, which is its own while an NLA strip is tweaked."""
    data = compat.animation(owner)
    if data is None or not data.use_tweak_mode:
        return frame
    return float(data.nla_tweak_strip_time_to_scene(frame, invert=True))


def frame_in_cycle(curve: bpy.types.FCurve | None, frame: float) -> float:
    """A frame in the first cycle of a curve that repeats itself, where Blender puts a key if it minds cycles."""
    if curve is None or len(curve.keyframe_points) < 2 or not any(m.type == "CYCLES" for m in curve.modifiers):
        return frame
    first, last = _frame_of(curve.keyframe_points[0]), _frame_of(curve.keyframe_points[-1])
    return frame if first <= frame <= last else first + (frame - first) % (last - first)


def is_layered(owner: bpy.types.ID) -> bool:
    """Whether NLA strips have a say beside the action, so that its curves are not the values of the properties."""
    data = compat.animation(owner)
    return data is not None and data.use_nla and any(len(track.strips) for track in data.nla_tracks)


def dress(owner: bpy.types.ID, new: Mapping[Place, float], turned: Iterable[str] = ()) -> None:
    """Give new keys the handles and interpolation that the user prefers, as Blender does for its own operators only.

    From the third key of a curve on, Blender copies the interpolation from the neighbour.

    Args:
        owner: of the curves.
        new: frame of the new key, by curve.
        turned: data paths of rotations by axis and angle that were keyed. Where the first or the last key of such a
            one says no rotation at all, its axis says nothing, and becomes that of the new key beside it: else the
            bone would turn about anything between the two.
    """
    edit = bpy.context.preferences.edit
    handle, interpolation = edit.keyframe_new_handle_type, edit.keyframe_new_interpolation_type
    curves = of(owner)
    held = animated.take(owner)
    touched = False
    for place, frame in new.items():
        curve = curves.get(place)
        key = key_at(curve, frame)
        if curve is None or key is None:
            continue
        asked = interpolation if len(curve.keyframe_points) <= 2 else key.interpolation
        if (key.handle_left_type, key.handle_right_type, key.interpolation) == (handle, handle, asked):
            continue
        key.handle_left_type = key.handle_right_type = handle
        key.interpolation = asked
        curve.update()
        touched = True
    for path in turned:
        at = next((frame for (other, _), frame in new.items() if other == path), None)
        if at is not None:
            touched |= _share_axis([curves.get((path, index)) for index in range(4)], at)
    if touched:
        # Touching keys makes Blender evaluate the animation again, and forget every change that was not keyed.
        bpy.context.view_layer.update()
        animated.restore(owner, held)


def _frame_of(key: bpy.types.Keyframe) -> float:
    return float(key.co[0])


def _beside(curves: Sequence[bpy.types.FCurve], frame: float) -> tuple[list[float], list[float]]:
    """Frames of the keys next to a frame, of every curve: those before it, those after it."""
    earlier, later = [], []
    for curve in curves:
        keys = curve.keyframe_points
        before = bisect_left(keys, frame - _SAME_FRAME, key=_frame_of)
        after = bisect_right(keys, frame + _SAME_FRAME, key=_frame_of)
        if before > 0:
            earlier.append(_frame_of(keys[before - 1]))
        if after < len(keys):
            later.append(_frame_of(keys[after]))
    return earlier, later


def _share_axis(curves: Sequence[bpy.types.FCurve | None], frame: float) -> bool:
    """Give a key without rotation at either end the axis of the new key beside it; whether anything was changed."""
    angle, own = curves[0], [curve for curve in curves if curve is not None]
    if angle is None or _says_nothing(angle.evaluate(frame)):
        return False
    changed = False
    earlier, later = _beside(own, frame)
    for place in (max(earlier, default=None), min(later, default=None)):
        if place is None or not _says_nothing(angle.evaluate(place)):
            continue
        before, after = _beside(own, place)
        if before and after:
            continue
        for curve in curves[1:]:
            key = key_at(curve, place)
            if curve is None or key is None:
                continue
            value = curve.evaluate(frame)
            if abs(key.co[1] - value) > _NO_TURN:
                # Unlike ``co``, it takes the handles along.
                key.co_ui[1] = value
                curve.update()
                changed = True
    return changed


def _says_nothing(angle: float) -> bool:
    return abs(math.remainder(angle, 2.0 * math.pi)) < _NO_TURN
