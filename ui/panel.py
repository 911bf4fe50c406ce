"""The sidebar panel: import, method, keys, and what became of the last drag."""

import bpy

from ..rig import drag
from . import keymap, preferences, status
from .sidebar import armature_of, draw_lines
from .texts import tr


class LINKPOSE_PT_drag(bpy.types.Panel):
    """Tab "Linkpose" of the 3D view's sidebar."""

    bl_label = "Linkpose"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Linkpose"

    def draw(self, context: bpy.types.Context) -> None:
        """Called by Blender."""
        layout = self.layout
        layout.operator("linkpose.import_urdf", icon="IMPORT", text="Import URDF…")
        column = layout.column(align=True)
        key = keymap.key_of_drag(context)
        if key:
            draw_lines(column, tr("Point at a link or bone and press {key} to drag it.").format(key=key), "MOUSE_MOVE")
        addon = context.preferences.addons.get(preferences.ROOT)
        if addon is not None and addon.preferences is not None:
            column = layout.column()
            column.use_property_split = True
            column.use_property_decorate = False
            column.prop(addon.preferences, "method")
            column.prop(addon.preferences, "key_when")
            row = column.row()
            row.active = addon.preferences.key_when != "NEVER"
            row.prop(addon.preferences, "key_what")
        _draw_last(layout, context)


def _draw_last(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    session, armature = drag.current() or drag.last(), armature_of(context)
    if session is None or armature is None or armature.name != session.grip.armature:
        return
    box = layout.box()
    reached = session.status in {"", "REACHED"}
    box.label(text=session.grip.body, icon="CHECKMARK" if reached else "ERROR", translate=False)
    column = box.column(align=True)
    left = tr("{length} from the target").format(length=status.length(context.scene, session.residual))
    column.label(text=tr("On the target") if reached else left, translate=False)
    for line in status.reasons(context.scene, session):
        column.label(text=line, translate=False)
    if session.refused_key:
        draw_lines(column, tr("Not keyed: {reason}").format(reason=session.refused_key), "ERROR")


@bpy.app.handlers.persistent
def _forget_last(*_: object) -> None:
    """The last drag was in another file."""
    drag.forget()


def register() -> None:
    """Register the panel."""
    bpy.utils.register_class(LINKPOSE_PT_drag)
    bpy.app.handlers.load_post.append(_forget_last)


def unregister() -> None:
    """Unregister it."""
    bpy.app.handlers.load_post.remove(_forget_last)
    drag.forget()
    bpy.utils.unregister_class(LINKPOSE_PT_drag)
