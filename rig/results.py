"""A solution in armature space, told in world space and in the joint values that others may set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..solver import Chain, Goal, GoalResidual, Solution, Status
from .matrices import Matrix
from .pins import residuals
from .reading import Reading
from .world import World

# A solution whose residuals are world distances and whose values are those of a reading without ``rebase``.
WorldSolution = Solution


def in_world(
    rig: Reading,
    chain: Chain,
    goals: Sequence[Goal],
    found: Solution,
    world: World,
    frames: Mapping[str, Matrix],
) -> WorldSolution:
    """The solution with world distances, and with values as a reading without ``rebase`` has them.

    Args:
        rig: what was solved on.
        chain: that was solved.
        goals: in armature space; those of bodies that the chain does not move included.
        found: the solution in armature space.
        world: where the armature stood.
        frames: (4, 4) of the goals' bodies in armature space as that stood, as they are after the solve.
    """
    absolute = rig.absolute(chain.full(found.values))
    values = np.array([absolute[name] for name in chain.unknowns], dtype=np.float64)
    values.setflags(write=False)
    left = tuple(
        GoalResidual(goal.body, *residuals(goal, frames[goal.body], world, chain.skeleton.body(goal.body).point))
        for goal in goals
    )
    distance = max((one.position for one in left if one.position is not None), default=0.0)
    angle = max((one.orientation for one in left if one.orientation is not None), default=0.0)
    return replace(
        found,
        values=values,
        pose={name: absolute[name] for name in found.pose},
        position_residual=distance,
        orientation_residual=angle,
        goals=left,
        shortfall=0.0 if found.status == Status.REACHED else distance,
        why=found.why if abs(world.stretch - 1.0) < 1e-6 else _why(found, distance),
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
