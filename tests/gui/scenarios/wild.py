"""Long drags of random events: nothing ever breaks, and the end is exact."""

from __future__ import annotations

import os
import random

import bpy
from inside import robot, window
from inside.robot import grab
from inside.traces import left_behind
from inside.window import Steps, look, package, press, running, simulate, viewport

EVENTS = 200
BATCH = 10  # events between two redraws, which take most of the time in software
SWALLOWED = (("Z", {"ctrl": True}), ("TAB", {}), ("S", {"ctrl": True}), ("A", {}), ("DEL", {}), ("I", {}), ("F12", {}))
KEYS = (
    *(("X", {}), ("Y", {}), ("Z", {}), ("X", {"shift": True}), ("Z", {"shift": True})),
    *(("R", {}), ("R", {}), ("G", {}), ("P", {}), ("P", {}), ("M", {}), ("H", {}), ("SPACE", {"unicode": " "})),
    *(("PAGE_UP", {}), ("PAGE_DOWN", {}), ("ONE", {"unicode": "1"}), ("MINUS", {"unicode": "-"})),
    *(("PERIOD", {"unicode": "."}), ("M", {"unicode": "m"}), ("EQUAL", {"unicode": "="}), ("TAB", {})),
    ("BACK_SPACE", {}),
)
ERASED = 12  # while numbers are typed the pointer moves nothing, so that they are taken away soon
HELD = ({}, {}, {}, {"shift": True}, {"ctrl": True}, {"alt": True}, {"shift": True, "ctrl": True})
ARM = tuple(f"panda_joint{i}" for i in range(1, 8))
READY = dict(zip(ARM, (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.785), strict=True))
FIRST = int(os.environ.get("LINKPOSE_WILD_FIRST", "0"))  # seed of the first drag


def check_limits(name: str) -> None:
    """Every joint is inside its limits, by the numbers in the file and not by ours; what is no number is not."""
    for bone in bpy.data.objects[name].pose.bones:
        for limit in bone.constraints:
            if limit.type == "LIMIT_ROTATION" and bone.name.startswith("panda_link"):
                assert limit.min_z <= bone.rotation_euler.z <= limit.max_z, bone.name


def checked_after_every_event(name: str) -> list[bool]:
    """Let the running drag check the limits whenever it has solved; returns, for every time, whether that moved it."""
    session = package("api").session()
    solve = session.advance
    solved: list[bool] = []

    def advance(*arguments: object) -> object:
        changed = solve(*arguments)
        check_limits(name)
        solved.append(bool(changed))
        return changed

    session.advance = advance
    return solved


def wild_drag(seed: int, end: str) -> Steps:
    """Moves, wheel, navigation, the drag's keys and those that it swallows, in any order; then Enter or Esc."""
    dice = random.Random(seed)
    name = robot.panda()
    package("api").set_pose(bpy.data.objects[name], READY)
    look((0.2, 0.0, 0.45), 2.2, azimuth=-50, elevation=15)
    viewport().space.overlay.show_overlays = False  # drawing them in software takes most of the time
    robot.enter(name, dice.choice(("OBJECT", "POSE")))
    with viewport().override():
        bpy.context.scene["marker"] = 1
        bpy.ops.ed.undo_push(message="Marker")
    before, traces = robot.channels(name), left_behind()
    yield from grab(name, "panda_hand")
    region = viewport().region
    solved = checked_after_every_event(name)
    used: set[str] = set()
    keys: list[tuple[str, dict[str, bool | str]]] = []
    for number in range(EVENTS):
        kind = dice.random()
        if kind < 0.6:
            at = [value + dice.randint(-60, 60) for value in window.pointer()]
            window.jump(
                min(max(at[0], region.x + 5), region.x + region.width - 5),
                min(max(at[1], region.y + 5), region.y + region.height - 5),
                **dice.choice(HELD),
            )
        elif kind < 0.7:
            simulate(dice.choice(("WHEELUPMOUSE", "WHEELDOWNMOUSE")), "PRESS", ctrl=dice.random() < 0.2)
        elif kind < 0.95:
            if not keys:
                keys = dice.sample(KEYS, len(KEYS))  # every key, in any order, then again
            key, modifiers = keys.pop() if kind < 0.9 else dice.choice(SWALLOWED)
            used.add(key)
            simulate(key, "PRESS", **modifiers)
            simulate(key, "RELEASE", **{name: held for name, held in modifiers.items() if name != "unicode"})
        else:
            simulate("MIDDLEMOUSE", "PRESS")
            window.jump(window.pointer()[0] + dice.randint(-30, 30), window.pointer()[1] + dice.randint(-20, 20))
            simulate("MIDDLEMOUSE", "RELEASE")
        if number % BATCH == 0:
            yield window.ONE_TICK
            assert running("LINKPOSE_OT_drag")
            for _ in range(ERASED if package("api").session().typing else 0):
                simulate("BACK_SPACE", "PRESS")
                simulate("BACK_SPACE", "RELEASE")
    yield
    assert len(solved) > EVENTS // 3, len(solved)
    assert sum(solved) > EVENTS // 10, sum(solved)
    assert used >= {key for key, _ in KEYS}, used
    dragged = robot.channels(name)
    assert dragged != before
    yield from press(end)
    assert left_behind() == traces
    if end == "ESC":
        assert robot.channels(name) == before
        assert not bpy.data.actions
    else:
        assert robot.keys(name)
        yield from window.undo()
        assert robot.channels(name) == before
        assert bpy.context.scene["marker"] == 1
    yield from window.undo()
    assert "marker" not in bpy.context.scene, "the drag was not exactly one undo step, or none when cancelled"


def both_ends(seed: int) -> Steps:
    """A drag that is cancelled, and another one that is confirmed."""
    yield from wild_drag(seed, "ESC")
    bpy.ops.wm.read_homefile(use_empty=True)
    yield 0.3
    yield from wild_drag(1000 + seed, "RET")


def test_a_first_random_drag_leaves_no_trace_or_one_undo_step() -> Steps:
    yield from both_ends(FIRST)


def test_a_second_random_drag_leaves_no_trace_or_one_undo_step() -> Steps:
    yield from both_ends(FIRST + 1)


def test_a_third_random_drag_leaves_no_trace_or_one_undo_step() -> Steps:
    yield from both_ends(FIRST + 2)
