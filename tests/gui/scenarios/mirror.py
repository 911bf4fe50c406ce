"""X-Axis Mirror in a drag: the other side follows, is keyed and undone with it, and put back with it."""

from __future__ import annotations

import bpy
import numpy as np
from inside import character, robot
from inside.robot import settle
from inside.window import Steps, look, move, package, pixel, pointer, press, redo, running, screenshot, undo
from mathutils import Vector

ARM = ("shoulder", "upper_arm", "forearm")


def mirrored_metarig() -> str:
    """Rigify's human metarig in Pose Mode with X-Axis Mirror on, seen from the front."""
    name = character.metarig(basic=False)
    bpy.data.objects[name].pose.use_mirror_x = True
    look((0.0, 0.0, 1.1), 3.0, azimuth=-90, elevation=0)
    robot.enter(name, "POSE")
    return name


def grab_forearm(name: str) -> Steps:
    """Point at the left forearm, nearer to its tail, and press J."""
    posed = bpy.data.objects[name].pose.bones["forearm.L"]
    yield from move(*pixel(posed.head * 0.35 + posed.tail * 0.65))
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    session = package("api").session()
    assert session.grip.bone == "forearm.L", session.grip.bone
    assert session.mirrored == tuple(f"{bone}.R" for bone in ARM)
    assert "X-Mirror" in package("ui.status").line(bpy.context.scene, session)


def check_mirrored(name: str) -> None:
    """Every bone of the right arm stands where the left one's mirror image does."""
    bpy.context.view_layer.update()
    bones = bpy.data.objects[name].pose.bones
    flip = np.diag((-1.0, 1.0, 1.0))
    for bone in ARM:
        left, right = bones[f"{bone}.L"], bones[f"{bone}.R"]
        turned = [np.array((one.matrix @ one.bone.matrix_local.inverted()).to_3x3()) for one in (left, right)]
        assert np.abs(flip @ turned[0] @ flip - turned[1]).max() <= 1e-5, bone
        for end in ("head", "tail"):
            there = getattr(left, end) * Vector((-1.0, 1.0, 1.0))
            assert (getattr(right, end) - there).length <= 1e-5, (bone, end)


def test_the_other_arm_follows_live_and_is_keyed_and_undone_with_the_dragged_one() -> Steps:
    name = mirrored_metarig()
    yield
    before = robot.channels(name)
    yield from grab_forearm(name)
    x, y = pointer()
    for dx, dy in ((-20, 60), (-50, 110), (-30, 140)):
        yield from move(x + dx, y + dy, steps=4)
        yield from settle()
        now = robot.channels(name)
        assert {bone for bone in now if now[bone] != before[bone]} == {
            f"{bone}.{side}" for bone in ARM for side in "LR"
        }
        check_mirrored(name)
    yield
    screenshot("mirror-live")
    yield from press("RET")
    assert not running("LINKPOSE_OT_drag")
    confirmed, keys = robot.channels(name), robot.keys(name)
    check_mirrored(name)
    assert {path.split('"')[1] for path, _ in keys} == {f"{bone}.{side}" for bone in ARM for side in "LR"}
    bones = bpy.data.objects[name].pose.bones
    for (path, index), points in keys.items():
        _, _, channel = path.rpartition(".")
        assert [value for _, value in points] == [getattr(bones[path.split('"')[1]], channel)[index]]
    yield from undo()
    assert robot.channels(name) == before
    assert not robot.keys(name)
    yield from redo()
    assert robot.channels(name) == confirmed
    assert robot.keys(name) == keys


def test_escape_puts_both_arms_back() -> Steps:
    name = mirrored_metarig()
    yield
    before = robot.channels(name)
    yield from grab_forearm(name)
    yield from move(pointer()[0] - 40, pointer()[1] + 90)
    yield from settle()
    check_mirrored(name)
    assert robot.channels(name)["upper_arm.R"] != before["upper_arm.R"]
    yield from press("ESC")
    assert not running("LINKPOSE_OT_drag")
    assert robot.channels(name) == before
    assert not robot.keys(name)


def test_a_relative_mirror_adds_the_mirrored_change() -> Steps:
    name = mirrored_metarig()
    armature = bpy.data.objects[name]
    armature.pose.use_mirror_relative = True
    right = armature.pose.bones["upper_arm.R"]
    right.rotation_mode = "QUATERNION"
    right.rotation_quaternion = (0.95, 0.3, 0.0, 0.0)
    bpy.context.view_layer.update()
    starts = {bone: armature.pose.bones[bone].matrix_basis.copy() for bone in ("upper_arm.L", "upper_arm.R")}
    yield
    yield from grab_forearm(name)
    yield from move(pointer()[0] - 40, pointer()[1] + 90)
    yield from settle()
    flip = np.diag((-1.0, 1.0, 1.0))
    change = [
        np.array((start.inverted() @ armature.pose.bones[bone].matrix_basis).to_3x3()) for bone, start in starts.items()
    ]
    assert np.abs(change[0] - np.eye(3)).max() > 0.05
    assert np.abs(flip @ change[0] @ flip - change[1]).max() <= 1e-5
    yield from press("ESC")
