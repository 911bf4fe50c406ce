"""From bones to the bodies of a skeleton: origin, axes and the constants in between."""

from __future__ import annotations

import functools
import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..solver import Axis, AxisKind, Body, Mimic
from . import euler, lawful, placing
from .bones import FULL, Bones
from .branching import ORDINARY, Part
from .channels import Free, Motion, free_ball, locked_ball, motion
from .clamps import NOTHING, Clamps
from .definition import Definition
from .laws import BoneLaw
from .matrices import inverse, placed
from .mimics import Followers
from .prediction import ASTRAY, Prediction
from .snapshot import BoneState

Matrix = NDArray[np.float64]

_ASTRAY_REASON = "is shown elsewhere than its channels say"
_FLAT_REASON = "is in a parent that is scaled to nothing"


@dataclass(frozen=True)
class Known:
    """What is known of the bones of one armature, by bone name.

    Attributes:
        labels: name of the body.
        clamps: what the constraints do, of the bones that have any.
        defined: definitions of the bones of a robot.
        followers: bones that follow another joint.
        placed_elsewhere: bones that do not follow their own channels, and why.
        parts: the parts in chains that are not the ordinary one.
        noise: how far Blender itself may be off where it shows a bone.
        rebase, slides, rigid: as for :func:`.reading.read`.
    """

    labels: Mapping[str, str]
    clamps: Mapping[str, Clamps]
    defined: Mapping[str, Definition]
    followers: Followers
    placed_elsewhere: Mapping[str, str]
    parts: Mapping[str, Part]
    noise: float
    rebase: bool
    slides: Mapping[str, bool]
    rigid: Container[str]


