"""Which body every pixel of the viewport shows, told by Blender itself: each body is drawn in a flat colour of its own.

The picture is the very screen, so it knows all that Blender knows of hiding, local view, clipping, what is drawn in
front, instances and cameras; nothing in it comes from the extension.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import bpy
import numpy as np
from bpy_extras import view3d_utils
from inside.window import Steps, package, pixels, screenshot, viewport
from mathutils import Vector
from numpy.typing import NDArray

# Brightness levels of a channel, far enough apart to be told on an 8-bit screen; black is the background.
_LEVELS = (0, 51, 102, 153, 204, 255)
_NOISE = 8
MARGIN = 2


class Seen(NamedTuple):
    """A pixel of the region, the body that the picture shows there and the one that is picked; "" for none."""

    at: tuple[int, int]
    shown: str
    picked: str


def flat() -> None:
    """Let the viewport draw surfaces only, each in its object's colour and without any light."""
    space = viewport().space
    space.overlay.show_overlays = space.show_gizmo = False
    for region in ("header", "tool_header", "toolbar", "ui"):
        setattr(space, f"show_region_{region}", False)
    shading = space.shading
    shading.type, shading.light, shading.color_type = "SOLID", "FLAT", "OBJECT"
    shading.background_type, shading.background_color = "VIEWPORT", (0.0, 0.0, 0.0)
    shading.show_cavity = shading.show_object_outline = shading.show_shadows = shading.show_xray = False


def colours(count: int) -> NDArray[np.int64]:
    """(count, 3) different colours as the screen shows them, 0 to 255, none black, neighbours unlike each other."""
    every = np.array([(r, g, b) for r in _LEVELS for g in _LEVELS for b in _LEVELS][1:])
    random.Random(5).shuffle(order := list(range(len(every))))
    assert count <= len(every), f"{count} bodies cannot be told apart by colour"
    return every[order[:count]]


def linear(colour: Sequence[int]) -> tuple[float, ...]:
    """What Blender must be given so that the screen shows a colour."""
    parts = [value / 255 for value in colour]
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def paint(bodies: Mapping[str, str]) -> list[str]:
    """Colour objects by the body they stand for, both by name; returns the bodies in the order of their colours."""
    names = sorted(set(bodies.values()))
    table = colours(len(names))
    for thing, body in bodies.items():
        bpy.data.objects[thing].color = (*linear(table[names.index(body)]), 1.0)
    return names


def picture(names: Sequence[str]) -> NDArray[np.int64]:
    """(height, width) places in ``names`` of what the viewport shows, -1 for the background, -2 for a mixed colour.

    As last drawn: ``yield`` before it. Bottom row first, as pixels of the region are counted.
    """
    region = viewport().region
    drawn = pixels()[region.y : region.y + region.height, region.x : region.x + region.width].astype(np.int64)
    found = np.full(drawn.shape[:2], -2)
    for place, colour in enumerate([np.zeros(3, np.int64), *colours(len(names))], start=-1):
        found[np.abs(drawn - colour).max(axis=2) <= _NOISE] = place
    return found


def inner(shown: NDArray[np.int64], margin: int = MARGIN) -> NDArray[np.bool_]:
    """(height, width) which pixels are at least so many pixels inside their region, and not of a mixed colour."""
    inside = shown != -2
    padded = np.pad(shown, margin, constant_values=-3)
    height, width = shown.shape
    for dy in range(2 * margin + 1):
        for dx in range(2 * margin + 1):
            inside &= padded[dy : dy + height, dx : dx + width] == shown
    return inside


def sample(shown: NDArray[np.int64], count: int, dice: random.Random, margin: int = MARGIN) -> list[tuple[int, int]]:
    """So many pixels (x, y) inside their regions, in turn one of each region, so that small ones have their share."""
    inside = inner(shown, margin)
    left = {}
    for place in np.unique(shown[inside]):
        rows, columns = np.nonzero(inside & (shown == place))
        spots = list(zip(columns.tolist(), rows.tolist(), strict=True))
        left[place] = dice.sample(spots, min(count, len(spots)))
    chosen: list[tuple[int, int]] = []
    while len(chosen) < count and any(left.values()):
        chosen += [spots.pop() for spots in left.values() if spots]
    return chosen[:count]


def pick(at: tuple[int, int]) -> str:
    """The body that a drag would take at a pixel of the region, "" for none; what it holds must lie at that pixel."""
    view = viewport()
    with view.override():
        seen = package("rig.view").read(view.area, view.region)
        place = (float(at[0]), float(at[1]))
        found = package("rig.pick").pick(bpy.context, view.space, seen, place)
    if found is None:
        return ""
    if view.region_3d.view_perspective != "CAMERA":
        spot = view3d_utils.location_3d_to_region_2d(view.region, view.region_3d, Vector(found.point))
        assert spot is not None
        assert (spot - Vector(place)).length < 1.5, (at, tuple(spot), found)
    return str(found.bone)


