"""Many targets for one body: in world space, at one frame each, solved in the space of the chain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import solver
from ..errors import GoalError, RigError
from ..solver import BatchSolution, Chain, Goal
from . import compat, control
from .frames import check_frame, go_to, kept
from .matrices import inverse
from .pins import angle_left
from .reading import Reading
from .solving import solve_as_shown
from .stacks import is_active
from .world import World

Array = NDArray[np.float64]

# How the reasons begin why a body has no joint and yet stays: see :attr:`Reading.held`.
_STILL = ("is the root", "is held by")


def checked_frames(frames: Iterable[float], count: int) -> list[float]:
    """Frames as numbers.

    Raises:
        RigError: there are not as many as targets, one is no frame, or one comes twice.
    """
    try:
        listed = frames.tolist() if isinstance(frames, np.ndarray) else list(frames)
    except TypeError:
        raise RigError(f"the frames are {frames!r}; give a list of {count} frames, one for each target") from None
    if not isinstance(listed, list) or len(listed) != count:
        raise RigError(f"{len(listed)} frames were given for {count} targets; give one for each")
    numbers = [float(check_frame(frame)) for frame in listed]
    if len(set(numbers)) < count:
        twice = next(frame for i, frame in enumerate(numbers) if frame in numbers[:i])
        raise RigError(f"frame {twice:g} is given twice; a pose can be keyed once at a frame")
    return numbers


def targets(
    armature: bpy.types.Object,
    rig: Reading,
    chain: Chain,
    world: World,
    positions: ArrayLike,
    orientations: ArrayLike | None,
    frames: Iterable[float] | None,
) -> tuple[Array, Array | None, list[float] | None]:
    """(positions, orientations, frames) with world targets in armature space, as the armature stands now.

    At frames where the chain's anchor stands elsewhere, a target is where it would be seen from the anchor.

    Raises:
        GoalError: they have no meaning; the first that has none is named.
        RigError: orientations in an armature that is scaled unevenly; frames that are none, or not one for each target.
    """
    points = _numbers("positions", positions, (3,))
    turned = None if orientations is None else _numbers("orientations", orientations, (3, 3))
    if turned is not None and len(turned) != len(points):
        raise GoalError(f"{len(turned)} orientations were given for {len(points)} positions")
    when = None if frames is None else checked_frames(frames, len(points))
    if when is not None and len(points) and _may_move(armature, rig, chain):
        with kept(armature):
            return *_seen_from_anchor(armature, rig, chain, world, points, turned, when), when
    back = inverse(world.matrix)
    inside = points @ back[:3, :3].T + back[:3, 3]
    return inside, None if turned is None else world.rotation_inside(np.eye(3)) @ turned, when


def solve(
    rig: Reading,
    chain: Chain,
    world: World,
    points: Array,
    turned: Array | None,
    *,
    point: ArrayLike | None,
    method: str,
    tolerance: float | None,
    warm_start: bool,
) -> BatchSolution:
    """Solve targets in armature space; the values are those of the chain, residuals are distances in world space.

    Args:
        rig: what the chain was taken of.
        chain: what may move.
        world: where the armature stands.
        points: (n, 3) targets.
        turned: (n, 3, 3) orientations; None = any.
        point: (3,) the handle in the body's frame; None = the default.
        method: as for :func:`solver.solve_batch`.
        tolerance: distance in world space; None = 1e-5 of the reach.
        warm_start: as there.
    """
    inside = None if tolerance is None else tolerance / world.stretch
    found = solver.solve_batch(
        chain, points, turned, point=point, method=method, tolerance=inside, warm_start=warm_start
    )
    found = _as_shown(rig, chain, found, points, turned, point, method, inside)
    return replace(found, position_residual=_in_world(rig, chain, world, found, points, point))


def _as_shown(
    rig: Reading,
    chain: Chain,
    found: BatchSolution,
    points: Array,
    turned: Array | None,
    point: ArrayLike | None,
    method: str,
    tolerance: float | None,
) -> BatchSolution:
    """The same with poses that Limit Rotation lets pass; few need another solve."""
    if not any(rig.bones[bone].limit is not None for bone in rig.written_bones(chain.unknowns)):
        return found
    values, status = found.values.copy(), found.status.copy()
    distance, angle = found.position_residual.copy(), found.orientation_residual.copy()
    iterations = found.iterations.copy()
    for i, own in enumerate(found.values):
        start = rig.as_shown(chain.full(own))[list(chain.index)]
        if np.array_equal(start, own):
            continue
        goal = Goal(chain.bodies[0], points[i], None if turned is None else turned[i], point=point)
        again, _, values[i] = solve_as_shown(
            rig, chain, [goal], start, method=method, tolerance=tolerance, orientation_tolerance=1e-3
        )
        frame = chain.forward(values[i])
        at = frame[:3, :3] @ (chain.skeleton.body(goal.body).point if goal.point is None else goal.point)
        distance[i] = np.linalg.norm(at + frame[:3, 3] - points[i])
        angle[i], status[i] = angle_left(goal, frame) or 0.0, again.status
        iterations[i] += again.iterations
    return BatchSolution(values, distance, angle, status, iterations)


def _in_world(
    rig: Reading, chain: Chain, world: World, found: BatchSolution, points: Array, point: ArrayLike | None
) -> Array:
    """(n,) distances from the targets in world space."""
    smallest, largest = np.linalg.svd(world.matrix[:3, :3], compute_uv=False)[[2, 0]]
    if largest - smallest <= 1e-6 * largest:
        even: Array = found.position_residual * world.stretch
        return even
    body = chain.bodies[0]
    handle = np.asarray(rig.skeleton.body(body).point if point is None else point, dtype=np.float64)
    frames = np.array([chain.forward(each) for each in found.values]).reshape(-1, 4, 4)
    apart = frames[:, :3, :3] @ handle + frames[:, :3, 3] - points
    away: Array = np.linalg.norm(apart @ world.matrix[:3, :3].T, axis=1)
    return away


def _may_move(armature: bpy.types.Object, rig: Reading, chain: Chain) -> bool:
    """Whether anything could make the anchor of a chain stand elsewhere at another frame."""
    if armature.parent is not None or any(is_active(constraint) for constraint in armature.constraints):
        return True
    above: set[str] = set()
    step = rig.skeleton.index(chain.anchor) if chain.anchor else -1
    while step >= 0:
        above.add(rig.bone_of(rig.skeleton.bodies[step]))
        step = rig.skeleton.parent[step]
    reasons = (rig.held.get(body, "") for body in rig.skeleton.bodies if rig.bone_of(body) in above)
    if any(reason and not reason.startswith(_STILL) for reason in reasons):
        return True
    animation = armature.animation_data
    if animation is None:
        return False
    curves = [curve.data_path for curve in (*compat.fcurves(armature), *animation.drivers)]
    names = [(path, control.bone_channel(path)[0]) for path in curves]
    return len(animation.nla_tracks) > 0 or any(bone in above or not path.startswith("pose.") for path, bone in names)


def _seen_from_anchor(
    armature: bpy.types.Object,
    rig: Reading,
    chain: Chain,
    world: World,
    points: Array,
    turned: Array | None,
    frames: Sequence[float],
) -> tuple[Array, Array | None]:
    bone = rig.bone_of(chain.anchor) if chain.anchor else ""

    def anchor() -> Array:
        place = np.array(armature.matrix_world, dtype=np.float64)
        return place @ np.array(armature.pose.bones[bone].matrix, dtype=np.float64) if bone else place

    now = inverse(world.matrix) @ anchor()
    inside, rotations = np.empty_like(points), None if turned is None else np.empty_like(turned)
    for i, frame in enumerate(frames):
        go_to(frame)
        back = now @ inverse(anchor())
        inside[i] = back[:3, :3] @ points[i] + back[:3, 3]
        if turned is not None and rotations is not None:
            u, _, v = np.linalg.svd(back[:3, :3])
            rotations[i] = u @ v * np.sign(np.linalg.det(u @ v)) @ turned[i]
    return inside, rotations


def _numbers(what: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise GoalError(f"the {what} are {value!r}; numbers are needed") from None
    if numbers.size == 0 and numbers.ndim <= 1:
        numbers = numbers.reshape(0, *shape)
    if numbers.shape[1:] != shape:
        raise GoalError(f"the {what} have shape {numbers.shape}; (n, {', '.join(map(str, shape))}) is needed")
    bad = ~np.isfinite(numbers).all(axis=tuple(range(1, numbers.ndim)))
    if bad.any():
        first = int(np.argmax(bad))
        raise GoalError(f"the {what} of target {first} hold a number that is not finite: {numbers[first].tolist()}")
    return numbers
