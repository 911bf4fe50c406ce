"""Where the joints of a chain are and how far each may go, as plain arrays for drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..solver import AxisKind, Chain
from ..solver.skeleton import axis_motion
from .reading import Reading
from .view import Vector

# A point nearer to an axis than this share of its distance from the joint gives an arc no direction to start from.
_ASIDE = 0.2
# A joint nearer to a limit than this [rad] or [m] is shown as being there: channels hold single precision.
AT_LIMIT = 1e-5


@dataclass(frozen=True)
class Ranges:
    """The joints of a chain in one pose, in world space; n of them.

    A hinge shows the direction ``zero`` turned by its value towards ``side``; a slide is at ``origin + value * axis``.

    Attributes:
        names: of the axes.
        slides: (n,) True for slides, whose numbers are in the armature's own units.
        lower, upper, value: (n,) [rad] or [m]; infinite limits where there are none.
        origin: (n, 3) a point of the axis; of a slide where it is at 0.
        axis: (n, 3) unit vector; of a slide as long in world space as one unit of its value.
        zero, side: (n, 3) the plane that a hinge turns in, unit vectors unless the armature is scaled unevenly.
    """

    names: tuple[str, ...]
    slides: NDArray[np.bool_]
    lower: Vector
    upper: Vector
    value: Vector
    origin: Vector
    axis: Vector
    zero: Vector
    side: Vector

    @property
    def limited(self) -> NDArray[np.bool_]:
        """(n,) True where a joint is at one of its limits."""
        return (self.value - self.lower <= AT_LIMIT) | (self.upper - self.value <= AT_LIMIT)


@dataclass(frozen=True)
class _Joint:
    """One axis: its place in the skeleton, its range, and where its arc starts, in the frame before its own motion."""

    axis: int
    name: str
    slide: bool
    lower: float
    upper: float
    direction: Vector
    zero: Vector


class ChainRanges:
    """The joints of one chain, followed from pose to pose. Holds plain data only.

    Balls without limits, whose angles are counted from where a drag began, and what moves freely, as a floating base
    does, are left out: they have no range to show.
    """

    def __init__(self, rig: Reading, chain: Chain, point: Sequence[float] | Vector) -> None:
        """Choose where arcs start: towards what the joint carries.

        Args:
            rig: the reading of the chain.
            chain: of a drag; its first body is the dragged one.
            point: (3,) the handle in that body's frame.
        """
        skeleton = chain.skeleton
        self._chain = chain
        self._above = self._frames_above(chain)
        self._bodies = [i for i, name in enumerate(skeleton.bodies) if name in set(chain.path)]
        before, frames = self._walk(chain.values)
        held = frames[skeleton.index(chain.bodies[0])] @ (*point, 1.0)
        values = skeleton.axis_values(chain.q)
        after = {axis: [before[other][:3, 3] for other in before if other > axis] + [held[:3]] for axis in before}
        self._joints = [
            self._joint(axis, frame, after[axis], values[axis])
            for axis, frame in before.items()
            if self._is_shown(rig, axis)
        ]

    def at(self, values: Vector, world: Vector) -> Ranges:
        """The joints at some values.

        Args:
            values: (dof,) of the chain.
            world: (4, 4) from armature space to world space.
        """
        before, _ = self._walk(values)
        numbers = self._chain.skeleton.axis_values(self._chain.full(values))
        joints, linear = self._joints, world[:3, :3]
        count = len(joints)
        frames = np.array([before[joint.axis] for joint in joints]).reshape(count, 4, 4)
        turned = frames[:, :3, :3]
        axis = np.einsum("nij,nj->ni", turned, np.array([j.direction for j in joints]).reshape(count, 3))
        zero = np.einsum("nij,nj->ni", turned, np.array([j.zero for j in joints]).reshape(count, 3))
        side = np.cross(axis, zero)
        slides = np.array([joint.slide for joint in joints], dtype=bool)
        axis, zero, side = (vectors @ linear.T for vectors in (axis, zero, side))
        length = np.where(slides, 1.0, np.maximum(np.linalg.norm(axis, axis=1), 1e-12))
        # One factor for both: under uneven scale a turn is seen as an ellipse.
        radius = np.maximum(np.linalg.norm(zero, axis=1), 1e-12)
        return Ranges(
            tuple(joint.name for joint in joints),
            slides,
            np.array([joint.lower for joint in joints]),
            np.array([joint.upper for joint in joints]),
            np.array([numbers[joint.axis] for joint in joints]),
            frames[:, :3, 3] @ linear.T + world[:3, 3],
            axis / length[:, None],
            zero / radius[:, None],
            side / radius[:, None],
        )

    @staticmethod
    def _frames_above(chain: Chain) -> dict[int, Vector]:
        """Frames of the bodies on which the chain's path hangs; nothing of the chain moves them."""
        skeleton, path = chain.skeleton, set(chain.path)
        hung = {skeleton.parent[skeleton.index(name)] for name in path}
        outside = {i for i in hung if i >= 0 and skeleton.bodies[i] not in path}
        return {i: skeleton.frame(skeleton.bodies[i], chain.q) for i in outside}

    def _walk(self, values: Vector) -> tuple[dict[int, Vector], dict[int, Vector]]:
        """Frames in armature space: before the motion of each axis that the chain moves, and of each body."""
        skeleton = self._chain.skeleton
        moved = set(self._chain.index)
        numbers = skeleton.axis_values(self._chain.full(values))
        before: dict[int, Vector] = {}
        frames = dict(self._above)
        for place in self._bodies:
            body, parent = skeleton.body_at(place), skeleton.parent[place]
            above = frames[parent] if parent >= 0 else np.eye(4)
            frame = above @ body.origin
            for axis in skeleton.axes_of(place):
                if skeleton.axis_unknown[axis] in moved:
                    before[axis] = frame
                frame = frame @ axis_motion(skeleton.axes[axis], numbers[axis])
            own = [numbers[axis] for axis in skeleton.axes_of(place)]
            frames[place] = frame @ body.offset if body.law is None else body.law.frame(above, own)
        return before, frames

    def _is_shown(self, rig: Reading, axis: int) -> bool:
        skeleton = self._chain.skeleton
        described, body = skeleton.axes[axis], skeleton.bodies[skeleton.axis_body[axis]]
        entry = rig.bones.get(rig.bone_of(body))
        if entry is not None and entry.motion.base is not None and described.kind == AxisKind.HINGE:
            return False
        if described.mimic is not None and described.name == f"{described.mimic.source}'":
            return False  # the second half of a swing
        if math.isfinite(np.subtract(*self._limits(axis))):
            return True
        own = [skeleton.axes[other] for other in skeleton.axes_of(skeleton.axis_body[axis])]
        return described.kind == AxisKind.HINGE and all(other.kind == AxisKind.HINGE for other in own)

    def _limits(self, axis: int) -> tuple[float, float]:
        """Of a follower what its source's limits make of it."""
        skeleton = self._chain.skeleton
        unknown = skeleton.axis_unknown[axis]
        multiplier, offset = skeleton.axis_multiplier[axis], skeleton.axis_offset[axis]
        if skeleton.continuous[unknown] or multiplier == 0.0:
            return -math.inf, math.inf
        ends = [float(limits[unknown]) * multiplier + offset for limits in (skeleton.lower, skeleton.upper)]
        return min(ends), max(ends)

    def _joint(self, axis: int, frame: Vector, after: list[Vector], value: float) -> _Joint:
        described = self._chain.skeleton.axes[axis]
        direction = np.array(described.direction)
        to_local = np.linalg.inv(frame)
        aside = _aside(direction, [to_local[:3, :3] @ point + to_local[:3, 3] for point in after])
        # The arm points there now, at this value; at zero it pointed elsewhere.
        c, s = math.cos(value), math.sin(value)
        zero = aside if described.kind == AxisKind.SLIDE else c * aside - s * np.cross(direction, aside)
        lower, upper = self._limits(axis)
        slide = described.kind == AxisKind.SLIDE
        return _Joint(axis, described.name, slide, lower, upper, direction, zero)


def _aside(direction: Vector, points: list[Vector]) -> Vector:
    """Unit vector across an axis towards the first of these points (joint frame) that lies well aside of it."""
    for point in points:
        across = point - (point @ direction) * direction
        length = float(np.linalg.norm(across))
        if length > max(_ASIDE * float(np.linalg.norm(point)), 1e-9):
            return across / length
    least = np.eye(3)[int(np.argmin(np.abs(direction)))]
    across = least - (least @ direction) * direction
    return across / np.linalg.norm(across)
