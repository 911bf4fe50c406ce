"""Visuals, collision shapes and materials."""

from __future__ import annotations

import numpy as np
import pytest
from linkpose.urdf import Box, Capsule, Cylinder, Material, MeshFile, Sphere, UrdfError
from linkpose.urdf.materials import UNDEFINED_COLOR


def visual(shape, inside="", tag="visual"):
    return f"<{tag}>{inside}<geometry>{shape}</geometry></{tag}>"


def mesh_of(uri):
    return f'<mesh filename="{uri}"/>'


BOX = '<box size="1 2 3"/>'


def link(inside):
    return f'<link name="a">{inside}</link>'


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (BOX, Box((1.0, 2.0, 3.0))),
        ('<cylinder radius="0.5" length="2"/>', Cylinder(0.5, 2.0)),
        ('<sphere radius=".25"/>', Sphere(0.25)),
        ('<capsule radius="0.25" length="2"/>', Capsule(0.25, 2.0)),
        ("<!-- none --> <sphere radius='1e-1'/>", Sphere(0.1)),
    ],
)
@pytest.mark.parametrize("tag", ["visual", "collision"])
def test_primitives_are_read(urdf, shape, expected, tag):
    robot = urdf(link(visual(shape, tag=tag)))
    shapes = {"visual": robot.links[0].visuals, "collision": robot.links[0].collisions}
    assert [item.geometry for item in shapes.pop(tag)] == [expected]
    assert shapes.popitem()[1] == ()


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ('<box size="1 -2 3"/>', Box((1.0, 2.0, 3.0))),
        ('<sphere radius="-.5"/>', Sphere(0.5)),
        ('<capsule radius="1" length="-2"/>', Capsule(1.0, 2.0)),
    ],
)
def test_negative_sizes_are_taken_without_their_sign_with_a_warning(urdf, shape, expected):
    robot = urdf(link(visual(shape)))
    assert robot.links[0].visuals[0].geometry == expected
    (warning,) = robot.warnings
    assert "link 'a'" in warning
    assert "negative" in warning


def test_a_link_may_have_several_visuals_each_with_name_and_origin(urdf):
    robot = urdf(
        link(
            visual(BOX, '<origin xyz="1 0 0"/>')
            + '<visual name="two"><geometry><sphere radius="1"/></geometry></visual>'
        )
    )
    first, second = robot.links[0].visuals
    assert (first.name, second.name) == ("", "two")
    np.testing.assert_array_equal(first.origin[:3, 3], (1, 0, 0))
    np.testing.assert_array_equal(second.origin, np.eye(4))


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<visual/>", "<visual>: link 'a' has a <visual> without a shape"),
        (visual(""), "<visual>: link 'a' has a <visual> without a shape"),
        (visual("", tag="collision"), "<collision>: link 'a' has a <collision> without a shape"),
        (visual("<cone/>"), "<cone>: link 'a' has a shape that is not known"),
        (visual("<mesh/>"), "<mesh>: link 'a' has a visual mesh without a filename"),
        (visual('<mesh filename="  "/>'), "<mesh>: link 'a' has a visual mesh without a filename"),
    ],
)
def test_a_shape_that_cannot_be_made_is_left_out_with_a_warning(urdf, inside, words):
    robot = urdf(link(inside + visual(BOX)))
    assert [item.geometry for item in robot.links[0].visuals] == [Box((1.0, 2.0, 3.0))]
    (warning,) = (*robot.warnings, *robot.collision_warnings)
    assert f"robot.urdf:1: {words}; left out, " in warning


@pytest.mark.parametrize(
    "shape", ['<box size="1 2"/>', '<cylinder radius="1"/>', "<sphere/>", '<mesh filename="x" scale="1 2"/>']
)
def test_a_shape_with_wrong_numbers_is_refused(urdf, shape):
    with pytest.raises(UrdfError, match=r"robot\.urdf:1: <"):
        urdf(link(visual(shape)))


