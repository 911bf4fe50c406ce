"""What a window test needs: events, the 3D viewport, the screen, data. Runs inside Blender, under inside/run.py.

A scenario is a generator function ``test_…`` in ``tests/gui/scenarios/*.py``; its name says what must hold. Each starts
in an empty scene, in a window of 900 × 650, with the extension installed from its zip; those of a file share a process.

    def test_a_key_does_something() -> Steps:
        look(center=(0, 0, 0.5), distance=3, azimuth=-60, elevation=20)  # degrees; sets the viewport and returns it
        yield from move(*pixel((0, 0, 0.5)))       # window pixels, origin bottom left; 8 steps, each seen by Blender
        yield from press("J")                      # also: hold, release, click, wheel(-3), undo, redo; ctrl=True …
        yield                                      # lets Blender handle events and redraw; ``yield 0.5`` waits seconds
        yield lambda: running("LINKPOSE_OT_drag")  # a function waits until it is true, 10 s at most
        screenshot("a-key")                        # out/gui/<blender>/a-key.png; pixels() is the same as an array
        assert bpy.data.objects, "nothing made"    # a failure shows its traceback with local variables, and a picture

``skip(why)`` leaves a scenario out; ``package("api")`` is the extension's module; ``robots()`` and
``example_robot_data()`` are folders of robots and skip where there are none. After undo fetch objects anew by name.
Run: ``BLENDER=/path/to/blender python -m pytest tests/gui -k WORDS``; logs and pictures lie in ``out/gui``.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Euler, Vector
from numpy.typing import NDArray
from screen import grab, save_png

EXTENSION = "bl_ext.user_default.linkpose"
Wait = float | Callable[[], object] | None
Steps = Generator[Wait, None, None]


# To be yielded: one turn of the main loop, which handles the events so far; what they cause may still be to come.
ONE_TICK: Any = object()


class Skip(Exception):
    """Ends a scenario that cannot be run here."""


class Job:
    """What the process outside has told; filled by run.py."""

    work: Path
    name: str
    buffer: Path
    pictures: Path
    robots: Path | None
    rigs: Path | None
    example_robot_data: Path | None


class Viewport(NamedTuple):
    """The largest 3D viewport."""

    window: bpy.types.Window
    area: bpy.types.Area
    region: bpy.types.Region
    space: bpy.types.SpaceView3D
    region_3d: bpy.types.RegionView3D

    def override(self) -> Any:
        """Context in which operators find this viewport: ``with viewport().override(): bpy.ops…``."""
        return bpy.context.temp_override(window=self.window, area=self.area, region=self.region)


_pointer = [450, 325]


def skip(why: str) -> NoReturn:
    """Leave the scenario out."""
    raise Skip(why)


def package(name: str = "") -> ModuleType:
    """The extension's module of that dotted name."""
    return importlib.import_module(f"{EXTENSION}.{name}" if name else EXTENSION)


def robots() -> Path:
    """Folder of published robots."""
    return Job.robots or skip("no folder of robots: set LINKPOSE_TEST_DATA")


def rigs() -> Path:
    """Folder of published characters."""
    return Job.rigs or skip("no folder of characters: set LINKPOSE_TEST_DATA")


def example_robot_data() -> Path:
    """Folder ``robots`` of PyPI's example-robot-data."""
    return Job.example_robot_data or skip("no example-robot-data in the environment of the tests")


def expect_exit() -> None:
    """What the scenario does next ends Blender; it passes if Blender ends with status 0."""
    version = ".".join(map(str, bpy.app.version))
    (Job.work / f"{Job.name}.exits").write_text(version, encoding="utf-8")


# Events. Coordinates are window pixels, origin bottom left. Modifiers: shift, ctrl, alt, oskey.


def window() -> bpy.types.Window:
    """The first window."""
    return bpy.context.window_manager.windows[0]


def simulate(kind: str, value: str, **modifiers: Any) -> None:
    """One event at the pointer's place, handled before the next ``yield`` returns."""
    window().event_simulate(type=kind, value=value, x=_pointer[0], y=_pointer[1], **modifiers)


def pointer() -> tuple[int, int]:
    """Where the pointer is."""
    return _pointer[0], _pointer[1]


def move(x: float, y: float, *, steps: int = 8, **modifiers: bool) -> Steps:
    """Move the pointer there in a straight line, in steps of whole pixels."""
    start = pointer()
    for step in range(1, steps + 1):
        _pointer[:] = (round(start[i] + (end - start[i]) * step / steps) for i, end in enumerate((x, y)))
        simulate("MOUSEMOVE", "NOTHING", **modifiers)
        yield


def jump(x: float, y: float, **modifiers: bool) -> None:
    """One event that moves the pointer there at once."""
    _pointer[:] = round(x), round(y)
    simulate("MOUSEMOVE", "NOTHING", **modifiers)


