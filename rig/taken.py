"""What a drag has taken of a rig: the chain with the reading it belongs to, and where its parts are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ..solver import Chain, Goal
from . import chains, mirroring, snapshot
from . import pins as pinned
from .channels import Channel
from .grip import Grip
from .matrices import Matrix
from .pins import Pin
from .view import Vector
from .writing import write


@dataclass(frozen=True)
class Asked:
    """How the chain of a drag is to be taken.

    Attributes:
        grip: what is held.
        pins: bodies that stay, as for :func:`.chains.take`.
        released: names of bodies that stayed until now, whose joints are to stay in the chain.
        root_motion, length, oriented: as for :func:`.chains.take`.
        mirror: whether the other side follows.
    """

    grip: Grip
    pins: tuple[Pin, ...] = ()
    released: tuple[str, ...] = ()
    root_motion: bool = False
    length: int | None = None
    oriented: bool = False
    mirror: mirroring.Wish = mirroring.NO


class Taken:
    """The chain of a drag, in the space of the armature as it stood when it was taken. Holds plain data only.

    Attributes:
        asked: how it was taken.
        rig: the reading.
        chain: what may move; its first body is the dragged one.
        start: (dof,) the chain's values as they were read.
        pins: what is asked of every pinned body.
        length: bodies from the dragged one up whose joints may move, pinned ones left aside.
        longest: the most that :attr:`length` may be.
        mirror: the other side that follows, None where nothing does.
    """

    def __init__(self, armature: bpy.types.Object, asked: Asked) -> None:
        """Read the armature as it is shown now.

        Raises:
            LinkposeError: nothing above the body can move; with the reason.
        """
        self.asked = asked
        self.rig, self.chain = chains.take(
            armature,
            asked.grip.body,
            oriented=asked.oriented,
            probe=True,
            pins=(*asked.pins, *asked.released),
            root_motion=asked.root_motion,
            length=asked.length,
        )
        self.start: Vector = self.chain.values
        self.mirror = None
        if asked.mirror.on:
            self.mirror = mirroring.take(armature, self.rig, self.chain.unknowns, relative=asked.mirror.relative)
        self.length, self.longest = (0, 0) if asked.root_motion else chains.lengths(self.rig, self.chain)
        self.pins = pinned.goals(self.rig, asked.pins)
        self._moved = [goal for goal in self.pins if goal.body in self.chain.path]
        self._bones = [bone for bone in map(self.rig.bone_of, _own_path(self.chain)) if bone != snapshot.OBJECT]

    @property
    def unknowns(self) -> tuple[str, ...]:
        """Names of what may move, anchor first."""
        return self.chain.unknowns

    @property
    def bones(self) -> tuple[str, ...]:
        """Names of the bones that are written; "" for the armature object."""
        return (*self.rig.written_bones(self.unknowns), *self.mirrored)

    @property
    def path(self) -> tuple[str, ...]:
        """Names of the bones from the anchor to the dragged one."""
        return tuple(self._bones)

    @property
    def mirrored(self) -> tuple[str, ...]:
        """Names of the bones of the other side that follow."""
        return () if self.mirror is None else self.mirror.bones

    @property
    def channels(self) -> list[Channel]:
        """Where everything that is written is kept."""
        found = [self.rig.channels[name] for name in self.unknowns]
        if self.mirror is not None:
            found += [self.mirror.rig.channels[name] for name in self.mirror.unknowns]
        return found

    def held(self, armature: bpy.types.Object) -> dict[str, dict[str, list[float]]]:
        """What is held there now, by bone and data path."""
        found: dict[str, dict[str, list[float]]] = {}
        for channel in self.channels:
            holder = snapshot.holder(armature, channel.bone)
            if holder is not None:
                found.setdefault(channel.bone, {})[channel.path] = list(getattr(holder, channel.path))
        return found

    def as_shown(self, values: Vector) -> tuple[Vector, Vector]:
        """((n,) full pose, (dof,) values) that Blender shows when these values are written."""
        q = self.rig.as_shown(self.chain.full(values))
        return q, q[list(self.chain.index)]

    def write(self, armature: bpy.types.Object, q: Vector) -> None:
        """Write the chain's part of a full pose, and what follows on the other side."""
        write(armature, self.rig, q, self.unknowns)
        if self.mirror is not None:
            self.mirror.write(armature, q)

    def goals(self, grip: Grip, target: Vector, orientation: Matrix | None = None) -> list[Goal]:
        """What is asked: a grip's point on the target (3,), its body turned (3, 3), and every pin that needs joints."""
        return [Goal(grip.body, position=target, orientation=orientation, point=grip.point), *self._moved]

    def frame(self, values: Vector) -> Matrix:
        """(4, 4) where the dragged body is at these values."""
        return self.chain.forward(values, self.chain.bodies[0])

    def joints(self, armature: bpy.types.Object) -> list[tuple[float, ...]]:
        """World points of the dragged body's own chain as Blender shows it, anchor first."""
        return _heads(armature, self._bones)

    def holding(self, armature: bpy.types.Object, unknowns: Iterable[str]) -> list[tuple[float, ...]]:
        """World points of the joints that these unknowns belong to."""
        bones = dict.fromkeys(self.rig.channels[name].bone for name in unknowns)
        return _heads(armature, [bone for bone in bones if bone != snapshot.OBJECT])


def _own_path(chain: Chain) -> list[str]:
    """The bodies of a chain from its anchor to the dragged body, without those that only pins need."""
    skeleton, kept = chain.skeleton, set(chain.path)
    path = []
    step = skeleton.index(chain.bodies[0])
    while step >= 0 and skeleton.bodies[step] in kept:
        path.append(skeleton.bodies[step])
        step = skeleton.parent[step]
    return path[::-1]


def _heads(armature: bpy.types.Object, bones: Sequence[str]) -> list[tuple[float, ...]]:
    world = np.array(armature.matrix_world, dtype=np.float64)
    posed = armature.pose.bones
    return [
        tuple((world[:3, :3] @ snapshot.numbers(posed[bone], "head") + world[:3, 3]).tolist())
        for bone in bones
        if bone in posed
    ]
