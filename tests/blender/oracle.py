"""What a URDF file says, computed from its XML alone: link frames and visual placements, nothing of ours in between."""

from __future__ import annotations

import math
import random
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import numpy as np

MOVING = ("revolute", "continuous", "prismatic")


@dataclass
class OracleJoint:
    name: str
    type: str
    parent: str
    child: str
    origin: np.ndarray
    axis: np.ndarray
    lower: float
    upper: float
    mimic: tuple[str, float, float] | None


class Oracle:
    """A robot read naively: enough for files that are right."""

    def __init__(self, path: Path) -> None:
        root = ET.parse(path).getroot()
        self.links = {link.get("name"): link for link in root.findall("link")}
        self.joints = {joint.get("name"): _joint(joint) for joint in root.findall("joint")}
        children = {joint.child for joint in self.joints.values()}
        self.root = next(name for name in self.links if name not in children)

    @property
    def free(self) -> list[OracleJoint]:
        return [joint for joint in self.joints.values() if joint.type in MOVING and joint.mimic is None]

    def random_pose(self, seed: int) -> dict[str, float]:
        """float32 values inside the limits, as a channel holds them."""
        draw = random.Random(seed)
        pose = {}
        for joint in self.free:
            lower, upper = (joint.lower, joint.upper) if joint.type != "continuous" else (-3.0, 3.0)
            middle, half = (lower + upper) / 2, (upper - lower) / 2
            pose[joint.name] = float(np.float32(middle + 0.999 * half * draw.uniform(-1.0, 1.0)))
        return pose

    def value(self, name: str, pose: dict[str, float]) -> float:
        joint = self.joints[name]
        if joint.mimic is None:
            return pose[name]
        source, multiplier, offset = joint.mimic
        return multiplier * self.value(source, pose) + offset

    def frames(self, pose: dict[str, float]) -> dict[str, np.ndarray]:
        """(4, 4) of every link in the root link's frame."""
        frames = {self.root: np.eye(4)}
        waiting = list(self.joints.values())
        while waiting:
            ready = [joint for joint in waiting if joint.parent in frames]
            assert ready, "the joints form no tree"
            for joint in ready:
                motion = np.eye(4)
                if joint.type in ("revolute", "continuous"):
                    motion[:3, :3] = turn(joint.axis, self.value(joint.name, pose))
                elif joint.type == "prismatic":
                    motion[:3, 3] = joint.axis * self.value(joint.name, pose)
                frames[joint.child] = frames[joint.parent] @ joint.origin @ motion
                waiting.remove(joint)
        return frames

    def visual_origins(self, link: str) -> list[np.ndarray]:
        return [_origin(visual) for visual in self.links[link].findall("visual")]


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation by the exponential series of the axis' cross-product matrix."""
    x, y, z = axis
    k = np.array(((0, -z, y), (z, 0, -x), (-y, x, 0)))
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k)


def rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    x, y, z = np.eye(3)
    return turn(z, yaw) @ turn(y, pitch) @ turn(x, roll)


def _numbers(text: str | None, default: str) -> np.ndarray:
    return np.array([float(word) for word in (text or default).split()])


def _origin(element: ET.Element) -> np.ndarray:
    frame = np.eye(4)
    origin = element.find("origin")
    if origin is not None:
        frame[:3, 3] = _numbers(origin.get("xyz"), "0 0 0")
        frame[:3, :3] = rpy(*_numbers(origin.get("rpy"), "0 0 0"))
    return frame


def _joint(element: ET.Element) -> OracleJoint:
    axis, limit, mimic = element.find("axis"), element.find("limit"), element.find("mimic")
    direction = _numbers(None if axis is None else axis.get("xyz"), "1 0 0")
    length = np.linalg.norm(direction)
    return OracleJoint(
        name=element.get("name"),
        type=element.get("type"),
        parent=element.find("parent").get("link"),
        child=element.find("child").get("link"),
        origin=_origin(element),
        axis=direction / length if length else direction,
        lower=float(limit.get("lower", 0.0)) if limit is not None else 0.0,
        upper=float(limit.get("upper", 0.0)) if limit is not None else 0.0,
        mimic=None
        if mimic is None
        else (mimic.get("joint"), float(mimic.get("multiplier", 1.0)), float(mimic.get("offset", 0.0))),
    )
