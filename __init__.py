"""Linkpose: grab any bone of a rig or any link of a URDF robot and drag it; the chain above it follows.

``linkpose.solver`` and ``linkpose.urdf`` need no Blender: this module imports ``bpy`` only where Blender calls it.
"""

from __future__ import annotations

__version__ = "0.1.0"


def register() -> None:
    """Called by Blender when the extension is enabled."""
    from . import operators, ui

    operators.register()
    ui.register()


def unregister() -> None:
    """Called by Blender when the extension is disabled; ends a running drag first."""
    from . import operators, ui

    ui.unregister()
    operators.unregister()
