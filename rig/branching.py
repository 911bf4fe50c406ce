"""Where the chains of a character stop: which bones are mere helpers, and which one carries a toe."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import bpy

from . import compat, marks
from .bones import Bones

Point = Sequence[float]

# A helper's subtree has at most so many levels.
HELPER_DEPTH = 2
# Beside a shaft: how far along it, and how far off it, in lengths of the shaft.
_ALONG = (-0.25, 0.97)
_OFF = 0.25
# Short: against the reach of the longest sibling, which has so many levels more.
_SHORT = 0.5
_DEEPER = 3

# Toes have no shape of their own: a chain of three bones may as well be a tentacle. So their names must tell.
_TOE = re.compile(r"toe(?!l)|つま先|足先", re.IGNORECASE)
_BALL = re.compile(r"(?:^|[^a-z])ball(?![a-z])", re.IGNORECASE)
# Targets of another program's IK that lie in the skeleton beside the body and may be as deep as a limb.
_TARGETS = re.compile(r"^ik[_ ]", re.IGNORECASE)
_FOOT = re.compile(r"foot|ankle|足首", re.IGNORECASE)


@dataclass(frozen=True)
class Part:
    """A bone's part in chains.

    Attributes:
        anchor: chains stop here.
        branch: False for a helper, whose subtree is no branch; True where it always is one; None = the rule.
    """

    anchor: bool = False
    branch: bool | None = None


ORDINARY = Part()


def parts(bones: Bones, loose: Container[str]) -> dict[str, Part]:
    """The part in chains of every bone that has a special one, by name.

    Args:
        bones: of an armature, whether they belong to a robot or not.
        loose: bones that do not hang on their parents, and so are no branches of theirs.
    """
    children: list[list[int]] = [[] for _ in bones.names]
    for i, parent in enumerate(bones.parent):
        if parent >= 0 and bones.names[i] not in loose:
            children[parent].append(i)
    names = bones.names
    helpers = set(_helpers(bones, children))
    carriers = {parent for i, parent in enumerate(bones.parent) if parent >= 0 and is_toe(names[i], names[parent])}
    carriers.update(i for i, name in enumerate(names) if children[i] and _is_target(name))
    found = {}
    for i, bone in enumerate(bones.posed):
        anchor, branch = marks.anchor(bone), marks.branch(bone)
        part = Part(
            anchor == marks.ALWAYS or (anchor == marks.RULE and i in carriers),
            {marks.ALWAYS: True, marks.NEVER: False}.get(branch, False if i in helpers else None),
        )
        if part.anchor or part.branch is not None:
            found[names[i]] = part
    return found


@functools.lru_cache(maxsize=4096)
def is_toe(name: str, parent: str) -> bool:
    """Whether a bone of that name is the first one of a toe, by the names that rigs give it."""
    if _TOE.search(name):
        return not _TOE.search(parent)
    return bool(_BALL.search(name) and _FOOT.search(parent))


def _helpers(bones: Bones, children: Sequence[Sequence[int]]) -> Iterator[int]:
    """Bones beside a limb that do not lead on: for twist, volume, or as a place to hang things on."""
    heads = bones.rest[:, :3, 3].tolist()
    tails = (bones.rest[:, :3, 3] + bones.rest[:, :3, 1] * bones.length[:, None]).tolist()
    subtrees: list[list[int]] = [[i] for i in range(len(bones))]
    depth = [1] * len(bones)
    for i in range(len(bones) - 1, -1, -1):
        for child in children[i]:
            subtrees[i].extend(subtrees[child])
            depth[i] = max(depth[i], depth[child] + 1)
    for parent, siblings in enumerate(children):
        if len(siblings) < 2 or min(depth[i] for i in siblings) > HELPER_DEPTH:
            yield from (i for i in siblings if len(siblings) > 1 and _is_target(bones.names[i]))
            continue
        reach = {i: max(math.dist(heads[i], tails[k]) for k in subtrees[i]) for i in siblings}
        unseen = {
            i for i in siblings if depth[i] <= HELPER_DEPTH and all(_out_of_sight(bones.posed[k]) for k in subtrees[i])
        }
        main = max(siblings, key=lambda i: (i not in unseen, depth[i], reach[i]))
        longest = max(siblings, key=lambda i: reach[i])
        for i in siblings:
            helps = depth[i] <= HELPER_DEPTH and (
                (i in unseen and main not in unseen)
                or (reach[i] <= _SHORT * reach[longest] and depth[longest] >= depth[i] + _DEEPER)
                or _beside([heads[k] for k in subtrees[i]], heads[parent], heads[main])
            )
            if i != main and (helps or _is_target(bones.names[i])):
                yield i


@functools.lru_cache(maxsize=4096)
def _is_target(name: str) -> bool:
    return _TARGETS.search(name) is not None


def _beside(points: Sequence[Point], start: Point, end: Point) -> bool:
    """Whether all of the points lie beside the shaft between two points."""
    shaft = [b - a for a, b in zip(start, end, strict=True)]
    square = sum(part * part for part in shaft)
    if square < 1e-18:
        return False
    for point in points:
        to = [b - a for a, b in zip(start, point, strict=True)]
        along = sum(a * b for a, b in zip(to, shaft, strict=True)) / square
        off = sum((a - along * b) ** 2 for a, b in zip(to, shaft, strict=True))
        if not (_ALONG[0] <= along <= _ALONG[1] and off <= _OFF * _OFF * square):
            return False
    return True


def _out_of_sight(bone: bpy.types.PoseBone) -> bool:
    return bone.bone.hide_select or not compat.bone_is_visible(bone)
