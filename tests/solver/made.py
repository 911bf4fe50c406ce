"""Skeletons made by hand, and forward kinematics by other means than the package's own."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest
from linkpose.solver import Axis, AxisKind, Body, Mimic, Skeleton
from support import robots_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

PI = math.pi


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Matrix:
    """(4, 4) translation."""
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def hinge(
    name: str,
    direction: tuple[float, float, float] = (0.0, 0.0, 1.0),
    lower: float = -math.inf,
    upper: float = math.inf,
    *,
    continuous: bool = False,
    mimic: Mimic | None = None,
) -> Axis:
    return Axis(name, AxisKind.HINGE, direction, lower, upper, continuous, mimic=mimic)


def slide(
    name: str,
    direction: tuple[float, float, float] = (1.0, 0.0, 0.0),
    lower: float = -math.inf,
    upper: float = math.inf,
    *,
    mimic: Mimic | None = None,
) -> Axis:
    return Axis(name, AxisKind.SLIDE, direction, lower, upper, mimic=mimic)


def body(name: str, parent: str | None, *axes: Axis, origin: Matrix | None = None, **more: object) -> Body:
    """A body; its joint is called after its first axis."""
    joint = axes[0].name.split(":")[0] if axes else ""
    return Body(name, parent, joint, np.eye(4) if origin is None else origin, axes, **more)  # type: ignore[arg-type]


def planar(lengths: Sequence[float], lower: float = -math.inf, upper: float = math.inf) -> Skeleton:
    """A flat arm along X whose hinges ``j0``, ``j1`` … turn about Z; its handle is the origin of ``tip``."""
    bodies = [body("base", None)]
    x = 0.0
    for i, length in enumerate(lengths):
        bodies.append(body(f"link{i}", bodies[-1].name, hinge(f"j{i}", lower=lower, upper=upper), origin=at(x)))
        x = length
    bodies.append(body("tip", bodies[-1].name, origin=at(x)))
    return Skeleton(bodies)


def planar_tip(lengths: Sequence[float], angles: Sequence[float]) -> tuple[float, float]:
    """Where the tip of :func:`planar` is, by the textbook sum."""
    total = x = y = 0.0
    for length, angle in zip(lengths, angles, strict=True):
        total += angle
        x += length * math.cos(total)
        y += length * math.sin(total)
    return x, y


# UR5 as published by its maker: d, a, alpha of the Denavit-Hartenberg convention.
UR5 = (
    (0.089159, 0.0, PI / 2),
    (0.0, -0.425, 0.0),
    (0.0, -0.39225, 0.0),
    (0.10915, 0.0, PI / 2),
    (0.09465, 0.0, -PI / 2),
    (0.0823, 0.0, 0.0),
)


def _denavit_hartenberg(theta: float, d: float, a: float, alpha: float) -> Matrix:
    c, s, k, e = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
    return np.array(
        [[c, -s * k, s * e, a * c], [s, c * k, -c * e, a * s], [0.0, e, k, d], [0.0, 0.0, 0.0, 1.0]], dtype=np.float64
    )


def ur5() -> Skeleton:
    """All joints at 0 make a straight, singular arm along -X."""
    bodies = [body("base", None)]
    for i, (d, a, alpha) in enumerate(UR5):
        turn = hinge(f"q{i + 1}", lower=-2 * PI, upper=2 * PI)
        bodies.append(body(f"link{i + 1}", bodies[-1].name, turn, offset=_denavit_hartenberg(0.0, d, a, alpha)))
    return Skeleton(bodies)


def ur5_tip(angles: Sequence[float]) -> Matrix:
    """(4, 4) flange of :func:`ur5` by the textbook product."""
    frame = np.eye(4)
    for angle, row in zip(angles, UR5, strict=True):
        frame = frame @ _denavit_hartenberg(angle, *row)
    return frame


def numbered(name: str) -> Skeleton:
    """A chain of the common benchmark, base to ``tip``; skips where its numbers are absent."""
    file = robots_folder().parent / "ikbench" / "robots.json"
    if not file.is_file():
        pytest.skip(f"no {file.name} of the solver benchmark beside the robots")
    told = json.loads(file.read_text(encoding="utf-8"))[name]
    bodies = [body("base", None)]
    for i, joint in enumerate(told["joints"]):
        kind = slide if joint["type"] == "prismatic" else hinge
        axis = kind(f"j{i}", (0.0, 0.0, 1.0), joint["lo"], joint["hi"])
        bodies.append(body(f"link{i}", bodies[-1].name, axis, origin=np.array(joint["T"])))
    bodies.append(body("tip", bodies[-1].name, origin=np.array(told["tip"])))
    return Skeleton(bodies)


def random_rotation(random: np.random.Generator) -> Matrix:
    q, r = np.linalg.qr(random.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


def random_frame(random: np.random.Generator, scale: float = 1.0) -> Matrix:
    frame = np.eye(4)
    frame[:3, :3] = scale * random_rotation(random)
    frame[:3, 3] = random.normal(size=3)
    return frame


def random_tree(random: np.random.Generator, *, scaled: bool = False) -> Skeleton:
    """A tree of bodies ``b0`` … with fixed joints, hinges, slides, several axes a joint, followers and offsets."""
    bodies = [body("b0", None, origin=random_frame(random))]
    names: list[str] = []
    for i in range(1, 12):
        axes = []
        for j in range(random.integers(0, 4)):
            direction = tuple((v := random.normal(size=3)) / np.linalg.norm(v))
            mimic = None
            if names and random.random() < 0.25:
                mimic = Mimic(str(random.choice(names)), float(random.normal()), float(random.normal()))
            name = f"j{i}:{j}"
            kind = slide if random.random() < 0.3 else hinge
            axes.append(kind(name, direction, -2.0, 2.0, mimic=mimic))
            names.append(name)
        size = float(random.uniform(0.5, 2.0)) * (-1.0 if random.random() < 0.2 else 1.0) if scaled else 1.0
        parent = f"b{random.integers(max(0, i - 3), i)}"
        frame, offset = random_frame(random, size), random_frame(random)
        bodies.append(body(f"b{i}", parent, *axes, origin=frame, offset=offset, point=tuple(random.normal(size=3))))
    return Skeleton(bodies)
