"""What is said of a table that cannot be read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from ..messages import Argument, InputError, Place, listed, quoted

_COMPARED, _LONGEST = 5000, 40  # names, and characters of each


class TableError(InputError):
    """A table that cannot be used as it is: one sentence with file, line and column, and what would do.

    Attributes
    ----------
    argument : str or None
        Name of the argument of `read_table` that is to blame.
    file, column : str or None
    line : int or None
        Where it is; lines count from 1.

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

    def __init__(self, *parts: Any, limit: str = "memory", allowed: float | None = None, **facts: Any) -> None:
        super().__init__(*parts, **{"argument": limit if limit != "memory" else None, **facts})
        self.limit, self.allowed = limit, allowed


def need_pyarrow() -> Any:
    """Pyarrow, or an error that says how to install it."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("Reading tables needs pyarrow: pip install 'maxmargin[arrow]'") from error
    return pyarrow


def absent(
    names: Iterable[str],
    there: Iterable[str],
    *where: str | Argument,
    place: Place | None = None,
    argument: str | None = None,
) -> TableError:
    """The error for columns that are asked for and are not there; it offers names that are spelt nearly like them."""
    there = list(there)
    known = set(there)
    missing = [name for name in names if name not in known]
    # Names are compared letter by letter: long ones, or very many, would take minutes for a hint.
    short = [name for name in there[:_COMPARED] if len(name) <= _LONGEST]
    near = [quoted(close) for name in missing[:3] for close in get_close_matches(name[:_LONGEST], short, n=1)]
    if near:
        hint = "did you mean " + " or ".join(near) + "?"
    else:
        hint = f"it has {listed(map(quoted, there))}."
    words = f" has no column {' and no column '.join(map(quoted, missing[:3]))}: {hint}"
    return TableError(*where, words, place=replace(place or Place(), column=missing[0]), argument=argument)
