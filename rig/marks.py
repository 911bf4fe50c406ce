"""What a user says about a bone's part in chains, kept on the pose bone so that library overrides may hold it."""

from typing import Any

import bpy
from bpy.props import EnumProperty

RULE, ALWAYS, NEVER = "RULE", "ALWAYS", "NEVER"

ANCHORS = (
    (RULE, "By the Rule", "Chains stop here where the armature branches, and at the foot of a toe"),
    (ALWAYS, "Always", "The chains of bones below stop here: this bone stays"),
    (NEVER, "Never", "A toe below takes the leg along"),
)
BRANCHES = (
    (RULE, "By the Rule", "Helpers such as twist bones are no branches"),
    (ALWAYS, "Always", "The parent branches here, also where this bone looks like a helper"),
    (NEVER, "Never", "Chains go through the parent as if this bone were not there"),
)

PROPERTIES = ("linkpose_anchor", "linkpose_branch")


def anchor(bone: bpy.types.PoseBone) -> str:
    """RULE, ALWAYS or NEVER: whether chains stop at the bone; RULE while the extension is off."""
    return str(getattr(bone, "linkpose_anchor", RULE))


def branch(bone: bpy.types.PoseBone) -> str:
    """RULE, ALWAYS or NEVER: whether the bone and what hangs on it count as a branch of its parent."""
    return str(getattr(bone, "linkpose_branch", RULE))


def register() -> None:
    """Give every pose bone its marks; they are saved with the file."""
    bone: Any = bpy.types.PoseBone
    bone.linkpose_anchor = EnumProperty(
        name="Anchor",
        description="Whether the chains of the bones below stop at this bone",
        items=ANCHORS,
        override={"LIBRARY_OVERRIDABLE"},
    )
    bone.linkpose_branch = EnumProperty(
        name="Branch",
        description="Whether this bone, with all below it, counts as a branch of its parent",
        items=BRANCHES,
        override={"LIBRARY_OVERRIDABLE"},
    )


def unregister() -> None:
    """Take the properties away; what a file holds stays in it."""
    for name in PROPERTIES:
        delattr(bpy.types.PoseBone, name)
