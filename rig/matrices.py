"""Small matrices, where a general library call costs more than the numbers: 4x4 frames in double precision."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float64]

# How far a matrix may be from uniform scale and still count as that.
EVEN = 1e-4
# Axes that are nearer than this to a right angle are left as they are.
SHEAR = 1e-4


def inverse(frame: Any) -> Matrix:  # noqa: ANN401 (Blender's matrices are array-like only at run time)
    """(4, 4) inverse of an affine frame, by cofactors.

    Raises:
        ZeroDivisionError: the frame is flat.
    """
    (a, b, c, x), (d, e, f, y), (g, h, i, z), _ = np.array(frame, dtype=np.float64).tolist()
    k = 1.0 / (a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g))
    a, b, c, d, e, f, g, h, i = (
        (e * i - f * h) * k, (c * h - b * i) * k, (b * f - c * e) * k,
        (f * g - d * i) * k, (a * i - c * g) * k, (c * d - a * f) * k,
        (d * h - e * g) * k, (b * g - a * h) * k, (a * e - b * d) * k,
    )  # fmt: skip
    return np.array(
        (
            (a, b, c, -(a * x + b * y + c * z)),
            (d, e, f, -(d * x + e * y + f * z)),
            (g, h, i, -(g * x + h * y + i * z)),
            (0.0, 0.0, 0.0, 1.0),
        )
    )


def placed(linear: Matrix, at: ArrayLike = (0.0, 0.0, 0.0)) -> Matrix:
    """(4, 4) frame of a (3, 3) matrix at a point (3,)."""
    frame = np.eye(4)
    frame[:3, :3] = linear
    frame[:3, 3] = at
    return frame


def moved(frame: Matrix, by: Matrix) -> Matrix:
    """(4, 4) frame moved by (3,), in the space that it lies in."""
    frame = frame.copy()
    frame[:3, 3] += by
    return frame


def about(direction: Matrix, angle: float) -> Matrix:
    """(3, 3) rotation about a unit vector (3,)."""
    x, y, z = direction
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    turned: Matrix = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * (cross @ cross)
    return turned


def nearest_rotation(linear: Matrix) -> Matrix:
    """(3, 3) rotation nearest to a linear map; of a mirrored one that of its mirror image."""
    u, _, v = np.linalg.svd(linear)
    turned: Matrix = u @ v
    return turned * np.sign(np.linalg.det(turned))


def even_scale(linear: Matrix) -> float | None:
    """The uniform scale of a (3, 3) matrix, negative where it mirrors; None where it is uneven or nothing."""
    square = linear.T @ linear
    mean = float(np.trace(square)) / 3.0
    if mean < 1e-12 or float(abs(square - mean * np.eye(3)).max()) > EVEN * mean:
        return None
    return math.copysign(math.sqrt(mean), float(np.linalg.det(linear)))


def upright(linear: Matrix, *, unit: bool = False) -> Matrix:
    """(3, 3) matrix without shear, as Blender takes it out: Y stays, X and Z give way alike.

    Args:
        linear: (3, 3).
        unit: whether the columns come out with length 1; else the volume is kept.
    """
    (ax, bx, cx), (ay, by, cy), (az, bz, cz) = linear.tolist()
    square = max(bx * bx + by * by + bz * bz, 1e-30)
    k = (ax * bx + ay * by + az * bz) / square
    ax, ay, az = ax - k * bx, ay - k * by, az - k * bz
    k = (cx * bx + cy * by + cz * bz) / square
    cx, cy, cz = cx - k * bx, cy - k * by, cz - k * bz
    a, c = math.sqrt(ax * ax + ay * ay + az * az), math.sqrt(cx * cx + cy * cy + cz * cz)
    k = 1.0 / max(a, 1e-30)
    ax, ay, az = ax * k, ay * k, az * k
    k = 1.0 / max(c, 1e-30)
    cx, cy, cz = cx * k, cy * k, cz * k
    cosine = ax * cx + ay * cy + az * cz
    shrink = 1.0
    if SHEAR < abs(cosine) < 1.0 - 1e-7:
        # Half of their sum and half of their difference are at right angles.
        p, m = 0.5 / math.sqrt(0.5 + 0.5 * cosine), 0.5 / math.sqrt(0.5 - 0.5 * cosine)
        p, m = p * math.sqrt(0.5), m * math.sqrt(0.5)
        ax, cx = p * (ax + cx) + m * (ax - cx), p * (ax + cx) - m * (ax - cx)
        ay, cy = p * (ay + cy) + m * (ay - cy), p * (ay + cy) - m * (ay - cy)
        az, cz = p * (az + cz) + m * (az - cz), p * (az + cz) - m * (az - cz)
        shrink = math.sqrt(math.sqrt(max(1.0 - cosine * cosine, 0.0)))
    if unit:
        b = 1.0 / math.sqrt(square)
        return np.array(((ax, b * bx, cx), (ay, b * by, cy), (az, b * bz, cz)))
    a, c = a * shrink, c * shrink
    return np.array(((a * ax, bx, c * cx), (a * ay, by, c * cy), (a * az, bz, c * cz)))
