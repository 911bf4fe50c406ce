"""Which bones are taken for the two sides of one thing."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender import characters
from blender.support import module

PAIRS = (
    ("hand.L", "hand.R"),
    ("hand.L.001", "hand.R.001"),
    ("DEF-upper_arm.L.001", "DEF-upper_arm.R.001"),
    ("mixamorig:LeftHandIndex1", "mixamorig:RightHandIndex1"),
    ("J_Bip_L_UpperArm", "J_Bip_R_UpperArm"),
    ("Bip01 L Hand", "Bip01 R Hand"),
    ("ValveBiped.Bip01_L_Finger01", "ValveBiped.Bip01_R_Finger01"),
    ("lHand", "rHand"),
    ("lShldrBend", "rShldrBend"),
    ("LHipJoint", "RHipJoint"),
    ("LeftUpLeg", "RightUpLeg"),
    ("Character1_LeftForeArm", "Character1_RightForeArm"),
    ("upperarm_twist_01_l", "upperarm_twist_01_r"),
    ("FKLeftArm", "FKRightArm"),
    ("IK_Arm_Lft", "IK_Arm_Rgt"),
    ("HandL", "HandR"),
    ("LEFT_ARM", "RIGHT_ARM"),
    ("hand_left", "hand_right"),
    ("Hand-Left", "Hand-Right"),
    ("left hand", "right hand"),
    ("L_Toe_L", "R_Toe_R"),
    ("左腕", "右腕"),
    ("左足ＩＫ", "右足ＩＫ"),
    ("腕.L", "腕.R"),
    ("腕Ｌ", "腕Ｒ"),
)
STRANGERS = (
    ("Lamp", "Ramp"),
    ("collar", "corrar"),
    ("roll", "rorr"),
    ("lower", "rower"),
    ("control.R", "lower"),
    ("Light", "Right"),
    ("Leg", "Reg"),
    ("élan", "éran"),
    ("hand.L", "hand_R"),
    ("hand.L", "hand.L.001"),
    ("spine_l1", "spine_l2"),
    ("LHand", "RFoot"),
    ("上半身", "下半身"),
    ("l_to_r", "r_to_l"),
)


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_names_that_differ_in_the_side_alone_make_a_pair(left: str, right: str) -> None:
    sides = module("rig.sides").Sides(["hips", left, "Lamp", right, "roll"])
    assert sides.other(left) == right
    assert sides.other(right) == left
    assert [sides.other(name) for name in ("hips", "Lamp", "roll")] == ["", "", ""]


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_a_bone_without_its_other_side_has_none(left: str, right: str) -> None:
    assert module("rig.sides").Sides(["hips", left]).other(left) == ""
    assert module("rig.sides").Sides(["hips", right]).other(right) == ""


@pytest.mark.parametrize("names", STRANGERS)
def test_letters_within_words_are_no_sides(names: tuple[str, str]) -> None:
    sides = module("rig.sides").Sides(names)
    assert [sides.other(name) for name in names] == ["", ""]


def test_every_pair_is_one_for_both_and_all_that_blender_finds_are_found() -> None:
    armature = characters.metarig("human")
    sides = module("rig.sides").of_armature(armature.data)
    names = {bone.name for bone in armature.data.bones}
    found = {name: sides.other(name) for name in names if sides.other(name)}
    flipped = {name: bpy.utils.flip_name(name) for name in names}
    assert found == {name: other for name, other in flipped.items() if other in names and other != name}
    assert all(found[found[name]] == name for name in found)
    assert len(found) > 100


def test_where_names_leave_a_choice_the_bone_that_rests_mirrored_is_taken() -> None:
    places = {
        "m:Left_Left_1": (1.0, 0.0, 2.0),
        "m:Right_Left_1": (3.0, 0.0, 5.0),
        "m:Left_Right_1": (-3.0, 1.0, 2.0),
        "m:Right_Right_1": (-1.0, 0.0, 2.0),
    }
    assert all(bpy.utils.flip_name(name) == name for name in places), "Blender has a rule for them"
    for mirrored in list(places)[1:]:
        swapped = dict(places)
        swapped["m:Right_Right_1"], swapped[mirrored] = places[mirrored], places["m:Right_Right_1"]
        sides = module("rig.sides").Sides(swapped, lambda name, at=swapped: np.array([at[name]]))
        assert sides.other("m:Left_Left_1") == mirrored
        assert sides.other(mirrored) == "m:Left_Left_1"


def test_a_rest_that_is_not_symmetric_makes_no_pair_wrong() -> None:
    places = {"Bip01 L Hand": (1.0, 0.0, 2.0), "Bip01 R Hand": (0.4, 0.3, -1.0)}
    sides = module("rig.sides").Sides(places, lambda name: np.array([places[name]]))
    assert sides.other("Bip01 L Hand") == "Bip01 R Hand"


def test_where_case_alone_differs_the_name_written_alike_is_taken() -> None:
    names = ["Rig:LeftHand", "rig:lefthand", "Rig:LEFTHand", "Rig:RightHand"]
    sides = module("rig.sides").Sides(names)
    assert sides.other("Rig:RightHand") == "Rig:LeftHand"
    assert [sides.other(name) for name in names] == ["Rig:RightHand", "", "", "Rig:LeftHand"]
