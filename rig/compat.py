"""The only place that knows Blender's versions, by testing for the feature."""

from __future__ import annotations

from typing import Any

import bpy


def bone_is_visible(bone: bpy.types.PoseBone) -> bool:
    """Whether a bone is shown in Object and Pose Mode: not hidden itself, and in a collection that is shown.

    Blender 5.0 moved hiding in pose from the bone to the pose bone, where ``Bone.hide`` now means Edit Mode only.
    """
    hidden = bone.hide if hasattr(bone, "hide") else bone.bone.hide
    if hidden:
        return False
    collections = bone.bone.collections
    return not collections or any(collection.is_visible_effectively for collection in collections)


def is_playing(context: bpy.types.Context) -> bool:
    """Whether an animation plays in any window."""
    return any(window.screen.is_animation_playing for window in context.window_manager.windows)


def fcurves(owner: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The F-curves by which an object's action animates it; none where it has no action.

    Before 4.4 an action has no slots, and from 5.0 on its curves are found by the object's slot only.
    """
    animation: Any = owner.animation_data
    action: Any = animation.action if animation is not None else None
    if action is None:
        return []
    if not hasattr(action, "slots"):
        return list(action.fcurves)
    slot = animation.action_slot
    if slot is None:
        return []
    bags = [strip.channelbag(slot) for layer in action.layers for strip in layer.strips]
    return [curve for bag in bags if bag is not None for curve in bag.fcurves]


def shader_nodes(material: bpy.types.Material) -> bpy.types.ShaderNodeTree:
    """The material's node tree; made where new materials have none by themselves (before 5.0)."""
    if material.node_tree is None:
        material.use_nodes = True
    assert material.node_tree is not None
    return material.node_tree
