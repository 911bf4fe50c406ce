"""Poses that are not solved for: neutral ones and random ones, of joints by name."""

from __future__ import annotations

import math
import random

import numpy as np

from .reading import Reading


def neutral(rig: Reading, unknowns: tuple[str, ...]) -> dict[str, float]:
    """The values of joints in the neutral pose: 0, or the nearest that the limits let be. Locked ones are left out."""
    values = dict(zip(rig.skeleton.unknowns, rig.skeleton.neutral().tolist(), strict=True))
    return {name: values[name] for name in unknowns if not rig.is_locked(name)}


def randomized(rig: Reading, unknowns: tuple[str, ...], *, seed: int, amount: float = 1.0) -> dict[str, float]:
    """Values drawn evenly from the limits of joints. Locked ones are left out, and slides without both limits.

    Args:
        rig: the reading.
        unknowns: whose values.
        seed: equal seeds give equal poses, whatever other joints are asked for.
        amount: how far to go from the present pose towards the drawn one, from 0 to 1.
    """
    skeleton = rig.skeleton
    place = {name: i for i, name in enumerate(skeleton.unknowns)}
    now = np.asarray(rig.pose())
    found = {}
    for name in unknowns:
        i = place[name]
        lower, upper = float(skeleton.lower[i]), float(skeleton.upper[i])
        if rig.is_locked(name):
            continue
        if not (math.isfinite(lower) and math.isfinite(upper)):
            if rig.channels[name].path == "location":
                continue
            # An angle without limits, or with one: a whole turn is all there is to see.
            lower, upper = max(lower, -math.pi), min(upper, math.pi)
        drawn = lower + (upper - lower) * random.Random(f"{seed} {name}").random()
        found[name] = float(now[i]) + amount * (drawn - float(now[i]))
    return found
