"""The length of the chain, changed by wheel and keys while a drag runs."""

from __future__ import annotations

import bpy
from inside import character, robot
from inside.robot import settle
from inside.window import Steps, look, move, package, pixel, pointer, press, redo, running, screenshot, undo, wheel
from mathutils import Vector


def start() -> Steps:
    """The arm in Pose Mode, ready to be dragged."""
    name = character.arm()
    look((0.0, 0.0, 0.7), 4.0, azimuth=-90, elevation=0)
    robot.enter(name, "POSE")
    yield


def pull(right: int, up: int) -> Steps:
    """Grab the arm's last bone and pull it so many pixels."""
    name = "Arm"
    posed = bpy.data.objects[name].pose.bones["bone.4"]
    yield from move(*pixel(posed.head * 0.35 + posed.tail * 0.65))
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    yield from move(pointer()[0] + right, pointer()[1] + up)
    yield from settle()


def moved(before: dict[str, tuple[str, ...]]) -> set[str]:
    """The bones whose channels differ in a bit."""
    now = robot.channels("Arm")
    return {bone for bone in before if before[bone] != now[bone]}


def bones(*numbers: int) -> set[str]:
    return {f"bone.{number}" for number in numbers}


def test_wheel_and_keys_change_the_chain_and_cancel_puts_everything_back() -> Steps:
    yield from start()
    yield from pull(60, -40)
    drag = package("api").session()
    depth, target = drag.target[1], Vector(drag.target)
    assert drag.length == 5
    yield from wheel(-2, ctrl=True)
    yield from settle()
    assert drag.length == 3, drag.length
    assert len(drag.joints) == 4
    assert drag.target[1] == depth, "the wheel with Ctrl is no depth"
    assert (Vector(drag.target) - target).length < 1e-9
    assert {name.partition(":")[0] for name in drag.chain} == bones(2, 3, 4)
    screenshot("chain-of-three")
    yield from press("PAGE_DOWN")
    assert drag.length == 2
    yield from press("PAGE_UP")
    yield from press("PAGE_UP")
    yield from settle()
    assert drag.length == 4
    assert len(drag.joints) == 5
    yield from press("ESC")
    assert not running("LINKPOSE_OT_drag")
    assert not robot.keys("Arm")


def test_a_shortened_drag_keys_its_chain_and_undo_and_redo_are_exact() -> Steps:
    yield from start()
    before = robot.channels("Arm")
    yield from pull(-80, -30)
    drag = package("api").session()
    assert moved(before) == bones(0, 1, 2, 3, 4)
    yield from wheel(-3, ctrl=True)
    yield from settle()
    assert moved(before) == bones(3, 4), "joints that left the chain are back, bit for bit"
    yield from press("RET")
    assert drag.state.value == "confirmed"
    after, keys = robot.channels("Arm"), robot.keys("Arm")
    assert {path.split('"')[1] for path, _ in keys} == bones(3, 4)
    yield from undo()
    assert robot.channels("Arm") == before
    assert not robot.keys("Arm")
    yield from redo()
    assert (robot.channels("Arm"), robot.keys("Arm")) == (after, keys)


def test_cancel_of_a_drag_whose_chain_was_changed_is_exact() -> Steps:
    yield from start()
    before = robot.channels("Arm")
    yield from pull(50, -30)
    yield from wheel(-4, ctrl=True)
    yield from wheel(2, ctrl=True)
    yield from settle()
    drag = package("api").session()
    assert drag.length == 3
    assert moved(before) <= bones(2, 3, 4)
    yield from press("ESC")
    assert robot.channels("Arm") == before
    assert not robot.keys("Arm")
