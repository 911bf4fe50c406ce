"""The sidebar's sliders, poses, target, pins and keys, by the pointer."""

from __future__ import annotations

import bpy
from inside import character, robot, sidebar
from inside.window import Steps, hold, look, move, package, pixels, pointer, redo, release, screenshot, undo, viewport

READY = {"panda_joint2": -0.3, "panda_joint4": -2.0, "panda_joint6": 1.8, "panda_joint7": 0.785}


def stage(*panels: str) -> Steps:
    """The Panda active in a viewport that fills the window, with the tab shown and only these panels of it."""
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    bpy.context.window_manager.linkpose.scope = "ROBOT"
    robot.enter(name, "OBJECT")
    with viewport().override():
        bpy.ops.screen.screen_full_area()
    yield 0.2
    look((0.2, 0.0, 0.45), 2.6, azimuth=-50, elevation=15)
    sidebar.only(*panels)
    yield from sidebar.show_tab()
    yield 0.3
    return name


def leave() -> Steps:
    sidebar.restore()
    with viewport().override():
        bpy.ops.screen.screen_full_area()
    yield 0.1


def changed(name: str, before: dict[str, tuple[str, ...]]) -> set[str]:
    return {bone for bone, held in robot.channels(name).items() if held != before[bone]}


def test_a_scrub_of_a_slider_poses_live_and_is_one_undo_step() -> Steps:
    name = yield from stage("LINKPOSE_PT_joints")
    screenshot("joints-panel")
    before = robot.channels(name)
    yield from sidebar.find(lambda shown: shown.startswith('pose.bones["panda_link2"].linkpose_value'))
    yield from hold("LEFTMOUSE")
    yield from move(pointer()[0] + 12, pointer()[1], steps=6)
    during = robot.channels(name)
    assert changed(name, before) == {"panda_link2"}, "it moves while the button is held"
    yield from move(pointer()[0] + 12, pointer()[1], steps=6)
    assert robot.channels(name) != during
    yield from release("LEFTMOUSE")
    yield 0.2
    after = robot.channels(name)
    assert changed(name, before) == {"panda_link2"}
    assert robot.keys(name) == {}
    yield from move(viewport().region.x + 200, viewport().region.y + 200)
    yield from undo()
    assert robot.channels(name) == before
    yield from redo()
    assert robot.channels(name) == after
    yield from leave()


def test_the_follower_of_a_finger_moves_with_its_slider_and_a_limit_stops_it() -> Steps:
    name = yield from stage("LINKPOSE_PT_joints")
    yield from sidebar.find(lambda shown: shown.startswith('pose.bones["panda_leftfinger"].linkpose_value'))
    yield from hold("LEFTMOUSE")
    yield from move(pointer()[0] + 400, pointer()[1], steps=8)
    yield from release("LEFTMOUSE")
    yield 0.2
    armature = bpy.data.objects[name]
    values = [armature.pose.bones[f"panda_{side}finger"].location.z for side in ("left", "right")]
    assert 0.0399 < values[0] <= 0.04
    assert values[1] == values[0]
    yield 0.2
    screenshot("joints-panel-limit")
    yield from leave()


def test_buttons_reset_randomize_copy_and_paste_the_pose_each_as_one_step() -> Steps:
    name = yield from stage("LINKPOSE_PT_joints")
    api = package("api")
    start = robot.channels(name)
    yield from sidebar.press_button("linkpose.copy_pose")
    copied = bpy.context.window_manager.clipboard
    assert '"panda_joint4": -2.0' in copied
    yield from sidebar.press_button("linkpose.randomize_pose")
    drawn = robot.channels(name)
    assert len(changed(name, start)) >= 8
    yield from sidebar.press_button("linkpose.reset_pose")
    neutral = api.get_pose(bpy.data.objects[name])
    assert neutral["panda_joint1"] == 0.0
    bpy.context.window_manager.clipboard = "no pose"
    before = robot.channels(name)
    yield from sidebar.press_button("linkpose.paste_pose")
    assert robot.channels(name) == before
    bpy.context.window_manager.clipboard = copied
    yield from sidebar.press_button("linkpose.paste_pose")
    assert abs(api.get_pose(bpy.data.objects[name])["panda_joint4"] + 2.0) < 1e-6
    pasted = robot.channels(name)
    yield from move(viewport().region.x + 200, viewport().region.y + 200)
    yield from undo()
    assert robot.channels(name) == before
    yield from undo()
    assert robot.channels(name) == drawn
    yield from undo()
    assert robot.channels(name) == start
    for _ in range(3):
        yield from redo()
    assert robot.channels(name) == pasted
    yield from leave()


