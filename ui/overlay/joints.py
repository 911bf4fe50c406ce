"""Axes and ranges of joints: an arc for a hinge, a bar for a slide, each with a tick at its value."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...rig.ranges import Ranges
from .colours import Palette
from .sketch import Sketch
from .state import Array

# Radius of an arc [px at a UI scale of 1], and the least one where joints are close together on the screen.
RADIUS, LEAST = 34.0, 11.0
# Arcs of joints that share their place are drawn inside each other, each by this factor smaller.
NESTED = 0.76
STEPS, STEPS_OF_TURNS = 40, 96
# Where a range is more than one turn, its arc becomes wider by this share of the radius a turn.
SPIRAL = 0.12
# Lines of joints without limits, and the area of a range.
FREE, FILL = 0.45, 0.13


@dataclass(frozen=True)
class Placed:
    """Where the joints were drawn, for the labels.

    Attributes:
        tips: (n, 2) pixels at the ends of the ticks.
        seen: (n,) whether they are in front of the viewer.
    """

    tips: Array
    seen: NDArray[np.bool_]


def draw(sketch: Sketch, palette: Palette, ranges: Ranges, handle: Array, scale: float) -> Placed:
    """Draw every joint of a chain.

    Args:
        sketch: where to.
        palette: the colours.
        ranges: the joints, at least one.
        handle: (3,) world point that arcs keep clear of.
        scale: of the user interface.
    """
    limited, slides = ranges.limited, ranges.slides
    endless = ~np.isfinite(ranges.upper - ranges.lower)
    line = np.empty((len(ranges.names), 4), dtype=np.float32)
    line[:] = palette.range
    line[limited] = palette.limit
    line[endless & ~limited, 3] *= FREE
    at = ranges.origin + np.where(slides, ranges.value, 0.0)[:, None] * ranges.axis
    radius = _radii(sketch, at, handle, scale) * sketch.pixel_size(at)
    tips = at.copy()
    for kind, shape in ((~slides, _arcs), (slides, _bars)):
        places = np.flatnonzero(kind)
        if len(places):
            tips[places] = shape(sketch, ranges, places, at, radius, line, scale)
    pixels, seen = sketch.project(tips)
    return Placed(pixels, seen)


def _radii(sketch: Sketch, at: Array, handle: Array, scale: float) -> Array:
    """(n,) radius of each arc on the screen [px]: large enough to be read, small enough to leave the others alone."""
    pixels, _ = sketch.project(np.vstack([at, handle]))
    apart = np.linalg.norm(pixels[:-1, None] - pixels[None], axis=2)
    together = apart[:, :-1] < 4.0 * scale
    apart[apart < 4.0 * scale] = math.inf
    room = np.clip(0.45 * apart.min(axis=1), LEAST * scale, RADIUS * scale)
    # The nth joint of those at one place, counted from the anchor.
    order = np.tril(together, -1).sum(axis=1)
    shared = np.where(together, room[None], math.inf).min(axis=1)
    return np.maximum(shared * NESTED**order, 0.4 * LEAST * scale)


def _arcs(
    sketch: Sketch,
    ranges: Ranges,
    places: NDArray[np.intp],
    at: Array,
    radius: Array,
    line: NDArray[np.float32],
    scale: float,
) -> Array:
    lower, upper, value = ranges.lower[places], ranges.upper[places], ranges.value[places]
    endless = ~np.isfinite(upper - lower)
    lower, upper = np.where(endless, -math.pi, lower), np.where(endless, math.pi, upper)
    span = upper - lower
    steps = STEPS_OF_TURNS if span.max() > 2.0 * math.pi + 1e-6 else STEPS
    turns = lower[:, None] + span[:, None] * np.linspace(0.0, 1.0, steps + 1)
    centre, size, color = at[places], radius[places], line[places]

    wider = np.where(span > 2.0 * math.pi, SPIRAL / (2.0 * math.pi), 0.0)

    def point(angle: Array, factor: float) -> Array:
        """(n, m, 3) world points at (n, m) angles, in radii."""
        wide = (factor * size)[:, None] * (1.0 + wider[:, None] * (angle - lower[:, None]))
        ahead, aside = (wide * np.cos(angle))[..., None], (wide * np.sin(angle))[..., None]
        return np.asarray(centre[:, None] + ahead * ranges.zero[places, None] + aside * ranges.side[places, None])

    rims, seen = sketch.strips(point(turns, 1.0), color, 1.5 * scale)
    middles, front = sketch.project(centre)
    filled = seen & front & ~endless
    fill = color[filled]
    fill[:, 3] *= FILL
    sketch.fans(middles[filled], rims[filled], fill)
    ends = np.stack([lower, upper], axis=1)
    marks = np.stack([point(ends, 0.8), point(ends, 1.12)], axis=2)
    sketch.strips(marks[~endless].reshape(-1, 2, 3), np.repeat(color[~endless], 2, axis=0), 1.5 * scale)
    now = np.where(endless, np.remainder(value + math.pi, 2.0 * math.pi) - math.pi, value)[:, None]
    tip = point(now, 1.22)[:, 0]
    strong = color.copy()
    strong[:, 3] = 1.0
    sketch.strips(np.stack([centre, tip], axis=1), strong, 2.5 * scale)
    half = (0.55 * size)[:, None] * ranges.axis[places]
    sketch.strips(np.stack([centre - half, centre + half], axis=1), strong, 1.5 * scale)
    return np.asarray(tip)


def _bars(
    sketch: Sketch,
    ranges: Ranges,
    places: NDArray[np.intp],
    at: Array,
    radius: Array,
    line: NDArray[np.float32],
    scale: float,
) -> Array:
    """Slides are drawn as long as they are, with a mark across at the value."""
    color, axis, origin = line[places], ranges.axis[places], ranges.origin[places]
    ends = np.stack([origin + ranges.lower[places, None] * axis, origin + ranges.upper[places, None] * axis], axis=1)
    sketch.world(ends, color, 4.0 * scale)
    across = np.cross(axis, sketch.view.forward)
    length = np.maximum(np.linalg.norm(across, axis=1), 1e-12)
    across = across / length[:, None] * (0.3 * radius[places])[:, None]
    caps = np.stack([ends - across[:, None], ends + across[:, None]], axis=2).reshape(-1, 2, 3)
    sketch.world(caps, np.repeat(color, 2, axis=0), 1.5 * scale)
    tip = at[places] + 1.4 * across
    sketch.world(np.stack([at[places] - 1.4 * across, tip], axis=1), color, 2.5 * scale)
    return np.asarray(tip)
