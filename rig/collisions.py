"""Advice about collisions in a drag: which links touch others, or marked obstacles, that did not at its start.

Found little by little between the events of a drag, never all at once: first by boxes, then by triangles.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from ..solver import Chain
from . import link_shapes
from .link_shapes import Part, Shape
from .reading import Reading
from .view import Vector

# A new look at a pose begins at most so often [s].
EVERY = 0.05
# Meshes with more triangles are thinned out, by about a hundredth of their size.
MOST_TRIANGLES = 4000
# One shape of two that are compared is shifted by this share of the other's extent, in no special direction.
SHIFT = 1e-5
_ASKEW = np.array((0.61, 0.77, 0.19))


@dataclass
class Thing:
    """A link, or an obstacle.

    Attributes:
        name: of the body or object.
        bone: that carries it, "" for an obstacle.
        parts: its objects.
        box: (8 m, 3) corners of their boxes, in its own space.
        start: (4, 4) where it was when the drag began, world space.
        group: of links, those that the chain leaves rigid to each other have the same number.
        shape: as it is compared, None until it is needed.
        tree: the same for Blender to compare.
    """

    name: str
    bone: str
    parts: list[Part]
    box: Vector
    start: Vector
    group: int = -1
    shape: Shape | None = None
    tree: BVHTree | None = field(default=None, repr=False)


class Watch:
    """Looks for collisions of one drag. Keeps arrays, names and trees, and no Blender object.

    Attributes:
        touching: (name, name) of what touches now and did not when the drag began.
        reason: why nothing is looked for, "" where something is.
        things: links and obstacles.
    """

    def __init__(
        self,
        context: bpy.types.Context,
        armature: bpy.types.Object,
        rig: Reading,
        chain: Chain,
        start: Mapping[str, Vector],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Gather what there is; no mesh is read yet.

        Args:
            context: for the view layer.
            armature: that is dragged.
            rig: its reading.
            chain: what moves.
            start: (4, 4) world matrix of each bone when the drag began.
            clock: of seconds.
        """
        self._clock = clock
        self.touching: tuple[tuple[str, str], ...] = ()
        found = link_shapes.hung(context, armature)
        bodies = [(body, rig.bone_of(body)) for body in rig.skeleton.bodies]
        self.things = [
            Thing(body, bone, found[bone], _corners(found[bone]), start[bone])
            for body, bone in bodies
            if bone in found and bone in start
        ]
        self.things += [
            Thing(name, "", [part], part.corners, place)
            for name, (part, place) in link_shapes.obstacles(context, armature).items()
        ]
        self._started: dict[tuple[int, int], bool] = {}
        self._look: Iterator[None] | None = None
        self._next = 0.0
        self._seen: Vector | None = None
        self.reason = ""
        self.take(chain)
        if not len(self._pairs):
            self.reason = _reason(context, armature, self.things)

    def take(self, chain: Chain) -> None:
        """Watch what another chain of the same armature moves."""
        self._pairs = pairs(chain, self.things)
        self._look, self._seen = None, None

    @property
    def moved(self) -> set[str]:
        """Names of the links that the chain moves, as far as they have a shape."""
        return {thing.name for thing in self.things if thing.bone and thing.group >= 0}

    def advance(self, context: bpy.types.Context, frames: Mapping[str, Vector], seconds: float) -> bool:
        """Look on for about so long; whether :attr:`touching` has changed.

        One step, such as reading a mesh, is never broken off, so that it may take a few milliseconds longer.

        Args:
            context: for meshes that are read for the first time.
            frames: (4, 4) world matrix of every bone as shown now.
            seconds: to spend.
        """
        if not len(self._pairs):
            return False
        now = self._clock()
        if self._look is None:
            places = np.array([frames.get(thing.bone, thing.start) for thing in self.things])
            if now < self._next or (self._seen is not None and np.array_equal(places, self._seen)):
                return False
            self._next, self._seen = now + EVERY, places
            self._look = self._looking(context, places)
        before = self.touching
        while self._clock() < now + seconds:
            if next(self._look, self) is self:
                self._look = None
                break
        return self.touching != before

    def finish(self, context: bpy.types.Context, frames: Mapping[str, Vector]) -> tuple[tuple[str, str], ...]:
        """Look at this pose to the end, at once."""
        self._look, self._seen, self._next = None, None, 0.0
        self.advance(context, frames, float("inf"))
        return self.touching

    def shape_of(self, context: bpy.types.Context, thing: Thing) -> Shape:
        """The full shape of a thing, for drawing."""
        return link_shapes.shape(context, thing.parts)

    def _looking(self, context: bpy.types.Context, places: Vector) -> Iterator[None]:
        """One look at a pose, in steps that are short."""
        starts = np.array([thing.start for thing in self.things])
        found = []
        for one, other in self._near(places):
            if (one, other) not in self._started:
                for thing in (self.things[one], self.things[other]):
                    if thing.shape is None:
                        self._read(context, thing)
                        yield
                # What touched from the beginning is how this robot is made, or what the user wanted.
                near = _boxes_meet(self._boxes(starts)[[one, other]])
                self._started[one, other] = near and self._meet(one, other, starts)
                yield
            if not self._started[one, other] and self._meet(one, other, places):
                found.append((self.things[one].name, self.things[other].name))
            yield
        self.touching = tuple(found)

    def _near(self, places: Vector) -> list[tuple[int, int]]:
        """The pairs whose boxes have something in common."""
        boxes = self._boxes(places)
        one, other = self._pairs[:, 0], self._pairs[:, 1]
        low, high = boxes[:, 0], boxes[:, 1]
        near = ((low[one] <= high[other]) & (low[other] <= high[one])).all(axis=1)
        return [(int(a), int(b)) for a, b in self._pairs[near]]

    def _boxes(self, places: Vector) -> Vector:
        """(n, 2, 3) low and high corner of each thing in world space."""
        found = []
        for thing, place in zip(self.things, places, strict=True):
            corners = thing.box @ place[:3, :3].T + place[:3, 3]
            found.append((corners.min(axis=0), corners.max(axis=0)))
        return np.array(found)

    def _read(self, context: bpy.types.Context, thing: Thing) -> None:
        thing.shape = link_shapes.thinned(link_shapes.shape(context, thing.parts), MOST_TRIANGLES)

    def _meet(self, one: int, other: int, places: Vector) -> bool:
        """Whether the surfaces of two things cut each other."""
        held, moved = self.things[one], self.things[other]
        assert held.shape is not None
        assert moved.shape is not None
        if not len(held.shape.triangles) or not len(moved.shape.triangles):
            return False
        way = np.linalg.solve(places[one], places[other])
        # Blender's test sees nothing where edges meet in one plane, as those of parallel plates do: a shift that no
        # eye can see makes them cross.
        low, high = held.shape.points.min(axis=0), held.shape.points.max(axis=0)
        shift = SHIFT * float((high - low).max())
        points = moved.shape.points @ way[:3, :3].T + way[:3, 3] + shift * _ASKEW
        # Only what lies in the other's box can touch it, which is little of most links.
        corners = points[moved.shape.triangles]
        inside = ((corners.max(axis=1) >= low) & (corners.min(axis=1) <= high)).all(axis=1)
        if not inside.any():
            return False
        if held.tree is None:
            held.tree = _tree(held.shape.points, held.shape.triangles)
        kept, places_kept = np.unique(moved.shape.triangles[inside], return_inverse=True)
        return bool(held.tree.overlap(_tree(points[kept], places_kept.reshape(-1, 3))))


