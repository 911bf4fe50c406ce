"""Key J in Object Mode and Pose Mode, which Blender leaves free there in all its keymaps, and the keys of the tool."""

from __future__ import annotations

from typing import Any

import bpy

from . import tool

DRAG = "linkpose.drag"
MODES = {"OBJECT": "Object Mode", "POSE": "Pose"}

_added: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []


def register() -> None:
    """Add the keys to the add-on keymaps; does nothing without a window."""
    keyconfig = bpy.context.window_manager.keyconfigs.addon
    if keyconfig is None:
        return
    for name in MODES.values():
        keymap = keyconfig.keymaps.new(name=name, space_type="EMPTY")
        _added.append((keymap, keymap.keymap_items.new(DRAG, "J", "PRESS")))


def unregister() -> None:
    """Take the keys away again."""
    for keymap, item in _added:
        keymap.keymap_items.remove(item)
    _added.clear()


def items(context: bpy.types.Context) -> list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]]:
    """The keymap items that start drags, as the user has them now."""
    keyconfig = context.window_manager.keyconfigs.user
    keymaps = [keyconfig.keymaps.get(name) for name in (*MODES.values(), *tool.KEYMAPS)] if keyconfig else []
    return [
        (keymap, item)
        for keymap in keymaps
        if keymap is not None
        for item in keymap.keymap_items
        if item.idname == DRAG
    ]


def key_of_drag(context: bpy.types.Context) -> str:
    """The key that starts a drag in the present mode, such as "J"; "" where there is none."""
    keyconfig = context.window_manager.keyconfigs.user
    keymap = None if keyconfig is None else keyconfig.keymaps.get(MODES.get(context.mode, ""))
    found = None if keymap is None else keymap.keymap_items.find_from_operator(DRAG)
    return "" if found is None or not found.active else str(found.to_string())


def draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """The keymap items, to be edited as in Blender's own keymap preferences."""
    import rna_keymap_ui  # on the path only where Blender has its user interface

    editor: Any = rna_keymap_ui
    keyconfig = context.window_manager.keyconfigs.user
    shown = None
    for keymap, item in items(context):
        if shown != keymap.name:
            layout.label(text=keymap.name, text_ctxt=_CONTEXT)
            shown = keymap.name
        column = layout.column()
        column.context_pointer_set("keymap", keymap)
        editor.draw_kmi([], keyconfig, keymap, item, column, 0)


# In which Blender's own translations have the names of keymaps.
_CONTEXT = "WindowManager"
