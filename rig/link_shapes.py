"""Shapes of links and of obstacles as plain arrays: what hangs on each bone, in the bone's own space."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from . import snapshot
from .handles import SHAPES
from .view import Vector

Points = NDArray[np.float32]
Indices = NDArray[np.int32]

# An edge whose faces meet at more than this angle is part of the outline; its cosine.
SHARP = 0.6
# More edges than this are a blot, and no outline.
MOST_EDGES = 800
# A mesh with more triangles than this is drawn without an outline: finding its edges would take too long.
MOST_OUTLINED = 60_000


@dataclass(frozen=True)
class Shape:
    """A rigid mesh.

    Attributes:
        points: (n, 3) in the space of what carries it.
        triangles: (k, 3) places in ``points``.
    """

    points: Points
    triangles: Indices


@dataclass(frozen=True)
class Part:
    """One object that is a part of a link's looks, or an obstacle.

    Attributes:
        name, uid: of the object.
        place: (4, 4) from its own space to that of what carries it.
        corners: (8, 3) of its box, there.
    """

    name: str
    uid: int
    place: Vector
    corners: Vector


def hung(context: bpy.types.Context, armature: bpy.types.Object) -> dict[str, list[Part]]:
    """What is seen of an armature's bones: the objects parented to each, and to those, as they are shown now."""
    frames = snapshot.frames(armature)
    found: dict[str, list[Part]] = {}
    for ob in _seen(context):
        bone = _bone_of(ob, armature)
        if bone in frames:
            found.setdefault(bone, []).append(_part(ob, _inverse(frames[bone])))
    return found


def obstacles(context: bpy.types.Context, armature: bpy.types.Object) -> dict[str, tuple[Part, Vector]]:
    """Marked objects that do not belong to an armature, by name, each with its place (4, 4) in the world."""
    found = {}
    for ob in _seen(context):
        if is_obstacle(ob) and not _belongs(ob, armature):
            found[ob.name] = (_part(ob, _inverse(_world(ob))), _world(ob))
    return found


def is_obstacle(ob: bpy.types.Object) -> bool:
    """Whether the user has marked an object; never while the extension is off."""
    return bool(getattr(ob, "linkpose_obstacle", False))


def skinned(context: bpy.types.Context, armature: bpy.types.Object) -> list[str]:
    """Names of the meshes that an armature deforms."""
    return [
        ob.name
        for ob in _seen(context)
        if any(isinstance(one, bpy.types.ArmatureModifier) and one.object == armature for one in ob.modifiers)
    ]


def shape(context: bpy.types.Context, parts: Iterable[Part]) -> Shape:
    """Parts as one mesh, as Blender shows them with their modifiers; parts that are gone are left out."""
    depsgraph = context.evaluated_depsgraph_get()
    points, triangles, count = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int32)], 0
    for part in parts:
        ob = context.view_layer.objects.get(part.name)
        if ob is None or ob.session_uid != part.uid:
            continue
        evaluated = ob.evaluated_get(depsgraph)
        mesh = evaluated.to_mesh()
        if mesh is None:
            continue
        mesh.calc_loop_triangles()
        flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", flat)
        corners = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", corners)
        evaluated.to_mesh_clear()
        points.append(flat.reshape(-1, 3) @ part.place[:3, :3].T + part.place[:3, 3])
        triangles.append(corners.reshape(-1, 3) + count)
        count += len(points[-1])
    return Shape(np.concatenate(points).astype(np.float32), np.concatenate(triangles).astype(np.int32))


