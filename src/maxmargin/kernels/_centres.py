"""Centres of rows by Lloyd's algorithm: landmarks that need not be rows themselves.

A few steps from rows drawn at random. Where the centres lie to the last digit does not matter for landmarks, and
nothing is claimed of them: `maxmargin.cluster.KMeans` is for who wants a fixed point.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..data import Rows
from ..engine import run_portions
from ._kernels import Linear
from ._pivoted import portions_of

_STEPS = 10


def centres_of(rows: Rows, index: np.ndarray, count: int, rng: Any, n_threads: int) -> Any:
    """So many centres of the chosen rows, in the storage of the rows."""
    X = rows.take(index)
    # in units of their own about their middle: which centre is nearest stays the same, and float32 is enough
    middle = 0.0 if rows.sparse else X.mean(axis=0, dtype=np.float64)
    X = X - middle if not rows.sparse else X
    unit = float(np.abs(X.data if rows.sparse else X).max(initial=0.0)) or 1.0
    X = (X / unit).astype(np.float32)
    start = np.sort(rng.choice(len(index), size=count, replace=False))
    centres = _dense(X[start])
    for _ in range(_STEPS):
        nearest = _nearest(Rows(X), centres, n_threads)
        members = np.bincount(nearest, minlength=count)
        which = sp.csr_array((np.ones(len(nearest)), (nearest, np.arange(len(nearest)))), shape=(count, len(nearest)))
        moved = _dense(which @ X) / np.maximum(members, 1)[:, None]
        moved = np.where(members[:, None] > 0, moved, centres)  # a centre that has lost its rows stays where it is
        if np.array_equal(moved, centres):
            break
        centres = moved
    centres = (centres * unit + middle).astype(rows.dtype)
    return sp.csr_array(centres) if rows.sparse else centres


def _dense(X: Any) -> np.ndarray:
    return X.toarray().astype(np.float64) if sp.issparse(X) else np.asarray(X, dtype=np.float64)


def _nearest(rows: Rows, centres: np.ndarray, n_threads: int) -> np.ndarray:
    """The nearest centre of each row: the one with the smallest ||c||^2 / 2 - <x, c>."""
    gram, columns = Linear().gram(rows, Rows(centres), n_threads), np.arange(len(centres))
    half = (0.5 * np.einsum("ij,ij->i", centres, centres)).astype(np.float32)
    out = np.empty(rows.n, dtype=np.int64)

    def task(a: int, b: int) -> None:
        block = gram.block(np.arange(a, b), columns, np.float32)
        block -= half
        np.argmax(block, axis=1, out=out[a:b])

    run_portions(task, portions_of(rows.n), n_threads)
    return out
