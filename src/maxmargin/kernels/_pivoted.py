"""Rows that span a kernel matrix well, by randomly pivoted Cholesky factorisation in blocks.

Of a kernel matrix K of N rows, after the pivots S the residual is the Schur complement R = K - K_S' K_SS^-1 K_S = K -
F F', whose diagonal R_ii is the squared distance of phi(x_i) from the span of the pivots. The next pivot is row i with
probability R_ii / trace R (Chen, Epperly, Tropp and Webber, Randomly pivoted Cholesky, 2023): rows that are spanned
already are never drawn, and the expected trace that is left is within a factor of the best that so many vectors leave.

One pivot at a time is a pass over F for each. So b of them are proposed at once, from the diagonal as it is, and row i
is accepted with the probability R'_ii / R_ii, R' being the residual after those accepted before it: that is the same
distribution (Epperly, Tropp and Webber, Embrace rejection, 2024), and the passes are matrix products.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg import cholesky
from scipy.linalg.blas import dtrsm, strsm

from ..engine import run_portions
from ._gram import Gram

_LEAST_BLOCK, _LARGEST_BLOCK = 32, 512
_PORTION = 2048  # rows of a tile
_SMALL = 2**22  # values of a factor for which float32 saves nothing that is seen
_NOISE = 4.0  # residuals below that many errors of float32 values are not looked at in float32
_TRIED = 256  # rows whose values in float32 are compared


def pivots(
    gram: Gram,
    count: int,
    rng: Any,
    tol: float,
    n_threads: int,
    enough: float = 0.0,
    first: np.ndarray | None = None,
    over: Callable[[], bool] | None = None,
) -> tuple[np.ndarray, float]:
    """At most so many rows of a square matrix, in the order of their choice, and what share of the trace they leave.

    Fewer where what is left of every diagonal value is at most `tol` of it: the rows chosen span the others; or where
    what is left of the trace is at most `enough` of it. The bulk of a large matrix is computed in float32, as long as
    what is left is far above its rounding errors, then in float64. `first` are rows that are chosen already, which do
    not depend on one another; `over` says that there is no time for more.
    """
    diagonal = gram.diagonal()
    whole, left = float(diagonal.sum()), np.inf
    least = enough * whole
    count, chosen = min(count, len(diagonal)), np.empty(0, dtype=np.int64) if first is None else first
    if len(diagonal) * count > _SMALL and (diagonal > 0).any() and gram.float32_error() < np.inf:
        floor = max(tol, _NOISE * _float32_noise(gram, diagonal, rng))
        chosen, left = _grow(gram, diagonal, chosen, count, rng, floor, least, np.float32, n_threads, over)
    unfinished = len(chosen) < count and left > least and not (len(chosen) and over is not None and over())
    if unfinished or left == np.inf or not len(chosen):
        chosen, left = _grow(gram, diagonal, chosen, count, rng, tol, least, np.float64, n_threads, over)
    return chosen, left / max(whole, 1e-300)


def _float32_noise(gram: Gram, diagonal: np.ndarray, rng: Any) -> float:
    """The error of nearly all values in float32, relative to the diagonal.

    Nothing is claimed with it: the factor of the landmarks is in float64. Bounds would be those of the longest row.
    """
    some = np.sort(rng.choice(np.flatnonzero(diagonal > 0), size=_TRIED))
    scale = np.sqrt(diagonal[some])
    wrong = np.abs(gram.block(some, some, np.float32) - gram.block(some, some, np.float64))
    return float(np.quantile(wrong / scale / scale[:, None], 0.99)) + 8 * float(np.finfo(np.float32).eps)


def solve_rows(L: np.ndarray, block: np.ndarray) -> np.ndarray:
    """``block @ inv(L).T`` in place, for a lower triangular L in Fortran's order and a block in C's."""
    solve = strsm if block.dtype == np.float32 else dtrsm
    return solve(1.0, L, block.T, side=0, lower=1, overwrite_b=1).T


def portions_of(n: int, step: int = _PORTION) -> list[tuple[int, int]]:
    """Ranges of rows, the same ones whatever the number of threads."""
    return list(pairwise([*range(0, n, step), n]))


def _grow(
    gram: Gram,
    diagonal: np.ndarray,
    chosen: np.ndarray,
    count: int,
    rng: Any,
    floor: float,
    enough: float,
    dtype: Any,
    n_threads: int,
    over: Callable[[], bool] | None,
) -> tuple[np.ndarray, float]:
    """More pivots after those `chosen`, with the factor F in `dtype`, and what they leave of the trace."""
    least, residual = floor * np.abs(diagonal), diagonal.copy()
    F = np.empty((len(diagonal), count), dtype)
    if len(chosen):
        L = cholesky(gram.block(chosen, chosen, np.float64), lower=True)
        _extend(gram, F, residual, 0, chosen, L, n_threads)
    while len(chosen) < count:
        residual[residual <= least] = 0.0
        sums = np.cumsum(residual)
        if not sums[-1] > 0 or (len(chosen) and (sums[-1] <= enough or (over is not None and over()))):
            break
        k = len(chosen)
        size = min(count - k, max(_LEAST_BLOCK, min(_LARGEST_BLOCK, count // 8)))
        proposed = np.searchsorted(sums, rng.uniform(size=size) * sums[-1], side="right")
        proposed = np.minimum(proposed, len(sums) - 1)
        H = gram.block(proposed, proposed, np.float64)
        if k:
            rows = F[proposed, :k].astype(np.float64, copy=False)
            H -= rows @ rows.T
        # rounding may have left on the running diagonal what the values themselves do not show
        residual[proposed[H.diagonal() <= least[proposed]]] = 0.0
        accepted, L = _accept(H, residual[proposed], least[proposed], rng.uniform(size=size))
        if len(accepted):
            new = proposed[accepted]
            _extend(gram, F, residual, k, new, L, n_threads)
            residual[new] = 0.0
            chosen = np.concatenate([chosen, new])
    return chosen, float(np.maximum(residual, 0.0).sum())


def _accept(H: np.ndarray, before: np.ndarray, least: np.ndarray, chance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which of the proposed rows are taken, and the Cholesky factor of their residuals H."""
    taken: list[int] = []
    left, L = H.diagonal().copy(), np.zeros(H.shape)
    for i in range(len(H)):
        if not (left[i] > least[i] and before[i] > 0 and chance[i] * before[i] <= left[i]):
            continue
        k = len(taken)
        L[:, k] = (H[:, i] - L[:, :k] @ L[i, :k]) / np.sqrt(left[i])
        left -= L[:, k] ** 2
        taken.append(i)
    return np.array(taken, dtype=np.int64), np.tril(L[taken, : len(taken)])


def _extend(
    gram: Gram, F: np.ndarray, residual: np.ndarray, k: int, new: np.ndarray, L: np.ndarray, n_threads: int
) -> None:
    """Columns k, k + 1, ... of F, for the new pivots; the diagonal of the residual is brought up to date."""
    factor = np.asfortranarray(L, dtype=F.dtype)
    of_new = F[new, :k].T

    def task(a: int, b: int) -> None:
        block = gram.block(np.arange(a, b), new, F.dtype)
        if k:
            block -= F[a:b, :k] @ of_new
        block = solve_rows(factor, block)
        F[a:b, k : k + len(new)] = block
        residual[a:b] -= np.einsum("ij,ij->i", block, block, dtype=np.float64)

    run_portions(task, portions_of(len(F)), n_threads)
