"""From the pointer to the target of a drag: precise motion, steps, locks, typed numbers. World space, no Blender."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .locks import Lock
from .matrices import Matrix
from .typed import Typed
from .view import Vector, View

# Of the pointer's motion while it is to be precise.
PRECISE = 0.1
# A step is at least so many pixels.
_STEP_PIXELS = 20.0
_INCH = 0.0254
# Steps in scenes with imperial units; below and above them by halves and tens.
_INCHES = (0.125, 0.25, 0.5, 1.0, 2.0, 6.0, 12.0, 24.0, 60.0, 120.0, 600.0, 1200.0)


@dataclass(frozen=True, slots=True)
class Manner:
    """How motions of the pointer are to be taken.

    Attributes:
        precise: with a tenth of the motion.
        steps: the target moves in steps; finer ones where it is precise as well.
        still: the pointer goes somewhere without the target.
    """

    precise: bool = False
    steps: bool = False
    still: bool = False

    @property
    def share(self) -> float:
        """How much of a motion counts."""
        return 0.0 if self.still else PRECISE if self.precise else 1.0


PLAIN = Manner()


class Aiming:
    """Where a drag's target is asked to be.

    The pointer is followed by a pixel of its own, so that nothing jumps when precise motion begins or ends.

    Attributes:
        start: (3,) where the target was when the drag began.
        offset: (3,) from what the pointer is on to the target.
        place: (3,) what the pointer is on.
        plane: (3,) a point of the plane that faces the viewer, in which it moves freely.
        pixel: the pointer's own pixel; None before the first is known.
        last: where the pointer really is.
        lock: what the target keeps to.
        typed: numbers that say where it is; None while the pointer does.
        manner: how the last motion was taken.
        inches: whether steps are inches and feet.
        unit: world units a metre, as the scene has them.
    """

    def __init__(self, start: Vector, click: Vector, pixel: tuple[float, float] | None = None) -> None:
        """Begin where the handle is.

        Args:
            start: (3,) the handle.
            click: (3,) what was clicked.
            pixel: where.
        """
        self.start = start.copy()
        self.offset: Vector = start - click
        self.place = click
        self.plane = click
        self.pixel = pixel
        self.lock: Lock | None = None
        self.typed: Typed | None = None
        self.manner = PLAIN
        self.inches = False
        self.unit = 1.0
        self.last = pixel
        self._slip: Vector = np.zeros(3)

    @property
    def directions(self) -> Matrix:
        """(k, 3) the directions in which the target moves, those that numbers are typed for."""
        return np.eye(3) if self.lock is None else self.lock.directions

    def keep_to(self, lock: Lock | None) -> None:
        """Lock the target, or let it move freely."""
        self.lock = lock
        self._slip = np.zeros(3)

    def follow(self, pixel: tuple[float, float], manner: Manner) -> None:
        """Take a motion of the pointer to a pixel."""
        if self.pixel is None or self.last is None:
            self.pixel = pixel
        else:
            x, y = (
                own + manner.share * (new - old) for own, new, old in zip(self.pixel, pixel, self.last, strict=True)
            )
            self.pixel = (x, y)
        self.last = pixel
        self.manner = manner

    def target(self, view: View) -> Vector | None:
        """(3,) where the target is asked to be; None where the pointer means no place."""
        if self.typed is not None:
            return self.at(self.typed.values)
        if self.pixel is None:
            return None
        place = self._placed(view, self.pixel)
        if place is None:
            return None
        self.place = place
        if self.lock is None:
            self.plane = place
        if not self.manner.steps:
            return place + self.offset if self.lock is None else self.at(self.parts)
        size = self.step(view)
        return self.at([round(part / size) * size for part in self.parts])

    @property
    def parts(self) -> list[float]:
        """How far the pointer has brought the target in each of the directions."""
        way = self.directions @ (self.place + self.offset - self.start)
        return [float(part) for part in way]

    def at(self, parts: list[float]) -> Vector:
        """(3,) the target that far from its start in each of the directions."""
        place: Vector = self.start + np.asarray(parts) @ self.directions
        return place

    def push(self, view: View, way: float) -> None:
        """Move the plane of free motion away from the viewer [m]."""
        self.plane = self.plane + view.forward * way

    def rebase(self, view: View, pixel: tuple[float, float] | None = None) -> None:
        """Take what the pointer is on anew, so that the target moves no sooner than the pointer does.

        Args:
            view: as it is now.
            pixel: where the pointer is now; None = where it was.
        """
        if pixel is not None:
            self.pixel = self.last = pixel
        place = None if self.pixel is None else view.on_plane(self.pixel, self.place)
        if place is None or self.pixel is None:
            return
        self.offset += self.place - place
        self.place = self.plane = place
        if self.lock is not None:
            # A lock that points into the view takes the pointer in its own way.
            meant = self.lock.place(view, self.pixel, self.start - self.offset)
            self._slip = np.zeros(3) if meant is None else place - meant

    def jump(self, target: Vector) -> None:
        """Be on a target (3,) that something else has chosen."""
        self.place = self.plane = target - self.offset

    def step(self, view: View) -> float:
        """The step [world units] that suits a view: 1, 2 or 5 of a decimal place, or inches and feet."""
        pixel = self.pixel or (0.5 * view.width, 0.5 * view.height)
        here, beside = view.on_plane(pixel, self.plane), view.on_plane((pixel[0] + 1.0, pixel[1]), self.plane)
        least = 1e-3 if here is None or beside is None else _STEP_PIXELS * float(np.linalg.norm(beside - here))
        size = nice_step(max(least * self.unit, 1e-9), inches=self.inches) / self.unit
        return PRECISE * size if self.manner.precise else size

    def _placed(self, view: View, pixel: tuple[float, float]) -> Vector | None:
        if self.lock is None:
            return view.on_plane(pixel, self.plane)
        place = self.lock.place(view, pixel, self.start - self.offset)
        return None if place is None else place + self._slip


def nice_step(least: float, *, inches: bool = False) -> float:
    """The smallest step [m], not below ``least``, that people count in."""
    if inches:
        for number in _INCHES:
            if number * _INCH >= least:
                return number * _INCH
    decade = 10.0 ** math.floor(math.log10(least))
    return next(factor * decade for factor in (1.0, 2.0, 5.0, 10.0) if factor * decade >= least * (1.0 - 1e-9))
