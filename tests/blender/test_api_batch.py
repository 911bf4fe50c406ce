"""Batches of targets in world space: solved, and keyed in one pass."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.characters import metarig
from blender.posing import MODES, arm, channels, import_bare, keyed, shown, tail
from blender.robots import link_frames
from blender.support import api, errors, module


@pytest.fixture
def panda(tmp_path: Path) -> bpy.types.Object:
    """Without meshes, away from the origin."""
    armature = import_bare("panda", tmp_path)
    armature.location, armature.rotation_euler = (0.5, -0.2, 0.1), (0.0, 0.1, 0.6)
    api.set_pose(armature, {"panda_joint2": 0.3, "panda_joint4": -1.8, "panda_joint6": 1.9})
    return armature


def circle(around: np.ndarray, radius: float, count: int, turns: float = 1.0) -> np.ndarray:
    angles = np.linspace(0.0, 2.0 * np.pi * turns, count)
    return around + radius * np.stack((np.cos(angles), np.sin(angles), 0.5 * np.sin(2.0 * angles)), axis=1)


def hand(armature: bpy.types.Object) -> np.ndarray:
    return link_frames(armature)["panda_hand"]


def extent(armature: bpy.types.Object) -> float:
    ends = [np.array(armature.matrix_world @ end) for bone in armature.pose.bones for end in (bone.head, bone.tail)]
    return float(np.linalg.norm(np.ptp(ends, axis=0)))


def test_each_target_gets_the_pose_that_setting_it_shows_and_nothing_is_written(panda: bpy.types.Object) -> None:
    before = channels(panda)
    targets = circle(hand(panda)[:3, 3], 0.12, 40)
    found = api.solve_batch(panda, "panda_hand", targets)
    assert channels(panda) == before
    assert not keyed(panda)
    assert found.reached.all()
    assert found.values.shape == (40, 7)
    names = [f"panda_joint{i}" for i in range(1, 8)]
    for i in (0, 13, 39):
        api.set_pose(panda, dict(zip(names, found.values[i], strict=True)))
        assert np.linalg.norm(hand(panda)[:3, 3] - targets[i]) < 1e-5
        assert np.linalg.norm(hand(panda)[:3, 3] - targets[i]) == pytest.approx(found.position_residual[i], abs=1e-6)


def test_orientations_and_the_handle_are_those_of_a_single_solve(panda: bpy.types.Object) -> None:
    turned = hand(panda)[:3, :3]
    targets = circle((hand(panda) @ (*api.handle(panda, "panda_hand"), 1.0))[:3], 0.06, 9)
    options = {"point": "handle", "anchor": "root"}
    found = api.solve_batch(panda, "panda_hand", targets, orientations=[turned] * 9, **options)
    assert found.reached.all()
    for i, target in enumerate(targets):
        alone = api.solve(panda, "panda_hand", target, orientation=turned, apply=False, **options)
        np.testing.assert_allclose(found.values[i], alone.values, atol=1e-5)


@pytest.mark.parametrize("frames", [range(1, 41), np.linspace(10.0, 12.5, 40), list(range(40, 0, -1))])
def test_each_frame_shows_its_target(panda: bpy.types.Object, frames: object) -> None:
    targets = circle(hand(panda)[:3, 3], 0.12, 40)
    found = api.solve_batch(panda, "panda_hand", targets, frames=frames)
    curves = keyed(panda)
    assert len(curves) == 7
    assert all(len(points) == 40 and points == sorted(points) for points in curves.values())
    size = extent(panda)
    for i, frame in list(enumerate(frames))[::7]:
        bpy.context.scene.frame_set(int(frame // 1), subframe=float(frame % 1))
        assert np.linalg.norm(hand(panda)[:3, 3] - targets[i]) < 1e-5 * size, frame
        pose = api.get_pose(panda)
        got = [pose[f"panda_joint{k}"] for k in range(1, 8)]
        np.testing.assert_allclose(np.sin(np.array(got) - found.values[i]), 0.0, atol=1e-5)


def test_the_current_frame_comes_back_with_the_animation_as_its_pose(panda: bpy.types.Object) -> None:
    panda.pose.bones["panda_leftfinger"].location.z = 0.01
    other = channels(panda)["panda_leftfinger"]
    bpy.context.scene.frame_set(7, subframe=0.25)
    targets = circle(hand(panda)[:3, 3], 0.1, 20)
    api.solve_batch(panda, "panda_hand", targets, frames=range(20))
    assert bpy.context.scene.frame_current_final == 7.25
    shown_now = channels(panda)
    bpy.context.scene.frame_set(7, subframe=0.25)
    assert channels(panda) == shown_now
    assert shown_now["panda_leftfinger"] == other


def test_keys_at_other_frames_stay_and_those_at_the_same_frame_are_replaced(panda: bpy.types.Object) -> None:
    bone = panda.pose.bones["panda_link1"]
    for frame, value in ((-5.0, 0.4), (3.0, 0.2), (4.5, 0.3), (30.0, -0.2)):
        bone.rotation_euler.z = value
        bone.keyframe_insert("rotation_euler", index=2, frame=frame)
    (curve,) = module("rig.compat").fcurves(panda)
    curve.keyframe_points[0].interpolation = "CONSTANT"
    curve.keyframe_points[2].interpolation = "ELASTIC"
    path = curve.data_path
    bpy.context.scene.frame_set(1)
    found = api.solve_batch(panda, "panda_hand", circle(hand(panda)[:3, 3], 0.08, 5), frames=[1, 2, 3, 4, 5])
    points = dict(keyed(panda)[path, 2])
    assert sorted(points) == [-5.0, 1.0, 2.0, 3.0, 4.0, 4.5, 5.0, 30.0]
    assert points[3.0] == pytest.approx(found.values[2, 0], abs=1e-6)
    assert (points[-5.0], points[4.5]) == (pytest.approx(0.4), pytest.approx(0.3))
    curve = next(curve for curve in module("rig.compat").fcurves(panda) if curve.data_path == path)
    kinds = {key.co[0]: key.interpolation for key in curve.keyframe_points}
    assert (kinds[-5.0], kinds[4.5]) == ("CONSTANT", "ELASTIC")


@pytest.mark.parametrize("wish", ["LINEAR", "CONSTANT", "BEZIER"])
def test_new_keys_have_the_interpolation_of_the_preferences(panda: bpy.types.Object, wish: str) -> None:
    edit = bpy.context.preferences.edit
    before = edit.keyframe_new_interpolation_type, edit.keyframe_new_handle_type
    try:
        edit.keyframe_new_interpolation_type, edit.keyframe_new_handle_type = wish, "VECTOR"
        api.solve_batch(panda, "panda_hand", circle(hand(panda)[:3, 3], 0.08, 6), frames=range(6))
    finally:
        edit.keyframe_new_interpolation_type, edit.keyframe_new_handle_type = before
    for curve in module("rig.compat").fcurves(panda):
        assert {key.interpolation for key in curve.keyframe_points} == {wish}
        assert {key.handle_left_type for key in curve.keyframe_points} == {"VECTOR"}


def limited(armature: bpy.types.Object) -> None:
    for name in ("b1", "b3"):
        limit = armature.pose.bones[name].constraints.new("LIMIT_ROTATION")
        limit.owner_space = "LOCAL"
        limit.use_limit_x = limit.use_limit_y = limit.use_limit_z = True
        limit.min_x = limit.min_y = limit.min_z = -1.9
        limit.max_x = limit.max_y = limit.max_z = 1.9
        limit.euler_order = "YXZ"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("prepare", [lambda armature: None, limited], ids=["free", "limited"])
def test_bones_that_turn_as_balls_are_keyed_without_a_jump(mode: str, prepare: object) -> None:
    armature = arm(mode=mode)
    prepare(armature)
    bpy.context.view_layer.update()
    # Two times round the base: further than any angle is single-valued.
    targets = circle(np.array((0.0, 0.0, 0.6)), 0.7, 80, turns=2.0)
    found = api.solve_batch(armature, "b4", targets, frames=range(80), warm_start=True)
    assert found.reached.mean() > 0.9
    size = extent(armature)
    for i in np.flatnonzero(found.reached)[::9]:
        bpy.context.scene.frame_set(int(i))
        assert np.linalg.norm(tail(armature, "b4") - targets[i]) < 2e-5 * size + found.position_residual[i]
    for (path, index), points in keyed(armature).items():
        steps = np.abs(np.diff([value for _, value in points]))
        jumps = steps > (0.7 if "quaternion" in path else 3.2)
        # Where the pose itself jumps, as at a limit, every channel may.
        assert jumps.sum() <= (~found.reached).sum() + (prepare is limited) * 8, (path, index, steps.max())


def test_a_characters_arm_is_keyed_while_its_hips_walk_on(tmp_path: Path) -> None:
    armature = metarig("human")
    hips = armature.pose.bones["spine"]
    for frame, x in ((1, 0.0), (30, 1.5)):
        hips.location = (x, 0.0, 0.2 * x)
        hips.rotation_mode = "XYZ"
        hips.rotation_euler = (0.1 * x, 0.4 * x, 0.0)
        hips.keyframe_insert("location", frame=frame)
        hips.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    frames = list(range(1, 31, 3))
    targets = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        targets.append(tail(armature, "hand.L") + (shown(armature, "spine.003")[:3, :3] @ (-0.1, 0.05, -0.1)))
    bpy.context.scene.frame_set(1)
    turned = [shown(armature, "hand.L")[:3, :3]] * len(frames)
    found = api.solve_batch(armature, "hand.L", targets, frames=frames)
    assert found.reached.all()
    for frame, target in zip(frames, targets, strict=True):
        bpy.context.scene.frame_set(frame)
        assert np.linalg.norm(tail(armature, "hand.L") - target) < 1e-4, frame
    found = api.solve_batch(armature, "hand.L", targets, orientations=turned, frames=frames)
    for i in np.flatnonzero(found.reached):
        bpy.context.scene.frame_set(frames[i])
        assert np.linalg.norm(tail(armature, "hand.L") - targets[i]) < 1e-4
        assert np.abs(shown(armature, "hand.L")[:3, :3] - turned[i]).max() < 2e-3


def test_locked_and_driven_channels_get_no_keys() -> None:
    armature = arm()
    armature.pose.bones["b1"].lock_rotation = (True, False, True)
    armature.pose.bones["b2"].driver_add("rotation_euler", 0).driver.expression = "0.1"
    api.solve_batch(armature, "b4", circle(np.array((0.2, 0.0, 1.0)), 0.2, 10), frames=range(10))
    places = {(path.split('"')[1], index) for path, index in keyed(armature)}
    assert {index for bone, index in places if bone == "b1"} <= {1}
    assert not any(bone == "b2" for bone, _ in places)
    assert ("b4", 0) in places


def test_a_locked_curve_refuses_the_whole_batch(panda: bpy.types.Object) -> None:
    bone = panda.pose.bones["panda_link7"]
    bone.keyframe_insert("rotation_euler", index=2, frame=1)
    (curve,) = module("rig.compat").fcurves(panda)
    curve.lock = True
    before, keys = channels(panda), keyed(panda)
    with pytest.raises(errors.RigError, match="locked"):
        api.solve_batch(panda, "panda_hand", circle(hand(panda)[:3, 3], 0.05, 4), frames=range(4))
    assert (channels(panda), keyed(panda)) == (before, keys)


def test_frames_of_a_strip_that_is_tweaked_are_those_of_the_scene(panda: bpy.types.Object) -> None:
    bone = panda.pose.bones["panda_link1"]
    for frame in (1, 20):
        bone.keyframe_insert("rotation_euler", index=2, frame=frame)
    animation = panda.animation_data
    track = animation.nla_tracks.new()
    strip = track.strips.new("strip", 11, animation.action)
    if hasattr(strip, "action_slot"):
        strip.action_slot = animation.action_slot
    animation.action = None
    track.select = strip.select = True
    animation.nla_tracks.active = track
    animation.use_tweak_mode = True
    assert animation.use_tweak_mode
    bpy.context.scene.frame_set(11)
    targets = circle(hand(panda)[:3, 3], 0.08, 5)
    api.solve_batch(panda, "panda_hand", targets, frames=[11, 13, 15, 17, 19])
    for i, frame in enumerate((11, 13, 15, 17, 19)):
        bpy.context.scene.frame_set(frame)
        assert np.linalg.norm(hand(panda)[:3, 3] - targets[i]) < 1e-4, frame


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"frames": [1, 2]}, "2 frames were given for 3 targets"),
        ({"frames": [1, 2, 2]}, "twice"),
        ({"frames": [1, 2, float("nan")]}, "no frame"),
        ({"frames": 5}, "list of 3 frames"),
        ({"orientations": [np.eye(3)] * 2}, "2 orientations"),
        ({"orientations": [2.0 * np.eye(3)] * 3}, "no rotation matrix"),
        ({"method": "MAGIC"}, "no method"),
        ({"tolerance": -1.0}, "positive"),
        ({"anchor": "nothing"}, "nothing"),
    ],
)
def test_what_means_nothing_is_refused_and_nothing_is_keyed(panda, options: dict[str, object], said: str) -> None:
    before = channels(panda)
    with pytest.raises(errors.LinkposeError, match=said):
        api.solve_batch(panda, "panda_hand", [(0.4, 0.0, 0.5)] * 3, **options)
    assert channels(panda) == before
    assert not keyed(panda)


@pytest.mark.parametrize("positions", [(0.4, 0.0, 0.5), [(0.4, float("nan"), 0.5)], "far", [(1, 2)]])
def test_positions_that_are_none_are_refused(panda: bpy.types.Object, positions: object) -> None:
    with pytest.raises(errors.LinkposeError, match="position"):
        api.solve_batch(panda, "panda_hand", positions)


def test_no_targets_are_no_poses(panda: bpy.types.Object) -> None:
    assert api.solve_batch(panda, "panda_hand", np.empty((0, 3)), frames=[]).values.shape == (0, 7)
    assert not keyed(panda)


def test_residuals_are_distances_in_world_space_also_in_uneven_scale() -> None:
    armature = arm()
    armature.scale = (1.0, 3.0, 0.5)
    bpy.context.view_layer.update()
    targets = [(5.0, 2.0, 1.0), tuple(tail(armature, "b4") + np.array((0.1, 0.2, -0.1)))]
    found = api.solve_batch(armature, "b4", targets)
    for i, target in enumerate(targets):
        alone = api.solve(armature, "b4", target, apply=False)
        assert found.position_residual[i] == pytest.approx(alone.position_residual, abs=1e-3)
        assert found.status[i] is alone.status
