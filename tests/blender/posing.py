"""Plain armatures made in code, and what tests of poses ask of Blender itself."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
from blender.robots import robot_file
from blender.support import api, module

MODES = ("QUATERNION", "XYZ", "ZXY", "AXIS_ANGLE")


def make_armature(
    tails: Sequence[Sequence[float]], *, parents: Sequence[int] | None = None, name: str = "rig", roll: float = 0.0
) -> bpy.types.Object:
    """A new armature: bone i goes from its parent's tail (the first from the origin) to ``tails[i]``.

    The bones are called "b0", "b1" …; the parent of each is the one before it unless ``parents`` says otherwise.
    """
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for i, tail in enumerate(tails):
        bone = data.edit_bones.new(f"b{i}")
        parent = i - 1 if parents is None else parents[i]
        if parent >= 0:
            bone.parent = data.edit_bones[f"b{parent}"]
            bone.head = bone.parent.tail
        bone.tail = tail
        bone.roll = roll * (i + 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def arm(count: int = 5, *, mode: str = "XYZ", **options: object) -> bpy.types.Object:
    """Slightly bent bones of length 0.3 going up."""
    tails, at = [], np.zeros(3)
    for i in range(count):
        at = at + 0.3 * np.array((np.sin(0.12 * i), 0.1 * np.cos(i), np.cos(0.12 * i)))
        tails.append(tuple(at))
    armature = make_armature(tails, **options)
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    return armature


def import_bare(name: str, folder: Path) -> bpy.types.Object:
    """A real robot without its meshes, which take most of the time."""
    tree = ET.parse(robot_file(name))
    for link in tree.getroot().findall("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    path = folder / f"{name}.urdf"
    tree.write(path)
    return api.import_urdf(path).armature


def channels(armature: bpy.types.Object) -> dict[str, str]:
    """Every channel of every bone, exactly: equal strings mean equal bits."""
    take = module("rig.snapshot").take_bone
    return {bone.name: repr(take(bone)) for bone in armature.pose.bones}


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """Bones whose channels differ in a bit."""
    return {bone for bone in before if before[bone] != after[bone]}


def shown(armature: bpy.types.Object, bone: str) -> np.ndarray:
    """(4, 4) matrix of a bone in world space as Blender evaluates it."""
    bpy.context.view_layer.update()
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    world = np.array(evaluated.matrix_world, dtype=np.float64)
    return world @ np.array(evaluated.pose.bones[bone].matrix, dtype=np.float64)


def tail(armature: bpy.types.Object, bone: str) -> np.ndarray:
    """(3,) tail of a bone in world space as Blender evaluates it."""
    return (shown(armature, bone) @ (0.0, armature.data.bones[bone].length, 0.0, 1.0))[:3]


def keyed(armature: bpy.types.Object) -> dict[tuple[str, int], list[tuple[float, float]]]:
    """(frame, value) of every key by data path and index."""
    return {
        (curve.data_path, curve.array_index): [tuple(key.co) for key in curve.keyframe_points]
        for curve in module("rig.compat").fcurves(armature)
    }


def assert_skeleton_is_what_blender_shows(armature: bpy.types.Object, *, atol: float = 1e-5) -> None:
    """Forward kinematics of the present pose against the evaluated matrix of every bone."""
    for rebase in (False, True):
        rig = module("rig.reading").read(armature, rebase=rebase)
        for body, frame in rig.skeleton.forward(rig.pose()).items():
            expected = np.array(armature.pose.bones[rig.bone_of(body)].matrix, dtype=np.float64)
            assert np.abs(frame - expected).max() < atol, (body, rebase, frame - expected)


def make_named(
    bones: Sequence[tuple[str, str, Sequence[float], Sequence[float]]], name: str = "rig"
) -> bpy.types.Object:
    """A new armature of unconnected bones: (name, parent or "", head, tail) each, parents first."""
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone_name, parent, head, tail_of_it in bones:
        bone = data.edit_bones.new(bone_name)
        bone.head, bone.tail = head, tail_of_it
        if parent:
            bone.parent = data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature
