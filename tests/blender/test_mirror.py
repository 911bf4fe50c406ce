"""The other side of a character follows a drag, as Blender's X-Axis Mirror does: measured against Blender itself."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender import characters
from blender.posing import changed, channels, keyed, make_named
from blender.support import api, module
from mathutils import Euler, Matrix

FLIP = np.diag((-1.0, 1.0, 1.0))
MODES = ("QUATERNION", "XYZ", "ZXY", "AXIS_ANGLE")


def start(armature: bpy.types.Object, bone: str, *, mirror: bool | None = None, what: str = "CHAIN") -> object:
    """A drag of a bone by its tail that has not moved yet."""
    grip = module("rig.grip").by_name(bpy.context, armature.name, bone)
    keying = module("rig.keying").Keying(what, "NEVER" if what == "NEVER" else "ALWAYS")
    return module("rig.drag").DragSession(bpy.context, grip, np.zeros(3), keying=keying, mirror=mirror)


def drag(
    armature: bpy.types.Object,
    bone: str,
    step: tuple[float, float, float],
    *,
    mirror: bool | None = True,
    what: str = "NEVER",
) -> object:
    """A confirmed drag by a share of the armature's size."""
    session = start(armature, bone, mirror=mirror, what=what)
    session.aim(session.handle + np.array(step) * session.size)
    session.confirm(bpy.context)
    assert session.refused_key == ""
    return session


def dragged(session: object) -> tuple[str, ...]:
    return session.taken.rig.written_bones(session.chain)


def deformation(armature: bpy.types.Object, bone: str) -> np.ndarray:
    """(3, 3) how the bone turns what it deforms, from rest to the pose that Blender shows."""
    posed = armature.pose.bones[bone]
    return np.array(posed.matrix)[:3, :3].astype(float) @ np.array(posed.bone.matrix_local)[:3, :3].astype(float).T


def angle(one: np.ndarray, other: np.ndarray) -> float:
    """[rad] between two rotations, exact for small ones."""
    between = one.T @ other
    skew = (between[2, 1] - between[1, 2], between[0, 2] - between[2, 0], between[1, 0] - between[0, 1])
    return math.atan2(float(np.linalg.norm(skew)), float(np.trace(between)) - 1.0)


def mirror_error(armature: bpy.types.Object, bone: str, other: str) -> float:
    """How far the other side is from the mirror image [rad]."""
    return angle(FLIP @ deformation(armature, bone) @ FLIP, deformation(armature, other))


def vrm() -> bpy.types.Object:
    """A published VRM character, its bones named as VRoid Studio names them."""
    armature = characters.from_file("vrm/basic_armature.blend")
    for bone in armature.data.bones:
        name, _, side = bone.name.partition(".")
        bone.name = f"J_Bip_{side or 'C'}_{name.title().replace('_', '')}"
    return armature


def japanese() -> bpy.types.Object:
    """Two arms named as in MikuMikuDance."""
    bones = [("上半身", "", (0, 0, 1), (0, 0, 1.4))]
    for side, x in (("左", 1.0), ("右", -1.0)):
        bones.append((f"{side}肩", "上半身", (0.02 * x, 0, 1.4), (0.15 * x, 0, 1.42)))
        bones.append((f"{side}腕", f"{side}肩", (0.15 * x, 0, 1.42), (0.4 * x, 0.02, 1.3)))
        bones.append((f"{side}ひじ", f"{side}腕", (0.4 * x, 0.02, 1.3), (0.65 * x, 0, 1.2)))
    return make_named(bones)


def from_bvh(name: str) -> bpy.types.Object:
    """A character of a BVH file, without its motion."""
    armature = characters.from_file(f"bvh/{name}.bvh")
    armature.animation_data_clear()
    for bone in armature.pose.bones:
        bone.matrix_basis = Matrix()
    bpy.context.view_layer.update()
    return armature


def rigify() -> bpy.types.Object:
    """The rig that Rigify makes of its basic human, in FK."""
    armature = characters.generated()
    for bone in armature.pose.bones:
        if "IK_FK" in bone:
            bone["IK_FK"] = 1.0
    armature.update_tag()
    bpy.context.view_layer.update()
    return armature


