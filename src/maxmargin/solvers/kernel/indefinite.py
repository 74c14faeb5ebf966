"""Stationary points of a box QP whose matrix has negative eigenvalues, on the way that LIBSVM goes.

The problem is not convex: which stationary point is found depends on the way. That of LIBSVM is what the users of
sigmoid kernels know, so it is followed here (Fan, Chen, Lin 2005: WSS 2, with tau for a curvature that is not
positive): the same variables in the same order, the first class in the role of the positive one, from zero (or with
the first variables at their bounds where a sum is prescribed), kernel values rounded to float32, sums in float64, and
variables set aside after the same rule (Chang, Lin 2011, section 5.1). Where that ends, the same steps go on with
float64 values to a hundredth of the tolerance, in small problems to rounding. No step lowers the dual objective, so the
result is at least as good as where LIBSVM ends.

Every accumulation point of these steps is stationary whatever the signs of the eigenvalues (Chen, Fan, Lin 2006).
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from ...certificates import Status
from ...engine import jit, jit_inner
from ...kernels import MODERATE, Gram
from ...problems import BoxQP
from .._driver import IterativeSolver
from .._trace import Figures
from ._box_figures import figures_at
from .decomposition import automatic_budget

_TAU = 1e-12  # stands for curvatures that are not positive
_AIM = 0.01  # of the tolerance, in float64
_SMALL, _EXACT = 1024, 1e-10  # small problems are solved to rounding, as those of definite kernels are
_SHRINK_EVERY = 1000  # steps, or as many as there are variables
_ALMOST = 10  # times the tolerance: where variables that were set aside come back once
_COLUMNS = 64  # computed together where a product needs them
_ROUNDS = 4  # in float64: the residual is recomputed before each


class LibsvmSteps(IterativeSolver):
    """The variables in LIBSVM's order and signs: ``v = orientation * beta[order]``, groups one after the other.

    Without a start the steps are at first LIBSVM's own, with kernel values of float32 (`coarse`) unless the matrix is
    `definite`; then up to four
    rounds follow in float64, each from a recomputed residual. Only of a `definite` matrix is there a dual objective to
    speak of in a trace.
    """

    def __init__(
        self,
        problem: BoxQP,
        start: np.ndarray | None,
        tolerance: float,
        slopes: np.ndarray | None = None,
        *,
        sign: int,
        cache_bytes: int,
        shrinking: bool,
        definite: bool = False,
    ) -> None:
        self.definite = definite
        self.problem, self.rows = problem, _Rows(problem.gram, cache_bytes)
        self.orientation = -1.0 if sign < 0 else 1.0
        side = np.zeros(problem.n) if sign == 0 else np.where(problem.upper > 0, 1.0, -1.0) * self.orientation
        group = np.zeros(problem.n) if problem.group is None else problem.group * self.orientation
        self.order = np.lexsort((-side, group))
        self.ends = np.append(np.flatnonzero(np.diff(group[self.order])) + 1, problem.n)
        lower, upper = problem.lower[self.order], problem.upper[self.order]
        self.lower, self.upper = (lower, upper) if self.orientation > 0 else (-upper, -lower)
        self.p = self.orientation * problem.p[self.order]
        self.at = problem.rows_of(self.order)
        self.diagonal = problem.gram.diagonal()[self.at]
        self.violation, self.tolerance = np.inf, tolerance
        self.v, self.r, self.active = np.zeros(problem.n), self.p.copy(), np.ones(problem.n, dtype=np.bool_)
        self.period = min(problem.n, _SHRINK_EVERY)
        # which stationary point is found depends on the rounding of LIBSVM; an optimum does not
        self.coarse = start is None and not definite
        self.shrinking, self.aim = start is None and shrinking, tolerance
        self.rounds, self.came_back, self.left = 0, False, self.period
        self.most = self.all_steps = 0  # up to which this round goes, and of the budget
        self.before = 0  # steps at the beginning of the round
        if start is None:
            self._fill()
        else:
            self.v = self.orientation * start[self.order]

    @classmethod
    def budget_for(cls, problem: BoxQP) -> int:
        return automatic_budget(problem.n)

    def begin(self, budget: int) -> None:
        self.most = self.all_steps = budget
        self._activate_all()

    def _fill(self) -> None:
        """Set the first variables of each group on their bounds until its sum is reached."""
        groups = np.zeros(1) if self.problem.group is None else self.problem.group[self.order][self.ends - 1]
        begin = 0
        for g, end in zip(groups.astype(int), self.ends, strict=True):
            total = self.orientation * self.problem.totals[g]
            bound = (self.upper if total > 0 else self.lower)[begin:end]
            missing = total - np.concatenate([[0.0], np.cumsum(bound)[:-1]])
            if total:
                self.v[begin:end] = np.clip(missing, np.minimum(bound, 0), np.maximum(bound, 0))
            begin = end

    def variables(self) -> np.ndarray:
        """The variables as the problem has them."""
        beta = np.empty(self.problem.n)
        beta[self.order] = self.orientation * self.v
        return beta

    def figures(self) -> Figures:
        if not (self.traced and self.definite):
            return Figures(self.violation)
        by_row = np.bincount(self.at, weights=self.orientation * self.v, minlength=self.problem.gram.shape[0])
        beta, image = self.variables(), self.rows.product(by_row, False)
        return figures_at(self.problem, beta, self.problem.p - image[self.problem.rows_of(np.arange(self.problem.n))])

    def finished(self, last: bool) -> Status | None:
        """After the budget of a round that came near enough, that is where it ends."""
        return Status.STATIONARY if last and self.rounds and self.violation <= self.tolerance else None

    def step(self, most: int) -> Status | None:
        """Steps until the violation is within the aim, or it is time to set variables aside."""
        steps, self.violation = self._steps(max(0, min(self.left, self.most - self.iterations, self.burst)))
        self.iterations, self.left = self.iterations + steps, self.left - steps
        if self.violation <= self.aim:
            if self.active.all():
                return self._next_round()
            self._activate_all()
            self.left = 1  # one step, if there is one to take, and then variables are set aside again
        elif self.iterations >= self.most:
            if self.rounds and self.violation <= self.tolerance:
                return Status.STATIONARY
            if not self.definite or self.iterations >= self.all_steps:
                return Status.BUDGET_EXHAUSTED
            self.most = min(self.all_steps, self.most + self._few)  # rounding had hidden a violation
        elif self.left == 0:
            if self.shrinking:
                self._shrink()
            self.left = self.period
        elif not steps:  # no pair is left that can move
            return self._next_round()
        return None

    def _next_round(self) -> Status | None:
        """Go on more precisely where a round has ended; STATIONARY if that was the last, or brought nothing."""
        if self.rounds == _ROUNDS or (self.rounds and self.iterations == self.before):
            return Status.STATIONARY
        if not self.rounds:
            self.most = min(self.most, self.iterations + self._few)  # more steps are not worth it
            small = self.problem.n <= _SMALL
            self.aim = min(_AIM * self.tolerance, _EXACT) if small else _AIM * self.tolerance
            self.coarse = self.shrinking = False
        self.rounds, self.before, self.left = self.rounds + 1, self.iterations, self.period
        self._activate_all()
        return None

    @property
    def _few(self) -> int:
        return 20 * self.problem.n + 10_000

    def _activate_all(self) -> None:
        """All variables, and the residual recomputed."""
        self.active[:] = True
        by_row = np.bincount(self.at, weights=self.v, minlength=self.problem.gram.shape[0])
        self.r = self.p - self.rows.product(by_row, self.coarse)[self.at]

    def _shrink(self) -> None:
        """Set aside what is at a bound and beyond the violating pairs; all come back once when the end is near."""
        extremes = [_extremes(self.r, self.v, self.lower, self.upper, self.active, *part) for part in self._parts()]
        if not self.came_back and max(high - low for high, low in extremes) <= _ALMOST * self.aim:
            self._activate_all()
            self.came_back = True
        for (begin, end), (high, low) in zip(self._parts(), extremes, strict=True):
            r, v = self.r[begin:end], self.v[begin:end]
            settled = (v <= self.lower[begin:end]) & (r < low) | (v >= self.upper[begin:end]) & (r > high)
            self.active[begin:end] &= ~settled

    def _parts(self) -> list[tuple[int, int]]:
        """Where each group begins and ends."""
        return list(zip([0, *self.ends[:-1].tolist()], self.ends.tolist(), strict=True))

    def _steps(self, most: int) -> tuple[int, float]:
        """Up to `most` steps: how many it took, and the largest violation before the last."""
        state = self.at, self.diagonal, self.v, self.lower, self.upper, self.r, self.active, self.coarse
        if self.rows.matrix is not None:
            return _steps(self.rows.matrix, *state, self.ends, self.aim, most)
        row, at, step = self.rows.row, self.at, 0
        while True:
            i, j, best, violation = -1, -1, 0.0, 0.0
            for begin, end in self._parts():
                top = _top(self.r, self.v, self.upper, self.active, begin, end)
                if top >= 0:
                    partner, gain, widest = _partner(row(at[top]), *state, top, begin, end)
                    violation = max(violation, widest)
                    if partner >= 0 and gain >= best:
                        i, j, best = top, partner, gain
            if violation <= self.aim or i < 0 or step == most:
                return step, violation
            _move(row(at[i]), row(at[j]), *state, i, j)
            step += 1


class _Rows:
    """Rows of K in float64: all of a matrix in memory, else as they are asked for; the least recent make room."""

    def __init__(self, gram: Gram, memory: int) -> None:
        self.gram, n = gram, gram.shape[0]
        self.matrix = np.ascontiguousarray(gram.whole(np.float64)) if n <= MODERATE else None
        self.all = np.arange(n)
        self.capacity = max(4, memory // (8 * n))
        self.kept: OrderedDict[int, np.ndarray] = OrderedDict()

    def product(self, coef: np.ndarray, coarse: bool) -> np.ndarray:
        """``K @ coef``; rows that are not at hand are not kept for it."""
        out, missing = np.zeros(len(coef)), []
        for i in np.flatnonzero(coef).tolist():
            if self.matrix is not None or i in self.kept:
                _add(self.row(i), coef[i], coarse, out)
            else:
                missing.append(i)
        for start in range(0, len(missing), _COLUMNS):
            part = np.array(missing[start : start + _COLUMNS])
            block = self.gram.block(self.all, part, np.float64)
            out += (block.astype(np.float32).astype(np.float64) if coarse else block) @ coef[part]
        return out

    def row(self, i: int) -> np.ndarray:
        """One of them, kept for the next time."""
        if self.matrix is not None:
            return self.matrix[i]
        found = self.kept.get(i)
        if found is None:
            # a column: one panel, where a row would be many
            found = self.kept[i] = self.gram.block(self.all, np.array([i]), np.float64)[:, 0].copy()
            if len(self.kept) > self.capacity:
                self.kept.popitem(last=False)
        else:
            self.kept.move_to_end(i)
        return found


@jit_inner
def _value(x, coarse):  # type: ignore[no-untyped-def]
    """A kernel value as LIBSVM keeps it, or as it is."""
    return np.float64(np.float32(x)) if coarse else x


@jit
def _add(row, coef, coarse, out):  # type: ignore[no-untyped-def]
    for k in range(row.shape[0]):
        out[k] += coef * _value(row[k], coarse)


@jit
def _extremes(r, v, lower, upper, active, begin, end):  # type: ignore[no-untyped-def]
    """The largest residual of those that may rise, the smallest of those that may fall."""
    high, low = -np.inf, np.inf
    for k in range(begin, end):
        if active[k] and v[k] < upper[k]:
            high = max(high, r[k])
        if active[k] and v[k] > lower[k]:
            low = min(low, r[k])
    return high, low


@jit
def _top(r, v, upper, active, begin, end):  # type: ignore[no-untyped-def]
    """The last of those that may rise with the largest residual; -1 if there is none."""
    best, index = -np.inf, -1
    for k in range(begin, end):
        if active[k] and v[k] < upper[k] and r[k] >= best:
            best, index = r[k], k
    return index


@jit_inner
def _curvature(k_ii, k_jj, k_ij):  # type: ignore[no-untyped-def]
    curvature = k_ii + k_jj - 2.0 * k_ij
    return curvature if curvature > 0.0 else _TAU


@jit
def _partner(row, at, diagonal, v, lower, upper, r, active, coarse, top, begin, end):  # type: ignore[no-untyped-def]
    """The last of those that may fall with the largest decrease, that decrease, and the largest violation."""
    best, index, widest = 0.0, -1, -np.inf
    for k in range(begin, end):
        if active[k] and v[k] > lower[k]:
            ahead = r[top] - r[k]
            widest = max(widest, ahead)
            if ahead > 0.0:
                gain = ahead * ahead / _curvature(diagonal[top], diagonal[k], _value(row[at[k]], coarse))
                if gain >= best:
                    best, index = gain, k
    return index, best, widest


@jit
def _move(row_i, row_j, at, diagonal, v, lower, upper, r, active, coarse, i, j):  # type: ignore[no-untyped-def]
    """``v_i += t, v_j -= t`` with the best t that the box allows."""
    t = (r[i] - r[j]) / _curvature(diagonal[i], diagonal[j], _value(row_i[at[j]], coarse))
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
        if active[k]:
            r[k] -= change_i * _value(row_i[at[k]], coarse) + change_j * _value(row_j[at[k]], coarse)


@jit
def _steps(K, at, diagonal, v, lower, upper, r, active, coarse, ends, tolerance, most):  # type: ignore[no-untyped-def]
    """Up to `most` steps on a matrix in memory; how many it took, and the largest violation before the last."""
    step = 0
    while True:
        i, j, best, violation, begin = -1, -1, 0.0, 0.0, 0
        for g in range(ends.shape[0]):
            end = ends[g]
            top = _top(r, v, upper, active, begin, end)
            if top >= 0:
                partner, gain, widest = _partner(
                    K[at[top]], at, diagonal, v, lower, upper, r, active, coarse, top, begin, end
                )
                violation = max(violation, widest)
                if partner >= 0 and gain >= best:
                    i, j, best = top, partner, gain
            begin = end
        if violation <= tolerance or i < 0 or step == most:
            return step, violation
        _move(K[at[i]], K[at[j]], at, diagonal, v, lower, upper, r, active, coarse, i, j)
        step += 1
