"""Images that a mesh file names and Blender's importer did not find, or could not read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import bpy

from ..urdf.files import Finder
from . import compat
from .transaction import data_blocks, made_since


def mend_textures(materials: Iterable[bpy.types.Material], path: Path) -> tuple[str, ...]:
    """Give materials the images that lie elsewhere, and their plain colour instead of those that are not there.

    Args:
        materials: as an importer made them.
        path: the mesh file.

    Returns:
        What was not as written, each as ``file: what``.
    """
    notes: dict[str, None] = {}
    finder = Finder(path)
    for material in set(materials):
        tree = compat.shader_nodes(material)
        for node in [node for node in tree.nodes if isinstance(node, bpy.types.ShaderNodeTexImage)]:
            if node.image is None or node.image.size[0]:
                continue
            name = node.image.filepath or node.image.name
            found = finder.find(name.removeprefix("//"))
            image = None if found.path is None else load_image(found.path)
            if image is not None:
                node.image = image
            else:
                tree.nodes.remove(node)
            if found.path is None:
                notes[f"{path}: texture {name!r} was not found; {found.explanation}"] = None
            elif image is None:
                notes[f"{path}: texture {found.path} cannot be read by Blender; the plain colour is used"] = None
            elif found.note:
                notes[f"{path}: texture {name!r} {found.note}"] = None
    return tuple(notes)


def load_image(path: Path) -> bpy.types.Image | None:
    """An image, once however often it is asked for; None, and nothing made, where Blender cannot read it."""
    before = data_blocks()
    try:
        image = bpy.data.images.load(str(path), check_existing=True)
    except RuntimeError:
        image = None
    if image is None or not image.size[0]:
        bpy.data.batch_remove(made_since(before))
        return None
    return image
