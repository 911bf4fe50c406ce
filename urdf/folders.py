"""Looking at folders: each once, and never at so many that it takes seconds."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_NAME = re.compile(rb"<name[^>]*>\s*([^<]*?)\s*</name>")
_MANIFEST_BYTES = 65536
_ENTRIES_LOOKED_AT = 2000


class Folders:
    """What lies in folders, remembered. A name that the system cannot take is a name that is not there."""

    def __init__(self) -> None:
        self._package_names: dict[Path, str | None] = {}
        self._listings: dict[Path, dict[str, str]] = {}
        self._subfolders: dict[Path, tuple[Path, ...]] = {}
        self._budget = _ENTRIES_LOOKED_AT

    def is_file(self, path: Path) -> bool:
        """Whether there is such a file."""
        try:
            return path.is_file()
        except (OSError, ValueError):
            return False

    def is_folder(self, path: Path) -> bool:
        """Whether there is such a folder."""
        try:
            return path.is_dir()
        except (OSError, ValueError):
            return False

    def package_name(self, folder: Path) -> str | None:
        """The ``<name>`` in the folder's ``package.xml``; None when it is no package."""
        if folder not in self._package_names:
            self._package_names[folder] = _read_package_name(folder / "package.xml")
        return self._package_names[folder]

    def packages_below(self, folders: Iterable[Path], name: str) -> Iterator[Path]:
        """Packages of that name that lie in the folders, or one folder deeper. Only with a ``package.xml``."""
        for folder in folders:
            deeper: list[Path] = []
            for child in self._children(folder):
                if self._is_package(child, name):
                    yield child
                elif self.package_name(child) is None:
                    deeper.append(child)
            for child in deeper:
                yield from (inner for inner in self._children(child) if self._is_package(inner, name))

    def match(self, base: Path, below: str) -> Path | None:
        """The file at that place when neither case nor the form of accents count; None when there is none."""
        path = base
        for part in below.split("/"):
            if part in ("", "."):
                continue
            if part == ".." or self._exists(path / part):
                path = path / part
                continue
            actual = self._listing(path).get(_folded(part))
            if actual is None:
                return None
            path = path / actual
        return path if self.is_file(path) else None

    def _is_package(self, folder: Path, name: str) -> bool:
        known_as = self.package_name(folder)
        return known_as is not None and name in (known_as, folder.name)

    def _exists(self, path: Path) -> bool:
        try:
            return path.exists()
        except (OSError, ValueError):
            return False

    def _listing(self, folder: Path) -> dict[str, str]:
        if folder not in self._listings:
            try:
                names = os.listdir(folder)  # noqa: PTH208 (names are all that is needed)
            except (OSError, ValueError):
                names = []
            self._listings[folder] = {_folded(name): name for name in sorted(names, reverse=True)}
        return self._listings[folder]

    def _children(self, folder: Path) -> tuple[Path, ...]:
        """The folders in a folder, hidden ones left out, as far as the budget of the whole search goes."""
        if folder not in self._subfolders:
            found: list[Path] = []
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        self._budget -= 1
                        if self._budget < 0:
                            break
                        if entry.is_dir() and not entry.name.startswith("."):
                            found.append(folder / entry.name)
            except (OSError, ValueError):
                found = []
            self._subfolders[folder] = tuple(sorted(found))
        return self._subfolders[folder]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _read_package_name(manifest: Path) -> str | None:
    try:
        with manifest.open("rb") as file:
            text = file.read(_MANIFEST_BYTES)
    except (OSError, ValueError):
        return None
    match = _NAME.search(_COMMENT.sub(b"", text))
    return match.group(1).decode("utf-8", "replace") if match else None
