"""The pictures of the documentation, made as a user would see them; `docs/` holds copies that were looked at.

Each :func:`picture` is one, under the name that it has in `docs/`. Copies are made by hand:
``cp out/gui/blender-…/picture-tool.png docs/tool.png``.
"""

from __future__ import annotations

import bpy
from inside import character, robot, sidebar, subjects
from inside.robot import grab, settle
from inside.window import (
    Job,
    Steps,
    look,
    move,
    package,
    pixel,
    pixels,
    pointer,
    press,
    running,
    viewport,
)
from mathutils import Vector
from screen import save_png

ARM = tuple(f"panda_joint{i}" for i in range(1, 8))
READY = dict(zip(ARM, (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.785), strict=True))

XACRO = """<robot name="lamp" xmlns:xacro="http://wiki.ros.org/xacro">
  <xacro:arg name="prefix" default="left_"/>
  <xacro:arg name="arm_length" default="0.4"/>
  <link name="$(arg prefix)base"/>
</robot>
"""

# Everything that is wrong here is put right or left out, and told.
FAULTY = """<robot name="lamp">
  <link name="base">
    <visual><geometry><cylinder radius="0.1" length="0.05"/></geometry><material name="steel"/></visual>
  </link>
  <link name="arm">
    <visual><origin xyz="0 0 0.2"/><geometry><box size="0.04 0.04 0.4"/></geometry></visual>
  </link>
  <link name="shade">
    <visual><geometry><cylinder radius="0.12" length="0.1"/></geometry></visual>
  </link>
  <joint name="lean" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="1.2" upper="-0.6" effort="1" velocity="1"/>
  </joint>
  <joint name="tilt" type="revolute">
    <parent link="arm"/><child link="shade"/><origin xyz="0 0 0.4"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="leen"/>
  </joint>
</robot>
"""


def picture(name: str, box: tuple[int, int, int, int] | None = None) -> None:
    """Keep the screen as last drawn, or a part of it: left, bottom, right, top in window pixels."""
    shown = pixels()
    left, bottom, right, top = box or (0, 0, shown.shape[1], shown.shape[0])
    assert 0 <= left < right <= shown.shape[1], box
    assert 0 <= bottom < top <= shown.shape[0], box
    save_png(shown[bottom:top, left:right][::-1], Job.pictures / f"picture-{name}.png")


def fill_window() -> None:
    """The viewport fills the window; called again it does so no longer."""
    with viewport().override():
        bpy.ops.screen.screen_full_area()


def part() -> tuple[int, int, int, int]:
    """The window without its right and its bottom, where there is nothing to see."""
    return 0, viewport().region.y + 60, 700, 650


def bar() -> tuple[int, int, int, int]:
    """The sidebar."""
    shown = sidebar.region()
    return shown.x, shown.y, shown.x + shown.width, shown.y + shown.height


def stage() -> str:
    """The Panda alone in a viewport that fills the window."""
    bpy.context.preferences.system.viewport_aa = "8"
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    fill_window()
    space = viewport().space
    space.shading.show_cavity = True
    space.shading.show_shadows = True
    space.overlay.show_relationship_lines = False
    bpy.data.objects[name].select_set(False)
    bpy.context.view_layer.objects.active = None
    return name


def leave() -> Steps:
    """Cancel the drag, and give the window back."""
    yield from press("ESC")
    fill_window()
    yield


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
    picture("drag")
    assert session.solution is not None
    yield from leave()


def test_picture_of_a_target_out_of_reach() -> Steps:
    name = stage()
    yield 0.3
    look((0.5, 0.0, 0.5), 2.6, azimuth=-90, elevation=8)
    yield
    yield from grab(name, "panda_hand")
    session = package("api").session()
    yield from move(*pixel(Vector(session.target) + Vector((0.75, 0.0, 0.15))), steps=6)
    yield from settle()
    yield 0.3
    picture("out-of-reach")
    assert session.status in {"OUT_OF_REACH", "AT_LIMITS"}, session.status
    yield from leave()


def test_picture_of_joints_at_limits() -> Steps:
    name = stage()
    yield 0.3
    look((0.2, 0.0, 0.45), 1.6, azimuth=-90, elevation=10)
    yield
    yield from grab(name, "panda_link4")
    session = package("api").session()
    yield from move(*pixel(Vector((0.2, 0.0, 0.08))), steps=6)
    yield from settle()
    yield 0.3
    picture("at-limits", part())
    assert session.solution.limited
    yield from leave()


def test_picture_of_an_axis_and_a_number() -> Steps:
    name = stage()
    yield 0.3
    look((0.35, 0.0, 0.45), 1.5, azimuth=-60, elevation=18)
    yield
    yield from grab(name, "panda_hand")
    session = package("api").session()
    yield from press("X")
    yield from subjects.text("12cm")
    yield from settle()
    yield 0.3
    assert abs(session.target[0] - session.aiming.start[0] - 0.12) < 1e-6
    picture("numbers", part())
    yield from leave()


