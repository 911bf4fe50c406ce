"""A solve whose pose is the one that Blender shows once it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from .. import solver
from ..solver import Chain, Goal, Solution
from .reading import Reading
from .results import not_as_solved
from .view import Vector

# So often a solve goes on from what limits make of a pose that they do not let pass.
TRIES = 4


def solve_as_shown(
    rig: Reading,
    chain: Chain,
    goals: Sequence[Goal],
    start: ArrayLike | None,
    *,
    method: str,
    tolerance: float | None,
    orientation_tolerance: float,
    budget: float | None = None,
) -> tuple[Solution, Vector, Vector]:
    """Solve, and solve again from where Limit Rotation would not let a rotation pass.

    Args:
        rig: what the chain was taken of.
        chain: what may move.
        goals: in armature space, of bodies of the chain.
        start: (dof,) values to start from; None = as read.
        method: as for :func:`solver.solve`.
        tolerance: in armature space.
        orientation_tolerance: [rad].
        budget: seconds of each try.

    Returns:
        The solution, the (n,) full pose and the (dof,) values as they will be shown.
    """
    for _ in range(TRIES):
        found = solver.solve(
            chain,
            goals,
            start,
            method=method,
            tolerance=tolerance,
            orientation_tolerance=orientation_tolerance,
            budget=budget,
        )
        q = rig.as_shown(chain.full(found.values))
        values = start = q[list(chain.index)]
        if np.array_equal(values, found.values):
            return found, q, values
    return not_as_solved(replace(found, values=values, pose=chain.pose(values))), q, values
