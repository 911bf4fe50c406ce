"""Polygons of a COLLADA geometry as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .collada_materials import Dae, Look
from .mesh_data import Floats, Ints, MeshData, merged_materials, starts
from .model import Material, Matrix

_CONTRADICTING = 0.1


@dataclass
class _Part:
    """The polygons of one material.

    Attributes:
        source: (n, 3) the vertices that the corners index; parts may share it.
        corners: (l,) vertex of each corner.
        totals: (p,) corners of each polygon.
        normals: (l, 3) of any length, or None.
        uv: (l, 2), or None.
        symbol: the material's.
    """

    source: Floats
    corners: NDArray[np.int64]
    totals: NDArray[np.int64]
    normals: Floats | None
    uv: Floats | None
    symbol: str | None


def mesh_of(geometry: Dae, matrix: Matrix, look: Look, messages: dict[str, None]) -> MeshData | None:
    """A geometry in the frame of its scene.

    Args:
        geometry: pycollada's.
        matrix: (4, 4) from the geometry's frame to the scene's.
        look: gives the material of a symbol.
        messages: gets what was left out.

    Returns:
        The mesh; None when it has no polygons.
    """
    name = geometry.name or geometry.id or ""
    parts = [part for primitive in geometry.primitives if (part := _part(primitive, name, messages)) is not None]
    if not parts:
        return None
    vertices, corners = _one_vertex_list(parts)
    totals = np.concatenate([part.totals for part in parts]).astype(np.int32)
    materials, indices = merged_materials([[look(part.symbol)] for part in parts])
    material_index = np.repeat([int(index[0]) for index in indices], [len(part.totals) for part in parts])
    if not np.isfinite(vertices).all():
        messages[f"geometry {name!r} has coordinates that are not finite; 0 is used for them"] = None
        vertices = np.nan_to_num(vertices, nan=0.0, posinf=0.0, neginf=0.0)
    mesh = MeshData(
        name=name,
        vertices=vertices,
        loop_vertex=corners,
        polygon_start=starts(totals),
        polygon_total=totals,
        material_index=material_index.astype(np.int32),
        materials=() if materials == (Material(""),) else materials,
        normals=_per_corner([part.normals for part in parts], parts, 3),
        uv=_per_corner([part.uv for part in parts], parts, 2),
    )
    if _normals_contradict_faces(mesh):
        messages[f"geometry {name!r} has normals that contradict its faces; left out"] = None
        mesh = replace(mesh, normals=None)
    return mesh.transformed(matrix)


def _normals_contradict_faces(mesh: MeshData) -> bool:
    """Whether on a tenth of the area or more the normals look to the back: FreeCAD wrote such files."""
    if mesh.normals is None:
        return False
    first, second, third = (mesh.vertices[mesh.loop_vertex[mesh.polygon_start + i]] for i in range(3))
    faces = np.cross(second - first, third - first)
    along = np.einsum("ij,ij->i", faces, mesh.normals[mesh.polygon_start])
    area = np.sqrt(np.einsum("ij,ij->i", faces, faces))
    return bool(area[along < 0.0].sum() > _CONTRADICTING * area[along != 0.0].sum())


def _part(primitive: Dae, name: str, messages: dict[str, None]) -> _Part | None:
    """The polygons of a primitive; None for lines, and for what has none that can be used."""
    if hasattr(primitive, "vcounts"):
        totals = np.asarray(primitive.vcounts, dtype=np.int64).ravel()
    elif hasattr(primitive, "ntriangles"):
        totals = np.full(primitive.ntriangles, 3, dtype=np.int64)
    else:
        return None
    if primitive.vertex_index is None or not len(totals):
        return None
    source = np.asarray(primitive.vertex, dtype=np.float32)
    corners = np.asarray(primitive.vertex_index, dtype=np.int64).ravel()
    if totals.min() < 0 or totals.sum() != len(corners) or not _indexes(corners, source):
        messages[f"geometry {name!r} has polygons at vertices that do not exist; left out"] = None
        return None
    normals = _at_corners(primitive.normal, primitive.normal_index, len(corners), 3)
    uv = None
    if primitive.texcoordset:
        uv = _at_corners(primitive.texcoordset[0], primitive.texcoord_indexset[0], len(corners), 2)
    part = _Part(source, corners, totals, normals, uv, primitive.material)
    _drop_repeated_corners(part)
    _drop_polygons(part, part.totals < 3)
    touching = _touching(part)
    if touching.any():
        messages[f"geometry {name!r} has polygons that touch themselves; {np.count_nonzero(touching)} left out"] = None
        _drop_polygons(part, touching)
    return part if len(part.totals) else None


def _indexes(index: NDArray[np.int64], source: Floats) -> bool:
    return bool(len(index)) and bool(index.min() >= 0) and bool(index.max() < len(source))


def _at_corners(source: Dae, index: Dae, corners: int, width: int) -> Floats | None:
    """(l, width) the source's row of every corner; None when the file has none that can be used."""
    if source is None or index is None:
        return None
    rows = np.asarray(source, dtype=np.float32)
    places = np.asarray(index, dtype=np.int64).ravel()
    if rows.ndim != 2 or rows.shape[1] < width or len(places) != corners or not _indexes(places, rows):
        return None
    return np.nan_to_num(rows[places, :width], nan=0.0, posinf=0.0, neginf=0.0)


