"""One file an operator, thin: context in, api call, report out."""

from __future__ import annotations

import bpy

from .import_urdf import LINKPOSE_OT_import_urdf

CLASSES = (LINKPOSE_OT_import_urdf,)


def register() -> None:
    """Register every operator."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Unregister every operator, in reverse."""
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
