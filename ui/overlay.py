"""What a drag shows in the 3D views: target, handle, the line between them, the chain, and joints at their limits.

The draw function is given a plain state object and holds no Blender reference. It can outlive neither an error of its
own nor the drag: the first error takes it off the views.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import blf
import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ..rig import view as views

_log = logging.getLogger(__name__)

Color = tuple[float, float, float, float]
Point = Sequence[float]

CHAIN: Color = (1.0, 0.72, 0.2, 0.9)
HANDLE: Color = (1.0, 1.0, 1.0, 1.0)
TARGET: Color = (0.2, 0.85, 1.0, 1.0)
MISSED: Color = (1.0, 0.45, 0.3, 1.0)
LIMIT: Color = (1.0, 0.3, 0.25, 1.0)
SHADOW: Color = (0.0, 0.0, 0.0, 0.55)
CIRCLE_STEPS = 24


@dataclass
class OverlayState:
    """What to draw, in world space.

    Attributes:
        scene: name of the scene that the drag is in; windows that show another one stay bare.
        target, handle: (3,) points.
        joints: points along the chain, anchor first.
        limited: points of joints that hold at a limit.
        reached: False tints the target.
        text: shown beside the target.
    """

    scene: str
    target: Point = (0.0, 0.0, 0.0)
    handle: Point = (0.0, 0.0, 0.0)
    joints: Sequence[Point] = field(default_factory=list)
    limited: Sequence[Point] = field(default_factory=list)
    reached: bool = True
    text: str = ""


_handler: Any = None


def show(state: OverlayState) -> None:
    """Start drawing a state that the drag goes on changing."""
    global _handler
    hide()
    _handler = bpy.types.SpaceView3D.draw_handler_add(_draw, (state,), "WINDOW", "POST_PIXEL")


def hide() -> None:
    """Stop drawing. Safe to call when nothing is drawn."""
    global _handler
    handler, _handler = _handler, None
    if handler is not None:
        try:
            bpy.types.SpaceView3D.draw_handler_remove(handler, "WINDOW")
        except ValueError:
            _log.debug("the overlay was gone already")


def is_shown() -> bool:
    """Whether the overlay is on the views."""
    return _handler is not None


def redraw(window_manager: bpy.types.WindowManager) -> None:
    """Ask every 3D view to draw itself again."""
    for window in window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def _draw(state: OverlayState) -> None:
    try:
        context = bpy.context
        if context.scene is None or context.scene.name != state.scene or context.area is None or context.region is None:
            return
        view = views.read(context.area, context.region)
        if view is not None:
            _paint(state, view, context.preferences.system.ui_scale)
    except Exception:
        # A draw function that raises does so on every redraw and floods the console.
        _log.exception("the overlay failed and is switched off")
        hide()


def _paint(state: OverlayState, view: views.View, scale: float) -> None:
    gpu.state.blend_set("ALPHA")
    try:
        joints = _on_screen(view, [*state.joints, state.handle])
        target = view.project(np.asarray(state.target))
        handle = view.project(np.asarray(state.handle))
        _line(view, joints, SHADOW, 5.0 * scale)
        _line(view, joints, CHAIN, 2.5 * scale)
        for joint in joints[:-1]:
            _line(view, _circle(joint, 3.0 * scale), CHAIN, 2.0 * scale)
        for joint in _on_screen(view, state.limited):
            _line(view, _circle(joint, 8.0 * scale), LIMIT, 2.5 * scale)
        color = TARGET if state.reached else MISSED
        if target is not None and handle is not None:
            _line(view, [handle, target], color, 1.5 * scale)
        if target is not None:
            _line(view, _circle(target, 9.0 * scale), SHADOW, 4.0 * scale)
            _line(view, _circle(target, 9.0 * scale), color, 2.0 * scale)
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                inner, outer = 5.0 * scale, 13.0 * scale
                tick = [(target[0] + dx * k, target[1] + dy * k) for k in (inner, outer)]
                _line(view, tick, color, 2.0 * scale)
        if handle is not None:
            _line(view, _circle(handle, 3.5 * scale), HANDLE, 3.0 * scale)
        if target is not None and state.text:
            _write(view, state.text, target, color, scale)
    finally:
        gpu.state.blend_set("NONE")


def _on_screen(view: views.View, points: Sequence[Point]) -> list[tuple[float, float]]:
    projected = (view.project(np.asarray(point)) for point in points)
    return [point for point in projected if point is not None]


def _circle(centre: tuple[float, float], radius: float) -> list[tuple[float, float]]:
    turns = (2.0 * math.pi * i / CIRCLE_STEPS for i in range(CIRCLE_STEPS + 1))
    return [(centre[0] + radius * math.cos(turn), centre[1] + radius * math.sin(turn)) for turn in turns]


def _line(view: views.View, points: Sequence[tuple[float, float]], color: Color, width: float) -> None:
    if len(points) < 2:
        return
    # Plain line widths have no effect on Vulkan and Metal; the POLYLINE shaders draw theirs as triangles.
    shader: Any = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    shader.bind()
    shader.uniform_float("viewportSize", (float(view.width), float(view.height)))
    shader.uniform_float("lineWidth", width)
    shader.uniform_float("color", color)
    batch_for_shader(shader, "LINE_STRIP", {"pos": [(x, y, 0.0) for x, y in points]}).draw(shader)


def _width(font: int, text: str) -> float:
    size: Any = blf.dimensions(font, text)
    return float(size[0])


def _write(view: views.View, text: str, target: tuple[float, float], color: Color, scale: float) -> None:
    """Text beside the target: to the right of it, or to the left where there is no room."""
    font = 0
    blf.size(font, 12.0 * scale)
    gap, width = 18.0 * scale, _width(font, text)
    left = target[0] + gap if target[0] + gap + width < view.width else target[0] - gap - width
    place = (left, target[1] + 12.0 * scale)
    blf.enable(font, blf.SHADOW)
    blf.shadow(font, 3, 0.0, 0.0, 0.0, 0.8)
    blf.position(font, place[0], place[1], 0.0)
    blf.color(font, *color)
    blf.draw(font, text)
    blf.disable(font, blf.SHADOW)
