"""Where texts go: beside what they tell of, inside the view, and not over each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import blf

from .colours import Color

FONT = 0
# Between a text and the edge of what lies behind it [px].
MARGIN = 4.0


@dataclass(frozen=True)
class Box:
    """A rectangle on the screen [px]."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: Box) -> bool:
        """Whether they have anything in common."""
        return (
            self.left < other.right and other.left < self.right and self.bottom < other.top and other.bottom < self.top
        )

    def inside(self, other: Box) -> bool:
        """Whether it lies in another one."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.bottom >= other.bottom
            and self.top <= other.top
        )


class Labels:
    """Places texts one after the other, the important ones first; one that finds no room is left out.

    Attributes:
        taken: what is covered already.
    """

    def __init__(self, free: Box, size: float, halo: Color) -> None:
        """Take a part of the screen.

        Args:
            free: what no panel covers.
            size: of the font [px].
            halo: colour of the shadow.
        """
        self.taken: list[Box] = []
        self._free = free
        self._size = size
        self._halo = halo
        self._texts: list[tuple[str, Box, Color]] = []

    def add(self, text: str, at: Sequence[float], color: Color, *, gap: float, always: bool = False) -> bool:
        """Write a text beside a pixel, on the side where there is room.

        Args:
            text: one line.
            at: (2,) the pixel.
            color: of the text.
            gap: how far from the pixel [px].
            always: rather write over something, and move it into view, than leave it out.

        Returns:
            Whether it is written.
        """
        x, y = float(at[0]), float(at[1])
        blf.size(FONT, self._size)
        width, height = (float(number) for number in blf.dimensions(FONT, text))  # type: ignore[attr-defined]
        places = [
            (x + gap, y + 0.35 * gap),
            (x - gap - width, y + 0.35 * gap),
            (x + gap, y - 0.35 * gap - height),
            (x - gap - width, y - 0.35 * gap - height),
            (x - 0.5 * width, y + gap),
            (x - 0.5 * width, y - gap - height),
        ]
        boxes = [
            Box(left - MARGIN, bottom - MARGIN, left + width + MARGIN, bottom + height + MARGIN)
            for left, bottom in places
        ]
        inside = [box for box in boxes if box.inside(self._free)]
        box = next((box for box in inside if not any(box.meets(other) for other in self.taken)), None)
        if box is None and always:
            box = inside[0] if inside else self._moved_inside(boxes[0])
        if box is None:
            return False
        self.taken.append(box)
        self._texts.append((text, box, color))
        return True

    def cover(self, at: Sequence[float], radius: float) -> None:
        """Keep texts away from what is around a pixel."""
        x, y = float(at[0]), float(at[1])
        self.taken.append(Box(x - radius, y - radius, x + radius, y + radius))

    @property
    def backs(self) -> list[Box]:
        """What lies behind the texts."""
        return [box for _, box, _ in self._texts]

    def draw(self) -> None:
        """Write everything that was placed."""
        blf.size(FONT, self._size)
        blf.enable(FONT, blf.SHADOW)
        blf.shadow(FONT, 3, self._halo[0], self._halo[1], self._halo[2], 1.0)
        blf.shadow_offset(FONT, 0, 0)
        try:
            for text, box, color in self._texts:
                blf.color(FONT, *color)
                blf.position(FONT, box.left + MARGIN, box.bottom + MARGIN, 0.0)
                blf.draw(FONT, text)
        finally:
            blf.disable(FONT, blf.SHADOW)

    def _moved_inside(self, box: Box) -> Box:
        """As much of it in view as there is room for, its beginning first."""
        right = min(0.0, self._free.right - box.right)
        right = max(right, self._free.left - box.left)
        up = max(0.0, self._free.bottom - box.bottom)
        up = min(up, self._free.top - box.top)
        return Box(box.left + right, box.bottom + up, box.right + right, box.top + up)
