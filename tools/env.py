"""Makes the environment that a command needs and runs the command in it.

    python3 tools/env.py [--bpy VERSION] KIND COMMAND…

``run`` is a ``bpy`` wheel with what Linkpose needs, ``test`` adds what the tests need, ``lint`` has the checkers and no
Blender; ``bench`` and the kinds that begin with it are the benchmark and the solvers that it compares. Environments lie
in ``.venv`` and are reused until their requirements change. ``$PYTHON`` names the Python to use, else the first of 3.11
and 3.13 that is found. ``--bpy`` asks for one of the pinned wheels, else it is the one that is kept for that Python.
What is missing on the machine is said in one line; the status is 3 when it is the Python.

Only Python's own library, and any Python 3.8 or later, may be needed here.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENVS = ROOT / ".venv"
# bpy wheel: the one Python it is built for, and the numpy it is used with. First of a Python: its default.
WHEELS = {"5.0.1": ("3.11", "numpy1"), "5.2.3": ("3.13", "numpy2"), "4.2.23": ("3.11", "numpy2")}
# Kinds without Blender: what is installed into them.
BARE = {
    "lint": ["lint"],
    "bench": ["bench"],
    "bench-rtb": ["bench-rtb"],
    "bench-tracik": ["bench-tracik"],
    "bench-pin": ["bench-pin", "pin-numpy2"],
}
KINDS = ["run", "test", *BARE]
LIBRARIES = {
    "libEGL.so": "libegl1",
    "libGL.so": "libgl1",
    "libICE.so": "libice6",
    "libSM.so": "libsm6",
    "libX11.so": "libx11-6",
    "libXext.so": "libxext6",
    "libXfixes.so": "libxfixes3",
    "libXi.so": "libxi6",
    "libXrender.so": "libxrender1",
    "libXxf86vm.so": "libxxf86vm1",
    "libgomp.so": "libgomp1",
    "libstdc++.so": "libstdc++6",
    "libuuid.so": "libuuid1",
    "libxkbcommon.so": "libxkbcommon0",
    "libz.so": "zlib1g",
}
NO_PYTHON = 3


class Unfit(Exception):  # noqa: N818 - says what the machine is
    """What the machine lacks, in one line."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


def say(message: str) -> None:
    """A line of progress, apart from the command's own output."""
    print(f"env: {message}", file=sys.stderr, flush=True)


