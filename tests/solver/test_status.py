"""What a solution says about itself: residuals, status, limits, and why."""

from __future__ import annotations

import math

import numpy as np
import pytest
from linkpose.solver import Goal, Search, Skeleton, Status, solve
from solver.made import PI, at, body, hinge, planar, random_frame, random_tree


def test_out_of_reach_the_arm_stretches_and_the_shortfall_is_what_is_left() -> None:
    chain = planar((0.5, 0.4, 0.3)).chain("tip", q=[0.1, 0.4, -0.2])
    found = solve(chain, Goal("tip", (3.0, 4.0, 0.0)))
    assert found.status is Status.OUT_OF_REACH
    assert found.shortfall == found.position_residual == pytest.approx(5.0 - 1.2, abs=1e-4)
    assert found.why == "3.800 m out of reach"
    assert found.limited == ()


def test_nearer_than_the_chain_can_fold_is_out_of_reach_as_well() -> None:
    chain = planar((1.0, 0.3, 0.2)).chain("tip", q=[0.1, 0.4, -0.2])
    found = solve(chain, Goal("tip", (0.1, 0.0, 0.0)))
    assert found.status is Status.OUT_OF_REACH
    assert found.shortfall == pytest.approx(0.4, abs=1e-4)


def test_joints_at_limits_that_are_in_the_way_are_named() -> None:
    bodies = [
        body("base", None),
        body("upper", "base", hinge("shoulder", lower=-0.5, upper=0.5)),
        body("lower", "upper", hinge("elbow", lower=-0.5, upper=0.5), origin=at(1.0)),
        body("tip", "lower", origin=at(1.0)),
    ]
    chain = Skeleton(bodies).chain("tip")
    found = solve(chain, Goal("tip", (0.0, 1.5, 0.0)))
    assert found.status is Status.AT_LIMITS
    assert found.limited == ("shoulder", "elbow")
    assert found.values.tolist() == [0.5, 0.5]
    handle = chain.forward(found.values)[:3, 3]
    assert found.position_residual == found.shortfall == pytest.approx(math.dist(handle, (0.0, 1.5, 0.0)))
    assert found.why == f"{found.shortfall:.3f} m to go: shoulder and elbow at their limits"
    near = solve(chain, Goal("tip", (1.415, -1.32, 0.0)))
    assert near.why.endswith(" mm to go: shoulder and elbow at their limits")


@pytest.mark.parametrize(
    ("distance", "text"),
    [(1.25, "1.250 m"), (0.0996, "100 mm"), (0.0324, "32 mm"), (0.0032, "3.2 mm"), (0.00032, "0.32 mm")],
)
def test_what_is_left_is_said_in_figures_that_people_read(distance: float, text: str) -> None:
    chain = planar((0.5, 0.5)).chain("tip")
    assert solve(chain, Goal("tip", (1.0 + distance, 0.0, 0.0))).why == f"{text} out of reach"
    assert solve(chain, Goal("tip", (0.3, 0.3, distance))).why.startswith(f"{text} ")


def test_limits_are_named_out_of_reach_too() -> None:
    chain = planar((1.0, 1.0), -0.5, 0.5).chain("tip")
    found = solve(chain, Goal("tip", (0.0, 5.0, 0.0)))
    assert found.status is Status.OUT_OF_REACH
    assert found.limited == ("j0", "j1")
    assert solve(chain, Goal("tip", (5.0, 0.0, 0.0))).limited == ()


def test_what_no_joint_can_do_is_stalled() -> None:
    found = solve(planar((0.5, 0.5)).chain("tip"), Goal("tip", (0.3, 0.3, 0.1)))
    assert found.status is Status.STALLED
    assert found.position_residual == pytest.approx(0.1, abs=1e-6)
    assert found.why == "0.100 m to go"


def test_a_single_joint_at_its_limit_is_named_with_its_side() -> None:
    chain = planar((1.0,), -0.2, 0.3).chain("tip")
    assert solve(chain, Goal("tip", (0.0, 1.0, 0.0))).why.endswith("to go: j0 at its upper limit")
    assert solve(chain, Goal("tip", (0.0, -1.0, 0.0))).why.endswith("to go: j0 at its lower limit")


def test_a_chain_of_no_unknowns_has_a_solution() -> None:
    chain = planar((1.0,)).chain("base")
    found = solve(chain, Goal("base", (0.0, 0.0, 0.5)))
    assert (found.values.shape, found.pose, found.status, found.iterations) == ((0,), {}, "OUT_OF_REACH", 0)
    assert found.position_residual == 0.5
    assert solve(chain, Goal("base", (0.0, 0.0, 0.0))).status is Status.REACHED


