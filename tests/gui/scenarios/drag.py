"""The Panda's hand dragged with the pointer, confirmed and cancelled, as a user does it."""

from __future__ import annotations

import math
import random

import bpy
from inside import robot
from inside.robot import grab, settle
from inside.window import (
    Steps,
    click,
    look,
    move,
    package,
    pixel,
    pointer,
    press,
    ray,
    redo,
    running,
    screenshot,
    undo,
    viewport,
    wheel,
)
from mathutils import Vector

HAND = "panda_hand"
ARM = tuple(f"panda_joint{i}" for i in range(1, 8))
READY = dict(zip(ARM, (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.785), strict=True))
MARGIN = 30


def ready(mode: str) -> str:
    """The Panda with a bent arm, in a mode, seen whole."""
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    robot.enter(name, mode)
    return name


def keyed_bones() -> set[tuple[str, int]]:
    """The channels that a confirmed drag of the hand must key."""
    return {(f'pose.bones["panda_link{i}"].rotation_euler', 2) for i in range(1, 8)}


def drag_to_five_targets(mode: str, *, perspective: bool) -> Steps:
    """Five drags, each from where the last one ended, to a target that a pose within the limits reaches."""
    name = ready(mode)
    yield
    dice = random.Random(f"{mode} {perspective}")
    for number in range(5):
        frame = 10 * number + 1
        bpy.context.scene.frame_set(frame)
        yield from one_drag(name, dice, perspective=perspective)
        check_keys_and_undo_state(name, frame)


def aim(name: str, dice: random.Random, *, perspective: bool) -> tuple[int, tuple[int, int], tuple[int, int]]:
    """(notches, pixel on the hand, pixel to drag to) for a target made by forward kinematics."""
    api = package("api")
    armature = bpy.data.objects[name]
    here = api.get_pose(armature)
    start = robot.link_box_centre(name, HAND)
    for _ in range(200):
        api.set_pose(armature, robot.reachable_pose(name, ARM, dice))
        goal = robot.link_box_centre(name, HAND)
        api.set_pose(armature, here)
        azimuth, elevation = dice.uniform(-180, 180), dice.uniform(-10, 50)
        look(start, 2.0, azimuth=azimuth, elevation=elevation, perspective=perspective)
        try:
            grip = robot.hit(*robot.pixel_of(name, HAND))
            notches = robot.look_so_that_notches_lead_there(
                grip, start, goal, azimuth=azimuth, elevation=elevation, perspective=perspective
            )
            if notches is None:
                continue
            pressed = robot.pixel_of(name, HAND)
        except AssertionError:
            continue
        offset = start - robot.hit(*pressed)
        at = pixel(goal - offset)
        region = viewport().region
        if all(
            low + MARGIN < value < low + extent - MARGIN
            for value, low, extent in zip(at, (region.x, region.y), (region.width, region.height), strict=True)
        ):
            return notches, pressed, (round(at[0]), round(at[1]))
    raise AssertionError("no view shows both the hand and a target")


def one_drag(name: str, dice: random.Random, *, perspective: bool) -> Steps:
    """Drag the hand onto a target, check where it is, confirm, undo, redo."""
    api = package("api")
    armature = bpy.data.objects[name]
    notches, pressed, end = aim(name, dice, perspective=perspective)
    yield
    before, keys_before = robot.channels(name), robot.keys(name)
    diagonal = robot.size(name)
    offset = robot.link_box_centre(name, HAND) - robot.hit(*pressed)
    plane = robot.hit(*pressed)
    yield from grab(name, HAND)
    assert pointer() == pressed
    yield from move(*end, steps=10)
    yield from wheel(notches)
    yield from settle()
    session = api.session()
    for _ in range(abs(notches)):
        distance = (
            (plane - ray(*pointer())[0]).dot(robot.forward()) if perspective else viewport().region_3d.view_distance
        )
        plane = plane + robot.forward() * math.copysign(0.05 * distance, notches)
    expected = robot.on_plane(*pointer(), plane) + offset
    assert (Vector(session.target) - expected).length < 1e-4 * diagonal, (session.target, expected)
    bpy.context.view_layer.update()
    handle = robot.link_box_centre(name, HAND)
    miss = (handle - Vector(session.target)).length
    assert miss <= 1e-3 * diagonal, f"{1000 * miss:.2f} mm off, {session.status}: {session.solution}"
    x, y = pixel(handle)
    wanted = pixel(robot.on_plane(*pointer(), plane) + offset)
    assert math.hypot(x - wanted[0], y - wanted[1]) <= 2.0
    check_limits(name)
    dragged = robot.channels(name)
    assert dragged != before
    yield from press("RET")
    assert not running("LINKPOSE_OT_drag")
    confirmed = robot.channels(name)
    yield from undo()
    assert robot.channels(name) == before
    assert robot.keys(name) == keys_before
    yield from redo()
    assert robot.channels(name) == confirmed
    assert (robot.link_box_centre(name, HAND) - Vector(handle)).length < 1e-3 * diagonal
    assert armature is not None


