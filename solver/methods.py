"""The methods of a search, as generators that pause before every sweep."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from .ccd import Sweep
from .descent import HASTY, SideLine, Sweeps, freed, least_squares
from .fabrik_sweep import Reach
from .poses import anywhere, backed, middle, shaken
from .problem import Evaluation
from .rest import relax
from .run import Run

# CCD and FABRIK are stuck when so many sweeps do not take this share off the squared error; and they end after so many.
SWEPT_STUCK_AFTER = 8
SWEPT_STUCK_SHARE = 0.01
SWEPT_LONGEST = 200
# Lines of a one-shot solve whose target cannot be had, or could not yet: at most so many. They end when several agree
# on the error [reach]. Out of reach each is seeded by so many sweeps of FABRIK.
LINES = 16
LINE_SEED = 5
AGREE = 1e-4
AGREED = 4
# Trial offsets when a drag is stuck.
TRIALS = 3
# A trial must take this share off the squared error to be worth moving joints for.
WORTH = 0.02
# Restarts of a one-shot solve before that, each from the best of so many poses. After the first solution so many more
# are looked at, and the solution nearest to the start is taken.
RESTARTS = 12
PICKED = 5
MORE_RESTARTS = 1
SEED = 20


def auto(run: Run, one_shot: bool) -> Sweeps:
    """Damped least squares, warm-started; when that does not get there, a drag tries small offsets, a script restarts.

    Where the target is out of reach, or has turned out not to be had, least squares is careful.
    """
    if run.fine:
        return
    yield from least_squares(run, run, run.start, careful=run.far)
    yield from beyond_first_line(run, one_shot)


def beyond_first_line(run: Run, one_shot: bool) -> Sweeps:
    """What :func:`auto` does after its first line, which did all that is needed if it got there."""
    far = run.far
    if one_shot:
        yield from freed(run, run, careful=far, offset=not far)
        if not (far or run.reached):
            yield from _restarts(run)
        if not run.reached:
            yield from _lines(run)
        return
    if not (far or run.reached):
        yield from least_squares(run, run, run.best, careful=True)
    # On a leash only the small offset can lead to a pose that may be taken, unless the target can be reached.
    for trial in range(1 if far else TRIALS):
        if run.reached:
            return
        side = SideLine(run.look(_offset(run, trial), careful=far))
        yield from least_squares(run, side, side.best, careful=far)
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


def _offset(run: Run, trial: int) -> list[float]:
    """A pose to try from when the best one is stuck; later ones disturb more.

    The first leaves a straight, singular pose; the second and the third leave one whose limits bar the way.
    """
    compiled, values = run.problem.compiled, run.best.values
    if trial == 0:
        return shaken(compiled, values)
    return backed(compiled, values, run.blocked(run.best)) if trial == 1 else middle(compiled, values)


def _restarts(run: Run) -> Sweeps:
    """Lines from other poses, until one has got there and a few more have been looked at; at last, on from the best."""
    last = RESTARTS
    source = random.Random(SEED)
    for number in range(RESTARTS):
        if number >= last:
            return
        side = SideLine(run.look(_elsewhere(run, number, source), careful=False))
        yield from least_squares(run, side, side.best, careful=False, patience=HASTY)
        yield from freed(run, side, careful=False, patience=HASTY)
        if not run.meets(side.best):
            run.offer(side.best)
        elif last == RESTARTS:
            run.best = side.best
            last = number + 1 + MORE_RESTARTS
        elif run.way(side.best) < run.way(run.best):
            run.best = side.best
    if not run.reached:
        yield from least_squares(run, run, run.best, careful=True)


def _lines(run: Run) -> Sweeps:
    """Careful lines from the start, if it is far, and from other poses, until several come to the same error."""
    agreed = 1
    source = random.Random(SEED + 1)
    near = AGREE * run.problem.compiled.scale
    seed = LINE_SEED if run.far and run.problem.compiled.uneven is None else 0
    for number in range(LINES):
        at = run.start
        if number or not run.far:
            at = run.look(_elsewhere(run, 1 + number, source), careful=True)
        side = SideLine(at)
        for _ in range(seed):
            yield
            at = run.problem.evaluate(Reach(run.problem, at, run.tolerance).run())
            side.offer(at)
        yield from least_squares(run, side, side.best, careful=True)
        better = math.sqrt(run.best.error) - math.sqrt(side.best.error)
        run.offer(side.best)
        agreed = 1 if better > near else agreed + 1 if better > -near else agreed
        if agreed >= AGREED or run.reached:
            return


def _elsewhere(run: Run, number: int, source: random.Random) -> list[float]:
    """The first restart is from the middle of the limits, the others from the best of some poses anywhere."""
    compiled, values = run.problem.compiled, run.start.values
    if number == 0:
        return middle(compiled, values)
    return min((anywhere(compiled, values, source) for _ in range(PICKED)), key=run.error)
