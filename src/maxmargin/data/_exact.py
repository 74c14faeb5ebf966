"""Numbers that float64 does not hold: whole ones beyond 2**53, fractions, extended precision, words that spell them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import inf
from numbers import Rational
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ._sparse import canonical

_WHOLE = 2**53  # up to here float64 has all whole numbers
_LONGEST = 60  # characters of a number that is printed in full


class Entry(NamedTuple):
    """A value of a matrix and where it is; no place is known of values in something else than a table."""

    value: Any
    row: int | None = None
    column: Any = None

    def __str__(self) -> str:
        value = spelled_out(self.value)
        return value if self.row is None else f"{value} in row {self.row} of column {self.column!r}"


def spelled_out(value: Any) -> str:
    """A number or word in full, or where it begins and how long it is."""
    try:
        # format() would make a float of extended precision
        words = repr(value) if isinstance(value, str | bytes) else str(value)
    except ValueError:  # Python writes out no more than 4300 digits
        return "a number of more than 4300 digits"
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST // 2]}... ({len(words)} characters)"


def inexact_value(X: Any) -> Any:
    """A value of X that is rounded when X is converted to float64; None if there is none.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix
        Values that are not numbers are passed over. Words that are numbers, such as "0.1", are the numbers they spell.

    Returns
    -------
    number, word or None

    Examples
    --------
    >>> from maxmargin.data import inexact_value
    >>> inexact_value([[2**53, 0.1], [2**53 + 1, 2**60]])
    9007199254740993

    """
    found = inexact_entry(X)
    return None if found is None else found.value


def inexact_entry(X: Any) -> Entry | None:
    """The same, with its place in the table."""
    return _first(X, _stored(X) or [(_of_objects(X) if isinstance(X, list | tuple) else np.asarray(X), None)], _inexact)


def inexact_whole_number(X: Any) -> Entry | None:
    """The first whole number of X, with its place, that is rounded.

    It takes no time to speak of beside the conversion: of numbers in 64 bits two comparisons; of objects and words,
    which are converted one by one, as long as that.
    """
    return _first(X, _stored(X), _inexact_whole)


def _first(X: Any, parts: list[tuple[np.ndarray, Any]], search: Callable[[np.ndarray], int | None]) -> Entry | None:
    for values, column in parts:
        place = search(values)
        if place is None:
            continue
        value = values.ravel()[place]
        value = value.item() if isinstance(value, np.integer | np.str_ | np.bytes_) else value
        if sp.issparse(X):
            return _in_sparse(X, value, search)
        if column is not None:
            return Entry(value, place, column)
        if values.ndim != 2:
            return Entry(value)
        return Entry(value, *(int(index) for index in np.unravel_index(place, values.shape)))
    return None


def _in_sparse(X: Any, value: Any, search: Callable[[np.ndarray], int | None]) -> Entry:
    """Its place, which only a matrix of sound structure has; there the value is found once more."""
    table = sp.coo_array(canonical(X))
    place = search(table.data)
    return Entry(value) if place is None else Entry(value, *(int(index[place]) for index in table.coords))


def _stored(X: Any) -> list[tuple[np.ndarray, Any]]:
    """The values by what they are stored in, and the columns of a frame, which has a type for each."""
    if sp.issparse(X):
        return [(sp.coo_array(X).data if X.format in ("lil", "dok") else X.data, None)]
    if hasattr(X, "iloc") and hasattr(X, "dtypes") and X.ndim == 2:
        kinds = enumerate(getattr(kind, "kind", "O") for kind in X.dtypes)
        return [(np.asarray(X.iloc[:, j]), X.columns[j]) for j, kind in kinds if kind in "iufOUSTMm"]
    return [(X, None)] if isinstance(X, np.ndarray) else []


def _of_objects(X: Any) -> np.ndarray:
    """Nested lists as they are: an array of whole numbers and floats would round the former."""
    try:
        values = np.asarray(X)
        return values if values.dtype.kind in "iub" or not values.size else np.asarray(X, dtype=object)
    except (ValueError, OverflowError):  # ragged, which is for another check to say
        return np.empty(0)


def _inexact(values: np.ndarray) -> int | None:
    """The place of the first value that is rounded."""
    kind = values.dtype.kind
    if kind in "iuMm":
        return _inexact_whole(values)
    if kind == "f" and values.dtype.itemsize > 8:
        return _nonzero(_rounded(values))
    if kind in "OUST":
        return next((place for place, value in enumerate(values.ravel().tolist()) if not _is_exact(value)), None)
    return None


def _inexact_whole(values: np.ndarray) -> int | None:
    if values.dtype.kind in "Mm":  # counts of their unit
        values = values.astype(np.int64)
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind in "OUST":
        words = enumerate(values.ravel().tolist())
        return next((place for place, value in words if _is_large(value) and not _is_exact(value)), None)
    if not values.size or size < 8 or (kind == "f" and size == 8) or kind not in "iuf":
        return None
    if kind == "f":
        return _nonzero(_rounded(values) & (np.abs(values) >= _WHOLE))
    if -_WHOLE <= int(values.min()) and int(values.max()) <= _WHOLE:
        return None
    flat = values.ravel()
    large = np.flatnonzero(flat > np.uint64(_WHOLE) if kind == "u" else (flat > _WHOLE) | (flat < -_WHOLE))
    numbers = zip(large.tolist(), flat[large].tolist(), strict=True)
    return next((place for place, value in numbers if int(float(value)) != value), None)


def _rounded(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.isfinite(values) & (values.astype(np.float64) != values)


def _nonzero(found: np.ndarray) -> int | None:
    return int(found.argmax()) if found.any() else None


def _is_large(value: Any) -> bool:
    """Whether a value is a finite number that is not among the whole numbers that float64 has all of."""
    if isinstance(value, float | bool) or value is None:
        return False
    try:
        return _WHOLE <= abs(float(value)) < inf  # rounded, it may be the last of them
    except (TypeError, ValueError, OverflowError):
        return False


def _is_exact(value: Any) -> bool:
    """Whether float64 holds a number; all that is no number, or none that is finite, passes."""
    if isinstance(value, bool | float | np.float32 | np.float16):
        return True
    if isinstance(value, np.longdouble):
        return not np.isfinite(value) or np.longdouble(np.float64(value)) == value
    if isinstance(value, str | bytes):
        try:
            float(value)
            value = Decimal(value.decode() if isinstance(value, bytes) else value)
        except ValueError:  # no number
            return True
        except ArithmeticError:  # an exponent beyond those that are known
            return False
    if isinstance(value, Decimal):  # compared as it is: as a fraction 1e-999999999 would fill the memory
        return not value.is_finite() or Decimal(float(value)) == value
    if not isinstance(value, Rational):
        return True
    try:
        return Fraction(float(value)) == Fraction(value)
    except OverflowError:
        return False
