"""Lines of search by damped least squares, as generators that pause before every iteration."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import NamedTuple, Protocol

from .least_squares import GAIN, LEAST_GAIN, MOST_GAIN, Trial
from .poses import backed, shaken
from .problem import Evaluation
from .run import Run

Sweeps = Generator[None, None, None]

# A free run is stuck when so many iterations do not take this share off the squared error.
PATIENCE = (3, 0.2)
HASTY = (2, 0.4)
# A careful one is at its end when so many iterations take less than this off the error [reach].
SETTLED_AFTER = 4
SETTLED = 1e-5
LONGEST = 60


class Sink(Protocol):
    """What takes the poses of a line of search: the run itself, or a side line."""

    best: Evaluation

    def offer(self, at: Evaluation) -> bool:
        """Take it as the best if it is better."""
        ...


class SideLine:
    """The best pose of a line of its own, kept apart until it has shown its worth."""

    def __init__(self, start: Evaluation) -> None:
        self.best = start

    def offer(self, at: Evaluation) -> bool:
        """Take it as the best if it is better."""
        better = at.error < self.best.error
        if better:
            self.best = at
        return better


def least_squares(
    run: Run, sink: Sink, start: Evaluation, *, careful: bool, patience: tuple[int, float] = PATIENCE
) -> Sweeps:
    """One run of the Levenberg-Marquardt method from a pose, until it is fine, stuck, or at its end.

    A free run takes every step, good or bad. A careful one, for targets that cannot be had, looks at no more than
    FAR_ERROR of the error, and takes a step only if it is better and, on a leash, allowed; else it would thrash.

    Args:
        run: the state.
        sink: takes the poses.
        start: where to begin.
        careful: see above.
        patience: a free run is stuck when so many iterations do not take such a share off the squared error.
    """
    held, gain = start, GAIN
    iteration, numbers, cap = run.iteration, run.numbers, run.tolerance.far_error2 if careful else math.inf
    trial = start.ahead
    if trial is None or start.first is not careful:
        trial = iteration(held.values, numbers, math.inf, gain, gain, cap)
    if run.is_fine(sink.best):
        return
    mark, since = start.error, 0
    most, share = (SETTLED_AFTER, 0.0) if careful else patience
    settled = SETTLED * run.problem.compiled.scale
    for left in range(LONGEST - 1, -1, -1):
        values = trial[0]
        if values is None:  # fine, and taken as the best
            return
        yield
        if run.hurried and not careful:
            run.unpaused += _go_straight(run, sink, trial, _Course(held.error, gain, mark, since, left), patience) - 1
            return
        still = trial[4]
        eased, raised = 0.5 * gain, 4.0 * gain
        if eased < LEAST_GAIN:
            eased = LEAST_GAIN
        elif raised > MOST_GAIN:
            raised = MOST_GAIN
        trial = iteration(values, numbers, held.error, eased, raised, cap)
        tried = Evaluation(run.problem, values, trial[1], trial[2], trial[3], trial[5], trial)
        sink.offer(tried)
        good = tried.error < held.error
        if careful and not (good and (sink is not run or run.admits(tried))):
            gain = raised
            trial = iteration(held.values, numbers, math.inf, gain, gain, cap)
        else:
            gain = eased if good else raised
            held = tried
        enough = max(0.0, math.sqrt(mark) - settled) ** 2 if careful else (1.0 - share) * mark
        if held.error < enough:
            mark, since = held.error, 0
            continue
        since += 1
        if still or since >= most:
            return


class _Course(NamedTuple):
    """Where a free line stands: see :func:`least_squares`; ``left`` are the iterations that it may still go on for."""

    held: float
    gain: float
    mark: float
    since: int
    left: int


def first_line(run: Run) -> int:
    """The free line from the start at once, as :func:`least_squares` does it with pauses; how many iterations it took.

    The run must not be fine yet.
    """
    start = run.start
    trial = start.ahead
    if trial is None or start.first is not False:
        trial = run.iteration(start.values, run.numbers, math.inf, GAIN, GAIN, math.inf)
    return _go_straight(run, run, trial, _Course(start.error, GAIN, start.error, 0, LONGEST - 1), PATIENCE)


def _go_straight(run: Run, sink: Sink, trial: Trial, course: _Course, patience: tuple[int, float]) -> int:
    """The rest of a free line without pauses, so that only its best pose has to be kept: the same iterations.

    Half the time of a short solve would go into what a pause needs. Returns how many iterations there were.
    """
    iteration, numbers = run.iteration, run.numbers
    held, gain, mark, since, left = course
    most, share = patience
    share = 1.0 - share
    met2, met_angle2 = run.tolerance.met2, run.tolerance.met_angle2
    meeting_first = sink is run
    leash = run.leash if meeting_first else math.inf
    least, met = sink.best.error, meeting_first and run.meets(sink.best)
    free = leash == math.inf
    best: Trial | None = None
    values, count = trial[0], 0
    there = values
    while values is not None and count <= left:
        count += 1
        before = trial
        eased, raised = 0.5 * gain, 4.0 * gain
        if eased < LEAST_GAIN:
            eased = LEAST_GAIN
        elif raised > MOST_GAIN:
            raised = MOST_GAIN
        trial = iteration(values, numbers, held, eased, raised, math.inf)
        error = trial[1]
        if error < least or not met:
            meets = meeting_first and trial[2] <= met2 and trial[3] <= met_angle2
            if (error < least and (met or free or run.gone(trial[5]) <= leash)) if meets == met else meets:
                least, met, there, best = error, meets, values, trial
        gain = eased if error < held else raised
        held = error
        if error < share * mark:
            mark, since = error, 0
        else:
            since += 1
            if since >= most or before[4]:
                break
        values = trial[0]
    if best is not None and there is not None:
        sink.best = Evaluation(run.problem, there, best[1], best[2], best[3], best[5], best)
    return count


def freed(run: Run, sink: Sink, *, careful: bool, offset: bool = False, patience: tuple[int, float] = HASTY) -> Sweeps:
    """A second run for a line that is stuck short of its target: without the limits that were in its way.

    The unknowns that are stopped by a limit go half a turn back from it. Of those that fail, a third get there so.
    Where there are none, a small offset leaves a straight, singular pose, if that is asked for.
    """
    if run.meets(sink.best):
        return
    best = sink.best
    blocked = run.blocked(best)
    if blocked:
        values = backed(run.problem.compiled, best.values, blocked)
    elif offset:
        values = shaken(run.problem.compiled, best.values)
    else:
        return
    again = run.look(values, careful=careful)
    sink.offer(again)
    yield from least_squares(run, sink, again, careful=careful, patience=patience)
