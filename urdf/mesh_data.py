"""A polygon mesh as plain arrays, in the layout that Blender's ``foreach_set`` takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .model import Material

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class MeshData:
    """A polygon mesh. Polygons are runs of loops (corners) that follow one another without gaps.

    Attributes:
        name: of the mesh in its file, "" when it has none.
        vertices: (n, 3) [m].
        loop_vertex: (l,) index of each corner's vertex.
        polygon_start: (p,) index of each polygon's first loop.
        polygon_total: (p,) number of each polygon's loops, at least 3.
        material_index: (p,) place of each polygon's material in ``materials``; all 0 when there are none.
        materials: the file's own; a material without colour and texture stands for polygons that have none.
        normals: (l, 3) unit vectors, a zero vector where the file gives none; None when it gives none at all.
        uv: (l, 2), zero where the file gives none; None when it gives none at all.
        colors: (l, 4) linear RGBA, white where the file gives none; None when it gives none at all.
    """

    name: str
    vertices: Floats
    loop_vertex: Ints
    polygon_start: Ints
    polygon_total: Ints
    material_index: Ints
    materials: tuple[Material, ...] = ()
    normals: Floats | None = None
    uv: Floats | None = None
    colors: Floats | None = None

    def scaled(self, scale: Sequence[float]) -> MeshData:
        """The mesh scaled along its axes by factors of any sign.

        Args:
            scale: (3,) factors. An odd number of negative ones mirrors the mesh: the winding is turned round then, so
                that faces and normals go on pointing outwards.
        """
        return self.transformed(np.diag([*map(float, scale), 1.0]))

    def transformed(self, matrix: ArrayLike) -> MeshData:
        """The mesh moved by an affine matrix.

        Normals go by the cofactor matrix (the inverse transpose times the determinant, which exists for singular
        matrices too) and keep unit length; a mirroring matrix turns the winding round.

        Args:
            matrix: (4, 4).
        """
        affine = np.asarray(matrix, dtype=np.float64)
        linear = affine[:3, :3]
        mirrored = bool(np.linalg.det(linear) < 0.0)
        vertices = (self.vertices @ linear.T + affine[:3, 3]).astype(np.float32)
        normals = self.normals
        if normals is not None:
            cofactors = np.stack(
                [np.cross(linear[1], linear[2]), np.cross(linear[2], linear[0]), np.cross(linear[0], linear[1])]
            )
            normals = unit_vectors(normals @ (-cofactors if mirrored else cofactors).T)
        moved = replace(self, vertices=vertices, normals=normals)
        return moved.flipped() if mirrored else moved

    def flipped(self) -> MeshData:
        """The mesh with the winding of every polygon turned round; normals stay as they are."""
        last = self.polygon_start + self.polygon_total - 1
        loops = np.arange(len(self.loop_vertex)) - np.repeat(self.polygon_start, self.polygon_total)
        order = np.repeat(last, self.polygon_total) - loops
        return replace(
            self,
            loop_vertex=self.loop_vertex[order],
            normals=None if self.normals is None else self.normals[order],
            uv=None if self.uv is None else self.uv[order],
            colors=None if self.colors is None else self.colors[order],
        )


def joined(meshes: Sequence[MeshData], name: str = "") -> MeshData:
    """Several meshes as one; materials that look the same become one.

    Args:
        meshes: in the same frame; may be empty.
        name: of the result.
    """
    if len(meshes) == 1:
        return replace(meshes[0], name=name or meshes[0].name)
    loops = [len(mesh.loop_vertex) for mesh in meshes]
    first_vertex = _offsets([len(mesh.vertices) for mesh in meshes])
    totals = _stacked([mesh.polygon_total for mesh in meshes])
    materials, indices = merged_materials([mesh.materials or (Material(""),) for mesh in meshes])
    return MeshData(
        name=name,
        vertices=np.concatenate([np.empty((0, 3), np.float32), *(mesh.vertices for mesh in meshes)]),
        loop_vertex=_stacked([mesh.loop_vertex + first for mesh, first in zip(meshes, first_vertex, strict=True)]),
        polygon_start=starts(totals),
        polygon_total=totals,
        material_index=_stacked([index[mesh.material_index] for mesh, index in zip(meshes, indices, strict=True)]),
        materials=() if materials == (Material(""),) else materials,
        normals=_corner_data([mesh.normals for mesh in meshes], loops, 3),
        uv=_corner_data([mesh.uv for mesh in meshes], loops, 2),
        colors=_corner_data([mesh.colors for mesh in meshes], loops, 4, 1.0),
    )


def merged_materials(groups: Sequence[Sequence[Material]]) -> tuple[tuple[Material, ...], list[Ints]]:
    """One list of materials for several, without two that look the same.

    Returns:
        The materials, and for every group the place of each of its materials among them. The name of the first of
        several equal ones stays.
    """
    found: dict[object, int] = {}
    materials: list[Material] = []
    indices = []
    for group in groups:
        index = np.zeros(max(len(group), 1), dtype=np.int32)
        for i, material in enumerate(group):
            look = (material.color, material.texture)
            if look not in found:
                found[look] = len(materials)
                materials.append(material)
            index[i] = found[look]
        indices.append(index)
    return tuple(materials), indices


def unit_vectors(vectors: NDArray[np.float32] | NDArray[np.float64]) -> Floats:
    """Each row at unit length; rows that have none, or are not finite, become zero.

    Args:
        vectors: (n, 3).
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    usable = (lengths > 1e-30) & np.isfinite(lengths)
    result: Floats = np.divide(
        vectors, lengths, out=np.zeros(vectors.shape, np.float32), where=usable, casting="same_kind"
    )
    return result


def starts(totals: Ints) -> Ints:
    """(p,) first loop of each polygon from the number of loops of each."""
    return (np.cumsum(totals) - totals).astype(np.int32)


def _offsets(counts: Sequence[int]) -> list[int]:
    return [sum(counts[:i]) for i in range(len(counts))]


def _stacked(arrays: Sequence[Ints]) -> Ints:
    stacked: Ints = np.concatenate([np.empty(0, np.int32), *arrays]).astype(np.int32)
    return stacked


def _corner_data(
    arrays: Sequence[Floats | None], loops: Sequence[int], width: int, missing: float = 0.0
) -> Floats | None:
    """Per-corner data of several meshes, ``missing`` for those that have none; None when no mesh has any."""
    if all(array is None for array in arrays):
        return None
    return np.concatenate(
        [
            np.full((n, width), missing, np.float32) if array is None else array
            for array, n in zip(arrays, loops, strict=True)
        ]
    )
