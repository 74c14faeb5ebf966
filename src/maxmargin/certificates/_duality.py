"""Both objectives and the gap between them, from the variables alone.

Nothing of a solver is used: neither its gradient nor its intercept nor its running objective. What is stated is an
interval that contains the optimum whatever rounding does: the primal objective is rounded up by a bound of its own
error, the dual objective down (see `maxmargin.certificates._rounding`). Three things besides the arithmetic need room:

- beta is feasible only to rounding. There is an exactly feasible point next to it: one variable of each group takes
  what is missing of the sum, and the bound is that point's objective.
- bounds C_i that are products of C and weights are rounded: `_BOX` of themselves.
- both objectives belong to the exact kernel, the computed values of which are off by what `Gram.accuracy` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..problems import BoxQP
from ._image import Image, bounded_image, extended_work
from ._rounding import Bounded, U, bounded_dot, bounded_sum, gamma, lower, upper

# C times the weights of sample and class, and totals that are nu times a sum of such: off by this fraction
_BOX = 6 * U
# Numbers of which partial sums are off by less than 64 roundings of the whole sum, added one after the other.
_FEW = 128
# Rounding that takes more than this share of the objective is worth a look in extended precision, ...
_NOTICEABLE, _LARGE = 1e-12, 1e-9
# ... where that takes up to so many operations: 1 ms in a fit, 20 ms if it is large, 50 ms where a proof is checked.
_EXTENDED_WORK, _MORE_WORK, _AUDIT_WORK = 3e5, 6e6, 2e7


@dataclass(frozen=True)
class Evidence:
    """Figures of one problem, recomputed. ``image`` is K beta, ``intercepts`` one b a group.

    ``rounding`` is the part of the gap that is room for rounding errors: no solver can make it smaller. ``confidence``
    is the probability with which dual <= optimum holds, 1 where it is proven. ``rough`` says which values of the image
    are float32's (`maxmargin.certificates._screened`), None if none is.
    """

    assumes: ClassVar[str] = ""  # beside what `definiteness` says

    primal: float
    dual: float
    gap: float
    relative_gap: float
    kkt_violation: float
    intercepts: tuple[float, ...]
    image: np.ndarray
    definiteness: str = "known"
    rounding: float = 0.0
    confidence: float = 1.0
    rough: np.ndarray | None = None


class DualBound(NamedTuple):
    """A dual objective, how far the exact optimum may at most be below it, and what of that is a matter of rounding."""

    value: float
    error: float
    rounding: float


def best_intercept(residual: np.ndarray, lower: np.ndarray, upper: np.ndarray, total: float, end: float = 0.0) -> float:
    """The b that minimises ``sum_i max(upper_i (residual_i - b), lower_i (residual_i - b)) + total b``.

    Convex and piecewise linear in b: sort the breakpoints and find where the slope changes its sign. Where the
    slope is zero on an interval (all multipliers at a bound), the middle of the interval, or one `end` of it: the lower
    one for -1, the upper one for 1.
    """
    order = np.argsort(residual, kind="stable")
    points, weight = residual[order], (upper - lower)[order]
    slope = _partial_sums(weight) + (total - upper.sum())  # slope just right of each breakpoint
    flat = 64 * np.finfo(np.float64).eps * max(float(weight.sum()), abs(total))
    last = len(points) - 1
    left = min(int(np.searchsorted(slope, -flat)), last)  # first breakpoint after which it no longer falls
    right = min(int(np.searchsorted(slope, flat, side="right")), last)  # first after which it rises
    return float(points[left] + (points[right] - points[left]) * (1 + end) / 2)


def _partial_sums(weight: np.ndarray) -> np.ndarray:
    """Partial sums of non-negative numbers, off by a few roundings of the whole sum however many there are.

    One after the other, 20,000 times 1e-5 is off by 1e-11 of itself: a slope of zero would not be seen as one.
    Multiples of 2**-52 of the whole sum add up without rounding, and what is left of the numbers is small.
    """
    whole = float(weight.sum())
    if len(weight) <= _FEW or not 0 < whole < np.inf:
        return np.cumsum(weight)
    unit = np.ldexp(1.0, max(int(np.frexp(whole)[1]) - 51, -1074))
    coarse = np.rint(weight / unit) * unit
    return np.cumsum(coarse) + np.cumsum(weight - coarse)


def kkt_violation(problem: BoxQP, beta: np.ndarray, residual: np.ndarray) -> float:
    """Largest violation of the optimality conditions: max over those that may rise minus min over those that may fall.

    The same figure as LIBSVM's m(alpha) - M(alpha), the meaning of scikit-learn's ``tol``.
    """
    worst = 0.0
    for g in range(len(problem.totals)):
        members = problem.members(g)
        b, r = beta[members], residual[members]
        may_rise, may_fall = r[b < problem.upper[members]], r[b > problem.lower[members]]
        if may_rise.size and may_fall.size:
            worst = max(worst, float(may_rise.max() - may_fall.min()))
    return worst


def violation_at(problem: BoxQP, beta: np.ndarray, residual: np.ndarray, intercepts: list[float]) -> float:
    """How far samples are from their conditions at given intercepts; never more than `kkt_violation` at the best."""
    worst = 0.0
    for g, b in enumerate(intercepts):
        members = problem.members(g)
        value, r = beta[members], residual[members] - b
        worst = max(worst, float(r[value < problem.upper[members]].max(initial=0.0)))
        worst = max(worst, float((-r[value > problem.lower[members]]).max(initial=0.0)))
    return worst


def relative(gap: float, primal: float, dual: float) -> float:
    """The gap as a fraction of the larger objective, however small that is; zero where there is none."""
    size = max(abs(primal), abs(dual))
    if not np.isfinite(gap):
        return np.inf
    return gap / size if size > 0 else 0.0


def difference(primal: float, dual: float) -> float:
    """``primal - dual``, rounded up."""
    gap = primal - dual
    return float(np.nextafter(gap, np.inf)) if 0 < gap < np.inf else gap if gap == 0 else np.inf


def is_feasible(problem: BoxQP, beta: np.ndarray) -> bool:
    """Whether beta is in the box and has the right sums; rounding errors of the sums are allowed, nothing else."""
    if not ((beta >= problem.lower) & (beta <= problem.upper)).all():
        return False
    for g, total in enumerate(problem.totals):
        value = beta[problem.members(g)]
        if abs(float(value.sum()) - total) > 1e-9 * max(float(np.abs(value).sum()), abs(total)):
            return False
    return True


def evaluate(
    problem: BoxQP,
    beta: np.ndarray,
    intercepts: tuple[float, ...] | None = None,
    *,
    audit: bool = False,
    wanted: float | None = None,
    image: Image | None = None,
) -> Evidence:
    """Primal, dual, gap and violation of a box QP at beta, whoever found it; by default at the best intercepts.

    An `audit` takes more time where that narrows the interval; `wanted` is the relative gap that was asked for. `image`
    is K beta with its errors, where it is known.
    """
    return _as_sharp_as_needed(_evaluate_soft, problem, beta, intercepts, audit, wanted, image)


def evaluate_hard_margin(
    problem: BoxQP,
    beta: np.ndarray,
    intercepts: tuple[float, ...] | None = None,
    *,
    audit: bool = False,
    wanted: float | None = None,
) -> Evidence:
    """The hard-margin machine at signed multipliers beta of a classifier's problem (its upper bounds ignored).

    The dual is sum |beta| - 1/2 ||w||^2. For the primal the direction w is scaled until the closest sample has
    margin 1, which makes it feasible: P = 1/2 ||w||^2 / m^2 with m the smallest margin.
    """
    return _as_sharp_as_needed(_evaluate_hard, problem, beta, intercepts, audit, wanted)


def _as_sharp_as_needed(how, problem, beta, intercepts, audit, wanted, image=None):  # type: ignore[no-untyped-def]
    """Float64, and extended precision where rounding would be seen and the problem is small enough."""
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, and proves nothing
        image = bounded_image(problem, beta) if image is None else image
        if intercepts is not None and not np.isfinite(intercepts).all():
            return _nothing_proven(image, np.inf, tuple(intercepts))
        evidence = how(problem, beta, intercepts, image)
        size = max(abs(evidence.primal), abs(evidence.dual), 1e-300)
        share = U if audit else _NOTICEABLE if wanted is None else min(_NOTICEABLE, wanted / 4)
        noticeable = not evidence.rounding <= share * size and evidence.kkt_violation < np.inf
        large = not evidence.rounding <= max(share, _LARGE) * size
        most = _AUDIT_WORK if audit else _MORE_WORK if large else _EXTENDED_WORK
        if noticeable and extended_work(problem, beta) <= most:
            sharp = how(problem, beta, intercepts, bounded_image(problem, beta, extended=True))
            if sharp.gap < evidence.gap:
                return sharp
        return evidence


def _nothing_proven(image: Image, primal: float, intercepts: tuple[float, ...]) -> Evidence:
    """Variables that break a constraint bound nothing from below."""
    values = np.asarray(image.values, dtype=np.float64)
    return Evidence(primal, -np.inf, np.inf, np.inf, np.inf, intercepts, values, rough=image.rough)


def _evaluate_soft(problem: BoxQP, beta: np.ndarray, intercepts: tuple[float, ...] | None, image: Image) -> Evidence:
    residual = problem.p - image.values
    errors = image.errors + image.unit * np.abs(residual).astype(np.float64) + problem.p_error * np.abs(problem.p)
    near = np.asarray(residual, dtype=np.float64)
    used, value, error = primal_bound(problem, residual, errors, image, intercepts)
    top = upper(value, error)
    found = dual_bound(problem, beta, problem.lower, problem.upper, residual, errors, image)
    if found is None or not ((beta >= problem.lower) & (beta <= problem.upper)).all():
        return _nothing_proven(image, top, tuple(used))
    violation = max(kkt_violation(problem, beta, near), violation_at(problem, beta, near, used))
    return _interval(top, lower(found.value, found.error), violation, used, image, error + found.rounding)


def primal_bound(
    problem: BoxQP, residual: np.ndarray, errors: np.ndarray, image: Image, intercepts: tuple[float, ...] | None
) -> tuple[list[float], float, float]:
    """Intercepts (the best ones, if none are given), the primal objective with them, and a bound of its error.

    `residual` is p less the decision values without intercept, off by at most `errors`; `image` has the square of w.
    """
    near = np.asarray(residual, dtype=np.float64)
    used, primal = [], [(image.square[0] / 2, image.square[1] / 2)]
    for g, total in enumerate(problem.totals):
        members = problem.members(g)
        low, high = problem.lower[members], problem.upper[members]
        b = best_intercept(near[members], low, high, total) if intercepts is None else intercepts[g]
        r = residual[members] - b
        e = errors[members] + image.unit * np.abs(r).astype(np.float64)
        primal.append(_bounded_losses(r, e, low, high))
        primal.append((total * b, 4 * _BOX * abs(total * b)))
        used.append(b)
    return used, *_sum(primal)


def _bounded_losses(r: np.ndarray, e: np.ndarray, low: np.ndarray, high: np.ndarray) -> Bounded:
    """``sum_i max(high_i r_i, low_i r_i)`` and how far the exact sum may at most be above it, r_i being off by e_i.

    A sample that is beyond its margin by more than its error has no loss at all, however large C may be: taken with
    the opposite end of each interval, such terms vanish, instead of C times their error.
    """
    value, error = bounded_sum(np.maximum(high * np.maximum(r, 0.0), -low * np.maximum(-r, 0.0)), _BOX + 2 * U)
    ends = np.maximum(high * np.maximum(r + e, 0.0), -low * np.maximum(e - r, 0.0))
    top, room = bounded_sum(ends, _BOX + 4 * U)
    return value, max(error, (float(top - value) + room) * (1 + 1e-9))


def _evaluate_hard(problem: BoxQP, beta: np.ndarray, intercepts: tuple[float, ...] | None, image: Image) -> Evidence:
    f, e = image.values, image.errors
    positive = problem.p > 0
    lowest, highest = f[positive].min(), f[~positive].max()
    b = float(-(lowest + highest) / 2) if intercepts is None else intercepts[0]
    signed = problem.p * (f + b)
    margins = signed.astype(np.float64)
    m = float((signed - (e + 4 * image.unit * (np.abs(f) + abs(b)))).min()) * (1 - 4 * U)
    square = upper(*image.square) / 2
    top = float(np.nextafter(square / m**2 * (1 + 8 * U), np.inf)) if m > 0 else np.inf
    infinite = np.full(problem.n, np.inf)
    low, high = np.where(positive, 0.0, -infinite), np.where(positive, infinite, 0.0)
    found = dual_bound(problem, beta, low, high, problem.p - f, e + image.unit * np.abs(f).astype(np.float64), image)
    if found is None or not (problem.p * beta >= 0).all():
        return _nothing_proven(image, top, (b,))
    support = beta != 0
    # samples off the margin boundary: too close for any sample, too far for one with a multiplier
    violation = max(0.0, float((1 - margins).max()), float((margins[support] - 1).max(initial=0.0)))
    exact = float(image.square[0]) / 2 / float(margins.min()) ** 2 if margins.min() > 0 else np.inf
    return _interval(top, lower(found.value, found.error), violation, [b], image, top - exact + found.rounding)


def _interval(
    primal: float, dual: float, violation: float, intercepts: list[float], image: Image, rounding: float
) -> Evidence:
    values = np.asarray(image.values, dtype=np.float64)
    if np.isnan(primal) or np.isnan(dual):
        return _nothing_proven(image, np.inf, tuple(intercepts))
    # weak duality: a lower bound above the upper one could only be an error of this library
    gap = difference(primal, dual)
    figures = primal, dual, gap, relative(gap, primal, dual), violation
    return Evidence(*figures, tuple(intercepts), values, rounding=float(rounding), rough=image.rough)


def dual_bound(
    problem: BoxQP,
    beta: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    residual: np.ndarray,
    errors: np.ndarray,
    image: Image,
) -> DualBound | None:
    """``p'beta - 1/2 beta'K beta`` and how far the exact dual optimum may at most be below it; None if infeasible.

    `residual` is p - K beta, off by at most `errors`.
    """
    linear = bounded_dot(problem.p, beta.astype(residual.dtype, copy=False))
    # shrunk by _BOX, beta is within the exact box; its linear term shrinks along
    shrunk = (_BOX + problem.p_error) * float(np.abs(problem.p * beta).sum()) * (1 + 1e-9)
    cost, reach = np.array([shrunk, shrunk]), np.zeros(2)  # of all that is missing, and of what rounding may have done
    for g, total in enumerate(problem.totals):
        members = np.arange(problem.n)[problem.members(g)]
        repair = _repair(problem, beta, low, high, residual, errors, members, total)
        if repair is None:
            return None
        share = np.array([1.0, repair[2]])
        cost, reach = cost + repair[0] * share, reach + repair[1] * share
    cost += reach * reach / 2
    value, error = _sum([linear, (-image.square[0] / 2, image.square[1] / 2)])
    off = (error + cost) * (1 + 1e-9)
    return DualBound(value, float(off[0]), float(off[1]))


def _repair(  # type: ignore[no-untyped-def]
    problem, beta, low, high, residual, errors, members, total
) -> tuple[float, float, float] | None:
    """What it costs one variable of a group to take what is missing of the sum, and how far that moves w.

    And the share of both that is a matter of rounding: what the variables themselves lack of the sum is none. The sign
    of what is missing may not be known: then a variable that may rise and one that may fall are needed.
    """
    value = beta[members]
    held, error = bounded_sum(value)
    missing = total - held
    rounded = error + 2 * _BOX * abs(total) + U * (abs(total) + abs(held))
    most = (abs(missing) + rounded) * (1 + 1e-9)
    room = abs(missing) <= 1e-9 * max(float(np.abs(value).sum()), abs(total))
    if not room:
        return None
    if most == 0:
        return 0.0, 0.0, 0.0
    worst = 0.0, 0.0
    certain = abs(missing) > most / 2
    for rises in (True, False):
        if certain and rises != (missing > 0):
            continue
        space = high[members] - value if rises else value - low[members]
        free = np.flatnonzero(space >= 2 * most)
        if not free.size:
            continue  # the sum is at the end of its range: the nearest feasible one is meant
        slope = np.abs(residual[members[free]]).astype(np.float64) + errors[members[free]]
        best = int(np.argmin(slope))
        j = problem.rows_of(members[free[best : best + 1]])
        length = float(np.sqrt(abs(problem.gram.block(j, j, np.float64)[0, 0]))) * (1 + 1e-6)
        worst = max(worst, (most * float(slope[best]), most * length))
    return *worst, rounded / most


def _sum(figures: list[Bounded]) -> Bounded:
    """A sum of a few bounded figures."""
    value = sum(v for v, _ in figures)
    size = sum(abs(float(v)) for v, _ in figures)
    unit = gamma(len(figures) + 1)
    return value, (sum(e for _, e in figures) + unit * size) * (1 + 1e-9)
