"""From one bone to one body of a skeleton: origin, axes and the constants in between."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ..solver import Axis, AxisKind, Body, Mimic
from . import euler
from .branching import ORDINARY, Part
from .channels import Free, Motion, motion
from .clamps import Clamps
from .definition import Definition
from .matrices import EVEN, even_scale, inverse, moved, placed
from .snapshot import BoneState

Matrix = NDArray[np.float64]

# A bone that Blender shows farther than this from where its channels say is placed by something unknown to us.
_ASTRAY = 1e-4
_NOT_FULL = frozenset({"NONE", "NONE_LEGACY"})


class BodyMaker:
    """Makes the bodies of one armature, bone by bone, parents first.

    The frame of a body is ``PoseBone.matrix``, for links times the link's constant frame in the bone. Uniform scale is
    taken out where a joint turns and put back behind it, so that hinges always see rigid frames.

    Attributes:
        motions: of the bones that have unknowns of their own, by bone.
        unknowns: their names, by bone, in the order of ``motion.free``.
        bone_names: the bone of each body.
        held: why a body has no unknowns of its own, by body.
    """

    def __init__(
        self,
        labels: Mapping[str, str],
        states: Mapping[str, BoneState],
        clamps: Mapping[str, Clamps],
        defined: Mapping[str, Definition],
        followers: frozenset[str],
        placed: Mapping[str, str],
        *,
        noise: float,
        rebase: bool,
        slides: Mapping[str, bool],
        parts: Mapping[str, Part],
    ) -> None:
        """Take what is known of every bone, by bone name.

        Args:
            labels: name of the body.
            states: channels.
            clamps: what the constraints do to them.
            defined: definitions of the bones of a robot.
            followers: bones that follow another joint.
            placed: bones that do not follow their own channels, and why.
            noise: how far Blender itself may be off where it shows a bone.
            rebase: as for :func:`.reading.read`.
            slides: as for :func:`.reading.read`.
            parts: the parts in chains that are not the ordinary one.
        """
        self.motions: dict[str, Motion] = {}
        self.unknowns: dict[str, tuple[str, ...]] = {}
        self.bone_names: dict[str, str] = {}
        self.held: dict[str, str] = {}
        self._states = states
        self._clamps = clamps
        self._defined = defined
        self._followers = followers
        self._placed = dict(placed)
        self._noise = noise
        self._rebase = rebase
        self._slides = slides
        self._parts = parts
        self._labels = labels
        self._of_joint = {one.joint: bone for bone, one in defined.items() if one.moves}
        # What a bone's matrix is, and its uniform scale, None where it is uneven.
        self._shown: dict[str, Matrix] = {}
        self._scale: dict[str, float | None] = {}

    def make(self, bones: Iterable[bpy.types.PoseBone]) -> list[Body]:
        """The bodies of all bones, parents first."""
        made = [self._body(bone) for bone in bones]
        axes = {axis.name for body in made for axis in body.axes}
        lost = [
            (self.bone_names[body.name], axis.mimic.source)
            for body in made
            for axis in body.axes
            if axis.mimic is not None and axis.mimic.source not in axes
        ]
        if not lost:
            return made
        # Their relation is to something that is no joint for us, so they are placed by their drivers.
        self._placed.update(
            (bone, f"follows {source!r}, which does not follow its own channel") for bone, source in lost
        )
        self.motions.clear()
        self.unknowns.clear()
        self.held.clear()
        return self.make(bones)

    def _body(self, bone: bpy.types.PoseBone) -> Body:
        name = self._labels[bone.name]
        self.bone_names[name] = bone.name
        self._shown[bone.name] = np.array(bone.matrix, dtype=np.float64)
        one = self._defined.get(bone.name)
        own = motion(
            bone,
            self._states[bone.name],
            self._clamps[bone.name],
            one,
            rebase=self._rebase,
            slides=bone.name in self._slides,
            turns=self._slides.get(bone.name, True),
        )
        reason = self._placed.get(bone.name)
        if not reason and bone.name in self._followers:
            reason = self._astray_follower(bone, own)
        if reason:
            return self._rooted(bone, reason)
        if bone.parent is None or (bone.bone.use_inherit_rotation and self._scale[bone.parent.name] is not None):
            return self._following(bone, own)
        if bone.bone.use_inherit_rotation and bone.bone.inherit_scale == "FULL":
            return self._carried(bone, own)
        return self._turning(bone, own)

    def _following(self, bone: bpy.types.PoseBone, own: Motion) -> Body:
        """A bone whose parent is scaled evenly: it moves against it by its channels."""
        parent = self._parent(bone)
        scale = 1.0 if bone.parent is None else self._scale[bone.parent.name]
        assert scale is not None
        passed = math.copysign(1.0, scale) if bone.bone.inherit_scale in _NOT_FULL else scale
        stretch = self._states[bone.name].scale
        rest, way = _rest_offset(bone)
        predicted = self._above(bone) @ moved(rest, way @ own.location)
        predicted[:3, :3] = predicted[:3, :3] / scale * passed @ own.rotation() * stretch
        if self._is_astray(bone, predicted):
            return self._rooted(bone, "is shown elsewhere than its channels say")
        self._scale[bone.name] = _even_factor(stretch, passed)
        if not own.slides:
            origin = moved(rest, way @ own.location)
            origin[:3, :3] /= scale
            return self._moving(bone, own, parent, origin, passed)
        # A slide's unit is that of the channel: it stays in the parent's scale.
        fixed = np.array(own.location)
        fixed[[free.part for free in own.slides]] = 0.0
        along = rest[:3, :3].T @ way
        return self._moving(bone, own, parent, moved(rest, way @ fixed), passed / scale, along)

    def _carried(self, bone: bpy.types.PoseBone, own: Motion) -> Body:
        """A bone in a parent that is scaled unevenly: turning it would shear it, which the solver does not know."""
        rest, way = _rest_offset(bone)
        local = moved(rest, way @ own.location)
        local[:3, :3] = local[:3, :3] @ own.rotation() * self._states[bone.name].scale
        if self._is_astray(bone, self._above(bone) @ local):
            return self._rooted(bone, "is shown elsewhere than its channels say")
        self._scale[bone.name] = None
        return self._fixed(bone, self._parent(bone), local, "is in a parent that is scaled unevenly")

    def _turning(self, bone: bpy.types.PoseBone, own: Motion) -> Body:
        """A bone whose rotation is not its parent's: it turns by its channels, and is where it is."""
        shown, stretch = self._shown[bone.name], self._states[bone.name].scale
        turned = own.rotation() * stretch
        scale = None
        if own.slides and not own.turns:
            return self._slid(bone, own)
        if not own.slides and abs(np.linalg.det(turned)) > 1e-12:
            scale = even_scale(shown[:3, :3] @ np.linalg.inv(turned))
        if scale is None:
            return self._rooted(bone, "neither inherits its parent's rotation nor keeps its shape")
        origin = placed(shown[:3, :3] @ np.linalg.inv(turned) / scale, shown[:3, 3])
        self._scale[bone.name] = _even_factor(stretch, scale)
        return self._moving(bone, own, None, origin, scale)

    def _slid(self, bone: bpy.types.PoseBone, own: Motion) -> Body:
        """A bone that moves by its location alone, as its parent stands: however that bone is turned and shaped."""
        rest, way = _rest_offset(bone)
        shown, above = self._shown[bone.name], self._above(bone)[:3, :3] @ way
        scale = even_scale(above)
        if scale is None:
            return self._rooted(bone, "is in a parent that is scaled unevenly")
        fixed = np.array(own.location)
        fixed[[free.part for free in own.slides]] = 0.0
        origin = placed(above, (self._above(bone) @ moved(rest, way @ fixed))[:3, 3])
        self._scale[bone.name] = even_scale(shown[:3, :3])
        names = _names(self._labels[bone.name], own, single=False)
        self.motions[bone.name], self.unknowns[bone.name] = own, names
        return Body(
            name=self._labels[bone.name],
            parent=None,
            joint=self._labels[bone.name],
            origin=origin,
            axes=tuple(
                self._axis(bone, free, name, AxisKind.SLIDE, np.eye(3)[:, free.part])
                for name, free in zip(names, own.slides, strict=True)
            ),
            offset=placed(np.linalg.inv(above) @ shown[:3, :3]),
            point=_handle(bone, None),
        )

    def _rooted(self, bone: bpy.types.PoseBone, reason: str) -> Body:
        """A bone that is placed from elsewhere: it stays where it is shown."""
        shown = self._shown[bone.name]
        self._scale[bone.name] = even_scale(shown[:3, :3])
        return self._fixed(bone, None, shown, reason)

    def _fixed(self, bone: bpy.types.PoseBone, parent: str | None, local: Matrix, reason: str) -> Body:
        self.held[self._labels[bone.name]] = reason
        one, part = self._defined.get(bone.name), self._parts.get(bone.name, ORDINARY)
        return Body(
            name=self._labels[bone.name],
            parent=parent,
            joint="" if one is None else one.joint,
            origin=self._from_link(bone, parent) @ local,
            offset=np.eye(4) if one is None else one.frame,
            point=_handle(bone, one),
            anchor=part.anchor,
            branch=part.branch,
        )

    def _moving(
        self,
        bone: bpy.types.PoseBone,
        own: Motion,
        parent: str | None,
        origin: Matrix,
        scale: float,
        along: Matrix | None = None,
    ) -> Body:
        """A body with the bone's axes.

        Args:
            bone: that it stands for.
            own: its motion.
            parent: the parent body.
            origin: (4, 4) where the axes act, in the parent bone's matrix.
            scale: uniform, applied behind the axes.
            along: (3, 3) directions of the slides in the joint frame, in its columns.
        """
        label, one = self._labels[bone.name], self._defined.get(bone.name)
        joint = one.joint if one is not None else label
        names = _names(joint, own, single=one is not None)
        turning = {free.part: (free, names[len(own.slides) + i]) for i, free in enumerate(own.turns)}
        axes = []
        for i, free in enumerate(own.slides):
            assert along is not None
            axes.append(self._axis(bone, free, names[i], AxisKind.SLIDE, along[:, free.part]))
        constant = np.eye(3) if own.base is None else own.base
        for turn in euler.acting(own.order):
            if turn in turning:
                free, name = turning[turn]
                axes.append(self._axis(bone, free, name, AxisKind.HINGE, constant[:, turn]))
            else:
                constant = constant @ euler.about(turn, own.angles[turn])
        if own.swing:
            outer = axes[len(own.slides)]
            axes.append(replace(outer, name=f"{outer.name}'", mimic=Mimic(outer.name)))
        part = self._parts.get(bone.name, ORDINARY)
        offset = placed(constant * self._states[bone.name].scale * scale)
        if not axes:
            self.held[label] = own.held
        elif bone.name not in self._followers:
            self.motions[bone.name] = own
            self.unknowns[bone.name] = names
        return Body(
            name=label,
            parent=parent,
            joint=joint if axes or one is not None else "",
            origin=self._from_link(bone, parent) @ origin,
            axes=tuple(axes),
            offset=offset if one is None else offset @ one.frame,
            point=_handle(bone, one),
            anchor=part.anchor,
            branch=part.branch,
        )

    def _axis(self, bone: bpy.types.PoseBone, free: Free, name: str, kind: AxisKind, direction: Matrix) -> Axis:
        mimic = None
        if bone.name in self._followers:
            source, multiplier, offset = self._relation(bone.name)
            mimic = Mimic(self._defined[source].joint, multiplier, offset)
        x, y, z = direction.tolist()
        length = math.hypot(x, y, z)
        endless = kind == AxisKind.HINGE and math.isinf(free.lower) and math.isinf(free.upper)
        return Axis(name, kind, (x / length, y / length, z / length), free.lower, free.upper, endless, mimic=mimic)

    def _astray_follower(self, bone: bpy.types.PoseBone, own: Motion) -> str:
        """Why a follower is not where its relation says, "" where it is."""
        source, multiplier, offset = self._relation(bone.name)
        if source in self._followers:
            return "follows a joint that follows it"
        # The bone that is followed may come later among the bones.
        leader = bone.id_data.pose.bones[source]
        lead = motion(leader, self._states[source], self._clamps[source], self._defined[source], rebase=False)
        if abs(multiplier * lead.free[0].value + offset - own.free[0].value) > _ASTRAY:
            return f"has a driver that does not follow {self._defined[source].joint!r} as its definition says"
        return ""

    def _relation(self, follower: str) -> tuple[str, float, float]:
        """(bone, multiplier, offset) of what a follower follows in the end; a follower again where that is a loop."""
        bone, multiplier, offset = follower, 1.0, 0.0
        for _ in self._followers:
            one = self._defined[bone]
            assert one.mimic_joint is not None
            offset += multiplier * one.mimic_offset
            multiplier *= one.mimic_multiplier
            bone = self._of_joint[one.mimic_joint]
            if bone not in self._followers:
                break
        return bone, multiplier, offset

    def _is_astray(self, bone: bpy.types.PoseBone, predicted: Matrix) -> bool:
        shown, above = self._shown[bone.name], self._above(bone)[:3, 3].tolist()
        here, there = shown[:3, 3].tolist(), predicted[:3, 3].tolist()
        size = float(abs(predicted[:3, :3]).max())
        turned = float(abs(shown[:3, :3] - predicted[:3, :3]).max())
        length = max(bone.bone.length, math.dist(there, above))
        noise = 1e-6 * math.hypot(*here) + self._noise
        return turned > _ASTRAY * size or math.dist(here, there) > _ASTRAY * size * length + noise

    def _above(self, bone: bpy.types.PoseBone) -> Matrix:
        return np.eye(4) if bone.parent is None else self._shown[bone.parent.name]

    def _parent(self, bone: bpy.types.PoseBone) -> str | None:
        return None if bone.parent is None else self._labels[bone.parent.name]

    def _from_link(self, bone: bpy.types.PoseBone, parent: str | None) -> Matrix:
        """(4, 4) matrix of the parent bone in its body's frame."""
        above = None if parent is None else self._defined.get(bone.parent.name)
        return np.eye(4) if above is None else inverse(above.frame)


