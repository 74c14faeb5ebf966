"""Dual coordinate ascent with shrinking: for sparse and wide rows, for losses with and without kinks.

With beta_i = -c_i u_i and v = sum_i beta_i x_i the dual of `maxmargin.problems.Risk` is

    minimise over beta   sum_i c_i loss*(-beta_i / c_i) + R*(v),      w = grad R*(v) = soft(v, l1) / l2,

and sum_i beta_i = 0 if there is an intercept. In one beta_i, R* is at most as curved as q_i = ||x_i||^2 / l2 (and
exactly so without an L1 part). The minimum of that model is a proximal step of the loss, whichever the loss:

    f <- prox of q_i c_i loss at (f_i - q_i beta_i),      beta_i <- beta_i + (f - f_i) / q_i.

(Optimality is -beta_i / c_i in d loss(f) with f = f_i + q_i times the change.) For the hinge this is the step of Hsieh
et al., ICML 2008, equation 9; with an L1 part that of Shalev-Shwartz and Zhang, 2014 (Prox-SDCA). As w is kept equal
to grad R*(v), the gap is sum_i c_i [loss(f_i) + loss*(u_i) - u_i f_i]: a sweep sums it up on the way.

The intercept is not penalised. Its constraint is met by the method of multipliers (Rockafellar 1976): rho/2 (b - a)^2
is added, which in the dual is a constant feature of length 1/sqrt(rho), b = a + sum_i beta_i / rho, and the centre a
follows b after every sweep. Both converge together, because rho is small beside the curvature of the losses in b.
As sum_i beta_i = 0, rows may be shifted by their mean mu, which makes them shorter and the steps longer. No row is
changed for it: with T = sum_i beta_i, m_i = <x_i, mu> and v as above the shifted weights are v - T mu, and

    <x_i - mu, v - T mu> = <x_i, v> - T m_i - <mu, v> + T ||mu||^2      (not with an L1 part, where w is no sum).

Samples that do not move are left out, in two ways. One whose multiplier stays at a bound is looked at again after one
sweep, then three, then seven. And (Hsieh et al., section 3.2, for any loss) one whose slope would be the same at every
value within the largest move of the last sweep around f_i rests until the others are done. All take part in the check
that ends the search.
"""

from __future__ import annotations

import numpy as np

from ...certificates import Status
from ...problems import Risk
from .._driver import IterativeSolver
from .._measured import measured
from .._needs import Needs
from .._solution import Solution
from .._trace import Figures
from ._dual_sweeps import BETA, LOWER, UPPER, C, Q, Y, dot, objectives, run_sweeps, square, squares

# Stored values that one call of compiled code goes through: about a tenth of a second.
_BATCH = 20_000_000


