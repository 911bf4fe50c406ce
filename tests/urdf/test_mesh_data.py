"""Meshes as arrays: mirroring, moving, joining."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from linkpose.urdf import Material
from linkpose.urdf.mesh_data import MeshData, joined

RED = Material("red", (1.0, 0.0, 0.0, 1.0))
ALSO_RED = Material("rot", (1.0, 0.0, 0.0, 1.0))
BLUE = Material("blue", (0.0, 0.0, 1.0, 1.0))


@pytest.fixture
def wedge():
    """A solid without symmetry: quads and triangles, outward flat normals, a uv that is the corner's x and y."""
    vertices = np.array([(0, 0, 0), (3, 0, 0), (3, 1, 0), (0, 1, 0), (0, 0, 2), (0, 1, 2)], np.float32)
    faces = [(0, 3, 2, 1), (0, 1, 4), (3, 5, 2), (0, 4, 5, 3), (1, 2, 5, 4)]
    normals = [(0, 0, -1), (0, -1, 0), (0, 1, 0), (-1, 0, 0), (2 / 13**0.5, 0, 3 / 13**0.5)]
    totals = np.array([len(face) for face in faces], np.int32)
    loops = np.concatenate(faces).astype(np.int32)
    return MeshData(
        name="wedge",
        vertices=vertices,
        loop_vertex=loops,
        polygon_start=(np.cumsum(totals) - totals).astype(np.int32),
        polygon_total=totals,
        material_index=np.array([0, 1, 0, 1, 0], np.int32),
        materials=(RED, BLUE),
        normals=np.repeat(np.array(normals, np.float32), totals, axis=0),
        uv=vertices[loops][:, :2],
    )


def faces(mesh):
    return [mesh.loop_vertex[s : s + t] for s, t in zip(mesh.polygon_start, mesh.polygon_total, strict=True)]


def geometric_normals(mesh):
    """Newell's normal of each polygon."""
    result = []
    for face in faces(mesh):
        points = mesh.vertices[face].astype(float)
        normal = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)
        result.append(normal / np.linalg.norm(normal))
    return np.array(result)


def volume(mesh):
    """Signed volume by fans; positive when faces look outwards."""
    total = 0.0
    for face in faces(mesh):
        p = mesh.vertices[face].astype(float)
        total += sum(np.dot(p[0], np.cross(p[i], p[i + 1])) for i in range(1, len(p) - 1)) / 6.0
    return total


@pytest.mark.parametrize(
    "scale",
    [(1, 1, 1), (2, 3, 0.5), (-1, 1, 1), (1, -2, 1), (1, 1, -0.001), (-1, -2, 1), (-1, -1, -1), (0.001, 0.001, 0.001)],
)
def test_scaled_meshes_of_any_sign_look_outwards(wedge, scale):
    scaled = wedge.scaled(scale)
    np.testing.assert_allclose(scaled.vertices, wedge.vertices * np.array(scale), rtol=1e-6)
    assert volume(scaled) == pytest.approx(volume(wedge) * abs(np.prod(scale)), rel=1e-5)
    per_corner = np.repeat(geometric_normals(scaled), scaled.polygon_total, axis=0)
    np.testing.assert_allclose(scaled.normals, per_corner, atol=1e-6)


def test_what_hangs_on_corners_stays_with_its_vertex_when_mirrored(wedge):
    mirrored = wedge.scaled((1, 1, -1))
    np.testing.assert_array_equal(mirrored.uv, mirrored.vertices[mirrored.loop_vertex][:, :2])
    np.testing.assert_array_equal(mirrored.material_index, wedge.material_index)
    assert [sorted(face) for face in faces(mirrored)] == [sorted(face) for face in faces(wedge)]


def test_flipping_twice_changes_nothing(wedge):
    again = wedge.flipped().flipped()
    np.testing.assert_array_equal(again.loop_vertex, wedge.loop_vertex)
    np.testing.assert_array_equal(again.normals, wedge.normals)


@pytest.mark.parametrize("scale", [(1, 1, 0), (0, 0, 0)])
def test_a_scale_of_zero_gives_no_nan(wedge, scale):
    flat = wedge.scaled(scale)
    assert np.isfinite(flat.vertices).all()
    assert np.isfinite(flat.normals).all()


def test_moving_applies_the_whole_matrix(wedge):
    matrix = np.array([[0, -1, 0, 5], [1, 0, 0, 6], [0, 0, 1, 7], [0, 0, 0, 1]], float)
    moved = wedge.transformed(matrix)
    np.testing.assert_allclose(moved.vertices, wedge.vertices @ matrix[:3, :3].T + (5, 6, 7), atol=1e-6)
    np.testing.assert_allclose(moved.normals, wedge.normals @ matrix[:3, :3].T, atol=1e-6)
    assert moved.vertices.dtype == np.float32


def test_joined_meshes_share_materials_that_look_the_same(wedge):
    other = replace(wedge, vertices=wedge.vertices + 10, materials=(BLUE, ALSO_RED))
    both = joined([wedge, other], "both")
    assert (both.name, both.materials) == ("both", (RED, BLUE))
    np.testing.assert_array_equal(both.material_index, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    assert volume(both) == pytest.approx(2 * volume(wedge), rel=1e-5)
    np.testing.assert_array_equal(both.polygon_start, np.cumsum(both.polygon_total) - both.polygon_total)
    assert {
        array.dtype for array in (both.loop_vertex, both.polygon_start, both.polygon_total, both.material_index)
    } == {np.dtype(np.int32)}


def test_textures_tell_materials_apart(wedge):
    a, b = Material("t", None, Path("a.png")), Material("t", None, Path("b.png"))
    assert joined([replace(wedge, materials=(a, b)), replace(wedge, materials=(b, a))]).materials == (a, b)


def test_joining_fills_missing_normals_with_zero(wedge):
    both = joined([wedge, replace(wedge, normals=None, uv=None)])
    corners = len(wedge.loop_vertex)
    np.testing.assert_array_equal(both.normals[:corners], wedge.normals)
    assert not both.normals[corners:].any()
    assert not both.uv[corners:].any()


def test_joining_meshes_without_normals_and_materials_gives_none(wedge):
    bare = replace(wedge, normals=None, uv=None, materials=(), material_index=np.zeros(5, np.int32))
    both = joined([bare, bare])
    assert (both.normals, both.uv, both.materials) == (None, None, ())
    assert not both.material_index.any()


def test_joining_with_a_mesh_without_materials_keeps_a_place_for_it(wedge):
    bare = replace(wedge, materials=(), material_index=np.zeros(5, np.int32))
    both = joined([wedge, bare])
    assert both.materials == (RED, BLUE, Material(""))
    np.testing.assert_array_equal(both.material_index[5:], 2)


def test_joining_nothing_gives_an_empty_mesh():
    empty = joined([])
    assert (len(empty.vertices), len(empty.polygon_total), empty.materials) == (0, 0, ())