def hover(at: tuple[int, int]) -> str | None:
    """The body that the tool shows as being under a pixel of the region, "" for none, None for a tool's frame."""
    view = viewport()
    tool = package("ui.hover")
    with view.override():
        tool.clear()
        tool.point_at(bpy.context, (float(at[0]), float(at[1])))
        found = tool.hovered()[0]
        tool.hide()
    # Small shapes of links without a mesh, which the tool shows before all else, are in no picture.
    return None if found is not None and found.kind == "frame" else "" if found is None else str(found.bone)


def compare(
    bodies: Mapping[str, str],
    name: str,
    count: int,
    *,
    seed: int = 1,
    free: Sequence[str] = (),
    unselectable: Sequence[str] = (),
    margin: int = MARGIN,
) -> Steps:
    """Assert that so many pixels are picked as what the picture shows; returns what was compared.

    Args:
        bodies: the body of each object, both by name.
        name: of the pictures that are kept, and told where something differs.
        count: of pixels.
        seed: of the choice of pixels.
        free: bodies that cannot be posed: "" is to be picked there.
        unselectable: objects that are shown but let nothing be picked; what is behind them is.
        margin: how many pixels inside their regions.
    """
    flat()
    names = paint(bodies)
    viewport().area.tag_redraw()
    yield
    if unselectable:
        screenshot(f"picking-{name}-all")
        for thing in unselectable:
            bpy.data.objects[thing].hide_viewport = True
        yield
    screenshot(f"picking-{name}")
    shown = picture(names)
    for thing in unselectable:
        bpy.data.objects[thing].hide_viewport = False
    yield
    return check(shown, ["" if body in free else body for body in names], name, count, seed=seed, margin=margin)


def check(
    shown: NDArray[np.int64], names: Sequence[str], name: str, count: int, *, seed: int = 1, margin: int = MARGIN
) -> list[Seen]:
    """Assert that so many pixels are picked as what a picture of places in ``names`` shows; returns them."""
    found = []
    for at in sample(shown, count, random.Random(seed), margin):
        place = shown[at[1], at[0]]
        found.append(Seen(at, "" if place < 0 else names[place], pick(at)))
    report(found, name, count)
    return found


def weights(skin: bpy.types.Object, bones: Sequence[str], name: str) -> Steps:
    """How much weight each bone has at every pixel of a skin, as Blender draws it; returns (bones, height, width).

    Three bones a picture, as red, green and blue of the skin's vertices, which Blender mixes within its triangles.
    Nothing else may be in the view. The sum is 0 outside of the skin.
    """
    flat()
    view = viewport()
    view.space.shading.color_type = "VERTEX"
    groups = {group.name: group.index for group in skin.vertex_groups}
    table = np.zeros((len(skin.data.vertices), len(skin.vertex_groups)))
    for vertex in skin.data.vertices:
        for entry in vertex.groups:
            table[vertex.index, entry.group] = entry.weight
    layer = skin.data.color_attributes.get("Weights") or skin.data.color_attributes.new(
        "Weights", "FLOAT_COLOR", "POINT"
    )
    skin.data.color_attributes.active_color = layer
    found = []
    for first in range(0, len(bones), 3):
        colour = np.ones((len(table), 4))
        colour[:, :3] = 0.0
        for i, bone in enumerate(bones[first : first + 3]):
            colour[:, i] = table[:, groups[bone]]
        layer.data.foreach_set("color", colour.astype(np.float32).ravel())
        skin.data.update()
        view.area.tag_redraw()
        yield
        if first == 0:
            screenshot(f"picking-{name}")
        region = view.region
        drawn = pixels()[region.y : region.y + region.height, region.x : region.x + region.width] / 255
        light = np.where(drawn <= 0.04045, drawn / 12.92, ((drawn + 0.055) / 1.055) ** 2.4)
        found += [light[:, :, i] for i in range(len(bones[first : first + 3]))]
    return np.array(found)


def heaviest(drawn: NDArray[np.float64], *, margin: float = 0.1) -> NDArray[np.int64]:
    """(height, width) the bone of the most weight at each pixel, -1 for no skin, -2 where it is near a tie."""
    ordered = np.sort(drawn, axis=0)
    found = np.where(ordered[-1] - ordered[-2] >= margin, drawn.argmax(axis=0), -2)
    return np.where(drawn.sum(axis=0) < 0.02, -1, found)


def report(found: Sequence[Seen], name: str, count: int) -> None:
    """Tell how many pixels agree; fail where any differs, or where there are too few."""
    wrong = [one for one in found if one.picked != one.shown]
    regions = len({one.shown for one in found})
    print(f"picking {name}: {len(found)} pixels of {regions} regions compared, {len(wrong)} differ", flush=True)
    assert len(found) >= count, f"{name}: only {len(found)} pixels are inside regions"
    assert regions > 1, f"{name}: the picture shows one thing only"
    assert not wrong, f"{name}: {len(wrong)} of {len(found)} differ: {wrong[:12]}"
