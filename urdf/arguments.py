"""What a xacro file can be asked for, read without running anything."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from .document import Element, read_document
from .errors import UrdfError
from .files import Finder, Packages

_FIND = re.compile(r"\$\(find\s+([^)\s]+)\s*\)")
_MOST_FILES = 200


def xacro_arguments(path: str | os.PathLike[str], *, packages: Packages | None = None) -> dict[str, str]:
    """The arguments of a xacro file and of the files it includes, with their defaults as written.

    Nothing is evaluated: a default may hold an expression, and files whose name holds one are not looked into.

    Args:
        path: the file.
        packages: as for :func:`.load`.

    Returns:
        Default by name, in the order of the files; empty for a file without arguments.

    Raises:
        UrdfError: the file cannot be read or is no XML; included files that are not are passed over.
    """
    file = Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 (symbolic links must stay)
    finder = Finder(file, packages)
    found: dict[str, str] = {}
    seen: set[Path] = set()

    def read(source: Path, root: Element) -> None:
        seen.add(source)
        for element in _walk(root):
            if element.tag == "xacro:arg" and "name" in element.attributes:
                found.setdefault(element.attributes["name"], element.attributes.get("default", ""))
            elif element.tag == "xacro:include":
                included = _included(element.attributes.get("filename", ""), source, finder)
                if included is not None and included not in seen and len(seen) < _MOST_FILES:
                    try:
                        inner = read_document(included)[0]
                    except UrdfError:  # The expansion says so, if it gets there.
                        continue
                    read(included, inner)

    read(file, read_document(file)[0])
    return found


def _walk(root: Element) -> Iterator[Element]:
    yield root
    for child in root.children:
        yield from _walk(child)


def _included(name: str, source: Path, finder: Finder) -> Path | None:
    """The file that an include names, None when that takes an expression, or there is none."""
    match = _FIND.match(name)
    if match is not None:
        folder = finder.package(match.group(1))
        if folder is None:
            return None
        name = folder.as_posix() + name[match.end() :]
    if not name or "$" in name or "\0" in name:
        return None
    path = source.parent / name
    return path if path.is_file() else None
