"""The judge of the benchmark, its work, and the arithmetic of its tables, without any solver."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support import ROOT

# The benchmark's files find each other by their bare names, as scripts do.
NAMES = ("chains", "sources", "judge", "work", "measured", "process", "rows")


@pytest.fixture(scope="module", autouse=True)
def benchmark_files() -> Iterator[None]:
    folder = str(ROOT / "benchmarks")
    sys.path.insert(0, folder)
    yield
    sys.path.remove(folder)
    for name in NAMES:
        sys.modules.pop(name, None)


def arm() -> object:
    """Two links of 0.5 m in the XY plane, a free wrist, and a slide of 0.1 m along the last link."""
    from chains import Chain

    x = np.tile(np.eye(4), (4, 1, 1))
    x[1, 0, 3] = x[2, 0, 3] = 0.5
    x[3, :3, :3] = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]  # its Z along X
    return Chain(
        "arm",
        x,
        ("revolute", "revolute", "continuous", "prismatic"),
        np.array([-2.0, -2.0, -math.pi, 0.0]),
        np.array([2.0, 2.0, math.pi, 0.1]),
        np.eye(4),
        1.1,
    )


def test_forward_kinematics_is_that_of_the_textbook() -> None:
    q = np.array([[0.3, 0.4, -0.2, 0.05]])
    x = 0.5 * math.cos(0.3) + 0.5 * math.cos(0.7) + 0.05 * math.cos(0.5)
    y = 0.5 * math.sin(0.3) + 0.5 * math.sin(0.7) + 0.05 * math.sin(0.5)
    assert arm().forward(q)[0, :3, 3] == pytest.approx([x, y, 0.0], abs=1e-15)


def test_a_pose_within_tolerance_a_wrong_one_and_none_are_told_apart() -> None:
    from judge import judge

    q = np.array([[0.3, 0.4, 0.0, 0.05]] * 4 + [[math.nan] * 4])
    p = arm().forward(np.nan_to_num(q))[:, :3, 3]
    p[1, 2] += 0.9e-5
    p[2, 2] += 1.1e-5
    p[3, 2] += 1.2e-3
    verdict = judge(arm(), q, p)
    assert verdict.strict().tolist() == [True, True, False, False, False]
    assert verdict.loose().tolist() == [True, True, True, False, False]
    assert verdict.distance[1] == pytest.approx(0.9e-5, rel=1e-6)


def test_a_turned_body_is_no_solution_of_a_pose() -> None:
    from judge import judge

    q = np.array([[0.3, 0.4, 0.1, 0.0]] * 3)
    frames = arm().forward(q)
    frames[1] = arm().forward(q + np.array([0.0, 0.0, 0.9e-3, 0.0]))[
        1
    ]  # with the slide in, the wrist turns the tip on its spot
    frames[2] = arm().forward(q + np.array([0.0, 0.0, 1.1e-3, 0.0]))[2]
    verdict = judge(arm(), q, frames[:, :3, 3], frames[:, :3, :3])
    assert verdict.angle == pytest.approx([0.0, 0.9e-3, 1.1e-3], abs=1e-9)
    assert verdict.strict().tolist() == [True, True, False]


def test_a_pose_on_target_but_outside_its_limits_is_not_solved() -> None:
    from judge import judge

    q = np.array([[0.3, 2.0, 0.0, 0.1], [0.3, 2.0 + 1e-11, 0.0, 0.1], [0.3, 0.0, 9.0, 0.0], [0.3, 0.0, 0.0, -1e-6]])
    verdict = judge(arm(), q, arm().forward(q)[:, :3, 3])
    assert verdict.distance.max() == 0.0
    assert verdict.outside.tolist() == [False, True, False, True]  # a free joint has no limits to leave
    assert verdict.strict().tolist() == [True, False, True, False]
    assert verdict.strict(slack=1e-5).all()


def test_angles_between_rotations_are_exact_for_small_and_large_ones() -> None:
    from judge import angles

    turns = np.array([0.0, 1e-9, 1e-3, 1.0, math.pi])
    about_z = np.tile(np.eye(3), (5, 1, 1))
    about_z[:, 0, 0] = about_z[:, 1, 1] = np.cos(turns)
    about_z[:, 1, 0] = np.sin(turns)
    about_z[:, 0, 1] = -np.sin(turns)
    assert angles(about_z, np.tile(np.eye(3), (5, 1, 1))) == pytest.approx(turns, rel=1e-7, abs=1e-15)


def test_only_hinges_jump_and_a_free_one_that_wraps_does_not() -> None:
    from judge import jumped

    still = np.zeros((4, 3, 4))
    still[1, 2, 0] = 0.51
    still[2, :, 2] = [3.1, -3.1, 3.0]
    still[3, 1:, 3] = 0.9
    assert jumped(arm(), still).tolist() == [False, True, False, False]


def test_a_urdf_of_a_chain_says_the_same_as_its_numbers(tmp_path: Path) -> None:
    from linkpose import urdf
    from sources import MADE, from_rows

    for name in ("pr2_arm", "scara", "snake30"):
        chain = from_rows(name, *MADE[name])
        file = tmp_path / f"{name}.urdf"
        file.write_text(chain.urdf(), encoding="utf-8")
        robot = urdf.load(file).skeleton()
        q = chain.random(np.random.default_rng(1), 5)
        for values, frame in zip(q, chain.forward(q), strict=True):
            pose = {f"j{i}": float(value) for i, value in enumerate(values)}
            assert robot.forward(robot.vector(pose))["tip"] == pytest.approx(frame, abs=1e-12)


def test_every_frame_of_a_drag_is_a_small_step_from_a_start_inside_the_limits() -> None:
    from work import FRAMES, drags

    work = drags(arm(), 3, np.random.default_rng(5))
    assert work.p.shape == (3, FRAMES, 3)
    assert (np.abs(work.start[:, :3]) <= [1.6, 1.6, 0.8 * math.pi]).all()  # a tenth of the range inside the limits
    assert ((work.start[:, 3] >= 0.01) & (work.start[:, 3] <= 0.09)).all()
    begin = arm().forward(work.start)[:, None, :3, 3]
    steps = np.linalg.norm(np.diff(np.concatenate((begin, work.p), axis=1), axis=1), axis=2) / 1.1
    assert steps.max() < 0.16 * 2.0 * math.pi / FRAMES
    assert np.ptp(steps, axis=1).max() < 1e-12
    assert np.abs(work.p[:, :, 2]).max() < 1e-12  # the arm is flat


def measured(seconds: list[list[float]], strict: list[list[bool]], *, jumps: list[bool] | None = None) -> object:
    from measured import Measured

    flags = np.array(strict)
    return Measured(np.array(seconds), flags, flags, 0.0, np.array([jumps or []], dtype=bool), np.array([]))


def test_times_are_the_geometric_mean_of_the_ratios_of_medians() -> None:
    from measured import spread, time_ratio

    ours = measured([[1.0, 2.0, 30.0], [2.0, 2.0, 2.0]], [[True] * 3] * 2)
    theirs = measured([[1.0, 1.0, 1.0], [0.5, 1.0, 9.0]], [[True] * 3] * 2)
    slow = measured([[8.0, 8.0, 8.0], [4.0, 4.0, 4.0]], [[True] * 3] * 2)
    assert time_ratio([(ours, theirs)]) == pytest.approx(2.0)
    # By repeats 2/1 and 2/8, then 2/1 and 2/4: the geometric mean of 1/2 and 1.
    assert time_ratio([(ours, theirs), (ours, slow)]) == pytest.approx(math.sqrt(math.sqrt(0.5)))
    assert spread([(ours, theirs), (ours, slow)]) == pytest.approx((math.sqrt(0.5), 1.0))


def test_a_solve_counts_within_a_budget_only_when_it_is_solved() -> None:
    one = measured([[0.1, 0.2, 0.3, 0.4]], [[True, False, True, True]])
    assert one.within(0.3) == 0.5
    assert one.within(1.0) == 0.75


def test_a_row_holds_when_the_worst_chain_the_mean_and_the_times_do() -> None:
    from measured import share
    from rows import shares_row

    good = measured([[1.0] * 4], [[True] * 4])
    poor = measured([[1.0] * 4], [[True, True, True, False]])
    other = measured([[2.0] * 4], [[True] * 4])

    def row(least: float, mean: float, limit: float) -> object:
        chains = {"a": good, "b": poor}
        return shares_row(
            "work", chains, lambda one: share(one.strict), least, mean, [("peer", limit, [(good, other)])]
        )

    assert row(0.75, 0.875, 0.5).holds is True
    assert row(0.76, 0.875, 0.5).holds is False
    assert row(0.75, 0.876, 0.5).holds is False
    assert row(0.75, 0.875, 0.49).holds is False
    assert row(0.75, 0.875, 0.5).chains == {"a": 100.0, "b": 75.0}
    assert "75.00 % (b)" in row(0.75, 0.875, 0.5).found


def test_jumps_are_allowed_more_on_the_chains_with_little_room() -> None:
    from rows import jumps_row

    def results(chain: str, count: int) -> dict[tuple[str, str, str], object]:
        one = measured([[1.0]], [[True]], jumps=[True] * count + [False] * (100 - count))
        return {("drag", chain, "linkpose"): one}

    assert jumps_row(results("panda", 2)).holds
    assert not jumps_row(results("panda", 3)).holds
    assert jumps_row(results("so100", 12)).holds
    assert not jumps_row(results("talos_arm", 5)).holds


def test_any_value_outside_its_limits_by_any_method_breaks_the_row() -> None:
    from dataclasses import replace

    from rows import limits_row

    good = measured([[1.0]], [[True]])
    bad = replace(good, excess=2e-12)
    inside = {("pos", "panda", "linkpose"): good, ("pos", "panda", "Blender IK"): bad}
    assert limits_row(inside).holds
    row = limits_row({**inside, ("drag", "ur5", "linkpose CCD"): bad})
    assert row.holds is False
    assert "ur5 linkpose CCD" in row.found
