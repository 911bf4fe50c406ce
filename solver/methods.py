"""The methods of a search, as generators that pause before every sweep."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Generator
from typing import Protocol

from .ccd import Sweep
from .fabrik_sweep import Reach
from .least_squares import Descent
from .problem import Evaluation
from .rest import relax
from .run import Run

Sweeps = Generator[None, None, None]

# Free least squares is stuck when so many iterations do not take this share off the squared error.
STUCK_AFTER = 4
STUCK_SHARE = 0.1
# Careful least squares is at its end when so many iterations take less than this off the error [reach].
SETTLED_AFTER = 4
SETTLED = 1e-5
LONGEST = 60
# CCD and FABRIK are stuck when so many sweeps do not take this share off the squared error; and they end after so many.
SWEPT_STUCK_AFTER = 8
SWEPT_STUCK_SHARE = 0.01
SWEPT_LONGEST = 200
# Out of reach a one-shot solve looks for the best second best along so many lines at most, each seeded by so many
# sweeps of FABRIK. It ends when several agree on the error [reach].
FAR_LINES = 9
FAR_SEED = 5
AGREE = 1e-4
AGREED = 4
# Largest turn of the smallest trial offset [rad].
OFFSET = 0.15
TRIALS = 3
# A trial must take this share off the squared error to be worth moving joints for.
WORTH = 0.02
# Restarts of one-shot solves: at most so many; after the first solution so many more are looked at, and the solution
# nearest to the start is taken.
RESTARTS = 60
MORE_RESTARTS = 2
SEED = 20


class _Sink(Protocol):
    """What takes the poses of a line of search: the run itself, or a side line."""

    best: Evaluation

    def offer(self, at: Evaluation) -> bool: ...


class _SideLine:
    """The best pose of a line of its own, kept apart until it has shown its worth."""

    def __init__(self, start: Evaluation) -> None:
        self.best = start

    def offer(self, at: Evaluation) -> bool:
        better = at.error < self.best.error
        if better:
            self.best = at
        return better


def auto(run: Run, one_shot: bool) -> Sweeps:
    """Damped least squares, warm-started; when that does not get there, a drag tries small offsets, a script restarts.

    Where the target is out of reach, or has turned out not to be had, least squares is careful: see
    :class:`~.least_squares.Descent`.
    """
    if run.fine:
        return
    far = run.problem.out_of_reach()
    yield from _least_squares(run, run, run.start, careful=far)
    if one_shot:
        yield from _freed(run, run, careful=far, offset=not far)
        if not run.reached:
            yield from _far_lines(run) if far else _restarts(run)
        return
    if not (far or run.reached):
        yield from _least_squares(run, run, run.best, careful=True)
    # On a leash only the small offset can lead to a pose that may be taken, unless the target can be reached.
    for trial in range(1 if far else TRIALS):
        if run.reached:
            return
        side = _SideLine(run.problem.evaluate(_offset(run, trial)))
        yield from _least_squares(run, side, side.best, careful=far)
        run.offer(side.best, worth=WORTH)


def cyclic(run: Run, one_shot: bool) -> Sweeps:
    """Cyclic coordinate descent; see :func:`_swept`."""
    return _swept(run, lambda at, cap: Sweep(run.problem, at, cap=cap).run())


def reaching(run: Run, one_shot: bool) -> Sweeps:
    """FABRIK on the chain's real axes; see :func:`_swept`."""
    return _swept(run, lambda at, cap: Reach(run.problem, at, run.tolerance, cap=cap).run())


def _swept(run: Run, sweep: Callable[[Evaluation, float], list[float]]) -> Sweeps:
    """Sweep after sweep, with trial offsets when it is stuck; they are dropped if they do not help.

    There are no restarts, also in one-shot solves. On a leash a sweep that goes too far is tried with smaller steps.

    Args:
        run: the state.
        sweep: gives the values after one sweep from a pose, with a factor on its largest steps.
    """
    at, mark, since, cap = run.start, run.start.error, 0, 1.0
    trials = iter(range(TRIALS))
    for _ in range(SWEPT_LONGEST):
        if run.fine:
            return
        yield
        tried = run.problem.evaluate(sweep(at, cap))
        run.offer(tried)
        if run.admits(tried):
            at = tried
        else:
            at, cap = run.best, 0.25 * cap
        if at.error < (1.0 - SWEPT_STUCK_SHARE) * mark:
            mark, since = at.error, 0
            continue
        since += 1
        if since >= SWEPT_STUCK_AFTER:
            trial = next(trials, None)
            if run.reached or trial is None:
                return
            at = run.problem.evaluate(_offset(run, trial))
            mark, since, cap = at.error, 0, 1.0


METHODS: dict[str, Callable[[Run, bool], Sweeps]] = {"AUTO": auto, "CCD": cyclic, "FABRIK": reaching}


def sweeps(method: str, run: Run, one_shot: bool) -> Sweeps:
    """The sweeps of a method; where a rest pose is given and the goals are met, then those towards it."""
    return METHODS[method](run, one_shot) if run.rest is None else _at_rest(method, run, one_shot)


def _at_rest(method: str, run: Run, one_shot: bool) -> Sweeps:
    yield from METHODS[method](run, one_shot)
    if run.reached:
        yield from relax(run)


