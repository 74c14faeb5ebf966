"""The rounds of gradient boosting: derivatives at the sums so far, a tree for each class, its leaves' values, the sums.

The trees of large tables are grown by all threads together, one after the other; those of small ones, for which that
would not be worth it, each by a thread of its own. The trees are the same in either way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine import jit, raise_interrupt, run_parallel, run_portions, stop_flag, thread_count
from ._grow import grow, slots_for
from ._losses import Loss, weighted_quantile
from ._packed import Codes
from ._rules import END, FIRST, LEFT, LOWER, UPPER, VALUE, Nodes, Rules, new_nodes, new_scratch
from ._series import Series, series_of
from ._sums import Units, make_pairs, units_for
from ._teamwork import Team, end_team, help_out, new_team

# Entries of codes from which threads grow a tree together; rows of a task.
_TOGETHER, _ROWS = 2_000_000, 32768


@dataclass(frozen=True, eq=False)
class Limits:
    """The parameters of a tree."""

    max_leaves: int
    max_depth: int
    min_rows: int
    l2: float
    share: float
    rate: float
    monotonic: np.ndarray
    groups: np.ndarray

    def rules(self, units: Units) -> Rules:
        constrained = bool(self.monotonic.any())
        return Rules(
            units,
            self.max_leaves,
            self.max_depth,
            self.min_rows,
            self.l2,
            self.share,
            self.monotonic,
            constrained,
            self.groups,
        )


class Booster:
    """Grows trees for rows with targets, round by round; `raw` are the sums, of shape (trees of a round, rows)."""

    def __init__(
        self, codes: Codes, y: np.ndarray, weight: np.ndarray | None, loss: Loss, limits: Limits, raw: np.ndarray
    ) -> None:
        n, self.codes, self.y, self.loss, self.limits, self.raw = len(y), codes, y, loss, limits, raw
        self.weight = np.empty(0) if weight is None else weight
        self.g = np.empty((loss.trees, n))
        self.flat = loss.is_flat and weight is None
        self.h = np.empty((0, 0)) if loss.is_flat else np.empty((loss.trees, n))
        threads, d = thread_count(None), len(codes.packed.place)
        together = codes.packed.rows.size >= _TOGETHER
        self.helpers = threads - 1 if together else 0
        slots = slots_for(n, codes.bins, limits.max_leaves)
        count = 1 if together else min(loss.trees, threads)
        self.desks = [
            (
                new_team(n, codes.bins, slots, np.empty(2 * n, dtype=np.int64), self.helpers),
                new_nodes(n, limits.max_leaves, limits.min_rows, bool(codes.packed.categorical.any())),
                np.empty(n // max(1, limits.min_rows) + 2, dtype=np.int64),
            )
            for _ in range(count)
        ]
        self.columns = d

    def round(self, seed: int) -> Series:
        """One more tree for each class, added to the sums."""
        raise_interrupt()
        g_most, h_most = self.loss.derivatives(self.y, self.weight, self.raw, self.g, self.h)
        if self.loss.is_flat:
            h_most = np.full(self.loss.trees, 1.0 if self.flat else float(self.weight.max()))
        tasks = [(k, float(g_most[k]), float(h_most[k]), seed + k) for k in range(self.loss.trees)]
        desks = list(self.desks)

        def work(*task: Any) -> Series:
            desk = desks.pop()
            try:
                return self._tree(*desk, *task)
            finally:
                desks.append(desk)

        if len(tasks) == 1 or self.helpers:
            return Series.joined([work(*task) for task in tasks])
        return Series.joined(run_portions(work, tasks, len(self.desks), long=True))

    def _tree(
        self, team: Team, nodes: Nodes, heap: np.ndarray, k: int, g_most: float, h_most: float, seed: int
    ) -> Series:
        """One tree."""
        n, packed = len(self.y), self.codes.packed
        g = self.g[k]
        h = self.weight if self.loss.is_flat else self.h[k]
        units = units_for(n, g_most, h_most)
        if self.flat:
            units = Units(units.g_unit, 1.0, units.bits)
        portions = [(g, h, start, min(start + _ROWS, n), units, team.pairs) for start in range(0, n, _ROWS)]
        run_portions(make_pairs, portions, thread_count(None))
        rules, scratch = self.limits.rules(units), new_scratch(self.columns, seed)
        stop = stop_flag()

        def lead() -> int:
            try:
                return grow(team, packed, nodes, heap, rules, scratch, stop)
            finally:
                end_team(team)

        if self.helpers:
            team.board[:] = 0
            tasks: list[tuple] = [(lead,), *((lambda t=t: help_out(team, packed, t),) for t in range(self.helpers))]
            count = run_parallel(lambda task: task(), tasks, long=True)[0]
        else:
            team.board[:] = 0
            count = run_parallel(lead, [()], long=True)[0]
        raise_interrupt()
        if count > 1:
            self._set_leaves(team, nodes, count, k)
        tree = series_of(nodes, count, self.codes.edges, self.limits.rate)
        if count > 1:
            self._add(team, nodes, tree, count, k)
        return tree

    def _set_leaves(self, team: Team, nodes: Nodes, count: int, k: int) -> None:
        """Values of leaves by their rows: quantiles of residuals, or Newton steps from sums of floats."""
        leaves = np.flatnonzero(nodes.integers[:count, LEFT] < 0)
        firsts, ends = nodes.integers[leaves, FIRST], nodes.integers[leaves, END]
        if self.loss.by_rank:
            residual = self.y - self.raw[k]

            def rank(first: int, end: int) -> float:
                rows = team.order[first:end]
                weight = self.weight[rows] if self.weight.size else None
                return weighted_quantile(residual[rows], weight, self.loss.quantile)

            values = np.array(run_portions(rank, list(zip(firsts, ends, strict=True)), thread_count(None)))
        elif self.flat:
            return
        else:
            h = self.weight if self.loss.is_flat else self.h[k]
            sums = run_portions(
                lambda first, end: leaf_sums(team.order, first, end, self.g[k], h),
                list(zip(firsts, ends, strict=True)),
                thread_count(None),
            )
            values = np.array([-a / (b + self.limits.l2 + 1e-15) for a, b in sums])
        nodes.numbers[leaves, VALUE] = np.clip(values, nodes.numbers[leaves, LOWER], nodes.numbers[leaves, UPPER])

    def _add(self, team: Team, nodes: Nodes, tree: Series, count: int, k: int) -> None:
        """Add the values of the leaves to the sums."""
        leaves = np.flatnonzero(nodes.integers[:count, LEFT] < 0)
        firsts = nodes.integers[leaves, FIRST]
        order = np.argsort(firsts)
        firsts, values, n = firsts[order], tree.value[leaves[order]], len(self.y)
        portions = [(start, min(start + _ROWS, n)) for start in range(0, n, _ROWS)]
        run_portions(
            lambda start, end: add_values(team.order, start, end, firsts, values, self.raw[k]),
            portions,
            thread_count(None),
        )


@jit
def leaf_sums(index: Any, first: int, end: int, g: Any, h: Any) -> tuple[float, float]:
    """The sums of first and second derivatives of the rows of a leaf."""
    a = b = 0.0
    for i in range(first, end):
        a += g[index[i]]
        b += h[index[i]]
    return a, b


@jit
def add_values(index: Any, start: int, end: int, firsts: Any, values: Any, raw: Any) -> None:
    """Add the value of its leaf to the sum of each row from one place to another; leaves lie side by side."""
    leaf = 0
    while leaf + 1 < firsts.size and firsts[leaf + 1] <= start:
        leaf += 1
    at = start
    while at < end:
        stop = min(end, firsts[leaf + 1] if leaf + 1 < firsts.size else end)
        for i in range(at, stop):
            raw[index[i]] += values[leaf]
        at = stop
        leaf += 1
