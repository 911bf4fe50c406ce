"""Characters: read from files, made by Rigify, built in code."""

from __future__ import annotations

from pathlib import Path

import addon_utils
import bpy
import pytest
from blender.posing import make_named
from support import rigs_folder

# The arm and leg of a game engine's mannequin: (bone, parent, head, tail), metres, left side.
_LIMBS = (
    ("clavicle_l", "spine_03", (0.03, 0, 1.45), (0.16, 0, 1.46)),
    ("upperarm_l", "clavicle_l", (0.16, 0, 1.46), (0.42, 0.02, 1.46)),
    ("upperarm_twist_01_l", "upperarm_l", (0.24, 0, 1.46), (0.30, 0, 1.46)),
    ("upperarm_twist_02_l", "upperarm_l", (0.33, 0.01, 1.46), (0.39, 0.01, 1.46)),
    ("upperarm_correctiveRoot_l", "upperarm_l", (0.16, 0, 1.46), (0.18, 0, 1.46)),
    ("upperarm_bicep_l", "upperarm_correctiveRoot_l", (0.28, -0.03, 1.46), (0.28, -0.06, 1.46)),
    ("upperarm_tricep_l", "upperarm_correctiveRoot_l", (0.28, 0.04, 1.46), (0.28, 0.07, 1.46)),
    ("lowerarm_l", "upperarm_l", (0.42, 0.02, 1.46), (0.68, 0, 1.46)),
    ("lowerarm_twist_01_l", "lowerarm_l", (0.60, 0, 1.46), (0.66, 0, 1.46)),
    ("lowerarm_twist_02_l", "lowerarm_l", (0.50, 0.01, 1.46), (0.56, 0.01, 1.46)),
    ("hand_l", "lowerarm_l", (0.68, 0, 1.46), (0.76, 0, 1.46)),
    ("wrist_inner_l", "lowerarm_l", (0.68, 0.01, 1.46), (0.70, 0.01, 1.46)),
    ("index_metacarpal_l", "hand_l", (0.71, -0.02, 1.46), (0.76, -0.03, 1.46)),
    ("index_01_l", "index_metacarpal_l", (0.76, -0.03, 1.46), (0.80, -0.03, 1.45)),
    ("index_02_l", "index_01_l", (0.80, -0.03, 1.45), (0.83, -0.03, 1.44)),
    ("index_03_l", "index_02_l", (0.83, -0.03, 1.44), (0.85, -0.03, 1.43)),
    ("pinky_metacarpal_l", "hand_l", (0.71, 0.02, 1.46), (0.75, 0.03, 1.46)),
    ("pinky_01_l", "pinky_metacarpal_l", (0.75, 0.03, 1.46), (0.78, 0.04, 1.45)),
    ("pinky_02_l", "pinky_01_l", (0.78, 0.04, 1.45), (0.80, 0.04, 1.44)),
    ("pinky_03_l", "pinky_02_l", (0.80, 0.04, 1.44), (0.82, 0.04, 1.43)),
    ("weapon_l", "hand_l", (0.74, 0, 1.44), (0.74, -0.1, 1.44)),
    ("thigh_l", "pelvis", (0.10, 0, 0.95), (0.11, -0.01, 0.52)),
    ("thigh_twist_01_l", "thigh_l", (0.10, 0, 0.80), (0.10, 0, 0.72)),
    ("thigh_correctiveRoot_l", "thigh_l", (0.10, 0, 0.95), (0.10, 0, 0.93)),
    ("thigh_fwd_l", "thigh_correctiveRoot_l", (0.10, -0.08, 0.92), (0.10, -0.10, 0.92)),
    ("calf_l", "thigh_l", (0.11, -0.01, 0.52), (0.12, 0.02, 0.10)),
    ("calf_twist_01_l", "calf_l", (0.12, 0.01, 0.25), (0.12, 0.01, 0.18)),
    ("calf_knee_l", "calf_l", (0.11, -0.05, 0.52), (0.11, -0.07, 0.52)),
    ("foot_l", "calf_l", (0.12, 0.02, 0.10), (0.12, -0.10, 0.03)),
    ("ankle_fwd_l", "foot_l", (0.12, -0.02, 0.09), (0.12, -0.04, 0.09)),
    ("ball_l", "foot_l", (0.12, -0.10, 0.03), (0.12, -0.17, 0.02)),
)
_TRUNK = (
    ("root", "", (0, 0, 0), (0, -0.2, 0)),
    ("pelvis", "root", (0, 0, 0.98), (0, 0, 1.05)),
    ("spine_01", "pelvis", (0, 0, 1.05), (0, 0, 1.18)),
    ("spine_02", "spine_01", (0, 0, 1.18), (0, 0.01, 1.30)),
    ("spine_03", "spine_02", (0, 0.01, 1.30), (0, 0.01, 1.50)),
    ("neck_01", "spine_03", (0, 0.01, 1.50), (0, 0, 1.58)),
    ("head", "neck_01", (0, 0, 1.58), (0, 0, 1.78)),
    ("ik_foot_root", "root", (0, 0, 0), (0, -0.1, 0)),
    ("ik_foot_l", "ik_foot_root", (0.12, 0.02, 0.10), (0.12, -0.10, 0.03)),
    ("ik_foot_r", "ik_foot_root", (-0.12, 0.02, 0.10), (-0.12, -0.10, 0.03)),
    ("ik_hand_root", "root", (0, 0, 0), (0, -0.1, 0)),
    ("ik_hand_gun", "ik_hand_root", (-0.68, 0, 1.46), (-0.76, 0, 1.46)),
    ("ik_hand_l", "ik_hand_gun", (0.68, 0, 1.46), (0.76, 0, 1.46)),
    ("ik_hand_r", "ik_hand_gun", (-0.68, 0, 1.46), (-0.76, 0, 1.46)),
)


