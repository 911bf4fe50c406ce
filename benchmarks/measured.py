"""What was measured, and the arithmetic of the tables: shares of solved targets, and ratios of times.

A time is compared as the geometric mean, over the chains and the repeats, of the ratio of the medians. All targets of a
set count for a median, solved or not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from chains import Array
from judge import Flags


@dataclass(frozen=True, eq=False)
class Measured:
    """One solver on one set of one chain.

    Attributes:
        seconds: (repeats, n) of each solve.
        strict, loose: (repeats, n) whether it was solved.
        excess: largest way of any value beyond its limit [rad] or [m].
        jumps: (repeats, paths) whether a joint jumps along a path; empty for sets without paths.
        near: (repeats, n) whether it came as near as is known to be possible; empty for sets that can be reached.
    """

    seconds: Array
    strict: Flags
    loose: Flags
    excess: float
    jumps: Flags
    near: Flags

    @property
    def median(self) -> float:
        """Of all repeats [s]."""
        return float(np.median(self.seconds))

    @property
    def p99(self) -> float:
        """Of all repeats [s]."""
        return float(np.percentile(self.seconds, 99))

    def within(self, budget: float) -> float:
        """Share of targets solved strictly in so many seconds."""
        return share(self.strict & (self.seconds <= budget))


def share(flags: Flags) -> float:
    """Of 1."""
    return float(np.mean(flags)) if flags.size else math.nan


def geometric_mean(ratios: Iterable[float]) -> float:
    """Of positive numbers; not a number where there are none."""
    listed = list(ratios)
    return math.exp(sum(map(math.log, listed)) / len(listed)) if listed else math.nan


def time_ratio(pairs: Sequence[tuple[Measured, Measured]]) -> float:
    """Geometric mean over the chains and the repeats of the ratio of the medians, first to second."""
    return geometric_mean(_by_repeat(pairs))


def spread(pairs: Sequence[tuple[Measured, Measured]]) -> tuple[float, float]:
    """The least and the largest of :func:`time_ratio` when every repeat is taken by itself."""
    ratios = _by_repeat(pairs)
    return min(ratios), max(ratios)


def _by_repeat(pairs: Sequence[tuple[Measured, Measured]]) -> list[float]:
    """Medians of the same repeat are compared: the machine was in the same state. One may have fewer repeats."""
    repeats = min(len(one.seconds) for pair in pairs for one in pair)
    return [
        geometric_mean(float(np.median(a.seconds[r]) / np.median(b.seconds[r])) for a, b in pairs)
        for r in range(repeats)
    ]


def lowest(shares: dict[str, float]) -> tuple[str, float]:
    """The chain that comes out worst."""
    name = min(shares, key=lambda each: shares[each])
    return name, shares[name]


def mean(shares: dict[str, float]) -> float:
    """Over the chains."""
    return sum(shares.values()) / len(shares)
