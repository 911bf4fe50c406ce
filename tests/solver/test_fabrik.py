"""Classic FABRIK on free points, against values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from linkpose.errors import GoalError
from linkpose.solver.fabrik import backward_pass, forward_pass, place_at_distance, solve_points

STRAIGHT = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]


def lengths_of(points: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.diff(points, axis=-2), axis=-1)


def test_a_point_is_placed_at_its_distance_on_the_way_to_another() -> None:
    assert place_at_distance((1.0, 1.0, 1.0), (1.0, 4.0, 5.0), 10.0).tolist() == [1.0, 7.0, 9.0]
    assert place_at_distance((1.0, 1.0, 1.0), (1.0, 4.0, 5.0), 0.0).tolist() == [1.0, 1.0, 1.0]


def test_where_there_is_no_way_the_point_lies_along_x() -> None:
    assert place_at_distance((1.0, 2.0, 3.0), (1.0, 2.0, 3.0), 0.5).tolist() == [1.5, 2.0, 3.0]
    assert place_at_distance((1.0, 2.0, 3.0), (1.0, 2.0, 3.0), 0.0).tolist() == [1.0, 2.0, 3.0]


def test_points_are_placed_lane_by_lane() -> None:
    toward = np.array([[2.0, 0.0, 0.0], [0.0, 3.0, 0.0]])
    assert place_at_distance((0.0, 0.0, 0.0), toward, [1.0, 2.0]).tolist() == [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]


def test_the_backward_pass_walks_from_the_target_to_the_base() -> None:
    moved = backward_pass(STRAIGHT, [1.0, 1.0], (0.0, 2.0, 0.0))
    # From (0, 2) towards (1, 0), then from there towards the old base at the origin.
    elbow = np.array((1.0, 2.0 * math.sqrt(5.0) - 2.0, 0.0)) / math.sqrt(5.0)
    assert moved[2].tolist() == [0.0, 2.0, 0.0]
    assert moved[1] == pytest.approx(elbow)
    assert moved[0] == pytest.approx(elbow * (1.0 - 1.0 / np.linalg.norm(elbow)))


def test_the_forward_pass_walks_from_the_base_outwards() -> None:
    moved = forward_pass([[0.5, 0.5, 0.0], [1.0, 1.0, 0.0], [1.0, 5.0, 0.0]], [1.0, 2.0], (0.0, 0.0, 0.0))
    half = math.sqrt(0.5)
    tip = np.array((1.0 - half, 5.0 - half, 0.0))
    assert moved[0].tolist() == [0.0, 0.0, 0.0]
    assert moved[1] == pytest.approx((half, half, 0.0))
    assert moved[2] == pytest.approx(moved[1] + 2.0 * tip / np.linalg.norm(tip))


def test_passes_leave_what_they_are_given_alone() -> None:
    points = np.array(STRAIGHT)
    backward_pass(points, [1.0, 1.0], (0.0, 1.0, 0.0))
    forward_pass(points, [1.0, 1.0], (0.0, 1.0, 0.0))
    solve_points(points, (0.0, 1.0, 0.0))
    assert points.tolist() == STRAIGHT


@pytest.mark.parametrize(
    ("points", "target"),
    [
        (STRAIGHT, (1.5, 1.0, 0.0)),
        ([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 2.0]], (1.0, 1.0, 1.0)),
        ([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], (0.0, 1.0, 0.0)),
        ([[float(i), 0.0, 0.0] for i in range(6)], (3.0, 3.0, 0.0)),
        ([[2.0, 1.0, 0.0], [2.0, 2.5, 0.0], [2.0, 3.0, 0.5], [2.0, 3.0, 1.5]], (3.0, 0.0, 1.0)),
    ],
)
def test_a_target_within_reach_is_reached_and_the_segments_keep_their_lengths(
    points: list[list[float]], target: tuple[float, float, float]
) -> None:
    found = solve_points(points, target, tolerance=1e-9, max_iterations=500)
    assert found.residual <= 1e-9
    assert 0 < found.iterations < 500
    assert found.points[-1] == pytest.approx(target, abs=1e-9)
    assert found.points[0] == pytest.approx(points[0], abs=1e-15)
    assert lengths_of(found.points) == pytest.approx(lengths_of(np.array(points)), abs=1e-12)


def test_two_equal_links_meet_the_target_in_an_isosceles_triangle() -> None:
    found = solve_points(STRAIGHT, (1.2, 0.0, 0.9), tolerance=1e-10, max_iterations=1000)
    # The elbow lies over the middle of base and target, at the height that the cosine law gives.
    assert np.linalg.norm(found.points[1] - (0.6, 0.0, 0.45)) == pytest.approx(math.sqrt(1.0 - 0.75**2), abs=1e-8)


def test_out_of_reach_the_chain_is_stretched_along_the_line_to_the_target() -> None:
    found = solve_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0]], (3.0, 4.0, 0.0))
    assert found.points[1] == pytest.approx((0.6, 0.8, 0.0))
    assert found.points[2] == pytest.approx((1.8, 2.4, 0.0))
    assert found.residual == pytest.approx(2.0)
    assert found.iterations == 0


@pytest.mark.parametrize("target", [(1.0, 0.0, 0.0), (-1.5, 0.0, 0.0), (0.0, 0.0, 0.0)])
def test_a_straight_chain_bends_towards_a_target_on_its_own_line(target: tuple[float, float, float]) -> None:
    found = solve_points(STRAIGHT, target, tolerance=1e-6, max_iterations=300)
    assert found.residual <= 1e-6
    assert np.isfinite(found.points).all()


def test_a_target_already_met_moves_nothing() -> None:
    points = np.random.default_rng(1).normal(size=(4, 3))
    found = solve_points(points, points[-1])
    assert found.points.tobytes() == points.tobytes()
    assert (found.iterations, found.residual) == (0, 0.0)


def test_the_cap_holds_and_the_best_is_kept() -> None:
    short = solve_points(STRAIGHT, (1.5, 1.0, 0.0), tolerance=1e-10, max_iterations=1)
    assert short.iterations == 1
    # Nearer than the chain can fold: the longest segment leaves over what the others cannot take back.
    folded = solve_points([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 0.5, 0.0]], (0.3, 0.0, 0.0), max_iterations=200)
    assert folded.iterations == 200
    assert folded.residual == pytest.approx(1.2, abs=1e-3)
    assert solve_points(STRAIGHT, (1.5, 1.0, 0.0), max_iterations=0).points.tolist() == STRAIGHT


def test_lengths_can_be_given() -> None:
    found = solve_points(STRAIGHT, (0.5, 2.0, 0.0), lengths=[2.0, 0.5], tolerance=1e-9, max_iterations=500)
    assert found.residual <= 1e-9
    assert lengths_of(found.points) == pytest.approx([2.0, 0.5])


def test_segments_of_no_length_and_a_single_point_are_no_matter() -> None:
    found = solve_points([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], (0.0, 1.0, 0.0))
    assert found.residual <= 1e-6
    assert lengths_of(found.points) == pytest.approx([0.0, 1.0, 0.0])
    assert solve_points([[1.0, 0.0, 0.0]], (0.0, 0.0, 0.0)).residual == 1.0


def test_a_lane_of_a_batch_is_solved_as_it_would_be_alone() -> None:
    random = np.random.default_rng(3)
    points = random.normal(size=(2, 5, 4, 3))
    targets = random.normal(size=(5, 3)) * 2.0
    together = solve_points(points, targets, tolerance=1e-8)
    assert together.points.shape == (2, 5, 4, 3)
    assert together.iterations.shape == together.residual.shape == (2, 5)
    assert len(set(together.iterations.ravel().tolist())) > 3
    for i in np.ndindex(2, 5):
        alone = solve_points(points[i], targets[i[1]], tolerance=1e-8)
        assert np.allclose(alone.points, together.points[i], atol=1e-12)
        assert alone.iterations == together.iterations[i]
        assert alone.residual == pytest.approx(together.residual[i], abs=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"points": [[0.0, 0.0], [1.0, 0.0]]}, r"shape \(2, 2\)"),
        ({"points": [[0.0, 0.0, math.nan], [1.0, 0.0, 0.0]]}, "points hold a number that is not finite: nan"),
        ({"points": "abc"}, "numbers are needed"),
        ({"target": (1.0, math.inf, 0.0)}, "target hold a number that is not finite: inf"),
        ({"target": (1.0, 0.0)}, r"\(…, n, 3\), \(…, n - 1\) and \(…, 3\) are needed"),
        ({"lengths": [1.0, -1.0]}, "negative number: -1.0"),
        ({"lengths": [1.0]}, "do not fit"),
        ({"target": np.zeros((2, 3)), "points": np.zeros((3, 4, 3))}, "batch axes"),
        ({"tolerance": -1.0}, "can be negative"),
        ({"max_iterations": -1}, "can be negative"),
    ],
)
def test_what_means_nothing_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(GoalError, match=message):
        solve_points(**{"points": STRAIGHT, "target": (1.0, 1.0, 0.0), **change})  # type: ignore[arg-type]
