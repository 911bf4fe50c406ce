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
from blender.shapes import a_color, a_link, a_mesh, a_visual, look, shapes_of
from blender.support import api


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


@pytest.mark.parametrize("name", WRITERS)
def test_a_mesh_files_numbers_count_as_they_are_written(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    report = import_text(tmp_path, a_link(a_mesh(name)))
    assert report.warnings == ()
    (shape,) = shapes_of(report)
    assert np.allclose(_sorted(_points(shape.data)), _sorted(CORNERS), atol=1e-5)
    assert _volume(shape.data) == pytest.approx(1.0, abs=1e-4)
    assert tuple(shape.scale) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("name", ["binary.stl", "a.obj", "a.dae", "a.glb"])
@pytest.mark.parametrize("scale", ["0.5 0.5 0.5", "-1 1 1", "1 -2 3", "-1 -1 -1", "-1 -1 2"])
def test_scale_goes_into_the_mesh_and_faces_still_look_outwards(name: str, scale: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    factors = np.array([float(number) for number in scale.split()])
    (shape,) = shapes_of(import_text(tmp_path, a_link(a_mesh(name, scale))))
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
    body = a_link(
        a_mesh("a.stl"),
        a_mesh("a.stl", "2 2 2"),
        a_mesh("a.stl", rest=a_color("1 0 0 1", "red")),
        a_mesh("a.stl", "2 2 2"),
    )
    shapes = shapes_of(import_text(tmp_path, body))
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
    shapes = shapes_of(import_text(tmp_path, a_link(*map(a_mesh, names))))
    assert shapes[0].data == shapes[1].data
    assert shapes[2].data != shapes[3].data
    assert look(shapes[2].material_slots[0].material) == pytest.approx((1, 0, 0, 1))
    assert look(shapes[3].material_slots[0].material) == pytest.approx((0, 0, 1, 1))


@pytest.mark.parametrize("folder", ["with space", "überträger 机器人", "per%20cent", "a'b"])
@pytest.mark.parametrize("name", WRITERS)
def test_names_with_spaces_and_in_other_scripts_are_found(name: str, folder: str, tmp_path: Path) -> None:
    (tmp_path / folder).mkdir()
    WRITERS[name](tmp_path / folder / name)
    report = import_text(tmp_path, a_link(a_mesh(f"{folder}/{name}")))
    assert report.warnings == ()
    assert len(shapes_of(report)) == 1


def test_what_a_dae_file_leaves_out_is_a_warning_with_link_and_file(tmp_path: Path) -> None:
    path = mesh_files.write_dae(tmp_path / "a.dae", "1 0 0 1")
    path.write_text(path.read_text().replace('target="#m"', 'target="#nobody"'))
    report = import_text(tmp_path, a_link(a_mesh("a.dae")))
    assert len(shapes_of(report)) == 1
    (warning,) = report.warnings
    assert "made.urdf:1" in warning
    assert "'a'" in warning
    assert "a.dae: left out" in warning


def test_the_up_axis_of_a_dae_file_counts_only_when_asked_for_and_in_a_reload_too(tmp_path: Path) -> None:
    text = mesh_files.write_dae(tmp_path / "none.dae").read_text()
    for axis in ("X_UP", "Y_UP", "Z_UP"):
        (tmp_path / f"{axis}.dae").write_text(text.replace("Z_UP", axis))
    (tmp_path / "none.dae").write_text(text.replace("<up_axis>Z_UP</up_axis>", ""))
    body = a_link(*(a_mesh(f"{name}.dae") for name in ("X_UP", "Y_UP", "Z_UP", "none")))
    plain = import_text(tmp_path, body).armature
    for shape in visuals(plain)["a"]:
        assert np.allclose(_sorted(_points(shape.data)), _sorted(CORNERS), atol=1e-5)
    turned = import_text(tmp_path, body, obey_up_axis=True).armature
    api.reload_urdf(turned)
    heights = [float(np.ptp(_points(shape.data)[:, 2])) for shape in visuals(turned)["a"]]
    assert heights == pytest.approx([1.0, 2.0, 3.0, 2.0])  # the format's own default is Y


def test_primitives_have_their_sizes_and_look_outwards(tmp_path: Path) -> None:
    body = a_link(
        a_visual('<box size="1 2 3"/>'),
        a_visual('<cylinder radius="0.5" length="2"/>'),
        a_visual('<sphere radius="0.7"/>'),
        a_visual('<capsule radius="0.5" length="2"/>'),
    )
    box, cylinder, sphere, capsule = (shape.data for shape in shapes_of(import_text(tmp_path, body)))
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
    body = a_link(a_mesh("a.stl"), a_visual('<cylinder radius="0.5" length="2"/>'))
    flat, round_ = (shape.data for shape in shapes_of(import_text(tmp_path, body)))
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
    report = import_text(tmp_path, a_link(*(a_mesh(name) for name in BROKEN), a_mesh("good.stl")))
    shapes = shapes_of(report)
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
    report = import_text(tmp_path, a_link(a_mesh("nowhere.stl"), a_mesh("good.stl")))
    assert len(shapes_of(report)) == 1
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
    (warning,) = import_text(tmp_path, a_link(a_mesh("bad.stl"))).warnings
    assert complaint in warning


@pytest.mark.parametrize("header", [b"solid facet", b"solid\nfacet normal 0 0 1\n outer loop", b"exported"])
def test_a_binary_stl_is_known_by_its_length_whatever_its_header_says(header: bytes, tmp_path: Path) -> None:
    content = mesh_files.write_stl(tmp_path / "a.stl").read_bytes()
    (tmp_path / "a.stl").write_bytes(header.ljust(80)[:80] + content[80:])
    (shape,) = shapes_of(import_text(tmp_path, a_link(a_mesh("a.stl"))))
    assert np.allclose(_sorted(_points(shape.data)), _sorted(CORNERS))
    assert len(shape.data.polygons) == 4


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_ply_files_are_read_as_blenders_own_reader_does(form: str, tmp_path: Path) -> None:
    path = mesh_files.write_full_ply(tmp_path / "a.ply", form)
    (ours,) = (shape.data for shape in shapes_of(import_text(tmp_path, a_link(a_mesh("a.ply")))))
    bpy.ops.wm.ply_import(filepath=str(path), forward_axis="Y", up_axis="Z")
    theirs = bpy.context.object.data
    assert np.array_equal(_points(ours), _points(theirs))
    assert [tuple(face.vertices) for face in ours.polygons] == [tuple(face.vertices) for face in theirs.polygons]
    colors = theirs.color_attributes[0].data
    for loop in ours.loops:
        assert tuple(ours.color_attributes[0].data[loop.index].color) == pytest.approx(
            tuple(colors[loop.vertex_index].color), abs=1e-6
        )
        assert tuple(ours.uv_layers[0].uv[loop.index].vector) == tuple(theirs.uv_layers[0].uv[loop.index].vector)
        # Kept to 16 bits a component.
        wanted = theirs.corner_normals[loop.index].vector
        assert tuple(ours.corner_normals[loop.index].vector) == pytest.approx(tuple(wanted), abs=1e-3)


def test_real_binary_files_that_begin_with_solid_are_read() -> None:
    armature = api.import_urdf(robot_file("robotiq_2f_85")).armature
    assert sum(len(shapes) for shapes in visuals(armature).values()) >= 9


def test_a_real_glb_and_ply_are_read(robots: Path, tmp_path: Path) -> None:
    folder = robots / "tesseract_support" / "tesseract" / "support" / "meshes"
    names = ("tesseract_material_mesh.glb", "box_2m.ply")
    report = import_text(tmp_path, a_link(*(a_mesh((folder / name).as_uri()) for name in names)))
    assert report.warnings == ()
    glb, ply = shapes_of(report)
    assert [slot.material for slot in glb.material_slots if slot.material is None] == []
    assert np.ptp(_points(ply.data), axis=0) == pytest.approx((2.0, 2.0, 2.0), abs=1e-5)
