"""Where a body is held, how large a robot is, and which objects are the looks of which body."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import RigError
from . import definition, names
from .matrices import inverse
from .snapshot import numbers

Matrix = NDArray[np.float64]
Points = NDArray[np.float64]

SHAPES = frozenset({"MESH", "CURVE", "SURFACE", "FONT", "META"})


def handle(armature: bpy.types.Object, body: str) -> tuple[float, float, float]:
    """The point by which a body is dragged, in the body's frame.

    That is the middle of the box of a link's visuals, in the link's own axes; the origin of a link that has none; the
    tail of a bone of any other armature.

    Args:
        armature: an armature object.
        body: a link, or a bone of another armature.

    Raises:
        RigError: it is no armature, or has no such body; close names are suggested.
    """
    data = _data(armature)
    bone = names.bone_of(data, body)
    one = definition.read(bone)
    if one is None:
        return 0.0, bone.length, 0.0
    to_link = inverse(one.frame)
    clouds = [_moved(to_link @ placed, points) for placed, points in _looks_of(armature, bone)]
    if not clouds:
        return 0.0, 0.0, 0.0
    x, y, z = 0.5 * (np.min([c.min(axis=0) for c in clouds], axis=0) + np.max([c.max(axis=0) for c in clouds], axis=0))
    return float(x), float(y), float(z)


def size(armature: bpy.types.Object) -> float:
    """Diagonal [m] of the world box of the robot's visuals as it stands; of the bones, where there are none.

    Raises:
        RigError: it is no armature.
    """
    data = _data(armature)
    world = np.array(armature.matrix_world, dtype=np.float64)
    # Asked once: Blender looks through all objects for the children of one.
    dressed = {child.parent_bone for child in armature.children if child.parent_type == "BONE"}
    clouds = [
        _moved(world @ np.array(armature.pose.bones[bone.name].matrix, dtype=np.float64) @ placed, points)
        for bone in data.bones
        if bone.name in dressed
        for placed, points in _looks_of(armature, bone)
    ]
    if not clouds:
        ends = [numbers(bone, end) for bone in armature.pose.bones for end in ("head", "tail")]
        clouds = [_moved(world, np.array(ends, dtype=np.float64))] if ends else [np.zeros((1, 3))]
    low = np.min([cloud.min(axis=0) for cloud in clouds], axis=0)
    return float(np.linalg.norm(np.max([cloud.max(axis=0) for cloud in clouds], axis=0) - low))


def bodies(armature: bpy.types.Object) -> dict[str, str]:
    """The body that each object is a part of, by object name: visuals and all else that hangs on a bone.

    Raises:
        RigError: it is no armature.
    """
    data = _data(armature)
    of_bone = names.body_names(data)
    return {
        part.name: of_bone[bone.name]
        for bone in data.bones
        for hung in _hung_on(armature, bone)
        for part, _ in _family(hung, np.eye(4))
    }


def _data(armature: bpy.types.Object) -> bpy.types.Armature:
    if not isinstance(armature, bpy.types.Object) or not isinstance(armature.data, bpy.types.Armature):
        raise RigError(f"an armature object is needed, not {armature!r}")
    return armature.data


def _hung_on(armature: bpy.types.Object, bone: bpy.types.Bone) -> list[bpy.types.Object]:
    return [child for child in armature.children if child.parent_type == "BONE" and child.parent_bone == bone.name]


def _looks_of(armature: bpy.types.Object, bone: bpy.types.Bone) -> Iterator[tuple[Matrix, Points]]:
    """(4, 4) place in the bone and (n, 3) points of each object that is a part of the bone's looks.

    The place is computed and not taken from ``matrix_world``, which is stale for hidden objects.
    """
    for child in _hung_on(armature, bone):
        for part, placed in _family(child, _place_on_bone(bone, child)):
            if _is_look(part):
                yield placed, _points(part)


def _family(parent: bpy.types.Object, placed: Matrix) -> Iterator[tuple[bpy.types.Object, Matrix]]:
    """An object and everything parented to it, each with its place; other armatures are robots of their own."""
    if parent.type == "ARMATURE":
        return
    yield parent, placed
    for child in parent.children:
        if child.parent_type == "OBJECT":
            yield from _family(child, placed @ _in_parent(child))


def _place_on_bone(bone: bpy.types.Bone, child: bpy.types.Object) -> Matrix:
    if bone.use_relative_parent:
        to_parent = inverse(bone.matrix_local)
    else:
        # Children of a bone hang on its tail; from 5.2 on anywhere along it.
        to_parent = np.eye(4)
        to_parent[1, 3] = bone.length * getattr(child, "parent_bone_head_tail_factor", 1.0)
    return to_parent @ _in_parent(child)


def _in_parent(child: bpy.types.Object) -> Matrix:
    inverse = np.array(child.matrix_parent_inverse, dtype=np.float64)
    return inverse @ np.array(child.matrix_basis, dtype=np.float64)


def _is_look(part: bpy.types.Object) -> bool:
    """Whether an object is there to be seen: not a wire or a box, nor kept from both viewports and renders.

    Collision shapes lie in a collection that is hidden from both.
    """
    if part.type not in SHAPES or part.display_type in {"WIRE", "BOUNDS"}:
        return False
    if part.hide_viewport and part.hide_render:
        return False
    return not part.users_collection or any(
        not (collection.hide_viewport and collection.hide_render) for collection in part.users_collection
    )


def _points(part: bpy.types.Object) -> Points:
    """(n, 3) points of an object in its own space: vertices, or its box where modifiers or curves shape it."""
    if isinstance(part.data, bpy.types.Mesh) and not part.modifiers and part.data.vertices:
        flat = np.empty(3 * len(part.data.vertices), dtype=np.float32)
        part.data.vertices.foreach_get("co", flat)
        return flat.reshape(-1, 3).astype(np.float64)
    return np.array([tuple(corner) for corner in part.bound_box], dtype=np.float64)


def _moved(matrix: Matrix, points: Points) -> Points:
    return points @ matrix[:3, :3].T + matrix[:3, 3]
