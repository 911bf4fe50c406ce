"""Many poses at a time: rotations and channels along a series of frames, as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..solver import Chain
from . import euler
from .channels import rotation_path
from .reading import BoneReading, Reading
from .writing import property_of

Array = NDArray[np.float64]

_GIMBAL = 1e-7


def absolute(rig: Reading, chain: Chain, values: Array) -> Array:
    """(n, dof) values of a chain as a reading without ``rebase`` has them.

    Angles of rebased balls become Euler angles in the bone's own order, each triple next to the one that was read.

    Args:
        rig: what the chain was taken of.
        chain: that was solved.
        values: (n, dof) of the chain.
    """
    found = np.array(values, dtype=np.float64)
    place = {name: i for i, name in enumerate(chain.unknowns)}
    for bone in rig.written_bones(chain.unknowns):
        entry = rig.bones[bone]
        motion = entry.motion
        if motion.base is None:
            continue
        start = motion.start or euler.to_euler(motion.base, motion.order)[0]
        triples = nearest_eulers(_rotations(entry, _angles(rig, chain, entry, values)), motion.order, start)
        for name, free in zip(entry.unknowns[len(motion.slides) :], motion.turns, strict=True):
            if name in place:
                found[:, place[name]] = triples[:, free.part]
    return found


def channels(
    rig: Reading, chain: Chain, values: Array, bone: str, path: str, old: Sequence[float]
) -> tuple[Array, list[int]]:
    """What one property of a bone holds along a series of poses, and the array indices that the chain writes.

    Whole turns of angles without limits, quaternion signs and Euler triples go on from pose to pose without a jump.

    Args:
        rig: what the chain was taken of.
        chain: that was solved.
        values: (n, dof) of the chain.
        bone: name of the bone.
        path: "location" or the property of its rotation mode.
        old: the property before the first pose.

    Returns:
        (n, len(old)) numbers, and indices.
    """
    entry = rig.bones[bone]
    place = {name: i for i, name in enumerate(chain.unknowns)}
    held = np.tile(np.asarray(old, dtype=np.float64), (len(values), 1))
    own = [name for name in entry.unknowns if rig.channels[name].path == path and name in place]
    if any(rig.channels[name].index < 0 for name in own):
        rotations = _rotations(entry, _angles(rig, chain, entry, values))
        held = _properties(rotations, entry.state.rotation_mode, old)
        for i in entry.motion.kept:
            held[np.abs(held[:, i] - old[i]) < 1e-6, i] = old[i]
        return held, list(range(len(old)))
    skeleton = rig.skeleton
    indices = []
    for name in own:
        unknown, index = skeleton.unknowns.index(name), rig.channels[name].index
        column = np.clip(values[:, place[name]], skeleton.lower[unknown], skeleton.upper[unknown])
        if skeleton.continuous[unknown]:
            column = np.unwrap(np.concatenate(([old[index]], column)))[1:]
        held[:, index] = column
        indices.append(index)
    return held, sorted(indices)


def paths(rig: Reading, chain: Chain) -> list[tuple[str, str]]:
    """(bone, path) of every property that a chain writes."""
    found = []
    for name in chain.unknowns:
        channel = rig.channels[name]
        entry = rig.bones[channel.bone]
        found.append((channel.bone, channel.path if channel.index >= 0 else rotation_path(entry.state)))
    return list(dict.fromkeys(found))


def nearest_eulers(rotations: Array, order: str, start: Sequence[float], *, follow: bool = False) -> Array:
    """(n, 3) the triple of angles of each rotation (n, 3, 3) that is nearest to ``start``, or to the one before it."""
    both = _eulers(rotations, order)
    if not follow:
        both += euler.TURN * np.round((np.asarray(start) - both) / euler.TURN)
        nearer = np.abs(both - np.asarray(start)).sum(axis=2).argmin(axis=1)
        found: Array = both[np.arange(len(both)), nearer]
        return found
    last = np.asarray(start, dtype=np.float64)
    chosen = np.empty((len(both), 3))
    for i, pair in enumerate(both):
        turned = pair + euler.TURN * np.round((last - pair) / euler.TURN)
        away = np.abs(turned - last).sum(axis=1)
        last = chosen[i] = turned[0] if away[0] <= away[1] else turned[1]
    return chosen


def _angles(rig: Reading, chain: Chain, entry: BoneReading, values: Array) -> Array:
    """(n, 3) the motion's angles; those that the chain does not move as they were read."""
    place = {name: i for i, name in enumerate(chain.unknowns)}
    angles = np.tile(np.asarray(entry.motion.angles, dtype=np.float64), (len(values), 1))
    for name, free in zip(entry.unknowns[len(entry.motion.slides) :], entry.motion.turns, strict=True):
        if name in place:
            angles[:, free.part] = np.clip(values[:, place[name]], free.lower, free.upper)
    return angles


