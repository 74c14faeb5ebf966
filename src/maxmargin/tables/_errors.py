"""What is said of a table that cannot be read."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from ..messages import listed, shortened

_SHOWN = 40
_COMPARED = 5000


class TableError(ValueError):
    """A table that cannot be used as it is: one sentence with file, line and column, and what would do.

    Examples
    --------
    >>> from maxmargin.tables import TableError, read_table
    >>> try:
    ...     read_table("no such file.csv")
    ... except TableError as error:
    ...     print(error)
    no such file.csv does not exist.

    """


class TableLimitError(TableError):
    """A table that asks for more than it may: too many columns, too much memory, or too much growth.

    Attributes
    ----------
    limit : {"max_columns", "max_bytes", "max_expansion", "memory"}
        The argument of `read_table` that sets the limit; "memory" where the machine had no more.
    allowed : float or None
        What it allows.

    Examples
    --------
    >>> import io
    >>> from maxmargin.tables import TableLimitError, read_table
    >>> try:
    ...     read_table(io.BytesIO(b"a,b,c\\n1,2,3\\n"), max_columns=2)
    ... except TableLimitError as error:
    ...     print(error.limit, error.allowed)
    max_columns 2

    """

    def __init__(self, words: str, limit: str, allowed: float | None = None) -> None:
        super().__init__(words)
        self.limit, self.allowed = limit, allowed

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.limit, self.allowed)


def need_pyarrow() -> Any:
    """Pyarrow, or an error that says how to install it."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("Reading tables needs pyarrow: pip install 'maxmargin[arrow]'") from error
    return pyarrow


def shown(value: object) -> str:
    """A value between quotes, cut short and on one line."""
    return repr(shortened(str(value), _SHOWN, mark="..."))


def absent(names: Iterable[str], there: Iterable[str], where: str) -> TableError:
    """The error for columns that are asked for and are not there; it offers names that are spelt nearly like them."""
    there = list(there)
    known = set(there)
    missing = [name for name in names if name not in known]
    # Names are compared letter by letter: long ones, or very many, would take minutes for a hint.
    short = [name for name in there[:_COMPARED] if len(name) <= _SHOWN]
    near = [shown(close) for name in missing[:3] for close in get_close_matches(name[:_SHOWN], short, n=1)]
    if near:
        hint = "did you mean " + " or ".join(near) + "?"
    else:
        hint = f"it has {listed(map(shown, there))}."
    return TableError(f"{where} has no column {' and no column '.join(map(shown, missing[:3]))}: {hint}")
