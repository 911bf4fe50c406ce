"""Bodies that stay while another is dragged: their goals, and the tree of joints that lets them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GoalError
from ..solver import Chain, Goal, Skeleton
from .matrices import Matrix, nearest_rotation
from .reading import Reading
from .world import World

# A pin without a weight of its own counts so much more than the drag: where not all can be had, feet stay put.
WEIGHT = 10.0
# So many joints of its own let a body keep place and orientation while another moves.
_WHOLE = 6
# A pin that asks for no more than this [size of the matrix' numbers; rad] is where it shall be.
_MET = 1e-6

Pin = str | Goal


def stored_pin(body: str, position: ArrayLike | None, orientation: ArrayLike | None, point: ArrayLike | None) -> Pin:
    """A pin from its parts in world space; a body alone is held where it stands."""
    if position is None and orientation is None:
        return body
    return Goal(body, position=position, orientation=orientation, point=point, weight=WEIGHT)


def inside(world: World, pins: Sequence[Pin]) -> tuple[Pin, ...]:
    """Pins with their goals in armature space instead of world space; names stay names.

    Raises:
        GoalError: a pin that is neither the name of a body nor a goal.
        RigError: an orientation in an armature that is scaled unevenly.
    """
    if isinstance(pins, str | Goal):
        raise GoalError(f"the pins are {pins!r}; give a list of body names or goals")
    found: list[Pin] = []
    for pin in pins:
        if not isinstance(pin, str | Goal):
            raise GoalError(f"the pin {pin!r} is neither the name of a body nor a goal")
        found.append(pin if isinstance(pin, str) else _inside(world, pin))
    return tuple(found)


def goals(rig: Reading, pins: Sequence[Pin]) -> tuple[Goal, ...]:
    """The goals of pins in armature space; a named body is held where it was read, by its origin and orientation.

    Raises:
        LinkposeError: there is no such body.
    """
    q = rig.pose()
    return tuple(_held(rig.skeleton, pin, q) if isinstance(pin, str) else pin for pin in pins)


def here(rig: Reading, body: str, q: Matrix, dragged: str) -> Goal:
    """The goal that holds a body where it is: its place, and its orientation where its joints can hold both.

    A quadruped's leg of three joints could not keep its foot as it is turned, and would let nothing move.

    Args:
        rig: the reading.
        body: to be held.
        q: (n,) full pose in which it is.
        dragged: the body that is dragged meanwhile.

    Raises:
        LinkposeError: there is no such body.
    """
    skeleton = rig.skeleton
    goal = _held(skeleton, body, q)
    if _is_above(skeleton, body, dragged) or _own_joints(rig, body, dragged) >= _WHOLE:
        return goal
    frame = skeleton.frame(body, q)
    return Goal(body, position=frame[:3, :3] @ skeleton.body(body).point + frame[:3, 3], weight=WEIGHT)


def outside(world: World, goal: Goal) -> Goal:
    """A goal in armature space as one in world space, such as :func:`inside` takes.

    Raises:
        RigError: an orientation in an armature that is scaled unevenly.
    """
    return Goal(
        goal.body,
        position=None if goal.position is None else world.point_outside(goal.position),
        orientation=None if goal.orientation is None else world.rotation_outside(goal.orientation),
        aim=None if goal.aim is None else (goal.aim[0], world.direction_outside(goal.aim[1])),
        point=goal.point,
        weight=goal.weight,
    )


def tree(rig: Reading, chain: Chain, pins: Sequence[Pin]) -> Chain:
    """The chain of a dragged body with the joints that let the pinned bodies stay.

    A pin below what the chain moves adds the joints in between. One that the chain does not move adds nothing if it is
    where it shall be, else the chain that would drag it.

    Args:
        rig: what the chain was taken of.
        chain: of the dragged body alone.
        pins: in armature space.
    """
    skeleton = rig.skeleton
    anchor = skeleton.index(chain.anchor) if chain.anchor else -1
    bodies: list[str] = list(chain.bodies)
    anchors: list[int | None] = [anchor] * len(bodies)
    for goal in goals(rig, pins):
        if is_moved(chain, goal.body):
            bodies.append(goal.body)
            anchors.append(anchor)
        elif not _is_met(goal, skeleton.frame(goal.body, rig.pose()), skeleton.body(goal.body).point):
            bodies.append(goal.body)
            anchors.append(None)
    if len(bodies) == len(chain.bodies):
        return chain
    return Chain(skeleton, bodies, q=chain.q, anchor=anchors)


def is_moved(chain: Chain, body: str) -> bool:
    """Whether any unknown of a chain moves a body.

    Raises:
        SkeletonError: there is no such body.
    """
    skeleton = chain.skeleton
    taken = set(chain.index)
    step = skeleton.index(body)
    while step >= 0:
        if any(skeleton.axis_unknown[axis] in taken for axis in skeleton.axes_of(step)):
            return True
        step = skeleton.parent[step]
    return False


def residuals(goal: Goal, frame: Matrix, world: World, point: Sequence[float]) -> tuple[float | None, float | None]:
    """(distance in world space, angle) that a body's frame is from its goal; None where nothing is asked.

    Args:
        goal: in armature space.
        frame: (4, 4) of its body in armature space.
        world: where the armature stands.
        point: (3,) the body's default handle.
    """
    distance = None
    if goal.position is not None:
        at = frame[:3, :3] @ (point if goal.point is None else goal.point) + frame[:3, 3]
        distance = float(np.linalg.norm(world.point_outside(at) - world.point_outside(goal.position)))
    return distance, angle_left(goal, frame)


def angle_left(goal: Goal, frame: Matrix) -> float | None:
    """Angle [rad] that a body's frame (4, 4) is from the orientation or the aim of its goal; None for neither."""
    if goal.orientation is not None:
        return _angle(np.array(goal.orientation).T @ nearest_rotation(frame[:3, :3]))
    if goal.aim is not None:
        return _between(nearest_rotation(frame[:3, :3]) @ goal.aim[0], np.array(goal.aim[1]))
    return None