CHARACTERS: dict[str, tuple[Callable[[], bpy.types.Object], tuple[str, ...]]] = {
    "Rigify's human metarig": (lambda: characters.metarig("human"), ("hand.L", "foot.R", "f_index.03.L")),
    "Rigify's FK controls": (rigify, ("hand_fk.L", "foot_fk.R")),
    "Mixamo": (lambda: from_bvh("test_freebvh"), ("mixamorig:LeftHand", "mixamorig:RightFoot")),
    "VRM": (vrm, ("J_Bip_L_Hand", "J_Bip_R_Foot")),
    "Maya HumanIK": (
        lambda: characters.from_file("fbx/maya_human_ik_7400_binary.fbx"),
        ("Character1_LeftHand", "Character1_RightFoot"),
    ),
    "CMU": (lambda: from_bvh("01_01"), ("LeftHand", "RightFoot")),
    "Unreal": (characters.mannequin, ("hand_l", "foot_r")),
    "MikuMikuDance": (japanese, ("左ひじ",)),
}


@pytest.mark.parametrize("name", CHARACTERS)
def test_the_other_side_is_the_mirror_image(name: str, record_property: Callable[[str, object], None]) -> None:
    make, bones = CHARACTERS[name]
    armature = make()
    dice = np.random.default_rng(4)
    sides = module("rig.sides").of_armature(armature.data)
    worst = 0.0
    for bone in bones:
        for _ in range(4):
            session = drag(armature, bone, tuple(dice.normal(size=3) * 0.15))
            moved = dragged(session)
            assert session.mirrored == tuple(sides.other(one) for one in moved)
            assert len(moved) >= 2
            errors = [mirror_error(armature, one, sides.other(one)) for one in moved]
            worst = max(worst, *errors)
    record_property("largest orientation error [rad]", worst)
    assert worst <= 1e-5


@pytest.mark.parametrize("modes", [("QUATERNION", "ZXY"), ("XYZ", "AXIS_ANGLE"), ("AXIS_ANGLE", "QUATERNION")])
def test_the_rotation_modes_of_both_sides_may_differ_and_stay(modes: tuple[str, str]) -> None:
    armature = characters.metarig("basic_human")
    for bone in armature.pose.bones:
        bone.rotation_mode = modes[bone.name.endswith(".R")]
    for step in ((-0.2, -0.2, 0.1), (0.1, 0.3, -0.4), (-0.4, 0.1, 0.3)):
        for bone in dragged(drag(armature, "hand.L", step)):
            assert mirror_error(armature, bone, bone.replace(".L", ".R")) <= 1e-5
    assert {bone.rotation_mode for bone in armature.pose.bones if bone.name.endswith(".R")} == {modes[1]}


def test_it_is_what_blender_pastes_flipped() -> None:
    armature = characters.metarig("basic_human")
    for i, bone in enumerate(armature.pose.bones):
        bone.rotation_mode = MODES[i % 4]
    before = module("rig.snapshot").take(armature)
    session = drag(armature, "hand.L", (-0.3, -0.2, 0.2))
    ours = {bone: np.array(armature.pose.bones[bone].matrix_basis) for bone in session.mirrored}
    for bone in session.mirrored:
        module("rig.snapshot").restore(
            armature, module("rig.snapshot").Snapshot({bone: before.states[bone]}, False, "")
        )
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="SELECT")
    bpy.ops.pose.copy()
    bpy.ops.pose.paste(flipped=True)
    for bone, matrix in ours.items():
        assert np.abs(matrix - np.array(armature.pose.bones[bone].matrix_basis)).max() <= 2e-6, bone


def legs(*, local: bool) -> bpy.types.Object:
    """Feet that lead legs by IK, on a tilted and locked root, with rests that are mirrored exactly."""
    bones = [("root", "", (0, 0, 0), (0, -0.1, 0.3)), ("hips", "", (0, 0, 1), (0, 0, 1.2))]
    for side, x in (("L", 1.0), ("R", -1.0)):
        bones.append((f"thigh.{side}", "hips", (0.1 * x, 0, 1), (0.12 * x, -0.05, 0.5)))
        bones.append((f"shin.{side}", f"thigh.{side}", (0.12 * x, -0.05, 0.5), (0.11 * x, 0, 0.1)))
        bones.append((f"foot_ik.{side}", "root", (0.11 * x, 0, 0.1), (0.2 * x, -0.2, 0.05)))
    armature = make_named(bones)
    for side in "LR":
        armature.data.bones[f"foot_ik.{side}"].use_local_location = local
        ik = armature.pose.bones[f"shin.{side}"].constraints.new("IK")
        ik.target, ik.subtarget, ik.chain_count = armature, f"foot_ik.{side}", 2
    armature.pose.bones["root"].rotation_quaternion = (0.9, 0.2, 0.0, 0.0)
    armature.pose.bones["root"].lock_rotation = (True, True, True)
    return armature


