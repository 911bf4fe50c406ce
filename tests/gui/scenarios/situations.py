"""The drag among other robots, other views, other windows, and objects that are in the way."""

from __future__ import annotations

import math
from pathlib import Path
from tempfile import TemporaryDirectory

import bpy
from inside import character, robot, window
from inside.robot import grab, settle
from inside.traces import left_behind
from inside.window import Steps, click, look, move, package, pixel, pointer, press, running, viewport
from mathutils import Vector

HAND = "panda_hand"
ARM = tuple(f"panda_joint{i}" for i in range(1, 8))
READY = dict(zip(ARM, (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.785), strict=True))


def ready() -> str:
    """The Panda with a bent arm, seen whole."""
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    return name


def drag_follows(name: str, dx: int = 40, dy: int = -30) -> Steps:
    """The drag that is running brings the hand to its target."""
    session = package("api").session()
    assert session.grip.armature == name, session.grip.armature
    yield from move(pointer()[0] + dx, pointer()[1] + dy)
    yield from settle()
    bpy.context.view_layer.update()
    miss = (robot.link_box_centre(name, HAND) - Vector(session.target)).length
    assert miss <= 1e-3 * robot.size(name), (miss, session.solution)


def test_of_two_equal_robots_the_one_under_the_pointer_is_dragged() -> Steps:
    first = ready()
    second = robot.panda()
    bpy.data.objects[second].location = (0.0, 1.0, 0.0)
    package("api").set_pose(bpy.data.objects[second], READY)
    look((0.2, 0.5, 0.45), 3.0, azimuth=0, elevation=20)
    yield
    for name, other in ((first, second), (second, first)):
        before = robot.channels(other)
        yield from move(*pixel_of_hand(name))
        yield from press("J")
        yield lambda: running("LINKPOSE_OT_drag")
        yield from drag_follows(name)
        yield from press("RET")
        assert robot.channels(other) == before


def pixel_of_hand(name: str) -> tuple[int, int]:
    """A pixel that shows this robot's hand, and not its twin's."""
    x, y = pixel(robot.link_box_centre(name, HAND))
    for radius in range(0, 80, 3):
        for dx, dy in ((radius, 0), (-radius, 0), (0, radius), (0, -radius)):
            at = (round(x + dx), round(y + dy))
            origin, direction = window.ray(*at)
            depsgraph = bpy.context.evaluated_depsgraph_get()
            found, _, _, _, mesh, _ = bpy.context.scene.ray_cast(depsgraph, origin, direction)
            if found and mesh.parent_bone == HAND and mesh.parent.name == name:
                return at
    raise AssertionError(f"no pixel shows the hand of {name}")


def test_with_two_armatures_in_pose_mode_either_is_dragged() -> Steps:
    first = character.arm()
    second = character.arm()
    bpy.data.objects[second].location = (0.8, 0.0, 0.0)
    look((0.4, 0.0, 0.7), 4.0, azimuth=-90, elevation=0)
    for name in (first, second):
        bpy.data.objects[name].select_set(True)
    robot.enter(first, "POSE")
    assert len(bpy.context.objects_in_mode) == 2
    yield
    for name, other in ((first, second), (second, first)):
        before = robot.channels(other)
        armature = bpy.data.objects[name]
        posed = armature.pose.bones["bone.4"]
        yield from move(*pixel(armature.matrix_world @ (posed.head * 0.3 + posed.tail * 0.7)))
        yield from press("J")
        yield lambda: running("LINKPOSE_OT_drag")
        session = package("api").session()
        assert session.grip.armature == name
        yield from move(pointer()[0] + 40, pointer()[1] - 60)
        yield from settle()
        assert (character.tail(name, "bone.4") - Vector(session.target)).length < 1e-3 * character.span(name)
        yield from press("RET")
        assert robot.channels(other) == before
        assert robot.keys(name)
        assert not robot.keys(other) or other == first


def linked_panda(folder: Path) -> str:
    """The Panda linked from a file, seen whole."""
    ready()
    file = folder / "robot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file), copy=True)
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(str(file), link=True) as (source, target):
        target.collections = [name for name in source.collections if "panda" in name.lower()]
    for collection in target.collections:
        bpy.context.scene.collection.children.link(collection)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    return next(ob.name for ob in bpy.context.scene.objects if ob.type == "ARMATURE")


def test_a_linked_robot_is_refused_with_the_reason_and_its_override_is_dragged() -> Steps:
    with TemporaryDirectory() as folder:
        name = linked_panda(Path(folder))
        yield 0.3
        traces = left_behind()
        yield from move(*robot.pixel_of(name, HAND))
        yield from press("J")
        yield
        assert not running("LINKPOSE_OT_drag")
        assert left_behind() == traces
        refused = ""
        try:
            package("api").set_pose(bpy.data.objects[name], READY)
        except package("errors").LinkposeError as error:
            refused = str(error)
        assert "library override" in refused, refused
        collection = next(one for one in bpy.data.collections if one.library is not None)
        collection.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
        for child in [c for c in bpy.context.scene.collection.children if c.library is not None]:
            bpy.context.scene.collection.children.unlink(child)
        override = next(ob for ob in bpy.context.scene.objects if ob.type == "ARMATURE" and ob.override_library)
        yield 0.3
        before = robot.channels(override.name)
        yield from grab(override.name, HAND)
        yield from drag_follows(override.name)
        yield from press("RET")
        assert robot.channels(override.name) != before
        assert robot.keys(override.name)


