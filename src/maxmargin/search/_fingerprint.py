"""Whether two searches are about the same question."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._folds import Fold
from ._grid import Grid

# Parameters that change neither what a cell is nor its score; folds and grid are looked at themselves.
_INDIFFERENT = {
    "Cs",
    "gammas",
    "calibration",
    "cv",
    "error_score",
    "memory",
    "n_jobs",
    "race",
    "refit",
    "rule",
    "verbose",
    "warm_start",
}


def fingerprint(arrays: Iterable[Any], folds: list[Fold], grid: Grid, parameters: dict[str, Any]) -> str:
    """A hash of data, folds, candidates and parameters: equal ones have the same finished cells."""
    mark = hashlib.blake2b()
    for array in arrays:
        _add(mark, array)
    for fold in folds:
        _add(mark, fold.train)
        _add(mark, fold.test)
    for name, values in zip(grid.names, grid.values, strict=True):
        mark.update(name.encode())
        _add(mark, values)
    relevant = {k: _stable(v) for k, v in sorted(parameters.items()) if k not in _INDIFFERENT}
    mark.update(pickle.dumps(relevant))
    return mark.hexdigest()


def _add(mark: Any, array: Any) -> None:
    """An array by its contents, a sparse matrix by its arrays, anything else as it is pickled."""
    if sp.issparse(array):
        for part in (array.data, array.indices, array.indptr):
            _add(mark, part)
    elif isinstance(array, np.ndarray) and array.dtype.kind in "biuf":
        mark.update(f"{array.dtype}{array.shape}".encode())
        mark.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    else:
        mark.update(pickle.dumps(array))


def _stable(value: Any) -> Any:
    """Functions by identity: a lambda has no other name."""
    return (getattr(value, "__qualname__", ""), id(value)) if callable(value) else value
