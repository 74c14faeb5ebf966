"""Samples that the tests of this room share."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np


def rows(n: int = 900, d: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and a number of each that depends on them and on chance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


def on_cluster(array: np.ndarray, parts: int) -> da.Array:
    """An array in so many partitions, not all of one length."""
    ends = np.linspace(0, len(array), parts + 1).astype(int)
    if parts > 2:
        ends[1] -= 7
    return da.from_array(array, chunks=(tuple(np.diff(ends).tolist()), *((-1,) * (array.ndim - 1))))


def targets(z: np.ndarray, kind: str) -> Any:
    """Two classes of text, three of whole numbers, or the numbers themselves."""
    return {"two": np.where(z > 0, "yes", "no"), "three": np.digitize(z, [-1, 1]), "number": z}[kind]
