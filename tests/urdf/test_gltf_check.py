"""What a glTF file must not say before Blender's importer gets to see it."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from linkpose.urdf import MeshError
from linkpose.urdf.gltf_check import check_gltf

GOOD = {"asset": {"version": "2.0"}, "nodes": [{"children": [1, 2]}, {}, {"mesh": 0}], "accessors": [{"count": 3}]}


def _write(path: Path, document: object, binary: bool) -> Path:
    text = json.dumps(document).encode()
    head = struct.pack("<4sII", b"glTF", 2, 20 + len(text)) + struct.pack("<I4s", len(text), b"JSON")
    path.write_bytes(head + text if binary else text)
    return path


@pytest.mark.parametrize("binary", [True, False])
def test_a_file_that_keeps_the_rules_passes(binary: bool, tmp_path: Path) -> None:
    check_gltf(_write(tmp_path / "a.glb", GOOD, binary))


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"accessors": [{"count": 10**9, "type": "SCALAR"}]}, "promises more"),
        ({"accessors": [{"count": 1e300, "type": "VEC3"}]}, "promises more"),
        ({"accessors": [{"count": 500_000, "type": "MAT4"}]}, "promises more"),
        ({"nodes": [{"children": [0]}]}, "in a circle"),
        ({"nodes": [{}, {"children": [2]}, {"children": [1]}]}, "in a circle"),
        ({"nodes": [{"children": [1, 1]}, {}]}, "node 1 hangs from several"),
        ({"nodes": [{"children": [2]}, {"children": [2]}, {}]}, "node 2 hangs from several"),
    ],
)
def test_what_would_take_all_memory_or_never_end_is_refused(
    change: dict, complaint: str, binary: bool, tmp_path: Path
) -> None:
    with pytest.raises(MeshError, match=complaint):
        check_gltf(_write(tmp_path / "a.glb", {**GOOD, **change}, binary))


@pytest.mark.parametrize(
    "content", [b"", b"glTF", b"glTF but not really one", b"[]", b"{", b"\xff\xfe{}", b"[" * 100_000]
)
def test_what_is_no_gltf_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.gltf").write_bytes(content)
    with pytest.raises(MeshError, match="no glTF file"):
        check_gltf(tmp_path / "a.gltf")


def test_odd_values_are_left_to_the_importer(tmp_path: Path) -> None:
    odd = {"nodes": [3, {"children": "x"}, {"children": [7, -1, "0", None]}], "accessors": [None, {"count": "many"}]}
    check_gltf(_write(tmp_path / "a.gltf", odd, False))
