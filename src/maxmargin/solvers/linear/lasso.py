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

from math import inf, sqrt
from typing import Any

import numpy as np
from scipy.linalg import lapack

from ...certificates import Status
from ...engine import was_interrupted
from ...problems import Risk
from .._driver import IterativeSolver
from .._measured import measured
from .._needs import Needs
from .._solution import Solution
from .._trace import Figures
from ._lasso_descent import DEPENDENT, gram_descent, gram_minimum
from ._lasso_design import MOST_FEATURES, NARROW, NEWTON_STEPS, SWEEPS, Design

# Features up to which none is screened: to sweep over them costs less than to find out.
_FEW = 128
# Features of a working set up to which all of its steps are one call of compiled code.
_COMPILED = 200
# The first working set, at least.
_FIRST = 64
# Rounds without a better gap or objective before what is left counts as rounding.
_PATIENCE = 4
# Of the size of the objective: a gap on a working set that is nothing but the rounding of its terms.
_ROUNDING = 4 * float(np.finfo(np.float64).eps)
# Gaps below this, in sizes of the objective, are differences of sums that are rounded: no round makes them smaller.
# 200 x 30, alpha = 0.01: seven rounds down to 1.7e-15 with the answer of the first, 3.4 ms instead of 0.8.
_NOISE = 64 * float(np.finfo(np.float64).eps)
# Multiplications of one burst of coordinate descent.
_BURST = 2e8
# Weights up to which Newton's equations are solved.
_SYSTEM = 2000


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
        if self.problem.d <= NARROW or len(self.alive) <= _FIRST or self.problem.l1 <= 0:
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
        burst = int(max(1, min(SWEEPS, _BURST // len(W) ** 2)))
        target = 0.1 * self.tolerance
        if len(W) <= _COMPILED:
            sums = float(self.r @ self.r), float(self.t @ self.r)
            limits = target, _ROUNDING, self.size
            gram_minimum(G, q, w, l1, l2, self.positive, *sums, right, *limits, burst, NEWTON_STEPS)
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
        for _ in range(NEWTON_STEPS):
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
