"""Joints: how they move, their limits, and which of them follow others."""

from __future__ import annotations

import math

from .document import Element
from .model import SEVERAL_AXES, Follow, Joint
from .notes import Notes
from .tree import suggestion
from .values import number, numbers, origin, required

Axis = tuple[float, float, float]

_TYPES = ("revolute", "continuous", "prismatic", "fixed", *SEVERAL_AXES)
_DEFAULT_AXIS: Axis = (1.0, 0.0, 0.0)
_SMALLEST_AXIS = 1e-9
# Larger limits [rad] or [m] are a way of saying that there is none; Blender's constraints stop at about here too.
FARTHEST = 1000.0


def read_joint(element: Element, notes: Notes) -> Joint:
    """A joint as the file has it; its relation to others is not looked at.

    A revolute joint without limits is read as continuous, a prismatic one as unlimited; limits of continuous joints
    and of those with several values are ignored; reversed ones are exchanged. All with a warning.

    Raises:
        UrdfError: name, type, parent or child is missing, the type is unknown, the axis of a joint that moves is zero,
            or a number cannot be read.
    """
    name = required(notes, element, "name")
    kind = _type(element, notes)
    lower, upper = -math.inf, math.inf
    if kind in ("revolute", "prismatic"):
        lower, upper = _limits(element, notes)
        if kind == "revolute" and lower == -math.inf and upper == math.inf:
            kind = "continuous"
    elif kind != "fixed":
        _warn_of_ignored_limits(element, kind, notes)
    limit = element.first("limit")
    safety = element.first("safety_controller")
    return Joint(
        name=name,
        type=kind,
        parent=_end(element, "parent", notes),
        child=_end(element, "child", notes),
        origin=origin(notes, element),
        axis=_axis(element, kind, notes),
        lower=lower,
        upper=upper,
        velocity=_data(limit, "velocity", notes),
        effort=_data(limit, "effort", notes),
        mimic=_follow(element, notes),
        line=element.line,
        soft_lower=_data(safety, "soft_lower_limit", notes),
        soft_upper=_data(safety, "soft_upper_limit", notes),
    )


def _type(element: Element, notes: Notes) -> str:
    kind = required(notes, element, "type")
    if kind in _TYPES:
        return kind
    raise notes.error(element, f"there is no joint type {kind!r}; {suggestion(kind, _TYPES)}")


def _end(element: Element, tag: str, notes: Notes) -> str:
    end = element.first(tag)
    if end is None:
        raise notes.error(element, f'has no <{tag}>; add <{tag} link="…"/>')
    return required(notes, end, "link")


def _axis(element: Element, kind: str, notes: Notes) -> Axis:
    axis = element.first("axis")
    if kind in ("fixed", "floating", "spherical") or axis is None:
        return _DEFAULT_AXIS
    x, y, z = numbers(notes, axis, "xyz", 3, _DEFAULT_AXIS)
    length = math.hypot(x, y, z)
    if length < _SMALLEST_AXIS:
        raise notes.error(
            axis, f"the axis of {kind} joint {element.attributes['name']!r} is zero; give it a direction such as 0 0 1"
        )
    return x / length, y / length, z / length


def _limits(element: Element, notes: Notes) -> tuple[float, float]:
    """Limits of a revolute or prismatic joint. URDF's default for one of them is 0; with neither the joint has none."""
    limit = element.first("limit")
    if limit is None or not ("lower" in limit.attributes or "upper" in limit.attributes):
        what = "no <limit>" if limit is None else "a <limit> without lower and upper"
        consequence = "read as continuous" if element.attributes["type"] == "revolute" else "read without limits"
        notes.warn(element, f"has {what}; {consequence}, add lower and upper")
        return -math.inf, math.inf
    lower = number(notes, limit, "lower", 0.0, infinite=True)
    upper = number(notes, limit, "upper", 0.0, infinite=True)
    if any(FARTHEST < abs(end) < math.inf for end in (lower, upper)):
        name = element.attributes["name"]
        notes.warn(limit, f"joint {name!r} has limits {lower:g} to {upper:g}; beyond {FARTHEST:g} they count as none")
        lower, upper = (end if abs(end) <= FARTHEST else math.copysign(math.inf, end) for end in (lower, upper))
    if lower > upper:
        notes.warn(limit, f"joint {element.attributes['name']!r} has lower {lower:g} above upper {upper:g}; exchanged")
        lower, upper = upper, lower
    if lower == math.inf or upper == -math.inf:
        raise notes.error(
            limit, f"joint {element.attributes['name']!r} has no value between {lower} and {upper}; correct the limits"
        )
    return lower, upper


def _warn_of_ignored_limits(element: Element, kind: str, notes: Notes) -> None:
    limit = element.first("limit")
    if limit is not None and ("lower" in limit.attributes or "upper" in limit.attributes):
        name = element.attributes["name"]
        remedy = "make it revolute to keep them" if kind == "continuous" else "delete them"
        notes.warn(limit, f"{kind} joint {name!r} has lower or upper, which are ignored; {remedy}")


def _data(holder: Element | None, attribute: str, notes: Notes) -> float | None:
    if holder is None or attribute not in holder.attributes:
        return None
    return number(notes, holder, attribute, infinite=True)


def _follow(element: Element, notes: Notes) -> Follow | None:
    mimic = element.first("mimic")
    if mimic is None:
        return None
    return Follow(
        joint=required(notes, mimic, "joint"),
        multiplier=number(notes, mimic, "multiplier", 1.0),
        offset=number(notes, mimic, "offset", 0.0),
    )
