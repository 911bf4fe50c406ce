"""Random drags to targets that can be had, judged by what Blender shows of them."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import bpy
import numpy as np
from blender import agreement
from blender.posing import changed, channels, tail
from blender.support import api, errors, module

# What counts as there, in sizes of the armature.
CLOSE = 1e-4


@dataclass
class Drags:
    """What became of the drags on one armature.

    Attributes:
        count: drags that were not refused.
        there: those that Blender shows within tolerance.
        false: those that are not and are called reached, or are and are not.
        strayed: drags that changed a channel of a bone outside their chain.
        beyond: drags after which a limit is not kept, as Blender shows it.
        misses: (bone, status, distance in sizes, why).
        joints: chains by their number of unknowns.
    """

    count: int = 0
    there: int = 0
    false: int = 0
    strayed: int = 0
    beyond: int = 0
    misses: list[tuple[str, str, float, str]] = field(default_factory=list)
    joints: Counter[int] = field(default_factory=Counter)

    def __iadd__(self, other: Drags) -> Drags:
        self.count += other.count
        self.there += other.there
        self.false += other.false
        self.strayed += other.strayed
        self.beyond += other.beyond
        self.misses += other.misses
        self.joints += other.joints
        return self


def drag_about(armature: bpy.types.Object, count: int = 100, *, seed: int = 5) -> Drags:
    """Drag the tails of random bones, one after the other, to where a random pose of their chain has them."""
    chains, snapshot = module("rig.chains"), module("rig.snapshot")
    draw = np.random.default_rng(seed)
    found = Drags()
    start = snapshot.take(armature)
    scale = np.linalg.norm(np.array(armature.matrix_world)[:3, :3], axis=0).max()
    size = float(agreement.size_of(armature) * scale)
    lengths = {bone.name: bone.length for bone in armature.data.bones}
    names = [bone.name for bone in armature.pose.bones]
    refused: set[str] = set()
    while found.count < count and len(refused) < len(names):
        bone = names[draw.integers(len(names))]
        if bone in refused:
            continue
        try:
            rig, chain = chains.take(armature, bone)
        except errors.RigError:
            refused.add(bone)
            continue
        if found.count % 10 == 9:
            snapshot.restore(armature, start)
            armature.update_tag()
            bpy.context.view_layer.update()
            rig, chain = chains.take(armature, bone)
        anywhere = agreement.random_pose(rig, draw, lengths)
        q = rig.as_shown(chain.full(anywhere[list(chain.index)]))
        target = (np.array(armature.matrix_world) @ rig.skeleton.frame(bone, q) @ (0.0, lengths[bone], 0.0, 1.0))[:3]
        before = channels(armature)
        solution = api.solve(armature, bone, target, tolerance=CLOSE * size)
        distance = float(np.linalg.norm(tail(armature, bone) - target)) / size
        found.count += 1
        found.joints[chain.dof] += 1
        found.there += distance <= 1.01 * CLOSE
        if (distance <= 1.01 * CLOSE) != (solution.status == "REACHED"):
            found.false += 1
        if distance > 1.01 * CLOSE:
            found.misses.append((bone, str(solution.status), distance, solution.why))
        written = {rig.channels[name].bone for name in chain.unknowns}
        found.strayed += bool(changed(before, channels(armature)) - written)
        found.beyond += any(not _keeps_limits(armature, name) for name in written)
    snapshot.restore(armature, start)
    armature.update_tag()
    bpy.context.view_layer.update()
    return found


def _keeps_limits(armature: bpy.types.Object, name: str) -> bool:
    """Whether the angles that Blender shows of a bone are within its Limit Rotation in local space."""
    bone = armature.pose.bones[name]
    for limit in bone.constraints:
        if getattr(limit, "type", "") != "LIMIT_ROTATION" or limit.owner_space != "LOCAL" or limit.influence < 1.0:
            continue
        parents = {}
        if bone.parent is not None:
            parents = {"parent_matrix": bone.parent.matrix, "parent_matrix_local": bone.parent.bone.matrix_local}
        local = bone.bone.convert_local_to_pose(bone.matrix, bone.bone.matrix_local, **parents, invert=True)
        order = limit.euler_order
        if order == "AUTO":
            order = bone.rotation_mode if len(bone.rotation_mode) == 3 else "XYZ"
        ways = module("rig.euler").to_euler(np.array(local.to_3x3().normalized()), order)
        if not any(_within(limit, angles) for angles in ways):
            return False
    return True


def _within(limit: bpy.types.Constraint, angles: tuple[float, float, float]) -> bool:
    for axis, angle in zip("xyz", angles, strict=True):
        if getattr(limit, f"use_limit_{axis}"):
            low, high = getattr(limit, f"min_{axis}"), getattr(limit, f"max_{axis}")
            beyond = max(low - angle, angle - high)
            if min(beyond, abs(beyond - 2.0 * math.pi)) > 1e-4:
                return False
    return True
