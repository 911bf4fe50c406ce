"""Where the chains come from: the project's common work, published URDFs, or numbers given here."""

from __future__ import annotations

import json
import math
import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from chains import Array, Chain

ROOT = Path(__file__).resolve().parent.parent
# The ten of the common work, in the order of the tables.
COMMON = ("panda", "ur5", "iiwa", "so100", "scara", "talos_leg", "talos_arm", "allegro", "planar10", "snake30")
# Where the reach is not given, it is the largest distance among so many poses.
POSES_FOR_REACH = 20_000
# Where the common work is absent: file in example-robot-data, base link, end link, where in that the tip is [m].
PUBLISHED = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_link0", "panda_hand_tcp", (0.0, 0.0, 0.0)),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "base_link", "tool0", (0.0, 0.0, 0.0)),
    "so100": ("so_arm_description/urdf/so100.urdf", "base", "gripper", (0.0, -0.1, 0.0)),
    "talos_leg": ("talos_data/robots/talos_reduced.urdf", "base_link", "left_sole_link", (0.0, 0.0, 0.0)),
    "talos_arm": ("talos_data/robots/talos_reduced.urdf", "torso_2_link", "gripper_left_base_link", (0.0, 0.0, 0.0)),
    "allegro": ("allegro_hand_description/urdf/allegro_right_hand.urdf", "palm_link", "link_3.0_tip", (0.0, 0.0, 0.0)),
}
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
PI = math.pi
# A joint: place of its frame in the one before [m], axis, kind, limits.
Row = tuple[tuple[float, float, float], tuple[float, float, float], str, float, float]
MADE: dict[str, tuple[list[Row], tuple[float, float, float]]] = {
    # As published: l_shoulder_pan_joint to l_gripper_tool_frame, shoulder_pan_joint to gripper_link.
    "pr2_arm": (
        [
            ((0.0, 0.188, 0.0), Z, "revolute", -0.714601836603, 2.2853981634),
            ((0.1, 0.0, 0.0), Y, "revolute", -0.5236, 1.3963),
            ((0.0, 0.0, 0.0), X, "revolute", -0.8, 3.9),
            ((0.4, 0.0, 0.0), Y, "revolute", -2.3213, 0.0),
            ((0.0, 0.0, 0.0), X, "continuous", -PI, PI),
            ((0.321, 0.0, 0.0), Y, "revolute", -2.094, 0.0),
            ((0.0, 0.0, 0.0), X, "continuous", -PI, PI),
        ],
        (0.18, 0.0, 0.0),
    ),
    "fetch_arm": (
        [
            ((0.119525, 0.0, 0.34858), Z, "revolute", -1.6056, 1.6056),
            ((0.117, 0.0, 0.06), Y, "revolute", -1.221, 1.518),
            ((0.219, 0.0, 0.0), X, "continuous", -PI, PI),
            ((0.133, 0.0, 0.0), Y, "revolute", -2.251, 2.251),
            ((0.197, 0.0, 0.0), X, "continuous", -PI, PI),
            ((0.1245, 0.0, 0.0), Y, "revolute", -2.16, 2.16),
            ((0.1385, 0.0, 0.0), X, "continuous", -PI, PI),
        ],
        (0.16645, 0.0, 0.0),
    ),
    "scara": (
        [
            ((0.0, 0.0, 0.2), Z, "revolute", -2.3, 2.3),
            ((0.25, 0.0, 0.05), Z, "revolute", -2.5, 2.5),
            ((0.2, 0.0, 0.0), (0.0, 0.0, -1.0), "prismatic", 0.0, 0.2),
            ((0.0, 0.0, -0.05), (0.0, 0.0, -1.0), "continuous", -PI, PI),
        ],
        (0.03, 0.0, -0.05),
    ),
    "planar10": ([((0.0, 0.0, 0.1), Y, "revolute", -1.2, 1.2)] * 10, (0.0, 0.0, 0.1)),
    "snake30": ([((0.0, 0.0, 0.05), X if i % 2 else Y, "revolute", -0.8, 0.8) for i in range(30)], (0.0, 0.0, 0.05)),
}


def common_work() -> Path:
    """The folder ``ikbench``: in ``$LINKPOSE_TEST_DATA``, or in ``shared`` beside the checkout. It may be absent."""
    return Path(os.environ.get("LINKPOSE_TEST_DATA") or ROOT.parent / "shared") / "ikbench"


