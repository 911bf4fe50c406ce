"""The user documentation: links and pictures exist, messages are the extension's own, examples without Blender run."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from docs_pages import PAGES, anchors, blocks, links, prose, write_robot
from support import ROOT

ROOMS = ("api.py", "operators", "rig", "solver", "ui", "urdf")
PAGE_OF_MESSAGES = ROOT / "docs" / "why.md"


def texts() -> list[str]:
    """Every constant text in the extension's source; what an f-string puts in is left out."""
    found = []
    for room in ROOMS:
        place = ROOT / room
        for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.JoinedStr):
                    found.append(
                        "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
                    )
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found.append(node.value)
    return found


def messages() -> list[str]:
    """What stands in the first column of the tables of messages, as code."""
    rows = [line.split("|")[1] for line in prose(PAGE_OF_MESSAGES).splitlines() if line.startswith("| `")]
    return [message for row in rows for message in re.findall(r"`([^`]+)`", row)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_of_a_page_exist(page: Path) -> None:
    found = list(links(page))
    assert found, "a page without a link leads nowhere"
    for link in found:
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_is_named_by_the_index_and_every_picture_by_a_page() -> None:
    docs = ROOT / "docs"
    named = {(page.parent / link.partition("#")[0]).resolve() for page in PAGES for link in links(page)}
    indexed = {(docs / link).resolve() for link in links(docs / "index.md")}
    assert set(docs.glob("*.png")) <= named
    assert set(docs.glob("*.md")) - {docs / "index.md"} <= indexed
    assert docs / "index.md" in {(ROOT / link).resolve() for link in links(ROOT / "README.md")}


def test_every_picture_is_made_by_a_window_test_and_small() -> None:
    made = (ROOT / "tests" / "gui" / "scenarios" / "pictures.py").read_text(encoding="utf-8")
    names = {f"{name}.png" for name in re.findall(r'\bpicture\("([^"]+)"', made)}
    shown = {path.name for path in (ROOT / "docs").glob("*.png")} - {"benchmarks.png"}
    assert shown == names
    for name in shown:
        assert (ROOT / "docs" / name).stat().st_size <= 150_000, name


def test_every_message_that_is_explained_is_one_of_the_extension() -> None:
    known = texts()
    found = messages()
    assert len(found) > 40
    for message in found:
        for part in message.split("…"):
            words = part.strip(" ()'")
            assert any(words in text for text in known), f"{message!r}: nothing says {words!r}"


def test_everything_that_a_key_can_answer_is_explained() -> None:
    page = PAGE_OF_MESSAGES.read_text(encoding="utf-8")
    answers = []
    for path in [*(ROOT / "operators").glob("*.py"), *(ROOT / "rig").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "NotNowError":
                parts = [part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)]
                answers.append([part for part in parts if isinstance(part, str)])
    told = [parts for parts in answers if parts]
    assert len(told) >= 10
    for parts in told:
        longest = max((part.strip(" ,'") for part in parts), key=len)
        assert longest in page, parts


def test_examples_without_blender_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_robot(tmp_path)
    monkeypatch.chdir(tmp_path)
    (example,) = [block for block in blocks("scripts.md", "python") if "from linkpose import" in block]
    names: dict[str, object] = {}
    exec(example, names)
    assert names["solution"].status == "REACHED"
    assert set(names["batch"].status) == {"REACHED"}
    np.testing.assert_allclose(names["frames"]["hand"][:3, 3], (0.4, 0.1, 0.5), atol=1e-4)
