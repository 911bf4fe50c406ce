"""Many targets at a time: what comes out, in which order, and that it is what single solves give."""

from __future__ import annotations

import math

import numpy as np
import pytest
from linkpose.errors import GoalError
from linkpose.solver import BatchSolution, Chain, Goal, Mimic, Skeleton, Status, solve, solve_batch
from solver.made import PI, at, body, hinge, numbered, planar, random_rotation, slide, ur5


def arm() -> Chain:
    return planar((0.4, 0.3, 0.2, 0.1), -2.0, 2.0).chain("tip", q=[0.3, 0.2, 0.1, 0.4])


def gripper_arm() -> Chain:
    """Slide, hinges at one origin, a follower on the path, limits of zero width, an oblique axis, an offset handle."""
    oblique = (0.6, 0.0, 0.8)
    bodies = [
        body("base", None),
        body("rail", "base", slide("rail", (0.0, 1.0, 0.0), -0.2, 0.3), origin=at(0.1, 0.0, 0.3)),
        body("a", "rail", hinge("yaw", lower=-2.0, upper=2.0), hinge("pitch", (0.0, 1.0, 0.0), -1.5, 1.5)),
        body("b", "a", hinge("elbow", (0.0, 1.0, 0.0), 0.0, 2.0), origin=at(0.3)),
        body("c", "b", hinge("follower", oblique, mimic=Mimic("elbow", 0.5, 0.1)), origin=at(0.2)),
        body("d", "c", hinge("stuck", (1.0, 0.0, 0.0), 0.2, 0.2)),
        body("e", "d", hinge("spin", lower=-PI, upper=PI, continuous=True), origin=at(0.1)),
        body("tip", "e", origin=at(0.15), point=(0.02, 0.0, 0.03)),
    ]
    return Skeleton(bodies).chain("tip")


def poses(chain: Chain, count: int, seed: int = 1) -> np.ndarray:
    low, high = np.maximum(chain.lower, -PI), np.minimum(chain.upper, PI)
    return np.random.default_rng(seed).uniform(low, high, size=(count, chain.dof))


