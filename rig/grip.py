"""What a drag holds on to: the grip that a pick or a name means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ..errors import RigError
from . import chains, definition, handles, names, reading
from .leaders import leader_of
from .matrices import Matrix, nearest_rotation
from .pick import Pick
from .view import Vector


@dataclass(frozen=True)
class Grip:
    """What a drag holds on to.

    Attributes:
        armature: name of the armature object.
        uid: its session identifier.
        body: the dragged body's name in the skeleton.
        bone: the bone that stands for it.
        point: (3,) handle in the body's frame.
        picked: the bone that was picked, where its control is dragged in its place; "" where it is dragged itself.
        picked_point: (3,) what is held of that bone, in its own space.
    """

    armature: str
    uid: int
    body: str
    bone: str
    point: Vector
    picked: str = ""
    picked_point: Vector = field(default_factory=lambda: np.zeros(3))


def of_pick(context: bpy.types.Context, pick: Pick, *, lead: bool = False) -> Grip:
    """The grip that a pick means: a link by the middle of its visuals, a skin by the clicked point, a bone by its tail.

    Args:
        context: for the scene.
        pick: what was picked.
        lead: take the control of a bone that nothing can move, by the same point, where there is one.

    Raises:
        LinkposeError: the picked body is no body that can be read.
    """
    armature = bpy.data.objects.get(pick.armature)
    if armature is None or armature.session_uid != pick.armature_uid:
        raise RigError(f"the armature {pick.armature!r} is gone")
    rig = reading.read(armature)
    body = rig.body_of(pick.bone)
    if pick.kind == "skin":
        world = np.array(armature.matrix_world, dtype=np.float64)
        point = (np.linalg.inv(world @ reading.frame_shown(armature, rig, body)) @ (*pick.point, 1.0))[:3]
    else:
        point = np.array(handles.handle(armature, body), dtype=np.float64)
    leader = leader_of(armature, pick.bone) if lead and _is_refused(armature, rig, body) else ""
    if leader:
        place = reading.frame_shown(armature, rig, body) @ (*point, 1.0)
        control = rig.body_of(leader)
        point = np.linalg.solve(reading.frame_shown(armature, rig, control), place)[:3]
        shown = np.array(armature.pose.bones[pick.bone].matrix, dtype=np.float64)
        held = np.linalg.solve(shown, place)[:3]
        return Grip(pick.armature, pick.armature_uid, control, leader, point, pick.bone, held)
    return Grip(pick.armature, pick.armature_uid, body, pick.bone, point)


def frame_at(armature: bpy.types.Object, grip: Grip, start: Mapping[str, Matrix]) -> Matrix:
    """(4, 4) where the dragged body was, of the world matrices of all bones by name."""
    one = definition.read(armature.data.bones[grip.bone])
    shown = start[grip.bone]
    return shown if one is None or one.link != grip.body else shown @ one.frame


def rotation_at(armature: bpy.types.Object, grip: Grip, start: Mapping[str, Matrix]) -> Matrix:
    """(3, 3) how the dragged body was turned; the columns are its axes."""
    return nearest_rotation(frame_at(armature, grip, start)[:3, :3])


def place_at(armature: bpy.types.Object, grip: Grip, start: Mapping[str, Matrix]) -> Vector:
    """(3,) where the handle was; of the picked bone where that is another one."""
    if grip.picked:
        held: Vector = (start[grip.picked] @ (*grip.picked_point, 1.0))[:3]
        return held
    place: Vector = (frame_at(armature, grip, start) @ (*grip.point, 1.0))[:3]
    return place


def choices(
    armature: bpy.types.Object, grip: Grip, start: Mapping[str, Matrix], click: Vector, *, near: float
) -> list[tuple[str, Grip]]:
    """The points by which a body can be held: a link by its middle, its origin or what was clicked, a bone by its tail.

    Args:
        armature: that is dragged.
        grip: as it is.
        start: (4, 4) world matrices of all bones, by name, in the pose in which it was clicked.
        click: (3,) world point.
        near: points that are no farther apart [m] are one.

    Returns:
        The name of each point, and the grip on it; those that differ.
    """
    bone = grip.picked or grip.bone
    one = definition.read(armature.data.bones[bone])
    frame = start[bone] if one is None else start[bone] @ one.frame
    if one is None:
        length = float(armature.data.bones[bone].length)
        tail: Vector = (frame @ np.array((0.0, length, 0.0, 1.0)))[:3]
        places = {"tail": tail, "clicked point": click}
    else:
        middle: Vector = (frame @ (*handles.handle(armature, one.link), 1.0))[:3]
        places = {"centre": middle, "clicked point": click, "origin": frame[:3, 3]}
    now = place_at(armature, grip, start)
    own = min(places, key=lambda name: float(np.linalg.norm(places[name] - now)))
    if float(np.linalg.norm(places[own] - now)) > near:
        own = "handle"
    found = [(own, grip)]
    kept = [now]
    for name, place in places.items():
        if all(float(np.linalg.norm(place - other)) > near for other in kept):
            kept.append(place)
            found.append((name, _held_by(armature, grip, start, place)))
    return found


def nearest(grip: Grip, others: Sequence[Grip]) -> int:
    """Which of the grips on a body holds it nearest to where a grip does."""
    return min(range(len(others)), key=lambda i: float(np.linalg.norm(others[i].point - grip.point)))


def _held_by(armature: bpy.types.Object, grip: Grip, start: Mapping[str, Matrix], place: Vector) -> Grip:
    point = np.linalg.solve(frame_at(armature, grip, start), (*place, 1.0))[:3]
    if not grip.picked:
        return replace(grip, point=point)
    return replace(grip, point=point, picked_point=np.linalg.solve(start[grip.picked], (*place, 1.0))[:3])


def _is_refused(armature: bpy.types.Object, rig: reading.Reading, body: str) -> bool:
    if body not in rig.held:
        return False
    try:
        chains.take(armature, body, probe=True)
    except RigError:
        return True
    return False


def find(grip: Grip) -> bpy.types.Object | None:
    """The armature of a grip, told from another object of the same name; None when it is gone."""
    armature = bpy.data.objects.get(grip.armature)
    if armature is not None and armature.session_uid == grip.uid and armature.type == "ARMATURE":
        return armature
    return next((ob for ob in bpy.data.objects if ob.session_uid == grip.uid and ob.type == "ARMATURE"), None)


def by_name(context: bpy.types.Context, armature_name: str, body: str, point: Sequence[float] | None = None) -> Grip:
    """The grip on a named body.

    Args:
        context: for the scene that is searched.
        armature_name: "" = the active armature, or else the only one in the scene that has the body.
        body: a link or bone.
        point: (3,) handle in the body's frame; None = the default.

    Raises:
        LinkposeError: no such armature or body, or several that could be meant.
    """
    bones = {
        ob: bone
        for ob in context.scene.objects
        if isinstance(ob.data, bpy.types.Armature) and armature_name in {"", ob.name}
        for bone, label in names.body_names(ob.data).items()
        if label == body
    }
    holding = [context.object] if context.object in bones else list(bones)
    if len(holding) != 1:
        where = f"the armature {armature_name!r}" if armature_name else "this scene"
        count = "no body" if not holding else f"{len(holding)} armatures with a body"
        raise RigError(f"{where} has {count} called {body!r}: name the armature and one of its links or bones")
    armature = holding[0]
    handle = handles.handle(armature, body) if point is None else point
    return Grip(armature.name, armature.session_uid, body, bones[armature], np.array(handle, dtype=np.float64))
