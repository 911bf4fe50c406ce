"""One drag from the grip to its end: target, solver, pose written, everything put back or keyed.

A session keeps plain numbers and names only. Whatever it needs of Blender it looks up anew each time, because an undo,
a file load or a script may have replaced it since the last event.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ..errors import RigError
from ..solver import Goal, Solution
from . import grip as grips
from . import keying, mirroring, reading, snapshot
from . import pins as pinned
from .aiming import Aiming
from .drag_controls import Controls
from .grip import Grip, find
from .keying import Keying
from .posing import LAST_SLICE, Posing
from .taken import Asked
from .turning import Turning
from .view import Vector
from .world import World

_current: DragSession | None = None
_last: DragSession | None = None


def current() -> DragSession | None:
    """The drag that is running, None when there is none."""
    return _current


def last() -> DragSession | None:
    """The drag that was confirmed last, None when there was none in this file."""
    return _last


def forget() -> None:
    """Drop the last drag, as when another file is loaded."""
    global _last
    _last = None


class State(enum.Enum):
    """What became of a drag."""

    RUNNING = "running"
    CONFIRMED = "confirmed"
    CANCELLED = "cancelled"


class DragSession(Controls):
    """A running drag. World space throughout, except where a name says otherwise.

    Attributes:
        state: running, confirmed or cancelled.
        refused_key: why a confirmed pose could not be keyed, "" when nothing was refused.
    """

    def __init__(
        self,
        context: bpy.types.Context,
        grip: Grip,
        click: Vector,
        *,
        pixel: tuple[float, float] | None = None,
        method: str = "AUTO",
        keying: Keying | None = None,
        pins: Sequence[str | Goal] = (),
        released: Sequence[str] = (),
        root_motion: bool = False,
        length: int | None = None,
        mirror: bool | None = None,
    ) -> None:
        """Read the rig and take the grip; nothing is moved yet.

        Args:
            context: for the scene and its view layer.
            grip: what to drag.
            click: (3,) the point that was clicked; it stays at this offset from the handle.
            pixel: where the pointer was then; None = at the first one that the drag is told of.
            method: "AUTO", or another one of the solver's.
            keying: what to key on confirm; None = the default.
            pins: bodies that stay: names, or goals in world space.
            released: bodies whose joints are in the chain as if they were pinned.
            root_motion: also move what carries everything, as for :func:`.chains.take`.
            length: how many bodies from the dragged one up may move; None = by the rule.
            mirror: whether the other side follows; None = as the armature's X-Axis Mirror says.

        Raises:
            LinkposeError: the rig cannot be posed, or nothing above the body can move; with the reason.
        """
        global _current
        if _current is not None and _current.state is State.RUNNING:
            raise RigError("another drag is still running: confirm or cancel it first")
        armature = find(grip)
        if armature is None:
            raise RigError(f"the armature {grip.armature!r} is gone")
        reading.check_posable(armature)
        on, relative = mirroring.asked(armature)
        asked = Asked(
            grip,
            pinned.inside(World(armature), pins),
            tuple(released),
            root_motion,
            length,
            mirror=mirroring.Wish(on if mirror is None else mirror, relative),
        )
        self.start = snapshot.frames(armature)
        self._keying = keying or Keying()
        self.refused_key = ""
        self.collisions = ()
        self.unwatched = ""
        self._moved = False
        # The target for which nothing was found elsewhere, to which there is no use in looking again.
        self._in_vain = None
        self._posing = Posing(armature, asked, method=method)
        self.target = self.handle.copy()
        self._orientation = None
        self.aiming = Aiming(self.target, np.array(click, dtype=np.float64), pixel)
        self.turn = Turning(grips.rotation_at(armature, grip, self.start))
        self._click = self.aiming.place
        self._handles = None
        self._turns_along = False
        self.state: State = State.RUNNING
        self._data = armature.data.session_uid
        self._frame = context.scene.frame_current_final
        _current = self

    def confirm(self, context: bpy.types.Context) -> Solution | None:
        """End the drag with the best pose written and, if asked, keyed at the current frame.

        A pose that cannot be keyed is kept all the same; :attr:`refused_key` says why.

        Returns:
            The solution that was written; None when the drag never moved, and then everything is put back.

        Raises:
            RigError: the armature is gone; the session is over all the same.
        """
        global _last
        if self.state is not State.RUNNING:
            return self.solution
        if not self._moved:
            self.cancel(context)
            return None
        try:
            self.advance(context, LAST_SLICE)
            armature = self.check(context)
        except BaseException:
            self.cancel(context)
            raise
        self._end(State.CONFIRMED)
        before = self._posing.snapshot
        try:
            keying.key(context, armature, self.taken.rig, self.chain, before, self._keying)
            if self.taken.mirror is not None:
                other_side, names = self.taken.mirror.rig, self.taken.mirror.unknowns
                keying.key_also(context, armature, other_side, names, before, self._keying)
        except RigError as error:
            self.refused_key = str(error)
        _last = self
        return self.solution

    def cancel(self, context: bpy.types.Context | None = None) -> None:
        """End the drag and put every channel back, bit for bit. Safe to call twice, and when the armature is gone."""
        if self.state is not State.RUNNING:
            return
        self._end(State.CANCELLED)
        armature = find(self.grip)
        if armature is not None and self._moved:
            snapshot.restore(armature, self._posing.snapshot)
            if context is None or context.view_layer is None:
                return
            if armature.animation_data is not None and context.scene.frame_current_final != self._frame:
                # The pose belongs to the frame that the drag began at; here Blender's animation says what is right.
                context.scene.frame_set(context.scene.frame_current, subframe=context.scene.frame_subframe)
            context.view_layer.update()

    def channels(self) -> dict[str, dict[str, list[float]]]:
        """What the channels of the chain and of its other side hold now, by bone and data path, for :func:`replay`."""
        armature = find(self.grip)
        return {} if armature is None else self.taken.held(armature)

    def recipe(self) -> dict[str, Any]:
        """How the chain was taken and what beside the target was asked, as plain values in world space."""
        pins: list[list[Any]] = []
        for goal in self.taken.pins:
            try:
                shown = pinned.outside(self._posing.world, goal)
            except RigError:
                # Scaled unevenly: held again where it stands.
                pins.append([goal.body, None, None, None])
                continue
            pins.append([goal.body, shown.position, shown.orientation, shown.point])
        turned = self.turn.orientation
        return {
            "pins": pins,
            "released": list(self._posing.asked.released),
            "oriented": self._posing.asked.oriented,
            "orientation": None if turned is None else turned.tolist(),
        }

    def _end(self, state: State) -> None:
        global _current
        self.state = state
        if _current is self:
            _current = None
