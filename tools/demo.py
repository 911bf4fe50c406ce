"""Imports the Panda arm, brings its hand onto five targets, keys and renders it: ``make demo``.

Needs a ``bpy`` wheel and PyPI's example-robot-data. Writes ``out/demo/panda.blend`` and three pictures, and prints how
well and how fast each target was reached. The status is 1 when one was not.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
from mathutils import Matrix, Vector

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out" / "demo"
PICTURES = (1, 50, 100)
WIDTH, HEIGHT, SAMPLES = 480, 360, 40

# The pose that the search starts from: the arm's usual one, elbow bent and hand down [rad]; fingers open [m].
READY = {
    "panda_joint1": 0.0,
    "panda_joint2": -math.pi / 4,
    "panda_joint3": 0.0,
    "panda_joint4": -3 * math.pi / 4,
    "panda_joint5": 0.0,
    "panda_joint6": math.pi / 2,
    "panda_joint7": math.pi / 4,
    "panda_finger_joint1": 0.03,
}
# Between the fingertips, in the hand's frame [m].
GRIP = (0.0, 0.0, 0.1034)
DOWN = np.diag((1.0, -1.0, -1.0))
# Frame and place of the grip [m].
TARGETS = (
    (1, (0.35, -0.45, 0.30)),
    (25, (0.50, -0.25, 0.62)),
    (50, (0.62, 0.00, 0.18)),
    (75, (0.45, 0.30, 0.55)),
    (100, (0.30, 0.50, 0.25)),
)


@dataclass(frozen=True)
class Row:
    """How one target went; residual [m], time [s]."""

    frame: int
    target: tuple[float, float, float]
    residual: float
    status: str
    seconds: float

    def __str__(self) -> str:
        x, y, z = self.target
        return (
            f"{self.frame:5d}   {x:6.3f} {y:6.3f} {z:6.3f}   {1000 * self.residual:13.5f}   "
            f"{self.status:<8s}   {1000 * self.seconds:6.1f}"
        )


HEADER = f"{'frame':>5s}   {'target [m]':<20s}   {'residual [mm]':>13s}   {'status':<8s}   {'ms':>6s}"


def load_api() -> ModuleType:
    """``linkpose.api`` of this checkout, whose folder may have any name."""
    spec = importlib.util.spec_from_file_location(
        "linkpose", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["linkpose"] = package
    spec.loader.exec_module(package)
    return importlib.import_module("linkpose.api")


def panda_file() -> Path:
    """The Panda's URDF file in PyPI's example-robot-data.

    Raises:
        SystemExit: the distribution is not there.
    """
    try:
        distribution = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        raise SystemExit("demo: no example-robot-data in this environment: pip install example-robot-data") from None
    for file in distribution.files or ():
        if file.as_posix().endswith("/panda_description/urdf/panda.urdf"):
            return Path(str(distribution.locate_file(file))).resolve()
    raise SystemExit("demo: example-robot-data is installed without its Panda: install it again")


def pose_and_key(api: ModuleType, armature: bpy.types.Object) -> list[Row]:
    """Solve for every target from the pose of the one before, and key it."""
    api.set_pose(armature, READY)
    rows = []
    for frame, target in TARGETS:
        started = time.perf_counter()
        solution = api.solve(armature, "panda_hand", target, orientation=DOWN, point=GRIP, frame=frame)
        seconds = time.perf_counter() - started
        rows.append(Row(frame, target, solution.position_residual, solution.status.name, seconds))
    return rows


def box_of(objects: list[bpy.types.Object], frames: tuple[int, ...]) -> np.ndarray:
    """(n, 3) corners of the objects' boxes in world space at those frames."""
    corners = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        corners += [thing.matrix_world @ Vector(corner) for thing in objects for corner in thing.bound_box]
    return np.array(corners)


def material(name: str, color: tuple[float, float, float], roughness: float) -> bpy.types.Material:
    """A plain material, colour in linear RGB."""
    made = bpy.data.materials.new(name)
    if made.node_tree is None:
        made.use_nodes = True
    made.diffuse_color = (*color, 1.0)
    for node in made.node_tree.nodes:
        if node.type == "BSDF_PRINCIPLED":
            node.inputs["Base Color"].default_value = (*color, 1.0)
            node.inputs["Roughness"].default_value = roughness
    return made


def add(name: str, data: bpy.types.ID, place: Matrix) -> bpy.types.Object:
    """A new object in the scene's own collection."""
    made = bpy.data.objects.new(name, data)
    made.matrix_world = place
    bpy.context.scene.collection.objects.link(made)
    return made


def looking(eye: Vector, at: Vector) -> Matrix:
    """Where a camera or light at ``eye`` looks at ``at``."""
    return Matrix.LocRotScale(eye, (at - eye).to_track_quat("-Z", "Y"), None)


