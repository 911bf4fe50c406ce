"""Where the bones of a robot lie: plain numbers from a Robot, before any Blender data is made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ..solver.joint import turn_z_to
from ..urdf.model import Joint, Robot

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

# Blender derives a rest matrix from the bone's direction and roll, and does so inexactly near -Y (see `_turn_away`).
CLEARANCE = math.radians(45.5)
# Bones shorter than this part of the robot would be too small to see or to click.
SHORTEST, LONGEST = 0.02, 0.5
MOVING = ("revolute", "continuous", "prismatic")
# Places nearer than this part of the robot count as one.
_NEAR = 1e-3
# So many links below one are looked at for a place that lies apart from it.
_LOOKED_AT = 64
_MINUS_Y = np.array((0.0, -1.0, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """Rest of one bone.

    Attributes:
        link: the link it stands for.
        joint: what holds the link, None for a root.
        parent: link of the parent bone, None for a root.
        frame: (4, 4) the link's URDF frame in armature space with every joint at zero.
        rest: (4, 4) the bone's rest in armature space: Z is the joint's axis. The bone of a joint with several values
            has the axes along and about which they are.
        length: of the bone [m].
    """

    link: str
    joint: Joint | None
    parent: str | None
    frame: Matrix
    rest: Matrix
    length: float


def place(robot: Robot, *, free_base: bool = False) -> list[Placement]:
    """The rest of every link's bone, parents before children. Armature space is the frame of all root links.

    Args:
        robot: whose links are placed.
        free_base: whether the roots move freely, so that their bones must have the axes of their links.
    """
    children: dict[str, list[Joint]] = {}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint)
    frames, order = _frames(robot.roots, children)
    size = _size(robot, frames)
    holders = {joint.child: joint for joint in robot.joints}
    weights = _weights(order, children)
    placed: dict[str, Placement] = {}
    for link in order:
        held = holders.get(link)
        parent = None if held is None else placed[held.parent]
        offsets = islice(_offsets_below(link, children, frames, weights), _LOOKED_AT)
        if free_base if held is None else held.has_several_axes:
            axes, reach = _value_axes(frames[link], held), _reach(offsets, size)
        else:
            axes, reach = _axes(frames[link], held, parent, offsets, size)
        if reach is None:
            reach = size * 0.1 if parent is None else 0.5 * parent.length
        rest = np.eye(4)
        rest[:3, :3] = axes
        rest[:3, 3] = frames[link][:3, 3]
        length = min(max(reach, SHORTEST * size), LONGEST * size)
        placed[link] = Placement(link, held, None if held is None else held.parent, frames[link], rest, length)
    return list(placed.values())


def _frames(roots: Sequence[str], children: dict[str, list[Joint]]) -> tuple[dict[str, Matrix], list[str]]:
    frames: dict[str, Matrix] = {root: np.eye(4) for root in roots}
    order = [*roots]
    for link in order:
        for joint in children.get(link, ()):
            frames[joint.child] = frames[link] @ joint.origin
            order.append(joint.child)
    return frames, order


def _size(robot: Robot, frames: dict[str, Matrix]) -> float:
    """Diagonal of the box round all link origins; where they share one point, of the shapes that are no files."""
    points = np.array([frame[:3, 3] for frame in frames.values()])
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    if size > 1e-6:
        return size
    extents = [0.0]
    for link in robot.links:
        for visual in link.visuals:
            shape = visual.geometry
            extents.append(float(max(getattr(shape, "size", (0.0,)))))
            extents.append(float(max(2.0 * getattr(shape, "radius", 0.0), getattr(shape, "length", 0.0))))
    return max(extents) or 1.0


def _weights(order: Sequence[str], children: dict[str, list[Joint]]) -> dict[str, int]:
    """Number of moving joints at and below each link's own joint: the child with most is the way the robot goes on."""
    weights = dict.fromkeys(order, 0)
    for link in reversed(order):
        for joint in children.get(link, ()):
            weights[link] += weights[joint.child] + (joint.type in MOVING and joint.mimic is None)
    return weights


def _offsets_below(
    link: str, children: dict[str, list[Joint]], frames: dict[str, Matrix], weights: dict[str, int]
) -> Iterator[Vector]:
    """Vectors from a link's origin to those below it along the heaviest path, nearest first, in armature space."""
    step = link
    while children.get(step):
        below = [joint.child for joint in children[step]]
        if len(below) == 1:
            step = below[0]
        else:
            step = max(
                below,
                key=lambda child: (weights[child], float(np.linalg.norm(frames[child][:3, 3] - frames[link][:3, 3]))),
            )
        yield frames[step][:3, 3] - frames[link][:3, 3]


