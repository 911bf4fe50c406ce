"""Drags of a control for a bone that follows it: the picked point goes to the target, as Blender evaluates it."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender.characters import generated
from blender.posing import arm, channels, make_named, tail
from blender.support import errors, module
from mathutils import Euler, Vector
from numpy.typing import NDArray

SEGMENTS = ("DEF-forearm.L", "DEF-forearm.L.001", "DEF-upper_arm.L", "DEF-upper_arm.L.001", "DEF-shin.R.001")
# Rotations [rad] of what an animator turns; ways [m] of what an animator moves.
TURNS = ((0.3, 0.2, -0.25), (-0.2, 0.5, 0.3), (0.1, -0.6, 0.2))
WAYS = ((-0.08, -0.1, 0.06), (-0.12, 0.05, 0.1), (-0.15, -0.06, -0.05))


def blend(armature: bpy.types.Object, fk: float) -> None:
    for bone in armature.pose.bones:
        if "IK_FK" in bone:
            bone["IK_FK"] = fk
    armature.update_tag()
    bpy.context.view_layer.update()


def side(armature: bpy.types.Object, bone: str) -> Vector:
    """A point on the skin, in the bone's own space: beside its middle."""
    return Vector((0.03, 0.6 * armature.data.bones[bone].length, 0.02))


def place(armature: bpy.types.Object, bone: str) -> NDArray[np.float64]:
    return np.array(armature.matrix_world @ armature.pose.bones[bone].matrix @ side(armature, bone))


def reachable(armature: bpy.types.Object, bone: str, control: str, number: int) -> NDArray[np.float64]:
    """Where the point is after its control was posed by hand; the pose is put back."""
    posed = [armature.pose.bones[control]]
    before = [bone.matrix_basis.copy() for bone in armature.pose.bones]
    if "_ik" in control:
        posed[0].location = posed[0].bone.matrix_local.to_3x3().inverted() @ Vector(WAYS[number])
    else:
        while not posed[-1].name.startswith(("upper_arm", "thigh")):
            posed.append(posed[-1].parent)
            while "_fk" not in posed[-1].name or posed[-1].bone.hide:
                posed[-1] = posed[-1].parent
        for i, one in enumerate(posed):
            one.rotation_quaternion = Euler(np.roll(TURNS[number], i) * 0.7).to_quaternion()
    bpy.context.view_layer.update()
    found = place(armature, bone)
    for bone_posed, basis in zip(armature.pose.bones, before, strict=True):
        bone_posed.matrix_basis = basis
    bpy.context.view_layer.update()
    return found


def take(armature: bpy.types.Object, bone: str) -> object:
    point = place(armature, bone)
    pick = module("rig.pick").Pick(armature.name, armature.session_uid, bone, point, "skin")
    return module("rig.drag").DragSession(bpy.context, module("rig.grip").of_pick(bpy.context, pick, lead=True), point)


def settle(drag: object) -> None:
    for _ in range(100):
        if drag.is_done:
            return
        drag.advance(bpy.context)
    raise AssertionError("the drag finds no end")


def put_back(armature: bpy.types.Object) -> None:
    for posed in armature.pose.bones:
        posed.location, posed.rotation_quaternion = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
    bpy.context.view_layer.update()


@pytest.mark.parametrize("fk", [0.0, 1.0], ids=["IK", "FK"])
def test_the_picked_point_of_a_twist_segment_reaches_what_its_control_can_make_it_reach(fk: float) -> None:
    armature = generated()
    blend(armature, fk)
    for bone in SEGMENTS:
        control = module("rig.leaders").leader_of(armature, bone)
        for number in range(len(WAYS)):
            target, start = reachable(armature, bone, control, number), place(armature, bone)
            drag = take(armature, bone)
            assert drag.grip.bone == control
            assert drag.grip.picked == bone
            assert np.linalg.norm(drag.handle - start) < 1e-6
            assert np.linalg.norm(target - start) > 0.01
            drag.aim(target)
            settle(drag)
            drag.confirm(bpy.context)
            bpy.context.view_layer.update()
            left = np.linalg.norm(place(armature, bone) - target)
            assert left <= 1e-3 * drag.size, (bone, number, left / drag.size, drag.solution)
            assert drag.status == "REACHED"
            assert drag.residual == pytest.approx(left, abs=1e-6)
            assert drag.solution.position_residual == pytest.approx(left, abs=1e-6)
            put_back(armature)


