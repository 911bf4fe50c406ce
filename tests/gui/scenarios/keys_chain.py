"""Keys that change what moves and how: pins, method, handle, another start of the search; and what says so."""

from __future__ import annotations

from ast import literal_eval
from typing import Any

import bpy
import numpy as np
from inside import character, robot, subjects
from inside.robot import settle
from inside.subjects import SUBJECTS, by, text
from inside.window import (
    Steps,
    click,
    look,
    move,
    package,
    pixel,
    pixels,
    press,
    redo,
    robots,
    running,
    screenshot,
    undo,
    viewport,
)
from mathutils import Vector

METHODS = ("AUTO", "CCD", "FABRIK")
LEGS = ("LF", "RF", "LH", "RH")


def session() -> Any:
    return package("api").session()


def now() -> Any:
    """What the drag holds of the user interface."""
    return package("operators.drag_running").current()


def place(name: str, bone: str) -> Vector:
    """World place of a bone's head as Blender evaluates it."""
    return subjects.body_matrix(name, bone).translation


def methods_handles_and_pins(kind: str) -> Steps:
    """Every method brings the body there; every handle is held; a pinned body stays, and nothing jumps."""
    subject = SUBJECTS[kind]
    name = subjects.start(subject)
    yield
    before = robot.channels(name)
    yield from subjects.grab(name, subject.bone)
    yield from subjects.go_to(name, subject.pin, alt=True)
    assert robot.channels(name) == before, "with Alt the pointer goes alone"
    yield from press("P")
    body = session().body_of(subject.pin)
    assert session().pinned == (body,), (session().pinned, now().note)
    assert body in str(package("ui.status").header(bpy.context.scene, session()))
    held = place(name, subject.pin)
    yield from by(*subject.way)
    yield from settle()
    assert (place(name, subject.pin) - held).length < 1e-3 * session().size
    screenshot(f"pinned-{kind}")
    shown, aim, met = robot.channels(name), Vector(session().target), session().status == "REACHED"
    yield from subjects.go_to(name, subject.pin, alt=True)
    yield from press("P")
    assert session().pinned == ()
    yield from settle()
    assert (Vector(session().target) - aim).length == 0.0
    if met:
        assert nearly(shown, robot.channels(name)), "taking a pin away moves nothing that is where it shall be"
    for method in (*METHODS[1:], METHODS[0]):
        yield from press("M")
        assert session().method == method
        yield from by(*(number // 3 for number in subject.way))
        yield from settle()
        assert session().residual <= 0.01 * session().size, (method, session().solution)
    handles = [label for label, _ in session().handles]
    for number in range(len(handles)):
        if len(handles) > 1:
            assert session().handle_name == handles[number]
            pose, way = robot.channels(name), Vector(session().target) - Vector(session().handle)
            yield from press("H")
            assert (Vector(session().target) - Vector(session().handle) - way).length < 1e-6
            assert nearly(pose, robot.channels(name)), "another handle moves nothing"
            yield from by(1, -1)
            yield from settle()
    yield from subjects.confirm_undo_redo(name, before)
    yield from subjects.grab(name, subject.bone)
    yield from subjects.go_to(name, subject.pin, alt=True)
    yield from press("P")
    yield from press("M")
    yield from press("H")
    yield from by(*subject.way)
    yield from settle()
    yield from subjects.cancel(name, before)


def nearly(before: dict[str, tuple[str, ...]], after: dict[str, tuple[str, ...]]) -> bool:
    """Whether two poses differ by less than what a search goes on to improve."""
    for bone, channels in before.items():
        for was, is_now in zip(channels, after[bone], strict=True):
            if was.startswith("(") and np.abs(np.subtract(literal_eval(was), literal_eval(is_now))).max() > 2e-3:
                return False
    return True


def test_methods_handles_and_pins_of_a_panda() -> Steps:
    yield from methods_handles_and_pins("panda")


def test_methods_handles_and_pins_of_a_scara() -> Steps:
    yield from methods_handles_and_pins("scara")


def test_methods_handles_and_pins_of_a_finger() -> Steps:
    yield from methods_handles_and_pins("allegro")


def test_methods_handles_and_pins_of_a_metarig() -> Steps:
    yield from methods_handles_and_pins("metarig")


def test_methods_handles_and_pins_of_an_armature() -> Steps:
    yield from methods_handles_and_pins("arm")


def quadruped() -> str:
    """ANYmal on a free base, its legs bent."""
    urdf = robots() / "anymal_c" / "anymal_c_simple_description" / "urdf" / "anymal.urdf"
    name = str(package("api").import_urdf(urdf, free_base=True).armature.name)
    bends = {
        f"{leg}_{joint}": sign * angle
        for leg, sign in zip(LEGS, (1, 1, -1, -1), strict=True)
        for joint, angle in (("HFE", 0.6), ("KFE", -1.2))
    }
    package("api").set_pose(bpy.data.objects[name], bends)
    look(character.middle(name), 2.2, azimuth=-55, elevation=12)
    viewport().space.overlay.show_overlays = False
    robot.enter(name, "OBJECT")
    return name


def test_a_quadruped_s_trunk_is_dragged_over_its_four_pinned_feet() -> Steps:
    name = quadruped()
    yield
    before = robot.channels(name)
    feet = [f"{leg}_FOOT" for leg in LEGS]
    places = {foot: place(name, foot) for foot in feet}
    trunk = place(name, "base")
    yield from move(*robot.pixel_of(name, "top_shell"), steps=2)
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    for foot in feet:
        yield from subjects.go_to(name, foot, alt=True)
        yield from press("P")
    assert session().pinned == tuple(feet), (session().pinned, now().note)
    yield from by(15, -20)
    yield from settle()
    screenshot("trunk-over-feet")
    assert session().status == "REACHED", session().solution
    for foot, was in places.items():
        assert (place(name, foot) - was).length < 1e-3, foot
    assert (place(name, "base") - trunk).length > 0.03
    yield from subjects.confirm_undo_redo(name, before)
    yield from move(*robot.pixel_of(name, "top_shell"), steps=2)
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    yield from press("R")
    for foot in feet[:2]:
        yield from subjects.go_to(name, foot, alt=True)
        yield from press("P")
    yield from by(5, -12)
    yield from settle()
    assert abs(subjects.body_matrix(name, "base").to_quaternion().angle) < 3e-3, "R holds the trunk level"
    yield from subjects.cancel(name, before)


def test_a_pinned_drag_is_repeated_with_all_that_it_moved() -> Steps:
    subject = SUBJECTS["metarig"]
    name = subjects.start(subject)
    yield
    before = robot.channels(name)
    feet = {bone: place(name, bone) for bone in ("foot.L", "foot.R")}
    yield from subjects.grab(name, "spine")
    for foot in feet:
        yield from subjects.go_to(name, foot, alt=True)
        yield from press("P")
    assert set(session().pinned) == set(feet)
    yield from by(4, -18)
    yield from settle()
    for foot, was in feet.items():
        assert (place(name, foot) - was).length < 5e-3, foot
    yield from press("RET")
    after, keys = robot.channels(name), robot.keys(name)
    properties = bpy.context.window_manager.operators[-1].properties
    given = {key: getattr(properties, key) for key in ("armature", "body", "method", "length", "result")}
    asked = tuple(properties.target)
    assert any("shin.L" in path for path, _ in keys), "what pins need is keyed as well"
    yield from undo()
    assert robot.channels(name) == before
    yield from redo()
    assert robot.channels(name) == after
    yield from undo()
    with viewport().override():
        bpy.ops.linkpose.drag("EXEC_DEFAULT", True, target=asked, **given)
    assert robot.channels(name) == after, "repeated, bit for bit"
    assert robot.keys(name) == keys
    yield from undo()
    with viewport().override():
        target = Vector(asked) + Vector((0.0, 0.02, 0.0))
        bpy.ops.linkpose.drag("EXEC_DEFAULT", True, target=tuple(target), **given)
    for foot, was in feet.items():
        assert (place(name, foot) - was).length < 5e-3, "another target in the redo panel keeps the pins"
    assert (character.tail(name, "spine") - target).length < 2e-2


def test_keys_that_do_not_apply_say_so_and_change_nothing() -> Steps:
    subject = SUBJECTS["panda"]
    name = subjects.start(subject)
    yield
    before = robot.channels(name)
    yield from subjects.grab(name, subject.bone)
    for key, word in (("SPACE", "stalled"), ("G", "moves already"), ("P", "part of what is dragged")):
        yield from press(key)
        assert word in now().note, (key, now().note)
        assert robot.channels(name) == before
    region = viewport().region
    yield from move(region.x + 20, region.y + 20, steps=1, alt=True)
    yield from press("P")
    assert "no link or bone" in now().note, now().note
    yield from move(*pixel(session().handle), steps=1, alt=True)
    for _ in range(9):
        yield from press("PAGE_UP")
    assert "as long as" in now().note, now().note
    assert robot.channels(name) == before
    yield from press("ESC")
    assert not robot.keys(name)


def test_header_and_status_bar_say_what_works_now_and_are_given_back() -> Steps:
    subject = SUBJECTS["panda"]
    name = subjects.start(subject)
    at = robot.pixel_of(name, subject.bone)
    yield from move(*at)
    yield 0.3
    bars = strips()
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    yield
    assert listed("X Y Z: Axis", "Wheel: Depth", "R: Hold Orientation", "P: Pin", "M: Method (AUTO)", "0-9: Distance")
    assert listed("Ctrl-Wheel: Chain", "H: Handle", "Shift: Precise", "Ctrl: Steps", "Esc, RMB: Cancel")
    assert not listed("Space", "G: Move", "Tab", "Backspace")
    for one, other in zip(bars, strips(), strict=True):
        assert not np.array_equal(one, other), "header and status bar are the drag's"
    yield from press("Y")
    assert not listed("Wheel: Depth,")
    assert "Wheel: Depth" not in now().keys
    yield from text("1")
    assert listed("Tab") is False
    assert listed("Backspace: Delete", "Ctrl-Wheel: Chain")
    assert not listed("R:", "X Y Z")
    yield from press("BACK_SPACE")
    yield from press("R")
    assert listed("R: Turn")
    yield from press("R")
    assert listed("X Y Z, Wheel: Axis", "0-9: Angle", "G: Move", "R: Free Orientation")
    yield from press("ESC")
    yield from move(*at, steps=1)
    yield 0.3
    for one, other in zip(bars, strips(), strict=True):
        assert np.array_equal(one, other), "header or status bar are not as before"
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    yield from by(20, 20)
    yield from click("RIGHTMOUSE")
    yield from move(*at, steps=1)
    yield 0.3
    assert np.array_equal(bars[1], strips()[1])


def listed(*words: str) -> bool:
    """Whether every one of the words is in the status bar's keys."""
    text_ = package("ui.status").line(bpy.context.scene, session(), now().keys)
    return all(word in text_ for word in words)


def strips() -> list[np.ndarray]:
    """The pixels of the view's header and of the status bar."""
    view = viewport()
    header = next(region for region in view.area.regions if region.type == "HEADER")
    tool = next(region for region in view.area.regions if region.type == "TOOL_HEADER")
    shown = pixels()
    low, high = min(header.y, tool.y), max(header.y + header.height, tool.y + tool.height)
    return [shown[low:high, 0 : view.area.width // 2].copy(), shown[0:16, 0:400].copy()]


def test_space_searches_from_elsewhere_when_the_search_has_stalled() -> Steps:
    subject = SUBJECTS["panda"]
    name = subjects.start(subject)
    yield
    before = robot.channels(name)
    yield from subjects.grab(name, subject.bone)
    drag = session()
    left = go_into_a_dead_end(name, drag)
    yield from by(0, 0, steps=1)
    yield 0.2
    assert "Space: Search Elsewhere" in now().keys, now().keys
    assert "stalled" in words() or "limit" in words() or "(upper)" in words() or "(lower)" in words(), words()
    screenshot("stalled")
    yield from press("SPACE")
    found = float(drag.residual + drag.solution.orientation_residual)
    assert found < 0.5 * left, (left, drag.solution, now().note)
    yield from settle()
    yield 0.1
    assert ("Space: Search Elsewhere" in now().keys) == drag.is_stalled
    assert (words() == "") == (drag.status == "REACHED")
    screenshot("found-elsewhere")
    yield from subjects.confirm_undo_redo(name, before)


def words() -> str:
    """Why the target is not reached."""
    return str(package("ui.status").why(bpy.context.scene, session()))


def go_into_a_dead_end(name: str, drag: Any) -> float:
    """Ask for places and orientations that the robot can hold, until the search from where it is finds none.

    Returns:
        What is left of the way and of the turn.
    """
    skeleton = package("api").read_skeleton(bpy.data.objects[name])
    dice = np.random.default_rng(3)
    for _ in range(300):
        share = 0.1 + 0.8 * dice.random(len(skeleton.unknowns))
        frame = skeleton.forward(skeleton.lower + share * (skeleton.upper - skeleton.lower))["panda_hand"]
        drag.hold(bpy.context, frame[:3, :3])
        drag.aim(frame[:3, :3] @ drag.grip.point + frame[:3, 3])
        for _ in range(40):
            drag.advance(bpy.context, 0.01)
            if drag.is_done:
                break
        if drag.is_stalled:
            return float(drag.residual + drag.solution.orientation_residual)
    raise AssertionError("no dead end was found")
