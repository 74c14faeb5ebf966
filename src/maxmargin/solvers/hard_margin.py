"""The hard-margin machine as the nearest points of two convex hulls, or the proof that the hulls meet.

    minimise    1/2 ||sum_i beta_i phi(x_i)||^2
    subject to  beta_i >= 0 with sum 1 over one class, beta_i <= 0 with sum -1 over the other

is bounded whatever the data (the usual dual is not: it diverges on classes that overlap). If its value is v > 0, then
alpha = |beta| / v are the multipliers of the hard margin (Bennett and Bredensteiner 2000, section 2); if it is 0, beta
itself is the proof that no hyperplane separates.

Without an intercept it is the point nearest to the origin in one hull, that of all y_i x_i: beta_i >= 0 with sum 1, and
alpha = beta / (2 v).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import frexp, inf, isnan, nan
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from ..certificates import (
    NotSeparableError,
    SeparationProof,
    Status,
    coinciding_weights,
    columns_of,
    equations,
    evaluate_hard_margin,
    evaluate_linear_hard_margin,
    not_separable,
)
from ..data import Rows
from ..kernels import Gram, Kernel, Linear
from ..messages import FloatRangeError
from ..problems import BoxQP, HardMarginRisk
from ._monitor import Monitor
from ._solution import Solution
from ._solver import Solver
from ._trace import Figures
from .kernel._certified import solve_certified, unproven
from .kernel._projection import feasible
from .kernel.decomposition import automatic_budget

_ROUNDS = 40
# Squared distances below this fraction of the squared scale are rounding errors of float64 kernel values.
_TOUCHING = 1e-14
# A squared mean above this fraction of the squared scale is taken off the samples.
_NEAR = 0.9
# Values of the rows up to which weights of a proof are refined, and by how much equations in units of 1 may be missed
_VALUES, _MET = 4_000_000, 1e-12
# Weights of a linear programme below this are none
_LEAST_WEIGHT = 1e-11
# Rows shorter than this, or longer than its inverse, are scaled: the squares of their squares would leave float64.
_SMALLEST = 1e-60
# Rows that are all shorter than this have a margin whose weights overflow when they are squared.
_VANISHING = 1e-150


def solve_hard_margin(
    problem: BoxQP,
    start: np.ndarray | None = None,
    tolerance: float = 1e-3,
    gap_tolerance: float | None = None,
    budget: int | None = None,
    monitor: Monitor | None = None,
    **engine_options: Any,
) -> Solution:
    """Signed multipliers of the hard-margin machine of a classifier's problem; raises `NotSeparableError`."""
    sign = np.sign(problem.p)
    _refuse_vanishing(_length(problem.gram))
    gram, centre = _about_the_mean(problem.gram)
    hulls = BoxQP.hull_distance(gram, sign)

    def verdict(beta: np.ndarray, value: float, scale: float) -> NotSeparableError:
        found = problem.gram.linear_rows()
        if found is not None:
            X = found[0].take(slice(None) if found[1] is None else found[1])  # type: ignore[arg-type]
            beta, value = _meeting(X, beta, value, sign)
        return _verdict(beta, value, scale)

    search = _NearestPoints(hulls, 2, lambda multipliers: evaluate_hard_margin(problem, multipliers), verdict)
    found = search.run(_weights(hulls, sign, start), tolerance, gap_tolerance, budget, monitor, **engine_options)
    if found.evidence is None:
        b = sum(found.intercepts) - float(found.variables @ centre)
        return replace(found, evidence=unproven(1, (b,)))
    return found


