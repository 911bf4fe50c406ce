"""What lies under the pointer: the mesh that is seen there and the body it stands for, or the nearest bone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Vector as BlenderVector

from . import compat, toolframes
from .view import Vector, View

# Past so many surfaces in a row that cannot be picked, the line of sight is taken to meet nothing.
MOST_SURFACES = 64
# A bone farther from the pointer than this is not meant [px at a UI scale of 1].
BONE_RADIUS = 48.0
# The small shape of a link without a mesh is picked within this distance [px at a UI scale of 1].
FRAME_RADIUS = 7.0


@dataclass(frozen=True)
class Pick:
    """A body that was picked.

    Attributes:
        armature: name of the armature object.
        armature_uid: its session identifier, which tells it from a later object of the same name.
        bone: name of the bone.
        point: (3,) what was clicked, in world space.
        kind: "visual" for a mesh parented to the bone, "skin" for one deformed by it, "frame" for the small shape of a
            link without a mesh, "bone" for the bare bone.
    """

    armature: str
    armature_uid: int
    bone: str
    point: Vector
    kind: str


def pick(
    context: bpy.types.Context,
    space: bpy.types.SpaceView3D,
    view: View,
    pixel: tuple[float, float],
    *,
    frames: bool = False,
) -> Pick | None:
    """The body under a pixel, None where there is none near.

    A visible mesh stands for its body also when the bone is hidden; a mesh that belongs to no body hides what is behind
    it, but not the bones, which Blender can draw in front.

    Args:
        context: for the scene and its view layer.
        space: the 3D view.
        view: what it shows.
        pixel: in its region.
        frames: whether the small shapes of links without a mesh are shown; they are drawn in front of everything.
    """
    marked = _nearest_frame(context, space, view, pixel) if frames else None
    if marked is not None:
        return marked
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


def frames_shown(context: bpy.types.Context, space: bpy.types.SpaceView3D) -> list[bpy.types.Object]:
    """The robots whose links without a mesh are marked in a view."""
    return [ob for ob in _armatures(context, space) if toolframes.of(ob)]


def _armatures(context: bpy.types.Context, space: bpy.types.SpaceView3D) -> list[bpy.types.Object]:
    return [
        ob
        for ob in context.view_layer.objects
        if ob.type == "ARMATURE" and not ob.hide_select and ob.visible_get(viewport=space)
    ]


def _nearest_frame(
    context: bpy.types.Context, space: bpy.types.SpaceView3D, view: View, pixel: tuple[float, float]
) -> Pick | None:
    """The link without a mesh whose small shape is nearest to the pixel; of equally near ones the one in front."""
    best: tuple[float, float] = (FRAME_RADIUS * context.preferences.system.ui_scale, math.inf)
    picked: Pick | None = None
    for armature in frames_shown(context, space):
        frames = toolframes.of(armature)
        for one, point in zip(frames, toolframes.places(armature, frames), strict=True):
            at = view.project(point)
            if at is None or not view.shows(point):
                continue
            rank = (math.hypot(at[0] - pixel[0], at[1] - pixel[1]), view.depth(point))
            if rank < best:
                best = rank
                on_plane = view.on_plane(pixel, point)
                place = point if on_plane is None else on_plane
                picked = Pick(armature.name, armature.session_uid, one.bone, place, "frame")
    return picked


def _nearest_bone(
    context: bpy.types.Context, space: bpy.types.SpaceView3D, view: View, pixel: tuple[float, float]
) -> Pick | None:
    """The visible bone nearest to the pixel on screen; of equally near ones the one nearer to the viewer."""
    if not (space.overlay.show_overlays and space.overlay.show_bones):
        return None
    best: tuple[float, float] = (BONE_RADIUS * context.preferences.system.ui_scale, math.inf)
    picked: Pick | None = None
    for armature in _armatures(context, space):
        for rank, place, point in _near_bones(armature, view, pixel, best[0]):
            if rank >= best:
                break
            bone = armature.pose.bones[place]
            if not compat.bone_is_visible(bone) or bone.bone.hide_select or not view.shows(point):
                continue
            best = rank
            on_plane = view.on_plane(pixel, point)
            picked = Pick(
                armature.name, armature.session_uid, bone.name, point if on_plane is None else on_plane, "bone"
            )
    return picked


def _near_bones(
    armature: bpy.types.Object, view: View, pixel: tuple[float, float], radius: float
) -> list[tuple[tuple[float, float], int, Vector]]:
    """(rank, index, world point that is nearest) of the bones within a radius of a pixel, the best first."""
    count = len(armature.pose.bones)
    ends = np.empty((2, count, 3), dtype=np.float32)
    armature.pose.bones.foreach_get("head", ends[0].ravel())
    armature.pose.bones.foreach_get("tail", ends[1].ravel())
    world = np.array(armature.matrix_world, dtype=np.float64)
    heads, tails = ends.astype(np.float64) @ world[:3, :3].T + world[:3, 3]
    clips = [points @ view.perspective[:, :3].T + view.perspective[:, 3] for points in (heads, tails)]
    # What lies behind the viewer has no pixel.
    seen = (clips[0][:, 3] > 1e-9) & (clips[1][:, 3] > 1e-9)
    half = 0.5 * np.array((view.width, view.height), dtype=np.float64)
    a, b = ((clip[seen, :2] / clip[seen, 3:] + 1.0) * half for clip in clips)
    along, to = b - a, np.asarray(pixel, dtype=np.float64) - a
    square = (along * along).sum(axis=1)
    t = np.clip(np.divide((to * along).sum(axis=1), square, out=np.zeros_like(square), where=square >= 1e-12), 0.0, 1.0)
    distances = np.linalg.norm(t[:, None] * along - to, axis=1)
    points = heads[seen] + (tails[seen] - heads[seen]) * t[:, None]
    # Bones that meet at a joint are equally near there: whole pixels tie, and depth decides.
    places = np.flatnonzero(seen)
    near = np.flatnonzero(np.round(distances) <= radius)
    return sorted(
        (((float(np.round(distances[i])), view.depth(points[i])), int(places[i]), points[i]) for i in near),
        key=lambda one: one[0],
    )
