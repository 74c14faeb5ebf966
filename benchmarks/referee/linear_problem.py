"""Linear models as problems: the primal at given coefficients, and the dual bound that they give.

    minimise over theta   J = C sum_i loss(y_i <x_i, theta>) + R(theta)

Rows end in a constant 1, so that the intercept is the last coefficient. It is free, or penalised like the others: that
is another problem, which some libraries solve instead. R is 1/2 ||theta||^2 or ||theta||_1, of what is penalised.

The dual problem is, in slopes a_i of the loss, with v = C sum_i a_i y_i x_i,

    maximise   D = -C sum_i loss*(-a_i) - R*(v)   subject to   v_last = 0 if the intercept is free

so that D(a) <= J(theta) whatever feasible a and theta are: each D is a proof that no model can be better than it.
R* is 1/2 ||v||^2, or for the l1 penalty 0 where no |v_j| is above 1. Slopes at a theta near the optimum are nearly
feasible; `dual` shrinks them to be so, which costs little, and says what they prove.

The multinomial model has a column of theta for each class, probabilities p_i = softmax(theta' x_i), and in the place of
slopes the differences [y_i = k] - p_ik; its conjugate is the negative entropy of p_i.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import brentq
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import logsumexp, xlogy

from .margin_losses import MARGIN_LOSSES, MarginLoss

DIRECT = 1000  # up to this many coefficients Newton's equations are solved directly
BLOCK = 2**22  # entries of a block of rows


def with_constant(X: Any) -> Any:
    """The rows with a constant feature at the end."""
    ones = np.ones((X.shape[0], 1))
    return sp.csr_matrix(sp.hstack([X, ones])) if sp.issparse(X) else np.hstack([X, ones])


@dataclass(frozen=True)
class Point:
    """Value and gradient of an objective, and what its second derivative is made from."""

    value: float
    gradient: np.ndarray
    second: np.ndarray


class LinearProblem(ABC):
    """What is minimised; theta is a vector, of a column after the other where it is a matrix."""

    rows: Any
    C: float
    penalty: str
    free_intercept: bool

    @abstractmethod
    def value(self, theta: np.ndarray) -> float:
        """The primal objective."""

    @abstractmethod
    def dual(self, theta: np.ndarray) -> float:
        """The bound that theta proves: no primal value is below it."""

    # What follows is for Newton's method, on a smooth loss with an l2 penalty.

    @abstractmethod
    def scores(self, theta: np.ndarray) -> np.ndarray:
        """What the loss is taken of; linear in theta."""

    @abstractmethod
    def at(self, theta: np.ndarray, scores: np.ndarray) -> Point: ...

    @abstractmethod
    def newton_step(self, point: Point) -> np.ndarray: ...

    @abstractmethod
    def slope_along(self, scores: np.ndarray, change: np.ndarray) -> float:
        """The derivative of the sum of losses when the scores change in this direction."""

    def penalty_value(self, theta: np.ndarray) -> float:
        w = self.penalised(theta)
        return 0.5 * float(w @ w) if self.penalty == "l2" else float(np.abs(w).sum())

    def penalised(self, theta: np.ndarray) -> np.ndarray:
        """The coefficients without a free intercept."""
        columns = theta.reshape(-1, self.rows.shape[1])
        return (columns[:, :-1] if self.free_intercept else columns).ravel()

    def ridge(self, like: np.ndarray) -> np.ndarray:
        """The diagonal of the second derivative of the l2 penalty."""
        ridge = np.ones_like(like).reshape(-1, self.rows.shape[1])
        if self.free_intercept:
            ridge[:, -1] = 1e-10  # not 0: without any row inside the margin the equations would be singular
        return ridge.ravel()


@dataclass(frozen=True)
class Binary(LinearProblem):
    """Two classes, of signs -1 and 1."""

    rows: Any
    sign: np.ndarray
    loss: MarginLoss
    C: float = 1.0
    penalty: str = "l2"
    free_intercept: bool = True

    def scores(self, theta: np.ndarray) -> np.ndarray:
        """The margins."""
        return self.sign * (self.rows @ theta)

    def value(self, theta: np.ndarray) -> float:
        return self.C * float(self.loss.value(self.scores(theta)).sum()) + self.penalty_value(theta)

    def dual(self, theta: np.ndarray) -> float:
        return self.dual_of(self.slopes(theta))

    def dual_of(self, slopes: np.ndarray) -> float:
        """The bound that slopes prove, after they are shrunk into what is feasible."""
        a = np.clip(slopes, 0.0, self.loss.most)
        if self.free_intercept:
            a = a * _balance(self.sign, a)
        v = self.rows.T @ (self.C * a * self.sign)
        w = v[:-1] if self.free_intercept else v
        if self.penalty == "l1":
            a = a / max(1.0, float(np.abs(w).max(initial=0.0)))
            return -self.C * float(self.loss.conjugate(a).sum())
        return -self.C * float(self.loss.conjugate(a).sum()) - 0.5 * float(w @ w)

    def slopes(self, theta: np.ndarray) -> np.ndarray:
        """Slopes at theta; if the intercept is free at the best one for it, because there they sum to zero."""
        z = self.scores(theta)
        if not self.free_intercept:
            return self.loss.slope(z)
        return self.loss.slope(z + self.sign * self._shift(z))

    def _shift(self, z: np.ndarray) -> float:
        """By how much the intercept has to move for signed slopes to sum to zero (to change sign, for the hinge)."""

        def pull(shift: float) -> float:
            return float(self.sign @ self.loss.slope(z + self.sign * shift))

        width = 1e-3
        while pull(-width) * pull(width) > 0:
            width *= 4
            if width > 1e6:  # one class alone
                return 0.0
        return float(brentq(pull, -width, width, xtol=1e-15, rtol=1e-14, maxiter=200))

    def at(self, theta: np.ndarray, scores: np.ndarray) -> Point:
        value = self.C * float(self.loss.value(scores).sum()) + self.penalty_value(theta)
        gradient = self.rows.T @ (-self.C * self.sign * self.loss.slope(scores)) + self.ridge(theta) * theta
        return Point(value, gradient, self.C * self.loss.curvature(scores))

    def slope_along(self, scores: np.ndarray, change: np.ndarray) -> float:
        return -self.C * float(self.loss.slope(scores) @ change)

    def newton_step(self, point: Point) -> np.ndarray:
        ridge, h = self.ridge(point.gradient), point.second
        if len(ridge) > DIRECT:
            return _conjugate_gradient(lambda p: self.rows.T @ (h * (self.rows @ p)) + ridge * p, -point.gradient)
        return np.linalg.solve(_weighted_gram(self.rows, h) + np.diag(ridge), -point.gradient)


@dataclass(frozen=True)
class Multinomial(LinearProblem):
    """Several classes at once: logistic loss, l2 penalty, and an intercept that is not penalised."""

    rows: Any
    classes: np.ndarray  # of each row, from 0
    C: float = 1.0
    penalty: str = "l2"
    free_intercept: bool = True

    def scores(self, theta: np.ndarray) -> np.ndarray:
        return self.rows @ theta.reshape(-1, self.rows.shape[1]).T

    def value(self, theta: np.ndarray) -> float:
        return self._loss(self.scores(theta)) + self.penalty_value(theta)

    def _loss(self, scores: np.ndarray) -> float:
        return self.C * float((logsumexp(scores, axis=1) - np.take_along_axis(scores, self._column, 1)[:, 0]).sum())

    @property
    def _column(self) -> np.ndarray:
        return self.classes[:, None]

    def dual(self, theta: np.ndarray) -> float:
        scores = self.scores(theta)
        counts = np.bincount(self.classes, minlength=scores.shape[1])
        for _ in range(1000):  # each intercept in turn: at the best ones, probabilities sum to the sizes of the classes
            p = _softmax(scores)
            ratio = counts / p.sum(axis=0)
            if np.abs(ratio - 1).max() < 1e-13:
                break
            scores = scores + np.log(ratio)
        difference = self._differences(p)
        v = (self.rows.T @ (self.C * difference))[:-1]
        return -self.C * float(xlogy(p, p).sum()) - 0.5 * float((v * v).sum())

    def _differences(self, p: np.ndarray) -> np.ndarray:
        difference = -p
        np.put_along_axis(difference, self._column, 1 + np.take_along_axis(difference, self._column, 1), 1)
        return difference

    def slope_along(self, scores: np.ndarray, change: np.ndarray) -> float:
        return -self.C * float((self._differences(_softmax(scores)) * change).sum())

    def at(self, theta: np.ndarray, scores: np.ndarray) -> Point:
        p = _softmax(scores)
        gradient = -(self.rows.T @ (self.C * self._differences(p))).T.ravel() + self.ridge(theta) * theta
        return Point(self._loss(scores) + self.penalty_value(theta), gradient, p)

    def newton_step(self, point: Point) -> np.ndarray:
        ridge, p = self.ridge(point.gradient), point.second

        def product(direction: np.ndarray) -> np.ndarray:
            change = p * self.scores(direction)
            change -= p * change.sum(axis=1, keepdims=True)
            return self.C * (self.rows.T @ change).T.ravel() + ridge * direction

        return _conjugate_gradient(product, -point.gradient)


def binary(rows: Any, sign: np.ndarray, loss: str, **settings: Any) -> Binary:
    return Binary(rows, np.asarray(sign, dtype=np.float64), MARGIN_LOSSES[loss], **settings)


def with_loss(problem: Binary, loss: MarginLoss) -> Binary:
    return replace(problem, loss=loss)


def _balance(sign: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Factors of at most 1 after which the slopes of both classes have the same sum."""
    positive, negative = float(a[sign > 0].sum()), float(a[sign < 0].sum())
    least = min(positive, negative)
    return np.where(sign > 0, least / max(positive, 1e-300), least / max(negative, 1e-300))


def _weighted_gram(rows: Any, h: np.ndarray) -> np.ndarray:
    """rows' diag(h) rows, of the rows with a weight, by blocks so that memory stays bounded."""
    chosen = np.flatnonzero(h)
    if sp.issparse(rows):
        block = rows[chosen]
        return (block.T @ block.multiply(h[chosen, None]).tocsr()).toarray()
    total = np.zeros((rows.shape[1], rows.shape[1]))
    step = max(1, BLOCK // rows.shape[1])
    for start in range(0, len(chosen), step):
        block = rows[chosen[start : start + step]]
        total += (block * h[chosen[start : start + step], None]).T @ block
    return total


def _conjugate_gradient(product: Any, right: np.ndarray) -> np.ndarray:
    operator = LinearOperator((len(right), len(right)), matvec=product, dtype=np.float64)
    return cg(operator, right, rtol=0.05, maxiter=100)[0]


def _softmax(scores: np.ndarray) -> np.ndarray:
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)
