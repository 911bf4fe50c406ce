"""Where a drag draws joints and their ranges, against what Blender shows once a joint is put there."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.posing import arm
from blender.robots import bone_of_joint, import_bare, import_text, joint_text, robot_file, set_channels
from blender.support import api, module
from mathutils import Euler, Matrix


def taken(armature: bpy.types.Object, body: str) -> tuple[object, object]:
    return module("rig.chains").take(armature, body, probe=True)


def world_head(armature: bpy.types.Object, bone: bpy.types.PoseBone) -> np.ndarray:
    return np.array(armature.matrix_world @ bone.head)


def shown(ranges: object, i: int, value: float) -> np.ndarray:
    """(3,) where the overlay has a joint's tick at a value: a direction for a hinge, a point for a slide."""
    if ranges.slides[i]:
        return ranges.origin[i] + value * ranges.axis[i]
    return math.cos(value) * ranges.zero[i] + math.sin(value) * ranges.side[i]


@pytest.mark.parametrize("scale", [1.0, 2.5])
@pytest.mark.parametrize("name", ["panda", "scara"])
def test_arcs_and_bars_end_where_blender_shows_the_link_at_its_limits(name: str, scale: float) -> None:
    armature = import_bare(robot_file(name))
    armature.matrix_world = Matrix.LocRotScale((1, 2, 3), Euler((0.3, -0.5, 1.0)), (scale,) * 3)
    bpy.context.view_layer.update()
    last = {"panda": "panda_link7", "scara": next(b.name for b in armature.pose.bones if not b.children)}[name]
    rig, chain = taken(armature, rig_body(armature, last))
    follow = module("rig.ranges").ChainRanges(rig, chain, np.array((0.03, 0.02, 0.05)))
    start = dict(zip(chain.unknowns, chain.values.tolist(), strict=True))
    ranges = follow.at(chain.values, np.array(armature.matrix_world, dtype=np.float64))
    assert ranges.names == chain.unknowns
    checked = 0
    for i, joint in enumerate(ranges.names):
        bone = bone_of_joint(armature, joint)
        for end in (ranges.lower[i], ranges.upper[i]):
            if not math.isfinite(end):
                continue
            # What the joint carries, seen before and after Blender has put the joint at its limit.
            marked = np.array(armature.matrix_world @ bone.matrix).copy()
            probe = np.linalg.inv(marked) @ (*(ranges.origin[i] + shown(ranges, i, start[joint])), 1.0)
            if ranges.slides[i]:
                probe = np.array((0.0, 0.0, 0.0, 1.0))
            set_channels(armature, start | {joint: end})
            bpy.context.view_layer.update()
            there = (np.array(armature.matrix_world @ bone.matrix) @ probe)[:3]
            expected = shown(ranges, i, end) if ranges.slides[i] else ranges.origin[i] + shown(ranges, i, end)
            assert there == pytest.approx(expected, abs=2e-5), (joint, end)
            set_channels(armature, start)
            bpy.context.view_layer.update()
            checked += 1
    assert checked >= 6


def rig_body(armature: bpy.types.Object, bone: str) -> str:
    return module("rig.reading").read(armature).body_of(bone)


def test_ranges_follow_the_chain_as_blender_shows_it() -> None:
    armature = import_bare(robot_file("panda"))
    rig, chain = taken(armature, "panda_hand")
    follow = module("rig.ranges").ChainRanges(rig, chain, np.zeros(3))
    draw = np.random.default_rng(3)
    for _ in range(5):
        values = chain.lower + (chain.upper - chain.lower) * draw.random(chain.dof)
        ranges = follow.at(values, np.eye(4))
        api.set_pose(armature, dict(zip(chain.unknowns, values.tolist(), strict=True)))
        bpy.context.view_layer.update()
        for i, joint in enumerate(ranges.names):
            bone = bone_of_joint(armature, joint)
            assert ranges.origin[i] == pytest.approx(world_head(armature, bone), abs=1e-5), joint
            # The joint's axis is the bone's local Z, by the rule of robots' armatures.
            assert ranges.axis[i] == pytest.approx(np.array(bone.matrix)[:3, 2], abs=1e-5), joint
            assert ranges.value[i] == values[i]


