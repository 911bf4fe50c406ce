"""One-shot solves: what is found."""

from __future__ import annotations

import math

import numpy as np
import pytest
from linkpose.solver import Axis, AxisKind, Goal, Mimic, Search, Skeleton, Status, solve
from solver.made import PI, at, body, hinge, numbered, planar, slide, ur5


def test_reachable_positions_are_reached_within_the_limits() -> None:
    random = np.random.default_rng(1)
    skeleton = ur5()
    chain = skeleton.chain("link6")  # from straight, which is singular
    for _ in range(40):
        q = random.uniform(-PI, PI, 6)
        target = chain.forward(q)[:3, 3]
        found = solve(chain, Goal("link6", target))
        assert found.status == "REACHED"
        assert math.dist(chain.forward(found.values)[:3, 3], target) <= 1e-5 * chain.reach
        assert found.pose == dict(zip(chain.unknowns, found.values.tolist(), strict=True))


def test_reachable_poses_are_reached_by_restarts_where_need_be() -> None:
    random = np.random.default_rng(2)
    chain = ur5().chain("link6")
    for _ in range(25):
        frame = chain.forward(random.uniform(-PI, PI, 6))
        found = solve(chain, Goal("link6", frame[:3, 3], frame[:3, :3]))
        reached = chain.forward(found.values)
        assert found.status == "REACHED"
        assert np.allclose(reached, frame, atol=1e-3)


@pytest.mark.parametrize("name", ["panda", "so100", "scara", "talos_leg", "snake30"])
def test_real_arms_reach_what_they_can(name: str) -> None:
    random = np.random.default_rng(3)
    skeleton = numbered(name)
    chain = skeleton.chain("tip", q=skeleton.middle())
    for _ in range(15):
        target = chain.forward(random.uniform(chain.lower, chain.upper))[:3, 3]
        found = solve(chain, Goal("tip", target))
        assert found.status == "REACHED"
        assert math.dist(chain.forward(found.values)[:3, 3], target) <= 1e-5 * chain.reach
        assert np.all(found.values >= chain.lower - 1e-12)
        assert np.all(found.values <= chain.upper + 1e-12)


def test_of_several_solutions_one_near_the_start_is_taken() -> None:
    # Two links reach every point by two elbows; the start is on one side.
    chain = planar((1.0, 1.0)).chain("tip")
    for side in (1.0, -1.0):
        q = np.array([0.3, side * 0.8])
        target = chain.forward(q)[:3, 3]
        found = solve(chain, Goal("tip", target), q + np.array((0.05, 0.1 * side)))
        assert np.allclose(found.values, q, atol=1e-4)


@pytest.mark.parametrize("method", ["AUTO", "CCD", "FABRIK"])
def test_a_straight_arm_dragged_towards_its_base_bends(method: str) -> None:
    chain = ur5().chain("link6")  # all joints at 0: stretched out along -X
    handle = chain.forward(chain.values)[:3, 3]
    shoulder = np.array((0.0, handle[1], handle[2]))
    search = Search(chain, Goal("link6", handle), method=method, tolerance=1e-3)
    values = chain.values
    for s in np.linspace(0.0, 0.5, 40):
        target = handle + s * (shoulder - handle)
        search.retarget(Goal("link6", target))
        found = search.advance(math.inf)
        assert found.status == "REACHED", found.why
        values = found.values
    assert abs(values[2]) > 0.5  # the elbow


def test_an_exactly_straight_flat_arm_bends_towards_its_base() -> None:
    chain = planar((1.0, 1.0)).chain("tip")
    found = solve(chain, Goal("tip", (1.0, 0.0, 0.0)))
    assert found.status == "REACHED"
    assert abs(found.values[1]) == pytest.approx(2 * PI / 3)


def test_limits_of_zero_width_hold() -> None:
    bodies = [
        body("base", None),
        body("a", "base", hinge("j0")),
        body("b", "a", hinge("stuck", lower=0.4, upper=0.4), origin=at(0.5)),
        body("c", "b", hinge("j1"), origin=at(0.5)),
        body("tip", "c", origin=at(0.5)),
    ]
    chain = Skeleton(bodies).chain("tip")
    found = solve(chain, Goal("tip", chain.forward([0.7, 0.4, -0.9])[:3, 3]))
    assert found.status is Status.REACHED
    assert found.values[1] == 0.4


