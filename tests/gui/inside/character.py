"""Armatures that are no robots: built in code, made by Rigify, read from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import addon_utils
import bpy
from inside.window import viewport
from mathutils import Vector

MODES = ("QUATERNION", "ZXY", "AXIS_ANGLE", "XYZ", "QUATERNION")


def arm(modes: Sequence[str] = MODES, *, length: float = 0.3) -> str:
    """Five connected, slightly bent bones "bone.0" to "bone.4" going up from the origin, in these rotation modes."""
    points = [Vector()]
    for number in range(len(modes)):
        points.append(points[-1] + Vector((0.05 * (-1) ** number, 0.02 * number, length)))
    return chain(points, modes)


def chain(points: Sequence[Vector], modes: Sequence[str], *, connected: bool = True) -> str:
    """Bones "bone.0", "bone.1" … from point to point, in these rotation modes; returns the armature's name."""
    with viewport().override():
        bpy.ops.object.armature_add()
        armature = bpy.context.object
        armature.name = armature.data.name = "Arm"
        bpy.ops.object.mode_set(mode="EDIT")
        bones = armature.data.edit_bones
        bones.remove(bones[0])
        parent = None
        for number in range(len(modes)):
            bone = bones.new(f"bone.{number}")
            bone.head, bone.tail = points[number], points[number + 1]
            bone.parent, bone.use_connect = parent, parent is not None and connected
            parent = bone
        bpy.ops.object.mode_set(mode="OBJECT")
    for number, mode in enumerate(modes):
        armature.pose.bones[f"bone.{number}"].rotation_mode = mode
    return armature.name


def skin(name: str) -> str:
    """A tube around the bones of an armature, each part deformed by its bone; returns the mesh's name."""
    armature = bpy.data.objects[name]
    vertices: list[Vector] = []
    faces: list[list[int]] = []
    groups: dict[str, list[int]] = {}
    around = [Vector((x, y, 0)) * 0.06 for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    for bone in armature.data.bones:
        first = len(vertices)
        vertices += [end + step for end in (bone.head_local, bone.tail_local) for step in around]
        groups[bone.name] = list(range(first, first + 8))
        faces += [[first + i, first + (i + 1) % 4, first + 4 + (i + 1) % 4, first + 4 + i] for i in range(4)]
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata(vertices, [], faces)
    tube = bpy.data.objects.new("Skin", mesh)
    bpy.context.scene.collection.objects.link(tube)
    for bone_name, indices in groups.items():
        tube.vertex_groups.new(name=bone_name).add(indices, 1.0, "REPLACE")
    tube.parent = armature
    tube.modifiers.new("Armature", "ARMATURE").object = armature
    bpy.context.view_layer.update()
    return tube.name


def metarig(*, basic: bool) -> str:
    """Rigify's human metarig, or its basic human one."""
    addon_utils.enable("rigify", default_set=True, persistent=True)
    with viewport().override():
        if basic:
            bpy.ops.object.armature_basic_human_metarig_add()
        else:
            bpy.ops.object.armature_human_metarig_add()
    return bpy.context.object.name


def from_file(file: Path) -> str:
    """The armature of a BVH or FBX file, at a height of about 1.8 m."""
    before = set(bpy.data.objects)
    with viewport().override():
        if file.suffix == ".bvh":
            addon_utils.enable("io_anim_bvh", default_set=True)
            bpy.ops.import_anim.bvh(filepath=str(file), frame_start=1)
        else:
            addon_utils.enable("io_scene_fbx", default_set=True)
            bpy.ops.import_scene.fbx(filepath=str(file))
    armature = next(ob for ob in bpy.data.objects if ob not in before and ob.type == "ARMATURE")
    bpy.context.view_layer.update()
    heights = [(armature.matrix_world @ end).z for bone in armature.pose.bones for end in (bone.head, bone.tail)]
    armature.scale *= 1.8 / (max(heights) - min(heights))
    bpy.context.view_layer.update()
    return armature.name


def tail(name: str, bone: str) -> Vector:
    """Where the tail of a bone is, world space, as Blender evaluates it."""
    armature = bpy.data.objects[name]
    return armature.matrix_world @ armature.pose.bones[bone].tail


def span(name: str) -> float:
    """Diagonal of the world box of the bones [m]."""
    armature = bpy.data.objects[name]
    ends = [armature.matrix_world @ end for bone in armature.pose.bones for end in (bone.head, bone.tail)]
    low = Vector(min(end[i] for end in ends) for i in range(3))
    high = Vector(max(end[i] for end in ends) for i in range(3))
    return (high - low).length


def middle(name: str) -> Vector:
    """Middle of the world box of the bones."""
    armature = bpy.data.objects[name]
    ends = [armature.matrix_world @ end for bone in armature.pose.bones for end in (bone.head, bone.tail)]
    return Vector((min(end[i] for end in ends) + max(end[i] for end in ends)) / 2 for i in range(3))
