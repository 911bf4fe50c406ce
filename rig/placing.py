"""How Blender places bones by their channels, for all bones of an armature at once.

With the parent's shown matrix P, the rest offset O and the channels' B: the linear part of a bone's matrix is
``(RS @ B) * post`` and its origin ``L @ location``. RS, post and L follow from P and the bone's switches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bones import ALIGNED, AVERAGE, FIX_SHEAR, FULL, MODES, NONE, NONE_LEGACY, Bones
from .euler import acting
from .matrices import EVEN, SHEAR

Floats = NDArray[np.float64]


class Carried(NamedTuple):
    """What a bone's channels are applied to.

    Attributes:
        offset: (n, 4, 4) rest offset O from the parent's rest; the rest matrix of a root.
        way: (n, 3, 3) axes along which the location moves, in O's frame of reference, in the columns.
        turned: (n, 3, 3) RS.
        post: (n, 3) factors on the columns.
        start: (n, 3) origin without a location.
        along: (n, 3, 3) linear part of L.
    """

    offset: Floats
    way: Floats
    turned: Floats
    post: Floats
    start: Floats
    along: Floats


def rotations(bones: Bones) -> Floats:
    """(n, 3, 3) what the rotation channels say, before constraints."""
    quaternion = bones.quaternion.copy()
    length = np.linalg.norm(quaternion, axis=1)
    quaternion[length == 0.0] = (0.0, 1.0, 0.0, 0.0)
    turned = bones.mode == -1
    axis = bones.axis_angle[turned, 1:]
    size = np.linalg.norm(axis, axis=1)
    half = 0.5 * np.where(size > 0.0, bones.axis_angle[turned, 0], 0.0)
    quaternion[turned, 0] = np.cos(half)
    quaternion[turned, 1:] = axis * (np.sin(half) / np.where(size > 0.0, size, 1.0))[:, None]
    w, x, y, z = (quaternion / np.linalg.norm(quaternion, axis=1)[:, None]).T
    found = np.empty((len(bones), 3, 3))
    found[:, 0, 0], found[:, 1, 1], found[:, 2, 2] = (
        1.0 - 2.0 * (y * y + z * z),
        1.0 - 2.0 * (x * x + z * z),
        1.0 - 2.0 * (x * x + y * y),
    )
    found[:, 0, 1], found[:, 0, 2], found[:, 1, 2] = 2.0 * (x * y - w * z), 2.0 * (x * z + w * y), 2.0 * (y * z - w * x)
    found[:, 1, 0], found[:, 2, 0], found[:, 2, 1] = 2.0 * (x * y + w * z), 2.0 * (x * z - w * y), 2.0 * (y * z + w * x)
    for mode, order in MODES.items():
        if mode <= 0:
            continue
        these = np.flatnonzero(bones.mode == mode)
        if these.size:
            outer, middle, inner = (_about(i, bones.euler[these, i]) for i in acting(order))
            found[these] = outer @ middle @ inner
    return found


def carry(bones: Bones) -> Carried:
    """What the channels of each bone are applied to, as its parent is shown now."""
    parent = np.array(bones.parent, dtype=np.intp)
    child = parent >= 0
    rest3, identity = bones.rest[:, :3, :3], np.eye(3)
    offset = bones.rest.copy()
    offset[child] = _from_parent(bones.rest[parent[child]], bones.rest[child])
    above = np.where(child[:, None, None], bones.shown[parent], np.eye(4))
    linear = above[:, :3, :3]
    start = (linear @ offset[:, :3, 3:])[:, :, 0] + above[:, :3, 3]
    way = np.where(bones.local_location[:, None, None], offset[:, :3, :3], identity)
    through, post = linear.copy(), np.ones((len(bones), 3))
    for mode in (FIX_SHEAR, AVERAGE, NONE, NONE_LEGACY, ALIGNED):
        these = np.flatnonzero(child & bones.inherits_rotation & (bones.inherit_scale == mode))
        if these.size:
            through[these], post[these] = _inherited(linear[these], mode)
    turned = through @ offset[:, :3, :3]
    for mode in range(6):
        these = np.flatnonzero(child & ~bones.inherits_rotation & (bones.inherit_scale == mode))
        if these.size:
            factors, post[these] = _scale_alone(linear[these], mode)
            turned[these] = (rest3[parent[these]] * factors[:, None, :]) @ offset[these, :3, :3]
    sheared = child & (bones.inherit_scale == FIX_SHEAR)
    turned[sheared] = orthogonal(turned[sheared])
    return Carried(offset, way, turned, post, start, linear @ way)


def predicted(carried: Carried, rotation: Floats, scale: Floats, location: Floats) -> Floats:
    """(n, 4, 4) matrices by the channels: rotation (n, 3, 3), scale and location (n, 3)."""
    found = np.zeros((len(rotation), 4, 4))
    found[:, :3, :3] = carried.turned @ (rotation * scale[:, None, :]) * carried.post[:, None, :]
    found[:, :3, 3] = carried.start + (carried.along @ location[:, :, None])[:, :, 0]
    found[:, 3, 3] = 1.0
    return found


def even_scales(linear: Floats) -> Floats:
    """(n,) uniform scale of (n, 3, 3) matrices, negative where they mirror; 0 where it is uneven or nothing."""
    square = np.swapaxes(linear, 1, 2) @ linear
    mean = np.trace(square, axis1=1, axis2=2) / 3.0
    off = np.abs(square - mean[:, None, None] * np.eye(3)).max(axis=(1, 2))
    even = (mean > 1e-12) & (off <= EVEN * mean)
    return np.where(even, np.copysign(np.sqrt(mean), np.linalg.det(linear)), 0.0)


def orthogonal(linear: Floats, *, unit: bool = False) -> Floats:
    """(n, 3, 3) matrices without shear, as Blender takes it out: Y stays, X and Z give way alike.

    Args:
        linear: (n, 3, 3).
        unit: whether the columns come out with length 1; else the volume is kept.
    """
    y = linear[:, :, 1]
    square = np.maximum((y * y).sum(axis=1), 1e-30)[:, None]
    sides = [linear[:, :, i] - y * (linear[:, :, i] * y).sum(axis=1)[:, None] / square for i in (0, 2)]
    lengths = [np.linalg.norm(side, axis=1)[:, None] for side in sides]
    a, b = (side / np.maximum(length, 1e-30) for side, length in zip(sides, lengths, strict=True))
    cosine = (a * b).sum(axis=1)[:, None]
    together, apart = a + b, a - b
    together /= np.maximum(np.linalg.norm(together, axis=1)[:, None], 1e-30)
    apart /= np.maximum(np.linalg.norm(apart, axis=1)[:, None], 1e-30)
    sheared = (np.abs(cosine) > SHEAR) & (np.abs(cosine) < 1.0 - 1e-7)
    a = np.where(sheared, (together + apart) / np.sqrt(2.0), a)
    b = np.where(sheared, (together - apart) / np.sqrt(2.0), b)
    if unit:
        return np.stack((a, y / np.sqrt(square), b), axis=2)
    shrink = np.where(sheared, np.sqrt(np.sqrt(np.maximum(1.0 - cosine**2, 0.0))), 1.0)
    return np.stack((a * lengths[0] * shrink, y, b * lengths[1] * shrink), axis=2)


def _inherited(linear: Floats, mode: int) -> tuple[Floats, Floats]:
    """(n, 3, 3) what the parent hands on of its matrix, and (n, 3) factors behind the channels."""
    ones = np.ones((len(linear), 3))
    if mode == NONE:
        return orthogonal(linear, unit=True), ones
    if mode == AVERAGE:
        return orthogonal(linear, unit=True) * _average(linear)[:, None, None], ones
    if mode == NONE_LEGACY:
        return linear / _lengths(linear)[:, None, :], ones
    if mode == ALIGNED:
        upright = orthogonal(linear)
        lengths = _lengths(upright)
        return upright / lengths[:, None, :], lengths
    return linear, ones


def _scale_alone(linear: Floats, mode: int) -> tuple[Floats, Floats]:
    """(n, 3) factors on the columns of the parent's rest matrix where its rotation is not inherited, and behind."""
    ones = np.ones((len(linear), 3))
    if mode in (NONE, NONE_LEGACY):
        return ones, ones
    if mode == AVERAGE:
        return ones * _average(linear)[:, None], ones
    lengths = _lengths(linear)
    if mode == FULL:
        return lengths, ones
    lengths = lengths * (_average(linear) / np.cbrt(np.maximum(lengths.prod(axis=1), 1e-30)))[:, None]
    return (ones, lengths) if mode == ALIGNED else (lengths, ones)


