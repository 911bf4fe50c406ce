"""The sidebar panel that tells the joints of a chain."""

from __future__ import annotations

import bpy
from inside import character, robot
from inside.robot import settle
from inside.window import Steps, look, move, package, pixel, pointer, press, running, screenshot, viewport


def show_panel() -> Steps:
    """The tab "Linkpose" of the sidebar, wide open."""
    viewport().space.show_region_ui = True
    sidebar = next(region for region in viewport().area.regions if region.type == "UI")
    yield 0.3
    sidebar.active_panel_category = "Linkpose"
    # Blender 4.3 does not draw it by itself.
    viewport().area.tag_redraw()
    yield 0.3


def known() -> object:
    return package("ui.chain_panel")._reports.latest


def opened() -> None:
    """Register the panel anew so that it starts open: a closed one is not drawn, and a click would have to find it."""
    panel = package("ui.chain_panel").LINKPOSE_PT_chain
    bpy.utils.unregister_class(panel)
    panel.bl_options = set()
    bpy.utils.register_class(panel)


def test_the_panel_tells_the_chain_of_the_active_bone_and_follows_changes() -> Steps:
    opened()
    name = character.arm()
    armature = bpy.data.objects[name]
    armature.pose.bones["bone.1"].lock_rotation[1] = True
    limit = armature.pose.bones["bone.3"].constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x, limit.max_x, limit.min_x = "LOCAL", True, 0.5, -0.25
    armature.pose.bones["bone.2"].linkpose_anchor = "ALWAYS"
    look((0.0, 0.0, 0.7), 4.0, azimuth=-90, elevation=0)
    robot.enter(name, "POSE")
    armature.data.bones.active = armature.data.bones["bone.4"]
    yield from show_panel()
    yield lambda: known() is not None and known().bone == "bone.4"
    yield 0.3
    screenshot("chain-panel")
    assert [joint.bone for joint in known().joints] == ["bone.3", "bone.4"]
    assert known().end == "bone.2 is marked as an anchor"
    bpy.data.objects[name].pose.bones["bone.2"].linkpose_anchor = "RULE"
    viewport().area.tag_redraw()
    yield lambda: len(known().joints) == 5
    yield 0.3
    screenshot("chain-panel-whole")


def test_the_panel_reads_nothing_while_a_drag_runs() -> Steps:
    opened()
    name = character.arm()
    look((0.0, 0.0, 0.7), 4.0, azimuth=-90, elevation=0)
    robot.enter(name, "POSE")
    armature = bpy.data.objects[name]
    armature.data.bones.active = armature.data.bones["bone.4"]
    yield from show_panel()
    yield lambda: known() is not None and known().bone == "bone.4"
    before = known()
    posed = bpy.data.objects[name].pose.bones["bone.4"]
    yield from move(*pixel(posed.head * 0.35 + posed.tail * 0.65))
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    yield from move(pointer()[0] - 60, pointer()[1] - 30)
    yield from settle()
    assert known() is before
    yield from press("RET")
    yield 0.2
    assert known() is before, "a pose changes nothing of what the panel tells"


def test_the_panel_tells_the_chain_of_the_link_that_the_active_mesh_belongs_to() -> Steps:
    opened()
    name = robot.panda()
    look((0.0, 0.0, 0.5), 3.0, azimuth=-90, elevation=10)
    mesh = next(child for child in bpy.data.objects[name].children if child.parent_bone == "panda_link3")
    bpy.context.view_layer.objects.active = mesh
    yield from show_panel()
    yield lambda: known() is not None and known().bone == "panda_link3"
    yield 0.3
    screenshot("chain-panel-robot")
    assert [joint.parts[0].axes for joint in known().joints] == [f"panda_joint{i}" for i in (1, 2, 3)]
