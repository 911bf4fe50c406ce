"""File > Import > URDF."""

from pathlib import Path
from typing import Literal

import bpy
from bpy_extras.io_utils import ImportHelper

from ..errors import LinkposeError

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]


class LINKPOSE_OT_import_urdf(bpy.types.Operator, ImportHelper):  # type: ignore[misc]
    """Import a robot from a URDF file as an armature with its visuals."""

    bl_idname = "linkpose.import_urdf"
    bl_label = "Import URDF"
    bl_options = {"REGISTER", "UNDO"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filename_ext = ".urdf"
    filter_glob: bpy.props.StringProperty(default="*.urdf", options={"HIDDEN"})
    directory: bpy.props.StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    files: bpy.props.CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    collision: bpy.props.BoolProperty(
        name="Collision Shapes",
        description="Also import the shapes used for collisions, in a hidden collection",
        default=False,
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Ask for a file, unless files were dropped into the window."""
        if self.filepath or (self.directory and self.files):
            return self.execute(context)
        return super().invoke(context, event)

    def execute(self, context: bpy.types.Context) -> Result:
        """Import; each file as a whole or not at all."""
        from ..api import import_urdf

        done = False
        for path in self._paths():
            try:
                # xacro holds code: Blender's own rule for code in files counts.
                trusted = context.preferences.filepaths.use_scripts_auto_execute
                report = import_urdf(path, collision=self.collision, allow_code=trusted)
            except LinkposeError as error:
                self.report({"ERROR"}, str(error))
                continue
            done = True
            for warning in report.warnings:
                self.report({"WARNING"}, warning)
            self.report({"INFO"}, _summary(report.armature, len(report.warnings)))
        return {"FINISHED"} if done else {"CANCELLED"}

    def _paths(self) -> list[Path]:
        names = [file.name for file in self.files if file.name]
        if self.directory and names:
            return [Path(bpy.path.abspath(self.directory), name) for name in names]
        return [Path(bpy.path.abspath(self.filepath))]


def _summary(armature: bpy.types.Object, warnings: int) -> str:
    noted = f", {warnings} warning{'s' if warnings > 1 else ''}: see the Info editor" if warnings else ""
    return f"Imported {armature.name}: {len(armature.pose.bones)} links{noted}"
