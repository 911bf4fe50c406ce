"""What a drag shows, in pictures: every state of the overlay, on a dark and on a light theme."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from inside import character, robot
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
    robots,
    running,
    screenshot,
    viewport,
)
from mathutils import Vector

HAND = "panda_hand"
ARM = tuple(f"panda_joint{i}" for i in range(1, 8))
READY = dict(zip(ARM, (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.785), strict=True))


def use_theme(name: str) -> None:
    """One of Blender's own themes: "Dark" or "Light"."""
    bpy.ops.preferences.reset_default_theme()
    if name == "Dark":  # the default
        return
    folder = Path(bpy.utils.preset_paths("interface_theme")[0])
    preset = {"filepath": str(folder / f"Blender_{name}.xml"), "menu_idname": "USERPREF_MT_interface_theme_presets"}
    bpy.ops.script.execute_preset(**preset)


def palette() -> Any:
    """The colours that the overlay takes from the present theme."""
    return package("ui.overlay.colours").of_theme(bpy.context.preferences.themes[0])


def shown() -> Any:
    """What the overlay of the running drag shows."""
    return package("operators.drag_running").current().overlay.state


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
    drawn = shown()
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


def at_limits(theme: str) -> Steps:
    """Joints that hold the link back are drawn in the warning colour and named beside their number."""
    name = stage(theme)
    look((0.2, 0.0, 0.45), 1.6, azimuth=-90, elevation=10)
    yield
    yield from grab(name, "panda_link4")
    session = package("api").session()
    yield from move(*pixel(Vector((0.2, 0.0, 0.08))), steps=16)
    yield from settle()
    yield 0.3
    screenshot(f"overlay-limits-{theme.lower()}")
    colors, state = palette(), shown()
    assert session.solution.limited
    assert state.named == set(session.solution.limited)
    ranges = state.ranges
    for joint, origin, limited in zip(ranges.names, ranges.origin, ranges.limited, strict=True):
        assert limited or joint not in state.named, joint
        if limited:
            assert near(origin, colors.limit, 30, 60) > 10, joint
    yield from press("ESC")


def test_joints_at_limits_are_shown_on_a_dark_theme() -> Steps:
    yield from at_limits("Dark")


def test_joints_at_limits_are_shown_on_a_light_theme() -> Steps:
    yield from at_limits("Light")


def test_a_slide_is_shown_as_a_bar() -> Steps:
    use_theme("Dark")
    name = robot.import_robot(robots() / "scara_yguel" / "scara_description" / "urdf" / "scara.urdf")
    armature = bpy.data.objects[name]
    size = robot.size(name)
    look(character.middle(name), 1.6 * size, azimuth=-70, elevation=12)
    robot.enter(name, "OBJECT")
    armature.select_set(False)
    yield
    last = next(
        bone for bone in reversed(armature.pose.bones) if any(ob.parent_bone == bone.name for ob in bpy.data.objects)
    )
    yield from grab(name, last.name)
    x, y = pointer()
    yield from move(x + 30, y - 20)
    yield from settle()
    yield 0.3
    screenshot("overlay-slide")
    ranges, colors = shown().ranges, palette()
    assert ranges.slides.any()
    for i in np.flatnonzero(ranges.slides):
        color = colors.limit if ranges.limited[i] else colors.range
        for end in (ranges.lower[i], ranges.upper[i]):
            assert near(ranges.origin[i] + end * ranges.axis[i], color, 14, 50) > 3
    yield from press("ESC")


def test_only_the_chosen_parts_are_drawn() -> Steps:
    name = stage("Dark")
    chosen = bpy.context.preferences.addons[package().__name__].preferences.overlay
    parts = ("chain", "ranges", "ghost", "reach", "collisions")
    for part in parts:
        setattr(chosen, part, False)
    try:
        yield
        yield from grab(name, HAND)
        x, y = pointer()
        yield from move(x + 60, y - 70)
        yield from settle()
        yield 0.3
        screenshot("overlay-nothing-but-the-target")
        colors, session = palette(), package("api").session()
        assert near(session.target, colors.target) > 20
        for point in session.joints[1:6]:
            assert near(point, colors.chain, 12, 25) == 0
            assert near(point, colors.range, 30, 25) == 0
        yield from press("ESC")
    finally:
        for part in parts:
            setattr(chosen, part, True)


def test_a_finger_among_many_stays_readable() -> Steps:
    use_theme("Light")
    file = next((robots() / "allegro_hand").rglob("*.urdf"))
    name = robot.import_robot(file)
    armature = bpy.data.objects[name]
    size = robot.size(name)
    look(character.middle(name), 1.7 * size, azimuth=-30, elevation=15)
    robot.enter(name, "OBJECT")
    armature.select_set(False)
    yield
    dressed = [bone for bone in armature.pose.bones if any(ob.parent_bone == bone.name for ob in bpy.data.objects)]
    tips = [bone.name for bone in dressed if not any(child in dressed for child in bone.children_recursive)]
    for tip in tips:
        try:
            yield from grab(name, tip)
            break
        except AssertionError:
            continue
    x, y = pointer()
    yield from move(x - 40, y - 50)
    yield from settle()
    yield 0.3
    screenshot("overlay-hand")
    state = shown()
    assert 3 <= len(state.ranges.names) <= 5, "only the joints of the chain"
    yield from press("ESC")


