"""Blender meshes from plain arrays and from a URDF's primitive shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import bmesh
import bpy
import numpy as np
from mathutils import Matrix as BlenderMatrix

from ..urdf.mesh_data import MeshData, starts
from ..urdf.model import Box, Capsule, Cylinder, Sphere
from . import compat

# Edges sharper than this stay edges where a file has no normals of its own: flat parts look flat, round ones round.
SHARP = math.radians(30.0)
ROUND_SEGMENTS = 32
# The name of the colours that a mesh file gives to its vertices.
COLORS = "Color"
_NORMAL = "linkpose_normal"


def mesh_from_data(name: str, data: MeshData, materials: Sequence[bpy.types.Material | None]) -> bpy.types.Mesh:
    """A Blender mesh.

    Args:
        name: wanted for it.
        data: its arrays; faces that Blender finds invalid (doubled ones, say) are dropped.
        materials: its slots, by material index; None leaves a slot open.
    """
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(data.vertices))
    mesh.vertices.foreach_set("co", _flat(data.vertices, np.float32))
    mesh.loops.add(len(data.loop_vertex))
    # By their attributes, which are copied at once, where loops and polygons are set one by one.
    _set(mesh, ".corner_vert", "INT", "CORNER", _flat(data.loop_vertex, np.int32))
    mesh.polygons.add(len(data.polygon_start))
    mesh.polygons.foreach_set("loop_start", _flat(data.polygon_start, np.int32))
    for material in materials:
        mesh.materials.append(material)
    if data.material_index.any():
        _set(mesh, "material_index", "INT", "FACE", _flat(data.material_index, np.int32))
    if data.uv is not None:
        mesh.uv_layers.new(name="UVMap").uv.foreach_set("vector", _flat(data.uv, np.float32))
    if data.colors is not None:
        layer = mesh.color_attributes.new(name=COLORS, type="FLOAT_COLOR", domain="CORNER")
        layer.data.foreach_set("color", _flat(data.colors, np.float32))  # type: ignore[attr-defined]
    if data.normals is not None:
        # As an attribute they stay with their corners when faces are dropped below.
        _set(mesh, _NORMAL, "FLOAT_VECTOR", "CORNER", _flat(data.normals, np.float32))
    mesh.update(calc_edges=True)
    mesh.validate(clean_customdata=False)
    if data.normals is None:
        mesh.set_sharp_from_angle(angle=SHARP)
    else:
        attribute = mesh.attributes[_NORMAL]
        assert isinstance(attribute, bpy.types.FloatVectorAttribute)
        normals = np.empty(3 * len(mesh.loops), dtype=np.float32)
        attribute.data.foreach_get("vector", normals)
        mesh.attributes.remove(attribute)
        compat.set_corner_normals(mesh, normals.reshape(-1, 3))
    return mesh


def _set(mesh: bpy.types.Mesh, name: str, kind: str, domain: str, values: np.ndarray) -> None:
    """Fill an attribute of a mesh, made if it is not there yet."""
    attribute: Any = mesh.attributes.get(name) or mesh.attributes.new(name, kind, domain)  # type: ignore[arg-type]
    attribute.data.foreach_set("vector" if kind == "FLOAT_VECTOR" else "value", values)


def primitive_mesh(shape: Box | Capsule | Cylinder | Sphere) -> bpy.types.Mesh:
    """A primitive centred on its origin, round ones along Z, with UVs and one open material slot."""
    if isinstance(shape, Capsule):
        return mesh_from_data("Capsule", _capsule(shape), (None,))
    mesh = bpy.data.meshes.new(type(shape).__name__)
    made = bmesh.new()
    try:
        made.loops.layers.uv.new("UVMap")
        match shape:
            case Box(size):
                bmesh.ops.create_cube(made, size=1.0, matrix=BlenderMatrix.Diagonal((*size, 1.0)), calc_uvs=True)
            case Cylinder(radius, length):
                bmesh.ops.create_cone(
                    made,
                    cap_ends=True,
                    segments=ROUND_SEGMENTS,
                    radius1=radius,
                    radius2=radius,
                    depth=length,
                    calc_uvs=True,
                )
            case Sphere(radius):
                bmesh.ops.create_uvsphere(
                    made, u_segments=ROUND_SEGMENTS, v_segments=ROUND_SEGMENTS // 2, radius=radius, calc_uvs=True
                )
        made.to_mesh(mesh)
    finally:
        made.free()
    mesh.materials.append(None)
    mesh.set_sharp_from_angle(angle=SHARP)
    return mesh


def _capsule(shape: Capsule) -> MeshData:
    """Rings from pole to pole, the equator twice: once at each end of the cylinder."""
    half = ROUND_SEGMENTS // 4
    latitude = np.linspace(0.0, math.pi / 2.0, half + 1)
    radius = shape.radius * np.cos(np.concatenate((-latitude[::-1], latitude)))
    height = shape.radius * np.sin(np.concatenate((-latitude[::-1], latitude)))
    height += np.repeat((-0.5, 0.5), half + 1) * shape.length
    around = np.arange(ROUND_SEGMENTS) * (2.0 * math.pi / ROUND_SEGMENTS)
    vertices = np.stack(
        (np.outer(radius, np.cos(around)), np.outer(radius, np.sin(around)), np.repeat(height[:, None], ROUND_SEGMENTS, 1)),
        axis=-1,
    )
    rings = len(height)
    ring, side = (grid.ravel() for grid in np.indices((rings - 1, ROUND_SEGMENTS)))
    after = (side + 1) % ROUND_SEGMENTS
    # Every ring has all its vertices; at the poles, where they are one, quads become triangles.
    index = np.arange(rings * ROUND_SEGMENTS).reshape(rings, ROUND_SEGMENTS)
    index[0], index[-1] = index[0, 0], index[-1, 0]
    corners = np.stack((index[ring, side], index[ring, after], index[ring + 1, after], index[ring + 1, side]), axis=1)
    u = np.stack((side, side + 1, side + 1, side), axis=1) / ROUND_SEGMENTS
    v = np.stack((ring, ring, ring + 1, ring + 1), axis=1) / (rings - 1)
    keep = corners != np.roll(corners, -1, axis=1)
    totals = keep.sum(axis=1).astype(np.int32)
    used, loops = np.unique(corners[keep], return_inverse=True)
    return MeshData(
        name="Capsule",
        vertices=vertices.reshape(-1, 3)[used].astype(np.float32),
        loop_vertex=loops.ravel().astype(np.int32),
        polygon_start=starts(totals),
        polygon_total=totals,
        material_index=np.zeros(len(totals), dtype=np.int32),
        uv=np.stack((u[keep], v[keep]), axis=1).astype(np.float32),
    )


def _flat(array: np.ndarray, kind: type) -> np.ndarray:
    """Contiguous, so that ``foreach_set`` copies it at once."""
    return np.ascontiguousarray(array, dtype=kind).ravel()
