"""Runs the test levels, each as a pytest process of its own under a time limit: ``make test``.

    tools/test.py [LEVEL…]

Levels: ``solver`` and ``urdf`` (no Blender), ``blender`` (the ``bpy`` wheel of this environment), ``gui`` (a real
window). For the windows ``$BLENDER`` names one Blender or more, separated by colons; else ``$LINKPOSE_WINDOWS`` asks
for Debian's Blenders by suite ("trixie sid", see tools/get_blender.sh; one that cannot be had is left out); else a
``blender`` of at least 4.2 on the PATH is used; else one line says that window tests were skipped and why. With
``$LINKPOSE_REQUIRE_WINDOW`` set to a version it fails when no window test ran in that Blender. Reports and pictures go
to ``out``.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "out" / "tests"
OLDEST_BLENDER = (4, 2)
LIMITS = {"solver": 300, "urdf": 300, "blender": 900, "gui": 2700}  # seconds


@dataclass
class Count:
    """How a level went."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    note: str = ""

    def __str__(self) -> str:
        ran = self.passed + self.failed
        text = f"{ran} ran, {self.passed} passed, {self.failed} failed, {self.skipped} skipped"
        return f"{text}: {self.note}" if self.note else text


def read_report(report: Path) -> dict[str, Count]:
    """Counts of a JUnit report: of all under "", and of each Blender with a window that the tests name."""
    counts: dict[str, Count] = defaultdict(Count)
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        window = next((entry.get("value", "") for entry in case.iter("property") if entry.get("name") == "blender"), "")
        for name in {"", window}:
            if kinds & {"failure", "error"}:
                counts[name].failed += 1
            elif "skipped" in kinds:
                counts[name].skipped += 1
            else:
                counts[name].passed += 1
    return counts


def run_level(level: str, environment: dict[str, str]) -> dict[str, Count]:
    """One pytest process. Whatever ends it, the level gets its count, and a reason where it did not end well."""
    report = REPORTS / f"{level}.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-rs", f"--junitxml={report}", f"tests/{level}"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    try:
        status = process.wait(LIMITS[level])
        why = f"pytest ended with status {status}"
    except (subprocess.TimeoutExpired, KeyboardInterrupt) as end:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(end, KeyboardInterrupt):
            raise
        status, why = -1, f"over the time limit of {LIMITS[level]} s"
    counts = read_report(report) if report.exists() else {}
    count = counts.setdefault("", Count())
    if count.passed + count.failed + count.skipped == 0:
        count.failed, count.note = 1, f"no test ran, {why}"
    elif status not in (0, 1) or (status == 1 and not count.failed):
        count.failed, count.note = count.failed + 1, why
    return counts


def version_of(blender: str) -> tuple[int, int] | None:
    """(major, minor) of the command, None when it does not answer."""
    try:
        done = subprocess.run([blender, "--version"], capture_output=True, text=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"Blender (\d+)\.(\d+)", done.stdout)
    return (int(match[1]), int(match[2])) if match else None


def fetched_windows(suites: list[str]) -> list[str]:
    """Commands of Debian's Blenders; what cannot be had is left out with a line."""
    commands = []
    for suite in suites:
        done = subprocess.run(
            [str(ROOT / "tools" / "get_blender.sh"), suite], stdout=subprocess.PIPE, text=True, check=False
        )
        if done.returncode == 0:
            commands.append(done.stdout.strip().splitlines()[-1])
        else:
            print(f"gui: the Blender of Debian {suite} is left out, see the line above", flush=True)
    return commands


def find_blenders() -> tuple[list[str], str]:
    """Windowed Blenders to test in; when there are none, why."""
    wished = [blender for blender in os.environ.get("BLENDER", "").split(os.pathsep) if blender]
    suites = os.environ.get("LINKPOSE_WINDOWS", "").split()
    on_path = shutil.which("blender")
    if wished:
        found = wished
    elif suites:
        found = fetched_windows(suites)
    else:
        found = [on_path] if on_path else []
    if not found:
        return [], "no Blender with a window: set BLENDER to one, or put one of 4.2 or newer on the PATH"
    fitting = []
    for blender in found:
        version = version_of(blender)
        if version is not None and version >= OLDEST_BLENDER:
            fitting.append(blender)
        else:
            says = "does not answer --version" if version is None else f"is {version[0]}.{version[1]}"
            print(f"gui: {blender} is left out: it {says}, needed is 4.2 or newer", flush=True)
    if not fitting:
        return [], "no Blender of 4.2 or newer among " + ", ".join(found)
    if not shutil.which("Xvfb"):
        return [], "no Xvfb to show a window on: apt-get install xvfb"
    return fitting, ""


def run_gui(environment: dict[str, str]) -> dict[str, Count]:
    """The window level, or the reason why not."""
    blenders, reason = find_blenders()
    if not blenders:
        return {"": Count(skipped=1, note=f"window tests were skipped: {reason}")}
    return run_level("gui", {**environment, "BLENDER": os.pathsep.join(blenders)})


def main(levels: list[str]) -> int:
    """Run the levels, one line for each, and a plain last line."""
    if unknown := [level for level in levels if level not in LIMITS]:
        print(f"test: no level {', '.join(unknown)}; there are: {', '.join(LIMITS)}", file=sys.stderr)
        return 2
    REPORTS.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ)
    lines, total, windows = [], Count(), {}
    for level in levels or list(LIMITS):
        print(f"== {level}", flush=True)
        start = time.monotonic()
        counts = run_gui(environment) if level == "gui" else run_level(level, environment)
        count = counts.pop("")
        lines.append(f"{level:8} {count} ({time.monotonic() - start:.0f} s)")
        lines += [f"  in a window of Blender {version}: {part}" for version, part in sorted(counts.items())]
        windows.update(counts)
        total.passed += count.passed
        total.failed += count.failed
        total.skipped += count.skipped
    required = os.environ.get("LINKPOSE_REQUIRE_WINDOW", "")
    there = windows.get(required, Count())
    if required and not there.passed + there.failed:
        lines.append(f"no window test ran in Blender {required}, which was required")
        total.failed += 1
    print("\n" + "\n".join(lines))
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped", flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
