"""Directions that a drag's target keeps to: a line or a plane through where it began, global or along the body."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from .matrices import Matrix
from .view import Vector, View

AXES = "XYZ"
# A line that points into the view steeper than this is moved along by going up and down [sine].
_STEEP = 0.1
# A plane that is seen under less than this is taken as facing the viewer [sine].
_EDGE_ON = 0.05
# A pointer that means a place farther than this many times the distance of the viewer means none.
_FAR = 100.0


@dataclass(frozen=True)
class Lock:
    """What a key locks a target to.

    Attributes:
        axis: 0, 1 or 2.
        plane: the plane without that axis instead of the axis.
        local: along the dragged body's own axes, as they were when the drag began, instead of the world's.
        directions: (k, 3) orthonormal world directions in which it moves: one, or two.
    """

    axis: int
    plane: bool
    local: bool
    directions: Matrix = field(compare=False)

    @property
    def name(self) -> str:
        """Such as "along global X", "locking local Z"."""
        space = "local" if self.local else "global"
        return f"{'locking' if self.plane else 'along'} {space} {AXES[self.axis]}"

    def place(self, view: View, pixel: tuple[float, float], through: Vector) -> Vector | None:
        """(3,) the point that a pixel means on the line or plane through a point (3,); None where it means none."""
        seen = view.on_plane(pixel, through)
        if seen is None:
            return None
        along = view.forward
        if view.is_perspective:
            along = (seen - view.eye) / np.linalg.norm(seen - view.eye)
        found = self._on_plane(seen, along, through) if self.plane else self._on_line(view, pixel, along, through)
        if view.is_perspective and float((found - view.eye) @ view.forward) <= 0.0:
            return None
        far = _FAR * max(abs(view.depth(through)), 1e-9)
        return found if float(np.linalg.norm(found - through)) <= far else None

    def _on_line(self, view: View, pixel: tuple[float, float], along: Vector, through: Vector) -> Vector:
        axis = self.directions[0]
        seen, beside = view.on_plane(pixel, through), view.on_plane((pixel[0], pixel[1] + 1.0), through)
        assert seen is not None
        assert beside is not None
        cosine = float(axis @ along)
        if 1.0 - cosine * cosine > _STEEP * _STEEP:
            way = through - seen
            step = (cosine * float(along @ way) - float(axis @ way)) / (1.0 - cosine * cosine)
        else:
            first = view.project(through)
            assert first is not None
            step = math.copysign(float(np.linalg.norm(beside - seen)), cosine) * (pixel[1] - first[1])
        place: Vector = through + step * axis
        return place

    def _on_plane(self, seen: Vector, along: Vector, through: Vector) -> Vector:
        normal = np.cross(self.directions[0], self.directions[1])
        sine = float(along @ normal)
        way = through - seen
        if abs(sine) > _EDGE_ON:
            place: Vector = seen + along * (float(way @ normal) / sine)
        else:
            place = seen + normal * float(way @ normal)
        return place


def next_lock(lock: Lock | None, axis: int, *, plane: bool, local_axes: Matrix) -> Lock | None:
    """What the key of an axis makes of a lock: global, then local, then none, as in Blender's own transform.

    Args:
        lock: what is locked now.
        axis: 0, 1 or 2.
        plane: with Shift: the plane without that axis.
        local_axes: (3, 3) the body's axes in columns.
    """
    same = lock is not None and (lock.axis, lock.plane) == (axis, plane)
    if same and lock is not None and lock.local:
        return None
    axes = local_axes if same else np.eye(3)
    kept = [other for other in range(3) if (other != axis) == plane]
    return Lock(axis, plane, same, axes[:, kept].T.copy())
