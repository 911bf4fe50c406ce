"""From the file names in a robot description to files on disk."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

from .folders import Folders

Packages = Mapping[str, str | os.PathLike[str]] | Iterable[str | os.PathLike[str]]

Item = TypeVar("Item")

# Two letters at least: "C:" is a drive.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(/*)")
_DRIVE = re.compile(r"/*[A-Za-z]:")
_FIND = re.compile(r"^(?:file:/*)?\$\(find\s+([^)\s]+)\s*\)/*")
_ANCESTORS_SEARCHED = 6


@dataclass(frozen=True, slots=True)
class Found:
    """Where a file name led.

    Attributes:
        path: the file, None when there is none.
        tried: where there is none, the paths that were tried, in order; in folders that exist, if any of them does.
        note: how the name had to be put right to find the file; "" when it was right.
        reason: why there is no file, in a few words, and what to do.
        package: that the name has it in, "" where it names none.
    """

    path: Path | None = None
    tried: tuple[str, ...] = ()
    note: str = ""
    reason: str = ""
    package: str = ""

    @property
    def explanation(self) -> str:
        """Why there is no file and what to do, and last, for it may be long, what was tried."""
        return f"{self.reason}; tried {', '.join(self.tried)}" if self.tried else self.reason


class Finder:
    """Finds the files that one file names.

    ``package://name/…`` is looked for, in this order: in ``packages``; in the folders above the file, by the name in
    ``package.xml`` or by folder name; beside those folders; in ROS_PACKAGE_PATH and AMENT_PREFIX_PATH. Relative names
    start at the file's folder, never at the current one. ``file://``, absolute and Windows names are understood,
    percent codes are tried decoded. What is not found so is tried in other case, and then by its last parts below
    the folders around the file, both with a note. Nothing walks through directory trees.
    """

    def __init__(self, file: Path, packages: Packages | None = None) -> None:
        """Prepare; nothing is looked at before the first name.

        Args:
            file: the file that holds the names.
            packages: folder by package name, or folders that are packages or hold some.
        """
        if isinstance(packages, str | os.PathLike):
            packages = (packages,)
        named = packages if isinstance(packages, Mapping) else {}
        given = packages if packages is not None and not isinstance(packages, Mapping) else ()
        self._named = {name: Path(folder).expanduser() for name, folder in named.items()}
        self._given = tuple(Path(folder).expanduser() for folder in given)
        absolute = Path(os.path.abspath(file)).parent  # noqa: PTH100 (symbolic links must stay: packages are often linked)
        real = absolute.resolve()
        self._folder = absolute
        self._above = _unique([absolute, *absolute.parents, real, *real.parents])
        near = [folder for start in (absolute, real) for folder in [start, *start.parents][:_ANCESTORS_SEARCHED]]
        self._near = _unique(near)
        self._folders = Folders()
        self._known: dict[str, Found] = {}

    def find(self, uri: str) -> Found:
        """The file behind a name as it stands in the description."""
        if uri not in self._known:
            name = uri.strip().replace("\\", "/")
            find = _FIND.match(name)
            if find is not None:  # left over from xacro
                name = f"package://{find.group(1)}/{name[find.end() :]}"
            scheme, rest = _split(name)
            package = rest.split("/", 1)[0] if scheme in ("package", "model") else ""
            self._known[uri] = replace(self._find(scheme, rest), package=package)
        return self._known[uri]

    def package(self, name: str) -> Path | None:
        """The folder of a package, as ``$(find name)`` wants it; None when there is none.

        What was given comes first, then what lies around. In either, a folder with the name in its manifest comes
        before one that is only called so.
        """
        for places in (self._packages_given(name), self._packages_around(name)):
            folders = [folder for folder in places if self._folders.is_folder(folder)]
            for folder in folders:
                if self._folders.package_name(folder) == name:
                    return folder
            if folders:
                return folders[0]
        return None

    def know(self, name: str, folder: Path) -> None:
        """Remember where a package is, unless it was given."""
        self._named.setdefault(name, folder)

    def _find(self, scheme: str, rest: str) -> Found:
        if scheme not in ("", "file", "package", "model"):
            return Found(reason=f"{scheme}: names are not read, only files; save the file and name it by its path")
        variants = _unique([rest, unquote(rest)])
        places: list[tuple[Path, str]] = []
        for base, part in (place for variant in variants for place in self._places(scheme, variant)):
            places.append((base, part))
            if self._folders.is_file(base / part):
                return Found(_real(base / part))
        for base, part in places:
            match = self._folders.match(base, part)
            if match is not None:
                return Found(_real(match), note=f"was found as {_real(match)}, written differently; correct the name")
        for variant in variants:
            match = self._rescue(variant)
            if match is not None:
                return Found(_real(match), note=f"was not found there; {_real(match)} is used for it, correct the name")
        return self._missing(scheme, rest, places)

    def _missing(self, scheme: str, rest: str, places: list[tuple[Path, str]]) -> Found:
        tried = [str(base / part) for base, part in places if self._folders.is_folder(base)]
        if scheme in ("package", "model") and not tried:
            tried = [str(base / part) for base, part in places]
            package = rest.split("/", 1)[0]
            reason = f"package {package!r} was not found; give its folder as one of packages="
        else:
            reason = "put the file there or correct the name"
        return Found(None, tuple(_unique(tried or [rest])), reason=reason)

    def _places(self, scheme: str, rest: str) -> Iterator[tuple[Path, str]]:
        """Where a file can be: a folder, and the path below it."""
        if not rest or "\0" in rest:
            return
        if scheme in ("package", "model"):
            package, _, below = rest.partition("/")
            for folder in self._packages(package):
                yield folder, below.lstrip("/")
        elif _DRIVE.match(rest):
            if os.name == "nt":
                drive = Path(rest.lstrip("/"))
                yield Path(drive.anchor), str(drive.relative_to(drive.anchor))
        elif rest.startswith("/"):
            root = Path(self._folder.anchor)
            yield root, rest.lstrip("/")
        else:
            yield self._folder, rest

    def _packages(self, name: str) -> Iterator[Path]:
        """Folders that may be the package, the likeliest first. Not all of them need exist."""
        yield from self._packages_given(name)
        yield from self._packages_around(name)

    def _packages_given(self, name: str) -> Iterator[Path]:
        if name in self._named:
            yield self._named[name]
            yield self._named[name] / name
        for folder in self._given:
            if folder.name == name or self._folders.package_name(folder) == name:
                yield folder
            yield folder / name

    def _packages_around(self, name: str) -> Iterator[Path]:
        for folder in self._above:
            if folder.name == name or self._folders.package_name(folder) == name:
                yield folder
        for folder in self._near:
            yield folder / name
        listed = [Path(entry) for entry in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if entry]
        for folder in listed:
            if folder.name == name or self._folders.package_name(folder) == name:
                yield folder
            yield folder / name
        for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
            if prefix:
                yield Path(prefix) / "share" / name
        yield from self._folders.packages_below([*self._given, *self._listable(), *listed], name)

    def _listable(self) -> list[Path]:
        """The near folders above the file whose content may be listed: not the home folder, nor anything above it."""
        try:
            home = Path.home()
        except RuntimeError:  # the system knows no home folder
            home = Path(self._folder.anchor)
        stops = {home, *home.parents, Path(self._folder.anchor)}
        return [folder for folder in self._near if folder not in stops]

    def _rescue(self, rest: str) -> Path | None:
        """The file below the folders from here up to the package that shares the most last parts of the name."""
        parts = [part for part in rest.split("/") if part not in ("", ".", "..") and not _DRIVE.match(part)]
        for first in range(len(parts)):
            below = "/".join(parts[first:])
            for folder in self._listable():
                match = self._folders.match(folder, below)
                if match is not None:
                    return match
                if self._folders.package_name(folder) is not None:
                    break
        return None


def _split(name: str) -> tuple[str, str]:
    """Scheme in lower case, "" without one, and the rest, which starts with a slash or a drive if absolute."""
    match = _SCHEME.match(name)
    if match is None:
        return "", name
    scheme, slashes, rest = match.group(1).lower(), len(match.group(2)), name[match.end() :]
    if scheme in ("package", "model"):
        return scheme, rest
    if scheme == "file":
        if rest.startswith("localhost/") and slashes == 2:
            return scheme, rest[len("localhost") :]
        # What follows two slashes should be a host; in the descriptions that have it, it is a relative path.
        return scheme, rest if slashes in (0, 2) or _DRIVE.match(rest) else f"/{rest}"
    return (scheme, rest) if slashes else ("", name)


def _real(path: Path) -> Path:
    """The path without links in its folders. The file's own name stays, for its ending says what it is."""
    return path.parent.resolve() / path.name


def _unique(items: Iterable[Item]) -> list[Item]:
    return list(dict.fromkeys(items))
