"""Primal-dual interior point for piecewise linear losses and many more samples than features.

Each loss is a sum of hinges c max(0, a - s f) (see `_interior_terms`). With slacks xi, r >= 0 and xi - r = a - s f:

    minimise  sum c xi + l1 sum_j (p_j + m_j) + l2/2 ||w||^2,    w = p - m,  p, m >= 0 (only if l1 > 0)

    optimal:  l2 w + l1 - z = X' beta,  sum beta = 0,  beta = sum s alpha,  0 <= alpha <= c,
              alpha r = 0,  (c - alpha) xi = 0,  p z = 0,  m (2 l1 - z) = 0.

Newton's equations for these, products set to sigma mu instead of 0, reduce to one system of d + 1 unknowns,

    (X~' diag(h) X~ + ridge) d_theta = X~'(beta + q) - grad R,

so that a step costs one weighted Gram matrix and three products with X. Predictor and corrector of Mehrotra (1992);
about 20 to 40 steps whatever C and n. At the end of a small problem the samples on the margin boundary are known, and a
linear system gives the exact answer (`_interior_finish`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from ...certificates import Status, evaluate_risk
from ...problems import Risk
from .._driver import IterativeSolver
from .._needs import Needs
from .._solution import Solution
from .._trace import Figures
from . import _interior_terms as terms
from ._interior_finish import finish
from ._interior_zeros import with_zeros

_STALLED = 12  # steps without progress
_EXACT = 1e-12  # a relative gap at which the answer is as exact as float64 can say
_FIRST_PRODUCT = 0.05
_CENTRING = 12


@dataclass
class _Point:
    """The iterate: theta, hinges' multipliers and slacks, and for an L1 part the halves of w and their multiplier."""

    theta: np.ndarray
    f: np.ndarray
    alpha: np.ndarray
    xi: np.ndarray
    r: np.ndarray
    p: np.ndarray
    m: np.ndarray
    z: np.ndarray