def test_hidden_and_unselectable_objects_are_not_in_the_way() -> Steps:
    name = ready()
    shields = []
    for _ in range(3):
        bpy.ops.mesh.primitive_plane_add(size=4, location=(0.9, -0.9, 0.5), rotation=(math.radians(90), 0, 0.8))
        shields.append(bpy.context.object)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    shields[0].hide_set(True)
    shields[1].hide_select = True
    shields[2].display_type = "WIRE"
    yield
    bpy.context.view_layer.update()
    for shield in shields:
        shield.hide_viewport = True
    at = robot.pixel_of(name, HAND)
    for shield in shields:
        shield.hide_viewport = False
    shields[0].hide_set(True)
    yield
    yield from move(*at)
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    assert package("api").session().grip.bone == HAND
    yield from drag_follows(name)
    yield from press("ESC")


def test_in_local_view_what_is_not_shown_is_not_in_the_way() -> Steps:
    name = ready()
    at = robot.pixel_of(name, HAND)
    bpy.ops.mesh.primitive_cube_add(size=0.5, location=robot.hit(*at) + (window.ray(*at)[0] - robot.hit(*at)) * 0.4)
    shield = bpy.context.object.name
    yield
    assert robot.shown_bone(*at) == ""
    for ob in bpy.context.scene.objects:
        ob.select_set(ob.name != shield)
    with viewport().override():
        bpy.ops.view3d.localview(frame_selected=False)
    yield
    yield from move(*at)
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    assert package("api").session().grip.bone == HAND
    yield from drag_follows(name)
    yield from press("ESC")
    with viewport().override():
        bpy.ops.view3d.localview(frame_selected=False)


def in_camera(kind: str) -> Steps:
    """A drag in the view through a camera of a kind."""
    name = ready()
    data = bpy.data.cameras.new("Camera")
    data.type, data.ortho_scale = kind, 1.2
    camera = bpy.data.objects.new("Camera", data)
    bpy.context.scene.collection.objects.link(camera)
    place = Vector((1.6, -1.8, 1.0))
    camera.location = place
    camera.rotation_euler = (Vector((0.25, 0.0, 0.4)) - place).to_track_quat("-Z", "Y").to_euler()
    bpy.context.scene.camera = camera
    view = viewport()
    view.region_3d.view_perspective = "CAMERA"
    view.region_3d.update()
    view.area.tag_redraw()
    yield 0.3
    yield from grab(name, HAND)
    session = package("api").session()
    plane = robot.hit(*pointer())
    before = pointer()
    yield from drag_follows(name)
    # One pixel in the plane of the drag is as wide for the target as Blender shows it.
    shown = Vector(pixel(Vector(session.target))) - Vector(pixel(plane))
    assert (shown - (Vector(pointer()) - Vector(before))).length < 40
    moved = Vector(pixel(plane + (Vector(session.target) - Vector(session.handle)))) - Vector(pixel(plane))
    assert moved.length < 2
    yield from press("RET")
    assert robot.keys(name)


def test_it_works_through_a_perspective_camera() -> Steps:
    yield from in_camera("PERSP")


def test_it_works_through_an_orthographic_camera() -> Steps:
    yield from in_camera("ORTHO")


def test_it_works_in_each_quarter_of_a_quad_view() -> Steps:
    name = ready()
    with viewport().override():
        bpy.ops.screen.region_quadview()
    yield 0.3
    area = viewport().area
    quarters = [region for region in area.regions if region.type == "WINDOW"]
    assert len(quarters) == 4
    for region in quarters:
        view = region.data
        view.view_location, view.view_distance = (0.2, 0.0, 0.45), 2.5
        view.update()
    yield 0.3
    view_module = package("rig.view")
    for region in quarters:
        before = robot.channels(name)
        seen = view_module.read(area, region)
        at = seen.project(robot.link_box_centre(name, HAND))
        yield from move(region.x + at[0], region.y + at[1])
        yield from press("J")
        yield lambda: running("LINKPOSE_OT_drag")
        session = package("api").session()
        handle = Vector(session.handle)
        yield from move(pointer()[0] + 15, pointer()[1] - 10)
        yield from settle()
        # In this quarter the target has gone as far on screen as the pointer.
        a, b = seen.project(handle), seen.project(Vector(session.target))
        assert math.hypot(b[0] - a[0] - 15, b[1] - a[1] + 10) < 2, (a, b)
        yield from press("ESC")
        assert robot.channels(name) == before
    with viewport().override():
        bpy.ops.screen.region_quadview()
    yield


