"""Whether a material is still as an import made it, or has become the user's."""

from __future__ import annotations

import hashlib

import bpy

from . import compat
from .definition import KEY
from .transaction import Blocks, made_since


def mark_own(before: Blocks) -> None:
    """Write down how the materials look that were made since ``before`` was taken."""
    for block in made_since(before):
        if isinstance(block, bpy.types.Material):
            block[KEY] = fingerprint(block)


def is_own(material: bpy.types.Material | None) -> bool:
    """Whether an import made this material and nobody has changed it since; an empty slot is nobody's."""
    return material is None or (material.library is None and material.get(KEY) == fingerprint(material))


def fingerprint(material: bpy.types.Material) -> str:
    """A text that changes with the looks of a material: its nodes, their inputs, links and images."""
    nodes = list(compat.shader_nodes(material).nodes)
    parts: list[object] = [tuple(material.diffuse_color), material.surface_render_method, material.use_backface_culling]
    for node in nodes:
        image = getattr(node, "image", None)
        layer = getattr(node, "layer_name", "")
        parts.append((node.bl_idname, node.mute, image.filepath if image else "", layer))
        parts += [(socket.identifier, value_of(socket)) for socket in node.inputs]
    for link in compat.shader_nodes(material).links:
        ends = (nodes.index(link.from_node), link.from_socket.identifier)
        parts.append((*ends, nodes.index(link.to_node), link.to_socket.identifier))
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()


def value_of(socket: bpy.types.NodeSocket) -> object:
    """What an input has where nothing is linked to it; None where it has nothing."""
    value = getattr(socket, "default_value", None)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, bpy.types.ID):
        return value.name_full
    return tuple(round(channel, 5) for channel in value)
