"""What a skeleton's bodies and axes must be to make a tree, and in which order."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence

import numpy as np

from ..errors import SkeletonError
from .joint import Axis, AxisKind, Body


def suggest(name: str, known: Sequence[str]) -> str:
    """The end of a message that a name does not exist: names that are like it, or what there is."""
    close = difflib.get_close_matches(str(name), known, n=3)
    if close:
        return "did you mean " + " or ".join(map(repr, close)) + "?"
    shown = ", ".join(map(repr, known[:8])) or "nothing"
    return f"it has {shown}" + (f" and {len(known) - 8} more" if len(known) > 8 else "")


def check_unique(what: str, names: Sequence[str]) -> None:
    """Refuse a name that comes twice.

    Raises:
        SkeletonError: with that name.
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise SkeletonError(f"two {what} entries are called {name!r}; names must be unique")
        seen.add(name)


def check_axis(axis: Axis) -> None:
    """Refuse an axis that cannot be.

    Raises:
        SkeletonError: no unit direction, limits that exclude every value, a slide that is continuous, a stiffness
            beyond 0 to 1, a relation that is not finite.
    """
    if len(axis.direction) != 3 or not abs(math.hypot(*axis.direction) - 1.0) < 1e-9:
        raise SkeletonError(f"axis {axis.name!r} has direction {axis.direction}, which is no unit vector")
    if not axis.lower <= axis.upper or axis.lower == math.inf or axis.upper == -math.inf:
        raise SkeletonError(f"axis {axis.name!r} has limits {axis.lower} to {axis.upper}, which exclude every value")
    if axis.continuous and axis.kind != AxisKind.HINGE:
        raise SkeletonError(f"axis {axis.name!r} slides and cannot be continuous")
    if not 0.0 <= axis.stiffness <= 1.0:
        raise SkeletonError(f"axis {axis.name!r} has the stiffness {axis.stiffness}; 0 (free) to 1 (locked) is needed")
    if axis.mimic is not None and not math.isfinite(axis.mimic.multiplier + axis.mimic.offset):
        raise SkeletonError(
            f"axis {axis.name!r} mimics {axis.mimic.source!r} with the multiplier {axis.mimic.multiplier} and the "
            f"offset {axis.mimic.offset}; finite numbers are needed"
        )


def parents_first(bodies: list[Body]) -> list[Body]:
    """The bodies with every parent before its children; as they are where that is so already.

    Raises:
        SkeletonError: a name used twice, a matrix of the wrong shape, a parent that does not exist, a loop of parents.
    """
    check_unique("body", [body.name for body in bodies])
    _check_constants(bodies)
    by_name = {body.name: body for body in bodies}
    seen: set[str | None] = {None}
    for body in bodies:
        if body.parent is not None and body.parent not in by_name:
            raise SkeletonError(f"body {body.name!r} has the parent {body.parent!r}, which does not exist")
        if body.parent in seen:
            seen.add(body.name)
    if len(seen) == len(bodies) + 1:
        return bodies
    ordered: list[Body] = []
    placed: set[str] = set()
    for body in bodies:
        path: list[Body] = []
        step: Body | None = body
        while step is not None and step.name not in placed:
            if any(step.name == other.name for other in path):
                raise SkeletonError(f"body {step.name!r} is its own ancestor")
            path.append(step)
            step = None if step.parent is None else by_name[step.parent]
        for item in reversed(path):
            ordered.append(item)
            placed.add(item.name)
    return ordered


def _check_constants(bodies: Sequence[Body]) -> None:
    for body in bodies:
        if len(body.point) != 3 or not math.isfinite(sum(body.point)):
            raise SkeletonError(f"body {body.name!r} has the point {body.point}; three finite numbers are needed")
    # All at once: a check of each costs more than everything else that is done with a large character's bodies.
    matrices = [matrix for body in bodies for matrix in (body.origin, body.offset)]
    if all(getattr(matrix, "shape", None) == (4, 4) for matrix in matrices) and np.isfinite(np.array(matrices)).all():
        return
    for body in bodies:
        for what, matrix in (("origin", body.origin), ("offset", body.offset)):
            if np.shape(matrix) != (4, 4) or not np.isfinite(matrix).all():
                raise SkeletonError(f"body {body.name!r} has an {what} that is no finite 4x4 matrix")


def resolve_mimics(axes: Sequence[Axis]) -> list[tuple[str, float, float]]:
    """(source, multiplier, offset) of every axis, followed through chains of mimics to an axis that follows nothing.

    Raises:
        SkeletonError: a source that does not exist, or joints that mimic each other in a loop; with their names.
    """
    by_name = {axis.name: axis for axis in axes}
    resolved = []
    for axis in axes:
        if axis.mimic is None:
            resolved.append((axis.name, 1.0, 0.0))
            continue
        source, multiplier, offset = axis, 1.0, 0.0
        visited = [axis.name]
        while source.mimic is not None:
            # value = multiplier * (m * next + o) + offset
            offset += multiplier * source.mimic.offset
            multiplier *= source.mimic.multiplier
            if source.mimic.source not in by_name:
                raise SkeletonError(f"joint {source.name!r} mimics {source.mimic.source!r}, which does not exist")
            source = by_name[source.mimic.source]
            if source.name in visited:
                raise SkeletonError("joints mimic each other in a loop: " + " -> ".join([*visited, source.name]))
            visited.append(source.name)
        resolved.append((source.name, multiplier, offset))
    return resolved
