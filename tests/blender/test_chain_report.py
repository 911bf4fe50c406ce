"""The chain of a bone in words, as the sidebar shows it."""

from __future__ import annotations

import bpy
import pytest
from blender.characters import mannequin, metarig
from blender.posing import arm
from blender.robots import import_bare, robot_file
from blender.support import module


def report(armature: bpy.types.Object, bone: str) -> object:
    return module("rig.chain_report").report(armature, bone)


def lines(armature: bpy.types.Object, bone: str) -> dict[str, list[tuple[str, str, str]]]:
    return {
        joint.bone: [(part.axes, part.range, part.source) for part in joint.parts]
        for joint in report(armature, bone).joints
    }


def test_axes_that_are_alike_share_a_line_and_others_say_where_they_come_from() -> None:
    armature = arm(3)
    posed = armature.pose.bones["b1"]
    posed.lock_rotation[1] = True
    posed.use_ik_limit_z, posed.ik_min_z, posed.ik_max_z, posed.ik_stiffness_z = True, -0.5, 1.0, 0.25
    found = lines(armature, "b2")
    assert list(found) == ["b0", "b1", "b2"]
    assert found["b0"] == [("X Y Z", "free", "free")]
    assert found["b1"] == [("X", "free", "free"), ("Y", "held at 0.0°", "Lock"), ("Z", "-28.6° to 57.3°", "IK limit")]
    assert report(armature, "b2").joints[1].parts[2].stiffness == pytest.approx(0.25)


def test_a_robots_joints_have_their_names_and_ranges() -> None:
    armature = import_bare(robot_file("panda"))
    found = lines(armature, "panda_link4")
    assert found["panda_link1"] == [("panda_joint1", "-166.0° to 166.0°", "URDF")]
    assert list(found) == [f"panda_link{i}" for i in range(1, 5)]


@pytest.mark.parametrize(
    ("bone", "said"),
    [("hand.L", "spine.003 branches"), ("toe.L", "foot.L carries toe.L"), ("spine", "spine is moved by its location")],
)
def test_it_says_why_the_chain_of_a_character_ends(bone: str, said: str) -> None:
    assert report(metarig("human"), bone).end.startswith(said)


def test_it_says_why_other_chains_end() -> None:
    armature = arm(4)
    assert report(armature, "b3").end == "Nothing is above b0"
    armature.pose.bones["b1"].linkpose_anchor = "ALWAYS"
    assert report(armature, "b3").end == "b1 is marked as an anchor"
    robot = import_bare(robot_file("panda"))
    assert report(robot, "panda_link3").end.endswith("is the root")
    assert "b0" in report(armature, "nothing").end or "nothing" in report(armature, "nothing").end


def test_a_bone_that_nothing_moves_says_what_holds_it() -> None:
    armature = arm(3)
    elsewhere = bpy.data.objects.new("elsewhere", None)
    bpy.context.scene.collection.objects.link(elsewhere)
    for bone in ("b0", "b1"):
        armature.pose.bones[bone].constraints.new("COPY_TRANSFORMS").target = elsewhere
    bpy.context.view_layer.update()
    found = report(armature, "b1")
    assert found.joints[0].parts[0].range == "held"
    assert "Copy Transforms" in found.joints[0].parts[0].source
    assert "cannot be moved" in found.end


def change_limit(armature: bpy.types.Object) -> None:
    armature.pose.bones["upperarm_l"].constraints["Limit Rotation"].max_x = 1.0


def change_lock(armature: bpy.types.Object) -> None:
    armature.pose.bones["lowerarm_l"].lock_rotation[0] = True


def change_mark(armature: bpy.types.Object) -> None:
    armature.pose.bones["upperarm_twist_01_l"].linkpose_branch = "ALWAYS"


def change_influence(armature: bpy.types.Object) -> None:
    armature.pose.bones["upperarm_l"].constraints["Limit Rotation"].mute = True


@pytest.mark.parametrize("change", [change_limit, change_lock, change_mark, change_influence])
def test_what_changes_the_report_changes_its_key_and_the_pose_does_not(change: object) -> None:
    armature = mannequin()
    limit = armature.pose.bones["upperarm_l"].constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x, limit.max_x = "LOCAL", True, 0.5
    bpy.context.view_layer.update()
    key_of = module("rig.chain_report").key_of
    key, before = key_of(armature, "hand_l"), report(armature, "hand_l")
    armature.pose.bones["lowerarm_l"].rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    assert key_of(armature, "hand_l") == key
    assert report(armature, "hand_l") == before
    change(armature)
    bpy.context.view_layer.update()
    assert key_of(armature, "hand_l") != key
    assert report(armature, "hand_l") != before
    assert key_of(armature, "hand_r") != key


def test_the_panel_is_about_the_active_bone_or_the_link_of_the_active_object() -> None:
    subject = module("ui.chain_panel").subject
    armature = arm(3)
    armature.data.bones.active = armature.data.bones["b2"]
    bpy.context.view_layer.objects.active = armature
    assert subject(bpy.context) == (armature, "b2")
    mesh = bpy.data.objects.new("part", bpy.data.meshes.new("part"))
    bpy.context.scene.collection.objects.link(mesh)
    bpy.context.view_layer.objects.active = mesh
    assert subject(bpy.context) is None
    mesh.parent, mesh.parent_type, mesh.parent_bone = armature, "BONE", "b1"
    assert subject(bpy.context) == (armature, "b1")