@dataclass(frozen=True)
class _NearestPoints:
    """A problem of hulls, solved ever more exactly until the machine made of its answer is proven.

    Its multipliers are `factor` times the weights over the squared distance. `evaluate` makes the evidence of them, and
    `verdict` the error where the distance is zero, from weights, squared distance and squared scale. Samples were
    divided by `unit`.
    """

    hulls: BoxQP
    factor: int
    evaluate: Callable[[np.ndarray], Any]
    verdict: Callable[[np.ndarray, float, float], NotSeparableError]
    unit: float = 1.0

    def run(
        self,
        beta: np.ndarray | None,
        tolerance: float,
        gap_tolerance: float | None,
        budget: int | None,
        monitor: Monitor | None,
        **engine_options: Any,
    ) -> Solution:
        """Multipliers, with evidence; after Ctrl-C perhaps without, and not scaled."""
        scale = max(float(self.hulls.gram.diagonal().max()), 1e-300)
        budget = automatic_budget(self.hulls.n) if budget is None else budget
        used, target = 0, tolerance * scale
        view = None if monitor is None else monitor.viewing(self.of_the_margin)
        for _ in range(_ROUNDS):
            left = budget - used
            step = solve_certified(self.hulls, beta, target, None, left, view, steps_before=used, **engine_options)
            beta, used = step.variables, used + step.iterations
            if not len(step.evidence.image):  # Ctrl-C: too large to certify now
                ends = step.evidence.intercepts
                return Solution(self.factor * beta, step.status, used, intercepts=ends, keyboard=True)
            value = float(beta @ step.evidence.image)
            if value <= _TOUCHING * scale:
                raise self.verdict(beta, max(value, 0.0), scale)
            multipliers = beta * (self.factor / value)
            evidence = self.evaluate(multipliers)
            met = evidence.kkt_violation <= tolerance
            met = met and (gap_tolerance is None or evidence.relative_gap <= gap_tolerance)
            status = Status.CONVERGED if met else step.status
            if met or status is not Status.CONVERGED:
                break
            # violations of hulls are margins times value / factor: tighten until margins are within tolerance
            target = min(target / 10, tolerance * value / (4 * self.factor))
        else:
            status = Status.STALLED
        if status is Status.STALLED and not np.isfinite(evidence.primal) and value <= 100 * _TOUCHING * scale:
            raise self.verdict(step.variables, value, scale)
        return Solution(multipliers, status, used, evidence=evidence, keyboard=step.keyboard)

    def of_the_margin(self, hulls: Figures) -> Figures:
        """Figures of the hulls in terms of the margin.

        At weights beta of value v, with k the factor, the multipliers k beta / v have the dual objective k^2 / 2v.
        Along w = sum_i beta_i phi(x_i) the hulls are at least v - gap apart (or as far from the origin), so that
        k w / (v - gap) has all margins, and the primal objective k^2 v / 2(v - gap)^2. Violations are margins times
        v / k.
        """
        value, gap = -2 * hulls.dual, hulls.primal - hulls.dual
        if isnan(value):  # a solver that does not say
            return hulls
        if not value > 0:
            return hulls._replace(primal=inf, gap=inf, dual=nan)
        shorter = value / (value - gap) if value > gap else inf
        dual = self.factor**2 / (2 * value) / self.unit / self.unit
        primal = dual * shorter * shorter
        open_part = max(primal - dual, 0.0) / primal if primal < inf else inf
        violation = hulls.violation * self.factor / value
        return hulls._replace(violation=violation, gap=open_part, primal=primal, dual=dual)


def _length(gram: Gram) -> float:
    """About that of the longest sample, also where the squares of rows vanish."""
    longest = float(np.sqrt(np.abs(gram.diagonal()).max()))
    if longest >= _VANISHING or (found := gram.linear_rows()) is None:
        return longest
    X = found[0].take(slice(None) if found[1] is None else found[1])  # type: ignore[arg-type]
    return float(abs(X).max()) if X.shape[1] else 0.0


def _refuse_vanishing(length: float) -> None:
    if 0 < length < _VANISHING:
        raise FloatRangeError(
            f"X has values so small (up to {length:.2g}) that the weights of a hard margin (C=inf), squared, overflow "
            "float64. Scale X (StandardScaler)."
        )


