"""Texts of the user interface in the user's language; those that are put together are looked up before that.

Errors stay English: scripts read them as well.
"""

from __future__ import annotations

import bpy

from .german import GERMAN

# Where texts are looked up that are put together: what Blender says to a word such as "Space" may be something else.
OWN = "Linkpose"
# In which Blender itself looks up texts: everything but operators' names, and those.
_CONTEXTS = ("*", "Operator", OWN)


def tr(message: str) -> str:
    """A text of the user interface in the user's language, where Blender is to translate that."""
    return str(bpy.app.translations.pgettext_iface(message, OWN))


def report(message: str) -> str:
    """The same for what an operator reports."""
    return str(bpy.app.translations.pgettext_rpt(message, OWN))


def register() -> None:
    """Give Blender the translations."""
    german = {(context, text): there for text, there in GERMAN.items() for context in _CONTEXTS}
    bpy.app.translations.register(__package__, {"de_DE": german})


def unregister() -> None:
    """Take them away again."""
    bpy.app.translations.unregister(__package__)
