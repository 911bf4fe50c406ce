"""From one bone to one body of a skeleton: origin, axes and the constants in between."""

from __future__ import annotations

import math
from collections.abc import Mapping

import bpy
import numpy as np
from numpy.typing import NDArray

from ..solver import Axis, AxisKind, Body, Mimic
from . import euler
from .channels import Free, Motion, motion
from .clamps import Clamps
from .definition import Definition
from .snapshot import BoneState

Matrix = NDArray[np.float64]

# A bone that Blender shows farther than this from where its channels say is placed by something unknown to us.
_ASTRAY = 1e-4
_EVEN = 1e-4
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
        states: Mapping[str, BoneState],
        clamps: Mapping[str, Clamps],
        definitions: Mapping[str, Definition],
        followers: frozenset[str],
        placed: Mapping[str, str],
        *,
        rebase: bool,
    ) -> None:
        """Take what is known of every bone, by bone name.

        Args:
            states: channels.
            clamps: what the constraints do to them.
            definitions: of the bones of a robot.
            followers: bones that follow another joint.
            placed: bones that do not follow their own channels, and why.
            rebase: as for :func:`.reading.read`.
        """
        self.motions: dict[str, Motion] = {}
        self.unknowns: dict[str, tuple[str, ...]] = {}
        self.bone_names: dict[str, str] = {}
        self.held: dict[str, str] = {}
        self._states = states
        self._clamps = clamps
        self._definitions = definitions
        self._followers = followers
        self._placed = placed
        self._rebase = rebase
        self._labels = _labels(states, definitions)
        self._of_joint = {one.joint: bone for bone, one in definitions.items() if one.moves}
        # What a bone's matrix is, and its uniform scale, None where it is uneven.
        self._shown: dict[str, Matrix] = {}
        self._scale: dict[str, float | None] = {}

    def body(self, bone: bpy.types.PoseBone) -> Body:
        """The body of a bone whose parent's was made before."""
        name = self._labels[bone.name]
        self.bone_names[name] = bone.name
        self._shown[bone.name] = np.array(bone.matrix, dtype=np.float64)
        one = self._definitions.get(bone.name)
        own = motion(bone, self._states[bone.name], self._clamps[bone.name], one, rebase=self._rebase)
        reason = self._placed.get(bone.name) or self._astray_follower(bone, own)
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
        predicted = self._above(bone) @ _placed(rest, way @ own.location)
        predicted[:3, :3] = predicted[:3, :3] / scale * passed @ own.rotation() * stretch
        if self._is_astray(bone, predicted):
            return self._rooted(bone, "is shown elsewhere than its channels say")
        self._scale[bone.name] = _even_factor(stretch, passed)
        if own.slide is None:
            origin = _placed(rest, way @ own.location)
            origin[:3, :3] /= scale
            return self._moving(bone, own, parent, origin, passed)
        # A slide's unit is that of the channel: it stays in the parent's scale.
        fixed = np.array(own.location)
        fixed[own.slide.part] = 0.0
        along = rest[:3, :3].T @ way[:, own.slide.part]
        return self._moving(bone, own, parent, _placed(rest, way @ fixed), passed / scale, along)

    def _carried(self, bone: bpy.types.PoseBone, own: Motion) -> Body:
        """A bone in a parent that is scaled unevenly: turning it would shear it, which the solver does not know."""
        rest, way = _rest_offset(bone)
        local = _placed(rest, way @ own.location)
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
        if own.slide is None and abs(np.linalg.det(turned)) > 1e-12:
            scale = _even_scale(shown[:3, :3] @ np.linalg.inv(turned))
        if scale is None:
            return self._rooted(bone, "neither inherits its parent's rotation nor keeps its shape")
        origin = _placed(shown, np.zeros(3))
        origin[:3, :3] = shown[:3, :3] @ np.linalg.inv(turned) / scale
        self._scale[bone.name] = _even_factor(stretch, scale)
        return self._moving(bone, own, None, origin, scale)

    def _rooted(self, bone: bpy.types.PoseBone, reason: str) -> Body:
        """A bone that is placed from elsewhere: it stays where it is shown."""
        shown = self._shown[bone.name]
        self._scale[bone.name] = _even_scale(shown[:3, :3])
        return self._fixed(bone, None, shown, reason)

    def _fixed(self, bone: bpy.types.PoseBone, parent: str | None, local: Matrix, reason: str) -> Body:
        self.held[self._labels[bone.name]] = reason
        one = self._definitions.get(bone.name)
        return Body(
            name=self._labels[bone.name],
            parent=parent,
            joint="" if one is None else one.joint,
            origin=self._from_link(bone, parent) @ local,
            offset=np.eye(4) if one is None else one.frame,
            point=_handle(bone, one),
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
            along: (3,) direction of the slide in the joint frame.
        """
        label, one = self._labels[bone.name], self._definitions.get(bone.name)
        joint = one.joint if one is not None else label
        turning = {free.part: free for free in own.turns}
        names = {free: joint if len(own.free) == 1 else f"{joint}:{'xyz'[free.part]}" for free in own.free}
        axes = []
        if own.slide is not None and along is not None:
            axes.append(self._axis(bone, own.slide, names[own.slide], AxisKind.SLIDE, along))
        constant = np.eye(3) if own.base is None else own.base
        for part in euler.acting(own.order):
            if part in turning:
                free = turning[part]
                axes.append(self._axis(bone, free, names[free], AxisKind.HINGE, constant[:, part]))
            else:
                constant = constant @ euler.about(part, own.angles[part])
        offset = _placed(constant * self._states[bone.name].scale * scale, np.zeros(3))
        if not axes:
            self.held[label] = own.held
        elif bone.name not in self._followers:
            self.motions[bone.name] = own
            self.unknowns[bone.name] = tuple(names[free] for free in own.free)
        return Body(
            name=label,
            parent=parent,
            joint=joint if axes or one is not None else "",
            origin=self._from_link(bone, parent) @ origin,
            axes=tuple(axes),
            offset=offset if one is None else offset @ one.frame,
            point=_handle(bone, one),
        )

    def _axis(self, bone: bpy.types.PoseBone, free: Free, name: str, kind: AxisKind, direction: Matrix) -> Axis:
        one = self._definitions.get(bone.name)
        mimic = None
        if one is not None and one.mimic_joint is not None and bone.name in self._followers:
            mimic = Mimic(one.mimic_joint, one.mimic_multiplier, one.mimic_offset)
        x, y, z = (float(number) for number in direction / np.linalg.norm(direction))
        endless = kind == AxisKind.HINGE and math.isinf(free.lower) and math.isinf(free.upper)
        return Axis(name, kind, (x, y, z), free.lower, free.upper, endless, mimic=mimic)

    def _astray_follower(self, bone: bpy.types.PoseBone, own: Motion) -> str:
        """Why a follower is not where its relation says, "" where it is, or the bone is none."""
        if bone.name not in self._followers:
            return ""
        value, multiplier, offset = own.free[0].value, 1.0, 0.0
        step = bone.name
        for _ in range(len(self._followers)):
            one = self._definitions[step]
            assert one.mimic_joint is not None
            offset += multiplier * one.mimic_offset
            multiplier *= one.mimic_multiplier
            step = self._of_joint[one.mimic_joint]
            if step not in self._followers:
                break
        else:
            return "follows a joint that follows it"
        # The joint that is followed may come later among the bones.
        source = bone.id_data.pose.bones[step]
        followed = motion(source, self._states[step], self._clamps[step], self._definitions[step], rebase=False)
        if abs(multiplier * followed.free[0].value + offset - value) > _ASTRAY:
            return f"has a driver that does not follow {self._definitions[step].joint!r} as its definition says"
        return ""

    def _is_astray(self, bone: bpy.types.PoseBone, predicted: Matrix) -> bool:
        shown = self._shown[bone.name]
        size = float(abs(predicted[:3, :3]).max())
        length = max(bone.bone.length, float(np.linalg.norm(predicted[:3, 3] - self._above(bone)[:3, 3])))
        turned = float(abs(shown[:3, :3] - predicted[:3, :3]).max())
        moved = float(np.linalg.norm(shown[:3, 3] - predicted[:3, 3]))
        noise = 1e-6 * float(np.linalg.norm(shown[:3, 3]))
        return turned > _ASTRAY * size or moved > _ASTRAY * size * length + noise

    def _above(self, bone: bpy.types.PoseBone) -> Matrix:
        return np.eye(4) if bone.parent is None else self._shown[bone.parent.name]

    def _parent(self, bone: bpy.types.PoseBone) -> str | None:
        return None if bone.parent is None else self._labels[bone.parent.name]

    def _from_link(self, bone: bpy.types.PoseBone, parent: str | None) -> Matrix:
        """(4, 4) matrix of the parent bone in its body's frame."""
        above = None if parent is None else self._definitions.get(bone.parent.name)
        return np.eye(4) if above is None else np.linalg.inv(above.frame)


def _labels(states: Mapping[str, BoneState], definitions: Mapping[str, Definition]) -> dict[str, str]:
    """Name of each bone's body: the link's, or the bone's own where that means nothing else yet."""
    taken = {one.link for one in definitions.values()} | {one.joint for one in definitions.values()}
    labels = {bone: one.link for bone, one in definitions.items()}
    for bone in states:
        if bone in labels:
            continue
        label = bone
        while label in taken:
            label += " (bone)"
        taken.add(label)
        labels[bone] = label
    return labels


def _handle(bone: bpy.types.PoseBone, one: Definition | None) -> tuple[float, float, float]:
    """The default handle: a link's origin, a bone's tail."""
    return (0.0, bone.bone.length, 0.0) if one is None else (0.0, 0.0, 0.0)


def _rest_offset(bone: bpy.types.PoseBone) -> tuple[Matrix, Matrix]:
    """(4, 4) rest matrix in the parent's, and the (3, 3) axes in that frame along which the location moves the bone."""
    rest = np.array(bone.bone.matrix_local, dtype=np.float64)
    if bone.parent is not None:
        rest = np.linalg.inv(np.array(bone.parent.bone.matrix_local, dtype=np.float64)) @ rest
    return rest, rest[:3, :3] if bone.bone.use_local_location else np.eye(3)


def _placed(matrix: Matrix, moved: Matrix) -> Matrix:
    """(4, 4) from a (3, 3) or (4, 4) matrix, moved by (3,) in the space that it lies in."""
    result = np.eye(4)
    size = len(matrix)
    result[:size, :size] = matrix
    result[:3, 3] += moved
    return result


def _even_factor(stretch: tuple[float, ...], scale: float) -> float | None:
    """The uniform scale that a bone hands on, None where its own is uneven or nothing."""
    x, y, z = stretch
    if max(abs(x - y), abs(x - z)) > _EVEN * abs(x) or abs(x * scale) < 1e-6:
        return None
    return x * scale


def _even_scale(matrix: Matrix) -> float | None:
    """The uniform scale of a (3, 3) matrix, negative where it mirrors; None where it is uneven or nothing."""
    square = matrix.T @ matrix
    mean = float(np.trace(square)) / 3.0
    if mean < 1e-12 or float(abs(square - mean * np.eye(3)).max()) > _EVEN * mean:
        return None
    return math.copysign(math.sqrt(mean), float(np.linalg.det(matrix)))