def test_a_pointer_that_moves_on_is_followed_and_a_cancelled_drag_leaves_no_trace() -> None:
    armature = generated()
    blend(armature, 0.0)
    before = channels(armature)
    bone = "DEF-forearm.L.001"
    start = place(armature, bone)
    drag = take(armature, bone)
    for step in range(1, 13):
        drag.aim(start + step / 12 * np.array((-0.12, -0.1, 0.08)))
        settle(drag)
        left = np.linalg.norm(place(armature, bone) - drag.target)
        assert left <= 1e-3 * drag.size, (step, left / drag.size, drag.solution)
    drag.aim(start)
    settle(drag)
    assert np.linalg.norm(place(armature, bone) - start) <= 1e-3 * drag.size
    drag.cancel(bpy.context)
    assert channels(armature) == before


@pytest.mark.parametrize("fk", [0.0, 1.0], ids=["IK", "FK"])
def test_a_target_out_of_reach_is_told_so_and_nothing_runs_away(fk: float) -> None:
    armature = generated()
    for posed in armature.pose.bones:
        if "IK_Stretch" in posed:
            posed["IK_Stretch"] = 0.0
    blend(armature, fk)
    for bone in ("DEF-upper_arm.L.001", "DEF-forearm.L"):
        start = place(armature, bone)
        target = start + np.array((1.5, 0.4, 1.0))
        drag = take(armature, bone)
        drag.aim(target)
        settle(drag)
        drag.confirm(bpy.context)
        bpy.context.view_layer.update()
        reached = place(armature, bone)
        assert np.linalg.norm(target - reached) < np.linalg.norm(target - start)
        assert drag.status in {"OUT_OF_REACH", "STALLED", "AT_LIMITS"}
        assert drag.residual == pytest.approx(np.linalg.norm(target - reached), abs=1e-6)
        control = armature.pose.bones[drag.grip.bone]
        assert np.linalg.norm(control.head - control.bone.head_local) < 4.0 * np.linalg.norm(target - start)
        put_back(armature)


def test_a_bone_that_is_dragged_itself_is_not_corrected() -> None:
    armature = arm(4)
    pick = module("rig.pick").Pick(armature.name, armature.session_uid, "b3", tail(armature, "b3"), "bone")
    held = module("rig.grip").of_pick(bpy.context, pick, lead=True)
    assert (held.bone, held.picked) == ("b3", "")
    drag = module("rig.drag").DragSession(bpy.context, held, tail(armature, "b3"))
    drag.aim(tail(armature, "b3") + np.array((0.3, 0.1, -0.4)))
    drag.confirm(bpy.context)
    assert np.linalg.norm(tail(armature, "b3") - drag.target) < 1e-3


def test_a_picked_bone_that_is_gone_ends_the_drag_of_its_control() -> None:
    ends = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    armature = make_named([("control", "", *ends), ("skin", "", *ends)])
    copy = armature.pose.bones["skin"].constraints.new("COPY_TRANSFORMS")
    copy.target, copy.subtarget = armature, "control"
    bpy.context.view_layer.update()
    drag = take(armature, "skin")
    assert (drag.grip.bone, drag.grip.picked) == ("control", "skin")
    drag.aim(place(armature, "skin") + np.array((0.1, 0.0, 0.0)))
    drag.advance(bpy.context)
    armature.data.bones["skin"].name = "other"
    with pytest.raises(errors.RigError, match="no longer has the bone 'skin'"):
        drag.advance(bpy.context)
    drag.cancel(bpy.context)
    assert not any(armature.pose.bones["control"].location)
