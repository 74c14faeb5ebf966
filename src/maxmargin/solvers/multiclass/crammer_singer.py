"""The sequential dual method for the multiclass machine of Crammer and Singer.

The multipliers of one sample are found exactly while all others stay (Keerthi et al., KDD 2008, section 3). With
A = ||x_i||^2 and B_k = e_ik + f_ik - A alpha_ik (problem and partner: `maxmargin.problems._crammer_singer`)

    minimise  A/2 sum_k alpha_ik^2 + sum_k B_k alpha_ik    subject to   alpha_ik <= C_ik,  sum_k alpha_ik = 0

has the solution alpha_ik = C_ik - max(0, D_k - t) / A with D_k = B_k + A C_ik and the threshold t for which
sum_k max(0, D_k - t) = A c_i: a projection on a simplex, found by sorting D.

The intercepts are not penalised: their constraints sum_i alpha_ik = 0 are met by the method of multipliers, as in
`dual_coordinate`, with a constant feature, one centre a class and rows that are shifted by their mean in passing.
Samples that do not move rest for one sweep, then three, then seven.
"""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.extending import overload

from ...certificates import Status, evaluate_crammer_singer
from ...data import row_dot, row_dots, row_square, sum_pass
from ...engine import jit, jit_inner
from ...problems import CrammerSingerRisk
from .._driver import IterativeSolver
from .._measured import measured
from .._shuffle import shuffle
from .._solution import Solution
from .._trace import Figures

# Stored values times classes that one call of compiled code goes through: about a tenth of a second.
_BATCH = 100_000_000
_LONGEST_REST = 7


