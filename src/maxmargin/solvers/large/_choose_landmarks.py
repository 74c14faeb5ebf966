"""Landmarks by randomly pivoted Cholesky, in blocks, on a sample of the rows.

Pivots are drawn with probability proportional to what the landmarks so far leave of k(x, x). A block of them is drawn at
once; those that the block's others explain are left out by the same factorisation (Epperly, Tropp and Webber, 2024).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from ...engine import raise_interrupt
from ...kernels import Gram

_ROWS, _ROWS_A_LANDMARK = 20_000, 10  # of the sample
_BLOCK = 200
_OWN = 0.1  # a pivot that keeps less than this of what it was drawn for is left out
_SMALL = 1e-6  # relative to the mean of the diagonal: what is less would be rounding in float32


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Rows that were chosen, and the share of the kernel's trace that they leave, estimated on a sample of rows."""

    rows: np.ndarray
    left: float


def choose_landmarks(gram: Gram, count: int, random: np.random.Generator, enough: float = 0.0) -> Landmarks:
    """Up to `count` rows of the matrix; fewer where what they leave of the trace is at most the share `enough`."""
    n = gram.shape[0]
    sample = np.sort(random.permutation(n)[: max(_ROWS, _ROWS_A_LANDMARK * count)])
    part = gram if len(sample) == n else gram.restricted(sample)
    everything, size = np.arange(len(sample)), len(sample)
    diagonal = part.diagonal().copy()
    whole = max(float(diagonal.sum()), 1e-300)
    least = _SMALL * whole / size
    factor = np.empty((min(count, size), size), np.float32)  # its rows are the columns of the Cholesky factor
    chosen: list[int] = []
    while len(chosen) < min(count, size):
        raise_interrupt()
        weights = np.where(diagonal > least, diagonal, 0.0)
        if not weights.sum() > enough * whole and (chosen or not weights.any()):
            break
        k = len(chosen)
        most = min(_BLOCK, len(factor) - k, int(np.count_nonzero(weights)))
        drawn = random.choice(size, most, replace=False, p=weights / weights.sum())
        values = part.block(drawn, everything, np.float32)
        if k:
            values -= factor[:k, drawn].T @ factor[:k]
        kept, triangle = _independent(values[:, drawn].astype(np.float64), least)
        new = scipy.linalg.solve_triangular(
            triangle.astype(np.float32), values[kept], lower=True, overwrite_b=True, check_finite=False
        )
        factor[k : k + len(kept)] = new
        diagonal = np.maximum(diagonal - np.square(new, dtype=np.float64).sum(axis=0), 0.0)
        chosen += drawn[kept].tolist()
        diagonal[drawn[kept]] = 0.0
    return Landmarks(sample[np.array(chosen, dtype=np.int64)], float(diagonal.sum()) / whole)


def _independent(H: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
    """Which pivots of a block to keep, in the order they were drawn, and the Cholesky factor of their matrix."""
    size = len(H)
    L, before = np.zeros((size, size)), H.diagonal().copy()
    kept: list[int] = []
    for i in range(size):
        # row i against the pivots that were kept: by substitution
        row = (
            scipy.linalg.solve_triangular(L[: len(kept), : len(kept)], H[i, kept], lower=True) if kept else np.empty(0)
        )
        rest = H[i, i] - float(row @ row)
        if rest > max(_OWN * before[i], least):
            L[len(kept), : len(kept)] = row
            L[len(kept), len(kept)] = np.sqrt(rest)
            kept.append(i)
    if not kept:  # all of them are rounding: the largest is as good as any
        i = int(np.argmax(before))
        kept, L[0, 0] = [i], np.sqrt(max(before[i], least))
    return np.array(kept), L[: len(kept), : len(kept)]
