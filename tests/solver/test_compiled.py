"""A chain as plain numbers: the same kinematics as the skeleton's, and its derivative."""

from __future__ import annotations

import math

import numpy as np
import pytest
from linkpose.errors import SkeletonError
from linkpose.solver import Chain, Goal, Mimic, Skeleton
from linkpose.solver.problem import Problem
from linkpose.solver.turns import rotation_vector
from solver.made import PI, at, body, hinge, planar, random_frame, random_tree, slide


def whole(skeleton: Skeleton, random: np.random.Generator, count: int) -> Chain:
    """A tree to ``count`` bodies from the root, held at a random pose."""
    bodies = [f"b{i}" for i in random.choice(np.arange(4, 12), count, replace=False)]
    return skeleton.chain(bodies, q=random.uniform(-1, 1, len(skeleton.unknowns)), anchor="root")


def asked(chain: Chain, random: np.random.Generator, *, turned: bool) -> list[Goal]:
    goals = []
    for name in chain.bodies:
        rotation = random_frame(random)[:3, :3] if turned else None
        goals.append(
            Goal(name, random.normal(size=3), rotation, point=random.normal(size=3), weight=random.uniform(1, 3))
        )
    return goals


@pytest.mark.parametrize("seed", range(12))
def test_handles_are_where_the_skeleton_has_them(seed: int) -> None:
    random = np.random.default_rng(seed)
    skeleton = random_tree(random)
    chain = whole(skeleton, random, 1 + seed % 3)
    problem = Problem(chain, asked(chain, random, turned=True))
    values = random.uniform(-2, 2, chain.dof)
    placed = problem.evaluate(values.tolist()).placed
    for name, point, found in zip(chain.bodies, problem.points, placed, strict=True):
        frame = chain.forward(values, name)
        assert np.allclose(found[:3], frame[:3, :3] @ point + frame[:3, 3], atol=1e-12)
        assert np.allclose(np.reshape(found[3:], (3, 3)), frame[:3, :3], atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_even_scale_and_mirroring_are_followed_exactly(seed: int) -> None:
    random = np.random.default_rng(100 + seed)
    chain = whole(random_tree(random, scaled=True), random, 2)
    problem = Problem(chain, asked(chain, random, turned=False))
    values = random.uniform(-2, 2, chain.dof)
    placed = problem.evaluate(values.tolist()).placed
    for name, point, found in zip(chain.bodies, problem.points, placed, strict=True):
        frame = chain.forward(values, name)
        assert np.allclose(found, frame[:3, :3] @ point + frame[:3, 3], atol=1e-11)


@pytest.mark.parametrize("seed", range(12))
def test_the_derivative_is_that_of_the_errors(seed: int) -> None:
    random = np.random.default_rng(200 + seed)
    chain = whole(random_tree(random, scaled=seed % 2 == 1), random, 2)
    values = random.uniform(-1, 1, chain.dof)
    goals = []
    for name in chain.bodies:  # orientations near the present ones: there the rotation vector's derivative is the axis
        frame = chain.forward(values, name)
        u, _, v = np.linalg.svd(frame[:3, :3])
        rotation = u @ v * np.sign(np.linalg.det(u @ v))
        goals.append(Goal(name, random.normal(size=3), rotation, point=random.normal(size=3)))
    problem = Problem(chain, goals)
    rows = np.array(problem.rows(problem.evaluate(values.tolist())))
    step = 1e-6
    for i in range(chain.dof):
        errors = []
        for sign in (1.0, -1.0):
            moved = values.copy()
            moved[i] += sign * step * problem.compiled.pace[i]
            errors.append(problem.evaluate(moved.tolist()).errors)
        # The error shrinks as the handle moves towards the target.
        assert np.allclose(np.subtract(errors[1], errors[0]) / (2 * step), rows[:, i], atol=1e-6)


def uneven_arm() -> Chain:
    """Three hinges, the last two in a frame that is stretched along Y by two and along Z by a half."""
    bodies = [
        body("base", None),
        body("a", "base", hinge("j0"), offset=np.diag((1.0, 2.0, 0.5, 1.0))),
        body("b", "a", hinge("elbow", (0.6, 0.0, 0.8)), origin=at(0.5, 0.2, 0.1)),
        body("tip", "b", hinge("j2", (1.0, 0.0, 0.0)), origin=at(0.4, 0.0, 0.1), point=(0.1, 0.2, 0.3)),
    ]
    return Skeleton(bodies).chain("tip", q=[0.3, 0.4, -0.2])


def test_what_hangs_on_an_unevenly_scaled_joint_is_where_the_skeleton_has_it() -> None:
    chain = uneven_arm()
    problem = Problem(chain, [Goal("tip", (0.3, 0.2, 0.1), np.eye(3))])
    assert problem.compiled.uneven == "joint 'elbow' is scaled by different factors along its axes"
    frame = chain.forward(chain.values)
    placed = problem.evaluate(chain.values.tolist()).placed[0]
    assert placed[:3] == pytest.approx((frame @ (0.1, 0.2, 0.3, 1.0))[:3], abs=1e-12)
    u, _, v = np.linalg.svd(frame[:3, :3])
    assert np.allclose(np.reshape(placed[3:], (3, 3)), u @ v, atol=1e-12)
    for q in np.random.default_rng(1).uniform(-PI, PI, size=(200, 3)):
        handle = (chain.forward(q) @ (0.1, 0.2, 0.3, 1.0))[:3]
        assert np.linalg.norm(handle) <= chain.reach


def test_its_derivative_is_that_of_the_errors() -> None:
    chain = uneven_arm()
    problem = Problem(chain, [Goal("tip", (0.3, 0.2, 0.1))])
    values = chain.values.tolist()
    rows = np.array(problem.rows(problem.evaluate(values)))
    frame = chain.forward(values)
    tip = (frame @ (0.1, 0.2, 0.3, 1.0))[:3]
    # By the exact rule: in the frame that is stretched, what hangs on the elbow turns as a rigid body does.
    stretched = chain.forward(values, "a") @ at(0.5, 0.2, 0.1)
    inside = np.linalg.solve(stretched, (*tip, 1.0))[:3]
    moved = stretched[:3, :3] @ np.cross((0.6, 0.0, 0.8), inside)
    assert rows[:, 1] == pytest.approx(moved, abs=1e-8)


def test_a_joint_scaled_by_zero_is_refused_by_name() -> None:
    bodies = [body("a", None, origin=np.diag((1.0, 0.0, 1.0, 1.0))), body("b", "a", hinge("elbow"), origin=at(1.0))]
    with pytest.raises(SkeletonError, match="'elbow' is scaled by zero"):
        _ = Skeleton(bodies).chain("b").reach


def test_a_last_body_may_be_shown_stretched() -> None:
    stretched = body("b", "a", hinge("j"), offset=np.diag((1.0, 3.0, 1.0, 1.0)), point=(0.0, 1.0, 0.0))
    chain = Skeleton([body("a", None), stretched]).chain("b")
    assert chain.reach == pytest.approx(3.0)
    problem = Problem(chain, [Goal("b", (0.0, 0.0, 0.0), np.eye(3))])
    placed = problem.evaluate([PI / 2]).placed[0]
    assert placed == pytest.approx((-3.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0))


def test_fold_is_what_the_longest_length_leaves_over() -> None:
    def tip(*lengths: float) -> tuple[float, float]:
        chain = planar(lengths).chain("tip")
        found = chain.compiled((("tip", (0.0, 0.0, 0.0), False),)).tips[0]
        return found.reach, found.fold

    assert tip(1.0, 0.3, 0.2) == pytest.approx((1.5, 0.5))
    assert tip(1.0, 0.6, 0.6) == pytest.approx((2.2, 0.0))


def test_a_slide_folds_by_its_range() -> None:
    bodies = [
        body("base", None),
        body("a", "base", hinge("j")),
        body("b", "a", slide("s", lower=0.2, upper=0.5), origin=at(1.0)),
        body("c", "b", hinge("k"), origin=at(0.1)),
        body("tip", "c", origin=at(0.3)),
    ]
    chain = Skeleton(bodies).chain("tip")
    found = chain.compiled((("tip", (0.0, 0.0, 0.0), False),)).tips[0]
    assert (found.reach, found.fold) == pytest.approx((1.0 + 0.6 + 0.3, 0.1))


def test_a_way_of_several_hundred_bodies_is_no_matter() -> None:
    lengths = [0.01] * 1500
    chain = planar(lengths).chain("tip")
    assert chain.dof == 1500
    assert chain.reach == pytest.approx(15.0)


def test_columns_of_followers_are_added_to_their_source() -> None:
    bodies = [
        body("base", None),
        body("a", "base", hinge("j1")),
        body("b", "a", hinge("j2", mimic=Mimic("j1", -2.0, 0.5)), origin=at(1.0)),
        body("tip", "b", origin=at(1.0)),
    ]
    chain = Skeleton(bodies).chain("tip")
    problem = Problem(chain, [Goal("tip", (0.0, 0.0, 0.0))])
    # Tip = (cos q + cos(q - 2q + 0.5), …): its derivative at q = 0.
    rows = problem.rows(problem.evaluate([0.0]))
    assert [row[0] for row in rows] == pytest.approx([math.sin(0.5), 1.0 - math.cos(0.5), 0.0])


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 1.0, 3.0, PI - 1e-4, PI - 1e-9, PI])
def test_a_rotation_vector_is_axis_times_angle_up_to_half_a_turn(angle: float) -> None:
    random = np.random.default_rng(5)
    for _ in range(5):
        axis = random.normal(size=3)
        axis /= np.linalg.norm(axis)
        cross = np.array(((0, -axis[2], axis[1]), (axis[2], 0, -axis[0]), (-axis[1], axis[0], 0)))
        turn = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
        body_rotation = random_frame(random)[:3, :3]
        found = np.array(rotation_vector((turn @ body_rotation).ravel(), (0.0, 0.0, 0.0, *body_rotation.ravel())))
        if angle == PI:  # both ways round are right
            found *= np.sign(found @ axis)
        assert np.allclose(found, axis * angle, atol=2e-8 if angle > 3.1 else 1e-14)