def chains(names: list[str]) -> Iterator[Chain | str]:
    """The chains of these names, in their order; or a line that says why one cannot be had."""
    file = common_work() / "robots.json"
    common = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    for name in names:
        if name in common:
            yield from_numbers(name, common[name])
        elif name in MADE:
            yield from_rows(name, *MADE[name])
        elif name in PUBLISHED:
            yield published(name)
        else:
            yield f"{name} left out: no {file.name} in {file.parent} (LINKPOSE_TEST_DATA), and it cannot be made"


def from_numbers(name: str, told: dict[str, Any]) -> Chain:
    """A chain of ``robots.json``."""
    joints = told["joints"]
    return Chain(
        name,
        np.array([joint["T"] for joint in joints]),
        tuple(joint["type"] for joint in joints),
        np.array([joint["lo"] for joint in joints]),
        np.array([joint["hi"] for joint in joints]),
        np.array(told["tip"]),
        told["reach"],
    )


def from_rows(name: str, rows: list[Row], tip: tuple[float, float, float]) -> Chain:
    """A chain whose joints are all parallel to the base where every value is 0."""
    joints = [(_placed(place), np.array(axis), kind, lo, hi) for place, axis, kind, lo, hi in rows]
    return _along_z(name, joints, _placed(tip))


def published(name: str) -> Chain | str:
    """A chain out of a URDF of example-robot-data, where some environment of the checkout has that."""
    file, base, end, beyond = PUBLISHED[name]
    inside = "lib/python*/site-packages/cmeel.prefix/share/example-robot-data/robots"
    found = sorted((ROOT / ".venv").glob(f"*/{inside}/{file}"))
    if not found:
        return (
            f"{name} left out: neither the common work (LINKPOSE_TEST_DATA) nor {file} of example-robot-data is there"
        )
    joints = {
        joint.find("child").attrib["link"]: joint for joint in ElementTree.parse(found[0]).getroot().findall("joint")
    }
    listed, after, link = [], _placed(beyond), end
    while link != base:
        if link not in joints:
            return f"{name} left out: {found[0].name} has no way from {base} to {end}"
        joint = joints[link]
        origin = joint.find("origin")
        told = {} if origin is None else origin.attrib
        frame = _placed(_numbers(told.get("xyz", "0 0 0"))) @ _rotated(*_numbers(told.get("rpy", "0 0 0")))
        kind, link = joint.attrib["type"], joint.find("parent").attrib["link"]
        if kind == "fixed":
            after = frame @ after
            continue
        axis, limit = joint.find("axis"), joint.find("limit")
        lo, hi = (-PI, PI) if kind == "continuous" else (float(limit.attrib[side]) for side in ("lower", "upper"))
        direction = np.array(X if axis is None else _numbers(axis.attrib["xyz"]))
        # What lies beyond the joint is kept with it until the next one is known.
        listed.append((frame, direction / np.linalg.norm(direction), kind, lo, hi, after))
        after = np.eye(4)
    before, rows = after, []
    for frame, direction, kind, lo, hi, held in reversed(listed):
        rows.append((before @ frame, direction, kind, lo, hi))
        before = held
    return _along_z(name, rows, before)


def _along_z(name: str, joints: list[tuple[Array, Array, str, float, float]], tip: Array) -> Chain:
    """Turn every joint's frame so that its axis is local Z."""
    before, fixed = np.eye(4), []
    for frame, axis, *_ in joints:
        turn = np.eye(4)
        helper = np.eye(3)[np.argmin(np.abs(axis))]
        turn[:3, 2] = axis
        turn[:3, 0] = np.cross(helper, axis) / np.linalg.norm(np.cross(helper, axis))
        turn[:3, 1] = np.cross(axis, turn[:3, 0])
        fixed.append(before @ frame @ turn)
        before = turn.T
    lower, upper = np.array([joint[3] for joint in joints]), np.array([joint[4] for joint in joints])
    chain = Chain(name, np.array(fixed), tuple(joint[2] for joint in joints), lower, upper, before @ tip, 1.0)
    random = np.random.default_rng(0)
    at = chain.forward(chain.random(random, POSES_FOR_REACH))[:, :3, 3]
    reach = float(np.linalg.norm(at - chain.fixed[0][:3, 3], axis=1).max())
    return Chain(chain.name, chain.fixed, chain.kinds, lower, upper, chain.tip, reach)


def _placed(place: tuple[float, ...]) -> Array:
    frame = np.eye(4)
    frame[:3, 3] = place
    return frame


def _rotated(roll: float, pitch: float, yaw: float) -> Array:
    (a, b, c), (d, e, f) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    frame = np.eye(4)
    frame[:3, :3] = [
        [b * c, d * e * c - a * f, a * e * c + d * f],
        [b * f, d * e * f + a * c, a * e * f - d * c],
        [-e, d * b, a * b],
    ]
    return frame


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split())
