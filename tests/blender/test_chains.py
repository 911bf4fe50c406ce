"""Which bones move when a bone of a character is dragged, and how."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from blender import characters
from blender.posing import arm, changed, channels, make_armature, make_named, tail
from blender.support import api, module

# Dragged bone: the bones that turn, and the anchor. "=" is the dragged bone itself, "~" a bone moved by its location.
MIXAMO = {
    "LeftHand": "= LeftForeArm LeftArm LeftShoulder @ Spine2",
    "LeftHandIndex3": "= LeftHandIndex2 LeftHandIndex1 @ LeftHand",
    "LeftFoot": "= LeftLeg LeftUpLeg @ Hips",
    "LeftToeBase": "= @ LeftFoot",
    "Head": "= Neck @ Spine2",
    "Spine2": "= Spine1 Spine @ Hips",
    "Hips": "~= @",
}
RIGIFY = {
    "hand.L": "= forearm.L upper_arm.L shoulder.L @ spine.003",
    "foot.R": "= shin.R thigh.R @ spine",
    "toe.L": "= @ foot.L",
    "spine.006": "= spine.005 spine.004 @ spine.003",
    "spine.003": "= spine.002 spine.001 @ spine",
    "spine": "~= @",
}
TABLES = {
    "mannequin": {
        "hand_l": "= lowerarm_l upperarm_l clavicle_l @ spine_03",
        "foot_r": "= calf_r thigh_r @ pelvis",
        "index_03_l": "= index_02_l index_01_l index_metacarpal_l @ hand_l",
        "ball_l": "= @ foot_l",
        "head": "= neck_01 @ spine_03",
        "spine_03": "= spine_02 spine_01 @ pelvis",
        "calf_twist_01_l": "= calf_l thigh_l @ pelvis",
        "ik_hand_l": "= @ ik_hand_gun",
        "pelvis": "~= @ root",
        "root": "~= @",
    },
    "tailed": {
        "tail.6": "= tail.5 tail.4 tail.3 tail.2 tail.1 @ hips",
        "toe.L": "= @ foot.L",
        "foot.L": "= shin.L thigh.L @ hips",
        "head": "= spine @ hips",
        "hips": "~= @",
    },
    "human": {**RIGIFY, "f_index.03.L": "= f_index.02.L f_index.01.L @ palm.01.L", "toe.L": "= @ foot.L"},
    "basic_human": RIGIFY,
    "bvh/test_freebvh.bvh": {f"mixamorig:{name}": chain for name, chain in MIXAMO.items()},
    "bvh/01_01.bvh": {
        "LeftHand": "= LeftForeArm LeftArm LeftShoulder @ Spine1",
        "RightFoot": "= RightLeg RightUpLeg RHipJoint @ Hips",
        "RightToeBase": "= @ RightFoot",
        "Head": "= Neck1 Neck @ Spine1",
        "Spine1": "= Spine LowerBack @ Hips",
        "Hips": "~= @",
    },
    "bvh/Boxing_Toes.bvh": {
        "LeftWrist": "= LeftElbow LeftShoulder LeftCollar @ Chest",
        "RightAnkle": "= RightKnee RightHip @ Hips",
        "RightToes": "= @ RightAnkle",
        "Head": "= Neck @ Chest",
    },
    "fbx/maya_human_ik_7400_binary.fbx": {
        f"Character1_{name}": chain for name, chain in MIXAMO.items() if name != "LeftHandIndex3"
    }
    | {"Character1_LeftHandIndex4": "= LeftHandIndex3 LeftHandIndex2 LeftHandIndex1 @ LeftHand"},
    "fbx/maya_kenney_character_7700_binary.fbx": {
        "LeftHand": "= LeftForeArm LeftArm LeftShoulder @ UpperChest",
        "LeftHandIndex3": "= LeftHandIndex2 LeftHandIndex1 @ LeftHand",
        "RightFoot": "= RightLeg RightUpLeg @ Hips",
        "RightToes": "= @ RightFoot",
        "Head": "= Neck @ UpperChest",
        "UpperChest": "= Chest Spine @ Hips",
        "Hips": "~= @ HipsCtrl",
        "HipsCtrl": "~= @",
    },
    "vrm/basic_armature.blend": {
        "hand.L": "= lower_arm.L upper_arm.L shoulder.L @ chest",
        "index_distal.L": "= index_intermediate.L index_proximal.L @ hand.L",
        "foot.R": "= lower_leg.R upper_leg.R @ hips",
        "toes.R": "= @ foot.R",
        "head": "= neck @ chest",
        "chest": "= spine @ hips",
        "hips": "~root @",
        "root": "~= @",
    },
    "vrm/armature_transform.blend": {
        "hand.L": "= lower_arm.L upper_arm.L @ chest",
        "head": "= neck @ chest",
        "hips": "~= @",
    },
}
MADE = {"mannequin": characters.mannequin, "tailed": characters.tailed}


def character(name: str) -> bpy.types.Object:
    if name in MADE:
        return MADE[name]()
    return characters.from_file(name) if "/" in name else characters.metarig(name)


def chain_of(armature: bpy.types.Object, bone: str) -> str:
    """As in the tables above."""
    rig, chain = module("rig.chains").take(armature, bone)
    moved = [rig.channels[name] for name in reversed(chain.unknowns)]
    names = dict.fromkeys(("~" if channel.path == "location" else "") + channel.bone for channel in moved)
    slides = bool(moved) and moved[0].path == "location"
    parent = armature.data.bones[moved[0].bone].parent
    anchor = (parent.name if parent else "") if slides else chain.anchor
    return " ".join((*names, "@", anchor)).strip()


@pytest.mark.parametrize("name", TABLES)
def test_every_bone_takes_the_chain_that_its_part_of_the_body_has(name: str) -> None:
    armature = character(name)
    found, expected = {}, {}
    for bone, chain in TABLES[name].items():
        prefix = next((p for p in ("mixamorig:", "Character1_") if bone.startswith(p)), "")
        found[bone] = chain_of(armature, bone)
        words = [word if word in "@" or "=" in word else prefix + word for word in chain.split()]
        expected[bone] = " ".join(words).replace("=", bone)
    assert found == expected


def test_a_hand_that_branches_still_takes_its_arm() -> None:
    armature = make_armature([(0, 0, 1), (0, 0, 2), (0.2, 0, 2.4), (-0.2, 0, 2.4)], parents=[-1, 0, 1, 1])
    assert chain_of(armature, "b1") == "b1 b0 @"
    assert chain_of(armature, "b2") == "b2 @ b1"


def test_hips_are_moved_by_their_unlocked_locations_alone() -> None:
    armature = characters.mannequin()
    hips = armature.pose.bones["pelvis"]
    hips.lock_location[0] = True
    before = channels(armature)
    target = tail(armature, "pelvis") + np.array((0.0, 0.1, -0.2))
    solution = api.solve(armature, "pelvis", target, tolerance=1e-5)
    assert solution.status == "REACHED"
    assert np.linalg.norm(tail(armature, "pelvis") - target) < 1e-5
    assert changed(before, channels(armature)) == {"pelvis"}
    assert hips.location[0] == 0.0
    assert (*hips.rotation_quaternion, *hips.scale) == (1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0)


def test_hips_turn_as_well_when_an_orientation_is_asked() -> None:
    armature = characters.mannequin()
    target, turned = np.array((0.1, 0.2, 0.8)), np.array(((1.0, 0, 0), (0, 0.0, -1.0), (0, 1.0, 0)))
    solution = api.solve(armature, "pelvis", target, orientation=turned)
    assert solution.status == "REACHED"
    posed = armature.matrix_world @ armature.pose.bones["pelvis"].matrix
    assert np.abs(np.array(posed)[:3, :3] - turned).max() < 1e-3
    quaternion = tuple(armature.pose.bones["pelvis"].rotation_quaternion)
    api.set_pose(armature, {"pelvis:location_x": 0.0})
    assert armature.pose.bones["pelvis"].location[0] == 0.0
    assert tuple(armature.pose.bones["pelvis"].rotation_quaternion) == quaternion


@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("rotation", [True, False])
def test_locations_move_along_their_own_axes(local: bool, rotation: bool) -> None:
    armature = characters.mannequin()
    armature.scale = (0.5, 0.5, 0.5)
    root, hips = armature.pose.bones["root"], armature.pose.bones["pelvis"]
    root.rotation_quaternion = (0.8, 0.1, -0.5, 0.3)
    root.scale = (1.5, 1.5, 1.5)
    hips.rotation_quaternion = (0.3, 0.1, 0.5, 0.3)
    hips.bone.use_local_location, hips.bone.use_inherit_rotation = local, rotation
    bpy.context.view_layer.update()
    target = tail(armature, "pelvis") + np.array((0.1, 0.3, -0.2))
    assert api.solve(armature, "pelvis", target, tolerance=1e-4).status == "REACHED"
    assert np.linalg.norm(tail(armature, "pelvis") - target) < 1e-4


def test_a_control_that_can_only_slide_does() -> None:
    armature = arm(3)
    for bone in armature.pose.bones:
        bone.lock_rotation = (True, True, True)
    armature.pose.bones["b0"].lock_location = (True, True, True)
    target = tail(armature, "b1") + np.array((0.0, 0.3, -0.2))
    assert api.solve(armature, "b1", target).status == "REACHED"
    assert np.linalg.norm(tail(armature, "b1") - target) < 1e-5


def test_the_target_of_an_ik_chain_is_moved_and_not_turned() -> None:
    bones = [("a", "", (0, 0, 0), (0, 0.1, 1)), ("b", "a", (0, 0.1, 1), (0, 0, 2)), ("ik", "", (0, 0, 2), (0, 0.3, 2))]
    armature = make_named(bones)
    constraint = armature.pose.bones["b"].constraints.new("IK")
    constraint.target, constraint.subtarget, constraint.chain_count = armature, "ik", 2
    assert chain_of(armature, "ik") == "~ik @"


def test_marks_overrule_the_rules() -> None:
    armature = characters.mannequin()
    bones = armature.pose.bones
    bones["lowerarm_l"].linkpose_anchor = "ALWAYS"
    assert chain_of(armature, "hand_l") == "hand_l @ lowerarm_l"
    assert chain_of(armature, "lowerarm_l") == "lowerarm_l upperarm_l clavicle_l @ spine_03"
    bones["foot_r"].linkpose_anchor = "NEVER"
    assert chain_of(armature, "ball_r") == "ball_r foot_r calf_r thigh_r @ pelvis"
    for side in "lr":
        bones[f"clavicle_{side}"].linkpose_branch = "NEVER"
    assert chain_of(armature, "head") == "head neck_01 spine_03 spine_02 spine_01 @ pelvis"
    bones["upperarm_twist_01_r"].linkpose_branch = "ALWAYS"
    assert chain_of(armature, "hand_r").startswith("hand_r lowerarm_r @ upperarm_r")


def test_marks_are_saved_with_the_file(tmp_path: Path) -> None:
    armature = characters.tailed()
    armature.pose.bones["spine"].linkpose_anchor = "ALWAYS"
    path = str(tmp_path / "marked.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    armature = next(ob for ob in bpy.data.objects if ob.type == "ARMATURE")
    assert chain_of(armature, "head") == "head @ spine"


def test_a_hidden_helper_is_no_branch_and_a_shown_one_is() -> None:
    bones = [
        ("a", "", (0, 0, 0), (0, 0, 1)),
        ("b", "a", (0, 0, 1), (0, 0, 2)),
        ("c", "b", (0, 0, 2), (0, 0, 3)),
        ("side", "b", (0, 0, 2), (0, 1, 2.5)),
    ]
    armature = make_named(bones)
    assert chain_of(armature, "c") == "c @ b"
    armature.data.bones["side"].hide_select = True
    assert chain_of(armature, "c") == "c b a @"
