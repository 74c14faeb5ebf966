"""What the lasso and the elastic net share: their problem, how it is solved and certified, and paths along alpha."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from ..certificates import Certificate, ModelCertificate, Status, rounded_down, rounded_up
from ..data import Rows
from ..engine import Stopwatch, one_blas_thread_for, thread_count
from ..losses import make_loss
from ..messages import counted
from ..penalties import make_penalty
from ..problems import Risk
from ..solvers import Design, Monitor, ProximalNewton, Solution, WorkingSets, solve_risk
from ._paths import RegressionPath
from ._ridge import used_samples


@dataclass(frozen=True)
class LassoData:
    """Checked samples: rows of positive weight, targets as columns, and weights that add up to 1."""

    rows: Rows
    targets: np.ndarray
    weights: np.ndarray
    single: bool
    fit_intercept: bool
    threads: int

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any, fit_intercept: bool, n_jobs: int | None = None) -> LassoData:
        """From X and y that were checked before."""
        X, targets, weights, single = used_samples(X, y, sample_weight)
        return cls(Rows(X), targets, weights / weights.sum(), single, fit_intercept, thread_count(n_jobs))

    @property
    def k(self) -> int:
        """Number of targets."""
        return self.targets.shape[1]

    def problem(self, k: int, alpha: float, l1_ratio: float, positive: bool) -> Risk:
        """The risk of target k: half the weighted mean of squares, and alpha times the penalty."""
        penalty = make_penalty("elastic_net", l1_ratio, alpha, positive)
        y = np.ascontiguousarray(self.targets[:, k])
        return Risk(self.rows, y, self.weights, make_loss("squared"), penalty, self.fit_intercept, self.threads)

    def design(self) -> Design:
        """What the problems of all targets and penalties share."""
        return Design(self.rows, self.weights, self.fit_intercept, self.threads)

    def correlations(self) -> np.ndarray:
        """``|sum_i c_i (x_i - mu)(y_i - nu)|``, a column a target: the slopes at w = 0, in size."""
        return np.abs(np.column_stack([self._slopes(k) for k in range(self.k)]))

    def _slopes(self, k: int) -> np.ndarray:
        problem = self.problem(k, 1.0, 1.0, False)
        y = problem.y - (float(self.weights @ problem.y) if self.fit_intercept else 0.0)
        return problem.transposed(self.weights * y)[:-1]

    def alpha_max(self, l1_ratio: float, positive: bool = False) -> float:
        """The least alpha at which all weights are zero, for an L1 part."""
        if positive:
            largest = max(float(self._slopes(k).max(initial=0.0)) for k in range(self.k))
        else:
            largest = float(self.correlations().max(initial=0.0))
        return largest / l1_ratio


def alpha_grid(
    data: LassoData, l1_ratio: float, alphas: Any, eps: float, name: str = "alphas", positive: bool = False
) -> np.ndarray:
    """Values of alpha, descending: those given, or so many from where the first weight leaves zero down by `eps`."""
    if isinstance(alphas, int | np.integer) and not isinstance(alphas, bool):
        if alphas < 1:
            raise ValueError(f"{name} must be at least 1, or a list of numbers; got {alphas!r}.")
        if l1_ratio == 0:
            raise ValueError(
                f"an automatic grid starts where the first weight leaves zero, which needs l1_ratio > 0: give {name} "
                f"as a list."
            )
        if not eps > 0:
            raise ValueError(f"eps must be positive; got {eps!r}.")
        top = data.alpha_max(l1_ratio, positive)
        if not top > np.finfo(np.float64).resolution:  # targets that are constant
            top = float(np.finfo(np.float64).resolution)
            return np.full(int(alphas), top)
        return np.geomspace(top, top * eps, int(alphas))
    values = np.asarray(alphas, dtype=np.float64)
    if values.ndim != 1 or not values.size or not ((values > 0) & np.isfinite(values)).all():
        raise ValueError(f"{name} must be a number of values, or a list of positive, finite numbers; got {alphas!r}.")
    return np.sort(values)[::-1]


def solve_lasso(
    problem: Risk,
    design: Design,
    start: np.ndarray | None,
    tolerance: float,
    budget: int | None,
    monitor: Monitor | None = None,
) -> Solution:
    """Solve and prove. Working sets; where they grow beyond what a Gram matrix is for, proximal Newton."""
    with one_blas_thread_for(
        float(problem.stored) * problem.d
    ):  # waking other threads for small systems would cost more than they do
        found = solve_risk(problem, (WorkingSets,), start, tolerance, budget, monitor, design=design)
        if found.status is Status.BUDGET_EXHAUSTED and found.stats.get("too_many"):
            rest = None if budget is None else max(1, budget - found.iterations)
            again = solve_risk(problem, (ProximalNewton,), found.variables, tolerance, rest, monitor)
            found = replace(again, iterations=again.iterations + found.iterations)
    return found


def solve_path(
    data: LassoData, alphas: np.ndarray, l1_ratio: float, positive: bool, tolerance: float, budget: int | None
) -> RegressionPath:
    """Solve for every alpha, from the largest (whose weights are next to zero) down, each from its neighbour."""
    design, k, d = data.design(), data.k, data.rows.d
    thetas = np.empty((len(alphas), k, d + 1))
    certificates: dict[int, ModelCertificate] = {}
    starts: list[np.ndarray | None] = [None] * k
    for place in np.argsort(-alphas, kind="stable").tolist():
        parts = []
        for t in range(k):
            watch, problem = Stopwatch(), data.problem(t, float(alphas[place]), l1_ratio, positive)
            found = solve_lasso(problem, design, starts[t], tolerance, budget)
            if found.keyboard:
                raise KeyboardInterrupt
            starts[t] = thetas[place, t] = found.variables
            parts.append(
                Certificate.of(found.evidence, found.status, found.iterations, watch.seconds(), target_name(t, k))
            )
        certificates[place] = ModelCertificate(tuple(parts))
    coefs, intercepts = thetas[:, :, :-1], thetas[:, :, -1]
    if data.single:
        coefs, intercepts = coefs[:, 0], intercepts[:, 0]
    return RegressionPath(
        alphas, coefs.copy(), intercepts.copy(), tuple(certificates[place] for place in range(len(alphas)))
    )


def target_name(t: int, k: int) -> str:
    """What a target is called, where there are several."""
    return f"target {t}" if k > 1 else ""


# The dual point is scaled until no slope is above alpha: down to nothing, if the rounding of slopes is.
_UNSEEN = 1e-12


def lasso_advice(model: Any, data: LassoData, rounding: float, worst: Certificate) -> str:
    """What to do about a fit that has not converged."""
    remedy = {
        Status.BUDGET_EXHAUSTED: f"Raise max_iter (now {model.max_iter}), scale the features (StandardScaler), or "
        f"raise alpha.",
        Status.INTERRUPTED: "Set warm_start=True and call fit again to resume.",
        Status.STALLED: f"For these data float64 proves no gap below about {rounding:.0e}: raise tol."
        if isfinite(rounding) and rounding > 0.1 * worst.relative_gap
        else "The solver found no better: scale the features (StandardScaler), raise alpha, or raise tol.",
    }[worst.status]
    if worst.status is Status.STALLED:
        alpha, largest = model._alpha(), data.alpha_max(1.0)
        if alpha < _UNSEEN * largest:
            where = "below" if alpha < np.finfo(np.float64).eps * largest else "near"
            bound = "nothing bounds the objective from below"
            if worst.dual > 0:
                bound = f"the objective {rounded_up(worst.primal, 6)} has no better lower bound than "
                bound += rounded_down(worst.dual, 6)
            remedy = (
                f"alpha={alpha:g} is {where} the rounding of the slopes, which are up to {largest:.2e}: {bound}, "
                f"and alpha is as good as 0. Scale the features (StandardScaler), raise alpha, or use LinearRegression."
            )
    ended = f"{type(model).__name__} ended as '{worst.status}' after {counted(worst.iterations, 'iteration')}"
    return f"{ended}: relative duality gap {worst.relative_gap:.2e} (tol={model.tol:g}). {remedy}"
