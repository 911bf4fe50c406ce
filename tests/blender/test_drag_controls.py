"""What a running drag can be asked for beside its target: pins, orientation, handle, method, numbers."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender.characters import metarig
from blender.posing import arm, changed, channels, import_bare, keyed, shown, tail
from blender.robots import robot_file
from blender.support import api, module


@pytest.fixture
def started():
    """Drags that are over at the end of the test, whatever becomes of it."""
    made = []

    def start(armature: bpy.types.Object, body: str, **options: object) -> object:
        held = module("rig.grip").by_name(bpy.context, armature.name, body)
        made.append(module("rig.drag").DragSession(bpy.context, held, tail(armature, held.bone), **options))
        return made[-1]

    yield start
    for drag in made:
        drag.cancel(bpy.context)


def refused() -> type[Exception]:
    return module("rig.drag_controls").NotNowError


def go(drag: object, way: tuple[float, float, float]) -> None:
    drag.aim(drag.target + np.array(way))
    drag.advance(bpy.context, 0.5)


def rotation(armature: bpy.types.Object, bone: str) -> np.ndarray:
    linear = shown(armature, bone)[:3, :3]
    return linear / np.linalg.norm(linear, axis=0)


@pytest.mark.parametrize(
    ("system", "unit", "scale", "text", "metres"),
    [
        ("METRIC", "METERS", 1.0, "1.5", 1.5),
        ("METRIC", "CENTIMETERS", 1.0, "12", 0.12),
        ("METRIC", "CENTIMETERS", 1.0, "12 mm", 0.012),
        ("METRIC", "METERS", 0.01, "12cm", 12.0),
        ("METRIC", "METERS", 1.0, "3 in", 0.0762),
        ("IMPERIAL", "FEET", 1.0, "3", 0.9144),
        ("IMPERIAL", "INCHES", 1.0, "3", 0.0762),
        ("IMPERIAL", "FEET", 1.0, "1'2\"", 0.3556),
        ("NONE", "METERS", 1.0, "2.5", 2.5),
        ("NONE", "METERS", 1.0, "25cm", 0.25),
        ("METRIC", "METERS", 1.0, "=2*3cm", 0.06),
        ("METRIC", "METERS", 1.0, "-4cm", -0.04),
        ("METRIC", "METERS", 1.0, "4cm-", -0.04),
        ("METRIC", "METERS", 1.0, "1,5", 1.5),
    ],
)
def test_numbers_are_read_in_the_scene_s_units(system: str, unit: str, scale: float, text: str, metres: float) -> None:
    settings = bpy.context.scene.unit_settings
    settings.system = system
    if system != "NONE":
        settings.length_unit = unit
    settings.scale_length = scale
    typed = module("rig.typed")
    field = typed.Typed(1, typed.lengths(bpy.context.scene))
    for char in text:
        field.put(char)
    assert field.read
    assert field.values[0] == pytest.approx(metres, rel=1e-6)


@pytest.mark.parametrize("system", ["METRIC", "IMPERIAL", "NONE"])
@pytest.mark.parametrize(
    "text",
    [
        "1e300",
        "..",
        "5kg",
        "import os",
        "2**3",
        "1<<2",
        "factorial(3)",
        "len(dir())",
        "len('abc')",
        "inf",
        "nan",
    ],
)
def test_a_number_is_a_finite_sum_of_numbers_and_no_program(system: str, text: str) -> None:
    bpy.context.scene.unit_settings.system = system
    typed = module("rig.typed")
    for reader in (typed.lengths(bpy.context.scene), typed.angles(bpy.context.scene)):
        field = typed.Typed(1, reader)
        for char in text:
            field.put(char)
        assert not field.read
        assert math.isfinite(field.values[0])


def test_functions_and_constants_are_read_in_a_number() -> None:
    bpy.context.scene.unit_settings.system = "METRIC"
    typed = module("rig.typed")
    lengths, angles = typed.lengths(bpy.context.scene), typed.angles(bpy.context.scene)
    assert lengths("sqrt(16)*5cm") == pytest.approx(0.2)
    assert lengths("5'6\"") == pytest.approx(1.6764)
    assert angles("pi r") == pytest.approx(math.pi)


def test_an_armature_that_is_scaled_to_nothing_along_an_axis_is_refused_by_that_axis(started) -> None:
    armature = arm()
    for scale, where in (((1, 0, 1), " along Y:"), ((0, 1, 0), " along X and Z:"), ((0, 0, 0), "to nothing:")):
        armature.scale = scale
        bpy.context.view_layer.update()
        with pytest.raises(module("errors").RigError, match=where):
            started(armature, "b4")


def test_what_cannot_be_read_yet_keeps_the_last_value_and_backspace_goes_back_through_the_fields(capfd) -> None:
    typed = module("rig.typed")
    field = typed.Typed(2, typed.lengths(bpy.context.scene))
    for char in "5c":
        field.put(char)
    assert (field.values, field.read) == ([5.0, 0.0], False)
    field.put("m")
    assert field.values[0] == pytest.approx(0.05)
    field.go(1)
    field.put("2")
    assert field.values == pytest.approx([0.05, 2.0])
    assert field.erase()
    assert field.erase()
    assert (field.active, field.texts) == (0, ["5c", ""])
    assert field.erase()
    assert not field.erase()
    assert field.values == [0.0, 0.0]
    assert "Error" not in capfd.readouterr().err, "Blender's complaints of half a number are for nobody"


def test_angles_are_read_in_degrees_and_in_the_scene_s_radians() -> None:
    typed = module("rig.typed")
    assert typed.angles(bpy.context.scene)("45") == pytest.approx(math.pi / 4)
    bpy.context.scene.unit_settings.system_rotation = "RADIANS"
    assert typed.angles(bpy.context.scene)("0.5") == pytest.approx(0.5)
    assert typed.angles(bpy.context.scene)("90d") == pytest.approx(math.pi / 2)


@pytest.mark.parametrize(("least", "inches", "step"), [
    (0.003, False, 0.005), (0.01, False, 0.01), (0.0101, False, 0.02), (7.0, False, 10.0), (0.01, True, 0.0127),
])  # fmt: skip
def test_steps_are_those_that_people_count_in(least: float, inches: bool, step: float) -> None:
    assert module("rig.aiming").nice_step(least, inches=inches) == pytest.approx(step)


def test_feet_are_pinned_and_let_go_while_hips_move_and_nothing_jumps(started) -> None:
    armature = metarig("human")
    before = channels(armature)
    feet = {foot: shown(armature, foot) for foot in ("foot.L", "foot.R")}
    drag = started(armature, "spine")
    go(drag, (0.02, 0.0, -0.03))
    moved = {foot: shown(armature, foot) for foot in feet}
    pose = channels(armature)
    for foot in feet:
        drag.toggle_pin(bpy.context, foot)
    assert drag.pinned == tuple(feet)
    drag.advance(bpy.context, 0.2)
    assert channels(armature) == pose, "a pin takes a body as it is"
    go(drag, (0.0, 0.03, -0.05))
    for foot, was in moved.items():
        assert np.abs(shown(armature, foot) - was).max() < 2e-3, foot
        assert np.abs(was - feet[foot]).max() > 1e-2
    pose = channels(armature)
    drag.toggle_pin(bpy.context, "foot.L")
    drag.advance(bpy.context, 0.2)
    assert channels(armature) == pose, "what is let go stays"
    go(drag, (0.0, 0.02, 0.0))
    drag.confirm(bpy.context)
    bones = {path.split('"')[1] for path, _ in keyed(armature)}
    assert {"thigh.L", "shin.L", "foot.L", "thigh.R"} <= bones, "joints that a pin had moved are keyed also after it"
    assert changed(before, channels(armature)) <= bones


def test_a_leg_of_three_joints_pins_its_foot_s_place_and_a_human_one_its_rotation_too(started, tmp_path: Path) -> None:
    human = started(metarig("human"), "spine")
    human.toggle_pin(bpy.context, "foot.L")
    assert human.taken.pins[0].orientation is not None
    human.cancel(bpy.context)
    robot = api.import_urdf(robot_file("anymal_c"), free_base=True).armature
    trunk = started(robot, "base")
    for leg in ("LF", "RF", "LH", "RH"):
        trunk.toggle_pin(bpy.context, f"{leg}_FOOT")
    assert trunk.taken.pins[0].orientation is None
    feet = {leg: shown(robot, f"{leg}_FOOT")[:3, 3] for leg in ("LF", "RF", "LH", "RH")}
    go(trunk, (0.04, 0.02, -0.05))
    assert trunk.status == "REACHED"
    for leg, was in feet.items():
        assert np.linalg.norm(shown(robot, f"{leg}_FOOT")[:3, 3] - was) < 1e-3


def test_pins_that_are_set_while_the_object_itself_moves_stay_in_the_world(started, tmp_path: Path) -> None:
    armature = import_bare("panda", tmp_path)
    api.set_pose(armature, {"panda_joint4": -1.8, "panda_joint6": 1.5})
    armature.rotation_euler.z = 0.5
    bpy.context.view_layer.update()
    drag = started(armature, "panda_link0", root_motion=True)
    go(drag, (0.1, 0.05, 0.02))
    drag.toggle_pin(bpy.context, "panda_hand")
    hand = shown(armature, "panda_hand")
    go(drag, (-0.05, 0.02, 0.03))
    drag.toggle_pin(bpy.context, "panda_link6")
    go(drag, (0.0, 0.0, 0.01))
    assert np.linalg.norm(shown(armature, "panda_hand")[:3, 3] - hand[:3, 3]) < 5e-3
    assert np.linalg.norm(np.array(drag.handle) - drag.target) < 5e-2


def test_what_is_rigid_to_the_dragged_body_cannot_be_pinned(started) -> None:
    armature = arm()
    drag = started(armature, "b4")
    with pytest.raises(refused(), match="part of what is dragged"):
        drag.toggle_pin(bpy.context, "b4")
    assert drag.pinned == ()


def test_orientation_is_held_and_let_go(started) -> None:
    armature = arm()
    start, before = rotation(armature, "b4"), channels(armature)
    drag = started(armature, "b4")
    drag.hold(bpy.context)
    assert not drag.has_moved
    go(drag, (0.3, 0.1, -0.3))
    assert np.abs(rotation(armature, "b4") - start).max() < 2e-3
    assert drag.status == "REACHED"
    drag.turn.free()
    drag.cancel(bpy.context)
    assert channels(armature) == before


def test_an_unevenly_scaled_armature_has_no_orientation_to_hold_and_goes_on(started) -> None:
    armature = arm()
    armature.scale = (1.0, 2.0, 1.0)
    bpy.context.view_layer.update()
    drag = started(armature, "b4")
    with pytest.raises(refused(), match="unevenly"):
        drag.hold(bpy.context)
    go(drag, (0.1, 0.0, -0.1))
    assert drag.residual < 1e-3
    assert drag.recipe()["orientation"] is None


def test_methods_go_round_and_each_reaches(started) -> None:
    armature = arm()
    drag = started(armature, "b4")
    for method in ("CCD", "FABRIK", "AUTO"):
        drag.next_method()
        assert drag.method == method
        go(drag, (0.05, 0.02, -0.06))
        assert drag.residual < 2e-3, method


def test_handles_are_those_that_differ_and_cycling_moves_nothing(started) -> None:
    armature = api.import_urdf(robot_file("panda")).armature
    api.set_pose(armature, {"panda_joint4": -1.8, "panda_joint6": 1.5})
    click = tail(armature, "panda_hand")
    held = np.linalg.solve(shown(armature, "panda_hand"), (*click, 1.0))
    drag = started(armature, "panda_hand")
    assert [name for name, _ in drag.handles] == ["centre", "clicked point", "origin"]
    assert drag.handle_name == "centre"
    go(drag, (-0.05, 0.1, 0.05))
    pose = channels(armature)
    drag.next_handle(bpy.context, None)
    drag.advance(bpy.context, 0.2)
    assert drag.handle_name == "clicked point"
    assert channels(armature) == pose
    assert drag.handle == pytest.approx((shown(armature, "panda_hand") @ held)[:3], abs=1e-5)
    go(drag, (0.02, 0.0, -0.03))
    assert (shown(armature, "panda_hand") @ held)[:3] == pytest.approx(drag.target, abs=1e-4)


def test_a_bone_that_was_clicked_at_its_tail_has_one_handle(started) -> None:
    drag = started(arm(), "b4")
    assert [name for name, _ in drag.handles] == ["tail"]
    with pytest.raises(refused(), match="no other"):
        drag.next_handle(bpy.context, None)


def test_a_stalled_search_finds_elsewhere_what_it_did_not_find_from_here(started, tmp_path: Path) -> None:
    armature = import_bare("panda", tmp_path)
    skeleton = api.read_skeleton(armature)
    dice = np.random.default_rng(1)
    drag = started(armature, "panda_hand")
    with pytest.raises(refused(), match="stalled"):
        drag.search_elsewhere(bpy.context)
    found = []
    for _ in range(120):
        share = 0.1 + 0.8 * dice.random(len(skeleton.unknowns))
        frame = skeleton.forward(skeleton.lower + share * (skeleton.upper - skeleton.lower))["panda_hand"]
        drag.hold(bpy.context, frame[:3, :3])
        drag.aim(frame[:3, :3] @ drag.grip.point + frame[:3, 3])
        for _ in range(40):
            drag.advance(bpy.context, 0.01)
            if drag.is_done:
                break
        if drag.is_stalled:
            left = drag.residual + drag.solution.orientation_residual
            pose = channels(armature)
            better = drag.search_elsewhere(bpy.context)
            found.append(better)
            if better:
                assert drag.residual + drag.solution.orientation_residual < left
            else:
                assert channels(armature) == pose, "what is no better is not shown"
        if len(found) >= 4:
            break
    assert any(found), found
