"""Lines and words over a 3D view, in its pixels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import blf
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ..rig.view import View

Color = tuple[float, float, float, float]
Pixel = tuple[float, float]

_STEPS = 24
_LETTERS = 12.0


@contextmanager
def painting() -> Iterator[None]:
    """Draw see-through, and leave Blender's state as it was found."""
    gpu.state.blend_set("ALPHA")
    try:
        yield
    finally:
        gpu.state.blend_set("NONE")


def on_screen(view: View, points: Sequence[Sequence[float]]) -> list[Pixel]:
    """The pixels of world points, without those behind the viewer."""
    projected = (view.project(np.asarray(point)) for point in points)
    return [point for point in projected if point is not None]


def circle(centre: Pixel, radius: float) -> list[Pixel]:
    """A closed line around a pixel."""
    turns = (2.0 * math.pi * i / _STEPS for i in range(_STEPS + 1))
    return [(centre[0] + radius * math.cos(turn), centre[1] + radius * math.sin(turn)) for turn in turns]


def draw(view: View, strokes: Sequence[Sequence[Pixel]], color: Color, width: float, halo: Color) -> None:
    """Several lines, each through its pixels, on a halo that tells them from what lies behind."""
    pairs = [(x, y, 0.0) for points in strokes for ends in pairwise(points) for x, y in ends]
    if not pairs:
        return
    # Plain line widths have no effect on Vulkan and Metal; the POLYLINE shaders draw theirs as triangles.
    shader: Any = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    batch = batch_for_shader(shader, "LINES", {"pos": pairs})
    shader.bind()
    shader.uniform_float("viewportSize", (float(view.width), float(view.height)))
    for thickness, shade in ((2.0 * width, halo), (width, color)):
        shader.uniform_float("lineWidth", thickness)
        shader.uniform_float("color", shade)
        batch.draw(shader)


def write(view: View, text: str, at: Pixel, color: Color, scale: float, shadow: Color) -> None:
    """Words to the right of a pixel, or to the left of it where there is no room."""
    font, gap = 0, 16.0 * scale
    blf.size(font, _LETTERS * scale)
    size: Any = blf.dimensions(font, text)
    left = at[0] + gap if at[0] + gap + size[0] < view.width else max(at[0] - gap - size[0], 4.0)
    blf.enable(font, blf.SHADOW)
    blf.shadow(font, 3, *shadow)
    blf.position(font, left, at[1], 0.0)
    blf.color(font, *color)
    blf.draw(font, text)
    blf.disable(font, blf.SHADOW)
