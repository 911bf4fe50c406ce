"""What an import leaves in the file and in the user's hands: all of the robot or nothing, and nothing else touched."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from blender import mesh_files
from blender.robots import import_text, joint_text, robot_file, visuals
from blender.support import api, module
from support import EXTENSION

BOX = '<visual><geometry><box size="1 1 1"/></geometry></visual>'
ROBOT = f'<link name="a">{BOX}</link><link name="b">{BOX}</link>' + joint_text("j", "continuous", "a", "b")
STL = '<link name="a"><visual><geometry><mesh filename="a.stl"/></geometry></visual></link>'


def _everything() -> dict[str, list[str]]:
    return {
        member.identifier: sorted(block.name_full for block in getattr(bpy.data, member.identifier))
        for member in bpy.data.bl_rna.properties
        if member.type == "COLLECTION"
    }


def _users_armature() -> bpy.types.Object:
    data = bpy.data.armatures.new("theirs")
    armature = bpy.data.objects.new("theirs", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    armature.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    data.edit_bones.new("bone").tail = (0, 0, 1)
    return armature


def test_everything_is_in_one_new_collection_named_after_the_robot(tmp_path: Path) -> None:
    report = import_text(tmp_path, ROBOT)
    (collection,) = bpy.context.scene.collection.children
    assert collection.name == "made"
    assert report.armature.name == "made"
    assert set(collection.objects) == {report.armature, *report.armature.children}
    assert len(bpy.data.scenes) == 1


def test_the_new_collection_goes_where_new_objects_go(tmp_path: Path) -> None:
    active = bpy.data.collections.new("active")
    bpy.context.scene.collection.children.link(active)
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection.children["active"]
    import_text(tmp_path, ROBOT)
    assert [child.name for child in active.children] == ["made"]


def test_a_robot_is_shown_although_the_active_collection_is_excluded(tmp_path: Path) -> None:
    active = bpy.data.collections.new("excluded")
    bpy.context.scene.collection.children.link(active)
    layer = bpy.context.view_layer.layer_collection.children["excluded"]
    bpy.context.view_layer.active_layer_collection = layer
    layer.exclude = True
    armature = import_text(tmp_path, ROBOT).armature
    assert armature.visible_get()
    assert bpy.context.view_layer.objects.active == armature


def test_an_import_ends_in_object_mode_with_the_armature_alone_selected(tmp_path: Path) -> None:
    theirs = _users_armature()
    mesh_files.write_stl(tmp_path / "a.stl")
    armature = import_text(tmp_path, STL).armature
    assert bpy.context.mode == "OBJECT"
    assert theirs.mode == "OBJECT"
    assert bpy.context.view_layer.objects.active == armature
    assert list(bpy.context.selected_objects) == [armature]
    assert [bone.name for bone in theirs.data.bones] == ["bone"]
    assert not armature.show_in_front


def test_two_imports_of_one_robot_stand_side_by_side() -> None:
    path = robot_file("panda")
    first = api.import_urdf(path).armature
    first_pose = {bone.name: [list(row) for row in bone.matrix] for bone in first.pose.bones}
    shapes = {link: [shape.name for shape in shapes] for link, shapes in visuals(first).items()}
    second = api.import_urdf(path).armature
    assert first != second
    assert first.data != second.data
    assert [bone.name for bone in first.data.bones] == [bone.name for bone in second.data.bones]
    assert not {shape.name for shape in first.children} & {shape.name for shape in second.children}
    assert {link: [shape.name for shape in found] for link, found in visuals(first).items()} == shapes
    for curve in second.animation_data.drivers:
        assert curve.driver.variables[0].targets[0].id == second
    second.pose.bones["panda_link2"].rotation_euler.z = 0.5
    bpy.context.view_layer.update()
    assert {bone.name: [list(row) for row in bone.matrix] for bone in first.pose.bones} == first_pose


BAD = {
    "no XML": "<robot",
    "no links": '<robot name="r"/>',
    "unknown parent": f'<robot name="r"><link name="a"/>{joint_text("j", "fixed", "nobody", "a")}</robot>',
    "same names": '<robot name="r"><link name="a"/><link name="a"/></robot>',
}


@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_is_no_robot_leaves_nothing_behind(kind: str, tmp_path: Path) -> None:
    theirs = _users_armature()
    before = _everything()
    path = tmp_path / "bad.urdf"
    path.write_text(BAD[kind])
    with pytest.raises(module("urdf").UrdfError, match=r"bad\.urdf"):
        api.import_urdf(path)
    assert _everything() == before
    assert theirs.mode == "EDIT"


def test_a_scene_of_another_file_is_refused(tmp_path: Path) -> None:
    bpy.context.scene.name = "theirs"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "theirs.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "theirs.blend"), link=True) as (_, wanted):
        wanted.scenes = ["theirs"]
    bpy.context.window.scene = wanted.scenes[0]
    before = _everything()
    with pytest.raises(module("errors").RigError, match="comes from another file"):
        import_text(tmp_path, '<link name="a"/>')
    assert _everything() == before


@pytest.mark.parametrize("place", ["rig.visuals:mesh_from_data", "rig.build:_drive_followers", "rig.importing:_show"])
def test_whatever_fails_on_the_way_takes_all_it_made_along(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = _users_armature()
    mesh_files.write_stl(tmp_path / "a.stl")
    mesh_files.write_text_stl(tmp_path / "b.stl")
    mesh_files.write_obj(tmp_path / "c.obj", "newmtl paint\nKd 0.1 0.2 0.3\n")
    body = "".join(
        f'<visual><geometry><mesh filename="{name}"/></geometry></visual>' for name in ("c.obj", "a.stl", "b.stl")
    )
    before = _everything()
    where, name = place.split(":")
    original, calls = getattr(module(where), name), []

    def failing(*arguments: object, **options: object):
        calls.append(name)
        if name == "mesh_from_data" and len(calls) < 3:
            return original(*arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(module(where), name, failing)
    with pytest.raises(KeyboardInterrupt):
        import_text(tmp_path, f'<link name="a">{body}</link>')
    assert calls
    assert _everything() == before
    assert theirs.mode == "EDIT"
    assert bpy.context.view_layer.objects.active == theirs


def test_importing_makes_nothing_that_nobody_uses() -> None:
    before = set(bpy.data.user_map())
    api.import_urdf(robot_file("talos"))
    unused = [block for block in set(bpy.data.user_map()) - before if not block.users]
    assert unused == []


def test_collision_shapes_come_on_demand_and_hidden(tmp_path: Path) -> None:
    body = f'<link name="a">{BOX}<collision><geometry><sphere radius="2"/></geometry></collision></link>'
    plain = import_text(tmp_path, body).armature
    assert len(plain.children) == 1
    full = import_text(tmp_path, body, collision=True).armature
    visual, collision = sorted(full.children, key=lambda shape: max(shape.dimensions))
    assert visual.visible_get()
    assert not collision.visible_get()
    assert collision.users_collection[0].hide_render
    collision.users_collection[0].hide_viewport = False
    assert collision.visible_get()


def test_the_operator_imports_and_says_what_it_left_out(tmp_path: Path) -> None:
    (tmp_path / "made.urdf").write_text(f'<robot name="made">{STL}</robot>')
    assert bpy.ops.linkpose.import_urdf(filepath=str(tmp_path / "made.urdf")) == {"FINISHED"}
    assert "made" in bpy.data.objects


def test_the_operator_refuses_a_bad_file_with_its_name_and_line(tmp_path: Path) -> None:
    before = _everything()
    (tmp_path / "bad.urdf").write_text(BAD["unknown parent"])
    with pytest.raises(RuntimeError, match=r"bad\.urdf:1.*nobody"):
        bpy.ops.linkpose.import_urdf(filepath=str(tmp_path / "bad.urdf"))
    assert _everything() == before


def test_several_dropped_files_are_several_robots(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.urdf").write_text(f'<robot name="{name}">{ROBOT}</robot>')
    done = bpy.ops.linkpose.import_urdf(directory=str(tmp_path), files=[{"name": "one.urdf"}, {"name": "two.urdf"}])
    assert done == {"FINISHED"}
    assert {"one", "two"} <= {block.name for block in bpy.data.armatures}


def test_an_import_is_one_undo_step(tmp_path: Path) -> None:
    (tmp_path / "made.urdf").write_text(f'<robot name="made">{ROBOT}</robot>')
    bpy.ops.ed.undo_push(message="before")
    before = _everything()
    bpy.ops.linkpose.import_urdf("EXEC_DEFAULT", True, filepath=str(tmp_path / "made.urdf"))
    after = _everything()
    assert after != before
    bpy.ops.ed.undo()
    assert _everything() == before
    bpy.ops.ed.redo()
    assert _everything() == after


def test_urdf_files_can_be_dropped_and_are_in_the_menu() -> None:
    handler = bpy.types.LINKPOSE_FH_urdf
    assert handler.bl_file_extensions == ".urdf;.xacro"
    assert handler.bl_import_operator == "linkpose.import_urdf"
    entries = bpy.types.TOPBAR_MT_file_import.draw._draw_funcs
    assert any(entry.__module__ == f"{EXTENSION}.ui.menus" for entry in entries)


def test_a_robot_named_in_another_script_gets_names_that_fit(tmp_path: Path) -> None:
    name = "ロボット" * 10
    (tmp_path / "r.urdf").write_text(f'<robot name="{name}"><link name="{name}">{BOX}</link></robot>', encoding="utf-8")
    armature = api.import_urdf(tmp_path / "r.urdf").armature
    assert name.startswith(armature.name)
    assert len(armature.children) == 1
