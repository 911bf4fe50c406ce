"""Keys that say where the target of a drag is: locks, numbers, precise motion and steps, on robots and armatures."""

from __future__ import annotations

from typing import Any

import bpy
from inside import robot, subjects
from inside.robot import settle
from inside.subjects import SUBJECTS, Subject, by, text
from inside.window import Steps, hold, package, pixel, press, release, running, screenshot, wheel
from mathutils import Vector

CLOSE = 1e-5
RAY = 3e-4  # how exactly a line of sight meets something in single precision [m]
AXES = {"X": Vector((1, 0, 0)), "Y": Vector((0, 1, 0)), "Z": Vector((0, 0, 1))}


class Drag:
    """A drag that has been started and not moved.

    Attributes:
        name: of the armature.
        subject: what is dragged.
        before: its channels.
        session: the drag.
        start: the target, which is the handle's place.
        click: what was clicked.
        axes: the dragged body's own.
    """

    def __init__(self, kind: str) -> None:
        self.subject: Subject = SUBJECTS[kind]
        self.name = subjects.start(self.subject)
        self.before = robot.channels(self.name)

    def grab(self) -> Steps:
        """Point at the body and press J."""
        yield from subjects.go_to(self.name, self.subject.bone)
        self.click = subjects.clicked(self.name, self.subject.bone)
        yield from press("J")
        yield lambda: running("LINKPOSE_OT_drag")
        self.session: Any = package("api").session()
        assert self.session.grip.bone == self.subject.bone, self.session.grip
        self.start = Vector(self.session.target)
        self.axes = _axes(self.name, self.session.grip.bone)

    @property
    def way(self) -> Vector:
        """From where the target was to where it is."""
        return Vector(self.session.target) - self.start

    def is_there(self) -> None:
        """The handle is on the target, as the drag says, and the status is true."""
        assert self.session.status == "REACHED", (self.session.status, self.session.solution)
        assert (Vector(self.session.handle) - Vector(self.session.target)).length <= 1e-3 * self.session.size


def _axes(name: str, bone: str) -> list[Vector]:
    """The axes of a link or bone as Blender evaluates it."""
    shown = subjects.body_matrix(name, bone)
    data = bpy.data.objects[name].data.bones[bone]
    if "linkpose" in data:
        shown = shown @ robot.link_frame(data)
    return [shown.to_3x3().normalized().col[i].copy() for i in range(3)]


def locks(kind: str) -> Steps:
    """Axis and plane locks, global, local and free again, by what the pointer's line of sight meets."""
    drag = Drag(kind)
    yield
    yield from drag.grab()
    yield from by(8, 6)
    free = Vector(drag.session.target)
    for key, axis in AXES.items():
        number = "XYZ".index(key)
        for lock in (axis, drag.axes[number]):
            yield from press(key)
            wanted = subjects.on_line(drag.click, lock) - drag.click
            assert (drag.way - wanted).length < RAY, (key, drag.way, wanted)
            directions, origin = drag.session.locked
            assert (Vector(directions[0]) - lock).length < CLOSE
            assert (Vector(origin) - drag.start).length < CLOSE
        yield from press(key)
        assert drag.session.locked is None
        assert (Vector(drag.session.target) - free).length < RAY
    for lock in (AXES["Z"], drag.axes[2]):
        yield from press("Z", shift=True)
        wanted = subjects.on_plane(drag.click, lock) - drag.click
        assert (drag.way - wanted).length < RAY, (drag.way, wanted)
        assert len(drag.session.locked[0]) == 2
    yield from press("X")
    assert [tuple(row) for row in drag.session.locked[0]] == [(1.0, 0.0, 0.0)], "another key begins globally"
    yield from by(3, 2)
    yield from wheel(1)
    wanted = subjects.on_line(drag.click, AXES["X"]) - drag.click
    assert (drag.way - wanted).length < RAY
    assert "Depth" in note(), note()
    yield from settle()
    screenshot(f"lock-x-{kind}")
    yield from subjects.confirm_undo_redo(drag.name, drag.before)
    yield from drag.grab()
    yield from press("Y")
    yield from by(8, 8)
    yield from settle()
    yield from subjects.cancel(drag.name, drag.before)


def note() -> str:
    """Why the last key did not apply."""
    return str(package("operators.drag_running").current().note)


def test_axes_and_planes_lock_the_target_of_a_panda() -> Steps:
    yield from locks("panda")


def test_axes_and_planes_lock_the_target_of_a_scara() -> Steps:
    yield from locks("scara")


def test_axes_and_planes_lock_the_target_of_a_finger() -> Steps:
    yield from locks("allegro")


def test_axes_and_planes_lock_the_target_of_a_metarig() -> Steps:
    yield from locks("metarig")


def test_axes_and_planes_lock_the_target_of_an_armature() -> Steps:
    yield from locks("arm")


