"""What the panels of the sidebar's tab have in common: where they are, and what they are about."""

from __future__ import annotations

from typing import Any, Literal

import bpy

from .texts import OWN


class Tab:
    """A panel below "Linkpose" in its tab."""

    # Blender's stubs would have the mixin's values of the base's own literal types.
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = "Linkpose"
    bl_parent_id = "LINKPOSE_PT_drag"
    # Else Blender looks a title up among its own words first, where it may mean something else.
    bl_translation_context = OWN


def armature_of(context: bpy.types.Context) -> bpy.types.Object | None:
    """The armature that the panels are about: the active one, or the one that carries the active object."""
    active = context.object
    if active is None or context.mode not in {"OBJECT", "POSE"}:
        return None
    if active.type == "ARMATURE":
        return active
    parent = active.parent
    return parent if parent is not None and parent.type == "ARMATURE" else None


def subject(context: bpy.types.Context) -> tuple[bpy.types.Object, str] | None:
    """(armature, bone) that the panels are about: the active bone, or the bone that carries the active object."""
    active = context.object
    if active is None:
        return None
    if active.type != "ARMATURE":
        parent = active.parent
        carried = parent is not None and active.parent_type == "BONE" and active.parent_bone in parent.pose.bones
        return (parent, active.parent_bone) if parent is not None and carried else None
    assert isinstance(active.data, bpy.types.Armature)
    bone = active.data.bones.active
    return None if bone is None or bone.name not in active.pose.bones else (active, bone.name)


def draw_lines(
    column: bpy.types.UILayout,
    text: str,
    icon: Literal["INFO", "BLANK1", "ERROR", "CHECKMARK", "MOUSE_MOVE"],
    width: int = 34,
) -> None:
    """A text in lines that are short enough for the sidebar, an icon before the first."""
    line, first = "", True
    for word in [*text.split(), ""]:
        if line and (not word or len(line) + len(word) >= width):
            column.label(text=line, icon=icon if first else "BLANK1", translate=False)
            line, first = word, False
        else:
            line = f"{line} {word}" if line else word
