"""PLY files, text and binary of either byte order, as plain mesh data. Blender's own reader crashes on broken ones."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .errors import MeshError
from .mesh_data import Floats, Ints, MeshData, starts, unit_vectors
from .ply_rows import BinaryRows, Column, Element, Lists, Numbers, Property, TextRows

# Codes of numpy, which the struct module shares but for their width.
_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1",
    "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
# A header is some dozen lines; what is longer is no PLY file.
_LONGEST_HEADER = 65536
_END = re.compile(rb"[\r\n]end_header[ \t]*(\r\n|\n|\r|$)")
_FACES = ("vertex_indices", "vertex_index")
_UV = (("s", "t"), ("u", "v"), ("texture_u", "texture_v"))
_COLORS = (("red", "green", "blue"), ("diffuse_red", "diffuse_green", "diffuse_blue"))


def read_ply(path: Path) -> MeshData:
    """Read a PLY file: faces and triangle strips; colours, normals and texture coordinates of vertices.

    Args:
        path: the file.

    Returns:
        One mesh without materials, in the file's own numbers. Faces of fewer than three corners are left out.

    Raises:
        MeshError: the file cannot be read, is cut off or no PLY, or a face is at a vertex that does not exist.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MeshError(path, f"it cannot be read: {error.strerror or error}") from error
    order, elements, start = _header(path, data)
    source = BinaryRows(path, data, start, order) if order else TextRows(path, data, start)
    columns: dict[str, dict[str, Column]] = {}
    for element in elements:
        columns[element.name] = source.rows(element)
        if {"vertex", "face"} <= columns.keys() and element.name in ("vertex", "face"):
            break  # nothing else matters, and it may be broken
    vertex = columns.get("vertex", {})
    kinds = {
        column.name: column.kind for element in elements if element.name == "vertex" for column in element.properties
    }
    vertices = _together(vertex, ("x", "y", "z"))
    if vertices is None:
        raise MeshError(path, "its vertices have no x, y and z")
    lengths, corners = _polygons(path, columns)
    if len(corners) and (corners.min() < 0 or corners.max() >= len(vertices)):
        wrong = corners[(corners < 0) | (corners >= len(vertices))][0]
        raise MeshError(path, f"it has a face at vertex {wrong}; it has {len(vertices)} vertices")
    return _mesh(path.stem, vertices, vertex, kinds, lengths, corners)


def _header(path: Path, data: bytes) -> tuple[str, list[Element], int]:
    """Byte order, "" for text; the elements; and where they begin in the data."""
    end = _END.search(data[:_LONGEST_HEADER])
    if not data.startswith(b"ply") or end is None:
        raise MeshError(path, "it is no PLY file: a header from 'ply' to 'end_header' is missing")
    start = end.end()
    if end.group(1) == b"\r\n" and not data.startswith(b"ply\r\n"):
        start -= 1  # the first byte of what follows looks like the end of a line
    order: str | None = None
    elements: list[Element] = []
    for line in data[3 : end.start()].decode("ascii", "replace").splitlines():
        match line.split():
            case ["format", form, *_] if form in _ORDERS:
                order = _ORDERS[form]
            case ["element", name, number] if number.isascii() and number.isdecimal():
                elements.append(Element(name, int(number)))
            case ["property", "list", length, kind, name] if elements and {length, kind} <= _TYPES.keys():
                elements[-1].properties.append(Property(name, _TYPES[kind], _TYPES[length]))
            case ["property", kind, name] if elements and kind in _TYPES:
                elements[-1].properties.append(Property(name, _TYPES[kind], ""))
            case [] | ["comment" | "obj_info", *_]:
                continue
            case _:
                raise MeshError(path, f"its header holds a line that is no PLY: {line.strip()[:80]!r}")
    if order is None:
        raise MeshError(path, "its header names no known format")
    if any(column.length.startswith("f") for element in elements for column in element.properties):
        raise MeshError(path, "its header counts with fractions: the length of a list must be an integer")
    return order, elements, start


def _together(columns: dict[str, Column], names: tuple[str, ...]) -> Numbers | None:
    """(n, …) of the columns of these names; None when one is missing or holds lists."""
    found = [columns.get(name) for name in names]
    if not all(isinstance(column, np.ndarray) for column in found):
        return None
    return np.column_stack([np.asarray(column, dtype=np.float64) for column in found])


