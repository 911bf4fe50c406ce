"""The user documentation in Blender: its examples run, and its table of keys is the drag's own."""

from __future__ import annotations

import ast
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.support import api, module, urdf
from docs_pages import blocks, rows, write_robot
from support import ROOT

KINDS = frozenset(item.identifier for item in bpy.types.Event.bl_rna.properties["type"].enum_items)
# Events that no user presses.
OTHERS = frozenset({"MOUSEMOVE", "TIMER", "NONE"})
NAMES = {
    "Left Mouse": {"LEFTMOUSE"},
    "Right Mouse": {"RIGHTMOUSE"},
    "Middle Mouse": {"MIDDLEMOUSE"},
    "Trackpad": {"TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM"},
    "NDOF": {"NDOF_MOTION"},
    "Enter": {"RET", "NUMPAD_ENTER"},
    "Wheel": {"WHEELUPMOUSE", "WHEELDOWNMOUSE"},
    "Up": {"UP_ARROW"},
    "Down": {"DOWN_ARROW"},
    "Page Up": {"PAGE_UP"},
    "Page Down": {"PAGE_DOWN"},
    "Shift": {"LEFT_SHIFT", "RIGHT_SHIFT"},
    "Ctrl": {"LEFT_CTRL", "RIGHT_CTRL"},
    "Backspace": {"BACK_SPACE"},
    "-": {"MINUS", "NUMPAD_MINUS"},
    ".": {"PERIOD", "NUMPAD_PERIOD"},
    "=": {"EQUAL"},
    "0-9": {"ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"}
    | {f"NUMPAD_{number}" for number in range(10)},
}
# What is no type of event: a character, and a modifier that the drag reads off the motion of the pointer.
TOLD = {",", "Alt"}


def documented() -> set[tuple[str, bool]]:
    """(type of event, whether with Ctrl) of every key in the table of the page."""
    found = set()
    for key, _ in rows("keys.md", "During a drag"):
        for name in (part for part in key.split("`") if part.strip()):
            plain = name.removeprefix("Ctrl-")
            if name not in TOLD:
                found.update((kind, plain != name) for kind in NAMES.get(plain, {plain.upper()}))
    return found


def named_in_source() -> set[str]:
    """Types of events that the drag's operator and its table of keys name."""
    found = set()
    for name in ("drag.py", "drag_commands.py"):
        for node in ast.walk(ast.parse((ROOT / "operators" / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) > 1:
                found.add(node.value)
    return (found & KINDS) - OTHERS


def test_the_table_of_keys_is_the_drag_s_own() -> None:
    commands = module("operators.drag_commands")
    table = {(key, command.ctrl) for command in commands.TABLE for key in command.keys}
    typed = {(kind, False) for kind in commands._CHARACTERS}
    held = {(kind, False) for kind in named_in_source()}
    pressed = {kind for kind, _ in table}
    assert documented() == table | typed | {(kind, ctrl) for kind, ctrl in held if kind not in pressed}
    assert {"0-9", *"-.,="} <= {name for key, _ in rows("keys.md", "During a drag") for name in key.split("`")}


def test_every_key_of_the_tool_is_told() -> None:
    told = {mouse for mouse, _ in rows("keys.md", "The tool")}
    values = {"CLICK_DRAG": "press, move, release", "DOUBLE_CLICK": "double-click", "CLICK": "click"}
    assert {values[key["value"]] for _, key, _ in module("ui.tool").KEYMAP} <= told


def test_every_panel_of_the_sidebar_is_told() -> None:
    told = {panel for panel, _ in rows("keys.md", "Sidebar, tab *Linkpose* (key N)")}
    shown = {
        panel.bl_label
        for panel in bpy.types.Panel.__subclasses__()
        if panel.__name__.startswith("LINKPOSE_PT_") and hasattr(panel, "bl_label")
    }
    assert told >= shown
    assert shown


def test_the_examples_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_robot(tmp_path)
    monkeypatch.chdir(tmp_path)
    examples = [block for block in blocks("scripts.md", "python") if "from linkpose import" not in block]
    assert len(examples) >= 5
    names: dict[str, object] = {}
    found = []
    solve = api.solve
    monkeypatch.setattr(api, "solve", lambda *args, **options: found.append(solve(*args, **options)) or found[-1])
    for example in examples:
        exec(example, names)
    assert [solution.status for solution in found] == ["REACHED"] * 7
    assert not names["report"].warnings
    assert names["pose"].keys() == {"turn", "shoulder", "elbow", "wrist"}
    assert set(names["batch"].status) == {"REACHED"}
    robot, rig = names["robot"], names["rig"]
    bpy.context.scene.frame_set(125)
    hand = robot.matrix_world @ robot.pose.bones["hand"].head
    assert (hand - hand.__class__(names["circle"][124])).length < 1e-4
    for side, x in (("L", 0.1), ("R", -0.1)):
        assert np.linalg.norm(np.array(rig.pose.bones[f"foot.{side}"].head) - (x, 0, 0.1)) < 1e-3
    assert np.linalg.norm(np.array(rig.pose.bones["hips"].tail) - (0, 0, 1.05)) < 1e-3


def test_the_robot_of_the_first_drag_has_nothing_wrong(tmp_path: Path) -> None:
    robot = urdf.load(write_robot(tmp_path))
    assert not robot.warnings
    assert [joint.type for joint in robot.joints].count("revolute") == 3