def outline(found: Shape) -> Indices:
    """(m, 2) places in ``points`` of a shape's edges that are sharp or open; of very many the longest."""
    points, triangles = found.points, found.triangles
    if not len(triangles) or len(triangles) > MOST_OUTLINED:
        return np.zeros((0, 2), dtype=np.int32)
    # Meshes of robots often have an own set of vertices for each face.
    _, first, same = np.unique(_cells(points, 1e-5), return_index=True, return_inverse=True)
    welded = first[same.ravel()][triangles]
    a, b, c = (points[welded[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    sizes = np.linalg.norm(normals, axis=1)
    normals /= np.maximum(sizes, 1e-30)[:, None]
    sides = np.sort(np.concatenate([welded[:, (0, 1)], welded[:, (1, 2)], welded[:, (2, 0)]]), axis=1)
    owner = np.tile(np.arange(len(welded)), 3)
    kept = (sides[:, 0] != sides[:, 1]) & (sizes[owner] > 1e-14)
    sides, owner = sides[kept], owner[kept]
    order = np.lexsort((sides[:, 1], sides[:, 0]))
    sides, owner = sides[order], owner[order]
    starts = np.flatnonzero(np.r_[True, (sides[1:] != sides[:-1]).any(axis=1)]) if len(sides) else np.zeros(0, int)
    counts = np.diff(np.r_[starts, len(sides)])
    second = np.minimum(starts + 1, max(len(sides) - 1, 0))
    bend = np.einsum("ij,ij->i", normals[owner[starts]], normals[owner[second]])
    found_sides = sides[starts[(counts == 1) | (np.abs(bend) < SHARP)]]
    length = np.linalg.norm(points[found_sides[:, 0]] - points[found_sides[:, 1]], axis=1)
    return found_sides[np.argsort(-length, kind="stable")[:MOST_EDGES]].astype(np.int32)


def thinned(found: Shape, most: int) -> Shape:
    """A shape of at most so many triangles: vertices that share a cell of a grid become one, at their middle.

    The method is vertex clustering (Rossignac and Borrel, 1993): no point moves farther than across a cell.
    """
    if len(found.triangles) <= most:
        return found
    extent = float(np.ptp(found.points, axis=0).max()) or 1.0
    cells = 64
    thin = found
    while cells >= 4:
        _, same = np.unique(_cells(found.points, extent / cells), return_inverse=True)
        same = same.ravel()
        count = np.bincount(same)
        middle = np.stack([np.bincount(same, found.points[:, i]) / count for i in range(3)], axis=1)
        merged = same[found.triangles]
        a, b, c = merged.T
        merged = np.unique(np.sort(merged[(a != b) & (b != c) & (c != a)], axis=1), axis=0)
        thin = Shape(middle.astype(np.float32), merged.astype(np.int32))
        if len(merged) <= most:
            break
        cells = int(cells * 0.7)
    return thin


def _cells(points: Points, size: float) -> NDArray[np.int64]:
    """(n,) the cell of a grid that each point lies in, as one number."""
    cell = np.floor((points - points.min(axis=0)) / size + 0.5).astype(np.int64)
    wide = cell.max(axis=0) + 1
    return np.asarray((cell[:, 0] * wide[1] + cell[:, 1]) * wide[2] + cell[:, 2])


def _seen(context: bpy.types.Context) -> Iterator[bpy.types.Object]:
    """Objects with a surface that are shown as one."""
    for ob in context.view_layer.objects:
        if ob.type in SHAPES and ob.display_type not in {"WIRE", "BOUNDS"} and ob.visible_get():
            yield ob


def _bone_of(ob: bpy.types.Object, armature: bpy.types.Object) -> str:
    """The bone of an armature on which an object hangs, by its parents; "" for none."""
    step: bpy.types.Object | None = ob
    while step is not None and step.parent is not None:
        if step.parent_type == "BONE":
            return step.parent_bone if step.parent == armature else ""
        step = step.parent if step.parent_type == "OBJECT" else None
    return ""


def _belongs(ob: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether an object goes with an armature: parented to it, or deformed by it."""
    step: bpy.types.Object | None = ob
    while step is not None:
        if step == armature:
            return True
        step = step.parent
    return any(isinstance(one, bpy.types.ArmatureModifier) and one.object == armature for one in ob.modifiers)


def _inverse(matrix: Vector) -> Vector:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def _part(ob: bpy.types.Object, into: Vector) -> Part:
    place = into @ _world(ob)
    box = np.array([tuple(corner) for corner in ob.bound_box], dtype=np.float64)
    return Part(ob.name, ob.session_uid, place, box @ place[:3, :3].T + place[:3, 3])


def _world(ob: bpy.types.Object) -> Vector:
    return np.array(ob.matrix_world, dtype=np.float64)
