"""The key R: orientation held, turned by the pointer about the view or an axis, and free; a hand turned in place."""

from __future__ import annotations

import math
from typing import Any

import bpy
from inside import robot, subjects
from inside.robot import settle
from inside.subjects import SUBJECTS, by, text
from inside.window import Steps, hold, move, package, pixel, pointer, press, release, screenshot, wheel
from mathutils import Matrix, Quaternion, Vector

TURN = 3e-3  # rad
DEGREE = "\N{DEGREE SIGN}"


def rotation(name: str, bone: str) -> Quaternion:
    """How Blender shows a bone turned in the world."""
    return subjects.body_matrix(name, bone).to_quaternion()


def turn_between(before: Quaternion, after: Quaternion) -> Quaternion:
    """The turn in the world that leads from one to the other, by less than half a turn."""
    turn = after @ before.inverted()
    return -turn if turn.w < 0.0 else turn


def session() -> Any:
    return package("api").session()


def header() -> str:
    return str(package("ui.status").header(bpy.context.scene, session()))


def held_and_turned(kind: str) -> Steps:
    """Held while it moves, turned in place by the pointer, by an angle about an axis, moved on, and let go."""
    subject = SUBJECTS[kind]
    name = subjects.start(subject)
    yield
    before, start = robot.channels(name), rotation(name, subject.bone)
    yield from subjects.grab(name, subject.bone)
    yield from press("R")
    assert "orientation held" in header()
    yield from by(14, -10)
    yield from settle()
    assert session().status == "REACHED", session().solution
    assert turn_between(start, rotation(name, subject.bone)).angle < TURN
    yield from press("R")
    assert session().turning
    target = Vector(session().target)
    x, y = pixel(session().handle)
    assert math.dist(pointer(), (x, y)) < 200
    yield from move(x + 70, y, steps=1, alt=True)
    yield from move(x + 60, y + 35, steps=3)
    swept = math.atan2(35, 60) - math.atan2(round(y) - y, round(x + 70) - x)
    yield from settle()
    screenshot(f"turned-{kind}")
    turn = turn_between(start, rotation(name, subject.bone))
    assert (Vector(session().target) - target).length == 0.0
    assert (Vector(session().handle) - target).length <= 1e-3 * session().size, session().solution
    assert abs(turn.angle - swept) < 0.03, (turn.angle, swept)
    assert (turn.axis + robot.forward()).length < 0.02, turn.axis
    assert f"Turn {math.degrees(turn.angle):.0f}"[:-1] in header(), header()
    yield from press("Z")
    assert "global Z" in header()
    yield from text("20")
    yield from settle()
    turn = turn_between(start, rotation(name, subject.bone))
    assert abs(turn.angle - math.radians(20.0)) < TURN, math.degrees(turn.angle)
    assert (turn.axis - Vector((0, 0, 1))).length < 0.02
    assert f"[20|] = 20.0{DEGREE} about global Z" in header(), header()
    yield from press("BACK_SPACE")
    yield from press("BACK_SPACE")
    yield from text("20")
    yield from subjects.confirm_undo_redo(name, before)
    yield from subjects.grab(name, subject.bone)
    yield from press("R")
    yield from press("R")
    yield from text("-15")
    yield from settle()
    yield from subjects.cancel(name, before)


def test_a_panda_s_hand_is_held_and_turned_in_place() -> Steps:
    yield from held_and_turned("panda")


def test_an_armature_s_last_bone_is_held_and_turned_in_place() -> Steps:
    yield from held_and_turned("arm")


def cannot_be_had(kind: str) -> Steps:
    """A body with too few joints for place and orientation says how far it is from both, and cancels exactly."""
    subject = SUBJECTS[kind]
    name = subjects.start(subject)
    yield
    before, start = robot.channels(name), rotation(name, subject.bone)
    yield from subjects.grab(name, subject.bone)
    yield from by(-6, -6)
    yield from press("R")
    yield from press("R")
    yield from press("X")
    yield from text("60")
    yield from settle()
    shown = turn_between(start, rotation(name, subject.bone))
    wanted = Matrix.Rotation(math.radians(60.0), 4, "X").to_quaternion()
    left = turn_between(shown, wanted).angle
    if session().status != "REACHED":
        own = session().solution.goals[0]
        assert abs(own.orientation - left) < 0.01, (own, left)
        why = package("ui.status").why(bpy.context.scene, session())
        assert " to turn" in why or " to go" in why or "out of reach" in why, why
    else:
        assert left < TURN
    screenshot(f"turn-left-{kind}")
    yield from text("0")
    yield from press("BACK_SPACE")
    yield from subjects.confirm_undo_redo(name, before)
    yield from subjects.grab(name, subject.bone)
    yield from press("R")
    yield from by(10, 10)
    yield from settle()
    yield from subjects.cancel(name, before)


