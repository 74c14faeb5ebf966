"""Primal-dual hybrid gradient, for any convex loss and any penalty with proximal steps: kinks in both are allowed.

With F(f) = sum_i c_i loss(f_i), K = [X, 1] and z the slopes times the weights, steps in turn (Chambolle and Pock 2011,
algorithm 1),

    z <- prox of s F* at z + s K (2 theta - theta before),      theta <- prox of t R at theta - t K'z,

with s t ||K||^2 < 1; the first is, by Moreau, ``v - s prox(v / s)`` with the loss's own proximal step of length c / s.
The intercept is a weight without penalty. Averages of the iterates have a gap of O(1/k). Starting afresh from the
better of average and iterate whenever its gap has halved makes that a linear rate on many problems, and each fresh
start balances s and t by how far the two sides have moved (Applegate et al. 2021, algorithms 1 and 3). One step costs
two passes over the rows. Needs: proximal steps of loss and penalty.
"""

from __future__ import annotations

from math import exp, inf, log

import numpy as np

from ...certificates import RiskEvidence, Status, evaluate_risk
from ...problems import Risk
from .._driver import IterativeSolver
from .._needs import Needs
from .._solution import Solution
from .._trace import Figures

# Steps between two looks at the gap: a quarter of those so far, within these bounds.
_LOOKS = 10, 64
_HALVED = 0.5
_LONGEST = 0.36  # of all steps, without a fresh start


class _Side:
    """A point (theta, z), and the evidence of it."""

    def __init__(self, problem: Risk, theta: np.ndarray, z: np.ndarray) -> None:
        self.theta, self.z = theta, z
        c = problem.weights
        self.evidence: RiskEvidence = evaluate_risk(problem, theta, np.divide(z, c, out=np.zeros_like(z), where=c > 0))

    @property
    def gap(self) -> float:
        return self.evidence.relative_gap

    @property
    def rank(self) -> tuple[float, float]:
        """By the gap, then by the objective: as long as no bound is known, all gaps are 1."""
        return self.gap, self.evidence.primal


class PrimalDual(IterativeSolver):
    """Primal-dual hybrid gradient with fresh starts; see the top of this file."""

    name = "primal_dual"
    needs = Needs(prox=True, compiled=False, separable=False)
    budget = 20_000
    works_in_dual = True

    def __init__(self, problem: Risk, start: np.ndarray, tolerance: float, slopes: np.ndarray | None = None) -> None:
        self.problem, self.tolerance = problem, tolerance
        self.violation, self.due = inf, _LOOKS[0]
        z = np.zeros(problem.n) if slopes is None else problem.weights * slopes
        # the weights start on the scale of 1, the slopes on that of the losses' weights
        self.ratio = 1.0 / max(float(np.linalg.norm(problem.weights)), 1e-300)
        self.best = _Side(problem, start, z)
        self._start(self.best)

    def begin(self, budget: int) -> None:
        self.norm = max(_norm(self.problem), 1e-300)

    def _start(self, side: _Side) -> None:
        self.origin, self.reference, self.since = side, side.gap, 0
        self.theta, self.z = side.theta, side.z
        self.f = self.before = self.problem.decision(side.theta)
        self.sums = np.zeros_like(self.theta), np.zeros_like(self.z)

    def step(self, most: int) -> Status | None:
        moved = self._advance()
        if not moved or self.iterations >= self.due or most <= 1:
            self._look()
            self.due = self.iterations + min(max(self.iterations // 4, _LOOKS[0]), _LOOKS[1])
        return None if moved else self.finished(True) or Status.STALLED

    def finished(self, last: bool) -> Status | None:
        return Status.CONVERGED if self.best.gap <= self.tolerance else None

    def figures(self) -> Figures:
        e = self.best.evidence
        return Figures(self.violation, e.relative_gap, e.primal, e.dual)

    def result(self, status: Status, keyboard: bool) -> Solution:
        return Solution(self.best.theta, status, self.iterations, slopes=self.best.evidence.u, keyboard=keyboard)

    def _advance(self) -> bool:
        """One step; False if rounding, or a function that returns what is not a number, leaves none."""
        problem, t, s = self.problem, self.ratio / self.norm, 1 / (self.ratio * self.norm)
        ahead = self.z + s * (2 * self.f - self.before)
        z = ahead - s * problem.loss.prox(ahead / s, problem.y, problem.weights / s)
        z[problem.weights <= 0] = 0.0
        theta = self.theta - t * problem.transposed(z)
        theta[:-1] = problem.penalty.prox(theta[:-1], t)
        f = problem.decision(theta)
        if not (np.isfinite(f).all() and np.isfinite(z).all()):
            return False
        moved = not (np.array_equal(theta, self.theta) and np.array_equal(z, self.z))
        self.violation = float(np.abs(theta - self.theta).max()) / t
        self.theta, self.z, self.before, self.f = theta, z, self.f, f
        self.sums[0][:] += theta
        self.sums[1][:] += z
        self.since += 1
        self.iterations += 1
        return moved

    def _look(self) -> None:
        """Compute gaps of the iterate and of the average, and start afresh from the better one if it is worth it."""
        sides = [_Side(self.problem, self.theta, self.z)]
        if self.since > 1:
            sides.append(_Side(self.problem, *(total / self.since for total in self.sums)))
        better = min(sides, key=lambda side: side.rank)
        if better.rank < self.best.rank:
            self.best = better
        if better.gap <= _HALVED * self.reference or self.since >= _LONGEST * self.iterations:
            self._balance(better)
            self._start(better)

    def _balance(self, side: _Side) -> None:
        primal = float(np.linalg.norm(side.theta - self.origin.theta))
        dual = float(np.linalg.norm(side.z - self.origin.z))
        if 1e-10 < primal < inf and 1e-10 < dual < inf:
            self.ratio = exp(0.5 * log(primal / dual) + 0.5 * log(self.ratio))


def _norm(problem: Risk) -> float:
    """A little more than the largest singular value of [X, 1], by power iteration."""
    ones = np.ones(problem.n)
    p = np.random.default_rng(0).normal(size=problem.d + 1)
    square = 0.0
    for _ in range(30):
        length = float(np.linalg.norm(p))
        if length == 0:
            break
        p = problem.hessian_product(ones, p / length)
        before, square = square, float(np.linalg.norm(p))
        if abs(square - before) <= 1e-3 * square:
            break
    return 1.05 * float(np.sqrt(square))
