"""Cyclic coordinate descent against values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from linkpose.solver import Axis, Goal, Mimic, Skeleton, solve
from linkpose.solver.ccd import Sweep
from linkpose.solver.problem import Problem
from solver.made import PI, at, body, hinge, planar, planar_tip, random_frame, random_tree, slide


def sweep(skeleton: Skeleton, goal: Goal, start: list[float]) -> list[float]:
    problem = Problem(skeleton.chain(goal.body), [goal])
    return Sweep(problem, problem.evaluate(start)).run()


def test_each_hinge_turns_the_handle_onto_the_line_to_the_target_from_the_handle_inwards() -> None:
    start = [0.2, 0.3]
    x, y = planar_tip((1.0, 1.0), (0.25, 0.37))
    # The outer hinge: angle about its origin between handle and target.
    ox, oy = math.cos(0.2), math.sin(0.2)
    outer = math.atan2(y - oy, x - ox) - 0.5
    # The inner hinge sees the tip where the outer one has taken it.
    tip = planar_tip((1.0, 1.0), (0.2, 0.3 + outer))
    inner = math.atan2(y, x) - math.atan2(tip[1], tip[0])
    assert abs(outer) < 0.25
    assert abs(inner) < 0.25
    found = sweep(planar((1.0, 1.0)), Goal("tip", (x, y, 0.0)), start)
    assert found == pytest.approx([0.2 + inner, 0.3 + outer], abs=1e-14)


def test_what_lies_along_the_axis_does_not_count() -> None:
    bodies = [body("base", None), body("a", "base", hinge("j")), body("tip", "a", origin=at(1.0, 0.0, 5.0))]
    target = (2.0 * math.cos(0.1), 2.0 * math.sin(0.1), -3.0)
    assert sweep(Skeleton(bodies), Goal("tip", target), [0.0]) == pytest.approx([0.1])


def test_a_turn_is_capped_to_a_quarter_radian_either_way() -> None:
    assert sweep(planar((1.0,)), Goal("tip", (0.0, 1.0, 0.0)), [0.0]) == [0.25]
    assert sweep(planar((1.0,)), Goal("tip", (0.0, -1.0, 0.0)), [0.0]) == [-0.25]


def test_a_slide_takes_the_error_along_its_axis_capped_to_four_hundredths_of_the_reach() -> None:
    axis = slide("s", (0.6, 0.8, 0.0), 0.0, 10.0)
    skeleton = Skeleton([body("base", None), body("tip", "base", axis)])
    # Along the axis the target is 0.6 * 0.1 + 0.8 * 0.2 = 0.22 away; the reach is the slide's upper limit.
    assert sweep(skeleton, Goal("tip", (0.1, 0.2, 9.0)), [0.0]) == pytest.approx([0.22])
    assert sweep(skeleton, Goal("tip", (6.0, 8.0, 0.0)), [0.0]) == pytest.approx([0.4])


def test_a_handle_or_a_target_on_the_axis_skips_that_hinge() -> None:
    assert sweep(planar((1.0,)), Goal("tip", (0.0, 0.0, 1.0)), [0.3]) == [0.3]
    on_axis = Skeleton([body("base", None), body("tip", "base", hinge("j"), point=(0.0, 0.0, 1.0))])
    assert sweep(on_axis, Goal("tip", (1.0, 0.0, 0.0)), [0.3]) == [0.3]


def test_limits_clamp_and_continuous_hinges_pass_half_a_turn() -> None:
    limited = planar((1.0,), -0.1, 0.1)
    assert sweep(limited, Goal("tip", (0.0, 1.0, 0.0)), [0.0]) == [0.1]
    turn = hinge("j", lower=-PI, upper=PI, continuous=True)
    free = Skeleton([body("base", None), body("a", "base", turn), body("tip", "a", origin=at(1.0))])
    found = solve(free.chain("tip"), Goal("tip", (math.cos(3.3), math.sin(3.3), 0.0)), [3.0], method="CCD")
    assert found.values[0] == pytest.approx(3.3 - 2 * PI)


def test_a_follower_turns_its_source_by_what_it_needs_itself() -> None:
    bodies = [
        body("base", None),
        body("a", "base", hinge("j1")),
        body("b", "base", hinge("j2", mimic=Mimic("j1", -2.0, 0.0))),
        body("tip", "b", origin=at(1.0)),
    ]
    assert sweep(Skeleton(bodies), Goal("tip", (math.cos(0.2), math.sin(0.2), 0.0)), [0.0]) == pytest.approx([-0.1])
    assert sweep(Skeleton(bodies), Goal("tip", (0.0, 1.0, 0.0)), [0.0]) == pytest.approx([-0.125])


def test_an_unknown_that_turns_several_joints_gets_nearer_and_never_farther() -> None:
    bodies = [
        body("base", None),
        body("a", "base", hinge("j1")),
        body("b", "a", hinge("j2", mimic=Mimic("j1", 1.5, 0.1)), origin=at(1.0)),
        body("c", "b", hinge("j3"), origin=at(0.5)),
        body("tip", "c", origin=at(0.5)),
    ]
    chain = Skeleton(bodies).chain("tip")
    target = chain.forward([0.5, -1.2])[:3, 3]
    found = solve(chain, Goal("tip", target), [0.2, 0.3], method="CCD")
    assert found.status == "REACHED"
    problem = Problem(chain, [Goal("tip", target)])
    at_ = problem.evaluate([0.2, 0.3])
    for _ in range(20):
        after = problem.evaluate(Sweep(problem, at_).run())
        assert after.error <= at_.error
        at_ = after


@pytest.mark.parametrize("seed", range(6))
def test_the_carried_tips_are_where_forward_kinematics_has_them(seed: int) -> None:
    random = np.random.default_rng(seed)
    skeleton = random_tree(random)
    chain = skeleton.chain(["b9", "b11"], anchor="root", q=random.uniform(-1, 1, len(skeleton.unknowns)))
    goals = [Goal(b, random.normal(size=3), random_frame(random)[:3, :3]) for b in chain.bodies]
    problem = Problem(chain, goals)
    run = Sweep(problem, problem.evaluate(chain.values.tolist()))
    values = run.run()
    placed = problem.evaluate(values).placed
    for carried, found in zip(run._points, placed, strict=True):
        assert np.allclose(carried, found[:3], atol=1e-12)


def test_an_orientation_is_turned_to_exactly_by_a_hinge_about_its_axis() -> None:
    skeleton = Skeleton([body("base", None), body("tip", "base", hinge("j", (0.0, 0.0, 1.0)))])
    c, s = math.cos(0.2), math.sin(0.2)
    goal = Goal("tip", orientation=((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))
    assert sweep(skeleton, goal, [0.0]) == pytest.approx([0.2])


def test_a_straight_arm_pulled_to_its_base_bends() -> None:
    found = solve(planar((1.0, 1.0)).chain("tip"), Goal("tip", (1.5, 0.0, 0.0)), [0.0, 0.0], method="CCD")
    assert found.status == "REACHED"


def test_arms_are_solved_within_their_limits() -> None:
    random = np.random.default_rng(7)
    limits = (-1.2, 1.2)
    chain = planar((0.3, 0.3, 0.2, 0.2), *limits).chain("tip")
    met = 0
    for _ in range(40):
        target = chain.forward(random.uniform(*limits, 4))[:3, 3]
        found = solve(chain, Goal("tip", target), method="CCD", tolerance=1e-3)
        assert np.all(np.abs(found.values) <= 1.2)
        met += found.status == "REACHED"
    assert met >= 37


def test_axes_in_any_direction_are_followed() -> None:
    def ball(name: str) -> tuple[Axis, ...]:
        return tuple(hinge(f"{name}:{n}", d) for n, d in zip("xyz", np.eye(3).tolist(), strict=True))  # type: ignore[arg-type]

    bodies = [
        body("base", None),
        body("a", "base", *ball("a")),
        body("b", "a", *ball("b"), origin=at(0.0, 1.0)),
        body("tip", "b", origin=at(0.0, 1.0)),
    ]
    found = solve(Skeleton(bodies).chain("tip"), Goal("tip", (0.5, 0.4, 1.0)), method="CCD")
    assert found.status == "REACHED"


@pytest.mark.parametrize("seed", range(5))
def test_a_hinge_whose_axis_goes_through_the_handle_stays_wherever_that_is_in_space(seed: int) -> None:
    random = np.random.default_rng(seed)
    axis = (0.6, 0.0, 0.8)
    bodies = [
        body("base", None, origin=random_frame(random)),
        body("arm", "base", hinge("yaw"), hinge("pitch", (0.0, 1.0, 0.0))),
        body("tip", "arm", hinge("wrist", axis), origin=at(0.5), point=(0.3 * axis[0], 0.0, 0.3 * axis[2])),
    ]
    chain = Skeleton(bodies).chain("tip", q=[0.3, 0.4, 0.7])
    target = (chain.forward([0.5, 0.1, 0.0]) @ (*chain.skeleton.body("tip").point, 1.0))[:3]
    found = solve(chain, Goal("tip", target), method="CCD")
    assert found.status == "REACHED"
    assert found.values[2] == 0.7
