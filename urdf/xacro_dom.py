"""Between our elements and the DOM that xacro works on, with file and line of every element kept on the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.dom import minidom

from .document import MAX_DEPTH, Element
from .errors import Line, UrdfError

_LINE = "linkpose.line"


class LineKeeper:
    """Hands the line of an element on to its copies, and counts them, for copies are what makes an expansion large."""

    def __init__(self, count: Callable[[], None]) -> None:
        self._count = count

    def handle(self, operation: int, key: str, data: Any, src: minidom.Node, dst: minidom.Node) -> None:  # noqa: ANN401
        """Called by the DOM for every element that is copied."""
        self._count()
        dst.setUserData(key, data, self)


def to_dom(root: Element, path: Path, keeper: LineKeeper) -> minidom.Document:
    """A document of the elements. Character data come before the children: in robot descriptions it is all the same.

    Args:
        root: of the file.
        path: the file.
        keeper: to be told of copies.
    """
    document = minidom.Document()

    def made(element: Element) -> minidom.Element:
        node = document.createElement(element.tag)
        node.setUserData(_LINE, Line(element.line, path), keeper)
        for name, value in element.attributes.items():
            node.setAttribute(name, value)
        if element.pieces:
            node.appendChild(document.createTextNode("".join(element.pieces)))
        for child in element.children:
            node.appendChild(made(child))
        return node

    document.appendChild(made(root))
    return document


def from_dom(document: minidom.Document, path: Path) -> Element:
    """The elements of a document; each knows the file and line where it was written.

    Args:
        document: made by :func:`to_dom`, and expanded since.
        path: of the file that was expanded.

    Raises:
        UrdfError: elements lie too deep in each other.
    """

    def read(node: minidom.Element, depth: int) -> Element:
        element = Element(node.tagName, dict(node.attributes.items()), line_of(node) or Line(0, path))
        if depth >= MAX_DEPTH:
            raise UrdfError(path, element.line, f"{element} lies {MAX_DEPTH} elements deep; no robot description does")
        for child in node.childNodes:
            if child.nodeType == child.ELEMENT_NODE:
                element.children.append(read(child, depth + 1))
            elif child.nodeType in (child.TEXT_NODE, child.CDATA_SECTION_NODE) and not child.data.isspace():
                element.pieces.append(child.data)
        return element

    assert document.documentElement is not None  # made from a root
    return read(document.documentElement, 0)


def line_of(node: minidom.Node | None) -> Line | None:
    """Where a node, or the element around it, was written; None when it is not known."""
    while node is not None:
        line = node.getUserData(_LINE)
        if isinstance(line, Line):
            return line
        node = node.parentNode
    return None
