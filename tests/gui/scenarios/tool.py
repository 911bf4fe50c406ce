"""The toolbar's tool: what it shows under the pointer, press-drag-release, double-click, and Blender between drags."""

from __future__ import annotations

import bpy
from inside import character, robot
from inside.robot import settle
from inside.window import (
    Steps,
    click,
    hold,
    look,
    move,
    package,
    pixel,
    pointer,
    press,
    redo,
    release,
    running,
    screenshot,
    undo,
    viewport,
)

ARM = tuple(f"panda_joint{i}" for i in range(1, 8))
READY = dict(zip(ARM, (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.785), strict=True))


def take_tool() -> Steps:
    """Activate the tool in the present mode."""
    with viewport().override():
        bpy.ops.wm.tool_set_by_id(name="linkpose.tool")
    yield 0.2
    assert package("ui.tool").is_active(bpy.context)


def forget_modifiers() -> Steps:
    """A simulated press that becomes a drag has the modifiers of the key before it: press one without any."""
    yield from press("F19")


def ready(mode: str) -> str:
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    robot.enter(name, mode)
    return name


def clear_pixel(name: str, bone: str) -> tuple[int, int]:
    """A pixel that shows a link with no cross of another one near it."""
    armature, frames = bpy.data.objects[name], package("rig.toolframes")
    crosses = [pixel(place) for place in frames.places(armature, frames.of(armature))]
    x, y = robot.pixel_of(name, bone)
    for radius in range(0, 60, 2):
        for dx, dy in ((radius, 0), (-radius, 0), (0, radius), (0, -radius), (radius, radius), (-radius, -radius)):
            at = (x + dx, y + dy)
            near = any(abs(at[0] - cross[0]) + abs(at[1] - cross[1]) < 16 for cross in crosses)
            if not near and all(robot.shown_bone(at[0] + i, at[1] + j) == bone for i in (-2, 2) for j in (-2, 2)):
                return at
    raise AssertionError(f"no pixel shows {bone} beside the crosses")


def pixels_apart(armature: bpy.types.Object, bone: str, other: str) -> float:
    """How far apart two links without a mesh are seen; a tool's frames often coincide."""
    frames = package("rig.toolframes")
    found = [one for one in frames.of(armature) if one.bone in (bone, other)]
    places = [pixel(place) for place in frames.places(armature, tuple(found))]
    return max(abs(places[0][i] - places[-1][i]) for i in (0, 1))


def hovered() -> tuple[str, str, tuple[str, ...]]:
    """(bone, kind, chain) that the tool shows."""
    picked, found = package("ui.hover").hovered()
    return ("", "", ()) if picked is None else (picked.bone, picked.kind, () if found is None else found.chain)


def press_drag(name: str, bone: str, dx: int, dy: int) -> Steps:
    """Press on a link, move, wait for the search, release."""
    yield from move(*clear_pixel(name, bone))
    yield from forget_modifiers()
    yield from hold("LEFTMOUSE")
    yield from move(pointer()[0] + dx, pointer()[1] + dy, steps=10)
    assert running("LINKPOSE_OT_drag")
    session = package("api").session()
    assert session.grip.bone == bone
    yield from settle()
    yield from release("LEFTMOUSE")
    yield lambda: not running("LINKPOSE_OT_drag")
    assert session.state.value == "confirmed"


def test_press_move_and_release_pose_in_both_modes_and_undo_redo_work_between() -> Steps:
    for mode in ("OBJECT", "POSE"):
        name = ready(mode)
        yield from take_tool()
        before = robot.channels(name)
        yield from press_drag(name, "panda_hand", -70, 40)
        after = robot.channels(name)
        moved = {bone for bone in after if after[bone] != before[bone]}
        assert moved == {f"panda_link{i}" for i in range(1, 8)}, moved
        assert {place[0] for place in robot.keys(name)} == {f'pose.bones["{bone}"].rotation_euler' for bone in moved}
        yield from undo()
        assert robot.channels(name) == before
        yield from redo()
        assert robot.channels(name) == after
        yield from press_drag(name, "panda_link4", 40, -20)
        again = robot.channels(name)
        yield from undo()
        assert robot.channels(name) == after
        yield from redo()
        assert robot.channels(name) == again
        assert package("ui.tool").is_active(bpy.context)
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        yield 0.3


