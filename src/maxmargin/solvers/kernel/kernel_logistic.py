"""Kernel logistic regression by Newton's method (see `maxmargin.problems` for the problem).

With F = K a + b, the variables g_i(F) = c_i y_i / (1 + exp(y_i F_i)) and their slopes -W, a step solves

    (I + W K) a = g + W (F - b') ,    1'a = 0,    b' the new intercept,

through the factorisation of I + W^1/2 K W^1/2, whose eigenvalues are at least 1 (Rasmussen and Williams, Gaussian
Processes for Machine Learning, section 3.4). The step is halved until P falls. What is returned is g(F), which lies in
the box of the dual whatever F is; it is a itself at the optimum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ...certificates import Status
from ...problems import KernelLogisticProblem
from .._driver import IterativeSolver
from .._solution import Solution
from .._trace import Figures

_HALVINGS = 40
_SHIFTS = 12
_SHORTER = 1100  # halvings from the largest float64 to the smallest


class KernelLogisticNewton(IterativeSolver):
    """Newton's steps from a = 0; an iteration is one of them. `tolerance` is a relative gap.

    Parameters
    ----------
    K : ndarray
        The whole matrix of the problem.

    """

    name = "newton"
    budget = 100
    options = ("K",)

    def __init__(
        self, problem: KernelLogisticProblem, start: Any, tolerance: float, slopes: Any = None, *, K: np.ndarray
    ) -> None:
        self.problem, self.tolerance, self.K = problem, tolerance, K
        self.theta, self.f, self.b = np.zeros(problem.n), np.zeros(problem.n), 0.0
        if problem.fit_intercept:
            self.b = _best_intercept(problem, self.f, 0.0)
        self.primal, self.before = _primal(problem, self.theta, self.f, self.b), np.inf
        self.high, self.low = self.primal, -np.inf  # both objectives at what would be returned now

    @np.errstate(over="ignore", invalid="ignore")  # a step that is not finite raises P, and is not taken
    def step(self, most: int) -> Status | None:
        to = _newton(self.problem, self.K, self.f + self.b)
        step = _line(self.problem, self.K, (self.theta, self.f, self.b), to, self.primal)
        if step is None:
            return Status.STALLED
        self.before = self.primal
        (self.theta, self.f, self.b), self.primal = step
        self.iterations += 1
        self.high, self.low = _objectives(self.problem, self.K, self.f, self.b)
        return None

    def finished(self, last: bool) -> Status | None:
        if self.high - self.low <= self.tolerance * max(abs(self.primal), 1e-300) / 10:
            return Status.CONVERGED
        return Status.STALLED if self.iterations > 5 and not self.primal < self.before else None

    def figures(self) -> Figures:
        size = max(abs(self.high), abs(self.low), 1e-300)
        gap = (self.high - self.low) / size if np.isfinite(self.low) else np.inf
        return Figures(gap=gap, primal=self.high, dual=self.low)

    def result(self, status: Status, keyboard: bool) -> Solution:
        """``stats``: the intercept."""
        beta, b = _feasible(self.problem, self.f, self.b)
        if status is not Status.CONVERGED:
            ends = np.sort([np.zeros(self.problem.n), self.problem.y * self.problem.c], axis=0)
            inside = np.clip(self.theta, *ends)
            beta, b = min((_shortened(self.problem, self.K, start, b) for start in (beta, inside)), key=_last)[:2]
        return Solution(beta, status, self.iterations, keyboard=keyboard, stats={"intercept": b})


def _newton(problem: KernelLogisticProblem, K: np.ndarray, F: np.ndarray) -> tuple[np.ndarray, float]:
    g = problem.slopes(F)
    p = np.abs(g) / problem.c
    W = problem.c * p * (1 - p)
    root = np.sqrt(W)
    B = root[:, None] * K * root
    B.flat[:: len(B) + 1] += 1.0
    factor = _factor(B)

    def solve(q: np.ndarray) -> np.ndarray:
        """``(I + W K)^-1 q``."""
        return q - root * cho_solve(factor, root * (K @ q), check_finite=False)

    a = solve(g + W * F)
    if not problem.fit_intercept:
        return a, 0.0
    along = solve(W)
    total = float(along.sum())
    b = float(a.sum()) / total if total > 0 else 0.0
    return a - b * along, b


def _factor(B: np.ndarray) -> tuple[np.ndarray, bool]:
    """The Cholesky factor of B; where its own rounding errors are above 1, of B with more on its diagonal.

    The step is then another one than Newton's, and P is asked as ever whether it falls.
    """
    more = np.finfo(np.float64).eps * len(B) * float(B.diagonal().max(initial=1.0))
    for _ in range(_SHIFTS):
        try:
            return cho_factor(B, lower=True, check_finite=False)
        except LinAlgError:
            B.flat[:: len(B) + 1] += more
            more *= 10
    raise ValueError("the kernel values are too large for float64: scale the features (StandardScaler).")


def _line(
    problem: KernelLogisticProblem,
    K: np.ndarray,
    at: tuple[np.ndarray, np.ndarray, float],
    to: tuple[np.ndarray, float],
    value: float,
) -> tuple[tuple[np.ndarray, np.ndarray, float], float] | None:
    """The longest of the steps 1, 1/2, 1/4, ... that does not raise P; None if there is none."""
    a, f, b = at
    da, db = to[0] - a, to[1] - b
    df = K @ to[0] - f
    t = 1.0
    for _ in range(_HALVINGS):
        trial = a + t * da, f + t * df, b + t * db
        now = _primal(problem, *trial)
        if now <= value + 1e-14 * abs(value):
            return trial, now
        t /= 2
    return None


def _primal(problem: KernelLogisticProblem, a: np.ndarray, f: np.ndarray, b: float) -> float:
    return 0.5 * float(a @ f) + float(problem.c @ problem.losses(f + b))


def _objectives(problem: KernelLogisticProblem, K: np.ndarray, f: np.ndarray, b: float) -> tuple[float, float]:
    """P and D at what would be returned now."""
    beta, b = _feasible(problem, f, b)
    image = K @ beta
    p = np.clip(np.abs(beta) / problem.c, 0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.where(p > 0, p * np.log(p), 0.0) - np.where(p < 1, (1 - p) * np.log1p(-p), 0.0)
    dual = -0.5 * float(beta @ image) + float(problem.c @ entropy)
    return _primal(problem, beta, image, b), dual


def _feasible(problem: KernelLogisticProblem, f: np.ndarray, b: float) -> tuple[np.ndarray, float]:
    """Variables of the decision values, with the intercept that makes them add up to zero."""
    if not problem.fit_intercept:
        return problem.slopes(f), 0.0
    b = _best_intercept(problem, f, b)
    beta = problem.slopes(f + b)
    room = np.minimum(np.abs(beta), problem.c - np.abs(beta))
    for _ in range(2):  # what rounding has left of the sum goes to the variable with the most room
        j = int(np.argmax(room))
        beta[j] = np.clip(
            beta[j] - beta.sum(), min(0.0, problem.y[j] * problem.c[j]), max(0.0, problem.y[j] * problem.c[j])
        )
    return beta, b


def _shortened(
    problem: KernelLogisticProblem, K: np.ndarray, beta: np.ndarray, b: float
) -> tuple[np.ndarray, float, float]:
    """The best of beta, beta/2, beta/4, ..., its intercept and its P.

    Where kernel values are huge, the rounding errors of beta alone make a model that is worse than none. All of these
    lie in the box if beta does.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        image = K @ beta
        best, value = (beta, b), _primal(problem, beta, image, b)
        for _ in range(_SHORTER):
            beta, image = beta / 2, image / 2
            if problem.fit_intercept and np.isfinite(image).all():
                b = _best_intercept(problem, image, b)
            now = _primal(problem, beta, image, b)
            if now >= value:  # convex along the way
                break
            if now < value or not np.isfinite(value):
                best, value = (beta, b), now
    return *best, value if np.isfinite(value) else np.inf


def _last(found: tuple[np.ndarray, float, float]) -> float:
    return found[-1]


def _best_intercept(problem: KernelLogisticProblem, f: np.ndarray, b: float) -> float:
    """The root of the falling function ``sum_i g_i(f + b)``: Newton's steps inside a bracket."""
    reach = float(np.abs(f).max(initial=0.0))
    odds = abs(float(np.log(problem.c[problem.y > 0].sum() / problem.c[problem.y < 0].sum())))
    low, high = -reach - odds - 1, reach + odds + 1
    b = min(max(b, low), high)
    for _ in range(200):
        value = float(problem.slopes(f + b).sum())
        if value > 0:
            low = b
        else:
            high = b
        p = np.abs(problem.slopes(f + b)) / problem.c
        slope = float(problem.c @ (p * (1 - p)))
        step = b + value / slope if slope > 0 else np.inf
        new = step if low < step < high else (low + high) / 2
        if abs(new - b) <= 1e-15 * max(1.0, abs(b)):
            return new
        b = new
    return b
