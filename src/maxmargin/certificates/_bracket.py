"""The exact optimum of a kernel machine between two bounds that come from different places.

An approximate machine has a decision function of its own, a sum of kernel functions with *coefficients* that need not
be multipliers of anything: its primal objective is an upper bound of the exact optimum whatever they are. Any feasible
*multipliers* beta give a lower bound, p'beta - 1/2 beta' K beta with the exact kernel. Neither side trusts the way they
were found, and both are rounded outwards as in `maxmargin.certificates._duality`.

The lower bound needs K between the rows with multipliers only, the upper one K between all rows and those with
coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..problems import BoxQP
from ._duality import DualBound, Evidence, best_intercept, difference, dual_bound, primal_bound, relative, violation_at
from ._image import Image, bounded_image, product_rounding
from ._rounding import U, lower, upper

_ROOM = 1 + 1e-12


@dataclass(frozen=True)
class LowerBound:
    """What multipliers prove: ``value <= optimum``; ``square`` is beta' K beta and ``rounding`` the room for errors.

    ``confidence`` is 1 where it is proven, else the probability with which it holds.
    """

    value: float
    square: float
    rounding: float
    confidence: float = 1.0


def lower_bound(problem: BoxQP, beta: np.ndarray) -> LowerBound:
    """The dual objective at beta, rounded down; -inf if beta breaks a constraint."""
    if not ((beta >= problem.lower) & (beta <= problem.upper)).all():
        return LowerBound(-np.inf, np.inf, np.inf)
    support = np.flatnonzero(beta)
    if not len(support):
        fits = all(total == 0 for total in problem.totals)
        return LowerBound(0.0 if fits else -np.inf, 0.0, 0.0)
    part, own = _of_support(problem, support), beta[support]
    image = bounded_image(part, own)
    residual = part.p - image.values
    errors = image.errors + image.unit * np.abs(residual).astype(np.float64) + part.p_error * np.abs(part.p)
    found = dual_bound(part, own, part.lower, part.upper, residual, errors, image)
    if found is None:
        return LowerBound(-np.inf, float(image.square[0]), np.inf)
    return LowerBound(lower(found.value, found.error), float(image.square[0]), found.rounding)


def bound_by_length(problem: BoxQP, beta: np.ndarray, scale: np.ndarray, length: float) -> DualBound | None:
    """The dual objective at beta and its error, where of its weights v no more is known than ``|v| <= length``.

    `scale` is the length of every row of the matrix in feature space. None if beta breaks a constraint.
    """
    square = length * length * _ROOM
    if not square < np.inf:
        return None
    # |(K beta)_i| <= |phi_i| |v|: enough for what rounding left of the sum
    reach = scale[problem.rows_of(np.arange(problem.n))] * length + problem.p_error * np.abs(problem.p)
    image = Image(np.zeros(0), np.zeros(0), (square, 0.0), U)
    return dual_bound(problem, beta, problem.lower, problem.upper, problem.p, reach, image)


def scaled_bound(problem: BoxQP, beta: np.ndarray, below: LowerBound, share: float) -> tuple[np.ndarray, LowerBound]:
    """Multipliers ``share * beta`` and what they prove, by what is known of beta: no kernel value is computed."""
    scale, scaled = problem.gram.accuracy().scale, share * beta
    size = float(np.abs(beta) @ scale[problem.rows_of(np.arange(problem.n))])
    length = share * (np.sqrt(below.square + 2 * below.rounding) + 2 * U * size) * _ROOM  # products are rounded
    found = bound_by_length(problem, scaled, scale, float(length))
    if found is None:
        return scaled, LowerBound(-np.inf, np.inf, np.inf)
    return scaled, LowerBound(lower(found.value, found.error), float(length * length), found.error)


def evaluate_bracket(
    problem: BoxQP,
    coefficients: np.ndarray,
    beta: np.ndarray,
    intercepts: tuple[float, ...] | None = None,
    below: LowerBound | None = None,
) -> Evidence:
    """Primal objective of the machine with these coefficients (one a variable), dual objective of beta, and their gap.

    By default at the best intercepts. The violation is that of the conditions that join multipliers and decision
    values. `below` is what `lower_bound` or `sampled_lower_bound` has said of the same beta, if it was asked before.
    """
    image = bounded_image(problem, coefficients)
    if intercepts is not None and not np.isfinite(intercepts).all():
        intercepts = None
        image = replace(image, square=(np.inf, np.inf))
    below = lower_bound(problem, beta) if below is None else below
    used, top, rounding = upper_bound(problem, image, intercepts)
    values = np.asarray(image.values, dtype=np.float64)
    if np.isnan(top) or np.isnan(below.value):
        return Evidence(np.inf, -np.inf, np.inf, np.inf, np.inf, used, values)
    if below.confidence < 1 and below.value > top:  # the draw was one of the few that fail, and claims nothing
        below = LowerBound(-np.inf, np.inf, 0.0)
    gap = difference(top, below.value)
    violation = violation_at(problem, beta, problem.p - values, list(used))
    figures = top, below.value, gap, relative(gap, top, below.value), violation
    rounding = float(rounding + below.rounding)
    return Evidence(*figures, used, values, rounding=rounding, confidence=below.confidence)


def upper_bound(
    problem: BoxQP, image: Image, intercepts: tuple[float, ...] | None = None
) -> tuple[tuple[float, ...], float, float]:
    """Intercepts, the primal objective rounded up, and the room for rounding in it."""
    residual = problem.p - image.values
    errors = image.errors + image.unit * np.abs(residual).astype(np.float64) + problem.p_error * np.abs(problem.p)
    used, value, error = primal_bound(problem, residual, errors, image, intercepts)
    return tuple(used), upper(value, error), float(error)


def intercept_range(problem: BoxQP, coefficients: np.ndarray, values: np.ndarray, radius: float) -> tuple[float, float]:
    """An interval that holds every optimal intercept, if the optimal weights are within `radius` of the machine's.

    Residuals p - f of the optimum differ from the machine's, whose `values` are given, by at most the radius times the
    length of the row in feature space. The intercepts that minimise the loss move up when residuals do, so that those
    of the lowest residuals and those of the highest enclose them.
    """
    if not np.isfinite(radius):
        return -np.inf, np.inf
    variables = np.arange(problem.n)
    length = np.sqrt(np.maximum(problem.gram.diagonal(), 0.0)) * (1 + 1e-6)
    reach = radius * length + product_rounding(problem.gram, by_row(problem, coefficients))
    reach = reach[problem.rows_of(variables)]
    residual = problem.p - values
    reach = reach + 4 * U * (np.abs(problem.p) + np.abs(values)) + problem.p_error * np.abs(problem.p)
    low, high = (
        best_intercept(residual + side * reach, problem.lower, problem.upper, problem.totals[0], side)
        for side in (-1.0, 1.0)
    )
    return float(np.nextafter(low, -np.inf)), float(np.nextafter(high, np.inf))


def by_row(problem: BoxQP, coefficients: np.ndarray) -> np.ndarray:
    """Coefficients of the variables, added up by rows of the matrix."""
    return np.bincount(problem.rows_of(np.arange(problem.n)), weights=coefficients, minlength=problem.gram.shape[0])


def _of_support(problem: BoxQP, support: np.ndarray) -> BoxQP:
    """The problem of the variables that are not zero: the others add nothing to the dual objective."""
    rows, sample = problem.rows_of(support), None
    if problem.sample is not None:
        rows, sample = np.unique(rows, return_inverse=True)
    return BoxQP(
        problem.gram.restricted(rows),
        problem.p[support],
        problem.lower[support],
        problem.upper[support],
        problem.totals,
        None if problem.group is None else problem.group[support],
        sample,
        problem.p_error,
    )
