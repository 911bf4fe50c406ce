"""The sidebar panel that tells which joints a drag of the active bone would move, and why those."""

import logging
from collections.abc import Hashable
from typing import Literal

import bpy

from ..rig import chain_report, compat, drag
from ..rig.chain_report import Report

_log = logging.getLogger(__name__)

# The last report, what it was made of, and what is to be reported next. Reading a rig takes tens of milliseconds on a
# large one, so a redraw only looks whether it must be done again, and leaves the doing to a timer.
_known: tuple[Hashable, Report] | None = None
_wanted: tuple[Hashable, int, str] | None = None


def subject(context: bpy.types.Context) -> tuple[bpy.types.Object, str] | None:
    """(armature, bone) that the panel is about: the active bone, or the bone that carries the active object."""
    active = context.object
    if active is None:
        return None
    if active.type != "ARMATURE":
        parent = active.parent
        carried = parent is not None and active.parent_type == "BONE" and active.parent_bone in parent.pose.bones
        return (parent, active.parent_bone) if parent is not None and carried else None
    assert isinstance(active.data, bpy.types.Armature)
    bone = active.data.bones.active
    return None if bone is None or bone.name not in active.pose.bones else (active, bone.name)


class LINKPOSE_PT_chain(bpy.types.Panel):
    """Below "Linkpose" in its tab, closed at first: a closed panel costs nothing."""

    bl_label = "Joints of the Chain"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Linkpose"
    bl_parent_id = "LINKPOSE_PT_drag"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown where there is a bone to tell of."""
        return context.mode in {"OBJECT", "POSE"} and subject(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Called by Blender."""
        about = subject(context)
        if about is None:
            return
        armature, bone = about
        key = chain_report.key_of(armature, bone)
        if _known is None or _known[0] != key:
            _ask(key, armature, bone)
        if _known is None or _known[1].bone != bone:
            self.layout.label(text="Reading…", icon="TIME")
            return
        draw_report(self.layout, _known[1])


def draw_report(layout: bpy.types.UILayout, report: Report) -> None:
    """The joints of a report, anchor first, then why the chain ends."""
    for joint in report.joints:
        box = layout.box()
        box.label(text=joint.bone, icon="BONE_DATA", translate=False)
        column = box.column(align=True)
        for part in joint.parts:
            held = part.range.startswith("held")
            row = column.row()
            row.active = not held
            row.label(text=f"{part.axes}: {part.range}" if part.axes else part.range, translate=False)
            if part.stiffness > 0.0:
                column.label(text=f"stiffness {part.stiffness:.2f}", icon="BLANK1")
            if part.source != part.range:
                _draw_lines(column, part.source, "BLANK1")
    _draw_lines(layout.column(align=True), report.end, "INFO")


def _draw_lines(column: bpy.types.UILayout, text: str, icon: Literal["BLANK1", "INFO"], width: int = 34) -> None:
    """A text in lines that are short enough for the sidebar."""
    line = ""
    for word in text.split():
        if line and len(line) + len(word) >= width:
            column.label(text=line, icon=icon, translate=False)
            line, icon = word, "BLANK1"
        else:
            line = f"{line} {word}" if line else word
    if line:
        column.label(text=line, icon=icon, translate=False)


def _ask(key: Hashable, armature: bpy.types.Object, bone: str) -> None:
    global _wanted
    _wanted = (key, armature.session_uid, bone)
    if not bpy.app.timers.is_registered(_answer):
        bpy.app.timers.register(_answer, first_interval=0.0)


def _answer() -> float | None:
    """Make the report that was asked for last; called between redraws."""
    global _known, _wanted
    wanted = _wanted
    if wanted is None:
        return None
    if drag.current() is not None or compat.is_playing(bpy.context):
        return 0.5
    _wanted = None
    key, uid, bone = wanted
    for window in bpy.context.window_manager.windows:
        armature = next((ob for ob in window.view_layer.objects if ob.session_uid == uid), None)
        if armature is None:
            continue
        try:
            with bpy.context.temp_override(window=window):
                _known = key, chain_report.report(armature, bone)
        except Exception as error:
            # A timer that raises is dropped without a word, and the panel would wait for ever.
            _log.exception("the chain could not be told")
            _known = key, Report(bone, (), f"This chain could not be told: {error}")
        break
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
    return None


def register() -> None:
    """Register the panel."""
    bpy.utils.register_class(LINKPOSE_PT_chain)


def unregister() -> None:
    """Unregister it, and forget what it knew."""
    global _known, _wanted
    bpy.utils.unregister_class(LINKPOSE_PT_chain)
    if bpy.app.timers.is_registered(_answer):
        bpy.app.timers.unregister(_answer)
    _known = _wanted = None
