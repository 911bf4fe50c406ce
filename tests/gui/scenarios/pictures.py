"""The pictures of the documentation, made as a user would see them; `docs/` holds copies that were looked at."""

from __future__ import annotations

import bpy
from inside import robot
from inside.robot import grab, settle
from inside.window import Steps, look, move, package, pixel, pointer, press, screenshot, viewport
from mathutils import Vector

ARM = tuple(f"panda_joint{i}" for i in range(1, 8))
READY = dict(zip(ARM, (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.785), strict=True))


def stage() -> str:
    """The Panda alone in a viewport that fills the window."""
    bpy.context.preferences.system.viewport_aa = "8"
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    with viewport().override():
        bpy.ops.screen.screen_full_area()
    space = viewport().space
    space.shading.show_cavity = True
    space.shading.show_shadows = True
    space.overlay.show_relationship_lines = False
    bpy.data.objects[name].select_set(False)
    bpy.context.view_layer.objects.active = None
    return name


def test_picture_of_a_drag() -> Steps:
    name = stage()
    yield 0.3
    look((0.3, 0.0, 0.42), 1.7, azimuth=-75, elevation=14)
    yield
    yield from grab(name, "panda_hand")
    session = package("api").session()
    start = pixel(session.target)
    end = pixel(Vector((0.55, -0.15, 0.72)))
    yield from move(pointer()[0] + end[0] - start[0], pointer()[1] + end[1] - start[1])
    yield from settle()
    yield 0.3
    screenshot("picture-drag")
    assert session.solution is not None
    yield from press("ESC")
    with viewport().override():
        bpy.ops.screen.screen_full_area()
    yield


def test_picture_of_a_target_out_of_reach() -> Steps:
    name = stage()
    yield 0.3
    look((0.5, 0.0, 0.5), 2.6, azimuth=-90, elevation=8)
    yield
    yield from grab(name, "panda_hand")
    session = package("api").session()
    yield from move(*pixel(Vector(session.target) + Vector((0.75, 0.0, 0.15))), steps=16)
    yield from settle()
    yield 0.3
    screenshot("picture-out-of-reach")
    assert session.status in {"OUT_OF_REACH", "AT_LIMITS"}, session.status
    yield from press("ESC")
    with viewport().override():
        bpy.ops.screen.screen_full_area()
    yield
