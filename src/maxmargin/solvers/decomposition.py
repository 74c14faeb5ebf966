"""Working-set decomposition with SMO inside: the solver that users get.

Each round takes the variables that violate optimality most (and keeps half of the last ones), solves the small
problem on them by SMO while its block of K is in cache, and then corrects r = p - K beta for all samples in one sweep
of tiles that are computed, used and forgotten (Joachims 1999, section 11.2; working sets sized to the cache as in
Wen et al. 2018).

`dtype` is the precision of kernel values; r is kept in float64. The caller certifies in float64 and goes on from
there where float32 was not enough.
"""

from __future__ import annotations

import numpy as np

from ..certificates import Status
from ..problems import BoxQP
from ._monitor import Monitor
from ._smo import smo
from ._solution import Solution

WORKING_SET = 1024
# SMO steps between two looks at the clock: at most 0.3 s on the largest block, so that Ctrl-C is heard in time
_STEPS_A_CALL = 100_000


def automatic_budget(n: int) -> int:
    """Steps allowed when the user names no number: finite, and far beyond what scaled data needs."""
    return max(10_000_000, 100 * n)


def solve(
    problem: BoxQP,
    start: np.ndarray | None = None,
    tolerance: float = 1e-3,
    budget: int | None = None,
    monitor: Monitor | None = None,
    *,
    dtype: type = np.float64,
    residual: np.ndarray | None = None,
) -> Solution:
    """Minimise a box QP until the largest KKT violation is at most `tolerance`.

    Parameters
    ----------
    problem : BoxQP
        What is minimised.
    start : ndarray, optional
        A feasible point to start from; 0 if that is feasible and nothing is given.
    tolerance, budget, monitor
        As in every solver; `budget` counts SMO steps, None for an automatic number.
    dtype : float32 or float64
        Precision of kernel values.
    residual : ndarray, optional
        ``p - K start``, where the caller knows it.

    """
    beta = np.zeros(problem.n) if start is None else start.copy()
    budget = automatic_budget(problem.n) if budget is None else budget
    if residual is not None:
        residual = residual.copy()
    elif beta.any():
        residual = problem.p - problem.image(beta)
    else:
        residual = problem.p.copy()
    rounds = _Rounds(problem, beta, residual, dtype)
    try:
        while True:
            violation = rounds.violation()
            if violation <= max(tolerance, rounds.noise()):
                return rounds.solution(Status.CONVERGED, violation)
            if rounds.steps >= budget:
                return rounds.solution(Status.BUDGET_EXHAUSTED, violation)
            if monitor is not None and monitor.report(rounds.steps, violation, rounds.gap(monitor)):
                return rounds.solution(Status.INTERRUPTED, violation)
            if not rounds.improve(violation, tolerance, min(budget - rounds.steps, _STEPS_A_CALL)):
                return rounds.solution(Status.STALLED, violation)
    except KeyboardInterrupt:
        return Solution(rounds.beta, Status.INTERRUPTED, rounds.steps, np.nan, keyboard=True)


