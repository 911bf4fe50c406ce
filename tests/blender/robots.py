"""Real robots by a short name, small made ones, and what tests do with an imported one."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import bpy
import numpy as np
from blender.support import api, module
from mathutils import Vector
from support import example_robot_data_folder, robots_folder

_EXAMPLES = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
}
_SHARED = {
    "fanuc": "fanuc_m10ia_moveit/fanuc_description/urdf/fanuc.urdf",
    "anymal_c": "anymal_c/anymal_c_simple_description/urdf/anymal.urdf",
    "scara": "scara_yguel/scara_description/urdf/scara.urdf",
    "kinova_gen3": "kinova_gen3/kortex_description/arms/gen3/7dof/urdf/GEN3-7DOF-VISION_ARM_URDF_V12.urdf",
    "robotiq_2f_85": "robotiq/_expanded/robotiq_2f_85.urdf",
}
NAMES = (*_EXAMPLES, *_SHARED)


def robot_file(name: str) -> Path:
    """The URDF file of a real robot; skips where its data is absent."""
    if name in _EXAMPLES:
        return example_robot_data_folder() / _EXAMPLES[name]
    return robots_folder() / _SHARED[name]


def import_bare(path: Path) -> bpy.types.Object:
    """A robot's armature without its meshes, which take nearly all the time of an import."""
    robot = module("urdf").load(path)
    links = tuple(dataclasses.replace(link, visuals=(), collisions=()) for link in robot.links)
    return module("rig.importing").import_robot(dataclasses.replace(robot, links=links)).armature


def import_text(folder: Path, body: str, **options: object):
    """Import ``<robot name="made">body</robot>`` from a file in a folder."""
    path = folder / "made.urdf"
    path.write_text(f'<robot name="made">{body}</robot>', encoding="utf-8")
    return api.import_urdf(path, **options)


def joint_text(name: str, kind: str, parent: str, child: str, extra: str = "", axis: str = "0 0 1") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/>{extra}</joint>'
    )


def definitions(armature: bpy.types.Object) -> dict[str, object]:
    """Bone name and definition by joint name."""
    read = module("rig.definition").read
    found = {}
    for bone in armature.data.bones:
        definition = read(bone)
        assert definition is not None, f"bone {bone.name!r} has no definition"
        found[bone.name] = definition
    return found


def bone_of_joint(armature: bpy.types.Object, joint: str) -> bpy.types.PoseBone:
    return next(armature.pose.bones[name] for name, one in definitions(armature).items() if one.joint == joint)


def set_channels(armature: bpy.types.Object, pose: dict[str, float]) -> None:
    """Write joint values as a user's F-curves would: each into its bone's one channel."""
    for name, definition in definitions(armature).items():
        if definition.joint in pose:
            bone = armature.pose.bones[name]
            if definition.type == "prismatic":
                bone.location.z = pose[definition.joint]
            else:
                bone.rotation_euler.z = pose[definition.joint]
    bpy.context.view_layer.update()


def link_frames(armature: bpy.types.Object) -> dict[str, np.ndarray]:
    """World frame of every link as Blender shows it."""
    world = np.array(armature.matrix_world, dtype=np.float64)
    return {
        one.link: world @ np.array(armature.pose.bones[name].matrix, dtype=np.float64) @ one.frame
        for name, one in definitions(armature).items()
    }


def visuals(armature: bpy.types.Object) -> dict[str, list[bpy.types.Object]]:
    """Visible shapes by link, in the order in which they were made, which is the file's."""
    links = {name: one.link for name, one in definitions(armature).items()}
    found: dict[str, list[bpy.types.Object]] = {}
    for child in armature.children:
        if not child.hide_get() and child.visible_get():
            found.setdefault(links[child.parent_bone], []).append(child)
    return {link: sorted(shapes, key=lambda shape: shape.session_uid) for link, shapes in found.items()}


def size(armature: bpy.types.Object) -> float:
    """Diagonal of the world box of the robot's visuals, of its bones where it has none."""
    corners = [
        np.array(shape.matrix_world @ Vector(corner)) for shape in armature.children for corner in shape.bound_box
    ]
    corners = corners or [np.array(bone.head) for bone in armature.pose.bones]
    return float(np.linalg.norm(np.ptp(np.array(corners), axis=0)))
