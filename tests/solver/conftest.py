"""This level needs no Blender: the package is imported as ``linkpose``."""

from __future__ import annotations

from support import load_package

load_package()
