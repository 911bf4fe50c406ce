"""A pose as text: joint values by name in JSON, radians and metres."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from ..errors import RigError

# Of a text that is no pose, so much is shown.
_SHOWN = 40


def write(pose: Mapping[str, float]) -> str:
    """The text of a pose, a joint a line."""
    return json.dumps({name: float(value) for name, value in pose.items()}, indent=1, ensure_ascii=False) + "\n"


def read(text: str) -> dict[str, float]:
    """The pose that a text holds.

    Raises:
        RigError: it holds none, with what was found and what is needed.
    """
    if not text.strip():
        raise RigError("there is no text: copy a pose first")
    try:
        found = json.loads(text)
    except ValueError as error:
        start = " ".join(text.split())[:_SHOWN]
        raise RigError(f"{start!r} is no pose: JSON is needed, joint values by joint name ({error})") from None
    except RecursionError:
        start = text.strip()[:_SHOWN]
        raise RigError(
            f"{start!r} is no pose: it is nested too deeply; joint values by joint name are needed"
        ) from None
    if not isinstance(found, dict) or not found:
        kind = "an empty one" if found == {} else f"a {type(found).__name__}"
        raise RigError(f"the text is JSON but no pose: an object of joint values by joint name is needed, not {kind}")
    for name, value in found.items():
        if not _is_number(value):
            raise RigError(f"joint {name!r} has the value {_short(value)}: a finite number is needed [rad] or [m]")
    return {name: float(value) for name, value in found.items()}


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        # Python's whole numbers have no end.
        return False


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
