"""What the keys of a running drag do: one table, by which events are carried out and the status bar is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy

from ..rig import pick, typed
from ..rig.aiming import Manner
from ..rig.drag import DragSession
from ..rig.drag_controls import NotNowError
from ..rig.turning import Turn
from ..rig.view import View


@dataclass(frozen=True)
class Call:
    """One event of a drag.

    Attributes:
        context, event: Blender's.
        session: the drag.
        view: as it is now.
        space: that it belongs to.
        pixel: the pointer's in its region.
    """

    context: bpy.types.Context
    event: bpy.types.Event
    session: DragSession
    view: View
    space: bpy.types.SpaceView3D
    pixel: tuple[float, float]


@dataclass(frozen=True)
class Command:
    """What some keys do.

    Attributes:
        keys: types of events.
        hint: what the status bar says of it; "" while there is nothing to do for it.
        run: does it; returns whether the search has something new to do. Raises NotNowError where it does not apply.
        ctrl: whether Ctrl has to be held; it may not, otherwise.
        typing: whether it works while numbers are typed.
        repeats: whether holding the key does it again and again.
    """

    keys: frozenset[str]
    hint: Callable[[DragSession], str]
    run: Callable[[Call], bool]
    ctrl: bool = False
    typing: bool = False
    repeats: bool = False


WHEEL = frozenset({"WHEELUPMOUSE", "WHEELDOWNMOUSE"})
ENTER = frozenset({"RET", "NUMPAD_ENTER"})
MODIFIERS = frozenset({"LEFT_CTRL", "RIGHT_CTRL", "LEFT_SHIFT", "RIGHT_SHIFT"})
_UP = frozenset({"WHEELUPMOUSE", "UP_ARROW", "PAGE_UP"})
_DIGITS = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
# Keys that mean a character also where Blender is not told which.
_CHARACTERS = {
    **{name: str(number) for number, name in enumerate(_DIGITS)},
    **{f"NUMPAD_{number}": str(number) for number in range(10)},
    "PERIOD": ".",
    "NUMPAD_PERIOD": ".",
    "MINUS": "-",
    "NUMPAD_MINUS": "-",
    "EQUAL": "=",
}
# What begins a number.
_FIRST = frozenset("0123456789-.,=")


def manner(event: bpy.types.Event) -> Manner:
    """How the pointer's motion is to be taken while these modifiers are held."""
    return Manner(precise=event.shift, steps=event.ctrl, still=event.alt)


def carry_out(call: Call) -> bool:
    """Do what a pressed key or the wheel means; True when the search has something new to do.

    Raises:
        NotNowError: it does not apply; nothing has changed.
    """
    session, event = call.session, call.event
    if event.type in MODIFIERS:
        session.aiming.manner = manner(event)
        return session.refresh(call.view)
    if event.value != "PRESS" or event.oskey:
        return False
    if session.typing:
        changed = _edit(call)
        if changed is not None:
            return changed
    for command in TABLE:
        if event.type not in command.keys or event.ctrl != command.ctrl:
            continue
        if event.is_repeat and not command.repeats:
            return False
        if session.typing and not command.typing:
            raise NotNowError("Take the number away with Backspace first")
        return command.run(call)
    if not session.typing and not event.ctrl and _character(event) in _FIRST:
        _begin_typing(call)
        return _typed(call, _character(event))
    return False


def hints(session: DragSession, *, release: bool) -> list[str]:
    """The keys that work now, in a few words each, the most important first."""
    found = ["Release: Confirm" if release else "Enter, LMB: Confirm", "Esc, RMB: Cancel"]
    if session.typing:
        turn_or_aim = session.turn if session.turning else session.aiming
        if turn_or_aim.typed is not None and len(turn_or_aim.typed.texts) > 1:
            found.append("Tab: Next Axis")
        found.append("Backspace: Delete")
        found += [text for command in TABLE if command.typing and (text := command.hint(session))]
    else:
        found += [text for command in TABLE if (text := command.hint(session))]
        found += ["0-9: Angle" if session.turning else "0-9: Distance", "Shift: Precise", "Ctrl: Steps"]
        found.append("Alt: Pointer Alone")
    # What is of use only now comes first, where a narrow window still shows it.
    found.sort(key=lambda text: not text.startswith("Space"))
    return [*found, "MMB: Navigate"]


def _character(event: bpy.types.Event) -> str:
    """The character that was typed, "" for none."""
    text = str(event.unicode) or _CHARACTERS.get(event.type, "")
    return text if text.isprintable() else ""


def _edit(call: Call) -> bool | None:
    """What a key means to a number that is being typed; None where it means nothing to it."""
    session, event = call.session, call.event
    owner = session.turn if session.turning else session.aiming
    number = owner.typed
    assert number is not None
    if event.type == "TAB":
        number.go(-1 if event.ctrl or event.shift else 1)
    elif event.type == "BACK_SPACE":
        if not (number.clear() if event.ctrl else number.erase()):
            owner.typed = None
    elif not event.ctrl and _character(event):
        return _typed(call, _character(event))
    else:
        return None
    return session.refresh(call.view)


