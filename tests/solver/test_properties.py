"""What must hold of every search, whatever the chain: on common arms, trees and awkward places, from fixed seeds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from linkpose.solver import Body, Chain, Goal, Search, Skeleton, Solution, Status, solve, solve_batch
from linkpose.solver.joint import floating_axes, planar_axes
from solver.made import PI, at, body, hinge, numbered, planar, random_frame, random_rotation, random_tree, slide, ur5

METHODS = ("AUTO", "CCD", "FABRIK")


def oblique() -> Skeleton:
    """Seven unknowns: oblique axes, two at one origin, a slide, a segment of no length, a handle off every axis."""
    bodies = [
        body("base", None, origin=at(0.1, 0.2, 0.3)),
        body("a", "base", hinge("a:1", (0.0, 0.6, 0.8), -2.0, 2.0), hinge("a:2", (1.0, 0.0, 0.0), -2.0, 2.0)),
        body("b", "a", hinge("b", (0.36, 0.48, 0.8), -2.2, 2.2), origin=at(0.3, 0.1)),
        body("c", "b", slide("c", (0.0, 0.8, 0.6), -0.1, 0.2)),
        body("d", "c", hinge("d", (0.0, 1.0, 0.0), -2.0, 2.0), origin=at(0.2, 0.0, 0.1)),
        body("e", "d", hinge("e", (0.8, 0.0, 0.6), -2.0, 2.0), origin=at(0.15)),
        body("tip", "e", hinge("f", (0.0, 0.0, 1.0), -2.5, 2.5), origin=at(0.1), point=(0.05, 0.02, 0.1)),
    ]
    return Skeleton(bodies)


def ground() -> Skeleton:
    """A cart that drives in its plane, with a lift and an arm on it."""
    bodies = [
        body("floor", None),
        body("cart", "floor", *planar_axes("drive", (0.0, 0.6, 0.8))),
        body("lift", "cart", slide("lift", (0.0, 0.0, 1.0), 0.0, 0.5), origin=at(0.1)),
        body("arm", "lift", hinge("shoulder", (0.0, 1.0, 0.0), -1.5, 1.5)),
        body("tip", "arm", hinge("elbow", (0.0, 1.0, 0.0), -2.0, 2.0), origin=at(0.4), point=(0.3, 0.0, 0.0)),
    ]
    return Skeleton(bodies)


ARMS: dict[str, Callable[[], Skeleton]] = {
    "ur5": ur5,
    "oblique": oblique,
    "planar": lambda: planar((0.4, 0.3, 0.2, 0.1), -2.0, 2.0),
    "cart": ground,
    "panda": lambda: numbered("panda"),
    "iiwa": lambda: numbered("iiwa"),
}


def some_pose(skeleton: Skeleton, random: np.random.Generator) -> np.ndarray:
    return random.uniform(np.maximum(skeleton.lower, -PI), np.minimum(skeleton.upper, PI))


def handle(chain: Chain, values: np.ndarray) -> np.ndarray:
    point: np.ndarray = (chain.forward(values) @ (*chain.skeleton.body(chain.bodies[0]).point, 1.0))[:3]
    return point


def moved(skeleton: Skeleton, frame: np.ndarray) -> Skeleton:
    """The same below a body at ``frame``."""
    bodies = [skeleton.body(name) for name in skeleton.bodies]
    return Skeleton([Body("world", None, origin=frame), *(replace(b, parent=b.parent or "world") for b in bodies)])


def kinds(skeleton: Skeleton, random: np.random.Generator) -> tuple[Chain, list[Goal]]:
    """A chain at some pose, and goals: near, far, with an orientation, out of reach."""
    tip = skeleton.bodies[-1]
    chain = skeleton.chain(tip, q=some_pose(skeleton, random), anchor="root")
    near = handle(chain, np.clip(chain.values + random.uniform(-0.1, 0.1, chain.dof), chain.lower, chain.upper))
    there = some_pose(skeleton, random)
    length = chain.reach if math.isfinite(chain.reach) else 3.0
    beyond = 2.0 * length * random_rotation(random)[0]
    return chain, [
        Goal(tip, near),
        Goal(tip, handle(chain, there)),
        Goal(tip, handle(chain, there), chain.forward(there)[:3, :3]),
        Goal(tip, beyond),
    ]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ARMS)
def test_turning_and_moving_the_whole_problem_changes_only_the_frame(name: str, method: str) -> None:
    random = np.random.default_rng(21)
    skeleton = ARMS[name]()
    chain, goals = kinds(skeleton, random)
    frame = random_frame(random)
    other = moved(skeleton, frame).chain(chain.bodies, q=chain.q, anchor="root")
    for goal in goals:
        assert goal.position is not None
        place = (frame @ (*goal.position, 1.0))[:3]
        turned = None if goal.orientation is None else frame[:3, :3] @ np.array(goal.orientation)
        here = Search(chain, goal, method=method).advance(math.inf, sweeps=30)
        there = Search(other, Goal(goal.body, place, turned), method=method).advance(math.inf, sweeps=30)
        assert np.allclose(here.values, there.values, atol=1e-7)
        assert (here.iterations, here.status) == (there.iterations, there.status)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ARMS)
def test_a_search_repeats_itself_keeps_to_limits_and_says_what_is_so(name: str, method: str) -> None:
    """Twice the same bits, slices as one call, limits, residuals that are those of the values, and met goals stay."""
    random = np.random.default_rng(22)
    chain, goals = kinds(ARMS[name](), random)
    for goal in goals:

        def run(seconds: float, goal: Goal = goal) -> Solution:
            ticks = itertools.count()
            search = Search(chain, goal, method=method, clock=lambda: float(next(ticks)), one_shot=method == "AUTO")
            while not search.done:
                search.advance(seconds)
            return search.solution

        whole, again, sliced = run(math.inf), run(math.inf), run(1.5)
        for other in (again, sliced):
            assert other.values.tobytes() == whole.values.tobytes()
            assert (other.iterations, other.status, other.why) == (whole.iterations, whole.status, whole.why)
        assert np.all((whole.values >= chain.lower) & (whole.values <= chain.upper))
        assert goal.position is not None
        reached = handle(chain, whole.values)
        assert whole.position_residual == pytest.approx(math.dist(reached, goal.position), abs=1e-12)
        met = Goal(goal.body, reached, chain.forward(whole.values)[:3, :3])
        assert solve(chain, met, whole.values, method=method).values.tobytes() == whole.values.tobytes()


@pytest.mark.parametrize("name", ["ur5", "oblique", "planar", "cart", "panda"])
def test_a_lane_has_the_status_of_a_single_solve(name: str) -> None:
    random = np.random.default_rng(23)
    skeleton = ARMS[name]()
    chain = skeleton.chain(skeleton.bodies[-1], q=some_pose(skeleton, random), anchor="root")
    poses = [some_pose(skeleton, random) for _ in range(30)]
    where = np.array([handle(chain, q) for q in poses])
    where[::7] *= 6.0
    tolerance = 1e-4
    found = solve_batch(chain, where, tolerance=tolerance)
    for i, position in enumerate(where):
        alone = solve(chain, Goal(chain.bodies[0], position), tolerance=tolerance)
        assert found.status[i] is alone.status
        assert (found.position_residual[i] <= tolerance) == (alone.status is Status.REACHED)


@pytest.mark.parametrize("name", ["ur5", "planar", "panda"])
def test_dragged_out_of_reach_and_back_a_handle_returns_and_never_runs_ahead(name: str) -> None:
    random = np.random.default_rng(24)
    skeleton = ARMS[name]()
    for _ in range(3):
        chain = skeleton.chain(skeleton.bodies[-1], q=0.5 * some_pose(skeleton, random))
        start = np.clip(chain.values, chain.lower, chain.upper)
        here = handle(chain, start)
        out = 1.5 * chain.reach * random_rotation(random)[0] * ((1.0, 1.0, 0.0) if name == "planar" else 1.0)
        way = [here + s * out for s in (*np.linspace(0.0, 1.0, 40), *np.linspace(1.0, 0.0, 40)[1:])]
        search = Search(chain, Goal(chain.bodies[0], way[0]), start, tolerance=1e-3 * chain.reach)
        for before, target in itertools.pairwise(way):
            search.retarget(Goal(chain.bodies[0], target))
            found = search.advance(math.inf)
            there = handle(chain, found.values)
            if found.status is not Status.REACHED:
                assert math.dist(there, here) <= 1.5 * math.dist(before, target) + 1e-9
            here = there
        assert found.status is Status.REACHED


# Awkward places


AWKWARD = {"ur5": ur5, "iiwa": lambda: numbered("iiwa"), "planar10": lambda: numbered("planar10")}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", AWKWARD)
def test_a_straight_arm_is_drawn_in_along_its_own_line(name: str, method: str) -> None:
    skeleton = AWKWARD[name]()
    chain = skeleton.chain(skeleton.bodies[-1])
    lines, _ = Search(chain, Goal(chain.bodies[0], (0.0, 0.0, 0.0)))._run.problem.compiled.place(chain.values.tolist())
    base, tip = np.array(lines[0][3:]), handle(chain, chain.values)
    target = base + 0.7 * (tip - base)
    found = solve(chain, Goal(chain.bodies[0], target), method=method, tolerance=1e-3 * chain.reach)
    assert found.status is Status.REACHED, found.why
    assert math.dist(handle(chain, found.values), target) <= 1e-3 * chain.reach


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 1.0, 1.0 + 1e-9], ids=str)
def test_targets_on_the_first_axis_and_at_full_reach_have_an_answer(name: str, method: str, share: float) -> None:
    skeleton = AWKWARD[name]()
    chain = skeleton.chain(skeleton.bodies[-1])
    lines, _ = Search(chain, Goal(chain.bodies[0], (0.0, 0.0, 0.0)))._run.problem.compiled.place(chain.values.tolist())
    axis, base = np.array(lines[0][:3]), np.array(lines[0][3:])
    target = base + share * chain.reach * axis
    found = solve(chain, Goal(chain.bodies[0], target), method=method)
    assert np.all((found.values >= chain.lower) & (found.values <= chain.upper))
    assert found.position_residual == pytest.approx(math.dist(handle(chain, found.values), target), abs=1e-12)
    assert found.iterations < 2000
    if name == "planar10":  # its first axis stands across the plane in which it moves
        assert found.position_residual == pytest.approx(share * chain.reach, abs=1e-4 * chain.reach)


@pytest.mark.parametrize("method", METHODS)
def test_limits_of_zero_width_everywhere_leave_an_arm_as_it_is(method: str) -> None:
    chain = planar((0.4, 0.3), 0.25, 0.25).chain("tip")
    found = solve(chain, Goal("tip", (0.1, 0.4, 0.0)), method=method)
    assert found.values.tolist() == [0.25, 0.25]
    assert found.status in (Status.AT_LIMITS, Status.OUT_OF_REACH, Status.STALLED)


@pytest.mark.parametrize("method", METHODS)
def test_two_hundred_unknowns_are_solved_by_every_method(method: str) -> None:
    chain = planar([0.01] * 200, -0.3, 0.3).chain("tip", q=[0.002] * 200)
    found = solve(chain, Goal("tip", (1.2, 0.9, 0.0)), method=method, tolerance=2e-3)
    assert found.status is Status.REACHED
    assert np.all(np.abs(found.values) <= 0.3)


@pytest.mark.parametrize("seed", range(3))
def test_a_tree_of_every_kind_of_joint_is_followed_by_every_method(seed: int) -> None:
    random = np.random.default_rng(seed)
    skeleton = random_tree(random)
    chain = skeleton.chain(["b9", "b11"], anchor="root", q=random.uniform(-1, 1, len(skeleton.unknowns)))
    near = chain.values + random.uniform(-0.1, 0.1, chain.dof)
    goals = [Goal(b, (chain.forward(near, b) @ (*skeleton.body(b).point, 1.0))[:3]) for b in chain.bodies]
    for method in METHODS:
        search = Search(chain, goals, method=method)
        before = max(left.position for left in search.solution.goals if left.position is not None)
        found = search.advance(math.inf)
        after = max(left.position for left in found.goals if left.position is not None)
        assert after < 0.6 * before


# Joints that move freely


@pytest.mark.parametrize("method", METHODS)
def test_a_free_base_and_its_arm_are_posed_together(method: str) -> None:
    bodies = [
        body("world", None),
        body("trunk", "world", *floating_axes("base")),
        body("arm", "trunk", hinge("shoulder", (0.0, 1.0, 0.0), -1.5, 1.5), origin=at(0.2)),
        body("tip", "arm", origin=at(0.5)),
    ]
    chain = Skeleton(bodies).chain(["trunk", "tip"], anchor="root")
    assert chain.dof == 7
    trunk, tip = (chain.forward([0.3, -0.2, 0.5, 0.3, -0.4, 0.6, 0.8], name) for name in ("trunk", "tip"))
    goals = [Goal("trunk", trunk[:3, 3], trunk[:3, :3]), Goal("tip", tip[:3, 3])]
    found = solve(chain, goals, method=method, tolerance=2e-3, orientation_tolerance=5e-3)
    assert found.status is Status.REACHED, found.why


def test_a_floating_joint_is_dragged_through_a_quarter_turn_about_y() -> None:
    chain = Skeleton([body("world", None), body("drone", "world", *floating_axes("fly"))]).chain("drone")
    c, s = math.cos, math.sin
    search = Search(chain, Goal("drone", (0.0, 0.0, 0.0), np.eye(3)))
    for angle in np.linspace(0.0, 3.0, 60):
        about_y = np.array(((c(angle), 0.0, s(angle)), (0.0, 1.0, 0.0), (-s(angle), 0.0, c(angle))))
        tilted = about_y @ np.array(((1.0, 0.0, 0.0), (0.0, c(0.2), -s(0.2)), (0.0, s(0.2), c(0.2))))
        search.retarget(Goal("drone", (angle, 0.0, 0.0), tilted))
        found = search.advance(math.inf)
        assert found.status is Status.REACHED, (angle, found.why)
