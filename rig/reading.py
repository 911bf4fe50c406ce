"""Any armature as a skeleton in armature space, and the way back from its unknowns to Blender's channels."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ..errors import RigError
from ..solver import Body, Skeleton
from . import branching, control, definition, euler, names, stacks
from .bodies import BodyMaker, Known
from .bones import Bones
from .channels import Channel, Motion, rotation_path
from .clamps import RotationLimit
from .euler import Triple
from .laws import BoneLaw
from .mimics import Followers
from .snapshot import OBJECT, BoneState


@dataclass(frozen=True)
class BoneReading:
    """One bone that has unknowns, as it was read.

    Attributes:
        state: its channels.
        motion: what they make of it.
        unknowns: names of its unknowns, in the order of ``motion.free``.
        limit: what Limit Rotation leaves of its rotation, None where there is none.
    """

    state: BoneState
    motion: Motion
    unknowns: tuple[str, ...]
    limit: RotationLimit | None = None

    def angles(self, values: Sequence[float]) -> Triple:
        """(3,) the motion's angles with other values of the unknowns."""
        angles = list(self.motion.angles)
        for free, value in zip(self.motion.turns, values[len(self.motion.slides) :], strict=True):
            angles[free.part] = value
        return angles[0], angles[1], angles[2]


class Reading:
    """An armature as it was at one moment. Holds plain data only, so it may be kept across events.

    Attributes:
        skeleton: in armature space. A robot's bodies are its links, any other armature's its bones.
        channels: where each unknown is kept, by name.
        bones: the bones that have unknowns, by name.
        held: why a body has no unknowns of its own, by body: a phrase that completes "bone X ...".
        loose: those of them that are placed from elsewhere.
        rebased: whether the unknowns of balls without limits are counted from the orientation they were read in.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        bones: Mapping[str, BoneReading],
        bone_names: Mapping[str, str],
        held: Mapping[str, str],
        loose: Iterable[str] = (),
        *,
        rebased: bool,
    ) -> None:
        """Take over what :func:`read` found; ``bone_names`` is the bone of each body."""
        self.skeleton = skeleton
        self.bones = bones
        self.held = held
        self.loose = frozenset(loose)
        self.rebased = rebased
        self._bone_of = dict(bone_names)
        self._body_of = {bone: body for body, bone in bone_names.items()}
        self.channels: dict[str, Channel] = {
            name: channel for bone, entry in bones.items() for name, channel in _channels(bone, entry)
        }
        values = {
            name: free.value
            for entry in bones.values()
            for name, free in zip(entry.unknowns, entry.motion.free, strict=True)
        }
        self._place = {name: i for i, name in enumerate(skeleton.unknowns)}
        self._q = np.array([values[name] for name in skeleton.unknowns], dtype=np.float64)

    def pose(self) -> np.ndarray:
        """(n,) effective value of every unknown, as Blender showed it: clamped by the limit constraints.

        Whole turns of a channel without limits are kept.
        """
        return self._q.copy()

    def bone_of(self, body: str) -> str:
        """Name of the bone that stands for a body.

        Raises:
            SkeletonError: there is no such body; close names are suggested.
        """
        self.skeleton.index(body)
        return self._bone_of[body]

    def body_of(self, bone: str) -> str:
        """Name of the body that a bone stands for.

        Raises:
            RigError: there is no such bone.
        """
        try:
            return self._body_of[bone]
        except KeyError:
            raise RigError(f"no bone {bone!r} in this armature") from None

    def below(self, mover: Body, entry: BoneReading) -> Reading:
        """The same armature below a body that moves all of it, whose channels are those of the armature object.

        Args:
            mover: a body without a parent; its frame is the identity where the object is now.
            entry: what its axes are kept in.
        """
        described = [self.skeleton.body_at(i) for i in range(len(self.skeleton.bodies))]
        hung = [replace(body, parent=mover.name) if body.parent is None else body for body in described]
        # A law that looks at armature space cannot tell that this moves as well.
        hung = [
            replace(body, law=None) if isinstance(body.law, BoneLaw) and not body.law.follows_object else body
            for body in hung
        ]
        return Reading(
            Skeleton([mover, *hung]),
            {OBJECT: entry, **self.bones},
            {mover.name: OBJECT, **self._bone_of},
            self.held,
            self.loose,
            rebased=self.rebased,
        )

    def is_locked(self, unknown: str) -> bool:
        """Whether limits, or a lock on a robot's joint, leave an unknown one value only."""
        place = self.skeleton.unknowns.index(unknown)
        return bool(self.skeleton.lower[place] == self.skeleton.upper[place])

    def written_bones(self, unknowns: Iterable[str]) -> tuple[str, ...]:
        """The bones whose channels keep these unknowns."""
        return tuple(dict.fromkeys(self.channels[name].bone for name in unknowns))

    def as_shown(self, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """(n,) the full pose that Blender shows when ``q`` (n,) is written; ``q`` itself but for few.

        Limit Rotation clamps the canonical angles of a rotation, which can be others than those that make it within
        the limits.
        """
        found = np.array(q, dtype=np.float64)
        for entry in self.bones.values():
            if entry.limit is None:
                continue
            places = [self._place[name] for name in entry.unknowns]
            angles, same = entry.limit.shown(entry.angles(found[places].tolist()))
            if not same:
                for free, place in zip(entry.motion.turns, places[len(entry.motion.slides) :], strict=True):
                    found[place] = min(max(angles[free.part], free.lower), free.upper)
        return found

    def absolute(self, q: Sequence[float] | np.ndarray) -> dict[str, float]:
        """Every axis' value by name [rad] or [m], as a reading without ``rebase`` would have it.

        Angles of rebased balls become Euler angles in the bone's own order, next to the ones it was read with.
        """
        values = self.skeleton.pose(q)
        for entry in self.bones.values():
            motion = entry.motion
            if motion.base is None:
                continue
            turned = entry.angles([values[name] for name in entry.unknowns])
            start = motion.start or euler.to_euler(motion.base, motion.order)[0]
            angles = euler.nearest_euler(motion.rotation(turned), motion.order, start)
            for name, free in zip(entry.unknowns[len(motion.slides) :], motion.turns, strict=True):
                values[name] = angles[free.part]
        return values


class Survey:
    """What every reading of an armature in one pose has in common. Valid until Blender changes anything else.

    A pose that was changed for a trial and put back, bit for bit, is the same one.

    Attributes:
        bones: all of them.
        defined: the robot's definition of each bone that has one.
        followers: which of those follow others.
        limits: what each bone's constraints leave of its channels, where it has any.
        elsewhere: why a bone is placed from elsewhere, by bone.
        labels: each bone's body.
        noise: see :func:`noise`.
    """

    def __init__(self, armature: bpy.types.Object) -> None:
        """Look at an armature as it is shown now.

        Raises:
            RigError: it is no armature, or one whose pose cannot be seen, with the reason.
        """
        check_readable(armature)
        data = armature.data
        assert isinstance(data, bpy.types.Armature)
        self.defined = names.definitions(data)
        driven = control.driven(armature)
        self.followers = Followers(self.defined, driven)
        self.bones = Bones(armature)
        constrained = [bone for bone in self.bones.posed if len(bone.constraints)]
        self.limits = {bone.name: stacks.read(bone, armature, robot=bone.name in self.defined) for bone in constrained}
        self.elsewhere = control.placed_elsewhere(constrained, self.limits, self.followers.foreign(driven))
        self.labels = names.body_names(data, self.defined)
        self.noise = noise(armature)
        self._parts: dict[frozenset[str], dict[str, branching.Part]] = {}

    def parts(self, loose: frozenset[str]) -> dict[str, branching.Part]:
        """The special parts in chains of all bones that are no links of a robot, where these are roots of their own."""
        if len(self.defined) == len(self.bones):
            return {}
        if loose not in self._parts:
            found = branching.parts(self.bones, loose)
            self._parts[loose] = {name: part for name, part in found.items() if name not in self.defined}
        return self._parts[loose]


def read(
    armature: bpy.types.Object,
    *,
    rebase: bool = False,
    slides: Mapping[str, bool] | None = None,
    rigid: Container[str] = (),
    astray: Mapping[str, str] | None = None,
    survey: Survey | None = None,
) -> Reading:
    """Read an armature as it is shown now.

    A bone's matrix is ``parent @ rest offset @ channels`` with what its limit constraints leave of it; connected bones,
    ``use_local_location``, ``use_inherit_rotation`` and all modes of ``inherit_scale`` included. Limits in local space
    and of full influence are limits of the unknowns; others are laws of the bodies, as is what a parent hands on of its
    scale and rotation where that changes as the parent moves. Joints in a parent that is scaled unevenly turn as
    Blender has them, on ellipses.

    Some kinds of bones have no unknowns and say why in :attr:`Reading.held`. Those placed from elsewhere (other
    constraints, IK, drivers), and those that Blender shows elsewhere than their channels say, are roots of their own,
    where they are: a chain ends there.

    Args:
        armature: an armature object in the active view layer, not in Edit Mode and not in rest position.
        rebase: count the angles of balls without limits from where they stand, as the solver needs it.
        slides: bones whose location is free, and whether their rotation is as well. The locations of all other bones
            are constant, except the joints of a robot.
        rigid: bones that are placed from elsewhere and yet known to go with their parents.
        astray: bones that are known not to follow their channels, and why.
        survey: of the same armature in the same pose, where it is read more than once; None = make one.

    Raises:
        RigError: it is no armature, or one whose pose cannot be seen, with the reason.
    """
    if survey is None:
        survey = Survey(armature)
    defined, limits, labels = survey.defined, survey.limits, survey.labels
    elsewhere = {**survey.elsewhere, **(astray or {})}
    known = Known(
        labels=labels,
        clamps=limits,
        defined=defined,
        followers=survey.followers,
        placed_elsewhere=elsewhere,
        parts=survey.parts(frozenset(bone for bone in elsewhere if bone not in rigid)),
        noise=survey.noise,
        rebase=rebase,
        slides=slides or {},
        rigid=rigid,
    )
    maker = BodyMaker(survey.bones, known)
    skeleton = Skeleton(maker.make())
    read_bones = {
        name: BoneReading(
            maker.states[name],
            motion,
            maker.unknowns[name],
            None if name in defined or name not in limits or name in maker.stacked else limits[name].rotation,
        )
        for name, motion in maker.motions.items()
    }
    bone_names = {label: bone for bone, label in labels.items()}
    return Reading(skeleton, read_bones, bone_names, maker.held, maker.loose, rebased=rebase)


def slides_named(armature: bpy.types.Object, unknowns: Iterable[str]) -> dict[str, bool]:
    """The ``slides`` of :func:`read` that make unknowns of these names, as far as they are locations of bones."""
    bones = (name.rpartition(":location_")[0] for name in unknowns)
    return {bone: True for bone in bones if bone in armature.pose.bones}


def frame_shown(armature: bpy.types.Object, reading: Reading, body: str) -> np.ndarray:
    """(4, 4) frame of a body in armature space as Blender shows it now, after its last update of the view layer."""
    bone = reading.bone_of(body)
    shown = np.array(armature.pose.bones[bone].matrix, dtype=np.float64)
    one = definition.read(armature.data.bones[bone])
    return shown if one is None or one.link != body else shown @ one.frame


def check_readable(armature: object) -> None:
    """Refuse what has no pose that can be seen; brings the view layer up to date.

    Raises:
        RigError: with the reason and the remedy.
    """
    if not isinstance(armature, bpy.types.Object) or armature.type != "ARMATURE":
        found = (
            f"{armature.name!r}, which is of type {armature.type}"
            if isinstance(armature, bpy.types.Object)
            else repr(armature)
        )
        raise RigError(f"an armature object is needed, not {found}")
    if not isinstance(armature.data, bpy.types.Armature):
        raise RigError(f"armature {armature.name!r} has no armature data: its library may be missing")
    if armature.data.is_editmode:
        raise RigError(f"armature {armature.name!r} is in Edit Mode, where it has no pose: leave Edit Mode first")
    if armature.data.pose_position == "REST":
        raise RigError(
            f"armature {armature.name!r} is shown in rest position, whatever its pose: "
            "set Armature > Pose to Pose Position first"
        )
    bpy.context.view_layer.update()
    if bpy.context.view_layer.objects.get(armature.name) != armature:
        raise RigError(
            f"armature {armature.name!r} is not in the view layer {bpy.context.view_layer.name!r}, "
            "where alone its pose is known: link it to a collection that is not excluded"
        )
    if not armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).is_evaluated:
        raise RigError(
            f"armature {armature.name!r} is disabled in viewports, so Blender does not compute its pose: "
            "enable it, or the collection it is in (the screen icon in the Outliner)"
        )


