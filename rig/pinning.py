"""Bodies that the user has pinned: kept on their pose bones, held where they are by drags and by Solve."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import bpy
import numpy as np
from bpy.props import EnumProperty

from ..errors import LinkposeError
from ..solver import Goal
from . import definition, names, reading
from .pins import WEIGHT, Pin
from .world import World

PROPERTY = "linkpose_pin"
NONE, PLACE, WHOLE = "NONE", "PLACE", "WHOLE"
KINDS = (
    (NONE, "Free", "Nothing holds it"),
    (PLACE, "Place", "It stays where it is and may turn"),
    (WHOLE, "Fully", "It stays where it is and does not turn"),
)
# So many joints are needed to hold a place and a rotation.
_ENOUGH = 6


def kind_of(bone: bpy.types.PoseBone) -> str:
    """NONE, PLACE or WHOLE: how the bone is pinned; NONE while the extension is off."""
    return str(getattr(bone, PROPERTY, NONE))


def pinned(armature: bpy.types.Object) -> dict[str, str]:
    """How each pinned bone is pinned, by its name."""
    return {bone.name: kind for bone in armature.pose.bones if (kind := kind_of(bone)) != NONE}


def pin(armature: bpy.types.Object, bone: str, kind: str = "") -> str:
    """Pin a bone, or the link that it stands for.

    Args:
        armature: an armature object in the active view layer.
        bone: name of the bone.
        kind: NONE, PLACE or WHOLE; "" = place and rotation where its own chain has joints enough for both, as an arm
            or a person's leg has, else the place, as for the foot of a quadruped.

    Returns:
        How it is pinned now.

    Raises:
        LinkposeError: the armature cannot be read.
    """
    if not kind:
        rig = reading.read(armature)
        try:
            joints = rig.skeleton.chain(rig.body_of(bone)).dof
        except LinkposeError:
            joints = 0
        kind = WHOLE if joints >= _ENOUGH else PLACE
    setattr(armature.pose.bones[bone], PROPERTY, kind)
    return kind


def goals(armature: bpy.types.Object, *, but: Container[str] = ()) -> tuple[Pin, ...]:
    """What holds the pinned bodies where they are shown now, as ``pins=`` of a drag or of :func:`.api.solve`.

    Args:
        armature: an armature object in the active view layer.
        but: bodies that are dragged, whose own pins do not count.

    Returns:
        A name for a body that is held with its rotation, a goal in world space for one whose place is held.
    """
    kinds = pinned(armature)
    if not kinds:
        return ()
    assert isinstance(armature.data, bpy.types.Armature)
    bodies = names.body_names(armature.data)
    world = World(armature)
    found: list[Pin] = []
    for bone, kind in kinds.items():
        body = bodies[bone]
        if body in but:
            continue
        if kind == WHOLE:
            found.append(body)
        else:
            found.append(Goal(body, position=world.point_outside(_point(armature, bone, body)), weight=WEIGHT))
    return tuple(found)


def _point(armature: bpy.types.Object, bone: str, body: str) -> np.ndarray:
    """(3,) in armature space what is held of a body: a link's origin, a bone's tail."""
    posed = armature.pose.bones[bone]
    one = definition.read(posed.bone)
    if one is None or one.link != body:
        return np.array(posed.tail, dtype=np.float64)
    return (np.array(posed.matrix, dtype=np.float64) @ one.frame)[:3, 3]


def register() -> None:
    """Give every pose bone its pin; it is saved with the file."""
    bone: Any = bpy.types.PoseBone
    bone.linkpose_pin = EnumProperty(
        name="Pin",
        description="What stays of this bone or link while another is dragged",
        items=KINDS,
        override={"LIBRARY_OVERRIDABLE"},
        # Looked up among the extension's own words first: Blender's pins are something else.
        translation_context="Linkpose",
    )


def unregister() -> None:
    """Take the property away; what a file holds stays in it."""
    delattr(bpy.types.PoseBone, PROPERTY)
