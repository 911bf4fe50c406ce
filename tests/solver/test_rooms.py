"""The rooms of the package and which of them may know which."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support import ROOT

# What each room may import: rooms of the package, then modules from outside that are not of Python's own library.
BLENDER = {"bmesh", "bpy", "bpy_extras", "mathutils"}
ROOMS = {
    "root": ({"operators", "ui"}, set()),
    "errors": (set(), set()),
    "solver": ({"errors"}, {"numpy"}),
    "urdf": ({"errors", "solver"}, {"numpy", "collada"}),
    "rig": ({"errors", "solver", "urdf"}, {"numpy"} | BLENDER),
    "api": ({"errors", "solver", "urdf", "rig"}, {"numpy"} | BLENDER),
    "ui": ({"errors", "rig", "api"}, {"numpy", "gpu", "gpu_extras", "blf", "rna_keymap_ui"} | BLENDER),
    "operators": ({"errors", "rig", "api", "ui"}, {"numpy"} | BLENDER),
}
FILES = sorted(ROOT.glob("*.py")) + sorted(f for room in ROOMS for f in (ROOT / room).rglob("*.py"))


def room_of(parts: tuple[str, ...]) -> str:
    """Room of a module given by its path below the package; the package itself is "root"."""
    return parts[0] if parts else "root"


def imported(source: str, package: tuple[str, ...]) -> list[tuple[int, bool, tuple[str, ...]]]:
    """Every import of a module that lies in ``package``: (line, whether it names our package, dotted parts)."""
    found: list[tuple[int, bool, tuple[str, ...]]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, False, tuple(alias.name.split("."))) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = tuple(node.module.split(".")) if node.module else ()
            if not node.level:
                found.append((node.lineno, False, module))
                continue
            if node.level - 1 > len(package):
                found.append((node.lineno, False, ("..beyond the package",)))
                continue
            target = package[: len(package) - (node.level - 1)] + module
            # "from .. import solver" names the room in the alias.
            found += [(node.lineno, True, target or (alias.name,)) for alias in node.names]
    return found


def wrong_arrows(source: str, path: Path) -> list[str]:
    """Imports of the file (its path below the package) that its room may not make."""
    parts = path.with_suffix("").parts
    package = parts[:-1]
    room = room_of(() if parts == ("__init__",) else parts)
    rooms, outside = ROOMS[room]
    wrong = []
    for line, ours, target in imported(source, package):
        name = ".".join(target)
        if ours and target[0] not in rooms | {room}:
            wrong.append(f"{path}:{line}: {room} may not import {name}")
        elif not ours and target[0] not in outside and target[0] not in sys.stdlib_module_names:
            wrong.append(f"{path}:{line}: {room} may not import {name} from outside")
    return wrong


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_import_goes_against_the_rooms(file: Path) -> None:
    assert wrong_arrows(file.read_text(encoding="utf-8"), file.relative_to(ROOT)) == []


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("import bpy", "solver/chain.py"),
        ("def f():\n    from mathutils import Vector", "urdf/model.py"),
        ("from ..urdf import load", "solver/chain.py"),
        ("from .. import urdf", "solver/chain.py"),
        ("from ..rig import reading", "urdf/model.py"),
        ("from ..operators import drag", "rig/keys.py"),
        ("from ..api import solve", "rig/keys.py"),
        ("from ...rig import reading", "urdf/formats/collada.py"),
        ("from .operators import drag", "api.py"),
        ("from ..operators import drag", "ui/menus.py"),
        ("from tests import support", "rig/keys.py"),
        ("from ..tests import support", "rig/keys.py"),
        ("import linkpose.solver", "rig/keys.py"),
        ("from ... import solver", "rig/keys.py"),
        ("import bpy", "__init__.py"),
        ("import scipy", "solver/chain.py"),
    ],
)
def test_an_arrow_the_other_way_is_found(source: str, path: str) -> None:
    assert len(wrong_arrows(source, Path(path))) == 1


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("from ..errors import SkeletonError", "solver/chain.py"),
        ("from ..solver import Skeleton", "urdf/kinematics.py"),
        ("from .. import solver, urdf", "rig/reading.py"),
        ("from . import operators, ui", "__init__.py"),
        ("import os.path\nimport numpy as np", "solver/chain.py"),
        ("from ...errors import UrdfError", "urdf/formats/collada.py"),
    ],
)
def test_the_right_arrows_pass(source: str, path: str) -> None:
    assert wrong_arrows(source, Path(path)) == []


def test_every_folder_with_code_is_a_room_and_is_packaged() -> None:
    folders = {file.parent.name for file in ROOT.glob("*/__init__.py")}
    modules = {file.stem for file in ROOT.glob("*.py")} - {"__init__"}
    assert folders | modules <= set(ROOMS)
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    packages = {
        ".".join(("linkpose", *file.parent.relative_to(ROOT).parts)) for file in FILES if file.stem == "__init__"
    }
    assert set(listed) == packages


def test_solver_and_urdf_import_where_there_is_no_blender() -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['bpy', 'mathutils', 'bpy_extras', 'gpu', 'blf']))\n"
        "from support import load_package; load_package()\n"
        "import linkpose.solver, linkpose.urdf"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "tests", capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
