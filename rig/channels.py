"""How one bone's own channels make its motion: which numbers are free, within what limits, and what is constant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy

from . import euler, limits
from .clamps import Clamps, LocationLimit, RotationLimit
from .definition import CONTINUOUS, PRISMATIC, Definition
from .euler import Matrix, Triple
from .snapshot import BoneState

ROTATION_PATHS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
_INSIDE = 1e-6


@dataclass(frozen=True, slots=True)
class Channel:
    """Where an unknown is kept in Blender.

    Attributes:
        bone: name of the pose bone.
        path: data path on it.
        index: array index; -1 when the unknown is a part of the whole property, as an angle is of a quaternion.
    """

    bone: str
    path: str
    index: int


@dataclass(frozen=True, slots=True)
class Free:
    """A free number of a bone.

    Attributes:
        part: 0, 1, 2 for x, y, z.
        lower, upper: what it may be [rad], or in units of the location channel.
        value: what it is, as shown.
    """

    part: int
    lower: float
    upper: float
    value: float


@dataclass(frozen=True, slots=True)
class Motion:
    """A bone's own motion against its rest position.

    The rotation is ``base @ euler(angles, order)``; in it the angles of :attr:`turns` may change.

    Attributes:
        order: Euler order of the angles, that is, of the hinges.
        angles: (3,) [rad] as shown; 0 for a rebased ball.
        turns: the free angles, outermost first.
        direct: whether the angles are the bone's own Euler channels.
        location: (3,) as shown.
        slides: the free parts of the location.
        held: why nothing is free, "" where something is.
        base: (3, 3) orientation from which the angles of a rebased ball are counted, None for any other bone.
        start: (3,) the angles that a rebased ball would have without that; None = the canonical ones.
        swing: the rotation is ``euler.from_swing`` of the two turns instead.
        kept: places in the rotation property that locks keep as they are.
    """

    order: str
    angles: Triple
    direct: bool
    location: Triple
    turns: tuple[Free, ...] = ()
    slides: tuple[Free, ...] = ()
    held: str = ""
    base: Matrix | None = None
    start: Triple | None = None
    swing: bool = False
    kept: tuple[int, ...] = ()

    @property
    def free(self) -> tuple[Free, ...]:
        """Every free number, the location's first."""
        return (*self.slides, *self.turns)

    def rotation(self, angles: Sequence[float] | None = None) -> Matrix:
        """(3, 3) rotation, as shown or for other (3,) angles."""
        angles = self.angles if angles is None else angles
        if self.swing:
            return euler.from_swing(self.turns[0].part, self.turns[1].part, angles)
        turned = euler.from_euler(angles, self.order)
        return turned if self.base is None else self.base @ turned


def rotation_of(state: BoneState) -> Matrix:
    """(3, 3) rotation that the channels stand for, before constraints."""
    if state.rotation_mode == "QUATERNION":
        return euler.from_quaternion(state.quaternion)
    if state.rotation_mode == "AXIS_ANGLE":
        return euler.from_axis_angle(state.axis_angle)
    return euler.from_euler(state.euler, state.rotation_mode)


def is_euler(state: BoneState) -> bool:
    """Whether the bone is turned by Euler angles."""
    return state.rotation_mode not in ROTATION_PATHS


def rotation_path(state: BoneState) -> str:
    """Data path of the rotation channel that the bone's mode uses."""
    return ROTATION_PATHS.get(state.rotation_mode, "rotation_euler")


def euler_order(state: BoneState) -> str:
    """The bone's Euler order; XYZ for quaternions and axis-angle."""
    return state.rotation_mode if is_euler(state) else "XYZ"


def motion(
    bone: bpy.types.PoseBone,
    state: BoneState,
    clamps: Clamps,
    definition: Definition | None,
    *,
    rebase: bool,
    slides: bool = False,
    turns: bool = True,
) -> Motion:
    """A bone's own motion by its channels, locks and limits.

    Args:
        bone: to be read.
        state: its channels.
        clamps: what its constraints do to them.
        definition: of a robot's bone, whose only free number is its joint's; None lets locks and limits decide.
        rebase: count the angles of a ball without limits from where it stands, so that no gimbal is ever near.
        slides: also free the parts of the location that are not locked, of a bone that is not a robot's.
        turns: free the rotation.
    """
    location = (0.0, 0.0, 0.0) if bone.bone.use_connect else state.location
    if clamps.location is not None and not bone.bone.use_connect:
        location = clamps.location.clamp(location)
    order, angles, direct = _shown(state, clamps)
    at = Motion(order, angles, direct, (location[0], location[1], location[2]))
    if definition:
        if definition.has_several_axes:
            return _several(bone, at, clamps, definition, rebase=rebase)
        return _joint(bone, at, clamps, definition)
    if turns:
        at = _ball(bone, at, state, clamps, rebase=rebase)
    return replace(at, slides=_slides(bone, at, clamps)) if slides else at


