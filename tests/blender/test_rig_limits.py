"""Limit Rotation and Limit Location in every space and of any influence: read as shown, and solved through."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender.posing import arm, assert_skeleton_is_what_blender_shows, shown, tail
from blender.support import api, errors, module
from blender.test_pose_bones import held, limit_rotation, tumble


@pytest.mark.parametrize("space", ["LOCAL_WITH_PARENT", "POSE", "WORLD", "CUSTOM", "the parent's"])
@pytest.mark.parametrize("mode", ["QUATERNION", "ZXY"])
def test_a_limit_in_any_space_is_read_as_shown_and_solved_through(space: str, mode: str) -> None:
    armature = arm(4, mode=mode, roll=0.3)
    armature.rotation_euler, armature.location = (0.2, -0.1, 0.3), (0.5, 0.2, 0.1)
    for bone in ("b1", "b2"):
        constraint = limit_rotation(armature.pose.bones[bone], x=(-0.4, 0.5), z=(-0.3, 0.4))
        constraint.owner_space = space if space.isupper() else "CUSTOM"
        if space == "the parent's":
            constraint.space_object, constraint.space_subtarget = armature, armature.pose.bones[bone].parent.name
        elif space == "CUSTOM":
            constraint.space_object = bpy.data.objects.new("space", None)
            bpy.context.scene.collection.objects.link(constraint.space_object)
            constraint.space_object.rotation_euler = (0.3, 0.1, 0.2)
    tumble(armature, 1, location=0.0)
    assert held(armature) == {}
    assert_skeleton_is_what_blender_shows(armature)
    for bone in armature.pose.bones:
        bone.rotation_quaternion, bone.rotation_euler = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    draw = np.random.default_rng(2)
    for _ in range(4):
        # A target that the limits let the tail get to: it was there.
        rig = module("rig.reading").read(armature)
        q = draw.uniform(-0.6, 0.6, len(rig.skeleton.unknowns))
        frame = np.array(armature.matrix_world) @ rig.skeleton.frame("b3", q)
        target = (frame @ (0.0, armature.data.bones["b3"].length, 0.0, 1.0))[:3]
        solution = api.solve(armature, "b3", target, tolerance=1e-4)
        assert solution.status == "REACHED"
        assert np.linalg.norm(tail(armature, "b3") - target) < 1.5e-4


def test_a_limit_of_half_influence_gives_way_by_half() -> None:
    armature = arm(3)
    limit_rotation(armature.pose.bones["b1"], x=(-0.1, 0.1)).influence = 0.5
    armature.pose.bones["b1"].rotation_euler.x = 0.9
    bpy.context.view_layer.update()
    assert held(armature) == {}
    assert_skeleton_is_what_blender_shows(armature)
    target = tail(armature, "b2") + np.array((0.0, -0.1, -0.05))
    assert api.solve(armature, "b2", target).status == "REACHED"
    assert np.linalg.norm(tail(armature, "b2") - target) < 1e-4


def test_an_influence_that_is_driven_counts_as_it_is_now() -> None:
    armature = arm(2)
    constraint = limit_rotation(armature.pose.bones["b0"], x=(-0.1, 0.1))
    constraint.driver_add("influence").driver.expression = "0.25"
    armature.pose.bones["b0"].rotation_euler.x = 0.9
    bpy.context.view_layer.update()
    bpy.context.view_layer.update()
    assert held(armature) == {}
    assert_skeleton_is_what_blender_shows(armature)


def test_a_limit_in_a_space_that_the_armature_moves_ends_the_chain() -> None:
    armature = arm(3)
    constraint = limit_rotation(armature.pose.bones["b2"], x=(-0.1, 0.1))
    constraint.owner_space, constraint.space_object, constraint.space_subtarget = "CUSTOM", armature, "b0"
    tumble(armature, 1)
    assert held(armature) == {"b2": "is moved by its constraint 'Limit Rotation'"}
    assert_skeleton_is_what_blender_shows(armature)


@pytest.mark.parametrize("space", ["LOCAL", "LOCAL_WITH_PARENT", "POSE", "WORLD"])
@pytest.mark.parametrize("influence", [1.0, 0.5])
def test_hips_slide_within_limits_in_any_space(space: str, influence: float) -> None:
    armature = arm(1, roll=0.4)
    armature.location, armature.rotation_euler = (0.2, 0.1, -0.3), (0.4, 0.2, 0.9)
    bone = armature.pose.bones["b0"]
    bone.lock_rotation = (True, True, True)
    constraint = bone.constraints.new("LIMIT_LOCATION")
    constraint.owner_space, constraint.influence = space, influence
    constraint.use_max_x, constraint.max_x = True, 0.25
    constraint.use_min_y, constraint.min_y = True, -0.5
    bpy.context.view_layer.update()
    start = shown(armature, "b0")[:3, 3]
    inside = start + np.array((-0.05, 0.1, 0.02))
    assert api.solve(armature, "b0", inside, point=(0.0, 0.0, 0.0)).status == "REACHED"
    assert np.linalg.norm(shown(armature, "b0")[:3, 3] - inside) < 1e-5
    for axis in np.eye(3):
        for far in (-2.0, 2.0):
            target = start + far * axis
            solution = api.solve(armature, "b0", target, point=(0.0, 0.0, 0.0))
            left = np.linalg.norm(shown(armature, "b0")[:3, 3] - target)
            assert left == pytest.approx(solution.position_residual, abs=1e-5)
            assert (solution.status == "REACHED") == (left < 1e-4)
            if influence < 1.0:
                assert left < 1e-4, "what is held by half can be had by going twice as far"


@pytest.mark.parametrize("space", ["LOCAL_WITH_PARENT", "POSE", "WORLD"])
def test_limits_that_look_at_the_armature_do_not_make_a_moved_object_lie(space: str) -> None:
    armature = arm(3)
    limit_rotation(armature.pose.bones["b1"], x=(-0.2, 0.2)).owner_space = space
    target = tail(armature, "b2") + np.array((0.8, -0.6, 0.3))
    solution = api.solve(armature, "b2", target, root_motion=True, tolerance=1e-4)
    distance = np.linalg.norm(tail(armature, "b2") - target)
    assert (solution.status == "REACHED") == (distance < 1.5e-4)
    assert solution.position_residual == pytest.approx(distance, abs=1e-5)


@pytest.mark.parametrize("method", ["CCD", "FABRIK"])
def test_methods_that_cannot_follow_such_a_limit_say_so(method: str) -> None:
    armature = arm(3)
    limit_rotation(armature.pose.bones["b1"], x=(-0.2, 0.2)).owner_space = "POSE"
    with pytest.raises(errors.GoalError, match=f"'b1' is placed by limits .* {method} cannot follow; use AUTO"):
        api.solve(armature, "b2", (0.3, 0.0, 0.6), method=method)
