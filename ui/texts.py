"""Texts that are put together, in the language of the user interface."""

from __future__ import annotations

import bpy


def tr(message: str) -> str:
    """A text of the user interface in the user's language, where Blender is to translate that."""
    return str(bpy.app.translations.pgettext_iface(message))


def report(message: str) -> str:
    """The same for what an operator reports."""
    return str(bpy.app.translations.pgettext_rpt(message))
