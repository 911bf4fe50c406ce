"""Which bones need a law, and what of them can be told in constants all the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..solver import Body
from ..solver.skeleton import axis_motion
from .bones import Bones
from .channels import Motion
from .clamps import Clamps, Limit, LocationLimit
from .laws import BoneLaw, Carrier
from .matrices import even_scale
from .placing import Carried

Matrix = NDArray[np.float64]


def needs_stack(bones: Bones, place: int, clamps: Clamps) -> bool:
    """Whether a bone's limits leave no box of its channels, or not one of the angles that its locks are about.

    Args:
        bones: of the armature.
        place: of the bone.
        clamps: what its constraints do.
    """
    if not clamps.stack:
        return False
    if not clamps.simple:
        return True
    if clamps.rotation is None:
        return False
    if bones.scale[place].min() <= 0.0:
        return True  # Blender takes the angles from a mirrored matrix
    bone, mode = bones.posed[place], bones.modes[place]
    locks = tuple(bone.lock_rotation)
    if mode in ("QUATERNION", "AXIS_ANGLE"):
        if bone.lock_rotations_4d and (any(locks) or bone.lock_rotation_w):
            return True
        mode = "XYZ"
    return any(locks) and not all(locks) and clamps.rotation.order != mode


def law(bones: Bones, carried: Carried, place: int, own: Motion, stack: tuple[Limit, ...]) -> BoneLaw:
    """The law of a bone under its parent bone.

    Args:
        bones: of the armature.
        carried: what their channels are applied to.
        place: of the bone.
        own: its motion.
        stack: its limits, as far as the motion does not have them.
    """
    parent = bones.parent[place]
    carrier = Carrier(
        carried.offset[place],
        bones.rest[parent, :3, :3] if parent >= 0 else np.eye(3),
        int(bones.inherit_scale[place]),
        bool(bones.inherits_rotation[place]),
        bool(bones.local_location[place]),
        parent < 0,
    )
    return BoneLaw(carrier, own, bones.scale[place], bool(bones.connected[place]), stack)


def may_shear(law: BoneLaw) -> bool:
    """Whether limits may leave the bone a shape that changes: they look at it, or mix it, in an uneven space."""
    for limit in law.stack:
        if limit.space is not None and even_scale(limit.space.into[:3, :3]) is None:
            return True
        if limit.influence < 1.0 and even_scale(limit.to_world.into[:3, :3]) is None:
            return True
    return False


def may_slide(law: BoneLaw) -> bool:
    """Whether limits may move the bone's head against its parent."""
    return not law.connected and any(isinstance(limit.rule, LocationLimit) for limit in law.stack)


def behind(body: Body, parent: Matrix, law: BoneLaw) -> Matrix:
    """(4, 4) offset with which a body's axes place it as its law does, in the pose as it is.

    Args:
        body: without the law.
        parent: (4, 4) frame of its parent; the identity for a root.
        law: of the body.
    """
    values: Sequence[float] = [free.value for free in law.motion.free]
    if law.motion.swing:
        values = [*values, values[-2]]
    frame = parent @ body.origin
    for axis, value in zip(body.axes, values, strict=True):
        frame = frame @ axis_motion(axis, value)
    return np.asarray(np.linalg.solve(frame, law.shown(parent)), dtype=np.float64)


def nearest_rotation(linear: Matrix) -> Matrix:
    """(3, 3) orthogonal matrix nearest to another one."""
    u, _, v = np.linalg.svd(linear)
    found: Matrix = u @ v
    return found