def check_limits(name: str) -> None:
    """Every joint is inside its limits, as the channel says it."""
    skeleton = package("api").read_skeleton(bpy.data.objects[name])
    for joint, low, high in zip(skeleton.unknowns, skeleton.lower, skeleton.upper, strict=True):
        if joint in ARM:
            value = bpy.data.objects[name].pose.bones[joint.replace("joint", "link")].rotation_euler.z
            assert low <= value <= high, (joint, low, value, high)


def check_keys_and_undo_state(name: str, frame: int) -> None:
    """The arm is keyed at the frame, with the values that the channels hold, and nothing else is keyed anywhere."""
    found = robot.keys(name)
    assert set(found) == keyed_bones(), found
    bones = bpy.data.objects[name].pose.bones
    for path, index in found:
        value = dict(found[path, index])[frame]
        bone = bones[path.split('"')[1]]
        assert value == bone.rotation_euler[index], (path, value)
    other = [ob.name for ob in bpy.data.objects if ob.name != name and ob.animation_data and ob.animation_data.action]
    assert not other, other


def test_the_hand_is_dragged_to_five_targets_in_object_mode_and_perspective() -> Steps:
    yield from drag_to_five_targets("OBJECT", perspective=True)


def test_the_hand_is_dragged_to_five_targets_in_object_mode_and_an_orthographic_view() -> Steps:
    yield from drag_to_five_targets("OBJECT", perspective=False)


def test_the_hand_is_dragged_to_five_targets_in_pose_mode_and_perspective() -> Steps:
    yield from drag_to_five_targets("POSE", perspective=True)


def test_the_hand_is_dragged_to_five_targets_in_pose_mode_and_an_orthographic_view() -> Steps:
    yield from drag_to_five_targets("POSE", perspective=False)


def cancel_leaves_no_trace(mode: str, way: str) -> Steps:
    """Drag, cancel: channels, keys, actions as before, and the next Ctrl-Z takes back what was done before the drag."""
    name = ready(mode)
    with viewport().override():
        bpy.context.scene.frame_set(7)
        bpy.context.scene["marker"] = 1
        bpy.ops.ed.undo_push(message="Marker")
    before = robot.channels(name)
    yield from grab(name, HAND)
    x, y = pointer()
    yield from move(x + 60, y - 50, steps=10)
    yield from wheel(2)
    yield from settle()
    assert robot.channels(name) != before
    screenshot(f"before-{way.lower()}-{mode.lower()}")
    yield from click(way) if way == "RIGHTMOUSE" else press(way)
    assert not running("LINKPOSE_OT_drag")
    assert package("api").session() is None
    assert robot.channels(name) == before
    assert not robot.keys(name)
    assert not bpy.data.actions
    assert bpy.data.objects[name].animation_data.action is None
    yield from undo()
    assert "marker" not in bpy.context.scene, "the cancelled drag has left an undo step"


def test_escape_puts_everything_back_in_object_mode() -> Steps:
    yield from cancel_leaves_no_trace("OBJECT", "ESC")