def _names(joint: str, own: Motion, *, single: bool) -> tuple[str, ...]:
    """Names of a bone's unknowns; a robot's joint gives its own name to its only one."""
    if single:
        return (joint,) * len(own.free)
    slides = tuple(f"{joint}:location_{'xyz'[free.part]}" for free in own.slides)
    if len(own.turns) == 1:
        return (*slides, joint)
    return (*slides, *(f"{joint}:{'xyz'[free.part]}" for free in own.turns))


def _handle(bone: bpy.types.PoseBone, one: Definition | None) -> tuple[float, float, float]:
    """The default handle: a link's origin, a bone's tail."""
    return (0.0, bone.bone.length, 0.0) if one is None else (0.0, 0.0, 0.0)


def _rest_offset(bone: bpy.types.PoseBone) -> tuple[Matrix, Matrix]:
    """(4, 4) rest matrix in the parent's, and the (3, 3) axes in that frame along which the location moves the bone."""
    rest = np.array(bone.bone.matrix_local, dtype=np.float64)
    if bone.parent is not None:
        rest = inverse(bone.parent.bone.matrix_local) @ rest
    return rest, rest[:3, :3] if bone.bone.use_local_location else np.eye(3)


def _even_factor(stretch: tuple[float, ...], scale: float) -> float | None:
    """The uniform scale that a bone hands on, None where its own is uneven or nothing."""
    x, y, z = stretch
    if max(abs(x - y), abs(x - z)) > EVEN * abs(x) or abs(x * scale) < 1e-6:
        return None
    return x * scale
