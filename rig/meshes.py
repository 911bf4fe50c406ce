"""Blender meshes from plain arrays and from a URDF's primitive shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import bmesh
import bpy
import numpy as np
from mathutils import Matrix as BlenderMatrix

from ..urdf.mesh_data import MeshData
from ..urdf.model import Box, Cylinder, Sphere

# Edges sharper than this stay edges where a file has no normals of its own: flat parts look flat, round ones round.
SHARP = math.radians(30.0)
ROUND_SEGMENTS = 32
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
    mesh.loops.foreach_set("vertex_index", _flat(data.loop_vertex, np.int32))
    mesh.polygons.add(len(data.polygon_start))
    mesh.polygons.foreach_set("loop_start", _flat(data.polygon_start, np.int32))
    for material in materials:
        mesh.materials.append(material)
    mesh.polygons.foreach_set("material_index", _flat(data.material_index, np.int32))
    if data.uv is not None:
        mesh.uv_layers.new(name="UVMap").uv.foreach_set("vector", _flat(data.uv, np.float32))
    if data.normals is not None:
        # As an attribute they stay with their corners when faces are dropped below.
        attribute = mesh.attributes.new(_NORMAL, "FLOAT_VECTOR", "CORNER")
        assert isinstance(attribute, bpy.types.FloatVectorAttribute)
        attribute.data.foreach_set("vector", _flat(data.normals, np.float32))
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
        mesh.normals_split_custom_set(normals.reshape(-1, 3).tolist())  # twice as fast as from an array
    return mesh


def primitive_mesh(shape: Box | Cylinder | Sphere) -> bpy.types.Mesh:
    """A box, cylinder or sphere centred on its origin, the cylinder along Z, with UVs and one open material slot."""
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


def _flat(array: np.ndarray, kind: type) -> np.ndarray:
    """Contiguous, so that ``foreach_set`` copies it at once."""
    return np.ascontiguousarray(array, dtype=kind).ravel()
