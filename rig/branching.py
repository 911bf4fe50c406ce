"""Where the chains of a character stop: which bones are mere helpers, and which one carries a toe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from . import compat, marks

Points = NDArray[np.float64]

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


def parts(bones: Sequence[bpy.types.PoseBone], parents: Sequence[int]) -> dict[str, Part]:
    """The part in chains of every bone that has a special one, by name.

    Args:
        bones: of one armature, parents first; not those of a robot, whose joints say it all.
        parents: place of each bone's parent among them, -1 where it has none.
    """
    children: list[list[int]] = [[] for _ in bones]
    for i, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(i)
    helpers = set(_helpers(bones, children))
    carriers = {parent for i, parent in enumerate(parents) if parent >= 0 and is_toe(bones[i].name, bones[parent].name)}
    carriers.update(i for i, bone in enumerate(bones) if children[i] and _TARGETS.search(bone.name))
    found = {}
    for i, bone in enumerate(bones):
        anchor, branch = marks.anchor(bone), marks.branch(bone)
        part = Part(
            anchor == marks.ALWAYS or (anchor == marks.RULE and i in carriers),
            {marks.ALWAYS: True, marks.NEVER: False}.get(branch, False if i in helpers else None),
        )
        if part != ORDINARY:
            found[bone.name] = part
    return found


def is_toe(name: str, parent: str) -> bool:
    """Whether a bone of that name is the first one of a toe, by the names that rigs give it."""
    if _TOE.search(name):
        return not _TOE.search(parent)
    return bool(_BALL.search(name) and _FOOT.search(parent))


def _helpers(bones: Sequence[bpy.types.PoseBone], children: Sequence[Sequence[int]]) -> Iterator[int]:
    """Bones beside a limb that do not lead on: for twist, volume, or as a place to hang things on."""
    if not bones:
        return
    ends = np.array([(*bone.bone.head_local, *bone.bone.tail_local) for bone in bones], dtype=np.float64)
    heads, tails = ends[:, :3], ends[:, 3:]
    subtrees: list[list[int]] = [[i] for i in range(len(bones))]
    depth = [1] * len(bones)
    for i in range(len(bones) - 1, -1, -1):
        for child in children[i]:
            subtrees[i].extend(subtrees[child])
            depth[i] = max(depth[i], depth[child] + 1)
    for parent, siblings in enumerate(children):
        if len(siblings) < 2:
            continue
        reach = {i: float(np.linalg.norm(tails[subtrees[i]] - heads[i], axis=1).max()) for i in siblings}
        main = max(siblings, key=lambda i: (not _out_of_sight(bones[i]), depth[i], reach[i]))
        longest = max(siblings, key=lambda i: reach[i])
        main_is_out_of_sight = _out_of_sight(bones[main])
        for i in siblings:
            if i == main or (depth[i] > HELPER_DEPTH and not _TARGETS.search(bones[i].name)):
                continue
            if (
                _TARGETS.search(bones[i].name)
                or (not main_is_out_of_sight and all(_out_of_sight(bones[k]) for k in subtrees[i]))
                or _beside(heads[subtrees[i]], heads[parent], heads[main])
                or (reach[i] <= _SHORT * reach[longest] and depth[longest] >= depth[i] + _DEEPER)
            ):
                yield i


def _beside(points: Points, start: Points, end: Points) -> bool:
    """Whether all of the points (n, 3) lie beside the shaft between two points (3,)."""
    shaft = end - start
    length = float(np.linalg.norm(shaft))
    if length < 1e-9:
        return False
    along = (points - start) @ shaft / length**2
    off = np.linalg.norm(points - start - along[:, None] * shaft, axis=1) / length
    return bool((along >= _ALONG[0]).all() and (along <= _ALONG[1]).all() and (off <= _OFF).all())


def _out_of_sight(bone: bpy.types.PoseBone) -> bool:
    return bone.bone.hide_select or not compat.bone_is_visible(bone)
