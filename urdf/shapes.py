"""What a link looks like, and what it collides with."""

from __future__ import annotations

from .document import Element
from .files import Finder
from .materials import Materials
from .model import Box, Capsule, Cylinder, Geometry, Link, MeshFile, Sphere, Visual
from .notes import Notes
from .values import number, numbers, origin, required


class Links:
    """Reads ``<link>`` elements; what a link holds beside its shapes is left alone."""

    def __init__(self, materials: Materials, finder: Finder, notes: Notes) -> None:
        self._materials = materials
        self._finder = finder
        self._notes = notes

    def read(self, element: Element) -> Link:
        """A link with its visuals and collision shapes. Shapes that cannot be made are left out with a warning.

        Raises:
            UrdfError: the link has no name, or a number cannot be read.
        """
        name = required(self._notes, element, "name")
        return Link(
            name=name,
            visuals=tuple(self._shapes(element, name, "visual")),
            collisions=tuple(self._shapes(element, name, "collision")),
            line=element.line,
        )

    def _shapes(self, link: Element, link_name: str, tag: str) -> list[Visual]:
        shapes = []
        for element in link.all(tag):
            geometry = self._geometry(element, link_name)
            if geometry is not None:
                material = self._materials.of(element) if tag == "visual" else None
                shapes.append(
                    Visual(element.attributes.get("name", ""), origin(self._notes, element), geometry, material)
                )
        return shapes

    def _geometry(self, element: Element, link_name: str) -> Geometry | None:
        parent = element.first("geometry")
        shape = None if parent is None else next((child for child in parent.children if ":" not in child.tag), None)
        if shape is None:
            self._notes.warn(
                element,
                f"link {link_name!r} has a <{element.tag}> without a shape; left out, add a <geometry> with one",
            )
            return None
        if shape.tag == "box":
            x, y, z = numbers(self._notes, shape, "size", 3)
            return Box(size=(x, y, z))
        if shape.tag == "cylinder":
            return Cylinder(radius=number(self._notes, shape, "radius"), length=number(self._notes, shape, "length"))
        if shape.tag == "sphere":
            return Sphere(radius=number(self._notes, shape, "radius"))
        if shape.tag == "capsule":
            return Capsule(radius=number(self._notes, shape, "radius"), length=number(self._notes, shape, "length"))
        if shape.tag == "mesh":
            return self._mesh(shape, link_name, element.tag)
        known = "box, cylinder, sphere, capsule or mesh"
        self._notes.warn(shape, f"link {link_name!r} has a shape that is not known; left out, use {known}")
        return None

    def _mesh(self, element: Element, link_name: str, role: str) -> MeshFile | None:
        uri = element.attributes.get("filename", "")
        if not uri.strip():
            self._notes.warn(element, f"link {link_name!r} has a {role} mesh without a filename; left out, name a file")
            return None
        found = self._finder.find(uri)
        if found.path is None:
            self._notes.warn(
                element, f"link {link_name!r}: {role} mesh {uri!r} was not found and is left out; {found.explanation}"
            )
        elif found.note:
            self._notes.warn(element, f"link {link_name!r}: {role} mesh {uri!r} {found.note}")
        return MeshFile(uri=uri, path=found.path, scale=self._scale(element), line=element.line)

    def _scale(self, element: Element) -> tuple[float, float, float]:
        if len(element.attributes.get("scale", "").split()) == 1:
            factor = number(self._notes, element, "scale")
            self._notes.warn(
                element, f"scale={element.attributes['scale']!r} is one number; used for all three axes, write three"
            )
            return factor, factor, factor
        x, y, z = numbers(self._notes, element, "scale", 3, (1.0, 1.0, 1.0))
        if 0.0 in (x, y, z):
            self._notes.warn(
                element, f"scale={element.attributes['scale']!r} makes the mesh flat; write factors other than 0"
            )
        return x, y, z
