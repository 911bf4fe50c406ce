"""Finding out by trying what constraints do to the bones of a chain: a small turn, an update, a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy
import numpy as np

from ..solver import AxisKind, Chain
from . import snapshot
from .reading import Reading, frame_shown
from .writing import write

# How far the joints are turned [rad], and slid [length of the bone].
_TURN = 0.05
# What counts as the same place: of what a turn moves, in the matrix' own numbers.
_SAME = 1e-4


def is_rigid_to_parent(armature: bpy.types.Object, rig: Reading, bone: str) -> bool:
    """Whether a bone with constraints goes with its parent like a fixed one, tried by turning what moves the parent.

    Every channel is put back, bit for bit.

    Args:
        armature: that was read; up to date.
        rig: the reading, in which the bone is placed from elsewhere.
        bone: name of the bone.
    """
    posed = armature.pose.bones[bone]
    if posed.parent is None:
        return False
    above = rig.skeleton.index(rig.body_of(posed.parent.name))
    while above >= 0 and not rig.skeleton.body_at(above).axes:
        above = rig.skeleton.parent[above]
    joint = rig.bone_of(rig.skeleton.bodies[above]) if above >= 0 else ""
    if joint not in rig.bones:
        return False
    unknowns = [name for name in rig.bones[joint].unknowns if not rig.is_locked(name)]
    before = _against_parent(posed)
    place = np.array(posed.parent.matrix)
    with _moved(armature, rig, unknowns) as moved:
        if not moved or np.abs(np.array(posed.parent.matrix) - place).max() < _SAME:
            return False
        return float(np.abs(_against_parent(posed) - before).max()) < _SAME * max(1.0, float(np.abs(before).max()))


def first_astray(armature: bpy.types.Object, rig: Reading, chain: Chain) -> str:
    """The first bone of a chain, from its anchor, that is not where its channels say once they change; "" for none.

    Every channel is put back, bit for bit.

    Args:
        armature: that was read; up to date.
        rig: the reading.
        chain: of its skeleton.
    """
    names = [name for name in chain.unknowns if rig.channels[name].bone != snapshot.OBJECT and not rig.is_locked(name)]
    with _moved(armature, rig, names) as moved:
        if not moved:
            return ""
        q = rig.pose()
        for name, value in moved.items():
            q[rig.skeleton.unknowns.index(name)] = value
        bones = [(body, rig.bone_of(body)) for body in chain.path if rig.bone_of(body) != snapshot.OBJECT]
        size = max(armature.pose.bones[bone].length for _, bone in bones)
        for body, bone in bones:
            shown, frame = frame_shown(armature, rig, body), rig.skeleton.frame(body, q)
            scale = max(float(np.abs(frame[:3, :3]).max()), 1e-9)
            turned = float(np.abs(shown[:3, :3] - frame[:3, :3]).max()) / scale
            away = float(np.abs(shown[:3, 3] - frame[:3, 3]).max())
            if turned > 10.0 * _SAME or away > 10.0 * _SAME * max(size, float(np.abs(shown[:3, 3]).max())):
                return bone
    return ""


@contextmanager
def _moved(armature: bpy.types.Object, rig: Reading, unknowns: Iterable[str]) -> Iterator[dict[str, float]]:
    """The armature with some unknowns a little off, by name; as it was again at the end."""
    skeleton = rig.skeleton
    values, q = {}, rig.pose()
    for name in unknowns:
        i = skeleton.unknowns.index(name)
        axis = next(axis for axis in skeleton.axes if axis.name == name)
        step = _TURN
        if axis.kind == AxisKind.SLIDE:
            step *= armature.pose.bones[rig.channels[name].bone].length
        value = q[i] + step if q[i] + step <= skeleton.upper[i] else q[i] - step
        if value >= skeleton.lower[i]:
            values[name] = q[i] = value
    held = snapshot.take(armature, rig.written_bones(values))
    try:
        if values:
            write(armature, rig, q, values)
            bpy.context.view_layer.update()
        yield values
    finally:
        if values:
            snapshot.restore(armature, held)
            armature.update_tag()
            bpy.context.view_layer.update()


def _against_parent(bone: bpy.types.PoseBone) -> np.ndarray:
    assert bone.parent is not None
    return np.array(bone.parent.matrix.inverted_safe() @ bone.matrix)