def _inside(world: World, goal: Goal) -> Goal:
    return Goal(
        goal.body,
        position=None if goal.position is None else world.point_inside(goal.position),
        orientation=None if goal.orientation is None else world.rotation_inside(goal.orientation),
        aim=None if goal.aim is None else (goal.aim[0], world.direction_inside(goal.aim[1])),
        point=goal.point,
        weight=goal.weight,
    )


def _held(skeleton: Skeleton, body: str, q: Matrix) -> Goal:
    frame = skeleton.frame(body, q)
    return Goal(
        body,
        position=frame[:3, 3],
        orientation=nearest_rotation(frame[:3, :3]),
        point=(0.0, 0.0, 0.0),
        weight=WEIGHT,
    )


def rigid(skeleton: Skeleton, body: str, other: str) -> bool:
    """Whether no joint lies between two bodies."""
    tops = []
    for name in (body, other):
        step = skeleton.index(name)
        while skeleton.parent[step] >= 0 and not skeleton.axes_of(step):
            step = skeleton.parent[step]
        tops.append(step)
    return tops[0] == tops[1]


def _is_above(skeleton: Skeleton, body: str, other: str) -> bool:
    step, place = skeleton.index(other), skeleton.index(body)
    while step > place:
        step = skeleton.parent[step]
    return step == place


def _own_joints(rig: Reading, body: str, dragged: str) -> int:
    """How many unknowns move a body that do not move the dragged one."""
    skeleton = rig.skeleton
    above = set()
    step = skeleton.index(dragged)
    while step >= 0:
        above.add(step)
        step = skeleton.parent[step]
    own: set[int] = set()
    step = skeleton.index(body)
    while step >= 0 and step not in above:
        places = (skeleton.axis_unknown[axis] for axis in skeleton.axes_of(step))
        own.update(place for place in places if skeleton.lower[place] < skeleton.upper[place])
        step = skeleton.parent[step]
    return len(own)


def _is_met(goal: Goal, frame: Matrix, point: Sequence[float]) -> bool:
    at = frame[:3, :3] @ (point if goal.point is None else goal.point) + frame[:3, 3]
    if goal.position is not None and np.abs(at - goal.position).max() > _MET * max(1.0, float(np.abs(at).max())):
        return False
    turned = nearest_rotation(frame[:3, :3])
    if goal.orientation is not None and _angle(np.array(goal.orientation).T @ turned) > _MET:
        return False
    return goal.aim is None or _between(turned @ goal.aim[0], np.array(goal.aim[1])) <= _MET


def _angle(turn: Matrix) -> float:
    """Angle [rad] of a rotation, exact also where it is small."""
    x, y, z = turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]
    return math.atan2(math.sqrt(x * x + y * y + z * z), float(np.trace(turn)) - 1.0)


def _between(a: Matrix, b: Matrix) -> float:
    return math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b))
