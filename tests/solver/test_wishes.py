"""What can be asked besides a position: aims, joint weights, a rest pose, the motion of the whole skeleton."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from linkpose.errors import GoalError, SkeletonError
from linkpose.solver import Axis, Chain, Goal, Mimic, Search, Skeleton, Status, solve, solve_batch
from linkpose.solver.joint import floating_axes, planar_axes
from linkpose.solver.problem import Problem
from solver.made import PI, at, body, hinge, planar, random_frame, random_rotation, random_tree, ur5

METHODS = ("AUTO", "CCD", "FABRIK")


def ball(name: str, limit: float = 2.0) -> tuple[Axis, ...]:
    units = zip("xyz", ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), strict=True)
    return tuple(hinge(f"{name}:{n}", d, -limit, limit) for n, d in units)


def neck() -> Chain:
    bodies = [
        body("chest", None),
        body("neck", "chest", *ball("neck"), origin=at(0.0, 0.3)),
        body("head", "neck", *ball("head"), origin=at(0.0, 0.2), point=(0.0, 0.1, 0.0)),
    ]
    return Skeleton(bodies).chain("head")


def angle_between(a: np.ndarray, b: np.ndarray) -> float:
    return math.acos(min(1.0, max(-1.0, float(a @ b) / float(np.linalg.norm(a) * np.linalg.norm(b)))))


# Aims


@pytest.mark.parametrize("method", METHODS)
def test_an_axis_is_aimed_whatever_the_turn_about_it(method: str) -> None:
    chain = neck()
    random = np.random.default_rng(1)
    for _ in range(10):
        direction = chain.forward(random.uniform(-1, 1, 6))[:3, :3] @ (0.0, 0.0, 1.0)
        found = solve(chain, Goal("head", aim=((0.0, 0.0, 2.0), 3.0 * direction)), method=method)
        assert found.status is Status.REACHED
        aimed = chain.forward(found.values)[:3, :3] @ (0.0, 0.0, 1.0)
        assert angle_between(aimed, direction) <= 1e-3
        assert found.orientation_residual == pytest.approx(angle_between(aimed, direction), abs=1e-7)
        assert found.goals[0].position is None


def test_a_position_and_an_aim_can_both_be_had() -> None:
    chain = ur5().chain("link6", q=[0.5, -1.2, 1.4, -0.4, 0.8, 0.0])
    random = np.random.default_rng(2)
    for _ in range(10):
        frame = chain.forward(random.uniform(-PI, PI, 6))
        found = solve(chain, Goal("link6", frame[:3, 3], aim=((0.0, 0.0, 1.0), frame[:3, 2])))
        assert found.status is Status.REACHED
        reached = chain.forward(found.values)
        assert np.allclose(reached[:3, 3], frame[:3, 3], atol=2e-5)
        assert angle_between(reached[:3, 2], frame[:3, 2]) <= 1e-3


def test_an_aim_straight_backwards_is_turned_to() -> None:
    chain = neck()
    found = solve(chain, Goal("head", aim=((0.0, 0.0, 1.0), (0.0, 0.0, -1.0))))
    assert found.status is Status.REACHED


@pytest.mark.parametrize("seed", range(4))
def test_the_derivative_of_an_aim_is_that_of_its_error(seed: int) -> None:
    random = np.random.default_rng(seed)
    skeleton = random_tree(random)
    chain = skeleton.chain("b11", anchor="root", q=random.uniform(-1, 1, len(skeleton.unknowns)))
    values = chain.values
    axis = random.normal(size=3)
    axis /= np.linalg.norm(axis)
    now = chain.forward(values)[:3, :3] @ axis
    problem = Problem(chain, [Goal("b11", aim=(axis, now))])
    rows = np.array(problem.rows(problem.evaluate(values.tolist())))
    for i in range(chain.dof):
        ends = []
        for sign in (1.0, -1.0):
            moved = values.copy()
            moved[i] += sign * 1e-6 * problem.compiled.pace[i]
            ends.append(problem.evaluate(moved.tolist()).errors)
        assert np.allclose(np.subtract(ends[1], ends[0]) / 2e-6, rows[:, i], atol=1e-6)


def test_an_aim_is_dragged_on() -> None:
    chain = neck()
    search = Search(chain, Goal("head", aim=((0.0, 0.0, 1.0), (0.0, 0.0, 1.0))))
    values = chain.values
    for s in np.linspace(0.0, 1.2, 40):
        search.retarget(Goal("head", aim=((0.0, 0.0, 1.0), (math.sin(s), 0.0, math.cos(s)))))
        found = search.advance(math.inf)
        assert found.status is Status.REACHED
        assert np.abs(found.values - values).max() < 0.1
        values = found.values


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"aim": (0.0, 0.0, 1.0)}, "an axis and a direction are needed"),
        ({"aim": ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))}, "aim's axis of the goal for 'b' has no length"),
        ({"aim": ((0.0, 0.0, 1.0), (0.0, 0.0, 0.0))}, "aim's direction of the goal for 'b' has no length"),
        ({"aim": ((0.0, 0.0, 1.0), (math.nan, 0.0, 0.0))}, "not finite"),
        ({"aim": ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)), "orientation": np.eye(3)}, "an orientation and an aim"),
        ({}, "asks for nothing"),
    ],
)
def test_aims_that_mean_nothing_are_refused(asked: dict[str, object], message: str) -> None:
    with pytest.raises(GoalError, match=message):
        Goal("b", **asked)  # type: ignore[arg-type]


# Joint weights


@pytest.mark.parametrize("method", METHODS)
def test_an_unknown_of_no_weight_stays(method: str) -> None:
    chain = planar((0.5, 0.4, 0.3, 0.2)).chain("tip", q=[0.3, 0.4, -0.2, 0.5])
    target = chain.forward([0.5, 0.4, -0.6, 0.9])[:3, 3]
    found = solve(chain, Goal("tip", target), method=method, joint_weights={"j1": 0.0}, tolerance=1e-4)
    assert found.status is Status.REACHED
    assert found.values[1] == 0.4


def test_an_unknown_of_small_weight_moves_less() -> None:
    chain = planar((0.5, 0.4, 0.3, 0.2)).chain("tip", q=[0.3, 0.4, -0.2, 0.5])
    goal = Goal("tip", (0.6, 0.9, 0.0))

    def moved(weights: object) -> float:
        found = solve(chain, goal, joint_weights=weights)  # type: ignore[arg-type]
        assert found.status is Status.REACHED
        return float(abs(found.values[1] - 0.4))

    assert moved(None) == moved([1.0, 1.0, 1.0, 1.0]) == moved({})
    assert moved({"j1": 0.1}) < 0.5 * moved(None)
    assert moved([1.0, 0.1, 1.0, 1.0]) == moved({"j1": 0.1})


def test_weights_stay_with_a_drag() -> None:
    chain = planar((0.5, 0.4, 0.3, 0.2)).chain("tip", q=[0.3, 0.4, -0.2, 0.5])
    start = chain.forward(chain.values)[:3, 3]
    search = Search(chain, Goal("tip", start), joint_weights={"j0": 0.0})
    for i in range(10):
        search.retarget(Goal("tip", start - np.array((0.02 * i, 0.0, 0.0))))
        assert search.advance(math.inf).values[0] == 0.3


def test_with_all_unknowns_held_nothing_moves() -> None:
    chain = planar((0.5, 0.4)).chain("tip", q=[0.3, 0.4])
    for method in METHODS:
        found = solve(chain, Goal("tip", (0.1, 0.5, 0.0)), method=method, joint_weights=[0.0, 0.0])
        assert found.values.tolist() == [0.3, 0.4]
        assert found.status is Status.STALLED


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"j9": 1.0}, "joint weight is given for 'j9'.*it has 'j0', 'j1'"),
        ({"j0": -1.0}, "joint weight of 'j0' is -1.0"),
        ({"j0": math.inf}, "joint weight of 'j0' is inf"),
        ([1.0], "list of joint weights does not fit"),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights: object, message: str) -> None:
    chain = planar((0.5, 0.4)).chain("tip")
    with pytest.raises(GoalError, match=message):
        solve(chain, Goal("tip", (0.1, 0.5, 0.0)), joint_weights=weights)  # type: ignore[arg-type]


# A rest pose


def test_of_all_poses_that_meet_the_goal_one_near_the_rest_pose_is_taken() -> None:
    chain = planar((0.5, 0.4, 0.3, 0.2), -2.5, 2.5).chain("tip", q=[0.3, 0.4, -0.2, 0.5])
    goal = Goal("tip", (0.6, 0.7, 0.0))
    rest = np.array([1.2, -0.3, -0.4, -0.2])
    plain, leant = solve(chain, goal), solve(chain, goal, rest=rest)
    assert leant.status is Status.REACHED
    assert leant.position_residual <= 1e-5
    assert np.linalg.norm(leant.values - rest) < np.linalg.norm(plain.values - rest)
    # No nearer pose around meets the goal: the way to the rest pose has no part along what leaves the handle in place.
    rows = np.array([chain.forward(leant.values + 1e-6 * unit)[:2, 3] for unit in np.eye(4)])
    rows = (rows - chain.forward(leant.values)[:2, 3]) / 1e-6
    kept = np.eye(4) - np.linalg.pinv(rows.T) @ rows.T
    assert np.abs(kept @ (rest - leant.values)).max() < 1e-3


def test_a_rest_pose_that_meets_the_goal_is_found() -> None:
    chain = planar((0.5, 0.4, 0.3, 0.2)).chain("tip", q=[0.3, 0.4, -0.2, 0.5])
    rest = [0.6, 0.1, 0.2, -0.4]
    found = solve(chain, Goal("tip", chain.forward(rest)[:3, 3]), rest=rest)
    assert found.values == pytest.approx(rest, abs=1e-3)


def test_the_rest_pose_does_not_push_through_limits_or_off_the_goal() -> None:
    chain = planar((0.5, 0.4, 0.3, 0.2), -1.0, 1.0).chain("tip", q=[0.3, 0.4, -0.2, 0.5])
    found = solve(chain, Goal("tip", (0.7, 0.7, 0.0)), rest=[5.0, -5.0, 5.0, -5.0])
    assert found.status is Status.REACHED
    assert np.abs(found.values).max() <= 1.0
    three = solve(ur5().chain("link3"), Goal("link3", (0.3, 0.4, 0.3)), rest=[0.1, 0.2, 0.3])
    assert three.status is Status.REACHED  # nothing is left to choose


def test_a_drag_leans_to_its_rest_pose_and_comes_back_the_same() -> None:
    chain = planar((0.5, 0.4, 0.3, 0.2)).chain("tip", q=[0.3, 0.4, -0.2, 0.5])
    start = chain.forward(chain.values)[:3, 3]
    search = Search(chain, Goal("tip", start), rest=chain.values)
    for s in np.linspace(0.0, 2.0 * PI, 60):
        search.retarget(Goal("tip", start + 0.2 * np.array((math.cos(s) - 1.0, math.sin(s), 0.0))))
        found = search.advance(math.inf)
        assert found.status is Status.REACHED
    assert found.values == pytest.approx(chain.values, abs=2e-3)  # without a rest pose it drifts


def test_a_rest_pose_of_a_turning_unknown_is_gone_to_the_short_way() -> None:
    turn = hinge("spin", lower=-PI, upper=PI, continuous=True)
    bodies = [body("base", None), body("a", "base", hinge("j0")), body("tip", "a", turn, origin=at(1.0))]
    chain = Skeleton(bodies).chain("tip", q=[0.0, 3.0])
    found = solve(chain, Goal("tip", chain.forward([0.4, 0.0])[:3, 3]), rest=[0.0, -3.0])
    assert found.values == pytest.approx([0.4, -3.0], abs=1e-3)


def test_a_rest_pose_of_another_shape_is_refused() -> None:
    with pytest.raises(GoalError, match="rest pose does not fit"):
        solve(planar((0.5, 0.4)).chain("tip"), Goal("tip", (0.1, 0.5, 0.0)), rest=[0.0])


# Planar and floating joints, and the whole skeleton


def test_a_planar_joint_slides_in_its_plane_and_turns_about_the_normal() -> None:
    for normal in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.6, -0.8)):
        chain = Skeleton([body("floor", None), body("cart", "floor", *planar_axes("drive", normal))]).chain("cart")
        assert chain.unknowns == ("drive:x", "drive:y", "drive:yaw")
        frame = chain.forward([0.7, -0.4, 1.2])
        assert float(frame[:3, 3] @ normal) == pytest.approx(0.0, abs=1e-12)
        assert np.linalg.norm(frame[:3, 3]) == pytest.approx(math.hypot(0.7, 0.4))
        assert frame[:3, :3] @ normal == pytest.approx(normal)
        found = solve(chain, Goal("cart", frame[:3, 3], frame[:3, :3]))
        assert found.status is Status.REACHED
        assert found.values == pytest.approx([0.7, -0.4, 1.2], abs=1e-3)
    z = Skeleton([body("floor", None), body("cart", "floor", *planar_axes("drive"))]).chain("cart")
    assert z.forward([0.7, -0.4, 0.0])[:3, 3] == pytest.approx((0.7, -0.4, 0.0))


@pytest.mark.parametrize("method", METHODS)
def test_a_floating_joint_gets_anywhere(method: str) -> None:
    chain = Skeleton([body("world", None), body("drone", "world", *floating_axes("fly"))]).chain("drone")
    assert chain.unknowns == ("fly:x", "fly:y", "fly:z", "fly:rx", "fly:ry", "fly:rz")
    assert chain.reach == math.inf
    random = np.random.default_rng(4)
    for _ in range(8):
        position, rotation = random.normal(size=3), chain.forward([0, 0, 0, *random.uniform(-1.2, 1.2, 3)])[:3, :3]
        found = solve(chain, Goal("drone", position, rotation), method=method)
        assert found.status is Status.REACHED
        assert np.allclose(chain.forward(found.values)[:3, 3], position, atol=1e-4)


def walker() -> Skeleton:
    bodies = [body("hips", None, origin=at(0.1, 0.0, 1.0))]
    for side, y in (("left", 0.1), ("right", -0.1)):
        bodies += [
            body(f"{side}.thigh", "hips", *ball(f"{side}.thigh"), origin=at(0.0, y)),
            body(
                f"{side}.shin", f"{side}.thigh", hinge(f"{side}.knee", (0.0, 1.0, 0.0), 0.0, 2.5), origin=at(0, 0, -0.5)
            ),
            body(f"{side}.foot", f"{side}.shin", *ball(f"{side}.ankle", 1.0), origin=at(0, 0, -0.45)),
        ]
    return Skeleton(bodies)


def test_the_hips_go_down_while_the_feet_stay() -> None:
    skeleton = walker()
    bent = skeleton.vector({"left.thigh:y": -0.3, "right.thigh:y": -0.3, "left.knee": 0.6, "right.knee": 0.6})
    chain = skeleton.chain(["hips", "left.foot", "right.foot"], q=bent, root_motion=True)
    assert chain.unknowns[:6] == tuple(f"root_motion:{name}" for name in ("x", "y", "z", "rx", "ry", "rz"))
    assert chain.dof == 6 + 14
    before = {name: chain.forward(chain.values, name) for name in chain.bodies}
    assert np.allclose(before["hips"], skeleton.forward(bent)["hips"])
    pins = [Goal(f, before[f][:3, 3], before[f][:3, :3]) for f in ("left.foot", "right.foot")]
    search = Search(chain, [Goal("hips", before["hips"][:3, 3]), *pins])
    for s in np.linspace(0.0, 1.0, 20):
        hips = before["hips"][:3, 3] + s * np.array((0.1, 0.05, -0.2))
        search.retarget([Goal("hips", hips), *pins])
        found = search.advance(math.inf)
        assert found.status is Status.REACHED, found.why
    for name in ("left.foot", "right.foot"):
        assert np.allclose(chain.forward(found.values, name), before[name], atol=2e-3)
    assert chain.forward(found.values, "hips")[:3, 3] == pytest.approx(hips, abs=1e-4)
    # The skeleton's own unknowns follow behind the six of the root.
    assert chain.full(found.values)[:6].tolist() == found.values[:6].tolist()
    assert len(chain.full(found.values)) == 6 + len(skeleton.unknowns)


def test_a_root_is_dragged_by_itself() -> None:
    skeleton = walker()
    chain = skeleton.chain("hips", root_motion=True)
    assert chain.dof == 6
    found = solve(chain, Goal("hips", (0.5, 0.4, 0.9)))
    assert found.status is Status.REACHED
    assert found.pose["root_motion:x"] == pytest.approx(0.4, abs=1e-4)


def test_all_roots_move_together_about_the_first_ones_origin() -> None:
    skeleton = Skeleton([body("a", None, origin=at(1.0)), body("b", None, origin=at(3.0))]).with_root_motion()
    frames = skeleton.forward([0.0, 0.0, 0.5, 0.0, 0.0, PI / 2])
    assert frames["a"][:3, 3] == pytest.approx((1.0, 0.0, 0.5))
    assert frames["b"][:3, 3] == pytest.approx((1.0, 2.0, 0.5))


def test_names_that_are_taken_are_evaded() -> None:
    skeleton = Skeleton([body("root_motion", None), body("b", "root_motion", hinge("root_motion_:x"))])
    assert skeleton.with_root_motion().unknowns[0] == "root_motion__:x"


@pytest.mark.parametrize("more", [{"anchor": "hips"}, {"length": 3}])
def test_root_motion_goes_all_the_way_up(more: dict[str, object]) -> None:
    with pytest.raises(SkeletonError, match="leave anchor and length away"):
        walker().chain("left.foot", root_motion=True, **more)  # type: ignore[arg-type]
    assert walker().chain("left.foot", root_motion=True, anchor="root").dof == 13


def test_mimics_in_a_loop_are_refused_by_name() -> None:
    bodies = [
        body("base", None),
        body("a", "base", hinge("j1", mimic=Mimic("j2"))),
        body("b", "a", hinge("j2", mimic=Mimic("j3"))),
        body("c", "b", hinge("j3", mimic=Mimic("j1"))),
    ]
    with pytest.raises(SkeletonError, match="j1 -> j2 -> j3 -> j1"):
        Skeleton(bodies)


# Joints that are scaled unevenly


def sheared() -> Chain:
    bodies = [
        body("base", None),
        body("a", "base", hinge("j0"), hinge("j1", (0.0, 1.0, 0.0)), offset=np.diag((1.0, 2.0, 0.5, 1.0))),
        body("b", "a", hinge("j2", (0.6, 0.0, 0.8)), hinge("j3", (0.0, 1.0, 0.0)), origin=at(0.5, 0.2, 0.1)),
        body("tip", "b", hinge("j4", (1.0, 0.0, 0.0)), origin=at(0.4, 0.0, 0.1), point=(0.3, 0.2, 0.1)),
    ]
    return Skeleton(bodies).chain("tip", q=[0.1, 0.2, -0.1, 0.3, 0.2])


def test_what_moves_on_ellipses_is_reached() -> None:
    chain = sheared()
    random = np.random.default_rng(6)
    for _ in range(15):
        target = (chain.forward(chain.values + random.uniform(-0.7, 0.7, 5)) @ (0.3, 0.2, 0.1, 1.0))[:3]
        found = solve(chain, Goal("tip", target))
        assert found.status is Status.REACHED
        assert (chain.forward(found.values) @ (0.3, 0.2, 0.1, 1.0))[:3] == pytest.approx(target, abs=2e-5)
    assert solve_batch(chain, [target] * 2).reached.all()


@pytest.mark.parametrize("method", ["CCD", "FABRIK"])
def test_only_least_squares_can_follow_ellipses(method: str) -> None:
    with pytest.raises(GoalError, match=f"'j2' is scaled by different factors along its axes, which {method}"):
        solve(sheared(), Goal("tip", (0.3, 0.2, 0.1)), method=method)


# Awkward places


def yawing() -> Chain:
    """A yaw, and three pitches above it."""
    bodies = [body("base", None), body("turret", "base", hinge("yaw"), origin=at(0.0, 0.0, 0.1))]
    for i in range(3):
        pitch = hinge(f"pitch{i}", (0.0, 1.0, 0.0), -2.5, 2.5)
        bodies.append(body(f"b{i}", bodies[-1].name, pitch, origin=at(0.0, 0.0, 0.3 if i else 0.0)))
    bodies.append(body("tip", "b2", origin=at(0.0, 0.0, 0.3)))
    return Skeleton(bodies).chain("tip")


AWKWARD: dict[str, tuple[Callable[[], Chain], tuple[float, float, float]]] = {
    "on the first joint's axis": (yawing, (0.0, 0.0, 0.7)),
    "at the base of a flat arm": (lambda: planar((0.5, 0.4, 0.3)).chain("tip"), (0.0, 0.0, 0.0)),
    "at full reach": (lambda: planar((0.5, 0.4, 0.3)).chain("tip"), (0.0, 1.2, 0.0)),
    "on a straight arm's own line": (lambda: planar((0.5, 0.4, 0.3)).chain("tip"), (0.7, 0.0, 0.0)),
    "behind a straight arm": (lambda: planar((0.5, 0.4, 0.3)).chain("tip"), (-0.7, 0.0, 0.0)),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("place", AWKWARD)
def test_awkward_targets_are_reached(place: str, method: str) -> None:
    make, target = AWKWARD[place]
    chain = make()
    found = solve(chain, Goal("tip", target), method=method, tolerance=1e-3 if method == "AUTO" else 1e-2)
    assert found.status is Status.REACHED, found.why
    assert np.isfinite(found.values).all()


def test_an_axis_that_the_handle_cannot_come_to_is_come_near_to() -> None:
    # The wrist of this arm stands off the first axis by 0.10915, and the flange can make up for 0.0823 of that.
    found = solve(ur5().chain("link6"), Goal("link6", (0.0, 0.0, 0.8)))
    assert found.status is Status.STALLED
    assert found.position_residual == pytest.approx(0.10915 - 0.0823, abs=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_segments_of_no_length_are_no_matter(method: str) -> None:
    bodies = [body("base", None)]
    for i, x in enumerate((0.0, 0.0, 0.5, 0.0, 0.4, 0.0)):
        axis = hinge(f"j{i}", ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))[i % 2], -2.5, 2.5)
        bodies.append(body(f"b{i}", bodies[-1].name, axis, origin=at(x)))
    bodies.append(body("tip", "b5", origin=at(0.3)))
    chain = Skeleton(bodies).chain("tip", q=[0.1, 0.2, 0.3, 0.1, 0.2, 0.1])
    random = np.random.default_rng(8)
    for _ in range(5):
        target = chain.forward(random.uniform(-1, 1, 6))[:3, 3]
        assert solve(chain, Goal("tip", target), method=method, tolerance=1e-3).status is Status.REACHED


@pytest.mark.parametrize("seed", range(3))
def test_random_trees_keep_their_limits_whatever_is_asked(seed: int) -> None:
    random = np.random.default_rng(seed)
    skeleton = random_tree(random)
    chain = skeleton.chain(["b8", "b11"], anchor="root", q=random.uniform(-1, 1, len(skeleton.unknowns)))
    aim = (random.normal(size=3), random.normal(size=3))
    goals = [
        Goal("b8", random.normal(size=3) * 2, aim=aim),
        Goal("b11", random_frame(random)[:3, 3], random_rotation(random)),
    ]
    for method in METHODS:
        found = solve(chain, goals, method=method, rest=chain.values, joint_weights={chain.unknowns[0]: 0.5})
        assert np.all(found.values >= chain.lower - 1e-12)
        assert np.all(found.values <= chain.upper + 1e-12)
