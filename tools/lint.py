"""Style and types of the whole checkout: ``make lint``.

The package is the checkout's root, whose folder may have any name, so mypy gets to see it under its own name through a
folder of links.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(title: str, *command: str, cwd: Path = ROOT, **environment: str) -> bool:
    """Run a checker, say how it went, show what it found."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    print(f"{title}: {'ok' if done.returncode == 0 else 'failed'}", flush=True)
    if done.returncode:
        print((done.stdout + done.stderr).rstrip(), flush=True)
    return done.returncode == 0


def check_types() -> bool:
    """Mypy on the package."""
    with tempfile.TemporaryDirectory(prefix="linkpose-lint-") as folder:
        package = Path(folder) / "linkpose"
        package.mkdir()
        for file in [*ROOT.glob("*.py"), *(init.parent for init in ROOT.glob("*/__init__.py"))]:
            (package / file.name).symlink_to(file)
        settings = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")]
        return run("mypy", "mypy", *settings, "--package", "linkpose", cwd=Path(folder), MYPYPATH=folder)


def main() -> int:
    """Run all, fail if one does."""
    results = [
        run("ruff check", "ruff", "check", "."),
        run("ruff format", "ruff", "format", "--check", "."),
        check_types(),
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
