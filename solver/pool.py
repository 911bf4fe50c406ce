"""The streaming pool of a batch: lanes that take one target after the other.

The stages are those of :func:`~.methods.auto`: least squares from the start, then from other poses, at last carefully
from the best one. All targets begin; those that fail go on together, several restarts of each at a time, which count in
their order, as if they had come one by one; the first solution is taken. Their poses are others than those of a single
solve: they depend on the number of the target and on that of the restart, so that no result depends on what else is in
the batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .lanes import Lanes
from .lines import FREED, NEVER, SHAKEN, Lines
from .methods import AGREE, AGREED, LINES, PICKED, RESTARTS
from .starts import anywhere, middle
from .targets import Array, Flags, Places, Wanted, at_targets, errors, outward, slopes

Counts = NDArray[np.int64]

# Lanes at work: as many as the processor's caches hold, so fewer for long chains.
WIDTH = 1536
LANES_TIMES_UNKNOWNS = 15360
# A sum over unknowns is taken in another order where there is only one lane; and fewer than so many cost no less.
LEAST_WIDTH = 16
# Stages of a target: its start; so many restarts; carefully on from the best pose; so many careful lines.
START, RESTART, CAREFUL, LINE = 0, 1, 1 + RESTARTS, 2 + RESTARTS
DONE = LINE + LINES


class Outcome(NamedTuple):
    """What lines came to, or what is the best for targets: see :class:`~.lines.Lines`."""

    values: Array
    error: Array
    distance2: Array
    angle2: Array
    met: Flags
    steps: Counts


class Pool:
    """A batch being solved.

    Attributes:
        best: the best pose of every target, with all the iterations that it took.
    """

    def __init__(
        self, lanes: Lanes, wanted: Wanted, start: Array, far: Flags, progress: Callable[[int, int], object]
    ) -> None:
        """Nothing is solved yet.

        Args:
            lanes: the chains.
            wanted: the targets.
            start: (dof, targets) where each begins, inside the limits.
            far: (targets,) out of reach.
            progress: called with the number of targets done and that of all.
        """
        self._lanes, self._wanted, self._start, self._far = lanes, wanted, start, far
        self._progress = progress
        count = start.shape[1]
        zero, none = np.zeros(count), np.zeros(count, dtype=bool)
        whole = np.zeros(count, dtype=np.int64)
        self.best = Outcome(start.copy(), np.full(count, np.inf), zero, zero.copy(), none, whole)
        self._stage = whole.copy()
        self._agreed = np.ones(count, dtype=np.int64)
        self._done = 0

    def run(self) -> None:
        """Solve all."""
        targets = np.arange(self._start.shape[1])
        self._stream(targets, self._begin, self._end)
        for first, last in ((RESTART, CAREFUL), (CAREFUL, LINE), (LINE, DONE)):
            left = targets[(self._stage >= first) & (self._stage < last)]
            while len(left):
                self._go_on(left, last)
                left = left[self._stage[left] < last]

    def _stream(
        self,
        jobs: Places,
        begin: Callable[[Lines, Places, Places], None],
        end: Callable[[Lines, Places], None],
    ) -> None:
        """Keep the lanes busy until all jobs are done."""
        most = max(LEAST_WIDTH, min(WIDTH, LANES_TIMES_UNKNOWNS // self._lanes.dof))
        lines = Lines(self._lanes, self._wanted, max(LEAST_WIDTH, min(most, len(jobs))))
        begun = 0
        while True:
            idle = np.flatnonzero(~lines.busy)
            fresh = jobs[begun : begun + len(idle)]
            if len(fresh):
                begin(lines, idle[: len(fresh)], fresh)
                begun += len(fresh)
            busy = int(np.count_nonzero(lines.busy))
            if not busy:
                return
            if begun == len(jobs) and 2 * max(busy, LEAST_WIDTH) <= lines.width:
                lines.resize(max(busy, LEAST_WIDTH))
            end(lines, lines.advance())

    def _begin(self, lines: Lines, slots: Places, targets: Places) -> None:
        count = len(targets)
        lines.start(
            slots,
            self._start[:, targets],
            targets,
            targets,
            careful=self._far[targets],
            hasty=np.zeros(count, dtype=bool),
            second=np.full(count, SHAKEN),
        )

    def _end(self, lines: Lines, slots: Places) -> None:
        self._close(lines.target[slots], outcome(lines, slots))

    def _go_on(self, targets: Places, last: int) -> None:
        """Several stages of each target at a time, up to the last one; they count in their order, as if one by one."""
        first = self._stage[targets]
        each = np.minimum(last - first, max(1, WIDTH // (2 * len(targets))))
        owner = np.repeat(np.arange(len(targets)), each)
        ahead = np.arange(len(owner)) - np.repeat(np.cumsum(each) - each, each)
        target, stage = targets[owner], first[owner] + ahead
        jobs: list[Places] = []
        parts: list[Outcome] = []

        def begin(lines: Lines, slots: Places, job: Places) -> None:
            careful = stage[job] >= CAREFUL
            best = self.best.values[:, target[job]]
            lines.start(
                slots,
                np.where(stage[job] == CAREFUL, best, self._elsewhere(target[job], stage[job] - RESTART)),
                target[job],
                job,
                careful=careful,
                hasty=~careful,
                second=np.where(careful, NEVER, FREED),
            )

        def end(lines: Lines, slots: Places) -> None:
            jobs.append(lines.job[slots])
            parts.append(outcome(lines, slots))

        self._stream(np.arange(len(owner)), begin, end)
        results = _picked(_joined(parts), np.argsort(np.concatenate(jobs)))
        for k in range(int(each.max())):
            now = np.flatnonzero((ahead == k) & (self._stage[target] < last))
            self._close(target[now], _picked(results, now))

    def _elsewhere(self, targets: Places, number: Counts) -> Array:
        """(dof, k) where restarts begin: the middle of the limits, then the best of some poses anywhere."""
        count = len(targets)
        several = np.tile(targets, PICKED)
        chain, start = self._wanted.chain[several], self._start[:, several]
        picks = np.arange(PICKED, dtype=np.int64)[:, None]
        numbers = (number * PICKED + picks).ravel()
        values = anywhere(self._lanes, chain, start, several, numbers)
        place = at_targets(self._lanes, self._wanted, several)
        error = errors(self._lanes.place(values, place.numbers), place).total.reshape(PICKED, count)
        best = values[:, np.argmin(error, axis=0) * count + np.arange(count)]
        return np.where(number == 0, middle(self._lanes, chain[:count], start[:, :count]), best)

    def _close(self, targets: Places, result: Outcome) -> None:
        """Take what the present stage of some targets has come to, and say which is their next one."""
        best, stage, far = self.best, self._stage[targets], self._far[targets]
        best.steps[targets] += result.steps
        error, met = best.error[targets], best.met[targets]
        better = (result.met & ~met) | ((result.met == met) & (result.error < error))
        taken = targets[better]
        best.values[:, taken] = result.values[:, better]
        for kept, now in zip(best[1:5], result[1:5], strict=True):
            kept[taken] = now[better]
        gain = np.sqrt(error) - np.sqrt(result.error)
        near = AGREE * self._lanes.scale[self._wanted.chain[targets]]
        agreed = np.where(gain > near, 1, self._agreed[targets] + (gain > -near))
        self._agreed[targets] = np.where(stage < LINE, 1, agreed)
        finished = best.met[targets] | (self._agreed[targets] >= AGREED)
        following = np.where((stage == START) & far, LINE, stage + 1)
        self._stage[targets] = np.where(finished, DONE, following)
        if len(targets):
            self._done += int(np.count_nonzero(self._stage[targets] == DONE))
            self._progress(self._done, len(self._stage))

    def pushed(self, targets: Places, share: float) -> Flags:
        """(dof, k) the unknowns at a limit that the error of the best pose pushes outwards; see :func:`outward`."""
        place = at_targets(self._lanes, self._wanted, targets)
        values = self.best.values[:, targets]
        frames = self._lanes.place(values, place.numbers)
        return outward(place, values, slopes(self._lanes, frames, place), errors(frames, place), share)


def outcome(lines: Lines, slots: Places) -> Outcome:
    """What the lines in these lanes came to."""
    all_lanes = Outcome(lines.best, lines.error, lines.distance2, lines.angle2, lines.met, lines.steps)
    return _picked(all_lanes, slots)


def _picked(results: Outcome, places: Places) -> Outcome:
    values, error, distance2, angle2, met, steps = results
    return Outcome(values[:, places], error[places], distance2[places], angle2[places], met[places], steps[places])


def _joined(parts: list[Outcome]) -> Outcome:
    return Outcome(
        np.concatenate([part.values for part in parts], axis=1),
        np.concatenate([part.error for part in parts]),
        np.concatenate([part.distance2 for part in parts]),
        np.concatenate([part.angle2 for part in parts]),
        np.concatenate([part.met for part in parts]),
        np.concatenate([part.steps for part in parts]),
    )
