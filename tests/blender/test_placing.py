"""Where bones are by their channels, against where Blender shows them: every switch, every kind of scale."""

from __future__ import annotations

import itertools
import random

import bpy
import numpy as np
import pytest
from blender.posing import assert_skeleton_is_what_blender_shows, make_armature, shown
from blender.support import api, module

INHERIT = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")
MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
SCALES = {
    "none": lambda draw: (1.0, 1.0, 1.0),
    "even": lambda draw: (draw.uniform(0.5, 2.0),) * 3,
    "mirroring": lambda draw: (-draw.uniform(0.5, 2.0),) * 3,
    "uneven": lambda draw: tuple(draw.uniform(0.5, 2.0) for _ in range(3)),
    "uneven and mirroring": lambda draw: tuple(draw.uniform(0.5, 2.0) * draw.choice((-1, 1)) for _ in range(3)),
}


def tree(seed: int, inherit: str, scale: str, count: int = 8) -> bpy.types.Object:
    """Bones of every switch and rotation mode, posed at random; each hangs on one of the two before it."""
    draw = random.Random(seed)
    tails = [[draw.uniform(-1.0, 1.0) for _ in range(3)] for _ in range(count)]
    armature = make_armature(
        tails, parents=[i - draw.choice((1, 2)) if i > 1 else i - 1 for i in range(count)], roll=0.7
    )
    for i, bone in enumerate(armature.pose.bones):
        bone.bone.inherit_scale = inherit
        bone.bone.use_inherit_rotation = draw.random() < 0.7
        bone.bone.use_local_location = draw.random() < 0.5
        bone.rotation_mode = MODES[(i + seed) % len(MODES)]
        bone.location = [draw.uniform(-0.5, 0.5) for _ in range(3)]
        bone.rotation_euler = [draw.uniform(-3.0, 3.0) for _ in range(3)]
        bone.rotation_quaternion = [draw.uniform(-1.0, 1.0) for _ in range(4)]
        bone.rotation_axis_angle = [draw.uniform(-6.0, 6.0)] + [draw.uniform(-1.0, 1.0) for _ in range(3)]
        bone.scale = SCALES[scale](draw)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in list(armature.data.edit_bones)[1:]:
        bone.use_connect = draw.random() < 0.3 and (bone.head - bone.parent.tail).length < 1e-6
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    return armature


@pytest.mark.parametrize(("inherit", "scale"), list(itertools.product(INHERIT, SCALES)))
def test_channels_place_every_bone_where_blender_shows_it(inherit: str, scale: str) -> None:
    placing, bones_of = module("rig.placing"), module("rig.bones").Bones
    for seed in range(3):
        bones = bones_of(tree(seed, inherit, scale))
        location = np.where(bones.connected[:, None], 0.0, bones.location)
        found = placing.predicted(placing.carry(bones), placing.rotations(bones), bones.scale, location)
        size = np.abs(bones.shown).max(axis=(1, 2))[:, None, None]
        assert (np.abs(found - bones.shown) / np.maximum(size, 1.0)).max() < 1e-5


@pytest.mark.parametrize(("inherit", "scale"), list(itertools.product(INHERIT, SCALES)))
def test_the_skeleton_stays_what_blender_shows_when_its_unknowns_change(inherit: str, scale: str) -> None:
    armature = tree(7, inherit, scale)
    assert_skeleton_is_what_blender_shows(armature)
    draw = random.Random(1)
    skeleton = api.read_skeleton(armature)
    rig = module("rig.reading").read(armature)
    parents = {body: skeleton.body(body).parent for body in skeleton.bodies}
    for joint in skeleton.joints:
        values = {name: draw.uniform(-1.0, 1.0) for name in skeleton.unknowns if name.partition(":")[0] == joint}
        if not values:
            continue
        api.set_pose(armature, values)
        q = rig.pose()
        for name, value in values.items():
            q[skeleton.unknowns.index(name)] = value
        for body, frame in skeleton.forward(q).items():
            above = body
            while above is not None and above != joint:
                above = parents[above]
            # What the joint does not carry in the skeleton ends chains, and may be moved by Blender all the same.
            if above == joint:
                assert np.abs(frame - shown(armature, body)).max() < 1e-5 * max(1.0, np.abs(frame).max()), (joint, body)
        api.set_pose(armature, dict(zip(skeleton.unknowns, rig.pose().tolist(), strict=True)))


def test_scale_that_bones_do_not_hand_on_leaves_joints_below_free() -> None:
    for inherit in ("ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"):
        armature = make_armature([(0, 0, 1), (0, 0.3, 2), (0, 0, 3)], name=inherit)
        for bone in armature.pose.bones:
            bone.bone.inherit_scale = inherit
        armature.pose.bones["b0"].scale = (1.5, 0.8, 1.2)
        armature.pose.bones["b0"].rotation_quaternion = (0.9, 0.3, -0.2, 0.1)
        bpy.context.view_layer.update()
        skeleton = api.read_skeleton(armature)
        assert [body for body in skeleton.bodies if skeleton.body(body).axes] == ["b0", "b1", "b2"], inherit
        target = shown(armature, "b2")[:3, 3] + np.array((0.2, 0.3, 0.1))
        solution = api.solve(armature, "b2", target, anchor="b0")
        assert solution.status == "REACHED"
