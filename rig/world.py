"""Between world space and an armature's own."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import GoalError, RigError
from .matrices import even_scale, inverse

Matrix = NDArray[np.float64]


class World:
    """Where an armature object stands, as it is shown now.

    Attributes:
        matrix: (4, 4) from armature space to world space.
        stretch: the most by which a length grows from armature space to world space; the scale where that is even.
    """

    def __init__(self, armature: bpy.types.Object) -> None:
        """Read the object's matrix.

        Raises:
            RigError: the object is scaled to nothing.
        """
        self.matrix: Matrix = np.array(armature.matrix_world, dtype=np.float64)
        self._name = armature.name
        if not np.isfinite(self.matrix).all():
            raise RigError(f"armature {armature.name!r} stands nowhere: its matrix holds numbers that are not finite")
        sizes = np.linalg.svd(self.matrix[:3, :3], compute_uv=False)
        if sizes[-1] < 1e-9:
            lengths = np.linalg.norm(self.matrix[:3, :3], axis=0)
            flat = [axis for axis, length in zip("XYZ", lengths, strict=True) if length < 1e-9]
            where = f" along {' and '.join(flat)}" if 0 < len(flat) < 3 else ""
            raise RigError(f"armature {armature.name!r} is scaled to nothing{where}: give it a scale other than 0")
        self.stretch = float(sizes[0])
        self._inverse = inverse(self.matrix)

    def seen_from(self, armature: bpy.types.Object) -> Matrix:
        """(4, 4) from armature space as it is now to armature space as it was when this was read."""
        now = np.array(armature.matrix_world, dtype=np.float64)
        return np.eye(4) if np.array_equal(now, self.matrix) else self._inverse @ now

    def point_inside(self, point: ArrayLike) -> Matrix:
        """(3,) world point in armature space.

        Raises:
            GoalError: it is no point.
        """
        return self._inverse[:3, :3] @ _numbers(point, (3,), "position") + self._inverse[:3, 3]

    def point_outside(self, point: ArrayLike) -> Matrix:
        """(3,) armature-space point in world space."""
        return self.matrix[:3, :3] @ np.asarray(point, dtype=np.float64) + self.matrix[:3, 3]

    def direction_inside(self, direction: ArrayLike) -> Matrix:
        """(3,) world direction in armature space.

        Raises:
            GoalError: it is no direction.
            RigError: the object is scaled unevenly.
        """
        turned = self._rotation().T @ _numbers(direction, (3,), "direction")
        # Of a mirrored armature the rotation is that of its mirror image, which points the other way.
        return turned if np.linalg.det(self.matrix[:3, :3]) > 0.0 else -turned

    def rotation_inside(self, rotation: ArrayLike) -> Matrix:
        """(3, 3) world rotation in armature space.

        Raises:
            GoalError: it is no matrix.
            RigError: the object is scaled unevenly, so that the bodies have no rotation in world space.
        """
        return self._rotation().T @ _numbers(rotation, (3, 3), "orientation")

    def direction_outside(self, direction: ArrayLike) -> Matrix:
        """(3,) armature-space direction in world space.

        Raises:
            RigError: the object is scaled unevenly.
        """
        turned = self._rotation() @ np.asarray(direction, dtype=np.float64)
        return turned if np.linalg.det(self.matrix[:3, :3]) > 0.0 else -turned

    def rotation_outside(self, rotation: ArrayLike) -> Matrix:
        """(3, 3) armature-space rotation in world space.

        Raises:
            RigError: the object is scaled unevenly.
        """
        return self._rotation() @ np.asarray(rotation, dtype=np.float64)

    def _rotation(self) -> Matrix:
        scale = even_scale(self.matrix[:3, :3])
        if scale is None:
            raise RigError(
                f"armature {self._name!r} is scaled unevenly, so its bodies are sheared in world space and have no "
                "orientation there: apply the scale, or ask for a position only"
            )
        return self.matrix[:3, :3] / scale


def _numbers(value: ArrayLike, shape: tuple[int, ...], what: str) -> Matrix:
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise GoalError(f"the {what} is {value!r}; numbers of shape {shape} are needed") from None
    if numbers.shape != shape or not np.isfinite(numbers).all():
        raise GoalError(f"the {what} is {numbers.tolist()}; finite numbers of shape {shape} are needed")
    return numbers
