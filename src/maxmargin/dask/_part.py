"""One partition of the samples: what its task makes of the blocks of X, y and weights, and what is wrong with them.

These functions run on workers. What is wrong is returned, not raised: so the first partition by number is named, and
not the one that was looked at first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import check_classification_targets

from ..data import Rows, check_array, sum_magnitudes
from ..estimators import check_weights

# Labels of a partition up to which they may be classes.
_MANY_CLASSES = 10_000


@dataclass(frozen=True)
class Part:
    """Checked samples of one partition: rows (dense in C order, or CSR), labels or targets, and weights if any."""

    X: Any
    y: np.ndarray | None
    weight: np.ndarray | None

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    def __sizeof__(self) -> int:
        """Bytes of the rows and all that belongs to them, by which Dask decides what to spill."""
        values = (self.X.data, self.X.indices, self.X.indptr) if sp.issparse(self.X) else (self.X,)
        return sum(int(array.nbytes) for array in (*values, self.y, self.weight) if array is not None)


@dataclass(frozen=True)
class Facts:
    """What is known of a partition after a look at it; `fault` says what is wrong, if anything is.

    ``labels`` are the classes that are there, with their samples and the sums of their weights; of targets the number
    of columns, the sum and the sum of squares are known. ``reach`` is the length of the sums of absolute values in X.
    """

    n: int
    d: int
    dtype: str
    size: int
    fault: str = ""
    labels: np.ndarray | None = None
    label_counts: np.ndarray | None = None
    label_weights: np.ndarray | None = None
    weight: float = 0.0
    used: int = 0
    table: bool = False
    sparse: bool = False
    reach: float = 0.0
    targets: int = 0
    target_sum: float = 0.0
    target_squares: float = 0.0


def read_part(X: Any, y: Any, weight: Any, kind: str, checked: bool = True) -> Part:
    """The samples of a partition; `kind` is "labels", "targets" or "none"; raises what is wrong with them."""
    rows = _rows(X, checked)
    target = None if kind == "none" else _target(y, kind)
    weights = None if weight is None else _weights(weight, rows)
    for name, found in (("y", target), ("sample_weight", weights)):
        if found is not None and len(found) != rows.shape[0]:
            raise ValueError(f"{name} has {len(found)} entries and X has {rows.shape[0]} rows: they must be as many.")
    return Part(rows, target, weights)


def look(X: Any, y: Any, weight: Any, kind: str) -> Facts:
    """What there is to know of a partition."""
    try:
        part = read_part(X, y, weight, kind)
    except (TypeError, ValueError) as error:
        return Facts(0, 0, "", 0, fault=str(error))
    return facts_of(part, kind)


def facts_of(part: Part, kind: str) -> Facts:
    """The same of a partition that was read."""
    n, d = part.X.shape
    size = part.X.data.nbytes + part.X.indices.nbytes if sp.issparse(part.X) else part.X.nbytes
    with np.errstate(over="ignore"):
        weight = float(n) if part.weight is None else float(part.weight.sum())
    used = n if part.weight is None else int((part.weight > 0).sum())
    with np.errstate(over="ignore"):
        reach = float(np.linalg.norm(sum_magnitudes(Rows(part.X), np.ones(n))[:-1]))
    plain = Facts(
        n, d, part.X.dtype.name, int(size) + 8 * n, weight=weight, used=used, sparse=sp.issparse(part.X), reach=reach
    )
    if kind == "none":
        return plain
    assert part.y is not None
    if kind == "targets":
        with np.errstate(over="ignore"):
            figures = float(part.y.sum()), float(np.square(part.y).sum())
        columns = 1 if part.y.ndim == 1 else part.y.shape[1]
        return replace(plain, table=part.y.ndim == 2, targets=columns, target_sum=figures[0], target_squares=figures[1])
    labels, code = np.unique(part.y, return_inverse=True)
    if len(labels) > _MANY_CLASSES:
        fault = f"y has {len(labels)} different labels: those are no classes. Use a regressor, or bin y."
        return Facts(0, 0, "", 0, fault=fault)
    counts = np.bincount(code, minlength=len(labels))
    weights = counts if part.weight is None else np.bincount(code, part.weight, minlength=len(labels))
    return replace(plain, labels=labels, label_counts=counts, label_weights=weights.astype(np.float64))


def _rows(X: Any, checked: bool) -> Any:
    """Rows in float32 or float64, dense in C order or CSR."""
    if isinstance(X, np.matrix):
        X = np.asarray(X)
    if np.ndim(X) == 2 or sp.issparse(X) or hasattr(X, "iloc"):
        if X.shape[0] == 0:  # an empty partition is none that would be refused
            kind = X.dtype if getattr(X, "dtype", None) in (np.float32, np.float64) else np.float64
            return sp.csr_array(X.shape, dtype=kind) if sp.issparse(X) else np.empty(X.shape, dtype=kind)
    if not checked and isinstance(X, np.ndarray) and X.dtype in (np.float32, np.float64):
        return np.ascontiguousarray(X)
    found = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
    return sp.csr_array(found) if sp.issparse(found) else found


def _target(y: Any, kind: str) -> np.ndarray:
    values = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1 and kind == "labels":
        values = values[:, 0]
    if values.ndim != 1 and not (values.ndim == 2 and kind == "targets"):
        raise ValueError(f"y has shape {values.shape}, and must have one entry a row.")
    if kind == "targets":
        values = values.astype(np.float64)
        _refuse_gaps(values)
        return np.ascontiguousarray(values)
    if values.dtype.kind == "O":
        bad = [value for value in values if is_missing(value)]
        if bad:
            raise ValueError(f"y has {len(bad)} missing labels: fill or drop those rows.")
        kinds = {type(value) for value in values}
        if kinds and all(issubclass(found, str) for found in kinds):
            values = values.astype(str)
        elif len(kinds) > 1 and any(issubclass(found, str) for found in kinds):
            raise ValueError("y has labels of text and labels of another type: make them all text.")
        elif kinds:
            values = np.array(values.tolist())
    if values.dtype.kind == "f":
        _refuse_gaps(values)
    if len(values):
        check_classification_targets(values)
    return values


def is_missing(label: Any) -> bool:
    """Whether this stands for no label: None, NaN, or what pandas has for them, which is not even unequal to itself."""
    return label is None or type(label).__name__ in ("NAType", "NaTType") or bool(label != label)


def _refuse_gaps(values: np.ndarray) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(np.argmax(bad.reshape(len(values), -1).any(axis=1)))
        found = "NaN" if np.isnan(values).any() else "infinity"
        raise ValueError(f"Input y contains {found}, first in row {row} of the partition: fill or drop those rows.")


def _weights(weight: Any, rows: Any) -> np.ndarray:
    """Weights of a partition, which may all be zero there."""
    values = weight.to_numpy() if hasattr(weight, "to_numpy") else np.asarray(weight)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if len(values) == rows.shape[0] and values.ndim == 1 and values.dtype.kind in "biuf" and not values.any():
        return np.zeros(rows.shape[0])
    found = check_weights(values, rows)
    assert found is not None
    return found
