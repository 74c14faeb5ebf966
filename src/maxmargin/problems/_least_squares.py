"""Least squares with a ridge, for several targets at once.

    minimise over (w, b)    J = sum_i s_i (y_i - <x_i, w> - b)^2 + alpha ||w||^2

for each target y with its own alpha; the intercept is not penalised. With r_i = y_i - <x_i, w> - b the optimum is where

    sum_i s_i r_i x_i = alpha w,      sum_i s_i r_i = 0.

The second equation is solved by centring: with the weighted means mu of the rows and nu of the target, b = nu - <mu, w>, and
A = diag(sqrt s) (X - mu), t = diag(sqrt s) (y - nu) leave min ||t - A w||^2 + alpha ||w||^2. A is formed in tiles of float64,
never as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..data import Rows, decision_pass, sum_pass
from ..engine import one_blas_thread, run_parallel

# Values of a tile: 2 MB of float64.
_TILE = 2**18
# Values of X below which a second thread costs more than it saves.
_ONE_THREAD = 200_000


@dataclass(frozen=True)
class LeastSquares:
    """One such problem.

    Attributes
    ----------
    rows : Rows
        The samples.
    targets : ndarray of shape (n, k), float64
        One column a target.
    weights : ndarray of shape (n,), float64
        s_i > 0.
    alpha : ndarray of shape (k,), float64
        The penalty of each target, at least 0.
    fit_intercept : bool
        Whether there is a b.
    threads : int
        Threads that a pass over the rows may use.

    """

    rows: Rows
    targets: np.ndarray
    weights: np.ndarray
    alpha: np.ndarray
    fit_intercept: bool = True
    threads: int = 1

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.rows.n

    @property
    def d(self) -> int:
        """Number of features."""
        return self.rows.d

    @property
    def k(self) -> int:
        """Number of targets."""
        return self.targets.shape[1]

    @cached_property
    def roots(self) -> np.ndarray:
        """``sqrt(s_i)``."""
        return np.sqrt(self.weights)

    @cached_property
    def mu(self) -> np.ndarray:
        """Weighted mean of the rows; zero without an intercept."""
        if not self.fit_intercept:
            return np.zeros(self.d)
        out = np.zeros(self.d + 1)
        share = self.weights / self.weights.sum()
        sum_pass(self.rows.arrays, 0, self.n, share, out)
        mean = out[:-1]
        if not self.rows.sparse:  # the mean of what is left: rows far from zero leave a rounding error of their size
            mean = mean + self._over_tiles(lambda low, high: share[low:high] @ self._block(low, high, mean), (self.d,))
        return mean

    @cached_property
    def nu(self) -> np.ndarray:
        """Weighted mean of each target; zero without an intercept."""
        if not self.fit_intercept:
            return np.zeros(self.k)
        share = self.weights / self.weights.sum()
        mean = share @ self.targets
        return mean + share @ (self.targets - mean)

    @cached_property
    def right(self) -> np.ndarray:
        """``t``, one column a target."""
        return self.roots[:, None] * (self.targets - self.nu)

    def tile(self, low: int, high: int) -> np.ndarray:
        """Rows low..high of A."""
        return self._block(low, high, self.mu) * self.roots[low:high, None]

    def tile_height(self, least: int = 1) -> int:
        """Rows of a tile."""
        return max(least, _TILE // max(1, self.d), 1)

    def columns(self, low: int, high: int) -> np.ndarray:
        """Columns low..high of A, for wide X."""
        X = self._by_column[:, low:high]
        return ((X.toarray() if self.rows.sparse else X) - self.mu[low:high]) * self.roots[:, None]

    @cached_property
    def _by_column(self) -> Any:
        X = self.rows.take(slice(None))  # type: ignore[arg-type]
        return X.tocsc() if self.rows.sparse else X

    def image(self, W: np.ndarray) -> np.ndarray:
        """``A W`` for W of shape (d, columns)."""
        out = np.empty((self.n, W.shape[1]))
        if self.rows.sparse:
            for t in range(W.shape[1]):
                f = np.empty(self.n)
                theta = np.append(W[:, t], -float(self.mu @ W[:, t]))
                self._strips(lambda low, high, theta=theta, f=f: decision_pass(self.rows.arrays, low, high, theta, f))
                out[:, t] = self.roots * f
            return out

        def part(low: int, high: int) -> None:
            for a in range(low, high, self.tile_height()):
                b = min(high, a + self.tile_height())
                out[a:b] = self.tile(a, b) @ W

        with one_blas_thread():
            self._strips(part)
        return out

    def transposed(self, R: np.ndarray) -> np.ndarray:
        """``A' R`` for R of shape (n, columns)."""
        if not self.rows.sparse:
            return self._over_tiles(lambda low, high: self.tile(low, high).T @ R[low:high], (self.d, R.shape[1]))
        out = np.empty((self.d, R.shape[1]))
        for t in range(R.shape[1]):
            total = np.zeros(self.d + 1)
            sum_pass(self.rows.arrays, 0, self.n, self.roots * R[:, t], total)
            out[:, t] = total[:-1] - self.mu * total[-1]
        return out

    def intercept(self, W: np.ndarray) -> np.ndarray:
        """The best b of weights W of shape (d, k)."""
        return self.nu - self.mu @ W if self.fit_intercept else np.zeros(W.shape[1])

    def squared_size(self) -> float:
        """``sum_i s_i (||x_i||^2 + 1)`` (without the 1, where there is no intercept): what rounding errors scale with."""
        squares = self.rows.squared_norms(np.zeros(self.d)) + float(self.fit_intercept)
        return float(self.weights @ squares)

    # ---------------------------------------------------------------- passes

    def _block(self, low: int, high: int, shift: np.ndarray) -> np.ndarray:
        X = self.rows.take(slice(low, high))  # type: ignore[arg-type]
        return (X.toarray() if self.rows.sparse else X) - shift

    def _parts(self) -> list[tuple[int, int]]:
        stored = len(self.rows.arrays[0]) if self.rows.sparse else self.n * self.d
        parts = max(1, min(self.threads, stored // _ONE_THREAD))
        cuts = [self.n * k // parts for k in range(parts + 1)]
        return list(zip(cuts[:-1], cuts[1:], strict=True))

    def _strips(self, work: Callable[..., Any]) -> list[Any]:
        return run_parallel(work, self._parts())

    def _over_tiles(self, term: Callable[[int, int], np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
        """The sum of a term of each tile."""

        def part(low: int, high: int) -> np.ndarray:
            total = np.zeros(shape)
            for a in range(low, high, self.tile_height()):
                total += term(a, min(high, a + self.tile_height()))
            return total

        with one_blas_thread():
            return np.sum(self._strips(part), axis=0)
