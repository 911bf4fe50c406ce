"""Blender meshes from plain arrays and from a URDF's primitive shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import bmesh
import bpy
import numpy as np
from mathutils import Matrix as BlenderMatrix

from ..urdf.mesh_data import MeshData
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


def primitive_mesh(shape: Box | Cylinder | Sphere | Capsule) -> bpy.types.Mesh:
    """A shape centred on its origin, a cylinder or capsule along Z, with UVs and one open material slot."""
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
            case Capsule(radius, length):
                bmesh.ops.create_uvsphere(
                    made, u_segments=ROUND_SEGMENTS, v_segments=ROUND_SEGMENTS // 2, radius=radius, calc_uvs=True
                )
                _stretch(made, length)
        made.to_mesh(mesh)
    finally:
        made.free()
    mesh.materials.append(None)
    mesh.set_sharp_from_angle(angle=SHARP)
    return mesh


def _stretch(ball: bmesh.types.BMesh, length: float) -> None:
    """Part a ball at its equator and put a cylinder in between."""
    level = 1e-6 * max(vertex.co.z for vertex in ball.verts)
    upper = [face for face in ball.faces if all(vertex.co.z > -level for vertex in face.verts)]
    equator = [edge for edge in ball.edges if all(abs(vertex.co.z) <= level for vertex in edge.verts)]
    bmesh.ops.split_edges(ball, edges=equator)
    raised = {vertex for face in upper for vertex in face.verts}
    for vertex in ball.verts:
        vertex.co.z += 0.5 * length if vertex in raised else -0.5 * length
    rims = [edge for edge in ball.edges if edge.is_boundary]
    bmesh.ops.bridge_loops(ball, edges=rims)
    bmesh.ops.recalc_face_normals(ball, faces=list(ball.faces))


def _flat(array: np.ndarray, kind: type) -> np.ndarray:
    """Contiguous, so that ``foreach_set`` copies it at once."""
    return np.ascontiguousarray(array, dtype=kind).ravel()
