"""Lines and areas on the screen, gathered so that few draw calls are left."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...rig.view import View
from .colours import Color
from .state import Array, Point

# Nearer to the viewer's plane than this, in units of clip space, nothing is drawn.
_NEAR = 1e-4


class Sketch:
    """Collects what is to be drawn over one view, in pixels of its region.

    Attributes:
        lines: by width [px]: ends (n, 2, 2) and colours (n, 4) of what was added, in the order of adding.
        areas: corners (n, 3, 2) and colours (n, 4) of triangles.
    """

    def __init__(self, view: View) -> None:
        """Nothing is drawn yet."""
        self.view = view
        self.lines: dict[float, list[tuple[Array, NDArray[np.float32]]]] = {}
        self.areas: list[tuple[Array, NDArray[np.float32]]] = []
        right = view.perspective[0, :3] - (view.perspective[0, :3] @ view.forward) * view.forward
        self._across = 0.5 * view.width * float(np.linalg.norm(right))

    def pixel_size(self, points: Array) -> Array:
        """(n,) how long one pixel is at world points (n, 3) [m]."""
        depth = points @ self.view.perspective[3, :3] + self.view.perspective[3, 3]
        return np.maximum(depth, _NEAR) / self._across

    def project(self, points: ArrayLike) -> tuple[Array, NDArray[np.bool_]]:
        """(n, 2) pixels that show world points (n, 3), and (n,) whether they are in front of the viewer."""
        clip = self._clip(np.asarray(points, dtype=np.float64).reshape(-1, 3))
        front = clip[:, 3] > _NEAR
        return self._pixels(np.where(front[:, None], clip, 1.0)), front

    def world(self, ends: ArrayLike, color: Color | NDArray[np.float32], width: float) -> None:
        """Lines between world points.

        Args:
            ends: (n, 2, 3).
            color: one for all, or (n, 4).
            width: [px].
        """
        clip = self._clip(np.asarray(ends, dtype=np.float64).reshape(-1, 3)).reshape(-1, 2, 4)
        depth = clip[:, :, 3] - _NEAR
        seen = (depth > 0.0).any(axis=1)
        # What goes behind the viewer is cut off there.
        for here, there in ((0, 1), (1, 0)):
            cut = seen & (depth[:, here] <= 0.0)
            if cut.any():
                share = depth[cut, here] / (depth[cut, here] - depth[cut, there])
                clip[cut, here] += share[:, None] * (clip[cut, there] - clip[cut, here])
        colors = _each(color, len(clip))
        if not seen.all():
            clip, colors = clip[seen], colors[seen]
        if len(clip):
            self._add(self._pixels(clip.reshape(-1, 4)).reshape(-1, 2, 2), colors, width)

    def strips(self, points: Array, colors: NDArray[np.float32], width: float) -> tuple[Array, NDArray[np.bool_]]:
        """Lines from point to point; those that reach behind the viewer are left out.

        Args:
            points: (n, m, 3) world points of n lines.
            colors: (n, 4).
            width: [px].

        Returns:
            (n, m, 2) pixels, and (n,) which lines are drawn.
        """
        count, steps = points.shape[:2]
        pixels, front = self.project(points)
        pixels = pixels.reshape(count, steps, 2)
        seen: NDArray[np.bool_] = np.all(front.reshape(count, steps), axis=1)
        ends = np.empty((count, steps - 1, 2, 2))
        ends[:, :, 0], ends[:, :, 1] = pixels[:, :-1], pixels[:, 1:]
        shown = ends[seen].reshape(-1, 2, 2)
        if len(shown):
            self._add(shown, np.repeat(colors[seen], steps - 1, axis=0), width)
        return pixels, seen

    def path(self, points: Sequence[Point] | Array, color: Color, width: float) -> None:
        """A line from world point to world point (n, 3)."""
        way = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        if len(way) > 1:
            self.world(np.stack([way[:-1], way[1:]], axis=1), color, width)

    def flat(self, ends: ArrayLike, color: Color, width: float) -> None:
        """Lines between pixels (n, 2, 2)."""
        pairs = np.asarray(ends, dtype=np.float64).reshape(-1, 2, 2)
        if len(pairs):
            self._add(pairs, _each(color, len(pairs)), width)

    def circle(self, centre: Sequence[float] | Array, radius: float, color: Color, width: float) -> None:
        """A circle about a pixel."""
        round_ = unit_circle(max(12, min(64, int(radius * 2)))) * radius + np.asarray(centre)
        self.flat(np.stack([round_[:-1], round_[1:]], axis=1), color, width)

    def fans(self, middles: Array, rims: Array, colors: NDArray[np.float32]) -> None:
        """Areas between a pixel (n, 2) and each of its rim (n, m, 2), in colours (n, 4)."""
        count, steps = rims.shape[:2]
        corners = np.empty((count, steps - 1, 3, 2))
        corners[:, :, 0], corners[:, :, 1], corners[:, :, 2] = middles[:, None], rims[:, :-1], rims[:, 1:]
        if count:
            self.areas.append((corners.reshape(-1, 3, 2), np.repeat(colors, steps - 1, axis=0)))

    def _add(self, ends: Array, colors: NDArray[np.float32], width: float) -> None:
        self.lines.setdefault(width, []).append((ends, colors))

    def _clip(self, points: Array) -> Array:
        return points @ self.view.perspective[:, :3].T + self.view.perspective[:, 3]

    def _pixels(self, clip: Array) -> Array:
        half = (0.5 * self.view.width, 0.5 * self.view.height)
        return (clip[:, :2] / clip[:, 3:] + 1.0) * half


def unit_circle(steps: int) -> Array:
    """(steps + 1, 2) points of a circle; the last is the first."""
    turns = np.linspace(0.0, 2.0 * math.pi, steps + 1)
    return np.stack([np.cos(turns), np.sin(turns)], axis=1)


def _each(color: Color | NDArray[np.float32], count: int) -> NDArray[np.float32]:
    return np.broadcast_to(np.asarray(color, dtype=np.float32), (count, 4))
