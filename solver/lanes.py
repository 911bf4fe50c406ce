"""Many poses of one chain at a time: arrays whose last axis is the lane.

Worth it from a few dozen poses on; for a single one plain floats are faster by far.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import GoalError
from .compiled import Compiled
from .step import Step

Array = NDArray[np.float64]
# A constant of the chain: one for all lanes, or (lanes,) where chains of equal structure differ.
Number = float | Array


class Numbers(NamedTuple):
    """The constants of some lanes.

    Attributes:
        steps: per step its rotation by rows (9), translation (3), multiplier and offset; see :class:`~.compiled.Step`.
        hung: the handle in the last step's frame (3), and the body's rotation there (9) where it is wanted.
    """

    steps: tuple[tuple[Number, ...], ...]
    hung: tuple[Number, ...]


class Frames(NamedTuple):
    """Forward kinematics of all lanes, in skeleton space.

    Attributes:
        axes: (steps, 3, lanes) world axis of each step.
        origins: (steps, 3, lanes) a point on it [m].
        tip: (3, lanes) position of the handle [m].
        turned: (3, 3, lanes) columns of the body's rotation, the body's axis first; None where it was not wanted.
    """

    axes: Array
    origins: Array
    tip: Array
    turned: Array | None


class Lanes:
    """One path from the anchor to a handle, for several chains of equal structure.

    Attributes:
        steps: of the first chain: what slides, and which unknown moves it.
        dof: number of unknowns.
        turned: whether the body's rotation is wanted.
        lower, upper: (chains, dof) limits; infinite for those that wrap.
        scale: (chains,) see :class:`~.compiled.Compiled`.
        pace, stride: (chains, dof) see there.
        used: (dof, 1) False for unknowns that move nothing on the path.
    """

    def __init__(self, chains: Sequence[Compiled]) -> None:
        """Take over the numbers.

        Args:
            chains: each compiled for one handle.

        Raises:
            GoalError: their structures differ, or a joint is scaled unevenly.
        """
        uneven = next((chain.uneven for chain in chains if chain.uneven is not None), None)
        if uneven is not None:
            raise GoalError(f"{uneven}; solve for one pose at a time")
        first = chains[0]
        for other in chains[1:]:
            if _structure(other) != _structure(first):
                raise GoalError(
                    "the chains of a batch must have the same structure: as many unknowns and joints, "
                    "turning, sliding and following in the same order"
                )
        self.steps: tuple[Step, ...] = first.steps
        self.dof = first.dof
        self.lower, self.upper = _table(chains, "lower"), _table(chains, "upper")
        self.scale: Array = np.array([chain.scale for chain in chains])
        self.pace, self.stride = _table(chains, "pace"), _table(chains, "stride")
        self.used = np.isin(np.arange(first.dof), [step.unknown for step in first.steps])[:, None]
        hung = [chain.hung(0) for chain in chains]
        self.turned = len(hung[0]) > 3
        self._steps = tuple(
            tuple(map(_shared, zip(*(_constants(chain.steps[i]) for chain in chains), strict=True)))
            for i in range(len(first.steps))
        )
        self._hung = tuple(map(_shared, zip(*hung, strict=True)))
        # Every unknown moves its own step, as it is: then its value is that of the step.
        self._plain = [step.unknown for step in first.steps] == list(range(first.dof)) and all(
            isinstance(number, float) and number == plain
            for step in self._steps
            for number, plain in zip(step[12:], (1.0, 0.0), strict=True)
        )

    def of(self, table: Array, which: NDArray[np.intp]) -> Array:
        """(dof, lanes) of a table (chains, dof), for lanes on these chains; (dof, 1) where there is only one."""
        found: Array = table.T if len(table) == 1 else table[which].T
        return found

    def numbers(self, which: NDArray[np.intp] | None) -> Numbers:
        """The constants as the lanes need them.

        Args:
            which: (lanes,) the chain of each lane; None where there is one chain for all.
        """
        if which is None:
            return Numbers(self._steps, self._hung)
        return Numbers(
            tuple(tuple(_gathered(number, which) for number in step) for step in self._steps),
            tuple(_gathered(number, which) for number in self._hung),
        )

    def _motions(self, values: Array, numbers: Numbers) -> Array:
        """(steps, lanes) the angle or way of each step."""
        if self._plain:
            return values
        motions = np.empty((len(self.steps), values.shape[1]))
        for i, (step, told) in enumerate(zip(self.steps, numbers.steps, strict=True)):
            motions[i] = values[step.unknown] * told[12] + told[13]
        return motions

    def place(self, values: Array, numbers: Numbers) -> Frames:
        """Forward kinematics.

        Args:
            values: (dof, lanes) [rad] or [m].
            numbers: of these lanes.
        """
        lanes = values.shape[1]
        motions = self._motions(values, numbers)
        axes = np.empty((len(self.steps), 3, lanes))
        origins = np.empty((len(self.steps), 3, lanes))
        x, y, z = np.zeros((3, 3, lanes))
        x[0] = y[1] = z[2] = 1.0
        at = np.zeros((3, lanes))
        sines, cosines = np.sin(motions), np.cos(motions)
        for i, (step, constants) in enumerate(zip(self.steps, numbers.steps, strict=True)):
            c00, c01, c02, c10, c11, c12, c20, c21, c22, tx, ty, tz, _, _ = constants
            at = at + _mixed(x, y, z, tx, ty, tz)
            ax, ay = _mixed(x, y, z, c00, c10, c20), _mixed(x, y, z, c01, c11, c21)
            z = _mixed(x, y, z, c02, c12, c22)
            axes[i] = z
            origins[i] = at
            if step.slide:
                at = at + z * motions[i]
                x, y = ax, ay
            else:
                c, s = cosines[i], sines[i]
                x = ax * c
                x += ay * s
                y = ay * c
                y -= ax * s
        turned = None
        tx, ty, tz, *turn = numbers.hung
        if turn:
            c00, c01, c02, c10, c11, c12, c20, c21, c22 = turn
            turned = np.empty((3, 3, lanes))
            turned[0] = _mixed(x, y, z, c00, c10, c20)
            turned[1] = _mixed(x, y, z, c01, c11, c21)
            turned[2] = _mixed(x, y, z, c02, c12, c22)
        return Frames(axes, origins, at + _mixed(x, y, z, tx, ty, tz), turned)


def _structure(chain: Compiled) -> tuple[object, ...]:
    return (chain.dof, tuple((step.slide, step.unknown, step.parent) for step in chain.steps), chain.tips[0].step)


def _constants(step: Step) -> tuple[float, ...]:
    return (*step[:12], step.multiplier, step.offset)


def _table(chains: Sequence[Compiled], name: str) -> Array:
    return np.array([getattr(chain, name) for chain in chains], dtype=np.float64)


def _shared(numbers: Sequence[float]) -> Number:
    """One number where all are the same, else all of them."""
    return numbers[0] if all(number == numbers[0] for number in numbers) else np.array(numbers)


def _gathered(number: Number, which: NDArray[np.intp]) -> Number:
    return number[which] if isinstance(number, np.ndarray) else number


def _mixed(x: Array, y: Array, z: Array, a: Number, b: Number, c: Number) -> Array:
    """``a x + b y + c z``; most of a chain's constants are 0 or 1, and then there is nothing to multiply."""
    total: Number = 0.0
    for vector, factor in ((x, a), (y, b), (z, c)):
        if isinstance(factor, float):
            if factor == 0.0:
                continue
            part = vector if factor == 1.0 else vector * factor
        else:
            part = vector * factor
        total = part if isinstance(total, float) else total + part
    return np.zeros_like(x) if isinstance(total, float) else total
