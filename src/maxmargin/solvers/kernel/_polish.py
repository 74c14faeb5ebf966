"""From a good answer to an exact one: Newton steps on the free variables of a small problem.

At the optimum r = p - K beta is the same number b for all free variables of a group. With the set F of free variables
fixed that is a linear system,

    K_FF d + A' b = r_F,   A d = 0        (A: the groups),

whose solution is exact to rounding. A step that would leave the box stops at the first bound; SMO steps then correct
the set. A problem of a few hundred samples gains ten digits for the time of a few hundred SMO steps.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dposv

from ...certificates import kkt_violation
from ...kernels import MatrixGram
from ...problems import BoxQP
from ._smo import smo

_MOST_FREE = 400  # a Cholesky factorisation of 400 takes about a millisecond
_MOST_FREE_ALONE, _MOST_FLAT_ALONE = 1200, 800  # where it is all that is left to do: 0.03 and 0.2 s
_MOST_FLAT = 150  # the eigenvalues of 150 take about as long
_ROUNDS = 30


def polish(problem: BoxQP, beta: np.ndarray) -> np.ndarray:
    """The same problem's optimum to rounding where the free variables are few; else `beta` unchanged.

    The result is never worse: it is kept only if its largest violation is smaller.
    """
    order = problem.by_group()
    lower, upper, p = problem.lower[order], problem.upper[order], problem.p[order]
    if not _has_newton_step(beta[order], lower, upper):
        return beta
    K, ends = problem.matrix(order, np.float64), problem.group_ends(order)
    exact = 1e-13 * max(1.0, float(np.abs(p).max()))
    best = value = beta[order]
    r = p - K @ value
    best_violation = _violation(value, lower, upper, r, ends)
    for _ in range(_ROUNDS):
        if not _has_newton_step(value, lower, upper):
            break
        free = np.flatnonzero((value > lower) & (value < upper))
        group = np.searchsorted(ends, free, side="right")
        moved = _newton(K[free[:, None], free], free, group, r, lower, upper, value)
        if moved is None:
            break
        value, full_step = moved
        r = p - K @ value
        violation = _violation(value, lower, upper, r, ends)
        progress = violation < best_violation / 2
        if violation < best_violation:
            best, best_violation = value, violation
        if full_step and violation <= exact:
            break
        if full_step and not progress:  # the set of free variables is wrong: let SMO change it
            value = value.copy()
            smo(K, value, lower, upper, r, ends, exact, 8, 0.0)
    result = np.empty(problem.n)
    result[order] = best
    return result


def polish_support(problem: BoxQP, beta: np.ndarray) -> np.ndarray:
    """`polish` on the non-zero variables alone, which needs only their part of K."""
    if isinstance(problem.gram, MatrixGram) and problem.gram.shape[0] == len(problem.gram.matrix):
        return polish(problem, beta)
    support = np.flatnonzero(beta)
    if not _has_newton_step(beta[support], problem.lower[support], problem.upper[support]):
        return beta
    rows = problem.rows_of(support)
    part = BoxQP(
        MatrixGram(problem.gram.block(rows, rows, np.float64), symmetric=True),
        problem.p[support],
        problem.lower[support],
        problem.upper[support],
        problem.totals,
        None if problem.group is None else problem.group[support],
    )
    result = beta.copy()
    result[support] = polish(part, beta[support])
    return result


def polish_free(problem: BoxQP, beta: np.ndarray) -> np.ndarray:
    """Newton steps that need K between the free variables alone, from a point whose set of them is nearly right.

    A step that meets a bound leaves its variable there. The result is never worse: the smallest violation wins.
    """
    group = np.zeros(problem.n, dtype=np.int8) if problem.group is None else problem.group
    lower, upper = problem.lower, problem.upper
    best, best_violation, value, full_step = beta, np.inf, beta, False
    for _ in range(_ROUNDS):
        r = problem.p - problem.image(value)
        violation = kkt_violation(problem, value, r)
        if violation >= best_violation / 2 and full_step:
            break
        if violation < best_violation:
            best, best_violation = value, violation
        free = np.flatnonzero((value > lower) & (value < upper))
        if not 2 <= len(free) <= _MOST_FREE_ALONE:
            break
        rows = problem.rows_of(free)
        K_free = problem.gram.block(rows, rows, np.float64)
        moved = _newton(K_free, free, group[free], r, lower, upper, value, _MOST_FLAT_ALONE)
        if moved is None:
            break
        value, full_step = moved
    return best


def _has_newton_step(beta: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> bool:
    return 2 <= int(np.count_nonzero((beta > lower) & (beta < upper))) <= _MOST_FREE


def _violation(beta: np.ndarray, lower: np.ndarray, upper: np.ndarray, r: np.ndarray, ends: np.ndarray) -> float:
    high, low = np.where(beta < upper, r, -np.inf), np.where(beta > lower, r, np.inf)
    worst, begin = 0.0, 0
    for end in ends:
        if end > begin:
            worst = max(worst, float(high[begin:end].max() - low[begin:end].min()))
        begin = end
    return worst


def _newton(
    K_free: np.ndarray,
    free: np.ndarray,
    group: np.ndarray,
    r: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    beta: np.ndarray,
    most_flat: int = _MOST_FLAT,
) -> tuple[np.ndarray, bool] | None:
    """One Newton step on the free variables, shortened to stay in the box: (new beta, whether it was a full step)."""
    A = [group == g for g in np.unique(group)]
    d = definite_step(K_free, r[free], A)
    if d is None and len(free) <= most_flat:
        d = _shortest_step(K_free, r[free], A)
    if d is None:
        return None
    for a in A:  # the sums are constraints: what rounding left over goes back
        d[a] -= d[a].mean()
    if not np.isfinite(d).all():
        return None
    bound = np.where(d > 0, upper[free], lower[free])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        room = np.where(d != 0, (bound - beta[free]) / d, np.inf)
    fraction = min(1.0, float(room.min()))
    new = beta.copy()
    new[free] = np.clip(beta[free] + fraction * d, lower[free], upper[free])
    if fraction < 1.0:
        hit = room <= fraction
        new[free[hit]] = bound[hit]
    return new, fraction == 1.0


def definite_step(K_free: np.ndarray, r: np.ndarray, A: list[np.ndarray]) -> np.ndarray | None:
    """The step by Cholesky's factor; None if K_FF is singular to rounding (duplicates, low rank) or indefinite."""
    factor, solved, info = dposv(K_free, np.array([r, *A], dtype=np.float64).T, lower=1)
    pivots = np.diagonal(factor)
    if info != 0 or pivots.min() < 1e-5 * pivots.max():
        return None
    sums = np.array([solved[a].sum(axis=0) for a in A])  # A K^-1 [r, A']
    return solved[:, 0] - solved[:, 1:] @ np.linalg.solve(sums[:, 1:], sums[:, 0])


def _shortest_step(K_free: np.ndarray, r: np.ndarray, A: list[np.ndarray]) -> np.ndarray | None:
    """The shortest step where there are flat directions: along those it does not move at all."""
    P = np.eye(len(r))
    for a in A:
        P[np.ix_(a, a)] -= 1 / a.sum()
    values, vectors = np.linalg.eigh(P @ K_free @ P)
    if values[0] < -1e-9 * abs(values[-1]):  # an indefinite kernel: there is no Newton step to take
        return None
    steep = values > 1e-11 * values[-1]
    V = vectors[:, steep]
    return V @ ((V.T @ (P @ r)) / values[steep])
