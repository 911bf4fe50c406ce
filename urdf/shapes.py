"""What a link looks like, and what it collides with."""

from __future__ import annotations

from .document import Element
from .filenotes import FileNotes
from .materials import Materials
from .model import Box, Capsule, Cylinder, Geometry, Link, MeshFile, Sphere, Visual
from .notes import Notes
from .values import number, numbers, origin, required


class Links:
    """Reads ``<link>`` elements; what a link holds beside its shapes is left alone."""

    def __init__(self, materials: Materials, visual: Shapes, collision: Shapes) -> None:
        self._materials = materials
        self._visual = visual
        self._collision = collision

    def read(self, element: Element, notes: Notes) -> Link:
        """A link with its visuals and collision shapes. Shapes that cannot be made are left out with a warning.

        Raises:
            UrdfError: the link has no name, or a number cannot be read.
        """
        name = required(notes, element, "name")
        return Link(
            name=name,
            visuals=tuple(self._visual.read(element, name, self._materials)),
            collisions=tuple(self._collision.read(element, name)),
            line=element.line,
        )


class Shapes:
    """Reads the shapes of one role, "visual" or "collision"."""

    def __init__(self, role: str, files: FileNotes, notes: Notes) -> None:
        self._role = role
        self._files = files
        self._notes = notes

    def read(self, link: Element, link_name: str, materials: Materials | None = None) -> list[Visual]:
        """The link's shapes of this role; see :meth:`Links.read`."""
        shapes = []
        for element in link.all(self._role):
            geometry = self._geometry(element, link_name)
            if geometry is not None:
                material = None if materials is None else materials.of(element)
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
            x, y, z = self._sizes(shape, link_name, numbers(self._notes, shape, "size", 3))
            return Box(size=(x, y, z))
        if shape.tag == "sphere":
            return Sphere(*self._sizes(shape, link_name, (number(self._notes, shape, "radius"),)))
        if shape.tag in ("cylinder", "capsule"):
            sizes = (number(self._notes, shape, "radius"), number(self._notes, shape, "length"))
            return (Cylinder if shape.tag == "cylinder" else Capsule)(*self._sizes(shape, link_name, sizes))
        if shape.tag == "mesh":
            return self._mesh(shape, link_name)
        known = "box, cylinder, sphere, capsule or mesh"
        self._notes.warn(shape, f"link {link_name!r} has a shape that is not known; left out, use {known}")
        return None

    def _sizes(self, element: Element, link_name: str, sizes: tuple[float, ...]) -> tuple[float, ...]:
        """The sizes of a shape, without their signs."""
        if min(sizes) < 0.0:
            self._notes.warn(element, f"link {link_name!r} has a {element.tag} of negative size; its sign is left out")
        return tuple(map(abs, sizes))

    def _mesh(self, element: Element, link_name: str) -> MeshFile | None:
        what = f"link {link_name!r}: {self._role} mesh"
        uri = element.attributes.get("filename", "")
        if not uri.strip():
            text = f"link {link_name!r} has a {self._role} mesh without a filename"
            self._notes.warn(element, f"{text}; left out, name a file")
            return None
        found = self._files.find(element, what, uri)
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
