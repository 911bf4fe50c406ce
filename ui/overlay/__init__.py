"""What a drag shows in the 3D views: target, handle, chain, the joints' ranges, and why the handle is not there.

The draw functions are given a plain state object and hold no Blender reference. They can outlive neither an error of
their own nor the drag: the first error takes them off the views.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import bpy

from ...rig import view as views
from . import colours, paint, picture, solid
from .feed import Feed
from .labels import Box, Labels
from .state import OverlayState, Parts, Shell

__all__ = ("Feed", "OverlayState", "Parts", "Shell", "hide", "is_shown", "redraw", "show")

_log = logging.getLogger(__name__)

# What Blender's own text in a view's corner takes, the view's name and the scene's [px at a UI scale of 1].
TEXT = (230.0, 52.0)

_handlers: list[Any] = []
# Read from the theme once a drag: it takes longer than drawing.
_palette: colours.Palette | None = None


def show(state: OverlayState) -> None:
    """Start drawing a state that the drag goes on changing."""
    hide()
    for function, when in ((_draw_solid, "POST_VIEW"), (_draw, "POST_PIXEL")):
        _handlers.append(bpy.types.SpaceView3D.draw_handler_add(function, (state,), "WINDOW", when))


def hide() -> None:
    """Stop drawing. Safe to call when nothing is drawn."""
    global _palette
    _palette = None
    while _handlers:
        try:
            bpy.types.SpaceView3D.draw_handler_remove(_handlers.pop(), "WINDOW")
        except ValueError:
            _log.debug("the overlay was gone already")
    solid.forget()


def is_shown() -> bool:
    """Whether the overlay is on the views."""
    return bool(_handlers)


def redraw(window_manager: bpy.types.WindowManager) -> None:
    """Ask every 3D view to draw itself again."""
    for window in window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def _draw_solid(state: OverlayState) -> None:
    _guarded(state, _paint_solid)


def _draw(state: OverlayState) -> None:
    _guarded(state, _paint)


def _guarded(state: OverlayState, painter: Callable[[OverlayState, views.View], None]) -> None:
    try:
        context = bpy.context
        if context.scene is None or context.scene.name != state.scene or context.area is None or context.region is None:
            return
        view = views.read(context.area, context.region)
        if view is not None:
            painter(state, view)
    except Exception:
        # A draw function that raises does so on every redraw and floods the console.
        _log.exception("the overlay failed and is switched off")
        hide()


def _paint_solid(state: OverlayState, view: views.View) -> None:
    solid.paint(state, view, _colours(), bpy.context.preferences.system.ui_scale)


def _paint(state: OverlayState, view: views.View) -> None:
    context = bpy.context
    preferences = context.preferences
    assert context.area is not None
    assert context.region is not None
    scale = preferences.system.ui_scale
    palette = _colours()
    size = preferences.ui_styles[0].widget.points * scale
    free = _free(context.area, context.region, scale)
    labels = Labels(free, size, palette.halo)
    if _has_text(context.area):
        # Blender's own two lines in the corner.
        labels.taken.append(Box(free.left, free.top - TEXT[1] * scale, free.left + TEXT[0] * scale, free.top))
    sketch = picture.sketch(state, view, palette, labels, scale)
    paint.paint(sketch, palette.halo, scale)
    paint.backs(labels.backs, palette.backing)
    labels.draw()


def _colours() -> colours.Palette:
    global _palette
    if _palette is None:
        _palette = colours.of_theme(bpy.context.preferences.themes[0])
    return _palette


def _has_text(area: bpy.types.Area) -> bool:
    space = area.spaces.active
    return isinstance(space, bpy.types.SpaceView3D) and space.overlay.show_overlays and space.overlay.show_text


def _free(area: bpy.types.Area, region: bpy.types.Region, scale: float) -> Box:
    """The part of a region that no toolbar, sidebar or header lies over."""
    left, bottom, right, top = 0.0, 0.0, float(region.width), float(region.height)
    for other in area.regions:
        if other.type == "WINDOW" or other.width <= 1 or other.height <= 1:
            continue
        x, y = other.x - region.x, other.y - region.y
        if other.alignment == "LEFT":
            left = max(left, float(x + other.width))
        elif other.alignment == "RIGHT":
            right = min(right, float(x))
        elif other.alignment == "TOP":
            top = min(top, float(y))
        elif other.alignment == "BOTTOM":
            bottom = max(bottom, float(y + other.height))
    margin = 6.0 * scale
    return Box(left + margin, bottom + margin, right - margin, top - margin)
