"""How far a body must turn."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .step import Placed, Point


def rotation_vector(target: Sequence[float], placed: Placed) -> Point:
    """(3,) the turn [rad] in skeleton space that takes a placed body to a target rotation (9, by rows)."""
    t00, t01, t02, t10, t11, t12, t20, t21, t22 = target
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = placed[3:]
    m00 = t00 * r00 + t01 * r01 + t02 * r02
    m11 = t10 * r10 + t11 * r11 + t12 * r12
    m22 = t20 * r20 + t21 * r21 + t22 * r22
    m01 = t00 * r10 + t01 * r11 + t02 * r12
    m10 = t10 * r00 + t11 * r01 + t12 * r02
    m02 = t00 * r20 + t01 * r21 + t02 * r22
    m20 = t20 * r00 + t21 * r01 + t22 * r02
    m12 = t10 * r20 + t11 * r21 + t12 * r22
    m21 = t20 * r10 + t21 * r11 + t22 * r12
    x, y, z = 0.5 * (m21 - m12), 0.5 * (m02 - m20), 0.5 * (m10 - m01)
    sine = math.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (m00 + m11 + m22 - 1.0)
    if sine > 1e-6:
        factor = math.atan2(sine, cosine) / sine
        return (x * factor, y * factor, z * factor)
    if cosine > 0.0:
        return (x, y, z)
    # Half a turn: the axis is the longest column of M + 1, along what little the sine still says.
    columns = ((m00 + 1.0, m10, m20), (m01, m11 + 1.0, m21), (m02, m12, m22 + 1.0))
    a, b, c = max(columns, key=lambda column: column[0] ** 2 + column[1] ** 2 + column[2] ** 2)
    factor = math.atan2(sine, cosine) / math.sqrt(a * a + b * b + c * c)
    if a * x + b * y + c * z < 0.0:
        factor = -factor
    return (a * factor, b * factor, c * factor)


def aimed(axis: Point, placed: Placed) -> Point:
    """(3,) where an axis of a placed body points."""
    x, y, z = axis
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = placed[3:]
    return (r00 * x + r01 * y + r02 * z, r10 * x + r11 * y + r12 * z, r20 * x + r21 * y + r22 * z)


def aim_vector(aim: tuple[Point, Point], placed: Placed) -> Point:
    """(3,) the shortest turn [rad] in skeleton space that makes an axis of a placed body point where it shall."""
    ax, ay, az = aimed(aim[0], placed)
    bx, by, bz = aim[1]
    x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    sine = math.sqrt(x * x + y * y + z * z)
    cosine = ax * bx + ay * by + az * bz
    if sine > 1e-9:
        factor = math.atan2(sine, cosine) / sine
        return (x * factor, y * factor, z * factor)
    if cosine > 0.0:
        return (x, y, z)
    # The other way round: about any axis across.
    x, y, z = (0.0, az, -ay) if abs(ax) < 0.6 else (-az, 0.0, ax)
    factor = math.pi / math.sqrt(x * x + y * y + z * z)
    return (x * factor, y * factor, z * factor)
