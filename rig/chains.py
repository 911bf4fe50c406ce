"""The chain of a dragged body, with the reading it belongs to: what moves, and whether by turning or by sliding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy

from ..errors import RigError
from ..solver import Chain, Skeleton
from . import control, definition, probing, reading, root
from . import pins as pinned
from .channels import can_slide
from .pins import Pin
from .reading import Reading, Survey
from .refusals import refuse_rigid

# Above a character's hips there is at most the bone that carries all of it, and that bone's control.
_ABOVE_HIPS = 2
# So often a chain is tried, and read again, before it is taken as it is.
_TRIES = 12
_ASTRAY = "does not follow its channels, as a small turn has shown"


@dataclass(frozen=True)
class _Asked:
    """What :func:`take` was asked for."""

    body: str
    anchor: str | None
    oriented: bool
    pins: Sequence[Pin]
    root_motion: bool
    length: int | None


def take(
    armature: bpy.types.Object,
    body: str,
    *,
    anchor: str | None = None,
    oriented: bool = False,
    probe: bool = False,
    pins: Sequence[Pin] = (),
    root_motion: bool = False,
    length: int | None = None,
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
        pins: bodies that stay, in armature space; the joints that let them are added. The dragged body is the chain's
            first, the pinned ones that need joints follow.
        root_motion: the chain goes all the way up, and what carries everything moves freely: a character's hips, or
            else the bone above all others, or else the armature object. A robot's floating base is such a bone.
        length: how many bodies above the dragged one, itself included, joints may move; None = by the rule. Chains that
            slide have one length only.

    Raises:
        LinkposeError: no such body, an armature that cannot be read, or nothing that can move the body.
    """
    if root_motion and anchor not in (None, "root"):
        raise RigError(f"with root_motion the chain goes all the way up: leave the anchor {anchor!r} away")
    asked = _Asked(body, anchor, oriented, pins, root_motion, length)
    rigid: set[str] = set()
    astray: dict[str, str] = {}
    survey = reading.Survey(armature)
    rig, own, chain = _taken(armature, asked, rigid, astray, survey)
    tries = _TRIES if probe and definition.read(armature.data.bones[rig.bone_of(body)]) is None else 0
    tried: set[str] = set()
    for _ in range(tries):
        end = _loose_end(armature, rig, own)
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
        rig, own, chain = _taken(armature, asked, rigid, astray, survey)
    refuse_rigid(armature, rig, own)
    return rig, chain


def lengths(rig: Reading, chain: Chain) -> tuple[int, int]:
    """(length of a chain, the longest that it may have): bodies from the dragged one up whose joints may move.

    Args:
        rig: what the chain was taken of.
        chain: its first body is the dragged one.
    """
    above = _moved_above(rig, chain.bodies[0])
    taken = set(chain.unknowns)
    own = sum(any(axis in taken for axis in _unlocked(rig, body)) for body in above)
    # A slide of a robot has no "location" in its name: there it is a joint like any other.
    slides = any(":location_" in name for name in chain.unknowns)
    return own, own if slides else len(above)


def _taken(
    armature: bpy.types.Object, asked: _Asked, rigid: set[str], astray: dict[str, str], survey: Survey
) -> tuple[Reading, Chain, Chain]:
    """(reading, chain of the dragged body alone, the same with what pins add)."""
    rig, own = _own(armature, asked, rigid, astray, survey)
    return rig, own, pinned.tree(rig, own, asked.pins)


def _own(
    armature: bpy.types.Object, asked: _Asked, rigid: set[str], astray: dict[str, str], survey: Survey
) -> tuple[Reading, Chain]:
    body = asked.body
    rig = reading.read(armature, rebase=True, rigid=rigid, astray=astray, survey=survey)
    if asked.root_motion:
        bone = _carrier(armature, rig, body)
        if bone:
            free = reading.read(armature, rebase=True, slides={bone: True}, rigid=rigid, astray=astray, survey=survey)
            if bone in free.bones and free.bones[bone].motion.slides:
                return free, _up_to(free, body, bone)
        if _floats(armature, rig, body):
            return rig, rig.skeleton.chain(body, q=rig.pose(), anchor="root")
        whole = root.with_object(armature, rig)
        return whole, whole.skeleton.chain(body, q=whole.pose(), anchor="root")
    bones = _sliding(armature, rig, body) if asked.anchor is None else ()
    if bones:
        slides = dict.fromkeys(bones, asked.oriented)
        sliding = reading.read(armature, rebase=True, slides=slides, rigid=rigid, astray=astray, survey=survey)
        own = sum(len(sliding.skeleton.body(bone).axes) for bone in bones)
        if own:
            return sliding, sliding.skeleton.chain(body, q=sliding.pose(), length=own)
    above = _moved_above(rig, body) if asked.length is not None else []
    if asked.length is not None and above:
        return rig, _up_to(rig, body, above[min(max(asked.length, 1), len(above)) - 1])
    return rig, rig.skeleton.chain(body, q=rig.pose(), anchor=asked.anchor)


def _up_to(rig: Reading, body: str, last: str) -> Chain:
    """The chain of a body that moves everything up to another one, that included."""
    skeleton = rig.skeleton
    # By its place and not by its name: a bone may be called "root", which as an anchor means all the way up.
    return Chain(skeleton, (body,), q=rig.pose(), anchor=[skeleton.parent[skeleton.index(last)]])


def _moved_above(rig: Reading, body: str) -> list[str]:
    """A body and those above it that have joints which no lock holds, the nearest first."""
    skeleton = rig.skeleton
    found = []
    step = skeleton.index(body)
    while step >= 0:
        if _unlocked(rig, skeleton.bodies[step]):
            found.append(skeleton.bodies[step])
        step = skeleton.parent[step]
    return found


def _unlocked(rig: Reading, body: str) -> list[str]:
    """The unknowns, not held by locks, that move a body against its parent."""
    skeleton = rig.skeleton
    names = (skeleton.unknowns[skeleton.axis_unknown[axis]] for axis in skeleton.axes_of(skeleton.index(body)))
    return [name for name in names if not rig.is_locked(name)]


def _floats(armature: bpy.types.Object, rig: Reading, body: str) -> bool:
    """Whether a robot's body hangs on a base that its own joint lets move freely."""
    for moved in _moved_above(rig, body):
        one = definition.read(armature.data.bones[rig.bone_of(moved)])
        if one is not None and one.type == definition.FLOATING:
            return True
    return False


def _carrier(armature: bpy.types.Object, rig: Reading, body: str) -> str:
    """The bone that carries a character and is to move freely; "" where there is none, as in a robot."""
    if definition.read(armature.pose.bones[rig.bone_of(body)].bone) is not None:
        return ""
    skeleton = rig.skeleton
    path = [body]
    while (parent := skeleton.body(path[-1]).parent) is not None:
        path.append(parent)
    found = next((one for one in path if _is_hips(skeleton, one, _movable_above(skeleton, one))), path[-1])
    bone = armature.pose.bones[found]
    while bone.bone.use_connect and bone.parent is not None and bone.parent.name in skeleton.bodies:
        bone = bone.parent
    return bone.name if can_slide(bone) else ""


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
