"""The losses that gradient boosting takes: where it begins, derivatives, and what its sums predict.

With f the sum of the trees, y the target (or its number of a class) and p = 1 / (1 + e^-f) or softmax(f):

    squared_error    (y - f)^2 / 2             g = f - y              h = 1
    absolute_error   |y - f|                   g = sign(f - y)        h = 1   (leaves then have the median residual)
    quantile         pinball loss of y - f     g = [y < f] - q        h = 1   (leaves then have that quantile)
    poisson          e^f - y f                 g = e^f - y            h = e^f
    gamma            f + y e^-f                g = 1 - y e^-f         h = y e^-f
    log_loss         -log p_y                  g_k = p_k - [y = k]    h_k = p_k (1 - p_k)

Each is multiplied by the weight of its row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine import exp_all, jit, jit_inner, run_portions, thread_count

SQUARED, ABSOLUTE, QUANTILE, POISSON, GAMMA, BINOMIAL, MULTINOMIAL = range(7)
_KINDS = {
    "squared_error": SQUARED,
    "absolute_error": ABSOLUTE,
    "quantile": QUANTILE,
    "poisson": POISSON,
    "gamma": GAMMA,
}
# Rows of a task, and of a block that exponentials are taken of.
_ROWS, _BLOCK = 16384, 512
# As far as probabilities of one class are kept from 0 and 1.
_AWAY = 10 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Loss:
    """A loss by its number, the quantile that it is of, and the trees of a round."""

    kind: int
    quantile: float = 0.5
    trees: int = 1

    @classmethod
    def of_values(cls, name: str, quantile: float | None) -> Loss:
        return cls(_KINDS[name], 0.5 if quantile is None else float(quantile))

    @classmethod
    def of_classes(cls, classes: int) -> Loss:
        return cls(BINOMIAL) if classes <= 2 else cls(MULTINOMIAL, trees=classes)

    @property
    def by_rank(self) -> bool:
        """Whether leaves get a quantile of their residuals."""
        return self.kind in (ABSOLUTE, QUANTILE)

    @property
    def is_flat(self) -> bool:
        """Whether second derivatives are the weights."""
        return self.kind in (SQUARED, ABSOLUTE, QUANTILE)

    @property
    def is_bounded(self) -> bool:
        """Whether derivatives are at most the weights."""
        return self.kind in (ABSOLUTE, QUANTILE, BINOMIAL, MULTINOMIAL)

    def baseline(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        """The constant of the lowest loss, one for each tree of a round."""
        if self.by_rank:
            return np.array([weighted_quantile(y, weight, self.quantile)])
        if self.kind == MULTINOMIAL:
            labels = y.astype(np.int64)
            shares = np.bincount(labels, weight, minlength=self.trees) / (len(y) if weight is None else weight.sum())
            logs = np.log(np.clip(shares, np.finfo(np.float64).eps, 1.0))
            return logs - logs.mean()
        mean = float(np.average(y, weights=weight))
        if self.kind == SQUARED:
            return np.array([mean])
        if self.kind == BINOMIAL:
            mean = min(max(mean, _AWAY), 1 - _AWAY)
            return np.array([np.log(mean / (1 - mean))])
        return np.array([np.log(max(mean, np.finfo(np.float64).tiny))])

    def inverse_link(self, raw: np.ndarray) -> np.ndarray:
        """What the sums predict, for values."""
        if self.kind not in (POISSON, GAMMA):
            return raw
        with np.errstate(over="ignore"):
            return np.exp(raw)

    def probabilities(self, raw: np.ndarray) -> np.ndarray:
        """Probabilities of the classes."""
        if self.kind == BINOMIAL:
            small = np.exp(-np.abs(raw[:, 0]))
            above = np.where(raw[:, 0] >= 0, 1.0, small) / (1.0 + small)
            below = np.where(raw[:, 0] >= 0, small, 1.0) / (1.0 + small)
            return np.column_stack([below, above])
        shares = np.exp(raw - raw.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def derivatives(
        self, y: np.ndarray, weight: np.ndarray, raw: np.ndarray, g: np.ndarray, h: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Write first and second derivatives of shape (trees, rows); the largest of either by size, for each tree.

        No `weight`: every row weighs 1. No `h`: second derivatives are those weights.
        """
        n = len(y)
        portions = [(start, min(start + _ROWS, n)) for start in range(0, n, _ROWS)]

        def work(start: int, end: int) -> np.ndarray:
            most = np.zeros((2, self.trees))
            _derivatives(self.kind, self.quantile, y, weight, raw, g, h, start, end, most)
            return most

        most = np.max(run_portions(work, portions, thread_count(None)), axis=0)
        if self.is_bounded:
            heaviest = float(weight.max()) if weight.size else 1.0
            most[0], most[1] = heaviest, heaviest / 4
        return most[0], most[1]