def _polygons(path: Path, columns: dict[str, dict[str, Column]]) -> tuple[Ints, NDArray[np.int64]]:
    """How many corners each face has, and the vertex of each corner."""
    faces = next((column for name, column in columns.get("face", {}).items() if name in _FACES), None)
    strips = next((column for name, column in columns.get("tristrips", {}).items() if name in _FACES), None)
    lengths: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    corners: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    if isinstance(faces, Lists):
        usable = faces.lengths >= 3
        lengths.append(faces.lengths[usable])
        corners.append(_indices(path, faces.numbers[np.repeat(usable, faces.lengths)]))
    if isinstance(strips, Lists):
        triangles = _strip_triangles(_indices(path, strips.numbers), strips.lengths)
        lengths.append(np.full(len(triangles), 3, dtype=np.int64))
        corners.append(triangles.ravel())
    return np.concatenate(lengths).astype(np.int32), np.concatenate(corners)


def _indices(path: Path, numbers: Numbers) -> NDArray[np.int64]:
    if not (np.isfinite(numbers).all() and (np.abs(numbers) < 2**53).all()):
        raise MeshError(path, "it has faces at vertices whose numbers are none")
    return numbers.astype(np.int64)


def _strip_triangles(indices: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n, 3) triangles of strips; -1 begins a new one, and every second triangle of a strip is wound the other way."""
    ends = np.concatenate(([-1], np.flatnonzero(indices < 0), [len(indices)]))
    breaks = np.cumsum(lengths)  # a list is a strip of its own
    found = []
    for first, last in zip(ends[:-1] + 1, ends[1:], strict=True):
        cuts = [first, *breaks[(breaks > first) & (breaks < last)], last]
        for start, stop in pairwise(cuts):
            strip = indices[start:stop]
            triangles = np.column_stack((strip[:-2], strip[1:-1], strip[2:]))
            triangles[1::2] = triangles[1::2, ::-1]
            found.append(triangles)
    return np.concatenate([np.empty((0, 3), np.int64), *found])


def _mesh(
    name: str,
    vertices: Numbers,
    columns: dict[str, Column],
    kinds: dict[str, str],
    lengths: Ints,
    corners: NDArray[np.int64],
) -> MeshData:
    normals = _together(columns, ("nx", "ny", "nz"))
    uv = next((found for names in _UV if (found := _together(columns, names)) is not None), None)
    colors = next((rgba for names in _COLORS if (rgba := _colors(columns, kinds, names)) is not None), None)
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large becomes infinite, and is refused as that
        return MeshData(
            name=name,
            vertices=vertices.astype(np.float32),
            loop_vertex=corners.astype(np.int32),
            polygon_start=starts(lengths),
            polygon_total=lengths,
            material_index=np.zeros(len(lengths), dtype=np.int32),
            normals=None if normals is None else unit_vectors(normals)[corners],
            uv=None if uv is None else _finite(uv)[corners],
            colors=None if colors is None else colors[corners],
        )


def _finite(numbers: Numbers) -> Floats:
    finite: Floats = np.nan_to_num(numbers.astype(np.float32))
    return finite


def _colors(columns: dict[str, Column], kinds: dict[str, str], names: tuple[str, str, str]) -> Floats | None:
    """(n, 4) linear RGBA from sRGB ones; integers go to the largest number of their type."""
    if _together(columns, names) is None:
        return None
    colors = np.ones((len(_flat(columns, names[0])), 4))
    alpha = names[0].replace("red", "alpha")
    for i, channel in enumerate((*names, alpha)):
        if isinstance(columns.get(channel), np.ndarray):
            kind = np.dtype(kinds[channel])
            colors[:, i] = _flat(columns, channel) / (np.iinfo(kind).max if kind.kind in "iu" else 1.0)
    colors = np.clip(np.nan_to_num(colors, nan=1.0), 0.0, 1.0)
    rgb = colors[:, :3]
    colors[:, :3] = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return colors.astype(np.float32)


def _flat(columns: dict[str, Column], name: str) -> Numbers:
    return np.asarray(columns[name], dtype=np.float64)
