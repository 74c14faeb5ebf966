"""Proximal Newton with coordinate descent inside: for smooth losses and an L1 part of the penalty.

    p = argmin of  g'p + p'Hp / 2 + R(w + p),      theta <- theta + t p,      t by halving (Armijo),

g and H being gradient and Hessian of the sum of losses (Yuan, Ho and Lin, JMLR 2012, section 4; Friedman, Hastie and
Tibshirani 2010). The model is minimised one coordinate at a time,

    x_j <- soft(H_jj x_j - r_j, l1) / (H_jj + l2),      r = g + H p,

with the intercept as a coordinate that has no penalty. Up to 500 features H is formed, once a step, and a sweep costs
d^2 whatever the number of samples. With more features H is never formed: r_j = g_j + sum_i x_ij h_i (X p)_i needs the
columns of X, of which a copy is made, and only weights that are not zero or want to leave zero are looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...certificates import Status
from ...data import Rows
from ...problems import Risk
from .._driver import IterativeSolver
from .._measured import measured
from .._needs import Needs
from .._trace import Figures
from ._model_descent import (
    best_shift,
    column_descent,
    expected_change,
    formed_descent,
    objectives,
    slopes_and_curvatures,
    violations,
)

_ARMIJO = 1e-4
_HALVINGS = 50
# Features up to which the Hessian is formed.
_NARROW = 500
# Sweeps over the coordinates of one model at most.
_SWEEPS_FORMED, _SWEEPS_COLUMNS = 2000, 60
# Moves of the last sweep over those of the first at which a model by columns is good enough.
_ACCURACY_COLUMNS = 0.1


class ProximalNewton(IterativeSolver):
    """What it believes of the gap is that of the losses' own slopes, scaled to be feasible."""

    name = "proximal_newton"
    needs = Needs(smooth=True)
    budget = 500
    exact_up_to = 20_000

    def __init__(self, problem: Risk, start: np.ndarray, tolerance: float, slopes: Any = None) -> None:
        self.problem, self.tolerance = problem, tolerance
        self.theta = _with_best_intercept(problem, start)
        self.model = _FormedModel(problem) if problem.d <= _NARROW else _ColumnModel(problem)
        self.f = problem.decision(self.theta)
        self.value = problem.value_at(self.f, self.theta)

    def finished(self, last: bool) -> Status | None:
        self.gradient = self.model.expand(self.theta, self.f)
        self.gap, self.size = _believed_gap(self.problem, self.theta, self.f, self.gradient)
        return Status.CONVERGED if self.gap <= self.tolerance * self.size else None

    def step(self, most: int) -> Status | None:
        problem = self.problem
        p, along = self.model.direction(self.theta, self.gradient, self.gap / self.size)
        found = _search(problem, self.theta, self.f, self.value, self.gradient, p, along)
        if found is None:
            # rounding hides a descent in J, of second order; the gap is of first order, and still shows one
            ahead = self.theta + p
            f = problem.decision(ahead)
            less, _ = _believed_gap(problem, ahead, f, self.model.expand(ahead, f))
            if not less < 0.5 * self.gap:  # this is the minimum, or as near as float64 comes
                return Status.STALLED
            found = ahead, f, problem.value_at(f, ahead)
        self.theta, self.f, self.value = found
        self.iterations += 1
        return None

    def figures(self) -> Figures:
        if self.traced:
            return measured(self.problem, self.variables())
        violation = float(violations(self.theta, self.gradient, *_parts(self.problem)).max())
        return Figures(violation, self.gap / self.size, self.value, self.value - self.gap)


class _FormedModel:
    """The model with its Hessian formed: few features."""

    def __init__(self, problem: Risk) -> None:
        self.problem = problem
        self.H = np.empty(0)

    def expand(self, theta: np.ndarray, f: np.ndarray) -> np.ndarray:
        _, gradient, self.H = self.problem.second_order(theta)
        return gradient

    def direction(self, theta: np.ndarray, gradient: np.ndarray, relative_gap: float) -> tuple[np.ndarray, np.ndarray]:
        problem = self.problem
        p = np.zeros(len(theta))
        accuracy = min(1e-2, 0.1 * relative_gap)  # as exact as the step deserves: faster than linear at the end
        formed_descent(self.H, gradient, theta, p, *_parts(problem), problem.fit_intercept, accuracy, _SWEEPS_FORMED)
        return p, problem.decision(p)


