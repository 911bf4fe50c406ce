"""TRAC-IK by its Python binding: KDL's Newton and SQP in two threads, 5 ms. It knows whole poses only."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytracik
from protocol import STRICT, Array, CannotError, Peer, serve

TIMEOUT = 0.005  # as it comes [s]
# It holds every component of the error to this by itself; the length of three of them may be 1.7 times as much.
EPSILON = 0.57 * STRICT


def quaternion(matrix: Array) -> list[float]:
    """(x, y, z, w) of a rotation (3, 3)."""
    full = np.array(
        [
            [matrix[0, 0] - matrix[1, 1] - matrix[2, 2], 0.0, 0.0, 0.0],
            [matrix[0, 1] + matrix[1, 0], matrix[1, 1] - matrix[0, 0] - matrix[2, 2], 0.0, 0.0],
            [matrix[0, 2] + matrix[2, 0], matrix[1, 2] + matrix[2, 1], matrix[2, 2] - matrix[0, 0] - matrix[1, 1], 0.0],
            [
                matrix[2, 1] - matrix[1, 2],
                matrix[0, 2] - matrix[2, 0],
                matrix[1, 0] - matrix[0, 1],
                matrix[0, 0] + matrix[1, 1] + matrix[2, 2],
            ],
        ]
    )
    return [float(part) for part in np.linalg.eigh(full)[1][:, -1]]


class TracIK(Peer):
    """``pytracik.ik``, solve type Speed."""

    name = "TRAC-IK"
    version = importlib.metadata.version("pytracik")
    note = "pytracik, Speed, 5 ms, two threads; epsilon set to 1e-5 m; whole poses only"

    def load(self, chain: dict[str, Any], urdf: str) -> None:
        text = Path(urdf).read_text(encoding="utf-8")
        self._solver = pytracik.TRAC_IK("l0", "tip", text, TIMEOUT, EPSILON, pytracik.SolveType.Speed)

    def aim(self, position: Array, rotation: Array | None) -> Any:
        if rotation is None:
            raise CannotError("knows whole poses only")
        return [*map(float, position), *quaternion(rotation)]

    def solve(self, target: Any) -> Any:
        return pytracik.ik(self._solver, self.middle, *target)

    def values(self, found: Any) -> Any:
        return found[1:] if found[0] >= 0 else None


if __name__ == "__main__":
    serve(TracIK)
