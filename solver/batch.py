"""Thousands of targets at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import GoalError
from .chain import Chain
from .compiled import Compiled
from .goal import LARGEST, Goal
from .lanes import Lanes
from .methods import METHODS
from .pool import Pool
from .problem import NO_WAY
from .search import LEAST_TOLERANCE, TOLERANCE, Search, check_tolerances
from .solution import PUSHED, Solution, Status
from .targets import Array, Flags, Places, Wanted

# Rotations may be off by so much, and are made exact.
ROTATION_DEFECT = 1e-3
# Statuses are decided for so many targets at a time.
BLOCK = 1024


@dataclass(frozen=True, eq=False)
class BatchSolution:
    """The best poses found, in the order of the targets. Its arrays are read-only.

    Attributes:
        values: (n, dof) inside the limits; those that wrap in (-pi, pi].
        position_residual: (n,) distance of the handle from its target [m].
        orientation_residual: (n,) angle to the orientation [rad]; 0 where none was asked for.
        status: (n,) of :class:`~.solution.Status`.
        iterations: (n,) sweeps done for each.
    """

    values: Array
    position_residual: Array
    orientation_residual: Array
    status: NDArray[np.object_]
    iterations: NDArray[np.int64]

    def __post_init__(self) -> None:
        for array in (
            self.values,
            self.position_residual,
            self.orientation_residual,
            self.status,
            self.iterations,
        ):
            array.setflags(write=False)

    @property
    def reached(self) -> Flags:
        """(n,) whether each target is met within its tolerance."""
        return np.array([status is Status.REACHED for status in self.status], dtype=bool)


def solve_batch(
    chain: Chain | Sequence[Chain],
    positions: ArrayLike,
    orientations: ArrayLike | None = None,
    *,
    q0: ArrayLike | None = None,
    point: ArrayLike | None = None,
    method: str = "AUTO",
    tolerance: float | None = None,
    orientation_tolerance: float = 1e-3,
    warm_start: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> BatchSolution:
    """Find a pose for every target, each as :func:`~.search.solve` would.

    With ``method="AUTO"`` and without ``warm_start`` the targets stream through a pool of about a thousand lanes, at a
    few microseconds each. A target that needs restarts takes them from its place in the batch, so that the result for
    it does not depend on what else is in the batch; where no restart is needed, it is that of a single solve. The
    other methods, warm starts, and joints that are scaled unevenly go through the targets one by one.
    A target that cannot be had may end at another pose than a single solve's, and then say so in its status: one pose
    has joints at limits, the other has none.

    Args:
        chain: one for all, or one for each target; these must have the same structure (the legs of a gait).
        positions: (n, 3) targets of the handle [m], in skeleton space.
        orientations: (n, 3, 3) of the body; None = any.
        q0: (dof,) or (n, dof) values to start from; None = those of the chain. Clamped into the limits.
        point: (3,) the handle in the body's frame; None = the body's default.
        method: "AUTO", "CCD" or "FABRIK".
        tolerance: [m]; None = 1e-5 of the reach.
        orientation_tolerance: [rad].
        warm_start: True for targets along a path: each starts from the pose found for the one before on the same
            chain, and stays near it if it can; ``q0`` is for the first one of each chain.
        progress: called with the number of targets done and that of all, now and then and at the end.

    Raises:
        GoalError: a target, start pose or option that means nothing; chains whose structures differ.
    """
    if method not in METHODS:
        raise GoalError(f"there is no method {method!r}; choose one of {', '.join(map(repr, METHODS))}")
    check_tolerances(tolerance, orientation_tolerance)
    targets = _numbers("positions", positions, (3,))
    turned = None if orientations is None else _rotations(orientations, len(targets))
    distinct, which = _distinct(chain, len(targets))
    dof = distinct[0].dof if distinct else 0
    start = _starts(distinct, which, q0, dof)
    handle = None if point is None else _handle(point)
    asked = _Asked(distinct, which, targets, turned, start, handle, tolerance, float(orientation_tolerance))
    report = progress or _silent
    if method == "AUTO" and not warm_start and len(targets) and dof and asked.even:
        return asked.pooled(report)
    return asked.one_by_one(method, warm_start, report)


@dataclass(frozen=True, eq=False)
class _Asked:
    """A batch, checked.

    Attributes:
        chains: each of them once.
        which: (n,) the place of each target's chain.
    """

    chains: list[Chain]
    which: Places
    positions: Array
    rotations: Array | None
    start: Array
    point: tuple[float, float, float] | None
    tolerance: float | None
    orientation_tolerance: float

    @property
    def even(self) -> bool:
        """True when no joint is scaled by different factors along its axes."""
        return all(self._compiled(each).uneven is None for each in self.chains)

    def pooled(self, report: Callable[[int, int], object]) -> BatchSolution:
        """All at a time."""
        compiled, which = [self._compiled(each) for each in self.chains], self.which
        lanes = Lanes(compiled)
        distance = np.array([_tolerance(self.tolerance, one) for one in compiled])
        rotation = None if self.rotations is None else np.ascontiguousarray(self.rotations.transpose(2, 1, 0))
        wanted = Wanted(np.ascontiguousarray(self.positions.T), rotation, which, distance, self.orientation_tolerance)
        base, reach, fold = (np.array([getattr(one.tips[0], name) for one in compiled]) for name in _LENGTHS)
        away = np.linalg.norm(self.positions - base[which], axis=1)
        slack = NO_WAY * lanes.scale[which]
        far = (away > reach[which] + slack) | (away < fold[which] - slack)
        start = np.clip(self.start.T, lanes.of(lanes.lower, which), lanes.of(lanes.upper, which))
        pool = Pool(lanes, wanted, start, far, report)
        pool.run()
        best = pool.best
        status = np.full(len(far), _ORDER.index(Status.REACHED))
        status[~best.met] = _ORDER.index(Status.STALLED)
        for block in np.array_split(np.flatnonzero(~best.met), max(1, len(far) // BLOCK)):
            status[block[pool.pushed(block, PUSHED).any(axis=0)]] = _ORDER.index(Status.AT_LIMITS)
        status[~best.met & far] = _ORDER.index(Status.OUT_OF_REACH)
        wraps = np.array([each.wraps for each in self.chains])[which]
        values = np.where(wraps, _wrapped(best.values.T), best.values.T)
        return BatchSolution(
            values, np.sqrt(best.distance2), np.sqrt(best.angle2), _statuses(_ORDER)[status], best.steps
        )

    def one_by_one(self, method: str, warm: bool, report: Callable[[int, int], object]) -> BatchSolution:
        """One after the other."""
        last: dict[int, Array] = {}
        found: list[Solution] = []
        for i, chain in enumerate(self.which.tolist()):
            start = last.get(chain, self.start[i]) if warm else self.start[i]
            found.append(self._one(i, start, method, warm and chain in last))
            last[chain] = found[-1].values
            report(i + 1, len(self.which))
        return BatchSolution(
            np.array([one.values for one in found]).reshape(self.start.shape),
            np.array([one.position_residual for one in found]),
            np.array([one.orientation_residual for one in found]),
            _statuses([one.status for one in found]),
            np.array([one.iterations for one in found], dtype=np.int64),
        )

    def _one(self, i: int, start: Array, method: str, warm: bool) -> Solution:
        chain = self.chains[self.which[i]]
        goal = Goal(
            chain.bodies[0], self.positions[i], None if self.rotations is None else self.rotations[i], point=self.point
        )

        def search(*, one_shot: bool) -> Solution:
            return Search(
                chain,
                goal,
                start,
                method=method,
                tolerance=self.tolerance,
                orientation_tolerance=self.orientation_tolerance,
                one_shot=one_shot,
            ).advance(math.inf)

        if not warm:
            return search(one_shot=True)
        near = search(one_shot=False)
        if near.status in (Status.REACHED, Status.OUT_OF_REACH):
            return near
        anywhere = search(one_shot=True)
        return anywhere if anywhere.status == Status.REACHED else near

    def _compiled(self, chain: Chain) -> Compiled:
        body = chain.bodies[0]
        point = chain.skeleton.body(body).point if self.point is None else self.point
        return chain.compiled(((body, point, self.rotations is not None),))


_ORDER = list(Status)
_LENGTHS = ("base", "reach", "fold")


def _silent(done: int, count: int) -> None:
    """No progress report."""


def _statuses(found: list[Status]) -> NDArray[np.object_]:
    """(n,) the members themselves, not the texts that an array would make of them."""
    statuses = np.empty(len(found), dtype=object)
    statuses[:] = found
    return statuses


def _tolerance(given: float | None, compiled: Compiled) -> float:
    return max(TOLERANCE * compiled.scale, LEAST_TOLERANCE) if given is None else float(given)


def _wrapped(angles: Array) -> Array:
    """The same angles in (-pi, pi]; those that are there already are returned as they are."""
    turned = angles - 2.0 * math.pi * np.rint(angles / (2.0 * math.pi))
    inside = (angles > -math.pi) & (angles <= math.pi)
    return np.where(inside, angles, np.where(turned <= -math.pi, math.pi, turned))


def _distinct(chain: Chain | Sequence[Chain], count: int) -> tuple[list[Chain], Places]:
    """Each chain once, and (n,) the place of each target's."""
    if isinstance(chain, Chain):
        return [chain], np.zeros(count, dtype=np.intp)
    if not (isinstance(chain, Sequence) and all(isinstance(each, Chain) for each in chain)):
        raise GoalError(f"the chain of the batch is {chain!r}; a Chain is needed, or one for each target")
    if len(chain) != count:
        raise GoalError(f"{len(chain)} chains were given for {count} targets; give one, or one for each")
    places: dict[int, int] = {}
    distinct: list[Chain] = []
    for each in chain:
        if id(each) not in places:
            places[id(each)] = len(distinct)
            distinct.append(each)
    sizes = sorted({each.dof for each in distinct})
    if len(sizes) > 1:
        raise GoalError(f"the chains of a batch have {' and '.join(map(str, sizes))} unknowns; all need as many")
    return distinct, np.array([places[id(each)] for each in chain], dtype=np.intp)


