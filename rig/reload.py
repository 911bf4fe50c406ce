"""Reading a robot's file again into the armature that an import made of it; what the user did with it stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import bpy

from ..errors import RigError
from ..urdf.model import Robot
from . import animated, names
from .animated import AnimatedValues
from .build import NAME_BYTES, Build, shape_armature, short_name, unique_names
from .definition import FLOATING, ROOT, Definition
from .import_record import ImportOptions
from .importing import ImportReport, hidden_collection, remove_unused
from .job import Step, Steps
from .limits import CONSTRAINT
from .looks import fingerprint, is_own, mark_own
from .materials import Palette
from .placement import Placement, place
from .transaction import Blocks, made_since, working_in, workshop
from .visuals import Dresser, Place, shapes_of

_CHANNELS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")
_Values = dict[str, tuple[float, ...]]


def check_reloadable(armature: bpy.types.Object | None) -> None:
    """Refuse what cannot be read again.

    Raises:
        RigError: it is no armature of an import, or it is linked from another file.
    """
    if armature is None or not isinstance(armature.data, bpy.types.Armature) or not names.definitions(armature.data):
        raise RigError("there is no robot to read again; make the armature of an imported robot active")
    if armature.library is not None or armature.data.library is not None or armature.override_library is not None:
        raise RigError(f"{armature.name!r} comes from another file; read the robot again there")


def reload_steps(
    armature: bpy.types.Object, robot: Robot, before: Blocks, options: ImportOptions
) -> Steps[ImportReport]:
    """Make an armature what its robot's file says now, in steps; all changes of what is there come after the last one.

    The object, its place and its pose stay, and so do keys, constraints and bones that are not the robot's, what hangs
    on it, and materials that the user has changed or chosen. A bone follows its joint when the link has another name
    now. Bones and shapes of links that are gone go.

    Args:
        armature: of an earlier import, in Object Mode.
        robot: what to make of it.
        before: the data-blocks that are not made here.
        options: of the import.

    Raises:
        LinkposeError: the robot cannot be built; the armature is as it was.
    """
    check_reloadable(armature)
    skeleton = robot.skeleton(free_base=options.free_base)
    placements = place(robot, free_base=options.free_base)
    palette = Palette()
    with workshop() as scene:
        dresser = Dresser(robot, scene, palette, options)
        for part, file in dresser.read():
            yield Step(part, file)
        present = shapes_of(armature)
        held = AnimatedValues(
            {at: value for at, value in animated.take(armature).values.items() if not at[0].startswith("pose.bones[")}
        )
        with _in_object_mode(armature):
            scene.collection.objects.link(armature)
            try:
                bones, values, links = _take_apart(armature, placements, scene, free_base=options.free_base)
                built = shape_armature(armature, robot, skeleton, scene, placements, bones, free_base=options.free_base)
            finally:
                scene.collection.objects.unlink(armature)
            _dress(built, dresser, _renamed(present, links), before, collision=options.collision)
    # This evaluates the animation, which forgets what is not keyed: the pose comes after it.
    bpy.context.view_layer.update()
    animated.restore(armature, held)
    for bone, channels in values.items():
        for path, numbers in channels.items():
            setattr(armature.pose.bones[bone], path, numbers)
    bpy.context.view_layer.update()
    of_robot = (*robot.warnings, *robot.collision_warnings) if options.collision else robot.warnings
    return ImportReport(armature, (*of_robot, *built.warnings, *dresser.warnings, *palette.warnings))


def _take_apart(
    armature: bpy.types.Object, placements: Sequence[Placement], scene: bpy.types.Scene, *, free_base: bool
) -> tuple[dict[str, str], dict[str, _Values], dict[str, str]]:
    """Free the armature of the import's limits and drivers, and give each bone the name that it is to have.

    Returns:
        The bone of each link; the channels to keep, by bone: of joints that are of the same kind as before, and of
        bones that are not the robot's; and the new name of each link that is still there, by its old one.
    """
    data = armature.data
    assert isinstance(data, bpy.types.Armature)
    defined = names.definitions(data)
    _forget_limits(armature, defined)
    matched = _matched(defined, placements)
    theirs = {bone.name for bone in data.bones} - set(defined)
    bones = _bone_names([placement.link for placement in placements], theirs)
    of_root = FLOATING if free_base else ROOT
    values = {name: _channels(armature.pose.bones[name]) for name in theirs}
    for placement in placements:
        old = matched.get(placement.link)
        kind = of_root if placement.joint is None else placement.joint.type
        if old is not None and defined[old].type == kind:
            values[bones[placement.link]] = _channels(armature.pose.bones[old])
        elif old is not None:
            _reset(armature.pose.bones[old])
    links = {defined[old].link: link for link, old in matched.items()}
    _rename(data, {old: bones[link] for link, old in matched.items()})
    _remove_bones(armature, set(defined) - set(matched.values()), scene)
    return bones, values, links


def _channels(bone: bpy.types.PoseBone) -> _Values:
    return {path: tuple(getattr(bone, path)) for path in _CHANNELS}


def _reset(bone: bpy.types.PoseBone) -> None:
    bone.location = bone.rotation_euler = (0.0, 0.0, 0.0)
    bone.rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
    bone.rotation_axis_angle = (0.0, 0.0, 1.0, 0.0)
    bone.scale = (1.0, 1.0, 1.0)


def _matched(defined: Mapping[str, Definition], placements: Sequence[Placement]) -> dict[str, str]:
    """The present bone of each link, if there is one: that of the same name, or of the same joint."""
    by_link = {one.link: bone for bone, one in defined.items()}
    by_joint = {one.joint: bone for bone, one in defined.items() if one.joint}
    wanted = {placement.link for placement in placements}
    found = {link: by_link[link] for link in by_link if link in wanted}
    for placement in placements:
        bone = None if placement.joint is None else by_joint.get(placement.joint.name)
        if placement.link not in found and bone is not None and bone not in found.values():
            found[placement.link] = bone
    return found


def _bone_names(links: Sequence[str], theirs: set[str]) -> dict[str, str]:
    """A name for each link's bone that no bone of the user's has."""
    taken = set(theirs)
    found = {}
    for link, name in zip(links, unique_names(links), strict=True):
        free, number = name, 0
        while free in taken:
            number += 1
            suffix = f".{number:03d}"
            free = short_name(name, NAME_BYTES - len(suffix)) + suffix
        taken.add(free)
        found[link] = free
    return found


def _forget_limits(armature: bpy.types.Object, defined: Mapping[str, Definition]) -> None:
    """Remove the constraints and drivers that an import makes."""
    for name, one in defined.items():
        bone = armature.pose.bones[name]
        for constraint in list(bone.constraints):
            if constraint.name.split(".")[0] == CONSTRAINT and constraint.type in {"LIMIT_ROTATION", "LIMIT_LOCATION"}:
                bone.constraints.remove(constraint)
        bone.use_ik_limit_x = bone.use_ik_limit_y = bone.use_ik_limit_z = False
        if one.moves and one.mimic_joint is not None and not one.has_several_axes:
            bone.driver_remove(*one.channel)


def _rename(data: bpy.types.Armature, wanted: Mapping[str, str]) -> None:
    """Rename bones at once, also in a circle; keys, constraints and children follow."""
    changed = {old: new for old, new in wanted.items() if old != new}
    aside = {}
    for number, old in enumerate(changed):
        bone = data.bones[old]
        bone.name = f"linkpose {number}"
        aside[bone.name] = changed[old]
    for name, new in aside.items():
        data.bones[name].name = new


def _remove_bones(armature: bpy.types.Object, gone: Iterable[str], scene: bpy.types.Scene) -> None:
    data = armature.data
    assert isinstance(data, bpy.types.Armature)
    gone = set(gone)
    if gone:
        with working_in(scene, armature):
            bpy.ops.object.mode_set(mode="EDIT")
            for bone in [bone for bone in data.edit_bones if bone.name in gone]:
                data.edit_bones.remove(bone)
            bpy.ops.object.mode_set(mode="OBJECT")


def _renamed(present: Mapping[Place, bpy.types.Object], links: Mapping[str, str]) -> dict[Place, bpy.types.Object]:
    """The objects by the place that they have now; those of links that are gone keep the old one."""
    return {
        Place(links.get(place.link, place.link), place.collision, place.index): shape
        for place, shape in present.items()
    }


def _dress(
    built: Build, dresser: Dresser, present: dict[Place, bpy.types.Object], before: Blocks, *, collision: bool
) -> None:
    """Make the shapes what the file says, out of the objects that are there."""
    materials = {shape: [slot.material for slot in shape.material_slots] for shape in present.values()}
    old: set[bpy.types.ID] = {shape.data for shape in present.values() if shape.data is not None}
    old |= {material for slots in materials.values() for material in slots if material is not None}
    dressed = dresser.dress(built, _collections(built.armature, present, collision=collision), present)
    for where, shape in present.items():
        if dressed.get(where) != shape:
            del materials[shape]
            bpy.data.objects.remove(shape)
    for shape, slots in materials.items():
        for slot, material in zip(shape.material_slots, slots, strict=False):
            if not is_own(material):
                slot.link = "OBJECT"
                slot.material = material
    remove_unused(before)
    mark_own(before)
    _take_places(old, before)


def _collections(
    armature: bpy.types.Object, present: Mapping[Place, bpy.types.Object], *, collision: bool
) -> dict[bool, bpy.types.Collection]:
    """Where new shapes go: to the others of their kind."""
    home = armature.users_collection[0] if armature.users_collection else bpy.context.scene.collection
    found = {place.collision: shape.users_collection[0] for place, shape in present.items() if shape.users_collection}
    found.setdefault(False, home)
    if collision and True not in found:
        found[True] = hidden_collection(f"{home.name} collision", home)
    return found


def _take_places(old: set[bpy.types.ID], before: Blocks) -> None:
    """Put new meshes and materials where the old ones were that an import had made: an equal material stays itself."""
    made = [block for block in made_since(before) if isinstance(block, bpy.types.Mesh | bpy.types.Material)]
    known = {fingerprint(block): block for block in old if isinstance(block, bpy.types.Material) and is_own(block)}
    for block in list(made):
        if isinstance(block, bpy.types.Material) and fingerprint(block) in known:
            block.user_remap(known[fingerprint(block)])
            made.remove(block)
            bpy.data.materials.remove(block)
    unused = [
        block for block in old if not block.users and (isinstance(block, bpy.types.Mesh) or block in known.values())
    ]
    bpy.data.batch_remove(unused)
    for block in sorted(made, key=lambda block: block.name):
        _rename_to_first_free(block)


def _rename_to_first_free(block: bpy.types.Mesh | bpy.types.Material) -> None:
    """Of the names that Blender would have given without the old data-blocks, the first that is free now."""
    home = bpy.data.meshes if isinstance(block, bpy.types.Mesh) else bpy.data.materials
    base, _, number = block.name.rpartition(".")
    if len(number) == 3 and number.isdecimal():
        candidates = [base, *(f"{base}.{lower:03d}" for lower in range(1, int(number)))]
        block.name = next((name for name in candidates if name not in home), block.name)


@contextmanager
def _in_object_mode(armature: bpy.types.Object) -> Iterator[None]:
    """Leave Pose or Edit Mode meanwhile, and let the armature be seen, without which nothing can be edited."""
    mode, hidden = armature.mode, armature.hide_viewport
    if mode != "OBJECT":
        _set_mode(armature, "OBJECT")
    armature.hide_viewport = False
    try:
        yield
    finally:
        armature.hide_viewport = hidden
        if mode != "OBJECT":
            _set_mode(armature, mode)


def _set_mode(armature: bpy.types.Object, mode: str) -> None:
    with bpy.context.temp_override(active_object=armature, object=armature):
        bpy.ops.object.mode_set(mode=mode)  # type: ignore[arg-type]
