"""Predictions of any fitted model, partition by partition and not before they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..messages import InputError
from ._partitions import blocks_of_rows, is_collection

# Rows that are made up to see the form of what a model returns.
_FEW = 2


def predict(model: Any, X: Any, *, method: str = "predict") -> da.Array:
    """Predictions of a fitted model for rows on a cluster, not yet computed.

    Works for every fitted model of the library, and for others that have the method. The model travels to each worker
    once.

    Parameters
    ----------
    model : estimator
        Fitted, anywhere.
    X : dask array or data frame
        Rows, with as many columns as the model was trained on.
    method : str, default="predict"
        Another one that says something of each row: "predict_proba", "decision_function", "transform", ...

    Returns
    -------
    dask.array.Array
        With the partitions of X. Their lengths are known where those of X are.

    Examples
    --------
    >>> import dask.array as da
    >>> from maxmargin.dask import predict
    >>> from maxmargin.svm import SVC
    >>> model = SVC().fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    >>> labels = predict(model, da.from_array([[0.2], [2.9], [1.1]], chunks=(2, 1)))
    >>> labels.compute().tolist()
    ['no', 'yes', 'no']

    """
    check_is_fitted(model)
    call = getattr(model, method, None)
    if call is None:
        raise InputError(f"a {type(model).__name__} has no method {method!r}.", argument="method")
    if not is_collection(X):
        raise InputError(
            f"X must be a dask collection; got a {type(X).__name__}. Type model.{method}(X).", argument="X"
        )
    blocks, names = blocks_of_rows(X)
    d = len(X.columns) if names is not None or hasattr(X, "columns") else X.shape[1]
    wanted = getattr(model, "n_features_in_", d)
    if not np.isnan(d) and d != wanted:
        raise InputError(
            f"X has {d} features, but {type(model).__name__} is expecting {wanted} features as input.", argument="X"
        )
    form = _form(model, call, int(wanted), X)
    rows = X.chunks[0] if hasattr(X, "chunks") else (np.nan,) * len(blocks)
    shared = dask.delayed(
        model, traverse=False, name=f"model-{type(model).__name__}-{dask.base.tokenize(id(model), vars(model))}"
    )
    task = dask.delayed(_predicted, pure=True, traverse=False)
    parts = [
        da.from_delayed(task(shared, method, block, form), (n, *form.shape[1:]), dtype=form.dtype)
        for block, n in zip(blocks, rows, strict=True)
    ]
    return da.concatenate(parts) if len(parts) > 1 else parts[0]


def _form(model: Any, call: Callable[..., Any], d: int, X: Any) -> np.ndarray:
    """An empty array of the shape and type of what the model returns, found with a few made-up rows."""
    rows: Any = np.zeros((_FEW, d))
    if hasattr(X, "columns"):
        rows = X._meta_nonempty.head(_FEW) if hasattr(X, "_meta_nonempty") else X.head(_FEW)
    found = call(rows)
    found = np.asarray(found.todense()) if hasattr(found, "todense") else np.asarray(found)
    return found[:0]


def _predicted(model: Any, method: str, block: Any, form: np.ndarray) -> Any:
    """What the model says of a partition, which may have no rows."""
    if block.shape[0] == 0:
        return form
    found = getattr(model, method)(block)
    return found if hasattr(found, "tocsr") else np.asarray(found)
