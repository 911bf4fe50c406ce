"""What OBJ files say of their materials that Blender's importer passes over or takes otherwise."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from .files import Finder
from .folders import Folders

_USED = re.compile(rb"^[ \t]*usemtl[ \t]+([^\r\n]*)", re.MULTILINE)
_LIBRARY = re.compile(rb"^[ \t]*mtllib[ \t]+([^\r\n]*)", re.MULTILINE)
_DEFINITION = re.compile(rb"^[ \t]*newmtl[ \t]+", re.MULTILINE)
_ILLUMINATION = re.compile(rb"^[ \t]*illum[ \t]+(\d+)", re.MULTILINE)
# The illumination models of the format that let light through.
_GLASS = frozenset({b"4", b"6", b"7", b"9"})


@dataclass(frozen=True)
class ObjMaterials:
    """What is to be known of an OBJ file's materials beside what Blender's importer makes of them.

    Attributes:
        undefined: names that the file uses and no material file defines.
        glass: names of those that let light through; the importer makes glass of others too, by a filter colour alone.
        notes: why materials are undefined, each as ``file: what``.
    """

    undefined: frozenset[str] = frozenset()
    glass: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def read_obj_materials(path: Path) -> ObjMaterials:
    """Look at an OBJ file and the material files that it names; one that cannot be read has none."""
    data = _content(path)
    used = {_text(name) for name in _USED.findall(data)}
    if not used:
        return ObjMaterials()
    finder, folders = Finder(path), Folders()
    defined: dict[str, bool] = {}
    notes = []
    for line in dict.fromkeys(map(_text, _LIBRARY.findall(data))):
        # A name may hold spaces, and a line may hold several names.
        names = [line] if folders.is_file(path.parent / line) else line.split()
        for library_name in names:
            library = path.parent / library_name
            if folders.is_file(library):
                for block in _DEFINITION.split(_content(library))[1:]:
                    model = _ILLUMINATION.search(block)
                    name = _text(block.splitlines()[0] if block else b"")
                    defined[name] = model is not None and model.group(1) in _GLASS
            else:
                found = finder.find(library_name)
                why = found.note or f"was not found; {found.explanation}"
                notes.append(f"{path}: material file {library_name!r} {why}")
    undefined = used - defined.keys()
    if undefined and not notes:
        some = ", ".join(map(repr, sorted(undefined)[:3]))
        notes.append(f"{path}: materials that no material file defines: {some}; export it again with its .mtl")
    glass = frozenset(name for name, lets_light_through in defined.items() if lets_light_through)
    return ObjMaterials(frozenset(undefined), glass, tuple(notes) if undefined else ())


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _text(name: bytes) -> str:
    return name.strip().decode("utf-8", "replace")
