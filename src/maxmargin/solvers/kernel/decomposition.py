"""Working-set decomposition with SMO inside: the solver that users get.

Each round takes the variables that violate optimality most (and keeps half of the last ones), solves the small
problem on them by SMO while its block of K is in cache, and then corrects r = p - K beta for all samples in one sweep
of tiles that are computed, used and forgotten (Joachims 1999, section 11.2; working sets sized to the cache as in
Wen et al. 2018).

- The working set grows when the free variables outnumber it: those have to be solved for together. Fashion-MNIST
  (3300 free variables) takes 249 rounds with 1024 of them at a time, 54 with 2048, 8 with 4096.
- Where kernel values are dear (many features), rows are kept (`maxmargin.kernels.CachedGram`).
- Where they are cheap, samples that seem settled are left out of the sweeps (shrinking). Their r is then out of date;
  the certificate that follows recomputes it, and the caller goes on from there if they were not settled after all.
- `dtype` is the precision of kernel values; r is kept in float64.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...certificates import Status
from ...engine import shielded
from ...kernels import CachedGram, worth_keeping
from ...problems import BoxQP
from .._driver import IterativeSolver
from .._solution import Solution
from .._trace import Figures
from ._box_figures import box_figures, box_gap
from ._smo import smo
from ._working_block import WorkingBlock

# A step on 1024 variables takes 0.65 us in float32, on 2048 1.2: larger sets have to save sweeps to pay.
WORKING_SET = 1024
# Up to here the whole problem is one block: it costs less than the rounds it saves.
WHOLE = 2048
# SMO steps between two looks at the clock: at most 0.3 s on the largest block, so that Ctrl-C is heard in time
_STEPS_A_CALL = 100_000
_DEFAULT_CACHE = 200_000_000
# Steps between two looks at the progress, the relative gain of the objective and the fall of the violation that count
_STEPS_A_LOOK = 1_000_000
# The same for calls that solve the whole problem as they see it: residuals computed again see it otherwise, by rounding
_CALLS_A_LOOK = 1000
_NO_GAIN, _FALLS = 1e-13, 0.5


def automatic_budget(n: int) -> int:
    """Steps allowed when the user names no number: finite, and far beyond what scaled data needs."""
    return max(10_000_000, 100 * n)


class _Progress:
    """Whether millions of steps still change anything: both the objective and the violation have to stand still.

    Where multipliers are so large that the rounding errors of K beta exceed the tolerance, SMO steps for ever.
    """

    def __init__(self) -> None:
        self.steps, self.calls, self.objective, self.violation = 0, 0, -np.inf, np.inf

    def lost(self, rounds: Decomposition, violation: float) -> bool:
        few = rounds.iterations < self.steps + _STEPS_A_LOOK and rounds.solved < self.calls + _CALLS_A_LOOK
        if few or rounds.active is not None:
            return False  # residuals of samples that were left out are not up to date
        linear, objective = rounds.objective()
        least = _NO_GAIN * linear
        if objective > linear:  # which no positive semi-definite K allows: rounding has to be exceeded as well
            least = max(least, rounds.rounding())
        gained = objective > self.objective + least
        falls = violation < _FALLS * self.violation
        self.steps, self.calls, self.objective = rounds.iterations, rounds.solved, max(objective, self.objective)
        self.violation = min(violation, self.violation)
        return not (gained or falls)


class Decomposition(IterativeSolver):
    """Minimises a box QP until the largest KKT violation is at most `tolerance`; iterations are SMO steps.

    ``theta`` (beta) is feasible at every moment; ``residual`` follows it.

    Parameters
    ----------
    problem : BoxQP
        What is minimised.
    start, tolerance, slopes
        As in every solver; without a start, it begins from ``problem.feasible_start()``. Slopes are of no use here.
    dtype : float32 or float64
        Precision of kernel values.
    residual : ndarray, optional
        ``p - K start``, where the caller knows it.
    cache_bytes : int
        Memory for blocks and kept rows.
    shrinking : bool
        Whether settled variables may be left out of sweeps.

    """

    def __init__(
        self,
        problem: BoxQP,
        start: np.ndarray | None,
        tolerance: float,
        slopes: np.ndarray | None = None,
        *,
        dtype: type = np.float64,
        residual: np.ndarray | None = None,
        cache_bytes: int = _DEFAULT_CACHE,
        shrinking: bool = True,
    ) -> None:
        self.beta = self.theta = beta = problem.feasible_start() if start is None else start.copy()
        if residual is not None:
            residual = residual.copy()
        else:
            residual = problem.p - problem.image(beta) if beta.any() else problem.p.copy()
        self.residual, self.dtype, self.tolerance = residual, dtype, tolerance
        self.progress, self.solved = _Progress(), 0
        self.previous = np.empty(0, dtype=np.int64)
        self._whole: np.ndarray | None = None  # the Gram matrix of a problem that is one block, computed once
        # a third of the memory for the block, the rest for rows
        self.largest = max(WORKING_SET // 4, int(np.sqrt(cache_bytes / 3 / np.dtype(dtype).itemsize)))
        self.size = problem.n if problem.n <= min(WHOLE, self.largest) else min(WORKING_SET, self.largest)
        if dtype == np.float32 and self.size < problem.n and worth_keeping(problem.gram):
            problem = replace(problem, gram=CachedGram(problem.gram, cache_bytes * 2 // 3))
            shrinking = False  # kept rows are whole rows
        self.problem = problem
        self._float32_noise = 0.0
        if dtype == np.float32:
            largest_value = float(np.abs(problem.gram.diagonal()).max(initial=0.0))
            self._float32_noise = problem.gram.float32_error() * largest_value / 4
        self._working = WorkingBlock(problem, dtype, keep=isinstance(problem.gram, CachedGram))
        self.rises, self.falls = beta < problem.upper, beta > problem.lower
        self.shrinking = shrinking and self.size < problem.n
        self.active: np.ndarray | None = None

    @classmethod
    def budget_for(cls, problem: BoxQP) -> int:
        return automatic_budget(problem.n)

    def finished(self, last: bool) -> Status | None:
        self.worst = self.violation()
        return Status.CONVERGED if self.worst <= max(self.tolerance, self.noise()) else None

    def step(self, most: int) -> Status | None:
        steps = min(most, _STEPS_A_CALL)
        if self.size >= self.problem.n:  # one block: else a trace has a point a round
            steps = min(steps, self.burst)
        moved = self.improve(self.worst, self.tolerance, steps)
        return Status.STALLED if not moved or self.progress.lost(self, self.worst) else None

    def figures(self) -> Figures:
        gap, dual = self.gap()
        return box_figures(self.worst, gap, dual)

    def result(self, status: Status, keyboard: bool) -> Solution:
        if keyboard:
            return Solution(self.beta, status, self.iterations, intercepts=self.intercepts(), keyboard=True)
        return Solution(self.beta, status, self.iterations, self.worst)

    def intercepts(self) -> tuple[float, ...]:
        """The middle between those that want to rise and those that want to fall, as far as it is known."""
        extremes = getattr(self, "_extremes", [])
        middle = [(high + low) / 2 for high, low in extremes if np.isfinite(high + low)]
        return tuple(middle) if len(middle) == len(self.problem.totals) else ()

    def violation(self) -> float:
        """Largest KKT violation; also remembers the extremes that the next working set is chosen by."""
        self._extremes = []
        worst = 0.0
        for g in range(len(self.problem.totals)):
            members = self.problem.members(g)
            r = self.residual[members]
            highest = float(np.where(self.rises[members], r, -np.inf).max())
            lowest = float(np.where(self.falls[members], r, np.inf).min())
            self._extremes.append((highest, lowest))
            worst = max(worst, highest - lowest)
        return worst

    def noise(self) -> float:
        """Violations below this are rounding errors of the kernel values: going on would not be progress."""
        if self.dtype == np.float64:
            return 0.0
        return self._float32_noise * float(np.linalg.norm(self.beta))

    def gap(self) -> tuple[float, float]:
        """The gap and the dual objective as the solver sees them."""
        return box_gap(self.problem, self.beta, self.residual, self._extremes), self.objective()[1]

    def rounding(self) -> float:
        """The rounding of the terms of ``beta' K beta``, of which none is larger than the diagonal allows."""
        lengths = np.sqrt(np.abs(self.problem.gram.diagonal()))
        return 2.0**-53 * float(lengths[self.problem.rows_of(np.arange(self.problem.n))] @ np.abs(self.beta)) ** 2

    def objective(self) -> tuple[float, float]:
        """The size of its linear part, and the dual objective."""
        linear = float(np.abs(self.problem.p) @ np.abs(self.beta))
        return linear, float(self.beta @ (self.problem.p + self.residual)) / 2

    @shielded
    def _move(self, chosen: np.ndarray, beta: np.ndarray, change: np.ndarray) -> None:
        """Variables and residuals together: an interrupt in between would leave r behind beta."""
        if self.active is None:
            self.residual -= change
        else:
            self.residual[self.active] -= change
        self.beta[chosen] = beta

    def improve(self, violation: float, tolerance: float, max_steps: int) -> bool:
        """One round. False if no pair of the working set can make progress."""
        problem = self.problem
        if self.shrinking and self.size < problem.n:
            self._shrink(violation)
        chosen, used, block = self._block(self._working_set())
        before, beta = self.beta[chosen], self.beta[chosen]
        # variables that are only left over in the block are held where they are
        lower = np.where(used, problem.lower[chosen], before)
        upper = np.where(used, problem.upper[chosen], before)
        r = self.residual[chosen].astype(self.dtype)
        # A block solved far beyond the rest of the problem is work undone by the next round: a tenth is enough.
        target = max(tolerance, self.noise()) / 2
        if self._whole is None:
            target = max(target, violation / 10)
        ends = self._group_ends(chosen)
        steps, _ = smo(block, beta, lower, upper, r, ends, self.dtype(target), max_steps, 0.0)
        self.iterations += int(steps)
        self.solved += self._whole is not None and steps < max_steps
        moved = np.flatnonzero(beta != before)
        if moved.size == 0:
            return False
        change = self._change(chosen, moved, beta[moved] - before[moved], block)
        self._move(chosen, beta, change)
        self.rises[chosen[used]], self.falls[chosen[used]] = (beta < upper)[used], (beta > lower)[used]
        free = int(np.count_nonzero(self.rises & self.falls))
        if free > self.size // 2 and self._whole is None:
            # not the whole problem once some variables are left out, whose residuals are no longer up to date
            self.size = min(2 * self.size, self.largest, problem.n - (self.active is not None))
        return True

    def _change(self, chosen: np.ndarray, moved: np.ndarray, step: np.ndarray, block: np.ndarray) -> np.ndarray:
        """``K[:, moved] @ step`` for the samples that still take part."""
        if self._whole is None:
            return self.problem.columns_product(chosen[moved], step, self.dtype, self.active)
        whole_step: np.ndarray = np.zeros(self.problem.n, self.dtype)
        whole_step[moved] = step
        change = np.empty(self.problem.n)
        change[chosen] = block @ whole_step
        return change

    def _shrink(self, violation: float) -> None:
        """Leave out variables at a bound that want to go beyond it by more than is still in motion."""
        settled = np.zeros(self.problem.n, dtype=bool)
        for g, (highest, lowest) in enumerate(self._extremes):
            members = self.problem.members(g)
            r, rises, falls = self.residual[members], self.rises[members], self.falls[members]
            settled[members] = (~rises & (r > highest + violation)) | (~falls & (r < lowest - violation))
        keep = ~settled if self.active is None else np.isin(np.arange(self.problem.n), self.active) & ~settled
        count = int(np.count_nonzero(keep))
        now = self.problem.n if self.active is None else len(self.active)
        if count < 0.9 * now:  # gathering rows has a price: only for a tenth at least
            self.active = np.flatnonzero(keep)
            self.rises &= keep
            self.falls &= keep

    def _block(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Variables of the block, which of them take part, and its values."""
        if len(chosen) == self.problem.n:
            if self._whole is None:
                self._whole = self.problem.matrix(chosen, self.dtype)
            return chosen, np.ones(len(chosen), dtype=bool), self._whole
        used = self._working.load(chosen)
        return self._working.variables, used, self._working.values

    def _group_ends(self, chosen: np.ndarray) -> np.ndarray:
        return self.problem.group_ends(chosen)

    def _working_set(self) -> np.ndarray:
        """Variables of this round, ordered by group: the worst violators and the most useful of the last round."""
        problem = self.problem
        if self.size >= problem.n:
            return problem.by_group()
        groups = len(self._extremes)
        fresh = self.size // (2 if self.previous.size else 1) // groups
        new = np.concatenate([self._violators(g, fresh) for g in range(groups)])
        taken = np.zeros(problem.n, dtype=bool)
        taken[new] = True
        old = self.previous[~taken[self.previous] & (self.rises[self.previous] | self.falls[self.previous])]
        # free variables first: those at a bound often stay there
        bound = ~(self.rises[old] & self.falls[old])
        old = old[np.argsort(bound, kind="stable")][: self.size - len(new)]
        # newest first: which of the bound ones stay next time. By age magic04 takes 28 rounds, by index 54.
        self.previous = np.concatenate([new, old])
        chosen = np.sort(self.previous)  # ascending: blocks are gathered from rows in one direction
        return chosen if problem.group is None else chosen[np.argsort(problem.group[chosen], kind="stable")]

    def _violators(self, g: int, count: int) -> np.ndarray:
        """Up to `count` variables of a group, half of those that want to rise most, half that want to fall most."""
        r = self.residual
        highest, lowest = self._extremes[g]
        rising, falling = self.rises & (r > lowest), self.falls & (r < highest)
        if self.problem.group is not None:
            rising &= self.problem.group == g
            falling &= self.problem.group == g
        up, down = np.flatnonzero(rising), np.flatnonzero(falling)
        return np.union1d(_largest(up, r[up], count // 2), _largest(down, -r[down], count // 2))


def _largest(index: np.ndarray, key: np.ndarray, count: int) -> np.ndarray:
    if len(index) <= count:
        return index
    return index[np.argpartition(key, len(key) - count)[len(key) - count :]]
