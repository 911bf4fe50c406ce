"""Every text of the user interface that the extension's source holds, found in its syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from support import ROOT

# Where texts for users are written. Errors are for scripts as well, and stay English.
FILES = ("ui/**/*.py", "operators/*.py", "rig/marks.py", "rig/pinning.py")
KEYWORDS = frozenset({"text", "name", "description", "heading"})
FUNCTIONS = frozenset({"tr", "report"})
ATTRIBUTES = frozenset({"bl_label", "bl_description"})
# The keys of a drag, whose texts the status bar looks up.
KEYS = "operators/drag_commands.py"
_DESCRIBED = (ast.Module, ast.ClassDef, ast.FunctionDef)
# Names of things, alike in every language.
SAME = frozenset({"", "Linkpose", "CCD", "FABRIK", "URDF", "R", "H", "P", "G", "M", "Tab", "Alt", "0-9", "X Y Z"})


def sources() -> list[Path]:
    return sorted(path for pattern in FILES for path in ROOT.glob(pattern))


def texts() -> dict[str, str]:
    """Where each text is written, by the text."""
    found: dict[str, str] = {}
    for path in sources():
        for text, line in _texts(ast.parse(path.read_text(encoding="utf-8"))):
            if text not in SAME:
                found.setdefault(text, f"{path.relative_to(ROOT)}:{line}")
    for text in _keys():
        if text not in SAME:
            found.setdefault(text, KEYS)
    return found


def _keys() -> Iterator[str]:
    """What the status bar says of the keys of a drag: "M: Method (AUTO)" is looked up in two parts."""
    tree = ast.parse((ROOT / KEYS).read_text(encoding="utf-8"))
    described = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, _DESCRIBED)}
    refused = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Raise) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in refused:
            continue
        keys, colon, does = node.value.partition(": ")
        if colon and does and node.value not in described and len(node.value) < 60:
            yield keys
            yield does.partition(" (")[0]


def put_together() -> list[str]:
    """Places where a text is put together without having been looked up."""
    found = []
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            keywords = {word.arg: word.value for word in node.keywords}
            shown = keywords.get("text") if _is_shown(keywords) else None
            if isinstance(shown, ast.JoinedStr) and any(_words(part) for part in shown.values):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


def _is_shown(keywords: dict[str | None, ast.expr]) -> bool:
    translate = keywords.get("translate")
    return not (isinstance(translate, ast.Constant) and translate.value is False)


def _words(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and any(letter.isalpha() for letter in str(part.value))


def _texts(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _of_call(node)
        elif isinstance(node, ast.ClassDef):
            yield from _of_class(node)
        elif isinstance(node, ast.Tuple) and len(node.elts) == 3:
            # An item of an enumeration: identifier, name, description.
            first, *values = (item.value if isinstance(item, ast.Constant) else item for item in node.elts)
            identifier = first.id if isinstance(first, ast.Name) else str(first)
            if identifier.isupper() and all(isinstance(value, str) for value in values) and not values[1].isupper():
                yield from ((str(value), node.lineno) for value in values)


def _of_call(node: ast.Call) -> Iterator[tuple[str, int]]:
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    keywords = {word.arg: word.value for word in node.keywords}
    shown = [value for key, value in keywords.items() if key in KEYWORDS and (key != "text" or _is_shown(keywords))]
    is_layout = name in {"label", "prop", "operator", "column", "row", "menu"} or name.endswith("Property")
    if name in FUNCTIONS and node.args:
        shown = [node.args[1] if name == "report" and len(node.args) > 1 else node.args[0]]
    elif not is_layout:
        return
    yield from (
        (one.value, node.lineno) for one in shown if isinstance(one, ast.Constant) and isinstance(one.value, str)
    )


def _of_class(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    described = {
        target.id: statement.value.value
        for statement in node.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    yield from ((str(described[name]), node.lineno) for name in ATTRIBUTES if name in described)
    if "_OT_" in node.name and "bl_description" not in described:
        # Blender takes the docstring for a description, without the last full stop.
        yield (ast.get_docstring(node) or "").rstrip("."), node.lineno
