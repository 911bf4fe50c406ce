"""What FABRIK on a chain's real axes is asked for, lane by lane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import GoalError
from .lanes import Lanes

if TYPE_CHECKING:
    from .chain import Chain

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Target:
    """Where the handle shall be, in the frame of the chain's anchor.

    Attributes:
        position: (…, 3) [m].
        rotation: (…, 3, 3) of the body; None = any.
        enforce: (…) above 0.5 asks for the rotation, lane by lane; None = wherever there is one.
    """

    position: ArrayLike
    rotation: ArrayLike | None = None
    enforce: ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class Options:
    """Where the lanes begin and when each of them ends.

    Attributes:
        max_iterations: most sweeps.
        tolerance: [m]; None = 1e-5 of the reach.
        orientation_tolerance: [rad].
        lever: distance [m] of the three points that stand for an orientation from the handle; None = half the reach.
        tip_weight: of the handle against a joint on the way to it. With 30 real arms converge; with 1, as published,
            many do not.
        start: (…, dof) values to begin with; None = the chain's part of its pose.
    """

    max_iterations: int = 200
    tolerance: float | None = None
    orientation_tolerance: float = 1e-3
    lever: float | None = None
    tip_weight: float = 1.0
    start: ArrayLike | None = None


class Asked:
    """Target and options as arrays of lanes, in skeleton space.

    Attributes:
        batch: the leading axes.
        count: number of lanes.
        position: (3, lanes). rotation: (3, 3, lanes) columns first, or None. enforced: (lanes,).
        start: (dof, lanes).
    """

    def __init__(self, chain: Chain, target: Target, options: Options) -> None:
        position = _numbers("position", target.position, (3,))
        given = getattr(target, "rotation", None)
        rotation = None if given is None else _numbers("rotation", given, (3, 3))
        wanted = getattr(target, "enforce", None)
        enforce = np.array(0.0 if rotation is None else 1.0) if wanted is None else _numbers("enforce", wanted, ())
        if rotation is None and (enforce > 0.5).any():
            raise GoalError("the target enforces a rotation that is not given")
        begin = getattr(options, "start", None)
        start = chain.values if begin is None else _numbers("start", begin, (chain.dof,))
        shapes = [position.shape[:-1], enforce.shape, start.shape[:-1]]
        if rotation is not None:
            shapes.append(rotation.shape[:-2])
        try:
            self.batch = np.broadcast_shapes(*shapes)
        except ValueError:
            raise GoalError(f"the batch axes of position, rotation, enforce and start do not fit: {shapes}") from None
        self.count = math.prod(self.batch)
        body = chain.bodies[0]
        compiled = chain.compiled(((body, chain.skeleton.body(body).point, rotation is not None),))
        self.lanes = Lanes([compiled])
        self.numbers = self.lanes.numbers(None)
        self.scale = compiled.scale
        self._take_options(options)
        # The anchor's frame, in which the target is given.
        frame = np.eye(4) if not chain.anchor else chain.skeleton.frame(chain.anchor, chain.q)
        at = np.broadcast_to(position, (*self.batch, 3)).reshape(self.count, 3)
        self.position: Array = (at @ frame[:3, :3].T + frame[:3, 3]).T
        self.rotation: Array | None = None
        if rotation is not None:
            u, _, v = np.linalg.svd(frame[:3, :3])
            turned = np.sign(np.linalg.det(u @ v)) * (u @ v) @ np.broadcast_to(rotation, (*self.batch, 3, 3))
            self.rotation = turned.reshape(self.count, 3, 3).transpose(2, 1, 0)
        self.enforced: NDArray[np.bool_] = np.broadcast_to(enforce > 0.5, self.batch).ravel()
        clamped = np.clip(np.broadcast_to(start, (*self.batch, chain.dof)), compiled.lower, compiled.upper)
        self.start: Array = clamped.reshape(self.count, chain.dof).T

    def _take_options(self, options: Options) -> None:
        defaults = Options()
        told = {name: getattr(options, name, getattr(defaults, name)) for name in _POSITIVE}
        for name, number in told.items():
            if number is not None and not (math.isfinite(number) and number > 0.0):
                raise GoalError(f"the option {name} is {number}; a positive number is needed")
        self.most = int(getattr(options, "max_iterations", defaults.max_iterations))
        if self.most < 0:
            raise GoalError(f"the option max_iterations is {self.most}; it cannot be negative")
        self.tolerance = float(told["tolerance"] or 1e-5 * self.scale)
        self.angle = float(told["orientation_tolerance"])
        self.lever = float(told["lever"] or 0.5 * self.scale)
        self.tip_weight = float(told["tip_weight"])


_POSITIVE = ("tolerance", "orientation_tolerance", "lever", "tip_weight")


def _numbers(what: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise GoalError(f"the {what} is {value!r}; numbers are needed") from None
    if numbers.shape[numbers.ndim - len(shape) :] != shape:
        raise GoalError(f"the {what} has shape {numbers.shape}; {('…', *shape)} is needed".replace("'", ""))
    if not np.isfinite(numbers).all():
        raise GoalError(f"the {what} holds a number that is not finite")
    return numbers
