"""COLLADA files (.dae, versions 1.4 and 1.5) as plain mesh data, by pycollada."""

from __future__ import annotations

import io
import math
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .collada_materials import Dae, FileMaterials
from .collada_polygons import mesh_of
from .errors import MeshError
from .mesh_data import MeshData
from .model import Matrix

# Against files whose nodes instantiate one another so often that a small file becomes a huge scene.
_MAX_INSTANCES = 20000
_MAX_DEPTH = 200

# What pycollada knows inside <mesh>; anything else makes it drop the whole geometry.
_MESH_PARTS = frozenset(
    ("source", "vertices", "polylist", "triangles", "tristrips", "trifans", "lines", "polygons", "extra")
)
# Files that were written over longer ones go on behind this with NULs and what was there before.
_END = re.compile(rb"</(?:[\w.-]+:)?COLLADA\s*>")
_TO_Z_UP = {
    "X_UP": ((0, -1, 0), (0, 0, -1), (1, 0, 0)),
    "Y_UP": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    "Z_UP": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
}


class _Instance(NamedTuple):
    """A geometry in the scene: where, and its materials by symbol."""

    geometry: Dae
    matrix: Matrix
    materials: dict[str, Dae]


def read(path: Path, *, obey_up_axis: bool = False, warn: Callable[[str], None] | None = None) -> list[MeshData]:
    """Read the polygons of a COLLADA file; lines, cameras, lights, skins and animation are left alone.

    Node transforms and the file's unit are applied. ``<up_axis>`` is not: RViz does not, and robot descriptions are
    made to look right there.

    Args:
        path: the file.
        obey_up_axis: turn the file's up axis to Z.
        warn: called with each thing that was left out, as ``file: what``.

    Returns:
        One mesh for every geometry in the scene, in metres; :func:`~.mesh_data.joined` makes one of them. A file
        without a usable scene gives its geometries as they are.

    Raises:
        MeshError: the file cannot be read, or holds no polygons.
    """
    messages: dict[str, None] = {}
    # pycollada reads numbers by a numpy function that warns of malformed text; what it then returns is checked here.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        document = _document(path, messages)
    materials = FileMaterials(path, document, messages)
    frame = _frame(document, obey_up_axis)
    meshes = []
    for instance in _instances(path, document):
        look = materials.bound(instance.materials)
        mesh = mesh_of(instance.geometry, frame @ instance.matrix, look, messages)
        if mesh is not None:
            meshes.append(mesh)
    if not meshes:
        reason = f" ({next(iter(messages))})" if messages else ""
        raise MeshError(path, f"it holds no polygons{reason}; export it again")
    if warn is not None:
        for message in messages:
            warn(f"{path}: {message}")
    return meshes


def _document(path: Path, messages: dict[str, None]) -> Dae:
    """The parsed file, read a second time without the parts that make pycollada drop whole geometries or instances."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MeshError(path, f"it cannot be read: {error.strerror or error}") from error
    end = _END.search(data)
    if end is not None:
        data = data[: end.end()]
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise MeshError(path, "it declares entities, which can do harm; export it again without <!DOCTYPE>")
    if zipfile.is_zipfile(io.BytesIO(data)):
        raise MeshError(path, "it is a zip archive; unpack it and name the .dae inside")
    document = _parsed(path, data)
    if document.errors and _mend(document.xmlnode.getroot(), document.materials):
        mended = io.BytesIO()
        document.xmlnode.write(mended, encoding="utf-8")
        before, document = document.errors, _parsed(path, mended.getvalue())
        document.errors[:0] = [error for error in before if "aterial" in str(error)]
    for problem in document.errors:
        if "Unknown scene node" not in str(problem):
            messages[f"left out: {' '.join(str(problem).split())}"] = None
    return document


def _parsed(path: Path, data: bytes) -> Dae:
    try:
        import collada
    except ImportError as error:
        raise MeshError(path, "pycollada is not installed, which reads COLLADA; install pycollada") from error
    try:
        return collada.Collada(io.BytesIO(data), ignore=[collada.DaeError])
    except Exception as error:  # pycollada lets any exception of a malformed file through
        raise MeshError(
            path, f"it is no readable COLLADA file: {' '.join(str(error).split()) or repr(error)}"
        ) from error


def _mend(root: Dae, materials: Dae) -> bool:
    """Take out unknown parts of meshes and instances of materials that do not exist. True when there were any."""
    mended = False
    for parent in root.iter():
        for child in list(parent):
            tag = _local(child)
            target = child.get("target") or "" if tag == "instance_material" else "#"
            broken = tag == "instance_material" and (target[:1] != "#" or materials.get(target[1:]) is None)
            if broken or (_local(parent) == "mesh" and tag not in _MESH_PARTS):
                parent.remove(child)
                mended = True
    return mended


def _local(element: Dae) -> str:
    """The tag without namespace; "" for comments."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _frame(document: Dae, obey_up_axis: bool) -> Matrix:
    """(4, 4) from the file's unit, and axes if asked for, to metres."""
    unit = document.assetInfo.unitmeter
    scale = unit if unit is not None and math.isfinite(unit) and unit > 0.0 else 1.0
    frame = np.eye(4)
    frame[:3, :3] = scale * np.array(_TO_Z_UP[document.assetInfo.upaxis] if obey_up_axis else np.eye(3))
    return frame


def _instances(path: Path, document: Dae) -> list[_Instance]:
    scene = document.scene or next(iter(document.scenes), None)
    found = [] if scene is None else list(_walk(path, scene.nodes))
    return found or [_Instance(geometry, np.eye(4), {}) for geometry in document.geometries]


def _walk(path: Path, roots: list[Dae]) -> Iterator[_Instance]:
    """The geometries below the nodes, with their frames. Nodes may be instantiated more than once, even in a loop."""
    count = 0
    waiting = [(node, np.eye(4), 0) for node in reversed(roots)]
    while waiting:
        node, frame, depth = waiting.pop()
        count += 1
        if count > _MAX_INSTANCES or depth > _MAX_DEPTH:
            raise MeshError(path, "its nodes hold one another without end; export it again")
        geometry = getattr(node, "geometry", None)
        if geometry is None and hasattr(node, "controller"):  # skinned: the shape as it was bound
            geometry = getattr(node.controller, "geometry", None)
            frame = frame @ np.reshape(getattr(node.controller, "bind_shape_matrix", np.eye(4)), (4, 4))
        if geometry is not None:
            yield _Instance(geometry, frame, {material.symbol: material.target for material in node.materials})
        elif hasattr(node, "children"):
            inner = frame @ np.asarray(node.matrix, dtype=np.float64)
            waiting.extend((child, inner, depth + 1) for child in reversed(node.children))
