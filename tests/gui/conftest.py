"""This level runs scenarios in real Blender windows, see inside/window.py for how they are written."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from gui.outside import Data, Windows
from support import ROOT, example_robot_data_folder, rigs_folder, robots_folder


def _folder(find: object) -> Path | None:
    try:
        return find()  # type: ignore[operator]
    except pytest.skip.Exception:
        return None


@pytest.fixture(scope="session")
def windows() -> Windows:
    """Runs scenarios in windows, with the extension's zip built anew."""
    # Whoever ends this process in the middle must not leave its Blender and its screen behind.
    signal.signal(signal.SIGTERM, lambda number, _: pytest.exit("ended by SIGTERM", 128 + number))
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "build_zip.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    built = ROOT / done.stdout.split()[0]
    return Windows(Data(built, _folder(robots_folder), _folder(rigs_folder), _folder(example_robot_data_folder)))
