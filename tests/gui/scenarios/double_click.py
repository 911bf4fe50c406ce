"""A double-click with the tool, by events of the X server."""

from __future__ import annotations

import bpy
from inside import robot
from inside.robot import settle
from inside.window import Steps, look, move, package, running, viewport
from inside.xpointer import XPointer

READY = {"panda_joint2": -0.3, "panda_joint4": -2.0, "panda_joint6": 1.8, "panda_joint7": 0.785}


def test_a_double_click_starts_a_drag_that_needs_no_button_held() -> Steps:
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    robot.enter(name, "OBJECT")
    with viewport().override():
        bpy.ops.wm.tool_set_by_id(name="linkpose.tool")
    yield 0.3
    before = robot.channels(name)
    yield from move(*robot.pixel_of(name, "panda_link6"))
    mouse = XPointer()
    yield from mouse.click()
    assert not running("LINKPOSE_OT_drag")
    yield from mouse.click(2)
    yield lambda: running("LINKPOSE_OT_drag")
    yield from mouse.move(-60, 40)
    yield from settle()
    assert running("LINKPOSE_OT_drag"), "the button is not held"
    session = package("api").session()
    assert session.has_moved
    during = robot.channels(name)
    assert during != before, (session.grip, session.target, session.handle, session.status)
    yield from mouse.click()
    yield lambda: not running("LINKPOSE_OT_drag")
    after = robot.channels(name)
    assert session.state.value == "confirmed"
    assert after != before
    with viewport().override():
        bpy.ops.ed.undo()
    assert robot.channels(name) == before
    with viewport().override():
        bpy.ops.ed.redo()
    assert robot.channels(name) == after
