"""Machines of cells of rows at one intercept that all of them share, each by itself.

For a fixed intercept b the multipliers of a cell need not sum to 0: the cell maximises (p - b)'beta - 1/2 beta'K beta
over its box alone. A further variable without kernel values (k = 0 to all rows and to itself) and with p = b makes
that a problem of SMO: it takes what the sum of the others lacks, and its residual is b at every moment.

Kernel values of a cell are computed anew in each pass, unless all of them fit into memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...engine import keep_interrupt, run_parallel, was_interrupted
from ...problems import BoxQP
from .._monitor import Monitor
from ..kernel._smo import smo
from ._time_limit import TimeLimit

# Values of float32 kernels worse than this, relative to the diagonal, would mislead.
_FLOAT32_LIMIT = 1e-4
_VALUES_A_CALL = 150_000_000  # that steps read between two looks at the clock: 0.1 s in a cell of 6000 rows
_LEAST_STEPS = 1000
_STEPS_A_ROW = 200  # at most
_CONJUGATE_STEPS = 25
_STRIP = 256  # rows of a matrix that are computed at a time
_RIDGE = 1e-5  # relative to the diagonal: rows that coincide have a matrix without an inverse


@dataclass(eq=False)
class Pass:
    """What one pass over the cells has found.

    Attributes
    ----------
    beta : ndarray
        Multipliers at the intercept of the pass, within their box.
    tangent : ndarray
        How they change with the intercept, while no other variable becomes free or bound.
    finished : bool
        Whether every cell was solved: neither time nor Ctrl-C ended it.

    """

    beta: np.ndarray
    tangent: np.ndarray
    finished: bool = True


class CellMachines:
    """The cells of a problem, and what they are solved with.

    Parameters
    ----------
    problem : BoxQP
        A classifier's or a regressor's.
    cells : list of ndarray of int
        Rows of the matrix; no row is in two of them.
    tolerance : float
        The violation that is left.
    limit, threads, memory, monitor
        When to end at the latest; threads, and bytes that the matrices of cells may take together.

    """

    def __init__(
        self,
        problem: BoxQP,
        cells: list[np.ndarray],
        tolerance: float,
        limit: TimeLimit,
        threads: int,
        memory: int,
        monitor: Monitor | None,
    ) -> None:
        self.problem, self.tolerance, self.limit, self.monitor = problem, tolerance, limit, monitor
        n = problem.gram.shape[0]
        self.rows = sorted(cells, key=len, reverse=True)  # the largest first, so that no thread is alone at the end
        self.variables = [(np.arange(problem.n // n)[:, None] * n + rows).ravel() for rows in self.rows]
        self.threads = threads
        gram = problem.gram.with_threads(1)
        self.gram = gram
        error = gram.float32_error()
        self.dtype: type = np.float32 if error <= _FLOAT32_LIMIT else np.float64
        largest = float(np.abs(gram.diagonal()).max(initial=0.0))
        self._noise = error * largest / 4 if self.dtype == np.float32 else 0.0
        sizes = sum((len(v) + 1) ** 2 for v in self.variables) * np.dtype(self.dtype).itemsize
        self._kept: dict[int, np.ndarray] | None = {} if sizes <= memory else None
        self.steps = np.zeros(len(cells), np.int64)
        self.stopped = False

    @property
    def over(self) -> bool:
        """Whether time, Ctrl-C or a callback ends it."""
        return self.stopped or self.limit.over or was_interrupted()

    def solve(self, b: float, start: np.ndarray) -> Pass:
        """Every cell at intercept b, from `start`; cells that time or Ctrl-C leaves out stay as they are."""
        found = Pass(start.copy(), np.zeros(self.problem.n))
        finished = np.zeros(len(self.rows), bool)

        def task(begin: int) -> None:
            room: np.ndarray | None = None
            if self._kept is None:
                room = np.empty((len(self.variables[0]) + 1) ** 2, self.dtype)
            try:
                for k in range(begin, len(self.rows), self.threads):
                    self.stopped |= self.monitor is not None and self._report()
                    if self.over:
                        return
                    finished[k] = self._solve_one(k, b, found, room)
            except BaseException:
                self.stopped = True  # the other threads end, too
                raise

        with keep_interrupt():  # what has been reached stays
            run_parallel(task, [(t,) for t in range(self.threads)], long=True)
        found.finished = bool(finished.all())
        return found

    def _report(self) -> bool:
        assert self.monitor is not None
        return self.monitor.report(int(self.steps.sum()), np.nan, np.nan)

    def _solve_one(self, k: int, b: float, found: Pass, room: np.ndarray | None) -> bool:
        """One cell; False if it was not finished."""
        problem, v, K = self.problem, self.variables[k], self._matrix(k, room)
        if K is None:
            return False
        m = len(v)
        start = found.beta[v]
        residual: np.ndarray = np.full(m + 1, b, self.dtype)
        residual[:m] = problem.p[v]
        if start.any():
            residual[:m] -= K[:m, :m] @ start.astype(self.dtype)
        lower, upper = problem.lower[v], problem.upper[v]
        wide = 4 * float((upper - lower).sum()) + 1.0
        beta, low, high = (np.append(part, end) for part, end in ((start, 0.0), (lower, -wide), (upper, wide)))
        ends, used, violation, target = np.array([m + 1]), 0, np.inf, 0.0
        steps = max(_VALUES_A_CALL // m, _LEAST_STEPS)
        while used < _STEPS_A_ROW * m:
            target = max(self.tolerance, self._noise * float(np.linalg.norm(beta[:m])))
            taken, violation = smo(K, beta, low, high, residual, ends, self.dtype(target), steps, 0.0)
            used += int(taken)
            if violation <= target or taken == 0 or self.over:
                break
        self.steps[k] += used
        found.beta[v] = beta[:m]
        free = np.flatnonzero((beta[:m] > lower) & (beta[:m] < upper))
        if len(free) and not self.over:  # there is no other pass
            found.tangent[v[free]] = -_solve_ones(K[free[:, None], free])
        return violation <= target or not self.over

    def _matrix(self, k: int, room: np.ndarray | None) -> np.ndarray | None:
        """Kernel values of a cell's variables, and zeros for the one that holds the intercept; None if time is over.

        They are written into `room`, where there is any: fresh memory takes longer than the values.
        """
        if self._kept is not None and k in self._kept:
            return self._kept[k]
        rows, m = self.rows[k], len(self.variables[k])
        gram, r = self.gram.restricted(rows), len(rows)
        if room is None:
            room = np.empty((m + 1) ** 2, self.dtype)
        K = room[: (m + 1) ** 2].reshape(m + 1, m + 1)
        every = np.arange(r)
        for begin in range(0, r, _STRIP):
            if self.over:
                return None
            part = every[begin : begin + _STRIP]
            values = gram.block(part, every, self.dtype)
            for a in range(0, m, r):
                for c in range(0, m, r):
                    K[a + begin : a + begin + len(part), c : c + r] = values
        K[m] = K[:, m] = 0.0
        if self._kept is not None:
            self._kept[k] = K
        return K


def _solve_ones(K: np.ndarray) -> np.ndarray:
    """About ``K^-1 1`` by some steps of conjugate gradients; its sum is never more than the exact one's."""
    ridge = _RIDGE * float(np.mean(np.diagonal(K)))
    x, r = np.zeros(len(K)), np.ones(len(K))
    direction, square = r.copy(), float(len(K))
    for _ in range(_CONJUGATE_STEPS):
        image = (K @ direction.astype(K.dtype)).astype(np.float64) + ridge * direction
        curvature = float(direction @ image)
        if not curvature > 0:
            break
        step = square / curvature
        x += step * direction
        r -= step * image
        before, square = square, float(r @ r)
        if square <= 1e-4 * len(K):
            break
        direction = r + square / before * direction
    return x
