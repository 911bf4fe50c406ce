"""The chain of a bone in words: its joints with their ranges, where those come from, and why it ends where it does."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import bpy

from ..errors import LinkposeError
from ..solver import Chain
from . import chains, definition, explain, marks, names
from .explain import Row
from .reading import Reading
from .snapshot import numbers
from .stacks import is_active

_MARKED = ("linkpose_anchor", "linkpose_branch")
_IK = ("lock_ik", "use_ik_limit", "ik_min", "ik_max", "ik_stiffness")


@dataclass(frozen=True, slots=True)
class Part:
    """Some axes of a bone that are alike.

    Attributes:
        axes: such as "X Y Z", "location X Y"; a joint's name for a robot; "" for a bone that is held as a whole.
        range: such as "-30.0° to 45.0°", or "free".
        stiffness: 0 (free) to 1.
        source: where that comes from.
    """

    axes: str
    range: str
    stiffness: float
    source: str


@dataclass(frozen=True, slots=True)
class Joint:
    """One bone of a chain, with what may move of it."""

    bone: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What a drag of a bone would move.

    Attributes:
        bone: its name.
        joints: anchor first; of a bone that nothing moves, what holds it.
        end: why the chain ends where it does, or why there is none.
    """

    bone: str
    joints: tuple[Joint, ...]
    end: str


def key_of(armature: bpy.types.Object, bone: str) -> Hashable:
    """What the report of a bone depends on, as far as it can be looked at on every redraw.

    That is the settings of the bone and of those above it, whatever the pose, and how these branch.
    """
    posed: bpy.types.PoseBone | None = armature.pose.bones.get(bone)
    animation = armature.animation_data
    found: list[Hashable] = [
        armature.session_uid,
        bone,
        armature.mode,
        len(armature.data.bones),
        armature.data.pose_position,
        numbers(armature, "scale"),
        0 if animation is None else len(animation.drivers),
    ]
    while posed is not None:
        found.append(tuple(_settings(posed)))
        found.append(tuple((child.name, *(getattr(child, mark, "") for mark in _MARKED)) for child in posed.children))
        posed = posed.parent
    return tuple(found)


def report(armature: bpy.types.Object, bone: str) -> Report:
    """The report of a bone. It reads the whole armature, so it is not for every redraw.

    Args:
        armature: an armature object in the active view layer.
        bone: name of a bone.
    """
    assert isinstance(armature.data, bpy.types.Armature)
    try:
        rig, chain = chains.take(armature, names.body_names(armature.data).get(bone, bone))
    except LinkposeError as refused:
        try:
            held = tuple(_joints(armature, explain.explain(armature, bone)))
        except LinkposeError:
            held = ()
        return Report(bone, held, str(refused))
    joints = tuple(_joints(armature, explain.rows_of(armature, rig, chain)))
    return Report(bone, joints, why_it_ends(armature, rig, chain))


def why_it_ends(armature: bpy.types.Object, rig: Reading, chain: Chain) -> str:
    """Why a chain does not go on upwards, as a sentence."""
    skeleton = rig.skeleton
    first = next((body for body in chain.path if skeleton.body(body).axes and body != chain.anchor), chain.bodies[0])
    if any(":location_" in name for name in chain.unknowns):
        return f"{first} is moved by its location, and what is above it stays"
    if not chain.anchor:
        return f"Nothing is above {first}"
    top = skeleton.index(chain.anchor)
    while not skeleton.body_at(top).axes and skeleton.parent[top] >= 0:
        top = skeleton.parent[top]
    assembly = [chain.anchor, *_between(rig, chain.anchor, top)]
    for body in assembly:
        if not skeleton.body(body).anchor:
            continue
        posed = armature.pose.bones[rig.bone_of(body)]
        if marks.anchor(posed) == marks.ALWAYS:
            return f"{body} is marked as an anchor"
        return f"{body} carries {first}, as a foot carries its toe"
    if skeleton.branches(chain.anchor) > 1:
        return f"{chain.anchor} branches: {skeleton.branches(chain.anchor)} chains hang on it"
    body = skeleton.bodies[top]
    if body in rig.held:
        return f"{body} {rig.held[body]}"
    return f"{chain.anchor} is the root"


def _between(rig: Reading, body: str, top: int) -> list[str]:
    found = []
    step = rig.skeleton.parent[rig.skeleton.index(body)]
    while step >= top >= 0:
        found.append(rig.skeleton.bodies[step])
        step = rig.skeleton.parent[step]
    return found


def _settings(posed: bpy.types.PoseBone) -> Iterator[Hashable]:
    yield posed.name
    yield posed.rotation_mode
    for flag in ("lock_rotation", "lock_location", "scale"):
        yield tuple(getattr(posed, flag))
    yield (posed.lock_rotation_w, posed.lock_rotations_4d, posed.bone.use_connect, posed.bone.inherit_scale)
    yield tuple(getattr(posed, f"{name}_{axis}") for name in _IK for axis in "xyz")
    yield tuple(getattr(posed, mark, "") for mark in _MARKED)
    for constraint in posed.constraints:
        yield (constraint.name, is_active(constraint))
        if isinstance(constraint, bpy.types.LimitRotationConstraint | bpy.types.LimitLocationConstraint):
            sides = [f"{end}_{axis}" for end in ("min", "max") for axis in "xyz"]
            yield (constraint.owner_space, constraint.influence, *(getattr(constraint, side) for side in sides))


def _joints(armature: bpy.types.Object, rows: Sequence[Row]) -> Iterator[Joint]:
    for bone in dict.fromkeys(row.bone for row in rows):
        robot = definition.read(armature.data.bones[bone]) is not None
        parts: list[Part] = []
        for row in (row for row in rows if row.bone == bone):
            if robot and not row.unknown and row.axis:
                continue  # a robot's joint is its one axis; the others are held by what it is
            part = Part(_axis(row, robot), _range(row), row.stiffness, row.source)
            alike = parts and replace(parts[-1], axes=part.axes) == part and not robot
            if alike and parts[-1].axes.startswith("location") == row.slides:
                parts[-1] = replace(parts[-1], axes=f"{parts[-1].axes} {row.axis}")
            else:
                parts.append(part)
        yield Joint(bone, tuple(parts))


def _axis(row: Row, robot: bool) -> str:
    if robot:
        return row.unknown
    return f"location {row.axis}" if row.slides else row.axis


def _range(row: Row) -> str:
    if not row.axis:
        return "held"
    if row.lower is None and row.upper is None:
        return "free"
    if row.lower == row.upper:
        return f"held at {_number(row, row.value)}"
    if row.lower is None:
        return f"up to {_number(row, row.upper)}"
    if row.upper is None:
        return f"from {_number(row, row.lower)}"
    return f"{_number(row, row.lower)} to {_number(row, row.upper)}"


def _number(row: Row, value: float | None) -> str:
    if value is None:
        return "?"
    # Adding 0 takes the sign off a zero.
    return f"{value + 0.0:.4g} m" if row.slides else f"{round(math.degrees(value), 1) + 0.0:.1f}\N{DEGREE SIGN}"
