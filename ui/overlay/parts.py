"""The preferences of the overlay: which of its parts are shown."""

from typing import Any

import bpy
from bpy.props import BoolProperty

from .state import Parts


class LINKPOSE_PG_overlay(bpy.types.PropertyGroup):
    """What is drawn over the 3D views during a drag, beside the target and the handle."""

    chain: BoolProperty(name="Chain", description="The line from joint to joint", default=True)
    ranges: BoolProperty(
        name="Joint Ranges", description="Each joint's axis, range and present place in it", default=True
    )
    values: BoolProperty(
        name="All Joint Values",
        description="The numbers of all joints, and not only of those at limits or near the handle",
        default=False,
    )
    ghost: BoolProperty(
        name="Start Pose", description="Where the chain and its links were when the drag began", default=True
    )
    reach: BoolProperty(
        name="Reach", description="How far the chain reaches, while the target is farther away", default=True
    )
    collisions: BoolProperty(
        name="Collisions",
        description="Look for links that touch each other or an obstacle, tint them and name them",
        default=True,
    )


NAMES = tuple(LINKPOSE_PG_overlay.__annotations__)


def chosen(stored: Any) -> Parts:  # noqa: ANN401 (the preferences, which import this file)
    """What is to be shown, by the preferences of the extension; the defaults for None."""
    return Parts() if stored is None else Parts(**{name: getattr(stored.overlay, name) for name in NAMES})


def draw(layout: bpy.types.UILayout, stored: Any) -> None:  # noqa: ANN401
    """The switches, for the preferences and for panels."""
    column = layout.column(heading="Show in Drags")
    for name in NAMES:
        column.prop(stored.overlay, name)
