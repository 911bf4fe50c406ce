"""Warnings about files that were not found, or not where they are written: one for each package, not one a file."""

from __future__ import annotations

from dataclasses import dataclass

from .document import Element
from .files import Finder, Found
from .notes import Notes

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class _Use:
    """A file name where it stands.

    Attributes:
        where: the element.
        label: what is there, such as ``link 'arm': visual mesh 'a.stl'``.
        found: where the name led.
    """

    where: Element
    label: str
    found: Found


class FileNotes:
    """Finds files, and writes down at the end what was wrong with their names."""

    def __init__(self, finder: Finder, notes: Notes) -> None:
        self._finder = finder
        self._notes = notes
        self._missing: dict[str, dict[str, _Use]] = {}
        self._misnamed: dict[str, dict[str, _Use]] = {}

    def find(self, where: Element, what: str, uri: str) -> Found:
        """The file behind a name.

        Args:
            where: the element that has the name.
            what: it is, such as ``link 'arm': visual mesh``.
            uri: the name as written.
        """
        found = self._finder.find(uri)
        if found.path is None or found.note:
            uses = self._missing if found.path is None else self._misnamed
            uses.setdefault(found.package, {}).setdefault(uri, _Use(where, f"{what} {uri!r}", found))
        return found

    def report(self) -> None:
        """Warn of all names that were asked for and led nowhere or elsewhere. To be called once."""
        for package, uses in self._missing.items():
            first, *others = uses.values()
            if others:
                text = f"{_count(package, len(uses))} were not found and are left out: {_listed(uses)}; the first: "
            else:
                text = f"{first.label} was not found and is left out; "
            self._notes.warn(first.where, text + first.found.explanation)
        for package, uses in self._misnamed.items():
            first, *others = uses.values()
            if others:
                text = f"{_count(package, len(uses))} are elsewhere or called otherwise than written: {_listed(uses)}; "
                self._notes.warn(first.where, f"{text}the first {first.found.note}")
            else:
                self._notes.warn(first.where, f"{first.label} {first.found.note}")


def _count(package: str, number: int) -> str:
    return f"{number} files of package {package!r}" if package else f"{number} files"


def _listed(uses: dict[str, _Use]) -> str:
    shown = ", ".join(use.label for use in list(uses.values())[:_EXAMPLES])
    return shown if len(uses) <= _EXAMPLES else f"{shown} and {len(uses) - _EXAMPLES} more"
