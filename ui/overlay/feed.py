"""From a running drag to what its overlay shows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...rig import grip, snapshot
from ...rig.ranges import ChainRanges, Ranges
from .. import status
from .state import OverlayState, Parts, Shell

if TYPE_CHECKING:
    from ...rig.drag import DragSession
    from ...rig.taken import Taken


class Feed:
    """Keeps one overlay up to date with one drag. Holds plain data only.

    Attributes:
        state: what is drawn.
    """

    def __init__(self, scene: bpy.types.Scene, parts: Parts, session: DragSession) -> None:
        """Begin before anything has moved.

        Args:
            scene: that the drag is in.
            parts: what the user wants to see.
            session: the drag.
        """
        self.state = OverlayState(scene.name, parts)
        self._first_handle = session.handle
        self._taken: Taken | None = None

    def update(self, scene: bpy.types.Scene, session: DragSession) -> None:
        """Take over how the drag stands."""
        state, taken = self.state, session.taken
        if taken is not self._taken:
            self._taken = taken
            self._ranges = ChainRanges(taken.rig, taken.chain, session.grip.point)
            heads = [session.start[bone][:3, 3] for bone in taken.path if bone in session.start]
            state.start = [*heads, self._first_handle]
        state.target, state.handle, state.joints = session.target, session.handle, session.joints
        state.reached = session.status in {"", "REACHED"}
        state.text = status.why(scene, session)
        state.named = frozenset(session.solution.limited if session.solution is not None else ())
        if state.parts.ranges:
            state.ranges = self._ranges.at(session.values, session.world.matrix)
            state.values = values(scene, state.ranges)
        state.shell = shell(session) if session.status == "OUT_OF_REACH" else None
        state.pins = pins(session, taken)
        state.locks, state.locked_at = (), session.target
        if session.locked is not None:
            directions, state.locked_at = session.locked
            state.locks = [(int(np.argmax(np.abs(way))), way) for way in directions]


def values(scene: bpy.types.Scene, ranges: Ranges) -> list[str]:
    """The joints' values as text, in degrees or in the scene's units."""
    return [
        status.length(scene, value * float(np.linalg.norm(axis)))
        if slides
        else f"{math.degrees(value):+.1f}\N{DEGREE SIGN}"
        for slides, value, axis in zip(ranges.slides.tolist(), ranges.value.tolist(), ranges.axis, strict=True)
    ]


def shell(session: DragSession) -> Shell:
    """How far the chain of a drag reaches from its first joint, by the lengths that the solver goes by."""
    x, y, z = session.grip.point.tolist()
    tip = session.taken.chain.compiled(((session.grip.body, (x, y, z), False),)).tips[0]
    stretch = session.world.stretch
    return Shell(session.world.point_outside(tip.base), tip.reach * stretch, tip.fold * stretch)


def pins(session: DragSession, taken: Taken) -> list[tuple[float, ...]]:
    """World points of the pinned bodies as Blender shows them."""
    armature = grip.find(session.grip)
    if armature is None or not session.pinned:
        return []
    posed = [armature.pose.bones.get(taken.rig.bone_of(body)) for body in session.pinned]
    world = np.array(armature.matrix_world, dtype=np.float64)
    return [tuple((world @ (*snapshot.numbers(bone, "head"), 1.0))[:3].tolist()) for bone in posed if bone is not None]
