"""Runs scenarios inside Blender, driven by a timer: installs the zip as a user does, then each scenario in a new file.

Started by tests/gui/outside.py with a job file behind ``--``. Writes one JSON result a scenario, and the name of the
running one, so that outside it is known which one crashed or hung.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import bpy

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from inside import window  # noqa: E402

TICKS = 3  # of the main loop between two steps of a scenario, so that events, what they cause, and a redraw are through
PATIENCE = 10.0  # seconds that a condition may take

job = json.loads(Path(sys.argv[sys.argv.index("--") + 1]).read_text(encoding="utf-8"))


def set_preferences() -> None:
    """Nothing may pop up or move by itself."""
    preferences = bpy.context.preferences
    preferences.view.show_splash = False
    preferences.view.smooth_view = 0
    preferences.view.use_save_prompt = False
    preferences.system.viewport_aa = "OFF"  # else every change is redrawn many times to smooth it, at 0.1 s each
    preferences.system.viewport_aa = "OFF"  # every sample is drawn in software
    preferences.filepaths.use_auto_save_temporary_files = False


def install() -> None:
    """Install and enable the zip."""
    import addon_utils

    with window.viewport().override():
        bpy.ops.extensions.package_install_files(filepath=job["zip"], repo="user_default", enable_on_install=True)
    assert addon_utils.check(window.EXTENSION) == (True, True), f"{job['zip']} was not installed and enabled"


def load(file: str, name: str) -> Any:
    """The scenario's function."""
    spec = importlib.util.spec_from_file_location(f"scenarios.{Path(file).stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def explain(error: BaseException) -> str:
    """Traceback with local variables, from the scenario on."""
    full = traceback.TracebackException.from_exception(error, capture_locals=True)
    full.stack[:] = [frame for frame in full.stack if frame.filename != __file__] or full.stack
    for frame in full.stack:
        frame.locals = {name: text[:300] for name, text in (frame.locals or {}).items()}
    return "".join(full.format())


class Runner:
    """The timer's state: which scenario runs, and what it waits for."""

    def __init__(self) -> None:
        self.left: list[list[str]] = list(job["scenarios"])
        self.installed = False
        self.name = ""
        self.steps: Any = None
        self.ticks = 0
        self.condition: Any = None
        self.deadline = 0.0
        self.start = 0.0

    def tick(self) -> float | None:
        """One turn of the main loop."""
        if self.ticks:
            self.ticks -= 1
            return 0.0
        if self.steps is None:
            return self.next_scenario()
        try:
            if self.condition is not None and not self.is_time():
                return 0.0
            self.wait_for(next(self.steps))
        except StopIteration:
            self.finish("passed", "")
        except window.Skip as reason:
            self.finish("skipped", str(reason))
        except BaseException as error:
            self.fail(error)
        return 0.0

    def is_time(self) -> bool:
        """Whether what the scenario waits for has come."""
        if isinstance(self.condition, int | float):
            return time.monotonic() >= self.condition
        if self.condition():
            return True
        if time.monotonic() > self.deadline:
            error = TimeoutError(f"waited {PATIENCE:g} s in vain for the condition of the last yield")
            self.condition = None
            self.wait_for(self.steps.throw(error))
        return False

    def wait_for(self, wish: window.Wait) -> None:
        """What a scenario has yielded."""
        self.ticks, self.condition = TICKS, None
        if wish is window.ONE_TICK:
            self.ticks = 1
            return
        if isinstance(wish, int | float):
            self.condition = time.monotonic() + wish
        elif wish is not None:
            self.condition, self.deadline = wish, time.monotonic() + PATIENCE

    def next_scenario(self) -> float | None:
        """Begin the next one in a new file, or end."""
        if not self.left:
            bpy.ops.preferences.addon_disable(module=window.EXTENSION)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
        file, self.name = self.left.pop(0)
        window.Job.name = self.name
        self.start = time.monotonic()
        Path(job["work"], "running").write_text(self.name, encoding="utf-8")
        try:
            if not self.installed:
                install()
                self.installed = True
            bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
            set_preferences()
            self.steps = load(file, self.name)() or iter(())
            self.ticks = 2 * TICKS
        except window.Skip as reason:
            self.finish("skipped", str(reason))
        except BaseException as error:
            self.fail(error)
        return 0.0

    def fail(self, error: BaseException) -> None:
        """Keep a picture and the traceback."""
        picture = window.screenshot(f"{self.name}-failed")
        self.finish("failed", f"{explain(error)}\nThe screen: {picture}")

    def finish(self, status: str, text: str) -> None:
        """Write the result."""
        self.steps, self.condition, self.ticks = None, None, TICKS
        result = {"status": status, "text": text, "seconds": round(time.monotonic() - self.start, 2)}
        result["version"] = ".".join(map(str, bpy.app.version))
        unfinished = Path(job["work"], f"{self.name}.part")
        unfinished.write_text(json.dumps(result), encoding="utf-8")
        unfinished.rename(Path(job["work"], f"{self.name}.json"))


def begin() -> None:
    """Called when Blender reads this file: what must be set before its first window is drawn."""
    window.Job.work = Path(job["work"])
    window.Job.buffer = Path(job["buffer"])
    window.Job.pictures = Path(job["pictures"])
    window.Job.robots = Path(job["robots"]) if job["robots"] else None
    window.Job.rigs = Path(job["rigs"]) if job["rigs"] else None
    window.Job.example_robot_data = Path(job["example_robot_data"]) if job["example_robot_data"] else None
    set_preferences()
    bpy.app.timers.register(Runner().tick, first_interval=0.1, persistent=True)


begin()
