"""Which links are said to touch, against hand-made boxes and against every pair of triangles."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.posing import arm
from blender.robots import import_text, joint_text, robot_file
from blender.support import api, module
from mathutils import Euler, Matrix

LIMIT = '<limit lower="-3" upper="3" effort="1" velocity="1"/>'


def box_link(name: str, size: str = "0.3 0.04 0.04") -> str:
    origin = '<origin xyz="0.2 0 0"/>'
    return f'<link name="{name}"><visual>{origin}<geometry><box size="{size}"/></geometry></visual></link>'


def finger(folder: Path, count: int = 4) -> bpy.types.Object:
    """A chain of boxes in a row along X, 0.4 from joint to joint, each turning about Y."""
    text = box_link("base")
    for i in range(count):
        text += box_link(f"link{i}")
        above = "base" if i == 0 else f"link{i - 1}"
        text += joint_text(f"joint{i}", "revolute", above, f"link{i}", f'<origin xyz="0.4 0 0"/>{LIMIT}', axis="0 1 0")
    return import_text(folder, text).armature


def watch(armature: bpy.types.Object, body: str, **options: object) -> object:
    rig, chain = module("rig.chains").take(armature, body, probe=True, **options)
    frames = module("rig.snapshot").frames(armature)
    return module("rig.collisions").Watch(bpy.context, armature, rig, chain, frames)


def look(watching: object, armature: bpy.types.Object) -> set[frozenset[str]]:
    bpy.context.view_layer.update()
    found = watching.finish(bpy.context, module("rig.snapshot").frames(armature))
    return {frozenset(pair) for pair in found}


def obstacle(location: tuple[float, float, float], size: float = 0.1, *, marked: bool = True) -> bpy.types.Object:
    bpy.ops.mesh.primitive_cube_add(size=size, location=location)
    bpy.context.object.linkpose_obstacle = marked
    return bpy.context.object


def test_a_chain_that_folds_on_itself_touches_where_the_boxes_do(tmp_path: Path) -> None:
    armature = finger(tmp_path)
    watching = watch(armature, "link3")
    assert not watching.reason
    assert look(watching, armature) == set()
    # Three sides of a square: nothing but neighbours is near.
    api.set_pose(armature, {"joint1": 1.5708, "joint2": 1.5708})
    assert look(watching, armature) == set()
    api.set_pose(armature, {"joint1": 2.6, "joint2": 2.6})
    touching = look(watching, armature)
    assert frozenset(("link0", "link2")) in touching
    neighbours = [{f"link{i}", f"link{i + 1}"} for i in range(3)]
    assert not any(set(pair) in neighbours for pair in touching)
    api.set_pose(armature, {"joint1": 0.0, "joint2": 0.0})
    assert look(watching, armature) == set()


def test_obstacles_count_only_where_they_are_marked(tmp_path: Path) -> None:
    armature = finger(tmp_path)
    obstacle((1.0, 0.0, -0.5))
    obstacle((1.0, 0.0, 0.5), marked=False)
    watching = watch(armature, "link3")
    assert look(watching, armature) == set()
    angles = np.linspace(-3.0, 3.0, 61)
    hits = {}
    for angle in angles:
        api.set_pose(armature, {"joint0": float(angle)})
        hits[float(angle)] = look(watching, armature)
    named = {frozenset(pair) for found in hits.values() for pair in found}
    assert any("Cube" in pair for pair in named)
    assert not any("Cube.001" in pair for pair in named)
    assert all(not found for angle, found in hits.items() if angle < 0.0), "that is the side of the unmarked cube"


def test_selected_objects_are_marked_and_cleared_by_the_operator() -> None:
    bpy.ops.mesh.primitive_cube_add()
    first = bpy.context.object
    bpy.ops.object.empty_add()
    first.select_set(True)
    assert bpy.ops.linkpose.mark_obstacles() == {"FINISHED"}
    assert first.linkpose_obstacle
    assert not bpy.context.object.linkpose_obstacle, "an empty has nothing to touch"
    assert bpy.ops.linkpose.mark_obstacles() == {"CANCELLED"}, "that is done already"
    assert bpy.ops.linkpose.mark_obstacles(clear=True) == {"FINISHED"}
    assert not first.linkpose_obstacle
    first.select_set(False)
    assert not bpy.ops.linkpose.mark_obstacles.poll()


def test_the_mark_is_saved_with_the_file(tmp_path: Path) -> None:
    name = obstacle((0.0, 0.0, 0.0)).name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "marked.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "marked.blend"))
    assert bpy.data.objects[name].linkpose_obstacle


def test_what_touches_from_the_beginning_is_left_out_and_new_touches_are_not(tmp_path: Path) -> None:
    armature = finger(tmp_path)
    at_start = obstacle((1.4, 0.0, 0.0)).name
    later = obstacle((0.4, 0.0, -1.2)).name
    watching = watch(armature, "link3")
    assert look(watching, armature) == set()
    api.set_pose(armature, {"joint0": 1.5708})
    touching = look(watching, armature)
    assert touching
    assert all(later in pair for pair in touching)
    api.set_pose(armature, {"joint0": 0.001})
    assert all(at_start not in pair for pair in look(watching, armature))


def test_links_that_the_chain_leaves_rigid_to_each_other_are_not_compared(tmp_path: Path) -> None:
    armature = finger(tmp_path)
    api.set_pose(armature, {"joint1": 2.6, "joint2": 2.6})
    bpy.context.view_layer.update()
    watching = watch(armature, "link0")
    names = [thing.name for thing in watching.things]
    compared = {frozenset((names[a], names[b])) for a, b in watching._pairs}
    assert compared == {frozenset(("base", f"link{i}")) for i in (1, 2, 3)}


def test_a_deformed_character_is_left_out_with_the_reason() -> None:
    armature = arm()
    bpy.ops.mesh.primitive_cube_add()
    skin = bpy.context.object
    skin.name = "Skin"
    skin.modifiers.new("Armature", "ARMATURE").object = armature
    watching = watch(armature, "b4")
    assert "Skin" in watching.reason
    assert look(watching, armature) == set()


def test_meshes_parented_to_the_bones_of_any_armature_are_looked_at() -> None:
    armature = arm()
    for number in range(5):
        bpy.ops.mesh.primitive_cube_add(size=0.1)
        box = bpy.context.object
        box.parent, box.parent_type, box.parent_bone = armature, "BONE", f"b{number}"
        box.location.y = -0.15
    bpy.context.view_layer.update()
    watching = watch(armature, "b4")
    assert not watching.reason
    assert look(watching, armature) == set()
    for bone in armature.pose.bones[1:4]:
        bone.rotation_euler.x = 2.2
    assert look(watching, armature)


def test_time_is_given_back_and_the_look_goes_on_later(tmp_path: Path) -> None:
    armature = finger(tmp_path)
    rig, chain = module("rig.chains").take(armature, "link3", probe=True)
    frames = module("rig.snapshot").frames
    ticks = iter(np.arange(0.0, 1e4, 0.001))
    watching = module("rig.collisions").Watch(
        bpy.context, armature, rig, chain, frames(armature), clock=lambda: float(next(ticks))
    )
    api.set_pose(armature, {"joint1": 2.6, "joint2": 2.6})
    bpy.context.view_layer.update()
    steps = 0
    while not watching.touching:
        watching.advance(bpy.context, frames(armature), 0.0015)
        steps += 1
        assert steps < 1000
    assert steps > 3
    assert {"link0", "link2"} in [set(pair) for pair in watching.touching]


def crossing(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether any edge of one set of triangles (n, 3, 3) goes through a triangle of the other, by solving for it."""

    def through(edges: np.ndarray, triangles: np.ndarray) -> bool:
        start, way = edges[:, None, 0], edges[:, None, 1] - edges[:, None, 0]
        corner = triangles[None, :, 0]
        one, other = triangles[None, :, 1] - corner, triangles[None, :, 2] - corner
        normal = np.cross(way, other)
        size = (one * normal).sum(axis=2)
        length = [np.linalg.norm(vectors, axis=2) for vectors in (way, one, other)]
        # Edges in the triangle's plane are left to the other edges and triangles.
        size = np.where(np.abs(size) < 1e-4 * length[0] * length[1] * length[2], np.nan, size)
        away = start - corner
        u = (away * normal).sum(axis=2) / size
        turned = np.cross(away, one)
        v = (way * turned).sum(axis=2) / size
        t = (other * turned).sum(axis=2) / size
        with np.errstate(invalid="ignore"):
            return bool(((u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0) & (t <= 1)).any())

    def edges(triangles: np.ndarray) -> np.ndarray:
        return np.concatenate([triangles[:, (0, 1)], triangles[:, (1, 2)], triangles[:, (2, 0)]])

    return through(edges(a), b) or through(edges(b), a)


