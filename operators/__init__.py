"""One file an operator, thin: context in, api call, report out."""

from __future__ import annotations

import bpy

from . import choose_body, drag, drag_running, key_joints, poses, running, solve_target
from .copy_report import LINKPOSE_OT_copy_report
from .import_urdf import LINKPOSE_OT_import_urdf
from .obstacles import LINKPOSE_OT_mark_obstacles
from .package_folders import LINKPOSE_OT_add_package_folder, LINKPOSE_OT_remove_package_folder
from .reload_urdf import LINKPOSE_OT_reload_urdf
from .watch_pointer import LINKPOSE_OT_watch_pointer

CLASSES = (
    LINKPOSE_OT_import_urdf,
    LINKPOSE_OT_reload_urdf,
    LINKPOSE_OT_copy_report,
    LINKPOSE_OT_mark_obstacles,
    LINKPOSE_OT_add_package_folder,
    LINKPOSE_OT_remove_package_folder,
    LINKPOSE_OT_watch_pointer,
    *poses.CLASSES,
    *key_joints.CLASSES,
    *solve_target.CLASSES,
    *choose_body.CLASSES,
    drag.LINKPOSE_OT_drag,
)


def register() -> None:
    """Register every operator."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """End a running drag or import, which Blender would leave half-way, and unregister every operator, in reverse."""
    drag_running.end(bpy.context)
    running.end(bpy.context)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
