"""The drag in the viewport: events in, session calls out."""

import logging
from dataclasses import replace
from typing import Any, Literal

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatVectorProperty, IntProperty, StringProperty

from ..errors import LinkposeError
from ..rig import compat, drag, grip, pick, pinning, view
from ..rig.drag_controls import NotNowError
from ..rig.keying import Keying
from ..rig.pins import Pin
from ..rig.replay import replay
from ..rig.view import ViewAddress
from ..ui import overlay, preferences, status, tool
from ..ui.overlay import parts
from . import drag_running as running
from .drag_commands import ENTER, Call, carry_out, hints, manner
from .drag_running import Running, end
from .drag_stored import Stored, pack, unpack

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]
Found = tuple[bpy.types.Window, bpy.types.Area, bpy.types.Region]

_log = logging.getLogger(__name__)

# The timer only finishes a search that a pointer move has left unfinished.
TICK = 0.02
NAVIGATION = frozenset({"MIDDLEMOUSE", "TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION"})


class LINKPOSE_OT_drag(bpy.types.Operator):
    """Drag the link or bone under the pointer."""

    bl_idname = "linkpose.drag"
    bl_label = "Linkpose Drag"
    bl_description = "Drag the link or bone under the pointer; the chain above it follows within its joints' limits"
    bl_options = {"REGISTER", "UNDO", "BLOCKING"}

    armature: StringProperty(name="Armature", description="Armature object that is posed", options={"SKIP_SAVE"})
    body: StringProperty(name="Body", description="Link or bone that is dragged", options={"SKIP_SAVE"})
    target: FloatVectorProperty(
        name="Target", description="Where the handle goes, in world space", subtype="TRANSLATION", options={"SKIP_SAVE"}
    )
    method: EnumProperty(
        name="Method", description="How it is solved", items=preferences.METHODS, options={"SKIP_SAVE"}
    )
    length: IntProperty(
        name="Chain Length",
        description="How many bodies from the dragged one up may move; 0 = by the rule",
        min=0,
        options={"SKIP_SAVE"},
    )
    release_confirm: BoolProperty(
        name="Confirm on Release",
        description="Confirm when the mouse button is released",
        options={"SKIP_SAVE", "HIDDEN"},
    )
    result: StringProperty(options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Offered in Object and Pose Mode."""
        if context.mode not in {"OBJECT", "POSE"}:
            cls.poll_message_set("Linkpose drags in Object Mode and Pose Mode")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Pick what is under the pointer and start to drag it."""
        if running.current() is not None:
            self.report({"WARNING"}, "A drag is still running: confirm or cancel it first")
            return {"CANCELLED"}
        if compat.is_playing(context):
            self.report({"WARNING"}, "An animation is playing: stop it, then drag")
            return {"CANCELLED"}
        address = view.under_pointer(context, *_pressed_at(event))
        found = None if address is None else view.find(context.window_manager, address)
        if address is None or found is None:
            self.report({"WARNING"}, "The pointer is not over a 3D view")
            return {"CANCELLED"}
        try:
            self._start(context, event, address, found)
        except LinkposeError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        except Exception as error:
            _log.exception("the drag could not start")
            end(context)
            session = drag.current()
            if session is not None:
                session.cancel(context)
            self.report({"WARNING"}, f"The drag could not start: {error}")
            return {"CANCELLED"}
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Hand one event to the drag; whatever goes wrong, everything is put back."""
        try:
            return self._handle(context, event)
        except LinkposeError as error:
            end(context)
            self.report({"WARNING"}, f"Drag ended: {error}")
        except Exception as error:
            _log.exception("the drag failed")
            end(context)
            self.report({"WARNING"}, f"Drag ended and everything put back: {error}")
        return {"CANCELLED"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender takes the operator away: a file is loaded, or the window closes."""
        end(context)

    def execute(self, context: bpy.types.Context) -> Result:
        """Repeat a drag, or solve for ``body`` and ``target`` without one."""
        try:
            stored = unpack(self.result)
            if stored is not None and stored.asked == self._asked():
                self._replay(context, stored)
                return {"FINISHED"}
            same_grip = stored is not None and stored.asked[:2] == self._asked()[:2]
            self._solve(context, stored if same_grip else None)
        except LinkposeError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def _start(
        self,
        context: bpy.types.Context,
        event: bpy.types.Event,
        address: ViewAddress,
        found: Found,
    ) -> None:
        window, area, region = found
        seen = view.read(area, region)
        x, y = _pressed_at(event)
        pixel = (float(x - region.x), float(y - region.y))
        space = area.spaces.active
        assert isinstance(space, bpy.types.SpaceView3D)
        picked = None if seen is None else pick.pick(context, space, seen, pixel, frames=tool.shows_frames(context))
        if seen is None or picked is None:
            raise LinkposeError("There is no link or bone under the pointer: point at one, then start the drag")
        if not self.properties.is_property_set("method"):
            self.method = preferences.choices(context).method
        held = grip.of_pick(context, picked, lead=preferences.choices(context).lead)
        session = drag.DragSession(
            context,
            held,
            picked.point,
            pixel=pixel,
            method=self.method,
            keying=_keying(context),
            pins=_pins(grip.find(held), held.body),
            length=self.length or None,
        )
        # What was clicked is only nearly what the pixel shows, in single precision, and nothing may move by that.
        session.rebase(seen, pixel)
        units = context.scene.unit_settings
        session.aiming.unit, session.aiming.inches = units.scale_length, units.system == "IMPERIAL"
        feed = overlay.Feed(context.scene, parts.chosen(preferences.stored(context)), session)
        timer = context.window_manager.event_timer_add(TICK, window=window)
        begun = Running(session, address, seen, timer, context.workspace.name, feed, release=self.release_confirm)
        running.begin(begun)
        self.armature, self.body = session.grip.armature, session.grip.body
        _show(context, begun)
        overlay.show(feed.state)
        if held.bone != picked.bone:
            self.report({"INFO"}, f"Dragging {held.bone!r}, the control of {picked.bone!r}")
        window.cursor_modal_set("SCROLL_XY")

    def _handle(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        now = running.current()
        if now is None or now.session.state is not drag.State.RUNNING:
            # Ended from outside: a script, another add-on, the extension switched off and on.
            end(context)
            return {"CANCELLED"}
        found = view.find(context.window_manager, now.address)
        seen = None if found is None else view.read(found[1], found[2])
        if found is None or seen is None:
            end(context)
            self.report({"WARNING"}, "Drag cancelled: its 3D view is gone")
            return {"CANCELLED"}
        session = now.session
        session.check(context)
        if not np.array_equal(seen.perspective, now.view.perspective):
            session.rebase(seen, _pixel(event, found[2]))
            now.view = seen
        if event.type in NAVIGATION:
            return {"PASS_THROUGH"}
        if event.value == "PRESS" and event.type in {"ESC", "RIGHTMOUSE"}:
            end(context)
            return {"CANCELLED"}
        if self._confirms(event):
            return self._confirm(context, session)
        self._follow(context, event, now, found)
        return {"RUNNING_MODAL"}

    def _follow(self, context: bpy.types.Context, event: bpy.types.Event, now: Running, found: Found) -> None:
        """Take one event, search, and bring everything up to date that it changes on screen."""
        session, pixel = now.session, _pixel(event, found[2])
        asked = told = False
        if event.type == "MOUSEMOVE":
            asked = session.point_at(now.view, pixel, manner(event))
        elif event.type == "TIMER":
            asked = not session.is_done
            told = now.is_told
        else:
            space = found[1].spaces.active
            assert isinstance(space, bpy.types.SpaceView3D)
            told = event.value == "PRESS"
            note = ""
            try:
                asked = carry_out(Call(context, event, session, now.view, space, pixel))
            except NotNowError as error:
                note = str(error)
            if told:
                now.tell(note)
        if event.type == "TIMER" and told:
            now.tell("")
        changed = asked and (session.advance(context) or event.type != "TIMER")
        stalled = event.type == "TIMER" and asked and session.is_done
        looked = event.type == "TIMER" and now.overlay.look(context, session)
        if changed or told or stalled or looked:
            _show(context, now)

    def _confirms(self, event: bpy.types.Event) -> bool:
        if event.type == "LEFTMOUSE":
            return event.value == ("RELEASE" if self.release_confirm else "PRESS")
        return event.type in ENTER and event.value == "PRESS"

    def _confirm(self, context: bpy.types.Context, session: drag.DragSession) -> Result:
        if not end(context, confirm=True):
            return {"CANCELLED"}
        # The redo panel repeats the drag with what it had come to.
        self.target, self.method, self.length = tuple(session.target), session.method, session.asked_length or 0
        self.result = pack(session, self._asked())
        self._tell(context, session)
        return {"FINISHED"}

    def _asked(self) -> list[Any]:
        """What the user can change in the redo panel."""
        return [self.armature, self.body, self.method, self.length, list(self.target)]

    def _replay(self, context: bpy.types.Context, stored: Stored) -> None:
        refused = replay(
            context,
            self.armature,
            self.body,
            stored.channels,
            _keying(context),
            length=self.length or None,
            pins=stored.held,
            oriented=stored.oriented,
        )
        if refused:
            self.report({"WARNING"}, f"Posed, but not keyed: {refused}")

    def _solve(self, context: bpy.types.Context, stored: Stored | None) -> None:
        if not self.body:
            raise LinkposeError("Nothing to solve: give body= and target=, or start the drag in a 3D view")
        held = grip.by_name(context, self.armature, self.body, None if stored is None else stored.point)
        if stored is not None:
            held = replace(held, picked=stored.picked[0], picked_point=np.array(stored.picked[1]))
        session = drag.DragSession(
            context,
            held,
            np.zeros(3),
            method=self.method,
            keying=_keying(context),
            length=self.length or None,
            pins=_pins(grip.find(held), held.body) if stored is None else stored.goals,
            released=() if stored is None else stored.released,
        )
        try:
            if stored is not None and stored.orientation is not None:
                session.hold(context, np.array(stored.orientation))
            session.aim(np.array(self.target, dtype=np.float64))
            session.confirm(context)
        finally:
            session.cancel(context)
        self.armature = held.armature
        self._tell(context, session)

    def _tell(self, context: bpy.types.Context, session: drag.DragSession) -> None:
        self.report({"INFO"}, status.summary(context.scene, session))
        if session.refused_key:
            self.report({"WARNING"}, f"Posed, but not keyed: {session.refused_key}")


def _pressed_at(event: bpy.types.Event) -> tuple[int, int]:
    """The window pixel that was meant: of a press that became a drag, where the button went down."""
    if event.value == "CLICK_DRAG":
        return event.mouse_prev_press_x, event.mouse_prev_press_y
    return event.mouse_x, event.mouse_y


def _pins(armature: bpy.types.Object | None, body: str) -> tuple[Pin, ...]:
    """What the user has pinned of an armature, the dragged body aside."""
    return () if armature is None else pinning.goals(armature, but=(body,))


def _pixel(event: bpy.types.Event, region: bpy.types.Region) -> tuple[float, float]:
    # Not mouse_region_x: that belongs to the region under the pointer, which need not be the drag's.
    return float(event.mouse_x - region.x), float(event.mouse_y - region.y)


def _keying(context: bpy.types.Context) -> Keying:
    chosen = preferences.choices(context)
    return Keying(chosen.key_what, chosen.key_when)


def _show(context: bpy.types.Context, now: Running) -> None:
    running.show(context, now, hints(now.session, release=now.release))


def running_session() -> drag.DragSession | None:
    """The session of the drag in the viewport, None when none runs."""
    now = running.current()
    return None if now is None else now.session
