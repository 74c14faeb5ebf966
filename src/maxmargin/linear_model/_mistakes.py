"""Radius, margin and mistake bound of a perceptron's run, recomputed from its separator and the rows.

Everything is measured where the perceptron walks: over x~ = (x, 1) with an intercept, over x - m with centred data,
each row times the weight of its class. A plane *through the origin* of that space is what the theorem is about, so that
its largest margin is the distance of the origin from the convex hull of all c_i y_i x~_i, and not the margin of a
machine with a free intercept, which is larger.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..certificates import Guarantee, Status, rounded_down, rounded_up
from ..data import Rows
from ..kernels import make_kernel
from ..messages import counted
from ..problems import BoxQP, Separation
from ..solvers import mistake_bound, solve_certified

# Up to so many rows and values the largest margin is computed; beyond, that of the separator found has to do.
_ROWS = 2000
_VALUES = 10_000_000
# Relative distance of its two bounds, and steps a row that it may take.
_APART = 0.02
_STEPS = 50
# Rows shorter than this, or longer than its inverse, are scaled: the squares of their squares would leave float64.
_SMALLEST = 1e-60


def largest_margin(problem: Separation) -> tuple[float, float] | None:
    """Bounds of the largest margin from both sides, a few per cent apart, or None for data too large to ask.

    ``w = sum_i beta_i z_i`` with convex weights beta: its own margin is a lower bound, its length an upper one.
    """
    n, d = problem.rows.n, problem.rows.d
    if n > _ROWS or n * d > _VALUES:
        return None
    longest = float(problem.lengths().max())
    unit = 1.0 if _SMALLEST < longest < 1 / _SMALLEST or longest == 0 else 2.0 ** math.frexp(longest)[1]
    signed, longest = _signed_rows(problem) / unit, longest / unit
    hull = BoxQP.one_class(make_kernel("linear", 0.0, 0.0, 1).gram(Rows(signed)), np.ones(n), 1 / n)
    beta, left, best = None, _STEPS * n, None
    while left > 0:
        # a violation v leaves the two at least so close: lower >= upper - v / upper
        target = _APART * (best[1] if best else longest) ** 2
        solution = solve_certified(hull, beta, target, budget=left)
        beta, left = solution.variables, left - max(1, solution.iterations)
        w = np.asarray(signed.T @ beta).ravel()
        length = float(np.linalg.norm(w))
        if length == 0:
            return None
        best = float((signed @ w).min()) / length, length
        if best[0] >= (1 - 2 * _APART) * best[1] or solution.status is not Status.CONVERGED:
            break
    return best and (best[0] * unit, best[1] * unit)


def _signed_rows(problem: Separation) -> Any:
    """All c_i y_i x~_i, which a plane through the origin has on one side."""
    X = problem.rows.take(np.arange(problem.rows.n))
    if problem.shift is not None:
        X = X.toarray() - problem.shift
    factor = (problem.weight * problem.y)[:, None]
    if sp.issparse(X):
        parts = [sp.csr_array(X.multiply(factor)), sp.csr_array(factor)]
        return sp.hstack(parts[: 1 + problem.fit_intercept], format="csr")
    return np.hstack([factor * X, factor][: 1 + problem.fit_intercept])


@dataclass(frozen=True)
class RunRecord:
    """What a run says of itself: its mistakes and epochs, the length of its start, how it ended, its name."""

    mistakes: int
    epochs: int
    start: float
    status: Status
    variant: str
    eta: float
    label: str = ""
    seconds: float = 0.0


def mistake_guarantee(problem: Separation, theta: np.ndarray, kept: np.ndarray, record: RunRecord) -> Guarantee:
    """The bound, if the last iterate `theta` separates the rows; else a statement that there is none.

    `kept` are the weights that predictions are made with: the same, or the mean of all iterates.
    """
    margin = problem.margin(theta)
    figures = {"mistakes": float(record.mistakes), "bound": math.inf, "training errors": float(problem.errors(kept))}
    figures["width"] = problem.width(kept)
    if not margin > 0:
        words = (
            f"{counted(record.mistakes, 'mistake')} in {counted(record.epochs, 'epoch')} ({record.status}), and "
            f"the weights do not separate the rows: no bound."
        )
        return _guarantee(record, figures, words, False)
    radius = float(problem.lengths().max())
    source, best = "the separator found", largest_margin(problem)
    figures |= {"radius": radius, "margin found": margin}
    if best is not None:
        figures["largest margin at most"] = max(best[1], margin)
        if best[0] >= margin * (1 - 1e-9):  # it may have ended early; what it found is a plane like any other
            margin, source = max(best[0], margin), "the hard-margin machine"
    figures["margin"] = margin
    # rounding must not make a radius smaller than a distance within it (a single row)
    bound = mistake_bound(record.variant, max(radius, margin), margin, record.eta, record.start)
    figures["bound"] = bound
    words = f"{counted(record.mistakes, 'mistake')}, with rows of length at most {rounded_up(radius, 4)} and "
    words += f"the margin {rounded_down(margin, 4)} of {source}: "
    if not math.isfinite(bound):
        apart = (radius - margin) * (radius + margin)
        limit = 2 * margin / apart if apart > 0 else math.inf
        if record.variant == "normalised" and record.eta >= limit:
            words += (
                f"normalised weights have a bound only for eta0 < 2 gamma / (R^2 - gamma^2) = {rounded_down(limit, 2)}."
            )
        else:
            words += "the bound on the mistakes is more than float64 holds."
        return _guarantee(record, figures, words, False)
    holds = record.mistakes <= bound * (1 + 1e-9)
    words += f"there can be no more than {math.floor(bound * (1 + 1e-9))}{'' if holds else ', and yet there were'}."
    return _guarantee(record, figures, words, holds)


def _guarantee(record: RunRecord, figures: dict[str, float], words: str, holds: bool) -> Guarantee:
    return Guarantee("mistake bound", figures, words, holds, record.status, record.epochs, record.seconds, record.label)
