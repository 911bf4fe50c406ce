"""The surface that a 3D view shows at a pixel; what is hidden, cut away or cannot be selected is looked through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix
from mathutils import Vector as BlenderVector

from .view import Vector, View

# Past so many surfaces in a row that cannot be picked, the line of sight is taken to meet nothing.
MOST_SURFACES = 128
# Types of objects whose switches in a view's list of types are called otherwise.
_KINDS = {"SURFACE": "surf", "GPENCIL": "grease_pencil", "GREASEPENCIL": "grease_pencil"}


@dataclass(frozen=True)
class Surface:
    """Where a line of sight meets a mesh.

    Attributes:
        owner: the object of the scene that shows it: the mesh's own, or the one that makes an instance of it.
        mesh: the object whose mesh it is.
        point: (3,) world space.
        face: of the evaluated mesh.
        local: (3,) the point in the mesh's own space.
    """

    owner: bpy.types.Object
    mesh: bpy.types.Object
    point: Vector
    face: int
    local: Vector


class _Hit(NamedTuple):
    """What ``ray_cast`` gives."""

    found: bool
    location: BlenderVector
    normal: BlenderVector
    face: int
    mesh: bpy.types.Object
    matrix: Matrix


def first(
    context: bpy.types.Context, space: bpy.types.SpaceView3D, view: View, pixel: tuple[float, float]
) -> Surface | None:
    """The surface that a view shows at a pixel and lets be selected, None for none; objects in front come first."""
    nearest: Surface | None = None
    layered = any(ob.show_in_front for ob in context.view_layer.objects)
    for surface in _Sight(context, space, view).surfaces(pixel):
        if not layered or surface.mesh.show_in_front:
            return surface
        nearest = nearest or surface
    return nearest


def is_selectable(context: bpy.types.Context, space: bpy.types.SpaceView3D, thing: bpy.types.Object) -> bool:
    """Whether an object can be selected in a view: by itself, by its type and by the collections it is in."""
    kind = _KINDS.get(thing.type, thing.type.lower())
    if thing.hide_select or not getattr(space, f"show_object_select_{kind}", True):
        return False
    if not any(collection.hide_select for collection in bpy.data.collections):
        return True
    return _is_reached(context.view_layer.layer_collection, set(thing.users_collection))


def _is_reached(layer: bpy.types.LayerCollection, holding: set[bpy.types.Collection]) -> bool:
    """Whether a collection that lets objects be selected, as all above it do, is one of these."""
    if layer.collection.hide_select:
        return False
    if not layer.exclude and layer.collection in holding:
        return True
    return any(_is_reached(child, holding) for child in layer.children)


class _Sight:
    """Looks along lines of sight; ``ray_cast`` itself knows nothing of what a view shows."""

    def __init__(self, context: bpy.types.Context, space: bpy.types.SpaceView3D, view: View) -> None:
        self.context, self.space, self.view = context, space, view
        self.depsgraph = context.evaluated_depsgraph_get()
        shading = space.shading
        self.culls = shading.type == "SOLID" and shading.show_backface_culling

    def surfaces(self, pixel: tuple[float, float]) -> Iterator[Surface]:
        """What a pixel shows and lets be selected, from the viewer on."""
        start, direction, near, far = self.view.sight(pixel)
        toward = BlenderVector(direction.tolist())
        origin = BlenderVector((start + direction * (near if self.view.is_perspective else 0.0)).tolist())
        if not self.view.is_perspective:
            # The near plane may be kilometres away, where single precision is off by more than a pixel.
            for _ in range(MOST_SURFACES):
                hit = self._cast(origin, -toward)
                if not hit.found:
                    break
                origin = _past(hit.location, -toward)
        for _ in range(MOST_SURFACES):
            found, location, _, face, mesh, matrix = self._cast(origin, toward)
            if not found:
                return
            origin = _past(location, toward)
            point = np.array(location, dtype=np.float64)
            depth = float((point - start) @ direction)
            if depth > far:
                return
            if depth < near or not self.view.shows(point):
                continue
            if self.culls and _is_back(mesh, matrix, face, toward):
                continue
            owner = self._owner(mesh.original, matrix)
            if owner is not None:
                local = np.array(matrix.inverted_safe() @ location, dtype=np.float64)
                yield Surface(owner, mesh.original, point, face, local)

    def _cast(self, origin: BlenderVector, toward: BlenderVector) -> _Hit:
        hit: Any = self.context.scene.ray_cast(self.depsgraph, origin, toward)
        return _Hit(*hit)

    def _owner(self, mesh: bpy.types.Object, matrix: Matrix) -> bpy.types.Object | None:
        """The object by which the view shows a mesh at a place, None where it shows no surface that can be picked."""
        if mesh.display_type in {"WIRE", "BOUNDS"} or not self._shows_kind(mesh):
            return None
        if _is_same(mesh.evaluated_get(self.depsgraph).matrix_world, matrix) and self._lets_pick(mesh):
            return mesh
        for place, maker in self._instances.get(mesh.session_uid, ()):
            if _is_same(place, matrix) and self._lets_pick(maker):
                return maker
        return None

    def _lets_pick(self, thing: bpy.types.Object) -> bool:
        # ``visible_get`` knows local view, local collections and hidden kinds of objects; ``visible_in_viewport_get``
        # is right for evaluated objects only.
        return (
            thing.display_type not in {"WIRE", "BOUNDS"}
            and thing.visible_get(view_layer=self.context.view_layer, viewport=self.space)
            and is_selectable(self.context, self.space, thing)
        )

    def _shows_kind(self, thing: bpy.types.Object) -> bool:
        kind = _KINDS.get(thing.type, thing.type.lower())
        return bool(getattr(self.space, f"show_object_viewport_{kind}", True))

    @cached_property
    def _instances(self) -> dict[int, list[tuple[Matrix, bpy.types.Object]]]:
        """Of each object's instances, by its session identifier: world matrix, and the object that makes it."""
        found: dict[int, list[tuple[Matrix, bpy.types.Object]]] = {}
        if any(one.is_instancer for one in self.depsgraph.objects):
            for one in self.depsgraph.object_instances:
                if one.is_instance and one.instance_object is not None and one.parent is not None:
                    of = found.setdefault(one.instance_object.original.session_uid, [])
                    of.append((one.matrix_world.copy(), one.parent.original))
        return found


def _is_back(evaluated: bpy.types.Object, matrix: Matrix, face: int, toward: BlenderVector) -> bool:
    """Whether a face is seen from behind; the normal that ``ray_cast`` gives is wrong for sheared objects."""
    shape = evaluated.data
    if not isinstance(shape, bpy.types.Mesh) or not 0 <= face < len(shape.polygons):
        return False
    normal = matrix.to_3x3().inverted_safe().transposed() @ shape.polygons[face].normal
    return bool(normal.dot(toward) > 0.0)


def _past(location: BlenderVector, toward: BlenderVector) -> BlenderVector:
    """A place past a surface by more than the noise of single precision at this distance from the origin."""
    return location + toward * max(1e-5, 1e-6 * location.length)


def _is_same(a: Matrix, b: Matrix) -> bool:
    one, other = np.array(a), np.array(b)
    return bool(np.abs(one - other).max() <= 1e-5 * max(1.0, float(np.abs(one).max())))
