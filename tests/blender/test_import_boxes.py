"""World boxes of real robots' visuals, against trimesh's reading of the same files placed by an oracle on the XML."""

from __future__ import annotations

import re
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.oracle import Oracle
from blender.robots import robot_file, set_channels, visuals
from blender.support import api, module

trimesh = pytest.importorskip("trimesh", reason="no trimesh in this environment: pip install trimesh lxml")

ROBOTS = ("panda", "ur5", "talos", "anymal_c", "fanuc", "kinova_gen3", "robotiq_2f_85")
_UNIT = re.compile(rb'<unit[^>]*meter="([^"]+)"')


def _points(file: Path) -> np.ndarray:
    """Every point that a face has, in metres."""
    scene = trimesh.load_scene(str(file))
    unit = _UNIT.search(file.read_bytes()) if file.suffix.lower() == ".dae" else None
    clouds = []
    for node in scene.graph.nodes_geometry:
        matrix, name = scene.graph[node]
        mesh = scene.geometry[name]
        if isinstance(mesh, trimesh.Trimesh):
            clouds.append(trimesh.transform_points(mesh.vertices[np.unique(mesh.faces)], matrix))
    return np.concatenate(clouds) * (float(unit.group(1)) if unit else 1.0)


def _world_box(shape: bpy.types.Object) -> np.ndarray:
    points = np.empty(3 * len(shape.data.vertices), dtype=np.float32)
    shape.data.vertices.foreach_get("co", points)
    world = np.array(shape.matrix_world, dtype=np.float64)
    moved = points.reshape(-1, 3).astype(np.float64) @ world[:3, :3].T + world[:3, 3]
    return np.array((moved.min(axis=0), moved.max(axis=0)))


@pytest.mark.parametrize("name", ROBOTS)
def test_world_boxes_of_visuals_are_those_of_an_independent_reader(name: str) -> None:
    path = robot_file(name)
    oracle, robot = Oracle(path), module("urdf").load(path)
    armature = api.import_urdf(path).armature
    pose = oracle.random_pose(5)
    set_channels(armature, pose)
    frames, shapes = oracle.frames(pose), visuals(armature)
    clouds: dict[Path, np.ndarray] = {}
    compared = 0
    for link in robot.links:
        origins = oracle.visual_origins(link.name)
        if len(shapes.get(link.name, ())) != len(link.visuals):
            continue  # a mesh of this link is not on this disk, and the warnings say so
        for shape, visual, origin in zip(shapes.get(link.name, ()), link.visuals, origins, strict=True):
            file = getattr(visual.geometry, "path", None)
            if file is None:
                continue
            if file not in clouds:
                clouds[file] = _points(file)
            points = trimesh.transform_points(clouds[file] * visual.geometry.scale, frames[link.name] @ origin)
            expected = np.array((points.min(axis=0), points.max(axis=0)))
            assert np.allclose(_world_box(shape), expected, atol=1e-4), f"{link.name}: {file.name}"
            compared += 1
    assert compared >= 5
