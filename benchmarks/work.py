"""The work: targets made anew from the run's seed, by the recipes of the project's common work.

- ``pos``, ``pose``: values drawn uniformly inside the limits, and where the tip is then.
- ``drag``: paths of 60 frames, circles of 0.05 to 0.15 reach and straight lines of 0.15 to 0.5 reach in any direction,
  from where the tip is at random values a tenth inside the limits; the first frame is one step on. Every frame can be
  reached: a plain numerical search that no solver had a hand in has found values for it.
- ``unreach``: the common work's own targets, at 1.2 to 2 times the reach, with the smallest distance that is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from chains import Array, Chain
from judge import Flags, judge
from sources import common_work

FRAMES = 60
# Drags start so far inside the limits, as a share of their range.
MARGIN = 0.1
# The search for witnesses: iterations from each start, and how often what is left starts anew.
ITERATIONS, STARTS = 30, 4
NEAR = 1e-4  # of the reach


@dataclass(frozen=True, eq=False)
class Work:
    """Targets for one chain.

    Attributes:
        kind: "pos", "pose", "drag" or "unreach".
        p: (n, 3), of a drag (n, 60, 3).
        rotation: (n, 3, 3) for "pose", else None.
        start: (n, dof) where drags start, else None.
        best: (n,) smallest known distance of "unreach" [m], else None.
    """

    kind: str
    p: Array
    rotation: Array | None = None
    start: Array | None = None
    best: Array | None = None


def reachable(chain: Chain, kind: str, count: int, random: np.random.Generator) -> Work:
    """Positions or poses."""
    frames = chain.forward(chain.random(random, count))
    return Work(kind, frames[:, :3, 3], frames[:, :3, :3] if kind == "pose" else None)


def unreachable(chain: Chain, count: int) -> Work | None:
    """The first targets of the common work's set; None where there is none."""
    file = common_work() / "sets" / f"{chain.name}_unreach.npz"
    if not file.is_file():
        return None
    told = np.load(file)
    return Work("unreach", told["p"][:count], best=told["best"][:count])


def drags(chain: Chain, count: int, random: np.random.Generator) -> Work:
    """Paths all of whose frames can be reached."""
    kept: list[tuple[Array, Array]] = []
    space = _directions(chain, random)
    while len(kept) < count:
        starts = chain.middle + (1.0 - 2.0 * MARGIN) * (chain.random(random, count + 8) - chain.middle)
        at = chain.forward(starts)[:, :3, 3]
        paths = np.array([_path(chain, place, space, random) for place in at])
        good = _can_be_followed(chain, paths, starts, random)
        kept += [(paths[i], starts[i]) for i in np.flatnonzero(good)]
    return Work("drag", np.array([path for path, _ in kept[:count]]), start=np.array([s for _, s in kept[:count]]))


def _directions(chain: Chain, random: np.random.Generator) -> Array:
    """(2 or 3, 3) unit vectors of the space, or the plane, that the tip can move in."""
    at = chain.forward(chain.random(random, 200))[:, :3, 3]
    _, extent, axes = np.linalg.svd(at - at.mean(axis=0), full_matrices=False)
    return axes[extent > 1e-6 * chain.reach]


def _path(chain: Chain, begin: Array, space: Array, random: np.random.Generator) -> Array:
    """(60, 3), a circle or a line from a point that is not the first frame itself, in any direction of the space."""
    mixed = np.linalg.qr(random.normal(size=(len(space), len(space))))[0] * random.choice([-1.0, 1.0], len(space))
    along, across = (mixed.T @ space)[:2]
    steps = np.arange(1, FRAMES + 1)[:, None]
    if random.random() < 0.5:
        return begin + random.uniform(0.15, 0.5) * chain.reach * along * steps / FRAMES
    radius, angle = random.uniform(0.05, 0.15) * chain.reach, 2.0 * np.pi * steps / FRAMES
    return begin + radius * ((np.cos(angle) - 1.0) * along + np.sin(angle) * across)


def _can_be_followed(chain: Chain, paths: Array, starts: Array, random: np.random.Generator) -> Flags:
    """(n,) whether there are values for every frame of a path (n, 60, 3)."""
    alive, q = np.arange(len(paths)), starts
    # The far ends first: there most paths fail that do. Then along the others.
    for frame in [FRAMES - 1, FRAMES // 2, *range(FRAMES)]:
        target = paths[alive, frame]
        q = _descend(chain, q, target)
        for _ in range(STARTS):
            left = np.flatnonzero(judge(chain, q, target).distance > NEAR * chain.reach)
            if not len(left):
                break
            q[left] = _descend(chain, chain.random(random, len(left)), target[left])
        there = judge(chain, q, target).distance <= NEAR * chain.reach
        alive, q = alive[there], q[there]
    return np.isin(np.arange(len(paths)), alive)


def _descend(chain: Chain, start: Array, target: Array) -> Array:
    """(n, dof) from values towards positions (n, 3): damped least squares, values clamped, all at a time."""
    q = start.copy()
    going = np.arange(len(q))
    for _ in range(ITERATIONS):
        frames = chain.frames(q[going])
        tip = (frames[-1] @ chain.tip)[:, :3, 3]
        error = target[going] - tip
        far = np.linalg.norm(error, axis=1) > 0.5 * NEAR * chain.reach
        going, error = going[far], error[far]
        if not len(going):
            break
        columns = [
            frame[far, :3, 2] if kind == "prismatic" else np.cross(frame[far, :3, 2], tip[far] - frame[far, :3, 3])
            for frame, kind in zip(frames, chain.kinds, strict=True)
        ]
        slopes = np.stack(columns, axis=2)
        damping = 0.05 * (error**2).sum(axis=1) + 1e-9 * chain.reach**2
        square = slopes @ slopes.transpose(0, 2, 1) + damping[:, None, None] * np.eye(3)
        step = (slopes.transpose(0, 2, 1) @ np.linalg.solve(square, error[:, :, None]))[:, :, 0]
        before = q[going]
        q[going] = np.clip(before + np.clip(step, -1.0, 1.0), chain.lower, chain.upper)
        going = going[np.abs(q[going] - before).max(axis=1) > 1e-5]  # those that stand still are stuck
    return q
