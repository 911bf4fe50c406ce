"""Starts real Blenders under Xvfb and collects what the scenarios inside them report; see inside/window.py."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gui.screen import grab, save_png
from support import ROOT

HERE = Path(__file__).resolve().parent
SIZE = (900, 650)  # software rendering redraws a larger window too slowly
START_LIMIT = 180  # seconds until the first scenario has begun
SCENARIO_LIMIT = 180  # seconds a scenario may take


@dataclass(frozen=True)
class Result:
    """How a scenario went: "passed", "failed" or "skipped", why, and Blender's version, "" where it never answered."""

    status: str
    text: str = ""
    version: str = ""


@dataclass(frozen=True)
class Data:
    """Files that scenarios use: the extension's zip, folders of robots and characters."""

    zip: Path
    robots: Path | None
    rigs: Path | None
    example_robot_data: Path | None


def blenders() -> dict[str, str]:
    """The Blenders to test in, by a short name: those of ``$BLENDER``, separated by colons."""
    named: dict[str, str] = {}
    for command in filter(None, os.environ.get("BLENDER", "").split(os.pathsep)):
        path = Path(shutil.which(command) or command)
        name = path.name if path.name not in named else f"{path.name}-{len(named) + 1}"
        named[name] = str(path)
    return named


def scenarios() -> list[tuple[Path, str]]:
    """Every scenario: its file and its function's name."""
    return [
        (file, node.name)
        for file in sorted((HERE / "scenarios").glob("*.py"))
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


@contextmanager
def screen(folder: Path) -> Iterator[tuple[str, Path]]:
    """An Xvfb of its own. Gives its display and the file with its frame buffer."""
    read, write = os.pipe()
    size = f"{SIZE[0]}x{SIZE[1]}x24"
    command = [
        "Xvfb",
        "-displayfd",
        str(write),
        "-screen",
        "0",
        size,
        "-nolisten",
        "tcp",
        "-nocursor",
        "-fbdir",
        str(folder),
    ]
    with (folder / "xvfb.log").open("w") as log:
        server = subprocess.Popen(command, pass_fds=[write], stdout=log, stderr=log)
    os.close(write)
    try:
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        if not number:
            raise RuntimeError(f"Xvfb did not start: {(folder / 'xvfb.log').read_text().strip()}")
        yield f":{number}", folder / "Xvfb_screen0"
    finally:
        server.terminate()
        server.wait(30)


class Windows:
    """Runs scenarios, all chosen ones of a file in one Blender process, and remembers their results."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self.results: dict[tuple[str, Path, str], Result] = {}

    def result(self, blender: str, file: Path, name: str, chosen: list[str]) -> Result:
        """How the scenario went in the Blender of that name; the chosen ones of the file are run together."""
        if (blender, file, name) not in self.results:
            left = list(chosen)
            while left:
                done = self._run(blender, file, left)
                for scenario, result in done.items():
                    self.results[blender, file, scenario] = result
                left = [scenario for scenario in left if scenario not in done]
        return self.results[blender, file, name]

    def _run(self, blender: str, file: Path, names: list[str]) -> dict[str, Result]:
        """One Blender process. Gives at least one result: of the scenario that ended it, if it ended early."""
        pictures = ROOT / "out" / "gui" / blender
        pictures.mkdir(parents=True, exist_ok=True)
        log = pictures / f"{file.stem}.log"
        with tempfile.TemporaryDirectory(prefix="linkpose-gui-", ignore_cleanup_errors=True) as folder:
            work = Path(folder)
            (work / "profile").mkdir()
            with screen(work) as (display, buffer):
                job = {
                    "zip": str(self.data.zip),
                    "scenarios": [[str(file), name] for name in names],
                    "work": folder,
                    "pictures": str(pictures),
                    "buffer": str(buffer),
                    "robots": str(self.data.robots or ""),
                    "rigs": str(self.data.rigs or ""),
                    "example_robot_data": str(self.data.example_robot_data or ""),
                }
                (work / "job.json").write_text(json.dumps(job), encoding="utf-8")
                with log.open("w", encoding="utf-8") as output:
                    process = subprocess.Popen(
                        self._command(blender, work),
                        cwd=ROOT,
                        env=self._environment(display, work),
                        stdin=subprocess.DEVNULL,
                        stdout=output,
                        stderr=subprocess.STDOUT,
                    )
                    try:
                        ended = self._watch(process, work, names)
                        if ended:
                            save_png(grab(buffer), pictures / f"{file.stem}-ended.png")
                    finally:
                        process.kill()
                        process.wait(30)
            return self._collect(work, names, ended, log)

    def _command(self, blender: str, work: Path) -> list[str]:
        geometry = ["--window-geometry", "0", "0", *map(str, SIZE)]
        script = ["--python-exit-code", "1", "--python", str(HERE / "inside" / "run.py"), "--", str(work / "job.json")]
        return [blenders()[blender], "--factory-startup", "--enable-event-simulate", *geometry, *script]

    def _environment(self, display: str, work: Path) -> dict[str, str]:
        """A profile of its own; a Blender in a folder of its own (tools/get_blender.sh) is told what it must see."""
        seen = [ROOT, work, self.data.robots, self.data.rigs, self.data.example_robot_data]
        return {
            **os.environ,
            "DISPLAY": display,
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "BLENDER_USER_RESOURCES": str(work / "profile"),
            "LINKPOSE_BIND": ":".join(str(path) for path in seen if path),
        }

    def _watch(self, process: subprocess.Popen[bytes], work: Path, names: list[str]) -> str:
        """Wait until all results are there. Returns why they are not, "" when they are."""
        seen, since = -1, time.monotonic()
        while True:
            ended = process.poll()
            done = sum((work / f"{name}.json").exists() for name in names)
            if done == len(names):
                return ""
            if ended is not None:
                return f"Blender ended with status {ended}"
            if done > seen:
                seen, since = done, time.monotonic()
            limit = SCENARIO_LIMIT if (work / "running").exists() else START_LIMIT
            if time.monotonic() - since > limit:
                return f"no result within {limit} s"
            time.sleep(0.1)

    def _collect(self, work: Path, names: list[str], ended: str, log: Path) -> dict[str, Result]:
        found = {}
        for name in names:
            file = work / f"{name}.json"
            if file.exists():
                entry = json.loads(file.read_text(encoding="utf-8"))
                found[name] = Result(entry["status"], entry["text"], entry["version"])
        if ended:
            running = work / "running"
            name = running.read_text(encoding="utf-8") if running.exists() else names[0]
            if name in found:
                name = next(other for other in names if other not in found)
            farewell = work / f"{name}.exits"
            if ended == "Blender ended with status 0" and farewell.exists():
                found[name] = Result("passed", "", farewell.read_text(encoding="utf-8"))
                return found
            tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-25:])
            found[name] = Result("failed", f"{ended}; the end of {log.relative_to(ROOT)}:\n{tail}")
        return found