@pytest.mark.parametrize("local", [True, False])
def test_a_control_that_slides_is_mirrored_by_its_location(local: bool) -> None:
    armature = legs(local=local)
    armature.pose.bones["foot_ik.R"].rotation_quaternion = (0.7, 0.1, 0.5, 0.2)
    turned = tuple(armature.pose.bones["foot_ik.R"].rotation_quaternion)
    before = channels(armature)
    session = drag(armature, "foot_ik.L", (0.1, -0.15, 0.2))
    assert session.mirrored == ("foot_ik.R",)
    assert changed(before, channels(armature)) == {"foot_ik.L", "foot_ik.R"}
    left, right = (armature.pose.bones[f"foot_ik.{side}"] for side in "LR")
    assert np.linalg.norm(left.location) > 0.1
    assert np.abs(np.array(left.head) * (-1, 1, 1) - np.array(right.head)).max() <= 1e-6
    assert tuple(right.rotation_quaternion) == turned
    ours = np.array(right.location)
    right.location = (0.0, 0.0, 0.0)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="SELECT")
    bpy.ops.pose.copy()
    bpy.ops.pose.paste(flipped=True)
    assert np.abs(ours - np.array(right.location)).max() <= 1e-6


def turn_by_blender(armature: bpy.types.Object, bone: str, angle: float, axis: str) -> None:
    """Turn a bone as R and a number do, with the pose options as they are."""
    armature.data.bones.active = armature.data.bones[bone]
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="DESELECT")
    holder = armature.pose.bones[bone] if hasattr(armature.pose.bones[bone], "select") else armature.data.bones[bone]
    holder.select = True
    assert bpy.ops.transform.rotate(value=angle, orient_axis=axis, orient_type="GLOBAL") == {"FINISHED"}
    bpy.context.view_layer.update()


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_it_is_what_blenders_own_x_mirror_does(relative: bool, mode: str) -> None:
    reading, mirroring, snapshot = (module(f"rig.{name}") for name in ("reading", "mirroring", "snapshot"))
    armature = characters.metarig("basic_human")
    armature.pose.use_mirror_x, armature.pose.use_mirror_relative = True, relative
    left, right = armature.pose.bones["upper_arm.L"], armature.pose.bones["upper_arm.R"]
    left.rotation_quaternion, right.rotation_quaternion = (0.9, 0.1, 0.2, 0.3), (0.8, -0.3, 0.1, 0.1)
    left.rotation_mode = right.rotation_mode = mode
    bpy.context.view_layer.update()
    rig = reading.read(armature)
    mirror = mirroring.take(armature, rig, ["upper_arm.L:x", "upper_arm.L:y", "upper_arm.L:z"], relative=relative)
    assert mirror.bones == ("upper_arm.R",)
    for angle, axis in ((0.5, "Z"), (-0.7, "X"), (1.1, "Y")):
        before = snapshot.take(armature, ["upper_arm.R"])
        # Blender's relative mirror counts from the start of each transform.
        mirror = mirroring.take(armature, reading.read(armature), rig.bones["upper_arm.L"].unknowns, relative=relative)
        turn_by_blender(armature, "upper_arm.L", angle, axis)
        theirs = right.matrix_basis.copy()
        assert (theirs.to_quaternion().rotation_difference(right.matrix_basis.to_quaternion())).angle < 1e-6
        snapshot.restore(armature, before)
        bpy.context.view_layer.update()
        mirror.write(armature, reading.read(armature).pose())
        assert np.abs(np.array(right.matrix_basis) - np.array(theirs)).max() <= 2e-6
        bpy.context.view_layer.update()


def local_euler(armature: bpy.types.Object, bone: str, order: str = "XYZ") -> Euler:
    """The rotation of a bone as constraints leave it."""
    bpy.context.view_layer.update()
    posed = armature.pose.bones[bone]
    shown = armature.convert_space(pose_bone=posed, matrix=posed.matrix, from_space="POSE", to_space="LOCAL")
    return shown.to_euler(order)


