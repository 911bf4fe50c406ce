"""Linkpose. ``--loops``: without the functions that it writes out for each chain. ``--method``: CCD or FABRIK."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
from protocol import LOOSE, STRICT, STRICT_ANGLE, Array, Peer, serve

ROOT = Path(__file__).resolve().parent.parent.parent


def load_package() -> None:
    """Make the checkout importable as ``linkpose``, whatever its folder is called."""
    spec = importlib.util.spec_from_file_location(
        "linkpose", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["linkpose"] = module
    spec.loader.exec_module(module)


class Ours(Peer):
    """``solver.solve``, ``solver.Search`` in a drag, ``solver.solve_batch``."""

    name = "linkpose"

    def __init__(self, *, loops: bool, method: str) -> None:
        load_package()
        import linkpose
        from linkpose import solver, urdf
        from linkpose.solver.compiled import Compiled

        self._solver, self._urdf, self._method = solver, urdf, method
        self.version = linkpose.__version__
        if method != "AUTO":
            self.name += f" {method}"
        if loops:
            self.name += " (loops)"
            self.note = "the same without code written out for the chain"
            Compiled.iteration = lambda self, turned, *, written: None

    def load(self, chain: dict[str, Any], urdf: str) -> None:
        skeleton = self._urdf.load(urdf).skeleton()
        names = [f"j{i}" for i in range(len(chain["joints"]))]
        held = skeleton.vector(dict(zip(names, self.middle.tolist(), strict=True)))
        self._chain = skeleton.chain("tip", q=held, anchor="root")
        if list(self._chain.unknowns) != names:
            raise AssertionError(f"unknowns {self._chain.unknowns}, expected {names}")

    def aim(self, position: Array, rotation: Array | None) -> Any:
        return position, rotation

    def begin(self, start: Array) -> None:
        self.start, self._search = start, None

    def solve(self, target: Any) -> Any:
        goal = self._solver.Goal("tip", *target)
        return self._solver.solve(
            self._chain,
            goal,
            method=self._method,
            tolerance=STRICT if self._method == "AUTO" else LOOSE * self.reach,
            orientation_tolerance=STRICT_ANGLE,
        )

    def follow(self, target: Any) -> Any:
        goal = self._solver.Goal("tip", *target)
        if self._search is None:
            self._search = self._solver.Search(self._chain, goal, self.start, method=self._method)
        else:
            self._search.retarget(goal)
        return self._search.advance(math.inf)

    def values(self, found: Any) -> Any:
        return found.values

    def batch(self, positions: Array, rotations: Array | None) -> Array:
        found = self._solver.solve_batch(
            self._chain, positions, rotations, tolerance=STRICT, orientation_tolerance=STRICT_ANGLE
        )
        return np.asarray(found.values)


if __name__ == "__main__":
    wish = sys.argv[sys.argv.index("--method") + 1] if "--method" in sys.argv else "AUTO"
    serve(lambda: Ours(loops="--loops" in sys.argv, method=wish))