def _drop_repeated_corners(part: _Part) -> None:
    """Of neighbouring corners at the same vertex keep one: exporters write triangles as four corners."""
    ends = np.cumsum(part.totals)
    following = np.arange(1, len(part.corners) + 1)
    filled = part.totals > 0
    following[ends[filled] - 1] = (ends - part.totals)[filled]
    keep = part.corners != part.corners[following]
    if keep.all():
        return
    polygon = np.repeat(np.arange(len(part.totals)), part.totals)
    _keep_corners(part, keep)
    part.totals = np.bincount(polygon[keep], minlength=len(part.totals))


def _touching(part: _Part) -> NDArray[np.bool_]:
    """(p,) which polygons have a vertex twice. Blender cannot hold them."""
    touching = np.zeros(len(part.totals), dtype=bool)
    if not len(part.totals) or part.totals.max() < 4:
        return touching
    polygon = np.repeat(np.arange(len(part.totals)), part.totals)
    keys = np.sort(polygon * len(part.source) + part.corners)
    touching[keys[1:][keys[1:] == keys[:-1]] // len(part.source)] = True
    return touching


def _drop_polygons(part: _Part, drop: NDArray[np.bool_]) -> None:
    if drop.any():
        _keep_corners(part, np.repeat(~drop, part.totals))
        part.totals = part.totals[~drop]


def _keep_corners(part: _Part, keep: NDArray[np.bool_]) -> None:
    part.corners = part.corners[keep]
    part.normals = None if part.normals is None else part.normals[keep]
    part.uv = None if part.uv is None else part.uv[keep]


def _one_vertex_list(parts: Sequence[_Part]) -> tuple[Floats, Ints]:
    """The vertices that corners use, each source once, and the corners' indices among them."""
    first: dict[int, int] = {}
    sources: list[Floats] = []
    count = 0
    for part in parts:
        if id(part.source) not in first:
            first[id(part.source)] = count
            sources.append(part.source)
            count += len(part.source)
    corners = np.concatenate([part.corners + first[id(part.source)] for part in parts])
    used = np.zeros(count, dtype=bool)
    used[corners] = True
    place = np.cumsum(used) - 1
    return np.concatenate(sources)[used], place[corners].astype(np.int32)


def _per_corner(arrays: Sequence[Floats | None], parts: Sequence[_Part], width: int) -> Floats | None:
    """Corner data of all parts, zero for those that have none; None when no part has any."""
    if all(array is None for array in arrays):
        return None
    return np.concatenate(
        [
            np.zeros((len(part.corners), width), np.float32) if array is None else array
            for array, part in zip(arrays, parts, strict=True)
        ]
    )
