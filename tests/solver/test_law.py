"""Bodies that are placed by a law of their own: forward kinematics, and chains that move them."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from linkpose.errors import GoalError
from linkpose.solver import Axis, AxisKind, Body, Goal, Skeleton, Status, solve, solve_batch

Z = (0.0, 0.0, 1.0)


def planar(angle: float, x: float, y: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array(((c, -s, 0.0, x), (s, c, 0.0, y), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0)))


def heading(frame: np.ndarray) -> float:
    return math.atan2(frame[1, 0], frame[0, 0])


@dataclass(frozen=True)
class Upright:
    """A link of length 1 after its parent that turns by its value, but never beyond ``most`` in skeleton space."""

    most: float
    keeps_lengths: bool = True

    def frame(self, parent: np.ndarray, values: Sequence[float]) -> np.ndarray:
        x, y = (parent @ (1.0, 0.0, 0.0, 1.0))[:2]
        return planar(self._turned(parent, values[0]), x, y)

    def settled(self, parent: np.ndarray, values: Sequence[float]) -> Sequence[float]:
        turned = self._turned(parent, values[0])
        return values if abs(turned) < self.most else [turned - heading(parent)]

    def _turned(self, parent: np.ndarray, value: float) -> float:
        return min(max(heading(parent) + value, -self.most), self.most)


def arm(most: float = 0.6, count: int = 4, lawful: int = 2) -> Skeleton:
    """Links of length 1 in a plane; the ``lawful``-th keeps upright."""
    bodies = []
    for i in range(count):
        axis = Axis(f"j{i}", AxisKind.HINGE, Z, -2.5, 2.5)
        origin = planar(0.0, 1.0, 0.0) if i else np.eye(4)
        law = Upright(most) if i == lawful else None
        parent = f"b{i - 1}" if i else None
        bodies.append(Body(f"b{i}", parent, f"j{i}", origin, (axis,), point=(1.0, 0.0, 0.0), law=law))
    return Skeleton(bodies)


def by_hand(q: Sequence[float], most: float = 0.6, lawful: int = 2) -> list[np.ndarray]:
    angle, x, y, frames = 0.0, 0.0, 0.0, []
    for i, value in enumerate(q):
        if i:
            x, y = x + math.cos(angle), y + math.sin(angle)
        angle += value
        if i == lawful:
            angle = math.remainder(angle - value, 2.0 * math.pi) + value
            angle = min(max(angle, -most), most)
        frames.append(planar(angle, x, y))
    return frames


def test_forward_kinematics_places_bodies_by_their_laws() -> None:
    skeleton = arm()
    draw = random.Random(1)
    for _ in range(20):
        q = [draw.uniform(-1.0, 1.0) for _ in skeleton.unknowns]
        for body, frame in zip(skeleton.bodies, by_hand(q), strict=True):
            assert np.abs(skeleton.forward(q)[body] - frame).max() < 1e-12
            assert np.abs(skeleton.frame(body, q) - frame).max() < 1e-12


def test_a_chain_that_moves_a_law_has_the_skeletons_frames_whatever_changed_last() -> None:
    skeleton = arm()
    q = np.array((0.3, 0.1, 0.2, -0.4))
    chain = skeleton.chain("b3", q=q, length=3)
    compiled = chain.compiled((("b3", (1.0, 0.0, 0.0), True), ("b1", (0.0, 0.5, 0.0), False)))
    draw = random.Random(2)
    values = chain.values.tolist()
    for _ in range(50):
        values[draw.randrange(3)] = draw.uniform(-1.5, 1.5)
        first, second = compiled.place(values)[1]
        frame = chain.forward(values)
        assert np.abs(np.array(first[:3]) - (frame @ (1.0, 0.0, 0.0, 1.0))[:3]).max() < 1e-12
        assert np.abs(np.array(first[3:]).reshape(3, 3) - frame[:3, :3]).max() < 1e-12
        assert np.abs(np.array(second) - (chain.forward(values, "b1") @ (0.0, 0.5, 0.0, 1.0))[:3]).max() < 1e-12


def test_targets_are_reached_through_a_law() -> None:
    skeleton = arm()
    chain = skeleton.chain("b3")
    draw = random.Random(3)
    for _ in range(40):
        q = [draw.uniform(-1.2, 1.2) for _ in skeleton.unknowns]
        target = (skeleton.frame("b3", q) @ (1.0, 0.0, 0.0, 1.0))[:3]
        found = solve(chain, Goal("b3", tuple(target.tolist())))
        assert found.status is Status.REACHED
        shown = (by_hand(found.values)[3] @ (1.0, 0.0, 0.0, 1.0))[:3]
        assert np.linalg.norm(shown - target) < 1e-4


def test_a_search_comes_back_from_values_that_the_law_does_not_let_pass() -> None:
    skeleton = arm(most=0.3, count=3, lawful=2)
    target = (skeleton.frame("b2", (0.5, -0.4, 0.0)) @ (1.0, 0.0, 0.0, 1.0))[:3]
    found = solve(skeleton.chain("b2"), Goal("b2", tuple(target.tolist())), (0.0, 0.0, 2.4))
    assert found.status is Status.REACHED


def test_a_law_outside_the_chain_is_a_constant() -> None:
    skeleton = arm()
    chain = skeleton.chain("b3", q=(0.4, 0.4, 1.0, 0.0), length=1)
    assert chain.compiled((("b3", (1.0, 0.0, 0.0), False),)).uneven is None
    found = solve(chain, Goal("b3", tuple((chain.forward((0.7,)) @ (1.0, 0.0, 0.0, 1.0))[:3].tolist())), method="CCD")
    assert found.values[0] == pytest.approx(0.7, abs=1e-4)


@pytest.mark.parametrize("method", ["CCD", "FABRIK"])
def test_methods_that_cannot_follow_a_law_say_so(method: str) -> None:
    with pytest.raises(GoalError, match=f"'b2' is placed by limits .* which {method} cannot follow; use AUTO"):
        solve(arm().chain("b3"), Goal("b3", (1.0, 1.0, 0.0)), method=method)


def test_lengths_that_a_law_does_not_keep_put_nothing_out_of_reach() -> None:
    bodies = [arm().body(name) for name in ("b0", "b1")]
    last = arm().body("b2")
    for keeps in (True, False):
        law = Upright(0.6, keeps_lengths=keeps)
        skeleton = Skeleton([*bodies, Body("b2", "b1", "j2", last.origin, last.axes, point=last.point, law=law)])
        found = solve(skeleton.chain("b2"), Goal("b2", (9.0, 0.0, 0.0)))
        assert (found.status is Status.OUT_OF_REACH) == keeps
        assert found.position_residual == pytest.approx(6.0, abs=1e-3)


def test_batches_follow_laws_too() -> None:
    skeleton = arm()
    chain = skeleton.chain("b3")
    draw = np.random.default_rng(4)
    poses = draw.uniform(-1.0, 1.0, (10, 4))
    targets = np.array([(skeleton.frame("b3", q) @ (1.0, 0.0, 0.0, 1.0))[:3] for q in poses])
    assert solve_batch(chain, targets).reached.all()
