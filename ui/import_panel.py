"""The sidebar panel that says how the active robot was imported."""

from __future__ import annotations

import textwrap

import bpy

from ..rig.import_record import ImportRecord, read
from .sidebar import Tab
from .texts import tr

MOST_WARNINGS = 12
MOST_LINES = 7
# About as many pixels as a letter is wide at a scale of 1, and what the panel takes at its sides.
_LETTER, _SIDES = 6.3, 70


class LINKPOSE_PT_import(Tab, bpy.types.Panel):
    """Shown while an imported robot is active."""

    bl_label = "Imported Robot"
    bl_order = 6

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for the armatures of imports."""
        return read(context.object) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Called by Blender."""
        record = read(context.object)
        if record is None:
            return
        layout = self.layout
        column = layout.column(align=True)
        column.label(text=record.source.rpartition("/")[2], icon="FILE", translate=False)
        column.label(text=record.summary, translate=False)
        row = layout.row(align=True)
        row.operator("linkpose.reload_urdf", icon="FILE_REFRESH", text="Reload")
        row.operator("linkpose.copy_report", icon="COPYDOWN")
        if not record.warnings:
            layout.label(text="No warnings", icon="CHECKMARK")
            return
        layout.label(text=tr("Warnings: {count}").format(count=len(record.warnings)), icon="ERROR", translate=False)
        for lines in shown(record, _letters(context)):
            box = layout.box().column(align=True)
            box.scale_y = 0.7
            for line in lines:
                box.label(text=line, translate=False)


def shown(record: ImportRecord, width: int) -> list[list[str]]:
    """The warnings in lines of so many letters, as much as a panel can hold; the file's own path is left out."""
    texts = [warning.replace(f"{record.source}:", "line ") for warning in record.warnings[:MOST_WARNINGS]]
    if len(record.warnings) > MOST_WARNINGS:
        texts.append(tr("{count} more: Copy Report has all").format(count=len(record.warnings) - MOST_WARNINGS))
    return [textwrap.wrap(text, width, max_lines=MOST_LINES, placeholder=" …") for text in texts]


def _letters(context: bpy.types.Context) -> int:
    width = context.region.width / context.preferences.system.ui_scale
    return max(20, int((width - _SIDES) / _LETTER))


def register() -> None:
    """Register the panel."""
    bpy.utils.register_class(LINKPOSE_PT_import)


def unregister() -> None:
    """Unregister it."""
    bpy.utils.unregister_class(LINKPOSE_PT_import)
