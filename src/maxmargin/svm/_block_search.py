"""The engine of a search whose matrix does not fit into memory: every sweep computes the kernel values it needs.

A fold goes through the gammas one after the other, along C each problem starts from the one before, and the smallest C
from the last gamma. Folds run side by side, one thread each: SMO is one thread's work, and with all threads on one
problem the others wait for it (magic04, 6 x 6, 3 folds: 77 s of work took 53). The values of the test rows are computed
for all C in one sweep.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from ..engine import Stopwatch, Task, one_blas_thread, run_queue
from ..kernels import Gram, Kernel, definiteness
from ..search import SearchState
from ..solvers import Monitor, Solution
from ._block_path import BlockPath
from ._input import part_of
from ._search_problems import SearchProblems, Trained


@dataclass(eq=False, kw_only=True)
class BlockSearch:
    """Trains candidates one after the other, within a bounded memory; the rest is as in `StoredSearch`."""

    problems: SearchProblems
    rows: Any
    kernels: list[Kernel]
    tol: float
    budget: int | None
    threads: int
    fold_by_fold: bool
    wants_model: bool
    cache_bytes: int
    _ends: dict[tuple[int, int], np.ndarray] = field(init=False, default_factory=dict)
    _monitor: Monitor = field(init=False, default_factory=Monitor)
    _lock: Any = field(init=False, default_factory=Lock)
    _workers: int = field(init=False, default=1)

    def run(self, state: SearchState) -> None:
        """Train what is open on the state: folds side by side if there are enough of them, else all threads on each."""
        self.state = state
        self.order = np.argsort(state.grid.values[0], kind="stable")
        folds = list(range(len(state.folds)))
        for some in [[f] for f in folds] if self.fold_by_fold else [folds]:
            self._workers = self.threads if len(some) >= self.threads else 1
            self._grams: dict[int, Gram] = {}
            with one_blas_thread():
                run_queue([partial(self._step, fold, 0) for fold in some], self._workers, self._monitor.stop)

    def _step(self, fold: int, gamma: int) -> list[Task]:
        """One gamma in one fold; the next gamma of the fold comes after the others' turn."""
        if self.fold_by_fold:  # nobody else is at work
            self.state.drop()
        try:
            self._train(self._gram(gamma), gamma, fold)
        except Exception as error:
            for c in self._open(gamma, fold):
                self.state.fail(self._candidate(c, gamma), fold, error)
        last = gamma + 1 == len(self.kernels) or self._monitor.stopped
        return [] if last else [partial(self._step, fold, gamma + 1)]

    def _gram(self, gamma: int) -> Gram:
        with self._lock:
            if gamma not in self._grams:
                threads = max(1, self.threads // self._workers)
                self._grams[gamma] = self.kernels[gamma].gram(self.rows, None, threads)
            return self._grams[gamma]

    def _open(self, gamma: int, fold: int) -> list[int]:
        """Places of the values of C that are open, in ascending order of C."""
        return [int(c) for c in self.order if self.state.open(self._candidate(c, gamma), fold)]

    def _candidate(self, c: int, gamma: int) -> int:
        return self.state.grid.index(c, gamma) if len(self.state.grid.names) == 2 else int(c)

    def _train(self, gram: Gram, gamma: int, fold: int) -> None:
        watch = Stopwatch()
        places = self._open(gamma, fold)
        if not places:
            return
        Cs = self.state.grid.values[0][places]
        found = [self._path(gram, gamma, k, fold, Cs) for k in range(len(self.problems.problems))]
        test = self.problems.folds[fold].test
        values = np.full((len(places), len(test), len(found)), np.nan)
        for k, points in enumerate(found):
            if points:
                values[:, :, k] = self._values(gram, k, points, test)
        seconds = (watch.seconds()) / len(places)
        for t, c in enumerate(places):
            candidate = self._candidate(c, gamma)
            points_of_c = [points[t] if points else None for points in found]
            trained = Trained(self.state.grid.candidates[candidate], points_of_c, seconds)
            self.state.enter(candidate, fold, self.problems.outcome(fold, trained, values[t], self.wants_model))

    def _path(self, gram: Gram, gamma: int, k: int, fold: int, Cs: np.ndarray) -> list[Solution]:
        """One problem along C, from where the last gamma ended."""
        box = self.problems.box(k, fold)
        if box is None:
            return []
        part = self.problems.problems[k].rows[box[0] < box[1]]
        known = definiteness(self.kernels[gamma], part_of(gram, part))
        along = BlockPath(
            problems=self.problems,
            tol=self.tol,
            budget=self.budget,
            cache_bytes=self.cache_bytes // self._workers,
            monitor=self._monitor,
        )
        points = along.solve(gram, k, fold, Cs, known, self._ends.get((k, fold)))
        self._ends[k, fold] = points[0].variables
        return points

    def _values(self, gram: Gram, k: int, points: list[Solution], test: np.ndarray) -> np.ndarray:
        rows, betas = self.problems.problems[k].rows, np.array([p.variables for p in points])
        support = np.flatnonzero(betas.any(axis=0))
        b = np.array([p.evidence.intercepts[0] for p in points])
        return gram.product(rows[support], betas[:, support], np.float64, test) + b[:, None]
