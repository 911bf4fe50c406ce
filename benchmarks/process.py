"""The solvers' processes: each in its own environment, made now where it is not there yet; one is asked at a time."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PEERS = Path(__file__).resolve().parent / "peers"
ENV = ROOT / "tools" / "env.py"
NODE_HOME = ROOT / ".venv" / "bench-three"
# An answer that takes longer never comes [s].
PATIENCE = 600.0


class GoneError(Exception):
    """A process that did not come up, or ended; in one line."""


@dataclass(frozen=True)
class Entry:
    """One line of the tables.

    Attributes:
        name: as the tables have it, unless the process says more.
        environment: kind of environment for ``tools/env.py``, or "node".
        script: in the folder ``peers``.
        options: for the script.
        repeats: at most so many.
        share: of the targets of a set.
        beside: the same for other sets than positions.
        batch: whether it takes part in batches.
        nearest: whether it looks for the nearest pose when a target is out of reach; others get few of those.
    """

    name: str
    environment: str
    script: str
    options: tuple[str, ...] = ()
    repeats: int = 99
    share: float = 1.0
    beside: float = 1.0
    batch: bool = False
    nearest: bool = True


OURS, LOOPS, TOOLBOX, BLENDER, TRACIK = "linkpose", "linkpose (loops)", "roboticstoolbox", "Blender IK", "TRAC-IK"
CCD, FABRIK = "linkpose CCD", "linkpose FABRIK"
ENTRIES = (
    Entry(OURS, "bench", "ours.py", batch=True),
    Entry(TOOLBOX, "bench-rtb", "rtb.py", batch=True, nearest=False),
    Entry(BLENDER, "run", "blender.py"),
    Entry(TRACIK, "bench-tracik", "tracik.py", nearest=False),
    Entry(LOOPS, "bench", "ours.py", ("--loops",), share=0.3, beside=0.2),
    Entry("pinocchio + LM loop", "bench-pin", "pinocchio_lm.py", repeats=1, share=0.2, beside=0.2, nearest=False),
    Entry("three.js CCD", "node", "three_ccd.mjs", repeats=1, share=0.2, beside=0.2),
    Entry(CCD, "bench", "ours.py", ("--method", "CCD"), repeats=1, beside=0.1),
    Entry(FABRIK, "bench", "ours.py", ("--method", "FABRIK"), repeats=1, beside=0.1),
)


def command(entry: Entry) -> list[str]:
    """What starts an entry's process.

    Raises:
        GoneError: node or its package cannot be had.
    """
    script = str(PEERS / entry.script)
    if entry.environment == "node":
        return [node_with_three(), script, str(NODE_HOME)]
    return [sys.executable, str(ENV), entry.environment, script, *entry.options]


def node_with_three() -> str:
    """The command of node, after its package has been put beside the environments."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise GoneError("no node and npm on the PATH")
    package = (ROOT / "requirements" / "bench-three.txt").read_text(encoding="utf-8").split()[-1]
    stamp = NODE_HOME / "stamp"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != package:
        NODE_HOME.mkdir(parents=True, exist_ok=True)
        install = [npm, "install", "--prefix", str(NODE_HOME), "--no-audit", "--no-fund", "--loglevel=error", package]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            raise GoneError(f"npm install {package}: {last_line(done.stderr)}")
        stamp.write_text(package, encoding="utf-8")
    return node


def last_line(text: str) -> str:
    """The last line that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


class Solver:
    """A running process."""

    def __init__(self, entry: Entry, logs: Path) -> None:
        """Start it and wait until it says hello; its environment is made meanwhile.

        Raises:
            GoneError: it does not come up.
        """
        self.entry = entry
        self.name = entry.name
        self._log = logs / (entry.name.replace(" ", "-").replace("(", "").replace(")", "") + ".log")
        self._errors = self._log.open("w", encoding="utf-8")
        self._process = subprocess.Popen(
            command(entry),
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
        )
        told = self._read(6.0 * PATIENCE)
        self.version, self.note = told["version"], told["note"]

    def _read(self, patience: float) -> dict[str, Any]:
        timer = threading.Timer(patience, self._process.kill)
        timer.start()
        try:
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        if not line:
            self._process.wait()
            self._errors.close()
            raise GoneError(last_line(self._log.read_text(encoding="utf-8", errors="replace")))
        return json.loads(line)

    def ask(self, **what: object) -> dict[str, Any]:
        """Its answer.

        Raises:
            GoneError: it has ended.
        """
        try:
            self._process.stdin.write(json.dumps(what) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass
        return self._read(PATIENCE)

    def close(self) -> None:
        """End it."""
        self._process.stdin.close()
        self._process.wait()
        self._errors.close()
