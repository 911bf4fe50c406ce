"""File > Import > URDF."""

import shlex
from functools import partial
from pathlib import Path
from typing import Any

import bpy
from bpy_extras.io_utils import ImportHelper

from ..errors import LinkposeError
from ..rig.import_job import arguments_of, import_job
from ..rig.import_record import ImportOptions
from ..ui.preferences import choices
from .running import ALLOWS, ASKS, Result, RunsJobs, Start


class LINKPOSE_OT_import_urdf(RunsJobs, bpy.types.Operator, ImportHelper):  # type: ignore[misc]
    """Import a robot from a URDF file as an armature with its visuals."""

    bl_idname = "linkpose.import_urdf"
    bl_label = "Import URDF"
    bl_options = {"REGISTER", "UNDO"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filename_ext = ".urdf"
    filter_glob: bpy.props.StringProperty(default="*.urdf;*.xacro", options={"HIDDEN"})
    directory: bpy.props.StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    files: bpy.props.CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    asked: bpy.props.BoolProperty(
        description="Begin at once, without asking for options", default=False, options={"HIDDEN", "SKIP_SAVE"}
    )
    question: ASKS
    allow_code: ALLOWS
    collision: bpy.props.BoolProperty(
        name="Collision Shapes",
        description="Also import the shapes used for collisions, in a hidden collection",
        default=False,
    )
    free_base: bpy.props.BoolProperty(
        name="Free Base",
        description="Let the robot's root move and turn freely, as that of a walking or flying robot",
        default=False,
    )
    obey_up_axis: bpy.props.BoolProperty(
        name="Obey DAE Up Axis",
        description="Turn what DAE files call up to Z. RViz does not, and most robots are made to look right there",
        default=False,
    )
    package_folders: bpy.props.StringProperty(
        name="Packages",
        description="Folders in which package:// names are looked for first, separated by semicolons. "
        "Those of the preferences come after them",
        default="",
    )
    xacro_args: bpy.props.StringProperty(
        name="Arguments",
        description="Values for the arguments of a xacro file, as in: name:=value other:=value",
        default="",
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Ask for a file, and for dropped files for the options; then run."""
        if self.asked:
            return self.start_reporting(context, lambda: self._jobs(context))
        self._is_dialog = True
        paths = self._paths()
        if self.question:
            return self.ask(context, event, ", ".join(path.name for path in paths))
        if not paths:
            return ImportHelper.invoke(self, context, event)
        self._arguments = _arguments(paths)
        title = paths[0].name if len(paths) == 1 else f"{len(paths)} files"
        return context.window_manager.invoke_props_dialog(self, title=title, confirm_text="Import URDF")

    def execute(self, context: bpy.types.Context) -> Result:
        """Import; each file as a whole or not at all."""
        if getattr(self, "_is_dialog", False) and not bpy.app.background:
            # A dialog can only end its operator; what goes on with progress and Esc is another one.
            self.again(asked=True, allow_code=self.allow_code or self.question)
            return {"CANCELLED"}
        return self.run_reporting(lambda: self._jobs(context))

    def draw(self, _context: bpy.types.Context) -> None:
        """The options, in the file dialog, for dropped files, and afterwards."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        for name in ("collision", "free_base", "obey_up_axis", "package_folders", "xacro_args"):
            layout.prop(self, name)
        for name, default in getattr(self, "_arguments", {}).items():
            layout.label(text=f"{name}:={default}", translate=False)

    def again(self, **options: object) -> None:
        """Call this operator anew, with the same files and options and these."""
        operator: Any = bpy.ops.linkpose  # type: ignore[attr-defined]
        same = {
            "filepath": self.filepath,
            "directory": self.directory,
            "files": [{"name": file.name} for file in self.files],
            "collision": self.collision,
            "free_base": self.free_base,
            "obey_up_axis": self.obey_up_axis,
            "package_folders": self.package_folders,
            "xacro_args": self.xacro_args,
        }
        operator.import_urdf("INVOKE_DEFAULT", **{**same, **options})

    def ask_again(self, names: list[str]) -> None:
        """Put the question about code for files of these names."""
        paths = [path for path in self._paths() if path.name in names]
        self.again(
            question=True,
            filepath=str(paths[0]),
            directory=str(paths[0].parent),
            files=[{"name": path.name} for path in paths],
        )

    def _jobs(self, context: bpy.types.Context) -> list[tuple[str, Start]]:
        chosen = choices(context).package_folders
        folders = [folder.strip() for folder in self.package_folders.split(";") if folder.strip()]
        options = ImportOptions(
            packages=ImportOptions.plain([bpy.path.abspath(folder) for folder in (*folders, *chosen)] or None),
            collision=self.collision,
            free_base=self.free_base,
            xacro_args=_values(self.xacro_args),
            obey_up_axis=self.obey_up_axis,
        )
        allowed = self.code_is_allowed(context)
        return [(path.name, partial(import_job, path, options, allow_code=allowed)) for path in self._paths()]

    def _paths(self) -> list[Path]:
        names = [file.name for file in self.files if file.name]
        if self.directory and names:
            return [Path(bpy.path.abspath(self.directory), name) for name in names]
        return [Path(bpy.path.abspath(self.filepath))] if self.filepath else []


def _values(text: str) -> dict[str, str | int | float | bool] | None:
    """``name:=value …`` as a dictionary; a value that holds spaces stands in quotes.

    Raises:
        LinkposeError: it is something else.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise LinkposeError(
            f"the arguments {text!r} cannot be read: {error}; write name:=value other:=value"
        ) from error
    found: dict[str, str | int | float | bool] = {}
    for word in words:
        name, sign, value = word.partition(":=")
        if not sign or not name:
            raise LinkposeError(f"{word!r} is no argument; write name:=value, and values with spaces in quotes")
        found[name] = value
    return found or None


def _arguments(paths: list[Path]) -> dict[str, str]:
    """What a xacro file can be asked for, with its defaults; nothing for other files."""
    found: dict[str, str] = {}
    for path in paths:
        try:
            found.update(arguments_of(path))
        except LinkposeError:  # the import will say so
            continue
    return found
