"""What the overlay of a drag would draw, without a window: places on the screen, colours, room for texts."""

from __future__ import annotations

import itertools

import bpy
import numpy as np
import pytest
from blender.support import module
from mathutils import Matrix, Vector

WIDTH, HEIGHT = 900, 600


def view(*, perspective: bool = True) -> object:
    """A view from (0, -4, 0) along +Y."""
    placed = Matrix.Translation((0.0, -4.0, 0.0)) @ Matrix.Rotation(np.pi / 2, 4, "X")
    near, far = 0.1, 100.0
    if perspective:
        lens = 2.0
        window = np.array(
            (
                (lens, 0.0, 0.0, 0.0),
                (0.0, lens * WIDTH / HEIGHT, 0.0, 0.0),
                (0.0, 0.0, -(far + near) / (far - near), -2.0 * far * near / (far - near)),
                (0.0, 0.0, -1.0, 0.0),
            )
        )
    else:
        window = np.diag((0.5, 0.5 * WIDTH / HEIGHT, -2.0 / (far - near), 1.0))
    return module("rig.view").View(
        WIDTH,
        HEIGHT,
        window @ np.array(placed.inverted()),
        np.array(placed.translation),
        np.array((0.0, 1.0, 0.0)),
        4.0,
        perspective,
    )


def sketch(**options: bool) -> object:
    return module("ui.overlay.sketch").Sketch(view(**options))


def drawn(made: object) -> np.ndarray:
    """(n, 2, 2) ends of all lines."""
    return np.concatenate([ends for parts in made.lines.values() for ends, _ in parts])


@pytest.mark.parametrize("perspective", [True, False])
def test_lines_end_where_the_view_shows_their_ends(perspective: bool) -> None:
    made = sketch(perspective=perspective)
    ends = np.array([[(0.1, 0.2, 0.3), (-0.5, 1.0, 0.2)], [(0.0, 0.0, 0.0), (1.0, 2.0, -1.0)]])
    made.world(ends, (1.0, 1.0, 1.0, 1.0), 2.0)
    expected = [[made.view.project(point) for point in pair] for pair in ends]
    assert drawn(made) == pytest.approx(np.array(expected))


def test_a_line_that_goes_behind_the_viewer_is_cut_there_and_keeps_its_way() -> None:
    made = sketch()
    start, end = np.array((0.3, 0.0, 0.1)), np.array((0.5, -9.0, -0.4))
    made.world([[start, end], [(0.0, -6.0, 0.0), (0.0, -7.0, 1.0)]], (1.0, 1.0, 1.0, 1.0), 2.0)
    lines = drawn(made)
    assert len(lines) == 1, "one of them is all behind"
    assert np.isfinite(lines).all()
    first, last = lines[0]
    assert first == pytest.approx(made.view.project(start))
    # Points of it that are in front lie on the line that is drawn.
    way = (last - first) / np.linalg.norm(last - first)
    for share in (0.1, 0.3, 0.42):
        seen = np.array(made.view.project(start + share * (end - start))) - first
        assert abs(seen[0] * way[1] - seen[1] * way[0]) < 1e-6 * np.linalg.norm(last - first) + 1e-3
        assert 0.0 <= seen @ way <= np.linalg.norm(last - first)


@pytest.mark.parametrize("perspective", [True, False])
def test_a_pixel_is_as_long_as_the_view_says(perspective: bool) -> None:
    made = sketch(perspective=perspective)
    for depth in (-2.0, 0.0, 5.0):
        point = np.array((0.2, depth, -0.1))
        length = float(made.pixel_size(point[None])[0])
        here, there = (np.array(made.view.project(p)) for p in (point, point + np.array((10.0 * length, 0.0, 0.0))))
        assert np.linalg.norm(there - here) == pytest.approx(10.0, rel=1e-6)


def state(**values: object) -> object:
    return module("ui.overlay.state").OverlayState("Scene", **values)


def palette() -> object:
    return module("ui.overlay.colours").of_theme(bpy.context.preferences.themes[0])


def labels(free: tuple[float, float, float, float] = (0.0, 0.0, WIDTH, HEIGHT)) -> object:
    made = module("ui.overlay.labels")
    return made.Labels(made.Box(*free), 11.0, (0.0, 0.0, 0.0, 0.6))


