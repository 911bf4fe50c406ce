"""The README's example without Blender, run as it stands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support import ROOT


def test_the_example_solves(example_robot_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(example_robot_data / "panda_description" / "urdf")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    exec(text.split("```python\n")[2].split("```")[0], names)
    placed = names["chain"].forward(names["solution"].values, "panda_hand")[:3, 3]
    np.testing.assert_allclose(placed, (0.4, -0.3, 0.5), atol=1e-4)
