"""What can happen during a drag, each alone: nothing of the drag is left, the pose is what it was, Blender goes on."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import bpy
from inside import robot, subjects
from inside.robot import grab, settle
from inside.traces import left_behind
from inside.window import Steps, expect_exit, look, move, package, pointer, press, running, viewport, window

ARM = tuple(f"panda_joint{i}" for i in range(1, 8))
READY = dict(zip(ARM, (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.785), strict=True))
HAND = "panda_hand"


class Dragged:
    """A drag in the middle of its way.

    Attributes:
        name: of the armature.
        before: its channels before the drag.
        traces: what the drag may not leave, counted before it.
    """

    def __init__(self) -> None:
        self.name = robot.panda()
        package("api").set_pose(bpy.data.objects[self.name], READY)
        look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
        robot.enter(self.name, "OBJECT")
        self.before = robot.channels(self.name)
        self.traces = left_behind()

    def start(self) -> Steps:
        """Grab the hand and move it."""
        yield
        yield from grab(self.name, HAND)
        yield from self.go_on()
        assert robot.channels(self.name) != self.before

    def go_on(self) -> Steps:
        """The drag still follows the pointer."""
        session = package("api").session()
        assert session is not None, "the drag has ended"
        target = tuple(session.target)
        yield from move(pointer()[0] + 40, pointer()[1] - 30)
        yield from settle()
        assert running("LINKPOSE_OT_drag")
        assert tuple(session.target) != target, "the drag does not follow any more"

    def has_ended(self, *, restored: bool = True) -> None:
        """Nothing of the drag is left, and every channel is what it was."""
        assert not running("LINKPOSE_OT_drag")
        assert left_behind() == self.traces
        if restored:
            assert robot.channels(self.name) == self.before
            assert not bpy.data.actions

    def busy(self) -> Steps:
        """Everything at once: a body pinned, the orientation held, an axis locked, a number typed."""
        yield from self.start()
        yield from subjects.go_to(self.name, "panda_link3", alt=True)
        yield from press("P")
        yield from press("R")
        yield from press("M")
        yield from press("Y")
        yield from subjects.text("4cm")
        yield 0.1
        session = package("api").session()
        assert session.pinned == ("panda_link3",)
        assert session.typing
        assert session.locked is not None
        assert session.turn.held is not None


def poke() -> Steps:
    """A little motion, as any user makes; a drag that has lost its view learns of it now."""
    yield from move(pointer()[0] + 5, pointer()[1], steps=2)
    yield 0.2


def test_an_exception_in_the_drag_puts_everything_back() -> Steps:
    dragged = Dragged()
    yield from dragged.start()
    session = package("rig.drag").DragSession
    good = session.advance

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("made by the test")

    session.advance = fail
    try:
        yield from poke()
        dragged.has_ended()
    finally:
        session.advance = good
    # The next drag works.
    yield from press("ESC")
    yield from grab(dragged.name, HAND)
    yield from dragged.go_on()
    yield from press("ESC")
    dragged.has_ended()


@contextmanager
def saved_file() -> Generator[Path]:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "scene.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(file), copy=True)
        yield file


def test_loading_a_file_ends_the_drag() -> Steps:
    dragged = Dragged()
    with saved_file() as file:
        yield from dragged.start()
        bpy.ops.wm.open_mainfile(filepath=str(file))
        yield 0.5
        assert dragged.name in bpy.data.objects
        dragged.has_ended()


def test_a_new_file_ends_the_drag() -> Steps:
    dragged = Dragged()
    yield from dragged.start()
    bpy.ops.wm.read_homefile(use_empty=True)
    yield 0.5
    dragged.has_ended(restored=False)
    assert dragged.name not in bpy.data.objects


def swallowed(key: str, **modifiers: bool) -> Steps:
    """A key that is not the drag's does nothing, and the drag goes on."""
    dragged = Dragged()
    yield from dragged.start()
    mode, file = bpy.context.mode, bpy.data.filepath
    yield from press(key, **modifiers)
    yield 0.2
    assert (bpy.context.mode, bpy.data.filepath) == (mode, file)
    assert robot.channels(dragged.name) != dragged.before
    yield from dragged.go_on()
    yield from press("ESC")
    dragged.has_ended()


def test_the_undo_key_is_swallowed() -> Steps:
    yield from swallowed("Z", ctrl=True)


def test_the_mode_key_is_swallowed() -> Steps:
    yield from swallowed("TAB")


def test_the_save_key_is_swallowed() -> Steps:
    yield from swallowed("S", ctrl=True)


def test_a_frame_key_is_swallowed() -> Steps:
    yield from swallowed("RIGHT_ARROW")


def test_the_playback_key_is_swallowed() -> Steps:
    yield from swallowed("SPACE")


