"""Single joint values, read and written by one bone's channels alone, so that a slider may do it at every event."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace

import bpy

from ..errors import LinkposeError
from . import chains, compat, curves, definition, keys, names, reading, snapshot, stacks, writing
from .channels import Motion, motion
from .clamps import NOTHING
from .reading import BoneReading, Reading
from .snapshot import BoneState, Holder, numbers, take_bone

# The Euler angles that a quaternion or an axis-angle was made of last, by bone: read back from the rotation they would
# jump where the middle one passes a right angle.
_made_of: dict[tuple[int, str], tuple[tuple[float, ...], tuple[float, float, float]]] = {}


@dataclass(frozen=True, slots=True)
class Channel:
    """One value of a bone.

    Attributes:
        path: data path on the pose bone.
        index: array index; -1 where the value is a part of the whole rotation.
        part: 0, 1, 2 for x, y, z.
        slides: a distance, not an angle.
        lower, upper: limits [rad] or [m], infinite where there are none.
        own: whether constraints limit the channel itself; else it is read as it is.
    """

    path: str
    index: int
    part: int
    slides: bool
    lower: float
    upper: float
    own: bool = True

    @property
    def limited(self) -> bool:
        """Whether both limits are finite."""
        return math.isfinite(self.lower) and math.isfinite(self.upper)


@dataclass(frozen=True, slots=True)
class Slider:
    """A joint value that can be set.

    Attributes:
        joint: name of the unknown, as for :func:`.api.set_pose`.
        bone: that keeps it.
        channel: where.
        locked: it has one value only, by locks or limits.
    """

    joint: str
    bone: str
    channel: Channel
    locked: bool = False


@dataclass(frozen=True, slots=True)
class Sliders:
    """What the sidebar shows of an armature.

    Attributes:
        bone: that the chain is of, "" for the whole robot.
        sliders: anchor first.
        followers: (joint, bone, path, index) of mimic joints, which their drivers move.
        refused: why there are none, "" where there are some.
    """

    bone: str
    sliders: tuple[Slider, ...]
    followers: tuple[tuple[str, str, str, int], ...] = ()
    refused: str = ""


def is_robot(armature: bpy.types.Object) -> bool:
    """Whether an armature was imported as a robot."""
    return isinstance(armature.data, bpy.types.Armature) and definition.read_robot(armature.data) is not None


def joints(armature: bpy.types.Object, bone: str) -> tuple[Reading, tuple[str, ...]]:
    """A reading and the names of the unknowns of a bone's chain, anchor first; for "" of the whole robot.

    Raises:
        LinkposeError: the armature cannot be read, or nothing moves the bone.
    """
    if not bone:
        rig = reading.read(armature)
        return rig, rig.skeleton.unknowns
    assert isinstance(armature.data, bpy.types.Armature)
    _, chain = chains.take(armature, names.body_names(armature.data).get(bone, bone))
    rig = reading.read(armature, slides=reading.slides_named(armature, chain.unknowns))
    return rig, tuple(name for name in chain.unknowns if name in rig.channels)


def make(armature: bpy.types.Object, bone: str) -> Sliders:
    """The sliders of a bone's chain, for "" of the whole robot. It reads the whole armature.

    Args:
        armature: an armature object in the active view layer.
        bone: name of a bone, or "".
    """
    try:
        rig, unknowns = joints(armature, bone)
    except LinkposeError as refused:
        return Sliders(bone, (), (), str(refused))
    skeleton = rig.skeleton
    found = []
    for name in unknowns:
        place, kept = skeleton.unknowns.index(name), rig.channels[name]
        entry = rig.bones[kept.bone]
        free = entry.motion.free[entry.unknowns.index(name)]
        slides = kept.path == "location"
        limits = float(skeleton.lower[place]), float(skeleton.upper[place])
        channel = Channel(kept.path, kept.index, free.part, slides, *limits, own=_is_own(armature, kept.bone, entry))
        found.append(Slider(name, kept.bone, channel, rig.is_locked(name)))
    return Sliders(bone, tuple(found), tuple(_followers(armature, {slider.joint for slider in found})))


def value(bone: bpy.types.PoseBone, channel: Channel) -> float:
    """The value as Blender shows it [rad] or [m]: what its limits leave of the channel."""
    if channel.index >= 0:
        return _shown(getattr(bone, channel.path)[channel.index], channel)
    return _angles(bone, channel)[channel.part]


def set_value(bone: bpy.types.PoseBone, channel: Channel, wanted: float) -> None:
    """Write a value within its limits; all other values of the bone stay."""
    wanted = min(max(wanted, channel.lower), channel.upper)
    if channel.index >= 0:
        getattr(bone, channel.path)[channel.index] = wanted
        return
    state = take_bone(bone)
    angles = list(_angles(bone, channel))
    angles[channel.part] = wanted
    turned = (angles[0], angles[1], angles[2])
    own = replace(_motion(bone, channel, state), angles=turned)
    values = [*(slide.value for slide in own.slides), *(turned[free.part] for free in own.turns)]
    old = numbers(bone, channel.path)
    setattr(bone, channel.path, writing.whole(BoneReading(state, own, ()), values, old))
    _made_of[_name(bone)] = (numbers(bone, channel.path), turned)


def key(bone: bpy.types.PoseBone, channel: Channel, frame: float) -> None:
    """Key a value.

    Raises:
        RigError: Blender refuses.
    """
    for index in _indices(bone, channel):
        keys.insert_one(bone, channel.path, index, frame)


def keyed_state(armature: bpy.types.Object, bone: bpy.types.PoseBone, channel: Channel, frame: float) -> str:
    """Whether a channel has a key at a frame ("KEYED"), or else a curve ("ANIMATED"), or none of both ("")."""
    curve = compat.fcurve(armature, bone.path_from_id(channel.path), max(channel.index, 0))
    if curve is None:
        return ""
    return "ANIMATED" if curves.key_at(curve, curves.frame_in_action(armature, frame)) is None else "KEYED"


def toggle_key(armature: bpy.types.Object, name: str, path: str, index: int, frame: float) -> bool:
    """Key a channel of a bone, or take its key away where there is one. Returns whether it is keyed now.

    Raises:
        RigError: Blender refuses.
    """
    bone = armature.pose.bones[name]
    channel = Channel(path, index, max(index, 0), path == "location", -math.inf, math.inf)
    if keyed_state(armature, bone, channel, frame) == "KEYED":
        for place in range(len(getattr(bone, path))) if index < 0 else (index,):
            _delete(bone, path, place, frame)
        return False
    key(bone, channel, frame)
    return True


def delete_keys(armature: bpy.types.Object, rig: Reading, unknowns: tuple[str, ...], frame: float) -> int:
    """Take away the keys of unknowns at a frame. Returns how many there were."""
    count = 0
    for bone_name, path, index in dict.fromkeys(
        (kept.bone, kept.path, kept.index) for kept in (rig.channels[name] for name in unknowns)
    ):
        holder = snapshot.holder(armature, bone_name)
        if holder is None:
            continue
        for place in range(len(getattr(holder, path))) if index < 0 else (index,):
            count += _delete(holder, path, place, frame)
    return count


def key_of(armature: bpy.types.Object, sliders: Sliders | None) -> Hashable:
    """What sliders depend on beside the bone, as far as it can be looked at on every redraw: locks and limits."""
    data = armature.data
    assert isinstance(data, bpy.types.Armature)
    found: list[Hashable] = [
        armature.session_uid,
        data.session_uid,
        len(data.bones),
        armature.mode == "EDIT",
        data.pose_position,
    ]
    posed = armature.pose.bones
    for name in dict.fromkeys(slider.bone for slider in sliders.sliders) if sliders is not None else ():
        bone = posed.get(name)
        if bone is None:
            found.append(name)
            continue
        found.append((bone.rotation_mode, tuple(bone.lock_rotation), tuple(bone.lock_location)))
        found.extend(
            (one.mute, one.min_x, one.max_x, one.min_y, one.max_y, one.min_z, one.max_z)
            for one in bone.constraints
            if isinstance(one, bpy.types.LimitRotationConstraint | bpy.types.LimitLocationConstraint)
        )
    return tuple(found)


def forget() -> None:
    """Drop what is known of rotations, as after another file was loaded."""
    _made_of.clear()


def _is_own(armature: bpy.types.Object, bone: str, entry: BoneReading) -> bool:
    """Whether a bone's limits are those of its channels, and not a law in another space."""
    posed = armature.pose.bones[bone]
    if definition.read(posed.bone) is not None:
        return True
    return entry.limit is not None or stacks.read(posed, armature).rotation is None