def pairs(chain: Chain, things: list[Thing]) -> NDArray[np.intp]:
    """(n, 2) places of the things that may come to touch: neighbours, and what stays rigid to each other, may not.

    Neighbours are assemblies with nothing between them that has a shape. Sets each thing's ``group``.
    """
    skeleton, taken = chain.skeleton, set(chain.index)
    top: list[int] = []
    group: list[int] = []
    for i, above in enumerate(skeleton.parent):
        axes = skeleton.axes_of(i)
        rigid = not axes and above >= 0
        top.append(top[above] if rigid else i)
        moves = any(skeleton.axis_unknown[axis] in taken for axis in axes)
        group.append(i if moves else group[above] if above >= 0 else -1)
    place = {thing.name: skeleton.index(thing.name) for thing in things if thing.bone}
    shaped = {top[i] for i in place.values()}

    def above_with_shape(assembly: int) -> int:
        step = skeleton.parent[assembly]
        while step >= 0 and top[step] not in shaped:
            step = skeleton.parent[top[step]]
        return top[step] if step >= 0 else -1

    parent = {assembly: above_with_shape(assembly) for assembly in shaped}
    for thing in things:
        thing.group = group[place[thing.name]] if thing.bone else -1
    found = []
    for a, one in enumerate(things):
        for b in range(a + 1, len(things)):
            other = things[b]
            if one.group == other.group or not one.bone:
                continue
            if other.bone:
                tops = top[place[one.name]], top[place[other.name]]
                if tops[0] == tops[1] or parent[tops[0]] == tops[1] or parent[tops[1]] == tops[0]:
                    continue
            found.append((a, b))
    return np.array(found, dtype=np.intp).reshape(-1, 2)


def _reason(context: bpy.types.Context, armature: bpy.types.Object, things: list[Thing]) -> str:
    if not any(thing.bone for thing in things):
        deformed = link_shapes.skinned(context, armature)
        if deformed:
            return f"{deformed[0]} is deformed by its bones: collisions are told of meshes parented to bones only"
        return "no mesh is parented to a bone"
    return "nothing that moves can touch anything but its neighbours"


def _corners(parts: list[Part]) -> Vector:
    return np.concatenate([part.corners for part in parts])


def _boxes_meet(boxes: Vector) -> bool:
    (low, high), (other_low, other_high) = boxes
    return bool(((low <= other_high) & (other_low <= high)).all())


def _tree(points: NDArray[np.float32], triangles: NDArray[np.intp] | NDArray[np.int32]) -> BVHTree:
    return BVHTree.FromPolygons(points.tolist(), triangles.tolist(), all_triangles=True)
