"""What of a robot reaches the solver."""

from __future__ import annotations

import math

import numpy as np
from linkpose.solver.joint import AxisKind, Mimic

ROBOT = """
<link name="tool"/><link name="base"/><link name="arm"/><link name="slide"/><link name="wheel"/><link name="plate"/>
<joint name="grip" type="fixed"><parent link="slide"/><child link="tool"/><origin xyz="0 0 1"/></joint>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 2" rpy="0 0 0.5"/>
  <axis xyz="0 3 4"/><limit lower="-1" upper="2"/></joint>
<joint name="push" type="prismatic"><parent link="arm"/><child link="slide"/><axis xyz="0 0 -1"/>
  <limit lower="0" upper="0.5"/></joint>
<joint name="roll" type="continuous"><parent link="base"/><child link="wheel"/><axis xyz="1 0 0"/></joint>
<joint name="copy" type="revolute"><parent link="base"/><child link="plate"/><limit lower="-9" upper="9"/>
  <mimic joint="turn" multiplier="-2" offset="0.1"/></joint>
"""


def test_bodies_are_links_and_axes_are_joints_under_their_own_names(urdf):
    skeleton = urdf(ROBOT).skeleton()
    assert set(skeleton.bodies) == {"tool", "base", "arm", "slide", "wheel", "plate"}
    assert {name: skeleton.body(name).parent for name in skeleton.bodies} == {
        "base": None,
        "arm": "base",
        "slide": "arm",
        "tool": "slide",
        "wheel": "base",
        "plate": "base",
    }
    assert {name: skeleton.body(name).joint for name in skeleton.bodies} == {
        "base": "",
        "arm": "turn",
        "slide": "push",
        "tool": "grip",
        "wheel": "roll",
        "plate": "copy",
    }
    assert set(skeleton.joints) == {"turn", "push", "roll", "copy"}


def test_kind_direction_limits_and_relations_are_handed_on(urdf):
    skeleton = urdf(ROBOT).skeleton()
    axes = {axis.name: axis for axis in skeleton.axes}
    turn, push, roll, copy = axes["turn"], axes["push"], axes["roll"], axes["copy"]
    assert (turn.kind, turn.lower, turn.upper, turn.continuous) == (AxisKind.HINGE, -1.0, 2.0, False)
    np.testing.assert_allclose(turn.direction, (0, 0.6, 0.8))
    assert (push.kind, push.direction, push.lower, push.upper) == (AxisKind.SLIDE, (0.0, 0.0, -1.0), 0.0, 0.5)
    assert (roll.kind, roll.lower, roll.upper, roll.continuous) == (AxisKind.HINGE, -math.inf, math.inf, True)
    assert (copy.mimic, copy.lower, copy.upper) == (Mimic("turn", -2.0, 0.1), -9.0, 9.0)


def test_the_root_is_the_identity_and_origins_are_those_of_the_joints(urdf):
    robot = urdf(ROBOT)
    skeleton = robot.skeleton()
    frames = skeleton.forward(skeleton.neutral())
    np.testing.assert_array_equal(frames["base"], np.eye(4))
    by_name = {joint.name: joint.origin for joint in robot.joints}
    np.testing.assert_allclose(frames["tool"], by_name["turn"] @ by_name["push"] @ by_name["grip"], atol=1e-15)


def test_reading_does_not_let_the_skeleton_share_the_robots_arrays(urdf):
    robot = urdf(ROBOT)
    skeleton = robot.skeleton()
    skeleton.body("arm").origin[0, 3] = 99.0
    assert robot.joints[1].origin[0, 3] == 0.0
