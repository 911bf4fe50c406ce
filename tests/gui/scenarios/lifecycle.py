"""The extension switched on, off and on again; files dropped; the sidebar."""

from __future__ import annotations

import bpy
from inside import robot
from inside.robot import grab, settle
from inside.traces import left_behind
from inside.window import Steps, example_robot_data, look, move, package, pointer, press, screenshot, viewport

ARM = tuple(f"panda_joint{i}" for i in range(1, 8))
READY = dict(zip(ARM, (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.785), strict=True))


def registered() -> dict[str, object]:
    """What an extension adds to Blender: classes, handlers, keys, menu entries."""
    keyconfigs = bpy.context.window_manager.keyconfigs
    return {
        "types": sorted(name for name in dir(bpy.types) if "linkpose" in name.lower()),
        "all types": len(dir(bpy.types)),
        "operators": sorted(dir(bpy.ops.linkpose)),
        "handlers": {
            name: [getattr(function, "__qualname__", "") for function in functions]
            for name in dir(bpy.app.handlers)
            if isinstance(functions := getattr(bpy.app.handlers, name), list)
        },
        "keys": [
            (keymap.name, item.idname, item.type, item.value)
            for keymap in keyconfigs.addon.keymaps
            for item in keymap.keymap_items
        ],
        "menu": len(bpy.types.TOPBAR_MT_file_import.draw._draw_funcs),
    }


def test_switched_off_nothing_is_left_and_switched_on_again_everything_is_back() -> Steps:
    name = package().__name__
    on = registered()
    assert ("Object Mode", "linkpose.drag", "J", "PRESS") in on["keys"]
    assert ("Pose", "linkpose.drag", "J", "PRESS") in on["keys"]
    bpy.ops.preferences.addon_disable(module=name)
    yield 0.2
    off = registered()
    assert off["types"] == []
    assert not any("linkpose" in key[1] for key in off["keys"])
    bpy.ops.preferences.addon_enable(module=name)
    yield 0.2
    assert registered() == on
    bpy.ops.preferences.addon_disable(module=name)
    yield 0.2
    assert registered() == off
    bpy.ops.preferences.addon_enable(module=name)
    yield 0.2
    assert registered() == on
    arm = robot.panda()
    package("api").set_pose(bpy.data.objects[arm], READY)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    traces = left_behind()
    yield from grab(arm, "panda_hand")
    yield from move(pointer()[0] + 40, pointer()[1] - 30)
    yield from settle()
    yield from press("RET")
    assert robot.keys(arm)
    assert left_behind() == traces


def test_a_dropped_file_is_imported_as_one_undo_step() -> Steps:
    file = example_robot_data() / "panda_description" / "urdf" / "panda.urdf"
    with viewport().override():
        bpy.ops.ed.undo_push(message="Before the drop")
    before = {ob.name for ob in bpy.data.objects}
    with viewport().override():
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=str(file.parent), files=[{"name": file.name}])
    yield 0.3
    yield from press("RET")
    yield 0.3
    assert "panda" in bpy.data.objects, sorted(ob.name for ob in bpy.data.objects)
    yield from move(300, 300)
    yield from press("Z", ctrl=True)
    yield 0.2
    assert {ob.name for ob in bpy.data.objects} == before


def test_the_sidebar_says_what_became_of_the_last_drag() -> Steps:
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.4, 0.0, 0.6), 3.5, azimuth=-90, elevation=5)
    viewport().space.show_region_ui = True
    sidebar = next(region for region in viewport().area.regions if region.type == "UI")
    yield 0.3
    if hasattr(sidebar, "active_panel_category"):
        sidebar.active_panel_category = "Linkpose"
    yield 0.3
    yield from grab(name, "panda_hand")
    yield from move(pointer()[0] + 200, pointer()[1] + 60)
    yield from settle()
    yield from press("RET")
    yield 0.3
    screenshot("sidebar")
    last = package("rig.drag").last()
    assert last.status == "OUT_OF_REACH"
    lines = package("ui.status").reasons(bpy.context.scene, last)
    assert lines[0] == "Out of reach", lines
