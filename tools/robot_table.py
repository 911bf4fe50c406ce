"""Reads every robot description below folders and prints a table: what each holds, or why it is refused.

    python3 tools/env.py test tools/robot_table.py [--warnings] [--expand] FOLDER…

Columns: file, links, joints, unknowns, warnings, seconds. ``--warnings`` prints the warnings below each line,
``--expand`` reads ``.xacro`` files too, which runs the expressions in them. The status is 1 when anything but a refusal
in our own words came up.
"""

from __future__ import annotations

import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support import load_package

load_package()

from linkpose.errors import LinkposeError  # noqa: E402
from linkpose.urdf import load  # noqa: E402


def line(name: str, file: Path, *, warnings: bool) -> tuple[str, bool]:
    """The row of one file, and whether all went as it should."""
    start = time.perf_counter()
    try:
        robot = load(file)
        unknowns = len(robot.skeleton().unknowns)
    except LinkposeError as error:
        return f"{name}  refused: {error}", True
    except Exception:
        return f"{name}  {traceback.format_exc()}", False
    seconds = time.perf_counter() - start
    numbers = (len(robot.links), len(robot.joints), unknowns, len(robot.warnings))
    row = f"{name}  " + " ".join(f"{number:5}" for number in numbers) + f"  {seconds:.3f}"
    return "\n".join([row, *(f"    {warning}" for warning in robot.warnings if warnings)]), True


def main(arguments: list[str]) -> int:
    """Entry point."""
    folders = [Path(argument) for argument in arguments if not argument.startswith("--")]
    patterns = ("*.urdf", "*.xacro") if "--expand" in arguments else ("*.urdf",)
    print("file  links joints unknowns warnings seconds")
    fine, count = True, 0
    for folder in folders:
        for file in sorted({file for pattern in patterns for file in folder.rglob(pattern)}):
            row, good = line(file.relative_to(folder).as_posix(), file, warnings="--warnings" in arguments)
            print(row, flush=True)
            fine, count = fine and good, count + 1
    print(f"{count} files")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