class CrammerSinger(IterativeSolver):
    """Multipliers, weights (features first: a sample's values for all classes lie together), what a sweep remembers.

    `slopes` are multipliers (n, classes) to start from (zero if there are none), with the intercepts of `start`. An
    iteration is a sweep over the samples.
    """

    name = "crammer_singer"
    budget = 50_000
    options = ("seed", "shrinking")
    steps_an_iteration = 10

    def __init__(
        self,
        problem: CrammerSingerRisk,
        start: np.ndarray | None,
        tolerance: float,
        slopes: np.ndarray | None = None,
        *,
        seed: int = 0,
        shrinking: bool = True,
    ) -> None:
        alpha = None
        if slopes is not None and slopes.shape == (problem.n, problem.classes):
            alpha = np.where(problem.weights[:, None] > 0, slopes, 0.0)  # some may no longer take part
        self.tolerance, self.shrinking = tolerance, shrinking
        self.batch = max(1, min(_BATCH // max(problem.stored * problem.classes + 50 * problem.n, 1), 200))
        self.promising = True
        self.problem = problem
        self.members = np.flatnonzero(problem.weights > 0)
        self.order = self.members.copy()
        c = problem.weights
        self.mean = np.zeros(problem.d)
        if problem.fit_intercept and len(self.members):
            sum_pass(problem.rows.arrays, 0, problem.n, c / float(c.sum()), shifted := np.zeros(problem.d + 1))
            self.mean = shifted[:-1]
        self.mean_square = float(np.square(self.mean).sum())
        self.along_mean, self.square = np.empty(problem.n), np.empty(problem.n)
        _squares(problem.rows.arrays, self.mean, self.mean_square, self.along_mean, self.square)
        self.alpha = np.zeros((problem.n, problem.classes)) if alpha is None else alpha
        self.W = np.zeros((problem.d, problem.classes))
        if alpha is not None:
            self.W[:] = problem.transposed(self.alpha)[:, :-1].T
        self.b = self._shift(self._shifted())  # the intercepts of the shifted rows
        self.inverse_rho = 0.0
        if problem.fit_intercept and len(self.members):
            self.inverse_rho = max(0.1 * float(self.square[self.members].mean()), 10.0 / float(c.sum()))
            if start is not None:
                self.b += start[:, -1]
        self.rests = np.zeros((problem.n, 2), dtype=np.int64)
        self.random = np.array([(2 * seed + 0x9E3779B97F4A7C15) % 2**64], dtype=np.uint64)
        self.largest, self.estimate, self.size = np.inf, np.inf, 1.0

    def _shifted(self) -> np.ndarray:
        return self.W - self.mean[:, None] * self.alpha.sum(axis=0)

    def _shift(self, W: np.ndarray) -> np.ndarray:
        return np.einsum("j,jk->k", self.mean, W)

    def variables(self) -> np.ndarray:
        W = self._shifted()
        return np.column_stack([W.T, self.b - self._shift(W)])

    def step(self, most: int) -> Status | None:
        problem = self.problem
        done, self.largest, self.estimate, dual = _sweeps(
            problem.rows.arrays,
            problem.labels,
            problem.weights,
            self.square,
            self.along_mean,
            self.mean,
            self.alpha,
            self.W,
            self.b,
            self.inverse_rho,
            self.order,
            self.rests,
            self.random,
            min(self.batch, most, self.burst),
            self.tolerance,
            self.shrinking,
        )
        self.iterations += done
        self.size = max(abs(dual), 1e-300)
        # whether the gap of the samples that were visited is small enough
        self.promising = self.estimate <= self.tolerance * abs(dual)
        return None

    def finished(self, last: bool) -> Status | None:
        if not (self.promising or last):
            return None
        self.rests[:, 0] = 0  # no sample rests any more
        gap = evaluate_crammer_singer(self.problem, self.variables(), self.balanced()).relative_gap
        return Status.CONVERGED if gap <= self.tolerance else None

    def figures(self) -> Figures:
        if not self.traced:
            return Figures(self.largest, self.estimate / self.size)
        return measured(self.problem, self.variables(), self.balanced())

    def result(self, status: Status, keyboard: bool) -> Solution:
        return Solution(self.variables(), status, self.iterations, slopes=self.balanced(), keyboard=keyboard)

    def balanced(self) -> np.ndarray:
        """Multipliers whose sums over the samples are zero, if there are intercepts.

        What class k has too much of and class l too little moves from one to the other in samples where neither is at
        its bound: there both are at the maximum m_i, and the move is free. If these do not suffice, in any sample.
        """
        if not self.problem.fit_intercept:
            return self.alpha
        alpha, C = self.alpha.copy(), self.problem.bounds()
        for free in (True, False):
            total = alpha.sum(axis=0)
            for _ in range(2 * len(total)):
                k, low = int(total.argmax()), int(total.argmin())
                need = min(total[k], -total[low])
                if need <= 0.0:
                    break
                room = np.maximum(C[:, low] - alpha[:, low], 0.0)
                if free:
                    room[alpha[:, k] >= C[:, k]] = 0.0
                whole = float(room.sum())
                share = min(1.0, need / whole) * room if whole > 0.0 else room
                alpha[:, k] -= share
                alpha[:, low] += share
                if whole <= need:  # all is used up between these two
                    break
                total = alpha.sum(axis=0)
        return np.minimum(alpha, C)


def _add_changes(rows, i, changed, count, delta, W):  # type: ignore[no-untyped-def]
    """``W[:, k] += delta[k] x_i`` for the first `count` classes k of `changed`."""
    raise RuntimeError("_add_changes is called from compiled code only")


@overload(_add_changes)
def _add_changes_overload(rows, i, changed, count, delta, W):  # type: ignore[no-untyped-def]
    if isinstance(rows, types.BaseTuple) and len(rows) == 1:

        def dense(rows, i, changed, count, delta, W):  # type: ignore[no-untyped-def]
            x = rows[0][i]
            for j in range(x.shape[0]):
                for s in range(count):
                    W[j, changed[s]] += delta[changed[s]] * x[j]

        return dense

    def csr(rows, i, changed, count, delta, W):  # type: ignore[no-untyped-def]
        data, indices, indptr = rows
        for p in range(indptr[i], indptr[i + 1]):
            row = W[indices[p]]
            for s in range(count):
                row[changed[s]] += delta[changed[s]] * data[p]

    return csr


@jit
def _squares(rows, mean, mean_square, along_mean, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        along_mean[i] = row_dot(rows, i, mean)
        out[i] = max(row_square(rows, i) - 2.0 * along_mean[i] + mean_square, 0.0)


@jit_inner
def _threshold(D, radius):  # type: ignore[no-untyped-def]
    """The t with ``sum_k max(0, D_k - t) = radius``; D is sorted in place."""
    D.sort()
    total, count = -radius, 0
    for k in range(D.shape[0] - 1, -1, -1):
        if count > 0 and D[k] * count <= total:  # below the threshold of those before it
            break
        total += D[k]
        count += 1
    return total / count


@jit_inner
def _block(g, own, c, A, alpha, new, room):  # type: ignore[no-untyped-def]
    """The multipliers of one sample, exactly; g are its values e_ik + f_ik."""
    K = g.shape[0]
    if A <= 0.0:  # a row of zeros: its values do not depend on alpha, all weight goes to the largest
        new[:] = 0.0
        best = g.argmax()
        if best != own:
            new[own] = c
            new[best] = -c
        return
    for k in range(K):
        room[k] = g[k] - A * alpha[k] + (A * c if k == own else 0.0)
    t = _threshold(room, A * c)
    for k in range(K):
        bound = c if k == own else 0.0
        excess = (g[k] - t) / A - alpha[k] + bound
        new[k] = bound - max(excess, 0.0)


@jit
def _sweeps(  # type: ignore[no-untyped-def]
    rows,
    labels,
    c,
    square,
    along_mean,
    mean,
    alpha,
    W,
    b,
    inverse_rho,
    order,
    rests,
    random,
    count,
    tolerance,
    shrinking,
):
    """Sweeps until the gap of those that were visited seems small enough, `count` at most; everything is updated."""
    n, K = alpha.shape
    g, new, delta, room = np.empty(K), np.empty(K), np.empty(K), np.empty(K)
    changed = np.empty(K, dtype=np.int64)
    total, mean_W, mean_square = np.zeros(K), np.zeros(K), 0.0  # sum_i alpha_ik, <mu, w_k>
    for i in range(n):
        for k in range(K):
            total[k] += alpha[i, k]
    for j in range(W.shape[0]):
        mean_square += mean[j] * mean[j]
        for k in range(K):
            mean_W[k] += mean[j] * W[j, k]
    largest, estimate, dual, sweep = 0.0, 0.0, 0.0, 0
    while sweep < count:
        sweep += 1
        for k in range(K):
            b[k] += inverse_rho * total[k]
        largest, estimate = 0.0, 0.0
        shuffle(order, order.shape[0], random)
        for t in range(order.shape[0]):
            i = order[t]
            if rests[i, 0] > 0:
                rests[i, 0] -= 1
                continue
            A, own = square[i] + inverse_rho, labels[i]
            for k in range(K):
                g[k] = b[k] - mean_W[k] - total[k] * (along_mean[i] - mean_square) + (1.0 if k != own else 0.0)
            row_dots(rows, i, W, g)
            _block(g, own, c[i], A, alpha[i], new, room)
            m, moved = g.max(), 0
            for k in range(K):
                bound = c[i] if k == own else 0.0
                estimate += (bound - alpha[i, k]) * (m - g[k])
                delta[k] = new[k] - alpha[i, k]
                if abs(delta[k]) > 1e-14 * c[i]:
                    changed[moved] = k
                    moved += 1
                    largest = max(largest, abs(delta[k]) * A)
            if moved:
                rests[i, 1] = 0
                for s in range(moved):
                    k = changed[s]
                    alpha[i, k] = new[k]
                    b[k] += inverse_rho * delta[k]
                    total[k] += delta[k]
                    mean_W[k] += delta[k] * along_mean[i]
                _add_changes(rows, i, changed, moved, delta, W)
            elif shrinking:
                rests[i, 1] = min(2 * rests[i, 1] + 1, _LONGEST_REST)
                rests[i, 0] = rests[i, 1]
        dual = 0.0
        for i in range(n):
            dual += alpha[i, labels[i]]
        for j in range(W.shape[0]):
            for k in range(K):
                dual -= 0.5 * W[j, k] * W[j, k]
        if estimate <= tolerance * abs(dual):
            break
    return sweep, largest, estimate, dual
