"""The judge: whether a result is what was asked for, by forward kinematics that no solver had a hand in.

Distances in metres, angles in radians, all in float64.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from chains import Array, Chain
from numpy.typing import NDArray

Flags = NDArray[np.bool_]

STRICT, STRICT_ANGLE = 1e-5, 1e-3
LOOSE, LOOSE_ANGLE = 1e-3, 1e-3  # the distance in reaches
# A value may lie beyond its limit by no more than the rounding of a number of that size.
LEAST_EXCESS = 1e-12
# A joint that turns more than this from one frame of a path to the next has jumped [rad].
JUMP = 0.5


@dataclass(frozen=True, eq=False)
class Verdict:
    """What became of n targets.

    Attributes:
        distance: (n,) from the target [m]; infinite where there is no solution.
        angle: (n,) from the orientation asked for [rad]; 0 where none was.
        excess: (n,) largest way of a value beyond its limit [rad] or [m]; 0 where there is none.
    """

    distance: Array
    angle: Array
    excess: Array
    reach: float

    @property
    def outside(self) -> Flags:
        """(n,) whether a value is beyond its limit."""
        return self.excess > LEAST_EXCESS

    def allowed(self, slack: float) -> Flags:
        """(n,) whether all values are inside their limits, but for so much [rad] or [m]."""
        return self.excess <= slack

    def strict(self, slack: float = LEAST_EXCESS) -> Flags:
        """(n,) whether it is solved to 1e-5 m and 1e-3 rad, inside the limits."""
        return (self.distance <= STRICT) & (self.angle <= STRICT_ANGLE) & self.allowed(slack)

    def loose(self, slack: float = LEAST_EXCESS) -> Flags:
        """(n,) whether it is solved to a thousandth of the reach and 1e-3 rad, inside the limits."""
        return (self.distance <= LOOSE * self.reach) & (self.angle <= LOOSE_ANGLE) & self.allowed(slack)


def judge(chain: Chain, q: Array, p: Array, rotation: Array | None = None) -> Verdict:
    """Check values (n, dof) against targets (n, 3) and, where asked for, (n, 3, 3)."""
    there = np.isfinite(q).all(axis=1)
    values = np.where(there[:, None], q, 0.0)
    frames = chain.forward(values)
    distance = np.where(there, np.linalg.norm(frames[:, :3, 3] - p, axis=1), np.inf)
    angle = np.zeros(len(q)) if rotation is None else np.where(there, angles(frames[:, :3, :3], rotation), np.inf)
    beyond = np.maximum(values - chain.upper, chain.lower - values)
    excess = np.where(there, np.where(chain.limited, beyond, 0.0).max(axis=1, initial=0.0), 0.0)
    return Verdict(distance, angle, excess, chain.reach)


def angles(a: Array, b: Array) -> Array:
    """(n,) angles between rotations (n, 3, 3): by the length of their difference, which is exact for small ones."""
    chord = np.linalg.norm(a - b, axis=(1, 2)) / np.sqrt(8.0)
    return 2.0 * np.arcsin(np.minimum(chord, 1.0))


def jumped(chain: Chain, q: Array) -> Flags:
    """(paths,) whether a joint jumps along a path, for values (paths, frames, dof). A slide does not count."""
    steps = np.diff(q, axis=1)
    turns = np.array([kind != "prismatic" for kind in chain.kinds])
    wrapped = steps - 2.0 * np.pi * np.round(steps / (2.0 * np.pi))
    steps = np.where(chain.limited, steps, wrapped)
    return (np.abs(np.where(turns & np.isfinite(steps), steps, 0.0)) > JUMP).any(axis=(1, 2))
