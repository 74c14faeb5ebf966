"""Which columns hold categories, and rows as numbers: scikit-learn's `categorical_features`, of arrays and frames.

Of a category its code is the place among those of the training, in sorted order; missing ones and those that were not
there are NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ...messages import InputError


def frame_of(X: Any) -> Any:
    """The data frame behind X, None if it is none."""
    if isinstance(X, np.ndarray) or not hasattr(X, "columns"):
        return None
    try:
        return nw.from_native(X, eager_only=True)
    except TypeError:
        return None


def _refusal(what: str) -> InputError:
    return InputError(f"categorical_features {what}", argument="categorical_features")


def categorical_mask(X: Any, wanted: Any) -> np.ndarray | None:
    """Which columns are categorical; None if none is."""
    frame = frame_of(X)
    by_kind = isinstance(wanted, str) and wanted == "from_dtype"
    if wanted is None or (by_kind and frame is None):
        return None
    if by_kind:
        mask = np.array([isinstance(kind, nw.Categorical | nw.Enum) for kind in frame.schema.values()])
        return mask if mask.any() else None
    given, shape = np.asarray(wanted), (X if hasattr(X, "shape") else np.asarray(X)).shape
    if given.size == 0 or len(shape) != 2:  # X is refused by who checks it
        return None
    d = shape[1]
    if given.dtype.kind not in "iubUO" or (
        given.dtype.kind == "O" and not all(isinstance(value, str) for value in given.ravel())
    ):
        kinds = (
            ", ".join(sorted({type(value).__name__ for value in given.ravel()}))
            if given.dtype.kind == "O"
            else given.dtype.name
        )
        raise _refusal(f"must be an array-like of bool, int or str, got: {kinds}.")
    if given.dtype.kind == "b":
        if given.shape != (d,):
            raise _refusal(f"set as a boolean mask must have shape (n_features,), got: {given.shape}")
        return given if given.any() else None
    mask = np.zeros(d, dtype=bool)
    if given.dtype.kind in "iu":
        if given.min() < 0 or given.max() >= d:
            raise _refusal(
                f"set as integer indices must be in [0, n_features - 1], got: {sorted(set(given.tolist()))} for {d} "
                "features."
            )
        mask[given] = True
        return mask
    names = None if frame is None else list(frame.columns)
    if names is None:
        raise _refusal(
            "should be passed as an array of integers or as a boolean mask when the model is fitted on data without "
            "feature names."
        )
    for name in given.ravel().tolist():
        if name not in names:
            raise _refusal(f"has an item value {name!r} which is not a valid feature name of the training data.")
        mask[names.index(name)] = True
    return mask


def _values(X: Any, j: int) -> np.ndarray:
    """A column as objects or numbers, None or NaN where missing."""
    frame = frame_of(X)
    if frame is None:
        return np.asarray(X)[:, j]
    column = frame[:, j]
    if isinstance(column.dtype, nw.Categorical | nw.Enum):
        native = column.to_native()
        if hasattr(native, "cat") and hasattr(native.cat, "categories"):  # pandas keeps categories of any kind
            codes, kinds = np.asarray(native.cat.codes), np.asarray(native.cat.categories, dtype=object)
            out = np.empty(len(codes), dtype=object)
            out[:] = None
            out[codes >= 0] = kinds[codes[codes >= 0]]
            return out
        return np.array(column.cast(nw.String).to_list(), dtype=object)
    return column.to_numpy()


def _is_missing(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    return np.array([value is None or value != value for value in values], dtype=bool)


@dataclass(frozen=True)
class KnownCategories:
    """The categories of the columns that have them, each array in sorted order, by the numbers of the columns."""

    of: dict[int, np.ndarray]

    @classmethod
    def found(cls, X: Any, mask: np.ndarray, max_bins: int) -> KnownCategories:
        """Those of the training rows, at most `max_bins` of each column."""
        frame, of = frame_of(X), {}
        for j in np.flatnonzero(mask):
            values = _values(X, int(j))
            known = values[~_is_missing(values)]
            try:
                kinds = np.unique(known)
            except TypeError as error:
                raise InputError(f"column {j} of X holds categories of kinds that cannot be sorted: {error}") from error
            if len(kinds) > max_bins:
                name = f"at index {j}" if frame is None else repr(frame.columns[int(j)])
                raise InputError(
                    f"Categorical feature {name} is expected to have a cardinality <= {max_bins} but actually has a "
                    f"cardinality of {len(kinds)}. Group the rare ones, or replace the column by numbers."
                )
            of[int(j)] = kinds
        return cls(of)

    def encode(self, X: Any) -> np.ndarray:
        """X as float64, codes in the place of categories."""
        frame = frame_of(X)
        if frame is None:
            X = np.asarray(X)
            d = X.shape[1]
        else:
            d = len(frame.columns)
        out = np.empty((X.shape[0], d))
        for j in range(d):
            out[:, j] = self._code(_values(X, j), self.of[j]) if j in self.of else self._numbers(X, frame, j)
        return out

    @staticmethod
    def _code(values: np.ndarray, kinds: np.ndarray) -> np.ndarray:
        missing = _is_missing(values)
        codes = np.full(len(values), np.nan)
        if not len(kinds) or missing.all():
            return codes
        place = {kind: code for code, kind in enumerate(kinds.tolist())}
        known, inverse = np.unique(values[~missing], return_inverse=True) if values.dtype.kind != "O" else (None, None)
        if known is None:
            codes[~missing] = [place.get(value, np.nan) for value in values[~missing]]
        else:
            codes[~missing] = np.array([place.get(value, np.nan) for value in known.tolist()])[inverse]
        return codes

    @staticmethod
    def _numbers(X: Any, frame: Any, j: int) -> np.ndarray:
        try:
            if frame is None:
                return np.asarray(X[:, j], dtype=np.float64)
            native = frame[:, j].to_native()
            if hasattr(native, "to_numpy") and type(native).__module__.startswith("pandas"):
                return native.to_numpy(dtype=np.float64, na_value=np.nan)
            return np.asarray(frame[:, j].cast(nw.Float64).to_numpy(), dtype=np.float64)
        except (TypeError, ValueError) as error:
            name = j if frame is None else repr(frame.columns[j])
            raise InputError(
                f"column {name} of X must hold numbers: {error}. If "
                f"it holds categories, name it in categorical_features."
            ) from error

    def counts(self, d: int) -> np.ndarray:
        """The number of categories of each column, 0 for columns of numbers."""
        out = np.zeros(d, dtype=np.int64)
        for j, kinds in self.of.items():
            out[j] = max(1, len(kinds))
        return out
