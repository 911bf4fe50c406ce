"""Bones of a robot that follow another joint: by which relation, and whether they do."""

from __future__ import annotations

from collections.abc import Mapping

from .control import Driven
from .definition import Definition


class Followers:
    """The followers of one robot.

    Attributes:
        bones: that follow another joint, by definition and by a driver that does it; without one it is an own joint.
    """

    def __init__(self, defined: Mapping[str, Definition], driven: Driven) -> None:
        """Take the definitions and the driven channels, by bone."""
        joints = {one.joint: bone for bone, one in defined.items() if one.moves}
        self._defined = defined
        self._of_joint = joints
        self.bones = frozenset(
            bone
            for bone, one in defined.items()
            if one.moves and one.mimic_joint in joints and one.channel in driven.get(bone, ())
        )

    def foreign(self, driven: Driven) -> Driven:
        """The driven channels without those whose drivers are the relations of followers."""
        return {
            bone: frozenset(channels - {self._defined[bone].channel}) if bone in self.bones else channels
            for bone, channels in driven.items()
        }

    def relation(self, follower: str) -> tuple[str, float, float]:
        """(bone, multiplier, offset) of what a follower follows in the end; a follower again where that is a loop."""
        bone, multiplier, offset = follower, 1.0, 0.0
        for _ in self.bones:
            one = self._defined[bone]
            assert one.mimic_joint is not None
            offset += multiplier * one.mimic_offset
            multiplier *= one.mimic_multiplier
            bone = self._of_joint[one.mimic_joint]
            if bone not in self.bones:
                break
        return bone, multiplier, offset
