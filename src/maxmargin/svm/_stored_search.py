"""The engine of a search whose matrices fit into memory.

Work is divided into chains. A chain is a problem in one fold (or, where there are many problems, in all folds) through
a run of gammas: at each of them it solves for all C in ascending order, from one warm start to the next, and the
smallest C starts from where the last gamma ended. Chains share the matrix of a gamma. Their number depends on the data
and on the number of threads alone, and so does every result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from threading import Lock
from typing import Any

import numpy as np

from ..certificates import of_widths
from ..engine import Stopwatch, Task, one_blas_thread, run_queue
from ..kernels import Definiteness, Kernel, MatrixGram, StoredMatrix, definiteness
from ..search import SearchState
from ..solvers import Monitor, PathProblem, Solution, solve_stored_paths
from ._block_path import BlockPath
from ._search_problems import Box, SearchProblems, Trained

_CHAINS_A_THREAD = 2


@dataclass(eq=False)
class _Chain:
    """A problem, some folds, and the gammas that it goes through; `ends` is where the last gamma left each fold."""

    problem: int
    folds: list[int]
    gammas: list[int]
    ends: dict[int, np.ndarray] = field(default_factory=dict)


class _Matrices:
    """The matrix of each gamma and problem: made by the first chain that needs it, gone with the last."""

    def __init__(self, make: Any, users: dict[tuple[int, int], int]) -> None:
        self._make, self._users = make, users
        self._kept: dict[tuple[int, int], StoredMatrix] = {}
        self._locks = {key: Lock() for key in users}

    def take(self, gamma: int, problem: int) -> StoredMatrix:
        key = gamma, problem
        with self._locks[key]:
            if key not in self._kept:
                self._kept[key] = self._make(gamma, problem)
            return self._kept[key]

    def give_back(self, gamma: int, problem: int) -> None:
        key = gamma, problem
        with self._locks[key]:
            self._users[key] -= 1
            if not self._users[key]:
                self._kept.pop(key, None)


@dataclass(eq=False, kw_only=True)
class StoredSearch:
    """Trains candidates on matrices in memory.

    Parameters
    ----------
    problems : SearchProblems
    values : object with ``values(kernel, rows, columns)``
        Kernel values in float64 between rows of X.
    kernels : list of Kernel
        One for each gamma of the grid.
    tol, budget
        Of every problem.
    threads : int
    fold_by_fold : bool
        Whether a fold is to be finished before the next one begins, and in it each step of the chains before the next:
        a race needs that.
    wants_model : bool
        Whether a scorer will ask for machines.
    exact : bool
        Whether solutions are to be exact to rounding.
    part : tuple of list of int, optional
        The gammas and the folds of one of the `runs_of_chains`, which alone are trained.
    workers : int, optional
        Threads that work, if they are not as many as `threads`, by which chains are divided.

    """

    problems: SearchProblems
    values: Any
    kernels: list[Kernel]
    tol: float
    budget: int | None
    threads: int
    fold_by_fold: bool
    wants_model: bool
    exact: bool = False
    part: tuple[list[int], list[int]] | None = None
    workers: int | None = None
    _stop: np.ndarray = field(init=False, default_factory=lambda: np.zeros(1, dtype=np.uint8))

    def run(self, state: SearchState) -> None:
        """Train what is open on the state."""
        grid = state.grid
        self.state = state
        self.Cs = grid.values[0]
        self.order = np.argsort(self.Cs, kind="stable")
        folds = list(range(len(state.folds))) if self.part is None else self.part[1]
        with one_blas_thread():
            for some in [[f] for f in folds] if self.fold_by_fold else [folds]:
                self._run_folds(some)

    def _run_folds(self, folds: list[int]) -> None:
        chains = list(self._chains(folds))
        users: dict[tuple[int, int], int] = {}
        for chain in chains:
            for gamma in chain.gammas:
                users[gamma, chain.problem] = users.get((gamma, chain.problem), 0) + 1
        self.matrices = _Matrices(self._matrix, users)
        self._known: dict[tuple[int, int], Definiteness] = {}
        self._found: dict[tuple[int, int, int], list[Solution]] = {}
        self._seconds: dict[tuple[int, int, int], float] = {}
        self._planned: dict[tuple[int, int], np.ndarray] = {}
        self._missing = {(g, f): len(self.problems.problems) for g in range(len(self.kernels)) for f in folds}
        self._lock = Lock()
        if not self.fold_by_fold:
            run_queue([partial(self._step, chain, 0) for chain in chains], self.workers or self.threads, self._halt)
            return
        for place in range(max(len(chain.gammas) for chain in chains)):
            tasks: list[Task] = [partial(self._step, chain, place) for chain in chains if place < len(chain.gammas)]
            run_queue(tasks, self.threads, self._halt)
            self.state.drop()

    def _halt(self) -> None:
        self._stop[0] = 1

    def _chains(self, folds: list[int]) -> Iterator[_Chain]:
        many = len(self.problems.problems)
        runs = [self.part] if self.part else runs_of_chains(many, folds, len(self.kernels), self.threads)
        for gammas, together in groupby(runs, key=itemgetter(0)):
            shared = [some for _, some in together]
            for k in range(many):
                for some in shared:
                    yield _Chain(k, some, gammas)

    def _matrix(self, gamma: int, problem: int) -> StoredMatrix:
        rows = self.problems.problems[problem].rows
        with np.errstate(over="ignore"):
            kernel = self.kernels[gamma]
            matrix = StoredMatrix(self.values.values(kernel, rows, rows), self.values.accuracy(kernel, rows))
        if not np.isfinite(matrix.coarse).all():
            raise ValueError("kernel values are too large for float32. Scale X, or leave out the largest gammas.")
        self._known[gamma, problem] = definiteness(kernel, matrix.gram(), matrix.accuracy)
        return matrix

    def _plan(self, gamma: int, fold: int) -> np.ndarray:
        """Places of the values of C that are trained, in ascending order of C.

        Those that are open when the first problem of a fold asks, whatever is dropped later.
        """
        with self._lock:
            if (gamma, fold) not in self._planned:
                places = [c for c in self.order if self.state.open(self._candidate(c, gamma), fold)]
                self._planned[gamma, fold] = np.array(places, dtype=np.int64)
            return self._planned[gamma, fold]

    def _candidate(self, c: int, gamma: int) -> int:
        return self.state.grid.index(c, gamma) if len(self.state.grid.names) == 2 else int(c)

    # ---------------------------------------------------------------- one gamma of a chain

    def _step(self, chain: _Chain, place: int) -> list[Task]:
        """One gamma of a chain; what comes after it is returned."""
        gamma = chain.gammas[place]
        try:
            self._solve(chain, gamma)
        except Exception as error:
            for fold in chain.folds:
                for c in self._plan(gamma, fold):
                    self.state.fail(self._candidate(c, gamma), fold, error)
        if self._stop[0]:
            return []
        self.matrices.give_back(gamma, chain.problem)
        further: list[Task] = []
        for fold in chain.folds:
            with self._lock:
                self._missing[gamma, fold] -= 1
                complete = not self._missing[gamma, fold]
            if complete:
                further.append(partial(self._enter, gamma, fold))
        if len(further) == 1:  # nobody else could do it better
            further = list(further[0]() or ())
        if place + 1 < len(chain.gammas) and not self.fold_by_fold:
            further.append(partial(self._step, chain, place + 1))
        return further

    def _solve(self, chain: _Chain, gamma: int) -> None:
        """All open values of C of a problem in the chain's folds."""
        k, watch = chain.problem, Stopwatch()
        paths: dict[int, PathProblem] = {}
        for fold in chain.folds:
            Cs, box = self.Cs[self._plan(gamma, fold)], self.problems.box(k, fold)
            if len(Cs) and box is not None:
                start = chain.ends.get(fold)
                usable = start is not None and _inside(start, Cs[0], box)
                paths[fold] = PathProblem(*box, Cs, start if usable else None)
        if not paths:
            return
        matrix = self.matrices.take(gamma, k)
        found = self._along(matrix, gamma, k, paths)
        if self._stop[0]:
            return
        seconds = (watch.seconds()) / len(paths)
        with self._lock:
            for fold, points in zip(paths, found, strict=True):
                chain.ends[fold] = points[0].variables
                self._found[gamma, fold, k] = points
                self._seconds[gamma, fold, k] = seconds

    def _along(self, matrix: StoredMatrix, gamma: int, k: int, paths: dict[int, PathProblem]) -> list[list[Solution]]:
        """Solutions along C of some folds, each as the matrix allows."""
        known = self._known[gamma, k]
        if known.fails:
            return [self._stationary(matrix, known, k, fold, path.Cs) for fold, path in paths.items()]
        found = solve_stored_paths(
            matrix,
            self.problems.problems[k].p,
            list(paths.values()),
            epsilon=self.problems.epsilon,
            tolerance=self.tol,
            budget=self.budget,
            stop=self._stop,
            polish=self.exact,
        )
        return [
            [known_as(known, point, C, (path.low, path.high)) for point, C in zip(points, path.Cs, strict=False)]
            for points, path in zip(found, paths.values(), strict=True)
        ]

    def _stationary(
        self, matrix: StoredMatrix, known: Definiteness, k: int, fold: int, Cs: np.ndarray
    ) -> list[Solution]:
        """Stationary points of an indefinite matrix: each found on its own, as by a single machine."""
        alone = BlockPath(
            problems=self.problems,
            tol=self.tol,
            budget=self.budget,
            cache_bytes=matrix.exact.nbytes,
            monitor=Monitor(callback=lambda state: bool(self._stop[0])),
        )
        place = np.zeros(len(self.problems.data.y), dtype=np.int64)
        place[self.problems.problems[k].rows] = np.arange(len(matrix.exact))
        points = alone.solve(_Placed(matrix.exact, place), k, fold, Cs, known)
        # the values of the test rows are read from the image
        return [
            replace(point, evidence=replace(point.evidence, image=matrix.exact @ point.variables)) for point in points
        ]

    # ---------------------------------------------------------------- from solutions to outcomes

    def _enter(self, gamma: int, fold: int) -> None:
        """Hand in all values of C of a gamma and fold, once every problem is solved."""
        number = len(self.problems.problems)
        found = [self._found.pop((gamma, fold, k), []) for k in range(number)]
        seconds = sum(self._seconds.pop((gamma, fold, k), 0.0) for k in range(number))
        places = self._plan(gamma, fold)
        if self._stop[0] or not any(found):
            return
        values = self._test_values(gamma, fold, found, len(places))
        for t, c in enumerate(places):
            candidate = self._candidate(c, gamma)
            if not self.state.open(candidate, fold):  # another problem of it failed, or a race has dropped it
                continue
            points = [of_problem[t] if of_problem else None for of_problem in found]
            trained = Trained(self.state.grid.candidates[candidate], points, seconds / len(places))
            self.state.enter(candidate, fold, self.problems.outcome(fold, trained, values[t], self.wants_model))

    def _test_values(self, gamma: int, fold: int, found: list[list[Solution]], count: int) -> np.ndarray:
        """Values of the test rows: one table (rows by problems) for each C."""
        test = self.problems.folds[fold].test
        out = np.full((count, len(test), len(found)), np.nan)
        if len(found) == 1:  # all rows are rows of the only problem: the proof has computed their values
            for t, point in enumerate(found[0]):
                out[t, :, 0] = point.evidence.image[test] + point.evidence.intercepts[0]
            return out
        for k, points in enumerate(found):
            if points:
                out[:, :, k] = np.array([[p.evidence.intercepts[0]] for p in points])
        for rows, parts in self._by_class(found):
            block = self.values.values(self.kernels[gamma], test, rows)
            coefficients = np.concatenate([betas for _, betas in parts])
            sums = (block @ coefficients.T).T.reshape(len(parts), -1, len(test))
            for (k, _), sums_of_pair in zip(parts, sums, strict=True):
                out[:, :, k] += sums_of_pair
        return out

    def _by_class(self, found: list[list[Solution]]) -> Iterator[tuple[np.ndarray, list[tuple[int, np.ndarray]]]]:
        """For each class its rows, and the coefficients that they have in each pair: (pair, values of C by rows)."""
        parts: dict[int, list[tuple[int, np.ndarray]]] = {}
        rows_of: dict[int, np.ndarray] = {}
        for k, points in enumerate(found):
            if not points:
                continue
            problem = self.problems.problems[k]
            betas = np.array([p.variables for p in points])
            for positive in (True, False):
                side = (problem.p > 0) == positive
                rows = problem.rows[side]
                parts.setdefault(int(rows[0]), []).append((k, betas[:, side]))
                rows_of[int(rows[0])] = rows
        for first, of_class in parts.items():
            yield rows_of[first], of_class


def runs_of_chains(problems: int, folds: list[int], gammas: int, threads: int) -> list[tuple[list[int], list[int]]]:
    """Runs of gammas and the folds that go through them together: a chain for each problem."""
    together = [[f] for f in folds] if problems < _CHAINS_A_THREAD * threads else [folds]
    pieces = -(-_CHAINS_A_THREAD * threads // (problems * len(together)))
    runs = np.array_split(np.arange(gammas), min(pieces, gammas))
    return [(run.tolist(), some) for run in runs for some in together]


class _Placed(MatrixGram):
    """The matrix of a problem's rows, asked for by the rows of X."""

    def __init__(self, matrix: np.ndarray, place: np.ndarray) -> None:
        super().__init__(matrix, place, symmetric=True)


def known_as(known: Definiteness, point: Solution, C: float, box: Box) -> Solution:
    """A solution with what is known of its matrix in its proof."""
    if known.basis == "known":
        return point
    return replace(point, evidence=of_widths(point.evidence, C * (box[1] - box[0]), known))


def _inside(beta: np.ndarray, C: float, box: tuple[np.ndarray, np.ndarray]) -> bool:
    return bool(((beta >= C * box[0]) & (beta <= C * box[1])).all())
