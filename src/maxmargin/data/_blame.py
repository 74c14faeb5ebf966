"""Which columns an error of the validation is about: scikit-learn's messages name none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ._exact import Entry

_LISTED = 3


@contextmanager
def naming_columns(X: Any, missing: bool = False) -> Iterator[None]:
    """Errors raised inside, with the columns of X that hold what is no number or not finite (but NaN, if `missing`)."""
    try:
        yield
    except (TypeError, ValueError) as error:
        words = blamed_columns(X, missing)
        if not words:
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{error}\n{words}") from error


@contextmanager
def refusing_overflow(X: Any, y: Any = None, name: str = "X") -> Iterator[None]:
    """A `ValueError` that names the number where Python's are too large for a float: its own error names nothing."""
    try:
        yield
    except OverflowError as error:
        for table, called in ((X, name), (y, "y")):
            if (found := _too_large(table)) is not None:
                raise ValueError(
                    f"{called} has {found}, which is beyond the largest float64, about 1.8e308: divide by a power of "
                    f"ten, take logarithms, or leave it out."
                ) from error
        raise


def _too_large(table: Any) -> Entry | None:
    """The first number of a table or list that is too large for a float."""
    if hasattr(table, "iloc") and hasattr(table, "columns"):
        columns = [(name, np.asarray(table.iloc[:, j], dtype=object)) for j, name in enumerate(table.columns)]
    else:
        try:
            values = np.asarray(table, dtype=object)
        except ValueError:  # ragged
            return None
        columns = list(enumerate(values.T)) if values.ndim == 2 else [(None, values.ravel())]
    for name, column in columns:
        for row, value in enumerate(column.tolist()):
            try:
                float(value)
            except OverflowError:
                return Entry(value, row, name) if name is not None else Entry(value)
            except (TypeError, ValueError):
                continue
    return None


def blamed_columns(X: Any, missing: bool = False) -> str:
    """A sentence for each of the first few bad columns of a data frame or a dense array; empty if there are none."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        columns = [(repr(name), X.iloc[:, j]) for j, name in enumerate(X.columns)]
    elif isinstance(X, np.ndarray) and X.ndim == 2:
        columns = [(str(j), X[:, j]) for j in range(X.shape[1])]
    else:
        return ""
    found = [words for name, column in columns if (words := _trouble(name, np.asarray(column), missing))]
    more = f" {len(found) - _LISTED} more columns are like that." if len(found) > _LISTED else ""
    return " ".join(found[:_LISTED]) + more


def _trouble(name: str, column: np.ndarray, missing: bool) -> str:
    if column.dtype.kind == "c":  # of which the message says enough
        return ""
    try:
        numbers = column.astype(np.float64)
    except OverflowError:  # which is said by itself
        return ""
    except (TypeError, ValueError):
        row, value = next((i, value) for i, value in enumerate(column) if not _is_number(value))
        return f"Column {name} of X has {value!r} in row {row}, which is not a number: encode or drop it."
    for what, bad in (("missing values", np.isnan(numbers) & (not missing)), ("infinite values", np.isinf(numbers))):
        if bad.any():
            return f"Column {name} of X has {bad.sum()} {what}, the first in row {bad.argmax()}: fill or drop them."
    return ""


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    except OverflowError:
        return True
    return True