def test_picture_of_a_turn() -> Steps:
    name = stage()
    yield 0.3
    look((0.4, 0.0, 0.5), 1.2, azimuth=-60, elevation=18)
    yield
    yield from grab(name, "panda_hand")
    session = package("api").session()
    yield from press("R")
    yield from press("R")
    yield from press("Z")
    x, y = pixel(session.handle)
    yield from move(x + 120, y, steps=2)
    yield from move(x + 90, y + 80, steps=6)
    yield from settle()
    yield 0.3
    assert session.turning
    picture("turn", part())
    yield from leave()


def test_picture_of_a_collision() -> Steps:
    name = stage()
    bpy.ops.mesh.primitive_cube_add(size=0.25, location=(0.55, 0.0, 0.18))
    block = bpy.context.object
    block.name = "table"
    block.select_set(True)
    bpy.ops.linkpose.mark_obstacles()
    block.select_set(False)
    look((0.35, 0.0, 0.35), 1.6, azimuth=-60, elevation=15)
    yield
    yield from grab(name, "panda_hand")
    session = package("api").session()
    yield from move(*pixel(Vector((0.5, 0.0, 0.22))), steps=5)
    yield from settle()
    yield lambda: any("table" in pair for pair in session.collisions)
    yield 0.5
    picture("collision", part())
    yield from leave()


def test_picture_of_the_tool() -> Steps:
    name = stage()
    with viewport().override():
        bpy.ops.wm.tool_set_by_id(name="linkpose.tool")
    yield 0.3
    look((0.3, 0.0, 0.45), 1.8, azimuth=-50, elevation=15)
    yield
    yield from move(*robot.pixel_of(name, "panda_link5"))
    yield lambda: package("ui.hover").hovered()[0] is not None
    yield 0.5
    picture("tool", part())
    with viewport().override():
        bpy.ops.wm.tool_set_by_id(name="builtin.select_box")
    fill_window()
    yield


def test_picture_of_a_character_with_pinned_feet() -> Steps:
    bpy.context.preferences.system.viewport_aa = "8"
    name = character.metarig(basic=True)
    robot.enter(name, "POSE")
    armature = bpy.data.objects[name]
    for side in "LR":
        armature.pose.bones[f"foot.{side}"].linkpose_pin = "WHOLE"
    fill_window()
    yield 0.3
    look((0.0, 0.0, 0.75), 2.6, azimuth=-65, elevation=8)
    yield
    hips = armature.pose.bones["spine"]
    yield from move(*pixel(hips.head.lerp(hips.tail, 0.6)))
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    session = package("api").session()
    x, y = pointer()
    yield from move(x + 10, y - 55, steps=5)
    yield from settle()
    yield 0.3
    assert session.grip.bone == "spine"
    assert len(session.pinned) == 2
    picture("pins", part())
    yield from leave()


def test_picture_of_the_chain_panel() -> Steps:
    name = character.metarig(basic=True)
    armature = bpy.data.objects[name]
    armature.pose.bones["shoulder.L"].linkpose_anchor = "ALWAYS"
    armature.pose.bones["upper_arm.L"].lock_rotation[1] = True
    limit = armature.pose.bones["forearm.L"].constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x, limit.max_x = "LOCAL", True, 2.4
    sidebar.only("LINKPOSE_PT_chain")
    try:
        fill_window()
        look((0.2, 0.0, 1.1), 2.4, azimuth=-80, elevation=5)
        robot.enter(name, "POSE")
        armature.data.bones.active = armature.data.bones["forearm.L"]
        yield from sidebar.show_tab()
        yield lambda: package("ui.chain_panel")._reports.latest is not None
        yield 0.5
        picture("chain", bar())
    finally:
        sidebar.restore()
        viewport().space.show_region_ui = False
        fill_window()
    yield


def test_picture_of_the_joints_panel() -> Steps:
    name = stage()
    armature = bpy.data.objects[name]
    sidebar.only("LINKPOSE_PT_joints")
    try:
        look((0.2, 0.0, 0.45), 1.9, azimuth=-55, elevation=14)
        bpy.context.view_layer.objects.active = armature
        armature.data.bones.active = armature.data.bones["panda_hand"]
        package("api").set_pose(armature, {"panda_joint1": 0.4}, frame=1)
        yield from sidebar.show_tab()
        yield 0.5
        picture("sidebar", bar())
    finally:
        sidebar.restore()
        viewport().space.show_region_ui = False
        fill_window()
    yield


def test_picture_of_the_options_of_an_import() -> Steps:
    file = Job.work / "lamp.urdf.xacro"
    file.write_text(XACRO, encoding="utf-8")
    yield from move(450, 325)
    with viewport().override():
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=str(file.parent), files=[{"name": file.name}])
    yield 0.5
    picture("import", (130, 90, 530, 400))
    yield from press("ESC")


def test_picture_of_what_an_import_says() -> Steps:
    file = Job.work / "lamp.urdf"
    file.write_text(FAULTY, encoding="utf-8")
    sidebar.only("LINKPOSE_PT_import")
    try:
        fill_window()
        with viewport().override():
            report = package("api").import_urdf(file)
        assert len(report.warnings) == 3, report.warnings
        bpy.context.view_layer.objects.active = report.armature
        look((0.0, 0.0, 0.25), 1.2, azimuth=-60, elevation=15)
        yield from sidebar.show_tab()
        yield 0.3
        picture("report", bar())
    finally:
        sidebar.restore()
        viewport().space.show_region_ui = False
        fill_window()
    yield
