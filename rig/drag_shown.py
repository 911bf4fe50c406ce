"""What a running drag shows of itself: its chain, target, pins, locks, and how far it is."""

from __future__ import annotations

import bpy
import numpy as np

from ..errors import RigError
from ..solver import AxisKind, Solution
from . import grip as grips
from . import snapshot
from .aiming import Aiming
from .grip import Grip, find
from .matrices import Matrix
from .posing import Posing
from .taken import Taken
from .turning import Turn, Turning
from .view import Vector
from .world import World


class Shown:
    """A drag to be looked at. World space throughout.

    Attributes:
        target: (3,) where the handle is to go.
        start: where each bone was when the drag began, as (4, 4) world matrices by name, for drawing a ghost.
        aiming: what pointer, locks and numbers say of the target.
        turn: what they say of the body's orientation.
        collisions: (name, name) of links and obstacles that touch now and did not when the drag began.
        unwatched: why no collisions are looked for, "" where they are.
    """

    target: Vector
    start: dict[str, Matrix]
    aiming: Aiming
    turn: Turning
    collisions: tuple[tuple[str, str], ...]
    unwatched: str
    _posing: Posing
    _moved: bool
    _in_vain: Vector | None
    _click: Vector
    _data: int
    _frame: float
    _handles: list[tuple[str, Grip]] | None

    @property
    def grip(self) -> Grip:
        """What is dragged."""
        return self._posing.grip

    @property
    def handle(self) -> Vector:
        """(3,) where the handle is; of the picked bone also where its control is dragged."""
        return self._posing.handle

    @property
    def chain(self) -> tuple[str, ...]:
        """Names of the unknowns that may move, anchor first."""
        return self.taken.unknowns

    @property
    def joints(self) -> list[tuple[float, ...]]:
        """(n, 3) where the bodies of the chain are, anchor first, for drawing."""
        return self._posing.joints

    @property
    def limited(self) -> list[tuple[float, ...]]:
        """(m, 3) where the joints are that hold at a limit."""
        return self._posing.limited

    @property
    def solution(self) -> Solution | None:
        """The latest; None before the first solve."""
        return self._posing.solution

    @property
    def method(self) -> str:
        """Of the solver."""
        return self._posing.method

    @property
    def size(self) -> float:
        """Of the armature [m]."""
        return self._posing.size

    @property
    def status(self) -> str:
        """The latest solution's status, "" before the first."""
        return "" if self.solution is None else str(self.solution.status.value)

    @property
    def has_moved(self) -> bool:
        """Whether anything else was ever asked for than what was there."""
        return self._moved

    @property
    def length(self) -> int:
        """How many bodies from the dragged one up the drag moves; 0 where that is not for choice."""
        return self.taken.length

    @property
    def asked_length(self) -> int | None:
        """The length that was asked for, None = by the rule."""
        return self._posing.asked.length

    @property
    def longest(self) -> int:
        """The most that :attr:`length` may be made."""
        return self.taken.longest

    @property
    def mirrored(self) -> tuple[str, ...]:
        """Names of the bones of the other side that follow."""
        return self.taken.mirrored

    @property
    def pinned(self) -> tuple[str, ...]:
        """Names of the bodies that are to stay."""
        return tuple(goal.body for goal in self.taken.pins)

    @property
    def locked(self) -> tuple[Matrix, Vector] | None:
        """((k, 3) world directions, (3,) point): what the target keeps to, or turns about; None when it is free."""
        if self.turning:
            return None if self.turn.is_about_view else (self.turn.axis[None, :], self.handle)
        return None if self.aiming.lock is None else (self.aiming.lock.directions, self.aiming.start)

    @property
    def taken(self) -> Taken:
        """The chain that is dragged; another one after its length or its pins have changed."""
        return self._posing.taken

    @property
    def values(self) -> Vector:
        """(dof,) the chain's values as they are shown [rad] or [m]."""
        return self._posing.written

    @property
    def world(self) -> World:
        """Where the armature stood when the chain was taken: the space of :attr:`taken`."""
        return self._posing.world

    @property
    def turning(self) -> bool:
        """Whether the pointer turns the dragged body, and does not move the target."""
        return self.turn.mode is Turn.TURNED

    @property
    def typing(self) -> bool:
        """Whether numbers are typed."""
        return (self.turn if self.turning else self.aiming).typed is not None

    @property
    def is_done(self) -> bool:
        """Whether the search has nothing left to improve for what is asked."""
        return not self._moved or self._posing.is_done

    @property
    def is_stalled(self) -> bool:
        """Whether the search has ended off the target, and one from elsewhere might come nearer."""
        if not (self._moved and self.is_done and self.status in {"STALLED", "AT_LIMITS"}) or self.typing:
            return False
        return self._in_vain is None or not np.array_equal(self._in_vain, self.target)

    @property
    def residual(self) -> float:
        """How far the handle is from the target [m]."""
        return float(np.linalg.norm(self.target - self.handle))

    @property
    def tolerance(self) -> float:
        """How near to the target counts as on it [m]."""
        return self._posing.tolerance * self.stretch

    @property
    def orientation_tolerance(self) -> float:
        """How near to an orientation counts as there [rad]."""
        return self._posing.orientation_tolerance

    @property
    def stretch(self) -> float:
        """By what lengths grow from the solver's space to the world."""
        return self._posing.world.stretch

    def body_of(self, bone: str) -> str:
        """The body that a bone of the dragged armature stands for.

        Raises:
            RigError: there is no such bone.
        """
        return self.taken.rig.body_of(bone)

    def joint(self, unknown: str) -> tuple[float, float, float, bool]:
        """Value, lower and upper limit of an unknown of the chain [rad] or [m], and whether it slides."""
        axis = next(axis for axis in self.taken.rig.skeleton.axes if axis.name == unknown)
        value = float(self._posing.written[self.chain.index(unknown)])
        return value, axis.lower, axis.upper, axis.kind == AxisKind.SLIDE

    @property
    def handles(self) -> list[tuple[str, Grip]]:
        """The points by which the body can be held, as far as they differ, each with its name."""
        if self._handles is None:
            armature = find(self.grip)
            if armature is None:
                return []
            self._handles = grips.choices(armature, self.grip, self.start, self._click, near=1e-3 * self.size)
        return self._handles

    @property
    def handle_name(self) -> str:
        """What the handle is, such as "centre"; "" where there is only one."""
        found = self.handles
        return found[grips.nearest(self.grip, [grip for _, grip in found])][0] if len(found) > 1 else ""

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
        bones = (*self._posing.snapshot.bones, self.grip.picked)
        missing = [bone for bone in bones if snapshot.holder(armature, bone) is None]
        if missing:
            raise RigError(f"the armature {self.grip.armature!r} no longer has the bone {missing[0]!r}")
        return armature
