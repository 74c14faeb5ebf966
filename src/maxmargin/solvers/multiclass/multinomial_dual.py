"""Dual coordinate ascent for the multinomial logistic problem: sparse and wide data.

The probabilities p_i of one sample are found exactly while all others stay (Yu, Huang and Lin 2011, section 5). With
B_i = c_i (e_y - p_i), W = X'B / l2, q = ||x_i||^2 / l2 and kappa = q c_i the condition is a proximal step of the loss,

    f_k = g_k - kappa p_k,   p = softmax(f),   g = f_old - q B_old + kappa e_y,

that is log p_k + kappa p_k = g_k - t for the t with sum_k p_k = 1: Newton's method in t and in each log p_k.
A visit costs two passes over the row, each value meeting the weights of all classes side by side.

The intercepts are not penalised: their constraints sum_i B_i = 0 are met by the method of multipliers, with a constant
feature of squared length 1/rho (as in `dual_coordinate`).
"""

from __future__ import annotations

import numpy as np

from ...certificates import Status
from ...data import row_adds, row_dots, row_square
from ...engine import jit, jit_inner
from ...problems import MultinomialRisk
from .._driver import IterativeSolver
from .._needs import Needs
from .._shuffle import shuffle
from .._trace import Figures
from .multinomial import centred

# A sweep meets each sample before it changes it: after the sweep the gap is a seventh to a twentieth of what was met.
_AHEAD = 5.0


class MultinomialDual(IterativeSolver):
    """Coordinate ascent; an iteration is a sweep over the samples."""

    name = "dual_coordinate"
    needs = Needs(l2=True, no_l1=True)
    budget = 200
    first_budget = 200

    def __init__(
        self, problem: MultinomialRisk, start: np.ndarray, tolerance: float, slopes: np.ndarray | None = None
    ) -> None:
        c = problem.weights
        self.problem, self.tolerance, self.l2 = problem, tolerance, problem.penalty.l2
        self.B = -problem.residual(problem.probabilities(problem.decision(start))[1])
        self.V = np.ascontiguousarray(problem.transposed(self.B)[:-1])
        self.b, self.total = start[-1].copy(), self.B.sum(axis=0)
        self.square = np.empty(problem.n)
        _squares(problem.rows.arrays, self.square)
        self.order = np.flatnonzero(c > 0)
        self.inverse_rho = 0.0
        if problem.fit_intercept and len(self.order):
            self.inverse_rho = max(0.1 * float(self.square[self.order].mean()) / self.l2, 10.0 / float(c.sum()))
        self.random = np.array([0x9E3779B97F4A7C15], dtype=np.uint64)
        self.gap, self.primal = np.inf, np.nan

    def step(self, most: int) -> Status | None:
        problem = self.problem
        shuffle(self.order, len(self.order), self.random)
        where = problem.rows.arrays, problem.label, problem.weights, self.square, self.B, self.V
        slack, loss = _sweep(*where, self.b, self.total, self.inverse_rho, 1 / self.l2, self.order)
        self.gap = slack + float(np.abs(self.b * self.total).sum())
        self.b += self.inverse_rho * self.total
        self.primal = loss + problem.penalty.value(self.V / self.l2)
        self.iterations += 1
        return None

    def finished(self, last: bool) -> Status | None:
        return Status.CONVERGED if self.gap <= _AHEAD * self.tolerance * self.primal else None

    def figures(self) -> Figures:
        relative = self.gap / max(self.primal, 1e-300)
        return Figures(float(np.abs(self.total).max()), relative, self.primal, self.primal - self.gap)

    def variables(self) -> np.ndarray:
        return centred(self.problem, np.vstack([self.V / self.l2, self.b]))


@jit
def _squares(rows, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        out[i] = row_square(rows, i)


@jit
def _sweep(rows, label, c, square, B, V, b, total, inverse_rho, inverse_l2, order):  # type: ignore[no-untyped-def]
    """One visit of each sample; the gap and the losses as they were met."""
    K = B.shape[1]
    f, g, p, t, change = np.empty(K), np.empty(K), np.empty(K), np.empty(K), np.empty(K)
    slack, loss = 0.0, 0.0
    for position in range(order.shape[0]):
        i = order[position]
        own, q = label[i], square[i] * inverse_l2 + inverse_rho
        kappa = q * c[i]
        f[:] = 0.0
        row_dots(rows, i, V, f)
        top = -np.inf
        for k in range(K):
            f[k] = f[k] * inverse_l2 + b[k] + inverse_rho * total[k]
            top = max(top, f[k])
        norm, mixed = 0.0, 0.0
        for k in range(K):
            norm += np.exp(f[k] - top)
            p[k] = max((1.0 if k == own else 0.0) - B[i, k] / c[i], 0.0)
            if p[k] > 0:
                mixed += p[k] * (np.log(p[k]) - f[k])
            g[k] = f[k] - q * B[i, k]
        g[own] += kappa
        slack += c[i] * max(top + np.log(norm) + mixed, 0.0)
        loss += c[i] * (top + np.log(norm) - f[own])
        _probabilities(g, kappa, p, t)
        for k in range(K):
            new = c[i] * ((1.0 if k == own else 0.0) - p[k])
            change[k] = new - B[i, k]
            B[i, k] = new
            total[k] += change[k]
        row_adds(rows, i, change, V)
    return slack, loss


@jit_inner
def _probabilities(g, kappa, p, t):  # type: ignore[no-untyped-def]
    """The p with log p_k + kappa p_k = g_k - s, s such that they sum to one; t is scratch for log p.

    s starts where the largest p is one, so that the sum, which is convex and falling in s, is too large: Newton's
    method then comes from one side.
    """
    K = g.shape[0]
    top = g[0]
    for k in range(1, K):
        top = max(top, g[k])
    s = top - kappa
    for k in range(K):
        a = g[k] - s
        t[k] = min(a, 0.0) if a <= 1.0 else np.log(a / kappa)
    total = 1.0
    for _ in range(100):
        total, slope = 0.0, 0.0
        for k in range(K):
            a = g[k] - s
            for _inner in range(60):
                e = kappa * np.exp(t[k])
                step = (t[k] + e - a) / (1.0 + e)
                t[k] -= step
                if abs(step) <= 1e-9:  # the next one would be below rounding
                    break
            p[k] = np.exp(t[k])
            total += p[k]
            slope += p[k] / (1.0 + kappa * p[k])
        if abs(total - 1.0) <= 1e-12:
            break
        s += (total - 1.0) / slope
    for k in range(K):
        p[k] /= total
