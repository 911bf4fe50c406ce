"""What a drag shows, in pictures: every state of the overlay, on a dark and on a light theme."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
import rna_xml
from inside import robot
from inside.robot import grab, settle
from inside.window import (
    Steps,
    look,
    move,
    package,
    pixel,
    pixels,
    pointer,
    press,
    screenshot,
)
from mathutils import Vector

HAND = "panda_hand"
ARM = tuple(f"panda_joint{i}" for i in range(1, 8))
READY = dict(zip(ARM, (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.785), strict=True))


def use_theme(name: str) -> None:
    """One of Blender's own themes: "Dark" or "Light"."""
    folder = Path(bpy.utils.preset_paths("interface_theme")[0])
    mapped = (("preferences.themes[0]", "Theme"), ("preferences.ui_styles[0]", "ThemeStyle"))
    rna_xml.xml_file_run(bpy.context, str(folder / f"Blender_{name}.xml"), mapped)


def palette() -> object:
    """The colours that the overlay takes from the present theme."""
    return package("ui.overlay.colours").of_theme(bpy.context.preferences.themes[0])


def near(point: Sequence[float], color: Sequence[float], radius: int = 16, tolerance: int = 40) -> int:
    """Pixels of about that colour around where a world point is seen."""
    x, y = (round(value) for value in pixel(point))
    part = pixels()[max(y - radius, 0) : y + radius + 1, max(x - radius, 0) : x + radius + 1].astype(int)
    wanted = np.array([round(255 * value) for value in color[:3]])
    return int((np.abs(part - wanted).max(axis=2) <= tolerance).sum())


def stage(theme: str) -> str:
    """The Panda with a bent arm, on one of the themes."""
    use_theme(theme)
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.25, 0.0, 0.42), 1.5, azimuth=-50, elevation=15)
    robot.enter(name, "OBJECT")
    bpy.data.objects[name].select_set(False)
    return name


def a_drag(theme: str) -> Steps:
    """Target, handle, chain, the joints' ranges and the start pose."""
    name = stage(theme)
    yield
    yield from grab(name, HAND)
    x, y = pointer()
    yield from move(x + 60, y - 70)
    yield from settle()
    yield 0.3
    screenshot(f"overlay-drag-{theme.lower()}")
    colors, session = palette(), package("api").session()
    assert near(session.target, colors.target) > 20
    for point in session.joints[1:]:
        assert near(point, colors.chain) > 5, point
    yield from press("ESC")


def test_the_overlay_of_a_drag_on_a_dark_theme() -> Steps:
    yield from a_drag("Dark")


def test_the_overlay_of_a_drag_on_a_light_theme() -> Steps:
    yield from a_drag("Light")


def out_of_reach(theme: str) -> Steps:
    """The reach as a sphere about the first joint, joints at limits named."""
    name = stage(theme)
    look((0.3, 0.0, 0.5), 3.4, azimuth=-90, elevation=8)
    yield
    yield from grab(name, HAND)
    x, y = pointer()
    yield from move(x + 230, y + 60, steps=16)
    yield from settle()
    yield 0.3
    screenshot(f"overlay-reach-{theme.lower()}")
    colors, session = palette(), package("api").session()
    assert session.status == "OUT_OF_REACH"
    drawn = package("operators.drag")._running.overlay.state
    shell, armature = drawn.shell, bpy.data.objects[name]
    assert (Vector(shell.centre) - armature.pose.bones["panda_link1"].head).length < 1e-4
    assert (Vector(session.handle) - Vector(shell.centre)).length < shell.reach
    # The sphere's outline, seen from the front: above the shoulder.
    assert near(Vector(shell.centre) + Vector((0.0, 0.0, shell.reach)), colors.missed, 40, 60) > 5
    yield from press("ESC")


def test_the_reach_is_shown_on_a_dark_theme() -> Steps:
    yield from out_of_reach("Dark")


def test_the_reach_is_shown_on_a_light_theme() -> Steps:
    yield from out_of_reach("Light")


def collision(theme: str) -> Steps:
    """A link that touches an obstacle is tinted and named; the drag goes on."""
    name = stage(theme)
    bpy.ops.mesh.primitive_cube_add(size=0.25, location=(0.55, 0.0, 0.18))
    block = bpy.context.object.name
    bpy.data.objects[block].select_set(True)
    bpy.ops.linkpose.mark_obstacles()
    assert bpy.data.objects[block].linkpose_obstacle
    bpy.data.objects[block].select_set(False)
    look((0.35, 0.0, 0.35), 1.6, azimuth=-60, elevation=15)
    yield
    yield from grab(name, HAND)
    session = package("api").session()
    yield from move(*pixel(Vector((0.5, 0.0, 0.22))), steps=10)
    yield from settle()
    yield lambda: any(block in pair for pair in session.collisions)
    yield 0.5
    screenshot(f"overlay-collision-{theme.lower()}")
    assert block in package("ui.status").line(bpy.context.scene, session)
    moved = {one for pair in session.collisions for one in pair} - {block}
    assert moved
    assert near(Vector((0.55, 0.0, 0.305)), palette().limit, 60, 70) > 100, "the block is not tinted"
    here = Vector(session.target)
    yield from move(*pixel(Vector((0.45, -0.1, 0.75))), steps=10)
    yield from settle()
    yield lambda: not session.collisions
    assert (Vector(session.target) - here).length > 0.1
    yield from press("ESC")
    assert not bpy.data.actions


def test_a_collision_is_shown_on_a_dark_theme() -> Steps:
    yield from collision("Dark")


def test_a_collision_is_shown_on_a_light_theme() -> Steps:
    yield from collision("Light")
