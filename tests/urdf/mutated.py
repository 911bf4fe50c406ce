"""Robot descriptions with something wrong in them: made from good ones, by structure or byte by byte.

    python3 tools/env.py test tests/urdf/mutated.py 10000 FOLDER…

reads so many, made from the files below the folders, and prints what became of them, the slowest, and the memory used.
"""

from __future__ import annotations

import copy
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from xml.sax.saxutils import quoteattr

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support import load_package

load_package()

from linkpose.errors import LinkposeError  # noqa: E402
from linkpose.urdf import UrdfError, document, load  # noqa: E402

VALUES = (
    *[
        "0",
        "-1",
        "1e999",
        "nan",
        "-inf",
        "1e-320",
        "0 0 0",
        "1 2",
        "x",
        "ü手",
        "a/b",
        "..",
        "world",
        "link",
        "package://",
        "file:///",
        "C:\\x",
        "1_0",
        "0x10",
        "--1",
        "%00",
    ],
    *[
        "revolute",
        "planar",
        "floating",
        "continuous",
        "fixed",
        "prismatic",
        "spherical",
        "0.0001 0 0",
        "package://p/../../x.stl",
    ],
    *("", " ", "1,2,3", "\u202e", "9" * 400, "a" * 5000, "$(find x)/y", "$(arg a)", "${1/0}", "${[0]*9}"),
)
TAGS = ("link", "joint", "robot", "mimic", "limit", "axis", "origin", "mesh", "capsule", "xacro:if", "xacro:x", "a:b")
BYTES = (b"\0", b"<", b">", b"&", b'"', b"\xff\xfe", b"<!DOCTYPE a>", b"&#0;", b"]]>", b"<a>")


def by_structure(root: document.Element, rng: random.Random) -> bytes:
    """The description with some elements and attributes changed, moved, doubled or gone."""
    root = copy.deepcopy(root)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        holders = [element for element in _all(root) if element.children]
        elements = list(_all(root))
        one = rng.choice(elements)
        action = rng.randrange(9)
        if action == 0 and holders:
            holder = rng.choice(holders)
            holder.children.pop(rng.randrange(len(holder.children)))
        elif action == 1 and holders:
            holder = rng.choice(holders)
            holder.children.append(copy.deepcopy(rng.choice(holder.children)))
        elif action == 2 and holders:
            rng.shuffle(rng.choice(holders).children)
        elif action == 3:
            rng.choice(elements).children.append(copy.deepcopy(one))
        elif action == 4:
            one.tag = rng.choice(TAGS)
        elif action == 5 and one.attributes:
            del one.attributes[rng.choice(list(one.attributes))]
        elif action == 6:
            # Another one's value: joints to other links, names that are taken, types where numbers belong.
            other = rng.choice([value for element in elements for value in element.attributes.values()] or ["x"])
            one.attributes[rng.choice(list(one.attributes) or ["name"])] = other
        elif action == 7:
            one.attributes[rng.choice(list(one.attributes) or ["name"])] = rng.choice(VALUES)
        else:
            kind = one.tag
            alike = [element for element in elements if element.tag == kind]
            name = rng.choice(list(one.attributes) or ["name"])
            one.attributes[name] = rng.choice(alike).attributes.get(name, "")
    return _written(root).encode("utf-8", "replace")


def by_bytes(data: bytes, rng: random.Random) -> bytes:
    """The description with some bytes changed, put in, doubled or cut off."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 2, 5, 20))):
        at = rng.randrange(len(changed) + 1)
        action = rng.randrange(6)
        if action == 0 and at < len(changed):
            changed[at] = rng.randrange(256)
        elif action == 1:
            changed[at:at] = rng.choice(BYTES)
        elif action == 2:
            del changed[at : at + rng.randrange(1, 40)]
        elif action == 3:
            changed[at:at] = changed[at : at + rng.randrange(1, 400)]
        elif action == 4 and rng.random() < 0.2:
            del changed[at:]
        else:
            changed[at : at + 1] = bytes(rng.choice(b"0123456789.-eE \"'<>/") for _ in range(rng.randrange(1, 4)))
    return bytes(changed)


def outcome(file: Path) -> str:
    """What became of a file: read, or refused in our own words. Anything else is raised.

    Raises:
        AssertionError: a refusal that does not name the file, or a pose that is not finite.
    """
    try:
        robot = load(file)
    except UrdfError as error:
        if str(error.path) not in str(error) or len(str(error)) > 20_000:
            raise AssertionError(f"a refusal that does not help: {error}") from error
        return "refused"
    try:
        skeleton = robot.skeleton(free_base=True)
    except LinkposeError as error:
        raise AssertionError(f"read, but no tree: {error}") from error
    neutral = skeleton.neutral()
    assert all(abs(value) < float("inf") for frame in skeleton.forward(neutral).values() for value in frame.flat)
    return "warned" if robot.warnings else "read"


def mutated(files: list[Path], number: int, seed: int = 0) -> list[tuple[Path, bytes]]:
    """So many changed descriptions, each with the file that it was made from."""
    sources = []
    for file in files:
        try:
            sources.append((file, file.read_bytes(), document.read_document(file)[0]))
        except UrdfError:
            continue
    made = []
    for i in range(number):
        rng = random.Random(seed * 1_000_003 + i)
        file, data, root = rng.choice(sources)
        made.append((file, by_structure(root, rng) if i % 2 else by_bytes(data, rng)))
    return made


def _all(root: document.Element):
    yield root
    for child in root.children:
        yield from _all(child)


def _written(root: document.Element) -> str:
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in root.attributes.items())
    return f"<{root.tag}{attributes}>{''.join(map(_written, root.children))}</{root.tag}>\n"


def main(number: int, folders: list[Path]) -> int:
    """Entry point."""
    files = sorted(file for folder in folders for file in folder.rglob("*.urdf") if file.stat().st_size < 60_000)
    counts: Counter[str] = Counter()
    slowest = (0.0, "")
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(0, number, 500):
            for j, (source, data) in enumerate(mutated(files, min(500, number - i), seed=i + 1)):
                file = Path(folder) / "robot.urdf"
                file.write_bytes(data)
                start = time.perf_counter()
                try:
                    counts[outcome(file)] += 1
                except Exception as error:
                    bad += 1
                    kept = Path(tempfile.gettempdir()) / f"mutated-{i}-{j}.urdf"
                    kept.write_bytes(data)
                    print(f"{kept} of {source}: {type(error).__name__}: {error}"[:300], flush=True)
                slowest = max(slowest, (time.perf_counter() - start, str(source)))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{number} files of {len(files)}: {dict(counts)}, {bad} bad; slowest {slowest[0]:.2f} s; {memory:.0f} MiB")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), [Path(argument) for argument in sys.argv[2:]]))
