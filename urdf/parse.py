"""From a URDF file to a :class:`~.model.Robot`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ..errors import LinkposeError
from .document import Element, read_document
from .errors import UrdfError, XacroNotAllowed
from .expansion import expand, has_expressions, is_xacro
from .filenotes import FileNotes
from .files import Finder, Packages
from .followers import settle_followers
from .joints import read_joint
from .materials import Materials
from .model import Robot
from .notes import Notes
from .shapes import Links, Shapes
from .tree import check_names, holding_joints, with_world

_OTHER_FORMATS = {"sdf": "SDF", "mujoco": "MuJoCo", "mujocoinclude": "MuJoCo", "COLLADA": "COLLADA", "model": "SDF"}


def load(
    path: str | os.PathLike[str],
    *,
    packages: Packages | None = None,
    xacro_args: Mapping[str, object] | None = None,
    allow_code: bool = True,
) -> Robot:
    """Read a robot description.

    A file that is called ``.xacro``, or holds elements or expressions of xacro, is expanded first.

    Args:
        path: the URDF or xacro file.
        packages: where ``package://name/…`` leads: folder by package name, or folders that are packages or hold some.
            They come before what is found by itself around the file and by ROS_PACKAGE_PATH and AMENT_PREFIX_PATH.
        xacro_args: values of the file's ``<xacro:arg>`` by name; see :func:`.arguments.xacro_arguments`.
        allow_code: expand xacro, whose expressions are code. False raises :class:`XacroNotAllowed` for a file that
            needs it, so that the user can be asked.

    Returns:
        The robot; what was left out or put right is listed in its ``warnings``. Mesh files are found, but not read.

    Raises:
        LinkposeError: the path is none, or ``xacro_args`` is no mapping.
        XacroNotAllowed: the file is xacro, and code is not allowed.
        UrdfError: the file cannot be read, is no XML, or describes no trees of links; with file and line.
    """
    if not isinstance(path, str | os.PathLike) or "\0" in os.fspath(path):
        raise LinkposeError(f"{path!r} is no path of a file: give the URDF file's path as a string or Path")
    if xacro_args is not None and not isinstance(xacro_args, Mapping):
        raise LinkposeError(f"xacro_args is {xacro_args!r}: give a dictionary of values by argument name")
    file = Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 (symbolic links must stay)
    root, warnings = read_document(file)
    notes = Notes(file, warnings)
    finder = Finder(file, packages)
    remedy = "add at least one <link>"
    if is_xacro(root, file):
        if not allow_code:
            text = "is xacro, whose expressions are code that would run on this computer"
            raise XacroNotAllowed(file, 0, f"{text}; allow it if you trust the file, or expand it with xacro first")
        remedy = "it may only define macros: open the file that uses them"
        root = _expanded(root, file, finder, xacro_args or {}, notes)
    elif xacro_args:
        notes.warn(
            0, f"is no xacro, so that the arguments {', '.join(map(repr, xacro_args))} do nothing; leave them out"
        )
    _check_root(root, notes)
    # Collision shapes are seldom asked for; what is wrong with them must not drown what matters.
    of_collision = Notes(file)
    visual_files, collision_files = FileNotes(finder, notes), FileNotes(finder, of_collision)
    links = Links(
        Materials(root, visual_files, notes),
        Shapes("visual", visual_files, notes),
        Shapes("collision", collision_files, of_collision),
    )
    declared = [links.read(element, notes) for element in root.all("link")]
    if not declared:
        raise notes.error(root, f"describes no link; {remedy}")
    joints = [read_joint(element, notes) for element in root.all("joint")]
    everything = with_world(declared, joints, notes)
    check_names(everything, joints, notes)
    holding = holding_joints(everything, joints, notes)
    left_out = {joint.name for joint in joints} - {joint.name for joint in holding}
    settled = settle_followers(holding, notes, left_out)
    visual_files.report()
    collision_files.report()
    return Robot(
        name=_name(root, file, notes),
        path=file,
        links=everything,
        joints=settled,
        warnings=tuple(notes.warnings),
        collision_warnings=tuple(warning for warning in of_collision.warnings if warning not in notes.warnings),
    )


def _expanded(root: Element, file: Path, finder: Finder, arguments: Mapping[str, object], notes: Notes) -> Element:
    """The file expanded; as it stands where elements of xacro are leftovers in a URDF that needs no expanding."""
    try:
        return expand(root, file, finder, arguments, notes)
    except UrdfError as error:
        if file.suffix.lower() != ".urdf" or has_expressions(root) or root.first("link") is None:
            raise
        notes.warn(0, f"holds elements of xacro that are ignored, for they cannot be expanded; {error}")
        return root


def _check_root(root: Element, notes: Notes) -> None:
    if root.tag != "robot":
        other = _OTHER_FORMATS.get(root.tag)
        found = f"{root} is {other}, not URDF" if other else f"{root} is no robot"
        raise notes.error(root.line, f"{found}; a URDF file has <robot> outermost")


def _name(root: Element, file: Path, notes: Notes) -> str:
    name = root.attributes.get("name", "")
    if not name.strip():
        notes.warn(root, f"has no name; {file.stem!r} is used, add name=")
        return file.stem
    return name
