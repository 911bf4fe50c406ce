"""Working at another frame than the current one, and coming back to it as it was."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from ..errors import RigError
from . import animated, snapshot

# Blender's own range (MAXFRAME), beyond which it does not go.
LAST_FRAME = 1_048_574


def check_frame(frame: object) -> float:
    """The frame as a number.

    Raises:
        RigError: it is no finite number that Blender can go to.
    """
    if not isinstance(frame, int | float) or not math.isfinite(frame) or abs(frame) > LAST_FRAME:
        raise RigError(f"frame {frame!r} is no frame: give a number from {-LAST_FRAME} to {LAST_FRAME}")
    return float(frame)


def go_to(frame: float) -> None:
    """Evaluate a frame of the scene, which may lie between two whole ones."""
    whole = math.floor(frame)
    bpy.context.scene.frame_set(whole, subframe=frame - whole)


@contextmanager
def at_frame(armature: bpy.types.Object, frame: float | None) -> Iterator[None]:
    """Evaluate a frame, and afterwards restore the current one with the armature's pose as it was shown there.

    Args:
        armature: whose pose to keep.
        frame: where to work; None or the current frame = as it is shown now, nothing is evaluated anew.

    Raises:
        RigError: the frame is no finite number.
    """
    if frame is None or abs(check_frame(frame) - bpy.context.scene.frame_current_final) < 1e-6:
        yield
        return
    with kept(armature):
        go_to(frame)
        yield


@contextmanager
def kept(armature: bpy.types.Object) -> Iterator[None]:
    """Afterwards restore the current frame with the armature's pose as it is shown now.

    A frame change makes Blender forget every change of animated channels that was not keyed, so the armature's pose is
    put back from a copy, bit for bit. Other objects' unkeyed changes are Blender's to forget.

    Args:
        armature: whose pose to keep.
    """
    scene = bpy.context.scene
    now, part = scene.frame_current, scene.frame_subframe
    held = snapshot.take(armature, [snapshot.OBJECT, *(bone.name for bone in armature.pose.bones)])
    others = animated.take(armature)
    try:
        yield
    finally:
        scene.frame_set(now, subframe=part)
        animated.restore(armature, others)
        snapshot.restore(armature, held)
        bpy.context.view_layer.update()
