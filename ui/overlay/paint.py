"""Puts a sketch on the screen: one batch for each width of line, one for the areas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader
from numpy.typing import NDArray

from .colours import Color
from .labels import Box
from .sketch import Sketch
from .state import Array

# How much wider than a line its halo is [px at a UI scale of 1].
HALO = 2.0


def paint(sketch: Sketch, halo: Color, scale: float) -> None:
    """Draw areas, then a halo behind all lines, then the lines."""
    gpu.state.blend_set("ALPHA")
    try:
        if sketch.areas:
            corners = np.concatenate([ends for ends, _ in sketch.areas])
            colors = np.repeat(np.concatenate([color for _, color in sketch.areas]), 3, axis=0)
            shader: Any = gpu.shader.from_builtin("SMOOTH_COLOR")
            batch_for_shader(shader, "TRIS", {"pos": _flat(corners), "color": colors}).draw(shader)
        # Plain line widths have no effect on Vulkan and Metal; the POLYLINE shaders draw theirs as triangles.
        shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
        shader.bind()
        shader.uniform_float("viewportSize", (float(sketch.view.width), float(sketch.view.height)))
        gathered = {width: _gather(parts) for width, parts in sketch.lines.items()}
        for width, (places, colors) in gathered.items():
            behind = np.empty_like(colors)
            behind[:] = halo
            behind[:, 3] *= colors[:, 3]
            shader.uniform_float("lineWidth", width + HALO * scale)
            batch_for_shader(shader, "LINES", {"pos": places, "color": behind}).draw(shader)
        for width, (places, colors) in gathered.items():
            shader.uniform_float("lineWidth", width)
            batch_for_shader(shader, "LINES", {"pos": places, "color": colors}).draw(shader)
    finally:
        gpu.state.blend_set("NONE")


def backs(boxes: Sequence[Box], color: Color) -> None:
    """Fill what lies behind texts: over meshes of any colour a shadow alone does not make them readable."""
    if not boxes:
        return
    rows = np.array([(box.left, box.bottom, box.right, box.top) for box in boxes])
    # Two triangles a box: left bottom, right bottom, right top; left bottom, right top, left top.
    corners = rows[:, (0, 1, 2, 1, 2, 3, 0, 1, 2, 3, 0, 3)]
    gpu.state.blend_set("ALPHA")
    try:
        shader: Any = gpu.shader.from_builtin("UNIFORM_COLOR")
        shader.bind()
        shader.uniform_float("color", color)
        batch_for_shader(shader, "TRIS", {"pos": _flat(corners)}).draw(shader)
    finally:
        gpu.state.blend_set("NONE")


def _gather(parts: Sequence[tuple[Array, NDArray[np.float32]]]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(2 n, 3) places and (2 n, 4) colours of the ends of lines."""
    ends = np.concatenate([pairs for pairs, _ in parts])
    return _flat(ends), np.repeat(np.concatenate([color for _, color in parts]), 2, axis=0)


def _flat(pixels: Array) -> NDArray[np.float32]:
    """(n, 3) float32 places in the plane of the screen."""
    places = np.zeros((pixels.size // 2, 3), dtype=np.float32)
    places[:, :2] = pixels.reshape(-1, 2)
    return places
