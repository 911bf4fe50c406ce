"""Materials: defined for the whole robot or inside a visual, in any order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from .document import Element
from .filenotes import FileNotes
from .model import Material
from .notes import Notes
from .values import numbers, required

Color = tuple[float, float, float, float]

UNDEFINED_COLOR: Color = (0.5, 0.5, 0.5, 1.0)


class Materials:
    """The materials of a robot, by name.

    A visual that only names a material gets the robot's definition, wherever in the file it is; failing that, the one
    in the first visual that defines the name. A visual with a definition of its own keeps it, also when others use the
    same name for something else.
    """

    def __init__(self, robot: Element, files: FileNotes, notes: Notes) -> None:
        """Read all definitions.

        Raises:
            UrdfError: a material of the robot without name, or a colour that cannot be read.
        """
        self._files = files
        self._notes = notes
        self._by_name: dict[str, Material] = {}
        for element in robot.all("material"):
            name = required(notes, element, "name")
            if name in self._by_name:
                notes.warn(element, "defined twice; the first definition is used, rename or delete this one")
            else:
                self._by_name[name] = self._definition(element) or self._undefined(element)
        for link in robot.all("link"):
            for visual in link.all("visual"):
                inline = visual.first("material")
                name = "" if inline is None else inline.attributes.get("name", "")
                if inline is not None and name and name not in self._by_name:
                    material = self._definition(inline)
                    if material is not None:
                        self._by_name[name] = material

    def of(self, visual: Element) -> Material | None:
        """The material of a visual; None when it has none. An undefined one is grey, with a warning.

        Raises:
            UrdfError: its colour cannot be read.
        """
        element = visual.first("material")
        if element is None:
            return None
        own = self._definition(element)
        if own is not None:
            return own
        name = element.attributes.get("name", "")
        if not name:
            self._notes.warn(element, "has neither name nor colour nor texture; left out")
            return None
        return self._by_name.get(name) or self._undefined(element)

    def _undefined(self, element: Element) -> Material:
        self._notes.warn(element, 'is defined nowhere; grey is used, add <color rgba="…"/> to it')
        return Material(element.attributes.get("name", ""), UNDEFINED_COLOR)

    def _definition(self, element: Element) -> Material | None:
        """The material that the element itself describes; None when it only names one."""
        material = Material(element.attributes.get("name", ""))
        color = element.first("color")
        texture = element.first("texture")
        if color is not None and "rgba" in color.attributes:
            material = replace(material, color=_color(self._notes, color))
        if texture is not None and texture.attributes.get("filename", "").strip():
            material = replace(material, texture=self._texture(texture))
            if material.texture is None and material.color is None:
                material = replace(material, color=UNDEFINED_COLOR)
        return None if material.color is None and material.texture is None else material

    def _texture(self, element: Element) -> Path | None:
        return self._files.find(element, "texture", element.attributes["filename"]).path


def _color(notes: Notes, element: Element) -> Color:
    text = element.attributes["rgba"]
    if len(text.replace(",", " ").split()) == 3:
        red, green, blue = numbers(notes, element, "rgba", 3)
        alpha = 1.0
        notes.warn(element, f"rgba={text!r} has no alpha; 1 is used")
    else:
        red, green, blue, alpha = numbers(notes, element, "rgba", 4)
    if max(red, green, blue) > 2.0:
        notes.warn(element, f"rgba={text!r} goes to 255; divided by 255, write values from 0 to 1")
        red, green, blue = red / 255.0, green / 255.0, blue / 255.0
        alpha = alpha / 255.0 if alpha > 2.0 else alpha
    elif not all(0.0 <= value <= 1.0 for value in (red, green, blue, alpha)):
        notes.warn(element, f"rgba={text!r} lies outside 0 to 1; clamped")
    return _clamped(red), _clamped(green), _clamped(blue), _clamped(alpha)


def _clamped(value: float) -> float:
    return min(max(value, 0.0), 1.0)
