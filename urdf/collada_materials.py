"""Colours and textures of a COLLADA file."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from .files import Finder
from .model import Material

Color = tuple[float, float, float, float]
# An object of pycollada, which has no types.
Dae: TypeAlias = Any

Look = Callable[[str | None], Material]

# How bright red, green and blue look (ITU-R BT.709), by which the COLLADA specification weighs transparent colours.
_LUMINANCE = (0.212671, 0.715160, 0.072169)


class FileMaterials:
    """The materials of one file; each is read once."""

    def __init__(self, path: Path, document: Dae, messages: dict[str, None]) -> None:
        """Prepare.

        Args:
            path: the file, beside which textures lie.
            document: as pycollada read it.
            messages: gets what was left out.
        """
        self._document = document
        self._messages = messages
        self._finder = Finder(path)
        self._known: dict[int, Material] = {}

    def bound(self, materials: dict[str, Dae]) -> Look:
        """What gives the material of a symbol in a geometry.

        A symbol that nothing is bound to is looked up as the material's id, as geometries without a scene need; what
        stays unknown is a material that says nothing.

        Args:
            materials: pycollada's materials by symbol.
        """

        def look(symbol: str | None) -> Material:
            if symbol is None:
                return Material("")
            material = materials.get(symbol) or self._document.materials.get(symbol)
            return Material("") if material is None else self._material(material)

        return look

    def _material(self, material: Dae) -> Material:
        if id(material) not in self._known:
            effect = material.effect
            name = material.name or material.id or ""
            image = getattr(getattr(getattr(effect.diffuse, "sampler", None), "surface", None), "image", None)
            if image is None:
                self._known[id(material)] = Material(name, _color(effect))
            else:
                self._known[id(material)] = Material(name, None, self._texture(image))
        return self._known[id(material)]

    def _texture(self, image: Dae) -> Path | None:
        uri = (image.path or "").strip()
        found = self._finder.find(uri)
        if found.path is None:
            self._messages[f"texture {uri!r} was not found; {found.explanation}"] = None
        elif found.note:
            self._messages[f"texture {uri!r} {found.note}"] = None
        return found.path


def _color(effect: Dae) -> Color | None:
    """Diffuse colour and opacity; None when the file gives no colour."""
    diffuse = _rgba(effect.diffuse)
    if diffuse is None:
        return None
    alpha = diffuse[3] * _opacity(effect)
    # Exporters disagree about what 0 means. A part of a robot that cannot be seen at all is not what any of them meant.
    return (*diffuse[:3], alpha if alpha > 0.0 else 1.0)


def _opacity(effect: Dae) -> float:
    """COLLADA 1.4.1, "Determining transparency": by alpha (A_ONE), or by what the colour lets through (RGB_ZERO)."""
    amount = effect.transparency
    if not isinstance(amount, float) or not math.isfinite(amount):
        return 1.0
    transparent = _rgba(effect.transparent)
    if effect.opaque_mode == "RGB_ZERO":
        if transparent is None:
            return 1.0
        passing = sum(weight * value for weight, value in zip(_LUMINANCE, transparent[:3], strict=True))
        return _clamped(1.0 - passing * amount)
    return _clamped((1.0 if transparent is None else transparent[3]) * amount)


def _rgba(value: Dae) -> Color | None:
    """A colour clamped to [0, 1]; None for what is none."""
    if not isinstance(value, tuple | list) or len(value) < 3:
        return None
    numbers = [_clamped(float(number)) for number in value[:4]]
    if not all(map(math.isfinite, numbers)):
        return None
    red, green, blue, alpha = [*numbers, 1.0][:4]
    return red, green, blue, alpha


def _clamped(value: float) -> float:
    return min(max(value, 0.0), 1.0)
