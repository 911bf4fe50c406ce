"""Sums and products as text, for :mod:`.generated`: what can be worked out at once is, and zeros and ones fall out.

The order of additions and multiplications stays as it is asked for, so that the text gives the bits of the formula.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

# A number, or the text of an expression.
Term = float | str


def number(value: float) -> str:
    """A finite number, in brackets if it is negative."""
    if not math.isfinite(value):
        raise OverflowError("a length of this chain is too large to be squared")
    text = repr(float(value))
    return f"({text})" if text.startswith("-") else text


def text(term: Term) -> str:
    """Of a name or a number."""
    return term if isinstance(term, str) else number(term)


def neg(a: Term) -> Term:
    """The other sign. A minus in front of a name is kept there and costs nothing: sums and products take it in."""
    if not isinstance(a, str):
        return -a
    return a[1:] if a.startswith("-") else f"-{a}"


def mul(a: Term, b: Term) -> Term:
    """Product of names and numbers."""
    if not isinstance(a, str) and not isinstance(b, str):
        return a * b
    for factor, other in ((a, b), (b, a)):
        if not isinstance(factor, str) and abs(factor) in (0.0, 1.0):
            return 0.0 if factor == 0.0 else other if factor == 1.0 else neg(other)
    minus = (negative(a) + negative(b)) % 2
    product = f"{text(positive(a))} * {text(positive(b))}"
    return f"-{product}" if minus else product


def add(a: Term, b: Term) -> Term:
    """Sum."""
    if not isinstance(a, str) and not isinstance(b, str):
        return a + b
    if a == 0.0:
        return b
    if b == 0.0:
        return a
    if negative(a) and not negative(b):
        a, b = b, a
    if negative(b):
        return f"({text(a)} - {text(positive(b))})"
    return f"({text(a)} + {text(b)})"


def sub(a: Term, b: Term) -> Term:
    """Difference."""
    return add(a, neg(b))


def quotient(a: Term, b: Term) -> Term:
    """Quotient of names."""
    return f"{text(a)} / {text(b)}"


def negative(term: Term) -> bool:
    """True when there is a minus in front."""
    return term.startswith("-") if isinstance(term, str) else term < 0.0


def positive(term: Term) -> Term:
    """Without that minus."""
    return neg(term) if negative(term) else term


def dot(a: Iterable[Term], b: Iterable[Term], total: Term = 0.0) -> Term:
    """Sum of products, from the left, added to ``total``."""
    for x, y in zip(a, b, strict=True):
        total = add(total, mul(x, y))
    return total
