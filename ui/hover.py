"""What the tool shows before a drag: the body under the pointer with its chain, and links without a mesh.

The gizmo group's only gizmo is asked at every motion of the pointer over a view, and only while the tool is active; it
never takes the pointer for itself. A draw handler shows what was found. It takes itself off the views once the tool is
no longer active.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ..rig import chain_report, compat, drag, hovering, pick, toolframes
from ..rig import view as views
from ..rig.hovering import Preview
from . import lines, preferences
from .deferred import Deferred, redraw
from .overlay import colours
from .texts import tr

_log = logging.getLogger(__name__)

# Seconds between two looks whether the pointer has left the view, which no event tells.
_WATCH = 0.25
# The part of a box' edge that is drawn at each corner.
_CORNER = 0.22
_ARM = 7.0
_LONGEST_REASON = 70


@dataclass
class _Hovered:
    """What is under the pointer.

    Attributes:
        view: the region it is in, as a pointer that is only compared.
        seen: what was asked last: the view's matrix and the pixel.
        picked: what would be dragged, None for nothing.
    """

    view: int = 0
    seen: tuple[bytes, tuple[float, float]] | None = None
    picked: pick.Pick | None = None


_hovered = _Hovered()
_handler: Any = None


def _make(armature: bpy.types.Object, bone: str) -> Preview:
    return hovering.preview(armature, bone, lead=preferences.choices(bpy.context).lead)


def _failed(bone: str, error: Exception) -> Preview:
    return Preview(bone, bone, refused=str(error))


_previews: Deferred[Preview] = Deferred(_make, _failed, delay=0.12)


def is_active(context: bpy.types.Context) -> bool:
    """Whether the tool is the active one in the context's mode."""
    if context.workspace is None or context.mode not in {"OBJECT", "POSE"}:
        return False
    tool: Any = context.workspace.tools.from_space_view3d_mode(context.mode, create=False)
    return tool is not None and tool.idname == IDNAME


IDNAME = "linkpose.tool"


def shows_frames(context: bpy.types.Context) -> bool:
    """Whether the small shapes of links without a mesh are on the views, where they can be picked."""
    return is_active(context) and preferences.choices(context).tool_frames


def hovered() -> tuple[pick.Pick | None, Preview | None]:
    """What is under the pointer, and what a drag of it would move; None each where that is not known."""
    picked = _hovered.picked
    return picked, None if picked is None else _preview(picked)


def point_at(context: bpy.types.Context, pixel: tuple[float, float]) -> None:
    """The pointer has moved in the context's region, to a pixel of it."""
    area, region = context.area, context.region
    if area is None or region is None or drag.current() is not None or compat.is_playing(context):
        return
    chosen = preferences.choices(context)
    if not (chosen.tool_hover or chosen.tool_frames):
        return
    show()
    view = views.read(area, region)
    space = area.spaces.active
    if view is None or not isinstance(space, bpy.types.SpaceView3D):
        return
    seen = (view.perspective.tobytes(), pixel)
    if (region.as_pointer(), seen) == (_hovered.view, _hovered.seen):
        return
    _hovered.view, _hovered.seen = region.as_pointer(), seen
    before = _hovered.picked
    picked = pick.pick(context, space, view, pixel, frames=chosen.tool_frames) if chosen.tool_hover else None
    _hovered.picked = picked
    if _name(before) != _name(picked):
        redraw()
    if picked is not None and not bpy.app.timers.is_registered(_watch):
        bpy.app.timers.register(_watch, first_interval=_WATCH)


def show() -> None:
    """Start drawing, unless it is drawn already."""
    global _handler
    if _handler is None:
        _handler = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_PIXEL")
        redraw()


def hide() -> None:
    """Stop drawing, and forget what was under the pointer."""
    global _handler
    handler, _handler = _handler, None
    clear()
    if handler is not None:
        bpy.types.SpaceView3D.draw_handler_remove(handler, "WINDOW")
        redraw()


def clear() -> None:
    """Nothing is under the pointer any more."""
    _hovered.view, _hovered.seen, _hovered.picked = 0, None, None


def is_shown() -> bool:
    """Whether anything may be drawn."""
    return _handler is not None


def _name(picked: pick.Pick | None) -> tuple[int, str, str]:
    return (0, "", "") if picked is None else (picked.armature_uid, picked.bone, picked.kind)