def _least_squares(run: Run, sink: _Sink, start: Evaluation, *, careful: bool) -> Sweeps:
    """One run of least squares from a pose, until it is fine, stuck, or at its end."""
    descent = Descent(run.problem, start, careful=careful, allowed=run.admits if sink is run else None)
    mark, since = start.error, 0
    for _ in range(LONGEST):
        if run.is_fine(sink.best):
            return
        yield
        sink.offer(descent.step())
        at = descent.at
        enough = max(0.0, math.sqrt(mark) - SETTLED) ** 2 if careful else (1.0 - STUCK_SHARE) * mark
        if at.error < enough:
            mark, since = at.error, 0
            continue
        since += 1
        if descent.still or since >= (SETTLED_AFTER if careful else STUCK_AFTER):
            return


def _freed(run: Run, sink: _Sink, *, careful: bool, offset: bool = False) -> Sweeps:
    """A second run for a line that is stuck short of its target: without the limits that were in its way.

    The unknowns that are stopped by a limit go half a turn back from it. Of those that fail, a third get there so.
    Where there are none, a small offset leaves a straight, singular pose, if that is asked for.
    """
    if run.meets(sink.best):
        return
    blocked = run.problem.blocked(sink.best, run.problem.rows(sink.best))
    if blocked:
        start = _backed(run, sink.best, blocked)
    elif offset:
        start = _shaken(run, sink.best)
    else:
        return
    again = run.problem.evaluate(start)
    sink.offer(again)
    yield from _least_squares(run, sink, again, careful=careful)


def _offset(run: Run, trial: int) -> list[float]:
    """A pose to try from when the best one is stuck; later ones disturb more.

    The first leaves a straight, singular pose; the second and the third leave one whose limits bar the way.
    """
    if trial == 0:
        return _shaken(run, run.best)
    if trial == 1:
        return _backed(run, run.best, run.problem.blocked(run.best, run.problem.rows(run.best)))
    return _middle(run, run.best)


def _shaken(run: Run, at: Evaluation) -> list[float]:
    """Every unknown a little away, to either side in an order without a pattern."""
    compiled = run.problem.compiled
    values = at.values.copy()
    for i in compiled.movable:
        values[i] += OFFSET * compiled.stride[i] * math.sin(1.0 + 2.4 * i)
    return compiled.clamp(values)


def _backed(run: Run, at: Evaluation, blocked: list[int]) -> list[float]:
    """Half a turn, or a bit more than a reach, back from the limit at which these unknowns are."""
    compiled = run.problem.compiled
    values = at.values.copy()
    for i in blocked:
        back = math.pi * compiled.stride[i]
        values[i] += -back if values[i] >= compiled.upper[i] else back
    return compiled.clamp(values)


def _middle(run: Run, at: Evaluation) -> list[float]:
    """Everything in the middle of its limits, where it has any."""
    compiled = run.problem.compiled
    values = at.values.copy()
    for i in compiled.movable:
        low, high = compiled.lower[i], compiled.upper[i]
        if math.isfinite(high - low):
            values[i] = 0.5 * (low + high)
    return compiled.clamp(values)


def _restarts(run: Run) -> Sweeps:
    """Lines from other poses, until one has got there and a few more have been looked at."""
    last = RESTARTS
    for number in range(RESTARTS):
        if number >= last:
            return
        side = _SideLine(run.problem.evaluate(_random_pose(run, number)))
        yield from _least_squares(run, side, side.best, careful=False)
        yield from _freed(run, side, careful=False)
        if not run.meets(side.best):
            run.offer(side.best)
        elif last == RESTARTS:
            run.best = side.best
            last = number + 1 + MORE_RESTARTS
        elif run.way(side.best) < run.way(run.best):
            run.best = side.best
    if not run.reached:
        yield from _least_squares(run, run, run.best, careful=True)


def _far_lines(run: Run) -> Sweeps:
    """Lines from the start and from other poses, until several come to the same error."""
    agreed = 1
    for number in range(FAR_LINES):
        at = run.start if number == 0 else run.problem.evaluate(_random_pose(run, number))
        side = _SideLine(at)
        for _ in range(FAR_SEED):
            yield
            at = run.problem.evaluate(Reach(run.problem, at, run.tolerance).run())
            side.offer(at)
        yield from _least_squares(run, side, side.best, careful=True)
        better = math.sqrt(run.best.error) - math.sqrt(side.best.error)
        run.offer(side.best)
        agreed = 1 if better > AGREE else agreed + 1 if better > -AGREE else agreed
        if agreed >= AGREED:
            return


def _random_pose(run: Run, number: int) -> list[float]:
    """The first restart is from the middle of the limits; then uniform within them.

    Where there are none, half a turn, or a bit more than a reach, to either side of the start.
    """
    if number == 0:
        return _middle(run, run.start)
    compiled = run.problem.compiled
    source = random.Random(SEED + number)
    values = run.start.values.copy()
    for i in compiled.movable:
        around = math.pi * compiled.stride[i]
        low, high = compiled.lower[i], compiled.upper[i]
        low = values[i] - around if low == -math.inf else low
        high = values[i] + around if high == math.inf else high
        values[i] = low + source.random() * (high - low)
    return values
