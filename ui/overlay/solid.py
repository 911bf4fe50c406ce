"""Shapes of links in the view itself, hidden by what is before them: the ghost of the start pose, and tints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix
from numpy.typing import NDArray

from ...rig.view import View
from .colours import Palette, faint
from .state import Array, Mesh, OverlayState

# How much nearer to the viewer a tint is drawn than the surface that it lies upon, in clip space.
NEARER = 2e-5
# How opaque the ghost of the start pose is.
GHOST_FACES, GHOST_EDGES = 0.1, 0.16

# Batches of the shapes of the present drag: they hold no Blender data, and are made anew for each drag.
_edges: dict[str, Any] = {}
_faces: dict[str, Any] = {}


def forget() -> None:
    """Give the batches back."""
    _edges.clear()
    _faces.clear()


def paint(state: OverlayState, view: View, palette: Palette, scale: float) -> None:
    """Draw ghosts, and tint what touches."""
    ghosts = state.ghosts if state.parts.ghost else {}
    colliding = state.colliding if state.parts.collisions else {}
    if not ghosts and not colliding:
        return
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.depth_mask_set(False)
    projection: Any = gpu.matrix.get_projection_matrix()
    nearer = projection.copy()
    nearer[2] = projection[2] - NEARER * projection[3]
    try:
        with _stack(gpu.matrix.push_pop_projection):
            gpu.matrix.load_projection_matrix(nearer)
            _fill(state.shapes, colliding, faint(palette.limit, 0.45))
            _outline(state.shapes, colliding, palette.limit, 1.5 * scale, view)
            _fill(state.shapes, ghosts, faint(palette.ghost, GHOST_FACES))
            _outline(state.shapes, ghosts, faint(palette.ghost, GHOST_EDGES), 1.0 * scale, view)
    finally:
        gpu.state.depth_mask_set(False)
        gpu.state.depth_test_set("NONE")
        gpu.state.blend_set("NONE")


def _fill(shapes: Mapping[str, Mesh], places: Mapping[str, Array], color: Any) -> None:  # noqa: ANN401
    if not places:
        return
    shader: Any = gpu.shader.from_builtin("UNIFORM_COLOR")
    gpu.state.face_culling_set("BACK")
    try:
        shader.bind()
        shader.uniform_float("color", color)
        for name, place in places.items():
            if name in shapes and len(shapes[name].triangles):
                if name not in _faces:
                    mesh = shapes[name]
                    _faces[name] = batch_for_shader(shader, "TRIS", {"pos": mesh.points}, indices=mesh.triangles)
                _draw(_faces[name], shader, place)
    finally:
        gpu.state.face_culling_set("NONE")


def _outline(
    shapes: Mapping[str, Mesh],
    places: Mapping[str, Array],
    color: Any,  # noqa: ANN401
    width: float,
    view: View,
) -> None:
    if not places:
        return
    shader: Any = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    shader.bind()
    shader.uniform_float("viewportSize", (float(view.width), float(view.height)))
    shader.uniform_float("lineWidth", width)
    shader.uniform_float("color", color)
    for name, place in places.items():
        if name in shapes and len(shapes[name].edges):
            if name not in _edges:
                ends: NDArray[np.float32] = shapes[name].points[shapes[name].edges.ravel()]
                _edges[name] = batch_for_shader(shader, "LINES", {"pos": ends})
            _draw(_edges[name], shader, place)


def _draw(batch: Any, shader: Any, place: Array) -> None:  # noqa: ANN401
    with _stack(gpu.matrix.push_pop):
        gpu.matrix.multiply_matrix(Matrix(place.tolist()))
        batch.draw(shader)


def _stack(push: Callable[[], Any]) -> AbstractContextManager[None]:
    """A context manager of Blender's, as what it is."""
    manager: AbstractContextManager[None] = push()
    return manager
