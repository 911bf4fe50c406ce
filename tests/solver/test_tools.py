"""What the commands say and need."""

from __future__ import annotations

import importlib.util
import re
import sys
from types import ModuleType

import pytest
from support import ROOT


def tool(name: str) -> ModuleType:
    """A file of ``tools`` as a module."""
    spec = importlib.util.spec_from_file_location(f"linkpose_tools_{name}", ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_missing_libraries_are_named_by_their_debian_packages() -> None:
    ldd = (
        "\tlibXi.so.6 => not found\n\tlibSM.so.6 => not found\n\tlibXi.so.6 => not found\n"
        "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f)\n\tlibodd.so.1 => not found\n"
    )
    assert tool("env").missing_libraries(ldd) == ["libsm6", "libxi6", "libodd.so.1"]


def test_a_wished_python_that_does_not_fit_is_refused_with_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    env = tool("env")
    monkeypatch.setenv("PYTHON", sys.executable)
    with pytest.raises(env.Unfit, match=r"is Python 3\.\d+, needed is 3\.2 or 3\.3") as refused:
        env.find_python(["3.2", "3.3"])
    assert refused.value.status == env.NO_PYTHON


def test_every_wheel_has_its_requirements_and_all_of_them_are_pinned() -> None:
    for wheel, (_, numpy) in tool("env").WHEELS.items():
        for name in (f"bpy-{wheel}", "test", f"pin-{numpy}", "lint"):
            lines = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
            pins = [line for line in lines if not line.startswith("#")]
            assert pins
            assert [line for line in pins if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []


def test_a_report_is_counted_by_level_and_by_window(tmp_path) -> None:
    report = tmp_path / "report.xml"
    window = '<properties><property name="blender" value="4.3.2"/></properties>'
    report.write_text(
        f"<testsuites><testsuite><testcase>{window}</testcase><testcase>{window}<failure/></testcase>"
        "<testcase><skipped/></testcase><testcase><error/></testcase></testsuite></testsuites>",
        encoding="utf-8",
    )
    counts = tool("test").read_report(report)
    assert (counts[""].passed, counts[""].failed, counts[""].skipped) == (1, 2, 1)
    assert (counts["4.3.2"].passed, counts["4.3.2"].failed, counts["4.3.2"].skipped) == (1, 1, 0)
