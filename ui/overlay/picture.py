"""What an overlay looks like in one view: the lines and areas of a state, and its texts."""

from __future__ import annotations

import math

import numpy as np

from ...rig.view import View
from . import joints
from .colours import Color, Palette, faint
from .labels import Labels
from .sketch import Sketch, unit_circle
from .state import OverlayState, Shell

# Numbers of joints nearer to the handle than this are told, of others only those at limits [px at a UI scale of 1].
NEAR = 120.0
SHELL_STEPS = 96


def sketch(state: OverlayState, view: View, palette: Palette, labels: Labels, scale: float) -> Sketch:
    """Everything that is drawn over the view, the topmost last.

    Args:
        state: what to show.
        view: where.
        palette: in which colours.
        labels: takes the texts.
        scale: of the user interface.
    """
    drawn = Sketch(view)
    target, handle = np.asarray(state.target), np.asarray(state.handle)
    color = palette.target if state.reached else palette.missed
    (at_target, at_handle), (shows_target, shows_handle) = drawn.project([target, handle])
    if state.parts.ghost and len(state.start) > 1:
        drawn.path(state.start, faint(palette.ghost, 0.4), 2.0 * scale)
        _dots(drawn, state.start, faint(palette.ghost, 0.4), 2.0, scale)
    if state.parts.reach and state.shell is not None:
        _shell(drawn, state.shell, faint(palette.missed, 0.7), scale)
    _locks(drawn, state, palette, scale)
    if state.parts.chain:
        drawn.path([*state.joints, state.handle], palette.chain, 2.5 * scale)
        _dots(drawn, state.joints, palette.chain, 3.0, scale)
    placed = None
    ranges = state.ranges
    if state.parts.ranges and ranges is not None and ranges.names:
        placed = joints.draw(drawn, palette, ranges, handle, scale)
    _pins(drawn, state, palette.pin, scale)
    if shows_target and shows_handle:
        drawn.flat([[at_handle, at_target]], color, 1.5 * scale)
    if shows_target:
        drawn.circle(at_target, 9.0 * scale, color, 2.0 * scale)
        ticks = [((dx * 5.0, dy * 5.0), (dx * 13.0, dy * 13.0)) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        drawn.flat(at_target + scale * np.array(ticks), color, 2.0 * scale)
        labels.cover(at_target, 10.0 * scale)
    if shows_handle:
        drawn.circle(at_handle, 3.5 * scale, palette.handle, 3.0 * scale)
    if shows_target and state.text:
        labels.add(state.text, at_target, color if state.reached else palette.text, gap=18.0 * scale, always=True)
    if placed is not None and ranges is not None:
        _values(labels, state, placed, palette, at_handle, scale)
    _collisions(drawn, state, palette, labels, scale)
    return drawn


def _values(
    labels: Labels, state: OverlayState, placed: joints.Placed, palette: Palette, handle: np.ndarray, scale: float
) -> None:
    """Numbers beside the ticks: of joints that hold the handle back, then of those at limits, then of those near it."""
    ranges = state.ranges
    assert ranges is not None
    away = np.linalg.norm(placed.tips - handle, axis=1)
    limited = ranges.limited
    named = np.array([name in state.named for name in ranges.names])
    wanted = placed.seen & (named | limited | state.parts.values | (away < NEAR * scale))
    for i in sorted(np.flatnonzero(wanted).tolist(), key=lambda i: (not named[i], not limited[i], away[i])):
        text = f"{ranges.names[i]} {state.values[i]}" if named[i] else state.values[i]
        color = palette.warning if limited[i] or named[i] else palette.text
        labels.add(text, placed.tips[i], color, gap=7.0 * scale)


def _collisions(drawn: Sketch, state: OverlayState, palette: Palette, labels: Labels, scale: float) -> None:
    """Names of what touches, where it is."""
    if not state.parts.collisions:
        return
    for name, place in state.colliding.items():
        mesh = state.shapes.get(name)
        if mesh is not None and len(mesh.points):
            middle = 0.5 * (mesh.points.min(axis=0) + mesh.points.max(axis=0)).astype(np.float64)
            (at,), (seen,) = drawn.project(place[:3, :3] @ middle + place[:3, 3])
            if seen:
                labels.add(name, at, palette.text, gap=2.0 * scale)


def _dots(drawn: Sketch, points: object, color: Color, radius: float, scale: float) -> None:
    """A small ring at each of these world points."""
    pixels, seen = drawn.project(np.asarray(points, dtype=np.float64))
    ring = unit_circle(12) * radius * scale
    rings = pixels[seen][:, None] + ring
    drawn.flat(np.stack([rings[:, :-1], rings[:, 1:]], axis=2), color, 2.0 * scale)


def _shell(drawn: Sketch, shell: Shell, color: Color, scale: float) -> None:
    """Spheres as four circles each: about the three axes, and the one that faces the viewer."""
    view = drawn.view
    turn = unit_circle(SHELL_STEPS)
    facing = view.forward if not view.is_perspective else shell.centre - view.eye
    facing = facing / max(float(np.linalg.norm(facing)), 1e-12)
    least = np.eye(3)[int(np.argmin(np.abs(facing)))]
    right = np.cross(facing, least)
    right /= np.linalg.norm(right)
    x, y, z = np.eye(3)
    planes = ((x, y), (y, z), (z, x), (right, np.cross(facing, right)))
    for radius in (shell.reach, shell.fold):
        if not 0.0 < radius < math.inf:
            continue
        for number, (one, other) in enumerate(planes):
            circle = shell.centre + radius * (turn[:, :1] * one + turn[:, 1:] * other)
            drawn.path(circle, color if number == 3 else faint(color, 0.5), (1.5 if number == 3 else 1.0) * scale)


def _locks(drawn: Sketch, state: OverlayState, palette: Palette, scale: float) -> None:
    """Lines along which the target may move, right across the view."""
    through = np.asarray(state.locked_at)
    far = 1e3 * max(drawn.view.distance, 1.0)
    for axis, direction in state.locks:
        way = far * np.asarray(direction, dtype=np.float64)
        drawn.world([[through - way, through + way]], palette.axes[axis], 1.5 * scale)


def _pins(drawn: Sketch, state: OverlayState, color: Color, scale: float) -> None:
    """A drawing pin, its point on what stays."""
    pixels, seen = drawn.project(np.asarray(state.pins, dtype=np.float64).reshape(-1, 3))
    for pixel in pixels[seen]:
        head = pixel + np.array((5.0, 13.0)) * scale
        drawn.flat([[pixel, head]], color, 2.0 * scale)
        drawn.circle(head, 4.0 * scale, color, 3.5 * scale)
        drawn.circle(pixel, 2.0 * scale, color, 2.0 * scale)