def test_slides_and_hinges_work_together() -> None:
    bodies = [
        body("base", None),
        body("arm", "base", hinge("yaw", lower=-2.0, upper=2.0)),
        body("fore", "arm", hinge("elbow", lower=-2.5, upper=2.5), origin=at(0.3)),
        body("quill", "fore", slide("drop", (0.0, 0.0, -1.0), 0.0, 0.2), origin=at(0.25)),
    ]
    chain = Skeleton(bodies).chain("quill")
    random = np.random.default_rng(5)
    for _ in range(30):
        q = random.uniform(chain.lower, chain.upper)
        target = chain.forward(q)[:3, 3]
        found = solve(chain, Goal("quill", target))
        assert found.status is Status.REACHED
        assert found.values[2] == pytest.approx(q[2], abs=1e-5)
        assert 0.0 <= found.values[2] <= 0.2
    low = solve(chain, Goal("quill", (0.4, 0.0, -0.25)))
    assert low.status is Status.AT_LIMITS
    assert low.limited == ("drop",)
    assert low.position_residual == pytest.approx(0.05, abs=1e-5)


def test_a_gantry_of_slides_alone_is_solved() -> None:
    bodies = [
        body("base", None),
        body("x", "base", slide("x", (1.0, 0.0, 0.0), -1.0, 1.0)),
        body("y", "x", slide("y", (0.0, 1.0, 0.0))),
        body("z", "y", slide("z", (0.0, 0.0, 1.0), mimic=Mimic("y", 0.5, 0.1))),
    ]
    chain = Skeleton(bodies).chain("z")
    found = solve(chain, Goal("z", (0.5, 7.0, 3.6)))
    assert found.status is Status.REACHED
    assert found.pose == pytest.approx({"x": 0.5, "y": 7.0, "z": 3.6}, abs=1e-4)
    assert solve(chain, Goal("z", (3.0, 7.0, 3.6))).limited == ("x",)


def test_followers_on_the_path_keep_their_relation() -> None:
    bodies = [
        body("base", None),
        body("a", "base", hinge("j1")),
        body("b", "a", hinge("j2", mimic=Mimic("j1", -1.0, 0.25)), origin=at(1.0)),
        body("c", "b", hinge("j3"), origin=at(0.7)),
        body("tip", "c", origin=at(0.5)),
    ]
    chain = Skeleton(bodies).chain("tip")
    target = chain.forward([0.8, -0.6])[:3, 3]
    found = solve(chain, Goal("tip", target), [0.1, 0.1])
    assert found.status is Status.REACHED
    assert found.pose["j2"] == -found.pose["j1"] + 0.25
    assert math.dist(chain.forward(found.values)[:3, 3], target) < 1e-4


def test_a_follower_whose_source_is_off_the_path_is_dragged_by_its_source() -> None:
    bodies = [
        body("palm", None),
        body("left", "palm", slide("grip", (0.0, 1.0, 0.0), 0.0, 0.04)),
        body("right", "palm", slide("mirror", (0.0, -1.0, 0.0), mimic=Mimic("grip"))),
    ]
    chain = Skeleton(bodies).chain("right")
    found = solve(chain, Goal("right", (0.0, -0.03, 0.0)))
    assert found.pose == pytest.approx({"grip": 0.03, "mirror": 0.03})
    wide = solve(chain, Goal("right", (0.0, -0.9, 0.0)))
    assert wide.pose == {"grip": 0.04, "mirror": 0.04}
    assert wide.limited == ("grip",)


def test_continuous_values_are_reported_in_one_turn() -> None:
    turn = hinge("spin", lower=-PI, upper=PI, continuous=True)
    chain = Skeleton([body("base", None), body("tip", "base", turn, point=(1.0, 0.0, 0.0))]).chain("tip", q=[3.10])
    found = solve(chain, Goal("tip", (math.cos(3.2), math.sin(3.2), 0.0)))
    assert found.status is Status.REACHED
    assert found.values[0] == pytest.approx(3.2 - 2 * PI)
    assert found.limited == ()


def test_a_turn_that_its_follower_would_not_survive_is_not_taken_off() -> None:
    wheel = hinge("wheel", continuous=True)
    hand = hinge("hand", mimic=Mimic("wheel", 0.5))
    bodies = [body("base", None), body("wheel", "base", wheel), body("hand", "base", hand, point=(1.0, 0.0, 0.0))]
    chain = Skeleton(bodies).chain("hand", q=[5.0])
    target = (math.cos(2.6), math.sin(2.6), 0.0)
    found = solve(chain, Goal("hand", target))
    assert found.values[0] == pytest.approx(5.2, abs=1e-4)
    assert (chain.forward(found.values) @ (1.0, 0.0, 0.0, 1.0))[:3] == pytest.approx(target, abs=1e-4)


def test_orientation_alone_can_be_asked_for() -> None:
    chain = ur5().chain("link6")
    rotation = chain.forward([0.3, -0.5, 0.7, 1.0, -0.4, 0.9])[:3, :3]
    found = solve(chain, Goal("link6", orientation=rotation))
    assert found.status is Status.REACHED
    assert found.goals[0].position is None
    assert np.allclose(chain.forward(found.values)[:3, :3], rotation, atol=1e-3)


