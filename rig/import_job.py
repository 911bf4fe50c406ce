"""Importing a robot from its file, and reading the file again: as jobs, which can be run in slices and stopped."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import bpy

from ..errors import RigError
from ..urdf import XacroNotAllowed, load, xacro_arguments
from ..urdf.files import Packages
from . import import_record
from .import_record import ImportOptions, ImportRecord
from .importing import ImportReport, robot_steps
from .job import Job, Step, Steps
from .reload import check_reloadable, reload_steps
from .transaction import Blocks

_log = logging.getLogger(__name__)


def import_file(
    path: str | Path,
    *,
    packages: Packages | None = None,
    xacro_args: Mapping[str, object] | None = None,
    collision: bool = False,
    free_base: bool = False,
    obey_up_axis: bool = False,
    allow_code: bool = True,
) -> ImportReport:
    """Import a URDF file; see :func:`~.importing.import_robot`. What was said about it is kept with the armature.

    Args:
        path: the file.
        packages: where ``package://name/…`` leads, as in :func:`urdf.load`.
        xacro_args: values of the arguments of a xacro file, by name.
        collision: also make the collision shapes, hidden.
        free_base: let the robot's root move freely.
        obey_up_axis: turn what a COLLADA file calls up to Z, which RViz does not do.
        allow_code: expand xacro, whose expressions are code.

    Raises:
        XacroNotAllowed: the file is xacro, and code is not allowed.
        UrdfError: the file is no usable robot description; nothing is left in the scene.
    """
    options = ImportOptions(
        packages=ImportOptions.plain(packages),
        collision=collision,
        free_base=free_base,
        xacro_args=ImportOptions.plain_args(xacro_args),
        obey_up_axis=obey_up_axis,
    )
    return import_job(path, options, allow_code=allow_code).run()


def import_job(path: str | Path, options: ImportOptions, *, allow_code: bool = True) -> Job[ImportReport]:
    """The import of a file, not begun yet. Without ``allow_code`` a xacro file raises :class:`XacroNotAllowed`."""

    def steps(before: Blocks) -> Steps[ImportReport]:
        start = time.perf_counter()
        yield Step(0.0, Path(str(path)).name)
        robot = load(path, packages=options.packages, xacro_args=options.xacro_args, allow_code=allow_code)
        report = yield from robot_steps(robot, before, options)
        _keep(report, ImportRecord(robot.path.as_posix(), options, report.warnings), start)
        return report

    return Job(steps)


def reload_job(
    armature: bpy.types.Object | None, *, folders: Sequence[str] = (), allow_code: bool = True
) -> Job[ImportReport]:
    """Reading the file of an imported robot again, not begun yet; see :func:`~.reload.reload_steps`.

    Args:
        armature: of the robot.
        folders: with packages, for this time, beside those of the import; unless that was told each package by name.
        allow_code: expand xacro, whose expressions are code; False raises :class:`XacroNotAllowed` for a xacro file.

    Raises:
        RigError: it is no armature of an import, or linked from another file.
    """
    check_reloadable(armature)
    record = import_record.read(armature)
    if armature is None or record is None:
        raise RigError("it is not known which file this robot comes from; import it again")

    def steps(before: Blocks) -> Steps[ImportReport]:
        start = time.perf_counter()
        yield Step(0.0, Path(record.source).name)
        options = record.options
        source = bpy.path.abspath(record.source)
        packages = options.packages
        if not isinstance(packages, dict):
            packages = (*(packages or ()), *folders) or None
        robot = load(source, packages=packages, xacro_args=options.xacro_args, allow_code=allow_code)
        report = yield from reload_steps(armature, robot, before, options)
        _keep(report, ImportRecord(record.source, record.options, report.warnings), start)
        return report

    return Job(steps)


def wants_permission(error: BaseException) -> bool:
    """Whether an import or reload failed because it needs ``allow_code``."""
    return isinstance(error, XacroNotAllowed)


def arguments_of(path: str | Path) -> dict[str, str]:
    """What a xacro file can be asked for, with its defaults; see :func:`urdf.xacro_arguments`.

    Raises:
        UrdfError: the file cannot be read.
    """
    return xacro_arguments(path)


def _keep(report: ImportReport, record: ImportRecord, start: float) -> None:
    """Write down what an import made and said, with its armature and in the log."""
    shapes = sum(1 for child in report.armature.children if isinstance(child.data, bpy.types.Mesh))
    count = f"{_counted(len(report.armature.pose.bones), 'link')}, {_counted(shapes, 'shape')}"
    summary = f"{count} in {time.perf_counter() - start:.2f} s"
    import_record.write(report.armature, ImportRecord(record.source, record.options, record.warnings, summary))
    _log.info("%s: %s", record.source, summary)
    for warning in record.warnings:
        _log.warning("%s", warning)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