def free_ball(state: BoneState, rotation: Matrix, location: Sequence[float], *, rebase: bool) -> Motion:
    """The motion of a bone that nothing limits or locks, where its rotation (3, 3) and location are known already."""
    order, direct = euler_order(state), is_euler(state)
    x, y, z = location
    a, b, c = acting = euler.acting(order)
    if rebase:
        turns = _REBASED[acting]
        start = (state.euler[0], state.euler[1], state.euler[2]) if direct else None
        return Motion(order, (0.0, 0.0, 0.0), False, (x, y, z), turns, base=rotation, start=start)
    angles = (state.euler[0], state.euler[1], state.euler[2]) if direct else euler.to_euler(rotation, order)[0]
    free = tuple(Free(part, -math.inf, math.inf, angles[part]) for part in (a, b, c))
    return Motion(order, angles, direct, (x, y, z), free)


def locked_ball(mode: str, location: Sequence[float]) -> Motion:
    """The motion of a bone whose rotation is locked and not limited; its angles are of no use and left out."""
    x, y, z = location
    order = "XYZ" if mode in ROTATION_PATHS else mode
    return Motion(order, (0.0, 0.0, 0.0), False, (x, y, z), held="has all its rotation locked")


# The free angles of a rebased ball, by its order of acting.
_REBASED = {
    acting: tuple(Free(part, -math.inf, math.inf, 0.0) for part in acting) for acting in map(euler.acting, euler.ORDERS)
}


def can_slide(bone: bpy.types.PoseBone) -> bool:
    """Whether any part of the bone's location has a say and is not locked."""
    return not bone.bone.use_connect and not all(bone.lock_location)


def _slides(bone: bpy.types.PoseBone, at: Motion, clamps: Clamps) -> tuple[Free, ...]:
    if bone.bone.use_connect:
        return ()
    found = []
    for part in range(3):
        lower, upper = -math.inf, math.inf
        if clamps.location is not None:
            lower, upper = clamps.location.lower[part], clamps.location.upper[part]
        if lower < upper and not bone.lock_location[part]:
            found.append(Free(part, lower, upper, at.location[part]))
    return tuple(found)


def _shown(state: BoneState, clamps: Clamps) -> tuple[str, Triple, bool]:
    """The rotation that is shown: order in which it is limited, angles, whether those are the bone's own channels."""
    order = euler_order(state) if clamps.rotation is None else clamps.rotation.order
    direct = order == state.rotation_mode
    x, y, z = state.euler if direct else euler.to_euler(rotation_of(state), order)[0]
    if clamps.rotation is None:
        return order, (x, y, z), direct
    angles, same = clamps.rotation.shown((x, y, z))
    return order, angles, direct and same


def _joint(bone: bpy.types.PoseBone, at: Motion, clamps: Clamps, definition: Definition) -> Motion:
    """A robot's bone: one number, by its definition."""
    if not definition.moves:
        return replace(at, held="is the root" if not definition.joint else f"is held by a {definition.type} joint")
    lower, upper = limits.inward(definition.lower, definition.upper)
    if definition.type == PRISMATIC:
        value, locked = at.location[2], bone.lock_location[2]
        narrowed: LocationLimit | RotationLimit | None = clamps.location
    else:
        if definition.type == CONTINUOUS:
            lower, upper = -math.inf, math.inf
        value, locked = at.angles[2], bone.lock_rotation[2] or bone.lock_ik_z
        narrowed = clamps.rotation
    if narrowed is not None:
        lower, upper = _narrow(lower, upper, narrowed.lower[2], narrowed.upper[2])
    if definition.type != PRISMATIC:
        value = _whole_turns_into(value, lower, upper)
    if max(lower - value, value - upper) < _INSIDE:
        value = min(max(value, lower), upper)
    if locked and definition.mimic_joint is None:
        lower = upper = value
    free = Free(2, lower, upper, value)
    if definition.type == PRISMATIC:
        return replace(at, slides=(free,), location=(at.location[0], at.location[1], value))
    return replace(at, turns=(free,), angles=(at.angles[0], at.angles[1], value))


def _several(bone: bpy.types.PoseBone, at: Motion, clamps: Clamps, definition: Definition, *, rebase: bool) -> Motion:
    """A robot's bone whose joint has several values; locked ones stay what they are."""
    slides, turns = [], []
    for part in definition.slides:
        value = at.location[part]
        lower, upper = _range(clamps.location, part)
        if bone.lock_location[part]:
            lower = upper = value
        slides.append(Free(part, lower, upper, value))
    for part in [part for part in euler.acting(at.order) if part in definition.turns]:
        value = at.angles[part]
        lower, upper = _range(clamps.rotation, part)
        if bone.lock_rotation[part] or getattr(bone, f"lock_ik_{'xyz'[part]}"):
            lower = upper = value
        turns.append(Free(part, lower, upper, value))
    at = replace(at, slides=tuple(slides), turns=tuple(turns))
    if rebase and len(turns) == 3 and all(math.isinf(turn.lower) and math.isinf(turn.upper) for turn in turns):
        return _rebased(at)
    return at


def _range(limit: LocationLimit | RotationLimit | None, part: int) -> tuple[float, float]:
    return (-math.inf, math.inf) if limit is None else (limit.lower[part], limit.upper[part])


