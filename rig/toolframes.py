"""Links without a mesh, such as the frame of a tool: where they are, so that they can be shown and picked."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import bpy
import numpy as np

from . import definition, names
from .matrices import Matrix

# The last armatures that were asked for, newest last: looking for the meshes of every link takes milliseconds.
_known: dict[Hashable, tuple[ToolFrame, ...]] = {}
_MOST_KNOWN = 16


@dataclass(frozen=True, slots=True, eq=False)
class ToolFrame:
    """A link that joints move and that has no mesh.

    Attributes:
        link: its full name.
        bone: the bone that stands for it.
        frame: (4, 4) of the link in that bone.
    """

    link: str
    bone: str
    frame: Matrix


def of(armature: bpy.types.Object) -> tuple[ToolFrame, ...]:
    """The links without a mesh of a robot that joints move, in the order of its bones; none for other armatures."""
    data = armature.data
    assert isinstance(data, bpy.types.Armature)
    if data.get(definition.KEY) is None:
        return ()
    key = (armature.session_uid, data.session_uid, len(data.bones), len(bpy.data.objects))
    if key not in _known:
        while len(_known) >= _MOST_KNOWN:
            del _known[next(iter(_known))]
        _known[key] = _look(armature, data)
    return _known[key]


def places(armature: bpy.types.Object, frames: tuple[ToolFrame, ...]) -> np.ndarray:
    """(n, 3) where these links are now, world space; a frame whose bone is gone is at NaN."""
    world = np.array(armature.matrix_world, dtype=np.float64)
    posed = armature.pose.bones
    found = np.full((len(frames), 3), np.nan)
    for i, one in enumerate(frames):
        bone = posed.get(one.bone)
        if bone is not None:
            found[i] = (world @ np.array(bone.matrix, dtype=np.float64) @ one.frame[:, 3])[:3]
    return found


def axes(armature: bpy.types.Object, one: ToolFrame) -> tuple[tuple[float, ...], ...]:
    """World directions of a link's own x, y and z axes."""
    bone = armature.pose.bones[one.bone]
    turned = np.array(armature.matrix_world, dtype=np.float64) @ np.array(bone.matrix, dtype=np.float64) @ one.frame
    return tuple(tuple((column / max(float(np.linalg.norm(column)), 1e-12)).tolist()) for column in turned[:3, :3].T)


def forget() -> None:
    """Look anew next time, as after another file was loaded."""
    _known.clear()


def _look(armature: bpy.types.Object, data: bpy.types.Armature) -> tuple[ToolFrame, ...]:
    dressed = {child.parent_bone for child in armature.children if child.parent_type == "BONE"}
    defined = names.definitions(data)
    moved: set[str] = set()
    found = []
    for bone in data.bones:
        one = defined.get(bone.name)
        if one is None:
            continue
        if one.moves or (bone.parent is not None and bone.parent.name in moved):
            moved.add(bone.name)
            if bone.name not in dressed:
                found.append(ToolFrame(one.link, bone.name, one.frame))
    return tuple(found)