def test_a_missing_mesh_is_named_with_link_uri_and_paths_and_the_others_are_read(urdf, tmp_path):
    (tmp_path / "there.stl").touch()
    names = ("there.stl", "meshes/gone.stl", "there.stl")
    robot = urdf(link("".join(visual(f'\n<mesh filename="{name}"/>') for name in names)))
    found = [item.geometry for item in robot.links[0].visuals]
    assert [mesh.path for mesh in found] == [tmp_path / "there.stl", None, tmp_path / "there.stl"]
    assert [mesh.uri for mesh in found] == list(names)
    assert [mesh.line for mesh in found] == [2, 3, 4]
    assert len(robot.warnings) == 1
    warning = robot.warnings[0]
    assert warning.startswith(f"{tmp_path / 'robot.urdf'}:3: ")
    for part in ("'a'", "'meshes/gone.stl'", str(tmp_path / "meshes" / "gone.stl")):
        assert part in warning


def test_missing_files_are_counted_by_package_with_examples_and_the_paths_of_the_first(urdf, tmp_path):
    meshes = [f"package://gone/{i}.stl" for i in range(5)] + ["package://lost/1.stl", "a.stl", "b/c.stl"]
    robot = urdf("".join(f'\n<link name="l{i}">{visual(mesh_of(uri))}</link>' for i, uri in enumerate(meshes)))
    _, gone, lost, relative = robot.warnings  # the first one is about the roots
    assert f"{tmp_path / 'robot.urdf'}:2: " in gone
    assert "5 files of package 'gone' were not found" in gone
    assert "link 'l0': visual mesh 'package://gone/0.stl', link 'l1': " in gone
    assert "and 2 more" in gone
    assert str(tmp_path / "gone" / "0.stl") in gone
    assert "give its folder as one of packages=" in gone
    assert "link 'l5': visual mesh 'package://lost/1.stl' was not found" in lost
    assert "2 files were not found" in relative
    assert str(tmp_path / "a.stl") in relative


def test_files_called_otherwise_are_counted_by_package_too(urdf, tmp_path):
    for i in range(4):
        (tmp_path / f"m{i}.stl").touch()
    robot = urdf(link("".join(visual(mesh_of(f"far/m{i}.stl")) for i in range(4))))
    (warning,) = robot.warnings
    assert "4 files are elsewhere or called otherwise than written" in warning
    assert str(tmp_path / "m0.stl") in warning
    assert all(item.geometry.path for item in robot.links[0].visuals)


def test_what_is_wrong_with_collision_shapes_alone_is_kept_apart(urdf):
    robot = urdf(link(visual(mesh_of("a.stl")) + visual(mesh_of("b.stl"), tag="collision") + "<collision/>"))
    assert ["a.stl" in warning for warning in robot.warnings] == [True]
    assert len(robot.collision_warnings) == 2
    assert "'b.stl'" in robot.collision_warnings[1]


@pytest.mark.parametrize(("scale", "expected"), [("0.001 -1 2", (0.001, -1.0, 2.0)), (None, (1.0, 1.0, 1.0))])
@pytest.mark.parametrize("tag", ["visual", "collision"])
def test_mesh_scale_is_read_for_visual_and_collision(urdf, tmp_path, scale, expected, tag):
    (tmp_path / "m.stl").touch()
    attribute = "" if scale is None else f'scale="{scale}"'
    robot = urdf(link(visual(f'<mesh filename="m.stl" {attribute}/>', tag=tag)))
    mesh = (robot.links[0].visuals + robot.links[0].collisions)[0].geometry
    assert mesh == MeshFile("m.stl", tmp_path / "m.stl", expected, 1)


def test_one_scale_factor_is_used_for_all_axes_with_a_warning(urdf, tmp_path):
    (tmp_path / "m.stl").touch()
    robot = urdf(link(visual('<mesh filename="m.stl" scale="0.001"/>')))
    assert robot.links[0].visuals[0].geometry.scale == (0.001, 0.001, 0.001)
    assert "one number" in robot.warnings[0]


RED = '<material name="red"><color rgba="1 0 0 1"/></material>'


def material_of(robot, index=0):
    return robot.links[0].visuals[index].material


@pytest.mark.parametrize("order", [0, 1])
def test_a_global_material_may_be_defined_after_its_use(urdf, order):
    parts = [RED, link(visual(BOX, '<material name="red"/>'))]
    robot = urdf("".join(parts if order else reversed(parts)))
    assert material_of(robot) == Material("red", (1.0, 0.0, 0.0, 1.0))
    assert robot.warnings == ()


def test_a_name_may_be_defined_by_another_visual_later_in_the_file(urdf):
    robot = urdf(link(visual(BOX, '<material name="red"/>') + visual(BOX, RED)))
    assert material_of(robot, 0) == material_of(robot, 1) == Material("red", (1.0, 0.0, 0.0, 1.0))
    assert robot.warnings == ()