def ask_python(python: str) -> tuple[str, bool] | None:
    """Its version ("3.11") and whether it can make environments; None when it does not run."""
    code = "import sys, importlib.util as u; print('%d.%d' % sys.version_info[:2], bool(u.find_spec('ensurepip')))"
    try:
        done = subprocess.run([python, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    version, _, able = done.stdout.decode().strip().partition(" ")
    return (version, able == "True") if done.returncode == 0 else None


def pyenv_pythons(version: str) -> list[str]:
    """Pythons of that version that pyenv has but does not have switched on."""
    if not shutil.which("pyenv"):
        return []
    done = subprocess.run(["pyenv", "root"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    versions = Path(done.stdout.decode().strip()) / "versions"
    return [str(python) for python in sorted(versions.glob(f"{version}.*/bin/python{version}"), reverse=True)]


def package_hint(versions: list[str]) -> str:
    """Which package brings one of the Pythons, as far as this machine's package lists tell."""
    if shutil.which("apt-cache"):
        for version in versions:
            done = subprocess.run(
                ["apt-cache", "show", f"python{version}-venv"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            if done.returncode == 0:
                return f"apt-get install python{version}-venv"
    return "install Python {} with its venv module, or set PYTHON to one".format(" or ".join(versions))


def find_python(versions: list[str]) -> tuple[str, str]:
    """The Python to use and its version, out of the versions that fit."""
    wish = os.environ.get("PYTHON")
    if wish:
        answer = ask_python(wish)
        if answer is None:
            raise Unfit(f"PYTHON={wish} does not run", NO_PYTHON)
        if answer[0] not in versions:
            fitting = " or ".join(versions)
            raise Unfit(f"PYTHON={wish} is Python {answer[0]}, needed is {fitting}", NO_PYTHON)
        if not answer[1]:
            raise Unfit(f"PYTHON={wish} lacks the venv module: apt-get install python{answer[0]}-venv")
        return wish, answer[0]
    bare = None
    for version in versions:
        for python in [f"python{version}", "python3", *pyenv_pythons(version)]:
            answer = ask_python(python)
            if answer is None or answer[0] != version:
                continue
            if answer[1]:
                return python, version
            bare = bare or version
    if bare:
        raise Unfit(f"Python {bare} lacks the venv module: apt-get install python{bare}-venv", NO_PYTHON)
    raise Unfit(f"no Python {' or '.join(versions)} found: {package_hint(versions)}", NO_PYTHON)


def missing_libraries(ldd: str) -> list[str]:
    """Debian packages of the libraries that ``ldd`` did not find, in its output."""
    names = sorted(set(re.findall(r"^\s*(\S+) => not found", ldd, re.MULTILINE)))
    return [next((deb for lib, deb in LIBRARIES.items() if name.startswith(lib)), name) for name in names]


def check_bpy(python: Path) -> None:
    """Say which system libraries the wheel lacks, before its bare "cannot open shared object file" does."""
    where = "import importlib.util as u; print(u.find_spec('bpy').origin)"
    origin = subprocess.run([str(python), "-c", where], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    if shutil.which("ldd"):
        listed = subprocess.run(["ldd", origin], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
        missing = missing_libraries(listed)
        if missing:
            raise Unfit(f"the bpy wheel needs system libraries: apt-get install {' '.join(missing)}")
    done = subprocess.run([str(python), "-c", "import bpy"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode:
        lines = done.stderr.decode().strip().splitlines() or [f"status {done.returncode}"]
        raise Unfit(f"the bpy wheel does not load: {lines[-1]}")


def install(base: str, venv: Path, files: list[Path]) -> None:
    """Make or extend the environment. Every package is pinned, so nothing has to be resolved."""
    log = VENVS / f"{venv.name}.log"
    python = venv / "bin" / "python"
    say(f"installing {', '.join(file.stem for file in files)} into {venv.relative_to(ROOT)}, once; with {base}")
    steps = [] if python.exists() else [[base, "-m", "venv", str(venv)]]
    pip = [str(python), "-m", "pip", "install", "--no-deps", "--disable-pip-version-check"]
    steps.append([*pip, *(part for file in files for part in ("--requirement", str(file)))])
    with log.open("w", encoding="utf-8") as output:
        for step in steps:
            if subprocess.run(step, stdout=output, stderr=subprocess.STDOUT).returncode:
                output.flush()
                lines = [line for line in log.read_text(encoding="utf-8").splitlines() if line.strip()]
                errors = [line for line in lines if line.startswith("ERROR")] or lines or ["no message"]
                raise Unfit(f"{errors[-1]} (all of it: {log.relative_to(ROOT)})")


def environment(kind: str, bpy: str | None) -> Path:
    """The Python of the environment, made first where it is not there or its requirements have changed."""
    if bpy is not None and bpy not in WHEELS:
        raise Unfit(f"no requirements for bpy {bpy}; there are: {', '.join(WHEELS)}")
    fitting = [WHEELS[bpy][0]] if bpy else sorted({python for python, _ in WHEELS.values()})
    base, version = find_python(fitting)
    wheel = bpy or next(wheel for wheel, (python, _) in WHEELS.items() if python == version)
    if kind in BARE:
        venv, names = VENVS / f"{kind}-{version}", BARE[kind]
    else:
        venv, names = VENVS / f"bpy-{wheel}", [f"bpy-{wheel}"]
        if kind == "test":
            names += ["test", f"pin-{WHEELS[wheel][1]}"]
    python = venv / "bin" / "python"
    if not python.exists() and venv.exists():
        shutil.rmtree(venv)  # its Python is gone
    wanted = {venv / f"{name}.stamp": ROOT / "requirements" / f"{name}.txt" for name in names}
    digests = {stamp: hashlib.sha256(file.read_bytes()).hexdigest() for stamp, file in wanted.items()}
    new = [s for s, digest in digests.items() if not s.is_file() or s.read_text(encoding="utf-8") != digest]
    if not new:
        return python
    VENVS.mkdir(exist_ok=True)
    install(base, venv, [wanted[stamp] for stamp in new])
    if kind not in BARE:
        check_bpy(python)
    for stamp in new:
        stamp.write_text(digests[stamp], encoding="utf-8")
    return python


def main(arguments: list[str]) -> NoReturn:
    """Command line, see the top of the file. Becomes the command."""
    bpy = None
    if arguments[:1] == ["--bpy"]:
        bpy, arguments = arguments[1], arguments[2:]
    if len(arguments) < 2 or arguments[0] not in KINDS:
        sys.exit(f"usage: env.py [--bpy VERSION] {'|'.join(KINDS)} COMMAND…")
    try:
        python = environment(arguments[0], bpy)
    except Unfit as error:
        say(str(error))
        sys.exit(error.status)
    os.execv(str(python), [str(python), *arguments[1:]])


if __name__ == "__main__":
    main(sys.argv[1:])