def hold(key: str, **modifiers: bool) -> Steps:
    """Press a key or button without releasing it."""
    simulate(key, "PRESS", **modifiers)
    yield


def release(key: str, **modifiers: bool) -> Steps:
    """Release it."""
    simulate(key, "RELEASE", **modifiers)
    yield


def press(key: str, **modifiers: bool) -> Steps:
    """Press and release a key: ``J``, ``RET``, ``ESC``, ``TAB``, ``Z`` …"""
    yield from hold(key, **modifiers)
    yield from release(key, **modifiers)


def click(button: str = "LEFTMOUSE", **modifiers: bool) -> Steps:
    """Press and release a mouse button: ``LEFTMOUSE``, ``RIGHTMOUSE``, ``MIDDLEMOUSE``."""
    yield from press(button, **modifiers)


def wheel(notches: int, **modifiers: bool) -> Steps:
    """Turn the wheel: up (away from the user) for positive numbers."""
    for _ in range(abs(notches)):
        yield from hold("WHEELUPMOUSE" if notches > 0 else "WHEELDOWNMOUSE", **modifiers)


def undo() -> Steps:
    """Ctrl-Z."""
    yield from press("Z", ctrl=True)
    yield


def redo() -> Steps:
    """Ctrl-Shift-Z."""
    yield from press("Z", ctrl=True, shift=True)
    yield


def running(operator: str) -> bool:
    """Whether a modal operator of that class name runs (``LINKPOSE_OT_drag``)."""
    return any(modal.bl_idname == operator for modal in window().modal_operators)


# The viewport


def viewport() -> Viewport:
    """The largest 3D viewport of the first window."""
    areas = [area for area in window().screen.areas if area.type == "VIEW_3D"]
    assert areas, "the window shows no 3D viewport"
    area = max(areas, key=lambda area: area.width * area.height)
    region = next(region for region in area.regions if region.type == "WINDOW")
    space = area.spaces.active
    return Viewport(window(), area, region, space, space.region_3d)


def look(
    center: Sequence[float], distance: float, *, azimuth: float = -60, elevation: float = 20, perspective: bool = True
) -> Viewport:
    """Look at a point.

    Args:
        center: point in the middle of the view, world space [m].
        distance: of the viewer from it [m]; in an orthographic view it sets how much is seen.
        azimuth: where the viewer stands, from +X towards +Y, degrees: −90 is the front view.
        elevation: of the viewer above the horizon, degrees.
        perspective: else orthographic.
    """
    view = viewport()
    view.region_3d.view_perspective = "PERSP" if perspective else "ORTHO"
    turn = (math.radians(90 - elevation), 0.0, math.radians(azimuth + 90))
    view.region_3d.view_rotation = Euler(turn).to_quaternion()
    view.region_3d.view_location = Vector(center)
    view.region_3d.view_distance = distance
    view.region_3d.update()
    view.area.tag_redraw()
    return view


def pixel(point: Sequence[float]) -> tuple[float, float]:
    """Window pixel at which a point (world space) is seen."""
    view = viewport()
    at = view3d_utils.location_3d_to_region_2d(view.region, view.region_3d, Vector(point))
    assert at is not None, f"{tuple(point)} lies behind the viewer"
    return view.region.x + at.x, view.region.y + at.y


def ray(x: float, y: float) -> tuple[Vector, Vector]:
    """(origin, unit direction) in world space of the ray through a window pixel."""
    view = viewport()
    at = (x - view.region.x, y - view.region.y)
    camera = view.space.camera if view.region_3d.view_perspective == "CAMERA" else None
    if camera is not None and camera.data.type == "ORTHO":
        # Blender's helpers take every camera for a perspective one.
        flat = (2 * at[0] / view.region.width - 1, 2 * at[1] / view.region.height - 1)
        near, far = (view.region_3d.perspective_matrix.inverted() @ Vector((*flat, depth)) for depth in (-1, 1))
        return near, (far - near).normalized()
    origin = view3d_utils.region_2d_to_origin_3d(view.region, view.region_3d, at)
    return origin, view3d_utils.region_2d_to_vector_3d(view.region, view.region_3d, at).normalized()


# The screen


def pixels() -> NDArray[np.uint8]:
    """(height, width, 3) colours as last drawn, **bottom** row first: ``pixels()[y, x]`` is window pixel (x, y)."""
    return grab(Job.buffer)[::-1]


def screenshot(name: str) -> Path:
    """Keep a picture of the screen as last drawn; ``yield`` before it, so that it shows the present."""
    file = Job.pictures / f"{name}.png"
    save_png(grab(Job.buffer), file)
    return file
