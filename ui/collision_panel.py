"""The sidebar panel for collisions: obstacles, and what the last drag touched."""

from typing import Any

import bpy
from bpy.props import BoolProperty

from ..rig import drag
from ..rig.link_shapes import is_obstacle
from . import preferences, status
from .sidebar import Tab
from .texts import tr

# Named, not imported: operators know the user interface, not the other way round.
MARK = "linkpose.mark_obstacles"
MOST_SHOWN = 8


class LINKPOSE_PT_collisions(Tab, bpy.types.Panel):
    """Closed at first."""

    bl_label = "Collisions"
    bl_order = 5
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        """Called by Blender."""
        stored: Any = preferences.stored(context)
        if stored is not None:
            self.layout.prop(stored.overlay, "collisions", text="")

    def draw(self, context: bpy.types.Context) -> None:
        """Called by Blender."""
        layout = self.layout
        stored: Any = preferences.stored(context)
        layout.active = stored is None or stored.overlay.collisions
        row = layout.row(align=True)
        row.operator(MARK, text="Mark Selected", icon="ADD")
        row.operator(MARK, text="Clear", icon="REMOVE").clear = True
        marked = [ob for ob in context.view_layer.objects if is_obstacle(ob)]
        column = layout.column(align=True)
        for ob in marked[:MOST_SHOWN]:
            column.label(text=ob.name, icon="OBJECT_DATA", translate=False)
        if len(marked) > MOST_SHOWN:
            column.label(text=status.and_more(len(marked) - MOST_SHOWN), icon="BLANK1", translate=False)
        if not marked:
            column.label(text="No obstacles", icon="OBJECT_DATA")
        session = drag.current() or drag.last()
        if session is None:
            return
        column = layout.column(align=True)
        for one, other in session.collisions[:MOST_SHOWN]:
            text = tr("{one} touches {other}").format(one=one, other=other)
            column.label(text=text, icon="ERROR", translate=False)
        if session.unwatched:
            column.label(text=session.unwatched, icon="INFO", translate=False)


def register() -> None:
    """Give every object its mark, and register the panel."""
    holder: Any = bpy.types.Object
    holder.linkpose_obstacle = BoolProperty(
        name="Linkpose Obstacle",
        description="Drags tell when a link touches this object",
        override={"LIBRARY_OVERRIDABLE"},
    )
    bpy.utils.register_class(LINKPOSE_PT_collisions)


def unregister() -> None:
    """Take both away; what a file holds stays in it."""
    bpy.utils.unregister_class(LINKPOSE_PT_collisions)
    holder: Any = bpy.types.Object
    del holder.linkpose_obstacle
