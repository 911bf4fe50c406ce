"""Which unknowns a dragged body takes along."""

from __future__ import annotations

import math

import numpy as np
import pytest
from linkpose.errors import SkeletonError
from linkpose.solver import Axis, Body, Mimic, Skeleton
from solver.made import PI, at, body, hinge, planar, slide


def arm_with_gripper(
    *, marked: str = "", helper: bool | None = None, fixed_root: bool = True, more: tuple[Body, ...] = ()
) -> Skeleton:
    """base - shoulder - elbow - (wrist fixed) - hand, which carries a finger, its follower, and a fixed camera."""
    fingers = (slide("finger", (0.0, 1.0, 0.0), 0.0, 0.1), slide("thumb", (0.0, -1.0, 0.0), mimic=Mimic("finger")))
    base = () if fixed_root else (hinge("turntable"),)
    bodies = [
        body("base", None, *base),
        body("upper", "base", hinge("shoulder", lower=-1.0, upper=2.0), origin=at(z=0.3)),
        body("lower", "upper", hinge("elbow"), origin=at(1.0)),
        body("wrist", "lower", origin=at(0.5)),
        body("hand", "wrist", hinge("roll", (1.0, 0.0, 0.0), continuous=True), origin=at(0.5)),
        body("camera", "hand", origin=at(0.1)),
        body("left", "hand", fingers[0], origin=at(0.2), branch=helper),
        body("right", "hand", fingers[1], origin=at(0.2)),
        *more,
    ]
    return Skeleton([b if b.name != marked else _anchor(b) for b in bodies])


def _anchor(b: Body) -> Body:
    return Body(b.name, b.parent, b.joint, b.origin, b.axes, b.offset, b.point, anchor=True, branch=b.branch)


def legs(*shapes: str) -> Skeleton:
    """A trunk with one leg a shape, a word of joints: h for a hinge, f for a fixed one; the last body is ``foot…``."""
    bodies = [body("world", None), body("trunk", "world")]
    for i, shape in enumerate(shapes):
        parent = "trunk"
        for j, kind in enumerate(shape):
            name = f"foot{i}" if j == len(shape) - 1 else f"leg{i}.{j}"
            axes = (hinge(f"j{i}.{j}", (0.0, 1.0, 0.0)),) if kind == "h" else ()
            bodies.append(body(name, parent, *axes, origin=at(z=-0.1)))
            parent = name
    return Skeleton(bodies)


def test_a_hand_takes_its_arm_although_it_carries_fingers() -> None:
    chain = arm_with_gripper().chain("hand")
    assert chain.unknowns == ("shoulder", "elbow", "roll")
    assert chain.dof == 3
    assert chain.anchor == "base"
    assert chain.path == ("base", "upper", "lower", "wrist", "hand")


def test_what_is_fixed_to_the_hand_takes_the_same_chain() -> None:
    assert arm_with_gripper().chain("camera").unknowns == ("shoulder", "elbow", "roll")


def test_a_finger_stops_below_the_hand_because_its_follower_makes_that_branch() -> None:
    chain = arm_with_gripper().chain("left")
    assert (chain.unknowns, chain.anchor, chain.path) == (("finger",), "hand", ("hand", "left"))


def test_a_follower_makes_its_source_off_the_path_the_unknown() -> None:
    chain = arm_with_gripper().chain("right")
    assert chain.unknowns == ("finger",)
    assert chain.forward([0.04])[1, 3] == pytest.approx(-0.04)
    assert chain.pose([0.04]) == {"finger": 0.04, "thumb": 0.04}


def test_a_link_in_the_middle_takes_what_is_above_it_only() -> None:
    skeleton = arm_with_gripper()
    chain = skeleton.chain("lower", q=[0.1, 0.2, 0.3, 0.05])
    assert chain.unknowns == ("shoulder", "elbow")
    assert chain.full([1.0, 1.1]).tolist() == [1.0, 1.1, 0.3, 0.05]


def test_fixed_joints_are_merged_and_a_leg_stops_at_the_trunk() -> None:
    chain = legs("hfhffhff", "hhh").chain("foot0")
    assert chain.unknowns == ("j0.0", "j0.2", "j0.5")
    assert chain.anchor == "trunk"


def test_a_branch_below_a_fixed_joint_of_the_assembly_counts() -> None:
    bodies = [
        body("base", None),
        body("a", "base", hinge("ja")),
        body("plate", "a"),
        body("b", "a", hinge("jb")),
        body("c", "plate", hinge("jc")),
    ]
    assert Skeleton(bodies).chain("b").unknowns == ("jb",)