def _rotations(entry: BoneReading, angles: Array) -> Array:
    """(n, 3, 3) rotations of a bone's motion."""
    motion = entry.motion
    if motion.swing:
        return np.array([motion.rotation(each) for each in angles.tolist()]).reshape(-1, 3, 3)
    turned: Array = np.eye(3) if motion.base is None else motion.base
    for axis in euler.acting(motion.order):
        turned = turned @ _about(axis, angles[:, axis])
    return turned


def _about(axis: int, angles: Array) -> Array:
    c, s = np.cos(angles), np.sin(angles)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrices = np.tile(np.eye(3), (len(angles), 1, 1))
    matrices[:, i, i] = matrices[:, j, j] = c
    matrices[:, i, j], matrices[:, j, i] = -s, s
    return matrices


def _eulers(m: Array, order: str) -> Array:
    """(n, 2, 3) both triples of each rotation; see :func:`.euler.to_euler`."""
    k, j, i = euler.acting(order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    cosine = np.hypot(m[:, i, i], m[:, j, i])
    found = np.zeros((len(m), 2, 3))
    for which, side in ((0, 1.0), (1, -1.0)):
        found[:, which, j] = np.arctan2(-sign * m[:, k, i], side * cosine)
        found[:, which, i] = np.arctan2(side * sign * m[:, k, j], side * m[:, k, k])
        found[:, which, k] = np.arctan2(side * sign * m[:, j, i], side * m[:, i, i])
    locked = cosine <= _GIMBAL
    found[locked, :, i] = np.arctan2(-sign * m[locked, j, k], m[locked, j, j])[:, None]
    found[locked, 1, j] = found[locked, 0, j]
    found[locked, :, k] = 0.0
    return found


def _properties(rotations: Array, mode: str, old: Sequence[float]) -> Array:
    """(n, 3 or 4) rotations as the property of a rotation mode, each beside the one before it."""
    if mode == "QUATERNION":
        return _quaternions(rotations, old)
    if mode != "AXIS_ANGLE":
        return nearest_eulers(rotations, mode, old, follow=True)
    found = np.empty((len(rotations), 4))
    last = tuple(old)
    for i, rotation in enumerate(rotations):
        found[i] = last = property_of(rotation, mode, last)
    return found


def _quaternions(m: Array, old: Sequence[float]) -> Array:
    """(n, 4) unit quaternions without a jump of sign; the largest part first, as in :func:`.euler.to_quaternion`."""
    trace = m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2]
    squares = np.stack((trace, m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]), axis=1)
    largest = squares.argmax(axis=1)
    q = np.empty((len(m), 4))
    lanes = np.flatnonzero(largest == 0)
    q[lanes, 0] = 1.0 + trace[lanes]
    for part in range(3):
        j, k = (part + 1) % 3, (part + 2) % 3
        q[lanes, 1 + part] = m[lanes, k, j] - m[lanes, j, k]
    for i in range(3):
        lanes = np.flatnonzero(largest == 1 + i)
        j, k = (i + 1) % 3, (i + 2) % 3
        q[lanes, 0] = m[lanes, k, j] - m[lanes, j, k]
        q[lanes, 1 + i] = 1.0 + 2.0 * m[lanes, i, i] - trace[lanes]
        q[lanes, 1 + j] = m[lanes, j, i] + m[lanes, i, j]
        q[lanes, 1 + k] = m[lanes, k, i] + m[lanes, i, k]
    q /= np.linalg.norm(q, axis=1)[:, None]
    before = np.concatenate((np.asarray(old, dtype=np.float64)[None], q[:-1])) if len(q) else q
    # Each sign is that of the step from its neighbour; the product of all steps so far makes them one line.
    flips = np.where(np.einsum("ni,ni->n", before, q) < 0.0, -1.0, 1.0)
    signed: Array = q * np.cumprod(flips)[:, None]
    return signed