def _followers(armature: bpy.types.Object, sources: set[str]) -> list[tuple[str, str, str, int]]:
    """The mimic joints that follow these."""
    assert isinstance(armature.data, bpy.types.Armature)
    defined = names.definitions(armature.data)
    by_joint = {one.joint: one for one in defined.values()}
    found = []
    for bone, one in defined.items():
        step = one
        while step.mimic_joint is not None and step.mimic_joint in by_joint:
            step = by_joint[step.mimic_joint]
        if step is not one and step.joint in sources and one.moves and not one.has_several_axes:
            found.append((one.joint, bone, *one.channel))
    return found


def _shown(number: float, channel: Channel) -> float:
    """What limits make of a channel: the nearer end; of an angle the nearer one on the circle."""
    if channel.lower <= number <= channel.upper:
        return number
    if channel.slides or not channel.limited:
        return min(max(number, channel.lower), channel.upper)
    turned = number + math.tau * math.ceil((channel.lower - number) / math.tau)
    if turned <= channel.upper:
        return turned
    return channel.upper if turned - channel.upper <= channel.lower + math.tau - turned else channel.lower


def _angles(bone: bpy.types.PoseBone, channel: Channel) -> tuple[float, float, float]:
    known = _made_of.get(_name(bone))
    if known is not None and known[0] == numbers(bone, channel.path):
        return known[1]
    own = _motion(bone, channel, take_bone(bone))
    turned = list(own.angles)
    for free in own.turns:
        turned[free.part] = free.value
    return turned[0], turned[1], turned[2]


def _motion(bone: bpy.types.PoseBone, channel: Channel, state: BoneState) -> Motion:
    armature = bone.id_data
    assert isinstance(armature, bpy.types.Object)
    one = definition.read(bone.bone)
    clamps = NOTHING
    if channel.own and len(bone.constraints):
        clamps = stacks.read(bone, armature, robot=one is not None)
    return motion(bone, state, clamps, one, rebase=False)


def _name(bone: bpy.types.PoseBone) -> tuple[int, str]:
    owner = bone.id_data
    assert isinstance(owner, bpy.types.Object)
    return owner.session_uid, bone.name


def _indices(bone: Holder, channel: Channel) -> list[int]:
    if channel.index >= 0:
        return [channel.index]
    return [i for i in range(len(getattr(bone, channel.path))) if not keys.is_locked(bone, channel.path, i)]


def _delete(holder: Holder, path: str, index: int, frame: float) -> bool:
    try:
        return bool(holder.keyframe_delete(path, index=index, frame=frame))
    except RuntimeError:
        # Blender's answer where there is no animation, or no key.
        return False
