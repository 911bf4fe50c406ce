"""A confirmed drag once more: its channels written and keyed again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy

from ..errors import RigError
from . import chains, keying, mirroring, reading, snapshot
from .channels import rotation_path
from .keying import Keying


def replay(
    context: bpy.types.Context,
    name: str,
    body: str,
    channels: Mapping[str, Mapping[str, Sequence[float]]],
    rules: Keying,
    *,
    length: int | None = None,
    pins: Sequence[str] = (),
    oriented: bool = False,
) -> str:
    """Write the channels of an earlier drag again, bit for bit, and key them as it did.

    Args:
        context: for the scene and its view layer.
        name: of the armature object.
        body: that was dragged.
        channels: what :meth:`DragSession.channels` gave.
        rules: what to key.
        length: of its chain, as for :func:`.chains.take`.
        pins: bodies whose joints were in it.
        oriented: whether it was taken for turning the body as well.

    Returns:
        Why the pose could not be keyed, "" when nothing was refused.

    Raises:
        LinkposeError: the armature is gone or is no longer what it was; nothing is written then.
    """
    armature = bpy.data.objects.get(name)
    if armature is None:
        raise RigError(f"the armature {name!r} is gone")
    reading.check_posable(armature)
    rig, chain = chains.take(armature, body, oriented=oriented, probe=True, pins=pins, length=length)
    chained = rig.written_bones(chain.unknowns)
    mirrored = {bone: paths for bone, paths in channels.items() if bone not in (*chained, snapshot.OBJECT)}
    other_side, followers = mirroring.replayed(armature, mirrored) if mirrored else (rig, ())
    before = snapshot.take(armature, {*channels, *chained})
    for bone, paths in channels.items():
        turned = rotation_path(before.states[bone])
        if any(path.startswith("rotation") and path != turned for path in paths):
            raise RigError(f"bone {bone!r} has another rotation mode than in the drag that is to be repeated")
    for bone, paths in channels.items():
        for path, values in paths.items():
            setattr(snapshot.holder(armature, bone), path, values)
    armature.update_tag()
    context.view_layer.update()
    try:
        keying.key(context, armature, rig, chain.unknowns, before, rules)
        keying.key_also(context, armature, other_side, followers, before, rules)
    except RigError as error:
        return str(error)
    return ""
