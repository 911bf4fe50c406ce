"""Which joints a confirmed drag keys, and whether it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy

from . import keying_sets, keys
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
        when: ALWAYS, AUTO (while the scene's auto-keying is on, and by its rules) or NEVER.
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
    names = chain
    if keying.what == EVERYTHING:
        names = rig.skeleton.unknowns
    elif keying.what == MOVED:
        now = take(armature, before.bones)
        names = [name for name in chain if _has_moved(rig, name, before, now)]
    if keying.when != AUTO:
        return keys.insert(armature, rig, names)
    chosen = keying_sets.active(context.scene)
    if chosen is None:
        return keys.insert(armature, rig, names, rules=auto_rules(context))
    bones = [armature.pose.bones[bone] for bone in rig.written_bones(names) if bone in armature.pose.bones]
    listed = keying_sets.properties(context, chosen, bones)
    return keys.insert_properties(armature, rig, names, listed, keying_sets.rules(context, chosen))


def key_also(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    rig: Reading,
    unknowns: Sequence[str],
    before: Snapshot,
    keying: Keying,
) -> int:
    """Key what has followed a drag, as :func:`key` does the chain; everything else is keyed there already."""
    what = CHAIN if keying.what == EVERYTHING else keying.what
    return key(context, armature, rig, unknowns, before, replace(keying, what=what))


def auto_rules(context: bpy.types.Context) -> keys.Rules:
    """What the scene and the preferences say about auto-keying without a keying set."""
    edit, tools = context.preferences.edit, context.scene.tool_settings
    return keys.Rules(
        available=edit.use_keyframe_insert_available,
        replace=tools.auto_keying_mode == "REPLACE_KEYS",
        needed=edit.use_auto_keyframe_insert_needed,
        cycle_aware=tools.use_keyframe_cycle_aware,
        type=tools.keyframe_type,
        # Only where keys that change nothing are unwanted does Blender mind what a bone was moved by.
        whole=not edit.use_auto_keyframe_insert_needed,
    )


def _has_moved(rig: Reading, name: str, before: Snapshot, now: Snapshot) -> bool:
    channel = rig.channels[name]
    was, is_now = (state.states[channel.bone].channel(channel.path) for state in (before, now))
    return was != is_now if channel.index < 0 else was[channel.index] != is_now[channel.index]
