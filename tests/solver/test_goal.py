"""What can be asked for, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from linkpose.errors import GoalError
from linkpose.solver import Goal, Search, solve
from solver.made import planar, random_rotation


def test_a_goal_takes_anything_of_the_right_shape_and_keeps_plain_numbers() -> None:
    goal = Goal(
        "tip", np.array([1, 2, 3], dtype=np.float32), [[1, 0, 0], [0, 1, 0], [0, 0, 1]], point=(0, 0, 1), weight=2
    )
    assert goal.position == (1.0, 2.0, 3.0)
    assert goal.orientation == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    assert goal.point == (0.0, 0.0, 1.0)
    assert goal == Goal("tip", (1, 2, 3), np.eye(3), point=(0, 0, 1), weight=2.0)


def test_a_rotation_of_single_precision_is_made_exact() -> None:
    rotation = random_rotation(np.random.default_rng(3))
    goal = Goal("tip", orientation=rotation.astype(np.float32))
    found = np.array(goal.orientation)
    assert np.allclose(found.T @ found, np.eye(3), atol=1e-12)
    assert np.allclose(found, rotation, atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "asks for nothing"),
        ({"position": (1.0, 2.0)}, r"position .* shape \(2,\); \(3,\) is needed"),
        ({"position": (1.0, math.nan, 0.0)}, "position .* not finite"),
        ({"position": (1.0, math.inf, 0.0)}, "position .* not finite"),
        ({"position": "up"}, "position .* numbers are needed"),
        ({"position": (0, 0, 0), "point": (0, 0, 0, 1)}, "point .* shape"),
        ({"orientation": np.eye(4)}, "orientation .* shape"),
        ({"orientation": 2.0 * np.eye(3)}, "no rotation matrix"),
        ({"orientation": np.diag((1.0, 1.0, -1.0))}, "no rotation matrix"),
        ({"orientation": np.full((3, 3), math.nan)}, "orientation .* not finite"),
        ({"position": (0, 0, 0), "weight": 0.0}, "weight 0.0"),
        ({"position": (0, 0, 0), "weight": -1.0}, "weight -1.0"),
        ({"position": (0, 0, 0), "weight": math.inf}, "weight inf"),
    ],
)
def test_a_goal_that_means_nothing_is_refused_with_the_reason(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(GoalError, match=message):
        Goal("tip", **arguments)  # type: ignore[arg-type]


def test_a_goal_for_a_body_that_the_chain_does_not_hold_is_refused() -> None:
    chain = planar((1.0, 1.0, 1.0)).chain("link1")
    with pytest.raises(GoalError, match="'tip', which is no body of the chain from 'base' to 'link1'"):
        solve(chain, Goal("tip", (1, 1, 0)))
    search = Search(chain, Goal("link1", (0, 1, 0)))
    with pytest.raises(GoalError, match="'nothing', which is no body"):
        search.retarget(Goal("nothing", (1, 1, 0)))
    assert search.goals == (Goal("link1", (0, 1, 0)),)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "MAGIC"}, "no method 'MAGIC'; choose one of .AUTO., .CCD., .FABRIK."),
        ({"tolerance": 0.0}, "tolerance is 0.0"),
        ({"tolerance": math.nan}, "tolerance is nan"),
        ({"tolerance": "small"}, "tolerance is 'small'"),
        ({"joint_weights": {"j0": "light"}}, "joint weight of 'j0' is 'light'"),
        ({"orientation_tolerance": -1.0}, "orientation_tolerance is -1.0"),
        ({"q0": [0.0]}, r"start pose .* shape \(3,\), not \(1,\)"),
        ({"q0": [0.0, math.nan, 0.0]}, "start pose .* finite number for 'j1'"),
        ({"q0": "zero"}, "start pose"),
        ({"budget": -1.0}, "budget of -1.0 s"),
    ],
)
def test_options_that_mean_nothing_are_refused_with_the_reason(options: dict[str, object], message: str) -> None:
    with pytest.raises(GoalError, match=message):
        solve(planar((1.0, 1.0, 1.0)).chain("tip"), Goal("tip", (1, 1, 0)), **options)  # type: ignore[arg-type]


def test_targets_that_cannot_be_measured_and_weights_that_are_no_numbers_are_refused() -> None:
    for far in ((1e200, 0.0, 0.0), np.array((0.0, 0.0, -1e300))):
        with pytest.raises(GoalError, match="too far away to be measured"):
            Goal("tip", far)
    with pytest.raises(GoalError, match="weight 'heavy'"):
        Goal("tip", (0.0, 0.0, 0.0), weight="heavy")  # type: ignore[arg-type]


def test_at_least_one_goal_is_needed() -> None:
    with pytest.raises(GoalError, match="no goal"):
        solve(planar((1.0,)).chain("tip"), [])
