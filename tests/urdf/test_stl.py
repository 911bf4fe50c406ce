"""The reader of STL files, against trimesh and against files that are broken in every way."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import numpy as np
import pytest
from linkpose.urdf import MeshError
from linkpose.urdf.mesh_data import MeshData
from linkpose.urdf.stl import read_stl

trimesh = pytest.importorskip("trimesh", reason="no trimesh in this environment: pip install trimesh")


def _files(path: Path) -> dict[str, Path]:
    """A ball as both kinds of file, written by trimesh."""
    ball = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
    ball.apply_translation((1.0, -2.0, 3.0))
    found = {}
    for kind in ("stl", "stl_ascii"):
        found[kind] = path / f"{kind}.stl"
        ball.export(found[kind], file_type=kind)
    return found


def _check(mesh: MeshData) -> None:
    """What every mesh must hold, however broken its file was."""
    assert np.isfinite(mesh.vertices).all()
    corners = mesh.loop_vertex.reshape(-1, 3)
    assert len(corners) == len(mesh.polygon_start) == len(mesh.polygon_total) == len(mesh.material_index)
    if len(corners):
        assert 0 <= corners.min() <= corners.max() < len(mesh.vertices)
    assert (corners != np.roll(corners, 1, axis=1)).all()
    assert len(np.unique(mesh.vertices, axis=0)) == len(mesh.vertices)


@pytest.mark.parametrize("kind", ["stl", "stl_ascii"])
def test_both_kinds_hold_what_trimesh_wrote(kind: str, tmp_path: Path) -> None:
    path = _files(tmp_path)[kind]
    mesh, expected = read_stl(path), trimesh.load(path)
    _check(mesh)
    assert len(mesh.vertices) == len(expected.vertices) == 162
    ours = mesh.vertices[mesh.loop_vertex].reshape(-1, 3, 3)
    assert np.allclose(ours, expected.vertices[expected.faces], atol=1e-6)


@pytest.mark.parametrize("kind", ["stl", "stl_ascii"])
def test_broken_files_give_a_sound_mesh_or_say_what_is_wrong(kind: str, tmp_path: Path) -> None:
    good = _files(tmp_path)[kind].read_bytes()
    path = tmp_path / "broken.stl"
    outcomes = set()
    for seed in range(300):
        draw = random.Random(seed)
        data = bytearray(good)
        for _ in range(draw.choice((1, 3, 20))):
            place = draw.randrange(len(data))
            match draw.randrange(4):
                case 0:
                    data[place] = draw.randrange(256)
                case 1:
                    data[place : place + 4] = struct.pack("<f", draw.choice((float("nan"), float("inf"), -0.0, 3e38)))
                case 2:
                    del data[place : place + draw.choice((1, 50, 400))]
                case 3:
                    data[place:place] = draw.choice((b" vertex 1 2 3 ", b"endloop", b"solid", b"nan", bytes(50)))
        path.write_bytes(data)
        try:
            _check(read_stl(path))
            outcomes.add("read")
        except MeshError as error:
            outcomes.add(str(error).split(": ", 1)[0])
    assert outcomes == {"read", str(path)}


def test_corners_at_one_place_are_one_vertex_and_minus_zero_is_zero(tmp_path: Path) -> None:
    corners = (
        ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        ((-0.0, 0.0, -0.0), (0.0, 1.0, -0.0), (0.0, 0.0, 1.0)),
    )
    body = b"".join(struct.pack("<3f", 0, 0, 0) + np.array(one, "<f4").tobytes() + b"\0\0" for one in corners)
    (tmp_path / "a.stl").write_bytes(bytes(80) + struct.pack("<I", 2) + body)
    assert len(read_stl(tmp_path / "a.stl").vertices) == 4


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match=r"none\.stl: it cannot be read"):
        read_stl(tmp_path / "none.stl")
