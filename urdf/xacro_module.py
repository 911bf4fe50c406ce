"""A copy of PyPI's xacro for one expansion, with our own ways to find packages and to read files.

xacro keeps what it is doing in its module, asks ROS where packages are, reads files in the encoding of the system, and
changes Python's DOM as it is imported. A copy that is thrown away leaves others, and the next expansion, as they were.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.dom import minidom

from .document import MAX_BYTES
from .errors import UrdfError

MOST_ITEMS = 1_000_000

_numbers = itertools.count(1)

Complain = Callable[[str], None]


@contextmanager
def xacro_module(complain: Complain) -> Iterator[ModuleType]:
    """A module like ``xacro``, known to Python as long as the context lasts.

    Args:
        complain: gets what xacro, or the author of a file by ``xacro.warning``, warns of.

    Raises:
        ImportError: there is no xacro, or none that we understand.
    """
    found = importlib.util.find_spec("xacro")
    if found is None or found.origin is None or importlib.util.find_spec("yaml") is None:
        raise ImportError("xacro or PyYAML is not installed")
    name = f"_linkpose_xacro_{next(_numbers)}"
    spec = importlib.util.spec_from_file_location(
        name, found.origin, submodule_search_locations=[str(Path(found.origin).parent)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{found.origin} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    writer = minidom.Element.writexml
    sys.modules[name] = module
    try:
        # Others take its functions over by name: it has to be ours before they do.
        importlib.import_module(f"{name}.color").message = _listener(complain)  # type: ignore[attr-defined]
        spec.loader.exec_module(module)
        minidom.Element.writexml = writer  # type: ignore[method-assign]
        module.print_location = lambda: None  # type: ignore[attr-defined]
        yield module
    finally:
        minidom.Element.writexml = writer  # type: ignore[method-assign]
        for key in [key for key in sys.modules if key == name or key.startswith(f"{name}.")]:
            del sys.modules[key]


def find_packages_by(module: ModuleType, find: Callable[[str], str]) -> None:
    """Let ``$(find name)`` be answered by a function."""
    arguments: Any = importlib.import_module(f"{module.__name__}.substitution_args")
    arguments._eval_find = find
    arguments._eval_dict["find"] = find


def read_yaml_as_utf8(module: ModuleType) -> None:
    """Let ``xacro.load_yaml`` read UTF-8, name the line of an error, and keep its tags for units to itself."""
    yaml: Any = importlib.import_module("yaml")
    loader = type("Loader", (yaml.SafeLoader,), {})
    for unit in module.ConstructUnits:
        loader.add_constructor(unit.value.tag, unit.constructor)  # type: ignore[attr-defined]

    def load_yaml(filename: str) -> object:
        path = Path(module.abs_filename_spec(str(filename)))
        try:
            with path.open("rb") as file:
                text = file.read(MAX_BYTES).decode("utf-8-sig")
        except (OSError, UnicodeError) as error:
            raise UrdfError(path, 0, f"cannot be read: {_reason(error)}; check the path") from error
        module.filestack.append(str(path))
        try:
            value = yaml.load(text, Loader=loader)
            if _items(value, {}) > MOST_ITEMS:
                raise UrdfError(path, 0, f"holds more than {MOST_ITEMS} values, by aliases of aliases; write them out")
            return module.YamlListWrapper.wrap(value)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            reason = getattr(error, "problem", None) or " ".join(str(error).split())
            raise UrdfError(path, 0 if mark is None else mark.line + 1, f"no YAML ({reason}); correct it") from error
        finally:
            module.filestack.pop()

    symbols = module._global_symbols
    symbols["load_yaml"] = load_yaml
    dict.__setitem__(symbols["xacro"], "load_yaml", load_yaml)


def _items(value: object, known: dict[int, float]) -> float:
    """Number of values inside a value, as they would be written out; without end where it holds itself."""
    if not isinstance(value, dict | list):
        return 1.0
    if id(value) not in known:
        known[id(value)] = math.inf
        children = [*value, *value.values()] if isinstance(value, dict) else value
        known[id(value)] = 1.0 + sum(_items(child, known) for child in children)
    return known[id(value)]


def _listener(complain: Complain) -> Callable[..., None]:
    def message(text: object, *more: object, alt_text: str | None = None, **_: object) -> None:
        said = " ".join(" ".join(map(str, (text, *more))).split())
        if alt_text and "deprecated" not in said:
            complain(said)

    return message


def _reason(error: OSError | UnicodeError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
