"""A solution in armature space, told in world space and in the joint values that others may set."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..solver import Chain, Goal, Solution, Status
from .matrices import even_scale
from .reading import Reading
from .world import World

Matrix = NDArray[np.float64]


def in_world(rig: Reading, chain: Chain, goal: Goal, found: Solution, world: World, frame: Matrix) -> Solution:
    """The solution with world distances, and with values as a reading without ``rebase`` has them.

    Args:
        rig: what was solved on.
        chain: that was solved.
        goal: its only goal, in armature space.
        found: the solution in armature space.
        world: where the armature stands.
        frame: (4, 4) of the goal's body in armature space, as it is after the solve.
    """
    absolute = rig.absolute(chain.full(found.values))
    values = np.array([absolute[name] for name in chain.unknowns], dtype=np.float64)
    values.setflags(write=False)
    distance = None
    if goal.position is not None:
        point = chain.skeleton.body(goal.body).point if goal.point is None else goal.point
        shown = world.point_outside(frame[:3, :3] @ point + frame[:3, 3])
        distance = float(np.linalg.norm(shown - world.point_outside(goal.position)))
    angle = None if goal.orientation is None else _angle(np.array(goal.orientation), frame[:3, :3])
    left = distance or 0.0
    return replace(
        found,
        values=values,
        pose={name: absolute[name] for name in found.pose},
        position_residual=left,
        orientation_residual=angle or 0.0,
        goals=tuple(replace(one, position=distance, orientation=angle) for one in found.goals),
        shortfall=0.0 if found.status == Status.REACHED else left,
        why=found.why if abs(world.stretch - 1.0) < 1e-6 else _why(found, left),
    )


def not_as_solved(found: Solution) -> Solution:
    """The solution of a pose that Blender shows differently than it was written."""
    if found.status != Status.REACHED:
        return found
    return replace(found, status=Status.STALLED, why="a constraint shows another pose than was written")


def _why(found: Solution, distance: float) -> str:
    if found.status == Status.REACHED:
        return "on target"
    length = f"{distance:.3f} m" if distance >= 0.1 else f"{1000.0 * distance:.2g} mm"
    if found.status == Status.OUT_OF_REACH:
        return f"{length} out of reach"
    return f"{length} to go" + (f": {', '.join(found.limited)} at limits" if found.limited else "")


def _angle(wanted: Matrix, linear: Matrix) -> float:
    """Angle [rad] between a rotation and that of an evenly scaled matrix."""
    scale = even_scale(linear)
    if scale is None:
        u, _, v = np.linalg.svd(linear)
        turned = u @ v * np.sign(np.linalg.det(u @ v))
    else:
        turned = linear / scale
    between = wanted.T @ turned
    x, y, z = between[2, 1] - between[1, 2], between[0, 2] - between[2, 0], between[1, 0] - between[0, 1]
    return math.atan2(math.sqrt(x * x + y * y + z * z), float(np.trace(between)) - 1.0)