class BodyMaker:
    """Makes the bodies of one armature, parents first.

    The frame of a body is ``PoseBone.matrix``, for links times the link's constant frame in the bone. Uniform scale is
    taken out where a joint turns and put back behind it, so that hinges always see rigid frames.

    Attributes:
        motions: of the bones that have unknowns of their own, by bone.
        unknowns: their names, by bone, in the order of ``motion.free``.
        states: their channels, by bone.
        held: why a body has no unknowns of its own, by body.
        loose: the bodies that are placed from elsewhere.
        stacked: bones whose limits no box of their channels can stand for.
    """

    def __init__(self, bones: Bones, known: Known) -> None:
        """Take the bones as they are, and what is known of them."""
        self.motions: dict[str, Motion] = {}
        self.unknowns: dict[str, tuple[str, ...]] = {}
        self.states: dict[str, BoneState] = {}
        self.held: dict[str, str] = {}
        self.loose: set[str] = set()
        self.stacked: set[str] = set()
        self._bones = bones
        self._known = known
        self._labels, self._defined = known.labels, known.defined
        self._placed = dict(known.placed_elsewhere)

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
        for found in (self.motions, self.unknowns, self.states, self.held, self.loose):
            found.clear()
        return self.make()

    def _predict(self) -> None:
        """Work out what arrays can tell: where the channels put each bone, and whether it is shown there."""
        bones, known = self._bones, self._known
        location = bones.location.copy()
        location[bones.connected] = 0.0
        self._found = found = Prediction(bones, placing.carry(bones), placing.rotations(bones), location)
        self._special: dict[int, Motion] = {}
        self._laws: dict[int, BoneLaw] = {}
        # Bones whose shape may change, when joints in uneven scale turn above them.
        self._sheared: set[int] = set()
        meaning: dict[int, Motion] = {}
        narrowed = (~(bones.plain | bones.locked)).tolist()
        for place, name in enumerate(bones.names):
            limited = name in known.clamps or name in known.defined
            if not (limited or name in known.slides or narrowed[place]) or name in self._placed:
                continue
            clamps = known.clamps.get(name, NOTHING)
            if lawful.needs_stack(bones, place, clamps) and name not in known.defined:
                own = self._motion(place, name, NOTHING)
                law = lawful.law(bones, found.carried, place, own, clamps.stack)
                above = bones.shown[bones.parent[place]] if bones.parent[place] >= 0 else _EYE
                self._laws[place] = law = law.as_shown(above)
                self._special[place] = meaning[place] = law.motion
                self.stacked.add(name)
            else:
                self._special[place] = self._motion(place, name, clamps)
                if limited:
                    meaning[place] = self._special[place]
        found.compare(meaning, self._laws, known.noise)

    def _motion(self, place: int, name: str, clamps: Clamps) -> Motion:
        return motion(
            self._bones.posed[place],
            self._bones.state(place),
            clamps,
            self._defined.get(name),
            rebase=self._known.rebase,
            slides=name in self._known.slides,
            turns=self._known.slides.get(name, True),
        )

    def _body(self, place: int, name: str) -> Body:
        found, parent = self._found, self._bones.parent[place]
        reason = self._placed.get(name)
        if not reason and name in self._known.followers.bones:
            reason = self._astray_follower(place, name)
        if reason and name in self._known.rigid and parent >= 0:
            return self._fixed(place, name, np.linalg.solve(found.shown[parent], found.shown[place]), reason, own=True)
        if not reason and found.astray[place]:
            reason = _ASTRAY_REASON
        if reason:
            return self._rooted(place, name, reason)
        own = self._special.get(place)
        if own is None:
            location = found.location[place].tolist()
            if self._bones.locked[place]:
                own = locked_ball(self._bones.modes[place], location)
            else:
                own = free_ball(self._bones.state(place), found.rotation[place], location, rebase=self._known.rebase)
        law = self._laws.get(place)
        full = self._bones.inherit_scale[place] == FULL
        if parent < 0:
            even = True
        else:
            even = bool(found.even[parent])
            if not even and abs(np.linalg.det(found.shown[parent, :3, :3])) < 1e-12:
                return self._rooted(place, name, _FLAT_REASON)
            sheared = parent in self._sheared
            if sheared:
                self._sheared.add(place)
            apart = not self._bones.inherits_rotation[place] or (not full and (sheared or (own.slides and not even)))
            if law is None and apart:
                law = lawful.law(self._bones, found.carried, place, own, ())
        if law is not None:
            return self._lawful(place, name, own, law)
        if even:
            return self._following(place, name, own)
        return self._carried_along(place, name, own)

    def _following(self, place: int, name: str, own: Motion) -> Body:
        """A bone whose parent is scaled evenly: it moves against it by its channels."""
        found = self._found
        passed = float(found.passed[place])
        if not own.slides:
            return self._moving(place, name, own, found.local[place], passed, behind=found.behind[place])
        scale = float(found.even[self._bones.parent[place]])
        return self._sliding(place, name, own, passed / scale)

    def _carried_along(self, place: int, name: str, own: Motion) -> Body:
        """A bone in a parent that is scaled unevenly, in always the same way."""
        found = self._found
        scale = float(found.turned_even[place])
        if scale == 0.0:
            self._sheared.add(place)
        if own.slides:
            return self._sliding(place, name, own, 1.0)
        if scale == 0.0 and self._bones.inherit_scale[place] == FULL:
            return self._moving(place, name, own, found.local[place], 1.0)
        scale = scale or 1.0
        at = placed(found.carried.turned[place] / scale, found.predicted[place, :3, 3])
        above = found.shown[self._bones.parent[place]]
        return self._moving(place, name, own, np.linalg.solve(above, at), scale * found.carried.post[place])

    def _sliding(self, place: int, name: str, own: Motion, scale: float) -> Body:
        """A bone whose location is free. A slide's unit is that of the channel: it stays in the parent's scale."""
        carried = self._found.carried
        origin, way = carried.offset[place].copy(), carried.way[place]
        fixed = self._found.location[place].copy()
        fixed[[free.part for free in own.slides]] = 0.0
        along = origin[:3, :3].T @ way
        origin[:3, 3] += way @ fixed
        return self._moving(place, name, own, origin, scale, along)

    def _lawful(self, place: int, name: str, own: Motion, law: BoneLaw) -> Body:
        """A bone that a law places. Its constants are true of the pose as it is shown."""
        found, parent = self._found, self._bones.parent[place]
        above = found.shown[parent] if parent >= 0 else _EYE
        scale = float(found.turned_even[place])
        turned = found.carried.turned[place]
        straight = turned / scale if scale else lawful.nearest_rotation(turned)
        along = np.linalg.solve(straight, found.carried.along[place]) if own.slides else None
        if lawful.may_shear(law) or not scale:
            self._sheared.add(place)
        keeps = place not in self._sheared and not own.slides and not lawful.may_slide(law)
        one, link = self._defined.get(name), self._link_above(place)
        law = replace(
            law,
            keeps_lengths=keeps,
            to_bone=None if link is None else inverse(link.frame),
            to_link=None if one is None else one.frame,
        )
        origin = np.linalg.solve(above, placed(straight, found.predicted[place, :3, 3]))
        body = self._moving(place, name, own, origin, 1.0, along)
        behind = lawful.behind(body, above if link is None else above @ link.frame, law)
        return replace(body, offset=behind, law=law)

    def _rooted(self, place: int, name: str, reason: str) -> Body:
        """A bone that is placed from elsewhere: it stays where it is shown."""
        self.loose.add(self._labels[name])
        return self._fixed(place, name, self._found.shown[place], reason, own=False)

    def _fixed(self, place: int, name: str, origin: Matrix, reason: str, *, own: bool) -> Body:
        """A body without axes, in its parent's frame where it goes with that of its own."""
        label = self._labels[name]
        self.held[label] = reason
        one, part = self._defined.get(name), self._known.parts.get(name, ORDINARY)
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
            behind: (4, 4) rotation and scale as shown, where they are known.
        """
        label, one, part = self._labels[name], self._defined.get(name), self._known.parts.get(name, ORDINARY)
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
            constant = self._found.rotation[place]
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
        elif name not in self._known.followers.bones:
            self.motions[name], self.unknowns[name], self.states[name] = own, names, self._bones.state(place)
        return Body(
            label,
            self._parent(place),
            joint if axes or one is not None else "",
            self._from_link(place, origin),
            tuple(axes),
            offset if one is None else offset @ one.frame,
            self._handle(place, one),
            part.anchor,
            part.branch,
        )

    def _axis(self, bone: str, free: Free, name: str, kind: AxisKind, direction: Iterable[float]) -> Axis:
        mimic = None
        if bone in self._known.followers.bones:
            source, multiplier, offset = self._known.followers.relation(bone)
            mimic = Mimic(self._defined[source].joint, multiplier, offset)
        x, y, z = map(float, direction)
        length = math.sqrt(x * x + y * y + z * z)
        endless = kind == AxisKind.HINGE and math.isinf(free.lower) and math.isinf(free.upper)
        stiffness = self._bones.stiffness[self._bones.place[bone]][free.part] if kind == AxisKind.HINGE else 0.0
        return Axis(name, kind, (x / length, y / length, z / length), free.lower, free.upper, endless, stiffness, mimic)

    def _astray_follower(self, place: int, name: str) -> str:
        """Why a follower is not where its relation says, "" where it is."""
        source, multiplier, offset = self._known.followers.relation(name)
        if source in self._known.followers.bones:
            return "follows a joint that follows it"
        # Placed from elsewhere, the source has channels all the same.
        leader = self._bones.place[source]
        lead = self._special.get(leader) or self._motion(leader, source, self._known.clamps.get(source, NOTHING))
        own = self._special.get(place) or self._motion(place, name, self._known.clamps.get(name, NOTHING))
        if abs(multiplier * lead.free[0].value + offset - own.free[0].value) > ASTRAY:
            return f"has a driver that does not follow {self._defined[source].joint!r} as its definition says"
        return ""

    def _parent(self, place: int) -> str | None:
        above = self._bones.parent[place]
        return None if above < 0 else self._labels[self._bones.names[above]]

    def _link_above(self, place: int) -> Definition | None:
        above = self._bones.parent[place]
        return self._defined.get(self._bones.names[above]) if above >= 0 and self._defined else None

    def _from_link(self, place: int, frame: Matrix) -> Matrix:
        """(4, 4) frame in the parent bone, in its body's frame."""
        one = self._link_above(place)
        return frame if one is None else inverse(one.frame) @ frame

    def _handle(self, place: int, one: Definition | None) -> tuple[float, float, float]:
        """The default handle: a link's origin, a bone's tail."""
        return (0.0, float(self._bones.length[place]), 0.0) if one is None else (0.0, 0.0, 0.0)


_EYE, _EYE3 = np.eye(4), np.eye(3)


def _names(joint: str, own: Motion, one: Definition | None) -> tuple[str, ...]:
    """Names of a bone's unknowns; those of a robot's joint are the ones that its file gives them."""
    if one is not None:
        return one.axis_names([free.part for free in own.slides], [free.part for free in own.turns])
    slides = tuple([free.part for free in own.slides])
    return _names_of_parts(joint, slides, tuple([free.part for free in own.turns]))


@functools.lru_cache(maxsize=4096)
def _names_of_parts(joint: str, slides: tuple[int, ...], turns: tuple[int, ...]) -> tuple[str, ...]:
    """The same for every reading of an armature, of which a drag needs several."""
    moved = tuple(f"{joint}:location_{'xyz'[part]}" for part in slides)
    return (*moved, joint) if len(turns) == 1 else (*moved, *(f"{joint}:{'xyz'[part]}" for part in turns))
