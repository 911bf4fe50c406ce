"""From a robot description to the kinematic tree that the solver works on."""

from __future__ import annotations

import numpy as np

from ..solver.joint import Axis, AxisKind, Body, Mimic, floating_axes, planar_axes
from ..solver.skeleton import Skeleton
from .model import Joint, Robot

_SLIDES = 3  # of a floating joint, before its turns


def robot_skeleton(robot: Robot, *, free_base: bool = False) -> Skeleton:
    """The robot as a kinematic tree: a body a link, an axis a value of a joint, both under their URDF names.

    The root link's frame is skeleton space. A follower keeps its own limits as data: its source alone decides what it
    does.

    Args:
        robot: the description.
        free_base: let the roots move freely.
    """
    holder = {joint.child: joint for joint in robot.joints}
    base = robot.base_joints if free_base else {}
    return Skeleton(_body(link.name, holder.get(link.name), base.get(link.name)) for link in robot.links)


def _body(link: str, joint: Joint | None, base_joint: str | None) -> Body:
    if joint is None:
        return Body(link, None) if base_joint is None else Body(link, None, base_joint, axes=floating_axes(base_joint))
    return Body(name=link, parent=joint.parent, joint=joint.name, origin=np.array(joint.origin), axes=_axes(joint))


def _axes(joint: Joint) -> tuple[Axis, ...]:
    match joint.type:
        case "fixed":
            return ()
        case "planar":
            return planar_axes(joint.name, joint.axis)
        case "floating":
            return floating_axes(joint.name)
        case "spherical":
            return floating_axes(joint.name)[_SLIDES:]
    follow = joint.mimic
    axis = Axis(
        name=joint.name,
        kind=AxisKind.SLIDE if joint.type == "prismatic" else AxisKind.HINGE,
        direction=joint.axis,
        lower=joint.lower,
        upper=joint.upper,
        continuous=joint.type == "continuous",
        mimic=None if follow is None else Mimic(follow.joint, follow.multiplier, follow.offset),
    )
    return (axis,)
