"""The public Python API in Blender; every operator goes through it. World space throughout."""

from __future__ import annotations

from pathlib import Path

from .rig.importing import ImportReport, import_file
from .urdf.files import Packages

__all__ = ["ImportReport", "import_urdf"]


def import_urdf(path: str | Path, *, packages: Packages | None = None, collision: bool = False) -> ImportReport:
    """Import a robot from a URDF file as one armature with its visuals, into the current scene.

    Args:
        path: the file.
        packages: where ``package://name/…`` leads, as in :func:`urdf.load`.
        collision: also make the collision shapes, hidden.

    Returns:
        The armature object, and warnings about what was left out or put right.

    Raises:
        UrdfError: the file is no usable robot description; nothing is left in the scene.
    """
    return import_file(path, packages=packages, collision=collision)
