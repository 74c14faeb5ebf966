"""The primal problem of every linear model: a sum of losses and a penalty.

    minimise over (w, b)    J = sum_i c_i loss(f_i, y_i) + R(w),      f_i = <x_i, w> + b,

with R(w) = l1 ||w||_1 + l2/2 ||w||^2 and an intercept that is not penalised. Variables are one vector theta = (w, b) of
length d + 1; without an intercept its last entry stays 0. The partner (Fenchel's dual), in slopes u_i of the losses
and v = - sum_i c_i u_i x_i:

    maximise over u         D = - sum_i c_i loss*(u_i, y_i) - R*(v)   subject to  sum_i c_i u_i = 0,

the last one only if there is an intercept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..data import Rows, decision_pass, gram_pass, square_pass, sum_pass
from ..engine import run_parallel
from ..losses import CustomLoss, Loss
from ..penalties import CustomPenalty, Penalty
from ._of_rows import OfRows
from ._risk_pass import loss_sum, mirror, risk_pass


@dataclass(frozen=True)
class Risk(OfRows):
    """One regularised risk.

    Attributes
    ----------
    rows : Rows
        The samples.
    y : ndarray of shape (n,), float64
        Labels -1 and +1, or targets.
    weights : ndarray of shape (n,), float64
        c_i: C times the weights of sample and class.
    loss, penalty
        From `maxmargin.losses` and `maxmargin.penalties`.
    fit_intercept : bool
        Whether there is a b.
    threads : int
        Threads that a pass over the rows may use.

    """

    kind: ClassVar[str] = "risk"

    rows: Rows
    y: np.ndarray
    weights: np.ndarray
    loss: Loss | CustomLoss
    penalty: Penalty | CustomPenalty
    fit_intercept: bool = True
    threads: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.penalty, CustomPenalty):
            self.penalty.check(self.d)

    @property
    def is_custom(self) -> bool:
        """Whether loss or penalty are not of the forms that compiled loops know."""
        return self.loss.code is None or self.penalty.separable is None

    @property
    def l1(self) -> float:
        """Factor of the absolute weights: what solvers ask for that need a penalty of L1 and L2 parts."""
        return self._separable[0]

    @property
    def l2(self) -> float:
        """Factor of half the squared weights."""
        return self._separable[1]

    @property
    def _separable(self) -> tuple[float, float]:
        if self.penalty.separable is None:
            raise ValueError(f"the penalty {self.penalty.name!r} is not a sum of L1 and L2 parts.")
        return self.penalty.separable

    def strips(self) -> list[tuple[int, int]]:
        """Ranges of rows, one for each thread that is worth its while."""
        return self.rows.strips(self.threads)

    def thinned(self, step: int) -> Risk:
        """The risk of every `step`-th sample, with weights that stand for all of them."""
        index = np.arange(0, self.n, step)
        weights = self.weights[index] * (float(self.weights.sum()) / max(float(self.weights[index].sum()), 1e-300))
        return replace(self, rows=Rows(self.rows.take(index)), y=self.y[index], weights=weights)

    @property
    def smooth(self) -> bool:
        """Whether the loss has a derivative everywhere."""
        return self.loss.smoothness < float("inf")

    @property
    def curved(self) -> bool:
        """Whether the loss has a second derivative everywhere."""
        return self.loss.twice_differentiable

    def start(self) -> np.ndarray:
        """The origin."""
        return np.zeros(self.d + 1)

    def as_rows(self, theta: np.ndarray) -> np.ndarray:
        """The variables as a linear model has them, (w, b), one row a class where there are several: as they are."""
        return theta

    def from_rows(self, rows: np.ndarray) -> np.ndarray:
        """The variables of a linear model's (w, b)."""
        return rows

    def decision(self, theta: np.ndarray) -> np.ndarray:
        """``f_i = <x_i, w> + b`` for all samples."""
        f = np.empty(self.n)
        run_parallel(lambda low, high: decision_pass(self.rows.arrays, low, high, theta, f), self.strips())
        return f

    def transposed(self, a: np.ndarray) -> np.ndarray:
        """``sum_i a_i (x_i, 1)``; the last entry is 0 if there is no intercept."""
        total = self._summed(lambda low, high, out: sum_pass(self.rows.arrays, low, high, a, out), (self.d + 1,))
        if not self.fit_intercept:
            total[-1] = 0.0
        return total

    def weighted_gram(self, h: np.ndarray) -> np.ndarray:
        """``sum_i h_i (x_i, 1)(x_i, 1)'``; the last row and column are 0 if there is no intercept."""
        shape = (self.d + 1, self.d + 1)
        return self._symmetric(
            self._summed(lambda low, high, out: gram_pass(self.rows.arrays, low, high, h, out), shape)
        )

    def value_at(self, f: np.ndarray, theta: np.ndarray) -> float:
        """J from decision values that are known."""
        return self.loss_at(f) + self.penalty.value(theta[:-1])

    def loss_at(self, f: np.ndarray) -> float:
        """``sum_i c_i loss(f_i, y_i)``."""
        if self.loss.code is None:
            return self._sum_of(self.loss.value(f, self.y))
        return float(loss_sum(self.loss.code, self.loss.epsilon, f, self.y, self.weights))

    def value(self, theta: np.ndarray) -> float:
        """J."""
        return self.value_at(self.decision(theta), theta)

    def loss_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Sum of losses and its gradient in theta, by one pass over the rows."""
        return self._pass(theta, False)[:2]

    def second_order(self, theta: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Sum of losses, gradient and (generalised) Hessian, by one pass over the rows."""
        return self._pass(theta, True)

    def curvature_weights(self, f: np.ndarray) -> np.ndarray:
        """``c_i loss''(f_i)``."""
        return self.weights * self.loss.curvature(f, self.y)

    def hessian_product(self, h: np.ndarray, p: np.ndarray) -> np.ndarray:
        """``X~' (h * X~ p)`` with X~ = [X, 1]."""
        return self.transposed(h * self.decision(p))

    def hessian_diagonal(self, h: np.ndarray) -> np.ndarray:
        """``sum_i h_i x_ij^2`` for each feature, and the sum of h (0 without an intercept)."""
        total = self._summed(lambda low, high, out: square_pass(self.rows.arrays, low, high, h, out), (self.d + 1,))
        if not self.fit_intercept:
            total[-1] = 0.0
        return total

    def lipschitz_gradient(self) -> float:
        """A bound of the largest eigenvalue of the losses' Hessian: the trace bound or better by power iteration."""
        c = self.weights * self.loss.smoothness
        rng = np.random.default_rng(0)
        p = rng.normal(size=self.d + 1)
        p[-1] *= self.fit_intercept
        estimate = 0.0
        for _ in range(30):
            norm = float(np.linalg.norm(p))
            if norm == 0:
                return 0.0
            p = self.hessian_product(c, p / norm)
            before, estimate = estimate, float(np.linalg.norm(p))
            if abs(estimate - before) <= 1e-3 * estimate:
                break
        return 1.05 * estimate  # the iteration approaches from below

    def _sum_of(self, losses: np.ndarray) -> float:
        """Their weighted sum; those without weight take no part, even if infinite."""
        used = self.weights > 0
        return float(self.weights[used] @ losses[used])

    def _pass(self, theta: np.ndarray, second: bool) -> tuple[float, np.ndarray, np.ndarray]:
        if self.loss.code is None:
            f = self.decision(theta)
            slopes = self.weights * self.loss.derivative(f, self.y)
            hessian = self.weighted_gram(self.curvature_weights(f)) if second else np.zeros((0, 0))
            return self.loss_at(f), self.transposed(slopes), hessian
        strips, side = self.strips(), (self.d + 1) * second
        gradients, hessians = np.zeros((len(strips), self.d + 1)), np.zeros((len(strips), side, side))

        def part(k: int, low: int, high: int) -> float:
            where = (self.rows.arrays, low, high, self.y, self.weights)
            return risk_pass(*where, self.loss.code, self.loss.epsilon, theta, gradients[k], hessians[k])

        value = sum(run_parallel(part, [(k, *strip) for k, strip in enumerate(strips)]))
        gradient, hessian = gradients[0], hessians[0]
        for k in range(1, len(strips)):
            gradient += gradients[k]
            hessian += hessians[k]
        if not self.fit_intercept:
            gradient[-1] = 0.0
        return float(value), gradient, self._symmetric(hessian) if second else hessian

    def _summed(self, work: Callable[..., Any], shape: tuple[int, ...]) -> np.ndarray:
        strips = self.strips()
        parts = np.zeros((len(strips), *shape))
        run_parallel(lambda k, low, high: work(low, high, parts[k]), [(k, *s) for k, s in enumerate(strips)])
        return parts.sum(axis=0) if len(strips) > 1 else parts[0]

    def _symmetric(self, H: np.ndarray) -> np.ndarray:
        """A matrix of which the upper triangle is given."""
        mirror(H)
        if not self.fit_intercept:
            H[-1] = H[:, -1] = 0.0
        return H
