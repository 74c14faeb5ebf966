"""Accelerated proximal gradient (FISTA), for a smooth loss and any penalty.

    x_{k+1} = prox(z_k - g(z_k) / (L m)),      z_{k+1} = x_{k+1} + (t_k - 1)/t_{k+1} (x_{k+1} - x_k),

g the gradient of the losses alone, prox the penalty's, t_{k+1} = (1 + sqrt(1 + 4 t_k^2))/2 (Beck and Teboulle 2009,
eq. 4.1-4.3). L is found by backtracking (their section 4) and may fall again. m is the diagonal of the Hessian's
bound, one number a column, so that L <= d + 1 and the units of the columns do not matter; the penalty has no mixed
terms, hence its prox is as simple in this metric. The momentum is forgotten when it points uphill, <z - x', x' - x> > 0
in the metric (O'Donoghue and Candes 2015, eq. 13). Decision values of z follow from those of the x: one step costs two
passes over the rows, and one more for each time that L has to rise. Needs: a loss with a derivative. Nothing is
called but methods of loss and penalty, so that both may be a user's; m is then the same for all weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..problems import Risk
from ._column_scale import column_scale
from ._first_order import FirstOrder
from ._needs import Needs

_FALL = 0.9  # of L from step to step
_DOUBLINGS = 60


class ProximalGradient(FirstOrder):
    """Accelerated proximal gradient; see the top of this file.

    Parameters
    ----------
    precondition : bool
        Whether m is the diagonal of the Hessian's bound; otherwise it is the same for all columns.

    """

    name = "proximal_gradient"
    needs = Needs(smooth=True, compiled=False, separable=False)
    budget = 20_000
    options = ("precondition",)

    def __init__(
        self, problem: Risk, start: np.ndarray, tolerance: float, slopes: Any = None, *, precondition: bool = True
    ) -> None:
        super().__init__(problem, start, tolerance, slopes)
        m = column_scale(problem)
        self.m = m if precondition else np.full_like(m, m.max())

    def iterates(self, theta: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
        return _iterates(self.problem, theta, self.m)


def _iterates(problem: Risk, x: np.ndarray, m: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
    loss, y, c = problem.loss, problem.y, problem.weights
    fx = problem.decision(x)
    z, fz, momentum, L = x, fx, 1.0, 1.0
    while True:
        u = loss.derivative(fz, y)
        g = problem.transposed(c * u)
        for _ in range(_DOUBLINGS):
            new = prox_step(problem, z, g, L * m)
            f = problem.decision(new)
            if _bends_less(problem, fz, u, f, float(m @ (new - z) ** 2) * L / 2):
                break
            L *= 2
        if not np.isfinite(f).all():  # functions that overflow, or return what is not a number
            return
        if np.array_equal(new, x) and momentum == 1.0:  # rounding allows no step
            return
        violation = float((L * m * np.abs(new - z)).max())
        if float((m * (z - new)) @ (new - x)) > 0:
            momentum = 1.0
        longer = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = (momentum - 1) / longer
        z, fz = new + ahead * (new - x), f + ahead * (f - fx)
        x, fx, momentum, L = new, f, longer, _FALL * L
        yield x, violation


def prox_step(problem: Risk, z: np.ndarray, g: np.ndarray, curvature: np.ndarray) -> np.ndarray:
    """``argmin <g, x> + R(w) + sum_j curvature_j (x_j - z_j)^2 / 2``; the intercept is not penalised."""
    new = z - g / curvature
    w, h = new[:-1], curvature[:-1]
    if problem.penalty.separable is None:
        new[:-1] = problem.penalty.prox(w, 1.0 / h[0])
    else:
        l1, l2 = problem.penalty.separable
        new[:-1] = np.sign(w) * np.maximum(np.abs(w) - l1 / h, 0.0) / (1.0 + l2 / h)
    return new


def _bends_less(problem: Risk, fz: np.ndarray, u: np.ndarray, f: np.ndarray, bound: float) -> bool:
    """Whether the losses lie below the parabola: loss(f) - loss(fz) - u (f - fz), summed, is at most `bound`.

    Near the optimum that difference drowns in rounding. (loss'(f) - u)(f - fz) is never less and does not.
    """
    loss, y, c = problem.loss, problem.y, problem.weights
    move = f - fz
    if float(c @ (loss.value(f, y) - loss.value(fz, y) - u * move)) <= bound:
        return True
    return float(c @ ((loss.derivative(f, y) - u) * move)) <= bound
