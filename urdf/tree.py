"""Whether links and joints make one tree, and whether followers have somebody to follow."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .model import Joint, Link
from .notes import Notes

_SHOWN = 8


def suggestion(name: str, known: Iterable[str]) -> str:
    """What to write instead of a name that does not exist: close ones, or what there is."""
    names = list(known)
    close = difflib.get_close_matches(str(name), names, n=3)
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"known are {', '.join(map(repr, names[:_SHOWN])) or 'nothing'}{more}"


def with_world(links: Sequence[Link], joints: Sequence[Joint], notes: Notes) -> tuple[Link, ...]:
    """The links, and before them ``world`` when joints hang from it and nothing declares it, as real robots have it."""
    if any(link.name == "world" for link in links):
        return tuple(links)
    for joint in joints:
        if joint.parent == "world":
            text = f"joint {joint.name!r} hangs from link 'world', which is not declared"
            notes.warn(joint.line, f'{text}; made, add <link name="world"/>')
            return (Link("world", line=joint.line), *links)
    return tuple(links)


def check_tree(links: Sequence[Link], joints: Sequence[Joint], notes: Notes) -> None:
    """Check that the joints make one tree of the links.

    Raises:
        UrdfError: no link at all, a name used twice, a joint to a link that does not exist, a link with two parent
            joints, a loop, or several roots. The message names all that are part of it.
    """
    _check_names("link", links, notes)
    _check_names("joint", joints, notes)
    names = {link.name for link in links}
    holder: dict[str, Joint] = {}
    for joint in joints:
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in names:
                text = f"joint {joint.name!r} has the {end} link {name!r}, which does not exist"
                raise notes.error(joint.line, f"{text}; {suggestion(name, sorted(names))}")
        if joint.child in holder:
            other = holder[joint.child]
            text = f"link {joint.child!r} hangs from joint {joint.name!r} and from {other.name!r} of line {other.line}"
            raise notes.error(joint.line, f"{text}; closed loops are not supported, delete one of the two")
        holder[joint.child] = joint
    _check_loops(holder, notes)
    roots = [link for link in links if link.name not in holder]
    if len(roots) > 1:
        listed = ", ".join(f"{link.name!r} (line {link.line})" for link in roots)
        text = f"{len(roots)} links hang from no joint: {listed}"
        raise notes.error(roots[1].line, f"{text}; a robot has one root, connect the others by fixed joints")


def settle_followers(joints: Sequence[Joint], notes: Notes) -> tuple[Joint, ...]:
    """Check the mimic relations, and resolve those that have nothing to follow or nothing to move.

    A fixed joint that mimics loses the relation. A follower of a fixed joint, directly or not, is held at the one
    value that this gives. Both with a warning.

    Raises:
        UrdfError: a joint mimics one that does not exist, or joints mimic each other in a loop.
    """
    by_name = {joint.name: joint for joint in joints}
    settled: dict[str, Joint] = {}
    held: dict[str, float] = {}
    for joint in joints:
        for step in _sources_first(joint, by_name, notes):
            if step.name not in settled:
                settled[step.name] = _settled(step, held, notes)
    return tuple(settled[joint.name] for joint in joints)


def _settled(joint: Joint, held: dict[str, float], notes: Notes) -> Joint:
    """The joint after its sources. ``held`` collects the values of joints that do not move."""
    if joint.type == "fixed":
        held[joint.name] = 0.0
        if joint.mimic is not None:
            notes.warn(
                joint.line,
                f"fixed joint {joint.name!r} mimics {joint.mimic.joint!r} but cannot move; <mimic> is ignored",
            )
        return replace(joint, mimic=None)
    if joint.mimic is None or joint.mimic.joint not in held:
        return joint
    value = joint.mimic.multiplier * held[joint.mimic.joint] + joint.mimic.offset
    held[joint.name] = value
    notes.warn(joint.line, f"joint {joint.name!r} mimics {joint.mimic.joint!r}, which does not move; held at {value:g}")
    kind = "revolute" if joint.type == "continuous" else joint.type
    return replace(joint, type=kind, mimic=None, lower=value, upper=value)


def _sources_first(joint: Joint, by_name: dict[str, Joint], notes: Notes) -> list[Joint]:
    """The joint and all that it follows, the last source first."""
    path = [joint]
    while path[-1].mimic is not None:
        follower, source = path[-1], path[-1].mimic.joint
        if source not in by_name:
            text = f"joint {follower.name!r} mimics {source!r}, which does not exist"
            raise notes.error(follower.line, f"{text}; {suggestion(source, sorted(by_name))}")
        if any(source == step.name for step in path):
            loop = " -> ".join([*(step.name for step in path), source])
            raise notes.error(follower.line, f"joints mimic each other in a loop: {loop}; delete one <mimic>")
        path.append(by_name[source])
    return path[::-1]


def _check_names(what: str, items: Sequence[Link] | Sequence[Joint], notes: Notes) -> None:
    lines: dict[str, int] = {}
    for item in items:
        if item.name in lines:
            text = (
                f"there is a {what} {item.name!r} already in line {lines[item.name]}; rename or delete one of the two"
            )
            raise notes.error(item.line, text)
        lines[item.name] = item.line


def _check_loops(holder: dict[str, Joint], notes: Notes) -> None:
    """``holder`` is the joint that holds each link. Walks up from every link, each joint once."""
    safe: set[str] = set()
    for start in holder:
        path: list[Joint] = []
        link = start
        while link in holder and link not in safe:
            path.append(holder[link])
            safe.add(link)
            link = holder[link].parent
        looping = [i for i, joint in enumerate(path) if joint.child == link]
        if looping:
            loop = path[looping[0] :]
            names = ", ".join(f"{joint.name!r} (line {joint.line})" for joint in reversed(loop))
            raise notes.error(
                loop[0].line, f"these joints form a loop: {names}; closed loops are not supported, delete one of them"
            )
