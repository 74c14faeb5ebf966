"""How much a file may ask for: columns, bytes in memory, and growth between what is stored and what is read.

A few kilobytes can stand for gigabytes: gzip packs a thousand bytes into one, Parquet a million equal cells into ten
bytes, and JSON lines of which each has a key of its own make a table as wide as it is long. Readers ask here before
they make what they were asked for; the error names the limit, and every limit can be set.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import inf

from ..messages import Argument, Place, byte_size
from ._errors import TableError, TableLimitError

MOST_COLUMNS = 100_000
MOST_SPARSE_COLUMNS = 10**8  # a model keeps a weight for each column up to the largest index, in memory
MOST_EXPANSION = 200
FREE = 1 << 26  # bytes: what grows to no more than this is read whatever its ratio
CELL = 8  # bytes of a number, and of the offset and some letters of a text


def _memory() -> float:
    """Bytes of memory that this machine has."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # not on Windows
        return inf


@dataclass(frozen=True)
class Limits:
    """The limits that callers set; None is the default of each, infinity no limit.

    Attributes
    ----------
    max_columns : int, default=None
        Columns of a table: 100,000. Of LIBSVM text, whose rows are sparse: 10^8, and no more than `max_expansion`
        allows for 8 bytes a column.
    max_bytes : int, default=None
        Bytes of memory for the table, or for one of its chunks: as many as the machine has.
    max_expansion : float, default=None
        Bytes read for each byte stored, beyond 64 MB: 200.

    """

    max_columns: float | None = None
    max_bytes: float | None = None
    max_expansion: float | None = None

    def check(self) -> None:
        """Refuse limits that are no positive numbers."""
        for name in ("max_columns", "max_bytes", "max_expansion"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float) and value > 0 and value is not True):
                words = " is not a number above 0; leave it out for the default."
                raise TableError(Argument(name, value), words)

    def columns(self, count: int, where: Place, *, sparse: bool = False) -> None:
        """Refuse more columns than there may be."""
        self._refuse_columns(count, self._columns(sparse), where)

    def sparse_columns(self, count: int, stored: int, where: Place) -> None:
        """Refuse columns of sparse rows, unless a caller allows them, of which a model would take far more memory.

        A weight for each column is held several times over while a model is trained.
        """
        if self.max_columns is None and self.expands(count * CELL, stored):
            ratio = MOST_EXPANSION if self.max_expansion is None else self.max_expansion
            self._refuse_columns(count, max(FREE, ratio * stored) // CELL, where)

    def _refuse_columns(self, count: int, allowed: float, where: Place) -> None:
        if count > allowed:
            raise TableLimitError.at(
                where,
                f"{count:,} columns, beyond ",
                Argument("max_columns", _short(allowed)),
                "; raise ",
                Argument("max_columns"),
                " if they should be there.",
                limit="max_columns",
                allowed=allowed,
            )

    def _columns(self, sparse: bool) -> float:
        return (MOST_SPARSE_COLUMNS if sparse else MOST_COLUMNS) if self.max_columns is None else self.max_columns

    def largest_index(self) -> float:
        """The largest column of sparse rows."""
        return self._columns(sparse=True)

    def memory(self, size: int, where: Place, what: str = "the table") -> None:
        """Refuse what takes more memory than there may be."""
        allowed = _memory() if self.max_bytes is None else self.max_bytes
        if size > allowed:
            raise TableLimitError.at(
                where,
                f"{what} takes {byte_size(size)} of memory or more, beyond ",
                Argument("max_bytes", _short(allowed)),
                f" ({byte_size(allowed)}); read fewer columns or rows at a time, or raise ",
                Argument("max_bytes"),
                ".",
                limit="max_bytes",
                allowed=allowed,
            )

    def expands(self, made: int, stored: int) -> bool:
        """Whether so many bytes made of those stored are more than there may be."""
        ratio = MOST_EXPANSION if self.max_expansion is None else self.max_expansion
        return made > FREE and made > ratio * stored

    def expansion(self, made: int, stored: int, where: Place, what: str) -> None:
        """Refuse what grows too much."""
        if self.expands(made, stored):
            ratio = MOST_EXPANSION if self.max_expansion is None else self.max_expansion
            raise TableLimitError.at(
                where,
                f"{what} ({byte_size(stored)} become {byte_size(made)} or more), beyond ",
                Argument("max_expansion", _short(ratio)),
                "; raise ",
                Argument("max_expansion"),
                " if the file can be trusted.",
                limit="max_expansion",
                allowed=ratio,
            )


def _short(limit: float) -> float:
    """A limit without a decimal point where it needs none."""
    return int(limit) if float(limit).is_integer() else limit
