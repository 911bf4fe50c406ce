"""The page "First drag" followed by its words, with the robot that it prints."""

from __future__ import annotations

import re
from pathlib import Path

import bpy
from inside import robot
from inside.window import Job, Steps, click, look, move, package, pointer, press, running, viewport

PAGE = Path(__file__).resolve().parents[3] / "docs" / "first-drag.md"
JOINTS = ("turret", "upper", "fore", "hand")


def test_a_dropped_robot_is_dragged_and_keyed_at_two_frames() -> Steps:
    file = Job.work / "arm.urdf"
    (text,) = re.findall(r"^```xml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    file.write_text(text, encoding="utf-8")
    yield from move(450, 325)
    with viewport().override():
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=str(file.parent), files=[{"name": file.name}])
    yield 0.3
    yield from press("RET")
    yield lambda: "arm" in bpy.data.objects and not running("LINKPOSE_OT_import_urdf")
    look((0.0, 0.0, 0.5), 2.5)
    yield
    for frame, way in ((1, (60, -50)), (40, (-70, -60))):
        bpy.context.scene.frame_set(frame)
        yield 0.1
        yield from robot.grab("arm", "hand")
        x, y = pointer()
        yield from move(x + way[0], y + way[1])
        yield from robot.settle()
        assert package("api").session().status == "REACHED"
        yield from click()
        assert not running("LINKPOSE_OT_drag")
    keys = robot.keys("arm")
    assert set(keys) == {(f'pose.bones["{bone}"].rotation_euler', 2) for bone in JOINTS}
    assert all([frame for frame, _ in points] == [1.0, 40.0] for points in keys.values())
    assert any(points[0][1] != points[1][1] for points in keys.values())