def test_buttons_key_the_joints_and_delete_their_keys() -> Steps:
    name = yield from stage("LINKPOSE_PT_joints")
    yield from sidebar.press_button("linkpose.key_joints")
    assert len(robot.keys(name)) == 8, "seven joints and a finger; the other finger follows"
    yield 0.3
    screenshot("joints-panel-keyed")
    yield from sidebar.press_button("linkpose.delete_keys")
    assert not any(robot.keys(name).values())
    yield from undo()
    assert len(robot.keys(name)) == 8
    yield from leave()


def test_a_target_in_numbers_is_taken_and_solved_with_pins() -> Steps:
    name = yield from stage("LINKPOSE_PT_target", "LINKPOSE_PT_pins")
    armature = bpy.data.objects[name]
    armature.data.bones.active = armature.data.bones["panda_hand"]
    viewport().area.tag_redraw()
    yield 0.3
    yield from sidebar.press_button("linkpose.take_target")
    chosen = bpy.context.window_manager.linkpose
    assert (robot.link_box_centre(name, "panda_hand") - chosen.target.xyz).length < 1e-5
    before = robot.channels(name)
    chosen.target.z += 0.1
    chosen.target.y += 0.2
    yield from sidebar.press_button("linkpose.solve_target")
    assert (robot.link_box_centre(name, "panda_hand") - chosen.target.xyz).length < 1e-3
    assert chosen.is_reached
    chosen.target.x += 3.0
    yield from sidebar.press_button("linkpose.solve_target")
    assert "out of reach" in chosen.result
    yield from sidebar.press_button("linkpose.pin")
    assert package("rig.pinning").pinned(bpy.data.objects[name]) == {"panda_hand": "WHOLE"}
    yield 0.4
    screenshot("target-panel")
    yield from sidebar.find(lambda shown: "linkpose.unpin" in shown, across=(0.89, 0.86))
    yield from move(viewport().region.x + 200, viewport().region.y + 200)
    for _ in range(3):
        yield from undo()
    assert robot.channels(name) == before
    yield from leave()


def test_sliders_of_a_character_are_those_of_the_active_bones_chain() -> Steps:
    name = character.arm()
    look((0.0, 0.0, 0.7), 4.0, azimuth=-90, elevation=0)
    robot.enter(name, "POSE")
    armature = bpy.data.objects[name]
    armature.data.bones.active = armature.data.bones["bone.1"]
    sidebar.only("LINKPOSE_PT_joints")
    yield from sidebar.show_tab()
    before = robot.channels(name)
    yield from sidebar.find(lambda shown: shown.startswith('pose.bones["bone.0"].linkpose_value'))
    screenshot("joints-panel-bones")
    yield from hold("LEFTMOUSE")
    yield from move(pointer()[0] + 25, pointer()[1], steps=8)
    yield from release("LEFTMOUSE")
    yield 0.2
    assert changed(name, before) == {"bone.0"}
    yield from undo()
    assert robot.channels(name) == before
    sidebar.restore()


def test_the_tab_can_be_read_on_a_light_and_on_a_dark_theme() -> Steps:
    name = yield from stage("LINKPOSE_PT_joints", "LINKPOSE_PT_target", "LINKPOSE_PT_pins", "LINKPOSE_PT_frames")
    armature = bpy.data.objects[name]
    armature.data.bones.active = armature.data.bones["panda_hand"]
    package("rig.pinning").pin(armature, "panda_hand")
    pictures = []
    for theme in ("Blender_Light", "Blender_Dark"):
        sidebar.theme(theme)
        yield 0.4
        screenshot(f"sidebar-{theme}")
        bar = sidebar.region()
        pictures.append(pixels()[bar.y + 20 : bar.y + bar.height - 20, bar.x + 20 : bar.x + bar.width - 40])
    light, dark = (float(picture.mean()) for picture in pictures)
    assert light > dark + 60.0
    yield from leave()
