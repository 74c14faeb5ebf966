"""The lasso and the elastic net: working sets, coordinate descent on their Gram matrix, and screening.

    minimise over (w, b)    1/2 sum_i c_i (y_i - <x_i, w> - b)^2 + l1 ||w||_1 + l2/2 ||w||^2

With A = diag(sqrt c) (X - mu) and t = diag(sqrt c) (y - nu), centred where there is an intercept, this is
1/2 ||t - A w||^2 + R(w) (see `maxmargin.problems.LeastSquares`). One round:

1. the residual r = t - A w and all correlations A'r, by one pass over the rows, and the duality gap: r itself, or with
   an L1 part alone r scaled by s until no |a_j'r| is above l1, is a point of the dual.
2. screening (Ndiaye, Fercoq, Gramfort and Salmon 2017, "Gap Safe"): the best point of the dual is within sqrt(2 gap) of
   this one, so that a weight with |a_j'theta| + sqrt(2 gap) ||a_j|| < l1 is zero in every solution, and is left out.
3. the working set: the weights that are not zero, and those whose constraint of the dual is the nearest (Massias,
   Gramfort and Salmon 2018). Its Gram matrix is formed, or extended by what is new in it.
4. on the working set: sweeps of coordinate descent, and Newton's step for the signs that it has found, as far as no
   weight changes its sign. The quadratic of a round is one about the true residual: rounding of the Gram matrix slows
   the descent down, and does not move the solution.

With few features all of them are the working set, and the rows are read once for their Gram matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, sqrt
from typing import Any

import numpy as np
from scipy.linalg import lapack

from ...certificates import Status
from ...data import Rows, columns_gram_pass, square_pass
from ...engine import cached_property, raise_interrupt, run_parallel, was_interrupted
from ...problems import LeastSquares, Risk
from .._driver import IterativeSolver
from .._measured import measured
from .._needs import Needs
from .._solution import Solution
from .._trace import Figures
from ._lasso_descent import DEPENDENT, gram_descent, gram_minimum, gram_path
from .least_squares import inner_gram

# Features up to which the Gram matrix of all of them is formed.
_NARROW = 500
# Features up to which none is screened: to sweep over them costs less than to find out.
_FEW = 128
# Features of a working set up to which all of its steps are one call of compiled code.
_COMPILED = 200
# Multiplications of one call of compiled code along a path.
_CALL = 2e8
# Stored values of one call of compiled code over CSR rows.
_VALUES = 2**22
# The first working set, at least.
_FIRST = 64
# Features of a working set above which its Gram matrix would cost more than it saves.
MOST_FEATURES = 4000
# Rounds without a better gap or objective before what is left counts as rounding.
_PATIENCE = 4
# Newton steps on one working set.
_NEWTON_STEPS = 50
# Of the size of the objective: a gap on a working set that is nothing but the rounding of its terms.
_ROUNDING = 4 * float(np.finfo(np.float64).eps)
# Gaps below this, in sizes of the objective, are differences of sums that are rounded: no round makes them smaller.
# 200 x 30, alpha = 0.01: seven rounds down to 1.7e-15 with the answer of the first, 3.4 ms instead of 0.8.
_NOISE = 64 * float(np.finfo(np.float64).eps)
# Sweeps between two of them.
_SWEEPS = 10
# Multiplications of one burst of coordinate descent.
_BURST = 2e8
# Weights up to which Newton's equations are solved.
_SYSTEM = 2000
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
        if len(self._known) or self.rows.d > _NARROW or self.rows.sparse:
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
        if not len(self._known) and self.rows.d <= _NARROW:
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
        if len(index) == self.rows.d <= _NARROW:
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
        if self.rows.d > _NARROW or not len(alphas):
            return 0
        problem = self.centred(y)
        right, G = self.correlations(problem), self.gram(np.arange(self.rows.d))
        t = problem.right[:, 0]
        square = float(t @ t)
        if not (square > 0 and np.isfinite(square) and np.isfinite(right).all() and np.isfinite(G).all()):
            return 0
        weights = np.zeros((len(alphas) + 1, self.rows.d))
        at_once, found = max(1, int(_CALL // (_SWEEPS * max(64, self.rows.d) ** 2))), 0
        for low in range(0, len(alphas), at_once):  # a signal is heard in between
            high = min(len(alphas), low + at_once)
            sweeps = G, right, square, alphas[low:high], l1_ratio, positive, tolerance, _SWEEPS, _NEWTON_STEPS
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


class WorkingSets(IterativeSolver):
    """One problem of the lasso. Its iterations are rounds: a pass over the rows and the answer on a working set."""

    name = "working_sets"
    needs = Needs(smooth=True)
    budget = 1000
    options = ("design",)
    exact_up_to = 20_000

    def __init__(
        self, problem: Risk, start: np.ndarray, tolerance: float, slopes: Any = None, design: Design | None = None
    ) -> None:
        self.problem, self.tolerance = problem, tolerance
        if design is None:
            design = Design(problem.rows, problem.weights, problem.fit_intercept, problem.threads)
        self.design, self.centred = design, design.centred(problem.y)
        self.t = self.centred.right[:, 0]
        self.positive = bool(getattr(problem.penalty, "positive", False))
        self.w = np.where(start[:-1] > 0, start[:-1], 0.0) if self.positive else start[:-1].copy()
        self.alive = np.arange(problem.d)
        self.working = np.empty(0, dtype=np.int64)
        self.best, self.reached, self.waited = inf, self.w, 0
        self.gap, self.size, self.primal, self.lowest = inf, 1.0, inf, inf
        self.too_many = False

    def finished(self, last: bool) -> Status | None:
        if self.w.any():
            R, g = self.centred.residual(self.w[:, None])
            self.r, self.g = R[:, 0], g[:, 0]
        else:
            self.r, self.g = self.t, self.design.correlations(self.centred)
        self.gap, self.size, s = self._gap()
        # the gap jumps while the working set grows, but the objective falls as long as there is something to gain
        falls = self.primal < self.lowest - max(0.01 * self.tolerance, 1e-14) * self.size
        self.waited = 0 if falls or self.gap < 0.5 * self.best else self.waited + 1
        self.lowest = min(self.lowest, self.primal)
        if self.gap < self.best:
            self.best, self.reached = self.gap, self.w.copy()
        if not np.isfinite(self.gap):
            return Status.STALLED
        self._screen(s)
        if self.gap <= max(self.tolerance, _NOISE) * self.size:
            return Status.CONVERGED
        return Status.STALLED if self.waited >= _PATIENCE else None

    def _gap(self) -> tuple[float, float, float]:
        """Duality gap, the size that it is relative to, and the scale of the residual in the dual."""
        l1, l2 = self.problem.l1, self.problem.l2
        w, g = self.w, self.g
        square = float(self.r @ self.r)
        primal = 0.5 * square + l1 * float(np.abs(w).sum()) + 0.5 * l2 * float(w @ w)
        sizes = np.maximum(g, 0.0) if self.positive else np.abs(g)
        if l2 > 0:
            excess = np.maximum(sizes - l1, 0.0)
            dual, s = float(self.t @ self.r) - 0.5 * square - float(excess @ excess) / (2 * l2), 1.0
        else:
            largest = float(sizes.max(initial=0.0))
            s = min(1.0, l1 / largest) if largest > 0 else 1.0
            dual = s * float(self.t @ self.r) - 0.5 * s * s * square
        self.primal = primal
        return primal - dual, max(abs(primal), abs(dual), 1e-300), s

    def _screen(self, s: float) -> None:
        """Leave out the weights that are zero in every solution."""
        l1, l2 = self.problem.l1, self.problem.l2
        if l1 <= 0 or self.problem.d <= _FEW:
            return
        # an L2 part is the lasso with d more rows, sqrt(l2) I: of these the residual is -sqrt(l2) w
        g, lengths = self.g[self.alive], self.design.lengths[self.alive]
        w, gap = self.w[self.alive], max(self.gap, 0.0)
        if l2 > 0:
            g, lengths = g - l2 * w, np.sqrt(lengths**2 + l2)
            sizes = np.maximum(g, 0.0) if self.positive else np.abs(g)
            largest = float(sizes.max(initial=0.0))
            s = min(1.0, l1 / largest) if largest > 0 else 1.0
            square, product = float(self.r @ self.r), float(self.t @ self.r)
            inner = square + l2 * float(w @ w)
            primal = 0.5 * inner + l1 * float(np.abs(w).sum())
            gap = max(primal - s * product + 0.5 * s * s * inner, 0.0)
        sizes = s * (g if self.positive else np.abs(g))
        kept = sizes + sqrt(2 * gap) * lengths >= l1 * (1 - 1e-9)
        self.w[self.alive[~kept]] = 0.0
        self.alive = self.alive[kept]

    def _next_working(self) -> np.ndarray:
        """The weights that are not zero, and those whose constraint of the dual is the nearest."""
        if self.problem.d <= _NARROW or len(self.alive) <= _FIRST or self.problem.l1 <= 0:
            return self.alive
        g, lengths = self.g[self.alive], np.maximum(self.design.lengths[self.alive], 1e-300)
        sizes = g if self.positive else np.abs(g)
        used = self.w[self.alive] != 0
        distance = np.where(used, -inf, (self.problem.l1 - sizes) / lengths)
        many = min(len(self.alive), max(_FIRST, 2 * int(used.sum()), len(self.working)))
        nearest = np.argpartition(distance, many - 1)[:many] if many < len(self.alive) else np.arange(len(self.alive))
        # what violates and was in the set stays, so that sets do not alternate
        before = np.isin(self.alive, self.working)
        before &= sizes > self.problem.l1
        return np.union1d(self.alive[nearest], self.alive[before | used])

    def step(self, most: int) -> Status | None:
        l1, l2 = self.problem.l1, self.problem.l2
        self.working = W = self._next_working()
        if len(W) > MOST_FEATURES and not self.positive:
            self.too_many = True
            return Status.BUDGET_EXHAUSTED
        if not len(W):
            return Status.STALLED
        G = self.design.gram(W)
        w, q = self.w[W], self.g[W]
        right = q + G @ w  # A_W't, but for weights outside of the set, which are zero
        burst = int(max(1, min(_SWEEPS, _BURST // len(W) ** 2)))
        target = 0.1 * self.tolerance
        if len(W) <= _COMPILED:
            sums = float(self.r @ self.r), float(self.t @ self.r)
            limits = target, _ROUNDING, self.size
            gram_minimum(G, q, w, l1, l2, self.positive, *sums, right, *limits, burst, _NEWTON_STEPS)
        else:
            self._minimise(G, q, w, right, target, burst)
        self.iterations += 1
        self.w = np.zeros(self.problem.d)
        self.w[W] = w
        return None

    def _minimise(
        self, G: np.ndarray, q: np.ndarray, w: np.ndarray, right: np.ndarray, target: float, burst: int
    ) -> None:
        """The answer on a large working set: what `gram_minimum` does, with LAPACK for Newton's equations."""
        l1, l2 = self.problem.l1, self.problem.l2
        start, slopes = w.copy(), q.copy()
        square, product = float(self.r @ self.r), float(self.t @ self.r)
        before = inf
        for _ in range(_NEWTON_STEPS):
            gram_descent(G, q, w, l1, l2, self.positive, burst, 1e-3)
            moved = self._newton(G, q, w, l1, l2)
            change = w - start
            q = slopes - G @ change if moved else q
            # gap of the problem on the working set
            square_now = max(square - float((slopes + q) @ change), 0.0)
            product_now = product - float(right @ change)
            primal = 0.5 * square_now + l1 * float(np.abs(w).sum()) + 0.5 * l2 * float(w @ w)
            inner = square_now + l2 * float(w @ w)
            fit = q - l2 * w
            largest = float((np.maximum(fit, 0.0) if self.positive else np.abs(fit)).max(initial=0.0))
            s = min(1.0, l1 / largest) if l1 > 0 and largest > 0 else 1.0
            if l1 > 0:
                gap = primal - s * product_now + 0.5 * s * s * inner
            else:
                gap = float(fit @ fit) / (2 * l2)
            # at the optimum of these signs neither the sweeps nor Newton's step find anything, and the gap is rounding
            met = gap <= max(target * primal, _ROUNDING * self.size)
            if met or not primal < before - 1e-14 * self.size or was_interrupted():
                break
            before = primal

    def _newton(self, G: np.ndarray, q: np.ndarray, w: np.ndarray, l1: float, l2: float) -> bool:
        """The minimum for these signs, or the point on the way there where a weight would change its sign."""
        used = np.flatnonzero(w)
        if not len(used) or len(used) > _SYSTEM:
            return False
        old, slopes = w[used], q[used]
        M = G[np.ix_(used, used)]
        M.flat[:: len(M) + 1] += l2
        rest = slopes - l1 * np.sign(old) - l2 * old
        _, change, info = lapack.dposv(M, rest)
        if info != 0:
            # columns that depend on each other: a little more on the diagonal makes a long step along what changes the
            # penalty alone, up to the first sign that changes
            steep = M.copy()
            steep.flat[:: len(M) + 1] += DEPENDENT * float(M.diagonal().max())
            _, change, info = lapack.dposv(steep, rest)
        if info != 0 or not np.isfinite(change).all():
            return False  # coordinate descent goes on alone
        new = old + change
        crossing = old * new < 0

        def value(at: np.ndarray) -> float:
            d = at - old
            return float(0.5 * d @ (M @ d) + (l2 * old - slopes) @ d + l1 * (np.abs(at) - np.abs(old)).sum())

        if crossing.any():
            steps = -old[crossing] / change[crossing]
            t = float(steps.min())
            first = old + t * change
            first[np.flatnonzero(crossing)[steps <= t]] = 0.0
            first[old * first < 0] = 0.0
            # all of the way, with zeros for those that would cross, is often better: many leave at once
            new[crossing] = 0.0
            new = new if value(new) < value(first) else first
        if not value(new) < 0:
            return False
        w[used] = new
        return True

    def figures(self) -> Figures:
        if not self.traced:
            return Figures(gap=self.gap / self.size)
        return measured(self.problem, self.variables())

    def variables(self) -> np.ndarray:
        w = self.reached
        return np.append(w, self.centred.intercept(w[:, None]))

    def result(self, status: Status, keyboard: bool) -> Solution:
        screened, gap = self.problem.d - len(self.alive), max(self.best, 0.0) / self.size
        stats = {"screened": screened, "too_many": self.too_many, "gap": gap}
        return Solution(self.variables(), status, self.iterations, keyboard=keyboard, stats=stats)
