"""How a robot was imported and what was said about it, kept with its armature: to show it, and to read it again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import bpy

from ..errors import RigError
from ..urdf.files import Packages

KEY = "linkpose_import"


@dataclass(frozen=True)
class ImportOptions:
    """What an import is told beside the file.

    Attributes:
        packages: folder by package name, or folders; None for what is found by itself.
        collision: the collision shapes are wanted too.
        free_base: the root moves freely.
        xacro_args: values of the arguments of a xacro file by name, None for their defaults.
        obey_up_axis: what a COLLADA file calls up is turned to Z, which RViz does not do.
    """

    packages: dict[str, str] | tuple[str, ...] | None = None
    collision: bool = False
    free_base: bool = False
    xacro_args: dict[str, str | int | float | bool] | None = None
    obey_up_axis: bool = False

    @staticmethod
    def plain(packages: Packages | None) -> dict[str, str] | tuple[str, ...] | None:
        """Packages as a dictionary or tuple of absolute folders."""
        if packages is None:
            return None
        if isinstance(packages, str | os.PathLike):
            packages = (packages,)
        if isinstance(packages, Mapping):
            return {name: _absolute(folder) for name, folder in packages.items()}
        return tuple(_absolute(folder) for folder in packages)

    @staticmethod
    def plain_args(xacro_args: Mapping[str, object] | None) -> dict[str, str | int | float | bool] | None:
        """Arguments of a xacro file as a dictionary that can be kept."""
        if xacro_args is None:
            return None
        if not isinstance(xacro_args, Mapping):
            raise RigError(f"xacro_args is {xacro_args!r}: give a dictionary of values by argument name")
        return {
            str(name): value if isinstance(value, int | float) else str(value) for name, value in xacro_args.items()
        }


@dataclass(frozen=True)
class ImportRecord:
    """An import that was made.

    Attributes:
        source: the file.
        options: as they were given.
        warnings: what was left out or put right.
        summary: how much was made, in a few words.
    """

    source: str
    options: ImportOptions = field(default_factory=ImportOptions)
    warnings: tuple[str, ...] = ()
    summary: str = ""


def write(armature: bpy.types.Object, record: ImportRecord) -> None:
    """Keep a record with the armature's data; it is saved with the file, and gone when the import is undone."""
    options = asdict(record.options)
    values = {
        "source": record.source,
        "options": options,
        "warnings": list(record.warnings),
        "summary": record.summary,
    }
    armature.data[KEY] = json.dumps(values, ensure_ascii=False)


def read(armature: bpy.types.Object | None) -> ImportRecord | None:
    """The record of the import that made an armature; None for any other object."""
    if armature is None or not isinstance(armature.data, bpy.types.Armature):
        return None
    text: Any = armature.data.get(KEY)
    if not isinstance(text, str):
        return None
    try:
        values = json.loads(text)
        options = values.get("options", {})
        packages = options.get("packages")
        return ImportRecord(
            source=str(values["source"]),
            options=ImportOptions(
                packages=tuple(packages) if isinstance(packages, list) else packages,
                collision=bool(options.get("collision", False)),
                free_base=bool(options.get("free_base", False)),
                xacro_args=options.get("xacro_args"),
                obey_up_axis=bool(options.get("obey_up_axis", False)),
            ),
            warnings=tuple(map(str, values.get("warnings", ()))),
            summary=str(values.get("summary", "")),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _absolute(folder: str | os.PathLike[str]) -> str:
    return os.path.abspath(Path(folder).expanduser())  # noqa: PTH100 (symbolic links must stay)
