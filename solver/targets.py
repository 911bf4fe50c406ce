"""Many targets at a time: how far the poses of all lanes are from them, and how that changes with each unknown."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .lanes import Frames, Lanes, Numbers
from .problem import LEAST_PUSH, TURN_WEIGHT
from .turns import rotation_vector

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.intp]

# Where a step's numbers hold its multiplier.
MULTIPLIER = 12


class Wanted(NamedTuple):
    """The targets of a batch.

    Attributes:
        position: (3, targets) [m].
        rotation: (3, 3, targets) columns first; None = any.
        chain: (targets,) place of each target's chain.
        distance: (chains,) what counts as met [m].
        angle: the same [rad].
    """

    position: Array
    rotation: Array | None
    chain: Places
    distance: Array
    angle: float


class Errors(NamedTuple):
    """Poses against their targets.

    Attributes:
        rows: (rows, lanes) the weighted errors [m]: three of position, then three of orientation.
        total: (lanes,) their squared length [m²].
        distance2, angle2: (lanes,) squared distance [m²] and angle [rad²].
    """

    rows: Array
    total: Array
    distance2: Array
    angle2: Array


class Place(NamedTuple):
    """What some lanes are to solve, and on which chains.

    Attributes:
        numbers: constants of their chains.
        lower, upper, pace: (dof, lanes), or (dof, 1) where there is one chain.
        scale: (lanes,), or (1,).
        position, rotation: their targets.
    """

    numbers: Numbers
    lower: Array
    upper: Array
    pace: Array
    scale: Array
    position: Array
    rotation: Array | None


def at_targets(lanes: Lanes, wanted: Wanted, targets: Places) -> Place:
    """What the lanes of these targets need."""
    rotation = None if wanted.rotation is None else wanted.rotation[:, :, targets]
    which = wanted.chain[targets]
    numbers = lanes.numbers(None if len(lanes.scale) == 1 else which)
    lower, upper, pace = (lanes.of(table, which) for table in (lanes.lower, lanes.upper, lanes.pace))
    scale = lanes.scale if len(lanes.scale) == 1 else lanes.scale[which]
    return Place(numbers, lower, upper, pace, scale, wanted.position[:, targets], rotation)


def moved_to(place: Place, lanes: Lanes, wanted: Wanted, targets: Places, slots: Places) -> Place:
    """The same after some lanes, ``slots``, got other ones of ``targets`` (lanes,); may be changed in place."""
    if len(lanes.scale) > 1:
        return at_targets(lanes, wanted, targets)
    place.position[:, slots] = wanted.position[:, targets[slots]]
    if place.rotation is not None and wanted.rotation is not None:
        place.rotation[:, :, slots] = wanted.rotation[:, :, targets[slots]]
    return place


def errors(frames: Frames, place: Place) -> Errors:
    """How far poses are from their targets."""
    way = place.position - frames.tip
    distance2 = way[0] * way[0] + way[1] * way[1] + way[2] * way[2]
    if place.rotation is None or frames.turned is None:
        return Errors(way, distance2, distance2, np.zeros_like(distance2))
    turn = _rotation_vectors(frames.turned, place.rotation)
    angle2 = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]
    weight = TURN_WEIGHT * place.scale
    return Errors(np.concatenate((way, weight * turn)), distance2 + angle2 * weight**2, distance2, angle2)


def slopes(lanes: Lanes, frames: Frames, place: Place) -> Array:
    """(rows, dof, lanes) how the errors shrink with each unknown, in units of its pace."""
    axes, (px, py, pz) = frames.axes, (frames.tip - frames.origins).transpose(1, 0, 2)
    ax, ay, az = axes.transpose(1, 0, 2)
    turned = place.rotation is not None
    found = np.empty((6 if turned else 3, len(lanes.steps), axes.shape[2]))
    part = np.empty(axes.shape[::2])
    for row, (a, b, c, d) in enumerate(((ay, pz, az, py), (az, px, ax, pz), (ax, py, ay, px))):
        np.multiply(a, b, out=found[row])
        found[row] -= np.multiply(c, d, out=part)
    if turned:
        found[3], found[4], found[5] = ax, ay, az
        found[3:] *= TURN_WEIGHT * place.scale
    for i, step in enumerate(lanes.steps):
        if step.slide:
            found[:3, i] = axes[i]
            found[3:, i] = 0.0
    unknowns = [step.unknown for step in lanes.steps]
    factors = place.pace[unknowns]
    if any(isinstance(step[MULTIPLIER], np.ndarray) or step[MULTIPLIER] != 1.0 for step in place.numbers.steps):
        factors = factors * np.stack(
            [np.broadcast_to(step[MULTIPLIER], axes.shape[2:]) for step in place.numbers.steps]
        )
    if not (factors == 1.0).all():
        found *= factors
    if unknowns == list(range(lanes.dof)):
        return found
    summed = np.zeros((len(found), lanes.dof, axes.shape[2]))
    for i, unknown in enumerate(unknowns):
        summed[:, unknown] += found[:, i]
    return summed


def outward(place: Place, values: Array, rows: Array, found: Errors, share: float = 0.0) -> Flags:
    """(dof, lanes) the unknowns at a limit that the error pushes outwards.

    Args:
        place: what the lanes solve.
        values: (dof, lanes) their poses.
        rows: (rows, dof, lanes) the slopes there.
        found: the errors there.
        share: how much of the error, as the cosine of its angle to the unknown's own effect, must do so.
    """
    push = np.einsum("rul,rl->ul", rows, found.rows)
    least = LEAST_PUSH * place.scale**2
    if share:
        least = np.maximum(least, share * np.sqrt((rows * rows).sum(axis=0) * found.total))
    blocked: Flags = ((values >= place.upper) & (push > least)) | ((values <= place.lower) & (push < -least))
    return blocked


def _rotation_vectors(turned: Array, wanted: Array) -> Array:
    """(3, lanes) the turns [rad] that take rotations to wanted ones, both (3, 3, lanes) columns first."""
    rx, ry, rz = turned.transpose(1, 0, 2)
    tx, ty, tz = wanted.transpose(1, 0, 2)
    vector = np.empty((3, turned.shape[2]))
    vector[0] = dot(ry, tz) - dot(rz, ty)
    vector[1] = dot(rz, tx) - dot(rx, tz)
    vector[2] = dot(rx, ty) - dot(ry, tx)
    vector *= 0.5
    sine = np.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])
    cosine = 0.5 * (np.einsum("cil,cil->l", turned, wanted) - 1.0)
    small = sine <= 1e-6
    vector *= np.where(small, 1.0, np.arctan2(sine, cosine) / np.where(small, 1.0, sine))
    for lane in np.flatnonzero(small & (cosine <= 0.0)):  # half a turn: the rule of the single search
        placed = (0.0, 0.0, 0.0, *turned[:, :, lane].T.ravel().tolist())
        vector[:, lane] = rotation_vector(wanted[:, :, lane].T.ravel().tolist(), placed)
    return np.asarray(vector)


def dot(a: Array, b: Array) -> Array:
    """(lanes,) of two (n, lanes)."""
    return np.asarray(np.einsum("il,il->l", a, b))
