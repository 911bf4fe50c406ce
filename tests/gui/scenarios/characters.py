"""The same drag on armatures that are no robots, without any set-up."""

from __future__ import annotations

import bpy
from inside import character, robot
from inside.robot import settle
from inside.window import Steps, look, move, package, pixel, pointer, press, rigs, running, screenshot
from mathutils import Vector


def grab_bone(name: str, bone: str) -> Steps:
    """Point at the bare bone, nearer to its tail, and press J."""
    armature = bpy.data.objects[name]
    posed = armature.pose.bones[bone]
    yield from move(*pixel(armature.matrix_world @ (posed.head * 0.35 + posed.tail * 0.65)))
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    session = package("api").session()
    assert session.grip.bone == bone, f"{session.grip.bone} was picked, not {bone}"


def drag_reaches(name: str, bone: str, by: tuple[float, float, float]) -> Steps:
    """Drag a bone by a world vector within reach; check it, confirm, undo."""
    api = package("api")
    before = robot.channels(name)
    modes = {posed.name: posed.rotation_mode for posed in bpy.data.objects[name].pose.bones}
    yield from grab_bone(name, bone)
    session = api.session()
    x, y = pixel(Vector(session.target) + Vector(by))
    start = pixel(session.target)
    yield from move(pointer()[0] + x - start[0], pointer()[1] + y - start[1], steps=12)
    yield from settle()
    bpy.context.view_layer.update()
    miss = (character.tail(name, bone) - Vector(session.target)).length
    screenshot(f"character-{name.lower()}-{bone}")
    assert miss <= 1e-3 * character.span(name), (miss, session.status, session.solution)
    chain = {session.taken.rig.channels[unknown].bone for unknown in session.chain}
    yield from press("RET")
    after = robot.channels(name)
    for other, values in after.items():
        changed = [i for i, (a, b) in enumerate(zip(values, before[other], strict=True)) if a != b]
        if other not in chain:
            assert not changed, (other, before[other], values)
        mode = modes.get(other, "")
        turned = {"QUATERNION": 1, "AXIS_ANGLE": 3}.get(mode, 2)
        assert set(changed) <= {turned}, (other, mode, before[other], values)
    assert {posed.name: posed.rotation_mode for posed in bpy.data.objects[name].pose.bones} == modes


def test_five_bones_in_all_kinds_of_rotation_modes_are_dragged() -> Steps:
    name = character.arm()
    look((0.0, 0.0, 0.7), 4.0, azimuth=-90, elevation=0)
    robot.enter(name, "POSE")
    yield
    yield from drag_reaches(name, "bone.4", (0.5, 0.0, -0.4))
    yield from drag_reaches(name, "bone.2", (-0.3, 0.0, -0.2))


def test_a_clicked_point_of_a_skin_is_the_handle() -> Steps:
    name = character.arm()
    character.skin(name)
    look((0.0, 0.0, 0.7), 4.0, azimuth=-90, elevation=0)
    yield
    posed = bpy.data.objects[name].pose.bones["bone.4"]
    yield from move(*pixel((posed.head + posed.tail) / 2))
    grabbed = robot.hit(*pointer())
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    session = package("api").session()
    assert session.grip.bone == "bone.4"
    assert (Vector(session.handle) - grabbed).length < 1e-4
    yield from move(pointer()[0] + 60, pointer()[1] - 50)
    yield from settle()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    surface = bpy.data.objects["Skin"].evaluated_get(depsgraph)
    assert session.status == "REACHED", session.solution
    near = surface.closest_point_on_mesh(surface.matrix_world.inverted() @ Vector(session.target))
    assert (surface.matrix_world @ near[1] - Vector(session.target)).length < 2e-3
    yield from press("ESC")


def test_rigifys_human_metarig_is_dragged() -> Steps:
    name = character.metarig(basic=False)
    look((0.0, 0.0, 0.9), 3.5, azimuth=-90, elevation=0)
    robot.enter(name, "POSE")
    yield
    yield from drag_reaches(name, "forearm.L", (-0.1, 0.0, 0.25))
    yield from drag_reaches(name, "shin.R", (0.05, 0.0, 0.15))


def test_rigifys_basic_human_metarig_is_dragged() -> Steps:
    name = character.metarig(basic=True)
    look((0.0, 0.0, 0.9), 3.5, azimuth=-90, elevation=0)
    robot.enter(name, "POSE")
    yield
    yield from drag_reaches(name, "forearm.L", (-0.1, 0.0, 0.25))
    yield from drag_reaches(name, "shin.R", (0.05, 0.0, 0.15))


def turned(name: str, bone: str) -> tuple[str, int]:
    """The bone's rotation mode and how many bones the drag would turn."""
    armature = bpy.data.objects[name]
    chain = package("api").read_skeleton(armature).chain(bone)
    return armature.pose.bones[bone].rotation_mode, len(chain.path) - 1


def file_drag(file: str, bone: str, by: tuple[float, float, float]) -> Steps:
    name = character.from_file(rigs() / file)
    centre = character.middle(name)
    look(centre, 4.0, azimuth=-90, elevation=0)
    robot.enter(name, "POSE")
    yield
    assert turned(name, bone)[1] >= 2
    yield from drag_reaches(name, bone, by)


def test_mayas_human_ik_skeleton_is_dragged() -> Steps:
    yield from file_drag("fbx/maya_human_ik_7400_binary.fbx", "Character1_LeftForeArm", (-0.1, 0.0, 0.15))


def test_the_cmu_skeleton_is_dragged() -> Steps:
    yield from file_drag("bvh/01_01.bvh", "LeftForeArm", (-0.1, 0.0, 0.15))
