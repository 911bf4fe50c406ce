"""Reads mesh files into plain arrays: STL, COLLADA and PLY by our own readers, OBJ and glTF by Blender's importers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ..urdf import collada
from ..urdf.errors import MeshError
from ..urdf.gltf_check import check_gltf
from ..urdf.mesh_data import MeshData, joined
from ..urdf.obj_materials import ObjMaterials, read_obj_materials
from ..urdf.ply import read_ply
from ..urdf.stl import read_stl
from .materials import Palette, make_opaque
from .textures import mend_textures
from .transaction import data_blocks, made_since, working_in

_NUMBER = re.compile(r"\.\d{3}$")

# Blender's glTF importer turns Y-up into Z-up. In a URDF the numbers of a mesh file count as they are, whatever the
# format calls up; this turns them back.
_GLTF_AS_WRITTEN = np.array(((1.0, 0, 0, 0), (0, 0, 1.0, 0), (0, -1.0, 0, 0), (0, 0, 0, 1.0)))


@dataclass(frozen=True)
class FileMesh:
    """What a mesh file holds, as one mesh.

    Attributes:
        data: in the file's own frame and unit, which counts as metres.
        materials: by material index; None stands for faces whose look the file leaves open.
        notes: what of the file was left out, each as ``file: what``.
    """

    data: MeshData
    materials: tuple[bpy.types.Material | None, ...] = (None,)
    notes: tuple[str, ...] = ()


def read_mesh(path: Path, scene: bpy.types.Scene, palette: Palette, *, obey_up_axis: bool = False) -> FileMesh:
    """Read a mesh file.

    Args:
        path: the file; its suffix says the format.
        scene: where Blender's importers may work; left as it was.
        palette: gets the file's materials.
        obey_up_axis: turn what a COLLADA file calls up to Z, which RViz does not do.

    Raises:
        MeshError: the file cannot be read, holds no faces or numbers that are none, or is of an unknown format.
    """
    suffix = path.suffix.lower()
    if suffix == ".stl":
        found = FileMesh(read_stl(path))
    elif suffix == ".ply":
        found = FileMesh(read_ply(path))
    elif suffix == ".dae":
        notes: list[str] = []
        data = joined(collada.read(path, obey_up_axis=obey_up_axis, warn=notes.append), path.stem)
        materials = tuple(palette.of_file(material) for material in data.materials) or (None,)
        found = FileMesh(data, materials, tuple(notes))
    elif suffix in _IMPORTERS:
        if suffix != ".obj":
            check_gltf(path)
        found = _read_by_blender(path, suffix, scene, palette)
    else:
        known = ", ".join(sorted((*_IMPORTERS, ".dae", ".ply", ".stl")))
        raise MeshError(path, f"meshes of format {suffix or 'without a suffix'!r} cannot be read; known are {known}")
    _check(path, found.data)
    if found.data.colors is not None:
        found = replace(found, materials=tuple(material or palette.of_colors() for material in found.materials))
    return found


def _read_by_blender(path: Path, suffix: str, scene: bpy.types.Scene, palette: Palette) -> FileMesh:
    looks = read_obj_materials(path) if suffix == ".obj" else None
    before = data_blocks()
    try:
        with working_in(scene):
            try:
                _IMPORTERS[suffix](str(path))
            except (RuntimeError, AttributeError) as error:
                raise MeshError(path, f"Blender's importer refuses it: {_last_line(error)}") from error
        scene.view_layers[0].update()
        meshes: list[MeshData] = []
        materials: list[bpy.types.Material | None] = []
        indices = [np.empty(0, np.int32)]
        for part in [block for block in made_since(before) if isinstance(block, bpy.types.Object)]:
            if isinstance(part.data, bpy.types.Mesh):
                data = _arrays(part.data).transformed(np.array(part.matrix_world, dtype=np.float64))
                slots = [_as_meant(slot.material, looks) for slot in part.material_slots] or [None]
                indices.append(np.minimum(data.material_index, len(slots) - 1) + len(materials))
                materials += slots
                meshes.append(replace(data, material_index=np.zeros_like(data.material_index)))
        notes = (
            *(looks.notes if looks else ()),
            *mend_textures([material for material in materials if material is not None], path),
        )
        materials = [None if material is None else palette.keep(material) for material in materials]
        data = replace(joined(meshes, path.stem), material_index=np.concatenate(indices).astype(np.int32))
    finally:
        _clear(before)
    if suffix in (".glb", ".gltf"):
        data = data.transformed(_GLTF_AS_WRITTEN)
    return FileMesh(*_merged(data, materials), notes)


def _as_meant(material: bpy.types.Material | None, looks: ObjMaterials | None) -> bpy.types.Material | None:
    """The material, without glass that an OBJ file does not mean; None if the file only names it."""
    if material is None or looks is None:
        return material
    names = {material.name, _NUMBER.sub("", material.name)}  # Blender numbers names that are taken
    if names & looks.undefined:
        return None
    if not names & looks.glass:
        make_opaque(material)
    return material


def _last_line(error: Exception) -> str:
    """What an operator says; of a traceback, which an importer written in Python gives, only the end."""
    lines = str(error).strip().splitlines() or [repr(error)]
    return " ".join((lines[-1] if "Traceback" in lines[0] else " ".join(lines)).split())


def _merged(
    data: MeshData, materials: list[bpy.types.Material | None]
) -> tuple[MeshData, tuple[bpy.types.Material | None, ...]]:
    """Each material once, and only those that a face has."""
    used: list[bpy.types.Material | None] = []
    place = np.zeros(max(len(materials), 1), dtype=np.int32)
    for index in np.unique(data.material_index):
        if materials[index] not in used:
            used.append(materials[index])
        place[index] = used.index(materials[index])
    return replace(data, material_index=place[data.material_index]), tuple(used) or (None,)


def _arrays(mesh: bpy.types.Mesh) -> MeshData:
    def read(collection: bpy.types.bpy_prop_collection, attribute: str, width: int, kind: type) -> np.ndarray:
        values: np.ndarray = np.empty(len(collection) * width, dtype=kind)
        collection.foreach_get(attribute, values)
        return values.reshape(-1, width) if width > 1 else values

    uv = mesh.uv_layers.active
    return MeshData(
        name=mesh.name,
        vertices=read(mesh.vertices, "co", 3, np.float32),
        loop_vertex=read(mesh.loops, "vertex_index", 1, np.int32),
        polygon_start=read(mesh.polygons, "loop_start", 1, np.int32),
        polygon_total=read(mesh.polygons, "loop_total", 1, np.int32),
        material_index=read(mesh.polygons, "material_index", 1, np.int32),
        normals=read(mesh.corner_normals, "vector", 3, np.float32) if mesh.has_custom_normals else None,
        uv=None if uv is None else read(uv.uv, "vector", 2, np.float32),
        colors=_colors(mesh),
    )


def _colors(mesh: bpy.types.Mesh) -> np.ndarray | None:
    """(l, 4) linear RGBA of every corner; None where the mesh has no colours."""
    layer: Any = mesh.color_attributes[0] if mesh.color_attributes else None
    if layer is None:
        return None
    values = np.empty(4 * len(layer.data), dtype=np.float32)
    layer.data.foreach_get("color", values)
    colors = values.reshape(-1, 4)
    if layer.domain == "CORNER":
        return colors
    corners = np.empty(len(mesh.loops), dtype=np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    return colors[corners]


def _clear(before: dict[int, bpy.types.ID]) -> None:
    """Remove what an importer made, but for materials and what they are made of: the palette keeps some of these."""
    kept = (bpy.types.Material, bpy.types.Image, bpy.types.NodeTree)
    bpy.data.batch_remove([block for block in made_since(before) if not isinstance(block, kept)])


def _check(path: Path, data: MeshData) -> None:
    if not len(data.polygon_total):
        raise MeshError(path, "it holds no faces")
    if not np.isfinite(data.vertices).all():
        raise MeshError(path, "it holds coordinates that are no finite numbers")
    if data.loop_vertex.min() < 0 or data.loop_vertex.max() >= len(data.vertices):
        raise MeshError(path, "it holds faces at vertices that do not exist")


def _import_obj(path: str) -> None:
    bpy.ops.wm.obj_import(filepath=path, forward_axis="Y", up_axis="Z")


def _import_gltf(path: str) -> None:
    bpy.ops.import_scene.gltf(filepath=path)


_IMPORTERS = {
    ".obj": _import_obj,
    ".glb": _import_gltf,
    ".gltf": _import_gltf,
}
