"""Thrift's compact protocol, in which Parquet writes its footer and the headers of its pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

I32, I64, TEXT, LIST, STRUCTURE = 5, 6, 8, 9, 12  # types
_INTEGERS = {32: I32, 64: I64}
_LARGEST = (1 << 64) - 1
_LAST_FIELD = (1 << 15) - 1  # numbers of fields have 16 bits
_DEEPEST = 16


class Compact:
    """As much of Thrift's compact protocol as it takes to come to the end of a structure."""

    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

    def numbers(self) -> dict[int, int]:
        """The integers of a structure by their field, the largest if one is there twice; other fields are passed by."""
        found: dict[int, int] = {}
        field = 0
        while kind := self._data[self.at]:
            self.at += 1
            if kind >> 4:
                field += kind >> 4
            else:
                field = self._signed()
            kind &= 15
            if kind in (4, 5, 6):
                value = self._signed()
                found[field] = max(value, found.get(field, value))
            elif kind not in (1, 2):  # true and false have no value of their own
                self._pass(kind, 0)
        self.at += 1
        return found

    def structure(self, known: Mapping[int, Callable[[Compact, int], Any]]) -> dict[int, Any]:
        """The known fields of a structure, each read by its function, which gets the type; others are passed by."""
        found: dict[int, Any] = {}
        field = 0
        while kind := self._data[self.at]:
            self.at += 1
            field = field + (kind >> 4) if kind > 15 else self._signed()
            kind &= 15
            if field > _LAST_FIELD or field in found:
                raise ValueError("a field is there twice, or has no valid number")
            if field in known:
                found[field] = known[field](self, kind)
            elif kind not in (1, 2):
                self._pass(kind, 0)
        self.at += 1
        return found

    def integer(self, kind: int, bits: int) -> int:
        """A number of the given type, which must be that of so many bits."""
        value = self._signed()
        if kind != _INTEGERS[bits] or not -(1 << bits - 1) <= value < 1 << bits - 1:
            raise ValueError(f"no number of {bits} bits where one should be")
        return value

    def count(self, kind: int, element: int) -> int:
        """How many elements a list has, which begin here; they must have the type `element`."""
        head = self._data[self.at]
        self.at += 1
        count = self._number() if head >> 4 == 15 else head >> 4
        if kind != LIST or (count and head & 15 != element):
            raise ValueError("no list, or one of another type, where one should be")
        return count

    def pass_list(self, kind: int, element: int) -> int:
        """Pass by a list of this type; how many elements it has."""
        count = self.count(kind, element)
        for _ in range(count):
            self._pass(element, 0)
        return count

    def _pass(self, kind: int, depth: int) -> None:
        if depth > _DEEPEST:
            raise ValueError("nested too deep")
        if kind in (1, 2, 3):
            self._skip(1)
        elif kind in (4, 5, 6):
            self._number()
        elif kind == 7:
            self._skip(8)
        elif kind == 8:
            self._skip(self._number())
        elif kind in (9, 10):
            self._pass_list(depth)
        elif kind == 12:
            self._pass_structure(depth + 1)
        else:  # maps and what is unknown: Parquet has none
            raise ValueError("an unknown type")

    def _pass_structure(self, depth: int) -> None:  # most of a footer is passed by here
        data, at = self._data, self.at
        while kind := data[at]:
            at += 1
            if kind < 16:  # the number of the field follows
                while data[at] > 127:
                    at += 1
                at += 1
            kind &= 15
            if kind in (4, 5, 6):
                while data[at] > 127:
                    at += 1
                at += 1
            elif kind == 8 and data[at] < 128:
                at += data[at] + 1
            elif kind > 2:
                self.at = at
                self._pass(kind, depth)
                at = self.at
        self.at = at + 1

    def _pass_list(self, depth: int) -> None:
        head = self._data[self.at]
        self.at += 1
        count = self._number() if head >> 4 == 15 else head >> 4
        for _ in range(count):  # each element takes a byte or more, so that the data end before a false count does
            self._pass(head & 15, depth + 1)

    def _skip(self, size: int) -> None:
        self.at += size
        if self.at > len(self._data):
            raise IndexError

    def _number(self) -> int:
        value = self._data[self.at]
        if value < 128:
            self.at += 1
            return value
        value = shift = 0
        while True:
            byte = self._data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value & _LARGEST
            shift += 7
            if shift > 63:
                raise ValueError("a number too long")

    def _signed(self) -> int:
        value = self._number()
        return (value >> 1) ^ -(value & 1)
