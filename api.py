"""The Python API of Linkpose in Blender: read, pose, solve and key any armature, and import robots.

Points and orientations are in world space, whatever the scale of the armature object. A joint's name in a robot is its
URDF joint name; in any other armature it is the bone's name, or ``"bone:x"`` where a bone turns about several axes, and
``"bone:location_x"`` where it is moved by its location, as hips are and what nothing turns.
A body is a link of a robot, or a bone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
import numpy as np
from numpy.typing import ArrayLike

from .errors import RigError
from .rig import batch, bulk_keys, chains, handles, keys, mirroring, reading, root, series, writing
from .rig import pins as pinned
from .rig.frames import at_frame
from .rig.import_job import import_file, reload_job
from .rig.importing import ImportReport
from .rig.reading import Reading
from .rig.results import in_world, not_as_solved
from .rig.solving import solve_as_shown
from .rig.world import World
from .solver import BatchSolution, Goal, Skeleton, Solution
from .urdf.files import Packages

if TYPE_CHECKING:
    from .rig.drag import DragSession

__all__ = [
    "ImportReport",
    "get_pose",
    "handle",
    "import_urdf",
    "read_skeleton",
    "reload_urdf",
    "session",
    "set_pose",
    "solve",
]

# A body that Blender shows farther than this from where the solver has it is not where the solution says [size].
_SHOWN = 1e-4
# Values nearer than this are the same one, rounded to single precision [rad] or [m].
_SAME = 1e-5


def import_urdf(
    path: str | Path,
    *,
    packages: Packages | None = None,
    xacro_args: Mapping[str, object] | None = None,
    collision: bool = False,
    free_base: bool = False,
    obey_up_axis: bool = False,
    allow_code: bool = True,
) -> ImportReport:
    """Import a robot from a URDF or xacro file as one armature with its visuals, into the current scene.

    Args:
        path: the file.
        packages: where ``package://name/…`` leads, as in :func:`urdf.load`.
        xacro_args: values of the arguments of a xacro file, by name; see :func:`urdf.xacro_arguments`.
        collision: also make the collision shapes, hidden.
        free_base: let the robot's root move freely, as by a floating joint ``"free_base"``.
        obey_up_axis: turn what a DAE file calls up to Z. RViz does not, and robots are made to look right there.
        allow_code: expand xacro, whose expressions are code. False raises ``urdf.XacroNotAllowed`` for such a file.

    Returns:
        The armature object, and warnings about what was left out or put right.

    Raises:
        UrdfError: the file is no usable robot description; nothing is left in the scene.
    """
    return import_file(
        path,
        packages=packages,
        xacro_args=xacro_args,
        collision=collision,
        free_base=free_base,
        obey_up_axis=obey_up_axis,
        allow_code=allow_code,
    )


def reload_urdf(armature: bpy.types.Object) -> ImportReport:
    """Read the file of an imported robot again, with the options of its import, into the same armature.

    Its place, pose and keys stay, and so do bones and constraints that the user has added, what hangs on it, and
    materials that the user has changed or chosen. Bones and shapes of links that are gone go.

    Args:
        armature: an armature object that :func:`import_urdf` made.

    Raises:
        LinkposeError: it is no such armature, or its file is no usable robot description now; nothing is changed.
    """
    return reload_job(armature).run()


def read_skeleton(armature: bpy.types.Object) -> Skeleton:
    """The armature as a kinematic tree, in armature space, with everything that is no joint held as it is shown now.

    A body's frame is its URDF link frame, or ``PoseBone.matrix`` for the bones of other armatures. Its values are those
    of :func:`get_pose`.

    Args:
        armature: an armature object in the active view layer.

    Raises:
        RigError: it is no armature, or its pose cannot be seen, with the reason.
    """
    return reading.read(armature).skeleton


def get_pose(armature: bpy.types.Object) -> dict[str, float]:
    """The value of every joint as Blender shows it, mimic followers included.

    A channel outside its limits counts as the limit that its constraint shows. A bone with several axes has Euler
    angles: in its own order, in the order of its Limit Rotation where it has one, else XYZ.

    Args:
        armature: an armature object in the active view layer.

    Returns:
        By joint name [rad] or [m].

    Raises:
        RigError: it is no armature, or its pose cannot be seen, with the reason.
    """
    rig = reading.read(armature)
    return rig.skeleton.pose(rig.pose())


def set_pose(armature: bpy.types.Object, values: Mapping[str, float], *, frame: float | None = None) -> None:
    """Set joints by name; joints that are not named stay, bit for bit.

    Values beyond a joint's limits are clamped; whole turns of joints without limits are written as given.

    Args:
        armature: an armature object in the active view layer.
        values: by joint name [rad] or [m]. A follower may be given beside its source, and is ignored.
        frame: key the named joints at this frame, and leave the current frame as it is. None = do not key.

    Raises:
        LinkposeError: no such joint, a follower alone, a locked joint, no finite number, or an armature that cannot be
            posed; nothing is written then.
    """
    reading.check_posable(armature)
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise RigError(f"the values are {values!r}; give a dictionary of joint values by joint name")
    with at_frame(armature, frame):
        rig = reading.read(armature, slides=reading.slides_named(armature, values))
        if any(name.startswith(root.NAME) and name not in rig.skeleton.unknowns for name in values):
            rig = root.with_object(armature, rig)
        _refuse_held(rig, values)
        asked = rig.skeleton.vector(values)
        q = rig.pose()
        unknowns = [name for name in rig.skeleton.unknowns if name in values]
        for name in unknowns:
            place = rig.skeleton.unknowns.index(name)
            if not rig.is_locked(name):
                q[place] = asked[place]
            elif abs(asked[place] - q[place]) > _SAME:
                bone = rig.channels[name].bone
                text = f"joint {name!r} can only be {q[place]:g}: it is locked on its bone {bone!r}, or its limits meet"
                raise RigError(f"{text}; unlock it there to move it")
        writing.write(armature, rig, q, unknowns, turns=False)
        if frame is not None:
            keys.insert(armature, rig, unknowns, frame)
        bpy.context.view_layer.update()


def handle(armature: bpy.types.Object, body: str) -> np.ndarray:
    """The point by which a body is dragged: the middle of a link's visuals, the tail of a bare bone.

    Args:
        armature: an armature object.
        body: a link or bone.

    Returns:
        (3,) in the body's frame.

    Raises:
        RigError: it is no armature, or has no such body; close names are suggested.
    """
    return np.array(handles.handle(armature, body))


def solve(
    armature: bpy.types.Object,
    body: str,
    position: ArrayLike | None = None,
    *,
    orientation: ArrayLike | None = None,
    point: ArrayLike | str | None = None,
    anchor: str | None = None,
    pins: Sequence[str | Goal] = (),
    root_motion: bool = False,
    method: str = "AUTO",
    tolerance: float | None = None,
    orientation_tolerance: float = 1e-3,
    budget: float | None = None,
    frame: float | None = None,
    apply: bool = True,
    mirror: bool = False,
) -> Solution:
    """Bring a body to a target by the joints between it and its anchor.

    Args:
        armature: an armature object in the active view layer.
        body: the link or bone to bring there.
        position: (3,) target of the body's handle in world space.
        orientation: (3, 3) rotation of the body's frame in world space.
        point: the handle in the body's frame; None = a link's origin, a bone's tail; ``"handle"`` = what
            :func:`handle` gives.
        anchor: None = the rule (stop before the first assembly above that branches), ``"root"``, or the body that
            stays.
        pins: bodies that are to stay while this one moves: names, held where they are now, or goals in world space
            (:class:`solver.Goal`: a position, an orientation or an aim). The joints that let them are added to the
            chain. What is held by name weighs ten times as much as the target.
        root_motion: also move what carries everything: a character's hips, or else the bone above all others, or else
            the armature object, as with a robot.
        method: "AUTO", or another one of the solver's.
        tolerance: distance in world space that counts as reached; None = 1e-5 of the chain's reach.
        orientation_tolerance: angle [rad] that counts as reached.
        budget: seconds that may be spent; None = as many as it takes.
        frame: start from the pose at this frame, key all joints of the chain there, and leave the current frame as it
            is. None = start from the pose as shown, do not key.
        apply: write the best pose, and key it if a frame is given. False = change nothing.
        mirror: write the mirrored pose to the other side of the chain's bones as well, within its limits, and key it
            likewise; whatever the armature's X-Axis Mirror says. Bones without another side that follows its own
            channels, and the links of robots, have nothing mirrored.

    Returns:
        The best pose found, reached or not; reached only if every pin is where it shall be as well. Residuals and
        shortfall are distances in world space, ``goals`` has them for the body and then pin by pin; values and pose are
        those of :func:`set_pose`.

    Raises:
        LinkposeError: no such body, nothing that can move it, a target that means nothing, or an armature that cannot
            be posed; nothing is written then. A target that cannot be reached is no error.
    """
    (reading.check_posable if apply else reading.check_readable)(armature)
    with at_frame(armature, frame):
        world = World(armature)
        stay = pinned.inside(world, pins)
        rig, chain = chains.take(
            armature, body, anchor=anchor, oriented=orientation is not None, pins=stay, root_motion=root_motion
        )
        hold = handles.handle(armature, body) if isinstance(point, str) and point == "handle" else point
        goal = Goal(
            body,
            position=None if position is None else world.point_inside(position),
            orientation=None if orientation is None else world.rotation_inside(orientation),
            point=hold,
        )
        goals = [goal, *pinned.goals(rig, stay)]
        found, q, values = solve_as_shown(
            rig,
            chain,
            [one for one in goals if one.body in chain.path],
            None,
            method=method,
            tolerance=None if tolerance is None else tolerance / world.stretch,
            orientation_tolerance=orientation_tolerance,
            budget=budget,
        )
        if apply:
            other = mirroring.take(armature, rig, chain.unknowns) if mirror else None
            writing.write(armature, rig, q, chain.unknowns)
            if other is not None:
                other.write(armature, q)
            if frame is not None:
                keys.insert(armature, rig, chain.unknowns, frame)
                if other is not None:
                    keys.insert(armature, other.rig, other.unknowns, frame)
            bpy.context.view_layer.update()
        frames = {one.body: chain.forward(values, one.body) for one in goals}
        if apply:
            close = _SHOWN * max(1.0, handles.size(armature) / world.stretch) + 10.0 * reading.noise(armature)
            for name, solved in frames.items():
                seen = world.seen_from(armature) @ reading.frame_shown(armature, rig, name)
                if np.abs(seen - solved).max() > close:
                    frames[name], found = seen, not_as_solved(found)
        return in_world(rig, chain, goals, found, world, frames)


def solve_batch(
    armature: bpy.types.Object,
    body: str,
    positions: ArrayLike,
    *,
    orientations: ArrayLike | None = None,
    point: ArrayLike | str | None = None,
    anchor: str | None = None,
    method: str = "AUTO",
    tolerance: float | None = None,
    warm_start: bool = False,
    frames: Iterable[float] | None = None,
) -> BatchSolution:
    """Bring a body to many targets, one after the other or one at each frame, thousands at a time.

    Every target is solved from the pose as it is shown now. With frames, targets are met at their frames also where
    what carries the chain is animated.

    Args:
        armature: an armature object in the active view layer.
        body: the link or bone to bring there.
        positions: (n, 3) targets of the body's handle in world space.
        orientations: (n, 3, 3) rotations of the body's frame in world space; None = any.
        point: the handle, as for :func:`solve`.
        anchor: as for :func:`solve`.
        method: "AUTO", or another one of the solver's, which goes through the targets one by one.
        tolerance: distance in world space that counts as reached; None = 1e-5 of the chain's reach.
        warm_start: for targets along a path: each starts from the pose found for the one before.
        frames: (n,) key the poses at these frames, all joints of the chain, in one pass; keys at other frames stay.
            Afterwards the pose is that of the animation at the current frame. None = change nothing.

    Returns:
        The best poses in the order of the targets, reached or not. Residuals are distances in world space; the columns
        of ``values`` are the joints of the chain, anchor first, with the values of :func:`set_pose`.

    Raises:
        LinkposeError: as for :func:`solve`; nothing is written then.
    """
    (reading.check_readable if frames is None else reading.check_posable)(armature)
    rig, chain = chains.take(armature, body, anchor=anchor, oriented=orientations is not None)
    world = World(armature)
    hold = handles.handle(armature, body) if isinstance(point, str) and point == "handle" else point
    points, turned, when = batch.targets(armature, rig, chain, world, positions, orientations, frames)
    found = batch.solve(
        rig, chain, world, points, turned, point=hold, method=method, tolerance=tolerance, warm_start=warm_start
    )
    if when is not None:
        bulk_keys.insert(armature, rig, chain, found.values, when)
    return replace(found, values=series.absolute(rig, chain, found.values))


def session() -> DragSession | None:
    """The drag that is running in the viewport, None when there is none."""
    from .rig import drag

    return drag.current()


def _refuse_held(rig: Reading, values: Mapping[str, float]) -> None:
    """Say why a body that is named like a joint has none."""
    for name in values:
        if name in rig.held and name not in rig.skeleton.joints:
            raise RigError(f"{name!r} has no joint to set: bone {rig.bone_of(name)!r} {rig.held[name]}")
