"""From a fitted classifier and its training data to what is known of its leave-one-out error."""

from __future__ import annotations

import numpy as np

from ..bounds import LeaveOneOut, left_out_signs, squared_spans, xi_alpha_errors
from ..certificates import best_intercept
from ..kernels import Gram, MatrixGram
from ..problems import BoxQP
from ._one_vs_one import Pair

_MOST_AT_HAND = 3000
_SPAN_BYTES = 2**29
_BLOCK_BYTES = 2**26


def leave_one_out(problems: list[tuple[Pair, BoxQP, np.ndarray]], label: np.ndarray, definite: bool) -> LeaveOneOut:
    """Combine the binary problems of a model.

    If a sample of class c is classified rightly without it in each problem that c is part of, so it is by the model:
    one-vs-one gives c a vote from each of its k - 1 pairs, and no other class can have as many, having lost to c;
    one-vs-rest gives c the only positive value. If it is wrong in all of them, c has no vote (or a negative value where
    others are positive), and the model is wrong. Everything between counts for `bound` and not for `lower`.
    """
    n = len(label)
    takes_part = np.zeros(n, dtype=bool)
    some = {name: np.zeros(n, dtype=bool) for name in ("bound", "xi_alpha", "support", "span")}
    certain, has_span = np.ones(n, dtype=bool), True
    for pair, problem, beta in problems:
        rows = pair.rows
        takes_part[rows] = True
        signs = left_out_signs(problem, beta)
        some["bound"][rows] |= signs != 1
        certain[rows] &= signs == -1
        margin = problem.p * (problem.image(beta) + _intercept(problem, beta))
        some["support"][rows] |= beta != 0
        some["xi_alpha"][rows] |= _xi_alpha(problem, beta, margin)
        span = _span(problem, beta, margin)
        has_span &= span is not None
        some["span"][rows] |= np.zeros(len(rows), dtype=bool) if span is None else span
    alone = takes_part & (np.bincount(label[takes_part], minlength=label.max() + 1)[label] == 1)
    for counted in some.values():
        counted |= alone
    errors = {**some, "lower": (certain & takes_part) | alone}
    return LeaveOneOut.of(errors, int(takes_part.sum()), definite, has_span)


def at_hand(gram: Gram) -> Gram:
    """A small matrix as a whole: its columns are asked for one sample at a time."""
    return MatrixGram.of(gram) if gram.shape[0] <= _MOST_AT_HAND else gram


def _intercept(problem: BoxQP, beta: np.ndarray) -> float:
    residual = problem.p - problem.image(beta)
    if np.isfinite(problem.upper - problem.lower).all():
        return best_intercept(residual, problem.lower, problem.upper, 0.0)
    positive = problem.p > 0
    return -float((problem.p - residual)[positive].min() + (problem.p - residual)[~positive].max()) / 2


def _xi_alpha(problem: BoxQP, beta: np.ndarray, margin: np.ndarray) -> np.ndarray:
    radius = max(_radius(problem, np.flatnonzero(beta)), np.finfo(np.float64).tiny)
    return xi_alpha_errors(np.abs(beta), np.maximum(1 - margin, 0.0), radius)


def _radius(problem: BoxQP, support: np.ndarray) -> float:
    """The largest ``k(x, x) - k(x, z)`` of a support vector and a sample, in either order."""
    largest, diagonal = 0.0, problem.gram.diagonal()
    step = max(1, _BLOCK_BYTES // (8 * problem.n))
    for begin in range(0, len(support), step):
        part = support[begin : begin + step]
        K = problem.gram.block(np.arange(problem.n), part, np.float64)
        largest = max(largest, float((np.maximum(diagonal[:, None], diagonal[part]) - K).max()))
    return largest


def _span(problem: BoxQP, beta: np.ndarray, margin: np.ndarray) -> np.ndarray | None:
    """Samples that the span rule counts; None where it does not apply."""
    support = np.flatnonzero(beta)
    free = np.flatnonzero((beta[support] > problem.lower[support]) & (beta[support] < problem.upper[support]))
    if len(free) == 0 or 8 * len(free) * (len(support) + len(free)) > _SPAN_BYTES:
        return None
    cross = problem.gram.block(support, support[free], np.float64)
    spans = squared_spans(cross, free, problem.gram.diagonal()[support])
    errors = np.zeros(problem.n, dtype=bool)
    errors[support] = margin[support] <= np.abs(beta[support]) * spans
    return errors
