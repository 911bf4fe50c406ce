"""What tests of every level share: the package under its own name, and where the robots lie."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXTENSION = "bl_ext.user_default.linkpose"


def load_package() -> None:
    """Make the checkout importable as ``linkpose``, whatever its folder is called. For the levels without Blender."""
    if EXTENSION in sys.modules:
        pytest.exit("tests/blender runs in a process of its own, because there the package has another name", 4)
    if "linkpose" in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(
        "linkpose", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["linkpose"] = module
    spec.loader.exec_module(module)


def robots_folder() -> Path:
    """Folder of published robots: ``robots`` in ``$LINKPOSE_TEST_DATA`` or in ``shared`` beside the checkout."""
    data = Path(os.environ.get("LINKPOSE_TEST_DATA") or ROOT.parent / "shared")
    robots = data if data.name == "robots" else data / "robots"
    if not robots.is_dir():
        pytest.skip(f"no robots: {robots} is not a folder; set LINKPOSE_TEST_DATA to the folder that holds 'robots'")
    return robots


def rigs_folder() -> Path:
    """Folder of published characters: ``rigs`` in ``$LINKPOSE_TEST_DATA`` or in ``shared`` beside the checkout."""
    rigs = robots_folder().parent / "rigs"
    if not rigs.is_dir():
        pytest.skip(f"no characters: {rigs} is not a folder; set LINKPOSE_TEST_DATA to the folder that holds 'rigs'")
    return rigs


def example_robot_data_folder() -> Path:
    """Folder ``robots`` of PyPI's example-robot-data in this environment."""
    try:
        distribution = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("no example-robot-data in this environment: pip install example-robot-data")
    for file in distribution.files or ():
        if "example-robot-data/robots/" in file.as_posix():
            found = Path(str(distribution.locate_file(file))).resolve()
            return next(parent for parent in found.parents if parent.name == "robots")
    pytest.skip("example-robot-data is installed without its robots: pip install --force-reinstall example-robot-data")
