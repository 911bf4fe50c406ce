"""A URDF robot becomes an armature in the scene: all of it, or nothing."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ..errors import RigError
from ..urdf.model import Robot
from .build import build_armature, short_name
from .import_record import ImportOptions
from .job import Job, Step, Steps
from .looks import mark_own
from .materials import Palette
from .transaction import Blocks, made_since, workshop
from .visuals import Dresser


@dataclass(frozen=True)
class ImportReport:
    """What an import made.

    Attributes:
        armature: the robot's armature object, selected and active.
        warnings: what was left out or put right, each naming the place and the remedy.
    """

    armature: bpy.types.Object
    warnings: tuple[str, ...] = ()


def import_robot(robot: Robot, *, collision: bool = False, free_base: bool = False) -> ImportReport:
    """Make a robot in the current scene, in a new collection named after it, in its neutral pose.

    Ends in Object Mode with the armature alone selected and active, as Blender's own importers do. On any exception
    every data-block made on the way is removed, and selection and mode are as they were.

    Args:
        robot: what to make; its root link's frame is the armature's.
        collision: also make the collision shapes, in a hidden collection of their own.
        free_base: let the roots move freely.

    Raises:
        RigError: the scene is linked from another file.
        LinkposeError: the robot is no tree of joints that can be built.
    """
    options = ImportOptions(collision=collision, free_base=free_base)
    return Job(lambda before: robot_steps(robot, before, options)).run()


def robot_steps(robot: Robot, before: Blocks, options: ImportOptions) -> Steps[ImportReport]:
    """The steps of :func:`import_robot`, for a :class:`~.job.Job`.

    Args:
        robot: what to make.
        before: the data-blocks that are not the import's.
        options: of the import; where packages are counted when the robot was read.
    """
    check_scene()
    skeleton = robot.skeleton(free_base=options.free_base)
    palette = Palette()
    name = short_name(robot.name or robot.path.stem)
    collection = bpy.data.collections.new(name)
    with workshop() as scene:
        scene.collection.children.link(collection)
        built = build_armature(robot, skeleton, scene, collection, free_base=options.free_base)
        dresser = Dresser(robot, scene, palette, options)
        for part, file in dresser.read():
            yield Step(part, file)
        collections = {False: collection}
        if options.collision:
            collections[True] = hidden_collection(f"{name} collision", collection)
        dresser.dress(built, collections)
    remove_unused(before)
    mark_own(before)
    _show(collection, built.armature)
    of_robot = (*robot.warnings, *robot.collision_warnings) if options.collision else robot.warnings
    return ImportReport(built.armature, (*of_robot, *built.warnings, *dresser.warnings, *palette.warnings))


def check_scene() -> None:
    """Refuse a scene that nothing can be put into.

    Raises:
        RigError: it is linked from another file.
    """
    scene = bpy.context.scene
    if not scene.is_editable:
        raise RigError(
            f"scene {scene.name!r} comes from another file and cannot be changed; import into a scene of yours"
        )


def hidden_collection(name: str, parent: bpy.types.Collection) -> bpy.types.Collection:
    """A new collection for what is neither seen nor rendered."""
    collection = bpy.data.collections.new(name)
    parent.children.link(collection)
    collection.hide_viewport = True
    collection.hide_render = True
    return collection


def remove_unused(before: Blocks) -> None:
    """Drop what importers made and no mesh took: doubled materials, then what only those held."""
    leftovers = (bpy.types.Material, bpy.types.Image, bpy.types.NodeTree)
    while unused := [block for block in made_since(before) if isinstance(block, leftovers) and not block.users]:
        bpy.data.batch_remove(unused)


def _show(collection: bpy.types.Collection, armature: bpy.types.Object) -> None:
    """Link the robot where new objects go, and leave it selected and active in Object Mode."""
    context = bpy.context
    layer = context.view_layer
    if layer.objects.active is not None and layer.objects.active.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    home = context.collection if context.collection.is_editable else context.scene.collection
    home.children.link(collection)
    layer.update()
    if layer.objects.get(armature.name) != armature:  # new objects would not be seen there: it is excluded
        home.children.unlink(collection)
        context.scene.collection.children.link(collection)
        layer.update()
    for selected in list(layer.objects.selected):
        selected.select_set(False)
    armature.select_set(True)
    layer.objects.active = armature
    layer.update()
