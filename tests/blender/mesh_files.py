"""Small mesh files of every format, made on the spot: a unit tetrahedron with its right angle at the origin."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np

CORNERS = np.array(((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0)))
# Wound so that normals point outwards.
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def write_stl(path: Path, header: bytes = b"made") -> Path:
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *CORNERS[list(face)].ravel().tolist(), 0) for face in FACES)
    path.write_bytes(header.ljust(80, b"\0") + struct.pack("<I", len(FACES)) + body)
    return path


def write_text_stl(path: Path) -> Path:
    facets = "".join(
        "facet normal 0 0 0 outer loop "
        + " ".join(f"vertex {x} {y} {z}\n" for x, y, z in CORNERS[list(face)])
        + "endloop endfacet\n"
        for face in FACES
    )
    path.write_text(f"solid made\n{facets}endsolid made\n")
    return path


def write_obj(path: Path, material: str = "") -> Path:
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS]
    if material:
        path.with_suffix(".mtl").write_text(material)
        lines = [f"mtllib {path.stem}.mtl", *lines, "usemtl paint"]
    lines += ["f " + " ".join(str(i + 1) for i in face) for face in FACES]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_ply(path: Path, vertices: int = len(CORNERS), reds: Sequence[int] = ()) -> Path:
    lines = [
        "ply",
        "format ascii 1.0",
        f"element vertex {vertices}",
        *(f"property float {axis}" for axis in "xyz"),
        *(f"property uchar {color}" for color in ("red", "green", "blue") if reds),
        f"element face {len(FACES)}",
        "property list uchar int vertex_indices",
        "end_header",
        *(f"{x} {y} {z}" + (f" {reds[i]} 0 0" if reds else "") for i, (x, y, z) in enumerate(CORNERS)),
        *("3 " + " ".join(map(str, face)) for face in FACES),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_full_ply(path: Path, form: str) -> Path:
    """Three- and four-cornered faces; normals, texture coordinates and colours of vertices; columns of no use."""
    vertices = [
        (
            *corner,
            *((corner + 0.1) / np.linalg.norm(corner + 0.1)),
            0.25 * i,
            1.0 - 0.25 * i,
            40 * i,
            200 - 30 * i,
            i,
            255,
        )
        for i, corner in enumerate((*CORNERS, np.array((1.0, 2.0, 0.5))))
    ]
    faces = [(7, face) for face in ((0, 2, 1), (0, 1, 4, 2), (0, 1, 3), (0, 3, 2), (1, 4, 2, 3))]
    header = [
        "ply",
        f"format {form} 1.0",
        "comment made here",
        f"element vertex {len(vertices)}",
        *(f"property float {name}" for name in ("x", "y", "z", "nx", "ny", "nz", "s", "t")),
        *(f"property uchar {name}" for name in ("red", "green", "blue", "alpha")),
        f"element face {len(faces)}",
        "property short flags",
        "property list uchar uint vertex_indices",
        "end_header",
    ]
    content = ("\n".join(header) + "\n").encode()
    if form == "ascii":
        lines = [" ".join(map(str, vertex)) for vertex in vertices]
        lines += [f"{flags} {len(face)} {' '.join(map(str, face))}" for flags, face in faces]
        content += ("\n".join(lines) + "\n").encode()
    else:
        order = ">" if form == "binary_big_endian" else "<"
        content += b"".join(struct.pack(f"{order}8f4B", *vertex) for vertex in vertices)
        content += b"".join(struct.pack(f"{order}hB{len(face)}I", flags, len(face), *face) for flags, face in faces)
    path.write_bytes(content)
    return path


def write_glb(path: Path) -> Path:
    points = CORNERS.astype("<f4").tobytes()
    faces = np.array(FACES, dtype="<u2").tobytes()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": len(CORNERS),
                "type": "VEC3",
                "min": CORNERS.min(axis=0).tolist(),
                "max": CORNERS.max(axis=0).tolist(),
            },
            {"bufferView": 1, "componentType": 5123, "count": 3 * len(FACES), "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(faces)},
        ],
        "buffers": [{"byteLength": len(points) + len(faces)}],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    body = points + faces
    body += b"\0" * (-len(body) % 4)
    path.write_bytes(
        struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(body))
        + struct.pack("<I4s", len(text), b"JSON")
        + text
        + struct.pack("<I4s", len(body), b"BIN\0")
        + body
    )
    return path


def write_dae(path: Path, color: str = "", unit: str = "1") -> Path:
    effect = material = bind = ""
    if color:
        effect = (
            '<library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong>'
            f"<diffuse><color>{color}</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>"
        )
        material = (
            '<library_materials><material id="m" name="paint">'
            '<instance_effect url="#e"/></material></library_materials>'
        )
        bind = (
            "<bind_material><technique_common>"
            '<instance_material symbol="s" target="#m"/></technique_common></bind_material>'
        )
    numbers = " ".join(str(number) for number in CORNERS.ravel())
    indices = " ".join(str(i) for face in FACES for i in face)
    path.write_text(
        '<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
        f'<asset><unit meter="{unit}"/><up_axis>Z_UP</up_axis></asset>{effect}{material}'
        '<library_geometries><geometry id="g"><mesh><source id="p">'
        f'<float_array id="pa" count="{CORNERS.size}">{numbers}</float_array><technique_common>'
        f'<accessor source="#pa" count="{len(CORNERS)}" stride="3"><param name="X" type="float"/>'
        '<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>'
        '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
        f'<triangles count="{len(FACES)}" material="s"><input semantic="VERTEX" source="#v" offset="0"/>'
        f"<p>{indices}</p></triangles></mesh></geometry></library_geometries>"
        '<library_visual_scenes><visual_scene id="vs"><node>'
        f'<instance_geometry url="#g">{bind}</instance_geometry></node></visual_scene></library_visual_scenes>'
        '<scene><instance_visual_scene url="#vs"/></scene></COLLADA>'
    )
    return path


WRITERS = {
    "binary.stl": write_stl,
    "text.stl": write_text_stl,
    "a.obj": write_obj,
    "a.ply": write_ply,
    "a.glb": write_glb,
    "a.dae": write_dae,
    "UPPER.STL": write_stl,
}
