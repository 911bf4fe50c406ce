"""What a URDF file says, as plain data: a robot, its links, joints, shapes and materials. Lengths [m], angles [rad]."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..solver.skeleton import Skeleton

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Box:
    """A box centred on its origin; size (x, y, z) [m]."""

    size: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Cylinder:
    """A cylinder along Z, centred on its origin [m]."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Sphere:
    """A sphere centred on its origin [m]."""

    radius: float


@dataclass(frozen=True, slots=True)
class Capsule:
    """A cylinder along Z with half spheres on its ends, centred on its origin [m].

    Attributes:
        radius: of the cylinder and of its ends.
        length: of the cylinder without its ends.
    """

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class MeshFile:
    """A mesh on disk.

    Attributes:
        uri: as written in the URDF.
        path: the file it was found at, None when it was not found (the robot's warnings say so).
        scale: (x, y, z) factors, of any sign.
        line: where the URDF names it.
    """

    uri: str
    path: Path | None
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    line: int = 0


Geometry = Box | Cylinder | Sphere | Capsule | MeshFile


@dataclass(frozen=True, slots=True)
class Material:
    """A colour (linear or not is not said by URDF; taken as sRGB) and perhaps a texture.

    Attributes:
        name: "" when the file gives none.
        color: RGBA in [0, 1], None when there is none.
        texture: the image file, None when there is none or it was not found.
    """

    name: str
    color: tuple[float, float, float, float] | None = None
    texture: Path | None = None


@dataclass(frozen=True)
class Visual:
    """A shape of a link, for looks or for collision.

    Attributes:
        name: "" when the file gives none.
        origin: (4, 4) in the link's frame.
        geometry: the shape.
        material: None means the shape's own, or a default.
    """

    name: str
    origin: Matrix
    geometry: Geometry
    material: Material | None = None


@dataclass(frozen=True)
class Link:
    """A rigid part. ``line`` is where the file declares it."""

    name: str
    visuals: tuple[Visual, ...] = ()
    collisions: tuple[Visual, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Follow:
    """``<mimic>``: value = multiplier * value of ``joint`` + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Joint:
    """What holds a child link on a parent link.

    Attributes:
        type: "revolute", "continuous", "prismatic" or "fixed".
        origin: (4, 4) joint frame, equal to the child link's frame at value 0, in the parent link's frame.
        axis: (3,) unit vector in the joint frame.
        lower, upper: limits [rad] or [m]; infinite where the joint has none.
        velocity, effort: as the file says, None when it does not. Data only.
        mimic: the relation, for a follower.
        line: where the file declares it.
    """

    name: str
    type: str
    parent: str
    child: str
    origin: Matrix
    axis: tuple[float, float, float]
    lower: float
    upper: float
    velocity: float | None = None
    effort: float | None = None
    mimic: Follow | None = None
    line: int = 0


@dataclass(frozen=True)
class Robot:
    """A robot description.

    Attributes:
        name: of the robot.
        path: the file it was read from.
        links, joints: in the order of the file; every joint's parent and child is a link, every link has at most one
            parent joint, and there is exactly one root.
        warnings: what was left out or put right, each naming file, line, element and remedy.
    """

    name: str
    path: Path
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    warnings: tuple[str, ...] = field(default=())

    @property
    def root(self) -> str:
        """Name of the link that no joint holds."""
        children = {joint.child for joint in self.joints}
        return next(link.name for link in self.links if link.name not in children)

    def skeleton(self) -> Skeleton:
        """The robot as a kinematic tree. Skeleton space is the root link's frame; joint names are the URDF's."""
        from .kinematics import robot_skeleton

        return robot_skeleton(self)
