"""What lies under the pointer: the mesh that is seen there and the body it stands for, or the nearest bone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Vector as BlenderVector

from . import compat
from .view import Vector, View

# Past so many surfaces in a row that cannot be picked, the line of sight is taken to meet nothing.
MOST_SURFACES = 64
# A bone farther from the pointer than this is not meant [px at a UI scale of 1].
BONE_RADIUS = 48.0


@dataclass(frozen=True)
class Pick:
    """A body that was picked.

    Attributes:
        armature: name of the armature object.
        armature_uid: its session identifier, which tells it from a later object of the same name.
        bone: name of the bone.
        point: (3,) what was clicked, in world space.
        kind: "visual" for a mesh parented to the bone, "skin" for one deformed by it, "bone" for the bare bone.
    """

    armature: str
    armature_uid: int
    bone: str
    point: Vector
    kind: str


def pick(
    context: bpy.types.Context, space: bpy.types.SpaceView3D, view: View, pixel: tuple[float, float]
) -> Pick | None:
    """The body under a pixel, None where there is none near.

    A visible mesh stands for its body also when the bone is hidden; a mesh that belongs to no body hides what is behind
    it, but not the bones, which Blender can draw in front.
    """
    hit = _cast(context, space, view, pixel)
    if hit is not None:
        mesh, point, face = hit
        found = _body_of_mesh(context, mesh, face)
        if found is not None:
            armature, bone, kind = found
            return Pick(armature.name, armature.session_uid, bone, point, kind)
    return _nearest_bone(context, space, view, pixel)


def _cast(
    context: bpy.types.Context, space: bpy.types.SpaceView3D, view: View, pixel: tuple[float, float]
) -> tuple[bpy.types.Object, Vector, int] | None:
    """First surface along the line of sight that this view shows and lets be selected."""
    start, direction = view.ray(pixel)
    depsgraph = context.evaluated_depsgraph_get()
    toward = BlenderVector(direction.tolist())
    clip_start, clip_end = (space.clip_start, space.clip_end) if view.is_perspective else (0.0, math.inf)
    origin = BlenderVector((start + direction * (clip_start / max(float(direction @ view.forward), 1e-6))).tolist())
    for _ in range(MOST_SURFACES):
        hit: Any = context.scene.ray_cast(depsgraph, origin, toward)
        found, location, _, face, candidate, _ = hit
        if not found or float((np.array(location) - start) @ view.forward) > clip_end:
            return None
        mesh, point = candidate.original, np.array(location, dtype=np.float64)
        if _shown(mesh, space) and view.shows(point):
            return mesh, point, face
        # Step past the surface by more than float32 noise at this distance from the origin.
        origin = location + toward * max(1e-5, 1e-6 * location.length)
    return None


def _shown(mesh: bpy.types.Object, space: bpy.types.SpaceView3D) -> bool:
    """Whether a view shows the object as a surface that can be selected; ``ray_cast`` itself knows nothing of that."""
    # ``visible_get`` knows local view, local collections and hidden kinds of objects; ``visible_in_viewport_get`` is
    # right for evaluated objects only.
    return not mesh.hide_select and mesh.display_type not in {"WIRE", "BOUNDS"} and mesh.visible_get(viewport=space)


def _body_of_mesh(
    context: bpy.types.Context, mesh: bpy.types.Object, face: int
) -> tuple[bpy.types.Object, str, str] | None:
    """(armature, bone, kind) that a mesh stands for: the bone it hangs on, or the one that deforms the face most."""
    step: bpy.types.Object | None = mesh
    while step is not None and step.parent is not None:
        if step.parent_type == "BONE" and step.parent.type == "ARMATURE" and step.parent_bone in step.parent.data.bones:
            return step.parent, step.parent_bone, "visual"
        step = step.parent
    for modifier in mesh.modifiers:
        if not isinstance(modifier, bpy.types.ArmatureModifier) or modifier.object is None:
            continue
        if modifier.object.type == "ARMATURE":
            bone = _heaviest_bone(context, mesh, modifier.object, face)
            if bone is not None:
                return modifier.object, bone, "skin"
    return None


def _heaviest_bone(
    context: bpy.types.Context, mesh: bpy.types.Object, armature: bpy.types.Object, face: int
) -> str | None:
    shape = mesh.evaluated_get(context.evaluated_depsgraph_get()).data
    if not isinstance(shape, bpy.types.Mesh) or not 0 <= face < len(shape.polygons):
        return None
    weights: dict[str, float] = {}
    for vertex in shape.polygons[face].vertices:
        for entry in shape.vertices[vertex].groups:
            if entry.group < len(mesh.vertex_groups):
                name = mesh.vertex_groups[entry.group].name
                weights[name] = weights.get(name, 0.0) + entry.weight
    bones = armature.data.bones
    deforming = {name: weight for name, weight in weights.items() if name in bones and bones[name].use_deform}
    return max(deforming, key=lambda name: deforming[name]) if any(deforming.values()) else None


def _nearest_bone(
    context: bpy.types.Context, space: bpy.types.SpaceView3D, view: View, pixel: tuple[float, float]
) -> Pick | None:
    """The visible bone nearest to the pixel on screen; of equally near ones the one nearer to the viewer."""
    if not (space.overlay.show_overlays and space.overlay.show_bones):
        return None
    best: tuple[float, float] = (BONE_RADIUS * context.preferences.system.ui_scale, math.inf)
    picked: Pick | None = None
    for armature in context.view_layer.objects:
        if armature.type != "ARMATURE" or armature.hide_select:
            continue
        if not armature.visible_get(viewport=space):
            continue
        world = np.array(armature.matrix_world, dtype=np.float64)
        for bone in armature.pose.bones:
            if not compat.bone_is_visible(bone) or bone.bone.hide_select:
                continue
            head, tail = (world[:3, :3] @ np.array(end) + world[:3, 3] for end in (bone.head, bone.tail))
            near = _closest_on_bone(view, pixel, head, tail)
            if near is None:
                continue
            distance, point = near
            if not view.shows(point):
                continue
            # Bones that meet at a joint are equally near there: whole pixels tie, and depth decides.
            rank = (round(distance), view.depth(point))
            if rank < best:
                best = rank
                on_plane = view.on_plane(pixel, point)
                picked = Pick(
                    armature.name, armature.session_uid, bone.name, point if on_plane is None else on_plane, "bone"
                )
    return picked


def _closest_on_bone(view: View, pixel: tuple[float, float], head: Vector, tail: Vector) -> tuple[float, Vector] | None:
    """(distance on screen [px], world point) where a bone comes nearest to a pixel; None behind the viewer."""
    a, b = view.project(head), view.project(tail)
    if a is None or b is None:
        return None
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    t = 0.0 if length < 1e-12 else min(1.0, max(0.0, ((pixel[0] - a[0]) * dx + (pixel[1] - a[1]) * dy) / length))
    return math.hypot(a[0] + t * dx - pixel[0], a[1] + t * dy - pixel[1]), head + (tail - head) * t
