"""Mimic joints: a follower's channel is driven by its source's, in an expression that runs with Auto Run off."""

from __future__ import annotations

import math

import bpy

from .definition import PRISMATIC, Definition


def expression(multiplier: float, offset: float, source: Definition) -> str:
    """A follower's value as a simple expression of its source's channel ``q``.

    A driver reads the channel as it is written, not as the source's limit constraint shows it, so the expression clamps
    as that does: a slide at the nearer number, an angle at the nearer end on the circle, and an angle with a whole turn
    of room not at all.

    Args:
        multiplier: factor on the source's value.
        offset: added to it.
        source: the joint that is followed.
    """
    lower, upper = float(source.lower), float(source.upper)
    value = "q"
    if source.type != PRISMATIC:
        if not upper - lower < math.tau:
            return f"{multiplier!r}*q+{offset!r}"
        value = f"q-{math.tau!r}*floor((q-{(lower + upper) / 2.0!r})/{math.tau!r}+0.5)"
    if math.isfinite(lower):
        value = f"max({value},{lower!r})"
    if math.isfinite(upper):
        value = f"min({value},{upper!r})"
    return f"{multiplier!r}*{value}+{offset!r}"


def follow(
    armature: bpy.types.Object,
    follower: bpy.types.PoseBone,
    definition: Definition,
    source: bpy.types.PoseBone,
    source_definition: Definition,
    multiplier: float,
    offset: float,
) -> None:
    """Drive a follower's channel by the channel of the joint that it follows in the end.

    Args:
        armature: the object both bones belong to.
        follower: the bone to drive.
        definition: of the follower.
        source: the bone of the joint that follows nothing itself.
        source_definition: of the source; its limits clamp what is followed.
        multiplier: factor on the source's value, through all joints in between.
        offset: added to it.
    """
    path, index = definition.channel
    curve = follower.driver_add(path, index)
    # New drivers come with a curve from (0, 0) to (1, 1), which takes small values for zero; without it they are exact.
    curve.keyframe_points.clear()
    for modifier in list(curve.modifiers):
        curve.modifiers.remove(modifier)
    driver = curve.driver
    driver.type = "SCRIPTED"
    variable = driver.variables.new()
    variable.name = "q"
    variable.type = "SINGLE_PROP"
    source_path, source_index = source_definition.channel
    variable.targets[0].id = armature
    variable.targets[0].data_path = f"{source.path_from_id(source_path)}[{source_index}]"
    driver.expression = expression(float(multiplier), float(offset), source_definition)