def test_half_a_turn_is_found() -> None:
    chain = Skeleton([body("base", None), body("tip", "base", hinge("j", (0.0, 0.0, 1.0)))]).chain("tip")
    found = solve(chain, Goal("tip", orientation=np.diag((-1.0, -1.0, 1.0))))
    assert found.status is Status.REACHED
    assert abs(found.values[0]) == pytest.approx(PI, abs=1e-3)


def test_weights_decide_which_of_two_goals_that_exclude_each_other_comes_nearer() -> None:
    chain = planar((1.0, 1.0)).chain("tip", q=[0.3, 0.5])
    up, down = Goal("tip", (1.5, 0.4, 0.0), weight=5.0), Goal("tip", (1.5, -0.4, 0.0))
    found = solve(chain, [up, down])
    assert found.goals[0].position < 0.1 < 0.7 < found.goals[1].position  # type: ignore[operator]


def test_the_handle_may_be_any_point_of_the_body() -> None:
    chain = planar((1.0, 1.0)).chain("tip", q=[0.3, 0.5])
    found = solve(chain, Goal("tip", (1.2, 1.0, 0.0), point=(0.2, 0.1, 0.0)))
    handle = (chain.forward(found.values) @ (0.2, 0.1, 0.0, 1.0))[:3]
    assert handle == pytest.approx((1.2, 1.0, 0.0), abs=1e-4)


def test_a_bone_s_default_handle_is_its_tail() -> None:
    bone = body("bone", "base", hinge("j", (1.0, 0.0, 0.0)), point=(0.0, 0.5, 0.0))
    chain = Skeleton([body("base", None), bone]).chain("bone")
    found = solve(chain, Goal("bone", (0.0, 0.0, 0.5)))
    assert found.status is Status.REACHED
    assert found.values[0] == pytest.approx(PI / 2, abs=1e-4)


def test_ball_joints_are_hinges_at_one_origin() -> None:
    def ball(name: str) -> tuple[Axis, ...]:
        return tuple(
            hinge(f"{name}:{n}", d, -2.0, 2.0)
            for n, d in zip("xyz", ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), strict=True)
        )

    bodies = [
        body("hips", None),
        body("spine", "hips", *ball("spine")),
        body("chest", "spine", *ball("chest"), origin=at(0.0, 0.3)),
        body("head", "chest", *ball("head"), origin=at(0.0, 0.3), point=(0.0, 0.2, 0.0)),
    ]
    chain = Skeleton(bodies).chain("head")
    assert chain.dof == 9
    assert chain.reach == pytest.approx(0.8)
    random = np.random.default_rng(6)
    for _ in range(10):
        target = (chain.forward(random.uniform(-1, 1, 9)) @ (0.0, 0.2, 0.0, 1.0))[:3]
        assert solve(chain, Goal("head", target)).status is Status.REACHED


def test_two_hundred_unknowns_are_solved() -> None:
    chain = planar([0.01] * 200, -0.3, 0.3).chain("tip")
    found = solve(chain, Goal("tip", (0.8, 1.2, 0.0)))
    assert found.status is Status.REACHED
    assert np.all(np.abs(found.values) <= 0.3)


def test_a_stiff_joint_moves_less_and_a_locked_one_hardly() -> None:
    def moved(stiffness: float) -> float:
        middle = Axis("j1", AxisKind.HINGE, (0.0, 0.0, 1.0), stiffness=stiffness)
        bodies = [
            body("base", None),
            body("a", "base", hinge("j0")),
            body("b", "a", middle, origin=at(0.5)),
            body("c", "b", hinge("j2"), origin=at(0.5)),
            body("tip", "c", origin=at(0.5)),
        ]
        chain = Skeleton(bodies).chain("tip", q=[0.3, 0.4, 0.5])
        found = solve(chain, Goal("tip", (0.6, 1.0, 0.0)))
        assert found.status is Status.REACHED
        return abs(found.values[1] - 0.4)

    free, stiff, locked = moved(0.0), moved(0.7), moved(1.0)
    assert free > 1.5 * stiff > 1.5 * locked
    assert locked < 0.01


def test_far_from_the_origin_and_at_any_size_the_same_is_found() -> None:
    values = []
    for size, away in ((1.0, 0.0), (1e-3, 0.0), (1.0, 1e4), (1e3, 0.0)):
        bodies = [
            body("base", None, origin=at(away)),
            body("a", "base", hinge("j0")),
            body("b", "a", hinge("j1"), origin=at(0.5 * size)),
            body("c", "b", hinge("j2"), origin=at(0.4 * size)),
            body("tip", "c", origin=at(0.3 * size)),
        ]
        chain = Skeleton(bodies).chain("tip", q=[0.1, 0.2, 0.3])
        found = solve(chain, Goal("tip", (away + 0.4 * size, 0.6 * size, 0.0)))
        assert found.status is Status.REACHED
        values.append(found.values)
    for other in values[1:]:
        assert np.allclose(other, values[0], atol=1e-5)
