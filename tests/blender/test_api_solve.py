"""The Python API on robots: solve, frames, world space, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.oracle import Oracle
from blender.posing import arm, changed, channels, import_bare, keyed, shown, tail
from blender.robots import import_text, link_frames, robot_file, size
from blender.support import api, module


@pytest.fixture
def panda(tmp_path: Path) -> bpy.types.Object:
    """Without meshes."""
    armature = import_bare("panda", tmp_path)
    api.set_pose(armature, {"panda_joint2": 0.3, "panda_joint4": -1.8, "panda_joint6": 1.9})
    return armature


@pytest.fixture
def dressed() -> bpy.types.Object:
    """With meshes, in the same pose."""
    armature = api.import_urdf(robot_file("panda")).armature
    api.set_pose(armature, {"panda_joint2": 0.3, "panda_joint4": -1.8, "panda_joint6": 1.9})
    return armature


def handle_of(armature: bpy.types.Object, body: str) -> np.ndarray:
    """Where Blender shows a body's handle in world space."""
    bpy.context.view_layer.update()
    return (link_frames(armature)[body] @ (*api.handle(armature, body), 1.0))[:3]


def reachable(armature: bpy.types.Object, body: str, seed: int, point: object = "handle") -> np.ndarray:
    """World place of a body's handle, or origin, in a random pose; the armature is left as it was."""
    snapshot = module("rig.snapshot")
    taken = snapshot.take(armature)
    api.set_pose(armature, Oracle(robot_file("panda")).random_pose(seed))
    place = handle_of(armature, body) if point == "handle" else link_frames(armature)[body][:3, 3]
    snapshot.restore(armature, taken)
    bpy.context.view_layer.update()
    return place


def test_the_hand_goes_to_reachable_targets_as_blender_shows_it(dressed: bpy.types.Object) -> None:
    length = size(dressed)
    for seed in range(5):
        target = reachable(dressed, "panda_hand", seed)
        solution = api.solve(dressed, "panda_hand", target, point="handle")
        assert solution.status.value == "REACHED"
        assert solution.position_residual < 1e-4 * length
        assert np.linalg.norm(handle_of(dressed, "panda_hand") - target) < 1e-5 * length
        assert solution.pose == pytest.approx({name: api.get_pose(dressed)[name] for name in solution.pose}, abs=1e-6)


def test_without_a_point_the_links_origin_goes_to_the_target(panda: bpy.types.Object) -> None:
    target = reachable(panda, "panda_hand", 3, point=None)
    api.solve(panda, "panda_hand", target)
    assert np.linalg.norm(link_frames(panda)["panda_hand"][:3, 3] - target) < 1e-5


def test_dragging_link_4_leaves_the_joints_below_it_bit_identical(dressed: bpy.types.Object) -> None:
    before = channels(dressed)
    solution = api.solve(dressed, "panda_link4", reachable(dressed, "panda_link4", 2), point="handle")
    assert set(solution.pose) == {f"panda_joint{i}" for i in range(1, 5)}
    assert changed(before, channels(dressed)) <= {f"panda_link{i}" for i in range(1, 5)}


def test_a_finger_moves_the_finger_joint_and_its_follower_alone(panda: bpy.types.Object) -> None:
    place = link_frames(panda)["panda_leftfinger"]
    solution = api.solve(panda, "panda_leftfinger", place[:3, 3] + 0.02 * place[:3, 1])
    assert solution.pose == pytest.approx({"panda_finger_joint1": 0.02, "panda_finger_joint2": 0.02}, abs=1e-5)
    pose = api.get_pose(panda)
    assert pose["panda_finger_joint1"] == pytest.approx(0.02, abs=1e-5)
    assert pose["panda_finger_joint2"] == pytest.approx(0.02, abs=1e-5)


def test_nothing_is_written_unless_asked_for(panda: bpy.types.Object) -> None:
    before = channels(panda)
    solution = api.solve(panda, "panda_hand", reachable(panda, "panda_hand", 1), point="handle", apply=False)
    assert solution.status.value == "REACHED"
    assert changed(before, channels(panda)) == set()
    assert keyed(panda) == {}


