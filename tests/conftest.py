"""Fixtures of every level."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import example_robot_data_folder, robots_folder


@pytest.fixture(scope="session")
def robots() -> Path:
    """Folder of published robots (``panda_moveit``, ``anymal_c`` …); skips where there is none."""
    return robots_folder()


@pytest.fixture(scope="session")
def example_robot_data() -> Path:
    """Folder ``robots`` of example-robot-data; skips where it is not installed."""
    return example_robot_data_folder()
