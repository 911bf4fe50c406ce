"""This level needs no Blender: the package is imported as ``linkpose``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support import load_package

load_package()

if TYPE_CHECKING:
    from linkpose.urdf import Robot


@pytest.fixture
def urdf(tmp_path: Path) -> Callable[..., Robot]:
    """Reads the inside of a ``<robot>``; its first line is line 1 of the file."""
    from linkpose.urdf import load

    def read(inside: str, **options: Any) -> Robot:
        file = tmp_path / "robot.urdf"
        file.write_text(f'<robot name="tester">{inside}</robot>', encoding="utf-8")
        return load(file, **options)

    return read


@pytest.fixture
def jointed(urdf: Callable[..., Robot]) -> Callable[..., Robot]:
    """Reads a robot of links a, b, c, d and the joints given; the first joint starts in line 2."""

    def read(joints: str, **options: Any) -> Robot:
        return urdf('<link name="a"/><link name="b"/><link name="c"/><link name="d"/>\n' + joints, **options)

    return read