def check_posable(armature: object) -> None:
    """Refuse what cannot be posed: what cannot be read, and linked armatures without an override.

    Raises:
        RigError: with the reason and the remedy.
    """
    check_readable(armature)
    assert isinstance(armature, bpy.types.Object)
    if armature.library is not None:
        raise RigError(
            f"armature {armature.name!r} is linked from {armature.library.filepath!r} and cannot be posed: "
            "make a library override of it first"
        )


def noise(armature: bpy.types.Object) -> float:
    """How far off Blender shows bones with constraints: it takes them to world space and back in single precision."""
    world = np.array(armature.matrix_world, dtype=np.float64)
    smallest = float(np.linalg.norm(world[:3, :3], axis=0).min())
    return 1e-6 * float(np.linalg.norm(world[:3, 3])) / max(smallest, 1e-9)


def _channels(bone: str, entry: BoneReading) -> list[tuple[str, Channel]]:
    found = []
    for i, (name, free) in enumerate(zip(entry.unknowns, entry.motion.free, strict=True)):
        if i < len(entry.motion.slides):
            channel = Channel(bone, "location", free.part)
        elif entry.motion.direct:
            channel = Channel(bone, "rotation_euler", free.part)
        else:
            channel = Channel(bone, rotation_path(entry.state), -1)
        found.append((name, channel))
    return found
