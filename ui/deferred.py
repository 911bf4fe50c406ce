"""What is too dear for a redraw: made by a timer between redraws, and known until what it was made of changes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import bpy

from ..rig import compat, drag

_log = logging.getLogger(__name__)
_MOST_KNOWN = 8
_BUSY = 0.5

T = TypeVar("T")


class Deferred(Generic[T]):
    """Keeps the last answers about bones, and makes the one that was asked for last when Blender is idle.

    A redraw asks by :meth:`get`; where the answer is not known a timer makes it and asks for a redraw. While a drag
    runs or an animation plays nothing is made.
    """

    def __init__(
        self, make: Callable[[bpy.types.Object, str], T], failed: Callable[[str, Exception], T], *, delay: float = 0.0
    ) -> None:
        """Take what makes an answer.

        Args:
            make: the answer about a bone of an armature.
            failed: the answer where that raises, for the bone.
            delay: seconds before it is made, in which another question may take its place.
        """
        self._make, self._failed, self._delay = make, failed, delay
        self._known: dict[Hashable, T] = {}
        self._wanted: tuple[Hashable, int, str] | None = None
        self.latest: T | None = None

    def get(self, key: Hashable, armature: bpy.types.Object, bone: str) -> T | None:
        """The answer for a key, None while it is not known; then it is asked for.

        Args:
            key: what the answer is made of.
            armature: whose bone.
            bone: "" where the answer is about all of it.
        """
        if key in self._known:
            return self._known[key]
        self._wanted = (key, armature.session_uid, bone)
        if not bpy.app.timers.is_registered(self._answer):
            bpy.app.timers.register(self._answer, first_interval=self._delay)
        return None

    def know(self, key: Hashable, answer: T) -> None:
        """Keep an answer under another key as well."""
        self._keep(key, answer)

    def forget(self) -> None:
        """Drop everything, and what was asked for."""
        if bpy.app.timers.is_registered(self._answer):
            bpy.app.timers.unregister(self._answer)
        self._known.clear()
        self._wanted = self.latest = None

    def _answer(self) -> float | None:
        wanted = self._wanted
        if wanted is None:
            return None
        if drag.current() is not None or compat.is_playing(bpy.context):
            return _BUSY
        self._wanted = None
        key, uid, bone = wanted
        for window in bpy.context.window_manager.windows:
            armature = next((ob for ob in window.view_layer.objects if ob.session_uid == uid), None)
            if armature is None:
                continue
            try:
                with bpy.context.temp_override(window=window):
                    self.latest = self._make(armature, bone)
            except Exception as error:
                # A timer that raises is dropped without a word, and the panel would wait for ever.
                _log.exception("nothing could be told of %r", bone)
                self.latest = self._failed(bone, error)
            self._keep(key, self.latest)
            break
        redraw()
        return None

    def _keep(self, key: Hashable, answer: T) -> None:
        while len(self._known) >= _MOST_KNOWN:
            del self._known[next(iter(self._known))]
        self._known[key] = answer


def redraw() -> None:
    """Ask every 3D view to draw itself again, its sidebar included."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
