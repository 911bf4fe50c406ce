"""Iterations written out for one chain, against the loops that say what they do."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from linkpose.solver import Axis, AxisKind, Chain, Goal, Mimic, Search, Skeleton, solve
from linkpose.solver import generated as writing
from linkpose.solver.generated import iteration
from linkpose.solver.least_squares import GAIN, Plain
from linkpose.solver.problem import Problem
from solver.made import PI, at, body, hinge, numbered, planar, random_frame, slide, ur5


def mixed(random: np.random.Generator, count: int) -> Chain:
    """Hinges, slides, followers with factors and offsets, stiff joints, in any direction, some limited on one side."""
    bodies = [body("root", None, origin=random_frame(random))]
    for i in range(count):
        direction = (
            tuple((v := random.normal(size=3)) / np.linalg.norm(v)) if random.random() < 0.7 else (0.0, 0.0, 1.0)
        )
        kind = AxisKind.SLIDE if random.random() < 0.25 else AxisKind.HINGE
        mimic = Mimic(f"j{random.integers(i)}", float(random.normal()), 0.1) if i and random.random() < 0.2 else None
        low, high = [(-1.0, 1.0), (-math.inf, 1.0), (-1.0, math.inf), (-math.inf, math.inf), (0.3, 0.3)][
            random.integers(5)
        ]
        axis = Axis(f"j{i}", kind, direction, low, high, stiffness=float(random.choice([0.0, 0.6])), mimic=mimic)
        origin = random_frame(random) if random.random() < 0.6 else at(*random.choice([0.0, 0.3, -1.0], size=3))
        bodies.append(body(f"b{i}", bodies[-1].name, axis, origin=origin, point=tuple(random.normal(size=3))))
    return Skeleton(bodies).chain(f"b{count - 1}", q=None, anchor="root")


def poses(chain: Chain, random: np.random.Generator) -> list[float]:
    """At some limits, and between the others."""
    low, high = np.maximum(chain.lower, -1.0), np.minimum(chain.upper, 1.0)
    values = random.uniform(low, np.maximum(low, high))
    ends = np.where(random.random(chain.dof) < 0.5, low, high)
    return np.where(random.random(chain.dof) < 0.3, ends, values).tolist()


@pytest.mark.parametrize("turned", [False, True], ids=["position", "pose"])
@pytest.mark.parametrize("seed", range(15))
def test_what_is_written_out_gives_the_bits_of_the_loops(seed: int, turned: bool) -> None:
    random = np.random.default_rng(seed)
    chain = mixed(random, int(random.integers(1, 9)))
    for _ in range(25):
        frame = random_frame(random)
        goal = Goal(chain.bodies[0], frame[:3, 3], frame[:3, :3] if turned else None)
        problem = Problem(chain, [goal])
        written, where = problem.iteration(written=True)
        assert not isinstance(written, Plain)
        before, cap = float(random.choice([0.0, 1e9])), float(random.choice([math.inf, 0.01]))
        arguments = (poses(chain, random), (*where, 1e-12, 1e-12), before, GAIN, 4.0 * GAIN, cap)
        assert written(*arguments) == Plain(problem)(*arguments)


@pytest.mark.parametrize("name", ["panda", "so100", "scara", "planar10", "talos_leg"])
def test_whole_searches_give_the_bits_of_the_loops(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    skeleton = numbered(name)

    def run() -> list[tuple[bytes, int]]:
        chain = skeleton.chain("tip", q=skeleton.middle())
        random = np.random.default_rng(3)
        out = []
        for i in range(12):
            frame = chain.forward(random.uniform(chain.lower, chain.upper))
            goal = Goal("tip", frame[:3, 3] * (3.0 if i == 5 else 1.0), frame[:3, :3] if i % 2 else None)
            found = solve(chain, goal)
            out.append((found.values.tobytes(), found.iterations))
        search = Search(chain, Goal("tip", frame[:3, 3]))
        out.append((search.advance(math.inf).values.tobytes(), search.iterations))
        return out

    written = run()
    monkeypatch.setattr(writing, "MOST_STEPS", 0)
    assert run() == written


def test_half_a_turn_is_seen_as_in_the_loops() -> None:
    chain = ur5().chain("link6")
    start = chain.forward(chain.values)
    problem = Problem(chain, [Goal("link6", start[:3, 3], start[:3, :3] @ np.diag((-1.0, 1.0, -1.0)))])
    written, where = problem.iteration(written=True)
    arguments = (chain.values.tolist(), (*where, 0.0, 0.0), math.inf, GAIN, GAIN, math.inf)
    found = written(*arguments)
    assert found == Plain(problem)(*arguments)
    assert found[3] == pytest.approx(PI**2)


def test_nothing_but_numbers_gets_into_the_text() -> None:
    bodies = [body("x'); import os; ('", None), body("b", "x'); import os; ('", hinge("eval"))]
    bodies.append(body("tip", "b", slide("\n__import__('os')", lower=0.0, upper=1.0), origin=at(0.3, 1e-17, 2e30)))
    chain = Skeleton(bodies).chain("tip", anchor="root")
    for turned in (False, True):
        text = writing._Writer(chain.compiled((("tip", (0.0, 0.0, 0.0), turned),)), turned).text()
        words = set(re.findall(r"[A-Za-z_][A-Za-z_0-9]*", re.sub(r"\d+(\.\d+)?e[-+]?\d+", "0", text)))
        fixed = {
            *("def", "iteration", "values", "numbers", "before", "good", "bad", "cap", "cos", "sin", "sqrt", "atan2"),
            *(
                "rotation_vector",
                "fine",
                "fine_angle",
                "return",
                "None",
                "False",
                "if",
                "elif",
                "else",
                "and",
                "or",
                "not",
            ),
            *("error", "distance2", "angle2", "handle", "held", "push", "factor", "damping", "length2", "max", "sine"),
            "cosine",
        }
        assert all(re.fullmatch(r"[vqtmceoad][\dxyzuvw]*[xyzuvw]?", word) for word in words - fixed)


def test_trees_long_and_uneven_chains_stay_with_the_loops() -> None:
    handle = (0.0, 0.0, 0.0)
    long = planar([0.01] * (writing.MOST_STEPS + 1)).chain("tip")
    assert iteration(long.compiled((("tip", handle, False),)), False) is None
    short = planar([0.01] * 5).chain("tip")
    assert iteration(short.compiled((("tip", handle, False),)), False) is not None
    stretched = [body("a", None, origin=np.diag((1.0, 2.0, 1.0, 1.0))), body("b", "a", hinge("j"), origin=at(1.0))]
    assert iteration(Skeleton(stretched).chain("b").compiled((("b", handle, False),)), False) is None
    aimed = Problem(short, [Goal("tip", aim=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))])
    assert isinstance(aimed.iteration(written=True)[0], Plain)


def test_lengths_beyond_all_bounds_stay_with_the_loops() -> None:
    chain = planar([1e200, 1e200], -1.0, 1.0).chain("tip")
    assert iteration(chain.compiled((("tip", (0.0, 0.0, 0.0), True),)), True) is None


def test_it_is_written_when_it_is_worth_it() -> None:
    chain = planar([0.5, 0.4, 0.3]).chain("tip")
    compiled = Problem(chain, [Goal("tip", (0.5, 0.5, 0.0))]).compiled
    assert compiled.iteration(False, written=False) is None
    for _ in range(10):
        solve(chain, Goal("tip", (0.5, 0.5, 0.0)))
    assert compiled.iteration(False, written=False) is not None
    dragged = planar([0.5, 0.4, 0.3]).chain("tip")
    Search(dragged, Goal("tip", (0.5, 0.5, 0.0)))
    assert dragged.compiled((("tip", (0.0, 0.0, 0.0), False),)).iteration(False, written=False) is not None


def test_two_chains_of_the_same_numbers_share_what_is_written() -> None:
    one, other = (planar([0.5, 0.4, 0.3]).chain("tip").compiled((("tip", (0.0,) * 3, False),)) for _ in range(2))
    assert iteration(one, False) is iteration(other, False)


@pytest.mark.parametrize("turned", [False, True], ids=["position", "pose"])
@pytest.mark.parametrize("seed", range(10))
def test_what_is_written_out_for_one_pose_gives_the_bits_of_the_loops(seed: int, turned: bool) -> None:
    random = np.random.default_rng(100 + seed)
    chain = mixed(random, int(random.integers(1, 9)))
    low, high = np.maximum(chain.lower, -1.0), np.minimum(chain.upper, 1.0)
    start = (0.5 * (low + high)).tolist()
    for _ in range(10):
        frame = random_frame(random)
        problem = Problem(chain, [Goal(chain.bodies[0], frame[:3, 3], frame[:3, :3] if turned else None)])
        written = iteration(problem.compiled, turned, start)
        if (chain.lower == chain.upper).any():
            assert written is None
            continue
        assert written is not None
        _, where = problem.iteration(written=True)
        cap = float(random.choice([math.inf, 0.01]))
        arguments = (start, (*where, 1e-12, 1e-12), math.inf, GAIN, GAIN, cap)
        assert written(*arguments) == Plain(problem)(*arguments)


def test_many_solves_from_one_pose_stay_the_same_to_the_bit() -> None:
    chain, fresh = (ur5().chain("link6", q=[0.1, -1.0, 1.2, 0.3, 0.4, 0.5]) for _ in range(2))
    goal = Goal("link6", (0.4, 0.2, 0.3), np.eye(3))
    found = [solve(chain, goal) for _ in range(40)]
    assert chain.compiled((("link6", (0.0, 0.0, 0.0), True),)).first(True) is not None
    assert {one.values.tobytes() for one in found} == {solve(fresh, goal).values.tobytes()}
    assert {one.iterations for one in found} == {found[0].iterations}


@pytest.mark.parametrize("turned", [False, True], ids=["position", "pose"])
def test_far_multiplied_followers_leave_the_damping_as_the_least_pivot(turned: bool) -> None:
    """Two unknowns that do the same, ten thousand times as much as others: their products are singular but for that."""
    bodies = [body("root", None)]
    for i in range(2):
        bodies.append(body(f"a{i}", bodies[-1].name, slide(f"s{i}", (0.0, 1.0, 0.0)), origin=at(0.3)))
        follower = hinge(f"f{i}", (0.0, 0.6, 0.8), mimic=Mimic(f"s{i}", 1e4, 0.1))
        bodies.append(body(f"b{i}", bodies[-1].name, follower, origin=at(0.2, 1e-17, 0.7)))
    bodies.append(body("tip", bodies[-1].name, hinge("j", (1.0, 0.0, 0.0)), origin=at(1e5, 0.0, 0.3)))
    chain = Skeleton(bodies).chain("tip", anchor="root")
    for i in range(60):
        where = (1e5 * math.cos(i), 3.0 * math.sin(i), 0.5)
        problem = Problem(chain, [Goal("tip", where, np.eye(3) if turned else None)])
        written, numbers = problem.iteration(written=True)
        arguments = ([0.1 * i, 0.2, 0.3], (*numbers, 0.0, 0.0), 0.0, 1e-12, 1e-12, math.inf)
        found = written(*arguments)
        assert found == Plain(problem)(*arguments)
        assert found[0] is not None
        assert np.isfinite(found[0]).all()


@pytest.mark.parametrize("turned", [False, True], ids=["position", "pose"])
def test_minus_zero_makes_no_difference_to_the_bits(turned: bool) -> None:
    still = hinge("still", (1.0, 0.0, 0.0), -0.0, 0.0)  # about a line through the handle: it moves nothing
    bodies = [
        body("root", None),
        body("a", "root", hinge("j"), origin=at(0.2)),
        body("tip", "a", still, origin=at(0.3)),
    ]
    chain = Skeleton(bodies).chain("tip", anchor="root", q=[-0.0, -0.0])
    problem = Problem(chain, [Goal("tip", (0.3, 0.4, 0.0), np.eye(3) if turned else None)])
    written, numbers = problem.iteration(written=True)
    values = problem.compiled.clamp([-0.0, -0.0])
    arguments = (values, (*numbers, 0.0, 0.0), 0.0, GAIN, GAIN, math.inf)
    one, other = written(*arguments)[0], Plain(problem)(*arguments)[0]
    assert one is not None
    assert other is not None
    assert np.array(one).tobytes() == np.array(other).tobytes()
