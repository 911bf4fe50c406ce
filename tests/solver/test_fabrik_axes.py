"""FABRIK on a chain's real axes: one sweep by hand, batches, and the method of a search."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from linkpose.errors import GoalError
from linkpose.solver import Chain, Goal, Mimic, Skeleton, fabrik, solve
from linkpose.solver.fabrik_sweep import Reach
from linkpose.solver.problem import Problem
from linkpose.solver.run import Tolerance
from solver.made import PI, at, body, hinge, numbered, planar, planar_tip, random_frame, random_tree, slide, ur5

Target, Options, solve_constrained = fabrik.Target, fabrik.Options, fabrik.solve_constrained


def three_link() -> Chain:
    """A yaw at 0.05, a pitch there, a pitch 0.2 above, and the tip 0.15 above that."""
    y = (0.0, 1.0, 0.0)
    bodies = [
        body("base", None),
        body("a", "base", hinge("yaw"), origin=at(0.0, 0.0, 0.05)),
        body("b", "a", hinge("shoulder", y, -PI / 2, PI / 2)),
        body("c", "b", hinge("elbow", y, -0.75 * PI, 0.75 * PI), origin=at(0.0, 0.0, 0.2)),
        body("tip", "c", origin=at(0.0, 0.0, 0.15)),
    ]
    return Skeleton(bodies).chain("tip")


def rolled(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def test_the_joint_values_that_made_a_target_are_found_again() -> None:
    chain = three_link()
    found = solve_constrained(chain, Target(chain.forward([0.3, 0.4, 0.5])[:3, 3]), Options(500, 1e-9))
    assert found.values == pytest.approx([0.3, 0.4, 0.5], abs=1e-4)
    assert found.position_residual <= 1e-9
    assert 0 < found.iterations < 500


def test_a_target_that_cannot_be_had_leaves_the_limits_alone() -> None:
    chain = three_link()
    found = solve_constrained(chain, Target((-0.3, -0.2, -0.3)), Options(500, 1e-9))
    assert np.all(found.values >= chain.lower)
    assert np.all(found.values <= chain.upper)
    assert found.position_residual > 0.1
    handle = chain.forward(found.values)[:3, 3]
    assert found.position_residual == pytest.approx(math.dist(handle, (-0.3, -0.2, -0.3)), abs=1e-12)


def test_lanes_converge_alone() -> None:
    chain = three_link()
    poses = [(0.3, 0.4, 0.5), (-0.7, 0.2, 0.8), (1.0, -0.3, 0.9)]
    targets = np.array([chain.forward(q)[:3, 3] for q in poses])
    together = solve_constrained(chain, Target(targets), Options(500, 1e-9))
    assert len(set(together.iterations.tolist())) == 3
    for i, target in enumerate(targets):
        alone = solve_constrained(chain, Target(target), Options(500, 1e-9))
        assert np.allclose(alone.values, together.values[i], atol=1e-12)
        assert alone.iterations == together.iterations[i]


def test_results_have_the_target_s_leading_axes() -> None:
    chain = three_link()
    found = solve_constrained(chain, Target(np.full((2, 3, 3), 0.1)), Options(5))
    assert found.values.shape == (2, 3, 3)
    assert found.iterations.shape == found.position_residual.shape == found.orientation_residual.shape == (2, 3)
    assert solve_constrained(chain, Target(np.zeros((0, 3)))).values.shape == (0, 3)


def test_the_target_is_given_in_the_anchor_s_frame() -> None:
    random = np.random.default_rng(2)
    frame = random_frame(random)
    bodies = [body("world", None), body("base", "world", origin=frame), body("a", "base", hinge("j0"))]
    bodies += [body("b", "a", hinge("j1", (1.0, 0.0, 0.0)), origin=at(0.4)), body("tip", "b", origin=at(0.1, 0.3))]
    chain = Skeleton(bodies).chain("tip", anchor="base")
    wanted = np.linalg.inv(frame) @ chain.forward([0.4, -0.3])
    target = Target(wanted[:3, 3], wanted[:3, :3])
    found = solve_constrained(chain, target, Options(500, 1e-8, 1e-7))
    assert found.values == pytest.approx([0.4, -0.3], abs=1e-6)


def test_orientation_is_asked_for_lane_by_lane() -> None:
    bodies = [
        body("base", None),
        body("a", "base", hinge("yaw"), origin=at(0.0, 0.0, 0.1)),
        body("b", "a", hinge("pitch", (0.0, 1.0, 0.0)), origin=at(0.2)),
        body("c", "b", hinge("roll", (1.0, 0.0, 0.0)), origin=at(0.2)),
        body("tip", "c", origin=at(0.1)),
    ]
    chain = Skeleton(bodies).chain("tip")
    frame = chain.forward([0.4, -0.5, 0.9])
    target = Target(frame[:3, 3], frame[:3, :3], np.array([0.0, 1.0, 0.5]))
    found = solve_constrained(chain, target, Options(500, 1e-7, 1e-6))
    assert np.all(found.position_residual <= 1e-7)
    assert found.values[1] == pytest.approx([0.4, -0.5, 0.9], abs=1e-5)
    assert found.values[[0, 2], 2].tolist() == [0.0, 0.0]  # the roll moves no point that counts
    assert found.orientation_residual[1] <= 1e-6
    assert found.orientation_residual[[0, 2]].tolist() == [0.0, 0.0]


def test_anything_with_the_attributes_of_a_target_and_of_options_will_do() -> None:
    chain = three_link()
    point = chain.forward([0.3, 0.4, 0.5])[:3, 3]
    told = SimpleNamespace(max_iterations=500, tolerance=1e-9, orientation_tolerance=1e-3, lever=None)
    values, iterations, position, orientation = solve_constrained(
        chain,
        SimpleNamespace(position=point, rotation=np.eye(3), enforce=0.0),  # type: ignore[arg-type]
        told,  # type: ignore[arg-type]
    )
    assert values == pytest.approx([0.3, 0.4, 0.5], abs=1e-4)
    assert (position <= 1e-9, orientation, iterations > 0) == (True, 0.0, True)


def test_a_start_on_target_moves_nothing() -> None:
    chain = three_link()
    start = np.array([[0.1, 0.2, 0.3], [-0.4, 0.5, -0.6]])
    targets = [chain.forward(q)[:3, 3] for q in start]
    found = solve_constrained(chain, Target(targets), Options(start=start))
    assert found.values.tobytes() == start.tobytes()
    assert found.iterations.tolist() == [0, 0]


def test_slides_followers_and_joints_at_one_origin_work_together() -> None:
    bodies = [
        body("base", None),
        body("rail", "base", slide("rail", (0.0, 1.0, 0.0), -0.2, 0.3)),
        body("a", "rail", hinge("yaw"), hinge("pitch", (0.0, 1.0, 0.0), -1.5, 1.5)),
        body("b", "a", hinge("elbow", (0.0, 1.0, 0.0), 0.0, 2.0), origin=at(0.3)),
        body("c", "b", hinge("follower", (0.0, 1.0, 0.0), mimic=Mimic("elbow", 0.5, 0.1)), origin=at(0.2)),
        body("tip", "c", origin=at(0.15)),
    ]
    chain = Skeleton(bodies).chain("tip")
    random = np.random.default_rng(5)
    targets = [
        chain.forward(random.uniform(np.maximum(chain.lower, -1), chain.upper.clip(max=1)))[:3, 3] for _ in range(30)
    ]
    found = solve_constrained(chain, Target(targets), Options(300, 1e-4))
    assert np.mean(found.position_residual <= 1e-4) >= 0.9
    for values, target, left in zip(found.values, targets, found.position_residual, strict=True):
        assert np.all(values >= chain.lower)
        assert np.all(values <= chain.upper)
        assert left == pytest.approx(math.dist(chain.forward(values)[:3, 3], target), abs=1e-12)


def test_continuous_values_come_back_in_one_turn() -> None:
    turn = hinge("spin", lower=-PI, upper=PI, continuous=True)
    bodies = [body("base", None), body("a", "base", turn), body("tip", "a", origin=at(1.0))]
    chain = Skeleton(bodies).chain("tip", q=[3.1])
    found = solve_constrained(chain, Target((math.cos(3.2), math.sin(3.2), 0.0)))
    assert found.values[0] == pytest.approx(3.2 - 2.0 * PI, abs=1e-5)


@pytest.mark.parametrize("name", ["panda", "ur5", "iiwa", "talos_leg"])
def test_real_arms_converge(name: str) -> None:
    skeleton = numbered(name)
    chain = skeleton.chain("tip", q=skeleton.middle())
    random = np.random.default_rng(7)
    poses = random.uniform(chain.lower, chain.upper, size=(60, chain.dof))
    targets = [chain.forward(q)[:3, 3] for q in poses]
    found = solve_constrained(chain, Target(targets), Options(200, 1e-3 * chain.reach))
    assert np.mean(found.position_residual <= 1e-3 * chain.reach) >= 0.85
    met = [solve(chain, Goal("tip", t), method="FABRIK", tolerance=1e-3 * chain.reach) for t in targets[:20]]
    assert sum(one.status == "REACHED" for one in met) >= 18


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        (Target((0.0, 0.0)), Options(), r"position has shape \(2,\); \(…, 3\) is needed"),
        (Target((0.0, 0.0, math.nan)), Options(), "position holds a number that is not finite"),
        (Target("abc"), Options(), "numbers are needed"),
        (Target((0.0, 0.0, 0.0), np.eye(4)), Options(), r"rotation has shape \(4, 4\)"),
        (Target((0.0, 0.0, 0.0), None, 1.0), Options(), "enforces a rotation that is not given"),
        (Target(np.zeros((2, 3)), np.zeros((3, 3, 3))), Options(), "batch axes"),
        (Target((0.0, 0.0, 0.0)), Options(tolerance=0.0), "tolerance is 0.0"),
        (Target((0.0, 0.0, 0.0)), Options(max_iterations=-1), "max_iterations is -1"),
        (Target((0.0, 0.0, 0.0)), Options(start=(0.0,)), r"start has shape \(1,\); \(…, 3\)"),
    ],
)
def test_what_means_nothing_is_refused(target: fabrik.Target, options: fabrik.Options, message: str) -> None:
    with pytest.raises(GoalError, match=message):
        solve_constrained(three_link(), target, options)


# One sweep of a search


def sweep(skeleton: Skeleton, goal: Goal, start: list[float]) -> list[float]:
    problem = Problem(skeleton.chain(goal.body), [goal])
    return Reach(problem, problem.evaluate(start), Tolerance(1e-3, 1e-3)).run()


def test_a_single_hinge_turns_its_handle_onto_the_line_to_the_target() -> None:
    assert sweep(planar((1.0,)), Goal("tip", (2.0 * math.cos(0.3), 2.0 * math.sin(0.3), 0.0)), [0.1]) == pytest.approx(
        [0.3]
    )


def test_hinges_turn_from_the_base_outwards_by_the_weighted_closed_form() -> None:
    x, y = planar_tip((1.0, 1.0), (0.25, 0.37))
    elbow, tip = np.array(planar_tip((1.0,), (0.2,))), np.array(planar_tip((1.0, 1.0), (0.2, 0.3)))
    target = np.array((x, y))
    # Backward pass: the elbow should be at 1 from the target, towards where it is.
    wanted = target + (elbow - target) / np.linalg.norm(elbow - target)
    sine = (elbow[0] * wanted[1] - elbow[1] * wanted[0]) + 30.0 * (tip[0] * target[1] - tip[1] * target[0])
    inner = math.atan2(sine, elbow @ wanted + 30.0 * tip @ target)
    # Forward pass: the outer hinge sees the handle where the inner one has taken it.
    elbow, tip = rolled(inner)[:2, :2] @ elbow, rolled(inner)[:2, :2] @ tip
    r, d = tip - elbow, target - elbow
    outer = math.atan2(r[0] * d[1] - r[1] * d[0], r @ d)
    found = sweep(planar((1.0, 1.0)), Goal("tip", (x, y, 0.0)), [0.2, 0.3])
    assert found == pytest.approx([0.2 + inner, 0.3 + outer], abs=1e-12)


def test_a_slide_takes_the_weighted_mean_of_the_way_along_its_axis() -> None:
    skeleton = Skeleton([body("base", None), body("tip", "base", slide("s", (0.6, 0.8, 0.0), 0.0, 10.0))])
    assert sweep(skeleton, Goal("tip", (0.1, 0.2, 9.0)), [0.0]) == pytest.approx([0.22])
    assert sweep(skeleton, Goal("tip", (-0.1, -0.2, 9.0)), [0.0]) == [0.0]


def test_a_handle_on_the_axis_leaves_its_hinge_alone() -> None:
    on_axis = Skeleton([body("base", None), body("tip", "base", hinge("j"), point=(0.0, 0.0, 1.0))])
    assert sweep(on_axis, Goal("tip", (1.0, 0.0, 0.0)), [0.3]) == [0.3]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_sweep_of_a_search_and_that_of_a_batch_agree(seed: int, turned: bool) -> None:
    random = np.random.default_rng(seed)
    bodies = [body("base", None)]
    for i in range(6):
        axis = (hinge, slide)[i == 2](f"j{i}", tuple((v := random.normal(size=3)) / np.linalg.norm(v)), -3.0, 3.0)
        bodies.append(body(f"b{i}", bodies[-1].name, axis, origin=random_frame(random)))
    chain = Skeleton(bodies).chain("b5", q=random.uniform(-0.5, 0.5, 6))
    frame = chain.forward(chain.values + random.uniform(-0.05, 0.05, 6))  # near: neither is capped
    goal = Goal("b5", frame[:3, 3], frame[:3, :3] if turned else None)
    problem = Problem(chain, [goal])
    one = Reach(problem, problem.evaluate(chain.values.tolist()), Tolerance(1e-12, 1e-12)).run()
    target = Target(frame[:3, 3], frame[:3, :3] if turned else None)
    many = solve_constrained(chain, target, Options(1, 1e-12, 1e-12, tip_weight=30.0))
    assert not np.array_equal(many.values, chain.values)
    assert many.values == pytest.approx(one, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_sweep_of_a_tree_keeps_to_the_limits_and_gets_nearer(seed: int) -> None:
    random = np.random.default_rng(seed)
    skeleton = random_tree(random)
    chain = skeleton.chain(["b9", "b11"], anchor="root", q=random.uniform(-1, 1, len(skeleton.unknowns)))
    near = chain.values + random.uniform(-0.2, 0.2, chain.dof)
    goals = [
        Goal(b, (chain.forward(near, b) @ (*skeleton.body(b).point, 1.0))[:3], chain.forward(near, b)[:3, :3])
        for b in chain.bodies
    ]
    problem = Problem(chain, goals)
    start = problem.evaluate(chain.values.tolist())
    best = at_ = start
    for _ in range(20):
        at_ = problem.evaluate(Reach(problem, at_, Tolerance(1e-5, 1e-3)).run())
        best = min(best, at_, key=lambda one: one.error)
        assert np.all(np.array(at_.values) >= chain.lower)
        assert np.all(np.array(at_.values) <= chain.upper)
    assert best.error < 0.5 * start.error


def test_a_pose_is_found_by_position_and_orientation() -> None:
    chain = ur5().chain("link6", q=[0.5, -1.2, 1.4, -0.4, 0.8, 0.0])
    frame = chain.forward(chain.values + np.array((0.2, -0.1, 0.15, 0.1, -0.2, 0.1)))
    found = solve(chain, Goal("link6", frame[:3, 3], frame[:3, :3]), method="FABRIK", tolerance=1e-4)
    assert found.status == "REACHED"
    turned = solve(chain, Goal("link6", orientation=frame[:3, :3]), method="FABRIK")
    assert turned.status == "REACHED"


def test_far_from_the_origin_the_same_is_found() -> None:
    values = []
    for away in (0.0, 1e4):
        bodies = [body("base", None, origin=at(away))]
        for i, x in enumerate((0.0, 0.5, 0.4)):
            bodies.append(body(f"l{i}", bodies[-1].name, hinge(f"j{i}"), origin=at(x)))
        bodies.append(body("tip", "l2", origin=at(0.3)))
        chain = Skeleton(bodies).chain("tip", q=[0.1, 0.2, 0.3])
        found = solve(chain, Goal("tip", (away + 0.4, 0.6, 0.0)), method="FABRIK")
        assert found.status == "REACHED"
        values.append(found.values)
    assert np.allclose(values[0], values[1], atol=1e-5)


def test_two_hundred_unknowns_are_solved() -> None:
    chain = planar([0.01] * 200, -0.3, 0.3).chain("tip")
    found = solve(chain, Goal("tip", (0.8, 1.2, 0.0)), method="FABRIK", tolerance=1e-3)
    assert found.status == "REACHED"