def test_a_scara_s_tool_says_what_is_left_of_a_turn() -> Steps:
    yield from cannot_be_had("scara")


def test_a_fingertip_says_what_is_left_of_a_turn() -> Steps:
    yield from cannot_be_had("allegro")


def test_a_metarig_s_forearm_says_what_is_left_of_a_turn() -> Steps:
    yield from cannot_be_had("metarig")


def test_axes_steps_and_moving_on_while_turning() -> Steps:
    subject = SUBJECTS["arm"]
    name = subjects.start(subject)
    yield
    before, start = robot.channels(name), rotation(name, subject.bone)
    yield from subjects.grab(name, subject.bone)
    yield from by(10, -15)
    yield from press("R")
    yield from press("R")
    names = []
    for _ in range(4):
        names.append(session().turn.axis_name)
        yield from wheel(1)
    assert names == ["the view", "global X", "global Y", "global Z"]
    for wanted in ("global Y", "local Y", "the view"):
        yield from press("Y")
        assert session().turn.axis_name == wanted
    yield from press("Y", shift=True)
    assert "plane" in package("operators.drag_running").current().note
    yield from press("Y")
    x, y = pixel(session().handle)
    yield from move(x + 60, y, steps=1, alt=True)
    yield from hold("LEFT_CTRL", ctrl=True)
    yield from move(x + 55, y + 33, steps=2, ctrl=True)
    steps = math.degrees(session().turn.turned) / 5.0
    assert abs(steps) > 0.5
    assert abs(steps - round(steps)) < 1e-9
    yield from move(x + 55, y + 36, steps=1, ctrl=True, shift=True)
    fine = math.degrees(session().turn.turned)
    assert abs(fine - round(fine)) < 1e-9
    yield from release("LEFT_CTRL")
    yield from settle()
    turned, target = rotation(name, subject.bone), Vector(session().target)
    assert turn_between(start, turned).angle > math.radians(4.0)
    yield from press("G")
    assert not session().turning
    assert "orientation held" in header()
    assert (Vector(session().target) - target).length == 0.0
    yield from by(-8, -6)
    yield from settle()
    assert (Vector(session().target) - target).length > 0.01
    assert turn_between(turned, rotation(name, subject.bone)).angle < TURN, "the turn stays while it moves on"
    yield from press("R")
    yield from press("R")
    assert session().turn.orientation is None
    target = Vector(session().target)
    yield from by(0, 0)
    assert (Vector(session().target) - target).length == 0.0
    yield from by(20, 0)
    assert (Vector(session().target) - target).length > 0.0
    yield from settle()
    yield from subjects.cancel(name, before)


def test_hips_that_only_slide_turn_when_they_are_asked_to() -> Steps:
    subject = SUBJECTS["metarig"]
    name = subjects.start(subject)
    yield
    before, start = robot.channels(name), rotation(name, "spine")
    yield from subjects.grab(name, "spine")
    assert not any(":location" not in unknown for unknown in session().chain), session().chain
    yield from by(0, -10)
    yield from press("R")
    yield from press("R")
    yield from press("Z")
    yield from text("25")
    yield from settle()
    turn = turn_between(start, rotation(name, "spine"))
    assert abs(turn.angle - math.radians(25.0)) < TURN
    assert (turn.axis - Vector((0, 0, 1))).length < 0.02
    yield from press("BACK_SPACE")
    yield from press("BACK_SPACE")
    yield from press("R")
    here = rotation(name, "spine")
    yield from by(5, -5)
    yield from settle()
    assert turn_between(here, rotation(name, "spine")).angle < TURN, "what only slides does not turn by itself"
    yield from subjects.confirm_undo_redo(name, before)
