"""The extension's preferences, with their defaults for scripts and tests in which it is not enabled."""

from dataclasses import dataclass

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, PointerProperty, StringProperty

from .overlay import parts
from .texts import OWN

# The preferences belong to the package, not to this room of it.
ROOT = __package__.rpartition(".")[0]

METHODS = (
    ("AUTO", "Automatic", "Least squares within the limits; the fastest and most exact"),
    ("CCD", "CCD", "Cyclic coordinate descent: one joint after the other, from the hand to the base"),
    ("FABRIK", "FABRIK", "Forward and backward reaching on the joints' real axes"),
)
KEY_WHAT = (
    ("CHAIN", "Chain", "Every joint between the dragged body and its anchor, so that no later drag moves this pose"),
    ("MOVED", "Moved Joints", "Only the joints that the drag has moved"),
    ("EVERYTHING", "Everything", "Every joint of the armature"),
)
KEY_WHEN = (
    ("ALWAYS", "Always", "A confirmed drag is keyed"),
    ("AUTO", "Follow Auto Keying", "A confirmed drag is keyed while the scene's Auto Keying is on"),
    ("NEVER", "Never", "A confirmed drag is not keyed"),
)


@dataclass(frozen=True)
class Choices:
    """What the user has chosen, as plain values; the identifiers are those of the lists above."""

    method: str = "AUTO"
    key_what: str = "CHAIN"
    key_when: str = "ALWAYS"
    lead: bool = True
    tool_hover: bool = True
    tool_frames: bool = True
    package_folders: tuple[str, ...] = ()


class LINKPOSE_PG_folder(bpy.types.PropertyGroup):
    """A folder in a list."""

    path: StringProperty(name="Folder", description="A ROS package, or a folder that holds some", subtype="DIR_PATH")


class LinkposePreferences(bpy.types.AddonPreferences):
    """Shown in Preferences > Add-ons."""

    bl_idname = ROOT

    method: EnumProperty(name="Method", description="How a drag is solved", items=METHODS, default="AUTO")
    key_what: EnumProperty(
        name="Key",
        description="Which joints a confirmed drag keys",
        items=KEY_WHAT,
        default="CHAIN",
        translation_context=OWN,
    )
    key_when: EnumProperty(
        name="When", description="Whether a confirmed drag is keyed", items=KEY_WHEN, translation_context=OWN
    )
    lead: BoolProperty(
        name="Drag Controls",
        description="Drag the control of a bone that constraints hold, instead of refusing and naming it",
        default=True,
    )

    overlay: PointerProperty(type=parts.LINKPOSE_PG_overlay)
    tool_hover: BoolProperty(
        name="Preview",
        description="While the tool is active, show what would be dragged under the pointer, and its chain",
        default=True,
    )
    tool_frames: BoolProperty(
        name="Tool Frames",
        description="While the tool is active, show links without a mesh as small crosses that can be dragged",
        default=True,
    )
    package_folders: CollectionProperty(type=LINKPOSE_PG_folder)

    def draw(self, context: bpy.types.Context) -> None:
        """Called by Blender."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(self, "method")
        layout.prop(self, "key_when")
        row = layout.row()
        row.active = self.key_when != "NEVER"
        row.prop(self, "key_what")
        layout.prop(self, "lead")
        parts.draw(layout, self)
        column = layout.column(heading="Tool")
        column.prop(self, "tool_hover")
        column.prop(self, "tool_frames")
        self._draw_folders(layout)
        _draw_keys(layout.box(), context)

    def _draw_folders(self, layout: bpy.types.UILayout) -> None:
        """Where ``package://`` names of robots are looked for, beside what is found around a file."""
        layout.label(text="Package Folders")
        column = layout.column(align=True)
        for index, folder in enumerate(self.package_folders):
            row = column.row(align=True)
            row.prop(folder, "path", text="")
            row.operator("linkpose.remove_package_folder", icon="X", text="").index = index
        column.operator("linkpose.add_package_folder", icon="ADD", text="Add Folder")


def _draw_keys(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """The keys that start drags."""
    from . import keymap  # it needs the tool, whose settings are these preferences

    layout.use_property_split = False
    layout.label(text="Keys", icon="KEYINGSET")
    keymap.draw(layout, context)


def stored(context: bpy.types.Context) -> LinkposePreferences | None:
    """The preferences themselves; None where the extension is not enabled as one."""
    addon = context.preferences.addons.get(ROOT)
    return None if addon is None else addon.preferences


def choices(context: bpy.types.Context) -> Choices:
    """What the user has chosen; the defaults where the extension is not enabled as one."""
    preferences = stored(context)
    if preferences is None:
        return Choices()
    folders = tuple(folder.path for folder in preferences.package_folders if folder.path)
    return Choices(
        method=preferences.method,
        key_what=preferences.key_what,
        key_when=preferences.key_when,
        lead=preferences.lead,
        tool_hover=preferences.tool_hover,
        tool_frames=preferences.tool_frames,
        package_folders=folders,
    )


def register() -> None:
    """Register the preferences."""
    bpy.utils.register_class(LINKPOSE_PG_folder)
    bpy.utils.register_class(parts.LINKPOSE_PG_overlay)
    bpy.utils.register_class(LinkposePreferences)


def unregister() -> None:
    """Unregister them."""
    bpy.utils.unregister_class(LinkposePreferences)
    bpy.utils.unregister_class(parts.LINKPOSE_PG_overlay)
    bpy.utils.unregister_class(LINKPOSE_PG_folder)
