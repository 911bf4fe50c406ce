"""From a robot description to the kinematic tree that the solver works on."""

from __future__ import annotations

import numpy as np

from ..solver.joint import Axis, AxisKind, Body, Mimic
from ..solver.skeleton import Skeleton
from .model import Joint, Robot


def robot_skeleton(robot: Robot) -> Skeleton:
    """The robot as a kinematic tree: a body a link, an axis a joint that moves, both under their URDF names.

    The root link's frame is skeleton space. A follower keeps its own limits as data: its source alone decides what it
    does.
    """
    holder = {joint.child: joint for joint in robot.joints}
    return Skeleton(_body(link.name, holder.get(link.name)) for link in robot.links)


def _body(link: str, joint: Joint | None) -> Body:
    if joint is None:
        return Body(name=link, parent=None)
    axes = () if joint.type == "fixed" else (_axis(joint),)
    return Body(name=link, parent=joint.parent, joint=joint.name, origin=np.array(joint.origin), axes=axes)


def _axis(joint: Joint) -> Axis:
    follow = joint.mimic
    return Axis(
        name=joint.name,
        kind=AxisKind.SLIDE if joint.type == "prismatic" else AxisKind.HINGE,
        direction=joint.axis,
        lower=joint.lower,
        upper=joint.upper,
        continuous=joint.type == "continuous",
        mimic=None if follow is None else Mimic(follow.joint, follow.multiplier, follow.offset),
    )