def test_a_tick_points_along_the_arm(tmp_path: Path) -> None:
    text = '<link name="base"/><link name="upper"/><link name="lower"/><link name="hand"/>'
    limit = '<limit lower="-1" upper="2" effort="1" velocity="1"/>'
    for name, parent, child in (("shoulder", "base", "upper"), ("elbow", "upper", "lower"), ("wrist", "lower", "hand")):
        text += joint_text(name, "revolute", parent, child, f'<origin xyz="0.3 0 0"/>{limit}', axis="0 1 0")
    armature = import_text(tmp_path, text).armature
    api.set_pose(armature, {"shoulder": 0.4, "elbow": -0.7, "wrist": 0.2})
    bpy.context.view_layer.update()
    rig, chain = taken(armature, "hand")
    ranges = module("rig.ranges").ChainRanges(rig, chain, np.array((0.1, 0.0, 0.0))).at(chain.values, np.eye(4))
    heads = [world_head(armature, bone_of_joint(armature, joint)) for joint in ranges.names]
    for i in range(2):
        along = heads[i + 1] - heads[i]
        tick = shown(ranges, i, ranges.value[i])
        assert tick == pytest.approx(along / np.linalg.norm(along), abs=1e-5)


def test_joints_at_a_limit_are_told_apart(tmp_path: Path) -> None:
    limit = '<limit lower="-1" upper="2" effort="1" velocity="1"/>'
    text = '<link name="base"/><link name="a"/><link name="b"/><link name="c"/>'
    for name, parent, child in (("ja", "base", "a"), ("jb", "a", "b"), ("jc", "b", "c")):
        text += joint_text(name, "revolute", parent, child, f'<origin xyz="0.3 0 0"/>{limit}', axis="0 1 0")
    armature = import_text(tmp_path, text).armature
    api.set_pose(armature, {"ja": 2.0, "jb": -1.0, "jc": 1.99})
    bpy.context.view_layer.update()
    rig, chain = taken(armature, "c")
    ranges = module("rig.ranges").ChainRanges(rig, chain, np.zeros(3)).at(chain.values, np.eye(4))
    assert dict(zip(ranges.names, ranges.limited.tolist(), strict=True)) == {"ja": True, "jb": True, "jc": False}


def test_balls_without_limits_and_endless_slides_have_no_range() -> None:
    armature = arm(mode="QUATERNION")
    rig, chain = taken(armature, "b4")
    assert chain.dof > 10
    assert module("rig.ranges").ChainRanges(rig, chain, np.zeros(3)).at(chain.values, np.eye(4)).names == ()


def test_a_floating_base_has_no_range_and_the_legs_below_it_have() -> None:
    armature = api.import_urdf(robot_file("anymal_c"), free_base=True).armature
    feet = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
    rig, chain = module("rig.chains").take(armature, "base", probe=True, pins=feet)
    assert chain.dof == 18
    names = module("rig.ranges").ChainRanges(rig, chain, np.zeros(3)).at(chain.values, np.eye(4)).names
    assert sorted(names) == sorted(
        f"{leg}_{joint}" for leg in ("LF", "RF", "LH", "RH") for joint in ("HAA", "HFE", "KFE")
    )


def test_a_follower_has_the_range_that_its_source_gives_it(tmp_path: Path) -> None:
    text = '<link name="base"/><link name="a"/><link name="b"/>'
    text += joint_text("lead", "revolute", "base", "a", '<limit lower="-0.5" upper="1" effort="1" velocity="1"/>')
    follow = '<origin xyz="0.3 0 0"/><mimic joint="lead" multiplier="-2" offset="0.1"/>'
    text += joint_text("after", "revolute", "a", "b", follow + '<limit lower="-3" upper="3" effort="1" velocity="1"/>')
    armature = import_text(tmp_path, text).armature
    api.set_pose(armature, {"lead": 0.25})
    bpy.context.view_layer.update()
    rig, chain = taken(armature, "b")
    ranges = module("rig.ranges").ChainRanges(rig, chain, np.array((0.1, 0.0, 0.0))).at(chain.values, np.eye(4))
    i = ranges.names.index("after")
    assert (ranges.lower[i], ranges.upper[i], ranges.value[i]) == pytest.approx((-1.9, 1.1, -0.4))
