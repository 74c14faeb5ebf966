"""Systems ``(K + D) x = g`` with a diagonal D > 0, by the whole of K or by a factor of low rank.

An interior point solves one for each step. With ``K = Phi Phi'`` (linear kernels: Phi is X; polynomial and smooth ones:
a pivoted Cholesky factor that reaches K to rounding) it costs about 4 n r^2 instead of n^3 / 3:

    x = D^-1 (g - Phi t)   with the t that minimises   ||D^-1/2 (g - Phi t)||^2 + ||t||^2.

The least-squares problem is solved by Householder's QR, its rows in falling order of size and its columns pivoted
(Powell and Reid 1969): entries of D range over twenty orders of magnitude near the optimum, and the normal equations
``(I + Phi' D^-1 Phi) t = Phi' D^-1 g`` lose every digit then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from scipy.linalg import qr
from scipy.linalg.lapack import dpotrf, dpotrs

from ...kernels import Linear, TiledGram
from ...problems import BoxQP

_LARGEST = 2048  # rows of a whole matrix: its factorisation takes 0.2 s, after which Ctrl-C is heard
_MOST_WORK = 200_000_000  # n r^2 of one factorisation of low rank: about as long
_NEGLIGIBLE = 4 * float(np.finfo(np.float64).eps)
_INDEFINITE = 1e5
_FEW_COLUMNS = 4  # fewer are not worth the trouble
# Added to the diagonal, relative to its largest entry, where rounding has left K + D indefinite; refinement takes the
# error out again. A matrix that needs more is not that of a kernel.
_REPAIRS = (0.0, 1e-15, 1e-13, 1e-11)


class KernelSystem(Protocol):
    """What an interior point needs of K."""

    n: int

    def product(self, x: np.ndarray) -> np.ndarray:
        """``K x``."""

    def diagonal(self) -> np.ndarray:
        """``K_ii``."""

    def factorise(self, D: np.ndarray) -> bool:
        """Prepare to solve with ``K + diag(D)``; False if that is not positive definite."""

    def solve(self, g: np.ndarray) -> np.ndarray:
        """About ``(K + diag(D))^-1 g``; the caller refines."""


class WholeSystem:
    """All of K, and Cholesky's factor of K + D."""

    def __init__(self, K: np.ndarray) -> None:
        self._K, self.n = K, len(K)
        self._scale = float(np.abs(np.diagonal(K)).max(initial=0.0))
        self._factor: np.ndarray = np.empty((0, 0))

    def product(self, x: np.ndarray) -> np.ndarray:
        return self._K @ x

    def diagonal(self) -> np.ndarray:
        return np.diagonal(self._K)

    def factorise(self, D: np.ndarray) -> bool:
        for repair in _REPAIRS:
            M = self._K.copy()
            M.flat[:: self.n + 1] += D + repair * self._scale
            self._factor, info = dpotrf(M.T, lower=1, overwrite_a=1)  # symmetric: the transpose is Fortran's order
            if info == 0:
                return True
        return False

    def solve(self, g: np.ndarray) -> np.ndarray:
        return dpotrs(self._factor, g, lower=1)[0]


class FactoredSystem:
    """A factor Phi of K, and an orthonormal basis of ``[D^-1/2 Phi; I]``."""

    def __init__(self, Phi: np.ndarray) -> None:
        self._Phi = Phi
        self.n = len(Phi)
        self._order, self._root, self._Q = np.empty(0, dtype=np.int64), np.empty(0), np.empty((0, 0))

    def product(self, x: np.ndarray) -> np.ndarray:
        return self._Phi @ (self._Phi.T @ x)

    def diagonal(self) -> np.ndarray:
        return np.einsum("ij,ij->i", self._Phi, self._Phi)

    def factorise(self, D: np.ndarray) -> bool:
        self._root = np.sqrt(D)
        stacked = np.vstack([self._Phi / self._root[:, None], np.eye(self._Phi.shape[1])])
        self._order = np.argsort(-np.abs(stacked).max(axis=1), kind="stable")
        self._Q = qr(stacked[self._order], mode="economic", pivoting=True, overwrite_a=True, check_finite=False)[0]
        return bool(np.isfinite(self._Q).all())

    def solve(self, g: np.ndarray) -> np.ndarray:
        rest = np.zeros(len(self._order))
        rest[: self.n] = g / self._root
        rest = rest[self._order]
        for _ in range(2):  # once more for what rounding has left in the span
            rest -= self._Q @ (self._Q.T @ rest)
        x = np.empty(len(rest))
        x[self._order] = rest
        return x[: self.n] / self._root


def _features(problem: BoxQP, most: int) -> np.ndarray | None:
    """Rows of a linear kernel, about their mean where the sum of all multipliers is zero and moving them is free."""
    gram = problem.gram
    if not (isinstance(gram, TiledGram) and isinstance(gram.kernel, Linear) and gram.rows.d <= most):
        return None
    X = gram.features()
    return X - X.mean(axis=0) if sum(problem.totals) == 0 else X


def most_columns(n: int, cache_bytes: int) -> int:
    """Rank up to which a factor pays, fits the memory, and is quick enough to stop in time."""
    return int(min(n // 3, cache_bytes // 16 // max(1, n), np.sqrt(_MOST_WORK / max(1, n))))


def may_solve(problem: BoxQP, cache_bytes: int) -> bool:
    """Whether there may be a system for this problem at all."""
    n = problem.gram.shape[0]
    return _fits(n, cache_bytes) or most_columns(n, cache_bytes) >= _FEW_COLUMNS


def _fits(n: int, cache_bytes: int) -> bool:
    return n <= _LARGEST and 16 * n * n <= max(cache_bytes, 2**24)


def system_of(problem: BoxQP, cache_bytes: int, whole: np.ndarray | None = None) -> KernelSystem | None:
    """The cheapest system for the Gram matrix of a problem; None if it is neither small nor of low rank.

    `whole` is all of K, where the caller has it.
    """
    gram, n = problem.gram, problem.gram.shape[0]
    most = most_columns(n, cache_bytes)
    X = _features(problem, most)
    if X is not None:
        return FactoredSystem(X)
    if not _fits(n, cache_bytes):
        everyone = np.arange(n)
        Phi = pivoted_factor(gram.diagonal(), lambda i: gram.block(np.array([i]), everyone, np.float64)[0], most)
        return None if Phi is None else FactoredSystem(Phi)
    K = gram.whole(np.float64) if whole is None else whole
    Phi = pivoted_factor(np.diagonal(K), K.__getitem__, most)
    return WholeSystem(K) if Phi is None else FactoredSystem(Phi)


def pivoted_factor(diagonal: np.ndarray, row: Callable[[int], np.ndarray], most: int) -> np.ndarray | None:
    """Columns Phi with ``Phi Phi' = K`` to rounding, by Cholesky with diagonal pivots; None if `most` are too few.

    `row` gives a row of K.
    """
    left = diagonal.copy()
    end = _NEGLIGIBLE * float(left.max(initial=0.0))
    Phi = np.empty((most, len(left)))
    for rank in range(most):
        pivot = int(left.argmax())
        if left[pivot] <= end:
            break
        column = (row(pivot) - Phi[:rank, pivot] @ Phi[:rank]) / np.sqrt(left[pivot])
        Phi[rank] = column
        left -= column * column
        left[pivot] = 0.0
    else:
        rank = most
    # what is left below zero is more than rounding if the matrix is indefinite
    if left.max(initial=0.0) > end or left.min(initial=0.0) < -_INDEFINITE * end:
        return None
    return np.ascontiguousarray(Phi[:rank].T)