def ends_by(act: Callable[[Dragged], Any], *, restored: bool = True) -> Steps:
    """Something outside the drag happens; the drag ends and leaves nothing."""
    dragged = Dragged()
    yield from dragged.start()
    act(dragged)
    yield 0.3
    yield from poke()
    dragged.has_ended(restored=restored)


def test_a_workspace_switch_ends_the_drag() -> Steps:
    home = window().workspace.name

    def switch(_: Dragged) -> None:
        window().workspace = next(space for space in bpy.data.workspaces if space.name != home)

    yield from ends_by(switch)
    window().workspace = bpy.data.workspaces[home]
    yield


def test_a_maximised_area_ends_the_drag() -> Steps:
    def maximise(_: Dragged) -> None:
        with viewport().override():
            bpy.ops.screen.screen_full_area()

    yield from ends_by(maximise)
    with viewport().override():
        bpy.ops.screen.screen_full_area()
    yield


def test_a_closed_area_ends_the_drag() -> Steps:
    def close(_: Dragged) -> None:
        with viewport().override():
            bpy.ops.screen.area_close()

    yield from ends_by(close)


def test_another_editor_in_the_area_ends_the_drag() -> Steps:
    def change(_: Dragged) -> None:
        viewport().area.type = "IMAGE_EDITOR"

    yield from ends_by(change)


def test_a_second_window_that_closes_is_no_matter() -> Steps:
    dragged = Dragged()
    bpy.ops.wm.window_new()
    yield 0.5
    yield from dragged.start()
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[-1]):
        bpy.ops.wm.window_close()
    yield 0.3
    yield from dragged.go_on()
    yield from press("ESC")
    dragged.has_ended()


def test_a_deleted_armature_ends_the_drag() -> Steps:
    def delete(dragged: Dragged) -> None:
        bpy.data.objects.remove(bpy.data.objects[dragged.name])

    yield from ends_by(delete, restored=False)


def test_other_armature_data_ends_the_drag() -> Steps:
    def swap(dragged: Dragged) -> None:
        bpy.data.objects[dragged.name].data = bpy.data.armatures.new("Other")

    yield from ends_by(swap, restored=False)


def test_another_frame_ends_the_drag() -> Steps:
    def change(_: Dragged) -> None:
        bpy.context.scene.frame_set(bpy.context.scene.frame_current + 5)

    yield from ends_by(change)


def test_playback_ends_the_drag() -> Steps:
    def play(_: Dragged) -> None:
        with viewport().override():
            bpy.ops.screen.animation_play()

    yield from ends_by(play)
    with viewport().override():
        bpy.ops.screen.animation_cancel()
    yield


def test_a_disabled_extension_ends_the_drag() -> Steps:
    dragged = Dragged()
    yield from dragged.start()
    name = package().__name__
    bpy.ops.preferences.addon_disable(module=name)
    yield from poke()
    try:
        # The operator's class is gone, so it cannot be asked for its name.
        assert not window().modal_operators, len(window().modal_operators)
        assert robot.channels(dragged.name) == dragged.before
        assert not bpy.data.actions
    finally:
        bpy.ops.preferences.addon_enable(module=name)
    yield 0.2
    yield from grab(dragged.name, HAND)
    yield from dragged.go_on()
    yield from press("ESC")
    dragged.has_ended()


def test_esc_while_typing_with_pins_and_a_lock_puts_everything_back() -> Steps:
    dragged = Dragged()
    yield from dragged.busy()
    yield from press("ESC")
    dragged.has_ended()


def test_an_exception_while_typing_with_pins_and_a_lock_puts_everything_back() -> Steps:
    dragged = Dragged()
    yield from dragged.busy()
    drag = package("rig.drag").DragSession
    good = drag.refresh

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("made by the test")

    drag.refresh = fail
    try:
        yield from poke()
        dragged.has_ended()
    finally:
        drag.refresh = good
    yield from press("ESC")


def test_a_maximised_area_ends_a_drag_while_turning_with_pins() -> Steps:
    dragged = Dragged()
    yield from dragged.busy()
    for _ in range(6):
        yield from press("BACK_SPACE")
    yield from press("R")
    assert package("api").session().turning
    yield from subjects.by(30, 20)
    with viewport().override():
        bpy.ops.screen.screen_full_area()
    yield 0.3
    yield from poke()
    dragged.has_ended()
    with viewport().override():
        bpy.ops.screen.screen_full_area()
    yield


def test_another_file_ends_a_drag_while_typing_with_pins() -> Steps:
    dragged = Dragged()
    with saved_file() as file:
        yield from dragged.busy()
        bpy.ops.wm.open_mainfile(filepath=str(file))
        yield 0.5
        dragged.has_ended()


def test_quitting_blender_ends_the_drag_cleanly() -> Steps:
    yield from Dragged().start()
    expect_exit()
    bpy.ops.wm.quit_blender()
    yield 5.0
