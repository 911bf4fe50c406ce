"""The package as Blender knows it. Tests write ``from blender.support import api, module``.

``api``, ``rig``, ``solver``, ``urdf``, ``operators``, ``ui`` and ``errors`` are the rooms of the enabled extension,
imported when first asked for; ``module("rig.keys")`` is any module of it. Inside a test never ``import linkpose``: a
process holds the package under one name, here ``bl_ext.user_default.linkpose``.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from support import EXTENSION

ROOMS = ("api", "errors", "operators", "rig", "solver", "ui", "urdf")


def module(name: str = "") -> ModuleType:
    """The extension's module of that dotted name, its root for ""."""
    return importlib.import_module(f"{EXTENSION}.{name}" if name else EXTENSION)


def __getattr__(name: str) -> ModuleType:
    if name not in ROOMS:
        raise AttributeError(f"no room {name!r}; the rooms are {', '.join(ROOMS)}; other modules by module('rig.keys')")
    return module(name)
