"""The drag by each of the solver's methods, chosen in the preferences."""

from __future__ import annotations

import bpy
from inside import robot
from inside.robot import grab, settle
from inside.window import Steps, look, move, package, pointer, press
from mathutils import Vector

ARM = tuple(f"panda_joint{i}" for i in range(1, 8))
READY = dict(zip(ARM, (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.785), strict=True))


def drag_by(method: str) -> Steps:
    """The Panda's hand dragged in front of the robot, to where every method gets."""
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    preferences = bpy.context.preferences.addons[package().__name__].preferences
    preferences.method = method
    before = robot.channels(name)
    try:
        yield from grab(name, "panda_hand")
        session = package("api").session()
        assert session.method == method
        for dx, dy in ((30, 20), (20, -40), (-40, -20)):
            yield from move(pointer()[0] + dx, pointer()[1] + dy)
            yield from settle()
            bpy.context.view_layer.update()
            miss = (robot.link_box_centre(name, "panda_hand") - Vector(session.target)).length
            assert miss <= 1e-3 * robot.size(name), (miss, session.solution)
        yield from press("RET")
        assert len(robot.keys(name)) == 7
        assert bpy.context.window_manager.operators[-1].properties.method == method
        yield from grab(name, "panda_hand")
        yield from move(pointer()[0] + 30, pointer()[1])
        kept = robot.channels(name)
        assert kept != before
        yield from press("ESC")
    finally:
        preferences.method = "AUTO"


def test_auto_drags() -> Steps:
    yield from drag_by("AUTO")


def test_ccd_drags() -> Steps:
    yield from drag_by("CCD")


def test_fabrik_drags() -> Steps:
    yield from drag_by("FABRIK")
