"""What a drag may leave behind, counted: handlers, timers, texts, data. Compared before and after."""

from __future__ import annotations

from typing import Any

import bpy
from inside.window import package


def left_behind() -> dict[str, Any]:
    """Everything that a drag takes and must give back, as it is now.

    Blender lists neither timers nor draw handlers nor the status text, so what the extension holds of them is asked of
    it, beside Blender's own lists.
    """
    overlay, drag = package("ui.overlay"), package("operators.drag")
    return {
        "modal operators": sorted(op.bl_idname for w in bpy.context.window_manager.windows for op in w.modal_operators),
        "session": package("api").session(),
        "overlay": overlay.is_shown(),
        "running": drag.running_session(),
        "handlers": {
            name: [getattr(function, "__qualname__", repr(function)) for function in functions]
            for name in dir(bpy.app.handlers)
            if isinstance(functions := getattr(bpy.app.handlers, name), list)
        },
    }
