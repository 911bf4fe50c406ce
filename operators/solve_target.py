"""A target in numbers: taken from where the body is, and solved for."""

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatVectorProperty, StringProperty
from mathutils import Euler, Matrix

from .. import api
from ..errors import LinkposeError, RigError
from ..rig import handles, keying, mirroring, pinning, reading, snapshot
from ..rig.keying import Keying
from ..rig.world import World
from ..ui import joints_panel, outcome, preferences, sidebar
from ..ui.target_panel import body_name, result_of
from ..ui.texts import report
from .running import Result


class LINKPOSE_OT_take_target(bpy.types.Operator):
    """Take the target from where the active link or bone is now."""

    bl_idname = "linkpose.take_target"
    bl_label = "Take Target"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """For an active bone, or what hangs on one."""
        return sidebar.subject(context) is not None

    def execute(self, context: bpy.types.Context) -> Result:
        """Called by Blender."""
        about, chosen = sidebar.subject(context), joints_panel.settings(context)
        try:
            armature, bone = about
            rig = reading.read(armature)
            body = body_name(armature, bone)
            frame = reading.frame_shown(armature, rig, body)
            point = frame @ (*handles.handle(armature, body), 1.0)
            chosen.target = World(armature).point_outside(point[:3])
            turned = Matrix((np.array(armature.matrix_world, dtype=np.float64) @ frame).tolist())
            chosen.orientation = turned.to_euler()
        except LinkposeError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        chosen.result = ""
        return {"FINISHED"}


class LINKPOSE_OT_solve_target(bpy.types.Operator):
    """Bring the active link or bone to the target, within the limits of its joints."""

    bl_idname = "linkpose.solve_target"
    bl_label = "Solve"
    bl_options = {"REGISTER", "UNDO"}

    armature: StringProperty(name="Armature", description="Armature object that is posed", options={"SKIP_SAVE"})
    bone: StringProperty(name="Bone", description="Link or bone that is brought there", options={"SKIP_SAVE"})
    target: FloatVectorProperty(
        name="Target",
        description="Where the handle is to go, in world space",
        subtype="TRANSLATION",
        options={"SKIP_SAVE"},
    )
    use_orientation: BoolProperty(
        name="Orientation", description="Also turn the body to a given rotation", options={"SKIP_SAVE"}
    )
    orientation: FloatVectorProperty(
        name="Rotation",
        description="How the body is to be turned, in world space",
        subtype="EULER",
        options={"SKIP_SAVE"},
    )
    method: EnumProperty(
        name="Method", description="How it is solved", items=preferences.METHODS, options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """In Object and Pose Mode."""
        return context.mode in {"OBJECT", "POSE"}

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Take from the panel what is not given."""
        about, chosen = sidebar.subject(context), joints_panel.settings(context)
        if not self.bone and about is not None:
            self.armature, self.bone = about[0].name, about[1]
        given = self.properties.is_property_set
        if not given("target"):
            self.target = chosen.target
        if not given("use_orientation"):
            self.use_orientation, self.orientation = chosen.use_orientation, chosen.orientation
        if not given("method"):
            self.method = preferences.choices(context).method
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> Result:
        """Solve, write, key as after a drag, and say what became of it."""
        try:
            text, reached, refused = self._solve(context)
        except LinkposeError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        chosen = joints_panel.settings(context)
        chosen.result, chosen.is_reached = text, reached
        solved = bpy.data.objects.get(self.armature)
        chosen.result_of = "" if solved is None else result_of(solved, self.bone)
        self.report({"INFO"}, text)
        if refused:
            self.report({"WARNING"}, report("Posed, but not keyed: {reason}").format(reason=refused))
        return {"FINISHED"}

    def _solve(self, context: bpy.types.Context) -> tuple[str, bool, str]:
        """(what became of it, whether the target was reached, why it was not keyed)."""
        armature = context.view_layer.objects.get(self.armature)
        if armature is None or armature.type != "ARMATURE" or self.bone not in armature.pose.bones:
            raise RigError(f"there is no bone {self.bone!r} of an armature {self.armature!r}: choose a link or bone")
        body = body_name(armature, self.bone)
        before = snapshot.take(armature)
        solution = api.solve(
            armature,
            body,
            tuple(self.target),
            orientation=np.array(Euler(self.orientation).to_matrix()) if self.use_orientation else None,
            point="handle",
            pins=pinning.goals(armature, but=(body,)),
            method=self.method,
            mirror=mirroring.asked(armature)[0],
        )
        rig = reading.read(armature, slides=reading.slides_named(armature, solution.pose))
        text = outcome.text(context.scene, rig, solution)
        chosen = preferences.choices(context)
        names = tuple(name for name in solution.pose if name in rig.channels)
        refused = ""
        try:
            keying.key(context, armature, rig, names, before, Keying(chosen.key_what, chosen.key_when))
        except RigError as error:
            refused = str(error)
        return text, solution.status == "REACHED", refused


CLASSES = (LINKPOSE_OT_take_target, LINKPOSE_OT_solve_target)
