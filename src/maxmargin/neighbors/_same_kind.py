"""Rows and labels of the kind that was given: a data frame of a data frame, a list of a list."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import _safe_indexing


def rows_at(places: np.ndarray, X: Any, y: Any) -> tuple[Any, Any]:
    """The rows of X and y at these places."""
    X = X.tocsr() if sp.issparse(X) else X  # other formats have no rows to take
    return _safe_indexing(X, places), _safe_indexing(y, places)


def labels_like(y: Any, labels: np.ndarray) -> Any:
    """Labels as a series of the type and name of `y`, if that is one."""
    if hasattr(y, "iloc") and getattr(y, "ndim", 2) == 1:
        return type(y)(labels, name=y.name, dtype=y.dtype)
    return labels
