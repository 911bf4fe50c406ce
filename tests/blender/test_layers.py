"""Drags and keys under NLA strips, in shared actions and on library overrides show afterwards what was dragged."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.posing import arm, keyed, make_armature, shown, tail
from blender.support import module
from mathutils import Euler

PATHS = {"QUATERNION": "rotation_quaternion", "XYZ": "rotation_euler"}


def turn(bone: bpy.types.PoseBone, angle: float, frame: int) -> None:
    """Key a turn about z."""
    path = PATHS[bone.rotation_mode]
    value = Euler((0.0, 0.0, angle))
    setattr(bone, path, value.to_quaternion() if path == "rotation_quaternion" else value)
    bone.keyframe_insert(path, frame=frame)


def animated(mode: str, angle: float) -> bpy.types.Object:
    """Two bones that turn by an angle until frame 41."""
    armature = make_armature([(0.5, 0, 0), (1.0, 0, 0)])
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
        for frame, share in ((1, 0.0), (41, 1.0)):
            turn(bone, share * angle, frame)
    return armature


def push_down(armature: bpy.types.Object, start: int = 1, blend: str = "REPLACE") -> bpy.types.NlaStrip:
    """The action as a strip on a track of its own, and none for new keys."""
    data = armature.animation_data
    action, slot = data.action, getattr(data, "action_slot", None)
    strip = data.nla_tracks.new().strips.new("strip", start, action)
    if slot is not None:
        strip.action_slot = slot
    strip.blend_type = blend
    data.action = None
    return strip


def drag(armature: bpy.types.Object, body: str, target: np.ndarray) -> str:
    grip = module("rig.grip").by_name(bpy.context, armature.name, body)
    session = module("rig.drag").DragSession(bpy.context, grip, np.zeros(3))
    session.aim(target)
    assert session.confirm(bpy.context).status == "REACHED"
    return str(session.refused_key)


def assert_drags_stay(armature: bpy.types.Object, first: int, most: float) -> None:
    """Drag and key by turns across the half turn; look again; no step in the curves is longer than ``most``."""
    expected = {}
    before = {place: len(keys) for place, keys in keyed(armature).items()}
    for frame in range(first, first + 16):
        bpy.context.scene.frame_set(frame)
        angle = math.radians(100.0 + 15.0 * (frame - first))
        if frame == first:
            # Not at once: the first key may be as far from nothing as it is.
            for step in range(0, 100, 20):
                way = math.radians(step)
                assert drag(armature, "b1", np.array((0.9 * math.cos(way), 0.9 * math.sin(way), 0.05))) == ""
        assert drag(armature, "b1", np.array((0.9 * math.cos(angle), 0.9 * math.sin(angle), 0.05))) == ""
        expected[frame] = shown(armature, "b1")
    for frame, matrix in expected.items():
        bpy.context.scene.frame_set(frame)
        assert np.abs(shown(armature, "b1") - matrix).max() < 1e-5
    for place, keys in keyed(armature).items():
        values = [value for at, value in keys if at < 40.0 or place not in before]
        assert np.abs(np.diff(values)).max(initial=0.0) < most, (place, values)


@pytest.mark.parametrize("influence", [1.0, 0.5])
@pytest.mark.parametrize("blend", ["REPLACE", "ADD", "COMBINE", "SUBTRACT"])
@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION"])
def test_keys_above_a_strip_show_what_was_dragged_without_jumps(mode: str, blend: str, influence: float) -> None:
    armature = animated(mode, 5.0)
    push_down(armature)
    data = armature.animation_data
    data.action = bpy.data.actions.new("top")
    data.action_blend_type, data.action_influence = blend, influence
    assert_drags_stay(armature, 1, 1.2 / influence)


@pytest.mark.parametrize("above", [None, "ADD", "COMBINE"])
@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION"])
def test_keys_in_a_tweaked_strip_go_to_its_own_frames(mode: str, above: str | None) -> None:
    armature = animated(mode, 0.5)
    strip = push_down(armature, start=11)
    track = armature.animation_data.nla_tracks[0]
    if above is not None:
        for bone in armature.pose.bones:
            turn(bone, 0.3, 1)
        push_down(armature, blend=above).extrapolation = "HOLD"
    data = armature.animation_data
    for each in data.nla_tracks:
        each.select = False
    data.nla_tracks.active = track
    track.select = strip.select = True
    bpy.context.view_layer.objects.active = armature
    data.use_tweak_mode = True
    assert data.use_tweak_mode
    assert_drags_stay(armature, 12, 3.0)
    assert {frame for keys in keyed(armature).values() for frame, _ in keys} == {1.0, 41.0, *map(float, range(2, 18))}
    looks = {
        (key.interpolation, key.handle_left_type)
        for curve in module("rig.compat").fcurves(armature)
        for key in curve.keyframe_points
    }
    edit = bpy.context.preferences.edit
    assert looks == {(edit.keyframe_new_interpolation_type, edit.keyframe_new_handle_type)}


def test_a_stack_that_leaves_the_keys_no_say_is_told() -> None:
    armature = animated("XYZ", 0.0)
    push_down(armature)
    data = armature.animation_data
    data.action = bpy.data.actions.new("top")
    data.action_blend_type, data.action_influence = "ADD", 0.0
    assert "NLA strips leave it no say" in drag(armature, "b1", np.array((0.1, 0.9, 0.1)))


@pytest.mark.skipif(not hasattr(bpy.types, "ActionSlot"), reason="actions have slots from 4.4 on")
def test_of_two_slots_of_one_action_only_the_own_one_is_keyed() -> None:
    first, second = arm(3), arm(3, name="other")
    for armature in (first, second):
        armature.pose.bones["b1"].keyframe_insert("rotation_euler", frame=20)
        if armature == second:
            break
    data = second.animation_data
    data.action = first.animation_data.action
    data.action_slot = data.action.slots.new(id_type="OBJECT", name="second")
    second.pose.bones["b1"].keyframe_insert("rotation_euler", frame=20)
    assert first.animation_data.action_slot != data.action_slot
    before = keyed(first)
    assert drag(second, "b2", tail(second, "b2") + np.array((0.2, 0.0, -0.1))) == ""
    assert keyed(first) == before
    assert len(keyed(second)) == 9


def test_armatures_that_share_an_action_share_its_keys() -> None:
    first = arm(3)
    first.pose.bones["b1"].keyframe_insert("rotation_euler", frame=20)
    second = first.copy()
    bpy.context.scene.collection.objects.link(second)
    assert second.animation_data.action == first.animation_data.action
    assert drag(second, "b2", tail(second, "b2") + np.array((0.2, 0.0, -0.1))) == ""
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)
    assert np.abs(shown(first, "b2") - shown(second, "b2")).max() < 1e-6


@pytest.mark.parametrize("with_action", [False, True])
def test_a_library_override_is_dragged_and_keyed(tmp_path: Path, with_action: bool) -> None:
    armature = arm(3, name="hero")
    if with_action:
        armature.pose.bones["b1"].keyframe_insert("rotation_euler", frame=20)
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {armature}, fake_user=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=True) as (source, wanted):
        wanted.objects = source.objects
    linked = wanted.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    override = linked.override_create(remap_local_usages=True)
    bpy.context.view_layer.update()
    assert override.override_library is not None
    target = tail(override, "b2") + np.array((0.2, 0.0, -0.1))
    refused = drag(override, "b2", target)
    assert np.linalg.norm(tail(override, "b2") - target) < 1e-5
    if with_action:
        # Its action is the library's, which nobody can change from here.
        assert "linked" in refused
    else:
        assert refused == ""
        bpy.context.scene.frame_set(7)
        bpy.context.scene.frame_set(1)
        assert np.linalg.norm(tail(override, "b2") - target) < 1e-5
