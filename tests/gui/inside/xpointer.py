"""The pointer by events of the X server instead of Blender's simulation, which knows no double-click.

Blender cannot go back to simulated events, so a scenario that takes this is the only one of its file.
"""

from __future__ import annotations

import ctypes
from typing import Any

import bpy
from inside.window import Steps, pointer, window

_PRESS, _RELEASE = 4, 5
_MASKS = {_PRESS: 1 << 2, _RELEASE: 1 << 3}


class _ButtonEvent(ctypes.Structure):
    """XButtonEvent of Xlib."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("root", ctypes.c_ulong),
        ("subwindow", ctypes.c_ulong),
        ("time", ctypes.c_ulong),
        ("x", ctypes.c_int),
        ("y", ctypes.c_int),
        ("x_root", ctypes.c_int),
        ("y_root", ctypes.c_int),
        ("state", ctypes.c_uint),
        ("button", ctypes.c_uint),
        ("same_screen", ctypes.c_int),
        ("room", ctypes.c_long * 24),
    )


class XPointer:
    """Sends events to Blender's window from the place where the simulated pointer was."""

    def __init__(self) -> None:
        self._library: Any = ctypes.CDLL("libX11.so.6")
        self._library.XOpenDisplay.restype = ctypes.c_void_p
        self._display = ctypes.c_void_p(self._library.XOpenDisplay(None))
        self._library.XDefaultRootWindow.restype = ctypes.c_ulong
        self._root = self._library.XDefaultRootWindow(self._display)
        self._at = pointer()
        self._time = 1000
        bpy.app.use_event_simulate = False
        self._warp()

    def click(self, times: int = 1) -> Steps:
        """Press and release the left button, quickly one after the other."""
        for _ in range(times):
            for kind in (_PRESS, _RELEASE):
                self._send(kind)
                yield 0.05
        self._time += 2000
        yield 0.2

    def move(self, dx: int, dy: int, steps: int = 8) -> Steps:
        """Move by so many pixels."""
        x, y = self._at
        for step in range(1, steps + 1):
            self._at = (x + dx * step // steps, y + dy * step // steps)
            self._warp()
            yield 0.05

    def _warp(self) -> None:
        """Put the pointer where it shall be; Blender asks the server for it, and hears of the motion."""
        x, y = self._at
        down = window().height - 1 - y
        self._library.XWarpPointer(self._display, 0, ctypes.c_ulong(self._root), 0, 0, 0, 0, x, down)
        self._library.XFlush(self._display)

    def _send(self, kind: int) -> None:
        for target in _windows(self._library, self._display, self._root):
            _send(self._library, self._display, self._root, target, kind, self._time, self._at)
        self._library.XFlush(self._display)
        self._time += 20


def _windows(library: Any, display: ctypes.c_void_p, root: int) -> list[int]:
    """The windows on the screen; without a window manager Blender's is one of them."""
    above, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
    children = ctypes.POINTER(ctypes.c_ulong)()
    library.XQueryTree(
        display,
        ctypes.c_ulong(root),
        ctypes.byref(above),
        ctypes.byref(parent),
        ctypes.byref(children),
        ctypes.byref(count),
    )
    return [children[i] for i in range(count.value)]


def _send(
    library: Any, display: ctypes.c_void_p, root: int, target: int, kind: int, time: int, at: tuple[int, int]
) -> None:
    x, y = at
    down = window().height - 1 - y
    event = _ButtonEvent(
        type=kind,
        send_event=1,
        window=target,
        root=root,
        time=time,
        x=x,
        y=down,
        x_root=x,
        y_root=down,
        state=1 << 8 if kind == _RELEASE else 0,
        button=1,
        same_screen=1,
    )
    library.XSendEvent(display, ctypes.c_ulong(target), 0, ctypes.c_long(_MASKS[kind]), ctypes.byref(event))
