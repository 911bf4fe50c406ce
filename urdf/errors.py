"""What reading a robot description or a mesh raises."""

from __future__ import annotations

from pathlib import Path

from ..errors import LinkposeError


class Line(int):
    """The number of a line that knows its file, for what comes from another file than the one that is read.

    Attributes:
        path: the file.
    """

    path: Path

    def __new__(cls, number: int, path: Path) -> Line:
        """A line of a file."""
        line = super().__new__(cls, number)
        line.path = path
        return line

    def __getnewargs__(self) -> tuple[int, Path]:  # type: ignore[override]
        return int(self), self.path


class UrdfError(LinkposeError):
    """A robot description that cannot be read. Its text is ``file:line: what is wrong; what to do``.

    Attributes:
        path: the file.
        line: counted from 1; 0 when the file as a whole is meant, and then it is left out of the text.
    """

    def __init__(self, path: Path, line: int, message: str) -> None:
        self.path = line.path if isinstance(line, Line) else path
        self.line = int(line)
        super().__init__(f"{place(path, line)}: {message}")


class XacroNotAllowed(UrdfError):  # noqa: N818 - it is no failure, but a question to the user
    """A file that is xacro, whose expressions are code, where code was not allowed. Ask the user, and allow it."""


class MeshError(LinkposeError):
    """A mesh file that cannot be read. Its text is ``file: reason``.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, message: str) -> None:
        self.path = path
        super().__init__(f"{path}: {message}")


def place(path: Path, line: int) -> str:
    """``file:line``, or ``file`` where there is no line. A :class:`Line` names its own file."""
    path = line.path if isinstance(line, Line) else path
    return f"{path}:{line}" if line else str(path)
