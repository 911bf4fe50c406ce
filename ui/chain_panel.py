"""The sidebar panel that tells which joints a drag of the active bone would move, and why those."""

import bpy

from ..rig import chain_report
from ..rig.chain_report import Report
from .deferred import Deferred
from .sidebar import Tab, draw_lines, subject
from .texts import tr


def _failed(bone: str, error: Exception) -> Report:
    return Report(bone, (), f"This chain could not be told: {error}")


# Reading a rig takes tens of milliseconds on a large one, so a redraw only looks whether it must be done again.
_reports: Deferred[Report] = Deferred(chain_report.report, _failed)


class LINKPOSE_PT_chain(Tab, bpy.types.Panel):
    """Closed at first: a closed panel costs nothing."""

    bl_label = "Joints of the Chain"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 8

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
        report = _reports.get(chain_report.key_of(armature, bone), armature, bone)
        if report is None and _reports.latest is not None and _reports.latest.bone == bone:
            report = _reports.latest
        if report is None:
            self.layout.label(text="Reading…", icon="TIME")
            return
        draw_report(self.layout, report)


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
                stiff = tr("stiffness {value}").format(value=f"{part.stiffness:.2f}")
                column.label(text=stiff, icon="BLANK1", translate=False)
            if part.source != part.range:
                draw_lines(column, part.source, "BLANK1")
    draw_lines(layout.column(align=True), report.end, "INFO")


def register() -> None:
    """Register the panel."""
    bpy.utils.register_class(LINKPOSE_PT_chain)


def unregister() -> None:
    """Unregister it, and forget what it knew."""
    bpy.utils.unregister_class(LINKPOSE_PT_chain)
    _reports.forget()
