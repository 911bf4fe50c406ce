"""What became of a solve, in words."""

from __future__ import annotations

import math

import bpy

from ..rig.reading import Reading
from ..rig.results import WorldSolution
from . import status
from .texts import tr

_MOST_NAMES = 3


def text(scene: bpy.types.Scene, rig: Reading, solution: WorldSolution) -> str:
    """How far a solution is from its target, and why it is not there.

    Args:
        scene: for its units.
        rig: a reading that knows the joints of the solution.
        solution: in world space.
    """
    if solution.status == "REACHED":
        return tr("On the target")
    left = status.length(scene, solution.position_residual)
    if solution.orientation_residual > 1e-3:
        left += f", {math.degrees(solution.orientation_residual):.1f}°"
    held = [at_limit(rig, solution, name) for name in solution.limited[:_MOST_NAMES]]
    more = len(solution.limited) - _MOST_NAMES
    if more > 0:
        held.append(tr("{count} more at limits").format(count=more))
    if solution.status == "OUT_OF_REACH":
        line = tr("{length} out of reach").format(length=left)
    else:
        line = tr("{length} to go").format(length=left)
        if not held:
            return f"{line}: {tr('stalled')}"
    return f"{line}: {', '.join(held)}" if held else line


def at_limit(rig: Reading, solution: WorldSolution, name: str) -> str:
    """Such as "panda_joint4 at -176.0° (lower)"."""
    value = solution.pose[name]
    axis = next((axis for axis in rig.skeleton.axes if axis.name == name), None)
    if axis is None:
        return name
    end = tr("upper") if abs(value - axis.upper) <= abs(value - axis.lower) else tr("lower")
    slides = name in rig.channels and rig.channels[name].path == "location"
    number = f"{value:+.4g} m" if slides else f"{math.degrees(value):+.1f}°"
    return tr("{joint} at {value} ({end})").format(joint=name, value=number, end=end)
