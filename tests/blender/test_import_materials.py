"""Colours, textures and materials of shapes: the URDF's, and those of the mesh files."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from blender import mesh_files
from blender.robots import import_text, robot_file, visuals
from blender.shapes import a_color, a_link, a_mesh, a_visual, look, shapes_of
from blender.support import api, module


def test_colours_of_a_ply_files_vertices_are_kept_and_shown(tmp_path: Path) -> None:
    reds = (255, 0, 128, 188)
    mesh_files.write_ply(tmp_path / "a.ply", reds=reds)
    (shape,) = shapes_of(import_text(tmp_path, a_link(a_mesh("a.ply", rest=a_color("0 0 1 1", "blue")))))
    layer = shape.data.color_attributes["Color"]
    corners = {round(shape.data.vertices[loop.vertex_index].co.length): loop.index for loop in shape.data.loops}
    found = [layer.data[corners[distance]].color[0] for distance in range(4)]  # the corners are 0, 1, 2 and 3 away
    assert found == pytest.approx([1.0, 0.0, 0.2158605, 0.5028865], abs=1e-4)  # by the sRGB standard's formula
    (material,) = (slot.material for slot in shape.material_slots)
    (node,) = (node for node in material.node_tree.nodes if node.type == "VERTEX_COLOR")
    assert node.layer_name == "Color"
    assert node.outputs["Color"].links[0].to_socket.name == "Base Color"


def test_objects_of_one_mesh_keep_their_own_colours(tmp_path: Path) -> None:
    mesh_files.write_stl(tmp_path / "a.stl")
    body = a_link(
        a_mesh("a.stl", rest=a_color("1 0 0 1", "same")),
        a_mesh("a.stl", rest=a_color("0 0 1 1", "same")),
    )
    first, second = shapes_of(import_text(tmp_path, body))
    assert first.data == second.data
    assert look(first.material_slots[0].material) == pytest.approx((1, 0, 0, 1))
    assert look(second.material_slots[0].material) == pytest.approx((0, 0, 1, 1))


def test_urdf_colours_are_srgb_and_shown_in_solid_view_too(tmp_path: Path) -> None:
    (shape,) = shapes_of(
        import_text(tmp_path, a_link(a_visual('<box size="1 1 1"/>', a_color("0.5 0.25 0.02 0.4", "x"))))
    )
    material = shape.material_slots[0].material
    assert material.name == "x"
    expected = (0.2140411, 0.0508761, 0.0015480, 0.4)  # by the sRGB standard's formula
    assert look(material) == pytest.approx(expected, abs=1e-6)
    assert tuple(material.diffuse_color) == pytest.approx(expected, abs=1e-6)
    assert material.surface_render_method == "BLENDED"


def test_a_shape_without_any_material_is_grey(tmp_path: Path) -> None:
    mesh_files.write_stl(tmp_path / "a.stl")
    mesh_files.write_obj(tmp_path / "b.obj")
    mesh_files.write_dae(tmp_path / "c.dae")
    shapes = shapes_of(
        import_text(
            tmp_path,
            a_link(
                a_mesh("a.stl"),
                a_mesh("b.obj"),
                a_mesh("c.dae"),
                a_visual('<sphere radius="1"/>'),
            ),
        )
    )
    materials = {shape.material_slots[0].material for shape in shapes}
    assert len(materials) == 1
    red, green, blue, alpha = look(materials.pop())
    assert red == green == blue
    assert 0.2 < red < 0.7
    assert alpha == 1.0


def test_a_dae_keeps_its_own_colours_and_equal_ones_become_one_material(tmp_path: Path) -> None:
    mesh_files.write_dae(tmp_path / "a.dae", "1 0.5 0 1")
    mesh_files.write_dae(tmp_path / "b.dae", "1 0.5 0 1")
    mesh_files.write_dae(tmp_path / "c.dae", "0 1 0 1")
    body = a_link(*(a_mesh(f"{name}.dae", rest=a_color("0 0 1 1", "blue")) for name in "abc"))
    first, second, third = (shape.material_slots[0].material for shape in shapes_of(import_text(tmp_path, body)))
    assert first == second
    assert look(first) == pytest.approx((1.0, 0.2140411, 0.0, 1.0), abs=1e-6)
    assert look(third) == pytest.approx((0.0, 1.0, 0.0, 1.0))


def test_an_obj_keeps_what_its_material_file_says_and_a_stl_takes_the_urdfs(tmp_path: Path) -> None:
    mesh_files.write_obj(tmp_path / "a.obj", "newmtl paint\nKd 0.1 0.2 0.3\nd 1\n")
    mesh_files.write_obj(tmp_path / "b.obj", "newmtl paint\nKd 0.1 0.2 0.3\nd 1\n")
    mesh_files.write_stl(tmp_path / "c.stl")
    body = a_link(*(a_mesh(name, rest=a_color("0 0 1 1", "blue")) for name in ("a.obj", "b.obj", "c.stl")))
    first, second, third = (shape.material_slots[0].material for shape in shapes_of(import_text(tmp_path, body)))
    assert first == second
    assert look(first) == pytest.approx((0.1, 0.2, 0.3, 1.0), abs=1e-6)
    assert tuple(first.diffuse_color) == pytest.approx((0.1, 0.2, 0.3, 1.0), abs=1e-6)
    assert third.name == "blue"
    assert len(bpy.data.materials) == 2


def test_a_texture_colours_the_shape_and_a_broken_one_is_a_warning(tmp_path: Path) -> None:
    image = bpy.data.images.new("paint", 2, 2)
    image.filepath_raw = str(tmp_path / "paint.png")
    image.file_format = "PNG"
    image.save()
    bpy.data.images.remove(image)
    (tmp_path / "broken.png").write_bytes(b"this is no image")
    texture = '<material name="{0}"><texture filename="{0}.png"/></material>'
    body = a_link(
        a_visual('<box size="1 1 1"/>', texture.format("paint")),
        a_visual('<box size="1 1 1"/>', texture.format("broken")),
    )
    report = import_text(tmp_path, body)
    painted, plain = shapes_of(report)
    node = next(node for node in painted.material_slots[0].material.node_tree.nodes if node.type == "TEX_IMAGE")
    assert Path(bpy.path.abspath(node.image.filepath)).name == "paint.png"
    assert node.outputs["Color"].links[0].to_socket.name == "Base Color"
    assert painted.data.uv_layers.active is not None
    assert not [n for n in plain.material_slots[0].material.node_tree.nodes if n.type == "TEX_IMAGE"]
    (warning,) = report.warnings
    assert "broken.png" in warning
    assert len(bpy.data.images) == 1


def test_materials_that_an_obj_file_only_names_are_the_urdfs_with_a_warning(tmp_path: Path) -> None:
    mesh_files.write_obj(tmp_path / "lost.obj", "newmtl paint\nKd 1 0 0\n")
    (tmp_path / "lost.mtl").unlink()
    mesh_files.write_obj(tmp_path / "other.obj", "newmtl other\nKd 1 0 0\n")
    names = ("lost.obj", "other.obj")
    report = import_text(tmp_path, a_link(*(a_mesh(name, rest=a_color("0 0 1 1", "blue")) for name in names)))
    assert [shape.material_slots[0].material.name for shape in shapes_of(report)] == ["blue", "blue"]
    assert [block.name for block in bpy.data.materials] == ["blue"]
    first, second = report.warnings
    assert "lost.mtl" in first
    assert "'paint'" in second


def test_an_obj_file_is_of_glass_only_where_its_illumination_model_says_so(tmp_path: Path) -> None:
    for name, model in (("solid", 2), ("glass", 7)):
        mesh_files.write_obj(tmp_path / f"{name}.obj", f"newmtl paint\nKd 1 0 0\nTf 1 1 1\nd 1\nillum {model}\n")
    report = import_text(tmp_path, a_link(a_mesh("solid.obj"), a_mesh("glass.obj")))
    found = []
    for shape in shapes_of(report):
        nodes = shape.material_slots[0].material.node_tree.nodes
        base = next(node for node in nodes if node.type == "BSDF_PRINCIPLED")
        found.append(base.inputs["Transmission Weight"].default_value)
    assert found == [0.0, 1.0]


def test_textures_of_an_obj_file_are_found_beside_it_or_left_out_with_a_warning(tmp_path: Path) -> None:
    image = bpy.data.images.new("paint", 2, 2)
    image.filepath_raw = str(tmp_path / "paint.png")
    image.file_format = "PNG"
    image.save()
    bpy.data.images.remove(image)
    (tmp_path / "broken.png").write_bytes(b"this is no image")
    textures = {"a": "paint.png", "b": r"C:\Users\me\Paint.PNG", "c": "nowhere.png", "d": "broken.png"}
    for name, texture in textures.items():
        mesh_files.write_obj(tmp_path / f"{name}.obj", f"newmtl paint\nKd 1 0 0\nmap_Kd {texture}\n")
    report = import_text(tmp_path, a_link(*(a_mesh(f"{name}.obj") for name in textures)))
    images = []
    for shape in shapes_of(report):
        nodes = shape.material_slots[0].material.node_tree.nodes
        images.append([Path(node.image.filepath).name for node in nodes if node.type == "TEX_IMAGE"])
    assert images == [["paint.png"], ["paint.png"], [], []]
    assert len(report.warnings) == 3
    for warning, word in zip(report.warnings, ("Paint.PNG", "nowhere.png", "broken.png"), strict=True):
        assert word in warning
    assert {block.name for block in bpy.data.images} <= {"paint.png", "paint.png.001"}


def test_panda_is_white_with_dark_parts_in_few_materials() -> None:
    armature = api.import_urdf(robot_file("panda")).armature
    assert len(bpy.data.materials) <= 12
    areas: dict[bool, float] = {True: 0.0, False: 0.0}
    for shapes in visuals(armature).values():
        for shape in shapes:
            for polygon in shape.data.polygons:
                material = shape.material_slots[polygon.material_index].material
                assert material is not None
                areas[min(look(material)[:3]) > 0.5] += polygon.area
    assert areas[True] > areas[False] > 0.0


def test_a_red_box_is_red_whatever_its_nodes_are_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compat = module("rig.compat")
    nodes_of = compat.shader_nodes

    def translated(material: bpy.types.Material) -> bpy.types.ShaderNodeTree:
        """As in a Blender that names new data in another language, which the wheel has not."""
        tree = nodes_of(material)
        for number, node in enumerate(tree.nodes):
            node.name = f"Knoten {number}"
        return tree

    monkeypatch.setattr(compat, "shader_nodes", translated)
    (shape,) = shapes_of(import_text(tmp_path, a_link(a_visual('<box size="1 1 1"/>', a_color("1 0 0 1", "red")))))
    assert look(shape.material_slots[0].material) == pytest.approx((1, 0, 0, 1))


def test_an_image_that_would_fill_the_memory_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, kind in (("small.png", "PNG"), ("large.png", "PNG"), ("large.jpg", "JPEG")):
        image = bpy.data.images.new(name, 32 if "large" in name else 8, 8)
        image.file_format = kind
        image.filepath_raw = str(tmp_path / name)
        image.save()
        bpy.data.images.remove(image)
    monkeypatch.setattr(module("rig.textures"), "MOST_PIXELS", 100)
    for name in ("small.png", "large.png", "large.jpg"):
        looks = f'<material name="{name}"><texture filename="{name}"/></material>'
        report = import_text(tmp_path, a_link(a_visual('<box size="1 1 1"/>', looks)))
        assert [name in warning for warning in report.warnings] == ([True] if "large" in name else [])
    assert [image.size[0] for image in bpy.data.images] == [8]