def targets(chain: Chain, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Handles and rotations of these poses."""
    point = (*chain.skeleton.body(chain.bodies[0]).point, 1.0)
    frames = [chain.forward(values) for values in q]
    return np.array([(frame @ point)[:3] for frame in frames]), np.array([frame[:3, :3] for frame in frames])


CHAINS = {"planar": arm, "mixed": gripper_arm, "ur5": lambda: ur5().chain("link6")}


@pytest.mark.parametrize("turned", [False, True], ids=["position", "pose"])
@pytest.mark.parametrize("name", CHAINS)
def test_every_target_gets_what_a_single_solve_gives_it(name: str, turned: bool) -> None:
    chain = CHAINS[name]()
    where, rotations = targets(chain, poses(chain, 40))
    found = solve_batch(chain, where, rotations if turned else None)
    equal = 0
    for i, position in enumerate(where):
        goal = Goal(chain.bodies[0], position, rotations[i] if turned else None)
        alone = solve(chain, goal)
        assert found.status[i] is alone.status
        if alone.iterations == found.iterations[i]:  # no restart made the difference
            assert found.values[i] == pytest.approx(alone.values, abs=1e-9)
            assert found.position_residual[i] == pytest.approx(alone.position_residual, abs=1e-9)
            assert found.orientation_residual[i] == pytest.approx(alone.orientation_residual, abs=1e-9)
            equal += 1
    assert equal >= 25


def test_reported_residuals_are_those_of_the_reported_values_and_the_limits_hold() -> None:
    chain = gripper_arm()
    random = np.random.default_rng(3)
    where, rotations = random.normal(size=(60, 3)) * 0.5, np.array([random_rotation(random) for _ in range(60)])
    found = solve_batch(chain, where, rotations)
    at_, turned = targets(chain, found.values)
    assert np.linalg.norm(at_ - where, axis=1) == pytest.approx(found.position_residual, abs=1e-12)
    cosine = (np.einsum("nij,nij->n", turned, rotations) - 1.0) / 2.0
    assert np.arccos(np.clip(cosine, -1.0, 1.0)) == pytest.approx(found.orientation_residual, abs=1e-7)
    assert np.all(found.values >= chain.lower)
    assert np.all(found.values <= chain.upper)


def test_a_target_s_result_does_not_depend_on_what_else_is_in_the_batch() -> None:
    skeleton = numbered("so100")
    chain = skeleton.chain("tip", q=skeleton.middle())
    where, rotations = targets(chain, poses(chain, 150, seed=5))
    where[7] = (0.0, 0.0, 9.0)  # out of reach
    whole = solve_batch(chain, where, rotations)
    part = solve_batch(chain, where[:20], rotations[:20])
    assert whole.reached.sum() >= 145
    assert np.allclose(whole.values[:20], part.values, atol=1e-9)
    assert whole.iterations[:20].tolist() == part.iterations.tolist()
    assert whole.status[:20].tolist() == part.status.tolist()


def test_twice_gives_the_same_bits() -> None:
    chain = CHAINS["ur5"]()
    where, rotations = targets(chain, poses(chain, 30))

    def run() -> list[bytes]:
        found = solve_batch(chain, where, rotations)
        return [found.values.tobytes(), found.position_residual.tobytes(), found.iterations.tobytes()]

    assert run() == run()


@pytest.mark.parametrize("name", ["panda", "so100", "scara", "snake30", "talos_leg"])
def test_all_that_can_be_had_is_had(name: str) -> None:
    skeleton = numbered(name)
    chain = skeleton.chain("tip", q=skeleton.middle())
    where, rotations = targets(chain, poses(chain, 200, seed=2))
    assert solve_batch(chain, where).reached.all()
    assert solve_batch(chain, where, rotations).reached.mean() >= 0.99


def test_what_cannot_be_had_says_why() -> None:
    chain = planar((0.5, 0.5), -1.0, 1.0).chain("tip")
    there = chain.forward([0.3, 0.9])[:3, 3]
    found = solve_batch(chain, [there, (3.0, 4.0, 0.0), (-0.5, 0.5, 0.0), there + np.array((0.0, 0.0, 0.2))])
    assert [status.name for status in found.status] == ["REACHED", "OUT_OF_REACH", "AT_LIMITS", "STALLED"]
    assert all(isinstance(status, Status) for status in found.status)
    assert found.reached.tolist() == [True, False, False, False]
    assert found.position_residual[1] == pytest.approx(4.0, abs=1e-4)
    assert found.position_residual[3] == pytest.approx(0.2, abs=1e-5)


def test_a_start_on_target_moves_nothing() -> None:
    chain = CHAINS["ur5"]()
    q = poses(chain, 20)
    where, rotations = targets(chain, q)
    found = solve_batch(chain, where, rotations, q0=q)
    assert found.values.tobytes() == q.tobytes()
    assert not found.iterations.any()


def test_starts_are_one_for_all_or_one_for_each_and_are_clamped() -> None:
    chain = arm()
    q = poses(chain, 10)
    where, _ = targets(chain, q)
    near = solve_batch(chain, where, q0=q + 0.01)
    assert np.allclose(near.values, q, atol=0.05)
    same = solve_batch(chain, where, q0=chain.values)
    assert same.values.tobytes() == solve_batch(chain, where).values.tobytes()
    assert solve_batch(chain, where, q0=np.full(4, 9.0)).values.max() <= 2.0


def test_the_handle_may_be_any_point_of_the_body() -> None:
    chain = arm()
    q = poses(chain, 10)
    where = np.array([(chain.forward(values) @ (0.05, 0.02, 0.0, 1.0))[:3] for values in q])
    found = solve_batch(chain, where, point=(0.05, 0.02, 0.0))
    for values, target in zip(found.values, where, strict=True):
        assert (chain.forward(values) @ (0.05, 0.02, 0.0, 1.0))[:3] == pytest.approx(target, abs=1e-4)


def test_values_that_wrap_come_back_in_one_turn() -> None:
    turn = hinge("spin", lower=-PI, upper=PI, continuous=True)
    chain = Skeleton([body("base", None), body("tip", "base", turn, point=(1.0, 0.0, 0.0))]).chain("tip", q=[3.1])
    found = solve_batch(chain, [(math.cos(a), math.sin(a), 0.0) for a in (3.2, 3.0)])
    assert found.values[:, 0] == pytest.approx([3.2 - 2 * PI, 3.0], abs=1e-5)


def legs() -> list[Chain]:
    """Two legs of one trunk, built alike but of other lengths and limits, on hips that are turned."""
    bodies = [body("trunk", None)]
    for name, y, length, limit in (("left", 0.2, 0.4, 1.5), ("right", -0.2, 0.5, 1.2)):
        hip = at(0.0, y)
        hip[:3, :3] = random_rotation(np.random.default_rng(int(y > 0)))
        axis = (0.0, 1.0, 0.0)
        thigh, shin = at(0.0, 0.0, -length), at(0.0, 0.0, -0.9 * length)
        bodies += [
            body(f"{name}.hip", "trunk", hinge(f"{name}.roll", (1.0, 0.0, 0.0), -limit, limit), origin=hip),
            body(f"{name}.thigh", f"{name}.hip", hinge(f"{name}.pitch", axis, -limit, limit)),
            body(f"{name}.shin", f"{name}.thigh", hinge(f"{name}.knee", axis, 0.0, 2.5), origin=thigh),
            body(f"{name}.foot", f"{name}.shin", origin=shin),
        ]
    skeleton = Skeleton(bodies)
    return [skeleton.chain(f"{name}.foot") for name in ("left", "right")]


def test_chains_of_equal_structure_are_solved_in_one_call() -> None:
    left, right = legs()
    chains, where = [], []
    for i in range(40):
        chain = (left, right)[i % 2]
        chains.append(chain)
        where.append(targets(chain, poses(chain, 1, seed=i))[0][0])
    bent = [0.1, -0.3, 0.6]  # straight legs are singular: how they bend is up to rounding
    found = solve_batch(chains, where, q0=bent)
    assert found.reached.all()
    for i, chain in enumerate(chains):
        assert chain.forward(found.values[i])[:3, 3] == pytest.approx(where[i], abs=1e-5)
        alone = solve(chain, Goal(chain.bodies[0], where[i]), bent)
        if alone.iterations == found.iterations[i]:
            assert found.values[i] == pytest.approx(alone.values, abs=1e-9)


def test_chains_of_other_structure_are_refused() -> None:
    left, _ = legs()
    with pytest.raises(GoalError, match="3 and 4 unknowns; all need as many"):
        solve_batch([left, arm()], np.zeros((2, 3)))
    with pytest.raises(GoalError, match="must have the same structure"):
        solve_batch([planar((1.0, 1.0)).chain("tip"), two_slides()], np.zeros((2, 3)))
    with pytest.raises(GoalError, match="1 chains were given for 2 targets"):
        solve_batch([left], np.zeros((2, 3)))


def two_slides() -> Chain:
    return Skeleton([body("base", None), body("tip", "base", slide("x"), slide("y", (0.0, 1.0, 0.0)))]).chain("tip")


@pytest.mark.parametrize("method", ["AUTO", "CCD", "FABRIK"])
def test_a_path_is_followed_from_pose_to_pose(method: str) -> None:
    chain = ur5().chain("link6", q=[0.5, -1.2, 1.4, -0.4, 0.8, 0.0])
    way = np.array([chain.values + 0.5 * math.sin(s) * np.array((1, -1, 1, 1, -1, 1)) for s in np.linspace(0, 6, 40)])
    where, _ = targets(chain, way)
    found = solve_batch(chain, where, warm_start=True, method=method, tolerance=1e-4)
    assert found.reached.all()
    assert np.abs(np.diff(found.values, axis=0)).max() < (1.0 if method == "CCD" else 0.3)


def test_a_warm_start_off_the_path_is_found_again() -> None:
    chain = arm()
    where = np.array([(0.5, 0.5, 0.0), (9.0, 0.0, 0.0), (0.5, -0.5, 0.0), (0.5, -0.51, 0.0)])
    found = solve_batch(chain, where, warm_start=True)
    assert found.reached.tolist() == [True, False, True, True]
    assert np.abs(found.values[3] - found.values[2]).max() < 0.1


@pytest.mark.parametrize("method", ["CCD", "FABRIK"])
def test_the_other_methods_go_one_by_one(method: str) -> None:
    chain = arm()
    where, _ = targets(chain, poses(chain, 5))
    found = solve_batch(chain, where, method=method)
    for i, target in enumerate(where):
        alone = solve(chain, Goal("tip", target), method=method)
        assert found.values[i].tobytes() == alone.values.tobytes()
        assert found.status[i] is alone.status


@pytest.mark.parametrize("warm_start", [False, True])
def test_progress_is_told_up_to_the_end(warm_start: bool) -> None:
    told: list[tuple[int, int]] = []
    chain = arm()
    where, _ = targets(chain, poses(chain, 50))
    solve_batch(chain, where, warm_start=warm_start, progress=lambda done, count: told.append((done, count)))
    assert told[-1] == (50, 50)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert len(told) > 3


def test_no_targets_and_no_unknowns_are_no_matter() -> None:
    none = solve_batch(arm(), np.zeros((0, 3)))
    assert none.values.shape == (0, 4)
    assert none.status.shape == none.reached.shape == (0,)
    assert solve_batch([], []).values.shape == (0, 0)
    fixed = planar((1.0,)).chain("base")
    found = solve_batch(fixed, [(0.0, 0.0, 0.0), (0.0, 0.0, 0.5)])
    assert found.values.shape == (2, 0)
    assert [status.name for status in found.status] == ["REACHED", "OUT_OF_REACH"]


def test_a_batch_cannot_be_written() -> None:
    found = solve_batch(arm(), [(0.3, 0.4, 0.0)])
    for array in (found.values, found.status, found.iterations):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_two_hundred_unknowns_are_solved() -> None:
    chain = planar([0.01] * 200, -0.3, 0.3).chain("tip")
    where, rotations = targets(chain, poses(chain, 20) * 0.2)
    assert solve_batch(chain, where).reached.all()
    assert solve_batch(chain, where, rotations).reached.all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"positions": (0.0, 0.0, 0.0)}, r"positions of the batch have shape \(3,\); \(n, 3\) is needed"),
        ({"positions": "abc"}, "numbers are needed"),
        ({"positions": [(0, 0, 0), (0, math.nan, 0)]}, "positions of target 1 hold a number that is not finite"),
        ({"orientations": np.eye(3)}, r"\(n, 3, 3\) is needed"),
        ({"orientations": [np.eye(3)] * 3}, "3 orientations were given for 2 targets"),
        ({"orientations": [np.eye(3), 2.0 * np.eye(3)]}, "orientation of target 1 is no rotation matrix"),
        ({"orientations": [np.diag((1.0, 1.0, -1.0))] * 2}, "orientation of target 0 is no rotation matrix"),
        ({"q0": [0.0, 0.0]}, r"q0 has shape \(2,\); \(4,\) or \(2, 4\) is needed"),
        ({"q0": [0.0, 0.0, 0.0, math.inf]}, "q0 of target 0 hold a number that is not finite"),
        ({"q0": "zero"}, "q0 is 'zero'; numbers are needed"),
        ({"positions": [(0, 0, 0), (0, 1e200, 0)]}, "positions of target 1 are too large to be squared"),
        ({"tolerance": "small"}, "tolerance is 'small'"),
        ({"point": (0.0, 0.0)}, r"point of the batch have shape"),
        ({"method": "MAGIC"}, "there is no method 'MAGIC'"),
        ({"tolerance": 0.0}, "tolerance is 0.0"),
        ({"orientation_tolerance": -1.0}, "orientation_tolerance is -1.0"),
    ],
)
def test_what_means_nothing_is_refused(change: dict[str, object], message: str) -> None:
    given: dict[str, object] = {"positions": [(0.3, 0.4, 0.0), (0.5, 0.1, 0.0)], **change}
    with pytest.raises(GoalError, match=message):
        solve_batch(arm(), **given)  # type: ignore[arg-type]


def test_orientations_in_single_precision_are_made_exact() -> None:
    chain = CHAINS["ur5"]()
    where, rotations = targets(chain, poses(chain, 5))
    found: BatchSolution = solve_batch(chain, where, rotations.astype(np.float32))
    assert found.reached.all()
    assert found.orientation_residual.max() < 1e-6


@pytest.mark.parametrize(
    "point", [np.zeros((2, 3)), np.zeros((1, 3)), [[1], [2, 3]], "x", (math.nan, 0.0, 0.0)], ids=str
)
def test_a_handle_that_is_no_point_is_refused(point: object) -> None:
    with pytest.raises(GoalError, match="point"):
        solve_batch(arm(), [(0.5, 0.3, 0.0)], point=point)  # type: ignore[arg-type]
