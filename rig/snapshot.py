"""A pose as plain numbers by bone name, taken before a change and put back bit for bit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import RigError

# In place of a bone's name: the armature object itself, where it is moved like a bone.
OBJECT = ""

Holder = bpy.types.PoseBone | bpy.types.Object


@dataclass(frozen=True, slots=True)
class BoneState:
    """Every channel of one bone, or of an object, as Blender stores it: float32 numbers, also of unused rotation modes.

    Attributes:
        rotation_mode: "QUATERNION", "AXIS_ANGLE" or an Euler order.
        location: (3,) offset from the rest position in the bone's own axes.
        quaternion: (4,) w, x, y, z as stored, of any length.
        euler: (3,) [rad].
        axis_angle: (4,) angle [rad], then the axis as stored.
        scale: (3,).
    """

    rotation_mode: str
    location: tuple[float, ...]
    quaternion: tuple[float, ...]
    euler: tuple[float, ...]
    axis_angle: tuple[float, ...]
    scale: tuple[float, ...]

    def channel(self, path: str) -> tuple[float, ...]:
        """The numbers of one channel by its data path, such as "rotation_euler"."""
        return getattr(self, dict(_CHANNELS)[path])


# Data path of each channel and the field that keeps it.
_CHANNELS = (
    ("location", "location"),
    ("rotation_quaternion", "quaternion"),
    ("rotation_euler", "euler"),
    ("rotation_axis_angle", "axis_angle"),
    ("scale", "scale"),
)


@dataclass(frozen=True)
class Snapshot:
    """The channels of some bones.

    Attributes:
        states: by bone name; :data:`OBJECT` for the armature object.
        has_animation: whether the armature had animation data.
        action: name of its action, "" when it had none.
    """

    states: Mapping[str, BoneState]
    has_animation: bool
    action: str

    @property
    def bones(self) -> tuple[str, ...]:
        """Names of the bones."""
        return tuple(self.states)


def holder(armature: bpy.types.Object, name: str) -> Holder | None:
    """What has the channels of that name: a pose bone, the object itself for :data:`OBJECT`; None when it is gone."""
    return armature if name == OBJECT else armature.pose.bones.get(name)


def numbers(bone: Holder, path: str) -> tuple[float, ...]:
    """The numbers of one of the bone's array properties."""
    return tuple(getattr(bone, path))


def frames(armature: bpy.types.Object) -> dict[str, NDArray[np.float64]]:
    """(4, 4) world matrix of every bone as Blender shows it, by name."""
    bones = armature.pose.bones
    flat = np.empty(16 * len(bones), dtype=np.float32)
    bones.foreach_get("matrix", flat)
    # Blender keeps matrices by columns.
    posed = flat.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)
    world = np.array(armature.matrix_world, dtype=np.float64)
    return dict(zip(bones.keys(), world @ posed, strict=True))


def take_bone(bone: Holder) -> BoneState:
    """The channels of one bone, or of an object."""
    return BoneState(
        rotation_mode=bone.rotation_mode,
        location=numbers(bone, "location"),
        quaternion=numbers(bone, "rotation_quaternion"),
        euler=numbers(bone, "rotation_euler"),
        axis_angle=numbers(bone, "rotation_axis_angle"),
        scale=numbers(bone, "scale"),
    )


def take(armature: bpy.types.Object, bone_names: Iterable[str] | None = None) -> Snapshot:
    """The channels of the named bones; of all bones for None.

    Raises:
        RigError: the armature has no bone of that name.
    """
    names = [bone.name for bone in armature.pose.bones] if bone_names is None else list(dict.fromkeys(bone_names))
    states = {}
    for name in names:
        bone = holder(armature, name)
        if bone is None:
            raise RigError(f"armature {armature.name!r} has no bone {name!r}")
        states[name] = take_bone(bone)
    animation = armature.animation_data
    action = animation.action if animation is not None else None
    return Snapshot(states, animation is not None, "" if action is None else action.name)


def restore(armature: bpy.types.Object, snapshot: Snapshot) -> None:
    """Put every channel back, bit for bit; bones that are gone are left out. Only what differs is written."""
    for name, state in snapshot.states.items():
        bone = holder(armature, name)
        if bone is None:
            continue
        # First: a change of mode makes Blender convert the channels of the new mode.
        if bone.rotation_mode != state.rotation_mode:
            setattr(bone, "rotation_mode", state.rotation_mode)  # noqa: B010 (the stubs take literals only)
        for path, field in _CHANNELS:
            before = getattr(state, field)
            # repr tells -0.0 from 0.0, which compare equal.
            if repr(numbers(bone, path)) != repr(before):
                setattr(bone, path, before)
