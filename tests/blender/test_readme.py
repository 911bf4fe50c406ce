"""The README's examples, run as they stand."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from blender.support import solver
from support import ROOT


def examples() -> list[str]:
    """Python blocks of the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return [part.split("```")[0] for part in text.split("```python\n")[1:]]


def test_the_example_imports_solves_and_keys(example_robot_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(example_robot_data / "panda_description" / "urdf")
    names: dict[str, object] = {}
    exec(examples()[0], names)
    assert names["solution"].status is solver.Status.REACHED
    robot = bpy.data.objects[names["robot"].name]
    bpy.context.scene.frame_set(50)
    hand = robot.matrix_world @ robot.pose.bones["panda_hand"].matrix
    frame = bpy.data.armatures[robot.data.name].bones["panda_hand"]["linkpose"]["frame"]
    place = [sum(hand[row][k] * frame[4 * k + 3] for k in range(4)) for row in range(3)]
    assert place == pytest.approx((0.5, 0.3, 0.4), abs=1e-4)
