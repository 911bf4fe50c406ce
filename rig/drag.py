"""One drag from the grip to its end: target, solver, pose written, everything put back or keyed.

A session keeps plain numbers and names only. Whatever it needs of Blender it looks up anew each time, because an undo,
a file load or a script may have replaced it since the last event.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np

from ..errors import LinkposeError, RigError
from ..solver import AxisKind, Goal, Search, Solution
from . import handles, keying, mirroring, reading, snapshot
from . import pins as pinned
from .following import TRIES, follow
from .grip import Grip, find
from .keying import Keying
from .results import not_as_solved
from .taken import Taken
from .view import Vector, View
from .world import World

# One slice of the search between two events [s], and what it may still take on confirm.
SLICE = 0.004
LAST_SLICE = 0.050
# Poses that are tried between two events for a picked bone that follows the dragged one.
AT_ONCE = 2
# A notch of the wheel moves the target by this share of its distance from the viewer.
NOTCH = 0.05

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


class DragSession:
    """A running drag. World space throughout, except where a name says otherwise.

    Attributes:
        grip: what is dragged.
        target: (3,) where the handle is to go.
        handle: (3,) where the handle is; of the picked bone also where its control is dragged.
        chain: names of the unknowns that may move, anchor first.
        joints: (n, 3) where the bodies of the chain are, anchor first, for drawing.
        limited: (m, 3) where the joints are that hold at a limit.
        solution: the latest; None before the first solve.
        start: where each bone was when the drag began, as (4, 4) world matrices by name, for drawing a ghost.
        state: running, confirmed or cancelled.
        method: of the solver.
        collisions: (name, name) of links and obstacles that touch now and did not when the drag began.
        unwatched: why no collisions are looked for, "" where they are.
        refused_key: why a confirmed pose could not be keyed, "" when nothing was refused.
    """

    def __init__(
        self,
        context: bpy.types.Context,
        grip: Grip,
        click: Vector,
        *,
        method: str = "AUTO",
        keying: Keying | None = None,
        pins: Sequence[str | Goal] = (),
        root_motion: bool = False,
        length: int | None = None,
        mirror: bool | None = None,
    ) -> None:
        """Read the rig and take the grip; nothing is moved yet.

        Args:
            context: for the scene and its view layer.
            grip: what to drag.
            click: (3,) the point that was clicked; it stays at this offset from the handle.
            method: "AUTO", or another one of the solver's.
            keying: what to key on confirm; None = the default.
            pins: bodies that stay: names, or goals in world space.
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
        self.grip = grip
        self._world = World(armature)
        self._pins = pinned.inside(self._world, pins)
        self._root_motion = root_motion
        on, relative = mirroring.asked(armature)
        self._mirror = mirroring.Wish(on if mirror is None else mirror, relative)
        self.size = handles.size(armature)
        self.start = snapshot.frames(armature)
        self.method = method
        self._keying = keying or Keying()
        self.refused_key = ""
        self.collisions: tuple[tuple[str, str], ...] = ()
        self.unwatched = ""
        self.solution: Solution | None = None
        self._moved = False
        self._snapshot = snapshot.take(armature, ())
        self._take(armature, length)
        self.handle = self._held_at(armature)
        self.target = self.handle.copy()
        self._aim()
        self._anchor_point = np.array(click, dtype=np.float64)
        self._offset = self.handle - self._anchor_point
        self._search = self._searching()
        self.state: State = State.RUNNING
        self._data = armature.data.session_uid
        self._frame = context.scene.frame_current_final
        self._refresh_points(armature)
        _current = self

    @property
    def status(self) -> str:
        """The latest solution's status, "" before the first."""
        return "" if self.solution is None else str(self.solution.status.value)

    @property
    def has_moved(self) -> bool:
        """Whether the target ever left the handle's first place."""
        return self._moved

    @property
    def length(self) -> int:
        """How many bodies from the dragged one up the drag moves; 0 where that is not for choice."""
        return self._taken.length

    @property
    def longest(self) -> int:
        """The most that :attr:`length` may be made."""
        return self._taken.longest

    @property
    def mirrored(self) -> tuple[str, ...]:
        """Names of the bones of the other side that follow."""
        return self._taken.mirrored

    @property
    def pinned(self) -> tuple[str, ...]:
        """Names of the bodies that are to stay."""
        return tuple(pin if isinstance(pin, str) else pin.body for pin in self._pins)

    @property
    def locked(self) -> tuple[Vector, Vector] | None:
        """((k, 3) world directions in which alone the target moves, (3,) where it began); None when it moves freely."""
        return None

    @property
    def taken(self) -> Taken:
        """The chain that is dragged; another one after its length has changed."""
        return self._taken

    @property
    def values(self) -> Vector:
        """(dof,) the chain's values as they are shown [rad] or [m]."""
        return self._written

    @property
    def world(self) -> World:
        """Where the armature stood when the drag began: the space of :attr:`taken`."""
        return self._world

    @property
    def turning(self) -> bool:
        """Whether the pointer turns the dragged body, and does not move the target."""
        return False

    @property
    def is_done(self) -> bool:
        """Whether the search has nothing left to improve for the present target."""
        following = self._following is not None and not self._following.done
        return not self._moved or (self._search.done and not following)

    def point_at(self, view: View, pixel: tuple[float, float]) -> bool:
        """Move the target in the plane that faces the viewer; True when it moved."""
        place = view.on_plane(pixel, self._anchor_point)
        return place is not None and self._set_anchor_point(place)

    def push(self, view: View, pixel: tuple[float, float], notches: float) -> bool:
        """Move the plane away from the viewer, a notch by 5 % of its distance; True when the target moved."""
        step = notches * NOTCH * view.depth(self._anchor_point)
        place = view.on_plane(pixel, self._anchor_point + view.forward * step)
        return place is not None and self._set_anchor_point(place)

    def aim(self, target: Vector) -> bool:
        """Put the target at a world point (3,), as a script does; True when it moved.

        Raises:
            RigError: the point is not finite.
        """
        if not np.isfinite(target).all():
            raise RigError(f"the target {np.asarray(target).tolist()} is no point: give three finite numbers")
        moved = self._set_anchor_point(np.asarray(target, dtype=np.float64) - self._offset)
        # Asked for by name, a target is a wish also where the handle is already.
        self._moved = True
        return moved

    def rebase(self, view: View, pixel: tuple[float, float]) -> None:
        """Take the grip anew after the view has changed, so that nothing moves until the pointer does."""
        place = view.on_plane(pixel, self._anchor_point)
        if place is not None:
            self._offset += self._anchor_point - place
            self._anchor_point = place

    def advance(self, context: bpy.types.Context, seconds: float = SLICE) -> bool:
        """Search on for the present target and write the best pose; True when something changed on screen.

        Raises:
            RigError: the armature is gone or no longer what it was.
        """
        if not self._moved:
            return False
        armature = self.check(context)
        untried = self._following is not None and self._following.untried
        changed = not untried and self._present(context, armature, self._search.advance(seconds))
        return self._correct(context, armature, seconds) or changed

    def change_length(self, context: bpy.types.Context, step: int) -> bool:
        """Lengthen the chain upwards by so many bodies, or shorten it; True when its length changed.

        Joints that leave the chain go back to where the drag began, bit for bit; the others, and the target, stay.

        Raises:
            RigError: the armature is gone or no longer what it was.
        """
        armature, before = self.check(context), self._taken
        wanted = min(max(before.length + step, 1), before.longest)
        if wanted == before.length or before.length == 0:
            return False
        held = dict(zip(before.unknowns, self._written.tolist(), strict=True))
        snapshot.restore(armature, self._snapshot)
        armature.update_tag()
        context.view_layer.update()
        try:
            self._take(armature, wanted)
        except LinkposeError:
            # No such chain: what is above turned out to be placed from elsewhere.
            q, values = before.as_shown(before.values_of(held))
            self._show(context, armature, q, values)
            return False
        q, values = self._taken.as_shown(self._taken.values_of(held))
        self._aim()
        self._search = self._searching(values)
        self.solution = self._search.solution if self._moved else None
        self._show(context, armature, q, values)
        self.advance(context)
        return self._taken.length != before.length

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
        try:
            keying.key(context, armature, self._taken.rig, self.chain, self._snapshot, self._keying)
            if self._taken.mirror is not None:
                other_side, names = self._taken.mirror.rig, self._taken.mirror.unknowns
                keying.key_also(context, armature, other_side, names, self._snapshot, self._keying)
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
            snapshot.restore(armature, self._snapshot)
            if context is None or context.view_layer is None:
                return
            if armature.animation_data is not None and context.scene.frame_current_final != self._frame:
                # The pose belongs to the frame that the drag began at; here Blender's animation says what is right.
                context.scene.frame_set(context.scene.frame_current, subframe=context.scene.frame_subframe)
            context.view_layer.update()

    def joint(self, unknown: str) -> tuple[float, float, float, bool]:
        """Value, lower and upper limit of an unknown of the chain [rad] or [m], and whether it slides."""
        axis = next(axis for axis in self._taken.rig.skeleton.axes if axis.name == unknown)
        return float(self._written[self.chain.index(unknown)]), axis.lower, axis.upper, axis.kind == AxisKind.SLIDE

    @property
    def residual(self) -> float:
        """How far the handle is from the target [m]."""
        return float(np.linalg.norm(self.target - self.handle))

    def channels(self) -> dict[str, dict[str, list[float]]]:
        """What the channels of the chain and of its other side hold now, by bone and data path, for :func:`replay`."""
        armature = find(self.grip)
        return {} if armature is None else self._taken.held(armature)

    def _end(self, state: State) -> None:
        global _current
        self.state = state
        if _current is self:
            _current = None

    def check(self, context: bpy.types.Context) -> bpy.types.Object:
        """The armature, found anew and still what it was when the drag began.

        Raises:
            RigError: it is gone, has other data, or stands at another frame; the drag cannot go on.
        """
        armature = find(self.grip)
        if armature is None:
            raise RigError(f"the armature {self.grip.armature!r} is gone")
        if armature.data.session_uid != self._data:
            raise RigError(f"the armature {self.grip.armature!r} was given other data")
        if context.scene.frame_current_final != self._frame:
            raise RigError("the current frame has changed")
        bones = (*self._snapshot.bones, self.grip.picked)
        missing = [bone for bone in bones if snapshot.holder(armature, bone) is None]
        if missing:
            raise RigError(f"the armature {self.grip.armature!r} no longer has the bone {missing[0]!r}")
        return armature

    def _set_anchor_point(self, place: Vector) -> bool:
        if not np.isfinite(place).all():
            return False
        target = place + self._offset
        self._anchor_point = place
        if np.array_equal(target, self.target):
            return False
        # A press without motion still sends moves that differ by rounding only.
        if not self._moved and float(np.linalg.norm(target - self.target)) <= 1e-6 * self.size:
            return False
        self.target = target
        self._moved = True
        self._aim()
        self._search.retarget(self._goals())
        return True

    def _take(self, armature: bpy.types.Object, length: int | None) -> None:
        """Take the chain of this length, from the pose that the drag began with."""
        self._taken = Taken(
            armature, self.grip, pins=self._pins, root_motion=self._root_motion, length=length, mirror=self._mirror
        )
        self._following = follow(self.grip, self.size)
        self.chain: tuple[str, ...] = self._taken.unknowns
        self._written = self._taken.start
        taken = snapshot.take(armature, self._taken.bones)
        self._snapshot = replace(taken, states={**taken.states, **self._snapshot.states})

    def _searching(self, start: Vector | None = None) -> Search:
        tolerance = max(1e-3 * self.size, 1e-6) / self._world.stretch
        return Search(self._taken.chain, self._goals(), start, method=self.method, tolerance=tolerance)

    def _goals(self) -> list[Goal]:
        aim = self.target if self._following is None else self._following.aim
        return self._taken.goals(self._world.point_inside(aim))

    def _aim(self) -> None:
        if self._following is not None:
            self._following.retarget(self.target)

    def _dragged_at(self) -> Vector:
        """(3,) where the handle of the dragged body is."""
        return self._world.point_outside(self._taken.handle(self._written))

    def _held_at(self, armature: bpy.types.Object) -> Vector:
        if self._following is None:
            return self._dragged_at()
        place = self._following.place(armature)
        self._following.seen(self._dragged_at(), place)
        return place

    def _present(self, context: bpy.types.Context, armature: bpy.types.Object, solution: Solution) -> bool:
        """Write a solution's pose; True when that changed something."""
        q, values = self._taken.as_shown(solution.values)
        self.solution = solution if np.array_equal(values, solution.values) else not_as_solved(solution)
        if np.array_equal(values, self._written):
            return False
        self._show(context, armature, q, values)
        return True

    def _correct(self, context: bpy.types.Context, armature: bpy.types.Object, seconds: float) -> bool:
        """Send the dragged control where the picked bone comes nearer to the target; True when something changed."""
        following, changed, last = self._following, False, seconds >= LAST_SLICE
        if following is None:
            return False
        for _ in range(TRIES if last else AT_ONCE):
            if following.untried:
                following.untried = False
                self._search.retarget(self._goals())
                changed |= self._present(context, armature, self._search.advance(seconds))
            if following.done or not self._search.done:
                break
            following.tried(self._dragged_at(), self.handle, self._search.solution)
        # What is tried between two events is not to be seen.
        nearest = following.nearer(self.handle)
        if nearest is not None:
            changed |= self._present(context, armature, nearest)
        if self.solution is not None:
            self.solution = following.told(self.solution, self.residual)
        return changed

    def _show(self, context: bpy.types.Context, armature: bpy.types.Object, q: Vector, values: Vector) -> None:
        self._taken.write(armature, q)
        self._written = values
        context.view_layer.update()
        self.handle = self._held_at(armature)
        self._refresh_points(armature)

    def _refresh_points(self, armature: bpy.types.Object) -> None:
        self.joints = self._taken.joints(armature)
        self.limited = self._taken.holding(armature, self.solution.limited if self.solution is not None else ())