def test_the_reach_is_a_sphere_as_large_as_the_chain_reaches() -> None:
    shell = module("ui.overlay.state").Shell(np.array((0.2, 0.5, 0.1)), 0.8, 0.3)
    made = module("ui.overlay.picture").sketch(
        state(shell=shell, target=(2.0, 0.0, 0.0)), view(perspective=False), palette(), labels(), 1.0
    )
    centre = np.array(made.view.project(shell.centre))
    edge = np.array(made.view.project(shell.centre + np.array((0.8, 0.0, 0.0))))
    away = np.linalg.norm(drawn(made).reshape(-1, 2) - centre, axis=1)
    # Of the line and the cross at the target, far to the right, nothing is looked at.
    reach = np.linalg.norm(edge - centre)
    outer = away[np.abs(away - reach) < 2.0]
    assert len(outer) > 90
    inner = np.linalg.norm(np.array(made.view.project(shell.centre + np.array((0.3, 0.0, 0.0)))) - centre)
    assert (np.abs(away - inner) < 2.0).sum() > 90


def test_locks_are_lines_through_where_the_target_began_in_the_axis_colour() -> None:
    colors = palette()
    through = (0.1, 0.3, -0.2)
    made = module("ui.overlay.picture").sketch(
        state(locks=[(2, (0.0, 0.0, 1.0))], locked_at=through), view(), colors, labels(), 1.0
    )
    x, y = made.view.project(np.array(through))
    found = [
        ends
        for parts in made.lines.values()
        for pairs, shades in parts
        for ends, shade in zip(pairs, shades, strict=True)
        if tuple(shade) == pytest.approx(colors.axes[2], abs=1e-6)
    ]
    assert len(found) == 1
    assert found[0][:, 0] == pytest.approx(x, abs=0.01)
    assert found[0][:, 1].min() < 0.0 < y < HEIGHT < found[0][:, 1].max()


def test_texts_stay_in_view_and_off_each_other_and_the_first_ones_win() -> None:
    free = (60.0, 40.0, 800.0, 560.0)
    made = labels(free)
    draw = np.random.default_rng(5)
    places = draw.uniform((0.0, 0.0), (WIDTH, HEIGHT), (120, 2))
    kept = [made.add(f"joint_{i} +{i}.0°", at, (1.0,) * 4, gap=7.0) for i, at in enumerate(places)]
    assert 10 < sum(kept) < 120
    assert kept[0] or not (60 < places[0][0] < 700)
    boxes = made.taken
    assert all(box.inside(made._free) for box in boxes)
    assert not any(one.meets(other) for one, other in itertools.combinations(boxes, 2))


@pytest.mark.parametrize("at", [(2.0, 300.0), (898.0, 598.0), (450.0, 2.0), (-200.0, 900.0)])
def test_a_text_that_must_be_read_is_moved_into_view(at: tuple[float, float]) -> None:
    made = labels((60.0, 40.0, 800.0, 560.0))
    assert made.add("14.1 cm out of reach; elbow_flex at +120.0° (upper)", at, (1.0,) * 4, gap=18.0, always=True)
    assert made.taken[-1].inside(made._free)


@pytest.mark.parametrize("back", [(0.0,) * 3, (0.24,) * 3, (0.39,) * 3, (0.55,) * 3, (0.8,) * 3, (1.0,) * 3])
def test_colours_stand_out_from_the_background_of_any_theme(back: tuple[float, float, float]) -> None:
    colours = module("ui.overlay.colours")
    theme = bpy.context.preferences.themes[0]
    gradient = theme.view_3d.space.gradients
    before = Vector(gradient.high_gradient)
    gradient.high_gradient = back
    back = tuple(gradient.high_gradient)  # 4.2 keeps a byte a colour
    try:
        made = colours.of_theme(theme)
    finally:
        gradient.high_gradient = before
    for name in ("chain", "handle", "target", "missed", "limit", "range", "pin"):
        assert colours.contrast(getattr(made, name), back) >= 2.2 - 1e-3, name
    assert colours.contrast(made.text, back) >= 4.5 - 1e-3
    for warning in (made.limit, made.warning):
        assert warning[0] >= max(warning[1:3]), "it is red as far as red can be read"
    over = np.array(made.backing[:3])
    behind = np.array(back) + made.backing[3] * (over - back)
    assert colours.contrast(made.warning, behind) >= 4.5 - 1e-3
    assert colours.contrast(made.text, behind) >= 4.5 - 1e-3
    assert made.text[:3] != made.halo[:3]


def test_black_on_white_has_the_greatest_contrast_there_is() -> None:
    contrast = module("ui.overlay.colours").contrast
    assert contrast((0.0,) * 3, (1.0,) * 3) == pytest.approx(21.0)
    # The example that the guidelines' techniques give: #767676 is the lightest grey that is allowed on white.
    assert contrast((0x76 / 255,) * 3, (1.0,) * 3) == pytest.approx(4.54, abs=0.01)
