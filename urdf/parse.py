"""From a URDF file to a :class:`~.model.Robot`."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import LinkposeError
from .document import Element, read_document
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


def load(path: str | os.PathLike[str], *, packages: Packages | None = None) -> Robot:
    """Read a robot description.

    Args:
        path: the URDF file.
        packages: where ``package://name/…`` leads: folder by package name, or folders that are packages or hold some.
            They come before what is found by itself around the file and by ROS_PACKAGE_PATH and AMENT_PREFIX_PATH.

    Returns:
        The robot; what was left out or put right is listed in its ``warnings``. Mesh files are found, but not read.

    Raises:
        LinkposeError: the path is none.
        UrdfError: the file cannot be read, is no XML, or describes no single tree of links; with file and line.
    """
    if not isinstance(path, str | os.PathLike) or "\0" in os.fspath(path):
        raise LinkposeError(f"{path!r} is no path of a file: give the URDF file's path as a string or Path")
    file = Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 (symbolic links must stay)
    root, warnings = read_document(file)
    notes = Notes(file, warnings)
    _check_root(root, notes)
    finder = Finder(file, packages)
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
        raise notes.error(root, f"describes no link; {_remedy_for_no_links(root)}")
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


def _check_root(root: Element, notes: Notes) -> None:
    if root.tag != "robot":
        other = _OTHER_FORMATS.get(root.tag)
        found = f"{root} is {other}, not URDF" if other else f"{root} is no robot"
        raise notes.error(root.line, f"{found}; a URDF file has <robot> outermost")
    left_over = [child for child in root.children if child.tag.startswith("xacro:")]
    if left_over:
        notes.warn(
            left_over[0], f"{_count(left_over)} of xacro ignored; expand the file with xacro if anything is missing"
        )


def _count(elements: list[Element]) -> str:
    return "one element" if len(elements) == 1 else f"{len(elements)} elements from here on"


def _remedy_for_no_links(root: Element) -> str:
    if any(child.tag.startswith("xacro:") for child in root.children):
        return "it is a xacro file, expand it with xacro first"
    return "add at least one <link>"


def _name(root: Element, file: Path, notes: Notes) -> str:
    name = root.attributes.get("name", "")
    if not name.strip():
        notes.warn(root, f"has no name; {file.stem!r} is used, add name=")
        return file.stem
    return name
