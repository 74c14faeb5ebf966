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
from ._face_newton import minimise_on_face
from ._smo import smo

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
def _count_nonzero(x):  # type: ignore[no-untyped-def]
    count = 0
    for k in range(x.shape[0]):
        count += x[k] != 0
    return count


# numpy's own ways to gather and compare compile for half a second each: plain loops do not.


@jit_inner
def _take(x, index):  # type: ignore[no-untyped-def]
    """``x[index]``."""
    out = np.empty(index.shape[0], x.dtype)
    for k in range(index.shape[0]):
        out[k] = x[index[k]]
    return out


@jit_inner
def _copy(x):  # type: ignore[no-untyped-def]
    out = np.empty(x.shape[0], x.dtype)
    for k in range(x.shape[0]):
        out[k] = x[k]
    return out


@jit_inner
def _sum(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k]
    return total


@jit_inner
def _all_of(n):  # type: ignore[no-untyped-def]
    """0, 1, ..., n - 1."""
    out = np.empty(n, np.int64)
    for k in range(n):
        out[k] = k
    return out


@jit_inner
def _one_group(n):  # type: ignore[no-untyped-def]
    """Where the only group of variables ends."""
    ends = np.empty(1, np.int64)
    ends[0] = n
    return ends


@jit_inner
def _support(beta):  # type: ignore[no-untyped-def]
    """The variables that are not 0, and their values."""
    index, value, count = np.empty(beta.shape[0], np.int64), np.empty(beta.shape[0]), 0
    for k in range(beta.shape[0]):
        if beta[k] != 0:
            index[count], value[count] = k, beta[k]
            count += 1
    return index[:count], value[:count]


@jit_inner
def _near(r, index, middle, like):  # type: ignore[no-untyped-def]
    """``r[index] - middle`` in the precision of `like`: float32 is finest about 0."""
    out = np.empty(index.shape[0], like.dtype)
    for k in range(index.shape[0]):
        out[k] = r[index[k]] - middle
    return out


@jit_inner
def _put(part, index, x):  # type: ignore[no-untyped-def]
    """``x[index] = part``; returns which of x changed, and by how much."""
    moved, step, count = np.empty(index.shape[0], np.int64), np.empty(index.shape[0]), 0
    for k in range(index.shape[0]):
        change = part[k] - x[index[k]]
        if change != 0:
            moved[count], step[count] = index[k], change
            count += 1
        x[index[k]] = part[k]
    return moved[:count], step[:count]


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
        limit = select(_copy(keys), n - wanted)
    chosen, count = np.empty(n, np.int64), 0
    for k in range(n):
        if keys[k] > 0 and keys[k] >= limit:
            chosen[count] = k
            count += 1
    return chosen[:count]


@jit_inner
def _subtract_rows(K, index, step, r):  # type: ignore[no-untyped-def]
    """``r -= step @ K[index]``, four rows a pass: 1700 rows of 3000 take 1.0 ms in float32, 2.6 in float64."""
    real = K.dtype.type
    k = 0
    while k + 4 <= index.shape[0]:
        a, b, c, d = K[index[k]], K[index[k + 1]], K[index[k + 2]], K[index[k + 3]]
        va, vb, vc, vd = real(step[k]), real(step[k + 1]), real(step[k + 2]), real(step[k + 3])
        for t in range(r.shape[0]):
            r[t] -= (va * a[t] + vb * b[t]) + (vc * c[t] + vd * d[t])
        k += 4
    while k < index.shape[0]:
        row, value = K[index[k]], real(step[k])
        for t in range(r.shape[0]):
            r[t] -= value * row[t]
        k += 1


@jit_inner
def _follow(exact, coarse, index, step, r, error, tolerance):  # type: ignore[no-untyped-def]
    """Let r follow a step of some variables; returns how far r may now be off, which was `error`."""
    size = 0.0
    for k in range(step.shape[0]):
        size += abs(step[k])
    if error + size * _COARSE < _BLUR * tolerance:
        _subtract_rows(coarse, index, step, r)
        return error + size * _COARSE
    _subtract_rows(exact, index, step, r)
    return error


@jit
def refresh(exact, p, beta, r):  # type: ignore[no-untyped-def]
    """``r = p - K beta`` anew."""
    for k in range(p.shape[0]):
        r[k] = p[k]
    support, value = _support(beta)
    _subtract_rows(exact, support, value, r)


@jit
def restore_sum(x, total, low, high):  # type: ignore[no-untyped-def]
    """Hand what the sum of x has lost to rounding back to variables that have room for it.

    A linear kernel makes K_FF singular, z and e of a size of 1e10, and their difference off by 1e-6.
    """
    for _ in range(3):
        inside = 0
        for a in range(x.shape[0]):
            inside += low[a] < x[a] < high[a]
        missing = total - _sum(x)
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
    total = _sum(x)
    if not minimise_on_face(exact, _take(chosen, free), x, slope, low, high):
        return False
    restore_sum(x, total, low, high)
    step = np.empty(f)
    for a in range(f):
        step[a] = x[a] - beta[free[a]]
    after = np.empty(q)
    for k in range(q):
        after[k] = r[k]
    _subtract_rows(block, free, step, after)
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
    ends = _one_group(q)
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
    everything = _all_of(n)
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
        whole = (2 * free > n and free > _MOST_FREE) or _count_nonzero(beta) == 0
        chosen = everything if whole else _working_set(r, beta, lower, upper, epsilon, highest, lowest, free)
        part, low, high = _take(beta, chosen), _take(lower, chosen), _take(upper, chosen)
        near = _near(r, chosen, (highest + lowest) / 2, coarse)
        if whole:
            limit = min(20 * n, budget - steps)
            taken, _ = smo(coarse, part, low, high, near, _one_group(n), target, limit, epsilon)
        else:
            taken = _solve_block(exact, coarse, chosen, part, low, high, near, epsilon, target, budget - steps)
        moved, step = _put(part, chosen, beta)
        error = _follow(exact, coarse, moved, step, r, error, tolerance)
        steps += taken
        if moved.shape[0] == 0:
            break
    return steps, violation, error


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
    support, value = _support(beta)
    return _follow(exact, coarse, support, value, r, 0.0, tolerance)


@jit
def _widen(p, low, high, before, C, epsilon, beta, lower, upper, r):  # type: ignore[no-untyped-def]
    """Write the box of C and make `beta`, the solution for the C before (0: none), and r a start in it.

    Returns the multiple of beta that it is, which is also how much farther r may be off.
    """
    n, factor = p.shape[0], 1.0
    for k in range(n):
        lower[k], upper[k] = C * low[k], C * high[k]
    if before > 0 and _count_nonzero(beta):
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
        if error > _BLUR * tolerance:
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
