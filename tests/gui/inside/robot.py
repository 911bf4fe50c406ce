"""A robot in the scene and what a test asks about it: channels, keys, pixels that show a link, where its handle is.

Everything here is found by Blender's own means (evaluated matrices, ray casts, projection), not by the extension's.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy_extras import view3d_utils
from inside.window import Steps, example_robot_data, look, move, package, pixel, pointer, press, ray, running, viewport
from mathutils import Matrix, Vector
from numpy.typing import NDArray

CHANNELS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale", "rotation_mode")
NOTCHES = 3
_centres: dict[tuple[int, str], NDArray[np.float64]] = {}  # rigid, so measured once a robot
STEP = 1.05  # by which a notch of the wheel multiplies the distance in perspective


def import_robot(urdf: Path) -> str:
    """Import a robot; returns its armature's name, which outlives an undo."""
    return str(package("api").import_urdf(urdf).armature.name)


def panda() -> str:
    """The Panda of example-robot-data, alone in the scene."""
    return import_robot(example_robot_data() / "panda_description" / "urdf" / "panda.urdf")


def ur5() -> str:
    """The UR5 of example-robot-data, whose neutral pose is straight."""
    return import_robot(example_robot_data() / "ur_description" / "urdf" / "ur5_robot.urdf")


def enter(name: str, mode: str) -> None:
    """Make the armature active and go to "OBJECT" or "POSE" mode."""
    armature = bpy.data.objects[name]
    bpy.context.view_layer.objects.active = armature
    with viewport().override():
        bpy.ops.object.mode_set(mode=mode)
    with viewport().override():
        bpy.ops.ed.undo_push(message="Before the drag")


def channels(name: str) -> dict[str, tuple[str, ...]]:
    """Every channel of every bone and the object, exactly: repr tells -0.0 from 0.0."""
    armature = bpy.data.objects[name]
    found = {bone.name: tuple(_exact(getattr(bone, path)) for path in CHANNELS) for bone in armature.pose.bones}
    found[""] = tuple(_exact(value) for row in armature.matrix_world for value in row)
    return found


def _exact(value: Any) -> str:
    return value if isinstance(value, str) else repr(tuple(value) if hasattr(value, "__len__") else value)


def keys(name: str) -> dict[tuple[str, int], list[tuple[float, float]]]:
    """(frame, value) of every key of the armature by (data path, index); empty where there is no action."""
    return {
        (curve.data_path, curve.array_index): [(point.co.x, point.co.y) for point in curve.keyframe_points]
        for curve in curves(name)
    }


def curves(name: str) -> Sequence[bpy.types.FCurve]:
    """Every curve of the armature's action; none where there is no action."""
    data = bpy.data.objects[name].animation_data
    if data is None or data.action is None:
        return []
    if hasattr(data.action, "layers") and hasattr(data, "action_slot"):
        strips = [strip for layer in data.action.layers for strip in layer.strips]
        bags = [strip.channelbag(data.action_slot) for strip in strips]
        return [curve for bag in bags if bag is not None for curve in bag.fcurves]
    return list(data.action.fcurves)


def size(name: str) -> float:
    """Diagonal of the world box of the robot's meshes [m]."""
    armature = bpy.data.objects[name]
    corners = [
        mesh.matrix_world @ Vector(corner)
        for mesh in bpy.context.scene.objects
        if mesh.type == "MESH" and mesh.parent == armature and mesh.visible_get()
        for corner in mesh.bound_box
    ]
    low = np.min(corners, axis=0)
    return float(np.linalg.norm(np.max(corners, axis=0) - low))


def link_box_centre(name: str, bone: str) -> Vector:
    """Middle of the box of a link's visuals, in the link's axes, as it stands now (world space)."""
    armature = bpy.data.objects[name]
    link = armature.matrix_world @ armature.pose.bones[bone].matrix @ link_frame(armature.data.bones[bone])
    key = (armature.data.session_uid, bone)
    if key not in _centres:
        clouds = []
        for mesh in bpy.context.scene.objects:
            if mesh.type == "MESH" and mesh.parent == armature and mesh.parent_bone == bone:
                points = np.empty(3 * len(mesh.data.vertices))
                mesh.data.vertices.foreach_get("co", points)
                placed = np.array(link.inverted() @ mesh.matrix_world)
                clouds.append(points.reshape(-1, 3) @ placed[:3, :3].T + placed[:3, 3])
        together = np.concatenate(clouds)
        _centres[key] = (together.min(axis=0) + together.max(axis=0)) / 2
    return link @ Vector(_centres[key])


