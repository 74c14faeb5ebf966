"""The rows of a lasso as its solvers read them: lengths, correlations and Gram matrices of columns, computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...data import Rows, columns_gram_pass, square_pass
from ...engine import cached_property, raise_interrupt, run_parallel
from ...problems import LeastSquares
from ._lasso_descent import gram_path
from .least_squares import inner_gram

# Features up to which the Gram matrix of all of them is formed.
NARROW = 500
# Features of a working set above which its Gram matrix would cost more than it saves.
MOST_FEATURES = 4000
# Newton steps on one working set.
NEWTON_STEPS = 50
# Sweeps of coordinate descent between two of them.
SWEEPS = 10
# Multiplications of one call of compiled code along a path.
_CALL = 2e8
# Stored values of one call of compiled code over CSR rows.
_VALUES = 2**22
# What rounding may take from the length of a column, as a part of the uncentred length.
_LENGTHS = 1e-12


class Design:
    """What the problems of one X and one set of weights share: means, lengths of columns, Gram matrices so far.

    Parameters
    ----------
    rows : Rows
        The samples.
    weights : ndarray of shape (n,)
        c_i > 0.
    fit_intercept : bool
        Whether columns are centred.
    threads : int
        Threads that a pass may use.

    """

    def __init__(self, rows: Rows, weights: np.ndarray, fit_intercept: bool, threads: int) -> None:
        self.rows, self.weights, self.fit_intercept, self.threads = rows, weights, fit_intercept, threads
        self._blank = self._with_target(np.zeros(rows.n))
        self._known = np.empty(0, dtype=np.int64)
        self._place = np.full(rows.d, -1)
        self._gram = np.empty((0, 0))

    def _with_target(self, y: np.ndarray) -> LeastSquares:
        return LeastSquares(self.rows, y[:, None], self.weights, np.zeros(1), self.fit_intercept, self.threads)

    def centred(self, y: np.ndarray) -> LeastSquares:
        """A and t of a target; the means of the columns are those that are known."""
        problem = self._with_target(y)
        problem.__dict__["mu"] = self._blank.mu
        return problem

    def correlations(self, problem: LeastSquares) -> np.ndarray:
        """``A't`` of a target; by the pass over the rows that forms the Gram matrix, where that is to be formed."""
        if len(self._known) or self.rows.d > NARROW or self.rows.sparse:
            return problem.transposed(problem.right)[:, 0]
        return self._gram_of_all(problem)

    def _gram_of_all(self, problem: LeastSquares) -> np.ndarray:
        gram, right = inner_gram(problem)
        self._gram = np.ascontiguousarray(gram)
        self._known = np.arange(self.rows.d)
        self._place = self._known.copy()
        return np.ascontiguousarray(right[:, 0])

    @cached_property
    def lengths(self) -> np.ndarray:
        """``||a_j||``, rounded up."""
        problem = self._blank
        if self.rows.sparse:
            squares = self._over_rows((self.rows.d + 1,), square_pass)[:-1]
            centred = squares - float(self.weights.sum()) * problem.mu**2
            return np.sqrt(np.maximum(centred, 0.0) + _LENGTHS * squares)
        squares = np.sum(problem.over_tiles(lambda low, high, tile: np.einsum("ij,ij->j", tile, tile)), axis=0)
        return np.sqrt(squares) * (1 + _LENGTHS)

    def _over_rows(self, shape: tuple[int, ...], work: Callable[..., None], *arguments: Any) -> np.ndarray:
        """The sum that a pass adds to an array of this shape, weights being its factors."""
        height = max(1, _VALUES * self.rows.n // max(1, self.rows.stored))

        def part(low: int, high: int) -> np.ndarray:
            total = np.zeros(shape)
            for at in range(low, high, height):  # a signal is heard in between
                work(self.rows.arrays, at, min(high, at + height), self.weights, *arguments, total)
            return total

        parts = run_parallel(part, self.rows.strips(self.threads))
        return parts[0] if len(parts) == 1 else np.sum(parts, axis=0)

    def gram(self, index: np.ndarray) -> np.ndarray:
        """``A_W'A_W`` of the columns `index`; what was computed for earlier ones is used again."""
        if not len(self._known) and self.rows.d <= NARROW:
            self._gram_of_all(self._blank)
        new = index[self._place[index] < 0]
        if len(new):
            if len(self._known) + len(new) > 2 * MOST_FEATURES:  # forget what is not in use
                self._known, self._place[:] = np.empty(0, dtype=np.int64), -1
                self._gram, new = np.empty((0, 0)), index
            everything = np.concatenate([self._known, new])
            old, side = len(self._known), len(everything)
            gram = np.empty((side, side))
            gram[:old, :old] = self._gram
            self._place[new] = np.arange(old, side)
            gram[old:] = self._products(new, everything)
            gram[:old, old:] = gram[old:, :old].T
            self._gram, self._known = gram, everything
        if len(index) == self.rows.d <= NARROW:
            return self._gram  # all of them, in their order
        place = self._place[index]
        if len(place) == len(self._known) and (place == np.arange(len(place))).all():
            return self._gram
        return np.ascontiguousarray(self._gram[np.ix_(place, place)])

    def path(
        self,
        y: np.ndarray,
        alphas: np.ndarray,
        l1_ratio: float,
        positive: bool,
        tolerance: float,
        thetas: np.ndarray,
        gaps: np.ndarray,
    ) -> int:
        """Minima for a target along falling alphas, from w = 0, by nothing but the Gram matrix of all features.

        Parameters
        ----------
        y : ndarray of shape (n,)
            The target.
        alphas : ndarray
            Penalties, falling; `l1_ratio` and `positive` are the same for all.
        tolerance : float
            Of the relative gaps, which are computed from the Gram matrix, too.
        thetas, gaps : ndarray of shape (n_alphas, d + 1) and (n_alphas,)
            Filled.

        Returns
        -------
        int
            How many were found. None where there are too many features for it; it ends where rounding of the Gram
            matrix would be seen, or the tolerance is not met.

        """
        if self.rows.d > NARROW or not len(alphas):
            return 0
        problem = self.centred(y)
        right, G = self.correlations(problem), self.gram(np.arange(self.rows.d))
        t = problem.right[:, 0]
        square = float(t @ t)
        if not (square > 0 and np.isfinite(square) and np.isfinite(right).all() and np.isfinite(G).all()):
            return 0
        weights = np.zeros((len(alphas) + 1, self.rows.d))
        at_once, found = max(1, int(_CALL // (SWEEPS * max(64, self.rows.d) ** 2))), 0
        for low in range(0, len(alphas), at_once):  # a signal is heard in between
            high = min(len(alphas), low + at_once)
            sweeps = G, right, square, alphas[low:high], l1_ratio, positive, tolerance, SWEEPS, NEWTON_STEPS
            found = low + int(gram_path(*sweeps, weights[low : high + 1], gaps[low:high]))
            raise_interrupt()
            if found < high:
                break
        W = weights[1 : found + 1]
        thetas[:found, :-1], thetas[:found, -1] = W, problem.intercept(W.T) if self.fit_intercept else 0.0
        return found

    def _products(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """``A_left'A_right``, `left` being the last of `right`, which have their places."""
        problem = self._blank
        if self.rows.sparse:
            shape = len(left), len(right)
            both = self._over_rows(shape, columns_gram_pass, self._place, len(right) - len(left))
            return both - float(self.weights.sum()) * np.outer(problem.mu[left], problem.mu[right])
        many = len(left)
        index = np.concatenate([left, right[~np.isin(right, left)]])
        place = {int(j): k for k, j in enumerate(index.tolist())}
        order = np.array([place[int(j)] for j in right.tolist()], dtype=np.int64)
        total = np.zeros((many, len(index)))
        height = max(256, 2**18 // max(1, len(index)))
        for low in range(0, self.rows.n, height):
            part = slice(low, min(self.rows.n, low + height))
            tile = self.rows.take(part)[:, index] - problem.mu[index]  # type: ignore[arg-type]
            tile *= problem.roots[part, None]
            total += tile[:, :many].T @ tile
        return total[:, order]
