"""Poses of the joints that the sidebar shows: reset, randomise, copy, paste."""

import random
from collections.abc import Mapping
from typing import Any

import bpy
from bpy.props import FloatProperty, IntProperty

from .. import api
from ..errors import LinkposeError, RigError
from ..rig import keying, pose_text, poses, reading, sliders, snapshot
from ..rig.keying import Keying
from ..ui import joints_panel, sidebar
from ..ui.texts import report
from .running import Result


def _shown(context: bpy.types.Context) -> tuple[bpy.types.Object, reading.Reading, tuple[str, ...]]:
    """The armature, its reading and the joints that the panel shows.

    Raises:
        LinkposeError: there are none.
    """
    about = joints_panel.asked(context)
    if about is None:
        raise RigError("there is no active bone: choose one, or a mesh that hangs on one")
    return (about[0], *sliders.joints(*about))


def set_and_key(context: bpy.types.Context, armature: bpy.types.Object, values: Mapping[str, float]) -> str:
    """Set joints, and key them while the scene's Auto Keying is on, by its rules.

    Returns:
        Why they could not be keyed, "" where nothing was refused.

    Raises:
        LinkposeError: the values are no pose of this armature; nothing is changed then.
    """
    before = snapshot.take(armature)
    api.set_pose(armature, values)
    rig = reading.read(armature, slides=reading.slides_named(armature, values))
    names = tuple(name for name in values if name in rig.channels)
    try:
        keying.key(context, armature, rig, names, before, Keying("CHAIN", "AUTO"))
    except RigError as error:
        return str(error)
    return ""


def _write(
    operator: bpy.types.Operator, context: bpy.types.Context, armature: bpy.types.Object, values: Mapping[str, float]
) -> None:
    """Set joints and say what could not be keyed."""
    refused = set_and_key(context, armature, values)
    if refused:
        operator.report({"WARNING"}, report("Posed, but not keyed: {reason}").format(reason=refused))


class _Pose:
    """What the operators of this file have in common."""

    bl_options: Any = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """For an armature, or what it carries."""
        return sidebar.armature_of(context) is not None


class LINKPOSE_OT_reset_pose(_Pose, bpy.types.Operator):
    """Set the shown joints to 0, or as near to that as their limits let them be."""

    bl_idname = "linkpose.reset_pose"
    bl_label = "Reset"

    def execute(self, context: bpy.types.Context) -> Result:
        """Called by Blender."""
        try:
            armature, rig, names = _shown(context)
            _write(self, context, armature, poses.neutral(rig, names))
        except LinkposeError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class LINKPOSE_OT_randomize_pose(_Pose, bpy.types.Operator):
    """Set the shown joints to random values within their limits."""

    bl_idname = "linkpose.randomize_pose"
    bl_label = "Randomize"

    seed: IntProperty(name="Seed", description="Equal seeds give equal poses", min=0, options={"SKIP_SAVE"})
    amount: FloatProperty(
        name="Amount",
        description="How far to go from the present pose towards the random one",
        subtype="FACTOR",
        default=1.0,
        min=0.0,
        max=1.0,
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Another pose every time."""
        if not self.properties.is_property_set("seed"):
            self.seed = random.randrange(1 << 16)
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> Result:
        """Called by Blender."""
        try:
            armature, rig, names = _shown(context)
            _write(self, context, armature, poses.randomized(rig, names, seed=self.seed, amount=self.amount))
        except LinkposeError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class LINKPOSE_OT_copy_pose(_Pose, bpy.types.Operator):
    """Copy the values of all joints to the clipboard, as JSON: radians and metres by joint name."""

    bl_idname = "linkpose.copy_pose"
    bl_label = "Copy Pose"
    bl_options: Any = {"REGISTER"}

    def execute(self, context: bpy.types.Context) -> Result:
        """Called by Blender."""
        armature = sidebar.armature_of(context)
        try:
            pose = api.get_pose(armature)
        except LinkposeError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        context.window_manager.clipboard = pose_text.write(pose)
        self.report({"INFO"}, report("{count} joint values copied").format(count=len(pose)))
        return {"FINISHED"}


class LINKPOSE_OT_paste_pose(_Pose, bpy.types.Operator):
    """Set the joints that the clipboard names, in JSON; the others stay."""

    bl_idname = "linkpose.paste_pose"
    bl_label = "Paste Pose"

    def execute(self, context: bpy.types.Context) -> Result:
        """Called by Blender."""
        armature = sidebar.armature_of(context)
        try:
            values = pose_text.read(context.window_manager.clipboard)
            _write(self, context, armature, values)
        except LinkposeError as error:
            self.report({"WARNING"}, report("Nothing pasted: {reason}").format(reason=error))
            return {"CANCELLED"}
        self.report({"INFO"}, report("{count} joint values pasted").format(count=len(values)))
        return {"FINISHED"}


CLASSES = (
    LINKPOSE_OT_reset_pose,
    LINKPOSE_OT_randomize_pose,
    LINKPOSE_OT_copy_pose,
    LINKPOSE_OT_paste_pose,
)
