"""Least squares with a ridge, for several targets at once.

    minimise over (w, b)    J = sum_i s_i (y_i - <x_i, w> - b)^2 + alpha ||w||^2

for each target y with its own alpha; the intercept is not penalised. With r_i = y_i - <x_i, w> - b the optimum is where

    sum_i s_i r_i x_i = alpha w,      sum_i s_i r_i = 0.

The second equation is solved by centring: with the weighted means mu of the rows and nu of the target, b = nu - <mu,
w>, and A = diag(sqrt s) (X - mu), t = diag(sqrt s) (y - nu) leave min ||t - A w||^2 + alpha ||w||^2. A is formed in
tiles of float64, never as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..data import Rows, decision_pass, sum_pass
from ..engine import cached_property, one_blas_thread, run_parallel
from ._of_rows import OfRows

# Values of a tile: it stays in the cache between being formed and being used.
_TILE = 2**15


@dataclass(frozen=True)
class LeastSquares(OfRows):
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
    centre_twice : bool
        Whether what rounding leaves of the mean of ``X - mu`` is subtracted too, for another pass over the rows. The
        rank of A depends on it where means are far larger than spreads.

    """

    rows: Rows
    targets: np.ndarray
    weights: np.ndarray
    alpha: np.ndarray
    fit_intercept: bool = True
    threads: int = 1
    centre_twice: bool = False

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
        return self._sums(self.weights / self.weights.sum())[:-1]

    @cached_property
    def mu_rest(self) -> np.ndarray | None:
        """What `mu`, rounded to float64, is below the mean of the rows; None if A is centred once."""
        if not (self.centre_twice and self.fit_intercept):
            return None
        once = replace(self, centre_twice=False)
        once.__dict__["mu"] = self.mu
        sums = np.sum(once.over_tiles(lambda low, high, tile: tile.T @ self.roots[low:high]), axis=0)
        return sums / self.weights.sum()

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

    def tile(self, low: int, high: int, room: np.ndarray | None = None) -> np.ndarray:
        """Rows low..high of A; `room` is a place to write them to."""
        X = self.rows.take(slice(low, high))  # type: ignore[arg-type]
        out = np.empty((high - low, self.d)) if room is None else room[: high - low]
        np.subtract(X.toarray() if self.rows.sparse else X, self.mu, out=out)
        if self.mu_rest is not None:
            out -= self.mu_rest
        if not self._unweighted:
            out *= self.roots[low:high, None]
        return out

    @cached_property
    def _unweighted(self) -> bool:
        return bool((self.weights == 1).all())

    def tile_height(self, least: int = 64) -> int:
        """Rows of a tile."""
        return max(least, _TILE // max(1, self.d))

    def columns(self, low: int, high: int) -> np.ndarray:
        """Columns low..high of A, for wide X."""
        X = self._by_column[:, low:high]
        out = (X.toarray() if self.rows.sparse else X) - self.mu[low:high]
        if self.mu_rest is not None:
            out -= self.mu_rest[low:high]
        return out * self.roots[:, None]

    @cached_property
    def _by_column(self) -> Any:
        X = self.rows.take(slice(None))  # type: ignore[arg-type]
        return X.tocsc() if self.rows.sparse else X

    def image(self, W: np.ndarray) -> np.ndarray:
        """``A W`` for W of shape (d, columns)."""
        out = np.empty((self.n, W.shape[1]))
        if self.rows.sparse:
            for t in range(W.shape[1]):
                out[:, t] = self.roots * self._values(np.append(W[:, t], -self._mean_value(W[:, t])))
            return out

        def part(low: int, high: int, tile: np.ndarray) -> None:
            np.dot(tile, W, out=out[low:high])

        self.over_tiles(part)
        return out

    def transposed(self, R: np.ndarray) -> np.ndarray:
        """``A' R`` for R of shape (n, columns)."""
        if self.rows.sparse:
            sums = [self._sums(self.roots * R[:, t]) for t in range(R.shape[1])]
            rest = 0.0 if self.mu_rest is None else self.mu_rest
            return np.column_stack([total[:-1] - self.mu * total[-1] - rest * total[-1] for total in sums])
        return _total(self.over_tiles(lambda low, high, tile: tile.T @ R[low:high]))

    def residual(self, W: np.ndarray, offset: np.ndarray | float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """``R = t - A W + sqrt(s) offset`` and ``A' R``, by one pass over dense rows."""
        if self.rows.sparse:
            R = self.right - self.image(W) + self.roots[:, None] * offset
            return R, self.transposed(R)
        R = self.right + self.roots[:, None] * offset
        out = np.zeros((self.d + 1, W.shape[1]))

        def part(low: int, high: int, tile: np.ndarray) -> np.ndarray:
            R[low:high] -= tile @ W
            sums = np.empty_like(out)
            np.dot(tile.T, R[low:high], out=sums[:-1])
            sums[-1] = np.vdot(tile, tile)  # next to nothing while the tile is at hand
            return sums

        for sums in self.over_tiles(part):
            out += sums
        self.__dict__["_squares"] = float(out[-1, 0])
        return R, out[:-1]

    def of_targets(self, index: np.ndarray) -> LeastSquares:
        """The same with some of the targets."""
        return replace(self, targets=np.ascontiguousarray(self.targets[:, index]), alpha=self.alpha[index])

    def centred_at(self, mu: np.ndarray, nu: np.ndarray) -> LeastSquares:
        """The same around given means: these rows may be a part of others."""
        other = replace(self, centre_twice=False)
        other.__dict__.update(mu=mu, nu=nu)
        return other

    def intercept(self, W: np.ndarray) -> np.ndarray:
        """The best b of weights W of shape (d, k)."""
        return self.nu - self._mean_value(W) if self.fit_intercept else np.zeros(W.shape[1])

    def squared_size(self) -> float:
        """``sum_i s_i (||x_i||^2 + 1)`` (no 1 without an intercept): what rounding errors scale with."""
        total = float(self.weights.sum())
        if self.rows.sparse:
            return float(self.weights @ self.rows.squared_norms(np.zeros(self.d))) + total * self.fit_intercept
        return self.rounding_size() + total * (float(self.mu @ self.mu) + self.fit_intercept)

    def rounding_size(self) -> float:
        """What rounding errors of products with A scale with: its squares, or for CSR rows those before centring."""
        return self.squared_size() if self.rows.sparse else self._squares

    @cached_property
    def _squares(self) -> float:
        return float(sum(self.over_tiles(lambda low, high, tile: float(np.vdot(tile, tile)))))

    def _mean_value(self, W: np.ndarray) -> Any:
        """``<mu, w>`` of each column of W."""
        return self.mu @ W if self.mu_rest is None else self.mu @ W + self.mu_rest @ W

    # ---------------------------------------------------------------- passes

    def _values(self, theta: np.ndarray) -> np.ndarray:
        """``<x_i, w> + b`` of theta = (w, b)."""
        f = np.empty(self.n)
        run_parallel(
            lambda low, high: decision_pass(self.rows.arrays, low, high, theta, f), self.rows.strips(self.threads)
        )
        return f

    def _sums(self, a: np.ndarray) -> np.ndarray:
        """``sum_i a_i (x_i, 1)``."""

        def part(low: int, high: int) -> np.ndarray:
            total = np.zeros(self.d + 1)
            sum_pass(self.rows.arrays, low, high, a, total)
            return total

        return _total(run_parallel(part, self.rows.strips(self.threads)))

    @cached_property
    def whole(self) -> np.ndarray | None:
        """A itself, not to be written to, where dense rows are few enough for one tile; else None."""
        if self.rows.sparse or self.n > self.tile_height():
            return None
        tile = self.tile(0, self.n)
        tile.flags.writeable = False
        return tile

    def over_tiles(self, work: Callable[[int, int, np.ndarray], Any], outputs: int = 1) -> list[Any]:
        """``work(low, high, tile)`` for each tile; the sum of what it gives, one for each thread.

        `outputs` are the multiplications for each value of a tile: more of them are worth more threads.
        """
        if self.whole is not None:
            return [work(0, self.n, self.whole)]
        height = self.tile_height()

        def part(low: int, high: int) -> Any:
            room, total = np.empty((min(height, self.n), self.d)), None
            for a in range(low, high, height):
                b = min(high, a + height)
                term = work(a, b, self.tile(a, b, room))
                total = term if total is None else total + term
            return total

        with one_blas_thread():
            return run_parallel(part, self.rows.strips(self.threads, outputs))


def _total(parts: list[np.ndarray]) -> np.ndarray:
    """The sum of what threads have found."""
    return parts[0] if len(parts) == 1 else np.sum(parts, axis=0)
