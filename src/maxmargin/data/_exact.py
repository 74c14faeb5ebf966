"""Numbers that float64 does not hold: whole ones beyond 2**53, fractions, extended precision."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
import scipy.sparse as sp

_WHOLE = 2**53  # up to here float64 has all whole numbers


def inexact_value(X: Any) -> Any:
    """A value of X that is rounded when X is converted to float64; None if there is none.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix
        Values that are no numbers are passed over.

    Returns
    -------
    number or None

    Examples
    --------
    >>> from maxmargin.data import inexact_value
    >>> inexact_value([[2**53, 0.1], [2**53 + 1, 2**60]])
    9007199254740993

    """
    parts = _stored(X) or [_of_objects(X) if isinstance(X, list | tuple) else np.asarray(X)]
    return next((found for part in parts if (found := _inexact(part)) is not None), None)


def inexact_whole_number(X: Any) -> Any:
    """The same of arrays, sparse matrices and frames of 64-bit whole numbers, which takes no time to speak of."""
    return next((found for part in _stored(X) if (found := _inexact_whole(part)) is not None), None)


def _stored(X: Any) -> list[np.ndarray]:
    """The values by what they are stored in; a frame has a type for each column, joined only in an array."""
    if sp.issparse(X):
        return [X.data] if isinstance(getattr(X, "data", None), np.ndarray) else [sp.coo_array(X).data]
    if hasattr(X, "iloc") and hasattr(X, "dtypes") and X.ndim == 2:
        kinds = enumerate(getattr(kind, "kind", "O") for kind in X.dtypes)
        return [np.asarray(X.iloc[:, j]) for j, kind in kinds if kind in "iufO"]
    return [X] if isinstance(X, np.ndarray) else []


def _of_objects(X: Any) -> np.ndarray:
    """Nested lists as they are: an array of whole numbers and floats would round the former."""
    try:
        values = np.asarray(X)
        return values if values.dtype.kind in "iub" or not values.size else np.asarray(X, dtype=object)
    except (ValueError, OverflowError):  # ragged, which is for another check to say
        return np.empty(0)


def _inexact(values: np.ndarray) -> Any:
    kind = values.dtype.kind
    if kind in "iu":
        return _inexact_whole(values)
    if kind == "f" and values.dtype.itemsize > 8:
        with np.errstate(over="ignore", invalid="ignore"):
            apart = np.isfinite(values) & (values.astype(np.float64) != values)
        return values[apart][0] if apart.any() else None
    if kind == "O":
        return next((value for value in values.ravel().tolist() if not _is_exact(value)), None)
    return None


def _inexact_whole(values: np.ndarray) -> Any:
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return None
    if -_WHOLE <= int(values.min()) and int(values.max()) <= _WHOLE:
        return None
    large = values > np.uint64(_WHOLE) if values.dtype.kind == "u" else (values > _WHOLE) | (values < -_WHOLE)
    return next((value for value in values[large].tolist() if int(float(value)) != value), None)


def _is_exact(value: Any) -> bool:
    """Whether float64 holds a number; all that is no number, or none that is finite, passes."""
    if isinstance(value, bool | float | np.float32 | np.float16):
        return True
    if isinstance(value, np.longdouble):
        return not np.isfinite(value) or np.longdouble(np.float64(value)) == value
    if isinstance(value, Decimal) and not value.is_finite():
        return True
    if not isinstance(value, Rational | Decimal):
        return True
    try:
        return Fraction(float(value)) == Fraction(value)
    except OverflowError:
        return False