def test_a_visual_keeps_its_own_colour_when_names_clash(urdf):
    own = '<material name="red"><color rgba="0 1 0 1"/></material>'
    robot = urdf(RED + link(visual(BOX, own) + visual(BOX, '<material name="red"/>')))
    assert material_of(robot, 0).color == (0.0, 1.0, 0.0, 1.0)
    assert material_of(robot, 1).color == (1.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("name", ["", 'name=""'])
def test_a_material_inside_a_visual_needs_no_name(urdf, name):
    robot = urdf(link(visual(BOX, f'<material {name}><color rgba="0 0 1 0.5"/></material>')))
    assert material_of(robot) == Material("", (0.0, 0.0, 1.0, 0.5))
    assert robot.warnings == ()


def test_an_undefined_material_is_grey_with_a_warning(urdf):
    robot = urdf(link("\n" + visual(BOX, '<material name="green"/>')))
    assert material_of(robot) == Material("green", UNDEFINED_COLOR)
    assert len(robot.warnings) == 1
    assert "robot.urdf:2: <material name='green'>: is defined nowhere" in robot.warnings[0]


def test_a_visual_without_material_has_none(urdf):
    assert material_of(urdf(RED + link(visual(BOX)))) is None


def test_an_empty_material_is_none_with_a_warning(urdf):
    robot = urdf(link(visual(BOX, "<material/>")))
    assert material_of(robot) is None
    assert "neither name nor colour" in robot.warnings[0]


def test_the_first_of_two_global_definitions_counts(urdf):
    second = '\n<material name="red"><color rgba="0 1 0 1"/></material>'
    robot = urdf(RED + second + link(visual(BOX, '<material name="red"/>')))
    assert material_of(robot).color == (1.0, 0.0, 0.0, 1.0)
    assert "robot.urdf:2: <material name='red'>: defined twice" in robot.warnings[0]


def test_a_global_material_without_name_is_refused(urdf):
    with pytest.raises(UrdfError, match="<material>: attribute 'name' is missing"):
        urdf('<material><color rgba="1 1 1 1"/></material>' + link(""))


def test_a_texture_is_found_beside_the_file(urdf, tmp_path):
    (tmp_path / "grid.png").touch()
    textured = '<material name="t"><color rgba="1 1 1 1"/><texture filename="grid.png"/></material>'
    robot = urdf(link(visual(BOX, textured)))
    assert material_of(robot) == Material("t", (1.0, 1.0, 1.0, 1.0), tmp_path / "grid.png")


def test_a_missing_texture_leaves_the_colour_or_grey(urdf):
    with_color = '<material name="t"><color rgba="1 1 1 1"/><texture filename="gone.png"/></material>'
    without = '<material name="u"><texture filename="gone.png"/></material>'
    robot = urdf(link(visual(BOX, with_color) + "\n" + visual(BOX, without)))
    assert material_of(robot, 0) == Material("t", (1.0, 1.0, 1.0, 1.0))
    assert material_of(robot, 1) == Material("u", UNDEFINED_COLOR)
    (warning,) = robot.warnings
    assert "texture 'gone.png' was not found" in warning


@pytest.mark.parametrize(
    ("rgba", "expected", "words"),
    [
        ("0.2 0.4 0.6", (0.2, 0.4, 0.6, 1.0), "no alpha"),
        ("255 0 51 1", (1.0, 0.0, 0.2, 1.0), "divided by 255"),
        ("255 0 51 102", (1.0, 0.0, 0.2, 0.4), "divided by 255"),
        ("1.2 -0.1 0.5 1", (1.0, 0.0, 0.5, 1.0), "clamped"),
    ],
)
def test_colours_outside_the_rule_are_put_right_with_a_warning(urdf, rgba, expected, words):
    robot = urdf(link(visual(BOX, f'<material name="m"><color rgba="{rgba}"/></material>')))
    assert material_of(robot).color == pytest.approx(expected)
    assert len(robot.warnings) == 1
    assert words in robot.warnings[0]


def test_a_colour_of_two_numbers_is_refused(urdf):
    with pytest.raises(UrdfError, match=r"<color>: rgba='0\.0 1.0' holds 2 numbers; 4 are needed"):
        urdf('<material name="green"><color rgba="0.0 1.0"/></material>' + link(""))
