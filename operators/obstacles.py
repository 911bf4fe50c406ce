"""Marks objects as obstacles, which a drag tells of when a link touches them."""

from typing import Any, Literal

import bpy
from bpy.props import BoolProperty

from ..rig.handles import SHAPES

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]


class LINKPOSE_OT_mark_obstacles(bpy.types.Operator):
    """Mark the selected objects as obstacles."""

    bl_idname = "linkpose.mark_obstacles"
    bl_label = "Mark Obstacles"
    bl_description = "Tell during drags when a link touches one of the selected objects"
    bl_options = {"REGISTER", "UNDO"}

    clear: BoolProperty(name="Clear", description="Take the marks off instead", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Offered where something with a surface is selected."""
        if not any(ob.type in SHAPES for ob in context.selected_objects):
            cls.poll_message_set("Select objects with a surface first")
            return False
        return True

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """Of the two buttons."""
        if getattr(properties, "clear", False):
            return bpy.app.translations.pgettext_tip("No longer tell of the selected objects in drags")
        return bpy.app.translations.pgettext_tip(cls.bl_description)

    def execute(self, context: bpy.types.Context) -> Result:
        """Set or clear the marks."""
        found: list[Any] = [ob for ob in context.selected_objects if ob.type in SHAPES and ob.library is None]
        others = [ob for ob in found if ob.linkpose_obstacle == self.clear]
        for ob in others:
            ob.linkpose_obstacle = not self.clear
        if not others:
            self.report(
                {"INFO"}, "The selected objects are no obstacles" if self.clear else "They are obstacles already"
            )
            return {"CANCELLED"}
        return {"FINISHED"}
