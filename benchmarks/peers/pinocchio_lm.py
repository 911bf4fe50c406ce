"""Pinocchio's C++ kinematics under a plain Levenberg-Marquardt loop of ours: what one writes in an afternoon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
from protocol import STRICT, STRICT_ANGLE, Array, Peer, serve

ITERATIONS, SEARCHES = 60, 20


class Pinocchio(Peer):
    """Damping in proportion to the squared error, values clamped after each step, restarts from random values."""

    name = "pinocchio + LM loop"
    version = pinocchio.__version__
    note = "pinocchio's kinematics; the loop is the benchmark's own, numpy"

    def load(self, chain: dict[str, Any], urdf: str) -> None:
        # A free joint has two numbers in pinocchio; a turn without limits is the same with one.
        text = Path(urdf).read_text(encoding="utf-8").replace('type="continuous"', 'type="revolute"')
        self._model = pinocchio.buildModelFromXML(text)
        self._data = self._model.createData()
        self._tip = self._model.getFrameId("tip")
        self._low = np.where(np.isfinite(self.lower), self.lower, -np.pi)
        self._high = np.where(np.isfinite(self.upper), self.upper, np.pi)
        self._random = np.random.default_rng(1)

    def aim(self, position: Array, rotation: Array | None) -> Any:
        return pinocchio.SE3(np.eye(3) if rotation is None else rotation, position), rotation is not None

    def _search(self, start: Array, target: Any) -> tuple[Array, float]:
        frame, turned = target
        q, best, least = start, start, np.inf
        model, data, tip = self._model, self._data, self._tip
        rows = 6 if turned else 3
        eye = np.eye(rows)
        for _ in range(ITERATIONS):
            jacobian = pinocchio.computeFrameJacobian(model, data, q, tip, pinocchio.LOCAL_WORLD_ALIGNED)[:rows]
            placed = data.oMf[tip]
            error = frame.translation - placed.translation
            distance, angle = np.sqrt(error @ error), 0.0
            if turned:
                turn = pinocchio.log3(frame.rotation @ placed.rotation.T)
                angle = np.sqrt(turn @ turn)
                error = np.concatenate((error, turn))
            square = error @ error
            if square < least:
                best, least = q, square
            if distance < 0.99 * STRICT and angle < 0.99 * STRICT_ANGLE:
                return q, 0.0
            step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + (0.05 * square + 1e-9) * eye, error)
            q = np.clip(q + step, self.lower, self.upper)
        return best, least

    def _anyhow(self, start: Array, target: Any) -> Array:
        best, least = self._search(start, target)
        for _ in range(SEARCHES - 1):
            if least == 0.0:
                break
            found, error = self._search(self._random.uniform(self._low, self._high), target)
            if error < least:
                best, least = found, error
        return best

    def solve(self, target: Any) -> Any:
        return self._anyhow(self.middle, target)

    def follow(self, target: Any) -> Any:
        self.start = self._search(self.start, target)[0]
        return self.start


if __name__ == "__main__":
    serve(Pinocchio)
