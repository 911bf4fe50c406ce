"""Reading an imported robot's file again."""

from functools import partial
from typing import Any

import bpy

from ..rig.import_job import reload_job
from ..rig.import_record import read
from ..ui.preferences import choices
from .running import ALLOWS, ASKS, Result, RunsJobs, Start


class LINKPOSE_OT_reload_urdf(RunsJobs, bpy.types.Operator):
    """Read the robot's file again. Pose, keys, what was added, and materials that were changed stay as they are."""

    bl_idname = "linkpose.reload_urdf"
    bl_label = "Reload URDF"
    bl_options = {"REGISTER", "UNDO"}
    verb = "Reloading"

    question: ASKS
    allow_code: ALLOWS

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """While an imported robot is active."""
        if read(context.object) is None:
            cls.poll_message_set("Make the armature of an imported robot active")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Run with progress and Esc, and ask first where that was found to be needed."""
        if self.question:
            return self.ask(context, event, context.object.name)
        return self.start_reporting(context, lambda: self._jobs(context))

    def execute(self, context: bpy.types.Context) -> Result:
        """Run to the end; after a yes with progress and Esc."""
        if self.question and not bpy.app.background:
            self._again(allow_code=True)
            return {"CANCELLED"}
        return self.run_reporting(lambda: self._jobs(context))

    def ask_again(self, names: list[str]) -> None:
        """Put the question about code."""
        self._again(question=True)

    def _again(self, **options: bool) -> None:
        operator: Any = bpy.ops.linkpose  # type: ignore[attr-defined]
        operator.reload_urdf("INVOKE_DEFAULT", **options)

    def _jobs(self, context: bpy.types.Context) -> list[tuple[str, Start]]:
        armature = context.object
        # A folder may have been added to the preferences because the import has missed one.
        folders = [bpy.path.abspath(folder) for folder in choices(context).package_folders]
        allowed = self.code_is_allowed(context)
        return [(armature.name, partial(reload_job, armature, folders=folders, allow_code=allowed))]
