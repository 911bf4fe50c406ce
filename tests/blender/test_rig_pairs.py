"""Every two switches of bones, objects and limits together, against what Blender shows."""

from __future__ import annotations

import itertools
import random
from typing import Any

import bpy
import pytest
from blender import agreement
from blender.pairs import pairwise
from blender.posing import assert_skeleton_is_what_blender_shows, make_armature
from blender.support import module

SCALES = {
    "none": (1.0, 1.0, 1.0),
    "even": (1.4, 1.4, 1.4),
    "uneven": (1.3, 0.7, 0.9),
    "mirroring": (-0.8, -0.8, -0.8),
    "uneven and mirroring": (0.7, -1.2, 1.1),
}
LIMITS = ("none", "rotation", "location", "rotation, location", "location, rotation", "rotation, rotation")
SPACES = ("LOCAL", "LOCAL_WITH_PARENT", "POSE", "WORLD", "CUSTOM")
QUESTIONS: dict[str, tuple[Any, ...]] = {
    "mode": ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"),
    "inherit_scale": ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"),
    "inherit_rotation": (True, False),
    "local_location": (True, False),
    "connected": (False, True),
    "posed": tuple(SCALES),
    "object": tuple(SCALES),
    "parent": ("none", "object", "bone"),
    "locks": ("none", "y", "x and z", "4D y", "IK x", "IK limits"),
    "limits": LIMITS,
    "space": SPACES,
    "second_space": SPACES,
    "order": ("AUTO", "XYZ", "ZXY"),
    "influence": (1.0, 0.6),
    "legacy": (False, True),
    "slides": (False, True),
}
CASES = pairwise(QUESTIONS)


def build(case: dict[str, Any], seed: int = 1) -> bpy.types.Object:
    """Five bones, of which the third is what the case says and the second is scaled as it says."""
    draw = random.Random(seed)
    tails = [(0.1, 0.2, 1.0), (0.3, 0.4, 1.9), (0.2, 0.9, 2.6), (0.5, 1.0, 3.4), (0.2, 1.4, 4.0)]
    armature = make_armature(tails, roll=0.5)
    for bone in armature.data.bones:
        bone.use_local_location = case["local_location"] or bone.name != "b2"
        bone.inherit_scale = case["inherit_scale"] if bone.name in ("b2", "b3") else "FULL"
    armature.data.bones["b2"].use_inherit_rotation = case["inherit_rotation"]
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones["b2"].use_connect = case["connected"]
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.pose.bones:
        bone.rotation_mode = case["mode"] if bone.name in ("b1", "b2") else "QUATERNION"
        bone.location = [draw.uniform(-0.2, 0.2) for _ in range(3)]
        bone.rotation_euler = [draw.uniform(-0.9, 0.9) for _ in range(3)]
        bone.rotation_quaternion = [1.0, *(draw.uniform(-0.4, 0.4) for _ in range(3))]
        bone.rotation_axis_angle = [draw.uniform(-0.9, 0.9), *(draw.uniform(0.2, 1.0) for _ in range(3))]
    armature.pose.bones["b1"].scale = SCALES[case["posed"]]
    _place(armature, case)
    _lock(armature.pose.bones["b2"], case["locks"])
    for kind, space in zip(case["limits"].split(", "), (case["space"], case["second_space"]), strict=False):
        if kind != "none":
            _limit(armature.pose.bones["b2"], kind, space, case)
    bpy.context.view_layer.update()
    return armature


