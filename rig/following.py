"""Drags of a control for the sake of a bone that follows it: the bone's point goes to the target, not the control's."""

from __future__ import annotations

import math
from dataclasses import replace

import bpy
import numpy as np

from ..solver import Solution, Status
from .grip import Grip
from .matrices import Matrix
from .view import Vector

# Poses that are tried for one target at most.
TRIES = 24
# In a row that came no nearer, after which the best is taken.
VAIN = 4
# Share of the size within which the point is on the target; the drag's own tolerance is larger.
_NEAR = 2e-4
# Ratio of the point's way to the control's below which a direction counts as one that cannot be had.
_WEAK = 0.15
# How far the control may go, as a multiple of the point's way and a share of the size: what cannot be reached by then
# would not be reached by moving the control away from the rig either.
_FARTHEST = 3.0
_SLACK = 0.02


class Following:
    """Where the control's handle has to go for the picked point to reach the target, found by trying. World space.

    The offset from a control to what follows it changes as both move. What one way of the control does to the point is
    learnt from every pose that is shown, by Broyden's rank-one update (C. G. Broyden, "A class of methods for solving
    nonlinear simultaneous equations", Mathematics of Computation 19, 1965), and the next step is damped and bounded, as
    in Levenberg's method. The nearest pose is kept.

    Attributes:
        aim: (3,) where the control's handle is sent.
        untried: whether that was chosen anew and the search does not know of it yet.
        done: whether nothing is left to try for the present target.
    """

    def __init__(self, grip: Grip, size: float) -> None:
        """Nothing has been tried yet.

        Args:
            grip: what is dragged, and the bone that was picked instead.
            size: of the rig [m].
        """
        self._bone, self._point = grip.picked, grip.picked_point
        self._near = _NEAR * size
        self._response: Matrix = np.eye(3)
        self._last: tuple[Vector, Vector] | None = None
        self._first: tuple[Vector, Vector] | None = None
        self._slack = _SLACK * size
        self.aim: Vector = np.zeros(3)
        self.untried = False
        self._target: Vector = self.aim
        self._left, self._reach, self._tries, self._vain = math.inf, 2.0, 0, 0
        self._probes: list[Vector] = []
        self._probed = False
        self._best: tuple[Vector, Vector] = (self.aim, self.aim)
        self._nearest: Solution | None = None
        self.done = False

    def place(self, armature: bpy.types.Object) -> Vector:
        """(3,) where Blender shows the picked point, after the last update of the view layer."""
        world = np.array(armature.matrix_world, dtype=np.float64)
        shown = np.array(armature.pose.bones[self._bone].matrix, dtype=np.float64)
        place: Vector = (world @ shown @ (*self._point, 1.0))[:3]
        return place

    def retarget(self, target: Vector) -> None:
        """Take another target (3,) for the point."""
        self._restart(target)
        self.aim = target if self._last is None else self._from(*self._last)

    def tried(self, handle: Vector, place: Vector, solution: Solution) -> None:
        """Learn from a pose that is shown, and choose the next :attr:`aim` or be done.

        Args:
            handle: (3,) where the control's handle is, the search for :attr:`aim` having ended.
            place: (3,) where the point is.
            solution: that put it there.
        """
        self.untried = False
        base = self._best if self._nearest is not None else None
        if base is not None:
            self._learn(handle - base[0], place - base[1])
        self._tries += 1
        left = float(np.linalg.norm(self._target - place))
        if left < 0.9 * self._left:
            self._vain, self._reach, self._probed = 0, 2.0, False
        elif not self._probes:
            self._vain += 1
            self._reach *= 0.5
        if left < self._left:
            self._left, self._best, self._nearest = left, (handle, place), solution
        if self._left <= self._near or self._tries >= TRIES or self._vain >= VAIN:
            self.done = True
            return
        self.untried = True
        if self._vain >= 2 and not self._probed:
            # What was learnt on the way here does not hold here: each direction is tried from the nearest pose.
            self._probes, self._probed, self._reach = list(np.eye(3)), True, 2.0
        if self._probes:
            self.aim = self._best[0] + max(0.5 * self._left, self._near) * self._probes.pop()
        else:
            self.aim = self._from(*self._best)

    def nearer(self, place: Vector) -> Solution | None:
        """The solution that put the point nearer to the target than it is here (3,); None where none did."""
        return self._nearest if self._left < float(np.linalg.norm(self._target - place)) else None

    def seen(self, handle: Vector, place: Vector) -> None:
        """Take note of a pose that is shown: where the handle (3,) and the point (3,) are."""
        if self._first is None:
            self._first = (handle, place)
        if self._last is not None and self._nearest is None:
            self._learn(handle - self._last[0], place - self._last[1])
        self._last = (handle, place)

    def told(self, solution: Solution, left: float) -> Solution:
        """The solution of the control's chain, told of the point that is this far from the target [m]."""
        # With pins the chain has goals of its own, which may be missed.
        if left <= 5.0 * self._near and (solution.status == Status.REACHED or len(solution.goals) == 1):
            return replace(solution, position_residual=left, status=Status.REACHED, shortfall=0.0, why="on target")
        if solution.status != Status.REACHED:
            return replace(solution, position_residual=left, shortfall=left)
        why = "what follows the control comes no nearer" if self.done else f"{1000.0 * left:.2g} mm to go"
        return replace(solution, position_residual=left, status=Status.STALLED, shortfall=left, why=why)

    def _restart(self, target: Vector) -> None:
        self._target = target
        self._left, self._reach, self._tries, self._vain = math.inf, 2.0, 0, 0
        self._probes, self._probed = [], False
        self._best, self._nearest = (target, target), None
        self.done = self.untried = False

    def _learn(self, way: Vector, moved: Vector) -> None:
        square = float(way @ way)
        # Shorter ways are lost in the rounding of Blender's single precision.
        if square > (0.05 * self._near) ** 2:
            self._response += np.outer(moved - self._response @ way, way) / square

    def _from(self, handle: Vector, place: Vector) -> Vector:
        """(3,) where the handle is to go next from a pose; not much farther from its first place than the target is."""
        aim = handle + self._step(self._target - place)
        if self._first is None:
            return aim
        way: Vector = aim - self._first[0]
        farthest = _FARTHEST * float(np.linalg.norm(self._target - self._first[1])) + self._slack
        return self._first[0] + way * min(1.0, farthest / max(float(np.linalg.norm(way)), 1e-12))

    def _step(self, left: Vector) -> Vector:
        """(3,) the way of the handle by which the point goes this way, no longer than a few times as far."""
        response = self._response
        damped = response.T @ response + _WEAK**2 * np.eye(3)
        step: Vector = np.asarray(np.linalg.solve(damped, response.T @ left), dtype=np.float64)
        longest, length = 2.0 * self._reach * float(np.linalg.norm(left)), float(np.linalg.norm(step))
        return step if length <= longest else step * (longest / length)


def follow(grip: Grip, size: float) -> Following | None:
    """What corrects a drag of this grip; None where the picked bone is the dragged one."""
    return Following(grip, size) if grip.picked else None
