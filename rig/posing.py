"""The chain of a drag, searched for what is asked of it, and the best pose shown."""

from __future__ import annotations

import copy
import math
from dataclasses import replace

import bpy
import numpy as np

from ..solver import Goal, Search, Solution, Status
from . import handles, snapshot
from . import pins as pinned
from .following import TRIES, follow
from .grip import Grip
from .matrices import Matrix, nearest_rotation
from .results import not_as_solved
from .taken import Asked, Taken
from .view import Vector
from .world import World

# What a search may still take on confirm, and what the one from elsewhere may take [s].
LAST_SLICE = 0.050
ELSEWHERE = 0.5
# Poses that are tried between two events for a picked bone that follows the dragged one.
AT_ONCE = 2
# What a pose from elsewhere must take off what is left, to be worth the jump.
_WORTH = 0.02


class Posing:
    """A chain and the search on it. World space, except where a name says otherwise. Keeps plain numbers and names.

    Attributes:
        asked: how the chain was taken; pins are goals in armature space.
        grip: what is held of it.
        taken: the chain.
        world: where the armature stood when the chain was taken.
        method: of the solver.
        size: of the armature [m].
        snapshot: the channels from when the drag began, of every bone that the drag may have written.
        solution: the latest; None before the first is asked for.
        handle: (3,) where the handle is; of the picked bone also where its control is dragged.
        joints: (n, 3) where the bodies of the chain are, anchor first, for drawing.
        limited: (m, 3) where the joints are that hold at a limit.
    """

    taken: Taken

    def __init__(self, armature: bpy.types.Object, asked: Asked, *, method: str) -> None:
        """Take the chain; nothing is asked yet, and nothing moved.

        Raises:
            LinkposeError: nothing above the body can move; with the reason.
        """
        self.method = method
        self.size = handles.size(armature)
        self.solution: Solution | None = None
        self.snapshot = snapshot.take(armature, ())
        self.asked: Asked = asked
        self.handle: Vector = np.zeros(3)
        self._orientation: Matrix | None = None
        self._adopt(armature, World(armature), Taken(armature, asked))
        self.begin(self.handle, None)

    @property
    def is_done(self) -> bool:
        """Whether the search has nothing left to improve."""
        return self._search.done and (self._following is None or self._following.done)

    @property
    def tolerance(self) -> float:
        """How near to the target counts as on it, in armature space."""
        return self._search.tolerance

    @property
    def orientation_tolerance(self) -> float:
        """How near to an orientation counts as there [rad]."""
        return self._search.orientation_tolerance

    def retake(self, armature: bpy.types.Object, asked: Asked) -> None:
        """Take another chain from the pose as it is shown; :meth:`begin` has to follow.

        Raises:
            LinkposeError: there is no such chain; everything is as before then.
        """
        world = World(armature)
        if not np.array_equal(world.matrix, self.world.matrix):
            # The object itself has moved, and pins stay in the world.
            goals = [pin if isinstance(pin, str) else pinned.outside(self.world, pin) for pin in asked.pins]
            asked = replace(asked, pins=pinned.inside(world, goals))
        self._adopt(armature, world, Taken(armature, asked))

    def put_back(self, context: bpy.types.Context, armature: bpy.types.Object, left: Taken) -> bool:
        """Put bones that left the chain back to where the drag began, bit for bit; True when there are any.

        Args:
            context: for the view layer.
            armature: that is dragged.
            left: the chain before.
        """
        gone = [bone for bone in left.bones if bone not in self.taken.bones]
        if gone:
            states = {bone: self.snapshot.states[bone] for bone in gone}
            snapshot.restore(armature, replace(self.snapshot, states=states))
            armature.update_tag()
            context.view_layer.update()
        return bool(gone)

    def hold(self, armature: bpy.types.Object, grip: Grip) -> None:
        """Hold the same body by another point; :meth:`begin` has to follow."""
        self.grip = grip
        self.asked = replace(self.asked, grip=grip)
        # A new one, for those who keep what they have worked out of it.
        taken: Taken = self.taken
        self.taken = copy.copy(taken)
        self._following = follow(grip, self.size)
        self.handle = self._held_at(armature)

    def begin(self, target: Vector, orientation: Matrix | None) -> None:
        """Search for a target (3,) and a rotation (3, 3) of the dragged body, from the pose that is shown.

        Raises:
            GoalError: the method cannot follow this chain.
            RigError: an orientation in an armature that is scaled unevenly.
        """
        search = self._searching(target, orientation, self.method, one_shot=False)
        self._target, self._orientation, self._search = target, orientation, search

    def ask(self, target: Vector, orientation: Matrix | None) -> None:
        """Go on with another target (3,) and rotation (3, 3), from the best pose so far."""
        if (orientation is None) != (self._orientation is None):
            self.begin(target, orientation)
            return
        self._target, self._orientation = target, orientation
        if self._following is not None:
            self._following.retarget(target)
        self._search.retarget(self._goals())

    def told(self) -> None:
        """Take the present search's word for :attr:`solution`."""
        self.solution = self._search.solution

    def advance(self, context: bpy.types.Context, armature: bpy.types.Object, seconds: float) -> bool:
        """Search on and show the best pose; True when something changed on screen."""
        untried = self._following is not None and self._following.untried
        changed = not untried and self._present(context, armature, self._search.advance(seconds))
        return self._correct(context, armature, seconds) or changed

    def elsewhere(self, context: bpy.types.Context, armature: bpy.types.Object) -> bool:
        """Search for what is asked from other poses as well; True when a better one was found, which is shown then."""
        before = self._search.solution
        found = self._searching(self._target, self._orientation, "AUTO", one_shot=True).advance(ELSEWHERE)
        if not self._is_better(found, before):
            return False
        self._present(context, armature, found)
        self.begin(self._target, self._orientation)
        return True

    def orientation_shown(self) -> Matrix:
        """(3, 3) rotation of the dragged body.

        Raises:
            RigError: the armature is scaled unevenly, so that it has none.
        """
        return self.world.rotation_outside(nearest_rotation(self.taken.frame(self.written)[:3, :3]))

    def refresh_points(self, armature: bpy.types.Object) -> None:
        """Look where the joints are."""
        self.joints = self.taken.joints(armature)
        self.limited = self.taken.holding(armature, self.solution.limited if self.solution is not None else ())

    def _adopt(self, armature: bpy.types.Object, world: World, taken: Taken) -> None:
        self.world, self.taken = world, taken
        self.grip = taken.asked.grip
        self.asked = replace(taken.asked, pins=taken.pins)
        self.written = taken.start
        now = snapshot.take(armature, taken.bones)
        self.snapshot = replace(now, states={**now.states, **self.snapshot.states})
        self._following = follow(self.grip, self.size)
        self.handle = self._held_at(armature)
        self.refresh_points(armature)

    def _searching(self, target: Vector, orientation: Matrix | None, method: str, *, one_shot: bool) -> Search:
        if self._following is not None:
            self._following.retarget(target)
        aim = target if self._following is None else self._following.aim
        return Search(
            self.taken.chain,
            self._goals_of(aim, orientation),
            None if self.written is self.taken.start else self.written,
            method=method,
            tolerance=max(1e-3 * self.size, 1e-6) / self.world.stretch,
            one_shot=one_shot,
        )

    def _goals(self) -> list[Goal]:
        return self._goals_of(self._target if self._following is None else self._following.aim, self._orientation)

    def _goals_of(self, aim: Vector, orientation: Matrix | None) -> list[Goal]:
        turned = None if orientation is None else self.world.rotation_inside(orientation)
        return self.taken.goals(self.grip, self.world.point_inside(aim), turned)

    def _is_better(self, found: Solution, before: Solution) -> bool:
        if (found.status == Status.REACHED) != (before.status == Status.REACHED):
            return found.status == Status.REACHED
        reach = self.taken.chain.reach
        far = reach if math.isfinite(reach) else self.size
        left, left_before = (one.position_residual + far * one.orientation_residual for one in (found, before))
        return left < (1.0 - _WORTH) * left_before

    def _dragged_at(self) -> Vector:
        """(3,) where the handle of the dragged body is."""
        frame = self.taken.frame(self.written)
        return self.world.point_outside(frame[:3, :3] @ self.grip.point + frame[:3, 3])

    def _held_at(self, armature: bpy.types.Object) -> Vector:
        if self._following is None:
            return self._dragged_at()
        place = self._following.place(armature)
        self._following.seen(self._dragged_at(), place)
        return place

    def _present(self, context: bpy.types.Context, armature: bpy.types.Object, solution: Solution) -> bool:
        """Write a solution's pose; True when that changed something."""
        q, values = self.taken.as_shown(solution.values)
        self.solution = solution if np.array_equal(values, solution.values) else not_as_solved(solution)
        if np.array_equal(values, self.written):
            return False
        self.taken.write(armature, q)
        self.written = values
        context.view_layer.update()
        self.handle = self._held_at(armature)
        self.refresh_points(armature)
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
            self.solution = following.told(self.solution, float(np.linalg.norm(self._target - self.handle)))
        return changed
