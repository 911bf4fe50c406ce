"""The drag that runs in a viewport: what it holds of Blender's user interface, and one end for every way out."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import bpy

from ..rig.drag import DragSession
from ..rig.view import View, ViewAddress
from ..ui import overlay, status

# How long it is told that a key does not apply [s].
NOTE = 4.0


@dataclass
class Running:
    """What a drag holds of Blender's user interface and must give back.

    Attributes:
        session: the drag.
        address: the view that it was started in.
        view: that view as it was at the last event.
        timer: Blender's timer, which dies with its window.
        workspace: name of the one whose status bar is taken.
        overlay: what is drawn.
        release: whether releasing the button confirms.
        keys: what works now, as the status bar has it.
        note: why the last key did not apply; "" when it did.
        noted: when that was told.
    """

    session: DragSession
    address: ViewAddress
    view: View
    timer: bpy.types.Timer
    workspace: str
    overlay: overlay.Feed
    release: bool = False
    keys: list[str] = field(default_factory=list)
    note: str = ""
    noted: float = 0.0

    def tell(self, note: str) -> None:
        """Say briefly why a key does not apply, or no longer for ""."""
        self.note, self.noted = note, time.monotonic()

    @property
    def is_told(self) -> bool:
        """Whether a note has been shown long enough."""
        return bool(self.note) and time.monotonic() - self.noted > NOTE


_running: Running | None = None


def current() -> Running | None:
    """The drag that runs, None when none does."""
    return _running


def begin(running: Running) -> None:
    """A drag runs from now on."""
    global _running
    _running = running


def end(context: bpy.types.Context, *, confirm: bool = False) -> bool:
    """End the running drag, whoever asks: give back the pose or key it, the views, the timer, all texts.

    Does nothing when no drag runs. Returns True when a pose was written and kept.

    Raises:
        LinkposeError: the pose could not be keyed; it was put back, and nothing of the drag is left.
    """
    global _running
    running, _running = _running, None
    if running is None:
        return False
    overlay.hide()
    window_manager = bpy.context.window_manager
    for window in window_manager.windows:
        if window.as_pointer() == running.address.window:
            window_manager.event_timer_remove(running.timer)
            window.cursor_modal_restore()
    workspace = bpy.data.workspaces.get(running.workspace)
    if workspace is not None:
        workspace.status_text_set(None)
    for area in _areas(running.address):
        area.header_text_set(None)
    try:
        if confirm:
            return running.session.confirm(context) is not None
        running.session.cancel(context)
    finally:
        running.session.cancel(context)
        overlay.redraw(window_manager)
    return False


def show(context: bpy.types.Context, running: Running, keys: list[str]) -> None:
    """Bring overlay, header and status bar up to date."""
    session = running.session
    running.overlay.update(context.scene, session)
    running.keys = keys
    workspace: Any = bpy.data.workspaces.get(running.workspace)
    if workspace is not None:
        workspace.status_text_set(status.line(context.scene, session, keys))
    for area in _areas(running.address):
        area.header_text_set(status.header(context.scene, session, running.note))
    overlay.redraw(context.window_manager)


def _areas(address: ViewAddress) -> list[bpy.types.Area]:
    """The area that the drag was started in, wherever it is now."""
    return [area for screen in bpy.data.screens for area in screen.areas if area.as_pointer() == address.area]
