"""What can be asked of a running drag, by the pointer, by keys, and by scripts."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np

from ..errors import LinkposeError, RigError
from . import grip as grips
from . import pins as pinned
from .aiming import PLAIN, Manner
from .drag_shown import Shown
from .locks import next_lock
from .matrices import Matrix
from .taken import Asked
from .turning import Turn
from .view import Vector, View

METHODS = ("AUTO", "CCD", "FABRIK")
# One slice of the search between two events [s].
SLICE = 0.004
# A notch of the wheel moves the target by this share of its distance from the viewer.
NOTCH = 0.05


class NotNowError(RigError):
    """Something that a drag was asked for does not apply; nothing has changed, and the drag goes on."""


class Controls(Shown):
    """A drag that is told what to do. World space throughout."""

    _orientation: Matrix | None
    _turns_along: bool

    def point_at(self, view: View, pixel: tuple[float, float], manner: Manner = PLAIN) -> bool:
        """Take a motion of the pointer; True when it asks for something else now."""
        before = self.aiming.last
        self.aiming.follow(pixel, manner)
        if self.turning and before is not None:
            self.turn.sweep(view, self.handle, before, pixel, manner.share)
        return self.refresh(view)

    def refresh(self, view: View) -> bool:
        """Ask for what pointer, locks and numbers say now; True when that is something else than before."""
        manner = self.aiming.manner
        self.turn.snap(steps=manner.steps, fine=manner.precise)
        target = None if self.turning else self.aiming.target(view)
        return self._ask(self.target if target is None else target, self.turn.orientation)

    def push(self, view: View, notches: float, manner: Manner = PLAIN) -> bool:
        """Move the plane away from the viewer, a notch by 5 % of its distance; True when the target moved.

        Raises:
            NotNowError: something else says where the target is.
        """
        if self.aiming.lock is not None or self.turning or self.typing:
            raise NotNowError("Depth: only while the target moves freely")
        share = NOTCH * (0.1 if manner.precise else 1.0)
        self.aiming.push(view, notches * share * view.depth(self.aiming.plane))
        return self.refresh(view)

    def aim(self, target: Vector) -> bool:
        """Put the target at a world point (3,), as a script does; True when it moved.

        Raises:
            RigError: the point is not finite.
        """
        if not np.isfinite(target).all():
            raise RigError(f"the target {np.asarray(target).tolist()} is no point: give three finite numbers")
        place = np.array(target, dtype=np.float64)
        self.aiming.jump(place)
        moved = self._ask(place, self.turn.orientation)
        # Asked for by name, a target is a wish also where the handle is already.
        self._moved = True
        return moved

    def rebase(self, view: View, pixel: tuple[float, float]) -> None:
        """Take the grip anew after the view has changed, so that nothing moves until the pointer does."""
        self.aiming.rebase(view, pixel)

    def lock(self, axis: int, *, plane: bool) -> None:
        """Lock the target to an axis, or to the plane without it: global, again: local, again: free."""
        self.aiming.keep_to(next_lock(self.aiming.lock, axis, plane=plane, local_axes=self.turn.start))

    def cycle_turn(self, context: bpy.types.Context, view: View) -> None:
        """Hold the orientation of the start, then turn by the pointer, then let go of it.

        Raises:
            NotNowError: this body has no orientation that could be held.
        """
        if self.turn.mode is Turn.FREE:
            self.hold(context)
        elif self.turn.mode is Turn.HELD:
            self.turn.begin(view)
        else:
            self.turn.free(keep=self._turns_along)
            self.aiming.rebase(view)
            self._begin()

    def hold(self, context: bpy.types.Context, orientation: Matrix | None = None) -> None:
        """Ask for an orientation (3, 3), None = that of the start, and move on.

        Raises:
            NotNowError: this body has no orientation that could be held.
        """
        before = set(self.chain)
        try:
            self._posing.world.rotation_inside(np.eye(3))
        except RigError as error:
            raise NotNowError(str(error)) from None
        if not self._posing.asked.oriented:
            self._retake(context, replace(self._posing.asked, oriented=True))
        self._turns_along = self._turns_along or set(self.chain) != before
        self.turn.hold(orientation)
        self._begin()

    def go_on_moving(self, view: View) -> None:
        """Move the target again, and keep the orientation that the pointer has turned to."""
        self.turn.hold(self.turn.orientation)
        self.aiming.rebase(view)
        self._begin()

    def toggle_pin(self, context: bpy.types.Context, body: str) -> None:
        """Hold a body where it is, or no longer; nothing jumps.

        Raises:
            NotNowError: this body cannot be held.
        """
        asked = self._posing.asked
        if body in self.pinned:
            pins = tuple(pin for pin in self.taken.pins if pin.body != body)
            released = tuple(dict.fromkeys((*asked.released, body)))
        else:
            rig = self.taken.rig
            if pinned.rigid(rig.skeleton, body, self.grip.body):
                raise NotNowError(f"Pin: {body!r} is a part of what is dragged; point at another one")
            q, _ = self.taken.as_shown(self._posing.written)
            pins = (*self.taken.pins, pinned.here(rig, body, q, self.grip.body))
            released = tuple(name for name in asked.released if name != body)
        self._retake(context, replace(asked, pins=pins, released=released))
        self._begin()

    def next_method(self) -> None:
        """Go on with the next of the solver's methods.

        Raises:
            NotNowError: it cannot follow this chain.
        """
        before = self._posing.method
        self._posing.method = METHODS[(METHODS.index(before) + 1) % len(METHODS)]
        try:
            self._begin()
        except LinkposeError as error:
            self._posing.method = before
            raise NotNowError(f"Method: {error}") from None

    def next_handle(self, context: bpy.types.Context, view: View) -> None:
        """Hold the body by the next of its :attr:`handles`; the target goes along with it.

        Raises:
            NotNowError: there is only one.
        """
        found = self.handles
        if len(found) < 2:
            raise NotNowError("Handle: there is no other one on this body")
        place = grips.nearest(self.grip, [grip for _, grip in found])
        grip = found[(place + 1) % len(found)][1]
        before = self.handle
        self._posing.hold(self.check(context), grip)
        way = self.handle - before
        self.aiming.start = grips.place_at(self.check(context), grip, self.start)
        self.aiming.offset = self.aiming.offset + way
        self.target = self.target + way
        self._begin()
        if self.aiming.lock is not None or self.aiming.typed is not None:
            self.refresh(view)

    def search_elsewhere(self, context: bpy.types.Context) -> bool:
        """Search from other poses as well; True when a better one was found, which is shown then.

        Raises:
            NotNowError: the search has not stalled.
        """
        if not self.is_stalled:
            raise NotNowError("Search elsewhere: only when the search has stalled")
        found = self._posing.elsewhere(context, self.check(context))
        self._in_vain = None if found else self.target.copy()
        return found

    def change_length(self, context: bpy.types.Context, step: int) -> bool:
        """Lengthen the chain upwards by so many bodies, or shorten it; True when its length changed.

        Joints that leave the chain go back to where the drag began, bit for bit; the others, and the target, stay.

        Raises:
            RigError: the armature is gone or no longer what it was.
        """
        armature, before = self.check(context), self.taken
        wanted = min(max(before.length + step, 1), before.longest)
        if wanted == before.length or before.length == 0:
            return False
        asked = replace(self._posing.asked, length=wanted)
        try:
            self._posing.retake(armature, asked)
            if self._posing.put_back(context, armature, before):
                self._posing.retake(armature, asked)
        except LinkposeError:
            # No such chain: what is above turned out to be placed from elsewhere.
            self._posing.retake(armature, replace(asked, length=before.length))
        self._begin()
        self.advance(context)
        return self.taken.length != before.length

    def advance(self, context: bpy.types.Context, seconds: float = SLICE) -> bool:
        """Search on for what is asked and write the best pose; True when something changed on screen.

        Raises:
            RigError: the armature is gone or no longer what it was.
        """
        return self._moved and self._posing.advance(context, self.check(context), seconds)

    def _ask(self, target: Vector, orientation: Matrix | None) -> bool:
        if not np.isfinite(target).all():
            return False
        turned = not _same(orientation, self._orientation)
        if np.array_equal(target, self.target) and not turned:
            return False
        # A press without motion still sends moves that differ by rounding only.
        if not self._moved and not turned and float(np.linalg.norm(target - self.target)) <= 1e-6 * self.size:
            return False
        self.target, self._orientation = target, orientation
        self._moved = True
        self._posing.ask(target, orientation)
        return True

    def _begin(self) -> None:
        """Search anew for what is asked, from the pose that is shown."""
        orientation = self.turn.orientation
        self._posing.begin(self.target, orientation)
        self._orientation = orientation
        if self._moved:
            self._posing.told()

    def _retake(self, context: bpy.types.Context, asked: Asked) -> None:
        try:
            self._posing.retake(self.check(context), asked)
        except LinkposeError as error:
            raise NotNowError(str(error)) from None


def _same(a: Matrix | None, b: Matrix | None) -> bool:
    return b is None if a is None else b is not None and bool(np.array_equal(a, b))
