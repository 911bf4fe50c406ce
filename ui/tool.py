"""The toolbar's tool "Linkpose", in Object Mode and in Pose Mode."""

import bpy

from . import hover, preferences
from .hover import IDNAME, is_active, shows_frames

__all__ = ["IDNAME", "is_active", "register", "shows_frames", "unregister"]

_DRAG = "linkpose.drag"
# A press that becomes a drag poses until the button is released; a double-click starts a drag with free hands, as the
# key does. A click selects as ever, by Blender's own means.
KEYMAP = (
    (_DRAG, {"type": "LEFTMOUSE", "value": "CLICK_DRAG"}, {"properties": [("release_confirm", True)]}),
    (_DRAG, {"type": "LEFTMOUSE", "value": "DOUBLE_CLICK"}, None),
    ("view3d.select", {"type": "LEFTMOUSE", "value": "CLICK"}, {"properties": [("deselect_all", True)]}),
    ("view3d.select", {"type": "LEFTMOUSE", "value": "CLICK", "shift": True}, {"properties": [("toggle", True)]}),
)


class _Tool:
    """What both modes have in common."""

    bl_space_type = "VIEW_3D"
    bl_idname = IDNAME
    bl_label = "Linkpose"
    bl_description = (
        "Drag any bone or robot link; the chain above it follows within its limits.\n"
        "Press and move to pose, double-click to drag without holding the button"
    )
    bl_icon = "ops.pose.push"
    bl_cursor = "DEFAULT"
    bl_widget = "LINKPOSE_GGT_hover"
    bl_keymap = KEYMAP

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: bpy.types.WorkSpaceTool) -> None:
        """The tool's settings, in the header."""
        chosen = preferences.stored(context)
        if chosen is not None:
            layout.prop(chosen, "method")
            layout.prop(chosen, "key_when")
            layout.prop(chosen, "tool_hover", toggle=True)
            layout.prop(chosen, "tool_frames", toggle=True)


class LINKPOSE_WT_object(_Tool, bpy.types.WorkSpaceTool):
    """The tool in Object Mode."""

    bl_context_mode = "OBJECT"


class LINKPOSE_WT_pose(_Tool, bpy.types.WorkSpaceTool):
    """The tool in Pose Mode."""

    bl_context_mode = "POSE"


TOOLS = (LINKPOSE_WT_object, LINKPOSE_WT_pose)
# As Blender names the keymaps of tools.
KEYMAPS = ("3D View Tool: Object, Linkpose", "3D View Tool: Pose, Linkpose")


def register() -> None:
    """Add the tool below Blender's own for moving things."""
    hover.register()
    for tool in TOOLS:
        bpy.utils.register_tool(tool, after={"builtin.transform"}, separator=True)


def unregister() -> None:
    """Take it away again."""
    for tool in reversed(TOOLS):
        bpy.utils.unregister_tool(tool)
    # Blender leaves their keys, and would then take those for the ones of a newer version.
    keyconfig = bpy.context.window_manager.keyconfigs.addon
    for name in KEYMAPS:
        keymap = None if keyconfig is None else keyconfig.keymaps.get(name)
        if keymap is not None:
            keyconfig.keymaps.remove(keymap)
    hover.unregister()
