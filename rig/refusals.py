"""Why a body cannot be dragged."""

from __future__ import annotations

import bpy

from ..errors import RigError
from ..solver import Chain
from .leaders import leader_of
from .reading import Reading


def refuse_rigid(armature: bpy.types.Object, rig: Reading, chain: Chain) -> None:
    """Refuse a chain whose dragged body nothing can move.

    Raises:
        RigError: with the reason, and the control that would work where there is one.
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
    leader = leader_of(armature, rig.bone_of(body))
    advice = f"; drag its control {leader!r} instead" if leader else ""
    raise RigError(f"{body!r} cannot be moved: {because}{advice}")
