"""Bodies that stay while another is dragged: feet under hips and trunks, hands, goals, the armature object itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from blender.characters import from_file, metarig
from blender.posing import arm, changed, channels, keyed, make_named, shown, tail
from blender.robots import import_bare, link_frames, robot_file, set_channels
from blender.support import api, errors, module
from mathutils import Euler, Matrix

# Rig, hips, feet.
CHARACTERS = (
    ("metarig", "spine", ("foot.L", "foot.R")),
    ("bvh/01_01.bvh", "Hips", ("LeftFoot", "RightFoot")),
    ("fbx/maya_human_ik_7400_binary.fbx", "Character1_Hips", ("Character1_LeftFoot", "Character1_RightFoot")),
    ("vrm/armature_transform.blend", "hips", ("foot.L", "foot.R")),
    ("vrm/pose_rotation_scale_shape_key_skinned.blend", "hips", ("foot.L", "foot.R")),
)


def character(name: str) -> bpy.types.Object:
    return metarig("human") if name == "metarig" else from_file(name)


def goal(body: str, **asked: object) -> object:
    return module("solver").Goal(body, **asked)


def extent(armature: bpy.types.Object) -> float:
    """Diagonal of the world box of the bones."""
    world = np.array(armature.matrix_world)
    ends = [(world @ (*end, 1.0))[:3] for bone in armature.pose.bones for end in (bone.head, bone.tail)]
    return float(np.linalg.norm(np.ptp(ends, axis=0)))


def place(armature: bpy.types.Object, bone: str) -> tuple[np.ndarray, np.ndarray]:
    """(world head, world directions of the axes by rows) of a bone as Blender evaluates it."""
    world = shown(armature, bone)
    axes = world[:3, :3].T
    return world[:3, 3], axes / np.linalg.norm(axes, axis=1)[:, None]


def assert_stays(
    armature: bpy.types.Object, bone: str, before: tuple[np.ndarray, np.ndarray], near: float, turn: float = 1e-3
) -> None:
    now = place(armature, bone)
    assert np.linalg.norm(now[0] - before[0]) <= near, bone
    assert np.abs(now[1] - before[1]).max() <= turn, bone


def down(armature: bpy.types.Object, hips: str, feet: Sequence[str]) -> np.ndarray:
    """Of a character of 1.8 m, 20 cm towards the feet; the world vector."""
    to_feet = np.mean([place(armature, foot)[0] for foot in feet], axis=0) - place(armature, hips)[0]
    return 0.22 * to_feet


@pytest.mark.parametrize(("name", "hips", "feet"), CHARACTERS, ids=[name for name, _, _ in CHARACTERS])
def test_hips_go_down_while_both_feet_stay(name: str, hips: str, feet: tuple[str, ...]) -> None:
    armature = character(name)
    size = extent(armature)
    before = {foot: place(armature, foot) for foot in feet}
    target = tail(armature, hips) + down(armature, hips, feet)
    rest = channels(armature)
    solution = api.solve(armature, hips, target, pins=feet)
    assert solution.status.value == "REACHED", solution
    assert np.linalg.norm(tail(armature, hips) - target) <= 1e-3 * size
    for foot in feet:
        assert_stays(armature, foot, before[foot], 1e-3 * size)
    assert [one.body for one in solution.goals] == [hips, *feet]
    assert max(one.position for one in solution.goals) <= 1e-4 * size
    moved = {unknown.partition(":")[0] for unknown in solution.pose}
    assert changed(rest, channels(armature)) <= moved, "what is in no leg stays, bit for bit"
