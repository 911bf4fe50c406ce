"""STL files, binary and text, as plain mesh data, without Blender's importer: faster, and it touches no scene."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .errors import MeshError
from .mesh_data import Floats, Ints, MeshData

_HEADER = 84
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"\bvertex\s+(\S+\s+\S+\s+\S+)", re.IGNORECASE)
_LOOP = re.compile(rb"\bendloop\b", re.IGNORECASE)
# So far into a file its first facet is looked for: text files begin with a name, and some with comments.
_START = 4096
# Odd numbers that spread the bits of a coordinate over 64; any would do, equality is checked afterwards.
_SPREAD = tuple(np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93))


def read_stl(path: Path) -> MeshData:
    """Read an STL file. Corners at exactly the same place become one vertex; normals are those of the winding.

    A file whose length is that of its number of triangles is binary, whatever its header begins with.

    Args:
        path: the file.

    Returns:
        One mesh without materials, in the file's own numbers.

    Raises:
        MeshError: the file cannot be read, is cut off, or holds no STL.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MeshError(path, f"it cannot be read: {error.strerror or error}") from error
    corners = _binary(path, data) if _is_binary(data) else _text(path, data)
    if not np.isfinite(corners).all():
        raise MeshError(path, "it holds coordinates that are no finite numbers")
    vertices, index = _welded(corners)
    faces = index.reshape(-1, 3)
    first, second, third = faces.T
    faces = faces[(first != second) & (second != third) & (third != first)]
    return MeshData(
        name=path.stem,
        vertices=vertices,
        loop_vertex=faces.ravel(),
        polygon_start=np.arange(0, 3 * len(faces), 3, dtype=np.int32),
        polygon_total=np.full(len(faces), 3, dtype=np.int32),
        material_index=np.zeros(len(faces), dtype=np.int32),
    )


def _is_binary(data: bytes) -> bool:
    if _HEADER + _TRIANGLE.itemsize * _promised(data) == len(data):
        return True
    start = data[:_START].lower()
    return not (start.lstrip().startswith(b"solid") and (b"facet" in start or b"endsolid" in start))


def _promised(data: bytes) -> int:
    """The number of triangles that the header of a binary file names; -1 where there is no room for one."""
    return int.from_bytes(data[80:_HEADER], "little") if len(data) >= _HEADER else -1


def _binary(path: Path, data: bytes) -> Floats:
    count = _promised(data)
    if count < 0:
        raise MeshError(path, f"it is no STL file: {len(data)} bytes are less than a header")
    held = (len(data) - _HEADER) // _TRIANGLE.itemsize
    if count > held:
        raise MeshError(path, f"its header promises {count} triangles, the file holds {held}")
    triangles = np.frombuffer(data, dtype=_TRIANGLE, count=count, offset=_HEADER)
    return np.ascontiguousarray(triangles["corners"], dtype=np.float32).reshape(-1, 3)


def _text(path: Path, data: bytes) -> Floats:
    places = _VERTEX.findall(data)
    facets = len(_LOOP.findall(data))
    with warnings.catch_warnings():  # numpy warns of what is no number, and goes no further
        warnings.simplefilter("ignore")
        try:
            numbers = np.fromstring(b" ".join(places), dtype=np.float64, sep=" ")
        except ValueError:
            numbers = np.empty(0)
    if len(places) != 3 * facets or len(numbers) != 3 * len(places):
        raise MeshError(
            path, f"its {facets} facets have {len(places)} corners with {len(numbers)} numbers; 3 each are needed"
        )
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused as that
        return numbers.astype(np.float32).reshape(-1, 3)


def _welded(corners: Floats) -> tuple[Floats, Ints]:
    """The places that occur, each once, and the index of every corner's."""
    corners = corners + np.float32(0.0)  # -0 is 0
    bits = corners.view(np.uint32).astype(np.uint64)
    keys = bits[:, 0] * _SPREAD[0] ^ bits[:, 1] * _SPREAD[1] ^ bits[:, 2] * _SPREAD[2]
    _, first, index = np.unique(keys ^ (keys >> np.uint64(29)), return_index=True, return_inverse=True)
    vertices = corners[first]
    if not np.array_equal(vertices[index.ravel()], corners):  # two places with one key
        whole: tuple[NDArray[np.float32], NDArray[np.intp]] = np.unique(corners, axis=0, return_inverse=True)
        vertices, index = whole
    return vertices, index.ravel().astype(np.int32)
