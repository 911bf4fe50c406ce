"""The present values of everything that a data-block's action animates, kept over an evaluation of that action.

Evaluating an animation makes Blender forget every change of animated properties that was not keyed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy

from . import compat


@dataclass(frozen=True)
class AnimatedValues:
    """Values by (data path, array index), as Blender gave them."""

    values: dict[tuple[str, int], Any]


def take(owner: bpy.types.ID) -> AnimatedValues:
    """The value of every property that has an F-curve; curves of properties that do not exist are left out."""
    found: dict[tuple[str, int], Any] = {}
    for curve in compat.fcurves(owner):
        try:
            value: Any = owner.path_resolve(curve.data_path)
        except ValueError:
            continue
        found[curve.data_path, curve.array_index] = value[curve.array_index] if _is_array(value) else value
    return AnimatedValues(found)


def restore(owner: bpy.types.ID, held: AnimatedValues) -> None:
    """Put back what differs; properties that are gone are left out."""
    for (path, index), before in held.values.items():
        try:
            value: Any = owner.path_resolve(path)
        except ValueError:
            continue
        if _is_array(value):
            if value[index] != before:
                value[index] = before
        elif value != before:
            _set(owner, path, before)


def _is_array(value: object) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes | set)


def _set(owner: bpy.types.ID, path: str, value: object) -> None:
    """Set a single property, which may be a custom one: ``a.b`` or ``a["b"]``."""
    if path.endswith('"]'):
        start = path.rindex('["')
        holder = owner.path_resolve(path[:start]) if start else owner
        holder[bpy.utils.unescape_identifier(path[start + 2 : -2])] = value
        return
    parent, _, name = path.rpartition(".")
    setattr(owner.path_resolve(parent) if parent else owner, name, value)
