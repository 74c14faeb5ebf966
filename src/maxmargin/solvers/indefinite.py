"""Stationary points of a box QP whose matrix has negative eigenvalues, on the way that LIBSVM goes.

The problem is not convex: which stationary point is found depends on the way. That of LIBSVM is what the users of
sigmoid kernels know, so it is followed here (Fan, Chen, Lin 2005: WSS 2, with tau for a curvature that is not
positive): the same variables in the same order, the first class in the role of the positive one, from zero (or with
the first variables at their bounds where a sum is prescribed), kernel values rounded to float32, sums in float64. Where
that ends, the same steps go on with float64 values to a hundredth of the tolerance. No step lowers the dual objective,
so the result is at least as good as where LIBSVM ends.

Every accumulation point of these steps is stationary whatever the signs of the eigenvalues (Chen, Fan, Lin 2006).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import numpy as np

from ..certificates import Status, evaluate
from ..engine import jit
from ..problems import BoxQP
from ._certified import CertifiedSolution, _without_dust
from ._monitor import Monitor
from .decomposition import automatic_budget

_TAU = 1e-12  # stands for curvatures that are not positive
_AIM = 0.01  # of the tolerance, in float64
_STEPS_A_CALL = 50_000  # between two looks at the monitor
_ROUNDS = 4  # the residual is recomputed before each


def solve_indefinite(
    problem: BoxQP,
    start: np.ndarray | None = None,
    tolerance: float = 1e-3,
    budget: int | None = None,
    monitor: Monitor | None = None,
    *,
    sign: int = 0,
    cache_bytes: int = 200_000_000,
) -> CertifiedSolution:
    """A stationary point, to `tolerance`; from a start that is given only uphill.

    Parameters
    ----------
    problem : BoxQP
        With finite boxes.
    start, tolerance, budget, monitor
        As in every solver.
    sign : {0, 1, -1}
        For a classifier, the sign of the class that comes first and plays the positive one: -1 if the other one is
        positive in `problem`. 0 keeps the variables as they are.
    cache_bytes : int
        Memory for kernel values; rows are kept as far as it goes.

    """
    budget = automatic_budget(problem.n) if budget is None else budget
    walk = _Walk(problem, sign, cache_bytes)
    status = Status.STATIONARY
    try:
        if start is None:
            walk.begin()
            status = walk.go(np.float32, tolerance, budget, monitor)
        else:
            walk.begin(start)
        # polishing is not worth more steps than these
        most = min(budget, walk.steps + 20 * problem.n + 10_000 if start is None else budget)
        for _ in range(_ROUNDS):
            if status is not Status.STATIONARY:
                break
            before = walk.steps
            status = walk.go(np.float64, _AIM * tolerance, most, monitor)
            if status is Status.BUDGET_EXHAUSTED and walk.violation <= tolerance:
                status = Status.STATIONARY
                break
            if walk.steps == before:
                break
        keyboard = False
    except KeyboardInterrupt:
        status, keyboard = Status.INTERRUPTED, True
    beta = _without_dust(problem, walk.beta())
    evidence = evaluate(problem, beta)
    if status is Status.STATIONARY and not evidence.kkt_violation <= tolerance:
        status = Status.STALLED
    return CertifiedSolution(beta, status, walk.steps, evidence, keyboard, problem)


class _Walk:
    """The variables in LIBSVM's order and signs: ``v = orientation * beta[order]``, groups one after the other."""

    def __init__(self, problem: BoxQP, sign: int, cache_bytes: int) -> None:
        self.problem, self.orientation = problem, -1.0 if sign < 0 else 1.0
        side = np.zeros(problem.n) if sign == 0 else np.where(problem.upper > 0, 1.0, -1.0) * self.orientation
        group = np.zeros(problem.n) if problem.group is None else problem.group * self.orientation
        self.order = np.lexsort((-side, group))
        self.ends = np.append(np.flatnonzero(np.diff(group[self.order])) + 1, problem.n)
        lower, upper = problem.lower[self.order], problem.upper[self.order]
        self.lower, self.upper = (lower, upper) if self.orientation > 0 else (-upper, -lower)
        self.p = self.orientation * problem.p[self.order]
        self.at = problem.rows_of(self.order)
        self.diagonal = problem.gram.diagonal()[self.at]
        self.steps, self.violation = 0, np.inf
        self.cache_bytes, self.v = cache_bytes, np.zeros(problem.n)

    def begin(self, start: np.ndarray | None = None) -> None:
        """Take a feasible start, or the first variables of each group at their bounds until its sum is reached."""
        if start is not None:
            self.v = self.orientation * start[self.order]
            return
        groups = np.zeros(1) if self.problem.group is None else self.problem.group[self.order][self.ends - 1]
        begin = 0
        for g, end in zip(groups.astype(int), self.ends, strict=True):
            total = self.orientation * self.problem.totals[g]
            bound = (self.upper if total > 0 else self.lower)[begin:end]
            missing = total - np.concatenate([[0.0], np.cumsum(bound)[:-1]])
            if total:
                self.v[begin:end] = np.clip(missing, np.minimum(bound, 0), np.maximum(bound, 0))
            begin = end

    def beta(self) -> np.ndarray:
        """The variables as the problem has them."""
        beta = np.empty(self.problem.n)
        beta[self.order] = self.orientation * self.v
        return beta

    def go(self, dtype: type, tolerance: float, budget: int, monitor: Monitor | None) -> Status:
        """Steps until the violation is within the tolerance, with kernel values of a precision."""
        fits = 8 * self.problem.gram.shape[0] ** 2 <= self.cache_bytes
        advance = self._on_matrix(dtype) if fits else self._on_rows(dtype)
        while True:
            steps, self.violation = advance(tolerance, max(0, min(_STEPS_A_CALL, budget - self.steps)))
            self.steps += steps
            if self.violation <= tolerance:
                return Status.STATIONARY
            if self.steps >= budget:
                return Status.BUDGET_EXHAUSTED
            if not steps:  # no pair is left that can move
                return Status.STATIONARY
            if monitor is not None and monitor.report(self.steps, self.violation, np.nan):
                return Status.INTERRUPTED

    def _state(self) -> tuple:
        return self.at, self.diagonal, self.v, self.lower, self.upper

    def _on_matrix(self, dtype: type) -> Callable[[float, int], tuple[int, float]]:
        K: np.ndarray = self.problem.gram.whole(np.float64).astype(dtype, copy=False)
        r = self.p - _image(K, self._by_row())[self.at]
        return lambda tolerance, most: _steps(K, *self._state(), r, self.ends, tolerance, most)

    def _by_row(self) -> np.ndarray:
        return np.bincount(self.at, weights=self.v, minlength=self.problem.gram.shape[0])

    def _on_rows(self, dtype: type) -> Callable[[float, int], tuple[int, float]]:
        rows = _Rows(self.problem, dtype, self.cache_bytes)
        r = self.p.copy()
        for k in np.flatnonzero(self.v):
            r -= self.v[k] * rows.row(self.at[k])[self.at]

        def advance(tolerance: float, most: int) -> tuple[int, float]:
            at, diagonal, v, lower, upper = self._state()
            for step in range(min(most, 1000)):
                i, j, violation = -1, -1, 0.0
                best = 0.0
                begin = 0
                for end in self.ends:
                    top = _top(r, v, upper, begin, end)
                    if top >= 0:
                        partner, gain, widest = _partner(rows.row(at[top]), at, diagonal, r, v, lower, top, begin, end)
                        violation = max(violation, widest)
                        if partner >= 0 and gain >= best:
                            i, j, best = top, partner, gain
                    begin = end
                if violation <= tolerance or i < 0:
                    return step, violation
                _move(rows.row(at[i]), rows.row(at[j]), *self._state(), r, i, j)
            return min(most, 1000), violation

        return advance


