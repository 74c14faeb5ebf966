"""A primal-dual interior point for the box QP of a kernel machine, where SMO would take millions of steps.

    minimise    1/2 b' K b - p' b    subject to    s = b - lower >= 0,   v = upper - b >= 0,   A b = totals

With multipliers z, y >= 0 of s and v, nu of the sums and r = p - K b, the optimality conditions are

    r - A' nu = y - z,    z s = 0,    y v = 0.

Each step solves their linearisation with z s = y v = sigma mu, which comes down to

    (K + z/s + y/v) db + A' dnu = right-hand side,    A db = totals - A b

(Mehrotra 1992: predictor, then centred corrector with the same factor). The number of steps, 10 to 50, hardly depends
on C or on the condition of K: where the hard margin is the answer to every large C, its multipliers are found as fast
for C = 1e12 as for 1e5. Ferris and Munson (2002) solve linear machines of millions of samples in this way.

s and v are variables of their own: near a bound of 1e9 the difference has lost all the digits that matter. The steps of
a regressor, whose two variables of a sample share a row of K, are reduced to one unknown a sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...certificates import Status
from ...problems import BoxQP
from .._driver import IterativeSolver
from .._solution import Solution
from .._trace import Figures
from ._box_figures import figures_at
from ._crossover import to_bounds
from ._kernel_systems import KernelSystem

_MOST_STEPS = 120
_TO_BOUND = 0.995  # part of the way to the nearest bound
_SMALL_GAP = 1e-13  # relative to the objective: further steps would only move rounding errors
_NO_STEP = 1e-10
# Complementarity that has grown by this factor: multipliers are on their way to bounds that are too far away.
_RUNAWAY = 1e5


class InteriorBox(IterativeSolver):
    """Goes on until optimality holds to rounding, and sets variables on their bounds that belong there.

    A step counts as n iterations.

    Parameters
    ----------
    problem : BoxQP
        What is minimised: finite bounds, none of them equal.
    start, tolerance, slopes
        As in every solver; it begins inside the box, wherever a start may be.
    system : KernelSystem
        The matrix K of the problem.
    wide : bool
        Start from the middle of the box, where the answer has many multipliers at a large upper bound, instead of
        near zero, from where the hard margin is found soonest.

    """

    def __init__(
        self,
        problem: BoxQP,
        start: np.ndarray | None,
        tolerance: float,
        slopes: np.ndarray | None = None,
        *,
        system: KernelSystem,
        wide: bool = False,
    ) -> None:
        self.problem, self.tolerance, self.wide = problem, tolerance, wide
        self.point, self.stationarity = _Point.start(problem, system, wide), np.inf

    @classmethod
    def budget_for(cls, problem: BoxQP) -> int:
        return _MOST_STEPS * problem.n

    def finished(self, last: bool) -> Status | None:
        point, before = self.point, self.stationarity
        self.stationarity, small_gap = point.residuals(), point.gap <= _SMALL_GAP * point.size
        if small_gap and self.stationarity <= 0.01 * self.tolerance:
            return Status.CONVERGED
        no_better = small_gap and self.stationarity > before / 2
        ran_away = not self.wide and point.gap > _RUNAWAY * point.first_gap
        enough = self.iterations >= _MOST_STEPS * self.problem.n
        return Status.STALLED if no_better or ran_away or enough else None

    def step(self, most: int) -> Status | None:
        if most < self.problem.n:
            return Status.BUDGET_EXHAUSTED
        if not self.point.improve():
            return Status.STALLED
        self.iterations += self.problem.n
        return None

    def figures(self) -> Figures:
        if not self.traced:
            return Figures(self.stationarity, self.point.gap / self.point.size)
        beta = self.variables()
        return figures_at(self.problem, beta, self.problem.p - self.problem.image(beta))

    def variables(self) -> np.ndarray:
        return to_bounds(self.problem, self.point.b, self.point.y - self.point.z, self.tolerance)

    def result(self, status: Status, keyboard: bool) -> Solution:
        violation = np.nan if keyboard else self.stationarity
        return Solution(self.variables(), status, self.iterations, violation, keyboard=keyboard)


def applies(problem: BoxQP) -> bool:
    """Whether the box has an inside: bounds finite and apart, every sum strictly between its extremes."""
    width = problem.upper - problem.lower
    if not (np.isfinite(width).all() and (width > 0).all()):
        return False
    for g, total in enumerate(problem.totals):
        members = problem.members(g)
        low, high = float(problem.lower[members].sum()), float(problem.upper[members].sum())
        slack = 1e-9 * (high - low)
        if not low + slack < total < high - slack:
            return False
    return True


@dataclass
class _Direction:
    b: np.ndarray
    nu: np.ndarray
    z: np.ndarray
    y: np.ndarray


class _Point:
    """An iterate strictly inside the box. ``residuals`` brings what follows from it up to date."""

    def __init__(self, problem: BoxQP, system: KernelSystem, s: np.ndarray, v: np.ndarray) -> None:
        self.problem, self.system, self.s, self.v = problem, system, s, v
        self.paired = problem.sample is not None
        group = np.zeros(problem.n, dtype=np.int64) if problem.group is None else problem.group
        self.A = np.array([group == g for g in range(len(problem.totals))], dtype=np.float64)
        self.nu = np.zeros(len(problem.totals))
        self.r = problem.p - self._image(self.b)
        self.unit = max(float(np.abs(problem.p).max()), float(np.abs(self.r).max()) * 1e-3, 1e-300)
        mu = self.unit * float(np.median(np.minimum(s, v)))
        self.z, self.y, self.first_gap = mu / s, mu / v, 2 * problem.n * mu

    @classmethod
    def start(cls, problem: BoxQP, system: KernelSystem, wide: bool) -> _Point:
        """Near zero, as far from it as one sample alone would go, or with equal shares of a group's total."""
        width = problem.upper - problem.lower
        typical = float(np.median(system.diagonal()))
        alone = float(np.abs(problem.p).max()) / typical if typical > 0 else 1.0
        s = width / 2 if wide else np.minimum(width / 2, max(alone, 1e-12 * float(width.min())))
        s = np.where(problem.upper <= 0, width - s, s)
        for g, total in enumerate(problem.totals):
            members = problem.members(g)
            if total != 0:
                low, w = problem.lower[members], width[members]
                s[members] = w * ((total - float(low.sum())) / float(w.sum()))
        return cls(problem, system, s, width - s)

    @property
    def b(self) -> np.ndarray:
        return np.where(self.s <= self.v, self.problem.lower + self.s, self.problem.upper - self.v)

    def _image(self, b: np.ndarray) -> np.ndarray:
        if not self.paired:
            return self.system.product(b)
        half = self.system.n
        return np.tile(self.system.product(b[:half] + b[half:]), 2)

    def residuals(self) -> float:
        """Recompute r, the gap and what is left of each condition; the largest violation of stationarity."""
        b, problem = self.b, self.problem
        self.r = problem.p - self._image(b)
        self.stationarity = self.r - self.A.T @ self.nu - self.y + self.z
        self.sums = np.array(problem.totals) - self.A @ b
        self.gap = float(self.s @ self.z + self.v @ self.y)
        linear, quadratic = float(problem.p @ b), float(b @ (problem.p - self.r))
        self.size = max(abs(linear - quadratic / 2), abs(quadratic) / 2, 1e-300)
        return float(np.abs(self.stationarity).max())

    def improve(self) -> bool:
        """One predictor-corrector step; False if rounding allows none."""
        self.D = self.z / self.s + self.y / self.v
        if not self._factorise():
            return False
        none = np.zeros(self.problem.n)
        mu = self.gap / (2 * self.problem.n)
        predictor = self._direction(0.0, none, none)
        a = self._longest(predictor)
        predicted = float((self.s + a * predictor.b) @ (self.z + a * predictor.z))
        predicted += float((self.v - a * predictor.b) @ (self.y + a * predictor.y))
        sigma: float = np.clip(predicted / self.gap, 0.0, 1.0) ** 3
        step = self._direction(sigma * mu, predictor.b * predictor.z, -predictor.b * predictor.y)
        a = min(1.0, _TO_BOUND * self._longest(step))
        if not a > _NO_STEP or not np.isfinite(step.b).all():
            return False
        self.s, self.v = self.s + a * step.b, self.v - a * step.b
        self.z, self.y, self.nu = self.z + a * step.z, self.y + a * step.y, self.nu + a * step.nu
        return True

    def _longest(self, step: _Direction) -> float:
        """The fraction of the step, 1 at most, that keeps everything positive."""
        longest = 1.0
        for x, dx in ((self.s, step.b), (self.v, -step.b), (self.z, step.z), (self.y, step.y)):
            falling = dx < 0
            if falling.any():
                longest = min(longest, float((x[falling] / -dx[falling]).min()))
        return longest

    def _direction(self, target: float, second_s: np.ndarray, second_v: np.ndarray) -> _Direction:
        """The step to z s = y v = `target`, given the second-order terms of a predictor."""
        e = (target - second_s) / self.s - self.z
        f = (target - second_v) / self.v - self.y
        b, nu = self._solve(self.stationarity + e - f, self.sums)
        return _Direction(b, nu, e - self.z / self.s * b, f + self.y / self.v * b)

    # ------------------------------------------------------------- the linear system

    def _factorise(self) -> bool:
        if self.paired:  # two variables of one row in parallel: their resistances D add as those of parallel wires do
            half = self.system.n
            D = 1 / (1 / self.D[:half] + 1 / self.D[half:])
        else:
            D = self.D
        if not (np.isfinite(D).all() and (D > 0).all() and self.system.factorise(D)):
            return False
        self._KA = np.array([self._inverse(a) for a in self.A])
        self._schur = self.A @ self._KA.T
        return bool(np.isfinite(self._schur).all() and np.linalg.matrix_rank(self._schur) == len(self.A))

    def _inverse(self, g: np.ndarray) -> np.ndarray:
        """About ``(K + D)^-1 g`` for all variables."""
        if not self.paired:
            return self.system.solve(g)
        half = self.system.n
        D, E = self.D[:half], self.D[half:]
        first, second = g[:half], g[half:]
        # of a pair x, x' only c = x + x' meets K: D x + K c = g and E x' + K c = g'
        c = self.system.solve((E * first + D * second) / (D + E))
        difference = first - second
        return np.concatenate([(E * c + difference) / (D + E), (D * c - difference) / (D + E)])

    def _solve(self, g: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``(K + D) x + A' nu = g, A x = h``, refined while that halves what is left."""
        x, nu = np.zeros(len(g)), np.zeros(len(h))
        left_g, left_h, before = g, h, np.inf
        for _ in range(4):
            dx = self._inverse(left_g)
            dnu = np.linalg.solve(self._schur, self.A @ dx - left_h)
            new, new_nu = x + dx - self._KA.T @ dnu, nu + dnu
            left_g = g - self._image(new) - self.D * new - self.A.T @ new_nu
            left_h = h - self.A @ new
            left = float(np.abs(left_g).max())
            if not left < before / 2:
                return (x, nu) if before < left else (new, new_nu)
            x, nu, before = new, new_nu, left
        return x, nu
