"""Whether an estimator of nearest neighbours searches and predicts by the rows and targets that it was trained on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..certificates import Guarantee, Status

# Training rows whose answers are compared with those of an estimator that was fitted afresh.
_ROWS = 1000


def same_rows(kept: Any, X: Any) -> bool:
    """Whether two matrices of rows are equal, value by value; a missing one equals a missing one."""
    if kept.shape != X.shape:
        return False
    if sp.issparse(kept) or sp.issparse(X):
        return (sp.csr_array(kept) != sp.csr_array(X)).nnz == 0
    return np.array_equal(kept, X, equal_nan=kept.dtype.kind == X.dtype.kind == "f")


def alike(one: Any, other: Any) -> bool:
    """Whether two fitted values are the same: arrays, lists of arrays, or anything that can be compared."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(alike(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.shape(one) == np.shape(other) and np.array_equal(one, other)
    return bool(one == other)


def answers_alike(model: Any, fresh: Any, X: Any) -> bool:
    """Whether a model and one that was fitted afresh answer alike for training rows."""
    rows = X[np.unique(np.linspace(0, X.shape[0] - 1, min(X.shape[0], _ROWS)).astype(int))]
    k = fresh.n_neighbors
    if k > fresh.n_samples_fit_:
        return True
    found, index = model._index.kneighbors(rows, k)
    true, place = fresh._index.kneighbors(rows, k)
    return np.array_equal(found, true) and np.array_equal(index, place)


def refuted(found: Guarantee, why: str) -> Guarantee:
    """A guarantee that the model does not bear out."""
    return replace(found, holds=False, status=Status.REFUTED, statement=f"refuted: {why}.")


def nothing_found(claim: Guarantee, why: str) -> Guarantee:
    """A claim of a model whose parts do not fit together: nothing could be recomputed."""
    figures = {name: float("nan") for name in claim.figures}
    return replace(claim, figures=figures, holds=False, status=Status.REFUTED, statement=f"refuted: {why}.")
