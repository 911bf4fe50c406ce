"""The user documentation as tests see it: pages, links, pictures, examples, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from support import ROOT

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> Iterator[str]:
    """Where a page leads, web addresses aside."""
    yield from (link for link in _LINK.findall(prose(page)) if "://" not in link)


def anchors(page: Path) -> set[str]:
    """What a link may name of a page, as GitHub makes it of the headings."""
    titles = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def blocks(name: str, language: str) -> list[str]:
    """The blocks of code of a page of `docs/`."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def rows(name: str, heading: str) -> list[list[str]]:
    """The cells of the tables below a heading of a page, without the tables' own headings."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    below = re.split(r"^#+ ", text.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    lines = [line for line in below.splitlines() if line.startswith("|")]
    heads = {i for i, line in enumerate(lines) if set(line) <= set("|- ")}
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for i, line in enumerate(lines)
        if i not in heads and i + 1 not in heads
    ]


def write_robot(folder: Path) -> Path:
    """The robot of the documentation as a file."""
    (text,) = blocks("first-drag.md", "xml")
    file = folder / "arm.urdf"
    file.write_text(text, encoding="utf-8")
    return file
