"""What is said of a table that cannot be read."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

_SHOWN = 40


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


def need_pyarrow() -> Any:
    """Pyarrow, or an error that says how to install it."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("Reading tables needs pyarrow: pip install 'maxmargin[arrow]'") from error
    return pyarrow


def shown(value: object) -> str:
    """A value between quotes, cut short and on one line."""
    text = value if isinstance(value, str) else str(value)
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")


def absent(names: Iterable[str], there: Iterable[str], where: str) -> TableError:
    """The error for columns that are asked for and are not there; it offers names that are spelt nearly like them."""
    there = list(there)
    missing = [name for name in names if name not in set(there)]
    near = [shown(close) for name in missing[:3] for close in get_close_matches(name, there, n=1)]
    if near:
        hint = "did you mean " + " or ".join(near) + "?"
    else:
        hint = (
            "it has " + ", ".join(map(shown, there[:8])) + (f" and {len(there) - 8} more." if len(there) > 8 else ".")
        )
    return TableError(f"{where} has no column {' and no column '.join(map(shown, missing[:3]))}: {hint}")
