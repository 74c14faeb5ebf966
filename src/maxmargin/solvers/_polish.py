"""From a good answer to an exact one: Newton steps on the free variables of a small problem.

At the optimum r = p - K beta is the same number b for all free variables of a group. With the set F of free variables
fixed that is a linear system,

    K_FF d + A' b = r_F,   A d = 0        (A: the groups),

whose solution is exact to rounding. A step that would leave the box stops at the first bound; SMO steps then correct
the set. A problem of a thousand samples gains six to eight digits for the time of a few hundred SMO steps.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..certificates import kkt_violation
from ..problems import BoxQP
from ._smo import smo

_MOST_FREE = 400  # a Cholesky factorisation of 400 takes about a millisecond
_ROUNDS = 30


def polish(problem: BoxQP, beta: np.ndarray) -> np.ndarray:
    """The same problem's optimum to rounding where the free variables are few; else `beta` unchanged.

    The result is never worse: it is kept only if its largest violation is smaller.
    """
    order = np.arange(problem.n) if problem.group is None else np.argsort(problem.group, kind="stable")
    groups = np.zeros(problem.n, dtype=np.int8) if problem.group is None else problem.group
    ends = np.searchsorted(groups[order], np.arange(len(problem.totals)), side="right")
    rows = problem.rows_of(order)
    K = problem.gram.block(rows, rows, np.float64)
    lower, upper, p, group = problem.lower[order], problem.upper[order], problem.p[order], groups[order]
    exact = 1e-13 * max(1.0, float(np.abs(p).max()))
    best = value = beta[order]
    best_violation = _violation(problem, order, best, p - K @ best)
    for _ in range(_ROUNDS):
        moved = _newton(K, p, lower, upper, group, value)
        if moved is None:
            break
        value, full_step = moved
        r = p - K @ value
        violation = _violation(problem, order, value, r)
        if violation < best_violation:
            best, best_violation = value, violation
        if full_step and violation <= exact:
            break
        if full_step:  # the set of free variables is wrong: let SMO change it
            value = value.copy()
            smo(K, value, lower, upper, r, ends, exact, 8)
    result = np.empty(problem.n)
    result[order] = best
    return result


def _violation(problem: BoxQP, order: np.ndarray, value: np.ndarray, r: np.ndarray) -> float:
    beta, residual = np.empty(problem.n), np.empty(problem.n)
    beta[order], residual[order] = value, r
    return kkt_violation(problem, beta, residual)


def _newton(
    K: np.ndarray, p: np.ndarray, lower: np.ndarray, upper: np.ndarray, group: np.ndarray, beta: np.ndarray
) -> tuple[np.ndarray, bool] | None:
    """One Newton step on the free variables, shortened to stay in the box: (new beta, whether it was a full step)."""
    free = np.flatnonzero((beta > lower) & (beta < upper))
    if not 2 <= len(free) <= _MOST_FREE:
        return None
    K_free = K[np.ix_(free, free)]
    r = p[free] - K[free] @ beta
    used = np.unique(group[free])
    A = (group[free] == used[:, None]).astype(np.float64)
    # Duplicates and low-rank kernels make K_FF singular; the ridge keeps the factor and costs one more step at most.
    K_free[np.diag_indices(len(free))] += 1e-13 * max(float(np.trace(K_free)) / len(free), 1e-300)
    try:
        factor = cho_factor(K_free, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:  # an indefinite kernel: there is no Newton step to take
        return None
    solved = cho_solve(factor, np.column_stack([r, A.T]), check_finite=False)
    b = np.linalg.lstsq(A @ solved[:, 1:], A @ solved[:, 0], rcond=None)[0]
    d = solved[:, 0] - solved[:, 1:] @ b
    if not np.isfinite(d).all():
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(d > 0, (upper[free] - beta[free]) / d, np.where(d < 0, (lower[free] - beta[free]) / d, np.inf))
    fraction = min(1.0, float(room.min()))
    new = beta.copy()
    new[free] = np.clip(beta[free] + fraction * d, lower[free], upper[free])
    if fraction < 1.0:
        hit = free[room <= fraction]
        new[hit] = np.where(d[room <= fraction] > 0, upper[hit], lower[hit])
    return new, fraction == 1.0
