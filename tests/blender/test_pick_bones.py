"""Bare bones and links without a mesh under a pixel, against the distance worked out bone by bone."""

from __future__ import annotations

import math
import random
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
from blender.posing import make_armature
from blender.robots import import_text, joint_text
from blender.support import module
from mathutils import Matrix, Vector

SIZE = (900, 650)
# Without a window Blender's own scale is 0.
CONTEXT = SimpleNamespace(preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)))


def view_from(eye: tuple[float, float, float], target: tuple[float, float, float]) -> object:
    """A perspective view as plain numbers, by mathutils."""
    forward = (Vector(target) - Vector(eye)).normalized()
    placed = Matrix.Translation(eye) @ forward.to_track_quat("-Z", "Y").to_matrix().to_4x4()
    near, far, half = 0.05, 100.0, 0.4
    aspect = SIZE[1] / SIZE[0]
    lens = Matrix(
        (
            (1 / half, 0, 0, 0),
            (0, 1 / (half * aspect), 0, 0),
            (0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)),
            (0, 0, -1, 0),
        )
    )
    return module("rig.view").View(
        width=SIZE[0],
        height=SIZE[1],
        perspective=np.array(lens @ placed.inverted()),
        eye=np.array(eye),
        forward=np.array(forward),
        distance=(Vector(target) - Vector(eye)).length,
        is_perspective=True,
    )


def space() -> SimpleNamespace:
    """What picking asks of a 3D view."""
    return SimpleNamespace(overlay=SimpleNamespace(show_overlays=True, show_bones=True))


def distance(view: object, pixel: tuple[float, float], head: Vector, tail: Vector) -> float:
    """Pixels from a point to a bone's line, sampled along its picture."""
    a, b = (Vector(view.project(np.array(end))) for end in (head, tail))
    along = b - a
    t = 0.0 if along.length < 1e-9 else min(1.0, max(0.0, (Vector(pixel) - a).dot(along) / along.length_squared))
    return (a + t * along - Vector(pixel)).length


def test_the_bone_nearest_to_the_pixel_is_picked_and_none_far_away(monkeypatch) -> None:
    dice = random.Random(4)
    tails = [tuple(dice.uniform(-1, 1) for _ in range(3)) for _ in range(40)]
    armature = make_armature(tails, parents=[-1, *(dice.randrange(i) for i in range(1, 40))])
    armature.location, armature.scale = (0.2, -0.1, 0.3), (1.2, 1.2, 1.2)
    bpy.context.view_layer.update()
    pick = module("rig.pick")
    monkeypatch.setattr(pick, "_armatures", lambda _context, _space: [armature])
    view, picked = view_from((4.0, -5.0, 2.0), (0.0, 0.0, 0.0)), 0
    for _ in range(60):
        pixel = (dice.uniform(150, 750), dice.uniform(50, 600))
        world = armature.matrix_world
        distances = {
            bone.name: distance(view, pixel, world @ bone.head, world @ bone.tail) for bone in armature.pose.bones
        }
        found = pick._nearest_bone(CONTEXT, space(), view, pixel)
        best = min(distances.values())
        if best > pick.BONE_RADIUS + 1.0:
            assert found is None
        elif best < pick.BONE_RADIUS - 1.0:
            picked += 1
            assert distances[found.bone] < best + 1.0, "whole pixels tie"
            at = view.project(found.point)
            assert math.dist(at, pixel) < 1e-3
    assert picked > 20


def test_hidden_and_unselectable_bones_are_not_picked(monkeypatch) -> None:
    armature = make_armature([(0, 0, 0.5), (0, 0, 1.0)])
    pick = module("rig.pick")
    monkeypatch.setattr(pick, "_armatures", lambda _context, _space: [armature])
    view = view_from((0.0, -4.0, 0.5), (0.0, 0.0, 0.5))
    bone = armature.pose.bones["b1"]
    pixel = view.project(np.array((0.0, 0.0, 0.75)))
    assert pick._nearest_bone(CONTEXT, space(), view, pixel).bone == "b1"
    bone.bone.hide_select = True
    found = pick._nearest_bone(CONTEXT, space(), view, pixel)
    assert found is None or found.bone == "b0"


def test_the_cross_of_a_link_without_a_mesh_is_picked_within_its_radius_only(monkeypatch, tmp_path: Path) -> None:
    box = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'
    body = (
        f'<link name="base">{box}</link><link name="arm">{box}</link><link name="tcp"/>'
        + joint_text("turn", "revolute", "base", "arm", '<limit lower="-1" upper="1" effort="1" velocity="1"/>')
        + joint_text("tool", "fixed", "arm", "tcp", '<origin xyz="0.3 0 0.1"/>')
    )
    armature = import_text(tmp_path, body).armature
    pick = module("rig.pick")
    monkeypatch.setattr(pick, "_armatures", lambda _context, _space: [armature])
    view = view_from((0.0, -2.0, 0.5), (0.0, 0.0, 0.0))
    at = view.project(np.array((0.3, 0.0, 0.1)))
    for share, hit in ((0.0, True), (0.9, True), (1.2, False)):
        found = pick._nearest_frame(CONTEXT, space(), view, (at[0] + share * pick.FRAME_RADIUS, at[1]))
        assert (found is not None and found.bone == "tcp" and found.kind == "frame") == hit
