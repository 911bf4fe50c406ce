"""What the processes of the benchmark say to each other: one JSON object a line, by standard input and output.

The runner asks one process at a time, and waits: nothing else of the benchmark runs meanwhile. A process says "hello"
with what it is, then answers

- ``chain``: take this chain; answers what of it the solver cannot do, if it cannot;
- ``solve``: every target by itself, each from the same start;
- ``paths``: targets along paths, each from what was found for the one before;
- ``batch``: all targets by one call.

Only Python's own library and numpy may be needed here. A number that is no number stands for "no solution".
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# What is asked of every solver that can be told: a distance [m], an angle [rad].
STRICT = 1e-5
LOOSE = 1e-3  # of the reach
STRICT_ANGLE = 1e-3


class CannotError(Exception):
    """A chain or a goal that this solver is not made for, in one line."""


class Peer:
    """A solver. Targets are brought into its own form before the clock starts, as arrays are loaded before a loop.

    Attributes:
        lower, upper: (dof,) limits of the present chain [rad] or [m]; infinite where a joint turns freely.
        middle: (dof,) the middle of the limits, 0 where there are none: where single solves start.
        reach: of the present chain [m].
    """

    name = ""
    version = ""
    note = ""

    def load(self, chain: dict[str, Any], urdf: str) -> None:
        """Take a chain.

        Args:
            chain: "joints", each with its (4, 4) "T", "type", "lo" and "hi"; the (4, 4) "tip"; the "reach".
            urdf: a file with the same chain, from link "l0" to link "tip".

        Raises:
            CannotError: the solver is not made for this chain.
        """
        raise NotImplementedError

    def aim(self, position: Array, rotation: Array | None) -> Any:
        """A target (3,), (3, 3) in the solver's own form; not timed.

        Raises:
            CannotError: the solver is not made for targets of this kind.
        """
        raise NotImplementedError

    def begin(self, start: Array) -> None:
        """A path starts at these values (dof,); not timed."""
        self.start = start

    def solve(self, target: Any) -> Any:
        """One target from the middle of the limits; timed. What it returns goes through :meth:`values`."""
        raise NotImplementedError

    def follow(self, target: Any) -> Any:
        """The next target of a path, from what was found for the one before; timed."""
        raise NotImplementedError

    def values(self, found: Any) -> Any:
        """(dof,) of what a solve has found, or None; not timed."""
        return found

    def batch(self, positions: Array, rotations: Array | None) -> Array:
        """(n, dof) for all targets, by the solver's own means; timed."""
        raise CannotError("has no batches")


def _limits(peer: Peer, chain: dict[str, Any]) -> None:
    free = [joint["type"] == "continuous" for joint in chain["joints"]]
    peer.lower = np.array([-np.inf if f else j["lo"] for f, j in zip(free, chain["joints"], strict=True)])
    peer.upper = np.array([np.inf if f else j["hi"] for f, j in zip(free, chain["joints"], strict=True)])
    peer.middle = np.array([0.5 * (joint["lo"] + joint["hi"]) for joint in chain["joints"]])
    peer.reach = chain["reach"]


def _timed(call: Callable[[Any], Any], target: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    found = call(target)
    return found, time.perf_counter() - start


def _listed(values: Any, dof: int) -> list[float]:
    return [float("nan")] * dof if values is None else [float(value) for value in values]


def _targets(peer: Peer, positions: Any, rotations: Any) -> list[Any]:
    turned = [None] * len(positions) if rotations is None else [np.array(each) for each in rotations]
    return [peer.aim(np.array(each), turn) for each, turn in zip(positions, turned, strict=True)]


def _solve(peer: Peer, ask: dict[str, Any]) -> dict[str, Any]:
    targets = _targets(peer, ask["p"], ask.get("R"))
    for target in targets[: ask["warm"]]:
        peer.solve(target)
    found, seconds = [], []
    for target in targets:
        one, spent = _timed(peer.solve, target)
        found.append(_listed(peer.values(one), len(peer.middle)))
        seconds.append(spent)
    return {"q": found, "t": seconds}


def _paths(peer: Peer, ask: dict[str, Any]) -> dict[str, Any]:
    found, seconds = [], []
    for path, start in zip(ask["p"], ask["q0"], strict=True):
        peer.begin(np.array(start))
        values, times = [], []
        for target in _targets(peer, path, None):
            one, spent = _timed(peer.follow, target)
            values.append(_listed(peer.values(one), len(peer.middle)))
            times.append(spent)
        found.append(values)
        seconds.append(times)
    return {"q": found, "t": seconds}


def _batch(peer: Peer, ask: dict[str, Any]) -> dict[str, Any]:
    positions, rotations = np.array(ask["p"]), None if ask.get("R") is None else np.array(ask["R"])
    start = time.perf_counter()
    found = peer.batch(positions, rotations)
    return {"t": time.perf_counter() - start, "q": found.tolist()}


def answer(peer: Peer, ask: dict[str, Any]) -> dict[str, Any]:
    """What the peer says to one line."""
    try:
        if ask["do"] == "chain":
            _limits(peer, ask["chain"])
            peer.load(ask["chain"], ask["urdf"])
            return {"ok": True}
        return {"solve": _solve, "paths": _paths, "batch": _batch}[ask["do"]](peer, ask)
    except CannotError as error:
        return {"cannot": str(error)}


def serve(make: Callable[[], Peer]) -> None:
    """Answer until the input ends. Whatever libraries print meanwhile goes to the standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    peer = make()
    hello = {"name": peer.name, "version": peer.version, "note": peer.note}
    print(json.dumps(hello), file=out, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(peer, json.loads(line))), file=out, flush=True)
