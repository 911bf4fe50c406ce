"""Why a body cannot be dragged."""

from __future__ import annotations

from ..errors import RigError
from ..solver import Chain
from .reading import Reading


def refuse_rigid(rig: Reading, chain: Chain) -> None:
    """Refuse a chain whose dragged body nothing can move.

    Raises:
        RigError: with the reason.
    """
    if any(not rig.is_locked(name) for name in chain.unknowns):
        return
    body = chain.bodies[0]
    if chain.unknowns:
        raise RigError(f"{body!r} cannot be moved: each of its joints can have one value only, by locks or limits")
    reasons = []
    step: str | None = body
    while step is not None and step not in rig.skeleton.joints and step in rig.held:
        reasons.append(f"bone {rig.bone_of(step)!r} {rig.held[step]}")
        step = rig.skeleton.body(step).parent
    because = "; ".join(reasons) or f"no joint lies between it and its anchor {chain.anchor!r}"
    raise RigError(f"{body!r} cannot be moved: {because}")
