"""From bones to the bodies of a skeleton: origin, axes and the constants in between."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..solver import Axis, AxisKind, Body, Mimic
from . import euler, placing
from .bones import FULL, NONE, NONE_LEGACY, Bones
from .branching import ORDINARY, Part
from .channels import Free, Motion, free_ball, locked_ball, motion
from .clamps import NOTHING, Clamps
from .definition import Definition
from .matrices import inverse, placed
from .snapshot import BoneState

Matrix = NDArray[np.float64]

# A bone that Blender shows farther than this from where its channels say is placed by something unknown to us.
_ASTRAY = 1e-4
_ASTRAY_REASON = "is shown elsewhere than its channels say"
_UNEVEN_REASON = "is in a parent that is scaled unevenly"


class BodyMaker:
    """Makes the bodies of one armature, parents first.

    The frame of a body is ``PoseBone.matrix``, for links times the link's constant frame in the bone. Uniform scale is
    taken out where a joint turns and put back behind it, so that hinges always see rigid frames.

    Attributes:
        motions: of the bones that have unknowns of their own, by bone.
        unknowns: their names, by bone, in the order of ``motion.free``.
        states: their channels, by bone.
        held: why a body has no unknowns of its own, by body.
    """

    def __init__(
        self,
        bones: Bones,
        labels: Mapping[str, str],
        clamps: Mapping[str, Clamps],
        defined: Mapping[str, Definition],
        followers: frozenset[str],
        placed_elsewhere: Mapping[str, str],
        *,
        noise: float,
        rebase: bool,
        slides: Mapping[str, bool],
        parts: Mapping[str, Part],
        rigid: Container[str],
    ) -> None:
        """Take what is known of every bone, by bone name.

        Args:
            bones: as they are.
            labels: name of the body.
            clamps: what the constraints do to the channels, of the bones that have any.
            defined: definitions of the bones of a robot.
            followers: bones that follow another joint.
            placed_elsewhere: bones that do not follow their own channels, and why.
            noise: how far Blender itself may be off where it shows a bone.
            rebase: as for :func:`.reading.read`.
            slides: as for :func:`.reading.read`.
            parts: the parts in chains that are not the ordinary one.
            rigid: as for :func:`.reading.read`.
        """
        self.motions: dict[str, Motion] = {}
        self.unknowns: dict[str, tuple[str, ...]] = {}
        self.states: dict[str, BoneState] = {}
        self.held: dict[str, str] = {}
        self._bones = bones
        self._labels = labels
        self._clamps = clamps
        self._defined = defined
        self._followers = followers
        self._placed = dict(placed_elsewhere)
        self._noise = noise
        self._rebase = rebase
        self._slides = slides
        self._parts = parts
        self._rigid = rigid
        self._of_joint = {one.joint: bone for bone, one in defined.items() if one.moves}

    def make(self) -> list[Body]:
        """The bodies of all bones, parents first."""
        self._predict()
        made = [self._body(place, name) for place, name in enumerate(self._bones.names)]
        axes = {axis.name for body in made for axis in body.axes}
        lost = [
            (self._bones.names[place], axis.mimic.source)
            for place, body in enumerate(made)
            for axis in body.axes
            if axis.mimic is not None and axis.mimic.source not in axes
        ]
        if not lost:
            return made
        # Their relation is to something that is no joint for us, so they are placed by their drivers.
        self._placed.update(
            (bone, f"follows {source!r}, which does not follow its own channel") for bone, source in lost
        )
        for found in (self.motions, self.unknowns, self.states, self.held):
            found.clear()
        return self.make()

    def _predict(self) -> None:
        """Work out what arrays can tell: where the channels put each bone, and whether it is shown there."""
        bones = self._bones
        rotation, location = placing.rotations(bones), bones.location.copy()
        location[bones.connected] = 0.0
        self._special: dict[int, Motion] = {}
        # Bones whose parents may shear them, when joints in uneven scale turn.
        self._sheared: set[int] = set()
        narrowed = (~(bones.plain | bones.locked)).tolist()
        for place, name in enumerate(bones.names):
            special = name in self._clamps or name in self._defined or name in self._slides or narrowed[place]
            if special and name not in self._placed:
                own = self._special[place] = self._motion(place, name)
                if name in self._clamps or name in self._defined:
                    rotation[place], location[place] = own.rotation(), own.location
        self._rotation, self._location = rotation, location
        self._carried = carried = placing.carry(bones)
        shown, predicted = bones.shown, placing.predicted(carried, rotation, bones.scale, location)
        # Of each bone and, in the last place, of what roots hang on.
        self._even = np.append(placing.even_scales(shown[:, :3, :3]), 1.0)
        self._turned_even = placing.even_scales(carried.turned)
        parent = np.array(bones.parent, dtype=np.intp)
        scales = self._even[parent]
        local = carried.offset.copy()
        local[:, :3, 3] += (carried.way @ location[:, :, None])[:, :, 0]
        local[:, :3, :3] /= np.where(scales == 0.0, 1.0, scales)[:, None, None]
        # Of bones that are no robot's and have parents of even scale: where they turn, in those; and what is behind.
        self._local = list(local)
        alone = np.isin(bones.inherit_scale, (NONE, NONE_LEGACY))
        self._passed = np.where(alone, np.sign(scales), scales)
        behind = np.zeros((len(bones), 4, 4))
        behind[:, :3, :3] = rotation * (bones.scale * self._passed[:, None])[:, None, :]
        behind[:, 3, 3] = 1.0
        self._behind = list(behind)
        self._origins = list(shown)
        above = np.where(parent[:, None] >= 0, shown[parent, :3, 3], 0.0)
        size = np.abs(predicted[:, :3, :3]).max(axis=(1, 2))
        turned = np.abs(shown[:, :3, :3] - predicted[:, :3, :3]).max(axis=(1, 2))
        away = np.linalg.norm(shown[:, :3, 3] - predicted[:, :3, 3], axis=1)
        length = np.maximum(bones.length, np.linalg.norm(predicted[:, :3, 3] - above, axis=1))
        noise = 1e-6 * np.linalg.norm(shown[:, :3, 3], axis=1) + self._noise
        self._astray = ((turned > _ASTRAY * size) | (away > _ASTRAY * size * length + noise)).tolist()
        self._predicted = predicted

    def _motion(self, place: int, name: str) -> Motion:
        return motion(
            self._bones.posed[place],
            self._bones.state(place),
            self._clamps.get(name, NOTHING),
            self._defined.get(name),
            rebase=self._rebase,
            slides=name in self._slides,
            turns=self._slides.get(name, True),
        )

    def _body(self, place: int, name: str) -> Body:
        reason = self._placed.get(name)
        if not reason and name in self._followers:
            reason = self._astray_follower(place, name)
        if reason and name in self._rigid and self._bones.parent[place] >= 0:
            above = self._bones.shown[self._bones.parent[place]]
            return self._fixed(place, name, np.linalg.solve(above, self._bones.shown[place]), reason, own=True)
        if reason:
            return self._rooted(place, name, reason)
        own = self._special.get(place)
        if own is None:
            location = self._location[place].tolist()
            if self._bones.locked[place]:
                own = locked_ball(self._bones.modes[place], location)
            else:
                own = free_ball(self._bones.state(place), self._rotation[place], location, rebase=self._rebase)
        parent = self._bones.parent[place]
        if parent in self._sheared:
            self._sheared.add(place)
            if self._bones.inherit_scale[place] != FULL and not own.slides:
                # How it stands depends on the shear, which changes as the joints above turn.
                return self._turning(place, name, own)
        if parent < 0 or (self._bones.inherits_rotation[place] and self._even[parent]):
            return self._following(place, name, own)
        if own.slides and not own.turns:
            return self._slid(place, name, own)
        if not self._bones.inherits_rotation[place]:
            return self._turning(place, name, own)
        return self._carried_along(place, name, own)

    def _following(self, place: int, name: str, own: Motion) -> Body:
        """A bone whose parent is scaled evenly: it moves against it by its channels."""
        if self._astray[place]:
            return self._rooted(place, name, _ASTRAY_REASON)
        passed = float(self._passed[place])
        if not own.slides:
            return self._moving(place, name, own, self._local[place], passed, behind=self._behind[place])
        scale = float(self._even[self._bones.parent[place]])
        origin = self._carried.offset[place].copy()
        # A slide's unit is that of the channel: it stays in the parent's scale.
        fixed = self._location[place].copy()
        fixed[[free.part for free in own.slides]] = 0.0
        way = self._carried.way[place]
        along = origin[:3, :3].T @ way
        origin[:3, 3] += way @ fixed
        return self._moving(place, name, own, origin, passed / scale, along)

    def _carried_along(self, place: int, name: str, own: Motion) -> Body:
        """A bone in a parent that is scaled unevenly."""
        if self._astray[place]:
            return self._rooted(place, name, _ASTRAY_REASON)
        above = self._bones.shown[self._bones.parent[place]]
        if abs(np.linalg.det(above[:3, :3])) < 1e-12:
            return self._rooted(place, name, _UNEVEN_REASON)
        scale = float(self._turned_even[place])
        if scale == 0.0 and self._bones.inherit_scale[place] == FULL and not own.slides:
            self._sheared.add(place)
            return self._moving(place, name, own, self._local[place], 1.0)
        if scale == 0.0 or own.slides:
            # What is taken out of it as shear changes as it turns, and the solver does not know how.
            return self._fixed(place, name, np.linalg.solve(above, self._predicted[place]), _UNEVEN_REASON, own=True)
        at = placed(self._carried.turned[place] / scale, self._predicted[place, :3, 3])
        return self._moving(place, name, own, np.linalg.solve(above, at), scale * self._carried.post[place])

    def _turning(self, place: int, name: str, own: Motion) -> Body:
        """A bone whose rotation is not its parent's: it turns by its channels, and is where it is."""
        scale = float(self._turned_even[place])
        if self._astray[place] or scale == 0.0 or own.slides:
            inherits = self._bones.inherits_rotation[place]
            reason = _UNEVEN_REASON if inherits else "neither inherits its parent's rotation nor keeps its shape"
            return self._rooted(place, name, reason)
        origin = placed(self._carried.turned[place] / scale, self._bones.shown[place, :3, 3])
        return self._moving(place, name, own, origin, scale * self._carried.post[place], rooted=True)

    def _slid(self, place: int, name: str, own: Motion) -> Body:
        """A bone that moves by its location alone, as its parent stands: however that bone is turned and shaped."""
        shown, along = self._bones.shown[place], self._carried.along[place]
        if self._astray[place]:
            return self._rooted(place, name, _ASTRAY_REASON)
        if not placing.even_scales(along[None])[0]:
            return self._rooted(place, name, _UNEVEN_REASON)
        fixed = self._location[place].copy()
        fixed[[free.part for free in own.slides]] = 0.0
        label = self._labels[name]
        names = _names(label, own, None)
        self.motions[name], self.unknowns[name], self.states[name] = own, names, self._bones.state(place)
        return Body(
            name=label,
            parent=None,
            joint=label,
            origin=placed(along, self._carried.start[place] + along @ fixed),
            axes=tuple(
                self._axis(name, free, axis, AxisKind.SLIDE, np.eye(3)[:, free.part])
                for axis, free in zip(names, own.slides, strict=True)
            ),
            offset=placed(np.linalg.solve(along, shown[:3, :3])),
            point=self._handle(place, None),
        )

    def _rooted(self, place: int, name: str, reason: str) -> Body:
        """A bone that is placed from elsewhere: it stays where it is shown."""
        return self._fixed(place, name, self._origins[place], reason, own=False)

    def _fixed(self, place: int, name: str, origin: Matrix, reason: str, *, own: bool) -> Body:
        """A body without axes, in its parent's frame where it goes with that of its own."""
        label = self._labels[name]
        self.held[label] = reason
        one, part = self._defined.get(name), self._parts.get(name, ORDINARY)
        parent = self._parent(place) if own else None
        return Body(
            label,
            parent,
            "" if one is None else one.joint,
            origin if parent is None else self._from_link(place, origin),
            (),
            _EYE if one is None else one.frame,
            self._handle(place, one),
            part.anchor,
            part.branch,
        )

    def _moving(
        self,
        place: int,
        name: str,
        own: Motion,
        origin: Matrix,
        scale: float | Matrix,
        along: Matrix | None = None,
        *,
        rooted: bool = False,
        behind: Matrix | None = None,
    ) -> Body:
        """A body with the bone's axes.

        Args:
            place: of the bone that it stands for.
            name: of that bone.
            own: its motion.
            origin: (4, 4) where the axes act, in the parent bone's matrix.
            scale: applied behind the axes; (3,) for each column.
            along: (3, 3) directions of the slides in the joint frame, in its columns.
            rooted: whether ``origin`` is in armature space, and no parent moves the bone.
            behind: (4, 4) rotation and scale as shown, where they are known.
        """
        label, one, part = self._labels[name], self._defined.get(name), self._parts.get(name, ORDINARY)
        joint = one.joint if one is not None else label
        names = _names(joint, own, one)
        axes = []
        for i, free in enumerate(own.slides):
            assert along is not None
            axes.append(self._axis(name, free, names[i], AxisKind.SLIDE, along[:, free.part]))
        constant = _EYE3 if own.base is None else own.base
        if own.base is not None:
            columns = own.base.T.tolist()
            for free, axis in zip(own.turns, names[len(own.slides) :], strict=True):
                axes.append(self._axis(name, free, axis, AxisKind.HINGE, columns[free.part]))
        elif not own.turns:
            constant = self._rotation[place]
        else:
            behind = None
            turning = {free.part: (free, names[len(own.slides) + i]) for i, free in enumerate(own.turns)}
            for turn in euler.acting(own.order):
                if turn in turning:
                    free, axis = turning[turn]
                    axes.append(self._axis(name, free, axis, AxisKind.HINGE, constant[:, turn]))
                else:
                    constant = constant @ euler.about(turn, own.angles[turn])
        if own.swing:
            outer = axes[len(own.slides)]
            axes.append(replace(outer, name=f"{outer.name}'", mimic=Mimic(outer.name)))
        offset = placed(constant * (self._bones.scale[place] * scale)) if behind is None else behind
        if not axes:
            self.held[label] = own.held
        elif name not in self._followers:
            self.motions[name], self.unknowns[name], self.states[name] = own, names, self._bones.state(place)
        return Body(
            label,
            None if rooted else self._parent(place),
            joint if axes or one is not None else "",
            origin if rooted else self._from_link(place, origin),
            tuple(axes),
            offset if one is None else offset @ one.frame,
            self._handle(place, one),
            part.anchor,
            part.branch,
        )

    def _axis(self, bone: str, free: Free, name: str, kind: AxisKind, direction: Iterable[float]) -> Axis:
        mimic = None
        if bone in self._followers:
            source, multiplier, offset = self._relation(bone)
            mimic = Mimic(self._defined[source].joint, multiplier, offset)
        x, y, z = map(float, direction)
        length = math.sqrt(x * x + y * y + z * z)
        endless = kind == AxisKind.HINGE and math.isinf(free.lower) and math.isinf(free.upper)
        stiffness = self._bones.stiffness[self._bones.place[bone]][free.part] if kind == AxisKind.HINGE else 0.0
        return Axis(name, kind, (x / length, y / length, z / length), free.lower, free.upper, endless, stiffness, mimic)

    def _astray_follower(self, place: int, name: str) -> str:
        """Why a follower is not where its relation says, "" where it is."""
        source, multiplier, offset = self._relation(name)
        if source in self._followers:
            return "follows a joint that follows it"
        # Placed from elsewhere, the source has channels all the same.
        leader = self._bones.place[source]
        lead = self._special.get(leader) or self._motion(leader, source)
        own = self._special.get(place) or self._motion(place, name)
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

    def _parent(self, place: int) -> str | None:
        above = self._bones.parent[place]
        return None if above < 0 else self._labels[self._bones.names[above]]

    def _from_link(self, place: int, frame: Matrix) -> Matrix:
        """(4, 4) frame in the parent bone, in its body's frame."""
        above = self._bones.parent[place]
        one = self._defined.get(self._bones.names[above]) if above >= 0 and self._defined else None
        return frame if one is None else inverse(one.frame) @ frame

    def _handle(self, place: int, one: Definition | None) -> tuple[float, float, float]:
        """The default handle: a link's origin, a bone's tail."""
        return (0.0, float(self._bones.length[place]), 0.0) if one is None else (0.0, 0.0, 0.0)


_EYE, _EYE3 = np.eye(4), np.eye(3)


def _names(joint: str, own: Motion, one: Definition | None) -> tuple[str, ...]:
    """Names of a bone's unknowns; those of a robot's joint are the ones that its file gives them."""
    if one is not None:
        return one.axis_names([free.part for free in own.slides], [free.part for free in own.turns])
    slides = tuple(f"{joint}:location_{'xyz'[free.part]}" for free in own.slides)
    if len(own.turns) == 1:
        return (*slides, joint)
    return (*slides, *(f"{joint}:{'xyz'[free.part]}" for free in own.turns))
