"""Columns of a data frame that hold categories, and the numbers that stand for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._binning import MAX_BINS


def is_frame(X: Any) -> bool:
    """Whether X is a pandas data frame; nothing is imported to find out."""
    return type(X).__module__.split(".")[0] == "pandas" and hasattr(X, "columns")


def _is_category(column: Any) -> bool:
    """Whether a column holds categories: a categorical, text, or Python objects."""
    import pandas as pd

    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype) or pd.api.types.is_string_dtype(kind):
        return not pd.api.types.is_bool_dtype(kind) and not _all_numbers(column)
    return False


def _all_numbers(column: Any) -> bool:
    """Whether an object column holds numbers alone: it is then a column of numbers, as everywhere in scikit-learn."""
    import pandas as pd

    if column.dtype != object:
        return False
    return pd.api.types.infer_dtype(column, skipna=True) in ("integer", "floating", "mixed-integer-float", "boolean")


@dataclass(frozen=True)
class Categories:
    """The categories of the columns that have them: number of the column to their array, in sorted order."""

    names: tuple[str, ...]
    of: dict[int, np.ndarray]

    @classmethod
    def found(cls, X: Any) -> Categories | None:
        """Those of a data frame; None if no column has any."""
        if not is_frame(X):
            return None
        of = {}
        for j in range(X.shape[1]):
            column = X.iloc[:, j]
            if not _is_category(column):
                continue
            known = column.astype("category").cat
            used = np.asarray(known.remove_unused_categories().cat.categories, dtype=object)
            if len(used) > MAX_BINS:
                raise ValueError(
                    f"column {X.columns[j]!r} has {len(used)} categories; at most {MAX_BINS} can be told apart. Group "
                    "the rare ones, or replace the column by numbers."
                )
            of[j] = used
        return cls(tuple(map(str, X.columns)), of) if of else None

    def mask(self) -> np.ndarray:
        """Which columns have categories."""
        out = np.zeros(len(self.names), dtype=bool)
        out[list(self.of)] = True
        return out

    def require_frame(self, X: Any) -> None:
        """Refuse what is no data frame."""
        if not is_frame(X):
            named = [self.names[j] for j in self.of]
            raise ValueError(
                f"the model was fitted on a data frame with categories in the columns {named}; got "
                f"{type(X).__name__}. Give a data frame with the same columns."
            )

    def encode(self, X: Any) -> np.ndarray:
        """X as numbers: of a category its place among those known, NaN if it is missing or not known."""
        import pandas as pd

        out = np.empty(X.shape)
        for j in range(X.shape[1]):
            column = X.iloc[:, j]
            if j in self.of:
                codes = pd.Index(self.of[j]).get_indexer(np.asarray(column, dtype=object))
                out[:, j] = np.where((codes < 0) | column.isna(), np.nan, codes)
            else:
                out[:, j] = self._numbers(column)
        return out

    @staticmethod
    def _numbers(column: Any) -> np.ndarray:
        try:
            return column.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"column {column.name!r} held numbers when the model was fitted and now holds {column.dtype}: {error}"
            ) from error
