"""What the user sees beside the operators: menu entries, keymap, overlay."""

from __future__ import annotations

from . import (
    chain_panel,
    collision_panel,
    import_panel,
    joints_panel,
    keymap,
    marks_panel,
    menus,
    overlay,
    panel,
    preferences,
    target_panel,
    texts,
    tool,
)

_MODULES = (
    texts,
    preferences,
    menus,
    panel,
    joints_panel,
    target_panel,
    import_panel,
    marks_panel,
    chain_panel,
    collision_panel,
    keymap,
    tool,
)


def register() -> None:
    """Add the menu entries and keys."""
    for module in _MODULES:
        module.register()


def unregister() -> None:
    """Take them away again, in reverse."""
    for module in reversed(_MODULES):
        module.unregister()
    overlay.hide()