@pytest.mark.parametrize("mode", MODES)
def test_the_other_side_stays_within_its_own_limits_as_they_are_shown(mode: str) -> None:
    armature = characters.metarig("basic_human")
    names = ("shoulder.R", "upper_arm.R", "forearm.R", "hand.R")
    for name in names:
        bone = armature.pose.bones[name]
        bone.rotation_mode = mode
        limit = bone.constraints.new("LIMIT_ROTATION")
        limit.owner_space = "LOCAL"
        for i, axis in enumerate("xyz"):
            setattr(limit, f"use_limit_{axis}", True)
            setattr(limit, f"min_{axis}", (-0.1, -0.3, -0.05)[i])
            setattr(limit, f"max_{axis}", (0.2, 0.1, 0.3)[i])
    order = mode if len(mode) == 3 else "XYZ"
    held = 0
    for step in ((-0.3, -0.3, 0.2), (0.2, 0.3, -0.5), (-0.5, 0.2, 0.4), (0.1, -0.5, 0.1)):
        session = drag(armature, "hand.L", step)
        assert session.mirrored == names
        for name in names:
            shown = local_euler(armature, name, order)
            for value, low, high in zip(shown, (-0.1, -0.3, -0.05), (0.2, 0.1, 0.3), strict=True):
                assert low - 1e-6 <= value <= high + 1e-6
                held += min(value - low, high - value) < 1e-6
            basis = armature.pose.bones[name].matrix_basis.to_quaternion()
            assert basis.rotation_difference(shown.to_quaternion()).angle < 2e-6, "the channels are not what is shown"
    assert held > 5, "no limit was met"


def test_ik_limits_of_the_other_side_are_kept() -> None:
    armature = characters.metarig("basic_human")
    bone = armature.pose.bones["forearm.R"]
    bone.rotation_mode = "XYZ"
    bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, -0.1, 0.1
    for step in ((-0.3, -0.3, 0.2), (0.2, 0.3, -0.5)):
        drag(armature, "hand.L", step)
        assert abs(bone.rotation_euler.x) <= np.float32(0.1)
    left = armature.pose.bones["forearm.L"].matrix_basis.to_euler("XYZ")
    assert abs(left.x) > 0.11, "the other side was never asked beyond its limit"
    assert bone.rotation_euler.x == pytest.approx(math.copysign(0.1, left.x), abs=1e-6)


def test_locked_and_driven_channels_of_the_other_side_are_left_alone() -> None:
    armature = characters.metarig("basic_human")
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"
    armature.pose.bones["upper_arm.R"].lock_rotation = (False, True, False)
    armature.pose.bones["upper_arm.R"].rotation_euler.y = 0.123
    armature.pose.bones["hand.R"].lock_rotation = (True, True, True)
    curve = armature.pose.bones["forearm.R"].driver_add("rotation_euler", 0)
    curve.driver.expression = "0.25"
    bpy.context.view_layer.update()
    before = channels(armature)
    scales = [tuple(bone.scale) for bone in armature.pose.bones]
    session = drag(armature, "hand.L", (-0.3, -0.3, 0.2))
    assert session.mirrored == ("shoulder.R", "upper_arm.R")
    assert {"forearm.R", "hand.R"}.isdisjoint(changed(before, channels(armature)))
    assert armature.pose.bones["upper_arm.R"].rotation_euler.y == float(np.float32(0.123))
    assert [tuple(bone.scale) for bone in armature.pose.bones] == scales


def test_turns_and_signs_of_the_other_side_do_not_jump() -> None:
    armature = characters.metarig("basic_human")
    for bone, mode in zip(("shoulder", "upper_arm", "forearm", "hand"), MODES, strict=True):
        armature.pose.bones[f"{bone}.R"].rotation_mode = mode
    # The same as no rotation at all, said in another way.
    armature.pose.bones["shoulder.R"].rotation_quaternion = (-1.0, 0.0, 0.0, 0.0)
    armature.pose.bones["upper_arm.R"].rotation_euler = (2.0 * math.pi, 0.0, -2.0 * math.pi)
    armature.pose.bones["forearm.R"].rotation_euler = (0.0, 4.0 * math.pi, 0.0)
    armature.pose.bones["hand.R"].rotation_axis_angle = (2.0 * math.pi, 0.0, 1.0, 0.0)
    session = start(armature, "hand.L", mirror=True)
    centre, radius = session.handle.copy(), 0.05 * session.size

    def values() -> np.ndarray:
        bones = (armature.pose.bones[name] for name in ("shoulder.R", "upper_arm.R", "forearm.R"))
        return np.array([*next(bones).rotation_quaternion, *next(bones).rotation_euler, *next(bones).rotation_euler])

    last = values()
    hand = armature.pose.bones["hand.R"]
    for i in range(1, 60):
        turn = 4.0 * math.pi * i / 60
        session.aim(centre + radius * np.array((math.cos(turn) - 1.0, math.sin(turn), math.sin(0.5 * turn))))
        session.advance(bpy.context, 0.05)
        assert np.abs(values() - last).max() < 0.4, i
        assert abs(hand.rotation_axis_angle[0] - 2.0 * math.pi) < 1.0
        last = values()
        for bone in dragged(session):
            assert mirror_error(armature, bone, bone.replace(".L", ".R")) <= 1e-5
    session.cancel(bpy.context)


