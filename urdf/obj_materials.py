"""Which materials an OBJ file uses that nothing defines: Blender's importer silently makes grey ones of them."""

from __future__ import annotations

import re
from pathlib import Path

from .files import Finder

_USED = re.compile(rb"^[ \t]*usemtl[ \t]+(.*?)[ \t\r]*$", re.MULTILINE)
_LIBRARY = re.compile(rb"^[ \t]*mtllib[ \t]+(.*?)[ \t\r]*$", re.MULTILINE)
_DEFINED = re.compile(rb"^[ \t]*newmtl[ \t]+(.*?)[ \t\r]*$", re.MULTILINE)


def undefined_materials(path: Path) -> tuple[frozenset[str], tuple[str, ...]]:
    """The names of materials that an OBJ file uses and nothing defines, and why, as ``file: what``.

    Args:
        path: the OBJ file; one that cannot be read uses none.
    """
    data = _content(path)
    used = {_text(name) for name in _USED.findall(data)}
    if not used:
        return frozenset(), ()
    finder = Finder(path)
    defined: set[str] = set()
    notes = []
    for line in dict.fromkeys(map(_text, _LIBRARY.findall(data))):
        # A name may hold spaces, and a line may hold several names.
        names = [line] if (path.parent / line).is_file() else line.split()
        for name in names:
            library = path.parent / name
            if library.is_file():
                defined |= {_text(found) for found in _DEFINED.findall(_content(library))}
            else:
                found = finder.find(name)
                notes.append(f"{path}: material file {name!r} {found.note or f'was not found; {found.explanation}'}")
    undefined = used - defined
    if undefined and not notes:
        some = ", ".join(map(repr, sorted(undefined)[:3]))
        notes.append(f"{path}: materials that no material file defines: {some}; export it again with its .mtl")
    return frozenset(undefined), tuple(notes) if undefined else ()


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")