def test_a_helper_that_is_marked_is_no_branch() -> None:
    skeleton = arm_with_gripper(helper=False)
    # The hand then carries one movable subtree only, so it is no branching assembly.
    assert skeleton.chain("right").unknowns == ("shoulder", "elbow", "roll", "finger")


def test_a_fixed_body_marked_as_a_branch_makes_its_parent_branch() -> None:
    bodies = [
        body("base", None),
        body("a", "base", hinge("ja")),
        body("b", "a", hinge("jb")),
        body("flag", "a", branch=True),
    ]
    assert Skeleton(bodies).chain("b").unknowns == ("jb",)


def test_a_marked_anchor_stops_the_chain_but_not_its_own_drag() -> None:
    skeleton = arm_with_gripper(marked="wrist")
    assert skeleton.chain("hand").unknowns == ("roll",)
    assert skeleton.chain("hand").anchor == "wrist"
    assert skeleton.chain("wrist").unknowns == ("shoulder", "elbow")


def test_the_anchor_can_be_named_anywhere_in_its_assembly() -> None:
    skeleton = arm_with_gripper()
    assert skeleton.chain("hand", anchor="wrist").unknowns == ("roll",)
    assert skeleton.chain("hand", anchor="lower").unknowns == ("roll",)
    assert skeleton.chain("left", anchor="base").unknowns == ("shoulder", "elbow", "roll", "finger")
    assert skeleton.chain("left", anchor="camera").anchor == "hand"


def test_root_as_the_anchor_takes_every_joint_above() -> None:
    assert arm_with_gripper(marked="wrist").chain("left", anchor="root").unknowns == (
        "shoulder",
        "elbow",
        "roll",
        "finger",
    )


def test_a_root_that_moves_is_held_by_skeleton_space() -> None:
    chain = arm_with_gripper(fixed_root=False).chain("upper")
    assert (chain.unknowns, chain.anchor, chain.path) == (("turntable", "shoulder"), "", ("base", "upper"))


@pytest.mark.parametrize("anchor", ["left", "hand2"])
def test_an_anchor_that_is_not_above_is_refused(anchor: str) -> None:
    skeleton = arm_with_gripper(more=(body("hand2", None),))
    with pytest.raises(SkeletonError, match=f"{anchor!r} is not above 'hand'"):
        skeleton.chain("hand", anchor=anchor)


def test_a_length_counts_unknowns_from_the_dragged_body() -> None:
    skeleton = arm_with_gripper()
    chain = skeleton.chain("hand", length=2)
    assert (chain.unknowns, chain.anchor) == (("elbow", "roll"), "upper")
    assert chain.path == ("upper", "lower", "wrist", "hand")
    assert skeleton.chain("hand", length=99).unknowns == ("shoulder", "elbow", "roll")
    with pytest.raises(SkeletonError, match="at least 1"):
        skeleton.chain("hand", length=0)


def test_a_chain_of_no_unknowns_is_defined() -> None:
    chain = arm_with_gripper().chain("base")
    assert (chain.dof, chain.unknowns, chain.anchor, chain.reach) == (0, (), "base", 0.0)
    assert chain.forward([]).tolist() == np.eye(4).tolist()


def test_several_bodies_give_the_union_tree() -> None:
    chain = legs("hh", "hhf", "h").chain(["foot0", "foot1"])
    assert chain.unknowns == ("j0.0", "j0.1", "j1.0", "j1.1")
    assert chain.anchor == "trunk"
    assert set(chain.path) == {"trunk", "leg0.0", "foot0", "leg1.0", "leg1.1", "foot1"}
    both = arm_with_gripper().chain(["left", "hand"])
    assert both.unknowns == ("shoulder", "elbow", "roll", "finger")
    assert both.anchor == "base"


def test_a_follower_of_a_joint_that_moves_the_anchor_is_held() -> None:
    follower = hinge("claw", mimic=Mimic("shoulder", 0.5))
    bodies = [
        body("base", None),
        body("arm", "base", hinge("shoulder")),
        body("claw", "arm", follower, origin=at(1.0)),
        body("nail", "claw", hinge("nail"), origin=at(0.5)),
        body("other", "arm", hinge("other")),
    ]
    chain = Skeleton(bodies).chain("nail")
    assert chain.unknowns == ("nail",)
    assert chain.anchor == "claw"


def test_a_follower_on_the_path_is_no_unknown_of_its_own() -> None:
    bodies = [
        body("base", None),
        body("a", "base", hinge("j1")),
        body("b", "a", hinge("j2", mimic=Mimic("j1", -1.0)), origin=at(1.0)),
        body("c", "b", hinge("j3"), origin=at(1.0)),
    ]
    chain = Skeleton(bodies).chain("c")
    assert chain.unknowns == ("j1", "j3")
    assert chain.forward([0.3, 0.2])[:2, 0] == pytest.approx((math.cos(0.2), math.sin(0.2)))


