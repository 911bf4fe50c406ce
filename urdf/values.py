"""Numbers, vectors and frames out of attributes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from .document import Element
from .model import Matrix
from .notes import Notes

# Larger places and sizes are slips of the unit, and single precision makes nothing of them.
MOST = 1e6

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:inf|infinity)", re.IGNORECASE)


def required(notes: Notes, element: Element, attribute: str) -> str:
    """The text of an attribute that must be there and not be empty.

    Raises:
        UrdfError: it is not.
    """
    text = element.attributes.get(attribute, "")
    if not text.strip():
        found = "is empty" if attribute in element.attributes else "is missing"
        raise notes.error(element, f"attribute {attribute!r} {found}; give it a value")
    return text


def number(
    notes: Notes, element: Element, attribute: str, default: float | None = None, *, infinite: bool = False
) -> float:
    """One number.

    Args:
        notes: for the warning about stray commas.
        element: that has it.
        attribute: its name.
        default: the value where the attribute is missing; None makes it required.
        infinite: whether "inf" is a value.

    Raises:
        UrdfError: it is missing, or no number.
    """
    return numbers(notes, element, attribute, 1, None if default is None else (default,), infinite=infinite)[0]


def numbers(
    notes: Notes,
    element: Element,
    attribute: str,
    count: int,
    default: Sequence[float] | None = None,
    *,
    infinite: bool = False,
) -> tuple[float, ...]:
    """``count`` numbers between blanks; see :func:`number`. Commas between or after them are taken for blanks."""
    if default is not None and attribute not in element.attributes:
        return tuple(default)
    text = required(notes, element, attribute)
    words = text.split()
    if "," in text or ";" in text:
        words = re.split(r"[\s,;]+", text.strip(" \t\r\n,;"))
        notes.warn(element, f"{attribute}={text!r} has commas; read as {' '.join(words)}, delete them")
    if "${" in text or "$(" in text:
        raise notes.error(element, f"{attribute}={text!r} is a xacro expression; expand the file with xacro first")
    if len(words) != count:
        raise notes.error(
            element, f"{attribute}={text!r} holds {len(words)} numbers; {count} {'is' if count == 1 else 'are'} needed"
        )
    return tuple(_number(notes, element, attribute, word, infinite) for word in words)


def origin(notes: Notes, element: Element) -> Matrix:
    """(4, 4) the frame that the ``<origin>`` child gives; identity without one.

    URDF's rpy are angles about the fixed axes x, y, z in this order: R = Rz(yaw) Ry(pitch) Rx(roll).

    Raises:
        UrdfError: xyz or rpy are not three numbers.
    """
    frame = np.eye(4)
    child = element.first("origin")
    if child is None:
        return frame
    frame[:3, 3] = numbers(notes, child, "xyz", 3, (0.0, 0.0, 0.0))
    roll, pitch, yaw = numbers(notes, child, "rpy", 3, (0.0, 0.0, 0.0))
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    frame[:3, :3] = (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
    return frame


def _number(notes: Notes, element: Element, attribute: str, word: str, infinite: bool) -> float:
    if _NUMBER.fullmatch(word) is None:
        raise notes.error(
            element,
            f"{attribute}={element.attributes[attribute]!r}: {word!r} is no number; write one with a decimal point",
        )
    value = float(word)
    if not math.isfinite(value) and not infinite:
        raise notes.error(
            element, f"{attribute}={element.attributes[attribute]!r}: {word!r} is not finite; write a finite number"
        )
    if abs(value) > MOST and not infinite:
        raise notes.error(
            element,
            f"{attribute}={element.attributes[attribute]!r}: {word!r} is beyond {MOST:g}; write metres, radians",
        )
    return value
