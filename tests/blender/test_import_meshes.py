"""Shapes of links: mesh files of every format, primitives, scale, sharing, materials, and files that are broken."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender import mesh_files
from blender.mesh_files import CORNERS, WRITERS
from blender.robots import import_text, robot_file, visuals
from blender.support import api, module


def _visual(geometry: str, rest: str = "") -> str:
    return f"<visual><geometry>{geometry}</geometry>{rest}</visual>"


def _mesh(file: str, scale: str = "", rest: str = "") -> str:
    return _visual(f'<mesh filename="{file}"' + (f' scale="{scale}"' if scale else "") + "/>", rest)


def _link(*shapes: str, name: str = "a") -> str:
    return f'<link name="{name}">{"".join(shapes)}</link>'


def _color(rgba: str, name: str = "") -> str:
    return f'<material name="{name}"><color rgba="{rgba}"/></material>'


def _points(mesh: bpy.types.Mesh) -> np.ndarray:
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3)


def _sorted(points: np.ndarray) -> np.ndarray:
    unique = np.unique(np.round(points, 5) + 0.0, axis=0)
    return unique[np.lexsort(unique.T)]


def _volume(mesh: bpy.types.Mesh) -> float:
    """Signed: positive where the faces look outwards."""
    points = _points(mesh).astype(float)
    total = 0.0
    for polygon in mesh.polygons:
        first, *others = (points[i] for i in polygon.vertices)
        for second, third in itertools.pairwise(others):
            total += float(first @ np.cross(second, third)) / 6.0
    return total


def _base(material: bpy.types.Material) -> tuple[float, ...]:
    node = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    return (*node.inputs["Base Color"].default_value[:3], node.inputs["Alpha"].default_value)


def _shapes(report, link: str = "a") -> list[bpy.types.Object]:
    return visuals(report.armature)[link]


@pytest.mark.parametrize("name", WRITERS)
def test_a_mesh_files_numbers_count_as_they_are_written(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    report = import_text(tmp_path, _link(_mesh(name)))
    assert report.warnings == ()
    (shape,) = _shapes(report)
    assert np.allclose(_sorted(_points(shape.data)), _sorted(CORNERS), atol=1e-5)
    assert _volume(shape.data) == pytest.approx(1.0, abs=1e-4)
    assert tuple(shape.scale) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("name", ["binary.stl", "a.obj", "a.dae", "a.glb"])
@pytest.mark.parametrize("scale", ["0.5 0.5 0.5", "-1 1 1", "1 -2 3", "-1 -1 -1", "-1 -1 2"])
def test_scale_goes_into_the_mesh_and_faces_still_look_outwards(name: str, scale: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    factors = np.array([float(number) for number in scale.split()])
    (shape,) = _shapes(import_text(tmp_path, _link(_mesh(name, scale))))
    assert np.allclose(_sorted(_points(shape.data)), _sorted(CORNERS * factors), atol=1e-5)
    assert _volume(shape.data) == pytest.approx(abs(factors.prod()), rel=1e-4)
    assert tuple(shape.scale) == (1.0, 1.0, 1.0)
    centre = _points(shape.data).mean(axis=0)
    for polygon in shape.data.polygons:
        for loop in polygon.loop_indices:
            outwards = np.array(polygon.center) - centre
            assert np.array(shape.data.corner_normals[loop].vector) @ outwards > 0.0


def test_one_file_at_one_scale_is_one_mesh_and_is_read_once(tmp_path: Path) -> None:
    mesh_files.write_stl(tmp_path / "a.stl")
    body = _link(
        _mesh("a.stl"), _mesh("a.stl", "2 2 2"), _mesh("a.stl", rest=_color("1 0 0 1", "red")), _mesh("a.stl", "2 2 2")
    )
    shapes = _shapes(import_text(tmp_path, body))
    assert shapes[0].data == shapes[2].data
    assert shapes[1].data == shapes[3].data
    assert len({shape.data for shape in shapes}) == 2
    assert len(bpy.data.meshes) == 2


def test_equal_files_are_read_once_and_shared_unless_what_lies_beside_them_differs(tmp_path: Path) -> None:
    for folder, color in (("left", "1 0 0"), ("right", "0 0 1")):
        (tmp_path / folder).mkdir()
        mesh_files.write_stl(tmp_path / folder / "hand.stl")
        mesh_files.write_obj(tmp_path / folder / "hand.obj", f"newmtl paint\nKd {color}\n")
    names = ("left/hand.stl", "right/hand.stl", "left/hand.obj", "right/hand.obj")
    shapes = _shapes(import_text(tmp_path, _link(*map(_mesh, names))))
    assert shapes[0].data == shapes[1].data
    assert shapes[2].data != shapes[3].data
    assert _base(shapes[2].material_slots[0].material) == pytest.approx((1, 0, 0, 1))
    assert _base(shapes[3].material_slots[0].material) == pytest.approx((0, 0, 1, 1))


@pytest.mark.parametrize("folder", ["with space", "überträger 机器人", "per%20cent", "a'b"])
@pytest.mark.parametrize("name", WRITERS)
def test_names_with_spaces_and_in_other_scripts_are_found(name: str, folder: str, tmp_path: Path) -> None:
    (tmp_path / folder).mkdir()
    WRITERS[name](tmp_path / folder / name)
    report = import_text(tmp_path, _link(_mesh(f"{folder}/{name}")))
    assert report.warnings == ()
    assert len(_shapes(report)) == 1


def test_colours_of_a_ply_files_vertices_are_kept_and_shown(tmp_path: Path) -> None:
    reds = (255, 0, 128, 188)
    mesh_files.write_ply(tmp_path / "a.ply", reds=reds)
    (shape,) = _shapes(import_text(tmp_path, _link(_mesh("a.ply", rest=_color("0 0 1 1", "blue")))))
    layer = shape.data.color_attributes["Color"]
    corners = {round(shape.data.vertices[loop.vertex_index].co.length): loop.index for loop in shape.data.loops}
    found = [layer.data[corners[distance]].color[0] for distance in range(4)]  # the corners are 0, 1, 2 and 3 away
    assert found == pytest.approx([1.0, 0.0, 0.2158605, 0.5028865], abs=1e-4)  # by the sRGB standard's formula
    (material,) = (slot.material for slot in shape.material_slots)
    (node,) = (node for node in material.node_tree.nodes if node.type == "VERTEX_COLOR")
    assert node.layer_name == "Color"
    assert node.outputs["Color"].links[0].to_socket.name == "Base Color"


def test_what_a_dae_file_leaves_out_is_a_warning_with_link_and_file(tmp_path: Path) -> None:
    path = mesh_files.write_dae(tmp_path / "a.dae", "1 0 0 1")
    path.write_text(path.read_text().replace('target="#m"', 'target="#nobody"'))
    report = import_text(tmp_path, _link(_mesh("a.dae")))
    assert len(_shapes(report)) == 1
    (warning,) = report.warnings
    assert "made.urdf:1" in warning
    assert "'a'" in warning
    assert "a.dae: left out" in warning


def test_objects_of_one_mesh_keep_their_own_colours(tmp_path: Path) -> None:
    mesh_files.write_stl(tmp_path / "a.stl")
    body = _link(_mesh("a.stl", rest=_color("1 0 0 1", "same")), _mesh("a.stl", rest=_color("0 0 1 1", "same")))
    first, second = _shapes(import_text(tmp_path, body))
    assert first.data == second.data
    assert _base(first.material_slots[0].material) == pytest.approx((1, 0, 0, 1))
    assert _base(second.material_slots[0].material) == pytest.approx((0, 0, 1, 1))


def test_urdf_colours_are_srgb_and_shown_in_solid_view_too(tmp_path: Path) -> None:
    (shape,) = _shapes(import_text(tmp_path, _link(_visual('<box size="1 1 1"/>', _color("0.5 0.25 0.02 0.4", "x")))))
    material = shape.material_slots[0].material
    assert material.name == "x"
    expected = (0.2140411, 0.0508761, 0.0015480, 0.4)  # by the sRGB standard's formula
    assert _base(material) == pytest.approx(expected, abs=1e-6)
    assert tuple(material.diffuse_color) == pytest.approx(expected, abs=1e-6)
    assert material.surface_render_method == "BLENDED"


def test_a_shape_without_any_material_is_grey(tmp_path: Path) -> None:
    mesh_files.write_stl(tmp_path / "a.stl")
    mesh_files.write_obj(tmp_path / "b.obj")
    mesh_files.write_dae(tmp_path / "c.dae")
    shapes = _shapes(
        import_text(tmp_path, _link(_mesh("a.stl"), _mesh("b.obj"), _mesh("c.dae"), _visual('<sphere radius="1"/>')))
    )
    materials = {shape.material_slots[0].material for shape in shapes}
    assert len(materials) == 1
    red, green, blue, alpha = _base(materials.pop())
    assert red == green == blue
    assert 0.2 < red < 0.7
    assert alpha == 1.0


def test_a_dae_keeps_its_own_colours_and_equal_ones_become_one_material(tmp_path: Path) -> None:
    mesh_files.write_dae(tmp_path / "a.dae", "1 0.5 0 1")
    mesh_files.write_dae(tmp_path / "b.dae", "1 0.5 0 1")
    mesh_files.write_dae(tmp_path / "c.dae", "0 1 0 1")
    body = _link(*(_mesh(f"{name}.dae", rest=_color("0 0 1 1", "blue")) for name in "abc"))
    first, second, third = (shape.material_slots[0].material for shape in _shapes(import_text(tmp_path, body)))
    assert first == second
    assert _base(first) == pytest.approx((1.0, 0.2140411, 0.0, 1.0), abs=1e-6)
    assert _base(third) == pytest.approx((0.0, 1.0, 0.0, 1.0))


def test_an_obj_keeps_what_its_material_file_says_and_a_stl_takes_the_urdfs(tmp_path: Path) -> None:
    mesh_files.write_obj(tmp_path / "a.obj", "newmtl paint\nKd 0.1 0.2 0.3\nd 1\n")
    mesh_files.write_obj(tmp_path / "b.obj", "newmtl paint\nKd 0.1 0.2 0.3\nd 1\n")
    mesh_files.write_stl(tmp_path / "c.stl")
    body = _link(*(_mesh(name, rest=_color("0 0 1 1", "blue")) for name in ("a.obj", "b.obj", "c.stl")))
    first, second, third = (shape.material_slots[0].material for shape in _shapes(import_text(tmp_path, body)))
    assert first == second
    assert _base(first) == pytest.approx((0.1, 0.2, 0.3, 1.0), abs=1e-6)
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
    body = _link(
        _visual('<box size="1 1 1"/>', texture.format("paint")),
        _visual('<box size="1 1 1"/>', texture.format("broken")),
    )
    report = import_text(tmp_path, body)
    painted, plain = _shapes(report)
    node = next(node for node in painted.material_slots[0].material.node_tree.nodes if node.type == "TEX_IMAGE")
    assert Path(bpy.path.abspath(node.image.filepath)).name == "paint.png"
    assert node.outputs["Color"].links[0].to_socket.name == "Base Color"
    assert painted.data.uv_layers.active is not None
    assert not [n for n in plain.material_slots[0].material.node_tree.nodes if n.type == "TEX_IMAGE"]
    (warning,) = report.warnings
    assert "broken.png" in warning
    assert len(bpy.data.images) == 1


def test_the_up_axis_of_a_dae_file_counts_only_when_asked_for_and_in_a_reload_too(tmp_path: Path) -> None:
    text = mesh_files.write_dae(tmp_path / "none.dae").read_text()
    for axis in ("X_UP", "Y_UP", "Z_UP"):
        (tmp_path / f"{axis}.dae").write_text(text.replace("Z_UP", axis))
    (tmp_path / "none.dae").write_text(text.replace("<up_axis>Z_UP</up_axis>", ""))
    body = _link(*(_mesh(f"{name}.dae") for name in ("X_UP", "Y_UP", "Z_UP", "none")))
    plain = import_text(tmp_path, body).armature
    for shape in visuals(plain)["a"]:
        assert np.allclose(_sorted(_points(shape.data)), _sorted(CORNERS), atol=1e-5)
    turned = import_text(tmp_path, body, obey_up_axis=True).armature
    api.reload_urdf(turned)
    heights = [float(np.ptp(_points(shape.data)[:, 2])) for shape in visuals(turned)["a"]]
    assert heights == pytest.approx([1.0, 2.0, 3.0, 2.0])  # the format's own default is Y


def test_materials_that_an_obj_file_only_names_are_the_urdfs_with_a_warning(tmp_path: Path) -> None:
    mesh_files.write_obj(tmp_path / "lost.obj", "newmtl paint\nKd 1 0 0\n")
    (tmp_path / "lost.mtl").unlink()
    mesh_files.write_obj(tmp_path / "other.obj", "newmtl other\nKd 1 0 0\n")
    names = ("lost.obj", "other.obj")
    report = import_text(tmp_path, _link(*(_mesh(name, rest=_color("0 0 1 1", "blue")) for name in names)))
    assert [shape.material_slots[0].material.name for shape in _shapes(report)] == ["blue", "blue"]
    assert [block.name for block in bpy.data.materials] == ["blue"]
    first, second = report.warnings
    assert "lost.mtl" in first
    assert "'paint'" in second


def test_an_obj_file_is_of_glass_only_where_its_illumination_model_says_so(tmp_path: Path) -> None:
    for name, model in (("solid", 2), ("glass", 7)):
        mesh_files.write_obj(tmp_path / f"{name}.obj", f"newmtl paint\nKd 1 0 0\nTf 1 1 1\nd 1\nillum {model}\n")
    report = import_text(tmp_path, _link(_mesh("solid.obj"), _mesh("glass.obj")))
    found = []
    for shape in _shapes(report):
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
    report = import_text(tmp_path, _link(*(_mesh(f"{name}.obj") for name in textures)))
    images = []
    for shape in _shapes(report):
        nodes = shape.material_slots[0].material.node_tree.nodes
        images.append([Path(node.image.filepath).name for node in nodes if node.type == "TEX_IMAGE"])
    assert images == [["paint.png"], ["paint.png"], [], []]
    assert len(report.warnings) == 3
    for warning, word in zip(report.warnings, ("Paint.PNG", "nowhere.png", "broken.png"), strict=True):
        assert word in warning
    assert {block.name for block in bpy.data.images} <= {"paint.png", "paint.png.001"}


def test_primitives_have_their_sizes_and_look_outwards(tmp_path: Path) -> None:
    body = _link(
        _visual('<box size="1 2 3"/>'),
        _visual('<cylinder radius="0.5" length="2"/>'),
        _visual('<sphere radius="0.7"/>'),
        _visual('<capsule radius="0.5" length="2"/>'),
    )
    box, cylinder, sphere, capsule = (shape.data for shape in _shapes(import_text(tmp_path, body)))
    assert np.ptp(_points(box), axis=0) == pytest.approx((1, 2, 3))
    assert np.ptp(_points(cylinder), axis=0) == pytest.approx((1, 1, 2))
    assert np.linalg.norm(_points(sphere), axis=1) == pytest.approx(0.7, abs=1e-5)
    assert _volume(box) == pytest.approx(6.0, rel=1e-5)
    assert _volume(cylinder) == pytest.approx(math.pi * 0.25 * 2, rel=0.02)
    assert _volume(sphere) == pytest.approx(4 / 3 * math.pi * 0.343, rel=0.03)
    assert np.ptp(_points(capsule), axis=0) == pytest.approx((1, 1, 3))
    assert _volume(capsule) == pytest.approx(math.pi * 0.25 * 2 + 4 / 3 * math.pi * 0.125, rel=0.03)


def test_a_flat_file_looks_flat_and_a_round_cylinder_round(tmp_path: Path) -> None:
    mesh_files.write_stl(tmp_path / "a.stl")
    body = _link(_mesh("a.stl"), _visual('<cylinder radius="0.5" length="2"/>'))
    flat, round_ = (shape.data for shape in _shapes(import_text(tmp_path, body)))
    for mesh, kept in ((flat, False), (round_, True)):
        bent = [
            polygon.normal.angle(mesh.corner_normals[loop].vector) > 1e-3
            for polygon in mesh.polygons
            for loop in polygon.loop_indices
            if abs(polygon.normal.z) < 0.5 or not kept
        ]
        assert any(bent) == kept


def test_normals_of_a_file_are_kept_where_it_has_some() -> None:
    path = robot_file("panda")
    armature = api.import_urdf(path).armature
    assert all(shape.data.has_custom_normals for shapes in visuals(armature).values() for shape in shapes)


def test_panda_is_white_with_dark_parts_in_few_materials() -> None:
    armature = api.import_urdf(robot_file("panda")).armature
    assert len(bpy.data.materials) <= 12
    areas: dict[bool, float] = {True: 0.0, False: 0.0}
    for shapes in visuals(armature).values():
        for shape in shapes:
            for polygon in shape.data.polygons:
                material = shape.material_slots[polygon.material_index].material
                assert material is not None
                areas[min(_base(material)[:3]) > 0.5] += polygon.area
    assert areas[True] > areas[False] > 0.0


BROKEN = {
    "empty.stl": b"",
    "noise.stl": bytes(range(256)) * 4,
    "empty.obj": b"",
    "points.obj": b"v 0 0 0\nv 1 0 0\n",
    "noise.obj": b"\xff\xfe\x00f 1 2 3\n",
    "far.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n",
    "nan.obj": b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "empty.ply": b"",
    "header.ply": b"ply\nformat ascii 1.0\nelement vertex",
    "huge.ply": b"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\n"
    b"property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n" + bytes(64),
    "text.glb": b"glTF but not really",
    "cut.dae": b'<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"><asset>',
    "other.blend1": b"BLENDER",
}


def test_broken_mesh_files_are_warnings_and_the_rest_is_imported(tmp_path: Path) -> None:
    for name, content in BROKEN.items():
        (tmp_path / name).write_bytes(content)
    mesh_files.write_stl(tmp_path / "good.stl")
    before = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "images")}
    report = import_text(tmp_path, _link(*(_mesh(name) for name in BROKEN), _mesh("good.stl")))
    shapes = _shapes(report)
    assert shapes[-1].data.name == "good"
    for name in BROKEN:
        if name != "nan.obj":  # Blender's reader takes that number for 0
            (warning,) = [warning for warning in report.warnings if name in warning]
            assert "made.urdf:1" in warning
            assert "'a'" in warning
    assert len(bpy.data.objects) == before["objects"] + 1 + len(shapes)
    assert len(bpy.data.meshes) == before["meshes"] + len(shapes)
    assert len(bpy.data.images) == before["images"]


def test_a_missing_mesh_leaves_its_link_bare_with_one_warning(tmp_path: Path) -> None:
    mesh_files.write_stl(tmp_path / "good.stl")
    report = import_text(tmp_path, _link(_mesh("nowhere.stl"), _mesh("good.stl")))
    assert len(_shapes(report)) == 1
    (warning,) = report.warnings
    assert "nowhere.stl" in warning


def _binary_stl(header: bytes, triangles: int, held: int | None = None) -> bytes:
    return header.ljust(80, b"\0") + triangles.to_bytes(4, "little") + bytes(50 * (triangles if held is None else held))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (_binary_stl(b"", 3, 2), "promises 3 triangles, the file holds 2"),
        (_binary_stl(b"", 2), "no faces"),  # both have all their corners at one place
        (b"short", "less than a header"),
        (b"solid x\nendsolid x\n", "no faces"),
        (b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\n", "2 corners"),
        (b"solid x\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 x 0\nvertex 0 1 0\nendloop\nendfacet\n", "3 corners"),
        (b"solid x\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 nan 0\nvertex 0 1 0\nendloop\n", "finite"),
        (b"solid x\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 1e99 0\nvertex 0 1 0\nendloop\n", "finite"),
    ],
)
def test_a_broken_stl_file_says_what_is_wrong(content: bytes, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "bad.stl").write_bytes(content)
    (warning,) = import_text(tmp_path, _link(_mesh("bad.stl"))).warnings
    assert complaint in warning


@pytest.mark.parametrize("header", [b"solid facet", b"solid\nfacet normal 0 0 1\n outer loop", b"exported"])
def test_a_binary_stl_is_known_by_its_length_whatever_its_header_says(header: bytes, tmp_path: Path) -> None:
    content = mesh_files.write_stl(tmp_path / "a.stl").read_bytes()
    (tmp_path / "a.stl").write_bytes(header.ljust(80)[:80] + content[80:])
    (shape,) = _shapes(import_text(tmp_path, _link(_mesh("a.stl"))))
    assert np.allclose(_sorted(_points(shape.data)), _sorted(CORNERS))
    assert len(shape.data.polygons) == 4


def test_a_ply_header_that_promises_too_much_is_refused_before_blender_sees_it(tmp_path: Path) -> None:
    check = module("rig.ply_header").check_ply
    error = module("urdf").MeshError
    check(mesh_files.write_ply(tmp_path / "good.ply"))
    with pytest.raises(error, match="promises"):
        check(mesh_files.write_ply(tmp_path / "many.ply", vertices=10**9))
    for content in (b"", b"ply\nend_header\n", b"ply\nformat ascii 1.0\nelement vertex x\nend_header\n"):
        (tmp_path / "bad.ply").write_bytes(content)
        with pytest.raises(error):
            check(tmp_path / "bad.ply")
    with pytest.raises(error, match="opened"):
        check(tmp_path / "none.ply")


def test_real_binary_files_that_begin_with_solid_are_read() -> None:
    armature = api.import_urdf(robot_file("robotiq_2f_85")).armature
    assert sum(len(shapes) for shapes in visuals(armature).values()) >= 9


def test_a_real_glb_and_ply_are_read(robots: Path, tmp_path: Path) -> None:
    folder = robots / "tesseract_support" / "tesseract" / "support" / "meshes"
    names = ("tesseract_material_mesh.glb", "box_2m.ply")
    report = import_text(tmp_path, _link(*(_mesh((folder / name).as_uri()) for name in names)))
    assert report.warnings == ()
    glb, ply = _shapes(report)
    assert [slot.material for slot in glb.material_slots if slot.material is None] == []
    assert np.ptp(_points(ply.data), axis=0) == pytest.approx((2.0, 2.0, 2.0), abs=1e-5)


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
    (shape,) = _shapes(import_text(tmp_path, _link(_visual('<box size="1 1 1"/>', _color("1 0 0 1", "red")))))
    assert _base(shape.material_slots[0].material) == pytest.approx((1, 0, 0, 1))