def test_values_outside_the_chain_are_held_bit_for_bit_and_can_be_rebound() -> None:
    skeleton = arm_with_gripper()
    q = np.array([0.1, 0.2, 0.3, 1.0 / 30.0])
    chain = skeleton.chain("lower", q=q)
    q[3] = 9.0
    assert chain.full([0.5, 0.6])[2:].tolist() == [0.3, 1.0 / 30.0]
    other = chain.at([0.0, 0.0, 0.7, 0.0])
    assert other.unknowns == chain.unknowns
    assert other.full([0.5, 0.6]).tolist() == [0.5, 0.6, 0.7, 0.0]
    assert chain.values.tolist() == [0.1, 0.2]
    finger = skeleton.chain("left", q=[PI / 2, 0.0, 0.0, 0.0])
    assert finger.forward([0.0])[:3, 3] == pytest.approx((0.0, 2.2, 0.3))
    assert finger.at([0.0, 0.0, 0.0, 0.0]).forward([0.0])[:3, 3] == pytest.approx((2.2, 0.0, 0.3))


def test_limits_and_places_are_those_of_the_skeleton() -> None:
    chain = arm_with_gripper().chain("hand")
    assert chain.index == (0, 1, 2)
    assert chain.lower.tolist() == [-1.0, -math.inf, -math.inf]
    assert chain.upper.tolist() == [2.0, math.inf, math.inf]
    assert chain.continuous == (False, False, True)


def test_reach_sums_the_lengths_from_the_first_joint() -> None:
    assert planar((0.5, 0.4, 0.3)).chain("tip").reach == pytest.approx(1.2)
    # The way from the root to the first joint is no part of it; a length aside of the axis counts as it is.
    bodies = [
        body("base", None),
        body("a", "base", hinge("j1"), origin=at(5.0)),
        body("b", "a", hinge("j2"), origin=at(0.3, 0.4)),
        body("tip", "b", point=(0.0, 0.0, 2.0)),
    ]
    assert Skeleton(bodies).chain("tip").reach == pytest.approx(2.5)


def test_reach_counts_the_range_of_slides() -> None:
    def gantry(axis: Axis) -> Skeleton:
        return Skeleton(
            [body("base", None), body("a", "base", axis), body("tip", "a", hinge("j"), origin=at(0.0, 3.0))]
        )

    # 4 along the slide and 3 across it make 5.
    assert gantry(slide("s", lower=-1.0, upper=4.0)).chain("tip").reach == pytest.approx(5.0)
    assert gantry(slide("s", lower=-4.0, upper=1.0)).chain("tip").reach == pytest.approx(5.0)
    assert gantry(slide("s")).chain("tip").reach == math.inf


def test_a_chain_of_nothing_and_wrong_values_are_refused() -> None:
    skeleton = arm_with_gripper()
    with pytest.raises(SkeletonError, match="at least one body"):
        skeleton.chain([])
    with pytest.raises(SkeletonError, match="no body 'hnad'"):
        skeleton.chain("hnad")
    with pytest.raises(SkeletonError, match=r"shape \(3,\), not \(2,\)"):
        skeleton.chain("hand").forward([0.0, 0.0])
    with pytest.raises(SkeletonError, match="numbers are needed"):
        skeleton.chain("hand").forward(["a", "b", "c"])
    with pytest.raises(SkeletonError, match="numbers are needed"):
        skeleton.forward("straight")
    with pytest.raises(SkeletonError, match="no finite number for 'elbow'"):
        skeleton.chain("hand").forward([0.0, math.nan, 0.0])


@pytest.mark.parametrize("length", [2.5, 2.0, math.nan, math.inf, "3"], ids=str)
def test_a_length_that_is_no_whole_number_is_refused(length: object) -> None:
    with pytest.raises(SkeletonError, match="whole number"):
        planar((0.4, 0.3)).chain("tip", length=length)  # type: ignore[arg-type]
    assert planar((0.4, 0.3, 0.2)).chain("tip", length=np.int64(2)).dof == 2  # type: ignore[arg-type]


@pytest.mark.parametrize("bodies", [3, None, 2.0], ids=str)
def test_bodies_and_anchors_that_are_no_names_are_refused(bodies: object) -> None:
    with pytest.raises(SkeletonError, match="name of a body"):
        planar((0.4, 0.3)).chain(bodies)  # type: ignore[arg-type]
    with pytest.raises(SkeletonError, match="name of a body"):
        planar((0.4, 0.3)).chain("tip", anchor=0)  # type: ignore[arg-type]
