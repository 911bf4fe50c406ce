"""Key J in Object Mode and Pose Mode, which Blender leaves free there."""

from __future__ import annotations

import bpy

_added: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []


def register() -> None:
    """Add the keys to the add-on keymaps; does nothing without a window."""
    keyconfig = bpy.context.window_manager.keyconfigs.addon
    if keyconfig is None:
        return
    for name in ("Object Mode", "Pose"):
        keymap = keyconfig.keymaps.new(name=name, space_type="EMPTY")
        _added.append((keymap, keymap.keymap_items.new("linkpose.drag", "J", "PRESS")))


def unregister() -> None:
    """Take the keys away again."""
    for keymap, item in _added:
        keymap.keymap_items.remove(item)
    _added.clear()
