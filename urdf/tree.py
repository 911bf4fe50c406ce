"""Whether links and joints make trees: names, ends, loops, and which of several joints holds a link."""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Iterable, Sequence

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


def check_names(links: Sequence[Link], joints: Sequence[Joint], notes: Notes) -> None:
    """Check that every name is used once and every joint's ends exist.

    Raises:
        UrdfError: a name used twice, or a joint to a link that does not exist. The message names all that are part of
            it.
    """
    _check_unique("link", links, notes)
    _check_unique("joint", joints, notes)
    _check_axes(joints, notes)
    names = {link.name for link in links}
    for joint in joints:
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in names:
                text = f"joint {joint.name!r} has the {end} link {name!r}, which does not exist"
                raise notes.error(joint.line, f"{text}; {suggestion(name, sorted(names))}")


def holding_joints(links: Sequence[Link], joints: Sequence[Joint], notes: Notes) -> tuple[Joint, ...]:
    """The joints that hold the links: one for each link, none for roots, and no loops.

    Of several joints to one link it is the first in the file that leads down from a root. A loop that no root leads to
    is opened at its first link. The joints that are left over, and several roots, are warned about.

    Args:
        links: in the order of the file.
        joints: in the order of the file, between these links.
        notes: for the warnings.

    Returns:
        The joints that remain, in the order of the file.
    """
    below: dict[str, list[int]] = {}
    for i, joint in enumerate(joints):
        below.setdefault(joint.parent, []).append(i)
    held = {joint.child for joint in joints if joint.child != joint.parent}
    holder: dict[str, Joint] = {}
    reached: set[str] = set()
    open_joints: list[int] = []

    def reach(link: str) -> None:
        reached.add(link)
        for i in below.get(link, ()):
            heapq.heappush(open_joints, i)

    roots = [link.name for link in links if link.name not in held]
    for root in roots:
        reach(root)
    while True:
        while open_joints:
            joint = joints[heapq.heappop(open_joints)]
            if joint.child not in reached:
                holder[joint.child] = joint
                reach(joint.child)
        if len(reached) == len(links):
            break
        roots.append(_first_of_loop([link.name for link in links], joints, reached))
        reach(roots[-1])
    for joint in joints:
        if holder.get(joint.child) is not joint:
            _warn_of_left_out(joint, holder.get(joint.child), notes)
    if len(roots) > 1:
        _warn_of_roots([link for link in links if link.name in set(roots)], notes)
    return tuple(joint for joint in joints if holder.get(joint.child) is joint)


def _first_of_loop(links: Sequence[str], joints: Sequence[Joint], reached: set[str]) -> str:
    """The first link in the file of a loop that no root leads to."""
    above = {joint.child: joint.parent for joint in reversed(joints) if joint.child not in reached}
    link = next(name for name in links if name not in reached)
    path: list[str] = []
    while link not in path:
        path.append(link)
        link = above[link]
    loop = set(path[path.index(link) :])
    return next(name for name in links if name in loop)


def _warn_of_left_out(joint: Joint, holder: Joint | None, notes: Notes) -> None:
    if joint.parent == joint.child:
        text = f"joint {joint.name!r} holds link {joint.child!r} on itself; left out, correct its parent or child"
    elif holder is not None:
        text = (
            f"link {joint.child!r} hangs from joint {joint.name!r} and from {holder.name!r} of line {holder.line}; "
            f"only {holder.name!r} holds it, for closed loops are not kept closed: delete one of the two to choose"
        )
    else:
        text = (
            f"joint {joint.name!r} closes a loop that hangs from nothing; left out, so that link {joint.child!r} "
            "is a root: delete another joint of the loop to choose"
        )
    notes.warn(joint.line, text)


def _warn_of_roots(roots: Sequence[Link], notes: Notes) -> None:
    listed = ", ".join(f"{link.name!r} (line {link.line})" for link in roots[:_SHOWN])
    more = f" and {len(roots) - _SHOWN} more" if len(roots) > _SHOWN else ""
    text = f"{len(roots)} links hang from no joint: {listed}{more}"
    notes.warn(roots[1].line, f"{text}; each is a root of its own at the same place, connect them by joints")


def _check_unique(what: str, items: Sequence[Link] | Sequence[Joint], notes: Notes) -> None:
    lines: dict[str, int] = {}
    for item in items:
        if item.name in lines:
            text = (
                f"there is a {what} {item.name!r} already in line {lines[item.name]}; rename or delete one of the two"
            )
            raise notes.error(item.line, text)
        lines[item.name] = item.line


def _check_axes(joints: Sequence[Joint], notes: Notes) -> None:
    """A joint with several axes names them after itself; nothing else may be called so."""
    by_name = {joint.name: joint for joint in joints}
    for joint in joints:
        owner = by_name.get(joint.name.rpartition(":")[0])
        if owner is not None and owner.has_several_axes:
            text = f"joint {joint.name!r} is called like an axis of the {owner.type} joint {owner.name!r}"
            raise notes.error(joint.line, f"{text} of line {owner.line}; rename one of the two")
