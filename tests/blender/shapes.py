"""Elements of URDF text with shapes, and what tests ask about the shapes that an import made of them."""

from __future__ import annotations

import bpy
from blender.robots import visuals


def a_visual(geometry: str, rest: str = "") -> str:
    return f"<visual><geometry>{geometry}</geometry>{rest}</visual>"


def a_mesh(file: str, scale: str = "", rest: str = "") -> str:
    return a_visual(f'<mesh filename="{file}"' + (f' scale="{scale}"' if scale else "") + "/>", rest)


def a_link(*shapes: str, name: str = "a") -> str:
    return f'<link name="{name}">{"".join(shapes)}</link>'


def a_color(rgba: str, name: str = "") -> str:
    return f'<material name="{name}"><color rgba="{rgba}"/></material>'


def look(material: bpy.types.Material) -> tuple[float, ...]:
    node = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    return (*node.inputs["Base Color"].default_value[:3], node.inputs["Alpha"].default_value)


def shapes_of(report, link: str = "a") -> list[bpy.types.Object]:
    return visuals(report.armature)[link]