def _starts(chains: list[Chain], which: Places, q0: ArrayLike | None, dof: int) -> Array:
    """(n, dof) where each target begins."""
    if q0 is None:
        found: Array = np.array([each.values for each in chains]).reshape(len(chains), dof)[which]
        return found
    try:
        start = np.asarray(q0, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise GoalError(f"q0 is {q0!r}; numbers are needed") from None
    if start.shape not in ((dof,), (len(which), dof)):
        raise GoalError(f"q0 has shape {start.shape}; ({dof},) or ({len(which)}, {dof}) is needed")
    _check_finite("q0", np.atleast_2d(start))
    return np.broadcast_to(start, (len(which), dof))


def _handle(point: ArrayLike) -> tuple[float, float, float]:
    x, y, z = _numbers("point", [point], (3,))[0].tolist()  # type: ignore[arg-type]
    return (x, y, z)


def _numbers(what: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """(n, *shape) float64."""
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise GoalError(f"the {what} of the batch are {value!r}; numbers are needed") from None
    if numbers.size == 0 and numbers.ndim <= 1:
        numbers = numbers.reshape(0, *shape)
    if numbers.ndim != len(shape) + 1 or numbers.shape[1:] != shape:
        raise GoalError(
            f"the {what} of the batch have shape {numbers.shape}; (n, {str(shape)[1:-1].rstrip(',')}) is needed"
        )
    _check_finite(what, numbers)
    return numbers


def _check_finite(what: str, numbers: Array) -> None:
    bad = ~np.isfinite(numbers).all(axis=tuple(range(1, numbers.ndim)))
    if bad.any():
        first = int(np.argmax(bad))
        raise GoalError(f"the {what} of target {first} hold a number that is not finite: {numbers[first].tolist()}")
    if np.abs(numbers).max(initial=0.0) > LARGEST:
        first = int(np.argmax((np.abs(numbers) > LARGEST).any(axis=tuple(range(1, numbers.ndim)))))
        raise GoalError(f"the {what} of target {first} are too large to be squared: {numbers[first].tolist()}")


def _rotations(value: ArrayLike, count: int) -> Array:
    """(n, 3, 3) exact rotations."""
    matrices = _numbers("orientations", value, (3, 3))
    if len(matrices) != count:
        raise GoalError(f"{len(matrices)} orientations were given for {count} targets")
    defect = np.abs(matrices @ matrices.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2), initial=0.0)
    volume = np.einsum("ni,ni->n", matrices[:, 0], np.cross(matrices[:, 1], matrices[:, 2]))
    bad = (defect > ROTATION_DEFECT) | (volume < 0.0)
    if bad.any():
        first = int(np.argmax(bad))
        raise GoalError(
            f"the orientation of target {first} is no rotation matrix (scaled, sheared or mirrored): "
            f"{matrices[first].tolist()}"
        )
    rough = np.flatnonzero(defect > 1e-12)
    if len(rough):
        matrices = matrices.copy()
        for _ in range(2):  # Newton's iteration for the polar factor, as for a single goal
            part = matrices[rough]
            matrices[rough] = part @ (1.5 * np.eye(3) - 0.5 * (part.transpose(0, 2, 1) @ part))
    return matrices
