"""Makes a wheel for every platform of one that has compiled parts which it can do without."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

_TIME = (2020, 1, 1, 0, 0, 0)


def without_compiled_parts(wheel: Path, folder: Path, packages: tuple[str, ...]) -> Path:
    """Write the wheel anew with the Python files of some of its packages, its metadata and its licence.

    The same wheel gives the same bytes: nothing is compressed, for compressors differ.

    Args:
        wheel: with compiled parts.
        folder: gets the new one.
        packages: that stay, without what is not Python in them.

    Returns:
        The new wheel, called ``name-version-py3-none-any.whl``.
    """
    name, version = wheel.name.split("-")[:2]
    metadata = f"{name}-{version}.dist-info"
    made = {
        f"{metadata}/WHEEL": b"Wheel-Version: 1.0\nGenerator: linkpose\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{metadata}/top_level.txt": "".join(f"{package}\n" for package in packages).encode(),
    }
    with zipfile.ZipFile(wheel) as old:
        for file in sorted(old.namelist()):
            top = file.split("/", 1)[0]
            is_code = top in packages and file.endswith(".py")
            is_metadata = top == metadata and not file.endswith(("/", "/RECORD", "/WHEEL", "/top_level.txt"))
            if is_code or is_metadata:
                made[file] = old.read(file)
    record = [f"{file},sha256={_digest(made[file])},{len(made[file])}" for file in sorted(made)]
    made[f"{metadata}/RECORD"] = "\n".join([*record, f"{metadata}/RECORD,,", ""]).encode()
    target = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as new:
        for file in sorted(made):
            new.writestr(zipfile.ZipInfo(file, _TIME), made[file])
    return target


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
