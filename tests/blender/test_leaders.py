"""Bones that constraints hold: what can be found out by trying, and which control moves them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender.characters import generated
from blender.posing import arm, channels, make_named, shown, tail
from blender.support import api, errors, module


def blend(armature: bpy.types.Object, fk: float) -> None:
    for bone in armature.pose.bones:
        if "IK_FK" in bone:
            bone["IK_FK"] = fk
    armature.update_tag()
    bpy.context.view_layer.update()


def moved(armature: bpy.types.Object, bone: str) -> list[str]:
    rig, chain = module("rig.chains").take(armature, bone, probe=True)
    return list(dict.fromkeys(rig.channels[name].bone for name in reversed(chain.unknowns)))


def grip(armature: bpy.types.Object, bone: str) -> object:
    """A drag of the bone by the middle of it, as a click on the skin there starts one."""
    posed = armature.pose.bones[bone]
    point = armature.matrix_world @ ((posed.head + posed.tail) / 2)
    pick = module("rig.pick").Pick(armature.name, armature.session_uid, bone, np.array(point), "skin")
    drag = module("rig.drag")
    return drag.DragSession(bpy.context, module("rig.grip").of_pick(bpy.context, pick, lead=True), np.array(point))


def test_on_a_generated_rig_the_control_in_use_is_found_and_dragged() -> None:
    armature = generated()
    leader_of = module("rig.leaders").leader_of
    blend(armature, 0.0)
    bones = ("DEF-hand.L", "DEF-forearm.L", "DEF-foot.R", "DEF-shin.R", "DEF-spine.006")
    assert [leader_of(armature, bone) for bone in bones] == ["hand_ik.L", "hand_ik.L", "foot_ik.R", "foot_ik.R", "head"]
    before = channels(armature)
    with pytest.raises(errors.RigError, match=r"drag its control 'hand_ik\.L' instead"):
        api.solve(armature, "DEF-hand.L", (0.5, 0.0, 1.0))
    drag = grip(armature, "DEF-hand.L")
    assert drag.grip.bone == "hand_ik.L"
    assert np.linalg.norm(drag.handle - drag.target) < 1e-6
    assert channels(armature) == before
    drag.aim(np.array(drag.target) + np.array((-0.05, -0.1, 0.05)))
    drag.confirm(bpy.context)
    assert drag.status == "REACHED"
    posed = armature.pose.bones["DEF-hand.L"]
    assert np.linalg.norm(np.array((posed.head + posed.tail) / 2) - drag.target) < 5e-3
    blend(armature, 1.0)
    assert [leader_of(armature, bone) for bone in bones] == [
        "hand_fk.L",
        "forearm_fk.L",
        "foot_fk.R",
        "shin_fk.R",
        "head",
    ]
    assert moved(armature, "hand_fk.L") == ["hand_fk.L", "forearm_fk.L", "upper_arm_fk.L"]
    assert moved(armature, "foot_fk.R") == ["foot_fk.R", "shin_fk.R", "thigh_fk.R"]
    drag = grip(armature, "DEF-hand.L")
    start = np.array(drag.target)
    drag.aim(start + np.array((-0.1, -0.1, 0.1)))
    drag.confirm(bpy.context)
    assert drag.status == "REACHED"
    posed = armature.pose.bones["DEF-hand.L"]
    assert np.linalg.norm(np.array((posed.head + posed.tail) / 2) - drag.target) < 2e-3


def test_a_constraint_that_changes_nothing_does_not_end_the_chain_of_a_drag() -> None:
    armature = arm(4)
    armature.pose.bones["b2"].constraints.new("LIMIT_SCALE")
    before = channels(armature)
    assert moved(armature, "b3") == ["b3", "b1", "b0"]
    assert channels(armature) == before
    drag = module("rig.drag").DragSession(
        bpy.context, module("rig.grip").by_name(bpy.context, armature.name, "b3"), np.zeros(3)
    )
    drag.aim(tail(armature, "b3") + np.array((0.3, 0.1, -0.4)))
    drag.confirm(bpy.context)
    assert drag.status == "REACHED"
    assert np.linalg.norm(tail(armature, "b3") - drag.target) < 1e-3
    assert channels(armature)["b2"] == before["b2"]


def test_a_constraint_that_moves_its_bone_ends_the_chain() -> None:
    armature = arm(4)
    empty = bpy.data.objects.new("aim", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location = (3.0, 0.0, 1.0)
    armature.pose.bones["b2"].constraints.new("DAMPED_TRACK").target = empty
    assert moved(armature, "b3") == ["b3"]


def test_a_bone_that_turns_out_not_to_follow_its_channels_ends_the_chain() -> None:
    armature = arm(4)

    def hold(*_: object) -> None:
        bone = bpy.data.objects[armature_name].pose.bones["b1"]
        if any(abs(angle) > 0.0 for angle in bone.rotation_euler):
            bone.rotation_euler = (0.0, 0.0, 0.0)

    armature_name = armature.name
    bpy.app.handlers.depsgraph_update_pre.append(hold)
    try:
        before = channels(armature)
        assert moved(armature, "b3") == ["b3", "b2"]
        assert channels(armature) == before
        with pytest.raises(errors.RigError, match="a small turn has shown"):
            module("rig.chains").take(armature, "b1", probe=True)
    finally:
        bpy.app.handlers.depsgraph_update_pre.remove(hold)


def test_trying_changes_no_bit_in_any_mode_and_keeps_unkeyed_changes() -> None:
    armature = arm(5)
    for bone, mode in zip(armature.pose.bones, ("QUATERNION", "ZXY", "AXIS_ANGLE", "XYZ", "QUATERNION"), strict=True):
        bone.rotation_mode = mode
        bone.rotation_quaternion, bone.rotation_euler = (-0.7, 0.3, 0.2, 0.5), (7.0, -0.2, 3.0)
        bone.rotation_axis_angle = (9.0, 0.1, 0.0, -3.0)
        bone.keyframe_insert("rotation_euler")
    armature.pose.bones["b1"].rotation_euler = (6.0, 0.1, 3.0)
    bpy.context.view_layer.update()
    before, seen = channels(armature), shown(armature, "b4")
    moved(armature, "b4")
    assert channels(armature) == before
    assert np.array_equal(shown(armature, "b4"), seen)


def test_a_copy_leads_to_what_it_copies_and_a_hidden_bone_to_its_parent() -> None:
    ends = ((0, 0, 0), (0, 0, 1))
    armature = make_named(
        [("control", "", *ends), ("hidden", "control", *ends), ("skin", "", *ends), ("half", "", *ends)]
    )
    armature.data.bones["hidden"].hide_select = True
    leader_of = module("rig.leaders").leader_of
    for bone, influence in (("skin", 1.0), ("half", 0.4)):
        copy = armature.pose.bones[bone].constraints.new("COPY_TRANSFORMS")
        copy.target, copy.subtarget, copy.influence = armature, "hidden", influence
    bpy.context.view_layer.update()
    assert leader_of(armature, "skin") == "control"
    assert leader_of(armature, "half") == ""
    assert leader_of(armature, "control") == ""
    armature.pose.bones["skin"].constraints[0].mute = True
    bpy.context.view_layer.update()
    assert leader_of(armature, "skin") == ""


def test_an_ik_target_in_a_group_is_led_by_the_group_but_not_by_what_carries_everything() -> None:
    bones = [
        ("root", "", (0, 0, 0), (0, 0.5, 0)),
        ("thigh.L", "root", (0.1, 0, 1), (0.1, -0.05, 0.5)),
        ("shin.L", "thigh.L", (0.1, -0.05, 0.5), (0.1, 0, 0.1)),
        ("foot.L", "root", (0.1, 0, 0.1), (0.1, -0.2, 0.1)),
        ("spin.L", "foot.L", (0.1, 0, 0.1), (0.1, -0.1, 0.1)),
    ]
    armature = make_named(bones)
    ik = armature.pose.bones["shin.L"].constraints.new("IK")
    ik.target, ik.subtarget, ik.chain_count = armature, "spin.L", 2
    bpy.context.view_layer.update()
    assert module("rig.leaders").leader_of(armature, "thigh.L") == "foot.L"


@pytest.mark.parametrize("side", ["L", "R"])
def test_legs_of_four_bones_are_led_by_the_foot_and_not_by_the_heel_that_only_turns(side: str) -> None:
    armature = generated("basic_quadruped")
    leader_of = module("rig.leaders").leader_of
    for end in ("", "front_"):
        bones = [f"DEF-{end}{part}.{side}" for part in ("thigh", "shin", "foot")]
        bones += [f"DEF-{end}{part}.{side}.001" for part in ("thigh", "shin")]
        blend(armature, 0.0)
        assert {leader_of(armature, bone) for bone in bones} == {f"{end}foot_ik.{side}"}
        # The paw itself has a control of its own.
        assert leader_of(armature, f"DEF-{end}toe.{side}") == f"{end}toe.{side}"
        picked = armature.pose.bones[f"DEF-{end}foot.{side}"]
        drag = grip(armature, picked.name)
        assert drag.grip.bone == f"{end}foot_ik.{side}"
        start = np.array(drag.target)
        drag.aim(start + np.array((0.0, -0.03, 0.04)))
        drag.confirm(bpy.context)
        assert drag.status == "REACHED"
        moved_by = np.array((picked.head + picked.tail) / 2) - start
        # A heel that turns about the ball would keep the foot's far end where it is.
        assert moved_by @ (0.0, -0.6, 0.8) > 0.03
        blend(armature, 1.0)
        # A twist segment is led by the bone that it twists towards.
        wanted = [f"{end}{part}_fk.{side}" for part in ("thigh", "shin", "foot", "shin", "foot")]
        assert [leader_of(armature, bone) for bone in bones] == wanted


def test_a_control_that_cannot_be_moved_is_kept_where_only_what_carries_the_whole_chain_could_move_it() -> None:
    bones = [
        ("hips", "", (0, 0, 1), (0, 0.3, 1)),
        ("thigh", "hips", (0.1, 0, 1), (0.1, -0.05, 0.5)),
        ("shin", "thigh", (0.1, -0.05, 0.5), (0.1, 0, 0.1)),
        ("heel", "hips", (0.1, 0, 0.1), (0.1, 0.2, 0.1)),
    ]
    armature = make_named(bones)
    ik = armature.pose.bones["shin"].constraints.new("IK")
    ik.target, ik.subtarget, ik.chain_count = armature, "heel", 2
    armature.pose.bones["heel"].lock_location = (True, True, True)
    bpy.context.view_layer.update()
    assert module("rig.leaders").leader_of(armature, "shin") == "heel"
