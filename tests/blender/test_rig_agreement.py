"""Published, built and generated characters: the skeleton is what Blender shows, and drags end where they say.

Set ``LINKPOSE_WHOLE`` for all of Rigify's metarigs, four generated rigs and a hundred drags on each armature, which
takes many minutes.
"""

from __future__ import annotations

import math
import os

import bpy
import pytest
from blender import agreement, characters, dragging
from blender.posing import arm
from blender.test_pose_bones import limit_rotation
from blender.test_rig_pairs import CASES, build

WHOLE = bool(os.environ.get("LINKPOSE_WHOLE"))
FILES = (
    "blend/simple_walker_finished.blend",
    "bvh/01_01.bvh",
    "bvh/Boxing_Toes.bvh",
    "bvh/test_freebvh.bvh",
    "fbx/max_transformed_skin_7500_binary.fbx",
    "fbx/maya_anim_no_inherit_scale_7700_ascii.fbx",
    "fbx/maya_human_ik_7400_binary.fbx",
    "fbx/maya_kenney_character_7700_binary.fbx",
    "fbx/maya_scale_no_inherit_7700_ascii.fbx",
    "fbx/motionbuilder_sausage_rrss_7700_binary.fbx",
    "vrm/armature_transform.blend",
    "vrm/basic_armature.blend",
    "vrm/blender_2_40_to_2_93_unknown_constraint.blend",
    "vrm/bone_child_mesh.blend",
    "vrm/pose_rotation_scale_shape_key_skinned.blend",
    "vrm/rest_a_pose_t_position_rest.blend",
)
SLOW_FILES = ("bvh/01_01.bvh", "bvh/Boxing_Toes.bvh")
METARIGS = ("basic_human", "basic_quadruped", "bird", "cat", "horse", "human", "shark", "wolf")
GENERATED = ("basic_human", "basic_quadruped", "bird", "human")
SOURCES = [
    *(f"file {name}" for name in FILES if WHOLE or name not in SLOW_FILES),
    *(f"metarig {kind}" for kind in (METARIGS if WHOLE else ("human", "basic_quadruped"))),
    *(f"generated {kind}" for kind in (GENERATED if WHOLE else ("basic_human",))),
]
DRAGS = 100 if WHOLE else 12


def armatures(source: str) -> list[bpy.types.Object]:
    kind, _, name = source.partition(" ")
    if kind == "file":
        found = characters.all_from_file(name)
    else:
        found = [characters.metarig(name) if kind == "metarig" else characters.generated(name)]
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for armature in found:
        armature.data.pose_position = "POSE"
    bpy.context.view_layer.update()
    return found


@pytest.mark.parametrize("source", SOURCES)
def test_characters_are_read_and_dragged_as_blender_shows_them(source: str) -> None:
    total = dragging.Drags()
    for armature in armatures(source):
        rig = agreement.module("rig.reading").read(armature)
        loose = {rig.bone_of(body) for body in rig.loose}
        unnamed = agreement.disobedient(armature) - loose
        assert not unnamed, f"{sorted(unnamed)} do not follow their channels and are not called so"
        found = agreement.compare(armature, poses=20 if WHOLE else 8)
        assert found.worst < 1e-5, found
        assert found.compared + found.loose == len(armature.pose.bones)
        assert agreement.compare(armature, poses=2, rebase=True).worst < 1e-5
        total += dragging.drag_about(armature, DRAGS)
    assert total.there >= 0.995 * total.count, total.misses
    assert (total.false, total.strayed, total.beyond) == (0, 0, 0), total


@pytest.mark.parametrize("reach", [1.6, 2.2, 2.7])
@pytest.mark.parametrize("mode", ["QUATERNION", "YZX"])
def test_drags_end_within_limits_also_where_the_other_euler_triple_wins(mode: str, reach: float) -> None:
    armature = arm(5, mode=mode, roll=0.3)
    for bone in armature.pose.bones:
        limit_rotation(bone, "ZXY", x=(-reach, reach), y=(-0.7 * reach, 0.7 * reach), z=(-reach, reach))
    found = agreement.compare(armature, poses=60)
    # Beyond a quarter turn of the middle axis lies gimbal lock, near which Blender's angles lose digits.
    assert found.worst < (1e-5 if 0.7 * reach < 0.5 * math.pi else 1e-4), found
    assert bool(found.other) == (reach > 2.0), "the other triple wins only well beyond a quarter turn"
    drags = dragging.drag_about(armature, 100 if WHOLE else 25)
    assert drags.there >= 0.995 * drags.count, drags.misses
    assert (drags.false, drags.strayed, drags.beyond) == (0, 0, 0), drags


@pytest.mark.parametrize("number", range(0, len(CASES), 1 if WHOLE else 7))
def test_drags_through_any_switches_end_where_they_say(number: int) -> None:
    found = dragging.drag_about(build(CASES[number]), 25 if WHOLE else 4, seed=number)
    assert (found.false, found.strayed, found.beyond) == (0, 0, 0), (CASES[number], found)
    assert found.there >= 0.9 * found.count, (CASES[number], found.misses)
