"""xacro: macros, properties, conditions and expressions of a robot description, expanded by PyPI's xacro."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.dom import minidom

from .document import Element, read_document
from .errors import Line, UrdfError
from .files import Finder
from .notes import Notes
from .xacro_dom import LineKeeper, from_dom, line_of, to_dom
from .xacro_expressions import Fence, TooMuch
from .xacro_module import find_packages_by, read_yaml_as_utf8, xacro_module

SUFFIX = ".xacro"
PREFIX = "xacro:"
# A robot with 100 joints has some thousand elements and takes a second or two.
MOST_ELEMENTS = 200_000
_PUT_IN = re.compile(r"\$\{|\$\((?!find\s)[a-z]+\b")
MOST_CHARACTERS = 1_000_000
MOST_SECONDS = 60.0


def is_xacro(root: Element, path: Path) -> bool:
    """Whether a file has to be expanded: by its name, elements of xacro, or what xacro puts in for in attributes.

    ``$(find …)`` alone is no reason: files are found without xacro too.
    """
    return path.suffix.lower() == SUFFIX or _any(
        root, lambda element: element.tag.startswith(PREFIX) or any(map(_PUT_IN.search, element.attributes.values()))
    )


def has_expressions(root: Element) -> bool:
    """Whether an attribute holds ``${…}``, without which elements of xacro may be leftovers."""
    return _any(root, lambda element: any("${" in value for value in element.attributes.values()))


def _any(root: Element, test: Callable[[Element], bool]) -> bool:
    return test(root) or any(_any(child, test) for child in root.children)


def expand(root: Element, path: Path, finder: Finder, arguments: Mapping[str, object], notes: Notes) -> Element:
    """Expand a xacro file. Its expressions are code, and are run.

    xacro keeps them from names that would harm, but not from determined ones: ask before, where the file is not known.
    Time, number of elements, length of texts and size of numbers are limited.

    Args:
        root: of the file.
        path: the file.
        finder: finds the packages of ``$(find …)``; it remembers those that only included files find.
        arguments: values of ``<xacro:arg>`` by name; True and False are written as xacro has them.
        notes: gets what xacro warns of.

    Returns:
        The expanded elements; each knows the file and line where it was written.

    Raises:
        UrdfError: anything at all that is wrong in the files, with the file and, where it is known, the line.
    """
    given = _Arguments({str(name): _text(value) for name, value in arguments.items()})
    limits = _Limits(path)
    keeper = LineKeeper(limits.count_element)
    try:
        with xacro_module(lambda text: _warn(notes, module, text)) as module:
            document = to_dom(root, path, keeper)
            _make_our_own(module, finder, keeper, limits)
            module.init_stacks(str(path))
            try:
                module.process_doc(document, mappings=given, verbosity=0)
            except Exception as error:  # Whatever an expression may raise.
                raise _explained(error, module, path) from error
            expanded = from_dom(document, path)
    except ImportError as error:
        text = f"is xacro, and {error}; pip install xacro, or expand the file with xacro first"
        raise UrdfError(path, 0, text) from error
    for name in given.unused():
        notes.warn(0, f"xacro argument {name!r} is used nowhere; correct its name or leave it out")
    return expanded


class _NoFile(Exception):  # noqa: N818
    """A package or file that is named and nobody has."""


class _Limits:
    """Keeps an expansion from taking all time and memory."""

    def __init__(self, path: Path) -> None:
        self._end = time.monotonic() + MOST_SECONDS
        self._elements = 0

    def count_element(self) -> None:
        self._elements += 1
        if self._elements > MOST_ELEMENTS:
            raise TooMuch(f"makes more than {MOST_ELEMENTS} elements, which no robot has; look for macros that repeat")
        self.check_time()

    def check_time(self) -> None:
        if time.monotonic() > self._end:
            raise TooMuch(
                f"takes longer than {MOST_SECONDS:g} seconds; look for macros that repeat, or expand it first"
            )

    def check_text(self, value: object) -> None:
        self.check_time()
        if isinstance(value, str) and len(value) > MOST_CHARACTERS:
            raise TooMuch(f"makes a text of more than {MOST_CHARACTERS} characters; look for properties that repeat")


class _Arguments(dict[str, str]):
    """Arguments that know which of them were asked for. xacro adds the defaults of others."""

    def __init__(self, given: Mapping[str, str]) -> None:
        super().__init__(given)
        self._unused = dict.fromkeys(given)

    def unused(self) -> tuple[str, ...]:
        """Names of those that nothing declares and nothing uses."""
        return tuple(self._unused)

    def __contains__(self, name: object) -> bool:
        self._unused.pop(name, None)  # type: ignore[call-overload]
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self._unused.pop(name, None)
        return super().__getitem__(name)


def _make_our_own(module: ModuleType, finder: Finder, keeper: LineKeeper, limits: _Limits) -> None:
    """Put our ways in the place of xacro's."""
    xacro: Any = module
    evaluate, plain_name = xacro.eval_text, xacro.abs_filename_spec

    def eval_text(text: str, symbols: object) -> object:
        result = evaluate(text, symbols)
        limits.check_text(result)
        return result

    def abs_filename_spec(name: str) -> str:
        if "://" not in name:
            return str(plain_name(name))
        found = Finder(Path(xacro.filestack[-1])).find(name)
        if found.path is None:
            raise _NoFile(f"{name!r} was not found; {found.explanation}")
        return str(found.path)

    def parse(_: object, filename: str) -> minidom.Document:
        path = Path(filename)
        if not path.is_file():
            xacro.filestack.pop()  # It is the file that includes it which is wrong.
            found = Finder(Path(xacro.filestack[-1])).find(filename)
            if found.path is not None:
                xacro.warning(f"{filename} {found.note}")
                xacro.filestack.append(str(found.path))
                return parse(_, str(found.path))
            # With such an exception inside, an include may be optional.
            raise xacro.XacroException(exc=FileNotFoundError(f"there is no file {filename} to include"))
        root, _warnings = read_document(path)
        return to_dom(root, path, keeper)

    def find(package: str) -> str:
        folder = finder.package(package)
        if folder is None:
            folder = Finder(Path(xacro.filestack[-1])).package(package)
            if folder is None:
                raise _NoFile(f"package {package!r} was not found; give its folder as one of packages=")
            finder.know(package, folder)
        return folder.as_posix()

    xacro.eval_text = eval_text
    xacro.abs_filename_spec = abs_filename_spec
    xacro.parse = parse
    Fence(limits.check_time).put_round(module)
    find_packages_by(module, find)
    read_yaml_as_utf8(module)