def test_a_second_window_has_drags_of_its_own() -> Steps:
    name = ready()
    bpy.ops.wm.window_new()
    yield 0.5
    first, second = bpy.context.window_manager.windows[:2]
    assert first != second
    yield from grab(name, HAND)
    # What happens in the other window neither moves nor ends it.
    target = tuple(package("api").session().target)
    second.event_simulate(type="MOUSEMOVE", value="NOTHING", x=50, y=50)
    yield
    second.event_simulate(type="ESC", value="PRESS", x=50, y=50)
    yield
    second.event_simulate(type="ESC", value="RELEASE", x=50, y=50)
    yield
    assert running("LINKPOSE_OT_drag")
    assert tuple(package("api").session().target) == target
    yield from drag_follows(name)
    yield from press("ESC")
    with bpy.context.temp_override(window=second):
        bpy.ops.wm.window_close()
    yield 0.3


def test_after_navigation_nothing_moves_until_the_pointer_does() -> Steps:
    name = ready()
    yield from grab(name, HAND)
    yield from drag_follows(name)
    session = package("api").session()
    posed, target = robot.channels(name), Vector(session.target)
    view = viewport().region_3d
    rotation = view.view_rotation.copy()
    yield from window.hold("MIDDLEMOUSE")
    yield from move(pointer()[0] + 60, pointer()[1] + 25)
    yield from window.release("MIDDLEMOUSE")
    yield 0.2
    assert running("LINKPOSE_OT_drag")
    assert (view.view_rotation @ Vector((0, 0, 1)) - rotation @ Vector((0, 0, 1))).length > 0.05, "the view stands"
    assert (Vector(session.target) - target).length < 1e-5
    assert robot.channels(name) == posed
    yield from drag_follows(name, 20, 20)
    assert robot.channels(name) != posed
    yield from press("ESC")


def test_the_depth_follows_ctrl_up_and_down_too() -> Steps:
    name = ready()
    yield from grab(name, HAND)
    session = package("api").session()
    start = Vector(session.target)
    yield from press("UP_ARROW", ctrl=True)
    away = Vector(session.target) - start
    assert away.dot(robot.forward()) > 0.05, away
    yield from press("DOWN_ARROW", ctrl=True)
    yield from press("UP_ARROW")
    back = (Vector(session.target) - start).dot(robot.forward())
    assert abs(back) < 0.1 * away.length, back
    yield from press("ESC")


def test_a_click_confirms() -> Steps:
    name = ready()
    selected = [ob.name for ob in bpy.context.selected_objects]
    yield from grab(name, HAND)
    yield from drag_follows(name)
    yield from click("LEFTMOUSE")
    assert not running("LINKPOSE_OT_drag")
    assert robot.keys(name)
    assert [ob.name for ob in bpy.context.selected_objects] == selected


def test_a_running_animation_is_no_time_to_start() -> Steps:
    name = ready()
    yield from move(*robot.pixel_of(name, HAND))
    with viewport().override():
        bpy.ops.screen.animation_play()
    yield from press("J")
    yield 0.2
    assert not running("LINKPOSE_OT_drag")
    with viewport().override():
        bpy.ops.screen.animation_cancel()
    yield


def test_what_a_clipping_region_hides_is_not_in_the_way() -> Steps:
    name = ready()
    at = robot.pixel_of(name, HAND)
    eye, direction = window.ray(*at)
    grip = robot.hit(*at)
    bpy.ops.mesh.primitive_cube_add(size=0.3, location=grip - direction * 0.8)
    view = viewport().region_3d
    yield
    assert robot.shown_bone(*at) == ""
    # The far side of a plane between the cube and the hand, four times over.
    border = grip - direction * 0.4
    view.clip_planes = [(*direction, -direction.dot(border))] * 6
    view.use_clip_planes = True
    yield
    assert (eye - border).dot(direction) < 0
    yield from move(*at)
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    assert package("api").session().grip.bone == HAND
    yield from press("ESC")
    view.use_clip_planes = False


def test_a_robot_is_dragged_in_a_second_window() -> Steps:
    name = ready()
    bpy.ops.wm.window_new_main()
    yield 0.5
    second = bpy.context.window_manager.windows[-1]
    first_window = window.window
    window.window = lambda: bpy.context.window_manager.windows[-1]
    try:
        look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
        yield 0.3
        traces = left_behind()
        yield from grab(name, HAND)
        assert [len(one.modal_operators) for one in bpy.context.window_manager.windows] == [0, 1]
        yield from drag_follows(name)
        yield from press("RET")
        assert robot.keys(name)
        # Closed in the middle of the next drag, the window takes the drag with it.
        before = robot.channels(name)
        yield from grab(name, HAND)
        yield from drag_follows(name, -20, 20)
        with bpy.context.temp_override(window=second):
            bpy.ops.wm.window_close()
        yield 0.3
    finally:
        window.window = first_window
    assert robot.channels(name) == before
    assert left_behind() == traces