def weighted_quantile(x: np.ndarray, weight: np.ndarray | None, q: float) -> float:
    """The smallest value with at least the share q of the weight at or below it; the middle of two where both do."""
    order = np.argsort(x, kind="stable")
    mass = np.ones(len(x)) if weight is None else weight[order]
    sums = np.cumsum(mass)
    wanted = q * sums[-1]
    at = min(int(np.searchsorted(sums, wanted * (1 - 1e-12))), len(x) - 1)
    if sums[at] <= wanted * (1 + 1e-12) and at + 1 < len(x):
        return float(x[order[at]] / 2 + x[order[at + 1]] / 2)
    return float(x[order[at]])


@jit
def _derivatives(
    kind: int, q: float, y: Any, weight: Any, raw: Any, g: Any, h: Any, start: int, end: int, most: Any
) -> None:
    room, bits = np.empty((raw.shape[0] + 1, _BLOCK)), np.empty(_BLOCK, dtype=np.int64)
    for begin in range(start, end, _BLOCK):
        stop = min(begin + _BLOCK, end)
        if kind == SQUARED:
            for i in range(begin, stop):
                g[0, i] = raw[0, i] - y[i]
        elif kind == ABSOLUTE:
            for i in range(begin, stop):
                g[0, i] = 1.0 if raw[0, i] > y[i] else -1.0
        elif kind == QUANTILE:
            for i in range(begin, stop):
                g[0, i] = (1.0 - q) if raw[0, i] > y[i] else -q
        elif kind == POISSON or kind == GAMMA:
            _exponential(kind == GAMMA, y, raw[0], g[0], h[0], begin, stop, room[0], bits)
        elif kind == BINOMIAL:
            _binomial(y, raw[0], g[0], h[0], begin, stop, room[0], bits)
        else:
            _multinomial(y, raw, g, h, begin, stop, room, bits)
        for k in range(raw.shape[0]):
            if weight.size:
                for i in range(begin, stop):
                    g[k, i] *= weight[i]
                if h.size and kind >= POISSON:
                    for i in range(begin, stop):
                        h[k, i] *= weight[i]
            if kind >= BINOMIAL or kind == ABSOLUTE or kind == QUANTILE:
                continue  # nobody asks: they are bounded
            high = second = 0.0
            for i in range(begin, stop):
                high = max(high, abs(g[k, i]))
            if h.size and kind >= POISSON:
                for i in range(begin, stop):
                    second = max(second, h[k, i])
            most[0, k] = max(most[0, k], high)
            most[1, k] = max(most[1, k], second)


@jit_inner
def _exponential(gamma: bool, y: Any, f: Any, g: Any, h: Any, begin: int, stop: int, room: Any, bits: Any) -> None:
    m = stop - begin
    for i in range(m):
        room[i] = -f[begin + i] if gamma else f[begin + i]
    exp_all(room, room, bits, m)
    for i in range(m):
        if gamma:
            h[begin + i] = y[begin + i] * room[i]
            g[begin + i] = 1.0 - h[begin + i]
        else:
            h[begin + i] = room[i]
            g[begin + i] = room[i] - y[begin + i]


@jit_inner
def _binomial(y: Any, f: Any, g: Any, h: Any, begin: int, stop: int, room: Any, bits: Any) -> None:
    m = stop - begin
    for i in range(m):
        room[i] = -abs(f[begin + i])
    exp_all(room, room, bits, m)
    for i in range(m):
        e = room[i]
        part = 1.0 / (1.0 + e)
        p = part if f[begin + i] >= 0.0 else e * part
        g[begin + i] = p - y[begin + i]
        h[begin + i] = e * part * part


@jit_inner
def _multinomial(y: Any, f: Any, g: Any, h: Any, begin: int, stop: int, room: Any, bits: Any) -> None:
    K, m = f.shape[0], stop - begin
    top = room[K]
    for i in range(m):
        top[i] = f[0, begin + i]
    for k in range(1, K):
        for i in range(m):
            top[i] = max(top[i], f[k, begin + i])
    for k in range(K):
        for i in range(m):
            room[k, i] = f[k, begin + i] - top[i]
        exp_all(room[k], room[k], bits, m)
    for i in range(m):
        top[i] = 0.0
    for k in range(K):
        for i in range(m):
            top[i] += room[k, i]
    for i in range(m):
        top[i] = 1.0 / top[i]
    for k in range(K):
        for i in range(m):
            p = room[k, i] * top[i]
            g[k, begin + i] = p - (1.0 if y[begin + i] == k else 0.0)
            h[k, begin + i] = p * (1.0 - p)
