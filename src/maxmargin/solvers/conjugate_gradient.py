"""Nonlinear conjugate gradients (Fletcher and Reeves 1964).

    p_t = -M g_t + beta_t p_{t-1},      beta_t = <g_t, M g_t> / <g_{t-1}, M g_{t-1}>,      theta <- theta + s p_t,

g the gradient of J = sum_i c_i loss(f_i) + l2/2 ||w||^2 and M the identity, where beta is Fletcher's and Reeves'
||g_t||^2 / ||g_{t-1}||^2, or (by default) the inverse diagonal of the Hessian's bound: the same method in variables
that do not depend on the units of the columns. The step s is a zero of the slope along the ray, by Newton's method
within a bracket, up to |slope(s)| <= sigma |slope(0)|: with sigma < 1/2, p is a descent direction (Nocedal and Wright
2006, lemma 5.6). It looks at decision values alone, f + s (X~ p): one step costs two passes over the rows. Restarts
(p = -M g) every d + 1 steps, when p does not descend, and when two gradients are far from orthogonal (Powell 1977).
Needs: a loss with a derivative, a penalty without an L1 part.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..problems import Risk
from ._column_scale import column_scale
from ._first_order import FirstOrder
from ._needs import Needs
from .gradient_descent import REFRESH, slope_at

_SIGMA = 0.05
_TRIALS = 60
_POWELL = 0.2


class ConjugateGradient(FirstOrder):
    """Nonlinear conjugate gradients; see the top of this file.

    Parameters
    ----------
    precondition : bool
        Whether M is the inverse diagonal of the Hessian's bound; otherwise it is the identity.

    """

    name = "conjugate_gradient"
    needs = Needs(smooth=True, no_l1=True)
    budget = 10_000
    options = ("precondition",)

    def __init__(
        self, problem: Risk, start: np.ndarray, tolerance: float, slopes: Any = None, *, precondition: bool = True
    ) -> None:
        super().__init__(problem, start, tolerance, slopes)
        self.M = 1.0 / column_scale(problem) if precondition else np.ones(problem.d + 1)

    def iterates(self, theta: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
        return _iterates(self.problem, theta, self.M)


def _iterates(problem: Risk, theta: np.ndarray, M: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
    f = problem.decision(theta)
    g = slope_at(problem, f, theta)
    p, size, before, k = -M * g, float(g @ (M * g)), g, 0
    since = 0  # steps since the last restart
    while size > 0:
        if not float(g @ p) < 0:
            p, since = -M * g, 0
        along = problem.decision(p)
        s = line_minimum(problem, f, along, theta, p)
        new = theta + s * p
        if np.array_equal(new, theta):
            if since == 0:  # steepest descent, and rounding allows no step
                return
            p, since = -M * g, 0
            continue
        k, since = k + 1, since + 1
        theta, f = new, problem.decision(new) if k % REFRESH == 0 else f + s * along
        before, g = g, slope_at(problem, f, theta)
        last, size = size, float(g @ (M * g))
        if since > problem.d or abs(float(g @ (M * before))) >= _POWELL * size:
            p, since = -M * g, 0
        else:
            p = -M * g + fletcher_reeves(size, last) * p
        yield theta, float(np.abs(g).max())


def fletcher_reeves(size: float, last: float) -> float:
    """``beta = <g_t, M g_t> / <g_{t-1}, M g_{t-1}>``."""
    return size / last


def line_minimum(problem: Risk, f: np.ndarray, along: np.ndarray, theta: np.ndarray, p: np.ndarray) -> float:
    """Where J(theta + s p) is smallest, up to `_SIGMA` of its first slope; no pass over the rows."""
    loss, y, c, l2 = problem.loss, problem.y, problem.weights, problem.penalty.l2
    wp, pp = l2 * float(theta[:-1] @ p[:-1]), l2 * float(p[:-1] @ p[:-1])

    def slope(s: float) -> tuple[float, float]:
        at, ca = f + s * along, c * along
        first = float(ca @ loss.derivative(at, y)) + wp + s * pp
        return first, float((ca * along) @ loss.curvature(at, y)) + pp

    first, second = slope(0.0)
    enough = _SIGMA * abs(first)
    low, high, s = 0.0, np.inf, 0.0
    for _ in range(_TRIALS):
        if abs(first) <= enough:
            break
        low, high = (s, high) if first < 0 else (low, s)
        newton = s - first / second if second > 0 else np.inf
        if not low < newton < high:
            newton = (low + high) / 2 if high < np.inf else (4 * s if s > 0 else 1.0)
        elif high == np.inf and s > 0:
            newton = min(newton, 10 * s)  # a flat piece promises too much
        s = newton
        first, second = slope(s)
    return s