def _about_the_mean(gram: Gram) -> tuple[Gram, np.ndarray]:
    """The matrix of the samples less their mean, and its products with the samples.

    Distances of hulls are the same. Only rows of a linear kernel are moved, and only if they are far away from 0, where
    rounding errors of inner products would hide the distances (CSR rows of that kind have hardly a zero to lose).
    """
    found, nothing = gram.linear_rows(), np.zeros(gram.shape[0])
    if found is None:
        return gram, nothing
    X = found[0].take(slice(None) if found[1] is None else found[1])  # type: ignore[arg-type]
    mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
    size = float(gram.diagonal().max())
    if not _NEAR * size < float(mean @ mean) < np.inf:
        return gram, nothing
    near = (X.toarray() if found[0].sparse else X) - mean
    return Linear().gram(Rows(near), None, 1), X @ mean


def _weights(hulls: BoxQP, sign: np.ndarray, start: np.ndarray | None) -> np.ndarray:
    """Feasible weights: a warm start's multipliers (of labels that may have changed), or one sample of each class."""
    if start is not None and start.any():
        return feasible(hulls, start / (np.abs(start).sum() / 2))
    beta = np.zeros(len(sign))
    beta[np.flatnonzero(sign > 0)[0]], beta[np.flatnonzero(sign < 0)[0]] = 1.0, -1.0
    return beta


