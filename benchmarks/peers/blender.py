"""Blender's own inverse kinematics constraint, standard solver, on an armature with the same joints and limits.

Rest pose = middle of the limits, so that Blender's limits, which end at half a turn from it, hold as much as they can.
What is timed is what a script has to do: set the target, update the view layer.
"""

from __future__ import annotations

import math
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from protocol import Array, CannotError, Peer, serve

ITERATIONS = 500
# Nearer to the armature's or the parent bone's -Y than this, a bone's rest matrix is inexact (cosine).
BACKWARDS = -math.cos(math.radians(45.0))


def turned(frame: Array, parent_y: Array) -> float:
    """By how much a bone's axes are turned about the joint's axis, so that its Y keeps away from -Y."""
    angles = [math.radians(degrees) for degrees in (0, 90, 180, 270, 45, 135, 225, 315)]

    def clear(angle: float) -> float:
        y = math.cos(angle) * frame[:3, 1] - math.sin(angle) * frame[:3, 0]
        return min(y[1], y @ parent_y)

    return next((angle for angle in angles if clear(angle) > 0.5), max(angles, key=clear))


def about_z(angle: float) -> Array:
    """(4, 4) turn about Z."""
    matrix = np.eye(4)
    matrix[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    return matrix


class Blender(Peer):
    """One bone a joint, its Z the joint's axis, its other axes locked; a last bone that ends at the tip."""

    name = "Blender IK"
    version = bpy.app.version_string
    note = f"constraint, standard solver, {ITERATIONS} iterations; bpy wheel; with the update of the view layer"

    def load(self, chain: dict[str, Any], urdf: str) -> None:
        if any(joint["type"] == "prismatic" for joint in chain["joints"]):
            raise CannotError("has no sliding joints")
        bpy.ops.wm.read_factory_settings(use_empty=True)
        self._followed = False
        rests, tip = self._rests(chain)
        armature = bpy.data.objects.new("robot", bpy.data.armatures.new("robot"))
        self._target = bpy.data.objects.new("target", None)
        for thing in (armature, self._target):
            bpy.context.scene.collection.objects.link(thing)
        self._build(armature, rests, tip)
        self._bones = [armature.pose.bones[f"b{i}"] for i in range(len(rests))]
        for bone, low, high, middle in zip(self._bones, self.lower, self.upper, self.middle, strict=True):
            self._restrict(bone, low - middle, high - middle)
        last = armature.pose.bones["tip"]
        last.lock_ik_x = last.lock_ik_y = last.lock_ik_z = True
        self._constraint = last.constraints.new("IK")
        self._constraint.target = self._target
        self._constraint.iterations = ITERATIONS
        self._constraint.use_stretch = False
        self._target.rotation_mode = "QUATERNION"
        bpy.context.view_layer.update()
        # Rest frames as Blender has them: of a bone in its parent, of the first in the armature.
        matrices = [np.array(bone.bone.matrix_local) for bone in self._bones]
        self._steps = [np.linalg.inv(a) @ b for a, b in zip([np.eye(4), *matrices], matrices, strict=False)]
        tip_rest = np.array(armature.data.bones["tip"].matrix_local)
        self._tip_turn = tip[:3, :3].T @ tip_rest[:3, :3]

    def _rests(self, chain: dict[str, Any]) -> tuple[list[Array], Array]:
        """World frames (4, 4) of the bones at rest, and of the tip."""
        frame, rests, y = np.eye(4), [], np.array([0.0, 1.0, 0.0])
        for joint, middle in zip(chain["joints"], self.middle, strict=True):
            frame = frame @ np.array(joint["T"]) @ about_z(middle)
            rests.append(frame @ about_z(turned(frame, y)))
            y = rests[-1][:3, 1]
        return rests, frame @ np.array(chain["tip"])

    def _build(self, armature: Any, rests: list[Array], tip: Array) -> None:
        bpy.context.view_layer.objects.active = armature
        bpy.ops.object.mode_set(mode="EDIT")
        parent, length = None, 0.05 * self.reach
        for i, frame in enumerate(rests):
            bone = armature.data.edit_bones.new(f"b{i}")
            bone.length = length
            bone.matrix = Matrix(frame)
            bone.length = length
            bone.parent = parent
            parent = bone
        bone = armature.data.edit_bones.new("tip")
        bone.parent = parent
        frame = rests[-1].copy()
        frame[:3, 3] = tip[:3, 3] - length * frame[:3, 1]
        bone.length = length
        bone.matrix = Matrix(frame)
        bone.length = length
        bpy.ops.object.mode_set(mode="OBJECT")

    @staticmethod
    def _restrict(bone: Any, low: float, high: float) -> None:
        bone.lock_ik_x = bone.lock_ik_y = True
        bone.rotation_mode = "XYZ"
        if math.isfinite(low):
            bone.use_ik_limit_z = True
            bone.ik_min_z, bone.ik_max_z = max(low, -math.pi), min(high, math.pi)

    def aim(self, position: Array, rotation: Array | None) -> Any:
        turn = None if rotation is None else Matrix(rotation @ self._tip_turn).to_quaternion()
        self._constraint.use_rotation = rotation is not None
        return position.tolist(), turn

    def _set(self, target: Any) -> None:
        position, turn = target
        self._target.location = position
        if turn is not None:
            self._target.rotation_quaternion = turn
        bpy.context.view_layer.update()

    def solve(self, target: Any) -> Any:
        if self._followed:
            self._followed = False
            self._write(self.middle)
        self._set(target)

    def begin(self, start: Array) -> None:
        self._followed = True
        self._write(start)

    def follow(self, target: Any) -> Any:
        self._set(target)

    def _write(self, values: Array) -> None:
        for bone, turn in zip(self._bones, (values - self.middle).tolist(), strict=True):
            bone.rotation_euler[2] = turn

    def values(self, found: Any) -> Any:
        """Angles out of the bones' matrices. On a path they become the bones' own: the next target starts there."""
        matrices = [np.array(bone.matrix) for bone in self._bones]
        angles = []
        for step, parent, own in zip(self._steps, [np.eye(4), *matrices], matrices, strict=False):
            local = np.linalg.solve(parent @ step, own)
            angles.append(math.atan2(local[1, 0] - local[0, 1], local[0, 0] + local[1, 1]))
        values = self.middle + angles
        if self._followed:
            self._write(values)
        return values


if __name__ == "__main__":
    serve(Blender)
