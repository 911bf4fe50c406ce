"""What is picked is what is seen, whatever a view hides, cuts away, draws in front or lets be selected."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import bmesh
import bpy
from inside import identity
from inside.window import Steps, look, viewport
from mathutils import Euler, Matrix, Vector

PIXELS = 40
BODIES = 14


def shape(name: str, kind: int, size: float) -> bpy.types.Object:
    """A closed body around its origin, a ball or a box, linked to the scene."""
    mesh, solid = bpy.data.meshes.new(name), bmesh.new()
    if kind:
        bmesh.ops.create_cube(solid, size=1.6 * size)
    else:
        bmesh.ops.create_icosphere(solid, subdivisions=3, radius=size)
    solid.to_mesh(mesh)
    solid.free()
    made = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(made)
    return made


def bones(count: int) -> bpy.types.Object:
    """An armature of unconnected bones "bone.0", "bone.1" …, each at a place of its own."""
    dice = random.Random(3)
    with viewport().override():
        bpy.ops.object.armature_add()
        armature = bpy.context.object
        bpy.ops.object.mode_set(mode="EDIT")
        edited = armature.data.edit_bones
        edited.remove(edited[0])
        for number in range(count):
            bone = edited.new(f"bone.{number}")
            bone.head = [dice.uniform(-1, 1) for _ in range(3)]
            bone.tail = bone.head + Vector((0, 0, 0.1))
        bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def hang(thing: bpy.types.Object, armature: bpy.types.Object, bone: str) -> None:
    """Let an object hang on a bone, turned by chance."""
    dice = random.Random(bone)
    thing.parent, thing.parent_type, thing.parent_bone = armature, "BONE", bone
    thing.rotation_euler = [dice.uniform(0, 6) for _ in range(3)]


def cluster() -> dict[str, str]:
    """Balls and boxes that hide one another, each hanging on a bone; returns the bone of each object."""
    armature = bones(BODIES)
    found = {}
    for number in range(BODIES):
        bone = f"bone.{number}"
        thing = shape(f"body.{number}", number % 2, 0.3 + 0.02 * number)
        hang(thing, armature, bone)
        found[thing.name] = bone
    bpy.context.view_layer.update()
    look((0, 0, 0.05), 5.0, azimuth=-60, elevation=20)
    return found


def collection(name: str, things: Sequence[str]) -> bpy.types.LayerCollection:
    """Move objects into a new collection of the scene."""
    made = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(made)
    for thing in things:
        for old in bpy.data.objects[thing].users_collection:
            old.objects.unlink(bpy.data.objects[thing])
        made.objects.link(bpy.data.objects[thing])
    return bpy.context.view_layer.layer_collection.children[name]


def test_in_local_view_only_what_it_shows_is_picked() -> Steps:
    found = cluster()
    for number in range(0, BODIES, 3):
        bpy.data.objects[f"body.{number}"].select_set(True)
    bpy.context.view_layer.objects.active = bpy.data.objects["body.0"]
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob.name in [f"body.{number}" for number in range(0, BODIES, 3)])
    with viewport().override():
        bpy.ops.view3d.localview(frame_selected=False)
    assert viewport().space.local_view is not None
    seen = yield from identity.compare(found, "local-view", PIXELS)
    assert not {"bone.1", "bone.2"} & {one.shown for one in seen}


def test_what_a_clipping_region_cuts_away_is_not_picked() -> Steps:
    found = cluster()
    identity.flat()
    yield
    view = viewport()
    with view.override():
        width, height = view.region.width, view.region.height
        bpy.ops.view3d.clip_border(
            xmin=int(0.4 * width), xmax=int(0.6 * width), ymin=int(0.4 * height), ymax=int(0.7 * height)
        )
    assert view.region_3d.use_clip_planes
    yield from identity.compare(found, "clipped", PIXELS)
    look((0, 0, 0.05), 5.0, azimuth=10, elevation=40)
    yield from identity.compare(found, "clipped-aside", PIXELS)
    look((0, 0, 0.05), 4.0, azimuth=60, elevation=-10, perspective=False)
    yield from identity.compare(found, "clipped-orthographic", PIXELS)


def test_hidden_meshes_are_not_picked_and_hidden_bones_are_by_their_meshes() -> Steps:
    found = cluster()
    bpy.data.objects["body.13"].hide_set(True)
    bpy.data.objects["body.12"].hide_viewport = True
    collection("excluded", ["body.11"]).exclude = True
    collection("closed", ["body.10"]).hide_viewport = True
    collection("off", ["body.9"]).collection.hide_viewport = True
    gone = {f"bone.{number}" for number in range(9, 14)}
    seen = yield from identity.compare(found, "hidden", PIXELS)
    assert not gone & {one.shown for one in seen}
    armature = bpy.data.objects["body.0"].parent
    for bone in armature.pose.bones:
        (bone if hasattr(bone, "hide") else bone.bone).hide = True
    yield from identity.compare(found, "hidden-bones", PIXELS, seed=2)
    armature.hide_set(True)
    yield from identity.compare(found, "hidden-armature", PIXELS, seed=3)
    viewport().space.show_object_viewport_mesh = False
    assert not any(identity.pick(one.at) for one in seen)


def test_only_what_can_be_selected_is_picked_and_what_is_behind_the_rest() -> Steps:
    found = cluster()
    single = ["body.13", "body.10"]
    for name in single:
        bpy.data.objects[name].hide_select = True
    together = ["body.12", "body.8", "body.5"]
    collection("fixed", together).collection.hide_select = True
    seen = yield from identity.compare(found, "unselectable", PIXELS, unselectable=single + together)
    inner = bpy.data.collections.new("inner")
    bpy.data.collections["fixed"].children.link(inner)
    inner.objects.link(bpy.data.objects["body.11"])
    bpy.context.scene.collection.objects.unlink(bpy.data.objects["body.11"])
    names = [*single, *together, "body.11"]
    yield from identity.compare(found, "unselectable-below", PIXELS, unselectable=names)
    # An object that is also in a collection that lets it be selected, can be.
    bpy.context.scene.collection.objects.link(bpy.data.objects["body.11"])
    yield from identity.compare(found, "unselectable-both", PIXELS, unselectable=single + together)
    viewport().space.show_object_select_mesh = False
    assert not any(identity.pick(one.at) for one in seen)


def test_what_is_drawn_as_wires_is_looked_through() -> Steps:
    found = cluster()
    for number, kind in ((13, "WIRE"), (12, "BOUNDS"), (10, "WIRE")):
        bpy.data.objects[f"body.{number}"].display_type = kind
    seen = yield from identity.compare(found, "wires", PIXELS)
    assert not {"bone.13", "bone.12", "bone.10"} & {one.shown for one in seen}


def test_what_is_drawn_in_front_is_picked_first() -> Steps:
    found = cluster()
    wall = shape("wall", 1, 1.0)
    wall.location, wall.scale = (0.6, -1.0, 0.0), (0.5, 0.1, 0.5)
    found = {**found, wall.name: "wall"}
    for number in (0, 1, 2, 3, 4):
        bpy.data.objects[f"body.{number}"].show_in_front = True
    yield from identity.compare(found, "in-front", PIXELS, free=["wall"])
    look((0, 0, 0.05), 4.0, azimuth=120, elevation=20, perspective=False)
    wall.show_in_front = True
    yield from identity.compare(found, "wall-in-front", PIXELS, free=["wall"])


def test_an_instance_is_picked_as_what_makes_it_and_hides_what_is_behind() -> Steps:
    found = cluster()
    armature = bpy.data.objects["body.0"].parent
    parts = collection("parts", [shape("part", 0, 0.35).name, shape("other part", 1, 0.2).name])
    bpy.data.objects["other part"].location.z = 0.5
    parts.exclude = True
    for number in range(4):
        maker = bpy.data.objects.new(f"maker.{number}", None)
        bpy.context.scene.collection.objects.link(maker)
        maker.instance_type, maker.instance_collection = "COLLECTION", parts.collection
        if number < 3:
            hang(maker, armature, f"bone.{number}")
            maker.location.x = 0.3
        else:
            maker.location = (0.3, -0.8, 0.0)
        found[maker.name] = f"bone.{number}" if number < 3 else "free"
    for number in range(3):
        del found[f"body.{number}"]
        bpy.data.objects.remove(bpy.data.objects[f"body.{number}"])
    seen = yield from identity.compare(found, "instances", PIXELS, free=["free"])
    assert {"bone.0", "bone.1", "bone.2"} & {one.shown for one in seen}
    bpy.data.objects["maker.1"].hide_set(True)
    bpy.data.objects["maker.3"].hide_select = True
    yield from identity.compare(found, "instances-hidden", PIXELS, unselectable=["maker.3"])


def test_an_instance_of_a_robot_is_not_taken_for_the_robot() -> Steps:
    found = cluster()
    whole = collection("whole", [*found, bpy.data.objects["body.0"].parent.name])
    copy = bpy.data.objects.new("copy", None)
    bpy.context.scene.collection.objects.link(copy)
    copy.instance_type, copy.instance_collection = "COLLECTION", whole.collection
    copy.location = (1.5, -1.0, 0.5)
    look((0.5, -0.5, 0.3), 7.0, azimuth=-60, elevation=20)
    yield from identity.compare({**found, "copy": "copy"}, "copy", PIXELS, free=["copy"])


def test_mirrored_bodies_are_picked_where_they_are_seen() -> Steps:
    found = cluster()
    for number in range(0, BODIES, 2):
        bpy.data.objects[f"body.{number}"].scale = (-1.0, 1.3, 0.8)
    yield from identity.compare(found, "mirrored", PIXELS)
    armature = bpy.data.objects["body.0"].parent
    armature.scale, armature.location = (-0.7, 1.2, 0.9), (0.1, 0.2, 0.0)
    viewport().space.shading.show_backface_culling = True
    yield from identity.compare(found, "mirrored-armature", PIXELS)


def test_backs_of_faces_are_picked_unless_the_view_hides_them() -> Steps:
    found = cluster()
    for number in range(0, BODIES, 2):
        bpy.data.objects[f"body.{number}"].data.flip_normals()
    room = shape("room", 0, 4.0)
    hang(room, bpy.data.objects["body.0"].parent, "bone.0")
    found = {**found, "room": "bone.0"}
    look((0, 0, 0.05), 2.8, azimuth=-60, elevation=20)
    yield from identity.compare(found, "backs", PIXELS)
    viewport().space.shading.show_backface_culling = True
    yield from identity.compare(found, "backs-culled", PIXELS)


def camera(kind: str) -> bpy.types.Camera:
    """Look through a camera whose range cuts some bodies open and leaves others out."""
    made = bpy.data.cameras.new("Camera")
    ob = bpy.data.objects.new("Camera", made)
    bpy.context.scene.collection.objects.link(ob)
    turn = Euler((math.radians(75), 0.0, math.radians(25)))
    ob.matrix_world = Matrix.Translation(turn.to_matrix() @ Vector((0.2, 0.1, 4.0))) @ turn.to_matrix().to_4x4()
    made.type, made.clip_start, made.clip_end = kind, 3.5, 4.6
    made.show_passepartout = False
    made.shift_x, made.lens, made.ortho_scale = 0.1, 45.0, 3.5
    bpy.context.scene.camera = ob
    viewport().region_3d.view_perspective = "CAMERA"
    viewport().region_3d.update()
    return made


def test_through_a_perspective_camera_what_it_shows_is_picked() -> Steps:
    found = cluster()
    made = camera("PERSP")
    yield from identity.compare(found, "camera", PIXELS)
    made.clip_start, made.clip_end = 0.1, 100.0
    viewport().region_3d.view_camera_zoom = 20
    viewport().region_3d.view_camera_offset = (0.1, -0.05)
    yield from identity.compare(found, "camera-zoomed", PIXELS)


def test_through_an_orthographic_camera_what_it_shows_is_picked() -> Steps:
    found = cluster()
    made = camera("ORTHO")
    yield from identity.compare(found, "orthographic-camera", PIXELS)
    made.clip_start, made.clip_end = 0.1, 100.0
    yield from identity.compare(found, "orthographic-camera-whole", PIXELS)


def test_a_view_is_picked_in_as_far_as_it_shows() -> Steps:
    found = cluster()
    space = viewport().space
    space.clip_start, space.clip_end = 4.6, 5.5
    yield from identity.compare(found, "range", PIXELS)
    look((0, 0, 0.05), 5.0, azimuth=-60, elevation=20, perspective=False)
    space.clip_start, space.clip_end = 0.01, 4.9
    yield from identity.compare(found, "range-orthographic", PIXELS)


def test_small_bodies_are_picked_in_views_that_reach_far() -> Steps:
    found = cluster()
    bpy.data.objects["body.0"].parent.scale = (0.1, 0.1, 0.1)
    viewport().space.clip_end = 1e4
    look((0, 0, 0), 0.5, azimuth=-60, elevation=20, perspective=False)
    # The depths that Blender draws by are a millimetre apart then, so bodies may cross where they should not.
    yield from identity.compare(found, "far", PIXELS, margin=8)
