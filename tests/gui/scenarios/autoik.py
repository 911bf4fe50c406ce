"""The four drags on which Blender's own Auto IK was measured; it misses by up to 4 % or tears the tip off."""

from __future__ import annotations

import bpy
from inside import character, robot
from inside.robot import settle
from inside.window import Steps, look, move, package, pixel, pointer, press, running, screenshot
from mathutils import Vector

# Five bones of 0.3, slightly bent; the last tail is at (0, 0, 1.5).
HEADS = ((0.0, 0.0), (0.02, 0.3), (0.03, 0.6), (0.03, 0.9), (0.02, 1.2), (0.0, 1.5))
LENGTH = 1.5
TARGET = Vector((0.62, 0.0, 1.05))


def tower(mode: str, *, connected: bool = True) -> str:
    """The bones, in Pose Mode, seen from the front."""
    name = character.chain([Vector((x, 0.0, z)) for x, z in HEADS], [mode] * 5, connected=connected)
    look((0.2, 0.0, 0.8), 4.0, azimuth=-90, elevation=0, perspective=False)
    return name


def drag_the_last_tail(name: str, picture: str) -> Steps:
    """Drag it from (0, 0, 1.5) to where the pointer is nearest to the target; nothing but rotations may change."""
    robot.enter(name, "POSE")
    yield
    before = robot.channels(name)
    tip = character.tail(name, "bone.4")
    assert (tip - Vector((0.0, 0.0, LENGTH))).length < 1e-5
    at = bpy.data.objects[name].pose.bones["bone.4"]
    yield from move(*pixel(at.head.lerp(at.tail, 0.7)))
    grabbed = robot.on_plane(*pointer(), tip)
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    start, end = pixel(tip), pixel(TARGET)
    yield from move(pointer()[0] + end[0] - start[0], pointer()[1] + end[1] - start[1], steps=16)
    yield from settle()
    wanted = tip + robot.on_plane(*pointer(), tip) - grabbed
    assert (wanted - TARGET).length < 0.01, "the pointer is not there"
    bpy.context.view_layer.update()
    screenshot(picture)
    status = package("api").session().status
    yield from press("RET")
    assert not running("LINKPOSE_OT_drag")
    bpy.context.view_layer.update()
    miss = (character.tail(name, "bone.4") - wanted).length
    assert miss <= 1e-3 * LENGTH, f"{100 * miss / LENGTH:.3f} % of the length off: {status}"
    assert status == "REACHED"
    turned = {"QUATERNION": 1}.get(bpy.data.objects[name].pose.bones[0].rotation_mode, 2)
    for bone, values in robot.channels(name).items():
        assert {i for i, pair in enumerate(zip(values, before[bone], strict=True)) if pair[0] != pair[1]} <= {turned}
    bones = bpy.data.objects[name].pose.bones
    assert sum(robot.channels(name)[bone.name] != before[bone.name] for bone in bones) >= 3, "it was not shared out"


def test_the_drag_of_connected_bones() -> Steps:
    yield from drag_the_last_tail(tower("QUATERNION"), "autoik-connected")


def test_the_drag_of_unconnected_bones() -> Steps:
    yield from drag_the_last_tail(tower("QUATERNION", connected=False), "autoik-unconnected")


def test_the_drag_of_bones_with_limits_of_half_a_radian_on_all_axes() -> Steps:
    name = tower("XYZ")
    for bone in bpy.data.objects[name].pose.bones:
        limit = bone.constraints.new("LIMIT_ROTATION")
        limit.owner_space = "LOCAL"
        for axis in "xyz":
            setattr(limit, f"use_limit_{axis}", True)
            setattr(limit, f"min_{axis}", -0.5)
            setattr(limit, f"max_{axis}", 0.5)
    yield from drag_the_last_tail(name, "autoik-limits")
    armature = bpy.data.objects[name]
    for bone in armature.pose.bones:
        assert all(abs(angle) <= 0.5 for angle in bone.rotation_euler), (bone.name, tuple(bone.rotation_euler))
        # What Blender shows is what the channels say: the constraint had nothing to take away.
        assert (bone.matrix_basis.inverted() @ local(armature, bone.name)).to_quaternion().angle < 1e-4


def local(armature: bpy.types.Object, name: str) -> object:
    """A bone's matrix against its parent's at rest, as Blender shows it."""
    bone = armature.pose.bones[name]
    return armature.convert_space(pose_bone=bone, matrix=bone.matrix, from_space="POSE", to_space="LOCAL")


def test_the_drag_of_hinges_made_by_locks() -> Steps:
    name = tower("XYZ")
    free = {}
    for number, bone in enumerate(bpy.data.objects[name].pose.bones):
        # Seen from the front they bend in the picture and out of it by turns.
        free[bone.name] = "z" if number % 2 == 0 else "x"
        bone.lock_rotation = [axis != free[bone.name] for axis in "xyz"]
    before = {bone.name: tuple(bone.rotation_euler) for bone in bpy.data.objects[name].pose.bones}
    yield from drag_the_last_tail(name, "autoik-hinges")
    for bone in bpy.data.objects[name].pose.bones:
        for i, axis in enumerate("xyz"):
            if axis != free[bone.name]:
                assert repr(bone.rotation_euler[i]) == repr(before[bone.name][i]), (bone.name, axis)
    keyed = {(path.split('"')[1], "xyz"[index]) for path, index in robot.keys(name)}
    assert keyed == set(free.items())
