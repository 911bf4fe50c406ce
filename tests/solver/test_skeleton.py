"""The kinematic tree and its forward kinematics."""

from __future__ import annotations

import math

import numpy as np
import pytest
from linkpose.errors import SkeletonError
from linkpose.solver import Axis, AxisKind, Body, Mimic, Skeleton
from solver.made import PI, at, body, hinge, planar, planar_tip, random_tree, slide, ur5, ur5_tip


def test_a_flat_arm_ends_where_the_textbook_sum_says() -> None:
    lengths, angles = (0.5, 0.4, 0.3), (0.3, -1.1, 2.0)
    frame = planar(lengths).forward(angles)["tip"]
    assert np.allclose(frame[:2, 3], planar_tip(lengths, angles), atol=1e-15)
    assert frame[:2, 0] == pytest.approx((math.cos(1.2), math.sin(1.2)))


def test_an_industrial_arm_ends_where_the_denavit_hartenberg_product_says() -> None:
    random = np.random.default_rng(1)
    for _ in range(10):
        angles = random.uniform(-PI, PI, 6)
        assert np.allclose(ur5().forward(angles)["link6"], ur5_tip(angles), atol=1e-14)


def test_a_hinge_turns_by_the_right_hand_rule_in_its_own_frame() -> None:
    origin = at(1.0, 2.0, 3.0)
    origin[:3, :3] = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))  # a quarter turn about Z
    skeleton = Skeleton([body("a", None), body("b", "a", hinge("j", (1.0, 0.0, 0.0)), origin=origin)])
    frame = skeleton.forward([PI / 2])["b"]
    # The axis X of the joint is Y outside; its Y, which was -X, goes up to Z.
    assert np.allclose(frame[:3, :3], ((0, 0, 1), (1, 0, 0), (0, 1, 0)), atol=1e-15)
    assert frame[:3, 3].tolist() == [1.0, 2.0, 3.0]


def test_a_slide_moves_along_its_axis_by_its_value() -> None:
    skeleton = Skeleton([body("a", None), body("b", "a", slide("s", (0.0, 0.6, 0.8)), origin=at(1.0))])
    assert skeleton.forward([0.5])["b"][:3, 3] == pytest.approx((1.0, 0.3, 0.4))


def test_axes_of_one_joint_act_in_order_and_the_offset_after_them() -> None:
    x, y = hinge("j:x", (1.0, 0.0, 0.0)), hinge("j:y", (0.0, 1.0, 0.0))
    skeleton = Skeleton([body("a", None), body("b", "a", x, y, offset=at(0.0, 0.0, 1.0))])
    # Y by a quarter turn takes the offset Z to X; X, which acts outside of it, leaves that where it is.
    assert skeleton.forward([0.7, PI / 2])["b"][:3, 3] == pytest.approx((1.0, 0.0, 0.0))


def test_followers_follow_through_a_chain_of_mimics_declared_in_any_order() -> None:
    axes = [
        hinge("j3", mimic=Mimic("j2", 2.0, 0.1)),
        hinge("j2", mimic=Mimic("j1", -1.0, 0.2)),
        hinge("j1"),
    ]
    skeleton = Skeleton([body("a", None), *(body(f"b{axis.name}", "a", axis) for axis in axes)])
    assert skeleton.unknowns == ("j1",)
    assert skeleton.joints == ("j3", "j2", "j1")
    assert skeleton.pose([0.5]) == pytest.approx({"j1": 0.5, "j2": -0.3, "j3": -0.5})


def test_joints_that_mimic_each_other_are_refused_by_name() -> None:
    axes = [hinge("j1", mimic=Mimic("j2")), hinge("j2", mimic=Mimic("j1"))]
    with pytest.raises(SkeletonError, match="loop: j1 -> j2 -> j1"):
        Skeleton([body("a", None), *(body(axis.name, "a", axis) for axis in axes)])


def test_bodies_may_come_in_any_order() -> None:
    skeleton = Skeleton([body("c", "b", hinge("j2")), body("b", "a", hinge("j1")), body("a", None)])
    assert skeleton.bodies == ("a", "b", "c")
    assert skeleton.unknowns == ("j1", "j2")