class _Rounds:
    """The state between rounds. ``beta`` is feasible at every moment; ``residual`` follows it."""

    def __init__(self, problem: BoxQP, beta: np.ndarray, residual: np.ndarray, dtype: type) -> None:
        self.problem, self.beta, self.residual, self.dtype = problem, beta, residual, dtype
        self.steps = 0
        self.previous = np.empty(0, dtype=np.int64)
        self._whole: np.ndarray | None = None  # the Gram matrix of a small problem, computed once

    def solution(self, status: Status, violation: float) -> Solution:
        return Solution(self.beta, status, self.steps, violation)

    def violation(self) -> float:
        """Largest KKT violation; also remembers the extremes that the next working set is chosen by."""
        self._extremes = []
        worst = 0.0
        for g in range(len(self.problem.totals)):
            members = self.problem.members(g)
            beta, r = self.beta[members], self.residual[members]
            highest = r[beta < self.problem.upper[members]].max(initial=-np.inf)
            lowest = r[beta > self.problem.lower[members]].min(initial=np.inf)
            self._extremes.append((highest, lowest))
            worst = max(worst, float(highest - lowest))
        return worst

    def noise(self) -> float:
        """Violations below this are rounding errors of the kernel values: going on would not be progress."""
        if self.dtype == np.float64:
            return 0.0
        return self.problem.gram.float32_error() * float(np.linalg.norm(self.beta)) / 4

    def gap(self, monitor: Monitor) -> float:
        """The relative gap as the solver sees it, for the one who watches."""
        if not monitor.wants_reports:
            return np.nan
        gap = 0.0
        for g, (highest, lowest) in enumerate(self._extremes):
            members = self.problem.members(g)
            beta = self.beta[members]
            r = self.residual[members] - (highest + lowest) / 2
            room = np.where(r > 0, self.problem.upper[members] - beta, self.problem.lower[members] - beta)
            gap += float(room @ r)
        dual = float(self.beta @ (self.problem.p + self.residual)) / 2
        return gap / max(abs(dual), abs(dual + gap), 1e-300)

    def improve(self, violation: float, tolerance: float, max_steps: int) -> bool:
        """One round. False if no pair of the working set can make progress."""
        problem = self.problem
        chosen = self._working_set()
        block = self._block(chosen)
        ends = self._group_ends(chosen)
        before, beta = self.beta[chosen], self.beta[chosen]
        r = self.residual[chosen].astype(self.dtype)
        target = max(tolerance / 2, violation / 10) if len(chosen) < problem.n else tolerance / 2
        steps, _ = smo(
            block, beta, problem.lower[chosen], problem.upper[chosen], r, ends, self.dtype(target), max_steps
        )
        if steps == 0:
            return False
        self.steps += int(steps)
        moved = np.flatnonzero(beta != before)
        if moved.size == 0:
            return False
        step = beta[moved] - before[moved]
        if self._whole is not None and self.dtype == np.float64:
            change = step @ block[moved]
        else:
            change = problem.columns_product(chosen[moved], step, self.dtype)
        # both together: an interrupt between the two lines would leave r behind beta
        self.residual, self.beta[chosen] = self.residual - change, beta
        self.previous = chosen
        return True

    def _block(self, chosen: np.ndarray) -> np.ndarray:
        if self._whole is not None:
            return self._whole
        rows = self.problem.rows_of(chosen)
        block = self.problem.gram.block(rows, rows, self.dtype)
        if len(chosen) == self.problem.n:
            self._whole = block
        return block

    def _group_ends(self, chosen: np.ndarray) -> np.ndarray:
        if self.problem.group is None:
            return np.array([len(chosen)])
        return np.searchsorted(self.problem.group[chosen], np.arange(len(self.problem.totals)), side="right")

    def _working_set(self) -> np.ndarray:
        """Variables of this round, ordered by group: the worst violators and the most useful of the last round."""
        problem = self.problem
        if problem.n <= WORKING_SET:
            return np.arange(problem.n) if problem.group is None else np.argsort(problem.group, kind="stable")
        groups = len(self._extremes)
        fresh = WORKING_SET // (2 if self.previous.size else 1) // groups
        parts = [self._violators(g, fresh) for g in range(groups)]
        new = np.concatenate(parts)
        old = np.setdiff1d(self.previous, new)
        # free variables first: those at a bound often stay there
        bound = (self.beta[old] <= problem.lower[old]) | (self.beta[old] >= problem.upper[old])
        old = old[np.argsort(bound, kind="stable")][: WORKING_SET - len(new)]
        chosen = np.concatenate([new, old])
        return chosen if problem.group is None else chosen[np.argsort(problem.group[chosen], kind="stable")]

    def _violators(self, g: int, count: int) -> np.ndarray:
        """Up to `count` variables of a group, half of those that want to rise most, half that want to fall most."""
        problem, r = self.problem, self.residual
        highest, lowest = self._extremes[g]
        rising = (self.beta < problem.upper) & (r > lowest)
        falling = (self.beta > problem.lower) & (r < highest)
        if problem.group is not None:
            rising &= problem.group == g
            falling &= problem.group == g
        up, down = np.flatnonzero(rising), np.flatnonzero(falling)
        return np.union1d(_largest(up, r[up], count // 2), _largest(down, -r[down], count // 2))


def _largest(index: np.ndarray, key: np.ndarray, count: int) -> np.ndarray:
    if len(index) <= count:
        return index
    return index[np.argpartition(key, len(key) - count)[len(key) - count :]]