def world_triangles(ob: bpy.types.Object) -> np.ndarray:
    ob.data.calc_loop_triangles()
    points = np.array([ob.matrix_world @ vertex.co for vertex in ob.data.vertices])
    return points[[tuple(triangle.vertices) for triangle in ob.data.loop_triangles]]


def test_random_poses_agree_with_every_pair_of_triangles(tmp_path: Path) -> None:
    armature = finger(tmp_path)
    armature.matrix_world = Matrix.LocRotScale((0.3, -0.2, 0.1), Euler((0.2, 0.5, -1.0)), (1.5,) * 3)
    bpy.context.view_layer.update()
    block = obstacle((1.3, -0.7, 1.0), 0.6).name
    bpy.context.view_layer.update()
    watching = watch(armature, "link3")
    shapes = {ob.parent_bone or ob.name: ob.name for ob in bpy.data.objects if ob.type == "MESH"}
    names = [thing.name for thing in watching.things]
    compared = [(names[a], names[b]) for a, b in watching._pairs]
    assert look(watching, armature) == set()
    draw = np.random.default_rng(7)
    seen = {True: 0, False: 0}
    for _ in range(60):
        api.set_pose(armature, {f"joint{i}": float(draw.choice((-1, 1)) * draw.uniform(1.2, 2.9)) for i in range(4)})
        touching = look(watching, armature)
        triangles = {name: world_triangles(bpy.data.objects[ob]) for name, ob in shapes.items()}
        for one, other in compared:
            expected = crossing(triangles[one], triangles[other])
            assert (frozenset((one, other)) in touching) == expected, (one, other)
            seen[expected] += 1
    assert min(seen.values()) > 10, seen
    assert block in names


