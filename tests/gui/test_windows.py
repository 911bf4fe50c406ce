"""Every scenario of tests/gui/scenarios in every Blender of ``$BLENDER``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from gui.outside import Windows, blenders, scenarios


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    cases = [
        pytest.param(blender, file, name, id=f"{blender}-{file.stem}-{name.removeprefix('test_')}")
        for blender in blenders()
        for file, name in scenarios()
    ]
    why = pytest.mark.skip(reason="no Blender with a window: set BLENDER to one")
    none = [pytest.param("", Path(), "", id="no-window", marks=why)]
    metafunc.parametrize(("blender", "file", "name"), cases or none)


def test_window(
    blender: str,
    file: Path,
    name: str,
    windows: Windows,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    chosen = [
        item.callspec.params["name"]
        for item in request.session.items
        if item.callspec.params["blender"] == blender and item.callspec.params["file"] == file
    ]
    result = windows.result(blender, file, name, chosen)
    record_property("blender", result.version)
    if result.status == "skipped":
        pytest.skip(result.text)
    if result.status == "failed":
        pytest.fail(result.text, pytrace=False)
