"""What a drag says in words: keys, how far it is, and why it is not there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    from ..rig.drag import DragSession

KEYS = "   |   ".join(
    (
        "Confirm: Left Mouse or Enter",
        "Cancel: Esc or Right Mouse",
        "Depth: Wheel or Ctrl-Up/Down",
        "Chain: Ctrl-Wheel or Page Up/Down",
        "Navigate: Middle Mouse",
    )
)
MOST_NAMES = 3


def length(scene: bpy.types.Scene, metres: float) -> str:
    """A length in the scene's units."""
    settings = scene.unit_settings
    if settings.system == "NONE":
        return f"{metres:.4g}"
    return bpy.utils.units.to_string(
        settings.system, "LENGTH", metres * settings.scale_length, precision=3, split_unit=False
    )


def why(scene: bpy.types.Scene, session: DragSession) -> str:
    """Why the handle is not on the target, in a few words; "" when it is or nothing was asked yet."""
    solution = session.solution
    if solution is None or session.status == "REACHED":
        return ""
    at_limits = _limits(session)
    if session.status == "OUT_OF_REACH":
        text = f"{length(scene, session.residual)} out of reach"
        return f"{text}; {at_limits}" if at_limits else text
    to_go = f"{length(scene, session.residual)} to go"
    if at_limits:
        return f"{to_go}: {at_limits}"
    return to_go if not session.is_done else f"{to_go}: stalled"


def reasons(scene: bpy.types.Scene, session: DragSession) -> list[str]:
    """The same in lines that are short enough for a panel; none when the handle is on the target."""
    solution = session.solution
    if solution is None or session.status == "REACHED":
        return []
    lines = ["Out of reach"] if session.status == "OUT_OF_REACH" else []
    lines += [_at_limit(session, name) for name in solution.limited]
    return lines or ["Stalled"]


def line(scene: bpy.types.Scene, session: DragSession) -> str:
    """The status bar during a drag."""
    state = why(scene, session) or "on the target"
    moves = f" (chain of {session.length})" if session.longest > 1 else ""
    mirror = "X-Mirror   |   " if session.mirrored else ""
    touching = f"{touches(session)}   |   " if session.collisions else ""
    return f"{session.grip.body}{moves}: {state}   |   {touching}{mirror}{KEYS}"


def touches(session: DragSession) -> str:
    """What touches, such as "upper_arm touches table"; "" for nothing."""
    texts = [f"{one} touches {other}" for one, other in session.collisions[:MOST_NAMES]]
    more = len(session.collisions) - MOST_NAMES
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


def summary(scene: bpy.types.Scene, session: DragSession) -> str:
    """One line about a drag that was confirmed."""
    reason = why(scene, session)
    return f"{session.grip.body} on the target" if not reason else f"{session.grip.body}: {reason}"


def _limits(session: DragSession) -> str:
    """The joints that hold at a limit, with their values."""
    solution = session.solution
    if solution is None or not solution.limited:
        return ""
    texts = [_at_limit(session, name) for name in solution.limited[:MOST_NAMES]]
    more = len(solution.limited) - MOST_NAMES
    return ", ".join(texts) + (f" and {more} more at limits" if more > 0 else "")


def _at_limit(session: DragSession, name: str) -> str:
    """Such as "panda_joint4 at -176.0° (lower)"."""
    value, lower, upper, slides = session.joint(name)
    end = "upper" if abs(value - upper) <= abs(value - lower) else "lower"
    number = f"{value:+.4g} m" if slides else f"{math.degrees(value):+.1f}\N{DEGREE SIGN}"
    return f"{name} at {number} ({end})"