def test_the_pressed_point_stays_under_the_pointer() -> Steps:
    name = ready("POSE")
    yield from take_tool()
    yield from move(*clear_pixel(name, "panda_hand"))
    grabbed = pointer()
    start, handle = robot.hit(*grabbed), robot.link_box_centre(name, "panda_hand")
    yield from forget_modifiers()
    yield from hold("LEFTMOUSE")
    yield from move(grabbed[0] - 60, grabbed[1] + 30, steps=6)
    yield from settle()
    session = package("api").session()
    expected = handle + (robot.on_plane(*pointer(), start) - start)
    assert (expected - type(expected)(session.target)).length < 1e-4
    yield from press("ESC")
    yield from release("LEFTMOUSE")
    assert not running("LINKPOSE_OT_drag")


def test_a_click_selects_and_poses_nothing() -> Steps:
    name = ready("POSE")
    yield from take_tool()
    before = robot.channels(name)
    armature = bpy.data.objects[name]
    armature.data.bones.active = armature.data.bones["panda_link1"]
    bone = armature.pose.bones["panda_link4"]
    yield from move(*pixel(armature.matrix_world @ ((bone.head + bone.tail) / 2)))
    yield from click()
    yield 0.5
    assert not running("LINKPOSE_OT_drag")
    assert robot.channels(name) == before
    assert bpy.context.active_pose_bone.name == "panda_link4"


def test_the_pointer_shows_what_would_be_dragged_and_nothing_once_the_tool_is_left() -> Steps:
    name = ready("OBJECT")
    yield from take_tool()
    x, y = clear_pixel(name, "panda_link5")
    yield from move(x, y)
    yield lambda: hovered() == ("panda_link5", "visual", tuple(f"panda_link{i}" for i in range(1, 6)))
    yield 0.4
    screenshot("tool-hover")
    before = robot.channels(name)
    yield from move(*clear_pixel(name, "panda_link0"))
    yield lambda: hovered()[0] == "panda_link0"
    yield 0.4
    screenshot("tool-hover-refused")
    assert package("ui.hover").hovered()[1].refused
    assert robot.channels(name) == before
    # Out of the view, onto the editor below it.
    view = viewport()
    yield from move(view.area.x + view.area.width // 2, max(view.area.y - 20, 1))
    yield lambda: hovered() == ("", "", ())
    with viewport().override():
        bpy.ops.wm.tool_set_by_id(name="builtin.select_box")
    viewport().area.tag_redraw()
    yield lambda: not package("ui.hover").is_shown()
    yield from move(x, y)
    yield 0.3
    assert hovered() == ("", "", ())


def test_a_link_without_a_mesh_is_shown_as_a_cross_and_dragged_by_it() -> Steps:
    name = robot.ur5()
    armature = bpy.data.objects[name]
    package("api").set_pose(armature, {"shoulder_lift_joint": -1.2, "elbow_joint": 1.2})
    look((0.3, 0.0, 0.4), 2.4, azimuth=-60, elevation=15)
    robot.enter(name, "OBJECT")
    yield from take_tool()
    frames = package("rig.toolframes")
    one = next(frame for frame in frames.of(armature) if frame.link == "tool0")
    before = robot.channels(name)
    yield from move(*pixel(frames.places(armature, (one,))[0]))
    yield lambda: hovered()[1] == "frame"
    yield lambda: len(hovered()[2]) >= 6
    picked = hovered()[0]
    assert next(frame for frame in frames.of(armature) if frame.bone == picked)
    assert (pixels_apart(armature, picked, one.bone)) < 1.0
    yield 0.3
    screenshot("tool-frames")
    yield from forget_modifiers()
    yield from hold("LEFTMOUSE")
    yield from move(pointer()[0] - 50, pointer()[1] + 30, steps=8)
    assert package("api").session().grip.bone == picked
    yield from settle()
    yield from release("LEFTMOUSE")
    yield lambda: not running("LINKPOSE_OT_drag")
    assert robot.channels(name) != before
    yield from undo()
    assert robot.channels(name) == before


def test_bones_of_a_plain_armature_are_shown_and_dragged() -> Steps:
    name = character.arm()
    look((0.0, 0.0, 0.7), 4.0, azimuth=-90, elevation=0)
    robot.enter(name, "POSE")
    yield from take_tool()
    posed = bpy.data.objects[name].pose.bones["bone.4"]
    yield from move(*pixel(posed.head * 0.35 + posed.tail * 0.65))
    yield lambda: hovered() == ("bone.4", "bone", tuple(f"bone.{i}" for i in range(5)))
    yield 0.3
    screenshot("tool-hover-bones")
    before = robot.channels(name)
    yield from forget_modifiers()
    yield from hold("LEFTMOUSE")
    yield from move(pointer()[0] - 60, pointer()[1] - 30, steps=8)
    yield from settle()
    yield from release("LEFTMOUSE")
    yield lambda: not running("LINKPOSE_OT_drag")
    assert len({bone for bone, held in robot.channels(name).items() if held != before[bone]}) == 5
