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

SEVERAL_AXES = ("planar", "floating", "spherical")


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
        type: "revolute", "continuous", "prismatic", "fixed"; with several values "planar" (x and y in the plane whose
            normal is the axis, and the turn about it), "floating" (x, y, z and three turns) and "spherical" (three
            turns).
        origin: (4, 4) joint frame, equal to the child link's frame at value 0, in the parent link's frame.
        axis: (3,) unit vector in the joint frame.
        lower, upper: limits [rad] or [m]; infinite where the joint has none.
        velocity, effort: as the file says, None when it does not. Data only.
        soft_lower, soft_upper: limits of ``<safety_controller>``, None where there is none. Data only.
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
    soft_lower: float | None = None
    soft_upper: float | None = None

    @property
    def has_several_axes(self) -> bool:
        """Whether the joint has several values, each under a name such as ``"joint:x"``."""
        return self.type in SEVERAL_AXES


@dataclass(frozen=True)
class Robot:
    """A robot description.

    Attributes:
        name: of the robot.
        path: the file it was read from.
        links, joints: in the order of the file; every joint's parent and child is a link, every link has at most one
            parent joint, and there are no loops.
        warnings: what was left out or put right, each naming file, line, element and remedy.
        collision_warnings: the same about collision shapes alone, which matter only to those who ask for them.
    """

    name: str
    path: Path
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    warnings: tuple[str, ...] = field(default=())
    collision_warnings: tuple[str, ...] = field(default=())

    @property
    def roots(self) -> tuple[str, ...]:
        """Names of the links that no joint holds; nearly always there is one."""
        children = {joint.child for joint in self.joints}
        return tuple(link.name for link in self.links if link.name not in children)

    @property
    def root(self) -> str:
        """Name of the first link that no joint holds."""
        return self.roots[0]

    @property
    def base_joints(self) -> dict[str, str]:
        """Name of the floating joint that a free base has, by root link: ``"free_base"`` for the first root.

        Further roots add their own name to it, and where a joint is called so already, underscores follow.
        """
        taken = {name for joint in self.joints for name in (joint.name, joint.name.rpartition(":")[0])}
        found: dict[str, str] = {}
        for root in self.roots:
            name = f"free_base_{root}" if found else "free_base"
            while name in taken:
                name += "_"
            taken.add(name)
            found[root] = name
        return found

    def skeleton(self, *, free_base: bool = False) -> Skeleton:
        """The robot as a kinematic tree. Skeleton space is the root link's frame; joint names are the URDF's.

        A joint with several values has an unknown for each. Planar: ``"joint:x"``, ``"joint:y"`` and ``"joint:yaw"``.
        Floating: ``"joint:x"``, ``"joint:y"``, ``"joint:z"`` and then ``"joint:rx"``, ``"joint:ry"``, ``"joint:rz"``,
        each about its axis as the turns before it left it. Spherical: these three alone.

        Args:
            free_base: let the root move freely too, as by a floating joint ``"free_base"`` (see :attr:`base_joints`).
        """
        from .kinematics import robot_skeleton

        return robot_skeleton(self, free_base=free_base)
