"""PLY files, whole ones beside an independent reader, broken ones refused in our own words."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import numpy as np
import pytest
from linkpose.urdf import MeshError
from linkpose.urdf.ply import read_ply

SQUARE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.5))
HEADER = (
    "ply\nformat {form} 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\nproperty float z\n"
    "element face {faces}\nproperty list {length} {index} vertex_indices\nend_header\n"
)


def _header(form: str = "ascii", vertices: object = 4, faces: object = 1, length: str = "uchar", index: str = "int"):
    return HEADER.format(form=form, vertices=vertices, faces=faces, length=length, index=index).encode()


def _text(*faces: str, **header: object) -> bytes:
    lines = [*(" ".join(map(str, place)) for place in SQUARE), *faces]
    return _header(**{"faces": len(faces), **header}) + ("\n".join(lines) + "\n").encode()


def _binary(order: str, *faces: tuple[int, ...], **header: object) -> bytes:
    form = "binary_little_endian" if order == "<" else "binary_big_endian"
    body = b"".join(struct.pack(f"{order}3f", *place) for place in SQUARE)
    body += b"".join(struct.pack(f"{order}B{len(face)}i", len(face), *face) for face in faces)
    return _header(form, **{"faces": len(faces), **header}) + body


def _faces(path: Path) -> list[list[int]]:
    mesh = read_ply(path)
    ends = mesh.polygon_start + mesh.polygon_total
    return [mesh.loop_vertex[a:b].tolist() for a, b in zip(mesh.polygon_start, ends, strict=True)]


@pytest.mark.parametrize(
    "content",
    [
        _text("3 0 1 2", "4 0 1 2 3", "3 0 2 3"),
        _text("3 0 1 2", "4 0 1 2 3", "3 0 2 3").replace(b"\n", b"\r\n"),
        _text("3 0 1 2", "4 0 1 2 3", "3 0 2 3").replace(b"ply\n", b"ply\ncomment end_header of nothing\n"),
        _binary("<", (0, 1, 2), (0, 1, 2, 3), (0, 2, 3)),
        _binary(">", (0, 1, 2), (0, 1, 2, 3), (0, 2, 3)),
        _binary("<", (0, 1, 2), (0, 1), (0, 1, 2, 3), (), (0, 2, 3)),
    ],
)
def test_faces_of_any_size_are_read_in_text_and_in_either_byte_order(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.ply").write_bytes(content)
    mesh = read_ply(tmp_path / "a.ply")
    assert np.allclose(mesh.vertices, SQUARE)
    assert _faces(tmp_path / "a.ply") == [[0, 1, 2], [0, 1, 2, 3], [0, 2, 3]]


def test_elements_may_come_in_any_order_and_others_among_them(tmp_path: Path) -> None:
    lines = ["ply", "format ascii 1.0", "element camera 1", "property list uchar float view", "property float zoom"]
    lines += ["element face 1", "property list uchar int vertex_index", "element vertex 4"]
    lines += [*(f"property double {axis}" for axis in "zyx"), "end_header", "2 0.5 0.5 9", "3 0 1 2"]
    lines += [f"{z} {y} {x}" for x, y, z in SQUARE]
    (tmp_path / "a.ply").write_text("\n".join(lines))
    assert np.allclose(read_ply(tmp_path / "a.ply").vertices, SQUARE)
    assert _faces(tmp_path / "a.ply") == [[0, 1, 2]]


def test_triangle_strips_keep_their_winding(tmp_path: Path) -> None:
    content = _text("7 0 1 2 3 -1 2 1").replace(b"element face", b"element tristrips")
    (tmp_path / "a.ply").write_bytes(content.replace(b"7 0 1 2 3 -1 2 1", b"8 0 1 2 3 -1 2 1 0"))
    assert _faces(tmp_path / "a.ply") == [[0, 1, 2], [3, 2, 1], [2, 1, 0]]


@pytest.mark.parametrize("encoding", ["ascii", "binary"])
@pytest.mark.parametrize("shape", ["icosphere", "annulus", "capsule"])
def test_what_another_program_writes_comes_out_as_it_went_in(encoding: str, shape: str, tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    made = {
        "icosphere": lambda: trimesh.creation.icosphere(subdivisions=2),
        "annulus": lambda: trimesh.creation.annulus(0.2, 0.5, 1.0),
        "capsule": lambda: trimesh.creation.capsule(1.0, 0.3),
    }[shape]()
    made.visual.vertex_colors = np.arange(4 * len(made.vertices)).reshape(-1, 4) % 256
    made.export(tmp_path / "a.ply", encoding=encoding)
    mesh = read_ply(tmp_path / "a.ply")
    assert np.allclose(mesh.vertices, made.vertices, atol=1e-6)
    assert np.array_equal(mesh.loop_vertex.reshape(-1, 3), made.faces)
    srgb = made.visual.vertex_colors[mesh.loop_vertex] / 255.0
    assert mesh.colors is not None
    assert np.allclose(mesh.colors[:, 3], srgb[:, 3], atol=1e-6)
    back = np.where(mesh.colors > 0.0031308, 1.055 * mesh.colors ** (1 / 2.4) - 0.055, 12.92 * mesh.colors)
    assert np.allclose(back[:, :3], srgb[:, :3], atol=1e-4)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "header"),
        (b"ply\nformat ascii 1.0\nelement vertex", "header"),
        (b"ply\nend_header\n", "format"),
        (b"ply\nformat text 1.0\nend_header\n", "no PLY: 'format text"),
        (b"ply\nformat ascii 1.0\nelement vertex -1\nend_header\n", "no PLY: 'element vertex -1'"),
        (b"ply\nformat ascii 1.0\nproperty float x\nend_header\n", "no PLY: 'property float x'"),
        (b"ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n3 0 1 2", "x, y"),
        (_header(vertices=10**30), "it ends"),
        (_header("binary_little_endian", vertices=4_000_000_000) + bytes(64), "it ends"),
        (_text("3 0 1 2", faces=2), "it ends"),
        (_text("3 0 1 2", vertices=5), "it ends"),
        (_text("3 0 1"), "it ends"),
        (_text("3 0 one 2"), "no number"),
        (_text("-1 0 1 2"), "-1 numbers"),
        (_text("2.5 0 1 2"), "2.5 numbers"),
        (_text("1e9 0 1 2"), "1e+09 numbers"),
        (_text("3 0 1 4"), "vertex 4"),
        (_text("3 0 1 -1"), "vertex -1"),
        (_text("3 0 1 nan"), "vertices whose numbers"),
        (_text("3 0 1 2", length="float"), "fractions"),
        (_binary("<", (0, 1, 2))[:-1], "it ends"),
        (_binary(">", (0, 1, 2), faces=3), "it ends"),
        (_binary("<", (0, 1, 70000)), "vertex 70000"),
        (_header("binary_big_endian", 0, 1, "uint") + b"\xff" * 40, "it ends"),  # numpy's own sizes overflow
        (_binary(">", (0, 1, 2), length="int"), "it ends"),
    ],
)
def test_a_broken_file_says_what_is_wrong(content: bytes, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "bad.ply").write_bytes(content)
    with pytest.raises(MeshError, match=complaint.replace("+", r"\+")) as caught:
        read_ply(tmp_path / "bad.ply")
    assert "bad.ply: it" in str(caught.value)


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="cannot be read"):
        read_ply(tmp_path / "none.ply")


@pytest.mark.parametrize("seed", range(3))
def test_changed_files_are_read_or_refused(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    path = tmp_path / "a.ply"
    sources = [
        _text("3 0 1 2", "4 0 1 2 3"),
        *(_binary(order, (0, 1, 2), (0, 1, 2, 3)) for order in "<>"),
        _header() + b"\x00" * 60,
    ]
    outcomes = set()
    for _ in range(150):
        data = bytearray(rng.choice(sources))
        for _ in range(rng.choice((1, 1, 2, 5))):
            at = rng.randrange(len(data))
            if rng.random() < 0.3:
                del data[at : at + rng.choice((1, 4, 30, 1000))]
            else:
                data[at : at + rng.randrange(2)] = rng.choice(
                    (b"9", b"-", b"\n", b" int ", bytes([rng.randrange(256)]))
                )
            if not data:
                break
        path.write_bytes(bytes(data))
        try:
            mesh = read_ply(path)
        except MeshError:
            outcomes.add("refused")
            continue
        outcomes.add("read")
        assert len(mesh.loop_vertex) == mesh.polygon_total.sum()
        assert not len(mesh.loop_vertex) or 0 <= mesh.loop_vertex.min() <= mesh.loop_vertex.max() < len(mesh.vertices)
    assert outcomes == {"read", "refused"}
