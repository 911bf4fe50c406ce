"""What people are told of a chain: every bone, every axis, and where its limits come from."""

from __future__ import annotations

from pathlib import Path

import bpy
from blender.posing import arm, import_bare
from blender.support import module
from blender.test_pose_bones import limit_rotation


def told(armature: bpy.types.Object, body: str) -> list[tuple[str, str, str]]:
    return [(row.bone, row.axis, row.source) for row in module("rig.explain").explain(armature, body)]


def test_every_axis_of_a_chain_is_told_with_its_limits_and_where_they_come_from() -> None:
    armature = arm(4)
    bones = armature.pose.bones
    bones["b0"].lock_rotation[1] = True
    bones["b1"].lock_ik_z = True
    bones["b1"].ik_stiffness_x = 0.5
    bones["b2"].use_ik_limit_x, bones["b2"].ik_min_x, bones["b2"].ik_max_x = True, -0.5, 0.25
    limit_rotation(bones["b2"], x=(-1.0, 0.125)).name = "knee"
    bones["b3"].lock_rotation = (True, True, True)
    assert told(armature, "b3") == [
        ("b0", "X", "free"),
        ("b0", "Y", "Lock"),
        ("b0", "Z", "free"),
        ("b1", "X", "free"),
        ("b1", "Y", "free"),
        ("b1", "Z", "IK lock"),
        ("b2", "X", "Limit Rotation “knee”, IK limit"),
        ("b2", "Y", "free"),
        ("b2", "Z", "free"),
        ("b3", "", "held: has all its rotation locked"),
    ]
    rows = {(row.bone, row.axis): row for row in module("rig.explain").explain(armature, "b3")}
    assert (rows["b2", "X"].lower, rows["b2", "X"].upper) == (-0.5, 0.125)
    assert (rows["b0", "X"].lower, rows["b0", "X"].upper) == (None, None)
    assert rows["b1", "X"].stiffness == 0.5
    assert rows["b1", "X"].unknown == "b1:x"


def test_a_body_that_nothing_moves_is_told_why() -> None:
    armature = arm(2)
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    for bone in armature.pose.bones:
        bone.constraints.new("COPY_TRANSFORMS").target = target
    bpy.context.view_layer.update()
    assert told(armature, "b1") == [("b1", "", "held: is moved by its constraint 'Copy Transforms'")]


def test_hips_are_told_by_their_location() -> None:
    armature = arm(1)
    bone = armature.pose.bones["b0"]
    bone.lock_rotation, bone.lock_location = (True, True, True), (False, True, False)
    limit = bone.constraints.new("LIMIT_LOCATION")
    limit.owner_space, limit.use_min_z, limit.min_z = "LOCAL", True, -0.25
    bpy.context.view_layer.update()
    assert told(armature, "b0") == [
        ("b0", "X", "free"),
        ("b0", "Y", "Lock"),
        ("b0", "Z", "Limit Location “Limit Location”"),
    ]
    row = module("rig.explain").explain(armature, "b0")[2]
    assert (row.lower, row.upper, row.slides) == (-0.25, None, True)


def test_a_robots_joints_are_told_by_their_urdf(tmp_path: Path) -> None:
    armature = import_bare("panda", tmp_path)
    rows = module("rig.explain").explain(armature, "panda_link2")
    assert [(row.unknown, row.source) for row in rows if row.unknown] == [
        ("panda_joint1", "URDF"),
        ("panda_joint2", "URDF"),
    ]