def test_the_panda_reaches_into_its_own_base() -> None:
    armature = api.import_urdf(robot_file("panda")).armature
    ready = {"panda_joint2": -0.3, "panda_joint4": -2.0, "panda_joint6": 1.8}
    api.set_pose(armature, ready)
    bpy.context.view_layer.update()
    watching = watch(armature, "panda_hand")
    assert look(watching, armature) == set()
    api.set_pose(armature, {"panda_joint2": 0.3, "panda_joint4": -3.05, "panda_joint6": 0.5})
    touching = look(watching, armature)
    assert touching
    low, high = {f"panda_link{i}" for i in range(3)}, {f"panda_link{i}" for i in (4, 5, 6, 7)}
    assert all(not pair <= low and not pair <= high for pair in touching)
    api.set_pose(armature, ready)
    assert look(watching, armature) == set()


def test_thinning_keeps_a_shape_within_a_cell() -> None:
    shapes = module("rig.link_shapes")
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=6, radius=0.5)
    found = shapes.shape(bpy.context, [shapes._part(bpy.context.object, np.eye(4))])
    thin = shapes.thinned(found, 1500)
    assert len(found.triangles) > 15000
    assert 300 < len(thin.triangles) <= 1500
    distance = np.linalg.norm(thin.points, axis=1)
    assert distance.max() <= 0.5 + 1e-6
    assert distance.min() > 0.46


def test_the_outline_of_a_cube_is_its_twelve_edges() -> None:
    shapes = module("rig.link_shapes")
    bpy.ops.mesh.primitive_cube_add(size=2.0)
    found = shapes.shape(bpy.context, [shapes._part(bpy.context.object, np.eye(4))])
    ends = found.points[shapes.outline(found)]
    assert len(ends) == 12
    assert np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1) == pytest.approx(2.0)
