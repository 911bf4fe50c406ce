"""A character whose object is scaled unevenly: the tip follows the pointer in world space, to and fro."""

from __future__ import annotations

import math

import bpy
from inside import character, robot
from inside.robot import settle
from inside.window import Steps, look, move, package, pixel, pointer, press, rigs, running, screenshot, skip
from mathutils import Vector

ROUNDS = 2
MOVES = 32  # a round


def stretched() -> str:
    """The character of the VRM add-on's tests whose object is turned, moved and scaled by 1.5 along X only."""
    file = rigs() / "vrm" / "armature_transform.blend"
    if not file.is_file():
        skip(f"no {file}")
    with bpy.data.libraries.load(str(file)) as (source, target):
        target.objects = source.objects
    for made in target.objects:
        bpy.context.scene.collection.objects.link(made)
    name = next(made.name for made in target.objects if made.type == "ARMATURE")
    bpy.context.view_layer.update()
    assert max(bpy.data.objects[name].scale) / min(bpy.data.objects[name].scale) > 1.2, "it is scaled evenly"
    return name


def to_and_fro(bone: str) -> Steps:
    """Drag a tip around a loop and back to where it began, twice; check the tip after every move."""
    name = stretched()
    armature = bpy.data.objects[name]
    armature.show_in_front = True
    for mesh in bpy.context.scene.objects:
        mesh.hide_select = mesh.type == "MESH"  # so that the bone is picked
    size = character.span(name)
    posed = armature.pose.bones[bone]
    limb = posed.parent.parent
    root = armature.matrix_world @ limb.head
    # The limb is straight, and lies in the picture: towards its root every point can be had, also on an ellipsoid.
    straight = character.tail(name, bone) - root
    look(character.middle(name), 4.0, azimuth=math.degrees(math.atan2(straight.x, -straight.y)), elevation=0)
    robot.enter(name, "POSE")
    yield
    yield from move(*pixel(armature.matrix_world @ posed.head.lerp(posed.tail, 0.8)))
    grabbed, start = pointer(), character.tail(name, bone)
    yield from press("J")
    yield lambda: running("LINKPOSE_OT_drag")
    session = package("api").session()
    assert session.grip.bone == bone, f"{session.grip.bone} was picked, not {bone}"
    assert session.chain
    inward = 0.6 * (Vector(pixel(root)) - Vector(pixel(start)))
    misses, homes, plain = [], [], robot.on_plane(*grabbed, start)
    for number in range(1, ROUNDS * MOVES + 1):
        around = math.tau * number / MOVES
        along = (1 - math.cos(around)) / 2
        x, y = along * (inward + 0.5 * math.sin(around) * inward.orthogonal())
        yield from move(grabbed[0] + x, grabbed[1] + y, steps=1)
        yield from settle()
        bpy.context.view_layer.update()
        tip = character.tail(name, bone)
        assert all(map(math.isfinite, tip)), (number, tip)
        wanted = start + robot.on_plane(*pointer(), start) - plain
        misses.append((tip - wanted).length)
        # The first step may be less than half a pixel.
        assert session.status == "REACHED" or pointer() == grabbed, (number, session.solution)
        assert misses[-1] <= 1e-3 * size, f"move {number}: {100 * misses[-1] / size:.3f} % of the size off"
        if number == MOVES // 2:
            screenshot(f"stretched-{bone}")
        if number % MOVES == 0:
            homes.append((tip - start).length)
    print(f"{bone}: {len(misses)} moves, at most {100 * max(misses) / size:.4f} % off, home {homes}, size {size:.3f}")
    assert max(homes) <= 1e-3 * size, homes
    yield from press("RET")
    assert (character.tail(name, bone) - start).length <= 1e-3 * size
    assert all(math.isfinite(value) for row in armature.pose.bones[bone].matrix for value in row)


def test_a_hand_of_an_unevenly_scaled_character_follows_the_pointer_to_and_fro() -> Steps:
    yield from to_and_fro("hand.L")


def test_a_foot_of_an_unevenly_scaled_character_follows_the_pointer_to_and_fro() -> Steps:
    yield from to_and_fro("foot.R")
