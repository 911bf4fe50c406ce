"""The sidebar's tab "Linkpose": shown, and its buttons found by what Blender says is under the pointer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy
from inside.window import Steps, click, move, package, viewport, window


def region() -> bpy.types.Region:
    """The sidebar of the largest viewport."""
    return next(region for region in viewport().area.regions if region.type == "UI")


def show_tab() -> Steps:
    """Show the tab."""
    viewport().space.show_region_ui = True
    yield 0.3
    region().active_panel_category = "Linkpose"
    # Blender 4.3 does not draw it by itself.
    viewport().area.tag_redraw()
    yield 0.4


def only(*names: str) -> None:
    """Register the panels anew, so that these are open and the tab's others are not shown at all."""
    restore()
    modules = [package(f"ui.{name}") for name in MODULES]
    panels = {
        panel
        for module in modules
        for panel in vars(module).values()
        if isinstance(panel, type) and issubclass(panel, bpy.types.Panel) and panel.__module__ == module.__name__
    }
    for panel in sorted(panels, key=lambda panel: getattr(panel, "bl_order", 0)):
        if panel.__name__ == "LINKPOSE_PT_drag":
            continue
        bpy.utils.unregister_class(panel)
        if panel.__name__ in names:
            panel.bl_options = set()
            bpy.utils.register_class(panel)
        else:
            hidden.append(panel)


MODULES = ("panel", "joints_panel", "target_panel", "import_panel", "marks_panel", "chain_panel", "collision_panel")
hidden: list[Any] = []


def restore() -> None:
    """Register what :func:`only` has left out."""
    while hidden:
        bpy.utils.register_class(hidden.pop())


def under_pointer() -> str:
    """Data path of the property, or call of the operator, whose button is under the pointer. Uses the clipboard."""
    view = viewport()
    with bpy.context.temp_override(window=view.window, area=view.area, region=region()):
        for name in ("copy_data_path_button", "copy_python_command_button"):
            operator = getattr(bpy.ops.ui, name)
            if operator.poll():
                operator()
                return str(bpy.context.window_manager.clipboard)
    return ""


def find(wanted: Callable[[str], bool], *, across: Sequence[float] = (0.5, 0.3, 0.75, 0.89)) -> Steps:
    """Put the pointer onto a button of the sidebar."""
    bar = region()
    for share in across:
        for down in range(6, bar.height - 4, 9):
            yield from move(bar.x + share * (bar.width - 20), bar.y + bar.height - down, steps=1)
            if wanted(under_pointer()):
                return
    raise AssertionError("the sidebar has no such button")


def press_button(operator: str) -> Steps:
    """Click the button of an operator, such as "linkpose.pin"."""
    kept = bpy.context.window_manager.clipboard
    yield from find(lambda shown: shown.startswith(f"bpy.ops.{operator}("))
    bpy.context.window_manager.clipboard = kept
    yield from click()
    yield 0.2


def theme(name: str) -> None:
    """Take one of Blender's own themes, "Blender_Light" or "Blender_Dark"."""
    folder = next(path for path in bpy.utils.preset_paths("interface_theme") if Path(path, f"{name}.xml").exists())
    with bpy.context.temp_override(window=window()):
        bpy.ops.script.execute_preset(
            filepath=str(Path(folder, f"{name}.xml")), menu_idname="USERPREF_MT_interface_theme_presets"
        )
