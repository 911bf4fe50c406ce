"""The preferences, their keys, Blender's Industry Compatible keymap, and another language."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
from inside import robot, sidebar
from inside.robot import settle
from inside.window import (
    EXTENSION,
    Steps,
    hold,
    look,
    move,
    package,
    pixels,
    pointer,
    press,
    release,
    running,
    screenshot,
    undo,
    viewport,
)

READY = {"panda_joint2": -0.3, "panda_joint4": -2.0, "panda_joint6": 1.8, "panda_joint7": 0.785}


def ready(mode: str) -> str:
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    robot.enter(name, mode)
    return name


def take_keymap(name: str) -> None:
    folder = next(path for path in bpy.utils.preset_paths("keyconfig") if Path(path, f"{name}.py").exists())
    bpy.ops.preferences.keyconfig_activate(filepath=str(Path(folder, f"{name}.py")))


def bound_to(key: str, keymaps: Sequence[str]) -> set[str]:
    """The operators that a key without modifiers starts, by the keymaps in use."""
    user = bpy.context.window_manager.keyconfigs.user
    return {
        item.idname
        for name in keymaps
        if name in user.keymaps
        for item in user.keymaps[name].keymap_items
        if item.active and item.type == key and not (item.shift or item.ctrl or item.alt or item.oskey)
    }


def industry_compatible(mode: str) -> Steps:
    take_keymap("Industry_Compatible")
    name = ready(mode)
    yield 0.3
    keymaps = ("Window", "Screen", "3D View", "3D View Generic", "Object Non-modal", "Object Mode", "Pose")
    assert bound_to("J", keymaps) == {"linkpose.drag"}
    before = robot.channels(name)
    yield from robot.grab(name, "panda_link6")
    yield from move(pointer()[0] - 50, pointer()[1] + 20)
    yield from settle()
    yield from press("RET")
    yield lambda: not running("LINKPOSE_OT_drag")
    after = robot.channels(name)
    assert after != before
    yield from undo()
    assert robot.channels(name) == before
    with viewport().override():
        bpy.ops.wm.tool_set_by_id(name="linkpose.tool")
    yield 0.3
    yield from move(*robot.pixel_of(name, "panda_link4"))
    # A simulated press that becomes a drag has the modifiers of the key before it: press one without any.
    yield from press("F19")
    yield from hold("LEFTMOUSE")
    yield from move(pointer()[0] - 50, pointer()[1] + 20, steps=8)
    assert running("LINKPOSE_OT_drag")
    assert package("api").session().grip.bone == "panda_link4"
    yield from settle()
    yield from release("LEFTMOUSE")
    yield lambda: not running("LINKPOSE_OT_drag")
    assert robot.channels(name) != before
    yield from undo()
    assert robot.channels(name) == before
    take_keymap("Blender")
    yield 0.2
    assert bound_to("J", keymaps) == {"linkpose.drag"}


def test_key_and_tool_work_in_object_mode_with_the_industry_compatible_keymap() -> Steps:
    yield from industry_compatible("OBJECT")


def test_key_and_tool_work_in_pose_mode_with_the_industry_compatible_keymap() -> Steps:
    yield from industry_compatible("POSE")


def show_preferences() -> Steps:
    with viewport().override():
        bpy.ops.screen.screen_full_area(use_hide_panels=True)
    yield 0.2
    area = max(bpy.context.window_manager.windows[0].screen.areas, key=lambda area: area.width * area.height)
    area.ui_type = "PREFERENCES"
    bpy.context.preferences.active_section = "ADDONS"
    bpy.context.window_manager.addon_search = "Linkpose"
    yield 0.2
    if not bpy.context.preferences.addons[EXTENSION].module:
        raise AssertionError("the extension is not enabled")
    bpy.ops.preferences.addon_expand(module=EXTENSION)
    area.tag_redraw()
    yield 0.6


def scroll_down(notches: int) -> Steps:
    yield from move(450, 250, steps=2)
    for _ in range(notches):
        yield from hold("WHEELDOWNMOUSE")
    yield 0.4


def test_preferences_show_every_choice_and_the_keys_to_be_edited() -> Steps:
    yield from show_preferences()
    for theme in ("Blender_Dark", "Blender_Light"):
        sidebar.theme(theme)
        yield 0.4
        screenshot(f"preferences-{theme}")
    yield from scroll_down(12)
    screenshot("preferences-keys")
    sidebar.theme("Blender_Dark")
    found = package("ui.keymap").items(bpy.context)
    assert {keymap.name for keymap, _ in found} == {"Object Mode", "Pose", *package("ui.tool").KEYMAPS}
    assert len(found) == 6


def bind(key: str) -> None:
    """Give the drag in Object Mode another key, as the preferences do."""
    found = package("ui.keymap").items(bpy.context)
    next(item for keymap, item in found if keymap.name == "Object Mode").type = key


def test_the_key_that_the_user_has_chosen_is_the_one_that_the_sidebar_names_and_that_works() -> Steps:
    name = ready("OBJECT")
    keymap = package("ui.keymap")
    assert keymap.key_of_drag(bpy.context) == "J"
    bind("F5")
    yield 0.3
    assert keymap.key_of_drag(bpy.context) == "F5"
    yield from move(*robot.pixel_of(name, "panda_link6"))
    yield from press("J")
    assert not running("LINKPOSE_OT_drag")
    yield from press("F5")
    yield lambda: running("LINKPOSE_OT_drag")
    yield from press("ESC")
    bind("J")
    yield 0.3
    assert keymap.key_of_drag(bpy.context) == "J"


def test_the_sidebar_speaks_german_where_blender_does() -> Steps:
    name = ready("OBJECT")
    bpy.context.window_manager.linkpose.scope = "ROBOT"
    with viewport().override():
        bpy.ops.screen.screen_full_area()
    yield 0.2
    yield from sidebar.show_tab()
    english = pixels()
    view = bpy.context.preferences.view
    view.language = "de_DE"
    view.use_translate_interface = view.use_translate_tooltips = view.use_translate_reports = True
    yield 0.6
    screenshot("sidebar-german")
    assert (pixels() != english).any()
    texts = package("ui.texts")
    assert texts.tr("{length} to go") == "noch {length}"
    assert texts.report("Report copied") == "Bericht kopiert"
    label = bpy.ops.linkpose.solve_target.get_rna_type().name
    assert bpy.app.translations.pgettext_iface(label, "Operator") == "Lösen"
    choice = bpy.context.preferences.addons[EXTENSION].preferences.bl_rna.properties["key_when"]
    assert bpy.app.translations.pgettext_iface("Always", choice.translation_context) == "Immer"
    panel = bpy.types.LINKPOSE_PT_pins
    assert bpy.app.translations.pgettext_iface(panel.bl_label, panel.bl_translation_context) == "Fixierungen"
    yield from move(*robot.pixel_of(name, "panda_link6"))
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    yield from move(pointer()[0] - 300, pointer()[1] + 10)
    yield from settle()
    status = package("ui.status")
    line = status.line(bpy.context.scene, package("api").session(), ["M: Method (AUTO)", "Space: Search Elsewhere"])
    assert "Kette aus" in line
    assert line.endswith("M: Verfahren (AUTO)   |   Leertaste: Anderswo suchen")
    yield 0.3
    screenshot("drag-german")
    yield from press("ESC")
    view.language = "en_US"
    yield 0.3
    assert texts.tr("{length} to go") == "{length} to go"
    with viewport().override():
        bpy.ops.screen.screen_full_area()
    yield 0.1
