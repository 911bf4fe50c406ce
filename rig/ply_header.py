"""A look at a PLY file's header before Blender reads it: its importer crashes on headers that promise too much."""

from __future__ import annotations

from pathlib import Path

from ..urdf.errors import MeshError

_SIZES = {
    "char": 1, "uchar": 1, "int8": 1, "uint8": 1,
    "short": 2, "ushort": 2, "int16": 2, "uint16": 2,
    "int": 4, "uint": 4, "int32": 4, "uint32": 4, "float": 4, "float32": 4,
    "double": 8, "float64": 8,
}  # fmt: skip
_FORMATS = ("ascii", "binary_little_endian", "binary_big_endian")
# A header is some dozen lines; what is longer is no PLY file.
_LONGEST_HEADER = 65536


def check_ply(path: Path) -> None:
    """Refuse a PLY file whose header is broken or promises more than the file can hold.

    Raises:
        MeshError: says what is wrong with it, or that the file cannot be opened.
    """
    try:
        with path.open("rb") as file:
            start = file.read(_LONGEST_HEADER)
        size = path.stat().st_size
    except OSError as error:
        raise MeshError(path, f"it cannot be opened: {error.strerror}") from error
    end = start.find(b"end_header")
    if not start.startswith(b"ply") or end < 0:
        raise MeshError(path, "it is no PLY file: a header from 'ply' to 'end_header' is missing")
    header = start[:end].decode("ascii", "replace")
    body = size - end - len("end_header")
    needed = _least_size(path, [line.split() for line in header.splitlines()[1:]])
    if needed > body:
        raise MeshError(path, f"its header promises at least {needed} bytes of data, the file holds {body}")


def _least_size(path: Path, lines: list[list[str]]) -> int:
    """Bytes that the elements of a header take at least."""
    binary: bool | None = None
    total = 0
    count: int | None = None
    for words in lines:
        match words:
            case ["format", form, *_] if form in _FORMATS:
                binary = form != "ascii"
            case ["element", _, number] if number.isdecimal():
                count = int(number)
            case ["property", "list", length, item, _] if count is not None and {length, item} <= _SIZES.keys():
                # An empty list is its length alone; in text that is a digit and a space.
                total += count * (_SIZES[length] if binary else 2)
            case ["property", kind, _] if count is not None and kind in _SIZES:
                total += count * (_SIZES[kind] if binary else 2)
            case [] | ["comment", *_] | ["obj_info", *_]:
                continue
            case _:
                raise MeshError(path, f"its header holds a line that is no PLY: {' '.join(words)[:80]!r}")
    if binary is None:
        raise MeshError(path, "its header names no known format")
    return total
