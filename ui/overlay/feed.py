"""From a running drag to what its overlay shows."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import bpy
import numpy as np
from numpy.typing import NDArray

from ...rig import grip, link_shapes, snapshot
from ...rig.collisions import Watch
from ...rig.ranges import ChainRanges, Ranges
from .. import status
from .state import Mesh, OverlayState, Parts, Shell

if TYPE_CHECKING:
    from ...rig.drag import DragSession
    from ...rig.taken import Taken


_log = logging.getLogger(__name__)

# Time that is spent on collisions at a tick of the timer, when no event waits [s].
LOOK = 0.003


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
        self._watch: Watch | None = None
        self._watched: Taken | None = None
        self._failed = False

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
            state.locks = list(zip(_axes(session, directions), directions, strict=True))

    def look(self, context: bpy.types.Context, session: DragSession) -> bool:
        """Look for collisions, and read the shapes of links, for a little while; whether there is more to be seen.

        It is advice only: what goes wrong with it ends the looking, and not the drag.
        """
        if self._failed:
            return False
        try:
            return self._look(context, session)
        except Exception as error:
            _log.exception("collisions are looked for no longer")
            self._failed = True
            self.state.colliding, self.state.ghosts = {}, {}
            session.collisions, session.unwatched = (), f"the look for collisions failed: {error}"
            return True

    def _look(self, context: bpy.types.Context, session: DragSession) -> bool:
        state = self.state
        armature = grip.find(session.grip)
        if armature is None or not session.has_moved or not (state.parts.collisions or state.parts.ghost):
            return False
        taken = session.taken
        if self._watch is None:
            self._watch = Watch(context, armature, taken.rig, taken.chain, session.start)
            self._watched = taken
            session.unwatched = self._watch.reason
            return False  # that is enough for one tick
        if taken is not self._watched:
            self._watch.take(taken.chain)
        self._watched = taken
        watch, frames = self._watch, snapshot.frames(armature)
        changed = state.parts.collisions and watch.advance(context, frames, LOOK)
        session.collisions = watch.touching
        read = not changed and self._read_shape(context, watch)
        names = {name for pair in watch.touching for name in pair}
        moved = watch.moved if state.parts.ghost else set()
        near = 1e-4 * session.size
        state.colliding, state.ghosts = {}, {}
        for thing in watch.things:
            if thing.name in names:
                state.colliding[thing.name] = frames.get(thing.bone, thing.start)
            if thing.name in moved and np.abs(frames[thing.bone] - thing.start).max() > near:
                state.ghosts[thing.name] = thing.start
        return changed or read

    def _read_shape(self, context: bpy.types.Context, watch: Watch) -> bool:
        """Read one shape that is to be drawn; False when all are known."""
        names = {name for pair in watch.touching for name in pair}
        wanted = names | (watch.moved if self.state.parts.ghost else set())
        for thing in sorted(watch.things, key=lambda thing: thing.name not in names):
            if thing.name in wanted and thing.name not in self.state.shapes:
                found = watch.shape_of(context, thing)
                self.state.shapes[thing.name] = Mesh(found.points, link_shapes.outline(found), found.triangles)
                return True
        return False


def _axes(session: DragSession, directions: NDArray[np.float64]) -> list[int]:
    """0, 1 or 2 for each direction of a lock: which axis' colour it has."""
    lock = session.aiming.lock
    if session.turning or lock is None:
        return [int(np.argmax(np.abs(direction))) for direction in directions]
    return [axis for axis in range(3) if (axis != lock.axis) == lock.plane]


def values(scene: bpy.types.Scene, ranges: Ranges) -> list[str]:
    """The joints' values as text, in degrees or in the scene's units."""
    return [
        status.length(scene, value * float(np.linalg.norm(axis))) if slides else status.angle(value, sign=True)
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
