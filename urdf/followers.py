"""``<mimic>``: which joints follow others, resolved so that every relation leads to a joint with a value of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from .model import Joint
from .notes import Notes
from .tree import suggestion


def settle_followers(joints: Sequence[Joint], notes: Notes, left_out: Collection[str] = ()) -> tuple[Joint, ...]:
    """Check the mimic relations, and resolve those that have nothing to follow or nothing to move.

    A joint that mimics one that does not exist, itself in a loop, or a joint with several values is a joint of its
    own, and so is one with several values. A fixed joint that mimics loses the relation. A follower of a fixed joint,
    directly or not, is held at the one value that this gives. All with a warning.

    Args:
        joints: in the order of the file.
        notes: for the warnings.
        left_out: names of joints that the file has and the robot has not.
    """
    by_name = {joint.name: joint for joint in joints}
    for joint in joints:
        by_name[joint.name] = _checked(joint, by_name, notes, left_out)
    settled: dict[str, Joint] = {}
    held: dict[str, float] = {}
    for joint in joints:
        for step in _sources_first(by_name[joint.name], by_name):
            if step.name not in settled:
                settled[step.name] = _settled(step, held, notes)
    return tuple(settled[joint.name] for joint in joints)


def _checked(joint: Joint, by_name: dict[str, Joint], notes: Notes, left_out: Collection[str]) -> Joint:
    """The joint, without its relation where that leads to nothing."""
    if joint.mimic is None:
        return joint
    source = joint.mimic.joint
    text = f"joint {joint.name!r} mimics {source!r}"
    if joint.type == "fixed" and source in by_name:
        notes.warn(joint.line, f"fixed {text} but cannot move; <mimic> is ignored")
    elif source in left_out:
        notes.warn(joint.line, f"{text}, which is left out; read as a joint of its own, name another one")
    elif source not in by_name:
        hint = suggestion(source, sorted(by_name))
        notes.warn(joint.line, f"{text}, which does not exist; read as a joint of its own, {hint}")
    elif joint.has_several_axes:
        notes.warn(joint.line, f"{joint.type} {text}, but has several values; <mimic> is ignored, delete it")
    elif by_name[source].has_several_axes:
        kind = by_name[source].type
        notes.warn(joint.line, f"{text}, a {kind} joint with several values; read as a joint of its own")
    elif loop := _loop_from(joint, by_name):
        listed = " -> ".join(loop)
        notes.warn(
            joint.line,
            f"joints mimic each other in a loop: {listed}; {joint.name!r} follows nothing, delete one <mimic>",
        )
    else:
        return joint
    return replace(joint, mimic=None)


def _loop_from(joint: Joint, by_name: dict[str, Joint]) -> list[str]:
    """Names from the joint back to itself, empty where its sources do not lead there."""
    path = [joint.name]
    step = joint
    while step.mimic is not None and step.mimic.joint in by_name:
        step = by_name[step.mimic.joint]
        path.append(step.name)
        if step.name == joint.name:
            return path
        if step.name in path[:-1]:
            return []
    return []


def _settled(joint: Joint, held: dict[str, float], notes: Notes) -> Joint:
    """The joint after its sources. ``held`` collects the values of joints that do not move."""
    if joint.type == "fixed":
        held[joint.name] = 0.0
    if joint.mimic is None or joint.mimic.joint not in held:
        return joint
    value = joint.mimic.multiplier * held[joint.mimic.joint] + joint.mimic.offset
    held[joint.name] = value
    notes.warn(joint.line, f"joint {joint.name!r} mimics {joint.mimic.joint!r}, which does not move; held at {value:g}")
    kind = "revolute" if joint.type == "continuous" else joint.type
    return replace(joint, type=kind, mimic=None, lower=value, upper=value)


def _sources_first(joint: Joint, by_name: dict[str, Joint]) -> list[Joint]:
    """The joint and all that it follows, the last source first. No relation leads round."""
    path = [joint]
    while path[-1].mimic is not None:
        path.append(by_name[path[-1].mimic.joint])
    return path[::-1]
