"""Which body a bone stands for: the link of its definition, or the bone itself."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

import bpy

from ..errors import RigError
from . import definition
from .definition import Definition


def definitions(data: bpy.types.Armature) -> dict[str, Definition]:
    """Definitions by bone name.

    A copy of a bone has its properties too, but only the first bone of a link stands for it; a copy is a bare bone.
    """
    found: dict[str, Definition] = {}
    links: set[str] = set()
    joints: set[str] = {""}
    for bone in data.bones:
        one = definition.read(bone)
        if one is None or one.link in links or (one.joint != "" and one.joint in joints):
            continue
        found[bone.name] = one
        links.add(one.link)
        joints.add(one.joint)
    return found


def body_names(data: bpy.types.Armature, defined: Mapping[str, Definition] | None = None) -> dict[str, str]:
    """Name of each bone's body, by bone: the link's, or the bone's own where that means nothing else yet.

    Args:
        data: whose bones.
        defined: what :func:`definitions` gives for it, when that is known already.
    """
    known = definitions(data) if defined is None else defined
    taken = {one.link for one in known.values()} | {one.joint for one in known.values()}
    found: dict[str, str] = {}
    for bone in data.bones:
        one = known.get(bone.name)
        label = bone.name if one is None else one.link
        while one is None and label in taken:
            label += " (bone)"
        taken.add(label)
        found[bone.name] = label
    return found


def bone_of(data: bpy.types.Armature, body: str) -> bpy.types.Bone:
    """The bone that stands for a body.

    Raises:
        RigError: there is none; close names are suggested.
    """
    found = {label: bone for bone, label in body_names(data).items()}
    if not isinstance(body, str) or body not in found:
        close = difflib.get_close_matches(str(body), found, n=3)
        hint = "did you mean " + " or ".join(map(repr, close)) + "?" if close else "see read_skeleton(...).bodies"
        raise RigError(f"no body {body!r} in armature {data.name!r}; {hint}")
    return data.bones[found[body]]
