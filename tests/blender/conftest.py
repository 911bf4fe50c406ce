"""This level runs on a ``bpy`` wheel: the checkout is linked into a fresh profile and enabled as a user's extension is.

Fixtures: ``empty_scene`` (every test gets it), ``linkpose`` (the enabled package) and those of tests/conftest.py.
Modules of the package come from ``blender.support``.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from support import EXTENSION, ROOT

if importlib.util.find_spec("bpy") is None:
    pytest.exit("tests/blender needs a bpy module in this environment: pip install bpy, or run make test", 4)
if "linkpose" in sys.modules:
    pytest.exit("tests/blender runs in a process of its own, because there the package has another name", 4)

# Blender reads where its profile lies when bpy is first imported.
PROFILE = Path(tempfile.mkdtemp(prefix="linkpose-tests-"))
os.environ["BLENDER_USER_RESOURCES"] = str(PROFILE)
EXTENSIONS = PROFILE / "extensions" / "user_default"
EXTENSIONS.mkdir(parents=True)
(EXTENSIONS / "linkpose").symlink_to(ROOT, target_is_directory=True)

import bpy  # noqa: E402

_status: list[int] = []


@pytest.fixture(scope="session", autouse=True)
def linkpose() -> Iterator[ModuleType]:
    """The enabled extension's root module."""
    import addon_utils  # on the path only once bpy is imported

    bpy.ops.preferences.addon_enable(module=EXTENSION)
    assert addon_utils.check(EXTENSION) == (True, True), f"{EXTENSION} could not be enabled, see the traceback above"
    yield sys.modules[EXTENSION]
    # A class still registered when the process ends makes some wheels hang or crash.
    bpy.ops.preferences.addon_disable(module=EXTENSION)


@pytest.fixture(autouse=True)
def empty_scene(linkpose: ModuleType) -> bpy.types.Scene:
    """A new file with an empty scene."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return bpy.context.scene


def pytest_sessionfinish(exitstatus: int) -> None:
    """Keep the status that the process has to end with."""
    _status[:] = [int(exitstatus)]


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """End the process here: tearing Blender down hangs or crashes on some wheels, which would hide the status."""
    shutil.rmtree(PROFILE, ignore_errors=True)
    if _status:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_status[0])
