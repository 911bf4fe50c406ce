"""The looks of a robot: an object for each visual, parented to its link's bone and placed by the URDF's own origin."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix as BlenderMatrix

from ..urdf.errors import MeshError
from ..urdf.model import Box, Cylinder, Link, MeshFile, Robot, Sphere, Visual
from .build import Build, short_name
from .definition import Matrix
from .materials import Palette
from .mesh_import import FileMesh, read_mesh
from .meshes import mesh_from_data, primitive_mesh


class Dresser:
    """Makes the objects of one robot's visuals; meshes are shared by every object of the same file and scale.

    Attributes:
        warnings: shapes that were left out, and why.
    """

    def __init__(self, robot: Robot, built: Build, scene: bpy.types.Scene, palette: Palette) -> None:
        """Nothing is made yet.

        Args:
            robot: whose links are dressed.
            built: its armature.
            scene: where mesh files may be imported.
            palette: makes the materials.
        """
        self.warnings: list[str] = []
        self._robot = robot
        self._built = built
        self._scene = scene
        self._palette = palette
        self._files: dict[Path, FileMesh | None] = {}
        self._meshes: dict[object, bpy.types.Mesh] = {}

    def dress(self, collection: bpy.types.Collection, *, collision: bool = False) -> None:
        """Make the objects of all links, visuals or collision shapes, in a collection."""
        for link in self._robot.links:
            shapes = link.collisions if collision else link.visuals
            for name, shape in zip(_names(link, shapes, collision), shapes, strict=True):
                mesh = self._mesh(link, shape)
                if mesh is not None:
                    self._place(link, name, shape, mesh, collection)

    def _mesh(self, link: Link, shape: Visual) -> bpy.types.Mesh | None:
        geometry = shape.geometry
        if isinstance(geometry, Box | Cylinder | Sphere):
            if geometry not in self._meshes:
                self._meshes[geometry] = primitive_mesh(geometry)
            return self._meshes[geometry]
        if geometry.path is None:  # the robot's own warnings say so
            return None
        key = (geometry.path, geometry.scale)
        if key not in self._meshes:
            read = self._read(link, geometry, geometry.path)
            if read is None:
                return None
            data = read.data if geometry.scale == (1.0, 1.0, 1.0) else read.data.scaled(geometry.scale)
            self._meshes[key] = mesh_from_data(short_name(geometry.path.stem), data, read.materials)
        return self._meshes[key]

    def _read(self, link: Link, geometry: MeshFile, path: Path) -> FileMesh | None:
        if path not in self._files:
            try:
                self._files[path] = read_mesh(path, self._scene, self._palette)
            except MeshError as error:
                self._files[path] = None
                place = f"{self._robot.path}:{geometry.line}" if geometry.line else str(self._robot.path)
                self.warnings.append(
                    f"{place}: link {link.name!r}: mesh left out: {error}; export the mesh again or name another file"
                )
        return self._files[path]

    def _place(
        self, link: Link, name: str, shape: Visual, mesh: bpy.types.Mesh, collection: bpy.types.Collection
    ) -> None:
        made = bpy.data.objects.new(short_name(name), mesh)
        collection.objects.link(made)
        bone = self._built.armature.data.bones[self._built.bones[link.name]]
        made.parent = self._built.armature
        made.parent_type = "BONE"
        made.parent_bone = bone.name
        # Children of a bone hang on its tail; this takes them back to its head and on to the link's frame.
        to_head = np.eye(4)
        to_head[1, 3] = -bone.length
        made.matrix_parent_inverse = BlenderMatrix((to_head @ self._built.definitions[link.name].frame).tolist())
        made.location = shape.origin[:3, 3].tolist()
        made.rotation_mode = "XYZ"
        made.rotation_euler = fixed_axis_angles(shape.origin)
        for slot in made.material_slots:
            if slot.material is None:
                # On the object and not on the mesh, which others with another colour may share.
                slot.link = "OBJECT"
                slot.material = self._palette.of_urdf(shape.material)


def fixed_axis_angles(matrix: Matrix) -> tuple[float, float, float]:
    """(roll, pitch, yaw) [rad] about fixed X, Y, Z of a (4, 4) frame: a URDF's rpy and Blender's Euler XYZ.

    Computed in double precision, where a pitch of a rounded quarter turn is still well apart from the pole.
    """
    across = math.hypot(matrix[0, 0], matrix[1, 0])
    pitch = math.atan2(-matrix[2, 0], across)
    if across < 1e-9:  # at the pole only the sum or difference of roll and yaw counts
        return math.atan2(-matrix[1, 2], matrix[1, 1]), pitch, 0.0
    return math.atan2(matrix[2, 1], matrix[2, 2]), pitch, math.atan2(matrix[1, 0], matrix[0, 0])


def _names(link: Link, shapes: Iterable[Visual], collision: bool) -> list[str]:
    shapes = list(shapes)
    base = f"{link.name} collision" if collision else link.name
    return [shape.name or (base if len(shapes) == 1 else f"{base} {i}") for i, shape in enumerate(shapes, 1)]
