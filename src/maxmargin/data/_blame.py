"""Which columns an error of the validation is about: scikit-learn's messages name none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

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
    except (TypeError, ValueError):
        row, value = next((i, value) for i, value in enumerate(column) if not _is_number(value))
        return f"Column {name} of X has {value!r} in row {row}, which is no number: encode or drop it."
    for what, bad in (("missing values", np.isnan(numbers) & (not missing)), ("infinite values", np.isinf(numbers))):
        if bad.any():
            return f"Column {name} of X has {bad.sum()} {what}, the first in row {bad.argmax()}: fill or drop them."
    return ""


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
