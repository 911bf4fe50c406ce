"""Joints: types, axes, limits, frames, followers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from linkpose.urdf import UrdfError


def joint(name, kind, parent="a", child="b", inside=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>\n'


def rest(child="b"):
    """Fixed joints that tie the links beside a and ``child`` to a."""
    return "".join(joint(f"to_{name}", "fixed", "a", name) for name in "bcd" if name != child)


LIMIT = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'


def only(robot):
    return next(j for j in robot.joints if j.name == "j")


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_limits_velocity_and_effort_are_read(jointed, kind):
    robot = jointed(joint("j", kind, inside=LIMIT) + rest())
    j = only(robot)
    assert (j.type, j.lower, j.upper, j.velocity, j.effort, j.line) == (kind, -1.0, 2.0, 3.0, 4.0, 2)
    assert robot.warnings == ()


def test_a_missing_lower_or_upper_is_zero(jointed):
    assert only(jointed(joint("j", "prismatic", inside='<limit upper="0.04"/>') + rest())).lower == 0.0
    assert only(jointed(joint("j", "revolute", inside='<limit lower="-1"/>') + rest())).upper == 0.0


def test_equal_limits_are_kept(jointed):
    j = only(jointed(joint("j", "revolute", inside='<limit lower="0.3" upper="0.3"/>') + rest()))
    assert (j.lower, j.upper) == (0.3, 0.3)


def test_limits_beyond_a_turn_are_kept(jointed):
    j = only(jointed(joint("j", "revolute", inside='<limit lower="-12.5" upper="400"/>') + rest()))
    assert (j.type, j.lower, j.upper) == ("revolute", -12.5, 400.0)


def test_reversed_limits_are_exchanged_with_a_warning(jointed):
    robot = jointed(joint("j", "revolute", inside='\n<limit lower="2" upper="-1"/>') + rest())
    assert (only(robot).lower, only(robot).upper) == (-1.0, 2.0)
    assert [w for w in robot.warnings if ":3: " in w and "'j'" in w and "exchanged" in w] == list(robot.warnings)


@pytest.mark.parametrize("limit", ["", '<limit effort="1" velocity="2"/>'])
def test_a_revolute_joint_without_limits_is_continuous_with_a_warning(jointed, limit):
    robot = jointed(joint("j", "revolute", inside=limit) + rest())
    assert (only(robot).type, only(robot).lower, only(robot).upper) == ("continuous", -math.inf, math.inf)
    assert len(robot.warnings) == 1
    assert "read as continuous" in robot.warnings[0]
    assert robot.skeleton().continuous == (True,)


def test_a_prismatic_joint_without_limits_is_unlimited_with_a_warning(jointed):
    robot = jointed(joint("j", "prismatic") + rest())
    assert (only(robot).type, only(robot).lower, only(robot).upper) == ("prismatic", -math.inf, math.inf)
    assert "without limits" in robot.warnings[0]


def test_infinite_limits_are_no_limits(jointed):
    j = only(jointed(joint("j", "prismatic", inside='<limit lower="-inf" upper="Infinity"/>') + rest()))
    assert (j.lower, j.upper) == (-math.inf, math.inf)


@pytest.mark.parametrize("limit", ["", '<limit velocity="1"/>', '<limit effort="5"/>'])
def test_a_continuous_joint_needs_no_limits(jointed, limit):
    robot = jointed(joint("j", "continuous", inside=limit) + rest())
    assert (only(robot).type, only(robot).lower, only(robot).upper) == ("continuous", -math.inf, math.inf)
    assert robot.warnings == ()


def test_limits_of_a_continuous_joint_are_ignored_and_noted(jointed):
    robot = jointed(joint("j", "continuous", inside='<limit lower="-1" upper="1" velocity="7"/>') + rest())
    assert (only(robot).lower, only(robot).upper, only(robot).velocity) == (-math.inf, math.inf, 7.0)
    assert "ignored" in robot.warnings[0]


def test_a_joint_without_axis_moves_along_x(jointed):
    robot = jointed(joint("j", "prismatic", inside=LIMIT) + rest())
    skeleton = robot.skeleton()
    assert only(robot).axis == (1.0, 0.0, 0.0)
    np.testing.assert_allclose(skeleton.forward(skeleton.vector({"j": 0.1}))["b"][:3, 3], (0.1, 0, 0), atol=1e-15)


@pytest.mark.parametrize(("kind", "axis"), [("revolute", "0 0 2"), ("prismatic", "3 0 0"), ("continuous", "1e-4 0 0")])
def test_an_axis_counts_by_its_direction_alone(jointed, kind, axis):
    j = only(jointed(joint("j", kind, inside=f'<axis xyz="{axis}"/>{LIMIT}') + rest()))
    assert math.hypot(*j.axis) == pytest.approx(1.0, abs=1e-15)


def test_one_radian_about_a_long_axis_is_one_radian(jointed):
    skeleton = jointed(joint("j", "revolute", inside=f'<axis xyz="0 0 2"/>{LIMIT}') + rest()).skeleton()
    frame = skeleton.forward(skeleton.vector({"j": 1.0}))["b"]
    np.testing.assert_allclose(frame[:2, 0], (math.cos(1.0), math.sin(1.0)), atol=1e-15)


def test_a_zero_axis_is_refused_on_a_joint_that_moves(jointed):
    with pytest.raises(UrdfError, match=r":3: <axis>: the axis of revolute joint 'j' is zero"):
        jointed(joint("j", "revolute", inside=f'\n<axis xyz="0 0 0"/>{LIMIT}') + rest())


def test_the_axis_of_a_fixed_joint_is_ignored(jointed):
    robot = jointed(joint("j", "fixed", inside='<axis xyz="0 0 0"/><limit lower="-20" upper="20"/>') + rest())
    assert (only(robot).type, robot.warnings) == ("fixed", ())


def rotation(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def test_rpy_are_angles_about_the_fixed_axes_x_then_y_then_z(jointed):
    j = only(jointed(joint("j", "fixed", inside='<origin xyz="1 2 3" rpy="0.3 -0.7 1.9"/>') + rest()))
    expected = rotation("z", 1.9) @ rotation("y", -0.7) @ rotation("x", 0.3)
    np.testing.assert_allclose(j.origin[:3, :3], expected, atol=1e-15)
    np.testing.assert_allclose(j.origin[:, 3], (1, 2, 3, 1))


def test_joints_turn_by_the_right_hand_rule(jointed):
    inside = f'<origin rpy="0 0 1.5"/><axis xyz="0 0 1"/>{LIMIT}'
    skeleton = jointed(joint("j", "revolute", inside=inside) + rest()).skeleton()
    frame = skeleton.forward(skeleton.vector({"j": 0.5}))["b"]
    np.testing.assert_allclose(frame[:3, :3], rotation("z", 2.0), atol=1e-15)


FRAME = '<origin xyz="1 2 3" rpy="0.3 -0.7 1.9"/>'


def test_a_floating_joint_slides_along_its_axes_and_then_turns_about_them(jointed):
    robot = jointed(joint("j", "floating", inside=FRAME) + rest())
    skeleton = robot.skeleton()
    assert robot.warnings == ()
    assert skeleton.unknowns == ("j:x", "j:y", "j:z", "j:rx", "j:ry", "j:rz")
    pose = {"j:x": 0.1, "j:y": -0.2, "j:z": 0.3, "j:rx": 2.5, "j:ry": -1.1, "j:rz": 0.8}
    frame = skeleton.forward(skeleton.vector(pose))["b"]
    start = only(robot).origin
    np.testing.assert_allclose(frame[:3, 3], start[:3, :3] @ (0.1, -0.2, 0.3) + (1, 2, 3), atol=1e-15)
    turned = start[:3, :3] @ rotation("x", 2.5) @ rotation("y", -1.1) @ rotation("z", 0.8)
    np.testing.assert_allclose(frame[:3, :3], turned, atol=1e-15)


def test_a_spherical_joint_turns_and_does_not_slide(jointed):
    skeleton = jointed(joint("j", "spherical", inside=FRAME) + rest()).skeleton()
    assert skeleton.unknowns == ("j:rx", "j:ry", "j:rz")
    frame = skeleton.forward(skeleton.vector({"j:rx": 1.0, "j:rz": -2.0}))["b"]
    np.testing.assert_allclose(frame[:3, 3], (1, 2, 3), atol=1e-15)


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0), (0, -3, 0), (0, 0, -1), (0.1, 0.2, -0.9)])
def test_a_planar_joint_stays_in_the_plane_normal_to_its_axis_and_turns_about_it(jointed, axis):
    inside = f'{FRAME}<axis xyz="{axis[0]} {axis[1]} {axis[2]}"/>'
    robot = jointed(joint("j", "planar", inside=inside) + rest())
    skeleton = robot.skeleton()
    assert skeleton.unknowns == ("j:x", "j:y", "j:yaw")
    start = only(robot).origin
    normal = start[:3, :3] @ (np.array(axis) / np.linalg.norm(axis))
    moved = {
        name: skeleton.forward(skeleton.vector({f"j:{name}": 0.7}))["b"] @ np.linalg.inv(start) for name in ("x", "y")
    }
    ways = [frame[:3, 3] + frame[:3, :3] @ (1, 2, 3) - (1, 2, 3) for frame in moved.values()]
    np.testing.assert_allclose(np.cross(*ways), 0.49 * normal, atol=1e-14)
    turned = skeleton.forward(skeleton.vector({"j:yaw": 0.7}))["b"]
    np.testing.assert_allclose(turned[:3, 3], (1, 2, 3), atol=1e-15)
    np.testing.assert_allclose(turned[:3, :3] @ np.linalg.inv(start[:3, :3]) @ normal, normal, atol=1e-15)
    assert np.trace(turned[:3, :3] @ start[:3, :3].T) == pytest.approx(1 + 2 * math.cos(0.7))


def test_the_plane_of_a_joint_about_z_has_the_axes_of_the_joint(jointed):
    skeleton = jointed(joint("j", "planar", inside='<axis xyz="0 0 1"/>') + rest()).skeleton()
    frame = skeleton.forward(skeleton.vector({"j:x": 0.2, "j:y": 0.5, "j:yaw": 0.3}))["b"]
    np.testing.assert_allclose(frame[:3, 3], (0.2, 0.5, 0), atol=1e-15)
    np.testing.assert_allclose(frame[:3, :3], rotation("z", 0.3), atol=1e-15)


@pytest.mark.parametrize("kind", ["floating", "planar", "spherical"])
def test_limits_of_joints_with_several_values_are_ignored_and_noted(jointed, kind):
    robot = jointed(joint("j", kind, inside=LIMIT) + rest())
    assert len(robot.warnings) == 1
    assert f"{kind} joint 'j' has lower or upper, which are ignored" in robot.warnings[0]
    assert np.isinf(robot.skeleton().lower).all()
    assert only(robot).velocity == 3.0


def test_the_axis_of_a_floating_joint_is_ignored(jointed):
    assert jointed(joint("j", "floating", inside='<axis xyz="0 0 0"/>') + rest()).warnings == ()


def test_no_joint_may_be_called_like_an_axis_of_another_one(jointed):
    with pytest.raises(UrdfError, match=r":3: joint 'j:x' is called like an axis of the planar joint 'j' of line 2"):
        jointed(joint("j", "planar") + joint("j:x", "fixed", "b", "c") + joint("k", "fixed", "b", "d"))


def test_soft_limits_are_kept_as_data(jointed):
    inside = f'{LIMIT}<safety_controller soft_lower_limit="-0.9" soft_upper_limit="1.9" k_velocity="10"/>'
    j = only(jointed(joint("j", "revolute", inside=inside) + rest()))
    assert (j.soft_lower, j.soft_upper, j.lower, j.upper) == (-0.9, 1.9, -1.0, 2.0)
    assert only(jointed(joint("j", "revolute", inside=LIMIT) + rest())).soft_lower is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (joint("j", "revolut"), "there is no joint type 'revolut'; did you mean 'revolute'"),
        (joint("", "fixed"), "attribute 'name' is empty"),
        ('<joint type="fixed"><parent link="a"/><child link="b"/></joint>', "attribute 'name' is missing"),
        ('<joint name="j"><parent link="a"/><child link="b"/></joint>', "attribute 'type' is missing"),
        ('<joint name="j" type="fixed"><child link="b"/></joint>', "has no <parent>"),
        ('<joint name="j" type="fixed"><parent link="a"/></joint>', "has no <child>"),
        ('<joint name="j" type="fixed"><parent/><child link="b"/></joint>', "<parent>: attribute 'link' is missing"),
        (joint("j", "prismatic", inside='<limit lower="inf" upper="inf"/>'), "no value between"),
        (joint("j", "revolute", inside='<limit lower="a lot" upper="1"/>'), "lower='a lot' holds 2 numbers"),
        (joint("j", "fixed", inside='<origin xyz="0 0"/>'), "xyz='0 0' holds 2 numbers; 3 are needed"),
        (joint("j", "fixed", inside='<origin xyz="0 0 nan"/>'), "'nan' is no number"),
        (joint("j", "fixed", inside='<origin xyz="0 0 inf"/>'), "'inf' is not finite"),
        (joint("j", "fixed", inside='<origin rpy="0 0 1_0"/>'), "'1_0' is no number"),
        (joint("j", "fixed", inside='<origin rpy="0 0 pi/2"/>'), "'pi/2' is no number"),
        (joint("j", "fixed", inside='<origin xyz="0 0 1e999"/>'), "'1e999' is not finite"),
        (joint("j", "fixed", inside='<mimic multiplier="2"/>'), "<mimic>: attribute 'joint' is missing"),
    ],
)
def test_a_joint_that_cannot_be_read_is_refused_with_line_element_and_remedy(jointed, text, words):
    with pytest.raises(UrdfError, match=r"robot\.urdf:2: <") as caught:
        jointed(text)
    assert words in str(caught.value)


def test_stray_commas_are_read_with_a_warning(jointed):
    robot = jointed(
        joint("j", "revolute", inside='<origin rpy="1.5707963, 0,0"/><limit lower="-1,"  upper="1;"/>') + rest()
    )
    j = only(robot)
    np.testing.assert_allclose(j.origin[:3, :3], rotation("x", 1.5707963), atol=1e-15)
    assert (j.lower, j.upper) == (-1.0, 1.0)
    assert sum("has commas" in warning for warning in robot.warnings) == 3


def test_a_decimal_comma_is_refused_and_not_guessed(jointed):
    with pytest.raises(UrdfError, match="lower='0,5' holds 2 numbers; 1 is needed"):
        jointed(joint("j", "revolute", inside='<limit lower="0,5" upper="1"/>') + rest())


def followers(*mimics):
    """Joints j1, j2, j3 to b, c, d in the order given, each with the inside given for it."""
    ends = {"j1": "b", "j2": "c", "j3": "d"}
    return "".join(joint(name, kind, "a", ends[name], LIMIT + inside) for name, kind, inside in mimics)


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
def test_a_follower_may_be_declared_before_its_source_and_be_followed_itself(jointed, kind):
    robot = jointed(
        followers(
            ("j3", kind, '<mimic joint="j2"/>'),
            ("j2", kind, '<mimic joint="j1" multiplier="-1" offset="0.2"/>'),
            ("j1", kind, ""),
        )
    )
    skeleton = robot.skeleton()
    assert skeleton.unknowns == ("j1",)
    pose = skeleton.pose(skeleton.vector({"j1": 0.7}))
    assert pose == pytest.approx({"j1": 0.7, "j2": -0.5, "j3": -0.5})


def test_multiplier_and_offset_are_both_applied(jointed):
    robot = jointed(
        followers(("j1", "revolute", ""), ("j2", "revolute", '<mimic joint="j1" multiplier="2" offset="0.5"/>'))
        + joint("j", "fixed", "a", "d")
    )
    skeleton = robot.skeleton()
    assert skeleton.pose(skeleton.vector({"j1": 0.1}))["j2"] == pytest.approx(0.7)


def test_a_follower_keeps_its_own_limits_as_data(jointed):
    robot = jointed(
        followers(("j1", "revolute", ""), ("j2", "revolute", '<mimic joint="j1" multiplier="-1"/>'))
        + joint("j", "fixed", "a", "d")
    )
    follower = robot.joints[1]
    assert (follower.lower, follower.upper, follower.mimic.joint) == (-1.0, 2.0, "j1")


def test_a_follower_of_nothing_is_a_joint_of_its_own_with_a_warning(jointed):
    robot = jointed(
        followers(("j1", "revolute", ""), ("j2", "revolute", '<mimic joint="j9"/>')) + joint("j", "fixed", "a", "d")
    )
    (warning,) = robot.warnings
    assert ":3: joint 'j2' mimics 'j9', which does not exist; read as a joint of its own, did you mean" in warning
    assert robot.skeleton().unknowns == ("j1", "j2")


@pytest.mark.parametrize("kind", ["revolute", "fixed"])
def test_a_fixed_joint_that_follows_nothing_is_warned_about_too(jointed, kind):
    (warning,) = jointed(joint("j", kind, inside=f'{LIMIT}<mimic joint="foo"/>') + rest()).warnings
    assert "which does not exist" in warning


@pytest.mark.parametrize(
    ("second", "third", "unknowns", "relation"),
    [
        ("j1", "j1", ("j1",), {"j1": 0.3, "j2": 0.3, "j3": 0.3}),
        ("j2", "j1", ("j2",), {"j1": 0.3, "j2": 0.3, "j3": 0.3}),
        ("j3", "j1", ("j1",), {"j1": 0.3, "j2": 0.3, "j3": 0.3}),
        ("j3", "j2", ("j2",), {"j1": 0.3, "j2": 0.3, "j3": 0.3}),
    ],
)
def test_a_loop_of_followers_is_opened_with_a_warning(jointed, second, third, unknowns, relation):
    robot = jointed(
        followers(
            ("j1", "revolute", '<mimic joint="j2"/>'),
            ("j2", "revolute", f'<mimic joint="{second}"/>'),
            ("j3", "revolute", f'<mimic joint="{third}"/>'),
        )
    )
    (warning,) = robot.warnings
    assert "mimic each other in a loop: " in warning
    assert warning.endswith("delete one <mimic>")
    skeleton = robot.skeleton()
    assert skeleton.unknowns == unknowns
    assert skeleton.pose([0.3]) == pytest.approx(relation)


@pytest.mark.parametrize(("follower", "source"), [("planar", "revolute"), ("revolute", "floating")])
def test_joints_with_several_values_neither_follow_nor_are_followed(jointed, follower, source):
    robot = jointed(
        followers(("j1", source, ""), ("j2", follower, '<mimic joint="j1"/>')) + joint("j", "fixed", "a", "d")
    )
    assert [j.mimic for j in robot.joints] == [None, None, None]
    assert any("several values" in warning for warning in robot.warnings)


def test_a_fixed_joint_that_follows_loses_the_relation_with_a_warning(jointed):
    robot = jointed(joint("j", "fixed", inside='<mimic joint="to_c"/>') + rest())
    assert only(robot).mimic is None
    assert "ignored" in robot.warnings[0]


def test_followers_of_a_fixed_joint_are_held_where_that_puts_them(jointed):
    robot = jointed(
        followers(
            ("j3", "continuous", '<mimic joint="j2" multiplier="3"/>'),
            ("j2", "revolute", '<mimic joint="j1" multiplier="-1" offset="0.2"/>'),
        )
        + joint("j1", "fixed", "a", "b")
    )
    held = {j.name: (j.type, j.lower, j.upper, j.mimic) for j in robot.joints if j.name != "j1"}
    assert held["j2"] == ("revolute", 0.2, 0.2, None)
    assert held["j3"] == ("revolute", pytest.approx(0.6), pytest.approx(0.6), None)
    assert sum("does not move" in warning for warning in robot.warnings) == 2
    skeleton = robot.skeleton()
    assert skeleton.pose(skeleton.neutral()) == pytest.approx({"j2": 0.2, "j3": 0.6})


def test_limits_beyond_what_any_joint_has_count_as_none(jointed):
    robot = jointed(joint("j", "prismatic", inside='<limit lower="-1e6" upper="2"/>') + rest())
    assert (only(robot).lower, only(robot).upper) == (-math.inf, 2.0)
    assert any("count as none" in warning for warning in robot.warnings)


def test_places_beyond_any_robot_are_refused_with_the_line(jointed):
    with pytest.raises(UrdfError, match=r"robot\.urdf:2: .*1e30.* is beyond"):
        jointed(joint("j", "fixed", inside='<origin xyz="1e30 0 0"/>') + rest())
