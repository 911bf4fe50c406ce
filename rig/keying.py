"""Which joints a confirmed drag keys, and whether it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy

from . import keys
from .reading import Reading
from .snapshot import Snapshot, take

# Identifiers as in the preferences.
CHAIN, MOVED, EVERYTHING = "CHAIN", "MOVED", "EVERYTHING"
ALWAYS, AUTO, NEVER = "ALWAYS", "AUTO", "NEVER"


@dataclass(frozen=True)
class Keying:
    """What to key on confirm.

    Attributes:
        what: CHAIN, MOVED or EVERYTHING.
        when: ALWAYS, AUTO (while the scene's auto-keying is on) or NEVER.
    """

    what: str = CHAIN
    when: str = ALWAYS


def key(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    rig: Reading,
    chain: Sequence[str],
    before: Snapshot,
    keying: Keying,
) -> int:
    """Key what a confirmed drag keys, at the current frame.

    Args:
        context: for the scene and its auto-keying.
        armature: that was dragged; its pose is written.
        rig: its reading from when the drag began.
        chain: names of the unknowns that could move.
        before: the channels from when the drag began.
        keying: what is wanted.

    Returns:
        How many channels were keyed.

    Raises:
        RigError: Blender refuses a key.
    """
    if keying.when == NEVER or (keying.when == AUTO and not context.scene.tool_settings.use_keyframe_insert_auto):
        return 0
    if keying.what == EVERYTHING:
        return keys.insert(armature, rig, rig.skeleton.unknowns)
    if keying.what == MOVED:
        now = take(armature, before.bones)
        return keys.insert(armature, rig, [name for name in chain if _has_moved(rig, name, before, now)])
    return keys.insert(armature, rig, chain)


def _has_moved(rig: Reading, name: str, before: Snapshot, now: Snapshot) -> bool:
    channel = rig.channels[name]
    was, is_now = (state.states[channel.bone].channel(channel.path) for state in (before, now))
    return was != is_now if channel.index < 0 else was[channel.index] != is_now[channel.index]
