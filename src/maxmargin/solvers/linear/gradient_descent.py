"""Gradient descent, the plain reference.

    theta <- theta - t g,      g = gradient of J = sum_i c_i loss(f_i) + l2/2 ||w||^2.

The step t is found by backtracking until J falls enough, J(theta - t g) <= J(theta) - sigma t ||g||^2 (Armijo 1966;
Nocedal and Wright 2006, algorithm 3.1), from twice the last one, so that it can grow; or it is fixed, at 1/L with L
a bound of the Hessian's largest eigenvalue, with momentum where that is asked for. Trials cost no pass over the rows:
the decision values along the ray are f + t (X~ p). Needs: a loss with a derivative, a penalty without an L1 part. The
number of steps grows with the condition of the Hessian: columns of very different units are not for this solver.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...problems import Risk
from .._needs import Needs
from ._first_order import FirstOrder

_SIGMA = 1e-4
_HALVINGS = 60
# Decision values are updated, not recomputed; a pass over the rows now and then forgets the rounding.
REFRESH = 100


class GradientDescent(FirstOrder):
    """Gradient descent; see the top of this file.

    Parameters
    ----------
    step : "line_search", "fixed" or float
        Backtracking; 1/L; or a number, with which it is up to you that the method does not diverge.
    momentum : float
        beta of a heavy ball, ``v <- beta v - t g, theta <- theta + v`` (Polyak 1964), for steps of a fixed length.
    nesterov : bool
        Whether the gradient is taken ahead, at ``theta + beta v`` (Nesterov 1983).

    """

    name = "gradient_descent"
    needs = Needs(smooth=True, no_l1=True)
    budget = 20_000
    options = ("step", "momentum", "nesterov")

    def __init__(
        self,
        problem: Risk,
        start: np.ndarray,
        tolerance: float,
        slopes: Any = None,
        *,
        step: str | float = "line_search",
        momentum: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        super().__init__(problem, start, tolerance, slopes)
        if not (step in ("line_search", "fixed") or (isinstance(step, (int, float)) and 0 < step < np.inf)):
            raise ValueError(f"step must be 'line_search', 'fixed' or a positive number; got {step!r}.")
        if not 0 <= momentum < 1:
            raise ValueError(f"momentum must be at least 0 and below 1; got {momentum!r}.")
        if momentum and step == "line_search":
            raise ValueError("momentum needs steps of a fixed length: step='fixed' or a number.")
        if nesterov and not momentum:
            raise ValueError("nesterov=True needs a momentum, such as 0.9.")
        self.length, self.momentum, self.nesterov = step, float(momentum), nesterov

    def iterates(self, theta: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
        if self.length == "line_search":
            return _by_line_search(self.problem, theta)
        if self.length != "fixed":
            return self._by_fixed_step(theta, float(self.length))
        L = self.problem.lipschitz_gradient() + self.problem.l2
        return self._by_fixed_step(theta, 1.0 / L if L > 0 else 1.0)

    def _by_fixed_step(self, theta: np.ndarray, t: float) -> Iterator[tuple[np.ndarray, float]]:
        problem, beta, v = self.problem, self.momentum, np.zeros_like(theta)
        while True:
            at = theta + beta * v if self.nesterov else theta
            g = slope_at(problem, problem.decision(at), at)
            with np.errstate(over="ignore", invalid="ignore"):  # too long a step diverges: the last finite point counts
                v = beta * v - t * g
                new = theta + v
            if not np.isfinite(new).all() or np.array_equal(new, theta):
                return
            theta = new
            yield theta, float(np.abs(g).max())


def _by_line_search(problem: Risk, theta: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
    f = problem.decision(theta)
    value, t, k = problem.value_at(f, theta), None, 0
    while True:
        g = slope_at(problem, f, theta)
        square = float(g @ g)
        if square == 0:
            return
        along = problem.decision(g)
        if t is None:  # the minimum along the ray if the curvature were at its bound everywhere: never too long
            bend = problem.loss.smoothness * float(problem.weights @ along**2) + problem.l2 * square
            t = square / bend if bend > 0 else 1.0
        else:
            t *= 2
        for _ in range(_HALVINGS):
            new = theta - t * g
            new_f = f - t * along
            new_value = problem.value_at(new_f, new)
            if new_value <= value - _SIGMA * t * square:
                break
            t /= 2
        else:  # rounding allows no descent
            return
        k += 1
        theta, f, value = new, problem.decision(new) if k % REFRESH == 0 else new_f, new_value
        yield theta, float(np.abs(g).max())


def slope_at(problem: Risk, f: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Gradient of J from decision values that are known, by one pass over the rows."""
    g = problem.transposed(problem.weights * problem.loss.derivative(f, problem.y))
    g[:-1] += problem.l2 * theta[:-1]
    return g
