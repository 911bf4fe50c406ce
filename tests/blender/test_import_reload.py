"""Reading a robot's file again: the armature becomes what the file says now, and what the user did with it stays."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from blender import mesh_files
from blender.posing import keyed
from blender.robots import definitions, import_text, joint_text, link_frames, robot_file, visuals
from blender.support import api, module

LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def _link(name: str, color: str = "1 0 0 1", shape: str = '<box size="1 1 1"/>') -> str:
    material = f'<material name="{name} paint"><color rgba="{color}"/></material>'
    return f'<link name="{name}"><visual><geometry>{shape}</geometry>{material}</visual></link>'


def _body(*links: str, limit: str = LIMIT) -> str:
    """A base with one revolute joint "turn" to a link "arm"."""
    return "".join((_link("base"), *links, joint_text("turn", "revolute", "base", "arm", limit)))


def _rewrite(armature: bpy.types.Object, body: str) -> None:
    source = module("rig.import_record").read(armature).source
    Path(source).write_text(f'<robot name="made">{body}</robot>', encoding="utf-8")


def _blocks() -> dict[str, list[str]]:
    return {
        member.identifier: sorted(block.name_full for block in getattr(bpy.data, member.identifier))
        for member in bpy.data.bl_rna.properties
        if member.type == "COLLECTION"
    }


def _material(armature: bpy.types.Object, link: str) -> bpy.types.Material:
    return visuals(armature)[link][0].material_slots[0].material


def _color(material: bpy.types.Material) -> tuple[float, ...]:
    node = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    return tuple(node.inputs["Base Color"].default_value[:3])


def test_an_unchanged_file_changes_nothing() -> None:
    armature = api.import_urdf(robot_file("talos")).armature
    before = _blocks()
    frames, rest = link_frames(armature), {bone.name: np.array(bone.matrix_local) for bone in armature.data.bones}
    shapes = {shape.name: np.array(shape.matrix_world) for shape in armature.children}
    report = api.reload_urdf(armature)
    assert report.armature == armature
    assert _blocks() == before
    assert {bone.name for bone in armature.data.bones} == set(rest)
    assert all(np.array_equal(np.array(bone.matrix_local), rest[bone.name]) for bone in armature.data.bones)
    assert all(np.array_equal(frame, frames[link]) for link, frame in link_frames(armature).items())
    assert {shape.name: np.array(shape.matrix_world).tolist() for shape in armature.children} == {
        name: matrix.tolist() for name, matrix in shapes.items()
    }


def test_place_pose_keys_and_constraints_stay(tmp_path: Path) -> None:
    armature = import_text(tmp_path, _body(_link("arm"))).armature
    armature.location = (1, 2, 3)
    api.set_pose(armature, {"turn": 0.25}, frame=1)
    api.set_pose(armature, {"turn": 0.75}, frame=20)
    api.set_pose(armature, {"turn": 0.3})
    armature.pose.bones["arm"].constraints.new("COPY_LOCATION").name = "theirs"
    keys = keyed(armature)
    _rewrite(armature, _body(_link("arm"), limit=LIMIT.replace('"1"', '"0.5"', 1)))
    api.reload_urdf(armature)
    assert tuple(armature.location) == (1, 2, 3)
    assert armature.pose.bones["arm"].rotation_euler.z == pytest.approx(0.3, abs=1e-7)
    assert keyed(armature) == keys
    bpy.context.scene.frame_set(20)
    assert api.get_pose(armature)["turn"] == pytest.approx(0.5, abs=1e-6)  # the new limit
    assert sorted(one.name for one in armature.pose.bones["arm"].constraints) == ["Joint Limits", "theirs"]


def test_the_mode_stays_and_the_armature_too(tmp_path: Path) -> None:
    armature = import_text(tmp_path, _body(_link("arm"))).armature
    bpy.ops.object.mode_set(mode="POSE")
    api.reload_urdf(armature)
    assert armature.mode == "POSE"
    assert bpy.context.view_layer.objects.active == armature


def test_links_that_are_new_appear_and_those_that_are_gone_go(tmp_path: Path) -> None:
    lid = _link("lid") + joint_text("open", "prismatic", "arm", "lid", LIMIT)
    armature = import_text(tmp_path, _body(_link("arm"), lid)).armature
    meshes = len(bpy.data.meshes)
    tool = _link("tool") + joint_text(
        "follow", "revolute", "arm", "tool", LIMIT + '<mimic joint="turn" multiplier="-1"/>'
    )
    _rewrite(armature, _body(_link("arm"), tool))
    api.reload_urdf(armature)
    assert {one.link for one in definitions(armature).values()} == {"base", "arm", "tool"}
    assert set(visuals(armature)) == {"base", "arm", "tool"}
    assert len(bpy.data.meshes) == meshes
    api.set_pose(armature, {"turn": 0.4})
    assert api.get_pose(armature) == pytest.approx({"turn": 0.4, "follow": -0.4}, abs=1e-6)
    _rewrite(armature, _body(_link("arm")))
    api.reload_urdf(armature)
    assert list(armature.animation_data.drivers) == []
    assert api.get_pose(armature) == pytest.approx({"turn": 0.4}, abs=1e-6)


def test_bones_follow_their_joints_when_links_swap_their_names(tmp_path: Path) -> None:
    def body(first: str, second: str) -> str:
        return (
            _link("base") + _link(first) + _link(second) + joint_text("one", "continuous", "base", first)
            + joint_text("two", "continuous", first, second)
        )  # fmt: skip

    armature = import_text(tmp_path, body("a", "b")).armature
    api.set_pose(armature, {"one": 0.1, "two": 0.2}, frame=1)
    _rewrite(armature, body("c", "d"))
    api.reload_urdf(armature)
    assert {one.joint: name for name, one in definitions(armature).items() if one.joint} == {"one": "c", "two": "d"}
    api.set_pose(armature, {"one": 0.7, "two": 0.7})
    bpy.context.scene.frame_set(1)
    assert api.get_pose(armature) == pytest.approx({"one": 0.1, "two": 0.2}, abs=1e-6)
    assert set(visuals(armature)) == {"base", "c", "d"}


def test_a_joint_of_another_kind_starts_at_its_neutral_value(tmp_path: Path) -> None:
    armature = import_text(tmp_path, _body(_link("arm"))).armature
    api.set_pose(armature, {"turn": 0.5})
    slide = _link("base") + _link("arm") + joint_text("turn", "prismatic", "base", "arm", LIMIT)
    _rewrite(armature, slide)
    api.reload_urdf(armature)
    assert api.get_pose(armature) == {"turn": 0.0}
    assert tuple(armature.pose.bones["arm"].rotation_euler) == (0.0, 0.0, 0.0)


def test_materials_of_the_file_change_and_those_of_the_user_stay(tmp_path: Path) -> None:
    extra = _link("lid") + joint_text("open", "fixed", "arm", "lid")
    armature = import_text(tmp_path, _body(_link("arm"), extra)).armature
    theirs = bpy.data.materials.new("theirs")
    visuals(armature)["lid"][0].material_slots[0].material = theirs
    edited = _material(armature, "arm")
    next(node for node in edited.node_tree.nodes if node.type == "BSDF_PRINCIPLED").inputs[
        "Roughness"
    ].default_value = 0.1
    blue = "0 0 1 1"
    body = "".join((_link("base", blue), _link("arm", blue), _link("lid", blue)))
    _rewrite(
        armature,
        body + joint_text("turn", "revolute", "base", "arm", LIMIT) + joint_text("open", "fixed", "arm", "lid"),
    )
    api.reload_urdf(armature)
    assert _material(armature, "lid") == theirs
    assert _material(armature, "arm") == edited
    assert _color(edited) == (1.0, 0.0, 0.0)
    assert _color(_material(armature, "base")) == (0.0, 0.0, 1.0)
    assert _material(armature, "base").name == "base paint"


def test_a_free_base_stays_free_and_where_it_is(tmp_path: Path) -> None:
    armature = import_text(tmp_path, _body(_link("arm")), free_base=True).armature
    pose = {"free_base:x": 1.0, "free_base:z": -2.0, "free_base:ry": 0.5, "turn": 0.25}
    api.set_pose(armature, pose)
    before = link_frames(armature)
    api.reload_urdf(armature)
    assert {name: api.get_pose(armature)[name] for name in pose} == pytest.approx(pose, abs=1e-6)
    assert all(np.allclose(frame, before[link], atol=1e-6) for link, frame in link_frames(armature).items())


def test_a_mesh_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    path = mesh_files.write_stl(tmp_path / "a.stl")
    shape = '<mesh filename="a.stl"/>'
    armature = import_text(tmp_path, _link("base", shape=shape)).armature
    (before,) = visuals(armature)["base"]
    content = bytearray(path.read_bytes())
    content[84:] = np.frombuffer(bytes(content[84:]), "V50")[:2].tobytes()
    content[80:84] = (2).to_bytes(4, "little")
    path.write_bytes(content)
    api.reload_urdf(armature)
    (after,) = visuals(armature)["base"]
    assert after == before
    assert len(after.data.polygons) == 2
    assert after.data.name == "a"
    assert len(bpy.data.meshes) == 1


def test_what_the_user_added_stays(tmp_path: Path) -> None:
    armature = import_text(tmp_path, _body(_link("arm"))).armature
    (shape,) = visuals(armature)["arm"]
    bpy.ops.object.mode_set(mode="EDIT")
    helper = armature.data.edit_bones.new("helper")
    helper.tail = (0, 0, 1)
    helper.parent = armature.data.edit_bones["arm"]
    bpy.ops.object.mode_set(mode="OBJECT")
    lamp = bpy.data.objects.new("lamp", None)
    bpy.context.scene.collection.objects.link(lamp)
    lamp.parent, lamp.parent_type, lamp.parent_bone = armature, "BONE", "arm"
    shape.modifiers.new("Bevel", "BEVEL")
    _rewrite(armature, _body(_link("arm", shape='<sphere radius="1"/>')))
    api.reload_urdf(armature)
    assert armature.data.bones["helper"].parent.name == "arm"
    assert (lamp.parent, lamp.parent_bone) == (armature, "arm")
    assert len(shape.data.polygons) > 100
    assert len(armature.children) == 3
    assert [modifier.name for modifier in shape.modifiers] == ["Bevel"]


def test_a_file_that_is_broken_now_changes_nothing(tmp_path: Path) -> None:
    armature = import_text(tmp_path, _body(_link("arm"))).armature
    api.set_pose(armature, {"turn": 0.5})
    before, frames = _blocks(), link_frames(armature)
    _rewrite(armature, "<link/>")
    with pytest.raises(module("urdf").UrdfError, match=r"made\.urdf:1"):
        api.reload_urdf(armature)
    assert _blocks() == before
    assert all(np.array_equal(frame, frames[link]) for link, frame in link_frames(armature).items())


def test_what_is_no_imported_robot_is_refused() -> None:
    bpy.ops.object.armature_add()
    with pytest.raises(module("errors").RigError, match="imported robot"):
        api.reload_urdf(bpy.context.object)


def test_collision_shapes_are_read_again_where_they_were_imported(tmp_path: Path) -> None:
    def body(radius: int) -> str:
        shape = f'<geometry><sphere radius="{radius}"/></geometry>'
        return f'<link name="a"><visual>{shape}</visual><collision>{shape}</collision></link>'

    armature = import_text(tmp_path, body(1), collision=True).armature
    collections = len(bpy.data.collections)
    _rewrite(armature, body(2))
    api.reload_urdf(armature)
    assert [max(shape.dimensions) for shape in armature.children] == pytest.approx([4.0, 4.0], rel=1e-4)
    assert len(bpy.data.collections) == collections
    assert sorted(shape.visible_get() for shape in armature.children) == [False, True]
