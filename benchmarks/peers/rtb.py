"""Peter Corke's and Jesse Haviland's Robotics Toolbox: Levenberg-Marquardt in C++, Chan's damping, its own restarts."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import numpy as np
from protocol import STRICT, Array, Peer, serve
from roboticstoolbox import ET, ETS

# It compares half of the squared error, metres and radians added up. The stock value, 1e-6, is millimetres.
TOLERANCE = 0.5 * (0.99 * STRICT) ** 2


class Toolbox(Peer):
    """``ETS.ik_LM``: 30 iterations a search, 100 searches, as it comes."""

    name = "roboticstoolbox"
    version = importlib.metadata.version("roboticstoolbox-python")
    note = "ETS.ik_LM(method='chan'), C++; tolerance set to 1e-5 m"

    def load(self, chain: dict[str, Any], urdf: str) -> None:
        terms = []
        for joint in chain["joints"]:
            limits = [joint["lo"], joint["hi"]]
            turn = ET.tz(qlim=limits) if joint["type"] == "prismatic" else ET.Rz(qlim=limits)
            terms += [ET.SE3(np.array(joint["T"])), turn]
        self._ets = ETS([*terms, ET.SE3(np.array(chain["tip"]))])

    def aim(self, position: Array, rotation: Array | None) -> Any:
        frame = np.eye(4)
        frame[:3, 3] = position
        if rotation is None:
            return frame, np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
        frame[:3, :3] = rotation
        return frame, np.ones(6)

    def _from(self, start: Array, target: Any) -> Any:
        frame, mask = target
        return self._ets.ik_LM(frame, q0=start, tol=TOLERANCE, mask=mask, k=1.0, method="chan")

    def solve(self, target: Any) -> Any:
        return self._from(self.middle, target)

    def follow(self, target: Any) -> Any:
        found = self._from(self.start, target)
        self.start = found.q
        return found

    def values(self, found: Any) -> Any:
        return found.q

    def batch(self, positions: Array, rotations: Array | None) -> Array:
        frames = np.tile(np.eye(4), (len(positions), 1, 1))
        frames[:, :3, 3] = positions
        mask = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]) if rotations is None else np.ones(6)
        if rotations is not None:
            frames[:, :3, :3] = rotations
        return np.array([self._from(self.middle, (frame, mask)).q for frame in frames])


if __name__ == "__main__":
    serve(Toolbox)
