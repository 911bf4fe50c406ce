"""What Linkpose raises. Messages say what was asked, what was found, and what to do."""

from __future__ import annotations


class LinkposeError(Exception):
    """Base of every error that Linkpose raises on purpose."""


class SkeletonError(LinkposeError):
    """A skeleton that cannot be built, or a name, value or chain that it does not have."""


class GoalError(LinkposeError):
    """A goal, start pose or option that means nothing: NaN, a wrong shape, a body outside the chain."""


class RigError(LinkposeError):
    """Blender data that cannot be read, posed or dragged, with the reason."""
