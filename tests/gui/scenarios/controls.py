"""A bone of a generated rig that its control moves: the clicked point goes where the pointer goes."""

from __future__ import annotations

import bpy
from inside import character, robot
from inside.robot import settle
from inside.window import Steps, look, move, package, pixel, pointer, press, running, screenshot, viewport
from mathutils import Vector


def generated(fk: float) -> str:
    """Rigify's rig of its basic human, its limbs posed by IK (0) or FK (1)."""
    character.metarig(basic=True)
    with viewport().override():
        bpy.ops.pose.rigify_generate()
    name = next(ob.name for ob in bpy.data.objects if ob.type == "ARMATURE" and ob.name.lower().startswith("rig"))
    armature = bpy.data.objects[name]
    for other in bpy.context.view_layer.objects:
        other.hide_set(other.name != name)
    for bone in armature.pose.bones:
        if "IK_FK" in bone:
            bone["IK_FK"] = fk
    armature.update_tag()
    bpy.context.view_layer.update()
    return name


def sleeve(name: str, bone: str) -> None:
    """A box around one bone that the bone deforms."""
    armature = bpy.data.objects[name]
    rest = armature.data.bones[bone]
    corners = [(x, y * rest.length, z) for y in (0.05, 0.95) for x, z in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    mesh = bpy.data.meshes.new("Sleeve")
    sides = [[i, (i + 1) % 4, 4 + (i + 1) % 4, 4 + i] for i in range(4)]
    points = [rest.matrix_local @ Vector((0.035 * x, y, 0.035 * z)) for x, y, z in corners]
    mesh.from_pydata(points, [], [*sides, [3, 2, 1, 0], [4, 5, 6, 7]])
    box = bpy.data.objects.new("Sleeve", mesh)
    bpy.context.scene.collection.objects.link(box)
    box.vertex_groups.new(name=bone).add(range(8), 1.0, "REPLACE")
    box.modifiers.new("Armature", "ARMATURE").object = armature
    bpy.context.view_layer.update()


def follow(fk: float, control: str) -> Steps:
    """Drag a twist segment of the forearm by its skin; the clicked point is at the pointer after each move."""
    name, bone = generated(fk), "DEF-forearm.L"
    armature = bpy.data.objects[name]
    sleeve(name, bone)
    robot.enter(name, "POSE")
    posed = armature.pose.bones[bone]
    middle = armature.matrix_world @ posed.head.lerp(posed.tail, 0.6)
    look(middle, 1.5, azimuth=-90, elevation=0)
    yield
    yield from move(*pixel(middle))
    grabbed, start = pointer(), robot.hit(*pointer())
    held = (armature.matrix_world @ posed.matrix).inverted() @ start
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    session = package("api").session()
    assert (session.grip.picked, session.grip.bone) == (bone, control)
    size, before = character.span(name), robot.channels(name)

    def miss() -> float:
        bpy.context.view_layer.update()
        posed = bpy.data.objects[name].pose.bones[bone]
        return float((bpy.data.objects[name].matrix_world @ posed.matrix @ held - wanted).length)

    for x, y in ((-15, 10), (-30, 30), (-40, 15), (-10, -15), (-35, 35)):
        yield from move(grabbed[0] + x, grabbed[1] + y, steps=4)
        yield from settle()
        wanted = robot.on_plane(*pointer(), start)
        assert miss() <= 1e-3 * size, f"{100 * miss() / size:.3f} % of the size off at {(x, y)}: {session.solution}"
        print(f"{bone} by {control}: {100 * miss() / size:.4f} % off")
    screenshot(f"control-{control}")
    yield from press("RET")
    assert miss() <= 1e-3 * size
    assert session.status == "REACHED"
    after = robot.channels(name)
    changed = {other for other, values in after.items() if values != before[other]}
    assert control in changed
    assert not any(other.startswith("DEF-") for other in changed)
    # What Blender calls when the target is changed in the redo panel: the same point goes there.
    done = bpy.context.window_manager.operators[-1].properties
    wanted = Vector(done.target) + Vector((-0.03, 0.0, -0.02))
    asked = {key: getattr(done, key) for key in ("armature", "body", "method", "result")}
    with viewport().override():
        assert bpy.ops.linkpose.drag("EXEC_DEFAULT", True, **asked, target=wanted) == {"FINISHED"}
    assert miss() <= 1e-3 * size


def test_a_twist_segment_follows_the_pointer_by_its_ik_control() -> Steps:
    yield from follow(0.0, "hand_ik.L")


def test_a_twist_segment_follows_the_pointer_by_its_fk_control() -> Steps:
    yield from follow(1.0, "forearm_fk.L")
