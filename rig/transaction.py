"""Which data-blocks were made meanwhile, and making them without touching what the user has open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

import bpy

Blocks: TypeAlias = dict[int, bpy.types.ID]

# What belongs to the program rather than to the work; no importer makes any.
_NOT_CONTENT = frozenset({"window_managers", "workspaces", "screens", "libraries", "all_ids"})


def data_blocks() -> Blocks:
    """Every data-block of the file by its session identifier."""
    found: Blocks = {}
    for member in bpy.data.bl_rna.properties:
        if member.type == "COLLECTION" and member.identifier not in _NOT_CONTENT:
            found.update((block.session_uid, block) for block in getattr(bpy.data, member.identifier))
    return found


def made_since(before: Blocks) -> list[bpy.types.ID]:
    """Data-blocks that were not there yet when ``before`` was taken; only its keys are looked at."""
    return [block for uid, block in data_blocks().items() if uid not in before]


@contextmanager
def _some_window() -> Iterator[None]:
    """A window for what needs one: after a script has loaded a file there is none, and 4.3 crashes without."""
    windows = bpy.data.window_managers[0].windows if bpy.data.window_managers else []
    if bpy.context.window is not None or not len(windows):
        yield
        return
    with bpy.context.temp_override(window=windows[0]):
        yield


@contextmanager
def workshop() -> Iterator[bpy.types.Scene]:
    """A scene of its own to build in, gone afterwards; what is wanted must be linked elsewhere by then.

    Blender's importers and Edit Mode change mode, selection and active object of the scene they run in, and evaluate
    all of it. Here there is nothing to disturb, and nothing of the user's to wait for.
    """
    scene = bpy.data.scenes.new("Linkpose Import")
    try:
        yield scene
    finally:
        with _some_window():
            bpy.data.scenes.remove(scene)


@contextmanager
def working_in(scene: bpy.types.Scene, active: bpy.types.Object | None = None) -> Iterator[None]:
    """Let operators act on a scene that no window shows.

    Args:
        scene: the one to act on.
        active: made its active object, and for the operators the only selected one.
    """
    layer = scene.view_layers[0]
    layer.objects.active = active
    with bpy.context.temp_override(
        scene=scene,
        view_layer=layer,
        collection=scene.collection,
        layer_collection=layer.layer_collection,
        active_object=active,
        object=active,
        edit_object=None,
        selected_objects=[] if active is None else [active],
    ):
        yield
