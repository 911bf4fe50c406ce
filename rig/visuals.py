"""The looks of a robot: an object for each visual, parented to its link's bone and placed by the URDF's own origin."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix as BlenderMatrix

from ..urdf.errors import MeshError, place
from ..urdf.model import Link, MeshFile, Robot, Visual
from .build import Build, short_name
from .definition import KEY, Matrix
from .import_record import ImportOptions
from .materials import Palette
from .mesh_import import FileMesh, read_mesh
from .meshes import mesh_from_data, primitive_mesh

# Formats that name other files, beside which they lie: two equal ones in two folders need not look alike.
_WITH_NEIGHBOURS = frozenset({".dae", ".obj", ".gltf"})


@dataclass(frozen=True, slots=True)
class Place:
    """Which shape of the robot an object is: the link, for looks or for collision, its number there from 0."""

    link: str
    collision: bool
    index: int


class Dresser:
    """Makes the objects of one robot's shapes; meshes are shared by every object of the same content and scale.

    Attributes:
        warnings: shapes that were left out, and why.
    """

    def __init__(self, robot: Robot, scene: bpy.types.Scene, palette: Palette, options: ImportOptions) -> None:
        """Nothing is made yet.

        Args:
            robot: whose links are dressed.
            scene: where mesh files may be imported.
            palette: makes the materials.
            options: say which shapes are wanted, and how files are read.
        """
        self.warnings: list[str] = []
        self._scene = scene
        self._palette = palette
        self._obey_up_axis = options.obey_up_axis
        self._robot = robot
        self._shapes = [
            (link, Place(link.name, collides, index), shape)
            for collides in ((False, True) if options.collision else (False,))
            for link in robot.links
            for index, shape in enumerate(link.collisions if collides else link.visuals)
        ]
        self._files: dict[Path, FileMesh | None] = {}
        self._first: dict[object, Path] = {}
        self._same: dict[Path, Path] = {}
        self._meshes: dict[object, bpy.types.Mesh] = {}

    def read(self) -> Iterator[tuple[float, str]]:
        """Make every mesh; gives the part of the work that is done, and the file that comes next, before each file."""
        files = [
            shape.geometry.path
            for _, _, shape in self._shapes
            if isinstance(shape.geometry, MeshFile) and shape.geometry.path is not None
        ]
        sizes = {path: _size(path) for path in files}
        total = sum(sizes.values())
        done = 0
        for link, _, shape in self._shapes:
            path = shape.geometry.path if isinstance(shape.geometry, MeshFile) else None
            if path in sizes:
                yield done / total, path.name
                done += sizes.pop(path)
            self._mesh(link, shape)

    def dress(
        self,
        built: Build,
        collections: Mapping[bool, bpy.types.Collection],
        present: Mapping[Place, bpy.types.Object] | None = None,
    ) -> dict[Place, bpy.types.Object]:
        """Make the objects, after :meth:`read`.

        Args:
            built: the armature that they hang on.
            collections: where visuals (False) and collision shapes (True) go.
            present: objects of an earlier import, which are taken instead of new ones.

        Returns:
            The objects by place.
        """
        dressed = {}
        for link, where, shape in self._shapes:
            mesh = self._mesh(link, shape)
            if mesh is None:
                continue
            made = (present or {}).get(where)
            if made is None:
                made = bpy.data.objects.new(short_name(_name(link, where, shape)), mesh)
                collections[where.collision].objects.link(made)
            else:
                made.data = mesh
            made[KEY] = {"link": where.link, "collision": where.collision, "index": where.index}
            _hang(made, built, link.name, shape.origin)
            self._color(made, shape)
            dressed[where] = made
        return dressed

    def _mesh(self, link: Link, shape: Visual) -> bpy.types.Mesh | None:
        geometry = shape.geometry
        if not isinstance(geometry, MeshFile):
            if geometry not in self._meshes:
                self._meshes[geometry] = primitive_mesh(geometry)
            return self._meshes[geometry]
        if geometry.path is None:  # the robot's own warnings say so
            return None
        path = self._equal(geometry.path)
        key = (path, geometry.scale)
        if key not in self._meshes:
            read = self._read(link, geometry, path)
            if read is None:
                return None
            data = read.data if geometry.scale == (1.0, 1.0, 1.0) else read.data.scaled(geometry.scale)
            self._meshes[key] = mesh_from_data(short_name(path.stem), data, read.materials)
        return self._meshes[key]

    def _equal(self, path: Path) -> Path:
        """The first file of the same content and kind, which stands for all of them."""
        if path not in self._same:
            suffix = path.suffix.lower()
            try:
                digest = hashlib.blake2b(path.read_bytes()).digest()
            except OSError:  # reading it will say what is wrong
                return path
            key = (digest, suffix, path.parent if suffix in _WITH_NEIGHBOURS else None)
            self._same[path] = self._first.setdefault(key, path)
        return self._same[path]

    def _read(self, link: Link, geometry: MeshFile, path: Path) -> FileMesh | None:
        if path not in self._files:
            where = f"{place(self._robot.path, geometry.line)}: link {link.name!r}"
            try:
                read = read_mesh(path, self._scene, self._palette, obey_up_axis=self._obey_up_axis)
            except MeshError as error:
                self._files[path] = None
                self.warnings.append(f"{where}: mesh left out: {error}; export the mesh again or name another file")
            else:
                self._files[path] = read
                self.warnings += [f"{where}: {note}" for note in read.notes]
        return self._files[path]

    def _color(self, made: bpy.types.Object, shape: Visual) -> None:
        """Give the slots that the mesh leaves open the URDF's material."""
        mesh = made.data
        assert isinstance(mesh, bpy.types.Mesh)
        for slot, own in zip(made.material_slots, mesh.materials, strict=True):
            if own is None:
                # On the object and not on the mesh, which others with another colour may share.
                slot.link = "OBJECT"
                slot.material = self._palette.of_urdf(shape.material)
            else:
                slot.link = "DATA"