def _ball(bone: bpy.types.PoseBone, at: Motion, state: BoneState, clamps: Clamps, *, rebase: bool) -> Motion:
    """Any other bone: up to three angles, by its locks and limits."""
    locks = tuple(bone.lock_rotation)
    if bone.lock_rotations_4d and not is_euler(state) and (any(locks) or bone.lock_rotation_w):
        return _raw_locked(bone, at, state, clamps)
    if any(locks) and is_euler(state) and at.order != state.rotation_mode and not all(locks):
        return replace(at, held=f"has locks in the order {state.rotation_mode} and limits in the order {at.order}")
    turns = []
    limited = False
    for part in euler.acting(at.order):
        axis = "xyz"[part]
        if locks[part] or getattr(bone, f"lock_ik_{axis}"):
            continue
        value = at.angles[part]
        lower, upper = -math.inf, math.inf
        if clamps.rotation is not None:
            lower, upper = clamps.rotation.lower[part], clamps.rotation.upper[part]
        lower, upper = _narrow(lower, upper, *_ik_limits(bone, part, value))
        if lower < upper:
            turns.append(Free(part, lower, upper, value))
            limited = limited or not (math.isinf(lower) and math.isinf(upper))
    if not turns:
        return replace(at, held="has all its rotation locked or limited to one value")
    at = replace(at, turns=tuple(turns))
    return _rebased(at) if len(turns) == 3 and not limited and rebase else at


def _rebased(at: Motion) -> Motion:
    """The motion of a ball without limits with its angles counted from where it stands."""
    free = tuple(replace(turn, value=0.0) for turn in at.turns)
    return replace(at, base=at.rotation(), start=at.angles, angles=(0.0, 0.0, 0.0), turns=free, direct=False)


def _raw_locked(bone: bpy.types.PoseBone, at: Motion, state: BoneState, clamps: Clamps) -> Motion:
    """A bone whose quaternion or axis is locked part by part, as Blender does unless "Lock 4D" is switched off.

    Two locked parts leave a hinge, one leaves a swing without twist; both only where the locked parts are 0.
    """
    parts = [p for p in range(3) if not (bone.lock_rotation[p] or getattr(bone, f"lock_ik_{'xyz'[p]}"))]
    if not parts or all(bone.lock_rotation):
        return replace(at, held="has all its rotation locked")
    if bone.lock_rotation_w:
        return replace(at, held='has a 4D rotation lock on W: unlock it, or switch "Lock 4D" off')
    if clamps.rotation is not None:
        return replace(at, held='has a 4D rotation lock and rotation limits: switch "Lock 4D" off')
    rotation = rotation_of(state)
    quaternion = euler.to_quaternion(rotation)
    if any(abs(quaternion[1 + p]) > _INSIDE for p in range(3) if p not in parts):
        return replace(at, held='is turned about an axis that its 4D rotation lock excludes: switch "Lock 4D" off')
    kept = tuple(1 + p for p in range(3) if bone.lock_rotation[p])
    if len(parts) == 1:
        values: tuple[float, ...] = (2.0 * math.atan2(quaternion[1 + parts[0]], quaternion[0]),)
    else:
        parts.reverse()
        values = euler.to_swing(rotation, parts[0], parts[1])
    angles = [0.0, 0.0, 0.0]
    turns = []
    for part, value in zip(parts, values, strict=True):
        angles[part] = value
        # The outer angle of a swing counts twice.
        share = 0.5 if len(parts) == 2 and part == parts[0] else 1.0
        lower, upper = _ik_limits(bone, part, value / share)
        if lower < upper:
            turns.append(Free(part, lower * share, upper * share, value))
    if len(turns) < len(parts):
        return replace(at, held="has its rotation locked or limited to one value")
    return replace(
        at,
        angles=(angles[0], angles[1], angles[2]),
        turns=tuple(turns),
        direct=False,
        swing=len(parts) == 2,
        kept=kept,
    )


def _ik_limits(bone: bpy.types.PoseBone, part: int, value: float) -> tuple[float, float]:
    """IK limits of one angle, widened to the value: Blender shows poses beyond them, and nothing may jump."""
    axis = "xyz"[part]
    if not getattr(bone, f"use_ik_limit_{axis}"):
        return -math.inf, math.inf
    return min(getattr(bone, f"ik_min_{axis}"), value), max(getattr(bone, f"ik_max_{axis}"), value)


def _narrow(lower: float, upper: float, other_lower: float, other_upper: float) -> tuple[float, float]:
    """The part of a range that another leaves; the other one where they exclude each other."""
    low, high = max(lower, other_lower), min(upper, other_upper)
    return (low, high) if low <= high else (other_lower, other_upper)


def _whole_turns_into(angle: float, lower: float, upper: float) -> float:
    """The equal angle that lies within limits; the angle itself where it does already, or none does."""
    if lower - _INSIDE <= angle <= upper + _INSIDE or math.isinf(lower) or math.isinf(upper):
        return angle
    turned = angle + euler.TURN * math.ceil((lower - _INSIDE - angle) / euler.TURN)
    return turned if turned <= upper + _INSIDE else angle
