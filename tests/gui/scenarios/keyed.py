"""What confirmed drags leave in the curves."""

from __future__ import annotations

import itertools
import math

import bpy
from inside import robot
from inside.robot import grab, settle
from inside.window import Steps, look, move, package, pixel, pointer, press, running, viewport
from mathutils import Vector

ARM = tuple(f"panda_joint{i}" for i in range(1, 8))
READY = dict(zip(ARM, (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.785), strict=True))
SPINNER = """
<robot name="spinner">
  <link name="base"/>
  <link name="arm">
    <visual><origin xyz="0.25 0 0"/><geometry><box size="0.5 0.06 0.06"/></geometry></visual>
  </link>
  <joint name="spin" type="continuous">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  </joint>
</robot>
"""


def drag_by(name: str, bone: str, dx: int, dy: int) -> Steps:
    """A drag of a link by some pixels, confirmed."""
    yield from grab(name, bone)
    yield from move(pointer()[0] + dx, pointer()[1] + dy)
    yield from settle()
    yield from press("RET")
    assert not running("LINKPOSE_OT_drag")


def test_poses_keyed_at_three_frames_stay_where_they_were_confirmed() -> Steps:
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    yield
    tips = {}
    # Without keys on its whole chain, the elbow at frame 25 would drift when the hand is dragged at frame 50.
    drags = ((1, "panda_hand", (60, 30)), (25, "panda_link4", (-30, 20)), (50, "panda_link7", (-40, -50)))
    for frame, bone, by in drags:
        bpy.context.scene.frame_set(frame)
        yield
        yield from drag_by(name, bone, *by)
        tips[frame] = (bone, robot.link_box_centre(name, bone))
    for frame, (bone, tip) in tips.items():
        bpy.context.scene.frame_set(frame)
        miss = (robot.link_box_centre(name, bone) - tip).length
        assert miss <= 1e-5 * robot.size(name), (frame, miss)


def spinner() -> str:
    """One bar on a joint without limits, seen from above."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        file = Path(folder) / "spinner.urdf"
        file.write_text(SPINNER, encoding="utf-8")
        name = robot.import_robot(file)
    look((0.0, 0.0, 0.0), 2.0, azimuth=-90, elevation=89.9, perspective=False)
    return name


def turn_to(name: str, degrees: float) -> Steps:
    """Drag the bar on a circle around its joint to an angle."""
    yield from grab(name, "arm")
    start = robot.link_box_centre(name, "arm")
    begin = math.atan2(start.y, start.x)
    end = begin + math.remainder(math.radians(degrees) - begin, 2 * math.pi)
    offset = Vector(pixel(start)) - Vector(pointer())
    for step in range(1, 9):
        angle = begin + (end - begin) * step / 8
        at = Vector(pixel((0.25 * math.cos(angle), 0.25 * math.sin(angle), 0.0))) - offset
        yield from move(*at, steps=1)
    yield from settle()
    yield from press("RET")
    assert not running("LINKPOSE_OT_drag")


def test_a_continuous_joint_keyed_across_the_half_turn_does_not_jump() -> Steps:
    name = spinner()
    yield
    for number, degrees in enumerate((100, 150, 200, 250, 300)):
        bpy.context.scene.frame_set(1 + 10 * number)
        yield from turn_to(name, degrees)
    (((_, index), points),) = robot.keys(name).items()
    assert index == 2
    values = [math.degrees(value) for _, value in points]
    assert len(values) == 5, values
    assert all(abs(b - a - 50) < 2 for a, b in itertools.pairwise(values)), values


def with_preferences(**chosen: str) -> object:
    """Set the extension's preferences; returns them."""
    preferences = bpy.context.preferences.addons[package().__name__].preferences
    for key, value in {"key_what": "CHAIN", "key_when": "ALWAYS", "method": "AUTO", **chosen}.items():
        setattr(preferences, key, value)
    return preferences


def keyed_links(name: str) -> set[str]:
    return {path.split('"')[1] for path, _ in robot.keys(name)}


def test_the_preferences_say_what_is_keyed_and_when() -> Steps:
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    yield
    with_preferences(key_when="NEVER")
    yield from drag_by(name, "panda_hand", 20, 20)
    assert not robot.keys(name)
    with_preferences(key_when="AUTO")
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False
    yield from drag_by(name, "panda_hand", 20, -20)
    assert not robot.keys(name)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    # On by default from 5.0 on: then auto-keying, and with it the drag, keys only what has keys already.
    bpy.context.preferences.edit.use_keyframe_insert_available = False
    bpy.context.scene.frame_set(5)
    yield from drag_by(name, "panda_hand", 20, -20)
    assert keyed_links(name) == {f"panda_link{i}" for i in range(1, 8)}
    with_preferences(key_what="EVERYTHING")
    yield from drag_by(name, "panda_hand", -20, 20)
    assert keyed_links(name) == {*(f"panda_link{i}" for i in range(1, 8)), "panda_leftfinger"}
    with_preferences()


