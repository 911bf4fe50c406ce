"""Blender materials from what a URDF or a mesh file says about looks; alike ones are made once."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import bpy

from ..urdf.model import Material
from . import compat
from .looks import value_of
from .meshes import COLORS
from .textures import load_image

# What has no material at all, in sRGB like every colour of a URDF.
GREY = Material("Default", (0.7, 0.7, 0.7, 1.0))

Color = tuple[float, float, float, float]


class Palette:
    """The materials of one robot.

    Attributes:
        warnings: images that could not be read.
    """

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self._made: dict[object, bpy.types.Material] = {}
        self._images: dict[Path, bpy.types.Image | None] = {}

    def of_urdf(self, material: Material | None) -> bpy.types.Material:
        """A URDF material under its own name; grey where there is none, or none that says how it looks."""
        if material is None or (material.color is None and material.texture is None):
            material = GREY
        return self._get((material.name, material.color, material.texture), material)

    def of_file(self, material: Material) -> bpy.types.Material | None:
        """A mesh file's material; None when it says nothing, and the URDF's stands in. Equal looks become one."""
        if material.color is None and material.texture is None:
            return None
        color = None if material.color is None else tuple(round(channel, 4) for channel in material.color)
        return self._get((color, material.texture), material)

    def of_colors(self) -> bpy.types.Material:
        """What shows the colours that a mesh file gives to its vertices."""
        if COLORS not in self._made:
            made = bpy.data.materials.new("Vertex Colors")
            base = _principled(made)
            assert base is not None
            node = _node_before(made, base, "ShaderNodeVertexColor")
            assert isinstance(node, bpy.types.ShaderNodeVertexColor)
            node.layer_name = COLORS
            self._made[COLORS] = made
        return self._made[COLORS]

    def keep(self, material: bpy.types.Material) -> bpy.types.Material:
        """A material that Blender's importer made, or the first one that looks just like it."""
        base = _principled(material)
        if base is None:
            return material
        color, alpha = _color_and_alpha(base)
        if not color.is_linked:
            material.diffuse_color = (*color.default_value[:3], alpha.default_value)
        if not alpha.is_linked and alpha.default_value < 1.0:
            material.surface_render_method = "BLENDED"
        if any(socket.is_linked for socket in base.inputs):
            return material
        look = tuple(value_of(socket) for socket in base.inputs)
        return self._made.setdefault(look, material)

    def _get(self, key: object, material: Material) -> bpy.types.Material:
        if key not in self._made:
            self._made[key] = self._make(material)
        return self._made[key]

    def _make(self, material: Material) -> bpy.types.Material:
        made = bpy.data.materials.new(material.name or "Material")
        color = to_linear(material.color or (1.0, 1.0, 1.0, 1.0))
        made.diffuse_color = color  # what solid view shows
        base = _principled(made)
        assert base is not None
        base_color, alpha = _color_and_alpha(base)
        base_color.default_value = (*color[:3], 1.0)
        alpha.default_value = color[3]
        if color[3] < 1.0:
            made.surface_render_method = "BLENDED"
        image = None if material.texture is None else self._image(material.texture)
        if image is not None:
            node = _node_before(made, base, "ShaderNodeTexImage")
            assert isinstance(node, bpy.types.ShaderNodeTexImage)
            node.image = image
        return made

    def _image(self, path: Path) -> bpy.types.Image | None:
        if path not in self._images:
            image = load_image(path)
            if image is None:
                self.warnings.append(
                    f"{path}: Blender cannot read this image, or it is too large; its material has its plain colour"
                )
            self._images[path] = image
        return self._images[path]


def make_opaque(material: bpy.types.Material) -> None:
    """Let no light through the material as through glass; its alpha stays."""
    base = _principled(material)
    if base is not None:
        cast("bpy.types.NodeSocketFloat", base.inputs["Transmission Weight"]).default_value = 0.0


def to_linear(color: Color) -> Color:
    """An sRGB colour as Blender's scene-linear one; alpha is linear already."""

    def channel(value: float) -> float:
        value = min(max(value, 0.0), 1.0)
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue, alpha = color
    return channel(red), channel(green), channel(blue), min(max(alpha, 0.0), 1.0)


def _principled(material: bpy.types.Material) -> bpy.types.ShaderNodeBsdfPrincipled | None:
    """The Principled node, found by type: node names are translated."""
    for node in compat.shader_nodes(material).nodes:
        if isinstance(node, bpy.types.ShaderNodeBsdfPrincipled):
            return node
    return None


def _node_before(
    material: bpy.types.Material, base: bpy.types.ShaderNodeBsdfPrincipled, kind: str
) -> bpy.types.ShaderNode:
    """A new node whose colour goes into the base colour."""
    tree = compat.shader_nodes(material)
    node = tree.nodes.new(kind)
    assert isinstance(node, bpy.types.ShaderNode)
    node.location = (base.location.x - 320.0, base.location.y)
    tree.links.new(node.outputs["Color"], base.inputs["Base Color"])
    return node


def _color_and_alpha(
    node: bpy.types.ShaderNodeBsdfPrincipled,
) -> tuple[bpy.types.NodeSocketColor, bpy.types.NodeSocketFloat]:
    # Alpha's class is a float socket of a kind that the stubs do not know.
    return node.inputs["Base Color"], cast("bpy.types.NodeSocketFloat", node.inputs["Alpha"])
