"""What columns have to hold, and what stands for nothing, as callers may say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..messages import Argument
from ._errors import TableError
from ._frame import columns_of

#: Cells that stand for a missing value, blanks around them aside.
MISSING = ("", "NA", "N/A", "n/a", "na", "#N/A", "NaN", "nan", "NAN", "NULL", "Null", "null", "None", "?", "-")
WORDS = ("number", "integer", "bool", "date", "text")


@dataclass(frozen=True)
class Wanted:
    """The word of a column; of others, `rest`, or None if they are to be found out."""

    words: Mapping[str, str]
    rest: str | None = None
    written: bool = False

    def get(self, name: str) -> str | None:
        return self.words.get(name, self.rest)

    def keeps(self, name: str) -> bool:
        """Whether a column is only passed on, so that its values have to stay exactly what they are."""
        return self.rest is not None and name not in self.words

    def shows(self, name: str) -> bool:
        """Whether chunks have a column twice: as what it holds, and as it is written."""
        return self.written and not self.keeps(name)


@dataclass(frozen=True)
class AsWritten:
    """The types of a reader, for chunks that have its columns also as they are written."""

    types: Any


def wanted_types(types: Any) -> Wanted:
    """Words of a dict; or of a fitted reader or a table that was read before, of which other columns are text."""
    if types is None:
        return Wanted({})
    if isinstance(types, AsWritten):
        return replace(wanted_types(types.types), written=True)
    if hasattr(types, "types_"):
        return Wanted(dict(types.types_), "text")
    if not isinstance(types, Mapping):
        found = {column.name: column.type for column in columns_of(types)}
        return Wanted({name: word for name, word in found.items() if word != "missing"}, "text")
    for name, word in types.items():
        if word not in WORDS:
            raise TableError(Argument("types", key=name), f" is {word!r}; it can be {', '.join(WORDS)}.")
    return Wanted(dict(types))