class InteriorPoint(IterativeSolver):
    """Minimises until complementarity and residuals are below the tolerance."""

    name = "interior_point"
    needs = Needs(piecewise_linear=True)
    works_in_dual = True
    budget = 200
    resumes = False
    exact_up_to = 20_000

    def __init__(self, problem: Risk, start: np.ndarray, tolerance: float, slopes: np.ndarray | None = None) -> None:
        self.problem, self.c, self.tolerance = problem, problem.weights, tolerance
        self.l1, self.l2 = problem.l1, problem.l2
        self.a, self.s = terms.hinges(problem.loss.name, problem.y, problem.loss.epsilon)
        shape = self.a.shape
        slacks = (np.zeros(shape) for _ in range(3))
        self.point = _Point(start.copy(), problem.decision(start), *slacks, *self._halves(start))
        self.beta = np.empty(problem.n)
        self.h, self.q = np.empty(problem.n), np.empty(problem.n)
        self.d_alpha, self.d_xi, self.d_r = (np.zeros(shape) for _ in range(3))
        self.none = np.zeros(shape)
        self.believed, self.primal = np.inf, np.inf
        self.best, self.waited, self.broken, self.next_finish = np.inf, 0, False, 1e-6
        self.answer: tuple[np.ndarray, np.ndarray] | None = None  # exact, where one was found
        self.matrix: np.ndarray | None = None  # of the last step

    def _halves(self, start: np.ndarray) -> list[np.ndarray]:
        w = start[:-1]
        if self.l1 <= 0:
            return [np.empty(0)] * 3
        small = max(1e-2, 0.1 * float(np.abs(w).max(initial=0.0)))
        return [np.maximum(w, 0) + small, np.maximum(-w, 0) + small, np.full(len(w), self.l1)]

    def centre(self) -> None:
        """A point near the middle of the path: Newton on the smoothed problem whose products are all `tau`.

        From there the method needs fewer steps than from an arbitrary point (epsilon-insensitive: 7 instead of 13;
        hinge on 100000 rows of covtype: 36 instead of 42).
        """
        x = self.point
        spread = float(self.c @ np.abs(self.a - self.s * x.f).mean(axis=0)) / max(float(self.c.sum()), 1e-300)
        tau = _FIRST_PRODUCT * max(spread, 1e-6) * float(self.c.mean())
        value = self._smoothed(tau, x.theta, x.f)
        for _ in range(_CENTRING):
            residual = self.residual()
            terms.system(self.s, self.c, x.alpha, x.xi, x.r, tau, self.none, self.none, self.h, self.q)
            factor = self._factor()
            d_theta = self.scale * scipy.linalg.cho_solve(factor, self.scale * residual, check_finite=False)
            decrease, df, length = float(residual @ d_theta), self.problem.decision(d_theta), 1.0
            new = np.inf
            while length > 1e-6:
                new = self._smoothed(tau, x.theta + length * d_theta, x.f + length * df)
                if new <= value - 1e-4 * length * decrease:
                    break
                length /= 2
            if not new <= value:
                self._smoothed(tau, x.theta, x.f)
                return
            x.theta, x.f, value = x.theta + length * d_theta, x.f + length * df, new
            if decrease <= 0.05 * tau * self.problem.n:
                return

    def _smoothed(self, tau: float, theta: np.ndarray, f: np.ndarray) -> float:
        """Set multipliers and slacks to those of the path at theta; the smoothed objective."""
        x = self.point
        value = terms.on_path(self.a, self.s, self.c, f, tau, x.alpha, x.xi, x.r)
        w = theta[:-1]
        value += 0.5 * self.l2 * float(w @ w)
        if self.l1 > 0:
            c = np.full(len(w), 2 * self.l1)
            zeros = np.zeros(len(w))
            z, p, m = (np.empty((1, len(w))) for _ in range(3))
            value += terms.on_path(zeros[None], np.ones((1, len(w))), c, w, tau, z, m, p) + self.l1 * float(w.sum())
            x.z, x.p, x.m = z[0], p[0], m[0]
        return value

    def gap(self) -> tuple[float, float]:
        """Complementarity, which is the duality gap of a feasible point, and the mean product."""
        x = self.point
        total, count = terms.complementarity(self.c, x.alpha, x.xi, x.r, 0.0, self.none, self.none, self.none)
        if self.l1 > 0:
            total += float(x.p @ x.z + x.m @ (2 * self.l1 - x.z))
            count += 2 * len(x.p)
        return total, total / max(count, 1)

    def residual(self) -> np.ndarray:
        """``X~' beta - grad R``: what stationarity in theta lacks."""
        x = self.point
        terms.signed(self.s, self.c, x.alpha, self.beta)
        rest = self.problem.transposed(self.beta)
        rest[:-1] -= self.l2 * x.theta[:-1]
        if self.l1 > 0:
            rest[:-1] -= self.l1 - x.z
        return rest

    def begin(self, budget: int) -> None:
        self.centre()

    def finished(self, last: bool) -> Status | None:
        x = self.point
        self.rest = self.residual()
        self.complementarity, self.mean = self.gap()
        self.primal = max(self.problem.value_at(x.f, x.theta), 1e-300)
        believed = self.believed = (self.complementarity + self._cost(self.rest)) / self.primal
        self.best, self.waited = (believed, 0) if believed < 0.9 * self.best else (self.best, self.waited + 1)
        stuck = self.broken or self.waited > _STALLED or not np.isfinite(believed)
        if self.tolerance <= _EXACT and (believed <= self.next_finish or stuck):
            # what is settled can be guessed long before complementarity is at rounding
            self.next_finish = 1e-3 * believed
            answer = finish(self.problem, x.theta, self.a, self.s, x.alpha)
            if answer is not None and _is_exact(self.problem, *answer):
                self.answer = answer
                return Status.CONVERGED
        if believed <= 0.5 * self.tolerance:
            return Status.CONVERGED
        return Status.STALLED if stuck else None

    def step(self, most: int) -> Status | None:
        """One predictor and corrector."""
        try:
            if self._step(self.rest, self.mean) < 1e-10:
                self.waited += 3
        except FloatingPointError:
            self.broken = True
        self.iterations += 1
        return None

    def figures(self) -> Figures:
        dual = self.primal * (1 - self.believed)
        return Figures(float(np.abs(self.rest).max()), self.believed, self.primal, dual)

    def variables(self) -> np.ndarray:
        return self.point.theta if self.answer is None else self.answer[0]

    def result(self, status: Status, keyboard: bool) -> Solution:
        theta, slopes = (self._with_zeros(), self._slopes()) if self.answer is None else self.answer
        return Solution(theta, status, self.iterations, slopes=slopes, keyboard=keyboard)

    def _with_zeros(self) -> np.ndarray:
        """Theta, with zeros where an L1 part asks for them."""
        x = self.point
        if self.l1 <= 0 or self.matrix is None or not (np.isfinite(self.primal) and np.isfinite(x.theta).all()):
            return x.theta
        room = np.minimum(x.z, 2 * self.l1 - x.z)
        figures = self.primal, self.believed * self.primal
        return with_zeros(self.problem, x.theta, figures, (self.a, self.s), room, (self.matrix, self.scale))

    def _step(self, residual: np.ndarray, mean: float) -> float:
        """The same; the length of the step that was taken."""
        x, problem = self.point, self.problem
        terms.system(self.s, self.c, x.alpha, x.xi, x.r, 0.0, self.none, self.none, self.h, self.q)
        factor = self._factor()
        longest, _, halves = self._direction(factor, residual, 0.0, self.none, self.none, (0.0, 0.0))
        near = min(1.0, 0.999999 * longest)
        total, count = terms.complementarity(self.c, x.alpha, x.xi, x.r, near, self.d_alpha, self.d_xi, self.d_r)
        cross: tuple = (0.0, 0.0)
        if self.l1 > 0:
            dp, dm, dz = halves
            total += float((x.p + near * dp) @ (x.z + near * dz) + (x.m + near * dm) @ (2 * self.l1 - x.z - near * dz))
            count += 2 * len(dp)
            cross = (dp * dz, -dm * dz)
        ratio = min(max(total / max(count, 1) / mean, 0.0), 1.0)
        centre = max(ratio**3, 1e-8) * mean
        cross_r, cross_xi = self.d_alpha * self.d_r, -self.d_alpha * self.d_xi
        terms.system(self.s, self.c, x.alpha, x.xi, x.r, centre, cross_r, cross_xi, self.h, self.q)
        longest, d_theta, halves = self._direction(factor, residual, centre, cross_r, cross_xi, cross)
        if not (np.isfinite(longest) and np.isfinite(d_theta).all()):
            raise FloatingPointError("the Newton direction of the interior point is not finite")
        length = min(1.0, 0.99 * longest)
        x.theta = x.theta + length * d_theta
        x.f = problem.decision(x.theta)
        terms.advance(self.a, self.s, self.c, x.f, x.alpha, x.xi, x.r, length, self.d_alpha, self.d_xi, self.d_r)
        if self.l1 > 0:
            dp, dm, dz = halves
            x.p, x.m = np.maximum(x.p + length * dp, 1e-300), np.maximum(x.m + length * dm, 1e-300)
            x.z = np.clip(x.z + length * dz, 1e-15 * self.l1, (2 - 1e-15) * self.l1)
            x.theta[:-1] = x.p - x.m
        return length

    def _factor(self) -> tuple:
        A = self.problem.weighted_gram(self.h)
        diagonal = A.diagonal().copy()
        diagonal[:-1] += self.l2
        if self.l1 > 0:
            x = self.point
            self.D = x.p / x.z + x.m / (2 * self.l1 - x.z)
            diagonal[:-1] += 1 / self.D
        dead = diagonal <= 0
        diagonal[dead] = 1.0
        # scaled to a unit diagonal: the weights h span many orders of magnitude near the end
        self.scale = 1 / np.sqrt(diagonal)
        np.fill_diagonal(A, diagonal)
        A *= self.scale
        A *= self.scale[:, None]
        self.matrix = A
        shift = 0.0
        for _ in range(12):
            try:
                shifted = A + shift * np.eye(len(A)) if shift else A
                return scipy.linalg.cho_factor(shifted, lower=True, check_finite=False)
            except np.linalg.LinAlgError:
                shift = max(10 * shift, 1e-14)
        raise FloatingPointError("the Newton system of the interior point is not positive definite")

    def _direction(self, factor, residual, centre, cross_r, cross_xi, cross):  # type: ignore[no-untyped-def]
        """Changes of everything for one right-hand side, and the longest step that stays inside."""
        x, problem = self.point, self.problem
        right = residual + problem.transposed(self.q)
        halves: tuple = ()
        if self.l1 > 0:
            other = 2 * self.l1 - x.z
            e3, e4 = centre - x.p * x.z - cross[0], centre - x.m * other - cross[1]
            split = e3 / x.z - e4 / other
            right[:-1] += split / self.D
        d_theta = self.scale * scipy.linalg.cho_solve(factor, self.scale * right, check_finite=False)
        df = problem.decision(d_theta)
        longest = terms.directions(
            self.s, self.c, x.alpha, x.xi, x.r, centre, cross_r, cross_xi, df, self.d_alpha, self.d_xi, self.d_r
        )
        if self.l1 > 0:
            dz = (split - d_theta[:-1]) / self.D
            dp, dm = (e3 - x.p * dz) / x.z, (e4 + x.m * dz) / other
            for value, change in ((x.p, dp), (x.m, dm), (x.z, dz), (other, -dz)):
                falling = change < 0
                longest = min(longest, float((-value[falling] / change[falling]).min(initial=np.inf)))
            halves = (dp, dm, dz)
        return longest, d_theta, halves

    def _cost(self, residual: np.ndarray) -> float:
        """What the residuals may add to the gap."""
        cost = abs(float(residual @ self.point.theta))
        return cost + (float(residual[:-1] @ residual[:-1]) / (2 * self.l2) if self.l2 > 0 else 0.0)

    def _slopes(self) -> np.ndarray:
        """U = -beta / c; what the sum of beta lacks of zero is taken from those that have room."""
        c, alpha = self.c, self.point.alpha
        terms.signed(self.s, c, alpha, self.beta)
        beta = self.beta.copy()
        if self.problem.fit_intercept:
            off = float(beta.sum())
            room = np.where(c > 0, np.minimum(alpha, c - alpha).sum(axis=0), 0.0)
            if room.sum() > 0:
                beta -= off * room / room.sum()
        return np.where(c > 0, -beta / np.where(c > 0, c, 1.0), 0.0)


def _is_exact(problem: Risk, theta: np.ndarray, u: np.ndarray) -> bool:
    """Whether the gap is one of rounding alone."""
    evidence = evaluate_risk(problem, theta, u)
    return evidence.relative_gap <= max(_EXACT, 2 * evidence.rounding)
