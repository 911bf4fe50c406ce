"""What reading a robot description or a mesh raises."""

from __future__ import annotations

from pathlib import Path

from ..errors import LinkposeError


class UrdfError(LinkposeError):
    """A robot description that cannot be read. Its text is ``file:line: what is wrong; what to do``.

    Attributes:
        path: the file.
        line: counted from 1; 0 when the file as a whole is meant, and then it is left out of the text.
    """

    def __init__(self, path: Path, line: int, message: str) -> None:
        self.path = path
        self.line = line
        super().__init__(f"{place(path, line)}: {message}")


class MeshError(LinkposeError):
    """A mesh file that cannot be read. Its text is ``file: reason``.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, message: str) -> None:
        self.path = path
        super().__init__(f"{path}: {message}")


def place(path: Path, line: int) -> str:
    """``file:line``, or ``file`` where there is no line."""
    return f"{path}:{line}" if line else str(path)
