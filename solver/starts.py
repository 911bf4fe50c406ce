"""Where the lines of a batch begin: what :mod:`.poses` does for a single search, lane by lane."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .lanes import Lanes
from .methods import SEED
from .poses import OFFSET
from .targets import Array, Flags, Places


def shaken(lanes: Lanes, chain: Places, values: Array) -> Array:
    """(dof, k) every unknown a little away, to either side in an order without a pattern.

    Args:
        lanes: the chains.
        chain: (k,) that of each lane.
        values: (dof, k) the poses.
    """
    moved = values + OFFSET * lanes.of(lanes.stride, chain) * np.sin(1.0 + 2.4 * np.arange(lanes.dof))[:, None]
    return _clamped(lanes, chain, moved, values)


def backed(lanes: Lanes, chain: Places, values: Array, blocked: Flags) -> Array:
    """(dof, k) half a turn, or a bit more than a reach, back from the limit, where (dof, k) ``blocked`` is True."""
    back = np.where(values >= lanes.of(lanes.upper, chain), -math.pi, math.pi) * lanes.of(lanes.stride, chain)
    return _clamped(lanes, chain, np.where(blocked, values + back, values), values)


def middle(lanes: Lanes, chain: Places, start: Array) -> Array:
    """(dof, k) the middle of the limits, where there are any."""
    lower, upper = lanes.of(lanes.lower, chain), lanes.of(lanes.upper, chain)
    bounded = np.isfinite(upper - lower)
    centre = 0.5 * (np.where(bounded, lower, 0.0) + np.where(bounded, upper, 0.0))
    return _clamped(lanes, chain, np.where(bounded, centre, start), start)


def anywhere(lanes: Lanes, chain: Places, start: Array, target: Places, number: NDArray[np.int64]) -> Array:
    """(dof, k) poses without a pattern inside the limits, half a turn or a reach, and a bit, from the start at most.

    Args:
        lanes: the chains.
        chain: (k,) that of each lane.
        start: (dof, k) where the target began.
        target: (k,) number of the target.
        number: (k,) number of the pose.
    """
    lower, upper, around = (
        lanes.of(lanes.lower, chain),
        lanes.of(lanes.upper, chain),
        math.pi * lanes.of(lanes.stride, chain),
    )
    lower, upper = np.maximum(lower, start - around), np.minimum(upper, start + around)
    return _clamped(lanes, chain, lower + _scattered(target, number, lanes.dof) * (upper - lower), start)


def _clamped(lanes: Lanes, chain: Places, moved: Array, values: Array) -> Array:
    """Inside the limits; unknowns that move nothing stay."""
    return np.where(lanes.used, np.clip(moved, lanes.of(lanes.lower, chain), lanes.of(lanes.upper, chain)), values)


def _scattered(target: Places, number: NDArray[np.int64], dof: int) -> Array:
    """(dof, k) numbers in [0, 1) without a pattern, by target, restart and unknown.

    SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014) of a counter.
    """
    counter = (target.astype(np.uint64) * np.uint64(1 << 12) + number.astype(np.uint64)) * np.uint64(1 << 12)
    state = (counter + np.arange(SEED, SEED + dof, dtype=np.uint64)[:, None]) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state = state ^ (state >> np.uint64(31))
    return np.asarray((state >> np.uint64(11)).astype(np.float64) / float(1 << 53))