def numbers(kind: str) -> Steps:
    """Numbers with units on one axis, on two, on three; confirmed by Enter and cancelled by Esc."""
    drag = Drag(kind)
    step = drag.subject.step
    yield
    yield from drag.grab()
    yield from press("Z")
    yield from text(f"-{1000 * step:g}mm")
    assert drag.session.typing
    assert (drag.way - Vector((0, 0, -step))).length < 1e-6, drag.way
    yield from press("MINUS")
    assert (drag.way - Vector((0, 0, step))).length < 1e-6, drag.way
    yield from press("MINUS")
    yield from by(30, 20)
    assert (drag.way - Vector((0, 0, -step))).length < 1e-6, "the pointer moves what is typed"
    yield from settle()
    drag.is_there()
    screenshot(f"typed-{kind}")
    yield from subjects.confirm_undo_redo(drag.name, drag.before)
    yield from drag.grab()
    yield from text(f"{100 * step:g} cm")
    yield from press("TAB")
    yield from text("x")
    assert drag.session.locked is None, "once typing, letters go to the number"
    yield from press("BACK_SPACE")
    yield from text(f"={3 * step:g}-2*{step:g}")
    yield from press("TAB")
    yield from text("zz")
    assert (drag.way - Vector((step, step, 0))).length < 1e-6, drag.way
    yield from press("BACK_SPACE")
    yield from press("BACK_SPACE")
    yield from wheel(1)
    assert "Backspace" in note(), note()
    yield from text("rp")
    assert drag.session.typing
    assert not drag.session.pinned
    assert drag.session.turn.held is None
    for _ in range(40):
        if drag.session.typing:
            yield from press("BACK_SPACE")
    assert not drag.session.typing
    assert drag.way.length < 40 * step, "the pointer says it again"
    yield from text(f"{step:g}")
    yield from settle()
    yield from subjects.cancel(drag.name, drag.before)


def test_numbers_with_units_move_a_panda() -> Steps:
    yield from numbers("panda")


def test_numbers_with_units_move_a_scara() -> Steps:
    yield from numbers("scara")


def test_numbers_with_units_move_a_finger() -> Steps:
    yield from numbers("allegro")


def test_numbers_with_units_move_a_metarig() -> Steps:
    yield from numbers("metarig")


def test_numbers_with_units_move_an_armature() -> Steps:
    yield from numbers("arm")


def precise_and_steps(kind: str) -> Steps:
    """Shift takes a tenth of the motion, Ctrl goes in steps, Alt leaves the target alone; nothing jumps between."""
    drag = Drag(kind)
    yield
    yield from drag.grab()
    yield from by(10, 0)
    here = Vector(drag.session.target)
    whole = here - drag.start
    yield from hold("LEFT_SHIFT", shift=True)
    assert (Vector(drag.session.target) - here).length < CLOSE
    yield from by(10, 0, shift=True)
    tenth = Vector(drag.session.target) - here
    assert (tenth - 0.1 * whole).length < 0.02 * whole.length, (tenth, whole)
    yield from release("LEFT_SHIFT")
    here = Vector(drag.session.target)
    yield from by(5, 0)
    assert (Vector(drag.session.target) - here - 0.5 * whole).length < 0.02 * whole.length
    here = Vector(drag.session.target)
    yield from by(60, 60, alt=True)
    assert (Vector(drag.session.target) - here).length == 0.0
    yield from by(-60, -60, alt=True)
    yield from hold("LEFT_CTRL", ctrl=True)
    step = drag.session.aiming.step(package("operators.drag_running").current().view)
    for number in drag.way:
        assert abs(number / step - round(number / step)) < 1e-4, (drag.way, step)
    yield from by(25, 15, ctrl=True)
    assert drag.way.length > 0.5 * step
    for number in drag.way:
        assert abs(number / step - round(number / step)) < 1e-4, (drag.way, step)
    fine = 0.1 * step
    yield from by(1, 1, ctrl=True, shift=True)
    assert any(abs(number / step - round(number / step)) > 1e-3 for number in drag.way), drag.way
    for number in drag.way:
        assert abs(number / fine - round(number / fine)) < 1e-4, (drag.way, fine)
    yield from release("LEFT_CTRL")
    yield from settle()
    yield from subjects.cancel(drag.name, drag.before)


def test_shift_is_precise_and_ctrl_goes_in_steps_on_a_panda() -> Steps:
    yield from precise_and_steps("panda")


def test_shift_is_precise_and_ctrl_goes_in_steps_on_an_armature() -> Steps:
    yield from precise_and_steps("arm")


def test_navigation_moves_nothing_while_an_axis_is_locked() -> Steps:
    drag = Drag("panda")
    yield
    yield from drag.grab()
    yield from press("Y")
    yield from by(20, 20)
    yield from settle()
    here, pose = Vector(drag.session.target), robot.channels(drag.name)
    yield from hold("MIDDLEMOUSE")
    yield from by(40, 15, steps=4)
    yield from release("MIDDLEMOUSE")
    yield 0.1
    assert (Vector(drag.session.target) - here).length < RAY
    yield from by(0, 1)
    assert (Vector(drag.session.target) - here).length < 0.05
    assert max(abs(drag.way.x), abs(drag.way.z)) < 1e-9, "it keeps to the axis"
    yield from by(0, 20)
    at = pixel(drag.click + drag.way)
    assert drag.way.length > 0.0
    assert at is not None
    assert robot.channels(drag.name) != pose
    yield from subjects.cancel(drag.name, drag.before)
