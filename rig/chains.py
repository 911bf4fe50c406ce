"""The chain of a dragged body, with the reading it belongs to: what moves, and whether by turning or by sliding."""

from __future__ import annotations

import bpy

from ..solver import Chain, Skeleton
from . import control, definition, probing, reading
from .channels import can_slide
from .reading import Reading
from .refusals import refuse_rigid

# Above a character's hips there is at most the bone that carries all of it, and that bone's control.
_ABOVE_HIPS = 2
# So often a chain is tried, and read again, before it is taken as it is.
_TRIES = 12
_ASTRAY = "does not follow its channels, as a small turn has shown"


def take(
    armature: bpy.types.Object, body: str, *, anchor: str | None = None, oriented: bool = False, probe: bool = False
) -> tuple[Reading, Chain]:
    """Read an armature and take the chain that moves a body, from the pose as it is shown.

    Usually the chain turns the joints above the body. Hips and what carries them, the controls of an IK chain, and what
    can only slide are moved by their location instead, unless an anchor is named.

    Args:
        armature: in the active view layer.
        body: a link or bone.
        anchor: as for :meth:`Skeleton.chain`.
        oriented: whether the body is to be turned as well.
        probe: try what constraints do to the bones above, by small turns that are taken back: a bone that goes with
            its parent all the same does not end the chain, and one that turns out not to follow its channels does.

    Raises:
        LinkposeError: no such body, an armature that cannot be read, or nothing that can move the body.
    """
    rigid: set[str] = set()
    astray: dict[str, str] = {}
    rig, chain = _taken(armature, body, anchor, rigid, astray, oriented=oriented)
    tries = _TRIES if probe and definition.read(armature.data.bones[rig.bone_of(body)]) is None else 0
    tried: set[str] = set()
    for _ in range(tries):
        end = _loose_end(armature, rig, chain)
        if end and end not in tried:
            tried.add(end)
            if not probing.is_rigid_to_parent(armature, rig, end):
                continue
            rigid.add(end)
        else:
            bone = probing.first_astray(armature, rig, chain)
            if not bone or bone in astray:
                break
            rigid.discard(bone)
            tried.add(bone)
            astray[bone] = _ASTRAY
        rig, chain = _taken(armature, body, anchor, rigid, astray, oriented=oriented)
    refuse_rigid(armature, rig, chain)
    return rig, chain


def _taken(
    armature: bpy.types.Object,
    body: str,
    anchor: str | None,
    rigid: set[str],
    astray: dict[str, str],
    *,
    oriented: bool,
) -> tuple[Reading, Chain]:
    rig = reading.read(armature, rebase=True, rigid=rigid, astray=astray)
    bones = _sliding(armature, rig, body) if anchor is None else ()
    if bones:
        slides = dict.fromkeys(bones, oriented)
        sliding = reading.read(armature, rebase=True, slides=slides, rigid=rigid, astray=astray)
        own = sum(len(sliding.skeleton.body(bone).axes) for bone in bones)
        if own:
            return sliding, sliding.skeleton.chain(body, q=sliding.pose(), length=own)
    return rig, rig.skeleton.chain(body, q=rig.pose(), anchor=anchor)


def _loose_end(armature: bpy.types.Object, rig: Reading, chain: Chain) -> str:
    """The bone that ends a chain because it is placed from elsewhere, "" where something else ends it."""
    if not chain.anchor:
        return ""
    step = rig.skeleton.index(chain.anchor)
    if chain.dof and rig.skeleton.branches(chain.anchor) > 1:
        return ""
    while rig.skeleton.parent[step] >= 0:
        if rig.skeleton.body_at(step).axes:
            return ""
        step = rig.skeleton.parent[step]
    body = rig.skeleton.body_at(step)
    bone = armature.pose.bones[rig.bone_of(body.name)]
    if body.axes or bone.parent is None:
        return ""
    # Bones that are placed from elsewhere are no branches in the skeleton, but the character may well branch here.
    limbs = sum(any(below.children for below in child.children) for child in bone.parent.children)
    return bone.name if limbs <= 1 else ""


def _sliding(armature: bpy.types.Object, rig: Reading, body: str) -> tuple[str, ...]:
    """The bone whose location moves a body, after those that are connected to it; none where the body is turned."""
    bone = armature.pose.bones[rig.bone_of(body)]
    skeleton = rig.skeleton
    if definition.read(bone.bone) is not None:
        return ()
    above = _movable_above(skeleton, body)
    only_slides = not above and not skeleton.body(body).axes and all(bone.lock_rotation)
    leads = not above and bone.name in control.leading(armature)
    if not (only_slides or leads or _is_hips(skeleton, body, above)):
        return ()
    carried = [bone.name]
    while bone.bone.use_connect and bone.parent is not None and bone.parent.name in skeleton.bodies:
        bone = bone.parent
        carried.append(bone.name)
    return tuple(carried) if can_slide(bone) else ()


def _is_hips(skeleton: Skeleton, body: str, above: list[str]) -> bool:
    """Whether a body is where a character branches first, or carries that one alone."""
    if any(skeleton.branches(other) > 1 or skeleton.body(other).anchor for other in above):
        return False
    first = body
    below = _movable_below(skeleton, first)
    while len(below) == 1:
        first = below[0]
        below = _movable_below(skeleton, first)
    if not below:
        return False
    if first == body and not above:
        return True
    # A hand at the end of a lone arm branches first as well, but nothing does after it.
    return len(_movable_above(skeleton, first)) <= _ABOVE_HIPS and any(
        len(_movable_below(skeleton, other)) > 1 for other in _all_below(skeleton, first)
    )


def _movable_above(skeleton: Skeleton, body: str) -> list[str]:
    """Bodies above the body's assembly that joints move, the nearest first."""
    found = []
    step = skeleton.parent[skeleton.index(body)]
    own = bool(skeleton.body(body).axes)
    while step >= 0:
        described = skeleton.body_at(step)
        if described.axes:
            if own:
                found.append(described.name)
            own = True
        step = skeleton.parent[step]
    return found


def _movable_below(skeleton: Skeleton, body: str) -> list[str]:
    """The bodies that the joints on a body's assembly move; helpers do not count."""
    found = []
    for child in skeleton.children[skeleton.index(body)]:
        described = skeleton.body_at(child)
        if described.branch is not False:
            found.extend([described.name] if described.axes else _movable_below(skeleton, described.name))
    return found


def _all_below(skeleton: Skeleton, body: str) -> list[str]:
    found = _movable_below(skeleton, body)
    for other in found:
        found.extend(_movable_below(skeleton, other))
    return found
