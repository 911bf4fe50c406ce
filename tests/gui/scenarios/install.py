"""What a user has after installing the zip."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import bpy
from inside.window import Steps, look, move, package, pixel, press, screenshot, viewport


def test_the_zip_is_installed_and_its_libraries_import() -> None:
    import collada

    assert package().__version__ == "0.1.0"
    assert collada.__file__.startswith(bpy.utils.user_resource("EXTENSIONS")), collada.__file__


XACRO = """<robot name="made"><xacro:macro name="part" params="name"><link name="${name}"/></xacro:macro>
<xacro:property name="names" value="${xacro.load_yaml('names.yaml')}"/><xacro:part name="${names[0]}"/></robot>"""


def test_xacro_is_expanded_by_the_libraries_of_the_zip() -> None:
    for library in ("xacro", "yaml"):
        origin = importlib.util.find_spec(library).origin
        assert origin.startswith(bpy.utils.user_resource("EXTENSIONS")), origin
    folder = Path(bpy.app.tempdir)
    (folder / "names.yaml").write_text("[lamp]")
    (folder / "made.xacro").write_text(XACRO)
    # As after a script has loaded a file: no window is at hand, without which 4.3 cannot remove a scene.
    report = package("api").import_urdf(folder / "made.xacro")
    assert [bone.name for bone in report.armature.pose.bones] == ["lamp"]
    assert not report.warnings


def test_file_import_offers_robots() -> Steps:
    class Layout:
        entries: list[str] = []

        def __getattr__(self, name: str) -> object:
            return self

        def __call__(self, *arguments: str, **options: object) -> object:
            self.entries.extend(arguments)
            return self

    class Menu:
        layout = Layout()

    for draw in bpy.types.TOPBAR_MT_file_import.draw._draw_funcs:
        draw(Menu, bpy.context)
    assert "linkpose.import_urdf" in Layout.entries, Layout.entries
    assert bpy.ops.linkpose.import_urdf.poll()
    yield


def test_a_key_reaches_the_object_under_the_pointer() -> Steps:
    bpy.ops.mesh.primitive_cube_add(size=1)
    look(center=(0, 0, 0), distance=5)
    yield from move(*pixel((0, 0, 0)))
    yield from press("G")
    x, y = pixel((0, 0, 0))
    yield from move(x + 80, y)
    yield from press("RET")
    screenshot("moved-cube")
    moved = bpy.data.objects["Cube"].location
    assert abs(pixel(moved)[0] - (x + 80)) < 2
    assert viewport().area.type == "VIEW_3D"
