"""The chain rule on published robots."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from linkpose import urdf
from linkpose.solver import Goal, Skeleton, solve

ARM = tuple(f"panda_joint{i}" for i in range(1, 8))


@pytest.fixture
def panda(robots: Path) -> Skeleton:
    return urdf.load(robots / "panda_moveit/panda_description/urdf/panda.urdf").skeleton()


def test_the_panda_s_hand_takes_its_seven_arm_joints(panda: Skeleton) -> None:
    chain = panda.chain("panda_hand")
    assert chain.unknowns == ARM
    assert chain.anchor == "panda_link0"


@pytest.mark.parametrize("finger", ["panda_leftfinger", "panda_rightfinger"])
def test_either_finger_of_the_panda_takes_the_one_finger_joint_that_leads(panda: Skeleton, finger: str) -> None:
    chain = panda.chain(finger)
    assert chain.unknowns == ("panda_finger_joint1",)
    assert chain.anchor == "panda_hand"
    found = solve(chain, Goal(finger, chain.forward([0.03])[:3, 3]))
    assert found.pose == pytest.approx({"panda_finger_joint1": 0.03, "panda_finger_joint2": 0.03}, abs=1e-6)


def test_a_link_of_the_panda_s_arm_leaves_the_joints_beyond_it_alone(panda: Skeleton) -> None:
    q = panda.vector(dict(zip(ARM, (0.1, -0.7, 0.3, -2.1, 0.2, 1.7, 0.8), strict=True)))
    chain = panda.chain("panda_link4", q=q)
    assert chain.unknowns == ARM[:4]
    found = solve(chain, Goal("panda_link4", chain.forward([0.6, -0.2, -0.4, -1.5])[:3, 3]))
    assert found.status == "REACHED"
    assert chain.full(found.values)[4:].tobytes() == q[4:].tobytes()


def test_a_foot_takes_its_leg_through_all_the_fixed_joints(robots: Path) -> None:
    skeleton = urdf.load(robots / "anymal_c/anymal_c_simple_description/urdf/anymal.urdf").skeleton()
    for leg in ("LF", "RF", "LH", "RH"):
        assert skeleton.chain(f"{leg}_FOOT").unknowns == (f"{leg}_HAA", f"{leg}_HFE", f"{leg}_KFE")


def test_a_scara_s_tool_takes_two_hinges_and_a_slide(robots: Path) -> None:
    skeleton = urdf.load(robots / "scara_yguel/scara_description/urdf/scara.urdf").skeleton()
    chain = skeleton.chain("tool0")
    assert chain.unknowns == ("joint1", "joint2", "joint3")
    kinds = {axis.name: axis.kind.name for axis in skeleton.axes}
    assert [kinds[name] for name in chain.unknowns] == ["HINGE", "HINGE", "SLIDE"]


def test_a_gripper_s_finger_is_dragged_by_its_followers(robots: Path) -> None:
    skeleton = urdf.load(robots / "robotiq/_expanded/robotiq_2f_85.urdf").skeleton()
    chain = skeleton.chain("right_inner_finger")
    assert chain.unknowns == ("finger_joint",)
    target = chain.forward([0.4])[:3, 3]
    found = solve(chain, Goal("right_inner_finger", target))
    assert found.status == "REACHED"
    assert found.values[0] == pytest.approx(0.4, abs=1e-5)
    assert len(found.pose) == 6


def test_a_straight_ur5_dragged_towards_its_base_bends(example_robot_data: Path) -> None:
    skeleton = urdf.load(example_robot_data / "ur_description/urdf/ur5_robot.urdf").skeleton()
    chain = skeleton.chain("tool0")
    assert chain.dof == 6
    handle = chain.forward(np.zeros(6))[:3, 3]
    found = solve(chain, Goal("tool0", handle * (0.7, 1.0, 1.0)), np.zeros(6))
    assert found.status == "REACHED"
    assert math.dist(chain.forward(found.values)[:3, 3], handle * (0.7, 1.0, 1.0)) < 1e-4
    assert abs(found.pose["elbow_joint"]) > 0.3
