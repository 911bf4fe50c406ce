"""Jobs that run while the window lives: progress, and Esc to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import bpy
from bpy.props import BoolProperty

from ..errors import LinkposeError
from ..rig.import_job import wants_permission
from ..rig.importing import ImportReport
from ..rig.job import Job
from ..ui import keymap

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]
Start = Callable[[], Job[ImportReport]]

# xacro holds code. It is run where Blender's own Auto Run is on, where the user has said yes, and where scripts say so.
ASKS = BoolProperty(
    description="Ask whether the code of a xacro file may run", default=False, options={"HIDDEN", "SKIP_SAVE"}
)
ALLOWS = BoolProperty(
    description="Run the code of a xacro file without asking", default=False, options={"HIDDEN", "SKIP_SAVE"}
)

# So long is worked between two looks at the keyboard [s].
SLICE = 0.08
_NAVIGATION = frozenset({"MIDDLEMOUSE", "TRACKPADPAN", "TRACKPADZOOM", "NDOF_MOTION", "WHEELUPMOUSE", "WHEELDOWNMOUSE"})

_running: list[RunsJobs] = []


class RunsJobs:
    """Mixed into an operator that has :data:`ALLOWS` as ``allow_code``.

    :meth:`run_all` runs jobs at once; after :meth:`start` Blender's events drive them. What is done stays when a later
    job fails or is stopped; the one that is stopped leaves nothing.
    """

    report: Any
    allow_code: bool
    verb = "Importing"

    def ask_again(self, names: list[str]) -> None:
        """Put the question about code, for the jobs of these names."""
        raise NotImplementedError

    def ask(self, context: bpy.types.Context, event: bpy.types.Event, names: str) -> Result:
        """The question about code."""
        return context.window_manager.invoke_confirm(
            self,  # type: ignore[arg-type]
            event,
            title="Run the code in this xacro file?",
            message=f"{names}: expressions in xacro are Python code, which can do anything on this computer.",
            confirm_text="Run",
            icon="WARNING",
        )

    def code_is_allowed(self, context: bpy.types.Context) -> bool:
        """Whether xacro may be expanded without a question."""
        return self.allow_code or context.preferences.filepaths.use_scripts_auto_execute

    def run_reporting(self, jobs: Callable[[], Sequence[tuple[str, Start]]]) -> Result:
        """:meth:`run_all`; what is wrong with the jobs themselves is reported."""
        try:
            return self.run_all(jobs())
        except LinkposeError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}

    def start_reporting(self, context: bpy.types.Context, jobs: Callable[[], Sequence[tuple[str, Start]]]) -> Result:
        """:meth:`start`; what is wrong with the jobs themselves is reported."""
        try:
            return self.start(context, jobs())
        except LinkposeError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}

    def run_all(self, jobs: Sequence[tuple[str, Start]]) -> Result:
        """Run jobs, each with the name that the user knows it by, to their end."""
        self._begin(jobs)
        while self._advance(float("inf")):
            pass
        return self._result()

    def start(self, context: bpy.types.Context, jobs: Sequence[tuple[str, Start]]) -> Result:
        """Begin them as a modal operator."""
        self._begin(jobs)
        manager = context.window_manager
        self._timer = manager.event_timer_add(0.01, window=context.window)
        manager.progress_begin(0, 100)
        self._show(context)
        manager.modal_handler_add(self)  # type: ignore[arg-type]
        _running.append(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Called by Blender with every event."""
        if event.type == "ESC" and event.value == "PRESS":
            name = self._name
            self.stop(context)
            self.report({"WARNING"}, f"{self.verb} {name} stopped; nothing of it was kept")
            return self._result()
        if event.type != "TIMER":
            return {"PASS_THROUGH"} if event.type in _NAVIGATION else {"RUNNING_MODAL"}
        try:
            more = self._advance(SLICE)
        except BaseException:
            self.stop(context)
            raise
        if more:
            self._show(context)
            return {"RUNNING_MODAL"}
        self.stop(context)
        if self._questions:
            self.ask_again(self._questions)
        return self._result()

    def cancel(self, context: bpy.types.Context) -> None:
        """Called by Blender when something else ends the operator, such as loading a file."""
        self.stop(context)

    def stop(self, context: bpy.types.Context) -> None:
        """Give back everything that :meth:`start` has taken, and drop the job that is not done."""
        if self not in _running:
            return
        _running.remove(self)
        if self._job is not None:
            self._job.cancel()
        manager = context.window_manager
        manager.event_timer_remove(self._timer)
        manager.progress_end()
        _say(context, None)

    def _begin(self, jobs: Sequence[tuple[str, Start]]) -> None:
        self._waiting = list(jobs)
        self._name = ""
        self._job: Job[ImportReport] | None = None
        self._done = 0
        self._questions: list[str] = []
        self._failures: list[str] = []

    def _advance(self, seconds: float) -> bool:
        """Work for about so long; whether there is more to do."""
        try:
            if self._job is None:
                self._name, start = self._waiting.pop(0)
                self._job = start()
            if self._job.advance(seconds):
                self._tell(self._job.result)
                self._done += 1
                self._job = None
        except LinkposeError as error:
            self._job = None
            if wants_permission(error) and self in _running:
                self._questions.append(self._name)
            else:
                self._failures.append(str(error))
        return self._job is not None or bool(self._waiting)

    def _tell(self, report: ImportReport | None) -> None:
        assert report is not None
        count = len(report.warnings)
        noted = f"; {count} warning{'s' if count > 1 else ''}, see the sidebar's tab Linkpose" if count else ""
        links = len(report.armature.pose.bones)
        key = keymap.key_of_drag(bpy.context)
        # The first thing that somebody new wants to know; told where there is no warning to be read instead.
        then = f"; point at one and press {key} to drag it" if key and not count else ""
        text = f"{report.armature.name}: {links} link{'s' if links > 1 else ''}{noted or then}"
        self.report({"WARNING" if count else "INFO"}, text)

    def _result(self) -> Result:
        # Last, for only the last report is seen in a window.
        for failure in self._failures:
            self.report({"ERROR"}, failure)
        return {"FINISHED"} if self._done else {"CANCELLED"}

    def _show(self, context: bpy.types.Context) -> None:
        step = None if self._job is None else self._job.step
        percent = 0 if step is None else int(100 * step.done)
        context.window_manager.progress_update(percent)
        doing = "" if step is None or not step.doing else f" ({step.doing})"
        _say(context, f"{self.verb} {self._name}: {percent} %{doing}   |   Stop: Esc")


def end(context: bpy.types.Context) -> None:
    """Stop what runs, as before the extension goes."""
    while _running:
        _running[0].stop(context)


def _say(context: bpy.types.Context, text: str | None) -> None:
    if context.workspace is not None:
        context.workspace.status_text_set(text)