class _ColumnModel:
    """The model by columns: many features."""

    def __init__(self, problem: Risk) -> None:
        self.problem = problem
        self.columns = columns_of(problem.rows)
        self.h = np.empty(problem.n)

    def expand(self, theta: np.ndarray, f: np.ndarray) -> np.ndarray:
        problem = self.problem
        # a floor far below any curvature that counts: a sample that is 700 wrong has none left
        loss, slope = problem.loss, np.empty(problem.n)
        slopes_and_curvatures(
            loss.code, loss.epsilon, f, problem.y, problem.weights, 1e-12 * loss.smoothness, slope, self.h
        )
        return problem.transposed(slope)

    def direction(self, theta: np.ndarray, gradient: np.ndarray, relative_gap: float) -> tuple[np.ndarray, np.ndarray]:
        problem = self.problem
        wanting = violations(theta, gradient, *_parts(problem))[:-1] > 0
        working = np.flatnonzero((theta[:-1] != 0) | wanting)
        p, along = np.zeros(len(theta)), np.zeros(problem.n)
        column_descent(
            self.columns,
            working,
            self.h,
            gradient,
            theta,
            p,
            along,
            *_parts(problem),
            problem.fit_intercept,
            _ACCURACY_COLUMNS,
            _SWEEPS_COLUMNS,
        )
        return p, along


def _with_best_intercept(problem: Risk, start: np.ndarray) -> np.ndarray:
    """The start with the intercept that suits it: at b = 0 every column of unbalanced labels seems to matter."""
    theta, loss = start.copy(), problem.loss
    if problem.fit_intercept:
        theta[-1] += best_shift(loss.code, loss.epsilon, problem.decision(theta), problem.y, problem.weights)
    return theta


def columns_of(rows: Rows) -> tuple:
    """The arrays of the columns of X, as if they were rows."""
    X = rows.take(slice(None))  # type: ignore[arg-type]
    return Rows(sp.csr_array(X.tocsc().T) if rows.sparse else np.ascontiguousarray(X.T)).arrays


def _parts(problem: Risk) -> tuple[float, float]:
    return problem.l1, problem.l2


def _believed_gap(problem: Risk, theta: np.ndarray, f: np.ndarray, gradient: np.ndarray) -> tuple[float, float]:
    """The gap with the losses' slopes at f, and the size that it is relative to.

    The slopes have to sum to zero for it, and do so at the end alone: what the intercept has still to win is added.
    """
    l1, l2 = _parts(problem)
    largest = float(np.abs(gradient[:-1]).max(initial=0.0))
    scale = min(1.0, l1 / largest) if l1 > 0 and l2 == 0 and largest > 0 else 1.0
    loss = problem.loss
    primal, conjugates, size = objectives(loss.code, loss.epsilon, f, problem.y, problem.weights, scale)
    primal += problem.penalty.value(theta[:-1])
    if l1 + l2 > 0:
        dual = -conjugates - (problem.penalty.conjugate(gradient[:-1]) if l2 > 0 else 0.0)
        missing = abs(float(gradient[-1]))
    else:  # without a penalty feasible slopes are a Newton step away, and so is the gap
        dual, missing = -conjugates, float(np.abs(gradient).max())
    return primal - dual + 2 * missing * (1 + size), max(abs(primal), abs(dual), 1e-300)


def _search(
    problem: Risk,
    theta: np.ndarray,
    f: np.ndarray,
    value: float,
    gradient: np.ndarray,
    p: np.ndarray,
    along: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, float] | None:
    """A step along p that lowers J enough, by decision values alone; None if there is none."""
    expected = expected_change(gradient, theta, p, *_parts(problem))
    if not expected < 0.0:
        return None
    t = 1.0
    for _ in range(_HALVINGS):
        new, at = theta + t * p, f + t * along
        found = problem.value_at(at, new)
        if found <= value + _ARMIJO * t * expected and found < value:
            return new, at, found
        t /= 2
    return None
