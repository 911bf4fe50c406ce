"""Makes the checkout importable under the package's name, whatever the folder is called."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def _load_package() -> None:
    if "linkpose" in sys.modules:
        return
    spec = importlib.util.spec_from_file_location("linkpose", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["linkpose"] = module
    spec.loader.exec_module(module)


_load_package()
