"""What a drag of a picked body would move, found without moving anything."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ..errors import LinkposeError
from . import chains, names
from .leaders import leader_of


@dataclass(frozen=True, slots=True)
class Preview:
    """What a drag of a bone would move.

    Attributes:
        bone: that was picked.
        body: what it stands for.
        chain: names of the bones from the anchor to the dragged one, the anchor left out.
        joints: how many joint values may change.
        control: the bone that would be dragged in its place, "" where it is dragged itself.
        refused: why nothing would move, "" where something would.
    """

    bone: str
    body: str
    chain: tuple[str, ...] = ()
    joints: int = 0
    control: str = ""
    refused: str = ""


def preview(armature: bpy.types.Object, bone: str, *, lead: bool) -> Preview:
    """What a drag of a bone would move. It reads the whole armature, so it is not for every event.

    Args:
        armature: an armature object in the active view layer.
        bone: name of a bone.
        lead: whether the control of a bone that nothing can move is dragged in its place.
    """
    assert isinstance(armature.data, bpy.types.Armature)
    bodies = names.body_names(armature.data)
    body = bodies.get(bone, bone)
    try:
        return Preview(bone, body, *_chain(armature, body))
    except LinkposeError as refused:
        leader = leader_of(armature, bone) if lead else ""
        if leader:
            try:
                return Preview(bone, body, *_chain(armature, bodies.get(leader, leader)), control=leader)
            except LinkposeError:
                pass
        return Preview(bone, body, refused=str(refused))


def _chain(armature: bpy.types.Object, body: str) -> tuple[tuple[str, ...], int]:
    """Bones of a body's chain, anchor first, and how many joint values may change in it."""
    rig, chain = chains.take(armature, body)
    skeleton, kept = chain.skeleton, set(chain.path)
    found = []
    step = skeleton.index(body)
    while step >= 0 and skeleton.bodies[step] in kept and skeleton.bodies[step] != chain.anchor:
        found.append(rig.bone_of(skeleton.bodies[step]))
        step = skeleton.parent[step]
    return tuple(reversed(found)), chain.dof
