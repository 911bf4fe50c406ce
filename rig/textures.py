"""Images that a mesh file names and Blender's importer did not find, or could not read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import bpy

from ..urdf.files import Finder
from . import compat
from .transaction import data_blocks, made_since

# As many as 16384 x 8192, half a gigabyte in memory.
MOST_PIXELS = 1 << 27
# The segments of a JPEG file that hold its size, and so far into a file they are looked for.
_FRAMES = frozenset((*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0)))
_HEADER = 1 << 18


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
    """An image, once however often it is asked for; None, and nothing made, where Blender cannot read it.

    Neither are images of more than :data:`MOST_PIXELS` read: a file of some bytes can unfold to fill the memory.
    """
    if _pixels(path) > MOST_PIXELS:
        return None
    before = data_blocks()
    try:
        image = bpy.data.images.load(str(path), check_existing=True)
    except RuntimeError:
        image = None
    if image is None or not image.size[0]:
        bpy.data.batch_remove(made_since(before))
        return None
    return image


def _pixels(path: Path) -> int:
    """Width times height that the header of a PNG or JPEG file promises; 0 where it is another one, or broken."""
    try:
        with path.open("rb") as file:
            start = file.read(_HEADER)
    except OSError:
        return 0
    if start.startswith(b"\x89PNG\r\n\x1a\n") and len(start) >= 24:
        return int.from_bytes(start[16:20], "big") * int.from_bytes(start[20:24], "big")
    if not start.startswith(b"\xff\xd8"):
        return 0
    at = 2
    while at + 9 <= len(start) and start[at] == 0xFF:
        if start[at + 1] in _FRAMES:
            return int.from_bytes(start[at + 5 : at + 7], "big") * int.from_bytes(start[at + 7 : at + 9], "big")
        at += 2 + int.from_bytes(start[at + 2 : at + 4], "big")
    return 0
