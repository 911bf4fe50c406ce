"""Rotations as Blender counts them, in double precision: Euler orders, quaternions (w, x, y, z), axis and angle.

An order such as ``"XYZ"`` means that X acts first: R = Rz @ Ry @ Rx. Matrices are (3, 3), angles in radians.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Triple = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

TURN = 2.0 * math.pi
ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
# Below this cosine of the middle angle Blender takes the first and the last axis for parallel.
_GIMBAL = 16.0 * float(np.finfo(np.float32).eps)


def about(axis: int, angle: float) -> Matrix:
    """(3, 3) turn about coordinate axis 0, 1 or 2."""
    c, s = math.cos(angle), math.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = c
    matrix[i, j], matrix[j, i] = -s, s
    return matrix


@functools.cache
def acting(order: str) -> tuple[int, int, int]:
    """Coordinate axes of an order, outermost turn first: the order in which hinges that stand for it are stacked."""
    return "XYZ".index(order[2]), "XYZ".index(order[1]), "XYZ".index(order[0])


def from_euler(angles: Sequence[float], order: str) -> Matrix:
    """(3, 3) rotation of the angles about x, y and z, which act in the given order."""
    columns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for axis in acting(order):
        c, s = math.cos(angles[axis]), math.sin(angles[axis])
        i, j = (axis + 1) % 3, (axis + 2) % 3
        first, second = columns[i], columns[j]
        columns[i] = [c * a + s * b for a, b in zip(first, second, strict=True)]
        columns[j] = [c * b - s * a for a, b in zip(first, second, strict=True)]
    return np.array(columns).T.copy()


def to_euler(matrix: Matrix, order: str) -> tuple[Triple, Triple]:
    """Both triples of angles that make a rotation, each within half a turn; first the one Blender calls canonical.

    That is the one with the smaller sum of absolute angles. Source: K. Shoemake, "Euler Angle Conversion", Graphics
    Gems IV (1994), with Blender's treatment of gimbal lock (the last angle is 0 there).
    """
    k, j, i = acting(order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    cosine = math.hypot(matrix[i, i], matrix[j, i])
    first, second = [0.0] * 3, [0.0] * 3
    first[j] = math.atan2(-sign * matrix[k, i], cosine)
    if cosine > _GIMBAL:
        first[i] = math.atan2(sign * matrix[k, j], matrix[k, k])
        first[k] = math.atan2(sign * matrix[j, i], matrix[i, i])
        second[i] = math.atan2(-sign * matrix[k, j], -matrix[k, k])
        second[j] = math.atan2(-sign * matrix[k, i], -cosine)
        second[k] = math.atan2(-sign * matrix[j, i], -matrix[i, i])
    else:
        first[i] = math.atan2(-sign * matrix[j, k], matrix[j, j])
        second = list(first)
    one, other = (first[0], first[1], first[2]), (second[0], second[1], second[2])
    return (other, one) if sum(map(abs, other)) < sum(map(abs, one)) else (one, other)


def nearest_turn(angle: float, old: float) -> float:
    """The angle, changed by whole turns, that is nearest to an old one."""
    return angle + TURN * round((old - angle) / TURN)


def nearest_euler(matrix: Matrix, order: str, old: Sequence[float]) -> Triple:
    """The triple of angles, of all that make a rotation, that is nearest to an old one."""
    candidates = [
        tuple(nearest_turn(angle, before) for angle, before in zip(triple, old, strict=True))
        for triple in to_euler(matrix, order)
    ]
    x, y, z = min(candidates, key=lambda triple: sum(abs(a - b) for a, b in zip(triple, old, strict=True)))
    return x, y, z


def from_quaternion(quaternion: Sequence[float]) -> Matrix:
    """(3, 3) rotation of a quaternion of any length; (0, 0, 0, 0) is half a turn about x, as Blender has it."""
    w, x, y, z = quaternion
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if length == 0.0:
        w, x, y, z = 0.0, 1.0, 0.0, 0.0
    else:
        w, x, y, z = w / length, x / length, y / length, z / length
    return np.array(
        (
            (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
            (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
            (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
        )
    )


def to_quaternion(matrix: Matrix, old: Sequence[float] | None = None) -> Quaternion:
    """The unit quaternion of a rotation: of the two the one on the side of an old one, else the one with w >= 0.

    Source: S. W. Shepperd, "Quaternion from rotation matrix", Journal of Guidance and Control 1 (1978).
    """
    m = matrix
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    squares = (trace, m[0, 0], m[1, 1], m[2, 2])
    largest = int(np.argmax(squares))
    if largest == 0:
        q = [1.0 + trace, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]
    else:
        i = largest - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        q = [0.0] * 4
        q[0] = m[k, j] - m[j, k]
        q[1 + i] = 1.0 + 2.0 * m[i, i] - trace
        q[1 + j] = m[j, i] + m[i, j]
        q[1 + k] = m[k, i] + m[i, k]
    length = math.sqrt(sum(float(number) ** 2 for number in q))
    side = q[0] if old is None else sum(a * b for a, b in zip(q, old, strict=True))
    scale = math.copysign(1.0 / length, side if side != 0.0 else 1.0)
    w, x, y, z = (float(number) * scale for number in q)
    return w, x, y, z


def from_swing(outer: int, inner: int, angles: Sequence[float]) -> Matrix:
    """(3, 3) rotation whose quaternion has no part along the third coordinate axis.

    All of those are ``turn(outer, a) @ turn(inner, b) @ turn(outer, a)``, and near the identity in one way only.

    Args:
        outer: coordinate axis of the first and the last turn.
        inner: coordinate axis of the one between them.
        angles: (3,) of which ``a = angles[outer]`` and ``b = angles[inner]`` are used.
    """
    twice = about(outer, angles[outer])
    return twice @ about(inner, angles[inner]) @ twice


def to_swing(matrix: Matrix, outer: int, inner: int) -> tuple[float, float]:
    """The two angles of :func:`from_swing`, for a rotation that is of that kind."""
    quaternion = to_quaternion(matrix)
    along_inner = min(1.0, max(-1.0, quaternion[1 + inner]))
    return math.atan2(quaternion[1 + outer], quaternion[0]), 2.0 * math.asin(along_inner)


def from_axis_angle(values: Sequence[float]) -> Matrix:
    """(3, 3) rotation of (angle, x, y, z); an axis of no length turns nothing."""
    angle, x, y, z = values
    length = math.sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return np.eye(3)
    s = math.sin(0.5 * angle) / length
    return from_quaternion((math.cos(0.5 * angle), x * s, y * s, z * s))


def to_axis_angle(matrix: Matrix, old: Sequence[float]) -> Quaternion:
    """(angle, x, y, z) of a rotation: axis on the side of the old one, angle within half a turn of the old one.

    No rotation at all keeps the old axis.
    """
    w, x, y, z = to_quaternion(matrix)
    length = math.sqrt(x * x + y * y + z * z)
    old_length = math.sqrt(sum(number * number for number in old[1:]))
    if length < 1e-12:
        axis = tuple(old[1:]) if old_length > 0.0 else (0.0, 1.0, 0.0)
        return (nearest_turn(0.0, old[0]), *axis)  # type: ignore[return-value]
    angle = 2.0 * math.atan2(length, w)
    axis = (x / length, y / length, z / length)
    if sum(a * b for a, b in zip(axis, old[1:], strict=True)) < 0.0:
        angle, axis = -angle, (-axis[0], -axis[1], -axis[2])
    return (nearest_turn(angle, old[0]), *axis)