def link_frame(bone: bpy.types.Bone) -> Matrix:
    numbers = list(bone["linkpose"]["frame"])
    return Matrix([numbers[row * 4 : row * 4 + 4] for row in range(4)])


def shown_bone(x: float, y: float) -> str:
    """The bone of the mesh that a ray through a window pixel meets first, "" for none."""
    origin, direction = ray(x, y)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found, _, _, _, mesh, _ = bpy.context.scene.ray_cast(depsgraph, origin, direction)
    return mesh.parent_bone if found else ""


def pixel_of(name: str, bone: str) -> tuple[int, int]:
    """A window pixel that shows a link, near the middle of its box, with the same link around it."""
    x, y = pixel(link_box_centre(name, bone))
    for radius in range(0, 120, 3):
        for dx, dy in ((radius, 0), (-radius, 0), (0, radius), (0, -radius), (radius, radius), (-radius, -radius)):
            at = (round(x + dx), round(y + dy))
            around = ((0, 0), (2, 0), (-2, 0), (0, 2), (0, -2))
            if all(shown_bone(at[0] + i, at[1] + j) == bone for i, j in around):
                return at
    raise AssertionError(f"no pixel shows {bone}")


def hit(x: float, y: float) -> Vector:
    """The surface point that a window pixel shows."""
    origin, direction = ray(x, y)
    found, location, *_ = bpy.context.scene.ray_cast(bpy.context.evaluated_depsgraph_get(), origin, direction)
    assert found, f"nothing is shown at {x}, {y}"
    return location


def on_plane(x: float, y: float, through: Vector) -> Vector:
    """The point at a window pixel in the plane through a point that faces the viewer, by Blender's own helpers."""
    view = viewport()
    if view.region_3d.is_perspective:
        at = (x - view.region.x, y - view.region.y)
        return view3d_utils.region_2d_to_location_3d(view.region, view.region_3d, at, through)
    # The helper follows an orthographic ray from the far clipping plane on and is millimetres off. Such a view is
    # affine: a step to the right and one up tell how far a pixel is.
    right, up = (view.region_3d.view_rotation @ Vector(axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    here, there, above = pixel(through), pixel(through + right), pixel(through + up)
    return through + right * ((x - here[0]) / (there[0] - here[0])) + up * ((y - here[1]) / (above[1] - here[1]))


def forward() -> Vector:
    """Unit vector into the screen."""
    return viewport().region_3d.view_rotation @ Vector((0.0, 0.0, -1.0))


def reachable_pose(name: str, chain: Sequence[str], dice: random.Random) -> dict[str, float]:
    """Joint values drawn from the middle 80 % of the limits of these joints (bones by link, values by joint)."""
    skeleton = package("api").read_skeleton(bpy.data.objects[name])
    values = {}
    for joint in chain:
        place = skeleton.unknowns.index(joint)
        low, high = float(skeleton.lower[place]), float(skeleton.upper[place])
        values[joint] = low + (high - low) * (0.1 + 0.8 * dice.random())
    return values


def grab(name: str, bone: str) -> Steps:
    """Point at a link and press J; the drag runs afterwards."""
    yield from move(*pixel_of(name, bone))
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    session = package("api").session()
    assert session is not None
    assert session.grip.bone == bone, f"{session.grip.bone} was picked at {pointer()}, not {bone}"


def settle() -> Steps:
    """Let the search finish."""
    yield lambda: package("api").session().is_done


def look_so_that_notches_lead_there(
    click: Vector, start: Vector, goal: Vector, *, azimuth: float, elevation: float, perspective: bool
) -> int | None:
    """Look at a robot from such a distance that three notches of the wheel are the depth between two points.

    Args:
        click: a point that is clicked.
        start, goal: where the handle is and where it is to go.
        azimuth, elevation: of the viewer, degrees.
        perspective: or orthographic.

    Returns:
        The notches, +3 or -3; None when the two points do not differ in depth so that it can be done.
    """
    look(click, 2.0, azimuth=azimuth, elevation=elevation, perspective=perspective)
    depth = (goal - start).dot(forward())
    notches = NOTCHES if depth > 0 else -NOTCHES
    distance = depth / (STEP**notches - 1.0) if perspective else abs(depth) / (NOTCHES * (STEP - 1.0))
    if not 1.2 < distance < 4.0:
        return None
    look(click, distance, azimuth=azimuth, elevation=elevation, perspective=perspective)
    return notches
