"""What a drag shows, in pictures: every state of the overlay, on a dark and on a light theme."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
import rna_xml
from inside import robot
from inside.robot import grab, settle
from inside.window import (
    Steps,
    look,
    move,
    package,
    pixel,
    pixels,
    pointer,
    press,
    screenshot,
)

HAND = "panda_hand"
ARM = tuple(f"panda_joint{i}" for i in range(1, 8))
READY = dict(zip(ARM, (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.785), strict=True))


def use_theme(name: str) -> None:
    """One of Blender's own themes: "Dark" or "Light"."""
    folder = Path(bpy.utils.preset_paths("interface_theme")[0])
    mapped = (("preferences.themes[0]", "Theme"), ("preferences.ui_styles[0]", "ThemeStyle"))
    rna_xml.xml_file_run(bpy.context, str(folder / f"Blender_{name}.xml"), mapped)


def palette() -> object:
    """The colours that the overlay takes from the present theme."""
    return package("ui.overlay.colours").of_theme(bpy.context.preferences.themes[0])


def near(point: Sequence[float], color: Sequence[float], radius: int = 16, tolerance: int = 40) -> int:
    """Pixels of about that colour around where a world point is seen."""
    x, y = (round(value) for value in pixel(point))
    part = pixels()[max(y - radius, 0) : y + radius + 1, max(x - radius, 0) : x + radius + 1].astype(int)
    wanted = np.array([round(255 * value) for value in color[:3]])
    return int((np.abs(part - wanted).max(axis=2) <= tolerance).sum())


def stage(theme: str) -> str:
    """The Panda with a bent arm, on one of the themes."""
    use_theme(theme)
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    robot.enter(name, "OBJECT")
    bpy.data.objects[name].select_set(False)
    return name


def a_drag(theme: str) -> Steps:
    """Target, handle, chain, the joints' ranges and the start pose."""
    name = stage(theme)
    yield
    yield from grab(name, HAND)
    x, y = pointer()
    yield from move(x + 60, y - 70)
    yield from settle()
    yield 0.3
    screenshot(f"overlay-drag-{theme.lower()}")
    colors, session = palette(), package("api").session()
    assert near(session.target, colors.target) > 20
    for point in session.joints[1:]:
        assert near(point, colors.chain) > 5, point
    yield from press("ESC")


def test_the_overlay_of_a_drag_on_a_dark_theme() -> Steps:
    yield from a_drag("Dark")


def test_the_overlay_of_a_drag_on_a_light_theme() -> Steps:
    yield from a_drag("Light")
