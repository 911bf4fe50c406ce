"""One armature from a robot: a bone a link, named after it, with its joint as the bone's only free channel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ..solver import Skeleton
from ..urdf.errors import place as place_in_file
from ..urdf.model import Robot
from . import drivers, limits
from .definition import FIXED, FLOATING, ROOT, Definition, RobotRecord, write, write_robot
from .placement import Placement, place
from .transaction import working_in

# Bone names hold 63 bytes, on 4.2 object names too.
NAME_BYTES = 63
# Axes that are off by less cannot be told from the rounding of single precision.
NOTICEABLE = 4e-6


@dataclass(frozen=True)
class Build:
    """An armature just made.

    Attributes:
        armature: the object.
        bones: bone name of each link.
        definitions: of each link, as stored on its bone.
        warnings: joints that Blender does not move quite as the file says.
    """

    armature: bpy.types.Object
    bones: dict[str, str]
    definitions: dict[str, Definition]
    warnings: tuple[str, ...] = ()


def build_armature(
    robot: Robot,
    skeleton: Skeleton,
    scene: bpy.types.Scene,
    collection: bpy.types.Collection,
    *,
    free_base: bool = False,
) -> Build:
    """Make the robot's armature in its neutral pose.

    Args:
        robot: what to build.
        skeleton: the robot's own, which knows what each follower follows in the end.
        scene: where to work; it must show ``collection``.
        collection: gets the new object.
        free_base: let the roots move freely.
    """
    name = short_name(robot.name or robot.path.stem)
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    collection.objects.link(armature)
    # Thin bones: the meshes are what is looked at and picked.
    data.display_type = "STICK"
    placements = place(robot, free_base=free_base)
    bones = dict(zip((p.link for p in placements), unique_names([p.link for p in placements]), strict=True))
    return shape_armature(armature, robot, skeleton, scene, placements, bones, free_base=free_base)


def shape_armature(
    armature: bpy.types.Object,
    robot: Robot,
    skeleton: Skeleton,
    scene: bpy.types.Scene,
    placements: Sequence[Placement],
    bones: dict[str, str],
    *,
    free_base: bool = False,
) -> Build:
    """Give an armature the robot's bones, in their neutral pose; bones of these names that are there already are moved.

    Args:
        armature: new, or of an earlier import, without limits and drivers.
        robot: what to build.
        skeleton: the robot's own.
        scene: where to work; it must show the armature.
        placements: of the robot's links.
        bones: bone name of each link.
        free_base: let the roots move freely, as the placements do.
    """
    data = armature.data
    assert isinstance(data, bpy.types.Armature)
    write_robot(data, RobotRecord(name=robot.name, source=robot.path.as_posix()))
    base_joints = robot.base_joints if free_base else {}
    _make_bones(armature, placements, bones, scene)
    definitions = {p.link: _define(data.bones[bones[p.link]], p, base_joints.get(p.link)) for p in placements}
    _sort_into_collections(data, placements, bones)
    scene.view_layers[0].update()  # makes the pose
    for link, definition in definitions.items():
        limits.apply(armature.pose.bones[bones[link]], definition)
    _drive_followers(armature, skeleton, bones, definitions)
    inexact = [_inexact(data.bones[bones[p.link]], p, definitions[p.link], robot) for p in placements]
    return Build(armature, bones, definitions, tuple(warning for warning in inexact if warning))


def short_name(name: str, room: int = NAME_BYTES) -> str:
    """A name cut to so many bytes of UTF-8, between characters."""
    return name.encode("utf-8")[:room].decode("utf-8", "ignore")


def unique_names(names: Sequence[str]) -> list[str]:
    """Names that fit a bone, each unlike the others; those that fit already stay as they are."""
    taken = {name for name in names if short_name(name) == name}
    result = []
    for name in names:
        short = short_name(name)
        number = 0
        while short != name and short in taken:
            number += 1
            suffix = f".{number:03d}"
            short = short_name(name, NAME_BYTES - len(suffix)) + suffix
        taken.add(short)
        result.append(short)
    return result


def _make_bones(
    armature: bpy.types.Object, placements: Sequence[Placement], bones: dict[str, str], scene: bpy.types.Scene
) -> None:
    data = armature.data
    assert isinstance(data, bpy.types.Armature)
    with working_in(scene, armature):
        bpy.ops.object.mode_set(mode="EDIT")
        for placement in placements:
            name = bones[placement.link]
            bone = data.edit_bones.get(name) or data.edit_bones.new(name)
            bone.use_connect = False
            _, y, z, head = placement.rest[:3].T
            bone.head = head.tolist()
            bone.tail = (head + placement.length * y).tolist()
            bone.align_roll(z.tolist())
            bone.parent = None if placement.parent is None else data.edit_bones[bones[placement.parent]]
        bpy.ops.object.mode_set(mode="OBJECT")


def _define(bone: bpy.types.Bone, placement: Placement, base_joint: str | None) -> Definition:
    """Write the bone's definition; the link's frame is taken against the rest that Blender really made of the bone.

    Args:
        bone: to write to.
        placement: of it.
        base_joint: name of the floating joint of a free root.
    """
    frame = np.linalg.inv(np.array(bone.matrix_local, dtype=np.float64)) @ placement.frame
    joint = placement.joint
    if joint is None and base_joint is not None:
        definition = Definition(link=placement.link, joint=base_joint, type=FLOATING, frame=frame)
    elif joint is None:
        definition = Definition(link=placement.link, type=ROOT, frame=frame)
    elif joint.type == FIXED:
        definition = Definition(link=placement.link, joint=joint.name, type=FIXED, frame=frame)
    else:
        mimic = joint.mimic
        definition = Definition(
            link=placement.link,
            joint=joint.name,
            type=joint.type,
            lower=joint.lower,
            upper=joint.upper,
            velocity=joint.velocity,
            effort=joint.effort,
            mimic_joint=None if mimic is None else mimic.joint,
            mimic_multiplier=1.0 if mimic is None else mimic.multiplier,
            mimic_offset=0.0 if mimic is None else mimic.offset,
            frame=frame,
            soft_lower=joint.soft_lower,
            soft_upper=joint.soft_upper,
        )
    write(bone, definition)
    return definition


def _inexact(bone: bpy.types.Bone, placement: Placement, definition: Definition, robot: Robot) -> str:
    """A warning where the axes of a joint with several values came out otherwise than they were asked for; or "".

    Other bones are laid where Blender is exact; the axes of these are those of their values and cannot be chosen.
    """
    if not definition.has_several_axes:
        return ""
    rest = np.array(bone.matrix_local, dtype=np.float64)
    error = float(np.abs(rest[:3, :3] - placement.rest[:3, :3]).max())
    if error < NOTICEABLE:
        return ""
    line = 0 if placement.joint is None else placement.joint.line
    return (
        f"{place_in_file(robot.path, line)}: {definition.type} joint {definition.joint!r}: its y axis points along -Y, "
        f"where Blender keeps axes to {error:.0e} only, so that 1 m of motion ends up to {error * 1e3:.2f} mm aside; "
        "turn the joint's <origin> if that matters"
    )


def _sort_into_collections(data: bpy.types.Armature, placements: Sequence[Placement], bones: dict[str, str]) -> None:
    """Bones of fixed joints have nothing to pose: they go into a collection that is hidden."""
    joints = data.collections_all.get("Joints") or data.collections.new("Joints")
    fixed = data.collections_all.get("Fixed")
    if fixed is None:
        fixed = data.collections.new("Fixed")
        fixed.is_visible = False
    for placement in placements:
        held_fast = placement.joint is not None and placement.joint.type == FIXED
        bone = data.bones[bones[placement.link]]
        (fixed if held_fast else joints).assign(bone)
        (joints if held_fast else fixed).unassign(bone)


def _drive_followers(
    armature: bpy.types.Object, skeleton: Skeleton, bones: dict[str, str], definitions: dict[str, Definition]
) -> None:
    by_joint = {definition.joint: definition for definition in definitions.values()}
    for i, axis in enumerate(skeleton.axes):
        if axis.mimic is None:
            continue
        follower = by_joint[axis.name]
        source = by_joint[skeleton.unknowns[skeleton.axis_unknown[i]]]
        drivers.follow(
            armature,
            armature.pose.bones[bones[follower.link]],
            follower,
            armature.pose.bones[bones[source.link]],
            source,
            skeleton.axis_multiplier[i],
            skeleton.axis_offset[i],
        )