class _Rows:
    """Rows of K in a precision; the least recently used make room."""

    def __init__(self, problem: BoxQP, dtype: type, memory: int) -> None:
        self.gram, self.dtype = problem.gram, dtype
        n = self.gram.shape[0]
        self.columns = np.arange(n)
        self.capacity = max(4, memory // (np.dtype(dtype).itemsize * n))
        self.kept: OrderedDict[int, np.ndarray] = OrderedDict()

    def row(self, i: int) -> np.ndarray:
        found = self.kept.get(i)
        if found is None:
            values = self.gram.block(np.array([i]), self.columns, np.float64)[0]
            found = self.kept[i] = values.astype(self.dtype, copy=False)
            if len(self.kept) > self.capacity:
                self.kept.popitem(last=False)
        else:
            self.kept.move_to_end(i)
        return found


@jit
def _image(K, coef):  # type: ignore[no-untyped-def]
    """``K @ coef`` with sums in float64."""
    out = np.zeros(K.shape[0])
    for j in range(coef.shape[0]):
        if coef[j] != 0.0:
            for i in range(K.shape[0]):
                out[i] += coef[j] * np.float64(K[j, i])
    return out


@jit
def _top(r, v, upper, begin, end):  # type: ignore[no-untyped-def]
    """The last of those that may rise with the largest residual; -1 if there is none."""
    best, index = -np.inf, -1
    for k in range(begin, end):
        if v[k] < upper[k] and r[k] >= best:
            best, index = r[k], k
    return index


@jit
def _curvature(k_ii, k_jj, k_ij):  # type: ignore[no-untyped-def]
    curvature = k_ii + k_jj - 2.0 * k_ij
    return curvature if curvature > 0.0 else _TAU


@jit
def _partner(row, at, diagonal, r, v, lower, top, begin, end):  # type: ignore[no-untyped-def]
    """The last of those that may fall with the largest decrease, that decrease, and the largest violation."""
    best, index, widest = 0.0, -1, -np.inf
    for k in range(begin, end):
        if v[k] > lower[k]:
            ahead = r[top] - r[k]
            widest = max(widest, ahead)
            if ahead > 0.0:
                gain = ahead * ahead / _curvature(diagonal[top], diagonal[k], np.float64(row[at[k]]))
                if gain >= best:
                    best, index = gain, k
    return index, best, widest


@jit
def _move(row_i, row_j, at, diagonal, v, lower, upper, r, i, j):  # type: ignore[no-untyped-def]
    """``v_i += t, v_j -= t`` with the best t that the box allows."""
    t = (r[i] - r[j]) / _curvature(diagonal[i], diagonal[j], np.float64(row_i[at[j]]))
    room_i, room_j = upper[i] - v[i], v[j] - lower[j]
    before_i, before_j = v[i], v[j]
    if t >= room_i or t >= room_j:
        if room_i <= room_j:
            v[j] = lower[j] if room_i == room_j else v[j] - room_i
            v[i] = upper[i]
        else:
            v[i] += room_j
            v[j] = lower[j]
    else:
        v[i] += t
        v[j] -= t
    change_i, change_j = v[i] - before_i, v[j] - before_j
    for k in range(r.shape[0]):
        r[k] -= change_i * np.float64(row_i[at[k]]) + change_j * np.float64(row_j[at[k]])


@jit
def _steps(K, at, diagonal, v, lower, upper, r, ends, tolerance, most):  # type: ignore[no-untyped-def]
    """Up to `most` steps on a matrix in memory; how many it took, and the largest violation before the last."""
    step = 0
    while True:
        i, j, best, violation, begin = -1, -1, 0.0, 0.0, 0
        for g in range(ends.shape[0]):
            top = _top(r, v, upper, begin, ends[g])
            if top >= 0:
                partner, gain, widest = _partner(K[at[top]], at, diagonal, r, v, lower, top, begin, ends[g])
                violation = max(violation, widest)
                if partner >= 0 and gain >= best:
                    i, j, best = top, partner, gain
            begin = ends[g]
        if violation <= tolerance or i < 0 or step == most:
            return step, violation
        _move(K[at[i]], K[at[j]], at, diagonal, v, lower, upper, r, i, j)
        step += 1
