"""What is picked is what is seen: pixels against a picture in which Blender draws every body in its own colour."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from inside import character, identity, robot
from inside.window import Steps, example_robot_data, look, rigs, robots, skip, viewport
from mathutils import Vector

PIXELS = 30  # of each view; there are two of each robot and character


def file(folder: Path, place: str) -> Path:
    """A file of the test data."""
    found = folder / place
    return found if found.is_file() else skip(f"no {place} in {folder}")


def picks_of_a_robot(urdf: Path, label: str) -> Steps:
    """Its links are picked, and shown by the tool, where their visuals are seen."""
    name = robot.import_robot(urdf)
    bodies = {ob.name: ob.parent_bone for ob in bpy.data.objects if ob.type == "MESH" and ob.parent_type == "BONE"}
    centre, size = character.middle(name), robot.size(name)
    for perspective, azimuth, elevation in ((True, -50, 15), (False, 130, 30)):
        look(centre, 0.9 * size, azimuth=azimuth, elevation=elevation, perspective=perspective)
        viewport().space.clip_start = 0.05 * size
        kind = "perspective" if perspective else "orthographic"
        found = yield from identity.compare(bodies, f"{label}-{kind}", PIXELS)
        for one in found[:8]:
            assert identity.hover(one.at) in {one.shown, None}, one


def test_every_link_of_panda_is_picked_where_it_is_seen() -> Steps:
    yield from picks_of_a_robot(file(example_robot_data(), "panda_description/urdf/panda.urdf"), "panda")


def test_every_link_of_ur5_is_picked_where_it_is_seen() -> Steps:
    yield from picks_of_a_robot(file(example_robot_data(), "ur_description/urdf/ur5_robot.urdf"), "ur5")


def test_every_link_of_pr2_is_picked_where_it_is_seen() -> Steps:
    yield from picks_of_a_robot(file(example_robot_data(), "pr2_description/urdf/pr2.urdf"), "pr2")


def test_every_link_of_talos_is_picked_where_it_is_seen() -> Steps:
    yield from picks_of_a_robot(file(example_robot_data(), "talos_data/robots/talos_reduced.urdf"), "talos")


def test_every_link_of_anymal_c_is_picked_where_it_is_seen() -> Steps:
    yield from picks_of_a_robot(file(robots(), "anymal_c/anymal_c_simple_description/urdf/anymal.urdf"), "anymal")


def test_every_link_of_the_allegro_hand_is_picked_where_it_is_seen() -> Steps:
    folder = robots() / "allegro_hand"
    found = sorted(folder.rglob("*right*.urdf")) or skip(f"no right hand in {folder}")
    yield from picks_of_a_robot(found[0], "allegro")


def picks_of_a_character(name: str, label: str, turned: dict[str, float]) -> Steps:
    """A skin is picked by the bone that has the most weight at the pixel, also when its bones are hidden."""
    armature = bpy.data.objects[name]
    if armature.animation_data is not None:
        armature.animation_data.action = None
    for bone, angle in turned.items():
        armature.pose.bones[bone].rotation_mode = "XYZ"
        armature.pose.bones[bone].rotation_euler.x = angle
    bpy.context.view_layer.update()
    skin = next(ob for ob in bpy.data.objects if ob.find_armature() == armature and ob.vertex_groups)
    bones = [group.name for group in skin.vertex_groups if armature.data.bones[group.name].use_deform]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    corners = np.array([skin.matrix_world @ Vector(corner) for corner in skin.evaluated_get(depsgraph).bound_box])
    centre, size = corners.mean(axis=0), float(np.linalg.norm(np.ptp(corners, axis=0)))
    for perspective, azimuth, elevation in ((True, -70, 10), (False, 120, 20)):
        look(centre, 0.9 * size, azimuth=azimuth, elevation=elevation, perspective=perspective)
        kind = f"{label}-{'perspective' if perspective else 'orthographic'}"
        shown = identity.heaviest((yield from identity.weights(skin, bones, kind)))
        identity.check(shown, bones, kind, PIXELS)
        armature.hide_set(True)


def test_every_bone_of_a_skinned_game_character_is_picked_by_its_skin() -> Steps:
    name = character.from_file(file(rigs(), "fbx/maya_kenney_character_7700_binary.fbx"))
    bent = {"LeftArm": 0.6, "RightForeArm": 0.8, "LeftUpLeg": -0.7, "Neck": 0.3}
    yield from picks_of_a_character(name, "kenney", bent)


def test_every_bone_of_a_skin_with_large_faces_is_picked_by_its_skin() -> Steps:
    name = character.from_file(file(rigs(), "fbx/max_transformed_skin_7500_binary.fbx"))
    yield from picks_of_a_character(name, "box", {"Bone003": 0.4})


def test_every_bone_of_a_scaled_skin_is_picked_by_its_skin() -> Steps:
    name = character.from_file(file(rigs(), "fbx/motionbuilder_sausage_rrss_7700_binary.fbx"))
    yield from picks_of_a_character(name, "sausage", {"Middle": 0.5})
