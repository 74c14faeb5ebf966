"""The engine of a search whose matrix does not fit into memory: every sweep computes the kernel values it needs.

A fold goes through the gammas one after the other, along C each problem starts from the one before, and the smallest C
from the last gamma. Folds run side by side, one thread each: SMO is one thread's work, and with all threads on one
problem the others wait for it (magic04, 6 x 6, 3 folds: 77 s of work took 53). The values of the test rows are computed
for all C in one sweep.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from ..certificates import Evidence, with_definiteness
from ..engine import Stopwatch, Task, one_blas_thread, raise_interrupt, run_queue
from ..kernels import Definiteness, Gram, Kernel, definiteness
from ..problems import BoxQP
from ..search import Board
from ..solvers import Monitor, PathPoint, feasible, longest_useful, solve_certified, solve_indefinite
from ._base import part_of
from ._search_problems import Box, SearchProblems, Trained


class BlockSearch:
    """Trains candidates one after the other, within a bounded memory."""

    def __init__(
        self,
        problems: SearchProblems,
        rows: Any,
        kernels: list[Kernel],
        tol: float,
        budget: int | None,
        threads: int,
        fold_by_fold: bool,
        wants_model: bool,
        cache_bytes: int,
    ) -> None:
        self.problems, self.rows, self.kernels = problems, rows, kernels
        self.tol, self.budget, self.threads = tol, budget, threads
        self.fold_by_fold, self.wants_model, self.cache_bytes = fold_by_fold, wants_model, cache_bytes
        self._ends: dict[tuple[int, int], np.ndarray] = {}
        self._monitor, self._lock, self._workers = Monitor(), Lock(), 1

    def watch(self, stopped: Callable[[], bool]) -> None:
        """End the work where `stopped` says so."""
        self._monitor = Monitor(callback=lambda state: stopped())

    def run(self, board: Board) -> None:
        """Train what is open on the board: folds side by side if there are enough of them, else all threads on each."""
        self.board = board
        self.order = np.argsort(board.grid.values[0], kind="stable")
        folds = list(range(len(board.folds)))
        for some in [[f] for f in folds] if self.fold_by_fold else [folds]:
            self._workers = self.threads if len(some) >= self.threads else 1
            self._grams: dict[int, Gram] = {}
            with one_blas_thread():
                run_queue([partial(self._step, fold, 0) for fold in some], self._workers, self._monitor.stop)

    def _step(self, fold: int, gamma: int) -> list[Task]:
        """One gamma in one fold; the next gamma of the fold comes after the others' turn."""
        if self.fold_by_fold:  # nobody else is at work
            self.board.drop()
        try:
            self._train(self._gram(gamma), gamma, fold)
        except Exception as error:
            for c in self._open(gamma, fold):
                self.board.fail(self._candidate(c, gamma), fold, error)
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
        return [int(c) for c in self.order if self.board.open(self._candidate(c, gamma), fold)]

    def _candidate(self, c: int, gamma: int) -> int:
        return self.board.grid.index(c, gamma) if len(self.board.grid.names) == 2 else int(c)

    def _train(self, gram: Gram, gamma: int, fold: int) -> None:
        watch = Stopwatch()
        places = self._open(gamma, fold)
        if not places:
            return
        Cs = self.board.grid.values[0][places]
        judge = partial(definiteness, self.kernels[gamma])
        found = [self.path(gram, k, fold, Cs, judge) for k in range(len(self.problems.problems))]
        test = self.problems.folds[fold].test
        values = np.full((len(places), len(test), len(found)), np.nan)
        for k, points in enumerate(found):
            if points:
                values[:, :, k] = self._values(gram, k, points, test)
        seconds = (watch.seconds()) / len(places)
        for t, c in enumerate(places):
            candidate = self._candidate(c, gamma)
            points_of_c = [points[t] if points else None for points in found]
            trained = Trained(self.board.grid.candidates[candidate], points_of_c, seconds)
            self.board.enter(candidate, fold, self.problems.outcome(fold, trained, values[t], self.wants_model))

    def _values(self, gram: Gram, k: int, points: list[PathPoint], test: np.ndarray) -> np.ndarray:
        rows, betas = self.problems.problems[k].rows, np.array([p.beta for p in points])
        support = np.flatnonzero(betas.any(axis=0))
        b = np.array([p.evidence.intercepts[0] for p in points])
        return gram.product(rows[support], betas[:, support], np.float64, test) + b[:, None]

    def path(
        self, gram: Gram, k: int, fold: int, Cs: np.ndarray, judge: Callable[[Gram], Definiteness]
    ) -> list[PathPoint]:
        """Solutions of one problem along C; none if a class is missing. `judge` says if a matrix is definite."""
        box, problem = self.problems.box(k, fold), self.problems.problems[k]
        if box is None:
            return []
        part = np.flatnonzero(box[0] < box[1])
        rows, p, low, high = problem.rows[part], problem.p[part], box[0][part], box[1][part]
        sub = part_of(gram, rows)
        known = judge(sub)
        points: list[PathPoint] = []
        start, image = self._ends.get((k, fold)), None
        for t, C in enumerate(Cs):
            qp = self._box_qp(sub, p, C, (low, high))
            if t:
                start, image = _lengthened(points[-1], part, p, Cs[t - 1], C, (low, high), self.problems.epsilon)
            if known.fails:  # from zero, as a machine on its own
                solution = solve_indefinite(
                    qp,
                    None,
                    self.tol,
                    self.budget,
                    self._monitor,
                    sign=self.problems.first_sign,
                    cache_bytes=self.cache_bytes // self._workers,
                )
            else:
                solution = solve_certified(
                    qp,
                    None if start is None else feasible(qp, self._variables(start)),
                    self.tol,
                    None,
                    self.budget,
                    self._monitor,
                    cache_bytes=self.cache_bytes // self._workers,
                    image=None if image is None else self._images(image),
                )
            raise_interrupt()
            if self._monitor.stopped:
                raise KeyboardInterrupt
            beta = np.zeros(len(problem.rows))
            beta[part] = self._coefficients(solution.beta)
            evidence = self._narrowed(with_definiteness(solution.evidence, qp, known))
            points.append(PathPoint(beta, solution.status, solution.iterations, evidence=evidence))
            if not t:
                self._ends[k, fold] = beta[part]
        return points

    # ---------------------------------------------------------------- a regressor's problem has two variables a sample

    def _box_qp(self, gram: Gram, p: np.ndarray, C: float, box: Box) -> BoxQP:
        low, high = box
        if self.problems.regression:
            return BoxQP.regressor(gram, p, C * high, self.problems.epsilon)
        return BoxQP(gram, p, C * low, C * high)

    def _variables(self, beta: np.ndarray) -> np.ndarray:
        return np.concatenate([np.maximum(beta, 0), np.minimum(beta, 0)]) if self.problems.regression else beta

    def _images(self, image: np.ndarray) -> np.ndarray:
        return np.tile(image, 2) if self.problems.regression else image

    def _coefficients(self, beta: np.ndarray) -> np.ndarray:
        return beta.reshape(2, -1).sum(axis=0) if self.problems.regression else beta

    def _narrowed(self, evidence: Evidence) -> Evidence:
        if not self.problems.regression:
            return evidence
        return replace(evidence, image=evidence.image[: len(evidence.image) // 2])


def _lengthened(
    point: PathPoint, part: np.ndarray, p: np.ndarray, before: float, C: float, box: Box, epsilon: float
) -> tuple[np.ndarray, np.ndarray | None]:
    """A start for a larger C: the multiple of the last solution with the best objective, and its image."""
    beta, image = point.beta[part], point.evidence.image
    low, high = box
    factor = longest_useful(p, beta, p - image, epsilon, C / before)
    longer = np.clip(factor * beta, C * low, C * high)
    if factor == C / before:
        longer = np.where(beta == before * high, C * high, np.where(beta == before * low, C * low, longer))
    return longer, factor * image
