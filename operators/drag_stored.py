"""What a confirmed drag stores in its operator, so that it can be repeated, or solved again for another target."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..rig.drag import DragSession
from ..rig.pins import Pin, stored_pin

# The operator's properties that can be changed in the redo panel.
_ASKED = 5


@dataclass(frozen=True)
class Stored:
    """A confirmed drag in plain values.

    Attributes:
        asked: the operator's properties then: armature, body, method, length, target.
        point: (3,) handle in the body's frame.
        picked: the bone that was picked in the body's place, "" for none, and the point that was held of it.
        channels: what was written, by bone and data path.
        pins: (body, position, orientation, point) as of a goal in world space; a body alone is held where it stands.
        released: bodies whose joints were in the chain as well.
        oriented: whether the chain was taken for turning the body as well.
        orientation: (3, 3) that was asked for; None = any.
    """

    asked: list[Any]
    point: list[float]
    picked: list[Any]
    channels: dict[str, dict[str, list[float]]]
    pins: list[list[Any]] = field(default_factory=list)
    released: list[str] = field(default_factory=list)
    oriented: bool = False
    orientation: list[list[float]] | None = None

    @property
    def held(self) -> tuple[str, ...]:
        """Names of all bodies that the chain was taken for beside the dragged one."""
        return (*(pin[0] for pin in self.pins), *self.released)

    @property
    def goals(self) -> tuple[Pin, ...]:
        """The pins as a drag takes them."""
        return tuple(stored_pin(*pin) for pin in self.pins)


def pack(session: DragSession, asked: Sequence[Any]) -> str:
    """A confirmed drag as a text."""
    grip = session.grip
    return json.dumps(
        {
            # Compared with the properties later, which hold single precision.
            "asked": list(asked),
            "point": grip.point.tolist(),
            "picked": [grip.picked, grip.picked_point.tolist()],
            "channels": session.channels(),
            **session.recipe(),
        }
    )


def unpack(text: str) -> Stored | None:
    """What :func:`pack` made; None for anything else."""
    try:
        stored = Stored(**json.loads(text))
        whole = len(stored.asked) == _ASKED and len(stored.point) == 3 and len(stored.picked) == 2
    except (TypeError, ValueError, RecursionError):
        return None
    return stored if whole else None
