"""Which bones follow their own channels, by what can be seen of a rig: constraints, IK chains and drivers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import bpy

from .clamps import Clamps
from .stacks import is_active

# Channels of a bone that place it, by the last part of their data path.
TRANSFORMS = frozenset(
    {"location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "rotation_mode", "scale"}
)
_PREFIX = 'pose.bones["'

Driven = Mapping[str, frozenset[tuple[str, int]]]


def driven(armature: bpy.types.Object) -> Driven:
    """The driven transform channels, as (path, index) by bone name; muted and broken drivers drive nothing."""
    found: dict[str, set[tuple[str, int]]] = {}
    animation = armature.animation_data
    for curve in animation.drivers if animation is not None else ():
        if curve.mute or curve.driver is None or not curve.driver.is_valid:
            continue
        bone, path = bone_channel(curve.data_path)
        if bone:
            found.setdefault(bone, set()).add((path, curve.array_index))
    return {bone: frozenset(channels) for bone, channels in found.items()}


def bone_channel(data_path: str) -> tuple[str, str]:
    """(bone, path on the bone) of the data path of a bone's transform channel; "" twice for any other."""
    if not data_path.startswith(_PREFIX):
        return "", ""
    quoted, _, path = data_path[len(_PREFIX) :].rpartition('"].')
    if path not in TRANSFORMS or '"]' in quoted.replace('\\"', ""):
        return "", ""
    return bpy.utils.unescape_identifier(quoted), path


def placed_elsewhere(
    constrained: Iterable[bpy.types.PoseBone], clamps: Mapping[str, Clamps], driven_channels: Driven
) -> dict[str, str]:
    """Bones that do not follow their own channels, and why.

    Args:
        constrained: the bones that have constraints.
        clamps: what the constraints of each bone do, by bone name.
        driven_channels: without those of mimic followers, whose relation is known.

    Returns:
        By bone name, a phrase that completes "bone X ...".
    """
    reasons: dict[str, str] = {}
    for bone in constrained:
        for member, constraint in ik_members(bone):
            reasons.setdefault(member.name, f"is moved by the constraint {constraint.name!r} of bone {bone.name!r}")
        own = clamps.get(bone.name)
        if own is not None and own.other:
            reasons.setdefault(bone.name, f"is moved by its constraint {own.other!r}")
    for name, channels in driven_channels.items():
        if channels:
            path, _ = min(channels)
            reasons.setdefault(name, f"has a driver on its {path}")
    return reasons


def ik_members(bone: bpy.types.PoseBone) -> Iterator[tuple[bpy.types.PoseBone, bpy.types.Constraint]]:
    """The bones that the bone's IK constraints move, with the constraint."""
    for constraint in bone.constraints:
        # Most constraints are neither, and this is asked of every bone.
        if isinstance(constraint, bpy.types.KinematicConstraint):
            step = bone if constraint.use_tail else bone.parent
        elif isinstance(constraint, bpy.types.SplineIKConstraint):
            step = bone
        else:
            continue
        if not is_active(constraint):
            continue
        left = constraint.chain_count
        while step is not None:
            yield step, constraint
            left -= 1
            if left == 0:
                break
            step = step.parent


def leading(armature: bpy.types.Object) -> frozenset[str]:
    """The bones that an animator moves from place to place because others follow.

    These are the targets and poles of IK chains of the same armature with the bones that carry those, and bones without
    a parent that carry others by an Armature constraint.
    """
    found: set[str] = set()
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            if is_active(constraint):
                for name in _led_by(armature, constraint):
                    step: bpy.types.PoseBone | None = armature.pose.bones.get(name)
                    while step is not None and step.name not in found:
                        found.add(step.name)
                        step = step.parent
    return frozenset(found)


def _led_by(armature: bpy.types.Object, constraint: bpy.types.Constraint) -> Iterator[str]:
    if isinstance(constraint, bpy.types.KinematicConstraint):
        if constraint.target == armature:
            yield constraint.subtarget
        if constraint.pole_target == armature:
            yield constraint.pole_subtarget
    elif isinstance(constraint, bpy.types.ArmatureConstraint):
        for target in constraint.targets:
            if target.target == armature:
                bone = armature.pose.bones.get(target.subtarget)
                if bone is not None and bone.parent is None:
                    yield bone.name
