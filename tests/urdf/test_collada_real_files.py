"""COLLADA files of published robots, against trimesh."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from linkpose.urdf.collada import read
from linkpose.urdf.mesh_data import joined


def collada_files(robots: Path, *names: str):
    return [file for name in names for file in sorted((robots / name).rglob("*")) if file.suffix.lower() == ".dae"]


SOURCES = ["panda_moveit", "kuka", "robotiq", "newton_urdf_tests", "urdf_tutorial_r2d2"]


@pytest.mark.parametrize("robot", SOURCES)
def test_box_area_and_volume_of_real_files_agree_with_trimesh(robots, robot):
    trimesh = pytest.importorskip("trimesh")
    collada = pytest.importorskip("collada")
    files = [file for file in collada_files(robots, robot) if file.stat().st_size < 600_000]
    assert files
    for file in files:
        mesh = joined(read(file))
        other = trimesh.load_scene(file).to_geometry()
        unit = collada.Collada(str(file), ignore=[collada.DaeError]).assetInfo.unitmeter or 1.0
        corners = other.vertices * unit
        size = np.linalg.norm(np.ptp(corners, axis=0))
        for bound in (np.min, np.max):
            np.testing.assert_allclose(bound(mesh.vertices, axis=0), bound(corners, axis=0), atol=1e-5 * size)
        area, volume = area_and_volume(mesh.vertices.astype(float)[fans(mesh)])
        other_area, other_volume = area_and_volume(corners[other.faces])
        assert area == pytest.approx(other_area, rel=1e-4), file
        assert volume == pytest.approx(other_volume, rel=1e-3, abs=1e-5 * size**3), file


def fans(mesh):
    """(triangles, 3) vertices of the polygons cut into fans."""
    start = np.repeat(mesh.polygon_start, mesh.polygon_total - 2)
    corner = np.concatenate([np.arange(1, total - 1) for total in mesh.polygon_total])
    return mesh.loop_vertex[np.stack([start, start + corner, start + corner + 1], axis=1)]


def area_and_volume(corners):
    """Of triangles (n, 3, 3); the volume is signed."""
    first, second, third = corners[:, 0], corners[:, 1], corners[:, 2]
    area = np.linalg.norm(np.cross(second - first, third - first), axis=1).sum() / 2.0
    return area, np.einsum("ij,ij->", first, np.cross(second, third)) / 6.0


@pytest.mark.parametrize("robot", SOURCES)
def test_normals_of_real_files_look_to_the_front_of_faces(robots, robot):
    for file in collada_files(robots, robot):
        mesh = joined(read(file))
        if mesh.normals is not None:
            first, second, third = (
                mesh.vertices[mesh.loop_vertex[mesh.polygon_start + i]].astype(float) for i in range(3)
            )
            faces = np.cross(second - first, third - first)
            along = np.einsum("ij,ij->i", faces, mesh.normals[mesh.polygon_start].astype(float))
            area = np.linalg.norm(faces, axis=1)
            assert np.sum(area[along > 0.0]) >= 0.9 * np.sum(area[along != 0.0]), file
