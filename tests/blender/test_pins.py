"""Bodies that stay while another is dragged: feet under hips and trunks, hands, goals, the armature object itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from blender.characters import from_file, metarig
from blender.posing import arm, changed, channels, keyed, make_named, shown, tail
from blender.robots import import_bare, link_frames, robot_file, set_channels
from blender.support import api, errors, module
from mathutils import Euler, Matrix

# Rig, hips, feet.
CHARACTERS = (
    ("metarig", "spine", ("foot.L", "foot.R")),
    ("bvh/01_01.bvh", "Hips", ("LeftFoot", "RightFoot")),
    ("fbx/maya_human_ik_7400_binary.fbx", "Character1_Hips", ("Character1_LeftFoot", "Character1_RightFoot")),
    ("vrm/armature_transform.blend", "hips", ("foot.L", "foot.R")),
    ("vrm/pose_rotation_scale_shape_key_skinned.blend", "hips", ("foot.L", "foot.R")),
)


def character(name: str) -> bpy.types.Object:
    return metarig("human") if name == "metarig" else from_file(name)


def goal(body: str, **asked: object) -> object:
    return module("solver").Goal(body, **asked)


def extent(armature: bpy.types.Object) -> float:
    """Diagonal of the world box of the bones."""
    world = np.array(armature.matrix_world)
    ends = [(world @ (*end, 1.0))[:3] for bone in armature.pose.bones for end in (bone.head, bone.tail)]
    return float(np.linalg.norm(np.ptp(ends, axis=0)))


def place(armature: bpy.types.Object, bone: str) -> tuple[np.ndarray, np.ndarray]:
    """(world head, world directions of the axes by rows) of a bone as Blender evaluates it."""
    world = shown(armature, bone)
    axes = world[:3, :3].T
    return world[:3, 3], axes / np.linalg.norm(axes, axis=1)[:, None]


def assert_stays(
    armature: bpy.types.Object, bone: str, before: tuple[np.ndarray, np.ndarray], near: float, turn: float = 1e-3
) -> None:
    now = place(armature, bone)
    assert np.linalg.norm(now[0] - before[0]) <= near, bone
    assert np.abs(now[1] - before[1]).max() <= turn, bone


def down(armature: bpy.types.Object, hips: str, feet: Sequence[str]) -> np.ndarray:
    """Of a character of 1.8 m, 20 cm towards the feet; the world vector."""
    to_feet = np.mean([place(armature, foot)[0] for foot in feet], axis=0) - place(armature, hips)[0]
    return 0.22 * to_feet


@pytest.mark.parametrize(("name", "hips", "feet"), CHARACTERS, ids=[name for name, _, _ in CHARACTERS])
def test_hips_go_down_while_both_feet_stay(name: str, hips: str, feet: tuple[str, ...]) -> None:
    armature = character(name)
    size = extent(armature)
    before = {foot: place(armature, foot) for foot in feet}
    target = tail(armature, hips) + down(armature, hips, feet)
    rest = channels(armature)
    solution = api.solve(armature, hips, target, pins=feet)
    assert solution.status.value == "REACHED", solution
    assert np.linalg.norm(tail(armature, hips) - target) <= 1e-3 * size
    for foot in feet:
        assert_stays(armature, foot, before[foot], 1e-3 * size)
    assert [one.body for one in solution.goals] == [hips, *feet]
    assert max(one.position for one in solution.goals) <= 1e-4 * size
    moved = {unknown.partition(":")[0] for unknown in solution.pose}
    assert changed(rest, channels(armature)) <= moved, "what is in no leg stays, bit for bit"


def test_without_pins_the_feet_go_along() -> None:
    armature = metarig("human")
    before = place(armature, "foot.L")[0]
    step = down(armature, "spine", ("foot.L", "foot.R"))
    api.solve(armature, "spine", tail(armature, "spine") + step)
    assert np.linalg.norm(place(armature, "foot.L")[0] - before - step) < 1e-4


def test_the_chest_leans_while_a_hand_stays_and_the_other_goes_along() -> None:
    armature = metarig("human")
    left, right = place(armature, "hand.L"), place(armature, "hand.R")
    target = tail(armature, "spine.003") + np.array((0.03, -0.08, -0.05))
    solution = api.solve(armature, "spine.003", target, pins=["hand.L"])
    assert solution.status.value == "REACHED", solution
    assert_stays(armature, "hand.L", left, 1e-4)
    assert np.linalg.norm(place(armature, "hand.R")[0] - right[0]) > 0.01


def test_a_pin_that_the_drag_cannot_disturb_adds_no_joint() -> None:
    armature = metarig("human")
    target = tail(armature, "forearm.L") + np.array((-0.05, -0.1, 0.1))
    alone = api.solve(armature, "forearm.L", target, apply=False)
    with_pins = api.solve(armature, "forearm.L", target, pins=["hand.R", "foot.L"], apply=False)
    assert with_pins.pose == alone.pose
    assert [one.body for one in with_pins.goals] == ["forearm.L", "hand.R", "foot.L"]
    assert with_pins.goals[1].position < 1e-6


def test_the_spine_moves_between_two_hands_only_if_the_anchor_says_so() -> None:
    armature = metarig("human")
    other = place(armature, "hand.R")
    target = place(armature, "hand.L")[0] + np.array((-0.15, -0.3, 0.1))
    near = api.solve(armature, "hand.L", target, point=(0, 0, 0), pins=["hand.R"], apply=False)
    assert not any(name.startswith("spine") for name in near.pose)
    far = api.solve(armature, "hand.L", target, point=(0, 0, 0), pins=["hand.R"], anchor="spine")
    assert {"spine.001:x", "spine.003:z", "upper_arm.R:x"} <= set(far.pose)
    assert far.status.value == "REACHED", far
    assert_stays(armature, "hand.R", other, 1e-4)


def test_a_goal_elsewhere_is_a_second_hand_that_is_brought_there() -> None:
    armature = metarig("human")
    targets = [
        tail(armature, f"hand.{side}") + np.array((sign * -0.1, -0.2, 0.15)) for side, sign in (("L", 1), ("R", -1))
    ]
    solution = api.solve(armature, "hand.L", targets[0], pins=[goal("hand.R", position=targets[1])])
    assert solution.status.value == "REACHED", solution
    assert np.linalg.norm(tail(armature, "hand.R") - targets[1]) < 1e-4


def test_pins_hold_an_orientation_or_an_aim_alone() -> None:
    armature = arm(6)
    armature.scale = (2.0, 2.0, 2.0)
    armature.rotation_euler = (0.3, 0.2, 0.1)
    before = shown(armature, "b5")[:3, :3] / 2.0
    target = tail(armature, "b3") + np.array((0.5, 0.2, -0.3))
    turned = api.solve(armature, "b3", target, pins=[goal("b5", orientation=before)])
    assert turned.status.value == "REACHED", turned
    assert np.abs(shown(armature, "b5")[:3, :3] / 2.0 - before).max() < 1e-3
    aimed = api.solve(
        armature, "b3", target - (0.3, 0.0, 0.0), pins=[goal("b5", aim=((0, 1, 0), (0, 0, 1)))], anchor="root"
    )
    assert aimed.status.value == "REACHED", aimed
    assert np.abs(shown(armature, "b5")[:3, 1] / 2.0 - (0, 0, 1)).max() < 1e-3
    assert aimed.goals[1].position is None
    assert aimed.goals[1].orientation < 1e-3


def test_what_cannot_be_had_with_the_pins_is_not_called_reached_and_the_feet_stay_nearly() -> None:
    armature = metarig("human")
    before = {foot: place(armature, foot)[0] for foot in ("foot.L", "foot.R")}
    solution = api.solve(armature, "spine", tail(armature, "spine") + np.array((0, 0, 0.4)), pins=["foot.L", "foot.R"])
    assert solution.status.value != "REACHED"
    assert solution.position_residual > 0.2
    assert solution.position_residual == max(one.position for one in solution.goals)
    for foot, place_before in before.items():
        assert np.linalg.norm(place(armature, foot)[0] - place_before) < 0.02


@pytest.mark.parametrize(
    ("pins", "said"),
    [("foot.L", "list of body names"), (["food.L"], "foot.L"), ([3], "neither the name")],
)
def test_pins_that_mean_nothing_are_refused(pins: object, said: str) -> None:
    armature = metarig("human")
    before = channels(armature)
    with pytest.raises(errors.LinkposeError, match=said):
        api.solve(armature, "spine", (0, 0, 1), pins=pins)
    assert channels(armature) == before


def test_an_anchor_beside_root_motion_is_refused() -> None:
    with pytest.raises(errors.RigError, match="all the way up"):
        api.solve(arm(), "b4", (0, 0, 1), anchor="b1", root_motion=True)


def test_a_hand_that_is_far_away_takes_hips_and_spine_along_while_the_feet_stay() -> None:
    armature = metarig("human")
    before = {foot: place(armature, foot) for foot in ("foot.L", "foot.R")}
    target = tail(armature, "hand.L") + np.array((0.1, -0.35, -0.5))
    solution = api.solve(armature, "hand.L", target, pins=["foot.L", "foot.R"], root_motion=True)
    assert solution.status.value == "REACHED", solution
    assert {"spine:location_z", "spine:x", "spine.001:x", "thigh.L:x", "upper_arm.L:x"} <= set(solution.pose)
    assert np.linalg.norm(tail(armature, "hand.L") - target) < 1e-4
    for foot in ("foot.L", "foot.R"):
        assert_stays(armature, foot, before[foot], 1e-4)


def test_hips_below_a_root_bone_move_freely_and_the_root_bone_stays() -> None:
    armature = make_named(
        [("root", "", (0, 0, 0), (0, 0.2, 0)), ("hips", "root", (0, 0, 1), (0, 0, 1.2))]
        + [("spine", "hips", (0, 0, 1.2), (0, 0, 1.5)), ("head", "spine", (0, 0, 1.5), (0, 0, 1.7))]
        + [
            bone
            for side, x in (("L", 0.1), ("R", -0.1))
            for bone in (
                (f"thigh.{side}", "hips", (x, 0, 1), (x, -0.02, 0.5)),
                (f"shin.{side}", f"thigh.{side}", (x, -0.02, 0.5), (x, 0, 0.1)),
                (f"foot.{side}", f"shin.{side}", (x, 0, 0.1), (x, -0.12, 0.02)),
            )
        ]
        + [(f"arm.{side}", "spine", (x, 0, 1.5), (3 * x, 0, 1.5)) for side, x in (("L", 0.1), ("R", -0.1))]
    )
    before = channels(armature)
    api.solve(armature, "hips", (0.05, 0, 1.1), pins=["foot.L", "foot.R"], root_motion=True)
    assert "root" not in changed(before, channels(armature))
    assert tail(armature, "hips") == pytest.approx((0.05, 0, 1.1), abs=1e-4)


# The armature object


def robot_with_feet(name: str) -> tuple[bpy.types.Object, str, list[str]]:
    armature = import_bare(robot_file(name))
    if name == "anymal_c":
        feet = [f"{leg}_FOOT" for leg in ("LF", "RF", "LH", "RH")]
        set_channels(
            armature,
            {f"{leg}_{joint}": sign * angle
             for leg, sign in (("LF", 1), ("RF", 1), ("LH", -1), ("RH", -1))
             for joint, angle in (("HFE", 0.6), ("KFE", -1.2))},
        )  # fmt: skip
        return armature, "base", feet
    set_channels(
        armature,
        {f"leg_{side}_{i}_joint": angle for side in ("left", "right") for i, angle in ((3, -0.5), (4, 1.0), (5, -0.5))},
    )
    return armature, "base_link", ["left_sole_link", "right_sole_link"]


def test_a_quadrupeds_trunk_moves_over_its_four_feet() -> None:
    armature, trunk, feet = robot_with_feet("anymal_c")
    armature.location, armature.rotation_euler = (1.0, 2.0, 0.5), (0.0, 0.0, 0.7)
    bpy.context.view_layer.update()
    size = extent(armature)
    before = {foot: link_frames(armature)[foot][:3, 3] for foot in feet}
    start = link_frames(armature)[trunk]
    orientation = start[:3, :3] @ np.array(Euler((0.1, -0.08, 0.15)).to_matrix())
    target = start[:3, 3] + np.array((0.06, -0.04, -0.05))
    pins = [goal(foot, position=place_before) for foot, place_before in before.items()]
    solution = api.solve(armature, trunk, target, orientation=orientation, pins=pins, root_motion=True)
    assert solution.status.value == "REACHED", solution
    frames = link_frames(armature)
    assert np.linalg.norm(frames[trunk][:3, 3] - target) < 1e-3 * size
    assert np.abs(frames[trunk][:3, :3] - orientation).max() < 2e-3
    for foot, place_before in before.items():
        assert np.linalg.norm(frames[foot][:3, 3] - place_before) < 1e-3 * size
    assert tuple(armature.location) != (1.0, 2.0, 0.5)
    assert "root_motion:location_x" in solution.pose


def test_a_humanoid_robot_squats_over_both_feet() -> None:
    armature, trunk, feet = robot_with_feet("talos")
    size = extent(armature)
    before = {foot: link_frames(armature)[foot] for foot in feet}
    target = link_frames(armature)[trunk][:3, 3] + np.array((0.0, 0.0, -0.1))
    solution = api.solve(armature, trunk, target, pins=feet, root_motion=True)
    assert solution.status.value == "REACHED", solution
    frames = link_frames(armature)
    assert np.linalg.norm(frames[trunk][:3, 3] - target) < 1e-3 * size
    for foot in feet:
        assert np.linalg.norm(frames[foot][:3, 3] - before[foot][:3, 3]) < 1e-3 * size
        assert np.abs(frames[foot][:3, :3] - before[foot][:3, :3]).max() < 1e-3


def test_a_robot_with_a_free_base_moves_by_that_and_its_object_stays() -> None:
    armature = api.import_urdf(robot_file("ur5"), free_base=True).armature
    where = object_channels(armature)
    hand = link_frames(armature)["wrist_3_link"]
    target = link_frames(armature)["upper_arm_link"][:3, 3] + np.array((0.05, 0.03, 0.04))
    pins = ["wrist_3_link"]
    solution = api.solve(armature, "upper_arm_link", target, pins=pins, root_motion=True)
    assert solution.status.value == "REACHED", solution
    assert object_channels(armature) == where
    assert np.abs(link_frames(armature)["wrist_3_link"] - hand).max() < 1e-3


def parented(armature: bpy.types.Object) -> None:
    parent = bpy.data.objects.new("parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler, parent.scale = (1, 0, 2), (0.4, 0.2, 1.0), (2, 2, 2)
    armature.parent = parent
    armature.matrix_parent_inverse = Matrix.Rotation(0.3, 4, "X")
    armature.location, armature.scale = (0.2, 0.1, 0.3), (0.5, 0.5, 0.5)


def with_deltas(armature: bpy.types.Object) -> None:
    armature.location, armature.delta_location = (0.4, 0.2, 0.0), (1, 2, 3)
    armature.rotation_euler, armature.delta_rotation_euler = (0.2, 0.1, 0.5), (0.5, -0.2, 0.3)


def with_locks(armature: bpy.types.Object) -> None:
    armature.rotation_mode, armature.rotation_euler = "YZX", (0.2, 0.5, -0.4)
    armature.lock_location, armature.lock_rotation = (False, False, True), (True, False, False)


def with_locked_quaternion(armature: bpy.types.Object) -> None:
    armature.rotation_mode, armature.rotation_quaternion = "QUATERNION", (0.8, 0.2, -0.4, 0.3)
    armature.lock_rotation = (True, True, False)


def mirrored(armature: bpy.types.Object) -> None:
    armature.rotation_mode, armature.rotation_axis_angle = "AXIS_ANGLE", (0.7, 1.0, 2.0, 0.5)
    armature.scale = (-1, 1, 1)


def skewed_by_its_parent(armature: bpy.types.Object) -> None:
    parented(armature)
    armature.parent.scale = (2, 1, 0.5)


@pytest.mark.parametrize(
    "prepare", [parented, with_deltas, with_locks, with_locked_quaternion, mirrored, skewed_by_its_parent]
)
def test_an_object_that_moves_is_where_the_solver_has_it(prepare: object) -> None:
    armature = arm(4)
    for bone in armature.pose.bones:
        bone.lock_location = (True, True, True)
    prepare(armature)
    bpy.context.view_layer.update()
    locked = [(armature.lock_location[i], armature.location[i]) for i in range(3)]
    base, mode = place(armature, "b0")[0], armature.rotation_mode
    pin = tail(armature, "b1")
    target = 0.7 * tail(armature, "b3") + 0.3 * pin + (0.05, 0.1, 0.0)
    solution = api.solve(armature, "b3", target, root_motion=True, pins=[goal("b1", position=pin)])
    assert solution.status.value == "REACHED", solution
    assert solution.position_residual < 1e-4
    assert np.linalg.norm(tail(armature, "b3") - target) < 1e-4
    assert np.linalg.norm(tail(armature, "b1") - pin) < 1e-4
    assert np.linalg.norm(place(armature, "b0")[0] - base) > 1e-3
    assert armature.rotation_mode == mode
    assert all(armature.location[i] == value for i, (lock, value) in enumerate(locked) if lock)
    assert set(armature.delta_location) <= {0.0, 1.0, 2.0, 3.0}


def driven(armature: bpy.types.Object) -> None:
    armature.driver_add("location", 0).driver.expression = "0.5"


def constrained(armature: bpy.types.Object) -> None:
    armature.constraints.new("LIMIT_LOCATION").use_min_x = True


def scaled_unevenly(armature: bpy.types.Object) -> None:
    armature.scale = (1, 2, 1)


def locked(armature: bpy.types.Object) -> None:
    armature.lock_location = armature.lock_rotation = (True, True, True)


@pytest.mark.parametrize(
    ("prepare", "said"),
    [(driven, "driver"), (constrained, "constraint"), (scaled_unevenly, "unevenly"), (locked, "locked")],
)
def test_an_object_that_cannot_be_moved_is_refused_with_the_reason(prepare: object, said: str) -> None:
    armature = import_bare(robot_file("panda"))
    prepare(armature)
    bpy.context.view_layer.update()
    before = channels(armature)
    with pytest.raises(errors.RigError, match=said):
        api.solve(armature, "panda_hand", (0.5, 0.0, 1.5), root_motion=True)
    assert channels(armature) == before


def test_a_frame_keys_the_object_and_the_joints_and_leaves_the_current_frame_alone() -> None:
    armature, trunk, feet = robot_with_feet("talos")
    object_before, before = tuple(armature.location), channels(armature)
    world = link_frames(armature)
    target = world[trunk][:3, 3] + np.array((0.0, 0.0, -0.1))
    solution = api.solve(armature, trunk, target, pins=feet, root_motion=True, frame=20)
    assert tuple(armature.location) == object_before
    assert channels(armature) == before
    paths = {path for path, _ in keyed(armature)}
    assert {"location", "rotation_euler"} <= paths
    assert len(keyed(armature)) == len(solution.values)
    bpy.context.scene.frame_set(20)
    frames = link_frames(armature)
    assert np.linalg.norm(frames[trunk][:3, 3] - target) < 1e-4
    for foot in feet:
        assert np.abs(frames[foot] - world[foot]).max() < 1e-3


def test_the_values_of_a_moved_object_can_be_set() -> None:
    armature, trunk, feet = robot_with_feet("talos")
    target = link_frames(armature)[trunk][:3, 3] + np.array((0.05, 0.0, -0.1))
    pose = api.solve(armature, trunk, target, pins=feet, root_motion=True, apply=False).pose
    assert np.linalg.norm(link_frames(armature)[trunk][:3, 3] - target) > 0.1
    api.set_pose(armature, pose)
    assert np.linalg.norm(link_frames(armature)[trunk][:3, 3] - target) < 1e-4


# Drags


def session(armature: bpy.types.Object, body: str, **options: object) -> object:
    held = module("rig.grip").by_name(bpy.context, armature.name, body)
    return module("rig.drag").DragSession(bpy.context, held, np.zeros(3), **options)


def object_channels(armature: bpy.types.Object) -> str:
    return repr(module("rig.snapshot").take_bone(armature))


@pytest.mark.parametrize("end", ["confirm", "cancel"])
def test_a_drag_with_pins_moves_the_trunk_and_cancel_puts_the_object_back_bit_for_bit(end: str) -> None:
    armature, trunk, feet = robot_with_feet("talos")
    armature.location.x = 0.1
    bpy.context.view_layer.update()
    before, where = channels(armature), object_channels(armature)
    frames = link_frames(armature)
    drag = session(armature, trunk, pins=feet, root_motion=True)
    start = drag.target.copy()
    try:
        for i in range(1, 11):
            drag.aim(start + np.array((0.002 * i, 0.0, -0.01 * i)))
            drag.advance(bpy.context, 0.5)
            now = link_frames(armature)
            for foot in feet:
                assert np.abs(now[foot] - frames[foot]).max() < 1e-3
            assert np.linalg.norm(drag.handle - drag.target) < 1e-3
            assert drag.handle == pytest.approx((now[trunk] @ (*api.handle(armature, trunk), 1.0))[:3], abs=1e-4)
        getattr(drag, end)(bpy.context)
    finally:
        drag.cancel(bpy.context)
    if end == "cancel":
        assert (channels(armature), object_channels(armature)) == (before, where)
        assert not keyed(armature)
    else:
        assert object_channels(armature) != where
        assert {path for path, _ in keyed(armature)} >= {"location", "rotation_euler"}


def test_a_robot_alone_can_be_dragged_whole_by_its_root() -> None:
    armature = import_bare(robot_file("panda"))
    with pytest.raises(errors.RigError):
        session(armature, "panda_link0")
    drag = session(armature, "panda_link0", root_motion=True)
    drag.aim(drag.target + np.array((0.3, -0.2, 0.1)))
    drag.advance(bpy.context, 0.5)
    drag.confirm(bpy.context)
    assert tuple(armature.location) == pytest.approx((0.3, -0.2, 0.1), abs=1e-3)
    assert math.hypot(*armature.rotation_euler) < 1e-3
