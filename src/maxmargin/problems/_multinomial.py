"""The multinomial logistic problem: one row of weights a class, one loss a sample.

    minimise over W, b   J = sum_i c_i [log sum_k exp f_ik - f_{i, y_i}] + R(W),      f_i = x_i W + b

with R(W) = sum l1 |W_jk| + l2/2 W_jk^2 and intercepts that are not penalised. Variables are one matrix theta of shape
(d + 1, k), the last row the intercepts. Its partner, in p_i on the simplex, u_i = p_i - e_{y_i} and V = - X' (c u):

    maximise   D = - sum_i c_i sum_k p_ik log p_ik - R*(V)   subject to   sum_i c_i u_i = 0 (if there are intercepts).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..data import Rows, decisions_pass, sums_pass
from ..engine import jit, run_parallel
from ..penalties import Penalty
from ._of_rows import OfRows


@dataclass(frozen=True)
class MultinomialRisk(OfRows):
    """One multinomial problem; ``label`` holds the class (0 to k - 1) of each sample."""

    kind: ClassVar[str] = "multinomial"
    smooth: ClassVar[bool] = True
    is_custom: ClassVar[bool] = False
    curved: ClassVar[bool] = True

    rows: Rows
    label: np.ndarray
    classes: int
    weights: np.ndarray
    penalty: Penalty
    fit_intercept: bool = True
    threads: int = 1

    @property
    def stored(self) -> int:
        """Products that a pass over the rows forms."""
        return self.rows.stored * self.classes

    def start(self) -> np.ndarray:
        """The origin."""
        return np.zeros((self.d + 1, self.classes))

    def as_rows(self, theta: np.ndarray) -> np.ndarray:
        """The variables as a linear model has them: one row (w, b) a class."""
        return theta.T

    def from_rows(self, rows: np.ndarray) -> np.ndarray:
        """The variables of a linear model's rows (w, b)."""
        return np.ascontiguousarray(rows.T)

    def strips(self) -> list[tuple[int, int]]:
        """Ranges of rows, one for each thread that is worth its while."""
        return self.rows.strips(self.threads, self.classes)

    def decision(self, theta: np.ndarray) -> np.ndarray:
        """``F = X W + b``, shape (n, k)."""
        F = np.empty((self.n, self.classes))
        run_parallel(lambda low, high: decisions_pass(self.rows.arrays, low, high, theta, F), self.strips())
        return F

    def transposed(self, A: np.ndarray) -> np.ndarray:
        """``[X, 1]' A``; the last row is 0 without intercepts."""
        strips = self.strips()
        parts = np.zeros((len(strips), self.d + 1, self.classes))
        work: Callable[..., Any] = lambda k, low, high: sums_pass(self.rows.arrays, low, high, A, parts[k])  # noqa: E731
        run_parallel(work, [(k, *strip) for k, strip in enumerate(strips)])
        total = parts[0] if len(strips) == 1 else parts.sum(axis=0)
        if not self.fit_intercept:
            total[-1] = 0.0
        return total

    def probabilities(self, F: np.ndarray) -> tuple[float, np.ndarray]:
        """Sum of losses and the probabilities of the classes."""
        P = np.empty_like(F)
        strips = self.strips()
        loss = run_parallel(lambda low, high: _softmax(F, self.label, self.weights, low, high, P), strips)
        return float(sum(loss)), P

    def value_at(self, F: np.ndarray, theta: np.ndarray) -> float:
        """J from decision values that are known."""
        return self.probabilities(F)[0] + self.penalty.value(theta[:-1])

    def residual(self, P: np.ndarray) -> np.ndarray:
        """``c_i (p_i - e_{y_i})``: the gradient in the decision values."""
        U = P.copy()
        U[np.arange(self.n), self.label] -= 1.0
        U *= self.weights[:, None]
        return U

    def hessian_product(self, P: np.ndarray, S: np.ndarray) -> np.ndarray:
        """The losses' Hessian times S."""
        V = self.decision(S)
        run_parallel(lambda low, high: _curved(P, self.weights, low, high, V), self.strips())
        return self.transposed(V)


@jit
def _softmax(F, label, c, start, stop, P):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(start, stop):
        top = F[i, 0]
        for k in range(1, F.shape[1]):
            top = max(top, F[i, k])
        norm = 0.0
        for k in range(F.shape[1]):
            P[i, k] = np.exp(F[i, k] - top)
            norm += P[i, k]
        for k in range(F.shape[1]):
            P[i, k] /= norm
        if c[i] != 0:
            total += c[i] * (np.log(norm) + top - F[i, label[i]])
    return total


@jit
def _curved(P, c, start, stop, V):  # type: ignore[no-untyped-def]
    """``v <- c (p v - p <p, v>)``, row by row."""
    for i in range(start, stop):
        mean = 0.0
        for k in range(P.shape[1]):
            mean += P[i, k] * V[i, k]
        for k in range(P.shape[1]):
            V[i, k] = c[i] * P[i, k] * (V[i, k] - mean)
