"""What a confirmed drag keys while it follows the scene's auto-keying."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender.posing import arm, keyed, tail
from blender.support import module


@pytest.fixture
def tools() -> bpy.types.ToolSettings:
    edit, tools = bpy.context.preferences.edit, bpy.context.scene.tool_settings
    tools.use_keyframe_insert_auto = True
    edit.use_keyframe_insert_available = edit.use_auto_keyframe_insert_needed = False
    return tools


def drag(armature: bpy.types.Object, step: tuple[float, float, float], when: str = "AUTO") -> None:
    module_ = module("rig.drag")
    grip = module("rig.grip").by_name(bpy.context, armature.name, "b2")
    session = module_.DragSession(bpy.context, grip, np.zeros(3), keying=module("rig.keying").Keying("CHAIN", when))
    session.aim(tail(armature, "b2") + np.array(step))
    session.confirm(bpy.context)
    assert session.refused_key == ""


def types_of(armature: bpy.types.Object) -> set[str]:
    return {key.type for curve in module("rig.compat").fcurves(armature) for key in curve.keyframe_points}


def test_keys_have_the_type_that_the_scene_asks_for(tools: bpy.types.ToolSettings) -> None:
    tools.keyframe_type = "EXTREME"
    armature = arm(3)
    drag(armature, (0.1, 0.1, -0.1))
    # Without "Only Insert Needed", Blender's auto-keying takes location, rotation and scale of what was transformed.
    paths = {(path.rpartition(".")[2], index) for path, index in keyed(armature)}
    assert paths == {(path, i) for path in ("location", "rotation_euler", "scale") for i in range(3)}
    assert len(keyed(armature)) == 27
    assert types_of(armature) == {"EXTREME"}


def test_only_channels_with_curves_are_keyed_where_that_is_asked(tools: bpy.types.ToolSettings) -> None:
    bpy.context.preferences.edit.use_keyframe_insert_available = True
    armature = arm(3)
    armature.pose.bones["b1"].keyframe_insert("rotation_euler", index=2, frame=10)
    drag(armature, (0.1, 0.1, -0.1))
    assert {place: len(keys) for place, keys in keyed(armature).items()} == {('pose.bones["b1"].rotation_euler', 2): 2}
    drag(armature, (0.1, 0.1, -0.1), when="ALWAYS")
    assert len(keyed(armature)) == 9


def test_only_existing_keys_are_replaced_where_that_is_asked(tools: bpy.types.ToolSettings) -> None:
    tools.auto_keying_mode = "REPLACE_KEYS"
    armature = arm(3)
    armature.pose.bones["b1"].keyframe_insert("rotation_euler", frame=10)
    armature.pose.bones["b2"].keyframe_insert("rotation_euler", index=0, frame=bpy.context.scene.frame_current)
    drag(armature, (0.1, 0.1, -0.1))
    found = {place: len(keys) for place, keys in keyed(armature).items()}
    assert found == {
        ('pose.bones["b2"].rotation_euler', 0): 1,
        **{('pose.bones["b1"].rotation_euler', i): 1 for i in range(3)},
    }


def test_keys_that_change_nothing_are_left_out_where_that_is_asked(tools: bpy.types.ToolSettings) -> None:
    armature = arm(3)
    for bone in armature.pose.bones:
        for frame in (1, 20):
            bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.preferences.edit.use_auto_keyframe_insert_needed = True
    armature.pose.bones["b0"].lock_rotation = armature.pose.bones["b1"].lock_rotation = (True, True, True)
    bpy.context.scene.frame_set(10)
    drag(armature, (0.05, 0.05, -0.05))
    counts = {place: len(keys) for place, keys in keyed(armature).items()}
    assert all(count == 2 for (path, _), count in counts.items() if "b2" not in path)
    assert any(count == 3 for (path, _), count in counts.items() if "b2" in path)


def test_a_keying_set_of_the_scene_says_which_channels(tools: bpy.types.ToolSettings) -> None:
    armature = arm(3)
    keying_set = bpy.context.scene.keying_sets.new(name="mine")
    keying_set.paths.add(armature, 'pose.bones["b1"].rotation_euler')
    keying_set.paths.add(armature, "location", index=2)
    bpy.context.scene.keying_sets.active = keying_set
    tools.use_keyframe_insert_keyingset = True
    drag(armature, (0.1, 0.1, -0.1))
    assert set(keyed(armature)) == {*(('pose.bones["b1"].rotation_euler', i) for i in range(3)), ("location", 2)}


def test_keys_of_a_cycle_go_into_the_first_one(tools: bpy.types.ToolSettings) -> None:
    tools.use_keyframe_cycle_aware = True
    armature = arm(3)
    for bone in armature.pose.bones:
        for frame in (1, 11):
            bone.keyframe_insert("rotation_euler", frame=frame)
    for curve in module("rig.compat").fcurves(armature):
        curve.modifiers.new("CYCLES")
    bpy.context.scene.frame_set(25)
    drag(armature, (0.1, 0.1, -0.1))
    turned = [keys for (path, _), keys in keyed(armature).items() if path.endswith("rotation_euler")]
    assert {frame for keys in turned for frame, _ in keys} == {1.0, 5.0, 11.0}