def _value_axes(frame: Matrix, held: Joint | None) -> Matrix:
    """(3, 3) axes along and about which the values of a joint with several of them, or of a free root, are."""
    rotation: Matrix = frame[:3, :3]
    return rotation @ turn_z_to(held.axis) if held is not None and held.type == "planar" else rotation


def _reach(offsets: Iterable[Vector], size: float) -> float | None:
    """Distance of the first place below a link that lies apart from it."""
    lengths = (float(np.linalg.norm(offset)) for offset in offsets)
    return next((length for length in lengths if length > _NEAR * size), None)


def _axes(
    frame: Matrix, held: Joint | None, parent: Placement | None, offsets: Iterable[Vector], size: float
) -> tuple[Matrix, float | None]:
    """(3, 3) the bone's axes in armature space, and how far it reaches along Y; None where nothing lies there."""
    avoid = [_MINUS_Y] if parent is None else [_MINUS_Y, -parent.rest[:3, 1]]
    # Where nothing lies below, go on as from the parent; else any of the link's own axes.
    fallbacks = [frame[:3, 2], frame[:3, 0], frame[:3, 1]]
    if parent is not None:
        fallbacks.insert(0, frame[:3, 3] - parent.rest[:3, 3])
    near = _NEAR * size
    if held is not None and held.type in MOVING:
        z = frame[:3, :3] @ np.asarray(held.axis, dtype=np.float64)
        z /= np.linalg.norm(z)
        aims = (offset - z * (offset @ z) for offset in offsets)
        spare = [fallback - z * (fallback @ z) for fallback in fallbacks]
        y, reach = _first(aims, spare, near)
    else:
        y, reach = _first(offsets, fallbacks, near)
        side = max((frame[:3, 2], frame[:3, 0]), key=lambda column: float(np.linalg.norm(np.cross(column, y))))
        z = side - y * (side @ y)
        z /= np.linalg.norm(z)
    y = _turn_away(y, z, avoid)
    return np.column_stack((np.cross(y, z), y, z)), reach


def _first(aims: Iterable[Vector], fallbacks: list[Vector], near: float) -> tuple[Vector, float | None]:
    """The first direction that is long enough to be one, and its length when it is an aim."""
    for aim in aims:
        length = float(np.linalg.norm(aim))
        if length > near:
            return aim / length, length
    for fallback in fallbacks:
        length = float(np.linalg.norm(fallback))
        if length > max(near, 1e-3):
            return fallback / length, None
    longest = max(fallbacks, key=lambda fallback: float(np.linalg.norm(fallback)))
    return longest / np.linalg.norm(longest), None


def _turn_away(y: Vector, z: Vector, avoid: list[Vector]) -> Vector:
    """Turn ``y`` about ``z`` by the least angle that keeps it :data:`CLEARANCE` away from every direction to avoid.

    Blender 4.2 to 5.2 lose up to 4e-5 of a rest matrix when the bone points within some degrees of the armature's -Y or
    of its parent's -Y, and are exact to float32 from 45 degrees on. Each direction blocks at most a quarter of the
    circle about ``z``, so a free angle always exists.
    """
    x = np.cross(y, z)  # angles grow from y towards -x, the right-handed turn about z
    blocked: list[tuple[float, float]] = []
    for direction in avoid:
        along, across = float(direction @ y), float(direction @ -x)
        radius = math.hypot(along, across)
        if radius > math.cos(CLEARANCE):
            blocked.append((math.atan2(across, along), math.acos(math.cos(CLEARANCE) / radius)))
    if all(_apart(0.0, centre) >= half for centre, half in blocked):
        return y
    edges = [centre + sign * half for centre, half in blocked for sign in (1.0, -1.0)]
    free = [edge for edge in edges if all(_apart(edge, centre) >= half - 1e-9 for centre, half in blocked)]
    angle = min(free, key=lambda edge: (round(_apart(edge, 0.0), 9), edge))
    return y * math.cos(angle) - x * math.sin(angle)


def _apart(a: float, b: float) -> float:
    """Angle between two directions on the circle."""
    return abs(math.remainder(a - b, math.tau))