def shapes_of(armature: bpy.types.Object) -> dict[Place, bpy.types.Object]:
    """The shapes of a robot that an import has made. Of copies only the first counts: the others are the user's."""
    found: dict[Place, bpy.types.Object] = {}
    for child in sorted(armature.children, key=lambda child: child.session_uid):
        mark: Any = child.get(KEY)
        if isinstance(child.data, bpy.types.Mesh) and hasattr(mark, "to_dict") and "index" in mark:
            where = Place(str(mark["link"]), bool(mark["collision"]), int(mark["index"]))
            found.setdefault(where, child)
    return found


def fixed_axis_angles(matrix: Matrix) -> tuple[float, float, float]:
    """(roll, pitch, yaw) [rad] about fixed X, Y, Z of a (4, 4) frame: a URDF's rpy and Blender's Euler XYZ.

    Computed in double precision, where a pitch of a rounded quarter turn is still well apart from the pole.
    """
    across = math.hypot(matrix[0, 0], matrix[1, 0])
    pitch = math.atan2(-matrix[2, 0], across)
    if across < 1e-9:  # at the pole only the sum or difference of roll and yaw counts
        return math.atan2(-matrix[1, 2], matrix[1, 1]), pitch, 0.0
    return math.atan2(matrix[2, 1], matrix[2, 2]), pitch, math.atan2(matrix[1, 0], matrix[0, 0])


def _hang(made: bpy.types.Object, built: Build, link: str, origin: Matrix) -> None:
    """Parent an object to the bone of a link."""
    data = built.armature.data
    assert isinstance(data, bpy.types.Armature)
    bone = data.bones[built.bones[link]]
    made.parent = built.armature
    made.parent_type = "BONE"
    made.parent_bone = bone.name
    # Children of a bone hang on its tail; this takes them back to its head and on to the link's frame.
    to_head = np.eye(4)
    to_head[1, 3] = -bone.length
    made.matrix_parent_inverse = BlenderMatrix((to_head @ built.definitions[link].frame).tolist())
    made.location = origin[:3, 3].tolist()
    made.rotation_mode = "XYZ"
    made.rotation_euler = fixed_axis_angles(origin)


def _name(link: Link, where: Place, shape: Visual) -> str:
    if shape.name:
        return shape.name
    base = f"{link.name} collision" if where.collision else link.name
    several = len(link.collisions if where.collision else link.visuals) > 1
    return f"{base} {where.index + 1}" if several else base


def _size(path: Path) -> int:
    """Bytes, and one more for the work that even an empty or missing file makes."""
    try:
        return path.stat().st_size + 1
    except OSError:
        return 1
