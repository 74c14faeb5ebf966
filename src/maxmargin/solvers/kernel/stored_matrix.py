"""Working sets on a matrix that is in memory: for the many, small, related problems of a search.

Each round takes all free variables and the worst violators, solves the small problem on them by SMO in float32, and
where SMO crawls along a flat valley goes to its floor by Newton's step on the free variables. Then r = p - K beta of
all samples is corrected from whole rows of the matrix: those that take no part (the test rows of a fold) are carried
along with a box of no width, so that all folds share one matrix and r gives the decision values of the rows left out.

Problems have one variable a sample, one group of total 0, and `epsilon` (0 for a classifier), see
`maxmargin.solvers.smo`. The violation that is returned is a claim; `maxmargin.certificates` proves or refutes it.
"""

from __future__ import annotations

import numpy as np

from ...engine import jit, jit_inner, select
from ._array_loops import all_of, centred, copy, count_nonzero, one_group, put, take, total_of
from ._face_newton import minimise_on_face
from ._smo import smo
from ._stored_residuals import follow, subtract_rows

# Free variables up to which a factor costs less than the SMO steps that it saves. magic04, 2400 rows, all cells of a
# 10 x 10 grid: 5.6 s with 450, 3.5 with 600, 3.6 with 700, 4.4 with 900.
_MOST_FREE = 600
# Violators beside the free variables: at least, and at most
_FEW, _MANY = 150, 300
_INNER_ROUNDS = 30
ROUNDS = 1000
_PATIENCE = 40  # rounds in which the violation has to halve: beyond that it is rounding errors that move
# Rounds and violation (times C, at least 1) of those who want rounding errors only
_POLISH_ROUNDS, _POLISHED = 5, 1e-12
# float32 values are off by this much; where that could be seen, float64 rows are read (twice the memory traffic)
_COARSE = 1e-7
_BLUR = 1 / 50  # what they may add up to, in tolerances


@jit_inner
def is_free(value, lower, upper, epsilon):  # type: ignore[no-untyped-def]
    """Whether a variable is off its bounds and off the kink at 0."""
    return lower < value < upper and not (epsilon > 0 and value == 0)


@jit_inner
def slope_up(r, value, epsilon):  # type: ignore[no-untyped-def]
    """What a small rise gains."""
    return r - epsilon if value >= 0 else r + epsilon


@jit_inner
def slope_down(r, value, epsilon):  # type: ignore[no-untyped-def]
    """What a small fall loses."""
    return r - epsilon if value > 0 else r + epsilon


@jit_inner
def _survey(r, beta, lower, upper, epsilon):  # type: ignore[no-untyped-def]
    """Highest slope of those that may rise, lowest of those that may fall, and the number of free variables."""
    highest, lowest, free = -np.inf, np.inf, 0
    for k in range(beta.shape[0]):
        if beta[k] < upper[k]:
            highest = max(highest, slope_up(np.float64(r[k]), beta[k], epsilon))
        if beta[k] > lower[k]:
            lowest = min(lowest, slope_down(np.float64(r[k]), beta[k], epsilon))
        if is_free(beta[k], lower[k], upper[k], epsilon):
            free += 1
    return highest, lowest, free


