"""How a dragged body shall be turned: any way, as it was when the drag began, or by the pointer. World space."""

from __future__ import annotations

import enum
import math

import numpy as np

from .locks import AXES
from .matrices import Matrix, about
from .typed import Typed
from .view import Vector, View

# Steps of a turn [rad], and finer ones.
STEP = math.radians(5.0)
FINE_STEP = math.radians(1.0)
# Nearer to the middle than this a pointer says nothing about an angle [px].
_NEAR = 4.0


class Turn(enum.Enum):
    """What is asked of a body's orientation."""

    FREE = "free"
    HELD = "held"
    TURNED = "turned"


class Turning:
    """The orientation that a drag asks for.

    Attributes:
        start: (3, 3) rotation of the body when the drag began; its columns are the local axes.
        mode: what is asked.
        held: (3, 3) the rotation that is asked for, before what the pointer adds; None while any will do.
        angle: how far the pointer has turned [rad].
        axis: (3,) about which; world direction.
        axis_name: such as "the view", "global X".
        typed: an angle that was typed; None while the pointer says it.
    """

    def __init__(self, start: Matrix) -> None:
        """Begin with any orientation.

        Args:
            start: (3, 3) rotation of the body when the drag began; its columns are the local axes.
        """
        self.start = start
        self.mode = Turn.FREE
        self.held: Matrix | None = None
        self.angle = 0.0
        self.axis: Vector = np.array((0.0, 0.0, 1.0))
        self.axis_name = ""
        self.typed: Typed | None = None
        self._chosen: tuple[int, bool] | None = None
        self._shown = 0.0

    @property
    def is_about_view(self) -> bool:
        """Whether the axis is that of the view."""
        return self._chosen is None

    @property
    def turned(self) -> float:
        """The angle that is asked for [rad]: typed, or that of the pointer in steps."""
        return self._shown if self.typed is None else self.typed.values[0]

    @property
    def orientation(self) -> Matrix | None:
        """(3, 3) rotation that is asked for; None for any."""
        if self.held is None or self.mode is not Turn.TURNED:
            return self.held
        turned: Matrix = about(self.axis, self.turned) @ self.held
        return turned

    def hold(self, orientation: Matrix | None = None) -> None:
        """Ask for an orientation (3, 3); None = that of the start."""
        self._end()
        self.mode, self.held = Turn.HELD, self.start if orientation is None else orientation

    def free(self, *, keep: bool = False) -> None:
        """Ask for none, or go on asking for the present one without saying so."""
        self._end()
        self.mode = Turn.FREE
        if not keep:
            self.held = None

    def begin(self, view: View) -> None:
        """Turn by the pointer from the orientation that is asked for."""
        self._end()
        self.mode = Turn.TURNED
        self._choose(None, view)

    def next_axis(self, axis: int, view: View) -> None:
        """Turn about an axis of the world; again: of the body as it was at the start; again: of the view."""
        local = self._chosen == (axis, False)
        self._choose(None if self._chosen == (axis, True) else (axis, local), view)

    def cycle_axis(self, step: int, view: View) -> None:
        """Go through the view's axis and the world's three."""
        now = -1 if self._chosen is None else self._chosen[0]
        place = (now + 1 + step) % 4 - 1
        self._choose(None if place < 0 else (place, False), view)

    def sweep(
        self, view: View, middle: Vector, before: tuple[float, float], now: tuple[float, float], share: float = 1.0
    ) -> None:
        """Take the angle that the pointer has swept about the middle (3,) on screen, or a share of it."""
        centre = view.project(middle)
        if centre is None:
            return
        a, b = ((pixel[0] - centre[0], pixel[1] - centre[1]) for pixel in (before, now))
        if math.hypot(*a) < _NEAR or math.hypot(*b) < _NEAR:
            return
        swept = share * math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])
        # Counted as one sees it: an axis that points away from the viewer turns the other way round.
        self.angle += swept if float(self.axis @ view.forward) <= 0.0 else -swept

    def snap(self, *, steps: bool, fine: bool) -> None:
        """Take the pointer's angle as it is, or in steps."""
        size = FINE_STEP if fine else STEP
        self._shown = round(self.angle / size) * size if steps else self.angle

    def _choose(self, chosen: tuple[int, bool] | None, view: View) -> None:
        self._chosen = chosen
        if chosen is None:
            self.axis, self.axis_name = -view.forward, "the view"
            return
        axis, local = chosen
        self.axis = (self.start if local else np.eye(3))[:, axis].copy()
        self.axis_name = f"{'local' if local else 'global'} {AXES[axis]}"

    def _end(self) -> None:
        """Keep what the pointer has turned."""
        self.held = self.orientation
        self.angle = self._shown = 0.0
        self.typed = self._chosen = None
