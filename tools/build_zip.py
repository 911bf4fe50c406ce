"""Builds the extension's zip in ``dist``, ready to be installed in Blender: ``make zip``.

Needs an environment with a ``bpy`` wheel, whose own packager and validator are used. The bundled wheels are fetched
once by pinned version and hash (requirements/wheels.txt, requirements/wheels-compiled.txt) and kept outside the
repository. The same files give the same bytes.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

from pure_wheel import without_compiled_parts

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
TOP_FILES = ("blender_manifest.toml", "LICENSE", "__init__.py", "api.py", "errors.py")
# Of the wheels with compiled parts: what stays, and which one is taken, whatever machine this is.
PURE_PACKAGES = {"pyyaml": ("yaml",)}
ONE_PLATFORM = ("--platform=manylinux2014_x86_64", "--implementation=cp", "--python-version=3.11", "--abi=cp311")
EPOCH = 1577836800  # 2020-01-01 UTC: a zip keeps the time of each file, and it must not depend on when it was built


class BuildError(Exception):
    """Why there is no zip, and what to do."""


def cache_folder() -> Path:
    """Where fetched things are kept between runs, as in tools/get_blender.sh."""
    if named := os.environ.get("LINKPOSE_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "linkpose"


def pinned_wheels(requirements: Path) -> dict[str, str]:
    """``{distribution-version: sha256}`` of a requirements file, the name spelt as in a wheel's file name."""
    pins = {}
    for line in requirements.read_text(encoding="utf-8").splitlines():
        if match := re.fullmatch(r"([\w.-]+)==([\w.]+) --hash=sha256:([0-9a-f]{64})", line.strip()):
            name, version, digest = match.groups()
            pins[f"{re.sub(r'[-_.]+', '_', name)}-{version}"] = digest
        elif line.strip() and not line.startswith("#"):
            raise BuildError(f"{requirements.name}: expected 'name==version --hash=sha256:…', found: {line}")
    return pins


def sha256(file: Path) -> str:
    """Of the file's bytes, in hexadecimal."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def fetch_wheels(requirements: Path, folder: Path, *options: str) -> list[Path]:
    """The pinned wheels, from ``folder`` or, once, from the package index that pip is set up for."""
    pins = pinned_wheels(requirements)

    def present(stem: str) -> Path | None:
        return next((f for f in sorted(folder.glob(f"{stem}-*.whl")) if sha256(f) == pins[stem]), None)

    if not all(present(stem) for stem in pins):
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += [*options, "--require-hashes", "--requirement", str(requirements), "--dest", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
            raise BuildError(f"the wheels of {requirements.name} cannot be fetched: {reason}")
    found = [present(stem) for stem in pins]
    missing = [stem for stem, file in zip(pins, found, strict=True) if file is None]
    if missing:
        raise BuildError(f"no wheel with the pinned hash in {folder} for: {', '.join(missing)}")
    return [file for file in found if file is not None]


def bundled_wheels(folder: Path) -> list[Path]:
    """The wheels of the zip, all for any platform."""
    requirements = ROOT / "requirements"
    compiled = fetch_wheels(requirements / "wheels-compiled.txt", folder, *ONE_PLATFORM)
    made = [without_compiled_parts(wheel, folder, PURE_PACKAGES[wheel.name.split("-", 1)[0]]) for wheel in compiled]
    return fetch_wheels(requirements / "wheels.txt", folder) + made


def package_files() -> list[Path]:
    """What the zip holds beside the wheels, relative to the checkout: an allow-list, so nothing slips in."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    rooms = [ROOT.joinpath(*package.split(".")[1:]) for package in settings["packages"] if "." in package]
    files = [ROOT / name for name in TOP_FILES if name != "api.py" or (ROOT / name).exists()]
    files += sorted(file for room in rooms for file in room.glob("*.py"))
    absent = [str(file.relative_to(ROOT)) for file in files if not file.is_file()]
    if absent:
        raise BuildError(f"files of the package are missing: {', '.join(absent)}")
    return [file.relative_to(ROOT) for file in files]


def packager() -> Path:
    """Blender's own extension packager, which every ``bpy`` wheel carries."""
    spec = importlib.util.find_spec("bpy")
    if spec is None or spec.origin is None:
        raise BuildError(f"no bpy module beside {sys.executable}: run make zip, or pip install bpy")
    found = sorted(Path(spec.origin).parent.glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    if not found:
        raise BuildError(f"the bpy module in {Path(spec.origin).parent} has no extension packager")
    return found[-1]


def run_packager(*arguments: str) -> None:
    """``blender --command extension …`` without a Blender; its output is shown where it fails."""
    environment = {**os.environ, "TZ": "UTC"}
    command = [sys.executable, str(packager()), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise BuildError(f"Blender's packager refused '{' '.join(arguments)}':\n{done.stdout}{done.stderr}".rstrip())


def sort_archive(source: Path, target: Path) -> set[str]:
    """Copy the zip with its files by name, where the packager takes the folder's order. Returns the names."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", compresslevel=9) as new:
        files = sorted((info for info in old.infolist() if not info.is_dir()), key=lambda info: info.filename)
        for info in files:
            new.writestr(info, old.read(info))
    return {info.filename for info in files}


def check_versions(manifest: dict[str, object]) -> None:
    """The version stands in two places that Blender and pip read; they must agree."""
    text = (ROOT / "__init__.py").read_text(encoding="utf-8")
    match = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if match is None or match[1] != manifest["version"]:
        found = match[1] if match else "none"
        raise BuildError(
            f"__init__.py says version {found}, blender_manifest.toml {manifest['version']}: make them equal"
        )


def build() -> Path:
    """Stage, build, validate, compare the name list. Returns the zip."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    check_versions(manifest)
    wheels = bundled_wheels(cache_folder() / "wheels")
    listed = sorted(manifest.get("wheels", []))
    fetched = sorted(f"./wheels/{wheel.name}" for wheel in wheels)
    if listed != fetched:
        raise BuildError(f"blender_manifest.toml lists wheels {listed}, requirements gives {fetched}")
    files = package_files()
    with tempfile.TemporaryDirectory(prefix="linkpose-zip-") as folder:
        stage = Path(folder) / "stage"
        for source, target in [(ROOT / f, stage / f) for f in files] + [(w, stage / "wheels" / w.name) for w in wheels]:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            target.chmod(0o644)
            os.utime(target, (EPOCH, EPOCH))
        unsorted, built = Path(folder) / "unsorted.zip", Path(folder) / f"{manifest['id']}-{manifest['version']}.zip"
        run_packager("build", "--source-dir", str(stage), "--output-filepath", str(unsorted))
        names = sort_archive(unsorted, built)
        run_packager("validate", str(built))
        expected = {f.as_posix() for f in files} | {f"wheels/{w.name}" for w in wheels}
        if names != expected:
            raise BuildError(f"the zip holds {sorted(names - expected)} too many and lacks {sorted(expected - names)}")
        DIST.mkdir(exist_ok=True)
        return Path(shutil.move(built, DIST / built.name))


def main() -> int:
    """Entry point of ``make zip``."""
    try:
        built = build()
    except BuildError as error:
        print(f"build_zip: {error}", file=sys.stderr)
        return 1
    print(f"{built.relative_to(ROOT)}  {built.stat().st_size} bytes  sha256 {sha256(built)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