def test_escape_puts_everything_back_in_pose_mode() -> Steps:
    yield from cancel_leaves_no_trace("POSE", "ESC")


def test_right_mouse_puts_everything_back_in_object_mode() -> Steps:
    yield from cancel_leaves_no_trace("OBJECT", "RIGHTMOUSE")


def test_right_mouse_puts_everything_back_in_pose_mode() -> Steps:
    yield from cancel_leaves_no_trace("POSE", "RIGHTMOUSE")


def test_a_drag_without_motion_ends_as_cancelled() -> Steps:
    name = ready("OBJECT")
    before = robot.channels(name)
    yield from grab(name, HAND)
    yield from press("RET")
    assert not running("LINKPOSE_OT_drag")
    assert robot.channels(name) == before
    assert not bpy.data.actions


def test_out_of_reach_the_arm_stretches_and_the_status_says_by_how_much() -> Steps:
    name = ready("OBJECT")
    look((0.4, 0.0, 0.6), 3.5, azimuth=-90, elevation=5)
    yield from grab(name, HAND)
    session = package("api").session()
    diagonal = robot.size(name)
    x, y = pointer()
    target, handle = Vector(session.target), robot.link_box_centre(name, HAND)
    for step in range(1, 41):
        yield from move(x + 6 * step, y + 2 * step, steps=1)
        yield from settle()
        moved = (Vector(session.target) - target).length
        now = robot.link_box_centre(name, HAND)
        assert (now - handle).length <= 1.5 * moved + 1e-3 * diagonal, (step, (now - handle).length, moved)
        target, handle = Vector(session.target), now
    assert session.status == "OUT_OF_REACH", session.status
    shortfall = (Vector(session.target) - handle).length
    assert abs(session.solution.shortfall - shortfall) < 1e-3
    screenshot("out-of-reach")
    shoulder = bpy.data.objects[name].pose.bones["panda_link2"].head
    direction = (Vector(session.target) - shoulder).normalized()
    assert (handle - shoulder).normalized().dot(direction) > 0.98, "the arm does not point at the target"
    yield from press("ESC")


def test_a_straight_arm_dragged_towards_its_base_bends() -> Steps:
    name = robot.ur5()
    look((0.3, 0.0, 0.1), 3.0, azimuth=90, elevation=10)
    robot.enter(name, "OBJECT")
    yield
    bones = bpy.data.objects[name].pose.bones
    link = "wrist_3_link"
    base = bones["shoulder_link"].head.copy()
    start = robot.link_box_centre(name, link)
    yield from grab(name, link)
    session = package("api").session()
    goal = start + (base - start) * 0.4
    yield from move(*pixel(Vector(session.target) + (goal - start)), steps=20)
    yield from settle()
    miss = (robot.link_box_centre(name, link) - Vector(session.target)).length
    screenshot("ur5-bent")
    assert miss <= 1e-3 * robot.size(name), (miss, session.solution)
    assert abs(bones["forearm_link"].rotation_euler.z) > 0.2
    yield from press("RET")


def test_joints_at_their_limits_are_named() -> Steps:
    name = ready("OBJECT")
    look((0.2, 0.0, 0.45), 2.2, azimuth=-90, elevation=10)
    yield from grab(name, "panda_link4")
    session = package("api").session()
    # The elbow cannot hang: the shoulder turns by 101 degrees from upright.
    yield from move(*pixel(Vector((0.2, 0.0, 0.08))), steps=24)
    yield from settle()
    assert session.status == "AT_LIMITS", (session.status, session.solution)
    assert session.solution.limited
    text = package("ui.status").line(bpy.context.scene, session)
    for joint in session.solution.limited[:3]:
        bone = bpy.data.objects[name].pose.bones[joint.replace("joint", "link")]
        limit = bone.constraints[0]
        assert min(bone.rotation_euler.z - limit.min_z, limit.max_z - bone.rotation_euler.z) < 1e-5, joint
        assert joint in text, text
    screenshot("at-limits")
    yield from press("ESC")
