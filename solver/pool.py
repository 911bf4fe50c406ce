"""The streaming pool of a batch: every lane takes a target through the stages of a one-shot solve, then the next one.

The stages are those of :func:`~.methods.auto`: least squares from the start, then from other poses, at last carefully
from the best one. Only the other poses differ: they depend on the number of the target and on that of the restart, so
that no result depends on what else is in the batch. Targets that are still open when there are no others left to fill
the lanes get several restarts at a time; these count in their order, as if they had come one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .lanes import Lanes
from .lines import FREED, NEVER, SHAKEN, Lines
from .methods import AGREE, AGREED, FAR_LINES, HASTY_RESTARTS, MORE_RESTARTS, PICKED, RESTARTS
from .starts import anywhere, middle
from .targets import Array, Flags, Places, Wanted, at_targets, errors, outward, slopes

Counts = NDArray[np.int64]

# Lanes at work: as many as the processor's caches hold, so fewer for long chains.
WIDTH = 1024
LANES_TIMES_UNKNOWNS = 15360
# A sum over unknowns is taken in another order where there is only one lane; and fewer than so many cost no less.
LEAST_WIDTH = 16
# Stages of a target: its start; restart number so many less one, which for a target out of reach is one of its lines;
# carefully on from the best pose, when no restart got there.
START, RESTART, CAREFUL, DONE = 0, 1, 1 + RESTARTS, 2 + RESTARTS


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
        self._last = np.where(far, FAR_LINES, RESTARTS)
        self._agreed = np.ones(count, dtype=np.int64)
        self._done = 0

    def run(self) -> None:
        """Solve all."""
        targets = np.arange(self._start.shape[1])
        self._stream(targets, self._begin, self._close_and_go_on)
        left = np.flatnonzero(self._restarting(targets))
        while len(left):
            self._restart_together(left)
            left = left[self._restarting(left)]
        left = np.flatnonzero(self._stage == CAREFUL)
        self._stream(
            left, self._begin, lambda lines, ended, dry: self._close(lines.target[ended], outcome(lines, ended))
        )

    def _restarting(self, targets: Places) -> Flags:
        return (self._stage[targets] >= RESTART) & (self._stage[targets] < CAREFUL)

    def _stream(
        self,
        jobs: Places,
        begin: Callable[[Lines, Places, Places], None],
        ended: Callable[[Lines, Places, bool], None],
    ) -> None:
        """Keep the lanes busy until all jobs are done; ``ended`` is told when there are no more to begin."""
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
            ended(lines, lines.advance(), begun == len(jobs))

    def _begin(self, lines: Lines, slots: Places, targets: Places) -> None:
        """Start the present stage of some targets, none of them twice."""
        stage = self._stage[targets]
        values = np.where(stage == START, self._start[:, targets], self.best.values[:, targets])
        restart = self._restarting(targets)
        if restart.any():
            mine = targets[restart]
            values[:, restart] = self._elsewhere(mine, stage[restart] - RESTART)
        careful = self._far[targets] | (stage == CAREFUL)
        second = np.where(stage == START, SHAKEN, np.where(stage == CAREFUL, NEVER, FREED))
        hasty = restart & (stage - RESTART < HASTY_RESTARTS)
        lines.start(slots, values, targets, targets, careful=careful, hasty=hasty, second=second)

    def _elsewhere(self, targets: Places, number: Counts) -> Array:
        """(dof, k) where restarts begin: the middle of the limits, then the best of some poses anywhere."""
        chain, start = self._wanted.chain[targets], self._start[:, targets]
        place = at_targets(self._lanes, self._wanted, targets)
        best = middle(self._lanes, chain, start)
        least = np.where(number == 0, -np.inf, np.inf)
        for pick in range(PICKED):
            values = anywhere(self._lanes, chain, start, targets, number * PICKED + pick)
            error = errors(self._lanes.place(values, place.numbers), place).total
            better = error < least
            best, least = np.where(better, values, best), np.where(better, error, least)
        return best

    def _close_and_go_on(self, lines: Lines, ended: Places, dry: bool) -> None:
        """Take the results; targets that are not done go on in the same lane, or wait once there are idle ones."""
        targets = lines.target[ended]
        self._close(targets, outcome(lines, ended))
        going = self._restarting(targets) if not dry else np.zeros(len(targets), dtype=bool)
        if going.any():
            self._begin(lines, ended[going], targets[going])

    def _restart_together(self, targets: Places) -> None:
        """Several restarts of each target at a time."""
        first = self._stage[targets] - RESTART
        each = np.minimum(self._last[targets] - first, max(1, WIDTH // len(targets)))
        owner = np.repeat(np.arange(len(targets)), each)
        number = np.arange(len(owner)) - np.repeat(np.cumsum(each) - each, each)
        target = targets[owner]
        jobs: list[Places] = []
        parts: list[Outcome] = []

        def begin(lines: Lines, slots: Places, job: Places) -> None:
            values = self._elsewhere(target[job], first[owner[job]] + number[job])
            hasty = first[owner[job]] + number[job] < HASTY_RESTARTS
            second = np.full(len(job), FREED)
            lines.start(slots, values, target[job], job, careful=self._far[target[job]], hasty=hasty, second=second)

        def ended(lines: Lines, slots: Places, dry: bool) -> None:
            jobs.append(lines.job[slots])
            parts.append(outcome(lines, slots))

        self._stream(np.arange(len(owner)), begin, ended)
        results = _picked(_joined(parts), np.argsort(np.concatenate(jobs)))
        for k in range(int(each.max())):
            now = np.flatnonzero((number == k) & self._restarting(target))
            self._close(target[now], _picked(results, now))

    def _close(self, targets: Places, result: Outcome) -> None:
        """Take what the present stage of some targets has come to, and say which is their next one."""
        best, stage, far = self.best, self._stage[targets], self._far[targets]
        best.steps[targets] += result.steps
        error, met = best.error[targets], best.met[targets]
        restart = self._restarting(targets)
        better = (result.met & ~met) | ((result.met == met) & (result.error < error))
        solution = restart & ~far & result.met
        again = solution & met
        better = np.where(
            again, self._way(targets, result.values) < self._way(targets, best.values[:, targets]), better
        )
        gain = np.sqrt(error) - np.sqrt(result.error)
        near = AGREE * self._lanes.scale[self._wanted.chain[targets]]
        agreed = np.where(gain > near, 1, self._agreed[targets] + (gain > -near))
        self._agreed[targets] = np.where(restart, agreed, 1)
        taken = targets[better]
        best.values[:, taken] = result.values[:, better]
        for kept, now in zip(best[1:5], result[1:5], strict=True):
            kept[taken] = now[better]
        self._last[targets] = np.where(
            solution & ~met, np.minimum(RESTARTS, stage - RESTART + 1 + MORE_RESTARTS), self._last[targets]
        )
        following = np.where(restart & (stage + 1 - RESTART >= self._last[targets]), CAREFUL, stage + 1)
        finished = np.where(restart & ~far, best.met[targets] & (following == CAREFUL), best.met[targets])
        finished |= far & ((restart & (self._agreed[targets] >= AGREED)) | (following == CAREFUL))
        self._stage[targets] = np.where(finished | (stage == CAREFUL), DONE, following)
        if len(targets):
            self._done += int(np.count_nonzero(self._stage[targets] == DONE))
            self._progress(self._done, len(self._stage))

    def _way(self, targets: Places, values: Array) -> Array:
        """(k,) squared way of the unknowns since the start, in strides."""
        stride = self._lanes.stride[self._wanted.chain[targets]].T
        return np.asarray((((values - self._start[:, targets]) / stride) ** 2).sum(axis=0))

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