def show_targets() -> list[bpy.types.Object]:
    """A small ball at every target."""
    import bmesh

    mesh = bpy.data.meshes.new("Target")
    made = bmesh.new()
    bmesh.ops.create_uvsphere(made, u_segments=24, v_segments=12, radius=0.014)
    made.to_mesh(mesh)
    made.free()
    mesh.shade_smooth()
    mesh.materials.append(material("Target", (0.9, 0.12, 0.02), 0.4))
    return [add(f"Target {frame}", mesh, Matrix.Translation(place)) for frame, place in TARGETS]


def set_the_stage(robot: list[bpy.types.Object], targets: list[bpy.types.Object]) -> None:
    """Ground, light grey world, sun and area light, and a camera that sees the robot at every keyed frame."""
    scene = bpy.context.scene
    ground = bpy.data.meshes.new("Ground")
    ground.from_pydata([(-50, -50, 0), (50, -50, 0), (50, 50, 0), (-50, 50, 0)], [], [(0, 1, 2, 3)])
    ground.materials.append(material("Ground", (0.40, 0.43, 0.47), 0.9))
    add("Ground", ground, Matrix.Identity(4))

    world = bpy.data.worlds.new("World")
    if world.node_tree is None:
        world.use_nodes = True
    for node in world.node_tree.nodes:
        if node.type == "BACKGROUND":
            node.inputs["Color"].default_value = (0.75, 0.78, 0.82, 1.0)
            node.inputs["Strength"].default_value = 0.38
    scene.world = world

    sun = bpy.data.lights.new("Sun", "SUN")
    sun.energy, sun.angle = 2.0, math.radians(4.0)
    add("Sun", sun, looking(Vector((2.0, -2.5, 4.0)), Vector((0.0, 0.0, 0.0))))
    area = bpy.data.lights.new("Area", "AREA")
    area.energy, area.size = 35.0, 2.0
    add("Area", area, looking(Vector((2.2, 2.4, 1.8)), Vector((0.2, 0.0, 0.4))))

    corners = np.concatenate([box_of(robot, tuple(frame for frame, _ in TARGETS)), box_of(targets, (1,))])
    camera_data = bpy.data.cameras.new("Camera")
    camera_data.lens = 60.0
    middle = Vector((corners.min(axis=0) + corners.max(axis=0)) / 2.0)
    camera = add("Camera", camera_data, looking(middle + Vector((2.6, -2.0, 1.1)), middle))
    scene.camera = camera
    scene.render.resolution_x, scene.render.resolution_y = WIDTH, HEIGHT
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    with_margin = np.array(middle) + 1.16 * (corners - np.array(middle))
    camera.location, _ = camera.camera_fit_coords(depsgraph, with_margin.ravel().tolist())


def look_through_the_camera() -> None:
    """Whoever opens the file sees what the pictures show."""
    for screen in bpy.data.screens:
        for space in (area.spaces.active for area in screen.areas if area.type == "VIEW_3D"):
            space.shading.type = "MATERIAL"
            space.region_3d.view_perspective = "CAMERA"


@contextmanager
def silence() -> Iterator[None]:
    """Keep Blender's own lines of progress out of the output."""
    sys.stdout.flush()
    kept = os.dup(1)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        try:
            yield
        finally:
            os.dup2(kept, 1)
            os.close(kept)


def render() -> list[Path]:
    """The pictures, by Cycles on the CPU."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = SAMPLES
    scene.cycles.use_denoising = _can_denoise()
    scene.view_settings.view_transform = "Standard"
    scene.render.image_settings.file_format = "PNG"
    pictures = []
    for frame in PICTURES:
        print(f"rendering frame {frame} on the CPU", flush=True)
        scene.frame_set(frame)
        pictures.append(OUT / f"panda_{frame:03d}.png")
        scene.render.filepath = str(pictures[-1])
        with silence():
            bpy.ops.render.render(write_still=True)
    return pictures


def _can_denoise() -> bool:
    try:
        import _cycles
    except ImportError:
        return False
    return bool(getattr(_cycles, "with_openimagedenoise", False))


def main() -> int:
    """The whole way once."""
    started = time.perf_counter()
    OUT.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    api = load_api()
    report = api.import_urdf(panda_file())
    for warning in report.warnings:
        print(f"demo: {warning}")
    armature = report.armature
    shapes = [child for child in armature.children if child.type == "MESH"]
    print(f"Imported {armature.name}: {len(armature.data.bones)} links, {len(shapes)} shapes.\n")

    rows = pose_and_key(api, armature)
    print(HEADER, *rows, sep="\n")

    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = TARGETS[0][0], TARGETS[-1][0]
    set_the_stage(shapes, show_targets())
    look_through_the_camera()
    pictures = render()
    scene.frame_set(scene.frame_start)
    blend = OUT / "panda.blend"
    bpy.context.preferences.filepaths.save_version = 0  # no second file beside it
    with silence():
        bpy.ops.wm.save_as_mainfile(filepath=str(blend), compress=True)
    print()
    for path in (*pictures, blend):
        print(f"wrote {path.relative_to(ROOT)}")
    print(f"{time.perf_counter() - started:.0f} s in all")
    return 0 if all(row.status == "REACHED" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
