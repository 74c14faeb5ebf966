"""Data by name: from a folder, from scikit-learn's bundled sets, or made in the same shape; each says which it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from .options import SEED
from .stand_ins import STAND_INS


@dataclass(frozen=True)
class Data:
    """Rows (dense or CSR), targets, and where they are from."""

    X: Any
    y: np.ndarray
    origin: str

    @property
    def shape_text(self) -> str:
        n, d = self.X.shape
        kind = f"CSR, {self.X.nnz / n:.1f} non-zeros a row" if sp.issparse(self.X) else "dense"
        return f"{n} x {d} {kind}"

    def rows(self, chosen: np.ndarray | slice) -> Data:
        return replace(self, X=self.X[chosen], y=self.y[chosen])


def load(name: str, folder: Path | None, seed: int = SEED) -> Data:
    """The training rows of a set, in the type that they are kept in."""
    found = _from_folder(name, folder) if folder is not None else None
    if found is not None:
        X, y = found
        origin = f"{name}, from the data folder"
    elif name in _BUNDLED:
        X, y = _bundled(name)
        origin = f"{name}, bundled with scikit-learn"
    else:
        X, y = STAND_INS[name](np.random.default_rng(seed))
        origin = f"made, in the shape of {name}"
    return Data(sp.csr_matrix(X) if sp.issparse(X) else X, y, origin)


def in_float64(data: Data) -> Data:
    """The form that all contenders are given: CSR or C-contiguous rows in float64, scikit-learn's own type."""
    if sp.issparse(data.X):
        return replace(data, X=data.X.astype(np.float64))
    return replace(data, X=np.ascontiguousarray(data.X, dtype=np.float64))


def standardised(data: Data) -> Data:
    """Features of mean 0 and deviation 1; a constant feature becomes 0."""
    X = np.asarray(data.X, dtype=np.float64)
    deviation = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return replace(data, X=X)


def shuffled(data: Data, seed: int = SEED) -> Data:
    return data.rows(np.random.default_rng(seed).permutation(len(data.y)))


def thinned(data: Data, limit: int, seed: int = SEED) -> Data:
    """At most `limit` rows, drawn at random, in their order."""
    n = len(data.y)
    if n <= limit:
        return data
    return data.rows(np.sort(np.random.default_rng(seed).choice(n, limit, replace=False)))


def _from_folder(name: str, folder: Path) -> tuple[Any, np.ndarray] | None:
    """``name.npz`` with X, y or X_train, y_train; or ``name_X_train.npz`` (CSR) and ``name_y_train.npy``."""
    dense, sparse, labels = folder / f"{name}.npz", folder / f"{name}_X_train.npz", folder / f"{name}_y_train.npy"
    if dense.exists():
        with np.load(dense, allow_pickle=False) as arrays:
            split = "" if "X" in arrays else "_train"
            return arrays[f"X{split}"], arrays[f"y{split}"]
    if sparse.exists() and labels.exists():
        return sp.load_npz(sparse), np.load(labels, allow_pickle=False)
    return None


_BUNDLED = {"breast_cancer": "load_breast_cancer", "digits": "load_digits"}


def _bundled(name: str) -> tuple[np.ndarray, np.ndarray]:
    import sklearn.datasets

    return getattr(sklearn.datasets, _BUNDLED[name])(return_X_y=True)
