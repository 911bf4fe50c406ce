"""Joint values as properties of pose bones, each range with one of its own: only so a slider knows limits and units.

The numbers are kept where they always are, in the bone's channels; a property's getter and setter go there. Properties
cannot be animated themselves, so that an F-curve never is anything but the joint's channel.
"""

from __future__ import annotations

import math
from typing import Any

import bpy
from bpy.props import FloatProperty

from ..errors import RigError
from ..rig import sliders
from ..rig.sliders import Channel

_names: dict[Channel, str] = {}


def name_of(channel: Channel) -> str:
    """Name of the pose bones' property for a channel; it is made when it is first asked for, not while drawing."""
    if channel not in _names:
        name = f"linkpose_value_{len(_names)}"
        setattr(bpy.types.PoseBone, name, _property(channel))
        _names[channel] = name
    return _names[channel]


def _property(channel: Channel) -> Any:  # noqa: ANN401 (what Blender makes of it)
    limits: dict[str, Any] = {}
    if math.isfinite(channel.lower):
        limits.update(min=channel.lower, soft_min=channel.lower)
    elif not channel.slides:
        limits["soft_min"] = -math.pi
    if math.isfinite(channel.upper):
        limits.update(max=channel.upper, soft_max=channel.upper)
    elif not channel.slides:
        limits["soft_max"] = math.pi

    def getter(bone: bpy.types.PoseBone) -> float:
        return sliders.value(bone, channel)

    def setter(bone: bpy.types.PoseBone, value: float) -> None:
        _set(bone, channel, value)

    return FloatProperty(
        name="Joint",
        description="Value of the joint, within its limits",
        subtype="DISTANCE" if channel.slides else "ANGLE",
        precision=4 if channel.slides else 3,
        step=1 if channel.slides else 100,
        options=set(),
        get=getter,
        set=setter,
        **limits,
    )


def _set(bone: bpy.types.PoseBone, channel: Channel, value: float) -> None:
    sliders.set_value(bone, channel, value)
    scene = bpy.context.scene
    if scene is not None and scene.tool_settings.use_keyframe_insert_auto:
        try:
            sliders.key(bone, channel, scene.frame_current_final)
        except RigError:
            # As with Blender's own buttons, a key that is refused keeps no slider from moving.
            return


def forget() -> None:
    """Take all the properties away again."""
    for name in _names.values():
        delattr(bpy.types.PoseBone, name)
    _names.clear()
