"""XML text as small elements that know their line. Forgives what real robot files get wrong, refuses what harms."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from .errors import UrdfError, place

MAX_DEPTH = 256
MAX_BYTES = 64 * 1024 * 1024

# Also the broken forms that exist: closed by ">" alone, or not at the start of the file.
_DECLARATION = re.compile(r"<\?xml\b[^<>]*>")
_ENCODING = re.compile(rb"<\?xml\b[^<>]*\bencoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
_BEFORE_DECLARATION = re.compile(r"(?:\s|<!--.*?-->)*", re.DOTALL)


@dataclass(slots=True)
class Element:
    """An XML element. Prefixes are part of the tag and need no declaration.

    Attributes:
        tag: as written.
        attributes: as written, entities resolved.
        line: of the opening tag, counted from 1.
        children: elements inside, in order.
        pieces: of character data directly inside, in order, without those that are blank.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """The opening tag, short: how messages name the element."""
        name = self.attributes.get("name")
        return f"<{self.tag}>" if name is None else f"<{self.tag} name={name!r}>"

    @property
    def text(self) -> str:
        """Character data directly inside, joined, without blanks around it."""
        return "".join(self.pieces).strip()

    def all(self, tag: str) -> Iterator[Element]:
        """The children with that tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        """The first child with that tag, or None."""
        return next(self.all(tag), None)


def read_document(path: Path) -> tuple[Element, list[str]]:
    """Read an XML file.

    Byte order marks, Latin-1, trailing NULs, comments and blank lines before ``<?xml?>``, prefixes that are not bound
    and every kind of line end are accepted. Document types and entities are not: robot descriptions have no use for
    them, and they can make a small file fill the memory or read other files.

    Args:
        path: the file.

    Returns:
        The root element, and warnings.

    Raises:
        UrdfError: the file cannot be read or is no well-formed XML; names the line.
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe, which would be waited for
            raise UrdfError(path, 0, "is no file that can be read; check the path")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UrdfError(path, 0, f"cannot be read: {error.strerror or error}; check the path") from error
    if len(data) > MAX_BYTES:
        raise UrdfError(path, 0, f"is larger than {MAX_BYTES >> 20} MiB, which no robot description is; check the path")
    text, warnings = _decode(data, path)
    return _parse(text, path), warnings


def _decode(data: bytes, path: Path) -> tuple[str, list[str]]:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            try:
                return data.decode(encoding).rstrip("\0 \t\r\n"), []
            except UnicodeError as error:
                raise UrdfError(
                    path, 1, f"starts as {encoding.upper()} but is not ({error}); save it as UTF-8"
                ) from error
    data = data.rstrip(b"\0 \t\r\n")
    declared = _declared_encoding(data)
    try:
        return data.decode(declared), []
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return data.decode("latin-1"), [
            f"{place(path, line)}: no valid {declared}; read as Latin-1, save the file as UTF-8"
        ]


def _declared_encoding(data: bytes) -> str:
    """The encoding that the XML declaration names, where Python knows it and it can be true; else UTF-8."""
    declared = _ENCODING.search(data, 0, 4096)
    if declared is None:
        return "utf-8"
    name = declared.group(1).decode("ascii")
    try:
        return name if b"<?xml".decode(name) == "<?xml" else "utf-8"
    except (LookupError, UnicodeError):
        return "utf-8"


def _parse(text: str, path: Path) -> Element:
    """Build the tree. The declaration is blanked, because expat wants it first, and in the encoding that it names."""
    declaration = _DECLARATION.match(text, _end_of_remarks(text))
    if declaration is not None:
        text = text[: declaration.start()] + re.sub(r"[^\r\n]", " ", declaration.group()) + text[declaration.end() :]
    builder = _Builder(path)
    try:
        # A lone surrogate cannot be written as UTF-8 and is no character of XML.
        builder.parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        reason = expat.errors.messages[error.code] if error.code in expat.errors.messages else str(error)
        raise UrdfError(path, error.lineno, f"no well-formed XML ({reason}); {_remedy(error.code, builder)}") from error
    assert builder.root is not None  # expat refuses a document without one
    return builder.root


def _end_of_remarks(text: str) -> int:
    match = _BEFORE_DECLARATION.match(text)
    return match.end() if match else 0


def _remedy(code: int, builder: _Builder) -> str:
    if code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]:
        if builder.open:
            return f"{builder.open[-1]} of line {builder.open[-1].line} is never closed; was the file cut off?"
        return "the file is empty; check the path"
    if code == expat.errors.codes[expat.errors.XML_ERROR_TAG_MISMATCH] and builder.open:
        return f"close {builder.open[-1]} of line {builder.open[-1].line} first"
    return "correct it there or just before"


class _Builder:
    """Collects expat's events in a tree."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.root: Element | None = None
        self.open: list[Element] = []
        # The text is handed over as UTF-8. Without a namespace separator expat takes prefixes as they come.
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, self.parser.CurrentLineNumber)
        if len(self.open) >= MAX_DEPTH:
            raise UrdfError(
                self.path, element.line, f"{element} lies {MAX_DEPTH} elements deep; no robot description does"
            )
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _characters(self, data: str) -> None:
        if not data.isspace():
            self.open[-1].pieces.append(data)

    def _doctype(self, name: str, system_id: str | None, public_id: str | None, has_internal_subset: bool) -> None:
        line = self.parser.CurrentLineNumber
        raise UrdfError(self.path, line, f"<!DOCTYPE {name}> is not read, for entities can do harm; delete it")
