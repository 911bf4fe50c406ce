"""URDF or xacro text to a robot description, with its files found. Needs no Blender.

``load(path)`` gives a :class:`Robot`; ``Robot.skeleton()`` gives what the solver works on. Mesh files are found here
and, where they are COLLADA, read by :mod:`.collada`.
"""

from __future__ import annotations

from .arguments import xacro_arguments
from .errors import MeshError, UrdfError, XacroNotAllowed
from .model import Box, Capsule, Cylinder, Joint, Link, Material, MeshFile, Robot, Sphere, Visual
from .parse import load

__all__ = [
    "Box",
    "Capsule",
    "Cylinder",
    "Joint",
    "Link",
    "Material",
    "MeshError",
    "MeshFile",
    "Robot",
    "Sphere",
    "UrdfError",
    "Visual",
    "XacroNotAllowed",
    "load",
    "xacro_arguments",
]
