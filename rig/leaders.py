"""Which control an animator would take to move a bone that does not follow its own channels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import bpy

from . import compat
from .control import ik_members, leading
from .stacks import is_active

# Of a Copy Transforms that is to count as leading its bone.
_LEADS = 0.5


def leader_of(armature: bpy.types.Object, bone: str) -> str:
    """The control that moves a bone in the end, "" where none is found.

    Walks from the bone along constraints, and from hidden bones to their parents, as far as the first bone that can be
    seen and selected. Constraints count as they are evaluated now, so a rig that blends two chains gives the control of
    the one in use. Poles are not followed.

    Args:
        armature: in the active view layer, up to date.
        bone: name of the bone.
    """
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    bones = evaluated.pose.bones
    targets = {
        member.name: constraint.subtarget
        for user in bones
        for member, constraint in ik_members(user)
        if isinstance(constraint, bpy.types.KinematicConstraint) and constraint.target == evaluated
    }
    step, by_ik = _walk(bones.get(bone), evaluated, targets)
    if step is None:
        return ""
    by_ik = by_ik or step.name in leading(armature)
    if by_ik:
        step = _that_moves(step, evaluated, targets)
    # The target of an IK chain may sit in a group of controls: the outermost takes the others along.
    leaders = frozenset(targets.values())
    while by_ik and step.parent is not None and _is_control(step.parent):
        if _leads_more(step.parent, step, leaders, bone):
            break
        step = step.parent
    return "" if step.name == bone else str(step.name)


def _walk(
    start: bpy.types.PoseBone | None, evaluated: bpy.types.Object, targets: Mapping[str, str]
) -> tuple[bpy.types.PoseBone | None, bool]:
    """The first control on the way along constraints and parents, None without one; and whether IK chains led there."""
    bones = evaluated.pose.bones
    step, by_ik = start, False
    visited: set[str] = set()
    while step is not None and step.name not in visited:
        visited.add(step.name)
        target = targets.get(step.name, "")
        if target in bones:
            step, by_ik = bones[target], True
            continue
        copied = _last_copied(step, evaluated)
        if copied in bones:
            step = bones[copied]
        elif _is_control(step):
            return step, by_ik
        else:
            placed = next(_copied_locations(step, evaluated), "") if not compat.bone_is_visible(step) else ""
            step = bones.get(placed, step.parent)
    return None, by_ik


def _that_moves(
    control: bpy.types.PoseBone, evaluated: bpy.types.Object, targets: Mapping[str, str]
) -> bpy.types.PoseBone:
    """The control that takes an IK chain's end from place to place, where the one that was found only turns.

    The heel of a leg with three bones only turns about its head: what carries its head, in turn by parents and other IK
    chains, moves the foot. A control that carries the bones of a chain as well is none that moves its end.
    """
    step = control
    passed = {control.name}
    while step.parent is not None and (all(step.lock_location) or step.bone.use_connect):
        further, _ = _walk(step.parent, evaluated, targets)
        if further is None or further.name in passed:
            return control
        passed.add(further.name)
        if any(below.name in targets for below in further.children_recursive):
            return control
        step = further
    return step


def _is_control(bone: bpy.types.PoseBone) -> bool:
    """Whether an animator can take the bone: shown, selectable, and no mere tweak."""
    tweak = bone.lock_rotation[0] and bone.lock_rotation[2] and not bone.lock_rotation[1]
    return not bone.bone.hide_select and not tweak and compat.bone_is_visible(bone)


def _leads_more(parent: bpy.types.PoseBone, child: bpy.types.PoseBone, leaders: frozenset[str], bone: str) -> bool:
    """Whether a bone carries other IK targets than its child does, or the very bone that is to be led."""
    carried = {below.name for below in parent.children_recursive}
    own = {child.name, *(below.name for below in child.children_recursive)}
    return bone in carried or bool(leaders & (carried - own))


def _last_copied(bone: bpy.types.PoseBone, evaluated: bpy.types.Object) -> str:
    found = ""
    for constraint in bone.constraints:
        if (
            is_active(constraint)
            and isinstance(constraint, bpy.types.CopyTransformsConstraint)
            and constraint.target == evaluated
            and constraint.influence >= _LEADS
        ):
            found = constraint.subtarget
    return found


def _copied_locations(bone: bpy.types.PoseBone, evaluated: bpy.types.Object) -> Iterator[str]:
    for constraint in bone.constraints:
        if (
            is_active(constraint)
            and isinstance(constraint, bpy.types.CopyLocationConstraint)
            and constraint.target == evaluated
        ):
            yield constraint.subtarget
