"""What partitions are asked about the multinomial problem; see `_risk_tasks`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..certificates import multinomial_part
from ..data import Rows, square_pass
from ..penalties import Penalty
from ..problems import MultinomialRisk
from ._part import Part

# Values of a tile of the classes' copies of rows.
_TILE = 2**19


@dataclass(frozen=True)
class MultinomialSpec:
    """The one problem of all classes, which every partition makes of its rows."""

    penalty: Penalty
    strength: float
    fit_intercept: bool
    classes: np.ndarray
    class_weight: np.ndarray | None = None

    def risks(self, part: Part, numbers: Sequence[int]) -> dict[int, MultinomialRisk]:
        """The problem, under its number, for the rows of a partition."""
        label = np.searchsorted(self.classes, np.asarray(part.y))
        own = np.ones(part.n) if part.weight is None else part.weight
        if self.class_weight is not None:
            own = self.class_weight[label] * own
        k, weights = len(self.classes), self.strength * own
        risk = MultinomialRisk(Rows(part.X), label, k, weights, self.penalty, self.fit_intercept, 1)
        return {0: risk}


@dataclass(frozen=True)
class JointSecondOrder:
    """Sum of losses, gradient of shape (d + 1, k) and Hessian, whose entries are in the order of classes, features."""

    theta: np.ndarray

    def of(self, problem: MultinomialRisk) -> tuple:
        """For the rows of one partition."""
        value, P = problem.probabilities(problem.decision(self.theta))
        return value, problem.transposed(problem.residual(P)), _hessian(problem, P)


@dataclass(frozen=True)
class JointFirstOrder:
    """Sum of losses, gradient and the diagonal of the Hessian, both of shape (d + 1, k)."""

    theta: np.ndarray

    def of(self, problem: MultinomialRisk) -> tuple:
        """For the rows of one partition."""
        value, P = problem.probabilities(problem.decision(self.theta))
        return value, problem.transposed(problem.residual(P)), _diagonal(problem, P)


@dataclass(frozen=True)
class JointTimes:
    """The Hessian at theta, times S."""

    theta: np.ndarray
    S: np.ndarray

    def of(self, problem: MultinomialRisk) -> tuple:
        """For the rows of one partition."""
        P = problem.probabilities(problem.decision(self.theta))[1]
        return (problem.hessian_product(P, self.S),)


@dataclass(frozen=True)
class JointAlong:
    """Sums of losses at theta + t S for several t."""

    theta: np.ndarray
    S: np.ndarray
    steps: np.ndarray

    def of(self, problem: MultinomialRisk) -> tuple:
        """For the rows of one partition."""
        F, along = problem.decision(self.theta), problem.decision(self.S)
        return (np.array([problem.probabilities(F + t * along)[0] for t in self.steps]),)


@dataclass(frozen=True)
class Balance:
    """Sum of losses if intercepts are shifted, its gradient in the shift, and its Hessian."""

    theta: np.ndarray
    shift: np.ndarray

    def of(self, problem: MultinomialRisk) -> tuple:
        """For the rows of one partition."""
        loss, P = problem.probabilities(problem.decision(self.theta) + self.shift)
        c = problem.weights
        return loss, problem.residual(P).sum(axis=0), np.diag(c @ P) - (P * c[:, None]).T @ P


@dataclass(frozen=True)
class JointProof:
    """The sums of both objectives at theta, the dual's at shifted intercepts."""

    theta: np.ndarray
    shift: np.ndarray

    def of(self, problem: MultinomialRisk) -> tuple:
        """For the rows of one partition."""
        return (multinomial_part(problem, self.theta, self.shift),)


def _diagonal(problem: MultinomialRisk, P: np.ndarray) -> np.ndarray:
    """``sum_i c_i p_ik (1 - p_ik) x~_ij^2``."""
    found = np.zeros((problem.classes, problem.d + 1))
    for total, p in zip(found, P.T, strict=True):
        square_pass(problem.rows.arrays, 0, problem.n, problem.weights * p * (1 - p), total)
    found[:, -1] *= problem.fit_intercept
    return np.ascontiguousarray(found.T)


def _hessian(problem: MultinomialRisk, P: np.ndarray) -> np.ndarray:
    """``sum_i c_i (diag(p_i) - p_i p_i') (x) x~_i x~_i'``, the second part by the classes' copies of rows."""
    d, k, c = problem.d, problem.classes, problem.weights
    side = d + 1
    H = np.zeros((k * side, k * side))
    height = max(16, _TILE // (k * side))
    roots = np.sqrt(c)
    for low in range(0, problem.n, height):
        high = min(problem.n, low + height)
        X = problem.rows.dense(slice(low, high), np.zeros(d), np.float64)
        X = np.column_stack([X, np.full(high - low, float(problem.fit_intercept))])
        copies = ((roots[low:high, None] * P[low:high])[:, :, None] * X[:, None, :]).reshape(high - low, -1)
        H -= copies.T @ copies
        for j in range(k):
            own = slice(j * side, (j + 1) * side)
            H[own, own] += (X * (c[low:high] * P[low:high, j])[:, None]).T @ X
    return H
