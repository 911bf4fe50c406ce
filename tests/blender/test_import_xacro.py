"""xacro in Blender: who may expand it, and that a reload knows the arguments."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from blender.support import module

TEXT = """<robot name="made" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="tool" default="true"/><link name="a"/><link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
<xacro:if value="$(arg tool)"><link name="c"/>
<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint></xacro:if>
</robot>"""


def write(folder: Path) -> Path:
    path = folder / "made.urdf.xacro"
    path.write_text(TEXT)
    return path


def test_scripts_expand_by_calling(tmp_path: Path) -> None:
    report = module("api").import_urdf(write(tmp_path))
    assert [bone.name for bone in report.armature.pose.bones] == ["a", "b", "c"]
    assert report.warnings == ()


def test_without_permission_nothing_is_expanded_or_made(tmp_path: Path) -> None:
    with pytest.raises(module("urdf").XacroNotAllowed):
        module("api").import_urdf(write(tmp_path), allow_code=False)
    assert not bpy.data.armatures


@pytest.mark.parametrize("trusted", [False, True])
def test_an_opened_file_is_expanded_where_auto_run_is_on(tmp_path: Path, trusted: bool) -> None:
    settings = bpy.context.preferences.filepaths
    before = settings.use_scripts_auto_execute
    settings.use_scripts_auto_execute = trusted
    try:
        if trusted:
            bpy.ops.linkpose.import_urdf(filepath=str(write(tmp_path)))
        else:
            with pytest.raises(RuntimeError, match="expressions are code"):
                bpy.ops.linkpose.import_urdf(filepath=str(write(tmp_path)))
    finally:
        settings.use_scripts_auto_execute = before
    assert len(bpy.data.armatures) == trusted


def test_a_reload_knows_the_arguments_of_the_import(tmp_path: Path) -> None:
    api = module("api")
    armature = api.import_urdf(write(tmp_path), xacro_args={"tool": False}).armature
    assert [bone.name for bone in armature.pose.bones] == ["a", "b"]
    api.reload_urdf(armature)
    assert [bone.name for bone in armature.pose.bones] == ["a", "b"]
