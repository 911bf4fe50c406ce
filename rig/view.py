"""From pixels to rays and back: what a 3D view shows, as plain numbers that survive the event they were read in."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import bpy
import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ViewAddress:
    """Where a view was found, as pointers that are only ever compared, never followed.

    Attributes:
        window, area, region: ``as_pointer()`` of each.
    """

    window: int
    area: int
    region: int


@dataclass(frozen=True)
class View:
    """One 3D view at one moment; world space, pixels of its region.

    Attributes:
        width, height: of the region [px].
        perspective: (4, 4) world to clip space.
        eye: (3,) position of the viewer (meaningless in orthographic views).
        forward: (3,) unit vector into the screen.
        distance: from the viewer to the point it orbits [m].
        is_perspective: False for orthographic views and cameras.
        clipping: (n, 4) planes of the clipping region (Alt-B); what is on their negative side is not shown.
    """

    width: int
    height: int
    perspective: Vector
    eye: Vector
    forward: Vector
    distance: float
    is_perspective: bool
    clipping: Vector = field(default_factory=lambda: np.empty((0, 4)))

    def shows(self, point: Vector) -> bool:
        """Whether a world point is inside the clipping region."""
        return bool((self.clipping[:, :3] @ point + self.clipping[:, 3] >= 0.0).all())

    def ray(self, pixel: tuple[float, float]) -> tuple[Vector, Vector]:
        """Origin (3,) and unit direction (3,) of the line of sight through a pixel."""
        near, inside = self._unproject(pixel, -1.0), self._unproject(pixel, -0.5)
        direction = (inside - self.eye) if self.is_perspective else (inside - near)
        return (self.eye if self.is_perspective else near), direction / np.linalg.norm(direction)

    def sight(self, pixel: tuple[float, float]) -> tuple[Vector, Vector, float, float]:
        """What of a line of sight is shown.

        Args:
            pixel: (x, y) in the region.

        Returns:
            A point (3,) on the line, its unit direction (3,), and the distances from the point, along the line, at
            which the view's clipping begins and ends [m]. The point is the viewer, or in orthographic views one near
            what is looked at, behind which the view begins.
        """
        start, direction = self.ray(pixel)
        if not self.is_perspective:
            start = self._unproject(pixel, 0.0)
        near, far = (float((self._unproject(pixel, depth) - start) @ direction) for depth in (-1.0, 1.0))
        # A far plane that single precision cannot tell from none comes out behind the viewer.
        return start, direction, near, far if far > near else math.inf

    def project(self, point: Vector) -> tuple[float, float] | None:
        """The pixel that shows a world point, None when it lies behind the viewer."""
        clip = self.perspective @ (point[0], point[1], point[2], 1.0)
        if clip[3] <= 1e-9:
            return None
        return (0.5 * (clip[0] / clip[3] + 1.0) * self.width, 0.5 * (clip[1] / clip[3] + 1.0) * self.height)

    def on_plane(self, pixel: tuple[float, float], through: Vector) -> Vector | None:
        """Where a pixel's line of sight meets the plane that faces the viewer.

        Args:
            pixel: (x, y) in the region.
            through: (3,) a world point on the plane.

        Returns:
            (3,) world point, None when the plane lies behind the viewer.
        """
        clip = self.perspective @ (through[0], through[1], through[2], 1.0)
        if clip[3] <= 1e-9:
            return None
        # Points of one depth in clip space are a plane that faces the viewer. An orthographic ray would have to be
        # followed from a kilometre away, where single precision matrices are millimetres off.
        return self._unproject(pixel, clip[2] / clip[3])

    def _unproject(self, pixel: tuple[float, float], depth: float) -> Vector:
        """(3,) world point at a pixel and a depth in clip space, from -1 (near) to 1 (far)."""
        x, y = 2.0 * pixel[0] / self.width - 1.0, 2.0 * pixel[1] / self.height - 1.0
        point = np.linalg.solve(self.perspective, (x, y, depth, 1.0))
        return point[:3] / point[3]

    def depth(self, point: Vector) -> float:
        """How far in front of the viewer a point lies [m]; in orthographic views the orbit distance."""
        return float((point - self.eye) @ self.forward) if self.is_perspective else self.distance


def under_pointer(context: bpy.types.Context, x: int, y: int) -> ViewAddress | None:
    """The 3D view under a window pixel of the context's window, quad views told apart; None where there is none."""
    window = context.window
    if window is None:
        return None
    for area, region in _view_regions(window):
        if region.x <= x < region.x + region.width and region.y <= y < region.y + region.height:
            return ViewAddress(window.as_pointer(), area.as_pointer(), region.as_pointer())
    return None


def find(
    window_manager: bpy.types.WindowManager, address: ViewAddress
) -> tuple[bpy.types.Window, bpy.types.Area, bpy.types.Region] | None:
    """The Blender objects at an address, found anew; None once any of them is gone or no longer a 3D view."""
    for window in window_manager.windows:
        if window.as_pointer() != address.window:
            continue
        for area, region in _view_regions(window):
            if area.as_pointer() == address.area and region.as_pointer() == address.region:
                return window, area, region
    return None


def read(area: bpy.types.Area, region: bpy.types.Region) -> View | None:
    """The present view of a region as plain numbers; None when the region shows none."""
    view = region_view(area, region)
    if view is None:
        return None
    placed = np.array(view.view_matrix.inverted(), dtype=np.float64)
    window = np.array(view.window_matrix, dtype=np.float64)
    return View(
        width=region.width,
        height=region.height,
        perspective=window @ np.array(view.view_matrix, dtype=np.float64),
        eye=placed[:3, 3],
        forward=-placed[:3, 2] / np.linalg.norm(placed[:3, 2]),
        distance=float(view.view_distance),
        # The last row tells also for cameras, which may be orthographic in a view that says it is not.
        is_perspective=bool(window[3, 2] != 0.0),
        # Of the six planes Blender tests the four sides only.
        clipping=np.array(view.clip_planes, dtype=np.float64).reshape(-1, 4)[: 4 if view.use_clip_planes else 0],
    )


def region_view(area: bpy.types.Area, region: bpy.types.Region) -> bpy.types.RegionView3D | None:
    """The view data of a region of a 3D view, each quadrant of a quad view having its own."""
    if isinstance(region.data, bpy.types.RegionView3D):
        return region.data
    space = area.spaces.active
    return space.region_3d if isinstance(space, bpy.types.SpaceView3D) else None


def _view_regions(window: bpy.types.Window) -> Iterator[tuple[bpy.types.Area, bpy.types.Region]]:
    for area in window.screen.areas:
        if area.type == "VIEW_3D":
            for region in area.regions:
                if region.type == "WINDOW":
                    yield area, region