def _watch() -> float | None:
    """Look whether the pointer is still in its view; only an operator that is invoked can tell."""
    if _hovered.picked is None or _handler is None:
        return None
    if drag.current() is not None:
        return _WATCH
    for window in bpy.context.window_manager.windows:
        try:
            with bpy.context.temp_override(window=window):
                _ask_for_pointer()
        except RuntimeError:
            _log.debug("the pointer could not be asked for")
    return _WATCH if _hovered.picked is not None else None


def _ask_for_pointer() -> None:
    operators: Any = bpy.ops
    operators.linkpose.watch_pointer("INVOKE_DEFAULT")


def watch(context: bpy.types.Context, x: int, y: int) -> None:
    """The pointer is at a pixel of the context's window: forget what it was over in another view."""
    address = views.under_pointer(context, x, y)
    if _hovered.picked is not None and (address is None or address.region != _hovered.view):
        clear()
        redraw()


def _stop() -> None:
    """Called by a timer, because a draw function must not remove itself."""
    if not is_active_anywhere():
        hide()


def is_active_anywhere() -> bool:
    """Whether the tool is active in any window."""
    for window in bpy.context.window_manager.windows:
        with bpy.context.temp_override(window=window):
            if is_active(bpy.context):
                return True
    return False


def _draw() -> None:
    try:
        context = bpy.context
        if not is_active(context):
            if not bpy.app.timers.is_registered(_stop):
                bpy.app.timers.register(_stop, first_interval=0.0)
            return
        if drag.current() is not None or context.area is None or context.region is None:
            return
        view = views.read(context.area, context.region)
        if view is not None:
            _paint(context, view)
    except Exception:
        # A draw function that raises does so on every redraw and floods the console.
        _log.exception("the tool's view failed and is switched off")
        bpy.app.timers.register(hide, first_interval=0.0)


def _paint(context: bpy.types.Context, view: views.View) -> None:
    scale = context.preferences.system.ui_scale
    palette = colours.of_theme(context.preferences.themes[0])
    space = context.area.spaces.active
    assert isinstance(space, bpy.types.SpaceView3D)
    here = _hovered.view == context.region.as_pointer()
    picked = _hovered.picked if here else None
    with lines.painting():
        if preferences.choices(context).tool_frames:
            for armature in pick.frames_shown(context, space):
                _paint_frames(view, armature, picked, palette, scale)
        if picked is not None:
            _paint_picked(context, view, picked, palette, scale)


def _paint_frames(
    view: views.View, armature: bpy.types.Object, picked: pick.Pick | None, palette: colours.Palette, scale: float
) -> None:
    frames = toolframes.of(armature)
    for one, point in zip(frames, toolframes.places(armature, frames), strict=True):
        at = view.project(point)
        if at is None or not view.shows(point):
            continue
        chosen = picked is not None and picked.kind == "frame" and _name(picked)[:2] == (armature.session_uid, one.bone)
        arm, color = (1.5 * _ARM * scale, palette.handle) if chosen else (_ARM * scale, palette.range)
        cross = [[(at[0] - arm, at[1]), (at[0] + arm, at[1])], [(at[0], at[1] - arm), (at[0], at[1] + arm)]]
        lines.draw(view, cross, color, (2.0 if chosen else 1.3) * scale, palette.halo)


def _paint_picked(
    context: bpy.types.Context, view: views.View, picked: pick.Pick, palette: colours.Palette, scale: float
) -> None:
    armature = bpy.data.objects.get(picked.armature)
    if armature is None or armature.session_uid != picked.armature_uid or picked.bone not in armature.pose.bones:
        return
    found = _preview(picked)
    refused = found is not None and bool(found.refused)
    color, words = (palette.limit, palette.warning) if refused else (palette.handle, palette.text)
    if found is not None and found.chain:
        world = armature.matrix_world
        heads = [world @ armature.pose.bones[bone].head for bone in found.chain if bone in armature.pose.bones]
        points = lines.on_screen(view, [numbers(head) for head in (*heads, _end(armature, picked))])
        joints = [lines.circle(point, 3.0 * scale) for point in points[:-1]]
        lines.draw(view, [points, *joints], palette.chain, 2.0 * scale, palette.halo)
    if picked.kind == "visual":
        for part in armature.children:
            if part.parent_type == "BONE" and part.parent_bone == picked.bone and part.visible_get():
                _paint_box(view, part, color, palette.halo, scale)
    elif picked.kind != "frame":
        bone = armature.pose.bones[picked.bone]
        ends = [numbers(armature.matrix_world @ end) for end in (bone.head, bone.tail)]
        lines.draw(view, [lines.on_screen(view, ends)], color, 3.5 * scale, palette.halo)
    at = view.project(np.array(picked.point))
    if at is not None:
        lines.write(view, _label(picked, found), (at[0], at[1] + 8.0 * scale), words, scale, palette.backing)


