"""A look at a glTF file before Blender's importer reads it, which believes all that it says."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

from .errors import MeshError

# Numbers that no buffer holds are zeros, which cost the file nothing; real files have few.
MOST_ZEROS = 4_000_000
_COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


def check_gltf(path: Path) -> None:
    """Refuse a glTF file (.glb or .gltf) that would fill the memory or lead in circles.

    What else is wrong with it is left to the importer to say.

    Raises:
        MeshError: says what is wrong, or that the file cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MeshError(path, f"it cannot be read: {error.strerror or error}") from error
    document = _document(path, data)
    _check_accessors(path, _dictionaries(document, "accessors"))
    _check_nodes(path, _dictionaries(document, "nodes"))


def _document(path: Path, data: bytes) -> dict[str, Any]:
    if data.startswith(b"glTF"):
        if len(data) < 20:
            raise MeshError(path, f"it is no glTF file: {len(data)} bytes are less than a header")
        (length,) = struct.unpack_from("<I", data, 12)
        data = data[20 : 20 + length]
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise MeshError(path, f"it is no glTF file: {' '.join(str(error).split())}") from error
    if not isinstance(document, dict):
        raise MeshError(path, "it is no glTF file: its JSON is no object")
    return document


def _dictionaries(document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The items of a list of the document, where it is one."""
    items = document.get(key)
    return [item if isinstance(item, dict) else {} for item in items] if isinstance(items, list) else []


def _check_accessors(path: Path, accessors: list[dict[str, Any]]) -> None:
    zeros = 0
    for accessor in accessors:
        count = accessor.get("count")
        if accessor.get("bufferView") is None and isinstance(count, int | float):
            zeros += int(min(max(count, 0), MOST_ZEROS + 1)) * _COMPONENTS.get(str(accessor.get("type")), 1)
    if zeros > MOST_ZEROS:
        raise MeshError(path, f"it promises more than {MOST_ZEROS} numbers that it does not hold")


def _check_nodes(path: Path, nodes: list[dict[str, Any]]) -> None:
    """That they are trees, as the format asks: else each of a few nodes can hold the others twice, and so on."""
    children = [_children(node, len(nodes)) for node in nodes]
    held = [0] * len(nodes)
    for child in (child for below in children for child in below):
        held[child] += 1
    if any(count > 1 for count in held):
        raise MeshError(path, f"its node {held.index(max(held))} hangs from several others")
    reached = [node for node, count in enumerate(held) if not count]
    for node in reached:
        reached += children[node]
    if len(reached) < len(nodes):
        raise MeshError(path, "its nodes hold one another in a circle")


def _children(node: dict[str, Any], count: int) -> list[int]:
    children = node.get("children")
    if not isinstance(children, list):
        return []
    return [child for child in children if isinstance(child, int) and 0 <= child < count]
