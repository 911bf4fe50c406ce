"""An import's report to the clipboard."""

import bpy

from ..rig.import_record import read
from .running import Result


class LINKPOSE_OT_copy_report(bpy.types.Operator):
    """Copy what was said about the import of the active robot."""

    bl_idname = "linkpose.copy_report"
    bl_label = "Copy Report"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """While an imported robot is active."""
        return read(context.object) is not None

    def execute(self, context: bpy.types.Context) -> Result:
        """One line each: the file, how much was made, the warnings."""
        record = read(context.object)
        assert record is not None
        context.window_manager.clipboard = "\n".join((record.source, record.summary, *record.warnings, ""))
        self.report({"INFO"}, "Report copied")
        return {"FINISHED"}
