"""What is dragged in tests of the drag's keys: robots and armatures of every kind, each by one body, and how.

Every subject stands so that its chain can move to all sides, and is seen whole from a slant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import bpy
from inside import character, robot
from inside.window import (
    Steps,
    look,
    move,
    package,
    pixel,
    pointer,
    press,
    ray,
    redo,
    robots,
    running,
    simulate,
    undo,
    viewport,
)
from mathutils import Matrix, Vector
from mathutils.geometry import intersect_line_line, intersect_line_plane

_DIGITS = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
_TYPES = {"-": "MINUS", ".": "PERIOD", " ": "SPACE", "=": "EQUAL", "*": "NUMPAD_ASTERIX", "/": "SLASH", '"': "QUOTE"}


@dataclass(frozen=True)
class Subject:
    """A rig and the body that is dragged.

    Attributes:
        make: builds it; returns its armature's name.
        bone: what is grabbed.
        mode: to be in.
        step: a length [m] by which the body can be moved to every side.
        pin: a bone above it, which can be pinned.
        way: pixels by which the pointer moves it to where it can be.
    """

    make: Callable[[], str]
    bone: str
    mode: str
    step: float
    pin: str = ""
    way: tuple[int, int] = (6, -6)


def _panda() -> str:
    name = robot.panda()
    values = (0.3, -0.3, 0.2, -2.0, 0.1, 1.8, 0.785)
    package("api").set_pose(
        bpy.data.objects[name], {f"panda_joint{i}": value for i, value in enumerate(values, start=1)}
    )
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=25)
    return name


def _scara() -> str:
    name = robot.import_robot(robots() / "scara_yguel" / "scara_description" / "urdf" / "scara.urdf")
    package("api").set_pose(bpy.data.objects[name], {"joint1": 0.3, "joint2": 0.9, "joint3": 0.15})
    centre = character.middle(name)
    look(centre, 3.0 * character.span(name), azimuth=-50, elevation=25)
    return name


def _allegro() -> str:
    folder = robots() / "allegro_hand" / "allegro_hand_description"
    name = robot.import_robot(next(iter(sorted(folder.rglob("*right*.urdf")))))
    armature = bpy.data.objects[name]
    skeleton = package("api").read_skeleton(armature)
    package("api").set_pose(armature, skeleton.pose(skeleton.middle()))
    look(character.middle(name), 2.5 * robot.size(name), azimuth=-50, elevation=25)
    return name


def _metarig() -> str:
    name = character.metarig(basic=True)
    look(character.middle(name), 4.5, azimuth=-70, elevation=15)
    return name


def _arm() -> str:
    name = character.arm()
    look((0.0, 0.0, 0.7), 4.0, azimuth=-60, elevation=20)
    return name


SUBJECTS = {
    "panda": Subject(_panda, "panda_hand", "OBJECT", 0.05, pin="panda_link4"),
    "scara": Subject(_scara, "link3", "POSE", 0.03, pin="link1"),
    "allegro": Subject(_allegro, "link_3.0_tip", "OBJECT", 0.005, pin="link_2.0"),
    "metarig": Subject(_metarig, "forearm.L", "POSE", 0.05, pin="hand.R", way=(-6, -6)),
    "arm": Subject(_arm, "bone.4", "POSE", 0.1, pin="bone.2"),
}


def start(subject: Subject) -> str:
    """Build a subject and enter its mode; returns its armature's name."""
    name = subject.make()
    viewport().space.overlay.show_overlays = subject.mode == "POSE"  # drawing them in software takes long
    robot.enter(name, subject.mode)
    return name


def grab(name: str, bone: str) -> Steps:
    """Point at a link's mesh, or at a bare bone, and press J."""
    yield from go_to(name, bone)
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    session = package("api").session()
    assert session.grip.bone == bone, f"{session.grip.bone} was picked, not {bone}"


def go_to(name: str, bone: str, **modifiers: bool) -> Steps:
    """Move the pointer onto a link's mesh, or onto a bare bone."""
    dressed = any(ob.parent_bone == bone for ob in bpy.data.objects[name].children)
    at = robot.pixel_of(name, bone) if dressed else on_bone(name, bone)
    yield from move(*at, steps=2, **modifiers)


def on_bone(name: str, bone: str) -> tuple[float, float]:
    """A window pixel on a bone, away from its joints."""
    armature = bpy.data.objects[name]
    posed = armature.pose.bones[bone]
    return pixel(armature.matrix_world @ (posed.head * 0.35 + posed.tail * 0.65))


def text(typed: Iterable[str]) -> Steps:
    """Type characters."""
    for char in typed:
        kind = _DIGITS[int(char)] if char.isdigit() else _TYPES.get(char, char.upper())
        simulate(kind, "PRESS", unicode=char)
        simulate(kind, "RELEASE")
        yield


def body_matrix(name: str, bone: str) -> Matrix:
    """World matrix of a bone as Blender evaluates it."""
    bpy.context.view_layer.update()
    armature = bpy.data.objects[name]
    return armature.matrix_world @ armature.pose.bones[bone].matrix


def by(right: int, up: int, *, steps: int = 2, **modifiers: bool) -> Steps:
    """Move the pointer by so many pixels."""
    yield from move(pointer()[0] + right, pointer()[1] + up, steps=steps, **modifiers)


def confirm_undo_redo(name: str, before: dict[str, tuple[str, ...]]) -> Steps:
    """Enter; then undo and redo give both poses back, bit for bit."""
    yield from press("RET")
    assert not running("LINKPOSE_OT_drag")
    after, keys = robot.channels(name), robot.keys(name)
    assert after != before
    assert keys
    yield from undo()
    assert robot.channels(name) == before
    assert not robot.keys(name)
    yield from redo()
    assert (robot.channels(name), robot.keys(name)) == (after, keys)
    yield from undo()
    assert robot.channels(name) == before


def cancel(name: str, before: dict[str, tuple[str, ...]]) -> Steps:
    """Esc; nothing is left."""
    assert robot.channels(name) != before
    yield from press("ESC")
    assert not running("LINKPOSE_OT_drag")
    assert robot.channels(name) == before
    assert not robot.keys(name)


def clicked(name: str, bone: str) -> Vector:
    """The world point that the pointer is on: of a mesh, or of a bare bone."""
    armature = bpy.data.objects[name]
    if any(ob.parent_bone == bone for ob in armature.children):
        return robot.hit(*pointer())
    posed = armature.pose.bones[bone]
    origin, direction = ray(*pointer())
    head, tail = (armature.matrix_world @ end for end in (posed.head, posed.tail))
    near = intersect_line_line(head, tail, origin, origin + direction)
    assert near is not None
    return robot.on_plane(*pointer(), near[0])


def on_line(through: Vector, direction: Vector) -> Vector:
    """The point of a line that is nearest to the line of sight through the pointer."""
    origin, along = ray(*pointer())
    near = intersect_line_line(through, through + direction, origin, origin + along)
    assert near is not None
    return near[0]


def on_plane(through: Vector, normal: Vector) -> Vector:
    """Where the line of sight through the pointer meets a plane."""
    origin, along = ray(*pointer())
    met = intersect_line_plane(origin, origin + along, through, normal)
    assert met is not None
    return met
