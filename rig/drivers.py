"""Mimic joints: a follower's channel is driven by its source's, in an expression that runs with Auto Run off."""

from __future__ import annotations

import math

import bpy

from .definition import Definition


def expression(multiplier: float, offset: float, lower: float, upper: float) -> str:
    """The follower's value as a simple expression of the source's channel ``q``.

    A driver reads the channel as it is written, not as the source's limit constraint shows it: the expression clamps.

    Args:
        multiplier: factor on ``q``.
        offset: added to it.
        lower: smallest value of the source, infinite where there is none.
        upper: largest value of the source, infinite where there is none.
    """
    value = "q"
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
    driver = follower.driver_add(path, index).driver
    driver.type = "SCRIPTED"
    variable = driver.variables.new()
    variable.name = "q"
    variable.type = "SINGLE_PROP"
    source_path, source_index = source_definition.channel
    variable.targets[0].id = armature
    variable.targets[0].data_path = f"{source.path_from_id(source_path)}[{source_index}]"
    driver.expression = expression(
        float(multiplier), float(offset), float(source_definition.lower), float(source_definition.upper)
    )
