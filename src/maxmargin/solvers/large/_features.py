"""Rows as features in the span of landmarks: <phi(x), phi(z)> is about k(x, z).

phi(x) = W' k(Z, x) with W = L^-T for the Cholesky factor L of the landmarks' own kernel matrix. Only speed and quality
depend on their precision: a machine that was trained on them has coefficients W w in float64, and what it is worth is
computed from those.

What is kept of all rows are kernel values in float32: a product of features with weights w is one of kernel values with
W w. The features themselves take m^2 multiplications a row, and are made of those rows alone that Newton's matrix has
in it, a few per cent. Covtype, 522,911 rows, 2000 landmarks: 20 s for the features of all rows, 5 s for kernel values.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from ...engine import raise_interrupt, run_parallel
from ...kernels import Gram

# Added to the diagonal, relative to its mean: W stays within what float32 can multiply.
_JITTER = 1e-6
# Rows of a task's portion: 2048 x 2000 kernel values in float32 are 16 MB, and sums over them are exact enough.
_PORTION = 2048
# Rows whose features are kept: a share of all of them, and at least so many.
KEPT_SHARE, KEPT_ROWS = 8, 40_000


class LandmarkFeatures:
    """Features of the chosen rows, in that order."""

    def __init__(self, gram: Gram, landmarks: np.ndarray, order: np.ndarray, threads: int) -> None:
        self._gram, self._landmarks, self.threads = gram.with_threads(1), landmarks, threads
        K = gram.block(landmarks, landmarks, np.float64)
        # rows that are zero in feature space have features that are zero, whatever is added
        K[np.diag_indices_from(K)] += _JITTER * (float(K.diagonal().mean()) or 1.0)
        L = scipy.linalg.cholesky(K, lower=True, overwrite_a=True, check_finite=False)
        # kernel values of rows whose lengths leave the range of float32 are computed in float64
        self._dtype: Any = np.float32 if gram.float32_error() < np.inf else np.float64
        self._factor = L.copy()
        self.W = np.ascontiguousarray(scipy.linalg.lapack.dtrtri(L, lower=1, overwrite_c=1)[0].T)
        self._short = self.W.astype(np.float32)
        self.order = order
        self.values = np.empty((len(order), len(landmarks)), np.float32)
        self._on_portions(self._fill, len(order))
        self._kept = np.empty((min(len(order), max(len(order) // KEPT_SHARE, KEPT_ROWS)), len(landmarks)), np.float32)
        self._place = np.full(len(order), -1, np.int64)
        self._used = 0

    @property
    def count(self) -> int:
        """Number of features."""
        return self.values.shape[1]

    def left(self) -> np.ndarray:
        """What the nearest landmark leaves of the squared length of each row of the matrix: all of them leave less."""
        own = np.maximum(self._gram.diagonal()[self._landmarks], 1e-300).astype(np.float32)
        nearest = np.empty(len(self.order))

        def task(a: int, b: int) -> None:
            nearest[self.order[a:b]] = (np.square(self.values[a:b]) / own).max(axis=1)

        self._on_portions(task, len(self.order))
        return np.maximum(self._gram.diagonal() - nearest, 0.0)

    def coefficients(self, w: np.ndarray) -> np.ndarray:
        """Coefficients of the landmarks for weights of the features."""
        return self.W @ w

    def weights(self, coefficients: np.ndarray) -> np.ndarray:
        """Weights of the features for coefficients of the landmarks: what `coefficients` was asked for."""
        return self._factor.T @ coefficients

    def times(self, w: np.ndarray, rows: int) -> np.ndarray:
        """Inner products of the first so many rows with w."""
        out, short = np.empty(rows), self.coefficients(w).astype(np.float32)

        def task(a: int, b: int) -> None:
            np.copyto(out[a:b], self.values[a:b] @ short)

        self._on_portions(task, rows)
        return out

    def transposed(self, v: np.ndarray) -> np.ndarray:
        """The sum of v_i times row i over the first len(v) rows: of portions in float32, of these in float64."""
        short = v.astype(np.float32)

        def task(a: int, b: int) -> np.ndarray:
            return (short[a:b] @ self.values[a:b]).astype(np.float64)

        return self.W.T @ self._sum(task, len(v), np.zeros(self.count))

    def weighted_gram(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """``sum_i h_i phi_i phi_i'`` over chosen rows, and below it ``sum_i h_i phi_i``."""
        roots, features = np.sqrt(weights).astype(np.float32), self._features_of(rows)

        def task(a: int, b: int) -> np.ndarray:
            part = features(a, b) * roots[a:b, None]
            joined = np.empty((self.count + 1, self.count))
            joined[:-1] = part.T @ part
            joined[-1] = roots[a:b] @ part
            return joined

        return self._sum(task, len(rows), np.zeros((self.count + 1, self.count)))

    def _features_of(self, rows: np.ndarray) -> Callable[[int, int], np.ndarray]:
        """A function that gives the features of ``rows[a:b]``: kept ones, or made anew where they are too many."""
        if len(rows) > len(self._kept):
            return lambda a, b: self.values[rows[a:b]] @ self._short
        new = rows[self._place[rows] < 0]
        if self._used + len(new) > len(self._kept):  # other rows than before: those are of no use any more
            self._place[:], self._used, new = -1, 0, rows

        def fill(a: int, b: int) -> None:
            np.matmul(self.values[new[a:b]], self._short, out=self._kept[self._used + a : self._used + b])

        self._on_portions(fill, len(new))
        self._place[new] = np.arange(self._used, self._used + len(new))
        self._used += len(new)
        return lambda a, b: self._kept[self._place[rows[a:b]]]

    def _fill(self, a: int, b: int) -> None:
        values = self._gram.block(self.order[a:b], self._landmarks, self._dtype)
        np.copyto(self.values[a:b], values, casting="same_kind")

    def _on_portions(self, task: Callable[[int, int], Any], rows: int) -> None:
        def run(begin: int, end: int) -> None:
            with np.errstate(over="ignore", invalid="ignore"):  # which threads do not inherit
                for a in range(begin, end, _PORTION):
                    task(a, min(a + _PORTION, end))
                    raise_interrupt()

        edges = [rows * t // self.threads for t in range(self.threads + 1)]
        run_parallel(run, [(a, b) for a, b in itertools.pairwise(edges) if a < b])

    def _sum(self, task: Callable[[int, int], np.ndarray], rows: int, zero: np.ndarray) -> np.ndarray:
        def run(begin: int, end: int) -> np.ndarray:
            total = zero.copy()
            with np.errstate(over="ignore", invalid="ignore"):
                for a in range(begin, end, _PORTION):
                    total += task(a, min(a + _PORTION, end))
                    raise_interrupt()
            return total

        edges = [rows * t // self.threads for t in range(self.threads + 1)]
        return sum(run_parallel(run, [(a, b) for a, b in itertools.pairwise(edges) if a < b]), start=zero)