@jit_inner
def _working_set(r, beta, lower, upper, epsilon, highest, lowest, free):  # type: ignore[no-untyped-def]
    """All free variables and the worst of the others, in ascending order."""
    n = beta.shape[0]
    keys, candidates = np.empty(n), 0
    for k in range(n):
        key = 0.0
        if is_free(beta[k], lower[k], upper[k], epsilon):
            key = np.inf
        else:
            if beta[k] < upper[k]:
                key = max(key, slope_up(r[k], beta[k], epsilon) - lowest)
            if beta[k] > lower[k]:
                key = max(key, highest - slope_down(r[k], beta[k], epsilon))
        keys[k] = key
        candidates += key > 0
    wanted = min(candidates, free + max(_FEW, min(free // 2, _MANY)))
    limit = 0.0
    if wanted < candidates:
        limit = select(copy(keys), n - wanted)
    chosen, count = np.empty(n, np.int64), 0
    for k in range(n):
        if keys[k] > 0 and keys[k] >= limit:
            chosen[count] = k
            count += 1
    return chosen[:count]


@jit
def restore_sum(x, total, low, high):  # type: ignore[no-untyped-def]
    """Hand what the sum of x has lost to rounding back to variables that have room for it.

    A linear kernel makes K_FF singular, z and e of a size of 1e10, and their difference off by 1e-6.
    """
    for _ in range(3):
        inside = 0
        for a in range(x.shape[0]):
            inside += low[a] < x[a] < high[a]
        missing = total - total_of(x)
        if missing == 0 or inside == 0:
            return
        for a in range(x.shape[0]):
            if low[a] < x[a] < high[a]:
                x[a] = min(max(x[a] + missing / inside, low[a]), high[a])


@jit_inner
def _to_the_floor(exact, chosen, block, beta, lower, upper, r, epsilon):  # type: ignore[no-untyped-def]
    """Newton's step on the free variables of the block; `r` (float32) follows. False if it was of no use."""
    q, f = beta.shape[0], 0
    free = np.empty(q, np.int64)
    for k in range(q):
        if is_free(beta[k], lower[k], upper[k], epsilon):
            free[f] = k
            f += 1
    if f < 2:
        return False
    free = free[:f]
    x, slope, low, high = np.empty(f), np.empty(f), np.empty(f), np.empty(f)
    for a in range(f):
        k = free[a]
        x[a], slope[a] = beta[k], slope_down(np.float64(r[k]), beta[k], epsilon)
        low[a] = 0.0 if epsilon > 0 and x[a] > 0 else lower[k]
        high[a] = 0.0 if epsilon > 0 and x[a] < 0 else upper[k]
    total = total_of(x)
    if not minimise_on_face(exact, take(chosen, free), x, slope, low, high):
        return False
    restore_sum(x, total, low, high)
    step = np.empty(f)
    for a in range(f):
        step[a] = x[a] - beta[free[a]]
    after = np.empty(q)
    for k in range(q):
        after[k] = r[k]
    subtract_rows(block, free, step, after)
    gain = 0.0
    for a in range(f):
        gain += step[a] * (slope[a] + slope[a] - r[free[a]] + after[free[a]])
    if not gain > 0:  # rounding errors of a hopeless factor: SMO goes on alone
        return False
    for a in range(f):
        beta[free[a]] = x[a]
    for k in range(q):
        r[k] = after[k]
    return True


@jit_inner
def _solve_block(exact, coarse, chosen, beta, lower, upper, r, epsilon, target, budget):  # type: ignore[no-untyped-def]
    """The problem on some variables, in place; `r` is float32 and relative to any constant. Returns the steps."""
    q = chosen.shape[0]
    block = np.empty((q, q), coarse.dtype)
    for a in range(q):
        row = coarse[chosen[a]]
        for c in range(q):
            block[a, c] = row[chosen[c]]
    ends = one_group(q)
    newton, steps = True, 0
    for _ in range(_INNER_ROUNDS):
        _, _, free = _survey(r, beta, lower, upper, epsilon)
        newton = newton and free <= _MOST_FREE
        limit = min(budget - steps, max(200, q) if newton else 20 * q)
        taken, violation = smo(block, beta, lower, upper, r, ends, target, limit, epsilon)
        steps += taken
        if violation <= target or steps >= budget or taken == 0:
            break
        if newton:
            newton = _to_the_floor(exact, chosen, block, beta, lower, upper, r, epsilon)
    return steps


@jit
def improve(exact, coarse, beta, lower, upper, r, error, epsilon, tolerance, budget, stop, rounds):  # type: ignore[no-untyped-def]
    """Minimise in place until the violation is at most `tolerance`; `r` (float64) follows beta.

    Returns the SMO steps, the violation as the solver sees it, and how far r may be off (`error` at the start). Ends
    early when the budget of steps is spent, when float32 can do no better, or when ``stop[0]`` is set.
    """
    n, steps = beta.shape[0], 0
    best, since, violation = np.inf, 0, np.inf
    everything = all_of(n)
    for _ in range(rounds):
        highest, lowest, free = _survey(r, beta, lower, upper, epsilon)
        violation = highest - lowest
        since = 0 if violation < best / 2 else since + 1
        best = min(best, violation)
        if violation <= tolerance or steps >= budget or stop[0] or since > _PATIENCE:
            break
        target = coarse.dtype.type(max(tolerance / 2, violation / 10))
        # nearly all move: a block would be a copy of the matrix, which is worth it where Newton's step can be taken
        # (SVRCV of 600 rows: 1.63 s by SMO alone, 0.68 so; SVCCV of breast cancer, 569 rows: 0.59 and 0.18)
        whole = (2 * free > n and free > _MOST_FREE) or count_nonzero(beta) == 0
        chosen = everything if whole else _working_set(r, beta, lower, upper, epsilon, highest, lowest, free)
        part, low, high = take(beta, chosen), take(lower, chosen), take(upper, chosen)
        near = centred(r, chosen, (highest + lowest) / 2, coarse)
        if whole:
            limit = min(20 * n, budget - steps)
            taken, _ = smo(coarse, part, low, high, near, one_group(n), target, limit, epsilon)
        else:
            taken = _solve_block(exact, coarse, chosen, part, low, high, near, epsilon, target, budget - steps)
        moved, step = put(part, chosen, beta)
        error = follow(exact, coarse, moved, step, r, error, tolerance)
        steps += taken
        if moved.shape[0] == 0:
            break
    return steps, violation, error
