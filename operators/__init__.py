"""One file an operator, thin: context in, api call, report out."""

from __future__ import annotations

import bpy

from . import drag
from .import_urdf import LINKPOSE_OT_import_urdf

CLASSES = (LINKPOSE_OT_import_urdf, drag.LINKPOSE_OT_drag)


def register() -> None:
    """Register every operator."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """End a running drag, which Blender would leave half-way, and unregister every operator, in reverse."""
    drag.end(bpy.context)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
