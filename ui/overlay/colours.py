"""The overlay's colours: the user's theme, kept apart from the view's background."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from ...rig import compat

Color = tuple[float, float, float, float]

# Least contrast of lines and text with the background, as the Web Content Accessibility Guidelines measure it. They ask
# for 3 of lines; ours have a halo besides, and a red that is made as bright as that is no warning any more.
LINES, TEXT = 2.2, 4.5


@dataclass(frozen=True)
class Palette:
    """Colours as they are seen, with opacity.

    Attributes:
        text, chain, handle, target, missed, limit, range, ghost, pin: what they are called.
        warning: the colour of limits, as text.
        axes: of X, Y and Z.
        halo: behind all lines, far from all of these.
        backing: behind all texts.
    """

    text: Color
    warning: Color
    chain: Color
    handle: Color
    target: Color
    missed: Color
    limit: Color
    range: Color
    ghost: Color
    pin: Color
    axes: tuple[Color, Color, Color]
    halo: Color
    backing: Color


def of_theme(theme: bpy.types.Theme) -> Palette:
    """The palette of a theme."""
    view, interface = theme.view_3d, theme.user_interface
    back = _numbers(view.space.gradients.high_gradient)

    def line(color: object) -> Color:
        return (*apart(_numbers(color), back, LINES), 1.0)

    text = (*apart(_numbers(view.space.text_hi), back, TEXT), 1.0)
    error = compat.theme_error(theme)
    halo = (1.0, 1.0, 1.0, 0.7) if luminance(back) > _MIDDLE else (0.0, 0.0, 0.0, 0.6)
    backing = faint(halo, 0.7)
    behind = [value + backing[3] * (backing[0] - value) for value in back]
    return Palette(
        text=text,
        chain=line(view.object_active),
        handle=line(view.space.text_hi),
        target=line(interface.gizmo_secondary),
        missed=line(interface.gizmo_primary),
        limit=line(error),
        warning=(*apart(_numbers(error), behind, TEXT), 1.0),
        range=line(view.bone_pose),
        ghost=text,
        pin=line(interface.gizmo_primary),
        axes=(line(interface.axis_x), line(interface.axis_y), line(interface.axis_z)),
        halo=halo,
        backing=backing,
    )


def apart(color: Sequence[float], back: Sequence[float], ratio: float) -> tuple[float, float, float]:
    """A colour made brighter or darker, as far as it must to stand out from the background; its hue goes last.

    Args:
        color: (3,) red, green, blue as shown, 0 to 1.
        back: (3,) likewise.
        ratio: the contrast that is wanted; less only where no colour has it.
    """
    end = 0.0 if luminance(back) > _MIDDLE else 1.0
    # As bright as this hue can be; towards black there is nothing on the way.
    most = max(*color, 1e-6) if end else 1.0
    stops = (tuple(color), tuple(value / most for value in color), (end, end, end))
    for start, stop in itertools.pairwise(stops):
        for step in range(11):
            red, green, blue = (a + 0.1 * step * (b - a) for a, b in zip(start, stop, strict=True))
            if contrast((red, green, blue), back) >= ratio:
                return red, green, blue
    return end, end, end


def contrast(one: Sequence[float], other: Sequence[float]) -> float:
    """Contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio")."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(color: Sequence[float]) -> float:
    """Relative luminance of a colour as shown (WCAG 2.2, "relative luminance")."""
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in color[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# Backgrounds above this luminance are farther from black than from white.
_MIDDLE = 0.179


def faint(color: Color, opacity: float) -> Color:
    """The same colour, less opaque."""
    return (color[0], color[1], color[2], color[3] * opacity)


def _numbers(color: Any) -> tuple[float, float, float]:  # noqa: ANN401 (Blender's colours are iterable only at run time)
    """Red, green, blue of a colour of Blender's."""
    red, green, blue = tuple(color)[:3]
    return red, green, blue