def _begin_typing(call: Call) -> None:
    session = call.session
    if session.turning:
        session.turn.typed = typed.Typed(1, typed.angles(call.context.scene))
    else:
        session.aiming.typed = typed.Typed(len(session.aiming.directions), typed.lengths(call.context.scene))


def _typed(call: Call, text: str) -> bool:
    number = (call.session.turn if call.session.turning else call.session.aiming).typed
    assert number is not None
    for char in text:
        number.put(char)
    return call.session.refresh(call.view)


def _step(call: Call) -> int:
    return 1 if call.event.type in _UP else -1


def _lock(call: Call) -> bool:
    axis = "XYZ".index(call.event.type)
    if call.session.turning:
        if call.event.shift:
            raise NotNowError("Turning: a plane is no axis; choose one by X, Y, Z")
        call.session.turn.next_axis(axis, call.view)
    else:
        call.session.lock(axis, plane=call.event.shift)
    return call.session.refresh(call.view)


def _wheel(call: Call) -> bool:
    if call.session.turning:
        call.session.turn.cycle_axis(_step(call), call.view)
        return call.session.refresh(call.view)
    return call.session.push(call.view, float(_step(call)), manner(call.event))


def _depth(call: Call) -> bool:
    return call.session.push(call.view, float(_step(call)))


def _lengthen(call: Call) -> bool:
    session = call.session
    if session.longest < 2:
        raise NotNowError("Chain: its length is not for choice here")
    if not session.change_length(call.context, _step(call)):
        raise NotNowError(f"Chain: {session.length} is as {'long' if _step(call) > 0 else 'short'} as it gets")
    return True


def _turn(call: Call) -> bool:
    call.session.cycle_turn(call.context, call.view)
    return True


def _move(call: Call) -> bool:
    if not call.session.turning:
        raise NotNowError("Move: the target moves already")
    call.session.go_on_moving(call.view)
    return True


def _pin(call: Call) -> bool:
    found = pick.pick(call.context, call.space, call.view, call.pixel)
    if found is None:
        raise NotNowError("Pin: there is no link or bone under the pointer; hold Alt to go to one")
    if found.armature_uid != call.session.grip.uid:
        raise NotNowError(f"Pin: {found.bone!r} belongs to another armature, {found.armature!r}")
    call.session.toggle_pin(call.context, call.session.body_of(found.bone))
    return True


def _method(call: Call) -> bool:
    call.session.next_method()
    return True


def _handle(call: Call) -> bool:
    call.session.next_handle(call.context, call.view)
    return True


def _elsewhere(call: Call) -> bool:
    if not call.session.search_elsewhere(call.context):
        raise NotNowError("Searched from elsewhere: nothing comes nearer")
    return True


def _says_axis(session: DragSession) -> str:
    return "X Y Z, Wheel: Axis" if session.turning else "X Y Z: Axis, Shift: Plane"


def _says_depth(session: DragSession) -> str:
    return "" if session.turning or session.aiming.lock is not None else "Wheel: Depth"


def _says_length(session: DragSession) -> str:
    return "Ctrl-Wheel: Chain" if session.longest > 1 else ""


def _says_turn(session: DragSession) -> str:
    return {Turn.FREE: "R: Hold Orientation", Turn.HELD: "R: Turn", Turn.TURNED: "R: Free Orientation"}[
        session.turn.mode
    ]


def _says_handle(session: DragSession) -> str:
    return f"H: Handle ({session.handle_name})" if session.handle_name else ""


# In the order of the status bar.
TABLE = (
    Command(frozenset({"SPACE"}), lambda session: "Space: Search Elsewhere" if session.is_stalled else "", _elsewhere),
    Command(frozenset("XYZ"), _says_axis, _lock),
    Command(WHEEL, _says_depth, _wheel, repeats=True),
    Command(frozenset({"UP_ARROW", "DOWN_ARROW"}), lambda _: "", _depth, ctrl=True, repeats=True),
    Command(WHEEL, _says_length, _lengthen, ctrl=True, typing=True, repeats=True),
    Command(frozenset({"PAGE_UP", "PAGE_DOWN"}), lambda _: "", _lengthen, typing=True, repeats=True),
    Command(frozenset("R"), _says_turn, _turn),
    Command(frozenset("G"), lambda session: "G: Move" if session.turning else "", _move),
    Command(frozenset("P"), lambda _: "P: Pin", _pin),
    Command(frozenset("M"), lambda session: f"M: Method ({session.method})", _method),
    Command(frozenset("H"), _says_handle, _handle),
)
