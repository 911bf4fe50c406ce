"""What the scene's active keying set keys: its own paths, or what its rule says of the bones of a drag."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator

import bpy

from ..errors import RigError
from .keys import Property, Rules


def active(scene: bpy.types.Scene) -> bpy.types.KeyingSet | None:
    """The keying set that auto-keying is confined to; None where it is not."""
    return scene.keying_sets_all.active if scene.tool_settings.use_keyframe_insert_keyingset else None


def rules(context: bpy.types.Context, chosen: bpy.types.KeyingSet) -> Rules:
    """How a keying set keys: by its own flags. Those of auto-keying have no say in what somebody has listed."""
    edit, tools = context.preferences.edit, context.scene.tool_settings
    needed, visual = chosen.use_insertkey_needed, chosen.use_insertkey_visual
    return Rules(
        needed=needed if chosen.use_insertkey_override_needed else needed or edit.use_keyframe_insert_needed,
        visual=visual if chosen.use_insertkey_override_visual else visual or edit.use_visual_keying,
        cycle_aware=tools.use_keyframe_cycle_aware,
        type=tools.keyframe_type,
    )


def properties(
    context: bpy.types.Context, chosen: bpy.types.KeyingSet, bones: Iterable[bpy.types.PoseBone]
) -> list[Property]:
    """What a keying set keys.

    Args:
        context: handed on to the set's rule.
        chosen: the set. One of paths keys all of those. Any other, such as Blender's own, has a rule that says what
            to key of a bone.
        bones: to which the rule is applied; Blender applies it to what was transformed.

    Raises:
        RigError: the set's rule is not to be found, or fails.
    """
    # The others keep the paths that they were last used with, which mean nothing now.
    if chosen.is_path_absolute:
        return [
            Property(path.id, path.data_path, -1 if path.use_entire_array else path.array_index, _group(chosen, path))
            for path in chosen.paths
            if path.id is not None
        ]
    kind = next((kind for kind in _kinds(bpy.types.KeyingSetInfo) if _idname(kind) == chosen.bl_idname), None)
    if kind is None:
        raise RigError(f"the rule of the keying set {chosen.bl_label!r} is gone: choose another one")
    collected = _Collected()
    rule, stand_in = _Rule(kind), types.SimpleNamespace(paths=collected)
    for bone in bones:
        try:
            rule.generate(context, stand_in, bone)
        except Exception as error:
            raise RigError(
                f"the rule of the keying set {chosen.bl_label!r} failed on {bone.name!r}: {error}"
            ) from error
    return list(dict.fromkeys(collected.found))


def _group(chosen: bpy.types.KeyingSet, path: bpy.types.KeyingSetPath) -> str:
    if path.group_method == "NAMED":
        return str(path.group)
    return str(chosen.bl_label) if path.group_method == "KEYINGSET" else ""


def _kinds(kind: type) -> Iterator[type]:
    for below in kind.__subclasses__():
        yield below
        yield from _kinds(below)


def _idname(kind: type) -> str:
    return str(getattr(kind, "bl_idname", "") or kind.__name__)


class _Collected:
    """Stands in for the paths of a keying set, where a rule adds what it wants to be keyed."""

    def __init__(self) -> None:
        self.found: list[Property] = []

    def add(
        self, owner: bpy.types.ID, path: str, index: int = -1, group_method: str = "KEYINGSET", group_name: str = ""
    ) -> None:
        """As :meth:`bpy.types.KeyingSetPaths.add`, whose arguments rules give by these names or by place."""
        self.found.append(Property(owner, path, index, group_name if group_method == "NAMED" else ""))


class _Rule:
    """Stands in for an instance of a rule's class, of which only Blender can make some."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def generate(self, *arguments: object) -> None:
        """Add what is keyed of a bone: (context, keying set, bone)."""
        getattr(self._kind, "generate")(self, *arguments)  # noqa: B009 - Blender's stubs do not know it

    def __getattr__(self, name: str) -> object:
        found = getattr(self._kind, name)
        return types.MethodType(found, self) if isinstance(found, types.FunctionType) else found
