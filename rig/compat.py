"""The only place that knows Blender's versions, by testing for the feature."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray


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


def animation(owner: bpy.types.ID) -> bpy.types.AnimData | None:
    """The animation data of a data-block, None where it has none or is of a kind that has none."""
    found: bpy.types.AnimData | None = getattr(owner, "animation_data", None)
    return found


def fcurves(owner: bpy.types.ID) -> list[bpy.types.FCurve]:
    """The F-curves by which a data-block's action animates it; none where it has no action.

    Before 4.4 an action has no slots, and from 5.0 on its curves are found by its slot only.
    """
    data: Any = animation(owner)
    action: Any = data.action if data is not None else None
    if action is None:
        return []
    if not hasattr(action, "slots"):
        return list(action.fcurves)
    slot = data.action_slot
    if slot is None:
        return []
    bags = [strip.channelbag(slot) for layer in action.layers for strip in layer.strips]
    return [curve for bag in bags if bag is not None for curve in bag.fcurves]


def fcurve(owner: bpy.types.ID, path: str, index: int) -> bpy.types.FCurve | None:
    """One of them, None where there is none; cheap enough for a redraw."""
    data: Any = animation(owner)
    action: Any = data.action if data is not None else None
    if action is None:
        return None
    if not hasattr(action, "slots"):
        return action.fcurves.find(path, index=index)
    for layer in action.layers if data.action_slot is not None else ():
        for strip in layer.strips:
            bag = strip.channelbag(data.action_slot)
            found = None if bag is None else bag.fcurves.find(path, index=index)
            if found is not None:
                return found
    return None


def set_corner_normals(mesh: bpy.types.Mesh, normals: NDArray[np.float32]) -> None:
    """Give a mesh normals of its own.

    From 4.5 on they can be an attribute, which is copied at once; before, each is turned into angles against its
    face's, which takes most of the time of making a mesh.

    Args:
        mesh: valid, with edges.
        normals: (corners, 3) unit vectors; zero where the mesh's own is to stay.
    """
    if bpy.app.version < (4, 5):
        mesh.normals_split_custom_set(normals.tolist())  # twice as fast as from an array
        return
    missing = np.asarray(~normals.any(axis=1))
    if missing.any():
        own = np.empty(normals.size, dtype=np.float32)
        mesh.corner_normals.foreach_get("vector", own)
        normals = np.where(missing[:, None], own.reshape(-1, 3), normals)
    attribute: Any = mesh.attributes.new("custom_normal", "FLOAT_VECTOR", "CORNER")
    attribute.data.foreach_set("vector", np.ascontiguousarray(normals).ravel())
    mesh.update()


def enum_value(owner: type, name: str, identifier: str) -> int:
    """The number by which arrays know an item of an enumeration, such as "LINEAR" of ``Keyframe.interpolation``."""
    described: Any = owner
    return int(described.bl_rna.properties[name].enum_items[identifier].value)


def shader_nodes(material: bpy.types.Material) -> bpy.types.ShaderNodeTree:
    """The material's node tree; made where new materials have none by themselves (before 5.0)."""
    if material.node_tree is None:
        material.use_nodes = True
    assert material.node_tree is not None
    return material.node_tree


def theme_error(theme: bpy.types.Theme) -> tuple[float, ...]:
    """The colour by which a theme says that something is wrong.

    From 5.0 on it belongs to the states of the interface, before to the Info editor alone.
    """
    state: Any = theme.user_interface.wcol_state
    info: Any = theme.info
    return tuple(state.error if hasattr(state, "error") else info.info_error)
