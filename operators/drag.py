"""The drag in the viewport: events in, session calls out, and one end for every way out."""

import json
import logging
from dataclasses import dataclass, replace
from typing import Any, Literal

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatVectorProperty, IntProperty, StringProperty

from ..errors import LinkposeError
from ..rig import compat, drag, grip, pick, pinning, view
from ..rig.keying import Keying
from ..rig.pins import Pin
from ..rig.replay import replay
from ..rig.view import View, ViewAddress
from ..ui import overlay, preferences, status, tool
from ..ui.overlay import parts

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]

_log = logging.getLogger(__name__)

# The timer only finishes a search that a pointer move has left unfinished.
TICK = 0.02
NAVIGATION = frozenset({"MIDDLEMOUSE", "TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION"})
ENTER = frozenset({"RET", "NUMPAD_ENTER"})
DEPTH = {"WHEELUPMOUSE": 1.0, "WHEELDOWNMOUSE": -1.0}
DEPTH_KEYS = {"UP_ARROW": 1.0, "DOWN_ARROW": -1.0}
# With Ctrl the wheel lengthens the chain instead; the keys are those of Blender's Auto IK.
LENGTH = {"WHEELUPMOUSE": 1, "WHEELDOWNMOUSE": -1}
LENGTH_KEYS = {"PAGE_UP": 1, "PAGE_DOWN": -1}
# What a confirmed drag stores in the operator.
_STORED = frozenset({"asked", "point", "picked", "channels"})


@dataclass
class _Running:
    """What a drag holds of Blender's user interface and must give back.

    Attributes:
        session: the drag.
        address: the view that it was started in.
        view: that view as it was at the last event.
        timer: Blender's timer, which dies with its window.
        workspace: name of the one whose status bar is taken.
        overlay: what is drawn.
    """

    session: drag.DragSession
    address: ViewAddress
    view: View
    timer: bpy.types.Timer
    workspace: str
    overlay: overlay.Feed


_running: _Running | None = None