def mannequin() -> bpy.types.Object:
    """A game engine's mannequin, with twist and corrective bones and targets of the engine's own IK."""
    right = [
        (name[:-1] + "r", parent[:-1] + "r" if parent.endswith("_l") else parent, *(_mirrored(p) for p in ends))
        for name, parent, *ends in _LIMBS
    ]
    return make_named([*_TRUNK, *_LIMBS, *right])


def tailed() -> bpy.types.Object:
    """Hips with a tail of six bones, two legs with heels, and a spine."""
    bones = [("hips", "", (0, 0, 1), (0, 0, 1.2)), ("spine", "hips", (0, 0, 1.2), (0, 0, 1.5))]
    bones.append(("head", "spine", (0, 0, 1.5), (0, 0, 1.7)))
    for i in range(6):
        above = f"tail.{i}" if i else "hips"
        bones.append((f"tail.{i + 1}", above, (0, 0.1 + 0.1 * i, 1), (0, 0.2 + 0.1 * i, 1)))
    for side, x in (("L", 0.1), ("R", -0.1)):
        bones.append((f"thigh.{side}", "hips", (x, 0, 1), (x, -0.02, 0.5)))
        bones.append((f"shin.{side}", f"thigh.{side}", (x, -0.02, 0.5), (x, 0, 0.1)))
        bones.append((f"foot.{side}", f"shin.{side}", (x, 0, 0.1), (x, -0.12, 0.02)))
        bones.append((f"toe.{side}", f"foot.{side}", (x, -0.12, 0.02), (x, -0.2, 0.02)))
    return make_named(bones)


def metarig(kind: str) -> bpy.types.Object:
    """One of Rigify's metarigs, such as "human" or "basic_human"."""
    addon_utils.enable("rigify", default_set=True)
    getattr(bpy.ops.object, f"armature_{kind}_metarig_add")()
    return bpy.context.object


def metarigs() -> list[str]:
    """The kinds of metarigs that this Blender's Rigify has."""
    addon_utils.enable("rigify", default_set=True)
    start, end = "armature_", "_metarig_add"
    return [
        name[len(start) : -len(end)] for name in dir(bpy.ops.object) if name.startswith(start) and name.endswith(end)
    ]


def generated(kind: str = "basic_human") -> bpy.types.Object:
    """A rig that Rigify makes of its metarig."""
    metarig(kind)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.pose.rigify_generate()
    rig = next(ob for ob in bpy.data.objects if ob.type == "ARMATURE" and ob.name.startswith(("rig", "RIG")))
    bpy.context.view_layer.update()
    return rig


def files() -> list[str]:
    """Names of all files of published characters, for :func:`from_file`."""
    folder = rigs_folder()
    found = [*folder.rglob("*.bvh"), *folder.rglob("*.fbx"), *folder.rglob("*.blend")]
    return sorted(path.relative_to(folder).as_posix() for path in found)


def from_file(name: str) -> bpy.types.Object:
    """The first armature of a BVH, FBX or .blend file in the folder of published characters."""
    return all_from_file(name)[0]


def all_from_file(name: str) -> list[bpy.types.Object]:
    """Every armature of a file in the folder of published characters."""
    path = rigs_folder() / name
    if not path.is_file():
        pytest.skip(f"no {path}")
    before = set(bpy.data.objects)
    if path.suffix == ".blend":
        with bpy.data.libraries.load(str(path)) as (source, target):
            target.objects = source.objects
        for made in bpy.data.objects:
            if made.type == "ARMATURE":
                bpy.context.scene.collection.objects.link(made)
    else:
        _import(path)
    found = [ob for ob in bpy.data.objects if ob not in before and ob.type == "ARMATURE"]
    bpy.context.view_layer.update()
    return found


def _import(path: Path) -> None:
    if path.suffix == ".bvh":
        addon_utils.enable("io_anim_bvh")
        bpy.ops.import_anim.bvh(filepath=str(path))
    elif path.read_bytes()[:18] == b"Kaydara FBX Binary":
        addon_utils.enable("io_scene_fbx")
        bpy.ops.import_scene.fbx(filepath=str(path))
    elif "fbx_import" in dir(bpy.ops.wm):
        bpy.ops.wm.fbx_import(filepath=str(path))
    else:
        pytest.skip(f"this Blender reads no FBX files of text: {path}")


def _mirrored(point: tuple[float, float, float]) -> tuple[float, float, float]:
    return -point[0], point[1], point[2]
