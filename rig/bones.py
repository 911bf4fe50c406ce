"""Every bone of an armature as arrays: one call a property instead of one a bone."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from .snapshot import BoneState

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.int32]

# Blender's numbers for what is a choice.
FULL, FIX_SHEAR, AVERAGE, NONE, NONE_LEGACY, ALIGNED = range(6)
MODES = {-1: "AXIS_ANGLE", 0: "QUATERNION", 1: "XYZ", 2: "XZY", 3: "YXZ", 4: "YZX", 5: "ZXY", 6: "ZYX"}


class Bones:
    """What is read of all bones at once, parents before children. Valid until Blender changes anything.

    Attributes:
        posed: the bones themselves.
        names: theirs.
        place: place of each by name.
        parent: place of the parent, -1 where there is none.
        rest: (n, 4, 4) rest matrices in armature space.
        shown: (n, 4, 4) matrices as Blender shows them.
        length: (n,) rest lengths.
        connected, inherits_rotation, local_location: (n,) switches of the bone.
        inherit_scale: (n,) one of FULL, FIX_SHEAR ….
        location, euler, scale: (n, 3) channels.
        quaternion, axis_angle: (n, 4) channels.
        mode, modes: (n,) keys of :data:`MODES`, and what they stand for.
        plain: (n,) whether no lock and no IK limit narrows the rotation.
        locked: (n,) whether all of the rotation is locked.
        stiffness: (n, 3) of Blender's IK, from 0 to 1.
    """

    def __init__(self, armature: bpy.types.Object) -> None:
        """Read an armature that :func:`.reading.check_readable` has let pass."""
        data: Any = armature.data
        posed: Any = armature.pose.bones
        self.posed: list[bpy.types.PoseBone] = list(posed)
        self.names = [bone.name for bone in self.posed]
        self.place = {name: i for i, name in enumerate(self.names)}
        resting = list(data.bones)
        self.parent = [-1 if bone.parent is None else self.place[bone.parent.name] for bone in self.posed]
        count = len(self.names)
        # Both collections come in the same order but for what a script may have done in between.
        order = [self.place[bone.name] for bone in resting]
        same = order == list(range(count))
        back = np.argsort(order)

        def of_bone(name: str, kind: type, *shape: int) -> Any:  # noqa: ANN401 (arrays of three kinds)
            found = _read(data.bones, name, kind, count, *shape)
            return found if same else found[back]

        self.rest: Floats = of_bone("matrix_local", np.float32, 4, 4).astype(np.float64).swapaxes(1, 2)
        self.length: Floats = of_bone("length", np.float32).astype(np.float64)
        self.connected: Flags = of_bone("use_connect", np.bool_)
        self.inherits_rotation: Flags = of_bone("use_inherit_rotation", np.bool_)
        self.local_location: Flags = of_bone("use_local_location", np.bool_)
        self.inherit_scale: Codes = of_bone("inherit_scale", np.int32)
        self.shown: Floats = _read(posed, "matrix", np.float32, count, 4, 4).astype(np.float64).swapaxes(1, 2)
        self.location: Floats = _read(posed, "location", np.float32, count, 3).astype(np.float64)
        self.euler: Floats = _read(posed, "rotation_euler", np.float32, count, 3).astype(np.float64)
        self.scale: Floats = _read(posed, "scale", np.float32, count, 3).astype(np.float64)
        self.quaternion: Floats = _read(posed, "rotation_quaternion", np.float32, count, 4).astype(np.float64)
        self.axis_angle: Floats = _read(posed, "rotation_axis_angle", np.float32, count, 4).astype(np.float64)
        self.mode: Codes = _read(posed, "rotation_mode", np.int32, count)
        self.modes = [MODES[mode] for mode in self.mode.tolist()]
        channels = (self.location, self.quaternion, self.euler, self.axis_angle, self.scale)
        self._channels: list[list[list[float]]] = [channel.tolist() for channel in channels]
        stiffness = [_read(posed, f"ik_stiffness_{axis}", np.float32, count) for axis in "xyz"]
        self.stiffness: list[list[float]] = np.stack(stiffness, axis=1).tolist()
        locks = _read(posed, "lock_rotation", np.bool_, count, 3)
        self.locked: Flags = locks.all(axis=1)
        locked = locks.any(axis=1)
        locked |= _read(posed, "lock_rotation_w", np.bool_, count) & _read(posed, "lock_rotations_4d", np.bool_, count)
        for axis in "xyz":
            locked |= _read(posed, f"lock_ik_{axis}", np.bool_, count)
            locked |= _read(posed, f"use_ik_limit_{axis}", np.bool_, count)
        self.plain: Flags = ~locked

    def __len__(self) -> int:
        return len(self.names)

    def state(self, place: int) -> BoneState:
        """The channels of one bone."""
        location, quaternion, turned, axis_angle, scale = self._channels
        return BoneState(
            rotation_mode=self.modes[place],
            location=tuple(location[place]),
            quaternion=tuple(quaternion[place]),
            euler=tuple(turned[place]),
            axis_angle=tuple(axis_angle[place]),
            scale=tuple(scale[place]),
        )


def _read(collection: Any, name: str, kind: type, *shape: int) -> Any:  # noqa: ANN401
    flat = np.empty(int(np.prod(shape)), dtype=kind)
    collection.foreach_get(name, flat)
    return flat.reshape(shape)
