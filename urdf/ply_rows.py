"""The rows of a PLY file, text or binary, as columns of numbers; its header says what they are."""

from __future__ import annotations

import struct
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import MeshError

Numbers = NDArray[np.float64]

_STRUCT = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "f4": "f", "f8": "d"}


class Property(NamedTuple):
    """A column: its numpy type code, and that of the length of a list, "" for a single number."""

    name: str
    kind: str
    length: str


@dataclass
class Element:
    """So many rows of the same columns."""

    name: str
    count: int
    properties: list[Property] = field(default_factory=list)


class Lists(NamedTuple):
    """The lists of a property: (n,) how long each is, and all their numbers one after the other."""

    lengths: NDArray[np.int64]
    numbers: Numbers


Column = Numbers | Lists


class TextRows:
    """The numbers of a text file, taken row by row."""

    def __init__(self, path: Path, data: bytes, start: int) -> None:
        self._path = path
        self._at = 0
        with warnings.catch_warnings():  # numpy warns of what is no number, and goes no further
            warnings.simplefilter("ignore")
            try:
                self._numbers: Numbers = np.fromstring(data[start:], dtype=np.float64, sep=" ")
            except ValueError:
                self._numbers = np.empty(0)

    def rows(self, element: Element) -> dict[str, Column]:
        """The columns of an element, which begins where the one before ended."""
        columns = element.properties
        # A list takes one number at least, its length.
        if element.count * len(columns) > len(self._numbers) - self._at:
            raise self._cut_off(element)
        if not element.count or not columns:
            return _columns(columns, [[] for _ in columns], [[] for _ in columns])
        if not any(column.length for column in columns):
            flat = self._take(element, element.count * len(columns))
            return {column.name: flat[i :: len(columns)] for i, column in enumerate(columns)}
        return self._equal_lists(element) or self._any_lists(element)

    def _equal_lists(self, element: Element) -> dict[str, Column] | None:
        """The columns when all rows have lists of the same lengths as the first one, None when they have not."""
        widths, at = [], self._at
        for column in element.properties:
            length = int(self._length(element, at)) if column.length else 0
            widths.append(1 + length)
            at += widths[-1]
        width = sum(widths)
        if element.count * width > len(self._numbers) - self._at:
            return None
        table = self._numbers[self._at : self._at + element.count * width].reshape(element.count, width)
        found: dict[str, Column] = {}
        place = 0
        for column, of_column in zip(element.properties, widths, strict=True):
            first, values = table[:, place], table[:, place + 1 : place + of_column]
            if column.length and not (first == of_column - 1).all():
                return None
            lengths = np.full(element.count, of_column - 1, dtype=np.int64)
            found[column.name] = Lists(lengths, values.ravel()) if column.length else first
            place += of_column
        self._at += element.count * width
        return found

    def _any_lists(self, element: Element) -> dict[str, Column]:
        columns = element.properties
        lengths: list[list[int]] = [[] for _ in columns]
        values: list[list[Numbers]] = [[] for _ in columns]
        for _ in range(element.count):
            for i, column in enumerate(columns):
                count = 1
                if column.length:
                    count = self._length(element, self._at)
                    lengths[i].append(count)
                    self._at += 1
                values[i].append(self._take(element, count))
        return _columns(columns, lengths, values)

    def _length(self, element: Element, at: int) -> int:
        if at >= len(self._numbers):
            raise self._cut_off(element)
        number = float(self._numbers[at])
        if not 0.0 <= number <= len(self._numbers) or number != int(number):
            raise MeshError(self._path, f"its element {element.name!r} has a list of {number:g} numbers")
        return int(number)

    def _take(self, element: Element, count: int) -> Numbers:
        if count > len(self._numbers) - self._at:
            raise self._cut_off(element)
        self._at += count
        return self._numbers[self._at - count : self._at]

    def _cut_off(self, element: Element) -> MeshError:
        return MeshError(
            self._path,
            f"it ends, or holds what is no number, within its {element.count} of element {element.name!r}: "
            f"{len(self._numbers)} numbers are there",
        )