@pytest.mark.parametrize(
    ("bodies", "message"),
    [
        ([Body("a", None), Body("a", None)], "two body entries are called 'a'"),
        ([Body("a", "nowhere")], "parent 'nowhere'"),
        ([Body("a", "b"), Body("b", "a")], "its own ancestor"),
        ([Body("a", None, origin=np.eye(3))], "no finite 4x4"),
        ([Body("a", None, offset=np.full((4, 4), np.nan))], "no finite 4x4"),
        ([body("a", None, hinge("j", (1.0, 1.0, 0.0)))], "no unit vector"),
        ([body("a", None, hinge("j", lower=1.0, upper=-1.0))], "exclude every value"),
        ([body("a", None, hinge("j", mimic=Mimic("x")))], "mimics 'x', which does not exist"),
        ([body("a", None, Axis("j", AxisKind.SLIDE, (1.0, 0.0, 0.0), continuous=True))], "slides and cannot"),
        ([body("a", None, hinge("j", (math.nan, 0.0, 1.0)))], "no unit vector"),
        ([body("a", None, hinge("j", lower=math.nan))], "exclude every value"),
        ([body("a", None, Axis("j", AxisKind.HINGE, (1.0, 0.0, 0.0), stiffness=math.nan))], "stiffness nan"),
        ([body("a", None, Axis("j", AxisKind.HINGE, (1.0, 0.0, 0.0), stiffness=1.5))], "stiffness 1.5"),
        ([body("a", None, hinge("i"), hinge("j", mimic=Mimic("i", math.nan)))], "'j' mimics 'i'.*multiplier nan"),
        ([body("a", None, hinge("i"), hinge("j", mimic=Mimic("i", 1.0, math.inf)))], "offset inf"),
        ([body("a", None, point=(0.0, math.nan, 0.0))], "three finite numbers"),
        ([body("a", None, point=(0.0, 1.0))], "three finite numbers"),
    ],
)
def test_a_skeleton_that_cannot_be_is_refused_with_the_culprit(bodies: list[Body], message: str) -> None:
    with pytest.raises(SkeletonError, match=message):
        Skeleton(bodies)


def test_neutral_is_zero_moved_into_the_limits_and_middle_is_between_them() -> None:
    axes = [
        hinge("free"),
        hinge("far", lower=0.5, upper=1.5),
        hinge("round", lower=-PI, upper=2 * PI, continuous=True),
        slide("up", lower=-2.0),
    ]
    skeleton = Skeleton([body("a", None), *(body(axis.name, "a", axis) for axis in axes)])
    assert skeleton.neutral().tolist() == [0.0, 0.5, 0.0, 0.0]
    assert skeleton.middle().tolist() == [0.0, 1.0, 0.0, 0.0]


def test_a_pose_is_made_from_joint_values_and_taken_apart_again() -> None:
    axes = [hinge("j1"), hinge("j2", mimic=Mimic("j1", 2.0)), slide("s")]
    skeleton = Skeleton([body("a", None), *(body(axis.name, "a", axis) for axis in axes)])
    q = skeleton.vector({"s": 0.25, "j1": 1.0, "j2": 5.0})
    assert skeleton.pose(q) == {"j1": 1.0, "j2": 2.0, "s": 0.25}


def test_a_follower_without_its_source_is_refused() -> None:
    axes = [hinge("j1"), hinge("j2", mimic=Mimic("j1"))]
    skeleton = Skeleton([body("a", None), *(body(axis.name, "a", axis) for axis in axes)])
    with pytest.raises(SkeletonError, match="'j2' follows 'j1'"):
        skeleton.vector({"j2": 1.0})


def test_wrong_names_and_numbers_are_refused_with_what_there_is() -> None:
    skeleton = planar((1.0, 1.0))
    with pytest.raises(SkeletonError, match="did you mean 'j0'"):
        skeleton.vector({"j00": 1.0})
    with pytest.raises(SkeletonError, match="finite"):
        skeleton.vector({"j0": math.nan})
    with pytest.raises(SkeletonError, match=r"shape \(2,\), not \(3,\)"):
        skeleton.forward([0.0, 0.0, 0.0])
    with pytest.raises(SkeletonError, match="no finite number for 'j1'"):
        skeleton.forward([0.0, math.inf])
    with pytest.raises(SkeletonError, match="did you mean 'tip'"):
        skeleton.body("tipp")


def test_one_body_s_frame_is_the_same_as_among_all() -> None:
    random = np.random.default_rng(2)
    skeleton = random_tree(random)
    q = random.normal(size=len(skeleton.unknowns))
    for name, frame in skeleton.forward(q).items():
        assert np.allclose(skeleton.frame(name, q), frame, atol=1e-12)


def test_arrays_of_a_skeleton_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        planar((1.0,)).lower[0] = 0.0
