"""What arrays can tell of all bones at once: where the channels put each, and whether it is shown there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from . import placing
from .bones import NONE, NONE_LEGACY, Bones
from .channels import Motion
from .laws import BoneLaw

Matrix = NDArray[np.float64]

# A bone that Blender shows farther than this from where its channels say is placed by something unknown to us.
ASTRAY = 1e-4


class Prediction:
    """All bones of an armature, by their places.

    Attributes:
        rotation: (n, 3, 3) of the channels, with what simple limits leave of them.
        location: (n, 3) the same.
        carried: what the channels are applied to.
        shown: (n, 4, 4) as Blender shows them.
        predicted: (n, 4, 4) as the channels say.
        even: (n + 1,) uniform scale of each, 0 where there is none; in the last place, of what roots hang on.
        turned_even: (n,) uniform scale of what the rotation is applied to, 0 where there is none.
        passed: (n,) scale that the parent hands on, where that is even.
        local: (n) of (4, 4) where the bone turns, in a parent of even scale.
        behind: (n) of (4, 4) its rotation and scale as shown, with what is passed.
        astray: (n) whether it is shown elsewhere than predicted.
    """

    def __init__(self, bones: Bones, carried: placing.Carried, rotation: Matrix, location: Matrix) -> None:
        """Take over the channels; :meth:`compare` has to follow."""
        self.carried = carried
        self.rotation, self.location = rotation, location
        self.shown = bones.shown
        self.astray: list[bool] = []
        self._bones = bones

    def compare(self, motions: Mapping[int, Motion], laws: Mapping[int, BoneLaw], noise: float) -> None:
        """Work out where the bones are.

        Args:
            motions: of the bones whose limits or joints have a say in what the channels mean.
            laws: of the bones whose limits no channels can stand for.
            noise: how far Blender itself may be off where it shows a bone.
        """
        bones, carried, shown = self._bones, self.carried, self.shown
        for place, motion in motions.items():
            self.rotation[place], self.location[place] = motion.rotation(), motion.location
        self.predicted = placing.predicted(carried, self.rotation, bones.scale, self.location)
        parent = np.array(bones.parent, dtype=np.intp)
        for place, law in laws.items():
            above = shown[parent[place]] if parent[place] >= 0 else np.eye(4)
            self.predicted[place] = law.shown(above)
        self.even = np.append(placing.even_scales(shown[:, :3, :3]), 1.0)
        self.turned_even = placing.even_scales(carried.turned)
        scales = self.even[parent]
        local = carried.offset.copy()
        local[:, :3, 3] += (carried.way @ self.location[:, :, None])[:, :, 0]
        local[:, :3, :3] /= np.where(scales == 0.0, 1.0, scales)[:, None, None]
        self.local = list(local)
        alone = np.isin(bones.inherit_scale, (NONE, NONE_LEGACY))
        self.passed = np.where(alone, np.sign(scales), scales)
        behind = np.zeros((len(bones), 4, 4))
        behind[:, :3, :3] = self.rotation * (bones.scale * self.passed[:, None])[:, None, :]
        behind[:, 3, 3] = 1.0
        self.behind = list(behind)
        self.astray = self._astray(parent, noise).tolist()

    def _astray(self, parent: NDArray[np.intp], noise: float) -> NDArray[np.bool_]:
        shown, predicted = self.shown, self.predicted
        above = np.where(parent[:, None] >= 0, shown[parent, :3, 3], 0.0)
        size = np.abs(predicted[:, :3, :3]).max(axis=(1, 2))
        turned = np.abs(shown[:, :3, :3] - predicted[:, :3, :3]).max(axis=(1, 2))
        away = np.linalg.norm(shown[:, :3, 3] - predicted[:, :3, 3], axis=1)
        length = np.maximum(self._bones.length, np.linalg.norm(predicted[:, :3, 3] - above, axis=1))
        rounding = 1e-6 * np.linalg.norm(shown[:, :3, 3], axis=1) + noise
        found: NDArray[np.bool_] = (turned > ASTRAY * size) | (away > ASTRAY * size * length + rounding)
        return found
