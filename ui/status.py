"""What a drag says in words: what it does, which keys work, how far it is, and why it is not there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy

from ..rig.turning import Turn
from .texts import tr

if TYPE_CHECKING:
    from ..rig.drag import DragSession
    from ..rig.typed import Typed

MOST_NAMES = 3
GAP = "   |   "


def length(scene: bpy.types.Scene, metres: float) -> str:
    """A length in the scene's units."""
    settings = scene.unit_settings
    if settings.system == "NONE":
        return f"{metres:.4g}"
    return bpy.utils.units.to_string(
        settings.system, "LENGTH", metres * settings.scale_length, precision=3, split_unit=False
    )


def angle(radians: float, *, sign: bool = False) -> str:
    """An angle in degrees."""
    # Adding 0 takes the sign off a zero.
    degrees = round(math.degrees(radians), 1) + 0.0
    return f"{degrees:+.1f}\N{DEGREE SIGN}" if sign else f"{degrees:.1f}\N{DEGREE SIGN}"


def why(scene: bpy.types.Scene, session: DragSession) -> str:
    """Why what is asked is not there, in a few words; "" when it is or nothing was asked yet."""
    solution = session.solution
    if solution is None or session.status == "REACHED":
        return ""
    at_limits = _limits(session)
    if session.status == "OUT_OF_REACH":
        text = tr("{length} out of reach").format(length=length(scene, session.residual))
        return f"{text}; {at_limits}" if at_limits else text
    to_go = _to_go(scene, session)
    if at_limits:
        return f"{to_go}: {at_limits}"
    if not session.is_done:
        return to_go
    stalled = f"{to_go}, {tr('stalled')}"
    return f"{stalled}: {tr('Space searches from elsewhere')}" if _runs(session) and session.is_stalled else stalled


def reasons(scene: bpy.types.Scene, session: DragSession) -> list[str]:
    """The same in lines that are short enough for a panel; none when everything is as asked."""
    solution = session.solution
    if solution is None or session.status == "REACHED":
        return []
    lines = [tr("Out of reach")] if session.status == "OUT_OF_REACH" else []
    lines += [_at_limit(session, name) for name in solution.limited]
    return lines or [tr("Stalled")]


def line(scene: bpy.types.Scene, session: DragSession, keys: Sequence[str] = ()) -> str:
    """The status bar during a drag: what is dragged, how far it is, and the keys that work now."""
    state = why(scene, session) or tr("on the target")
    moves = " " + tr("(chain of {count})").format(count=session.length) if session.longest > 1 else ""
    beside = [touches(session)] if session.collisions else []
    beside += [tr("X-Mirror")] if session.mirrored else []
    return GAP.join([f"{session.grip.body}{moves}: {state}", *beside, *map(key_text, keys)])


def touches(session: DragSession) -> str:
    """What touches, such as "upper_arm touches table"; "" for nothing."""
    texts = [tr("{one} touches {other}").format(one=one, other=other) for one, other in session.collisions[:MOST_NAMES]]
    more = len(session.collisions) - MOST_NAMES
    return ", ".join(texts) + and_more(more)


def header(scene: bpy.types.Scene, session: DragSession, note: str = "") -> str:
    """The header of the view during a drag: what pointer, locks and numbers ask for, or why a key does not apply."""
    if note:
        return note
    parts = [_turned(session) if session.turning else _moved(scene, session)]
    if session.turn.mode is Turn.HELD:
        parts.append(tr("orientation held"))
    if session.pinned:
        names = ", ".join(session.pinned[:MOST_NAMES])
        more = len(session.pinned) - MOST_NAMES
        parts.append(tr("pinned: {names}").format(names=names + and_more(more)))
    return GAP.join(parts)


def summary(scene: bpy.types.Scene, session: DragSession) -> str:
    """One line about a drag that was confirmed."""
    reason = why(scene, session)
    return f"{session.grip.body} {tr('on the target')}" if not reason else f"{session.grip.body}: {reason}"


def and_more(count: int) -> str:
    """Such as " and 2 more"; "" for none."""
    return " " + tr("and {count} more").format(count=count) if count > 0 else ""


def key_text(text: str) -> str:
    """Such as "M: Method (AUTO)" in the user's language: the keys, what they do, and what is set."""
    keys, _, does = text.partition(": ")
    does, opened, chosen = does.partition(" (")
    return f"{tr(keys)}: {tr(does)}{opened}{chosen}"


def _runs(session: DragSession) -> bool:
    return session.state.value == "running"


def _to_go(scene: bpy.types.Scene, session: DragSession) -> str:
    """Such as "3.2 mm to go", "1.2° to turn", "3.2 mm and 1.2° to go"; of the pins where the target itself is met."""
    solution = session.solution
    assert solution is not None
    own, pins = solution.goals[0], solution.goals[1:]
    far = session.residual > session.tolerance
    turn = (own.orientation or 0.0) > session.orientation_tolerance
    if far and turn:
        both = tr("{length} and {angle} to go")
        return both.format(length=length(scene, session.residual), angle=angle(own.orientation or 0.0))
    if turn:
        return tr("{angle} to turn").format(angle=angle(own.orientation or 0.0))
    worst = max(pins, key=lambda goal: goal.position or 0.0, default=None)
    if not far and worst is not None:
        off = length(scene, (worst.position or 0.0) * session.stretch)
        return tr("{body} {length} off its pin").format(body=worst.body, length=off)
    return tr("{length} to go").format(length=length(scene, session.residual))


def _moved(scene: bpy.types.Scene, session: DragSession) -> str:
    """How far the target is from where it began, along the directions in which it may move."""
    aiming = session.aiming
    along = f" {aiming.lock.name}" if aiming.lock is not None else ""
    if aiming.typed is not None:
        values = ", ".join(length(scene, value) for value in aiming.typed.values)
        return f"{tr('Move')} {_fields(aiming.typed)} = {values}{along}"
    way = session.target - aiming.start
    values = ", ".join(length(scene, float(direction @ way)) for direction in aiming.directions)
    whole = f" ({length(scene, math.hypot(*way))})" if len(aiming.directions) > 1 else ""
    return f"{tr('Move')} {values}{whole}{along}"


def _turned(session: DragSession) -> str:
    turn = session.turn
    about = tr("about {axis}").format(axis=turn.axis_name)
    if turn.typed is not None:
        return f"{tr('Turn')} {_fields(turn.typed)} = {angle(turn.turned)} {about}"
    return f"{tr('Turn')} {angle(turn.turned)} {about}"


def _fields(typed: Typed) -> str:
    """What was typed, with a cursor in the field that is edited, and a mark where it means nothing yet."""
    texts = list(typed.texts)
    texts[typed.active] += "|" if typed.read else "| ?"
    return "[" + "] [".join(texts) + "]"


def _limits(session: DragSession) -> str:
    """The joints that hold at a limit, with their values."""
    solution = session.solution
    if solution is None or not solution.limited:
        return ""
    texts = [_at_limit(session, name) for name in solution.limited[:MOST_NAMES]]
    more = len(solution.limited) - MOST_NAMES
    more_held = " " + tr("and {count} more at limits").format(count=more)
    return ", ".join(texts) + (more_held if more > 0 else "")


def _at_limit(session: DragSession, name: str) -> str:
    """Such as "panda_joint4 at -176.0° (lower)"."""
    value, lower, upper, slides = session.joint(name)
    end = tr("upper") if abs(value - upper) <= abs(value - lower) else tr("lower")
    number = f"{value:+.4g} m" if slides else angle(value, sign=True)
    return tr("{joint} at {value} ({end})").format(joint=name, value=number, end=end)