def test_a_character_in_a_window_with_panels_and_a_larger_interface() -> Steps:
    use_theme("Light")
    name = character.metarig(basic=True)
    bpy.context.preferences.view.ui_scale = 1.3
    space = viewport().space
    space.show_region_ui = True
    try:
        yield 0.3
        look((0.1, 0.0, 1.1), 2.4, azimuth=-90, elevation=5)
        robot.enter(name, "POSE")
        yield
        armature = bpy.data.objects[name]
        bone = armature.pose.bones["hand.R"]
        yield from move(*pixel(armature.matrix_world @ bone.head.lerp(bone.tail, 0.7)))
        yield from press("J")
        yield lambda: running("LINKPOSE_OT_drag")
        x, y = pointer()
        yield from move(x - 60, y + 90, steps=12)
        yield from settle()
        yield 0.3
        screenshot("overlay-character")
        session = package("api").session()
        assert session.status == "OUT_OF_REACH"
        yield from press("ESC")
    finally:
        bpy.context.preferences.view.ui_scale = 1.0
        space.show_region_ui = False
    yield


def test_an_overlay_that_fails_goes_away_and_the_drag_goes_on() -> Steps:
    name = stage("Dark")
    yield
    yield from grab(name, HAND)
    overlay = package("ui.overlay")
    shown().locks = [("no", "line")]
    overlay.redraw(bpy.context.window_manager)
    yield lambda: not overlay.is_shown()
    assert running("LINKPOSE_OT_drag")
    x, y = pointer()
    yield from move(x + 40, y - 30)
    yield from settle()
    yield from press("RET")
    assert not running("LINKPOSE_OT_drag")
    assert robot.keys(name)


def locks_and_pins(theme: str) -> Steps:
    """A line for a locked axis, two for a plane, in the axes' colours, and a drawing pin on what stays."""
    name = stage(theme)
    yield
    yield from grab(name, HAND)
    session, colors = package("api").session(), palette()
    x, y = pointer()
    yield from press("X")
    yield from move(x + 40, y + 10)
    yield from settle()
    yield 0.3
    screenshot(f"overlay-lock-{theme.lower()}")
    start = Vector(shown().locked_at)
    for step in (-0.25, 0.3):
        assert near(start + Vector((step, 0.0, 0.0)), colors.axes[0], 8, 50) > 4, step
    yield from press("Y", shift=True)
    yield 0.3
    assert [axis for axis, _ in shown().locks] == [0, 2]
    assert near(start + Vector((0.0, 0.0, 0.2)), colors.axes[2], 8, 50) > 4
    assert near(start + Vector((0.0, -0.2, 0.0)), colors.axes[1], 6, 40) == 0
    yield from press("ESC")
    yield from grab(name, HAND)
    session = package("api").session()
    session.toggle_pin(bpy.context, "panda_link4")
    yield from move(x + 20, y + 10)
    yield from settle()
    yield 0.3
    screenshot(f"overlay-pin-{theme.lower()}")
    assert session.pinned == ("panda_link4",)
    (pin,) = shown().pins
    armature = bpy.data.objects[name]
    assert (Vector(pin) - armature.matrix_world @ armature.pose.bones["panda_link4"].head).length < 1e-5
    assert near(pin, colors.pin, 22, 50) > 20
    yield from press("ESC")


def test_locks_and_pins_are_shown_on_a_dark_theme() -> Steps:
    yield from locks_and_pins("Dark")


def test_locks_and_pins_are_shown_on_a_light_theme() -> Steps:
    yield from locks_and_pins("Light")


def test_a_failing_look_for_collisions_leaves_the_drag_alone() -> Steps:
    name = stage("Dark")
    yield
    collisions = package("rig.collisions").Watch
    real = collisions.advance
    collisions.advance = lambda *_: 1 / 0
    try:
        yield from grab(name, HAND)
        session = package("api").session()
        x, y = pointer()
        yield from move(x + 40, y - 30)
        yield lambda: "failed" in session.unwatched
        assert running("LINKPOSE_OT_drag")
        yield from press("RET")
    finally:
        collisions.advance = real
    assert robot.keys(name)


def panel_of_collisions(theme: str) -> Steps:
    """Obstacles, what touched in the last drag, and the preferences' switches."""
    panel = package("ui.collision_panel").LINKPOSE_PT_collisions
    bpy.utils.unregister_class(panel)
    panel.bl_options = set()
    bpy.utils.register_class(panel)
    name = stage(theme)
    bpy.ops.mesh.primitive_cube_add(size=0.25, location=(0.55, 0.0, 0.18))
    block = bpy.context.object.name
    bpy.ops.linkpose.mark_obstacles()
    look((0.2, 0.0, 0.35), 1.8, azimuth=-60, elevation=15)
    yield
    yield from grab(name, HAND)
    session = package("api").session()
    yield from move(*pixel(Vector((0.5, 0.0, 0.22))), steps=10)
    yield lambda: any(block in pair for pair in session.collisions)
    yield from press("RET")
    space = viewport().space
    space.show_region_ui = True
    sidebar = next(region for region in viewport().area.regions if region.type == "UI")
    yield 0.3
    sidebar.active_panel_category = "Linkpose"
    viewport().area.tag_redraw()
    yield 0.5
    screenshot(f"overlay-panel-{theme.lower()}")
    assert bpy.ops.linkpose.mark_obstacles.poll()
    space.show_region_ui = False
    yield


def test_the_panel_of_collisions_on_a_dark_theme() -> Steps:
    yield from panel_of_collisions("Dark")


def test_the_panel_of_collisions_on_a_light_theme() -> Steps:
    yield from panel_of_collisions("Light")