def _explained(error: Exception, module: ModuleType, path: Path) -> UrdfError:
    """The error in our own words, at the element that was expanded when it came up."""
    inner: BaseException = error
    while isinstance(getattr(inner, "exc", None), BaseException):
        inner = inner.exc  # type: ignore[attr-defined]
    if isinstance(inner, UrdfError):
        return inner
    line = _line_of(error, module) or Line(0, Path(module.filestack[-1] or path))
    macros = [macro.body.getAttribute("name") for macro in module.macrostack]
    where = f"in macro {macros[-1]!r}: " if macros else ""
    if isinstance(inner, TooMuch | _NoFile):
        return UrdfError(path, line, f"{where}{inner}")
    if isinstance(inner, RecursionError):
        return UrdfError(path, line, f"{where}macros or properties use themselves without end; end it by a condition")
    if type(inner).__name__ == "ArgException":
        name = str(inner)
        return UrdfError(path, line, f"{where}argument {name!r} has no value; give it as xacro_args={{{name!r}: …}}")
    text = " ".join(str(error).split()) or type(inner).__name__
    return UrdfError(path, line, f"{where}xacro cannot expand this: {text}; correct it")


def _line_of(error: Exception, module: ModuleType) -> Line | None:
    """Line of the innermost element that was being expanded."""
    code = module.eval_all.__code__
    found = None
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code is code:
            found = line_of(step.tb_frame.f_locals.get("node")) or found
        step = step.tb_next
    return found


def _warn(notes: Notes, module: ModuleType, text: str) -> None:
    line = Line(0, Path(module.filestack[-1])) if module.filestack else 0
    notes.warn(line, f"xacro warns: {text}; correct it if it matters")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