class DualCoordinate(IterativeSolver):
    """Multipliers, weights and what a sweep remembers from the one before. An iteration is a sweep over the samples."""

    name = "dual_coordinate"
    needs = Needs(convex=True, l2=True)
    works_in_dual = True
    budget = 50_000
    first_budget = 500
    options = ("seed", "shrinking")

    def __init__(
        self,
        problem: Risk,
        start: np.ndarray,
        tolerance: float,
        slopes: np.ndarray | None = None,
        *,
        seed: int = 0,
        shrinking: bool = True,
    ) -> None:
        self.problem, self.tolerance, self.shrinking = problem, tolerance, shrinking
        self.resumed = slopes is not None
        # where the origin has no loss nothing can be less
        nothing = slopes is None and not start.any() and problem.loss_at(np.zeros(problem.n)) == 0.0
        loss, y, c = problem.loss, problem.y, problem.weights
        l1, l2 = problem.l1, problem.l2
        self.members = np.flatnonzero(c > 0)
        self.order, self.active = self.members.copy(), len(self.members)
        self.samples = _lines(problem.n)
        self.samples[:, Y], self.samples[:, C] = y, c
        # 0 * inf: a sample without weight has no multiplier, an unbounded slope no bound
        self.samples[:, LOWER] = -c * np.where(c > 0, loss.dual_upper(y), 0.0)
        self.samples[:, UPPER] = -c * np.where(c > 0, loss.dual_lower(y), 0.0)
        self.rests = np.zeros((problem.n, 2), dtype=np.int8)
        self.mean = self._mean()
        self.mean_square = square(self.mean)
        squares(problem.rows.arrays, l2, self.mean, self.mean_square, self.samples)
        if slopes is None and start.any():
            slopes = loss.derivative(problem.decision(start), y)
        v = np.zeros(problem.d)
        if slopes is not None:
            beta = np.clip(-c * slopes, self.samples[:, LOWER], self.samples[:, UPPER])
            self.samples[:, BETA] = beta
            v = problem.transposed(beta)[:-1]
        self.w = np.sign(v) * np.maximum(np.abs(v) - l1, 0.0) / l2
        self.v = v if l1 > 0 else v[:0]
        self.inverse_rho = 0.0
        # the intercept of the shifted rows
        self.b = dot(self.mean, self.w) - self._total() * self.mean_square / l2
        if problem.fit_intercept and len(self.members) and not nothing:
            # the constant feature is a third as long as the rows usually are, or longer if the losses hardly count
            weight = float(c.sum())
            self.inverse_rho = max(0.1 * float(self.samples[self.members, Q].mean()), 10.0 / weight)
            self.b += float(start[-1]) if slopes is not None else float((c * y).sum()) / weight
        self.random = np.array([(2 * seed + 0x9E3779B97F4A7C15) % 2**64], dtype=np.uint64)  # odd: never zero
        self.largest, self.estimate, self.dual = np.inf, np.inf, -np.inf
        self.gap, self.size, self.checked = 0.0 if nothing else np.inf, 1.0, False
        self.batch = max(1, min(_BATCH // max(problem.stored + 20 * problem.n, 1), 200))

    def begin(self, budget: int) -> None:
        if self.resumed:
            self.check()

    def finished(self, last: bool) -> Status | None:
        if last and self.iterations and not self.checked:
            self.check()
        return Status.CONVERGED if self.gap <= self.tolerance * self.size else None

    def step(self, most: int) -> Status | None:
        done, promising = self.sweep(min(self.batch, most, self.burst))
        self.iterations += done
        self.checked = False
        if promising:
            self.check()
        else:
            self.gap = max(self.estimate, 2 * self.tolerance * self.size)
        return None

    def figures(self) -> Figures:
        if self.traced:
            return measured(self.problem, self.variables(), self.slopes())
        return Figures(self.largest, self.gap / self.size, self.dual + self.gap, self.dual)

    def result(self, status: Status, keyboard: bool) -> Solution:
        return Solution(self.variables(), status, self.iterations, slopes=self.slopes(), keyboard=keyboard)

    def _mean(self) -> np.ndarray:
        problem = self.problem
        if problem.fit_intercept and problem.l1 == 0 and len(self.members):
            return problem.transposed(problem.weights)[:-1] / float(problem.weights.sum())
        return np.zeros(problem.d)

    def _total(self) -> float:
        return float(self.samples[:, BETA].sum())

    def variables(self) -> np.ndarray:
        w = self.w - (self._total() / self.problem.l2) * self.mean
        return np.append(w, self.b - dot(self.mean, w))

    def sweep(self, count: int) -> tuple[int, bool]:
        """Up to `count` sweeps; how many, and whether the gap of the samples that were visited is small enough."""
        problem, loss = self.problem, self.problem.loss
        done, self.active, self.b, self.largest, self.estimate, self.dual = run_sweeps(
            problem.rows.arrays,
            self.samples,
            self.samples.reshape(-1),
            self.rests,
            self.mean,
            loss.code,
            loss.epsilon,
            problem.l1,
            problem.l2,
            self.v,
            self.w,
            self.b,
            self.inverse_rho,
            self.order,
            self.active,
            self.random,
            self.largest,
            count,
            self.tolerance,
            self.shrinking,
        )
        return done, self.estimate <= self.tolerance * abs(self.dual)

    def check(self) -> None:
        """Find the gap of all samples at the present weights, and the size it is relative to; no one rests any more."""
        problem, loss = self.problem, self.problem.loss
        theta, u = self.variables(), self.slopes()
        f = problem.decision(theta)
        losses, conjugates, gap = objectives(loss.code, loss.epsilon, f, problem.y, problem.weights, u)
        self.dual = -conjugates - 0.5 * problem.l2 * square(theta[:-1])
        self.estimate = gap
        self.active, self.largest = len(self.members), np.inf
        self.rests[:, 0] = 0
        self.gap, self.size = gap, max(abs(losses + problem.penalty.value(theta[:-1])), abs(self.dual))
        self.checked = True

    def slopes(self) -> np.ndarray:
        """Slopes u of the multipliers, whose weighted sum is zero if there is an intercept."""
        c = self.problem.weights
        beta = self._balanced() if self.problem.fit_intercept else self.samples[:, BETA]
        return np.divide(-beta, c, out=np.zeros(len(c)), where=c > 0)

    def _balanced(self) -> np.ndarray:
        """Multipliers whose sum is zero: what is left over goes to those that are free, then to all of its sign.

        A multiplier off its bounds belongs to a value at a kink, or on a curved piece, where a little more or less
        costs nothing to first order. Last come those at a bound, which are scaled towards zero.
        """
        beta, lower, upper = (np.ascontiguousarray(self.samples[:, k]) for k in (BETA, LOWER, UPPER))
        for free in (True, False):
            total = float(beta.sum())
            room = np.where(beta * total > 0, np.abs(beta), 0.0)
            if free:
                bound = lower if total > 0 else upper
                room = np.where(np.isfinite(bound), np.abs(beta - bound), room)
                room[(beta == lower) | (beta == upper)] = 0.0
            whole = float(room.sum())
            if whole > 0.0:
                beta = np.clip(beta - np.sign(total) * min(1.0, abs(total) / whole) * room, lower, upper)
        return beta


def _lines(n: int) -> np.ndarray:
    """An (n, 8) array of zeros whose rows are cache lines."""
    room = np.zeros(8 * n + 8)
    skip = -(room.ctypes.data // 8) % 8
    return room[skip : skip + 8 * n].reshape(n, 8)