def test_a_frame_is_solved_and_keyed_from_its_own_pose_and_the_current_one_comes_back(panda: bpy.types.Object) -> None:
    scene = bpy.context.scene
    scene.frame_set(1)
    arm_joints = [f"panda_joint{i}" for i in range(1, 8)]
    api.set_pose(panda, dict.fromkeys(arm_joints, 0.1) | {"panda_joint4": -1.0}, frame=1)
    api.set_pose(panda, dict.fromkeys(arm_joints, 0.4) | {"panda_joint4": -2.0}, frame=40)
    scene.frame_set(10)
    # Not keyed, so any frame change by itself would lose it.
    api.set_pose(panda, {"panda_joint1": -0.7, "panda_finger_joint1": 0.01})
    before = channels(panda)
    target = reachable(panda, "panda_hand", 4)
    solution = api.solve(panda, "panda_hand", target, point="handle", frame=25)
    assert solution.status.value == "REACHED"
    assert scene.frame_current == 10
    assert changed(before, channels(panda)) == set()
    curves = keyed(panda)
    assert {path.split('"')[1] for path, _ in curves} == {f"panda_link{i}" for i in range(1, 8)}
    assert all(sorted(frame for frame, _ in points) == [1.0, 25.0, 40.0] for points in curves.values())
    scene.frame_set(25)
    assert np.linalg.norm(handle_of(panda, "panda_hand") - target) < 1e-5 * size(panda)


def test_exactly_the_chain_is_keyed_and_at_the_current_frame_the_pose_stays(panda: bpy.types.Object) -> None:
    bpy.context.scene.frame_set(5)
    target = reachable(panda, "panda_link4", 4)
    api.solve(panda, "panda_link4", target, point="handle", frame=5)
    assert keyed(panda).keys() == {(f'pose.bones["panda_link{i}"].rotation_euler', 2) for i in range(1, 5)}
    assert np.linalg.norm(handle_of(panda, "panda_link4") - target) < 1e-5 * size(panda)
    assert bpy.context.scene.frame_current == 5


def test_frames_may_lie_between_whole_ones(panda: bpy.types.Object) -> None:
    api.set_pose(panda, {"panda_joint1": 0.5}, frame=2.5)
    assert keyed(panda) == {('pose.bones["panda_link1"].rotation_euler', 2): [(2.5, 0.5)]}
    with pytest.raises(module("errors").RigError, match="nan"):
        api.set_pose(panda, {"panda_joint1": 0.5}, frame=math.nan)


def test_a_refused_solve_at_another_frame_comes_back_too(panda: bpy.types.Object) -> None:
    before = channels(panda)
    with pytest.raises(module("errors").LinkposeError):
        api.solve(panda, "panda_hand", (math.nan, 0.0, 0.0), frame=30)
    assert bpy.context.scene.frame_current == 1
    assert changed(before, channels(panda)) == set()
    assert keyed(panda) == {}


@pytest.mark.parametrize("scale", [2.0, 0.01, -1.5])
def test_targets_and_residuals_are_in_world_space_whatever_the_objects_scale(
    panda: bpy.types.Object, scale: float
) -> None:
    panda.location, panda.rotation_euler, panda.scale = (1.0, 2.0, -0.5), (0.4, 1.0, -0.3), (scale,) * 3
    bpy.context.view_layer.update()
    length = size(panda)
    target = reachable(panda, "panda_hand", 6)
    solution = api.solve(panda, "panda_hand", target, point="handle")
    assert solution.status.value == "REACHED"
    # Blender keeps places in single precision, which counts for a small robot that stands far from the origin.
    assert np.linalg.norm(handle_of(panda, "panda_hand") - target) < 1e-5 * length + 2e-6
    far = np.array(panda.matrix_world.translation) + 10.0 * length * np.array((1.0, 0.0, 0.0))
    solution = api.solve(panda, "panda_hand", far, point="handle")
    missing = float(np.linalg.norm(handle_of(panda, "panda_hand") - far))
    assert solution.status.value == "OUT_OF_REACH"
    assert solution.shortfall == solution.position_residual == pytest.approx(missing, rel=1e-5, abs=5e-6)
    assert solution.goals[0].position == solution.position_residual