def numbers(vector: Any) -> tuple[float, ...]:  # noqa: ANN401 (Blender's vectors are sequences only at run time)
    """A vector as plain numbers."""
    return tuple(vector)


def _end(armature: bpy.types.Object, picked: pick.Pick) -> Vector:
    """Where a chain is drawn to."""
    if picked.kind == "bone":
        return armature.matrix_world @ armature.pose.bones[picked.bone].tail
    return Vector(picked.point.tolist())


def _paint_box(
    view: views.View, part: bpy.types.Object, color: colours.Color, halo: colours.Color, scale: float
) -> None:
    """The corners of an object's box."""
    corners = np.array([numbers(part.matrix_world @ Vector(corner)) for corner in part.bound_box])
    strokes = [
        lines.on_screen(view, [corners[i].tolist(), (corners[i] + _CORNER * (corners[j] - corners[i])).tolist()])
        for i, beside in enumerate(_BESIDE)
        for j in beside
    ]
    lines.draw(view, strokes, color, 1.7 * scale, halo)


# Blender's order of the corners of a box: (0,0,0) (0,0,1) (0,1,1) (0,1,0), then the same with x = 1.
_BESIDE = ((1, 3, 4), (0, 2, 5), (1, 3, 6), (0, 2, 7), (5, 7, 0), (4, 6, 1), (5, 7, 2), (4, 6, 3))


def _label(picked: pick.Pick, found: Preview | None) -> str:
    if found is None:
        return picked.bone
    if found.refused:
        reason = found.refused
        return reason if len(reason) <= _LONGEST_REASON else reason[: _LONGEST_REASON - 1] + "…"
    text = tr("{body}: {count} joints").format(body=found.body, count=found.joints)
    return f"{text} ({found.control})" if found.control else text


def _preview(picked: pick.Pick) -> Preview | None:
    armature = bpy.data.objects.get(picked.armature)
    if armature is None or armature.session_uid != picked.armature_uid or picked.bone not in armature.pose.bones:
        return None
    return _previews.get(chain_report.key_of(armature, picked.bone), armature, picked.bone)


class LINKPOSE_GT_hover(bpy.types.Gizmo):
    """Learns where the pointer is, as Blender's own gizmos for hovered vertices do."""

    bl_idname = "LINKPOSE_GT_hover"

    def draw(self, _context: bpy.types.Context) -> None:
        """Called by Blender; the draw handler draws instead, so that it may write."""

    def test_select(self, context: bpy.types.Context, location: Any) -> int:  # noqa: ANN401 (a pair of numbers)
        """Called by Blender at every motion of the pointer. Never takes the pointer."""
        try:
            point_at(context, (float(location[0]), float(location[1])))
        except Exception:
            _log.exception("the tool could not look under the pointer")
        return -1


class LINKPOSE_GGT_hover(bpy.types.GizmoGroup):
    """Active with the tool."""

    bl_idname = "LINKPOSE_GGT_hover"
    bl_label = "Linkpose"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Called by Blender."""
        return is_active(context)

    def setup(self, _context: bpy.types.Context) -> None:
        """Called by Blender."""
        self.gizmos.new(LINKPOSE_GT_hover.bl_idname)


@bpy.app.handlers.persistent
def _forget(*_: object) -> None:
    """Another file, or another state of this one."""
    clear()
    toolframes.forget()
    _previews.forget()


_CLASSES = (LINKPOSE_GT_hover, LINKPOSE_GGT_hover)
_HANDLERS = ("load_post", "undo_post", "redo_post")


def register() -> None:
    """Register the gizmo."""
    for cls in _CLASSES:
        bpy.utils.register_class(cls)
    for name in _HANDLERS:
        getattr(bpy.app.handlers, name).append(_forget)


def unregister() -> None:
    """Unregister it, and stop drawing."""
    hide()
    for timer in (_watch, _stop):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)
    for name in _HANDLERS:
        getattr(bpy.app.handlers, name).remove(_forget)
    _forget()
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