def _meeting(X: Any, beta: np.ndarray, value: float, side: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights whose combinations coincide in every column, to rounding, and the squared distance that is left.

    Those that are given, where none are found.

    Kernel values tell distances to a ten-millionth of the largest column; a column of small values needs more. `side`
    is 1 and -1 for the samples of the two hulls, or 1 for all of one hull that has the origin in it. The sums stay.
    """
    if X.shape[0] * X.shape[1] > _VALUES:
        return beta, value
    X = (X.toarray() if sp.issparse(X) else X).astype(np.float64)
    X = X - X[np.flatnonzero(beta)[0]] if (side < 0).any() else X
    size = np.abs(X).max(axis=0)
    size, X = size[size > 0], X[:, size > 0] / size[size > 0]
    sums = [side == one for one in np.unique(side)]
    system = np.vstack([X.T * side, *sums])
    wanted = np.concatenate([np.zeros(X.shape[1]), np.ones(len(sums))])
    weights = _on_the_face(system, wanted, np.abs(beta))
    if weights is None:
        found = linprog(np.zeros(len(side)), A_eq=system, b_eq=wanted, method="highs")
        weights = _on_the_face(system, wanted, found.x) if found.x is not None else None
    if weights is None:
        return beta, value
    apart = float(np.linalg.norm(size * (X.T @ (side * weights))))
    return side * weights, apart * apart


def meeting_weights(kernel: Kernel, X: Any, rows: np.ndarray, sign: np.ndarray) -> np.ndarray | None:
    """Weights of few rows for which the hulls of the two signs exactly share a point, by a linear programme.

    None where there are none, or none that could be proven.
    """
    columns = columns_of(kernel, X, rows)
    found = None if columns is None else equations(columns, sign, False)
    if found is None:
        return None
    system, _, wanted = found
    answer = linprog(np.zeros(len(rows)), A_eq=system, b_eq=wanted, method="highs-ds")
    if answer.x is None:
        return None
    weights = np.where(answer.x > _LEAST_WEIGHT, answer.x, 0.0)
    exact = _on_the_face(system, wanted, weights) if weights.any() else None
    return coinciding_weights(kernel, X, rows, sign, weights if exact is None else exact)


def _on_the_face(system: np.ndarray, wanted: np.ndarray, weights: np.ndarray) -> np.ndarray | None:
    """Weights near these, positive where these are, that meet the equations; None if there are none so near."""
    support = np.flatnonzero(weights > 0)
    some, x = system[:, support], weights[support]
    for _ in range(3):
        step = x * np.linalg.lstsq(some * x, wanted - some @ x, rcond=None)[0]
        if not (x + step > 0).all():
            return None
        x = x + step
    if np.abs(wanted - some @ x).max() > _MET:
        return None
    found = np.zeros_like(weights)
    found[support] = x
    return found


def _verdict(beta: np.ndarray, value: float, scale: float) -> NotSeparableError:
    positive, negative = np.flatnonzero(beta > 0), np.flatnonzero(beta < 0)
    scale = scale if scale > 1e-300 else 0.0
    return not_separable(
        SeparationProof(
            positive, negative, beta[positive], -beta[negative], float(np.sqrt(value)), float(np.sqrt(scale))
        )
    )


class LinearHardMargin(Solver):
    """The hard margin of a linear machine: solved in multipliers, as a kernel machine with the linear kernel is.

    Weights and multipliers (`slopes`); raises `NotSeparableError` with a proof. Its budget is its own.
    """

    name = "decomposition"
    steps_an_iteration = 0

    @classmethod
    def solve(
        cls,
        problem: HardMarginRisk,
        start: np.ndarray | None,
        tolerance: float,
        budget: int | None = None,
        monitor: Monitor | None = None,
        slopes: np.ndarray | None = None,
        **options: Any,
    ) -> Solution:
        """As in every solver; the steps are those of `solve_hard_margin`."""
        kept = np.flatnonzero(problem.weights > 0)
        if not problem.fit_intercept:
            return _through_the_origin(problem, kept, slopes, tolerance, monitor)
        gram = Linear().gram(problem.rows, None, problem.threads)
        if len(kept) < problem.n:
            gram = gram.restricted(kept)
        box = BoxQP.classifier(gram, problem.y[kept], np.full(len(kept), np.inf))
        multipliers = None if slopes is None else slopes[kept]
        try:
            found = solve_hard_margin(box, multipliers, tolerance, tolerance, None, monitor)
        except NotSeparableError as error:
            proof = replace(error.proof, positive=kept[error.proof.positive], negative=kept[error.proof.negative])
            raise not_separable(proof, linear=True) from None
        beta = np.zeros(problem.n)
        beta[kept] = found.variables
        theta = problem.transposed(beta)
        theta[-1] = found.evidence.intercepts[0]
        return Solution(theta, found.status, found.iterations, slopes=beta, keyboard=found.keyboard)


def _through_the_origin(
    problem: HardMarginRisk,
    kept: np.ndarray,
    slopes: np.ndarray | None,
    tolerance: float,
    monitor: Monitor | None,
) -> Solution:
    """The hard margin without an intercept, of the samples `kept`."""
    sign = problem.y[kept]
    signed, unit = _signed(problem.rows.take(kept), sign)
    hull = BoxQP.one_class(Linear().gram(Rows(signed), None, problem.threads), np.ones(len(kept)), 1 / len(kept))

    def machine(multipliers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        beta = np.zeros(problem.n)
        with np.errstate(over="ignore"):
            beta[kept] = sign * multipliers / unit / unit
        return problem.transposed(beta), beta

    def verdict(beta: np.ndarray, value: float, scale: float) -> NotSeparableError:
        beta, value = _meeting(signed, beta, value, np.ones(len(kept)))
        positive, negative = (np.flatnonzero((beta > 0) & (sign == side)) for side in (1, -1))
        distance, size = (float(np.sqrt(square)) * unit for square in (value, scale if scale > 1e-300 else 0.0))
        weights = beta[positive], beta[negative]
        proof = SeparationProof(kept[positive], kept[negative], *weights, distance, size, through_origin=True)
        return not_separable(proof, linear=True)

    search = _NearestPoints(hull, 1, lambda a: evaluate_linear_hard_margin(problem, *machine(a)), verdict, unit)
    start = None if slopes is None or not slopes[kept].any() else np.abs(slopes[kept])
    start = None if start is None else feasible(hull, start / start.sum())
    found = search.run(start, tolerance, tolerance, None, monitor)
    theta, beta = machine(found.variables)
    return Solution(theta, found.status, found.iterations, slopes=beta, keyboard=found.keyboard)


def _signed(X: Any, sign: np.ndarray) -> tuple[Any, float]:
    """All y_i x_i, divided by a power of two where their squares would leave float64, and that."""
    largest = float(abs(X).max()) if X.shape[1] else 0.0
    _refuse_vanishing(largest)
    unit = 1.0 if _SMALLEST < largest < 1 / _SMALLEST or largest == 0 else 2.0 ** frexp(largest)[1]
    factor = (sign / unit).astype(X.dtype)[:, None]
    return (sp.csr_array(X.multiply(factor)) if sp.issparse(X) else X * factor), unit
