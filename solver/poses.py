"""Where else a search may begin."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .compiled import Compiled

# Largest turn of a small offset [rad].
OFFSET = 0.15


def shaken(compiled: Compiled, values: list[float]) -> list[float]:
    """Every unknown a little away, to either side in an order without a pattern: leaves a straight, singular pose."""
    moved = values.copy()
    for i in compiled.movable:
        moved[i] += OFFSET * compiled.stride[i] * math.sin(1.0 + 2.4 * i)
    return compiled.clamp(moved)


def backed(compiled: Compiled, values: list[float], blocked: tuple[int, ...]) -> list[float]:
    """Half a turn, or a bit more than a reach, back from the limit at which these unknowns are."""
    moved = values.copy()
    for i in blocked:
        back = math.pi * compiled.stride[i]
        moved[i] += -back if moved[i] >= compiled.upper[i] else back
    return compiled.clamp(moved)


def middle(compiled: Compiled, values: list[float]) -> list[float]:
    """Everything in the middle of its limits, where it has any."""
    moved = values.copy()
    for i in compiled.movable:
        low, high = compiled.lower[i], compiled.upper[i]
        if math.isfinite(high - low):
            moved[i] = 0.5 * (low + high)
    return compiled.clamp(moved)


def anywhere(compiled: Compiled, values: list[float], source: random.Random) -> list[float]:
    """Uniform within the limits, but not farther than half a turn, or a bit more than a reach, to either side."""
    moved = values.copy()
    for i in compiled.movable:
        around = math.pi * compiled.stride[i]
        low, high = max(compiled.lower[i], moved[i] - around), min(compiled.upper[i], moved[i] + around)
        moved[i] = low + source.random() * (high - low)
    return moved
