"""A search in slices: pausing, new targets, and handles on a leash."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from linkpose.errors import GoalError
from linkpose.solver import Chain, Goal, Search, Skeleton, Solution, Status, solve
from linkpose.solver.problem import Problem
from solver.made import PI, at, body, hinge, numbered, planar, random_rotation, ur5

METHODS = ("AUTO", "CCD", "FABRIK")


class Clock:
    """Goes on by ``tick`` seconds whenever a sweep asks for the time; remembers what it said."""

    def __init__(self, tick: float) -> None:
        self.now = 0.0
        self.tick = tick

    def __call__(self) -> float:
        self.now += self.tick
        return self.now


def arm(q: list[float] | None = None) -> Chain:
    return planar((0.4, 0.3, 0.2, 0.1), -2.0, 2.0).chain("tip", q=[0.3, 0.2, 0.1, 0.4] if q is None else q)


def same(a: Solution, b: Solution) -> bool:
    return a.values.tobytes() == b.values.tobytes() and (
        a.status,
        a.position_residual,
        a.iterations,
        a.limited,
        a.pose,
    ) == (b.status, b.position_residual, b.iterations, b.limited, b.pose)


TARGETS = {
    "reachable": (0.1, 0.5, 0.0),
    "out of reach": (3.0, 1.0, 0.0),
    "not in its plane": (0.3, 0.3, 0.2),
    "behind the limits": (-0.1, -0.02, 0.0),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
def test_slices_equal_one_long_call_bit_for_bit(method: str, target: tuple[float, float, float]) -> None:
    whole = Search(arm(), Goal("tip", target), method=method).advance(math.inf)
    sliced = Search(arm(), Goal("tip", target), method=method, clock=Clock(1.0))
    slices = 0
    while not sliced.done:
        sliced.advance(2.5)
        slices += 1
    assert slices == -(-whole.iterations // 3)  # the clock is asked after each sweep
    assert same(sliced.solution, whole)


@pytest.mark.parametrize("method", METHODS)
def test_no_slice_is_longer_than_its_budget_by_more_than_one_sweep(method: str) -> None:
    clock = Clock(1.0)
    search = Search(arm(), Goal("tip", (3.0, 1.0, 0.0)), method=method, clock=clock)
    for budget in (4.0, 0.0, 1.0, 2.5, 7.0):
        before, asked = search.iterations, clock.now + 1.0  # when the slice first asks for the time
        search.advance(budget)
        took, sweeps = clock.now - asked, search.iterations - before
        assert not search.done
        assert took == sweeps  # the clock goes on by one a sweep
        assert budget <= took < budget + 1.0 or (budget, took) == (0.0, 1.0)


def test_a_slice_can_be_capped_in_sweeps() -> None:
    search = Search(arm(), Goal("tip", (3.0, 1.0, 0.0)))
    assert search.advance(math.inf, sweeps=2).iterations == 2
    assert search.advance(math.inf, sweeps=3).iterations == 5


@pytest.mark.parametrize("method", METHODS)
def test_the_best_pose_never_gets_worse_from_slice_to_slice(method: str) -> None:
    search = Search(arm([1.9, -1.9, 1.9, -1.9]), Goal("tip", (-0.2, -0.3, 0.0)), method=method)
    residuals = []
    while not search.done:
        residuals.append(search.advance(0.0).position_residual)
    assert residuals == sorted(residuals, reverse=True)
    assert len(residuals) > 1


@pytest.mark.parametrize("method", METHODS)
def test_a_goal_already_met_moves_nothing(method: str) -> None:
    random = np.random.default_rng(4)
    chain = ur5().chain("link6")
    for _ in range(10):
        q = random.uniform(-PI, PI, 6)
        frame = chain.forward(q)
        for goal in (Goal("link6", frame[:3, 3]), Goal("link6", frame[:3, 3], frame[:3, :3])):
            search = Search(chain, goal, q, method=method)
            assert search.done
            assert search.solution.values.tobytes() == q.tobytes()
            assert (search.solution.status, search.solution.iterations) == ("REACHED", 0)
            assert solve(chain, goal, q, method=method).values.tobytes() == q.tobytes()


def test_the_start_is_the_chain_s_part_of_its_pose_unless_given_and_within_the_limits() -> None:
    here = arm()
    assert solve(here, Goal("tip", here.forward(here.values)[:3, 3])).values.tolist() == here.values.tolist()
    away = Search(here, Goal("tip", (0.5, 0.5, 0.0)), [5.0, -5.0, 0.0, 0.0])
    assert away.solution.values.tolist() == [2.0, -2.0, 0.0, 0.0]


@pytest.mark.parametrize("method", METHODS)
def test_retarget_judges_the_best_pose_anew_so_that_an_old_best_never_wins(method: str) -> None:
    chain = arm()
    first, second = chain.forward([0.5, 0.5, 0.5, 0.5])[:3, 3], chain.forward([-0.6, 0.9, 0.2, -0.3])[:3, 3]
    search = Search(chain, Goal("tip", first), method=method)
    assert search.advance(math.inf).position_residual < 1e-5
    search.retarget(Goal("tip", second))
    # Nothing searched yet: the pose is the old best, its residual that of the new target.
    assert search.solution.position_residual == pytest.approx(math.dist(first, second), abs=1e-5)
    assert search.solution.status != "REACHED"
    assert search.iterations == 0
    found = search.advance(math.inf)
    assert math.dist(chain.forward(found.values)[:3, 3], second) == pytest.approx(found.position_residual, abs=1e-12)
    assert found.status == "REACHED"


def test_a_target_that_stays_moves_nothing() -> None:
    for target in TARGETS.values():
        search = Search(arm(), Goal("tip", target))
        before = search.advance(math.inf)
        for _ in range(3):
            search.retarget(Goal("tip", target))
            after = search.advance(math.inf)
            assert after.values.tobytes() == before.values.tobytes()


def test_slow_drags_do_not_step() -> None:
    chain = arm()
    start = chain.forward(chain.values)[:3, 3]
    search = Search(chain, Goal("tip", start), tolerance=0.01)
    for i in range(1, 50):
        target = start + np.array((0.0, -1e-4 * i, 0.0))
        search.retarget(Goal("tip", target))
        found = search.advance(math.inf)
        assert found.status == "REACHED"
        assert math.dist(chain.forward(found.values)[:3, 3], target) < 2e-6


def random_walk(random: np.random.Generator, start: np.ndarray, reach: float, frames: int = 60) -> list[np.ndarray]:
    """A smooth path through and around the space within reach."""
    corners = [start, *random.normal(size=(4, 3)) * reach]
    steps = np.linspace(0.0, 1.0, frames // 4, endpoint=False)
    return [a + (b - a) * s for a, b in itertools.pairwise(corners) for s in steps]


def arms() -> dict[str, Callable[[], Skeleton]]:
    return {"ur5": ur5, "planar": lambda: planar((0.4, 0.3, 0.2, 0.1), -1.5, 1.5), "panda": lambda: numbered("panda")}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", arms().keys())
def test_a_handle_out_of_reach_moves_at_most_one_and_a_half_times_as_far_as_its_target(name: str, method: str) -> None:
    random = np.random.default_rng(11)
    skeleton = arms()[name]()
    tip = skeleton.bodies[-1]
    for _ in range(3 if method == "AUTO" else 1):
        low, high = np.maximum(skeleton.lower, -PI), np.minimum(skeleton.upper, PI)
        chain = skeleton.chain(tip, q=random.uniform(low, high))
        handle = chain.forward(chain.values)[:3, 3]
        path = random_walk(random, handle, chain.reach)
        search = Search(chain, Goal(tip, path[0]), method=method, tolerance=1e-3 * chain.reach)
        search.advance(math.inf)
        for before, target in itertools.pairwise(path):
            search.retarget(Goal(tip, target))
            found = search.advance(math.inf)
            moved = chain.forward(found.values)[:3, 3]
            assert np.all(found.values >= skeleton.lower - 1e-12)
            assert np.all(found.values <= skeleton.upper + 1e-12)
            if found.status != "REACHED":
                assert math.dist(moved, handle) <= 1.5 * math.dist(before, target) + 1e-9
            handle = moved


def test_an_arm_follows_a_circling_target_out_of_reach_without_jumps_or_lag() -> None:
    chain = planar((1.0, 1.0)).chain("tip", q=[0.1, 0.2])
    search = Search(chain, Goal("tip", (4.0, 0.0, 0.0)))
    values = search.advance(math.inf).values
    for i in range(1, 200):
        angle = 2 * PI * i / 100
        search.retarget(Goal("tip", (4.0 * math.cos(angle), 4.0 * math.sin(angle), 0.0)))
        found = search.advance(math.inf)
        handle = chain.forward(found.values)[:3, 3]
        # Stretched towards the target: 2 from the base, on the line to it.
        assert math.dist(handle, (2.0 * math.cos(angle), 2.0 * math.sin(angle), 0.0)) < 0.01
        assert np.abs(found.values - values).max() < 0.15
        values = found.values


def test_a_handle_comes_back_with_its_target() -> None:
    chain = planar((1.0, 0.8, 0.3)).chain("tip", q=[0.4, 0.5, -0.3])
    start = chain.forward(chain.values)[:3, 3]
    search = Search(chain, Goal("tip", start))
    way = [start * (1.0 + s) for s in (*np.linspace(0, 2, 30), *np.linspace(2, 0, 30))]
    statuses = []
    for target in way:
        search.retarget(Goal("tip", target))
        found = search.advance(math.inf)
        statuses.append(str(found.status))
    assert "OUT_OF_REACH" in statuses
    assert statuses[-1] == "REACHED"
    assert math.dist(chain.forward(found.values)[:3, 3], start) < 1e-5


def test_targets_that_came_while_the_search_was_not_done_are_all_followed() -> None:
    chain = planar((1.0, 1.0)).chain("tip", q=[0.1, 0.2])
    start = chain.forward(chain.values)[:3, 3]
    search = Search(chain, Goal("tip", start))
    for i in range(20):  # moves that are coalesced: no slice in between
        search.retarget(Goal("tip", start + np.array((0.1 * i, 0.0, 0.0))))
    handle = chain.forward(search.advance(math.inf).values)[:3, 3]
    target = start + np.array((1.9, 0.0, 0.0))
    assert math.dist(handle, target) == pytest.approx(math.hypot(*target) - 2.0, abs=1e-4)


def test_a_continuous_hinge_is_dragged_on_past_half_a_turn() -> None:
    turn = hinge("spin", lower=-PI, upper=PI, continuous=True)
    chain = Skeleton([body("base", None), body("tip", "base", turn, point=(1.0, 0.0, 0.0))]).chain("tip", q=[3.0])
    search = Search(chain, Goal("tip", (math.cos(3.0), math.sin(3.0), 0.0)))
    for i in range(1, 80):
        angle = 3.0 + 0.1 * i
        search.retarget(Goal("tip", (math.cos(angle), math.sin(angle), 0.0)))
        found = search.advance(math.inf)
        assert found.status == "REACHED"
        assert -PI < found.values[0] <= PI
        assert math.isclose(math.cos(found.values[0] - angle), 1.0, abs_tol=1e-9)
        assert found.iterations <= 4


@pytest.mark.parametrize("method", METHODS)
def test_the_same_search_gives_the_same_bits(method: str) -> None:
    def run() -> list[bytes]:
        chain = ur5().chain("link6", q=[0.0, -1.0, 1.2, 0.3, 0.4, 0.0])
        random = np.random.default_rng(1)
        search = Search(chain, Goal("link6", (0.3, 0.3, 0.3)), method=method)
        out = []
        for _ in range(10):
            search.retarget(Goal("link6", random.normal(size=3) * 0.6))
            out.append(search.advance(math.inf).values.tobytes())
        return out

    assert run() == run()


@pytest.mark.parametrize("seed", range(3))
def test_dragged_along_reachable_paths_an_arm_keeps_up(seed: int) -> None:
    random = np.random.default_rng(seed)
    chain = ur5().chain("link6", q=[0.5, -1.2, 1.4, -0.4, 0.8, 0.0])
    a, b, c = (random.uniform(-0.5, 0.5, 6) for _ in range(3))
    start = chain.values
    poses = [start + a * math.sin(s) + b * math.sin(2 * s) + c * (1 - math.cos(s)) for s in np.linspace(0, 2 * PI, 80)]
    search = Search(chain, Goal("link6", chain.forward(start)[:3, 3]))
    values = start
    for q in poses:
        target = chain.forward(q)[:3, 3]
        search.retarget(Goal("link6", target))
        found = search.advance(math.inf)
        assert found.status == "REACHED"
        assert math.dist(chain.forward(found.values)[:3, 3], target) < 1e-5
        assert np.abs(found.values - values).max() < 0.5
        values = found.values


def test_a_pose_is_dragged_by_position_and_orientation() -> None:
    chain = ur5().chain("link6", q=[0.5, -1.2, 1.4, -0.4, 0.8, 0.0])
    search = Search(chain, Goal("link6", *_pose(chain, chain.values)))
    for s in np.linspace(0.0, 1.0, 40):
        target = _pose(chain, chain.values + s * np.array([0.5, -0.4, 0.6, 0.3, -0.5, 1.0]))
        search.retarget(Goal("link6", *target))
        found = search.advance(math.inf)
        assert found.status == "REACHED"
        assert found.position_residual < 1e-5
        assert found.orientation_residual < 1e-5


def _pose(chain: Chain, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    frame = chain.forward(values)
    return frame[:3, 3], frame[:3, :3]


def test_goals_of_another_kind_can_follow() -> None:
    chain = ur5().chain("link6", q=[0.5, -1.2, 1.4, -0.4, 0.8, 0.0])
    search = Search(chain, Goal("link6", (0.3, 0.3, 0.3)))
    search.advance(math.inf)
    position, rotation = _pose(chain, np.array([0.6, -1.0, 1.2, -0.2, 0.9, 0.3]))
    search.retarget(Goal("link6", position, rotation))
    assert search.advance(math.inf).status == "REACHED"
    search.retarget([Goal("link6", position), Goal("link3", (-0.2, -0.3, 0.4), weight=0.01)])
    assert search.advance(math.inf).goals[1].body == "link3"
    search.retarget(Goal("link6", position, point=(0.0, 0.0, 0.1)))
    assert search.advance(math.inf).status == "REACHED"


def test_two_hands_of_a_tree_meet_their_own_targets() -> None:
    bodies = [body("base", None), body("waist", "base", hinge("waist", lower=-1.0, upper=1.0))]
    for side, y in (("left", 0.2), ("right", -0.2)):
        bodies += [
            body(f"{side}.upper", "waist", hinge(f"{side}1", (0.0, 0.0, 1.0)), origin=at(0.0, y)),
            body(f"{side}.lower", f"{side}.upper", hinge(f"{side}2"), origin=at(0.4)),
            body(f"{side}.hand", f"{side}.lower", hinge(f"{side}3"), origin=at(0.3), point=(0.1, 0.0, 0.0)),
        ]
    skeleton = Skeleton(bodies)
    chain = skeleton.chain(["left.hand", "right.hand"], anchor="base")
    assert chain.dof == 7
    random = np.random.default_rng(3)
    for _ in range(10):
        q = random.uniform(-0.9, 0.9, 7)
        goals = [Goal(b, (chain.forward(q, b) @ (0.1, 0.0, 0.0, 1.0))[:3]) for b in ("left.hand", "right.hand")]
        found = solve(chain, goals)
        assert found.status == "REACHED"
        assert len(found.goals) == 2
        for goal in goals:
            handle = (chain.forward(found.values, goal.body) @ (0.1, 0.0, 0.0, 1.0))[:3]
            assert math.dist(handle, goal.position) < 1e-5  # type: ignore[arg-type]


def test_turning_and_moving_everything_changes_only_the_frame() -> None:
    random = np.random.default_rng(9)
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = random_rotation(random), (3.0, -2.0, 1.0)
    plain = ur5()
    bodies = [plain.body(name) for name in plain.bodies]
    root = body("base", "world", origin=bodies[0].origin)
    moved = Skeleton([body("world", None, origin=frame), root, *bodies[1:]])
    target = np.array([0.3, 0.2, 0.5])
    here = solve(plain.chain("link6"), Goal("link6", target), [0.1, -1.0, 1.0, 0.0, 0.5, 0.0])
    there = solve(moved.chain("link6"), Goal("link6", (frame @ (*target, 1.0))[:3]), [0.1, -1.0, 1.0, 0.0, 0.5, 0.0])
    assert np.allclose(here.values, there.values, atol=1e-9)
    assert here.iterations == there.iterations


def test_a_closed_loop_of_an_arm_without_choice_brings_its_joints_back() -> None:
    chain = ur5().chain("link6", q=[0.5, -1.2, 1.4, -0.4, 0.8, 0.3])
    frame = chain.forward(chain.values)
    search = Search(chain, Goal("link6", frame[:3, 3], frame[:3, :3]))
    for s in np.linspace(0.0, 2.0 * PI, 80):
        way = 0.12 * np.array((1.0 - math.cos(s), math.sin(s), 0.5 * math.sin(2.0 * s)))
        search.retarget(Goal("link6", frame[:3, 3] + way, frame[:3, :3]))
        found = search.advance(math.inf)
        assert found.status == "REACHED"
    assert found.values == pytest.approx(chain.values, abs=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_a_closed_loop_brings_the_handle_back(method: str) -> None:
    chain = arm()
    start = chain.forward(chain.values)[:3, 3]
    search = Search(chain, Goal("tip", start), method=method)
    for s in np.linspace(0.0, 2.0 * PI, 80):
        search.retarget(Goal("tip", start + 0.15 * np.array((math.cos(s) - 1.0, math.sin(s), 0.0))))
        found = search.advance(math.inf)
    assert math.dist(chain.forward(found.values)[:3, 3], start) < 1e-5


def test_a_solution_stays_as_it_was_when_the_search_goes_on() -> None:
    chain = ur5().chain("link6")
    search = Search(chain, Goal("link6", (0.4, 0.2, 0.3)))
    early = search.advance(math.inf, sweeps=1)
    search.retarget(Goal("link6", (-0.3, 0.4, 0.3)))
    search.advance(math.inf)
    assert list(early.pose.values()) == early.values.tolist()
    assert early.goals[0].position == early.position_residual
    copied = copy.deepcopy(early)
    assert (copied.pose, copied.goals) == (early.pose, early.goals)
    with pytest.raises(AttributeError, match="'values_of'"):
        _ = early.values_of  # type: ignore[attr-defined]


def test_numbers_beyond_all_bounds_meet_nothing() -> None:
    chain = arm()
    problem = Problem(chain, [Goal("tip", (0.5, 0.3, 0.0), np.eye(3))])
    lost = problem.evaluate([math.nan] * 4)
    assert not lost.distance2 <= 1e300
    assert not lost.angle2 <= 1e300


@pytest.mark.parametrize("weights", [[1e300] * 4, {"j1": 1e7}, {"j1": math.nan}, {"j1": -1.0}], ids=str)
def test_joint_weights_beyond_use_are_refused(weights: object) -> None:
    with pytest.raises(GoalError, match="joint weight"):
        solve(arm(), Goal("tip", (0.5, 0.3, 0.0)), joint_weights=weights)  # type: ignore[arg-type]


@pytest.mark.parametrize("goals", [None, "tip", 3, [None], ["tip"]], ids=str)
def test_goals_that_are_none_are_refused_by_name(goals: object) -> None:
    search = Search(arm(), Goal("tip", (0.5, 0.3, 0.0)))
    with pytest.raises(GoalError, match="a Goal is needed"):
        search.retarget(goals)  # type: ignore[arg-type]
    with pytest.raises(GoalError, match="a Goal is needed"):
        solve(arm(), goals)  # type: ignore[arg-type]
    assert search.advance(math.inf).status is Status.REACHED


@pytest.mark.parametrize("budget", ["x", [1.0], -1.0, math.nan], ids=str)
def test_a_budget_that_means_nothing_is_refused(budget: object) -> None:
    with pytest.raises(GoalError, match="budget"):
        solve(arm(), Goal("tip", (0.5, 0.3, 0.0)), budget=budget)  # type: ignore[arg-type]


def test_numbers_too_large_for_floats_are_refused() -> None:
    huge = 10**400
    with pytest.raises(GoalError, match="numbers are needed"):
        Goal("tip", (huge, 0, 0))
    with pytest.raises(GoalError, match="start pose"):
        solve(arm(), Goal("tip", (0.5, 0.3, 0.0)), [huge, 0, 0, 0])
    with pytest.raises(GoalError, match="orientation_tolerance"):
        solve(arm(), Goal("tip", (0.5, 0.3, 0.0)), orientation_tolerance=None)  # type: ignore[arg-type]


def test_solutions_and_chains_are_pickled_also_after_many_solves() -> None:
    chain, goal = arm(), Goal("tip", (0.5, 0.3, 0.0), np.eye(3))
    for _ in range(30):
        found = solve(chain, goal)
    again = pickle.loads(pickle.dumps(found))
    assert same(again, found)
    assert again.goals == found.goals
    assert len(pickle.dumps(found)) < 2000  # not the search with it
    other = pickle.loads(pickle.dumps(chain))
    assert same(solve(other, goal), found)
    assert same(copy.deepcopy(found), found)


def test_a_pose_asked_for_late_is_that_of_its_own_time() -> None:
    chain = arm()
    search = Search(chain, Goal("tip", (-0.3, 0.3, 0.0)))
    early = search.advance(math.inf, sweeps=1)
    values, left = early.values.tolist(), early.position_residual
    search.advance(math.inf)
    search.retarget(Goal("tip", (0.5, 0.3, 0.0)))
    search.advance(math.inf)
    assert list(early.pose.values()) == values
    assert early.goals[0].position == left


@pytest.mark.parametrize("beyond", [1.0 + 1e-14, 1.0 - 1e-14])
def test_rounding_puts_nothing_out_of_reach(beyond: float) -> None:
    chain = planar((0.7,), -1.0, 1.0).chain("tip")
    for angle in np.linspace(-3.0, 3.0, 25):
        found = solve(chain, Goal("tip", (0.7 * beyond * math.cos(angle), 0.7 * beyond * math.sin(angle), 0.0)))
        assert found.status is (Status.REACHED if abs(angle) <= 1.0 else Status.AT_LIMITS)
