"""What the solver uses of each bone of a chain, and where that comes from, for people to read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import bpy

from ..errors import RigError
from ..solver import Chain
from . import chains, definition, reading, stacks
from .channels import Free, Motion, is_euler
from .reading import BoneReading, Reading

FREE = "free"
_AXES = "XYZ"


@dataclass(frozen=True, slots=True)
class Row:
    """One axis of one bone.

    Attributes:
        bone: name of the bone.
        body: name of the body that it stands for.
        unknown: name of the unknown, "" where the axis is held.
        axis: "X", "Y" or "Z"; "" for a bone that is held as a whole.
        slides: True for a part of the location, False for a turn.
        value: what it is, as shown [rad] or [m]; None for a bone that is held as a whole.
        lower: smallest value that the solver allows, None where there is none.
        upper: largest one, None where there is none.
        stiffness: 0 (free) to 1: how reluctantly the solver moves it.
        source: where that comes from: "free", "Lock", "IK limit", "Limit Rotation “name”", "URDF", "held: …".
    """

    bone: str
    body: str
    unknown: str = ""
    axis: str = ""
    slides: bool = False
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    stiffness: float = 0.0
    source: str = FREE


def explain(armature: bpy.types.Object, body: str, *, anchor: str | None = None) -> list[Row]:
    """What the solver would use to move a body, bone by bone from the anchor, each with its axes.

    Nothing is changed, and nothing tried: bones with constraints count as placed from elsewhere.

    Args:
        armature: an armature object in the active view layer.
        body: a link or bone, by the name of the body or of the bone.
        anchor: as for :func:`.api.solve`.

    Returns:
        Rows for every bone of the chain; for a body that nothing can move, one that says why.

    Raises:
        LinkposeError: no such body, or an armature that cannot be read.
    """
    rig = reading.read(armature)
    body = body if body in rig.skeleton.bodies else rig.body_of(body)
    try:
        rig, chain = chains.take(armature, body, anchor=anchor)
    except RigError:
        return list(_rows(armature, rig, body))
    return rows_of(armature, rig, chain)


def rows_of(armature: bpy.types.Object, rig: Reading, chain: Chain) -> list[Row]:
    """The rows of a chain that was taken already.

    Args:
        armature: that was read.
        rig: what the chain was taken of.
        chain: of any body.
    """
    values = rig.absolute(rig.pose())
    taken = set(chain.unknowns)
    rows = []
    for name in chain.path:
        if name == chain.anchor and len(chain.path) > 1:
            continue
        entry = rig.bones.get(rig.bone_of(name))
        if entry is None or taken.intersection(entry.unknowns):
            rows.extend(_rows(armature, rig, name, values))
    return rows


def _rows(armature: bpy.types.Object, rig: Reading, body: str, values: dict[str, float] | None = None) -> Iterator[Row]:
    bone = rig.bone_of(body)
    posed = armature.pose.bones[bone]
    entry = rig.bones.get(bone)
    if entry is None:
        axes = rig.skeleton.body(body).axes
        follows = next((axis.mimic.source for axis in axes if axis.mimic is not None), "")
        reason = f"follows {follows!r}" if follows else rig.held.get(body, "is fixed")
        yield Row(bone, body, source=f"held: {reason}")
        return
    values = rig.absolute(rig.pose()) if values is None else values
    one = definition.read(posed.bone)
    names = dict(zip(entry.motion.free, entry.unknowns, strict=True))
    for part, free in _axes(entry.motion, slides=True):
        yield _row(rig, posed, entry, body, part, free, names, values, "URDF" if one is not None else "", slides=True)
    for part, free in _axes(entry.motion, slides=False):
        yield _row(rig, posed, entry, body, part, free, names, values, "URDF" if one is not None else "", slides=False)


def _axes(motion: Motion, *, slides: bool) -> Iterator[tuple[int, Free | None]]:
    """The axes in the order x, y, z, each with what is free of it; none where nothing is."""
    some = motion.slides if slides else motion.turns
    free = {one.part: one for one in some}
    for part in range(3) if some else ():
        yield part, free.get(part)


def _row(
    rig: Reading,
    posed: bpy.types.PoseBone,
    entry: BoneReading,
    body: str,
    part: int,
    free: Free | None,
    names: dict[Free, str],
    values: dict[str, float],
    robot: str,
    *,
    slides: bool,
) -> Row:
    motion = entry.motion
    limits = stacks.named_limits(posed, part, slides=slides)
    if free is None:
        value = motion.location[part] if slides else motion.angles[part]
        source = robot or _lock(posed, entry, part, slides=slides) or ", ".join(limits) or "Lock"
        return Row(posed.name, body, "", _AXES[part], slides, value, value, value, 0.0, source)
    name = names[free]
    place = rig.skeleton.unknowns.index(name)
    lower, upper = float(rig.skeleton.lower[place]), float(rig.skeleton.upper[place])
    sources = [robot] if robot else list(limits)
    if not slides and not robot and getattr(posed, f"use_ik_limit_{_AXES[part].lower()}"):
        sources.append("IK limit")
    if lower == upper and not limits:
        sources = ["Lock"]
    return Row(
        posed.name,
        body,
        name,
        _AXES[part],
        slides,
        values[name],
        lower if lower > -float("inf") else None,
        upper if upper < float("inf") else None,
        float(rig.skeleton.stiffness[place]),
        ", ".join(sources) or FREE,
    )


def _lock(posed: bpy.types.PoseBone, entry: BoneReading, part: int, *, slides: bool) -> str:
    if slides:
        return "Lock" if posed.lock_location[part] else ""
    if posed.lock_rotation[part]:
        return "Lock 4D" if posed.lock_rotations_4d and not is_euler(entry.state) else "Lock"
    return "IK lock" if getattr(posed, f"lock_ik_{_AXES[part].lower()}") else ""
