"""Where the reader writes down what it left out or put right, and how it says what is wrong."""

from __future__ import annotations

from pathlib import Path

from .document import Element
from .errors import UrdfError, place


class Notes:
    """Warnings of one file, each with file and line, and errors in the same form.

    Attributes:
        path: the file.
        warnings: in the order in which they were found, none twice.
    """

    def __init__(self, path: Path, warnings: list[str] | None = None) -> None:
        self.path = path
        self.warnings: list[str] = list(warnings or ())
        self._known = set(self.warnings)

    def warn(self, where: Element | int, message: str) -> None:
        """Add ``file:line: <element>: message``, unless it is there already."""
        text = f"{place(self.path, _line(where))}: {_named(where, message)}"
        if text not in self._known:
            self._known.add(text)
            self.warnings.append(text)

    def error(self, where: Element | int, message: str) -> UrdfError:
        """The error to raise: ``file:line: <element>: message``."""
        return UrdfError(self.path, _line(where), _named(where, message))


def _line(where: Element | int) -> int:
    return where if isinstance(where, int) else where.line


def _named(where: Element | int, message: str) -> str:
    return message if isinstance(where, int) else f"{where}: {message}"
