"""The problem of one C after the other on a matrix in memory, each started from the solution before."""

from __future__ import annotations

import numpy as np

from ...engine import jit
from ._array_loops import count_nonzero, support_of
from ._stored_residuals import BLUR, follow, refresh
from .stored_matrix import ROUNDS, improve

# Rounds and violation (times C, at least 1) of those who want rounding errors only
_POLISH_ROUNDS, _POLISHED = 5, 1e-12


@jit
def longest_useful(p, beta, r, epsilon, most):  # type: ignore[no-untyped-def]
    """The multiple of beta (1 to `most`) that has the best objective: a start for a larger C."""
    linear, quadratic = 0.0, 0.0
    for k in range(beta.shape[0]):
        linear += p[k] * beta[k] - epsilon * abs(beta[k])
        quadratic += beta[k] * (p[k] - r[k])
    return min(max(linear / quadratic, 1.0), most) if quadratic > 0 else most


@jit
def _start(exact, coarse, p, beta, r, tolerance):  # type: ignore[no-untyped-def]
    """Write ``r = p - K beta``; returns how far it may be off."""
    for k in range(p.shape[0]):
        r[k] = p[k]
    support, value = support_of(beta)
    return follow(exact, coarse, support, value, r, 0.0, tolerance)


@jit
def _widen(p, low, high, before, C, epsilon, beta, lower, upper, r):  # type: ignore[no-untyped-def]
    """Write the box of C and make `beta`, the solution for the C before (0: none), and r a start in it.

    Returns the multiple of beta that it is, which is also how much farther r may be off.
    """
    n, factor = p.shape[0], 1.0
    for k in range(n):
        lower[k], upper[k] = C * low[k], C * high[k]
    if before > 0 and count_nonzero(beta):
        factor = longest_useful(p, beta, r, epsilon, C / before)
        for k in range(n):
            if factor == C / before and beta[k] == before * high[k]:
                beta[k] = upper[k]
            elif factor == C / before and beta[k] == before * low[k]:
                beta[k] = lower[k]
            else:
                beta[k] = min(max(factor * beta[k], lower[k]), upper[k])
            r[k] = p[k] - factor * (p[k] - r[k])
    return factor


def solve_path(
    exact: np.ndarray,
    coarse: np.ndarray,
    p: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    Cs: np.ndarray,
    epsilon: float,
    tolerance: float,
    budget: int,
    beta: np.ndarray,
    stop: np.ndarray,
    polish: bool,
    betas: np.ndarray,
    steps: np.ndarray,
) -> int:
    """Solve for each C in ascending order, the box being ``C * low`` to ``C * high``; each from the one before.

    `beta` is the start, feasible for the first C; it is overwritten. The solutions go to the rows of `betas`. Returns
    how many were done: all, unless ``stop[0]`` was set.
    """
    r, lower, upper = (np.empty(len(p)) for _ in range(3))
    error, before = _start(exact, coarse, p, beta, r, tolerance), 0.0
    for c, C in enumerate(Cs.tolist()):
        error *= _widen(p, low, high, before, C, epsilon, beta, lower, upper, r)
        if error > BLUR * tolerance:
            refresh(exact, p, beta, r)
            error = 0.0
        rest = beta, lower, upper, r
        done, _, error = improve(exact, coarse, *rest, error, epsilon, tolerance, budget, stop, ROUNDS)
        if polish:
            aim = _POLISHED * max(1.0, C)
            more, _, _ = improve(exact, coarse, *rest, np.inf, epsilon, aim, budget - done, stop, _POLISH_ROUNDS)
            done += more
            refresh(exact, p, beta, r)
            error = 0.0
        if stop[0]:
            return c
        steps[c] = done
        betas[c] = beta
        before = C
    return len(Cs)
