"""The length of a chain, changed while a drag runs."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.characters import metarig
from blender.posing import MODES, arm, changed, channels, import_bare, keyed, tail
from blender.support import api, module


def session(armature: bpy.types.Object, body: str, **options: object) -> object:
    held = module("rig.grip").by_name(bpy.context, armature.name, body)
    return module("rig.drag").DragSession(bpy.context, held, np.zeros(3), **options)


@pytest.fixture
def started():
    """Drags that are over at the end of the test, whatever becomes of it."""
    made = []

    def start(*args: object, **options: object) -> object:
        made.append(session(*args, **options))
        return made[-1]

    yield start
    for drag in made:
        drag.cancel(bpy.context)


def bones(drag: object, armature: bpy.types.Object) -> set[str]:
    return {name.partition(":")[0] for name in drag.chain}


@pytest.mark.parametrize("mode", MODES)
def test_joints_that_leave_the_chain_go_back_bit_for_bit_and_the_target_stays(started, mode: str) -> None:
    armature = arm(mode=mode)
    path = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode, "rotation_euler")
    for i, bone in enumerate(armature.pose.bones):
        setattr(bone, path, (0.9, 0.1 * i, 0.2, 0.3)[: len(getattr(bone, path))])
    bpy.context.view_layer.update()
    before = channels(armature)
    drag = started(armature, "b4")
    assert (drag.length, drag.longest) == (5, 5)
    target = drag.target + np.array((0.2, 0.1, -0.15))
    drag.aim(target)
    drag.advance(bpy.context, 0.5)
    assert changed(before, channels(armature)) == {f"b{i}" for i in range(5)}
    for length in (4, 3):
        assert drag.change_length(bpy.context, -1)
        assert drag.length == length
        drag.advance(bpy.context, 0.5)
        assert bones(drag, armature) == {f"b{i}" for i in range(5 - length, 5)}
        assert changed(before, channels(armature)) == bones(drag, armature)
        assert drag.target == pytest.approx(target)
        assert len(drag.joints) == length + 1, "the overlay shows the anchor and what moves"
    assert drag.handle == pytest.approx(tail(armature, "b4"), abs=1e-5)
    assert drag.change_length(bpy.context, 1)
    assert drag.length == 4
    drag.cancel(bpy.context)
    assert channels(armature) == before
    assert not keyed(armature)


def test_a_confirmed_drag_keys_the_chain_as_long_as_it_is_then(started) -> None:
    armature = arm()
    drag = started(armature, "b4")
    drag.aim(drag.target + np.array((0.1, 0.05, -0.1)))
    drag.advance(bpy.context, 0.5)
    drag.change_length(bpy.context, -3)
    drag.confirm(bpy.context)
    assert {path for path, _ in keyed(armature)} == {f'pose.bones["b{i}"].rotation_euler' for i in (3, 4)}


def test_one_joint_and_all_joints_are_the_ends(started) -> None:
    armature = arm()
    drag = started(armature, "b2")
    assert drag.change_length(bpy.context, -9)
    assert drag.length == 1
    assert not drag.change_length(bpy.context, -1)
    assert drag.change_length(bpy.context, 9)
    assert drag.length == drag.longest == 3
    assert not drag.change_length(bpy.context, 1)
    assert drag.has_moved is False


def test_a_characters_hand_takes_the_spine_along_when_asked_to(started) -> None:
    armature = metarig("human")
    before = channels(armature)
    drag = started(armature, "hand.L")
    rule = bones(drag, armature)
    assert "spine.003" not in rule
    drag.aim(drag.target + np.array((0.4, -0.4, -0.2)))
    drag.advance(bpy.context, 0.5)
    short = drag.residual
    assert drag.change_length(bpy.context, 1)
    assert bones(drag, armature) == rule | {"spine.003"}
    drag.change_length(bpy.context, 2)
    drag.advance(bpy.context, 0.5)
    assert drag.residual < 0.8 * short
    assert drag.handle == pytest.approx(tail(armature, "hand.L"), abs=1e-5)
    drag.change_length(bpy.context, -3)
    drag.advance(bpy.context, 0.5)
    assert bones(drag, armature) == rule
    assert changed(before, channels(armature)) <= rule


def test_hips_that_are_moved_by_their_location_have_one_length(started) -> None:
    drag = started(metarig("human"), "spine")
    assert not drag.change_length(bpy.context, 1)
    assert not drag.change_length(bpy.context, -1)


def test_a_robots_locked_joints_do_not_count(started, tmp_path: Path) -> None:
    armature = import_bare("panda", tmp_path)
    armature.pose.bones["panda_link4"].lock_rotation = (True, True, True)
    drag = started(armature, "panda_link6")
    assert (drag.length, drag.longest) == (5, 5)
    drag.change_length(bpy.context, -3)
    assert drag.chain == ("panda_joint5", "panda_joint6")


def test_the_operator_takes_a_length(tmp_path: Path) -> None:
    armature = arm()
    before = channels(armature)
    target = tuple(tail(armature, "b4") + np.array((0.05, 0.1, -0.05)))
    assert bpy.ops.linkpose.drag(armature=armature.name, body="b4", target=target, length=2) == {"FINISHED"}
    assert changed(before, channels(armature)) == {"b3", "b4"}
    assert api.session() is None