def _from_parent(parent: Floats, rest: Floats) -> Floats:
    """(n, 4, 4) rest matrices in their parents'; by cofactors, for a general solver takes most of a reading's time."""
    a, b, c = (parent[:, :3, i] for i in range(3))
    rows = np.stack((np.cross(b, c), np.cross(c, a), np.cross(a, b)), axis=1)
    rows /= (rows[:, 0] * a).sum(axis=1)[:, None, None]
    found = rest.copy()
    found[:, :3, :3] = rows @ rest[:, :3, :3]
    found[:, :3, 3] = (rows @ (rest[:, :3, 3] - parent[:, :3, 3])[:, :, None])[:, :, 0]
    return found


def _average(linear: Floats) -> Floats:
    return np.cbrt(np.abs(np.linalg.det(linear)))


def _lengths(linear: Floats) -> Floats:
    return np.maximum(np.linalg.norm(linear, axis=1), 1e-30)


def _about(axis: int, angles: Sequence[float] | Floats) -> Floats:
    """(n, 3, 3) turns about coordinate axis 0, 1 or 2."""
    c, s = np.cos(angles), np.sin(angles)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    found = np.zeros((len(c), 3, 3))
    found[:, axis, axis] = 1.0
    found[:, i, i] = found[:, j, j] = c
    found[:, i, j], found[:, j, i] = -s, s
    return found