def test_a_cancelled_drag_puts_both_sides_back_bit_for_bit() -> None:
    armature = characters.metarig("basic_human")
    armature.pose.use_mirror_x = True
    for i, bone in enumerate(armature.pose.bones):
        bone.rotation_mode = MODES[i % 4]
        bone.rotation_quaternion = (0.3, 0.1 * (i % 3), -0.2, 0.05)
        bone.rotation_euler = (0.1 * (i % 5) + 7.0, -0.0, 0.2)
        bone.rotation_axis_angle = (0.3, 0.1, 2.0, 0.0)
    bpy.context.view_layer.update()
    before = channels(armature)
    session = start(armature, "hand.L")
    assert channels(armature) == before
    session.aim(session.handle + np.array((-0.2, -0.2, 0.2)))
    session.advance(bpy.context, 0.05)
    arm = ("shoulder", "upper_arm", "forearm", "hand")
    assert changed(before, channels(armature)) == {f"{bone}.{side}" for bone in arm for side in "LR"}
    session.cancel(bpy.context)
    assert channels(armature) == before
    assert not keyed(armature)


@pytest.mark.parametrize("on", [False, True])
def test_a_drag_follows_the_pose_option_and_an_argument_goes_before_it(on: bool) -> None:
    armature = characters.metarig("basic_human")
    armature.pose.use_mirror_x = on
    assert bool(start(armature, "hand.L").mirrored) == on
    module("rig.drag").current().cancel(bpy.context)
    assert bool(start(armature, "hand.L", mirror=not on).mirrored) != on
    module("rig.drag").current().cancel(bpy.context)


def keyed_bones(armature: bpy.types.Object) -> set[str]:
    return {path.split('"')[1] for path, _ in keyed(armature)}


@pytest.mark.parametrize("what", ["CHAIN", "MOVED", "EVERYTHING"])
def test_both_sides_are_keyed_alike(what: str) -> None:
    armature = characters.metarig("basic_human")
    session = drag(armature, "forearm.L", (-0.1, -0.2, 0.1), what=what)
    found = keyed(armature)
    for left in dragged(session):
        paths = {(path, i) for path, i in found if f'"{left}"' in path}
        assert len(paths) == (3 if len(armature.pose.bones[left].rotation_mode) == 3 else 4)
        assert {(path.replace(".L", ".R"), i) for path, i in paths} <= set(found)
    arm = {f"{bone}.{side}" for bone in ("shoulder", "upper_arm", "forearm") for side in "LR"}
    assert keyed_bones(armature) == (set(armature.pose.bones.keys()) if what == "EVERYTHING" else arm)
    for (path, index), keys in found.items():
        assert [value for _, value in keys] == [armature.path_resolve(path)[index]]


def test_a_control_that_slides_is_keyed_on_both_sides() -> None:
    armature = legs(local=True)
    drag(armature, "foot_ik.L", (0.1, -0.15, 0.2), what="EVERYTHING")
    for side in "LR":
        path = f'pose.bones["foot_ik.{side}"].location'
        assert [keyed(armature)[path, i][0][1] for i in range(3)] == list(armature.path_resolve(path))


def test_a_repeated_drag_writes_and_keys_both_sides_again() -> None:
    armature = characters.metarig("basic_human")
    for bone, what in (("hand.L", "CHAIN"), ("foot.R", "MOVED")):
        before = module("rig.snapshot").take(armature)
        session = drag(armature, bone, (-0.1, -0.2, 0.2), what=what)
        dragged_pose, keys = channels(armature), keyed(armature)
        stored = json.loads(json.dumps(session.channels()))
        armature.animation_data_clear()
        module("rig.snapshot").restore(armature, before)
        rules = module("rig.keying").Keying(what, "ALWAYS")
        assert module("rig.replay").replay(bpy.context, armature.name, bone, stored, rules) == ""
        assert channels(armature) == dragged_pose
        assert keyed(armature) == keys
        armature.animation_data_clear()