def test_only_moved_joints_are_keyed_when_that_is_asked() -> Steps:
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    # Seen along the elbow's axis, a small drag of the elbow moves joint 2 only.
    look((0.2, 0.0, 0.45), 2.2, azimuth=-90, elevation=0, perspective=False)
    yield
    with_preferences(key_what="MOVED")
    before = robot.channels(name)
    yield from drag_by(name, "panda_link4", 25, 10)
    after = robot.channels(name)
    moved = {bone for bone in before if before[bone] != after[bone]}
    assert moved
    assert keyed_links(name) == moved
    with_preferences()


def test_new_keys_have_the_interpolation_that_the_user_prefers() -> Steps:
    edit = bpy.context.preferences.edit
    edit.keyframe_new_interpolation_type, edit.keyframe_new_handle_type = "LINEAR", "VECTOR"
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    yield
    for frame in (1, 20):
        bpy.context.scene.frame_set(frame)
        yield from drag_by(name, "panda_hand", 20, 20)
    points = [point for curve in robot.curves(name) for point in curve.keyframe_points]
    assert len(points) == 14
    assert {point.interpolation for point in points} == {"LINEAR"}
    assert {point.handle_left_type for point in points} == {"VECTOR"}
    edit.keyframe_new_interpolation_type, edit.keyframe_new_handle_type = "BEZIER", "AUTO_CLAMPED"


def test_the_last_operation_can_be_repeated_and_adjusted() -> Steps:
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    robot.enter(name, "OBJECT")
    yield
    yield from drag_by(name, "panda_hand", 40, -30)
    dragged, keys = robot.channels(name), robot.keys(name)
    operator = bpy.context.window_manager.operators[-1]
    assert operator.bl_idname == "LINKPOSE_OT_drag"
    target = Vector(operator.properties.target)
    package("api").set_pose(bpy.data.objects[name], READY)
    with viewport().override():
        # What Blender calls when a value is changed in the redo panel, after it has undone the step.
        assert bpy.ops.linkpose.drag("EXEC_DEFAULT", True, **_properties(operator)) == {"FINISHED"}
    assert robot.channels(name) == dragged
    assert robot.keys(name) == keys
    with viewport().override():
        changed = {**_properties(operator), "target": target + Vector((0.0, 0.0, 0.05))}
        assert bpy.ops.linkpose.drag("EXEC_DEFAULT", True, **changed) == {"FINISHED"}
    miss = (robot.link_box_centre(name, "panda_hand") - target - Vector((0.0, 0.0, 0.05))).length
    assert miss < 1e-3 * robot.size(name)


def _properties(operator: bpy.types.Operator) -> dict[str, object]:
    names = ("armature", "body", "target", "method", "result")
    return {name: getattr(operator.properties, name) for name in names}


def test_what_is_animated_but_not_keyed_outlives_a_drag() -> Steps:
    edit = bpy.context.preferences.edit
    edit.keyframe_new_handle_type = "VECTOR"
    name = robot.panda()
    api = package("api")
    api.set_pose(bpy.data.objects[name], READY)
    armature = bpy.data.objects[name]
    armature["prop"] = 0.0
    for frame in (1, 50):
        armature.keyframe_insert("location", frame=frame)
        armature.keyframe_insert('["prop"]', frame=frame)
    bpy.context.scene.frame_set(1)
    yield
    armature.location, armature["prop"] = (0.0, 0.3, 0.0), 1.0
    yield
    assert armature.location.y > 0.2, "lost before the drag"
    look((0.2, 0.3, 0.45), 2.2, azimuth=-50, elevation=15)
    yield
    yield from drag_by(name, "panda_hand", 30, 30)
    edit.keyframe_new_handle_type = "AUTO_CLAMPED"
    assert tuple(round(value, 6) for value in bpy.data.objects[name].location) == (0.0, 0.3, 0.0)
    assert bpy.data.objects[name]["prop"] == 1.0
    session = package("rig.drag").last()
    assert (robot.link_box_centre(name, "panda_hand") - Vector(session.target)).length < 1e-3 * robot.size(name)


def test_a_key_that_is_refused_is_told_and_the_pose_is_kept() -> Steps:
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    yield
    yield from drag_by(name, "panda_hand", 20, 20)
    keys = robot.keys(name)
    for curve in robot.curves(name):
        curve.lock = True
    bpy.context.scene.frame_set(20)
    before = robot.channels(name)
    yield from drag_by(name, "panda_hand", 20, -40)
    session = package("rig.drag").last()
    assert "locked" in session.refused_key, session.refused_key
    assert robot.channels(name) != before
    assert robot.keys(name) == keys
    refused = ""
    try:
        package("api").set_pose(bpy.data.objects[name], {"panda_joint1": 0.2}, frame=30)
    except package("errors").LinkposeError as error:
        refused = str(error)
    assert "locked" in refused