def end(context: bpy.types.Context, *, confirm: bool = False) -> bool:
    """End the running drag, whoever asks: give back the pose or key it, the views, the timer, the status bar.

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
    try:
        if confirm:
            return running.session.confirm(context) is not None
        running.session.cancel(context)
    finally:
        running.session.cancel(context)
        overlay.redraw(window_manager)
    return False


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
        if _running is not None:
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
            stored = _stored(self.result)
            if stored and stored["asked"] == self._asked():
                keying, length = _keying(context), self.length or None
                pins = _pins(bpy.data.objects.get(self.armature), self.body)
                refused = replay(
                    context, self.armature, self.body, stored["channels"], keying, length=length, pins=pins
                )
                if refused:
                    self.report({"WARNING"}, f"Posed, but not keyed: {refused}")
                return {"FINISHED"}
            same_grip = stored and stored["asked"][:2] == self._asked()[:2]
            self._solve(context, stored if same_grip else {})
        except LinkposeError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def _start(
        self,
        context: bpy.types.Context,
        event: bpy.types.Event,
        address: ViewAddress,
        found: tuple[bpy.types.Window, bpy.types.Area, bpy.types.Region],
    ) -> None:
        global _running
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
        session = self._session(context, held, picked.point)
        feed = overlay.Feed(context.scene, parts.chosen(preferences.stored(context)), session)
        timer = context.window_manager.event_timer_add(TICK, window=window)
        _running = _Running(session, address, seen, timer, context.workspace.name, feed)
        self.armature, self.body = session.grip.armature, session.grip.body
        _show(context, _running)
        overlay.show(feed.state)
        overlay.redraw(context.window_manager)
        if held.bone != picked.bone:
            self.report({"INFO"}, f"Dragging {held.bone!r}, the control of {picked.bone!r}")
        window.cursor_modal_set("SCROLL_XY")

    def _session(self, context: bpy.types.Context, held: grip.Grip, click: view.Vector) -> drag.DragSession:
        pins = _pins(grip.find(held), held.body)
        return drag.DragSession(
            context, held, click, method=self.method, keying=_keying(context), pins=pins, length=self.length or None
        )

    def _handle(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        running = _running
        if running is None or running.session.state is not drag.State.RUNNING:
            # Ended from outside: a script, another add-on, the extension switched off and on.
            end(context)
            return {"CANCELLED"}
        found = view.find(context.window_manager, running.address)
        seen = None if found is None else view.read(found[1], found[2])
        if found is None or seen is None:
            end(context)
            self.report({"WARNING"}, "Drag cancelled: its 3D view is gone")
            return {"CANCELLED"}
        session, pixel = running.session, _pixel(event, found[2])
        session.check(context)
        if not np.array_equal(seen.perspective, running.view.perspective):
            session.rebase(seen, pixel)
            running.view = seen
        if event.type in NAVIGATION:
            return {"PASS_THROUGH"}
        if event.value == "PRESS" and event.type in {"ESC", "RIGHTMOUSE"}:
            end(context)
            return {"CANCELLED"}
        if self._confirms(event):
            return self._confirm(context, session)
        moved = False
        if event.type == "MOUSEMOVE":
            moved = session.point_at(seen, pixel)
        elif event.type in LENGTH and event.ctrl:
            return self._lengthen(context, running, LENGTH[event.type])
        elif event.type in LENGTH_KEYS and event.value == "PRESS":
            return self._lengthen(context, running, LENGTH_KEYS[event.type])
        elif event.type in DEPTH:
            moved = session.push(seen, pixel, DEPTH[event.type])
        elif event.type in DEPTH_KEYS and event.ctrl and event.value == "PRESS":
            moved = session.push(seen, pixel, DEPTH_KEYS[event.type])
        if (moved or (event.type == "TIMER" and not session.is_done)) and (session.advance(context) or moved):
            _show(context, running)
            overlay.redraw(context.window_manager)
        if event.type in {"MOUSEMOVE", "TIMER"} and running.overlay.look(context, session):
            _show(context, running)
            overlay.redraw(context.window_manager)
        return {"RUNNING_MODAL"}

    def _lengthen(self, context: bpy.types.Context, running: _Running, step: int) -> Result:
        if running.session.change_length(context, step):
            # Kept for the redo panel, which then repeats the drag with this chain.
            self.length = running.session.length
            _show(context, running)
            overlay.redraw(context.window_manager)
        return {"RUNNING_MODAL"}

    def _confirms(self, event: bpy.types.Event) -> bool:
        if event.type == "LEFTMOUSE":
            return event.value == ("RELEASE" if self.release_confirm else "PRESS")
        return event.type in ENTER and event.value == "PRESS"

    def _confirm(self, context: bpy.types.Context, session: drag.DragSession) -> Result:
        if not end(context, confirm=True):
            return {"CANCELLED"}
        self.target = tuple(session.target)
        # What was asked is compared with the properties later, which hold single precision.
        self.result = json.dumps(
            {
                "asked": self._asked(),
                "point": session.grip.point.tolist(),
                "picked": [session.grip.picked, session.grip.picked_point.tolist()],
                "channels": session.channels(),
            }
        )
        self._tell(context, session)
        return {"FINISHED"}

    def _asked(self) -> list[Any]:
        """What the user can change in the redo panel."""
        return [self.armature, self.body, self.method, self.length, list(self.target)]

    def _solve(self, context: bpy.types.Context, stored: dict[str, Any]) -> None:
        if not self.body:
            raise LinkposeError("Nothing to solve: give body= and target=, or start the drag in a 3D view")
        held = grip.by_name(context, self.armature, self.body, stored.get("point"))
        if stored:
            held = replace(held, picked=stored["picked"][0], picked_point=np.array(stored["picked"][1]))
        session = self._session(context, held, np.zeros(3))
        try:
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


def _pixel(event: bpy.types.Event, region: bpy.types.Region) -> tuple[float, float]:
    # Not mouse_region_x: that belongs to the region under the pointer, which need not be the drag's.
    return float(event.mouse_x - region.x), float(event.mouse_y - region.y)


def _stored(text: str) -> dict[str, Any]:
    """What a confirmed drag has stored in the operator, empty for anything else."""
    try:
        stored = json.loads(text)
    except ValueError:
        return {}
    return stored if isinstance(stored, dict) and stored.keys() == _STORED else {}


def _pins(armature: bpy.types.Object | None, body: str) -> tuple[Pin, ...]:
    """What the user has pinned of an armature, the dragged body aside."""
    return () if armature is None else pinning.goals(armature, but=(body,))


def _keying(context: bpy.types.Context) -> Keying:
    chosen = preferences.choices(context)
    return Keying(chosen.key_what, chosen.key_when)


def _show(context: bpy.types.Context, running: _Running) -> None:
    """Bring overlay and status bar up to date."""
    session = running.session
    running.overlay.update(context.scene, session)
    workspace: Any = bpy.data.workspaces.get(running.workspace)
    if workspace is not None:
        workspace.status_text_set(status.line(context.scene, session))


def running_session() -> drag.DragSession | None:
    """The session of the drag in the viewport, None when none runs."""
    return None if _running is None else _running.session
