"""Numbers that are typed during a drag, one field an axis, with units as in Blender's own fields."""

from __future__ import annotations

import builtins
import io
import math
import re
from collections.abc import Callable
from contextlib import redirect_stderr

import bpy

Reader = Callable[[str], float]

# What a number without a unit counts in, by the scene's choice; adaptive ones count in Blender's own.
_UNITS = {
    "KILOMETERS": "km",
    "METERS": "m",
    "CENTIMETERS": "cm",
    "MILLIMETERS": "mm",
    "MICROMETERS": "um",
    "MILES": "mi",
    "FEET": "ft",
    "INCHES": "in",
    "THOU": "thou",
}
# Blender has Python work an expression out. Of what Python knows only this is wanted in one: "exit()" would end
# Blender, and powers and factorials of a few characters would keep it busy for ever.
_NAMED = {
    "abs",
    "acos",
    "asin",
    "atan",
    "ceil",
    "cos",
    "degrees",
    "e",
    "floor",
    "pi",
    "radians",
    "round",
    "sin",
    "sqrt",
}
_NAMED |= {"tan", "tau"}
_REFUSED_NAMES = (frozenset(dir(builtins)) | frozenset(dir(math))) - _NAMED
_REFUSED_SIGNS = re.compile(r"\*\*|<<|[_\[\]{}:;\\=@#]")
# Quotes stand for feet and inches, and only behind a number; anywhere else they are Python's.
_QUOTED = re.compile(r"""(?:^|[^\d.\s])\s*['"]|['"]\s*[^\W\d_]""")
_WORDS = re.compile(r"[^\W\d_]\w*")
# A longer text is no number that anyone types.
_LONGEST = 100
# Blender keeps lengths in single precision, and squares them.
_MOST = 1e15
# In a number that holds one of these a minus is an operator and no sign.
_OPERATORS = frozenset("+*/(=")


class Typed:
    """Fields that are edited one after the other. A field that cannot be read keeps its last value.

    Attributes:
        texts: what was typed into each.
        values: what that means.
        active: place of the field that is edited.
        read: whether the active field could be read.
    """

    def __init__(self, count: int, reader: Reader) -> None:
        """Begin with empty fields, which count as 0.

        Args:
            count: how many.
            reader: says what a text means; raises ValueError for one that means nothing (yet).
        """
        self.texts = [""] * count
        self.values = [0.0] * count
        self.active = 0
        self.read = True
        self._reader = reader

    def put(self, char: str) -> None:
        """Type a character. A minus turns the sign of a plain number; "=" first makes it an expression."""
        text = self.texts[self.active]
        if char == "-" and not _OPERATORS.intersection(text):
            text = text[1:] if text.startswith("-") else f"-{text}"
        elif char == "=":
            text = text[1:] if text.startswith("=") else f"={text}"
        else:
            text += "." if char == "," else char
        self._take(text)

    def erase(self) -> bool:
        """Take the last character away, from an empty field on in the one before; False when none is left at all."""
        for _ in self.texts:
            if self.texts[self.active]:
                break
            self.go(-1)
        self._take(self.texts[self.active][:-1])
        return any(self.texts)

    def clear(self) -> bool:
        """Empty the active field; False when all are."""
        self._take("")
        return any(self.texts)

    def go(self, step: int) -> None:
        """Edit the field so many further on, round and round."""
        self.active = (self.active + step) % len(self.texts)
        self._take(self.texts[self.active])

    def _take(self, text: str) -> None:
        self.texts[self.active] = text
        plain = text.removeprefix("=").strip()
        try:
            self.values[self.active] = self._reader(plain) if plain.strip("-") else 0.0
            self.read = True
        except ValueError:
            self.read = False


def lengths(scene: bpy.types.Scene) -> Reader:
    """Reads lengths as the scene's units say, into world space."""
    settings = scene.unit_settings
    system, scale = settings.system, settings.scale_length
    unit = _UNITS.get(settings.length_unit)

    def read(text: str) -> float:
        if system != "NONE":
            return _value(system, "LENGTH", text, unit) / scale
        try:
            return _value("NONE", "LENGTH", text)
        except ValueError:
            # A scene without units still understands one that is named.
            return _value("METRIC", "LENGTH", text)

    return read


def angles(scene: bpy.types.Scene) -> Reader:
    """Reads angles, in the scene's degrees or radians where no unit is named, into radians."""
    unit = "r" if scene.unit_settings.system_rotation == "RADIANS" else "d"
    return lambda text: _value("METRIC", "ROTATION", text, unit)


def _value(system: str, category: str, text: str, unit: str | None = None) -> float:
    _check(text)
    # Blender prints what Python says of a text that is not finished yet.
    with redirect_stderr(io.StringIO()):
        if unit is None:
            value = float(bpy.utils.units.to_value(system, category, text))
        else:
            value = float(bpy.utils.units.to_value(system, category, text, str_ref_unit=unit))
    if not abs(value) <= _MOST:
        raise ValueError(f"{text!r} is too large")
    return value


def _check(text: str) -> None:
    """Raise ValueError for what may be more than a sum of numbers with units."""
    if len(text) > _LONGEST:
        raise ValueError(f"{text[:20]!r}… is too long")
    if _REFUSED_SIGNS.search(text) or _QUOTED.search(text) or not _REFUSED_NAMES.isdisjoint(_WORDS.findall(text)):
        raise ValueError(f"{text!r} is no sum of numbers")
