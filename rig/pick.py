"""What lies under the pointer: the mesh that is seen there and the body it stands for, or the nearest bone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector as BlenderVector
from mathutils.interpolate import poly_3d_calc

from . import compat, surfaces, toolframes
from .surfaces import Surface
from .view import Vector, View

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
    seen = surfaces.first(context, space, view, pixel)
    if seen is not None:
        found = _body_of_mesh(context, seen)
        if found is not None:
            armature, bone, kind = found
            return Pick(armature.name, armature.session_uid, bone, seen.point, kind)
    return _nearest_bone(context, space, view, pixel)


def _body_of_mesh(context: bpy.types.Context, seen: Surface) -> tuple[bpy.types.Object, str, str] | None:
    """(armature, bone, kind) that a surface stands for: the bone it hangs on, or the one that deforms it most there."""
    step: bpy.types.Object | None = seen.owner
    while step is not None and step.parent is not None:
        if step.parent_type == "BONE" and step.parent.type == "ARMATURE" and step.parent_bone in step.parent.data.bones:
            return step.parent, step.parent_bone, "visual"
        step = step.parent
    if seen.owner != seen.mesh:
        # An instance of a skin stands elsewhere than the armature that deforms it.
        return None
    for armature in _deforming(seen.mesh):
        bone = _heaviest_bone(context, seen, armature)
        if bone is not None:
            return armature, bone, "skin"
    return None


def _deforming(mesh: bpy.types.Object) -> list[bpy.types.Object]:
    """The armatures that deform a mesh: by modifiers, or as its parent without one."""
    found = [one.object for one in mesh.modifiers if isinstance(one, bpy.types.ArmatureModifier)]
    if mesh.parent_type == "ARMATURE":
        found.append(mesh.parent)
    return [ob for ob in found if ob is not None and ob.type == "ARMATURE"]


def _heaviest_bone(context: bpy.types.Context, seen: Surface, armature: bpy.types.Object) -> str | None:
    """The bone with the most weight at a point of a skin, between those of the face's corners; None without weights."""
    shape = seen.mesh.evaluated_get(context.evaluated_depsgraph_get()).data
    if not isinstance(shape, bpy.types.Mesh) or not 0 <= seen.face < len(shape.polygons):
        return None
    corners = [shape.vertices[place] for place in shape.polygons[seen.face].vertices]
    shares = poly_3d_calc([corner.co for corner in corners], BlenderVector(seen.local.tolist()))
    names = [group.name for group in seen.mesh.vertex_groups]
    bones = armature.data.bones
    weights: dict[str, float] = {}
    for corner, share in zip(corners, shares, strict=True):
        for entry in corner.groups:
            name = names[entry.group] if entry.group < len(names) else ""
            if name in bones and bones[name].use_deform:
                weights[name] = weights.get(name, 0.0) + share * entry.weight
    return max(weights, key=lambda name: weights[name]) if any(value > 0.0 for value in weights.values()) else None


def frames_shown(context: bpy.types.Context, space: bpy.types.SpaceView3D) -> list[bpy.types.Object]:
    """The robots whose links without a mesh are marked in a view."""
    return [ob for ob in _armatures(context, space) if toolframes.of(ob)]


def _armatures(context: bpy.types.Context, space: bpy.types.SpaceView3D) -> list[bpy.types.Object]:
    return [
        ob
        for ob in context.view_layer.objects
        if ob.type == "ARMATURE" and ob.visible_get(viewport=space) and surfaces.is_selectable(context, space, ob)
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
