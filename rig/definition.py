"""A robot's definition, kept on its armature as plain ID properties: they survive a save with the extension off.

``armature.data["linkpose"]`` says which robot it is, ``bone["linkpose"]`` on each bone of ``armature.data`` says which
link the bone stands for and which joint holds it. Floats in ID properties are doubles, so nothing is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import RigError

KEY = "linkpose"
VERSION = 1

ROOT = "root"
FIXED = "fixed"
REVOLUTE = "revolute"
CONTINUOUS = "continuous"
PRISMATIC = "prismatic"
PLANAR = "planar"
FLOATING = "floating"
SPHERICAL = "spherical"
SEVERAL_AXES = (PLANAR, FLOATING, SPHERICAL)
TYPES = (ROOT, FIXED, REVOLUTE, CONTINUOUS, PRISMATIC, *SEVERAL_AXES)

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RobotRecord:
    """Which robot an armature is.

    Attributes:
        name: of the robot, as its file says.
        source: the file it was imported from.
        version: of this layout of properties.
    """

    name: str
    source: str
    version: int = VERSION


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """What a bone of a robot stands for.

    Attributes:
        link: full name of the link; the bone's own name may be shorter.
        joint: full name of the joint that holds the link, "" for a root, unless that is free.
        type: one of :data:`TYPES`.
        lower, upper: limits [rad] or [m], infinite where there are none.
        velocity, effort, soft_lower, soft_upper: as the file says, None where it does not.
        mimic_joint: full name of the joint this one follows, None for a joint of its own.
        mimic_multiplier, mimic_offset: ``value = multiplier * value of mimic_joint + offset``.
        frame: (4, 4) ``PoseBone.matrix @ frame`` is the link's URDF frame in armature space.
    """

    link: str
    joint: str = ""
    type: str = ROOT
    lower: float = -math.inf
    upper: float = math.inf
    velocity: float | None = None
    effort: float | None = None
    mimic_joint: str | None = None
    mimic_multiplier: float = 1.0
    mimic_offset: float = 0.0
    frame: Matrix = field(default_factory=lambda: np.eye(4))
    soft_lower: float | None = None
    soft_upper: float | None = None

    @property
    def moves(self) -> bool:
        """Whether the joint has values at all, its own or a followed one."""
        return self.type not in (ROOT, FIXED)

    @property
    def has_several_axes(self) -> bool:
        """Whether the joint has several values."""
        return self.type in SEVERAL_AXES

    @property
    def slides(self) -> tuple[int, ...]:
        """Parts of the bone's location that are the joint's values: 0, 1, 2 for x, y, z."""
        return {PRISMATIC: (2,), PLANAR: (0, 1), FLOATING: (0, 1, 2)}.get(self.type, ())

    @property
    def turns(self) -> tuple[int, ...]:
        """Parts of the bone's rotation that are the joint's values: 0, 1, 2 for x, y, z."""
        if self.type in (FLOATING, SPHERICAL):
            return (0, 1, 2)
        return (2,) if self.type in (REVOLUTE, CONTINUOUS, PLANAR) else ()

    @property
    def rotation_mode(self) -> Literal["XYZ", "ZYX"]:
        """In which the bone's channels are the joint's values: of three turns, x is the outermost, as in the solver."""
        return "ZYX" if len(self.turns) == 3 else "XYZ"

    def axis_names(self, slides: Iterable[int], turns: Iterable[int]) -> tuple[str, ...]:
        """Names of the values that are parts of the location and the rotation, as :meth:`Robot.skeleton` has them.

        Args:
            slides: parts of the location.
            turns: parts of the rotation.
        """
        if not self.has_several_axes:
            return tuple(self.joint for _ in (*slides, *turns))
        names = [f"{self.joint}:{'xyz'[part]}" for part in slides]
        return (*names, *(f"{self.joint}:{'yaw' if self.type == PLANAR else 'r' + 'xyz'[part]}" for part in turns))

    @property
    def channel(self) -> tuple[str, int]:
        """Data path on the pose bone and array index of the channel that *is* the joint's value.

        Raises:
            RigError: the joint does not have just one value.
        """
        if not self.moves or self.has_several_axes:
            number = "several values" if self.moves else "no value to set"
            raise RigError(f"link {self.link!r} is held by a {self.type} joint, which has {number}")
        return ("location", 2) if self.type == PRISMATIC else ("rotation_euler", 2)


def write(bone: bpy.types.Bone, definition: Definition) -> None:
    """Store a definition on a bone of an armature's data."""
    record: dict[str, Any] = {"link": definition.link, "joint": definition.joint, "type": definition.type}
    for key in ("lower", "upper"):
        value = float(getattr(definition, key))
        if math.isfinite(value):
            record[key] = value
    for key in ("velocity", "effort", "soft_lower", "soft_upper"):
        number = getattr(definition, key)
        if number is not None:
            record[key] = float(number)
    if definition.mimic_joint is not None:
        record["mimic_joint"] = definition.mimic_joint
        record["mimic_multiplier"] = float(definition.mimic_multiplier)
        record["mimic_offset"] = float(definition.mimic_offset)
    record["frame"] = [float(number) for number in np.asarray(definition.frame, dtype=np.float64).ravel()]
    bone[KEY] = record


def read(bone: bpy.types.Bone) -> Definition | None:
    """The definition stored on a bone of an armature's data, None for a bone that is no link of a robot.

    Raises:
        RigError: there is one, but not one that this version understands.
    """
    record: Any = bone.get(KEY)
    if not hasattr(record, "to_dict"):
        return None
    values = record.to_dict()
    try:
        frame = np.array(values["frame"], dtype=np.float64).reshape(4, 4)
        found = Definition(
            link=str(values["link"]),
            joint=str(values["joint"]),
            type=str(values["type"]),
            lower=float(values.get("lower", -math.inf)),
            upper=float(values.get("upper", math.inf)),
            velocity=_optional(values.get("velocity")),
            effort=_optional(values.get("effort")),
            mimic_joint=str(values["mimic_joint"]) if "mimic_joint" in values else None,
            mimic_multiplier=float(values.get("mimic_multiplier", 1.0)),
            mimic_offset=float(values.get("mimic_offset", 0.0)),
            frame=frame,
            soft_lower=_optional(values.get("soft_lower")),
            soft_upper=_optional(values.get("soft_upper")),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RigError(
            f"bone {bone.name!r} holds a {KEY!r} property that is no joint definition ({error!r}); "
            "remove the property or import the robot again"
        ) from error
    if found.type not in TYPES:
        raise RigError(
            f"bone {bone.name!r} is held by a joint of type {found.type!r}; known are {', '.join(TYPES)}. "
            "The file may come from a newer Linkpose"
        )
    return found


def write_robot(armature: bpy.types.Armature, record: RobotRecord) -> None:
    """Store on an armature's data which robot it is."""
    armature[KEY] = {"version": record.version, "robot": record.name, "source": record.source}


def read_robot(armature: bpy.types.Armature) -> RobotRecord | None:
    """Which robot an armature's data is, None for one that was not imported from a URDF file."""
    record: Any = armature.get(KEY)
    if not hasattr(record, "to_dict"):
        return None
    values = record.to_dict()
    return RobotRecord(
        name=str(values.get("robot", "")), source=str(values.get("source", "")), version=int(values.get("version", 0))
    )


def _optional(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]