def test_bones_whose_other_side_is_dragged_as_well_and_centre_bones_mirror_nothing() -> None:
    names = ("hips", "spine", "half.L", "half.R", "end.L")
    bones = [
        (name, names[i - 1] if i else "", (0.02 * (i % 2), 0.1 * i, 0.3 * i), (0.02, 0.1 * i + 0.1, 0.3 * i + 0.3))
        for i, name in enumerate(names)
    ]
    bones.append(("end.R", "", (-1, 0, 0), (-1, 0, 0.3)))
    armature = make_named(bones)
    before = channels(armature)
    session = drag(armature, "end.L", (-0.3, 0.2, -0.2))
    assert session.mirrored == ("end.R",)
    assert changed(before, channels(armature)) == {*dragged(session), "end.R"}
    assert {"half.L", "half.R"} <= set(dragged(session))
    assert start(armature, "half.R", mirror=True).mirrored == ()
    module("rig.drag").current().cancel(bpy.context)


def test_an_other_side_that_carries_what_is_dragged_stays() -> None:
    bones = [("arm.R", "", (0, 0, 0), (0, 0, 1)), ("mid", "arm.R", (0, 0, 1), (0, 0.1, 2))]
    bones += [("twig", "mid", (0, 0, 1.5), (1, 0, 1.5)), ("twig2", "twig", (1, 0, 1.5), (2, 0, 1.5))]
    bones += [("arm.L", "mid", (0, 0.1, 2), (0, 0, 3)), ("last", "arm.L", (0, 0, 3), (0, 0.2, 4))]
    armature = make_named(bones)
    session = start(armature, "last", mirror=True)
    assert "arm.L" in dragged(session)
    assert "arm.R" not in dragged(session)
    assert session.mirrored == ()
    session.cancel(bpy.context)


ROBOT = """<robot name="r"><link name="base"/>{}</robot>"""
JOINT = """<link name="{s}_arm"/><joint name="{s}_joint" type="revolute"><parent link="base"/><child link="{s}_arm"/>
<origin xyz="{x} 0 0.5"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="{s}_hand"/><joint name="{s}_wrist" type="fixed"><parent link="{s}_arm"/><child link="{s}_hand"/>
<origin xyz="0 0 0.4"/></joint>"""


def test_robots_are_not_mirrored(tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    file.write_text(ROBOT.format("".join(JOINT.format(s=s, x=x) for s, x in (("left", 0.2), ("right", -0.2)))))
    armature = api.import_urdf(file).armature
    before = channels(armature)
    api.solve(armature, "left_hand", (0.2, 0.3, 0.8), mirror=True)
    assert changed(before, channels(armature)) == {"left_arm"}
    assert start(armature, "left_hand", mirror=True).mirrored == ()
    module("rig.drag").current().cancel(bpy.context)


def test_a_script_decides_by_its_argument_and_keys_both_sides() -> None:
    armature = characters.metarig("basic_human")
    armature.pose.use_mirror_x = True
    before = channels(armature)
    target = np.array(armature.pose.bones["hand.L"].tail) + np.array((-0.1, -0.2, 0.1))
    api.solve(armature, "hand.L", target)
    assert all(bone.endswith(".L") for bone in changed(before, channels(armature)))
    armature.pose.use_mirror_x = False
    unmirrored = channels(armature)
    api.solve(armature, "hand.L", target, mirror=True, apply=False)
    assert channels(armature) == unmirrored
    target[2] += 0.05
    found = api.solve(armature, "hand.L", target, mirror=True, frame=bpy.context.scene.frame_current)
    assert found.status == "REACHED"
    right = np.array(armature.pose.bones["hand.R"].tail)
    assert np.linalg.norm(right * (-1, 1, 1) - target) < 1e-4
    arm = {f"{bone}.{side}" for bone in ("shoulder", "upper_arm", "forearm", "hand") for side in "LR"}
    assert keyed_bones(armature) == arm


def test_the_status_bar_says_that_the_other_side_follows() -> None:
    armature = characters.metarig("basic_human")
    line = module("ui.status").line
    session = start(armature, "hand.L", mirror=True)
    assert "X-Mirror" in line(bpy.context.scene, session)
    session.cancel(bpy.context)
    session = start(armature, "spine.005", mirror=True)
    assert "X-Mirror" not in line(bpy.context.scene, session)
    session.cancel(bpy.context)
