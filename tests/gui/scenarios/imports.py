"""Importing in a window: options, progress, Esc, undo, reading again, the report in the sidebar."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy
from inside import robot
from inside.window import Job, Steps, example_robot_data, look, move, package, press, running, screenshot, viewport

IMPORT, RELOAD = "LINKPOSE_OT_import_urdf", "LINKPOSE_OT_reload_urdf"


def romeo() -> Path:
    """A robot whose meshes take about a second."""
    return example_robot_data() / "romeo_description" / "urdf" / "romeo_small.urdf"


def blocks() -> dict[str, list[str]]:
    """Names of all data-blocks that importing could make."""
    kinds = ("actions", "armatures", "collections", "images", "materials", "meshes", "objects", "scenes", "texts")
    return {kind: sorted(block.name for block in getattr(bpy.data, kind)) for kind in kinds}


def push(message: str) -> None:
    with viewport().override():
        bpy.ops.ed.undo_push(message=message)


def begin(file: Path, **options: object) -> None:
    """Start the import as the dialogs do when they are confirmed."""
    with viewport().override():
        bpy.ops.linkpose.import_urdf("INVOKE_DEFAULT", filepath=str(file), asked=True, **options)


@contextmanager
def slowly() -> Iterator[None]:
    """One mesh file for each tick, so that what is done meanwhile comes in time."""
    running_jobs = package("operators.running")
    before, running_jobs.SLICE = running_jobs.SLICE, 0.0
    try:
        yield
    finally:
        running_jobs.SLICE = before


def test_an_import_runs_beside_the_window_and_is_one_undo_step() -> Steps:
    push("Before the import")
    before = blocks()
    yield from move(300, 300)
    begin(romeo())
    assert running(IMPORT)
    yield lambda: not running(IMPORT)
    after = blocks()
    assert "romeo" in {name.lower()[:5] for name in after["armatures"]}, after["armatures"]
    assert len(after["meshes"]) > 10
    yield 0.3
    yield from press("Z", ctrl=True)
    yield 0.2
    assert blocks() == before
    yield from press("Z", ctrl=True, shift=True)
    yield 0.2
    assert blocks() == after


def test_esc_stops_an_import_and_nothing_of_it_stays() -> Steps:
    before = blocks()
    yield from move(300, 300)
    with slowly():
        begin(romeo())
        yield lambda: len(bpy.data.meshes) > 1
        screenshot("import-progress")
        assert running(IMPORT)
        yield from press("ESC")
        yield 0.2
    assert not running(IMPORT)
    assert blocks() == before


def test_opening_a_file_ends_an_import() -> Steps:
    with slowly():
        begin(romeo())
        yield lambda: len(bpy.data.meshes) > 1
        assert running(IMPORT)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    yield 0.2
    assert not running(IMPORT)
    assert not package("operators.running")._running
    assert not bpy.data.meshes


def test_a_dropped_file_asks_for_options_first() -> Steps:
    file = example_robot_data() / "panda_description" / "urdf" / "panda.urdf"
    yield from move(450, 325)
    with viewport().override():
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=str(file.parent), files=[{"name": file.name}])
    yield 0.4
    screenshot("import-options")
    assert not bpy.data.armatures
    yield from press("RET")
    yield lambda: "panda" in bpy.data.objects and not running(IMPORT)
    yield 0.2


def drop(*files: Path) -> None:
    with viewport().override():
        names = [{"name": file.name} for file in files]
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=str(files[0].parent), files=names)


def test_esc_in_the_options_of_dropped_files_leaves_nothing_and_a_broken_one_does_not_stop_the_others() -> Steps:
    files = [Job.work / f"{name}.urdf" for name in ("first", "broken", "last")]
    for file in files:
        link = "<link/>" if file.stem == "broken" else '<link name="a"/>'
        file.write_text(f'<robot name="{file.stem}">{link}</robot>', encoding="utf-8")
    push("Before the drop")
    before = blocks()
    yield from move(450, 325)
    for answer in ("ESC", "RET"):
        drop(*files)
        yield 0.4
        screenshot(f"import-several-{answer.lower()}")
        assert blocks() == before
        yield from press(answer)
        yield 0.4
        yield lambda: not running(IMPORT)
    yield 0.3
    assert {"first", "last"} <= set(bpy.data.objects.keys())
    assert "broken" not in bpy.data.objects
    screenshot("import-several-told")
    yield from press("ESC")
    yield from press("Z", ctrl=True)
    yield 0.3
    assert blocks() == before


def test_a_dropped_xacro_shows_its_arguments_and_asks_before_it_is_expanded() -> Steps:
    file = Job.work / "dropped.xacro"
    file.write_text(
        '<robot name="dropped" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="tool" default="cup"/>'
        '<link name="$(arg tool)${1 + 1}"/></robot>',
        encoding="utf-8",
    )
    yield from move(450, 325)
    for answers in (("ESC",), ("RET", "ESC"), ("RET", "RET")):
        drop(file)
        for number, answer in enumerate(answers):
            yield 0.4
            screenshot(f"drop-xacro-{number}")
            assert "dropped" not in bpy.data.objects
            yield from press(answer)
            yield lambda: not running(IMPORT)
        yield 0.4
        yield lambda: not running(IMPORT)
    assert [bone.name for bone in bpy.data.objects["dropped"].data.bones] == ["cup2"]


def test_colours_are_found_in_a_blender_of_another_language() -> Steps:
    file = Job.work / "red.urdf"
    box = (
        '<visual><geometry><box size="1 1 1"/></geometry><material name="m"><color rgba="1 0 0 1"/></material></visual>'
    )
    file.write_text(f'<robot name="red"><link name="a">{box}</link></robot>', encoding="utf-8")
    view = bpy.context.preferences.view
    languages = [name for name in ("de_DE", "ja_JP", "zh_HANS") if name in bpy.app.translations.locales]
    print("languages:", languages)
    before = view.language
    try:
        for language in languages:
            view.language = language
            view.use_translate_new_dataname = True
            yield 0.2
            begin(file)
            yield lambda: "red" in bpy.data.objects and not running(IMPORT)
            (shape,) = bpy.data.objects["red"].children
            material = shape.material_slots[0].material
            assert tuple(material.diffuse_color) == (1, 0, 0, 1)
            (node,) = (node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
            print(language, node.name)
            assert tuple(node.inputs[0].default_value) == (1, 0, 0, 1)
            for item in (shape, bpy.data.objects["red"]):
                bpy.data.objects.remove(item)
    finally:
        view.language = before


def test_the_file_dialog_leads_to_the_same_import_and_it_can_be_repeated() -> Steps:
    file = example_robot_data() / "ur_description" / "urdf" / "ur5_robot.urdf"
    yield from move(300, 300)
    with viewport().override():
        bpy.ops.linkpose.import_urdf("INVOKE_DEFAULT")

    def browser() -> tuple[bpy.types.Window, bpy.types.Area] | None:
        windows = bpy.context.window_manager.windows
        found = [(one, area) for one in windows for area in one.screen.areas if area.type == "FILE_BROWSER"]
        return next(iter(found), None)

    yield browser
    yield 0.5
    dialog, area = browser()
    area.spaces.active.params.directory = str(file.parent).encode()
    area.spaces.active.params.filename = file.name
    yield 0.5
    with bpy.context.temp_override(window=dialog, area=area, region=area.regions[-1]):
        bpy.ops.file.execute()
    yield lambda: len(bpy.data.armatures) == 1 and not running(IMPORT)
    yield 0.3
    yield from move(320, 320)
    yield from press("R", shift=True)
    yield 0.5
    assert len(bpy.data.armatures) == 2, sorted(block.name for block in bpy.data.armatures)
    yield from press("Z", ctrl=True)
    yield 0.3
    assert len(bpy.data.armatures) == 1


def test_a_xacro_file_is_expanded_only_after_a_yes() -> Steps:
    file = Job.work / "made.xacro"
    file.write_text(
        '<robot name="made" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="tool" default="cup"/>'
        '<link name="$(arg tool)${1 + 1}"/></robot>',
        encoding="utf-8",
    )
    yield from move(450, 325)
    for answer in ("ESC", "RET"):
        begin(file, xacro_args="tool:=fork")
        yield lambda: not running(IMPORT)
        yield 0.4
        screenshot(f"import-question-{answer.lower()}")
        assert "made" not in bpy.data.objects
        yield from press(answer)
        yield 0.4
        yield lambda: not running(IMPORT)
    assert [bone.name for bone in bpy.data.objects["made"].data.bones] == ["fork2"]


def test_a_robot_is_read_again_in_pose_mode_and_ctrl_z_takes_it_back() -> Steps:
    source = example_robot_data() / "panda_description" / "urdf" / "panda.urdf"
    copy = Job.work / "panda_copy.urdf"
    folder = example_robot_data()
    shutil.copy(source, copy)
    begin(copy, package_folders=str(folder))
    yield lambda: "panda" in bpy.data.objects and not running(IMPORT)
    package("api").set_pose(bpy.data.objects["panda"], {"panda_joint2": 0.5}, frame=1)
    robot.enter("panda", "POSE")
    text = copy.read_text(encoding="utf-8")
    extra = '<link name="cup"/><joint name="held" type="fixed"><parent link="panda_hand"/><child link="cup"/></joint>'
    copy.write_text(text.replace("</robot>", f"{extra}</robot>"), encoding="utf-8")
    before, keys = blocks(), robot.keys("panda")
    yield from move(300, 300)
    with viewport().override():
        bpy.ops.linkpose.reload_urdf("INVOKE_DEFAULT")
    yield lambda: not running(RELOAD)
    armature = bpy.data.objects["panda"]
    assert "cup" in armature.data.bones
    assert armature.mode == "POSE"
    assert robot.keys("panda") == keys
    assert abs(package("api").get_pose(armature)["panda_joint2"] - 0.5) < 1e-6
    assert blocks() == before
    yield 0.2
    yield from press("Z", ctrl=True)
    yield 0.3
    assert "cup" not in bpy.data.objects["panda"].data.bones
    assert blocks() == before


def test_reading_a_xacro_file_again_asks_too() -> Steps:
    file = Job.work / "again.xacro"
    text = '<robot name="again" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="a${1 + 1}"/>%s</robot>'
    joint = '<joint name="held" type="fixed"><parent link="a2"/><child link="b6"/></joint>'
    file.write_text(text % "", encoding="utf-8")
    begin(file, allow_code=True)
    yield lambda: "again" in bpy.data.objects and not running(IMPORT)
    file.write_text(text % ('<link name="b${2 * 3}"/>' + joint), encoding="utf-8")
    yield from move(450, 325)
    for answer, bones in (("ESC", ["a2"]), ("RET", ["a2", "b6"])):
        with viewport().override():
            bpy.ops.linkpose.reload_urdf("INVOKE_DEFAULT")
        yield lambda: not running(RELOAD)
        yield 0.4
        screenshot(f"reload-question-{answer.lower()}")
        assert [bone.name for bone in bpy.data.objects["again"].data.bones] == ["a2"]
        yield from press(answer)
        yield 0.4
        yield lambda: not running(RELOAD)
        yield 0.2
        assert [bone.name for bone in bpy.data.objects["again"].data.bones] == bones
    yield from press("Z", ctrl=True)
    yield 0.3
    assert [bone.name for bone in bpy.data.objects["again"].data.bones] == ["a2"]


def test_the_sidebar_shows_what_was_said_about_the_import() -> Steps:
    file = Job.work / "lame.urdf"
    shape = '<visual><geometry><mesh filename="package://lost/leg.stl"/></geometry></visual>'
    box = '<visual><geometry><box size="1 1 1"/></geometry><material name="undefined"/></visual>'
    file.write_text(f'<robot name="lame"><link name="a">{shape}{box}</link></robot>', encoding="utf-8")
    begin(file)
    yield lambda: "lame" in bpy.data.objects and not running(IMPORT)
    look((0, 0, 0), 6)
    viewport().space.show_region_ui = True
    sidebar = next(region for region in viewport().area.regions if region.type == "UI")
    yield 0.3
    if hasattr(sidebar, "active_panel_category"):
        sidebar.active_panel_category = "Linkpose"
    yield 0.5
    screenshot("import-report")
    assert len(package("rig.import_record").read(bpy.data.objects["lame"]).warnings) == 2
