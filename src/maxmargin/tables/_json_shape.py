"""The shape of JSON lines before they are parsed: how deep values are nested, and how many cells they would make."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..messages import Place
from ._errors import TableError
from ._limits import CELL, Limits
from ._text import Block, lines_in

DEEPEST = 50
_QUOTE, _BACKSLASH = b'"\\'
# A key, wherever it is: possessive, and each string is looked through once, so that the time is that of one pass.
_KEY = re.compile(rb'[{,]\s*+"((?:[^"\\]|\\.)*+)"\s*+:', re.DOTALL)
_BLANKS = re.compile(r"[ \t\r\n]*+")
_DECODER = json.JSONDecoder(parse_int=len, parse_float=len)  # numbers do not matter here, nor how long they are


def lines_of(block: Block) -> Iterator[tuple[int, str]]:
    """Number and text of each line that is not blank."""
    for offset, text in enumerate(re.split(r"\r\n|\n|\r", block.data.decode())):
        if text.strip():
            yield block.line + offset, text


def too_deep(block: Block) -> int | None:
    """The line on which values are nested too deep for Arrow's reader, which calls itself for each level; or None.

    An object may go on in the next line, so depth is counted through the whole block. Up to the first mistake it is
    exact, and Arrow reads no further.
    """
    text = np.frombuffer(block.data, dtype=np.uint8)
    folded = text | 0x20  # [ and { are alike then, and so are ] and }
    places = np.flatnonzero((folded == ord("{")) | (folded == ord("}")))
    outside = np.searchsorted(_quotes(text), places) % 2 == 0
    places = places[outside]
    depth = np.cumsum(np.where(folded[places] == ord("{"), 1, -1))
    beyond = np.flatnonzero(depth > DEEPEST)
    if not len(beyond):
        return None
    return block.line + lines_in(block.data[: int(places[beyond[0]])])


def _quotes(text: np.ndarray) -> np.ndarray:
    """Places of quotes that begin or end a string: those after an odd number of backslashes are part of it."""
    quotes = np.flatnonzero(text == _QUOTE)
    slashes = np.flatnonzero(text == _BACKSLASH)
    if not len(slashes):
        return quotes
    begins = np.concatenate([[True], np.diff(slashes) > 1])
    starts, run = slashes[begins], np.cumsum(begins) - 1
    # The run that ends right before a quote is that of the last backslash before it.
    last = np.searchsorted(slashes, quotes) - 1
    before = (last >= 0) & (slashes[last] == quotes - 1)
    length = quotes - starts[run[last]]
    return quotes[~(before & (length % 2 == 1))]


class Cells:
    """Counts the cells of a table as it is read, and refuses one that is wide because few lines have the same keys.

    Arrow makes a cell for each key in each object, there or not. Each line of 12 bytes with a key of its own would make
    a hundred million cells of ten thousand lines.
    """

    def __init__(self, limits: Limits, name: str) -> None:
        self._limits, self._name = limits, name
        self._bytes = self._rows = 0
        self._names: set[str] = set()

    def before(self, block: Block, known: int) -> None:
        """Refuse a block that would make too many cells, by its keys; `known` columns are there anyway."""
        data = block.data
        keys = len(set(_KEY.findall(data))) + known
        if self._limits.expands(data.count(b"{") * keys * CELL, len(data)):
            self._exactly(block, known)

    def _exactly(self, block: Block, known: int) -> None:
        """The same, by the objects themselves; those after a mistake do not count, as Arrow does not read them."""
        objects: dict[tuple[str, ...], int] = {}
        keys: dict[tuple[str, ...], set[str]] = {}
        for row in _objects(block.data.decode()):
            _count(row, (), objects, keys)
        columns = len(keys.get((), ()))
        where = Place(self._name, block.line, onwards=True)
        self._limits.columns(columns, where)
        cells = sum(number * len(keys[path]) for path, number in objects.items()) + known * objects.get((), 0)
        self._refuse(cells, len(block.data), where, columns)

    def after(self, block: Block, table: Any) -> None:
        """Count what a block has become."""
        self._bytes += len(block.data)
        self._rows += table.num_rows
        self._names.update(table.column_names)
        self._limits.columns(len(self._names), Place(self._name))
        self._refuse(self._rows * len(self._names), self._bytes, Place(self._name), len(self._names))
        self._limits.memory(self._rows * len(self._names) * CELL, Place(self._name))

    def _refuse(self, cells: int, stored: int, where: Place, columns: int) -> None:
        self._limits.expansion(
            cells * CELL, stored, where, f"few lines have the same keys, so that most cells of {columns:,} columns are "
            "empty"
        )  # fmt: skip


def written_objects(text: str) -> Iterator[Any]:
    """The objects of a block with numbers as `Digits`, as they are written."""
    return _objects(text, json.JSONDecoder(parse_int=Digits, parse_float=Digits, parse_constant=Digits, strict=False))


class Digits(str):
    """A number of JSON as it is written."""

    __slots__ = ()


def written_value(value: Any) -> str:
    """JSON of a value of `written_objects`."""
    if isinstance(value, Digits):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(written_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{written_value(key)}: {written_value(item)}' for key, item in value.items())}}}"
    return json.dumps(value, ensure_ascii=False, default=str)


def _objects(text: str, decoder: json.JSONDecoder = _DECODER) -> Iterator[Any]:
    """Values one after the other, on lines of their own or not, up to the first that is none."""
    place = _BLANKS.match(text).end()  # type: ignore[union-attr]
    while place < len(text):
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            return
        yield value
        place = _BLANKS.match(text, place).end()  # type: ignore[union-attr]


def _count(value: Any, path: tuple[str, ...], objects: dict, keys: dict) -> None:
    """Objects at each place, and their keys."""
    if isinstance(value, list):
        for item in value:
            _count(item, (*path, "[]"), objects, keys)
    elif isinstance(value, dict):
        objects[path] = objects.get(path, 0) + 1
        keys.setdefault(path, set()).update(value)
        for key, item in value.items():
            if isinstance(item, dict | list):
                _count(item, (*path, key), objects, keys)


def deep_error(name: str, line: int) -> TableError:
    """The error for values that are nested too deep."""
    return TableError.at(Place(name, line), f"values are nested more than {DEEPEST} deep; flatten them.")
