"""Expressions of xacro, kept from computing for ever or filling the memory.

Python cannot be stopped within one operation, and ``9**9**9`` is one. So what can be large is looked at before it is
computed: operators, calls and loops of an expression become calls of functions that check and then do the same. It is
a fence against slips, not against whoever wants to harm: expressions are code, and are run only when that is allowed.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType, ModuleType
from typing import Any

MOST_BITS = 100_000
MOST_ITEMS = 1_000_000
# Of all expressions of an expansion together.
MOST_MADE = 20_000_000
_CHECKED_EVERY = 1024

_GROWING = (math.factorial, math.comb, math.perm)
_FILLING = frozenset({"ljust", "rjust", "center", "zfill", "expandtabs", "format"})
_DIGITS = re.compile(r"\d+")
# No expression can write a name with a space.
_OURS = "linkpose "


class TooMuch(Exception):  # noqa: N818
    """What goes beyond the limits."""


class Fence:
    """Evaluates expressions within limits; one for an expansion."""

    def __init__(self, check_time: Callable[[], None]) -> None:
        """Prepare.

        Args:
            check_time: raises :class:`TooMuch` when time is up.
        """
        self._check_time = check_time
        self._made = 0
        self._codes: dict[str, CodeType] = {}
        self._range: object = builtins.range
        self._functions: dict[str, Callable[..., Any]] = {
            f"{_OURS}Pow": self._power,
            f"{_OURS}Mult": self._times,
            f"{_OURS}LShift": self._shifted,
            f"{_OURS}Mod": self._modulo,
            f"{_OURS}call": self._call,
            f"{_OURS}iterate": self._iterate,
            f"{_OURS}format": self._format,
        }

    def put_round(self, xacro: ModuleType) -> None:
        """Let a copy of xacro evaluate ``${…}`` and ``$(eval …)`` here."""
        module: Any = xacro
        module._global_symbols.update(self._functions)
        self._range = module._global_symbols.get("range")  # xacro has it in a function that warns

        def safe_eval(text: str, symbols: dict[str, object], local: Mapping[str, object] | None = None) -> object:
            dunder = [name for name in _names(text.strip()) if name.startswith("__")]
            if dunder:
                raise module.XacroException("Use of invalid name(s): ", ", ".join(dunder))
            symbols.update(__builtins__={})
            return self._evaluated(text.strip(), symbols, local)

        module.safe_eval = safe_eval
        arguments: Any = importlib.import_module(f"{xacro.__name__}.substitution_args")
        arguments.eval = lambda text, known, local: self._evaluated(text.strip(), {**known, **self._functions}, local)

    def _evaluated(self, text: str, symbols: dict[str, object], local: Mapping[str, object] | None) -> object:
        if text not in self._codes:
            tree = _Fenced().visit(ast.parse(text, "<expression>", "eval"))
            self._codes[text] = compile(ast.fix_missing_locations(tree), "<expression>", "eval")
        try:
            return eval(self._codes[text], symbols, local)
        except TooMuch as error:
            if str(error).startswith("the expression"):  # one within another
                raise
            shown = text if len(text) <= 60 else f"{text[:57]}…"
            raise TooMuch(f"the expression {shown!r} {error}") from error

    def _take(self, number: int) -> None:
        """Count what is made."""
        self._made += number
        if number > MOST_ITEMS or self._made > MOST_MADE:
            raise TooMuch(f"makes more than {MOST_ITEMS if number > MOST_ITEMS else MOST_MADE} items; make fewer")

    def _power(self, base: Any, exponent: Any) -> Any:  # noqa: ANN401
        if isinstance(base, int) and isinstance(exponent, int):
            _check_bits(base.bit_length() * exponent if abs(base) > 1 else 0)
        return base**exponent

    def _times(self, left: Any, right: Any) -> Any:  # noqa: ANN401
        for many, number in ((left, right), (right, left)):
            if isinstance(number, int) and isinstance(many, str | bytes | list | tuple):
                self._take(len(many) * max(number, 0))
        if isinstance(left, int) and isinstance(right, int):
            _check_bits(left.bit_length() + right.bit_length())
        return left * right

    def _shifted(self, left: Any, right: Any) -> Any:  # noqa: ANN401
        if isinstance(left, int) and isinstance(right, int):
            _check_bits(left.bit_length() + right)
        return left << right

    def _modulo(self, left: Any, right: Any) -> Any:  # noqa: ANN401
        if isinstance(left, str | bytes):
            self._take(_width(str(left), right if "*" in str(left) and isinstance(right, tuple) else ()))
        return left % right

    def _format(self, specification: str) -> str:
        self._take(_width(specification))
        return specification

    def _call(self, function: Any, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401
        self._check_time()
        numbers = [number for number in arguments if isinstance(number, int)]
        if function is self._range or function in (builtins.range, builtins.bytes, builtins.bytearray):
            self._take(_length(numbers))
        elif function is builtins.pow and len(arguments) == 2:
            return self._power(*arguments)
        elif function in _GROWING:
            _check_bits(16 * max(numbers, default=0))
        elif isinstance(getattr(function, "__self__", None), str) and function.__name__ in _FILLING:
            self._take(_width(function.__self__ if function.__name__ == "format" else "", numbers))
        return function(*arguments, **named)

    def _iterate(self, items: Iterable[object]) -> Iterator[object]:
        for number, item in enumerate(items):
            if number % _CHECKED_EVERY == 0:
                self._take(_CHECKED_EVERY)
                self._check_time()
            yield item


class _Fenced(ast.NodeTransformer):
    """Turns what can be large into calls of the functions of a fence."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Called for every operator with two sides."""
        self.generic_visit(node)
        name = type(node.op).__name__
        return _called(name, node.left, node.right) if name in ("Pow", "Mult", "LShift", "Mod") else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Called for every call."""
        self.generic_visit(node)
        return ast.Call(_known("call"), [node.func, *node.args], node.keywords)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """Called for every ``for`` of an expression."""
        self.generic_visit(node)
        node.iter = _called("iterate", node.iter)
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        """Called for every part of a text with numbers put in."""
        self.generic_visit(node)
        if node.format_spec is not None:
            inner = ast.FormattedValue(_called("format", node.format_spec), -1, None)
            node.format_spec = ast.JoinedStr([inner])
        return node


def _called(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(_known(name), list(arguments), [])


def _known(name: str) -> ast.Name:
    return ast.Name(f"{_OURS}{name}", ast.Load())


def _names(text: str) -> Iterator[str]:
    """The names and attributes of an expression."""
    for node in ast.walk(ast.parse(text, "<expression>", "eval")):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _width(text: str, numbers: Iterable[object] = ()) -> int:
    """How far a text may be filled up: the largest number in it, or of others."""
    written = [int(digits[:20]) for digits in _DIGITS.findall(text)]
    return max([0, *written, *(number for number in numbers if isinstance(number, int))])


def _length(ends: list[int]) -> int:
    """How many numbers a range of these ends has."""
    try:
        return max(0, range(*ends).__len__())
    except OverflowError:
        return MOST_MADE + 1
    except (TypeError, ValueError):  # the call itself will say what is wrong
        return 0


def _check_bits(bits: int) -> None:
    if bits > MOST_BITS:
        raise TooMuch(f"computes a number of more than {MOST_BITS} bits; write what is meant with smaller ones")