def test_joints_that_cannot_move_the_handle_leave_it_where_it_is() -> None:
    chain = Skeleton([body("base", None), body("tip", "base", hinge("j"))]).chain("tip")
    found = solve(chain, Goal("tip", (0.3, 0.0, 0.0)))
    assert found.status is Status.OUT_OF_REACH
    assert found.values.tolist() == [0.0]


def test_an_orientation_that_cannot_be_had_says_how_far_it_is() -> None:
    chain = planar((1.0, 1.0)).chain("tip", q=[0.2, 0.4])
    tilt = np.array(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)))
    found = solve(chain, Goal("tip", orientation=tilt))
    assert found.status is Status.STALLED
    assert found.orientation_residual == pytest.approx(PI / 2, abs=1e-3)
    assert found.why == "90° to go"


@pytest.mark.parametrize("seed", range(6))
def test_reported_residuals_are_those_of_the_reported_values(seed: int) -> None:
    random = np.random.default_rng(seed)
    skeleton = random_tree(random)
    q = random.uniform(-1, 1, len(skeleton.unknowns))
    chain = skeleton.chain(["b8", "b11"], anchor="root", q=q)
    goals = [Goal(b, random.normal(size=3) * 3, random_frame(random)[:3, :3]) for b in chain.bodies]
    found = Search(chain, goals).advance(math.inf)
    for goal, left in zip(goals, found.goals, strict=True):
        frame = chain.forward(found.values, goal.body)
        handle = (frame @ (*skeleton.body(goal.body).point, 1.0))[:3]
        assert goal.position is not None
        assert goal.orientation is not None
        assert left.position == pytest.approx(math.dist(handle, goal.position), abs=1e-12)
        cosine = (np.trace(np.array(goal.orientation) @ frame[:3, :3].T) - 1.0) / 2.0
        assert left.orientation == pytest.approx(math.acos(min(1.0, max(-1.0, cosine))), abs=1e-7)
    assert found.position_residual == max(left.position for left in found.goals if left.position is not None)
    assert np.all(found.values >= chain.lower - 1e-12)
    assert np.all(found.values <= chain.upper + 1e-12)


def test_tolerances_decide_the_status_only() -> None:
    chain = planar((1.0, 1.0)).chain("tip", q=[0.3, 0.5])
    loose = solve(chain, Goal("tip", (1.2, 1.0, 0.0)), tolerance=0.1)
    assert loose.position_residual <= 1e-6 * chain.reach
    beyond = Goal("tip", (2.05, 0.0, 0.0))
    assert solve(chain, beyond, tolerance=0.1).status is Status.REACHED
    assert solve(chain, beyond, tolerance=0.01).status is Status.OUT_OF_REACH


def test_a_tight_tolerance_is_met() -> None:
    chain = planar((1.0, 1.0)).chain("tip", q=[0.3, 0.5])
    found = solve(chain, Goal("tip", (1.2, 1.0, 0.0)), tolerance=1e-12)
    assert found.status is Status.REACHED
    assert found.position_residual <= 1e-12


def test_a_budget_of_nothing_still_gives_a_pose() -> None:
    found = solve(planar((1.0, 1.0)).chain("tip", q=[0.3, 0.5]), Goal("tip", (1.2, 1.0, 0.0)), budget=0.0)
    assert found.iterations == 1
    assert math.isfinite(found.position_residual)


def test_the_values_of_a_solution_cannot_be_written() -> None:
    found = solve(planar((1.0, 1.0)).chain("tip"), Goal("tip", (1.2, 1.0, 0.0)))
    with pytest.raises(ValueError, match="read-only"):
        found.values[0] = 0.0


@pytest.mark.parametrize("target", [(0.3, 0.3, 0.3), (-0.4, 0.1, 0.05)])
def test_a_target_that_cannot_be_had_is_given_up_when_several_lines_agree(target: tuple[float, float, float]) -> None:
    chain = planar((0.4, 0.3, 0.2), -2.0, 2.0).chain("tip")
    found = solve(chain, Goal("tip", target))
    assert found.status in (Status.STALLED, Status.AT_LIMITS)
    assert found.position_residual == pytest.approx(abs(target[2]), abs=1e-4)
    assert found.iterations < 400