def _place(armature: bpy.types.Object, case: dict[str, Any]) -> None:
    armature.location, armature.rotation_euler = (0.4, -0.3, 0.2), (0.2, -0.3, 0.5)
    armature.scale = SCALES[case["object"]]
    if case["parent"] == "none":
        return
    if case["parent"] == "object":
        parent = bpy.data.objects.new("parent", None)
        bpy.context.scene.collection.objects.link(parent)
    else:
        parent = make_armature([(0.2, 0.1, 0.8)], name="parent")
        parent.pose.bones["b0"].rotation_quaternion = (0.9, 0.2, 0.3, 0.1)
    parent.location, parent.rotation_euler, parent.scale = (0.1, 0.2, -0.1), (0.3, 0.1, 0.2), (1.2, 1.2, 1.2)
    armature.parent = parent
    if case["parent"] == "bone":
        armature.parent_bone = "b0"
        armature.parent_type = "BONE"


def _lock(bone: bpy.types.PoseBone, locks: str) -> None:
    bone.lock_rotations_4d = locks.startswith("4D")
    if locks.startswith("4D"):
        # What is locked must be at rest, or the bone is held.
        bone.rotation_quaternion = (0.9, 0.3, 0.0, -0.2)
        bone.rotation_axis_angle = (0.8, 0.5, 0.0, 0.7)
    bone.lock_rotation = ("x" in locks and "IK" not in locks, "y" in locks, "z" in locks)
    bone.lock_ik_x = locks == "IK x"
    if locks == "IK limits":
        bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, -1.0, 0.8
        bone.use_ik_limit_z, bone.ik_min_z, bone.ik_max_z = True, -0.3, 1.2


def _limit(bone: bpy.types.PoseBone, kind: str, space: str, case: dict[str, Any]) -> None:
    constraint = bone.constraints.new(f"LIMIT_{kind.upper()}")
    constraint.owner_space = space
    if space == "CUSTOM":
        target = bpy.data.objects.new("space", None)
        bpy.context.scene.collection.objects.link(target)
        target.location, target.rotation_euler, target.scale = (0.2, 0.1, 0.4), (0.4, 0.2, -0.6), (1.1, 1.1, 1.1)
        constraint.space_object = target
    constraint.influence = case["influence"]
    second = len(bone.constraints) > 1
    if kind == "location":
        constraint.use_min_x, constraint.min_x = True, -0.1
        constraint.use_max_z, constraint.max_z = True, 0.15 if space == "LOCAL" else 1.6
        return
    constraint.euler_order = case["order"]
    constraint.use_legacy_behavior = case["legacy"]
    for axis, low, high in (("x", -0.5, 0.7), ("y", -0.9, 0.4), ("z", -0.6, 1.1)):
        if axis != ("y" if second else "z"):
            setattr(constraint, f"use_limit_{axis}", True)
            setattr(constraint, f"min_{axis}", low + 0.2 * second)
            setattr(constraint, f"max_{axis}", high + 0.2 * second)


def test_every_two_answers_meet_in_a_case() -> None:
    for a, b in itertools.combinations(QUESTIONS, 2):
        met = {(case[a], case[b]) for case in CASES}
        assert met == set(itertools.product(QUESTIONS[a], QUESTIONS[b]))
    assert len(CASES) < 150


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda i: f"case{i}")
def test_any_two_switches_together_are_read_posed_and_written_as_blender_shows_them(number: int) -> None:
    case = CASES[number]
    armature = build(case)
    assert_skeleton_is_what_blender_shows(armature, atol=3e-5)
    slides = {"b2": True} if case["slides"] else None
    rig = module("rig.reading").read(armature, slides=slides)
    assert rig.loose == frozenset(), (case, dict(rig.held))
    # Mixed with what they were, mirrored matrices lose most of their digits in Blender.
    mirrored = "mirroring" in case["posed"] or "mirroring" in case["object"]
    close = 5e-5 if mirrored and case["influence"] < 1.0 and case["limits"] != "none" else 1e-5
    for rebase in (False, True):
        found = agreement.compare(armature, poses=6, seed=number, slides=slides, rebase=rebase)
        assert found.worst < close, (case, found)
        assert found.compared == 5
    if case["slides"] and not case["connected"]:
        assert {name for name in rig.skeleton.unknowns if "location" in name}, case