def test_an_uneven_object_scale_is_solved_as_the_world_shows_it(panda: bpy.types.Object) -> None:
    panda.rotation_euler, panda.scale = (0.0, 0.0, 0.5), (1.0, 2.0, 0.5)
    bpy.context.view_layer.update()
    target = reachable(panda, "panda_hand", 6)
    solution = api.solve(panda, "panda_hand", target, point="handle")
    assert solution.status.value == "REACHED"
    assert np.linalg.norm(handle_of(panda, "panda_hand") - target) < 1e-5 * size(panda)
    with pytest.raises(module("errors").RigError, match="scaled unevenly"):
        api.solve(panda, "panda_hand", orientation=np.eye(3))


def test_a_scaled_root_bone_is_solved_through(panda: bpy.types.Object) -> None:
    panda.pose.bones["panda_link0"].scale = (2.0, 2.0, 2.0)
    panda.pose.bones["panda_link0"].location = (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    target = reachable(panda, "panda_hand", 8)
    assert api.solve(panda, "panda_hand", target, point="handle").status.value == "REACHED"
    assert np.linalg.norm(handle_of(panda, "panda_hand") - target) < 1e-5 * size(panda)
    place = link_frames(panda)["panda_leftfinger"]
    step = 0.02 * place[:3, 1]
    api.solve(panda, "panda_leftfinger", place[:3, 3] + step)
    # The frame is scaled by 2 as well as the slide.
    assert api.get_pose(panda)["panda_finger_joint1"] == pytest.approx(0.02, abs=2e-5)
    assert np.linalg.norm(link_frames(panda)["panda_leftfinger"][:3, 3] - place[:3, 3] - step) < 1e-5


def test_tolerance_is_in_world_space(panda: bpy.types.Object) -> None:
    panda.scale = (100.0,) * 3
    bpy.context.view_layer.update()
    target = handle_of(panda, "panda_hand") + np.array((0.5, 0.0, 0.0))
    solution = api.solve(panda, "panda_hand", target, point="handle", tolerance=1.0)
    assert solution.status.value == "REACHED"
    assert solution.position_residual <= 1.0


def test_an_anchor_can_be_named(panda: bpy.types.Object) -> None:
    before = channels(panda)
    api.solve(panda, "panda_hand", reachable(panda, "panda_hand", 1), anchor="panda_link3", point="handle")
    assert changed(before, channels(panda)) <= {f"panda_link{i}" for i in range(4, 8)}


def test_an_orientation_is_reached_where_the_solver_can(panda: bpy.types.Object) -> None:
    panda.rotation_euler, panda.scale = (0.2, 0.3, 0.4), (2.0,) * 3
    taken = module("rig.snapshot").take(panda)
    api.set_pose(panda, Oracle(robot_file("panda")).random_pose(2))
    frame = link_frames(panda)["panda_hand"]
    module("rig.snapshot").restore(panda, taken)
    wanted = frame[:3, :3] / 2.0
    solution = api.solve(panda, "panda_hand", frame[:3, 3], orientation=wanted)
    assert solution.status.value == "REACHED"
    got = link_frames(panda)["panda_hand"]
    assert np.abs(got[:3, :3] / 2.0 - wanted).max() < 2e-3
    assert np.linalg.norm(got[:3, 3] - frame[:3, 3]) < 1e-4


def test_a_handle_is_the_middle_of_the_box_of_a_links_visuals(dressed: bpy.types.Object) -> None:
    frame = np.linalg.inv(link_frames(dressed)["panda_link5"])
    points = [
        (frame @ np.array(child.matrix_world, dtype=np.float64) @ (*vertex.co, 1.0))[:3]
        for child in dressed.children
        if child.parent_bone == "panda_link5"
        for vertex in child.data.vertices
    ]
    middle = (np.min(points, axis=0) + np.max(points, axis=0)) / 2.0
    assert api.handle(dressed, "panda_link5") == pytest.approx(middle, abs=1e-5)
    assert api.handle(dressed, "panda_hand_tcp") == pytest.approx((0.0, 0.0, 0.0))


def test_collision_shapes_and_other_robots_do_not_count_for_handle_and_size() -> None:
    plain = api.import_urdf(robot_file("panda")).armature
    handles = module("rig.handles")
    expected = [api.handle(plain, f"panda_link{i}") for i in range(8)], handles.size(plain)
    full = api.import_urdf(robot_file("panda"), collision=True).armature
    gripper = api.import_urdf(robot_file("robotiq_2f_85")).armature
    gripper.parent, gripper.parent_type, gripper.parent_bone = full, "BONE", "panda_link7"
    bpy.context.view_layer.update()
    for i in range(8):
        assert api.handle(full, f"panda_link{i}") == pytest.approx(expected[0][i], abs=1e-9)
    assert handles.size(full) == pytest.approx(expected[1])
    owners = handles.bodies(full)
    assert set(owners.values()) <= set(api.read_skeleton(full).bodies)
    assert not set(owners) & {child.name for child in gripper.children}


def test_a_hidden_visual_still_has_its_place(dressed: bpy.types.Object) -> None:
    expected = api.handle(dressed, "panda_link5")
    for child in dressed.children:
        child.hide_set(True)
    api.set_pose(dressed, {"panda_joint1": 1.0, "panda_joint3": 0.5})
    assert api.handle(dressed, "panda_link5") == pytest.approx(expected, abs=1e-9)


def test_the_size_is_that_of_the_visuals_or_of_the_bones() -> None:
    handles = module("rig.handles")
    armature = arm(3)
    armature.scale = (2.0,) * 3
    bpy.context.view_layer.update()
    ends = [shown(armature, "b0")[:3, 3], *(tail(armature, f"b{i}") for i in range(3))]
    assert handles.size(armature) == pytest.approx(np.linalg.norm(np.ptp(ends, axis=0)), rel=1e-5)


def test_the_handle_of_a_bare_bone_is_its_tail() -> None:
    armature = arm(2)
    assert api.handle(armature, "b1") == pytest.approx((0.0, armature.data.bones["b1"].length, 0.0))


def test_no_drag_is_running() -> None:
    assert api.session() is None


def errors() -> object:
    return module("errors")


def test_what_cannot_be_posed_is_refused_with_the_reason(panda: bpy.types.Object) -> None:
    cube = bpy.data.objects.new("cube", None)
    bpy.context.scene.collection.objects.link(cube)
    for call in (api.get_pose, api.read_skeleton, lambda it: api.set_pose(it, {}), lambda it: api.solve(it, "x")):
        with pytest.raises(errors().RigError, match="an armature object is needed"):
            call(cube)
        with pytest.raises(errors().RigError, match="an armature object is needed"):
            call("panda")
    panda.data.pose_position = "REST"
    with pytest.raises(errors().RigError, match="rest position"):
        api.solve(panda, "panda_hand", (0.3, 0.0, 0.5))
    panda.data.pose_position = "POSE"
    bpy.context.view_layer.objects.active = panda
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(errors().RigError, match="Edit Mode"):
        api.get_pose(panda)
    bpy.ops.object.mode_set(mode="OBJECT")
    hidden = arm(1)
    hidden.hide_viewport = True
    with pytest.raises(errors().RigError, match="disabled in viewports"):
        api.get_pose(hidden)
    for collection in panda.users_collection:
        collection.objects.unlink(panda)
    with pytest.raises(errors().RigError, match="view layer"):
        api.get_pose(panda)


def test_unknown_names_are_refused_with_suggestions(panda: bpy.types.Object) -> None:
    before = channels(panda)
    with pytest.raises(errors().LinkposeError, match=r"did you mean.*'panda_hand'"):
        api.solve(panda, "panda_hnad", (0.3, 0.0, 0.5))
    with pytest.raises(errors().LinkposeError, match=r"did you mean.*'panda_hand'"):
        api.handle(panda, "panda_hnad")
    with pytest.raises(errors().LinkposeError, match="did you mean"):
        api.set_pose(panda, {"panda_joint": 0.0})
    with pytest.raises(errors().LinkposeError, match="follows 'panda_finger_joint1'"):
        api.set_pose(panda, {"panda_finger_joint2": 0.0})
    with pytest.raises(errors().LinkposeError, match="finite"):
        api.set_pose(panda, {"panda_joint1": math.inf})
    assert changed(before, channels(panda)) == set()


def test_a_body_that_nothing_moves_is_refused_with_the_reason(panda: bpy.types.Object) -> None:
    with pytest.raises(errors().RigError, match="'panda_link0' is the root"):
        api.solve(panda, "panda_link0", (0.0, 0.0, 1.0))
    armature = arm(2)
    for bone in armature.pose.bones:
        bone.lock_rotation = bone.lock_location = (True, True, True)
    with pytest.raises(errors().RigError, match=r"'b1' has all its rotation locked.*; bone 'b0' has all"):
        api.solve(armature, "b1", (0.0, 0.0, 1.0))
    with pytest.raises(errors().RigError, match="'b1' has no joint to set"):
        api.set_pose(armature, {"b1": 0.0})


def test_a_chain_of_locked_joints_is_refused(panda: bpy.types.Object) -> None:
    panda.pose.bones["panda_leftfinger"].lock_location[2] = True
    with pytest.raises(errors().RigError, match="one value only"):
        api.solve(panda, "panda_leftfinger", (0.0, 0.0, 1.0))


def test_a_linked_armature_is_read_but_not_posed(tmp_path: Path) -> None:
    armature = arm(2, name="away")
    file = str(tmp_path / "library.blend")
    bpy.data.libraries.write(file, {armature})
    bpy.data.objects.remove(armature)
    with bpy.data.libraries.load(file, link=True) as (source, target):
        target.objects = source.objects
    (linked,) = target.objects
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.update()
    assert len(api.get_pose(linked)) == 6
    with pytest.raises(errors().RigError, match="library override"):
        api.set_pose(linked, {"b0:x": 0.1})
    with pytest.raises(errors().RigError, match="library override"):
        api.solve(linked, "b1", (0.1, 0.1, 0.4))
    override = linked.override_create(remap_local_usages=True)
    bpy.context.view_layer.update()
    api.set_pose(override, {"b0:x": 0.1})
    assert api.get_pose(override)["b0:x"] == pytest.approx(0.1)


def test_links_and_bones_may_share_names(tmp_path: Path) -> None:
    armature = import_text(
        tmp_path,
        '<link name="a"/><link name="b"/><joint name="b" type="revolute"><parent link="a"/><child link="b"/>'
        '<axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint>',
    ).armature
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    extra = armature.data.edit_bones.new("b_extra")
    extra.tail, extra.parent = (0.0, 0.0, 0.2), armature.data.edit_bones["b"]
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.data.bones["b_extra"].name = "b.copy"
    assert api.read_skeleton(armature).unknowns == ("b", "b.copy:z", "b.copy:y", "b.copy:x")


@pytest.mark.parametrize(
    "call",
    [
        lambda robot: api.handle(robot, None),
        lambda robot: api.solve(robot, None, (0.4, 0.0, 0.5)),
        lambda robot: api.set_pose(robot, None),
        lambda robot: api.set_pose(robot, {None: 1.0}),
        lambda robot: api.set_pose(robot, {"panda_joint1": "far"}),
        lambda robot: api.set_pose(robot, {"panda_joint1": 0.1}, frame="5"),
        lambda robot: api.set_pose(robot, {"panda_joint1": 0.1}, frame=1e12),
        lambda robot: api.import_urdf(None),
    ],
)
def test_what_is_no_name_value_or_frame_is_refused_in_our_own_words(panda, call):
    before = channels(panda)
    with pytest.raises(module("errors").LinkposeError):
        call(panda)
    assert channels(panda) == before
