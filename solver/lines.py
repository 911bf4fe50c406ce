"""Damped least squares on many poses at a time: what :func:`~.methods.auto` does, lane by lane.

The formulas, caps and ends are those of a single search; where both run, their values agree to rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .descent import HASTY, LONGEST, PATIENCE, SETTLED, SETTLED_AFTER
from .lanes import Frames, Lanes
from .least_squares import FAR_ERROR, FLOOR, GAIN, LEAST_GAIN, LEAST_PIVOT, MOST_GAIN, STEP_CAP, STILL
from .run import FINE
from .starts import backed, shaken
from .targets import Array, Errors, Flags, Places, Wanted, at_targets, dot, errors, moved_to, outward, slopes

Counts = NDArray[np.int64]

# Second runs: none; one when unknowns are stopped by limits; one in any case.
NEVER, FREED, SHAKEN = 0, 1, 2


class Lines:
    """Lines of search, each in a lane of its own: a run of least squares, and a second one if that is stuck.

    The second run is that of :func:`~.methods.auto`: the unknowns that were stopped by a limit begin half a turn back
    from it; where there are none, a small offset leaves a straight, singular pose. A lane whose line has ended is idle
    and can be given another one.

    Attributes:
        busy: (width,) lanes at work.
        target: (width,) the target of each.
        job: (width,) a number by which the owner knows what it is for.
        steps: (width,) iterations done.
        best: (dof, width) the best pose of each.
        error, distance2, angle2: (width,) of that.
        met: (width,) whether that meets its target.
    """

    _PER_LANE = (
        "busy", "target", "job", "steps", "best", "error", "distance2", "angle2", "met", "_values", "_held",
        "_held_error", "_gain", "_mark", "_since", "_run_steps", "_new", "_tried", "_still", "_careful", "_second",
        "_met2", "_fine2", "_most", "_share", "_blocked",
    )  # fmt: skip

    def __init__(self, lanes: Lanes, wanted: Wanted, width: int) -> None:
        """No lane is at work yet."""
        self._lanes = lanes
        self._wanted = wanted
        self.busy = np.zeros(width, dtype=bool)
        self.target, self.job = np.zeros((2, width), dtype=np.intp)
        self.steps, self._run_steps, self._since = np.zeros((3, width), dtype=np.int64)
        self._second = np.zeros(width, dtype=np.int64)
        self.best, self._values, self._held = np.zeros((3, lanes.dof, width))
        self.error, self.distance2, self.angle2, self._held_error = np.zeros((4, width))
        self._gain, self._mark, self._met2, self._fine2, self._share = np.zeros((5, width))
        self._most = np.zeros(width, dtype=np.int64)
        self._blocked = np.zeros((lanes.dof, width), dtype=bool)
        self.met, self._new, self._tried, self._still, self._careful = np.zeros((5, width), dtype=bool)
        self._place = at_targets(lanes, wanted, self.target)

    @property
    def width(self) -> int:
        """Number of lanes."""
        return len(self.busy)

    def resize(self, width: int) -> None:
        """Keep the lanes at work, and as many others as it takes."""
        order = np.argsort(~self.busy, kind="stable")[:width]
        for name in self._PER_LANE:
            setattr(self, name, np.ascontiguousarray(getattr(self, name)[..., order]))
        self._place = at_targets(self._lanes, self._wanted, self.target)

    def start(
        self,
        slots: Places,
        values: Array,
        target: Places,
        job: Places,
        *,
        careful: Flags,
        hasty: Flags,
        second: Counts,
    ) -> None:
        """Give new work to idle lanes.

        Args:
            slots: (k,) the lanes.
            values: (dof, k) where each begins.
            target: (k,)
            job: (k,)
            careful: (k,) see :func:`~.descent.least_squares`.
            hasty: (k,) whether it is given up soon.
            second: (k,) NEVER, FREED or SHAKEN: which second run there may be; a careful line is never shaken.
        """
        self.busy[slots] = True
        self.target[slots], self.job[slots] = target, job
        self._careful[slots] = careful
        self._second[slots] = np.where(careful, np.minimum(second, FREED), second)
        self.error[slots], self.met[slots] = np.inf, False
        self.steps[slots] = 0
        chain = self._wanted.chain[target]
        distance = self._wanted.distance[chain]
        self._met2[slots] = distance**2
        self._fine2[slots] = np.minimum(distance, FINE * self._lanes.scale[chain]) ** 2
        self._place = moved_to(self._place, self._lanes, self._wanted, self.target, slots)
        self._run_from(slots, values, hasty)

    def advance(self) -> Places:
        """One iteration of every lane at work; the lanes that have ended with it, which are idle then."""
        frames = self._lanes.place(self._values, self._place.numbers)
        found = errors(frames, self._place)
        better = self._keep_best(found)
        rejected = self._judge(found)
        ended = self._ended()
        self._new[:] = False
        self._step(frames, found, rejected, better)
        stuck = np.flatnonzero(ended & (self._second > NEVER) & ~self.met)
        if len(stuck):
            ended[self._run_again(stuck)] = False
        self.busy &= ~ended
        self._tried &= ~ended
        return np.flatnonzero(ended)

    def _run_from(self, slots: Places, values: Array, hasty: Flags) -> None:
        """Begin a run; the best pose stays."""
        careful = self._careful[slots]
        self._most[slots] = np.where(careful, SETTLED_AFTER, np.where(hasty, HASTY[0], PATIENCE[0]))
        self._share[slots] = np.where(hasty, HASTY[1], PATIENCE[1])
        self._values[:, slots] = values
        self._new[slots] = True
        self._tried[slots] = self._still[slots] = False
        self._since[slots] = self._run_steps[slots] = 0
        self._gain[slots] = GAIN

    def _run_again(self, slots: Places) -> Places:
        """Begin second runs; returns the lanes that got one."""
        chain = self._wanted.chain[self.target[slots]]
        values, blocked = self.best[:, slots], self._blocked[:, slots]
        freed = blocked.any(axis=0)
        second = self._second[slots]
        again = freed | (second == SHAKEN)
        starts = np.where(freed, backed(self._lanes, chain, values, blocked), shaken(self._lanes, chain, values))
        self._second[slots] = NEVER
        # After the first line one is given up soon, after a restart as soon as that.
        hasty = (second == SHAKEN) | (self._most[slots] == HASTY[0])
        self._run_from(slots[again], starts[:, again], hasty[again])
        begun: Places = slots[again]
        return begun

    def _keep_best(self, found: Errors) -> Flags:
        met = (found.distance2 <= self._met2) & (found.angle2 <= self._wanted.angle**2)
        smaller = found.total < self.error
        better: Flags = (met & ~self.met) | ((met == self.met) & smaller)
        better &= (self._new | self._tried) & self.busy
        np.copyto(self.best, self._values, where=better)
        for kept, now in (
            (self.error, found.total),
            (self.distance2, found.distance2),
            (self.angle2, found.angle2),
            (self.met, met),
        ):
            np.copyto(kept, now, where=better)
        return better

    def _judge(self, found: Errors) -> Flags:
        """Take the step that was tried, or not; the lanes that go back to where they were."""
        good = found.total < self._held_error
        eased = np.maximum(0.5 * self._gain, LEAST_GAIN)
        raised = np.minimum(4.0 * self._gain, MOST_GAIN)
        self._gain = np.where(self._tried, np.where(good, eased, raised), self._gain)
        rejected = self._tried & self._careful & ~good
        taken = self._new | (self._tried & ~rejected)
        np.copyto(self._held, self._values, where=taken)
        np.copyto(self._held_error, found.total, where=taken)
        np.copyto(self._mark, found.total, where=self._new)
        return np.asarray(rejected)

    def _ended(self) -> Flags:
        """The lanes that are on target, stuck, or have had their time."""
        free = (1.0 - self._share) * self._mark
        enough = free
        if self._careful.any():
            settled = np.maximum(0.0, np.sqrt(self._mark) - SETTLED * self._place.scale) ** 2
            enough = np.where(self._careful, settled, free)
        progress = self._tried & (self._held_error < enough)
        np.copyto(self._mark, self._held_error, where=progress)
        self._since = np.where(progress, 0, self._since + self._tried)
        self.steps += self._tried
        self._run_steps += self._tried
        ended = self._tried & ~progress & (self._still | (self._since >= self._most))
        ended |= self._tried & (self._run_steps >= LONGEST)
        ended |= (self.distance2 <= self._fine2) & (self.angle2 <= min(self._wanted.angle, FINE) ** 2)
        at_end: Flags = ended & self.busy
        return at_end

    def _step(self, frames: Frames, found: Errors, rejected: Flags, better: Flags) -> None:
        """What to try next."""
        place = self._place
        rows = slopes(self._lanes, frames, place)
        values = self._values
        blocked = outward(place, values, rows, found)
        np.copyto(self._blocked, blocked, where=better)
        rows *= np.where(blocked, 0.0, 1.0)
        wanted = found.rows
        if self._careful.any():
            length = np.sqrt(np.maximum(found.total, 1e-300))
            most = FAR_ERROR * place.scale
            wanted = wanted * np.where(self._careful & (length > most), most / length, 1.0)
        change = damped_steps(rows, wanted, self._gain * found.total + FLOOR * place.scale**2)
        largest = np.abs(change).max(axis=0)
        self._still = dot(change, change) < STILL * STILL
        change *= STEP_CAP / np.maximum(largest, STEP_CAP)
        tried = np.minimum(np.maximum(values + change * place.pace, place.lower), place.upper)
        self._values = np.where(rejected, self._held, tried)
        self._tried = self.busy & ~rejected


def damped_steps(rows: Array, wanted: Array, damping: Array) -> Array:
    """(dof, lanes) least-squares step of ``rows`` (m, dof, lanes) towards ``wanted`` (m, lanes), damped."""
    count, dof, _ = rows.shape
    if count == 3 or count <= dof:
        weights = _solved(_gram(rows, damping), list(wanted), damping)
        return _weighted(rows, weights)
    columns = rows.transpose(1, 0, 2)
    return np.stack(_solved(_gram(columns, damping), [dot(column, wanted) for column in columns], damping))


def _weighted(rows: Array, weights: list[Array]) -> Array:
    total = rows[0] * weights[0]
    for row, weight in zip(rows[1:], weights[1:], strict=True):
        total += row * weight
    return np.asarray(total)


def _gram(rows: Array, damping: Array) -> list[list[Array]]:
    """Lower triangle of the products of the rows with each other; ``damping`` on the diagonal."""
    lower = [[dot(row, other) for other in rows[: i + 1]] for i, row in enumerate(rows)]
    for i, row in enumerate(lower):
        row[i] = row[i] + damping
    return lower


def _solved(a: list[list[Array]], b: list[Array], damping: Array) -> list[Array]:
    """Solve damped systems, given by their lower triangles, by L D Lᵀ."""
    size = len(b)
    for i in range(size):
        row = a[i]
        for j in range(i):
            value = row[j]
            for k in range(j):
                value = value - row[k] * a[j][k]
            row[j] = value
        pivot = row[i]
        for j in range(i):
            scaled = row[j] / a[j][j]
            pivot = pivot - scaled * row[j]
            row[j] = scaled
        row[i] = np.where(pivot > LEAST_PIVOT * damping, pivot, damping)
    for i in range(size):
        value = b[i]
        for k in range(i):
            value = value - a[i][k] * b[k]
        b[i] = value
    for i in range(size - 1, -1, -1):
        value = b[i] / a[i][i]
        for k in range(i + 1, size):
            value = value - a[k][i] * b[k]
        b[i] = value
    return b