class BinaryRows:
    """The bytes of a binary file, taken row by row."""

    def __init__(self, path: Path, data: bytes, start: int, order: str) -> None:
        self._path, self._data, self._at, self._order = path, data, start, order

    def rows(self, element: Element) -> dict[str, Column]:
        """The columns of an element, which begins where the one before ended."""
        columns = element.properties
        least = sum(np.dtype(column.length or column.kind).itemsize for column in columns)
        if element.count * least > len(self._data) - self._at:
            raise self._cut_off(element)
        if not element.count or not columns:
            return _columns(columns, [[] for _ in columns], [[] for _ in columns])
        if not any(column.length for column in columns):
            return self._equal_rows(element, [0] * len(columns)) or {}
        return self._equal_rows(element, self._first_lengths(element)) or self._any_lists(element)

    def _first_lengths(self, element: Element) -> list[int]:
        """The lengths of the lists of the first row."""
        at, found = self._at, []
        for column in element.properties:
            length = 0
            if column.length:
                length = self._length(element, column, at)
                at += np.dtype(column.length).itemsize
            found.append(length)
            at += np.dtype(column.kind).itemsize * (length if column.length else 1)
        return found

    def _equal_rows(self, element: Element, lengths: list[int]) -> dict[str, Column] | None:
        """The columns when all rows have lists of these lengths, None when they have not."""
        fields: list[tuple[str, str, int]] = []
        for i, (column, length) in enumerate(zip(element.properties, lengths, strict=True)):
            if column.length:
                fields.append((f"n{i}", self._order + column.length, 1))
            fields.append((f"v{i}", self._order + column.kind, length if column.length else 1))
        # Before numpy sees the row: of one that is too long it wraps the size, and crashes.
        width = sum(np.dtype(kind).itemsize * count for _, kind, count in fields)
        if element.count * width > len(self._data) - self._at:
            return None
        row = np.dtype([(name, kind, (count,)) for name, kind, count in fields])
        table = np.frombuffer(self._data, dtype=row, count=element.count, offset=self._at)
        found: dict[str, Column] = {}
        for i, (column, length) in enumerate(zip(element.properties, lengths, strict=True)):
            if column.length and not (table[f"n{i}"] == length).all():
                return None
            values = table[f"v{i}"].astype(np.float64).ravel()
            many = np.full(element.count, length, dtype=np.int64)
            found[column.name] = Lists(many, values) if column.length else values
        self._at += element.count * row.itemsize
        return found

    def _any_lists(self, element: Element) -> dict[str, Column]:
        columns = element.properties
        lengths: list[list[int]] = [[] for _ in columns]
        values: list[list[Numbers]] = [[] for _ in columns]
        for _ in range(element.count):
            for i, column in enumerate(columns):
                count = 1
                if column.length:
                    count = self._length(element, column, self._at)
                    lengths[i].append(count)
                    self._at += np.dtype(column.length).itemsize
                kind = np.dtype(self._order + column.kind)
                if count * kind.itemsize > len(self._data) - self._at:
                    raise self._cut_off(element)
                values[i].append(np.frombuffer(self._data, kind, count, self._at).astype(np.float64))
                self._at += count * kind.itemsize
        return _columns(columns, lengths, values)

    def _length(self, element: Element, column: Property, at: int) -> int:
        if at + np.dtype(column.length).itemsize > len(self._data):
            raise self._cut_off(element)
        number = int(struct.unpack_from(self._order + _STRUCT[column.length], self._data, at)[0])
        if number < 0:
            raise MeshError(self._path, f"its element {element.name!r} has a list of {number} numbers")
        return number

    def _cut_off(self, element: Element) -> MeshError:
        return MeshError(
            self._path,
            f"it ends within its {element.count} of element {element.name!r}: {len(self._data)} bytes are there",
        )


def _columns(properties: list[Property], lengths: list[list[int]], values: list[list[Numbers]]) -> dict[str, Column]:
    found: dict[str, Column] = {}
    for column, many, rows in zip(properties, lengths, values, strict=True):
        flat = np.concatenate([np.empty(0), *rows])
        found[column.name] = Lists(np.array(many, dtype=np.int64), flat) if column.length else flat
    return found
