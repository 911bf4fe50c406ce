"""Kinematics and search: what may move, what is asked of it, and the pose that does it. Needs numpy, not Blender."""

from __future__ import annotations

from . import fabrik
from .batch import BatchSolution, solve_batch
from .chain import Chain
from .goal import Goal
from .joint import Axis, AxisKind, Body, Mimic
from .law import Law
from .search import Search, solve
from .skeleton import Skeleton
from .solution import GoalResidual, Solution, Status

__all__ = [
    "Axis",
    "AxisKind",
    "BatchSolution",
    "Body",
    "Chain",
    "Goal",
    "GoalResidual",
    "Law",
    "Mimic",
    "Search",
    "Skeleton",
    "Solution",
    "Status",
    "fabrik",
    "solve",
    "solve_batch",
]
