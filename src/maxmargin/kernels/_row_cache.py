"""Kernel rows kept in memory, for kernels whose values cost more to compute than to read.

A value from memory costs about 0.5 ns (9 GB/s); computing one costs about as much for ten features, ten times as much
for 784. Which one it is decides `worth_keeping`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..data import Rows
from ..engine import jit, jit_inner, run_parallel
from ._accuracy import Accuracy
from ._gram import Gram
from ._tiled_gram import TiledGram

_NONE = -1


def worth_keeping(gram: Gram) -> bool:
    """Whether a kernel value costs clearly more to compute than to read back."""
    return isinstance(gram, TiledGram) and gram.multiplications > 96


class CachedGram(Gram):
    """A square `TiledGram` whose rows are kept in float32 as far as `memory` bytes go; the least recent make room."""

    def __init__(self, gram: Any, memory: int) -> None:
        self.gram: TiledGram = gram
        self.shape = gram.shape
        n = self.shape[0]
        self.capacity = min(memory // (4 * n), n)
        self.storage = np.empty((self.capacity, n), np.float32)  # pages are taken as rows are written
        self.slot = np.full(n, _NONE)  # where the row of a sample is kept
        self.owner = np.full(self.capacity, _NONE)
        self.last_use = np.zeros(self.capacity, dtype=np.int64)
        self.clock = 0

    def restricted(self, index: np.ndarray) -> Gram:
        return self.gram.restricted(index)

    def diagonal(self) -> np.ndarray:
        return self.gram.diagonal()

    def float32_error(self) -> float:
        return self.gram.float32_error()

    def accuracy(self) -> Accuracy:
        return self.gram.accuracy()

    def sized_products(self, j: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        return self.gram.sized_products(j, coef)

    def linear_rows(self) -> tuple[Rows, np.ndarray | None] | None:
        return self.gram.linear_rows()

    def block(self, i: np.ndarray, j: np.ndarray, dtype: Any) -> np.ndarray:
        if dtype != np.float32:
            return self.gram.block(i, j, dtype)
        out = np.empty((len(i), len(j)), np.float32)
        row_slots, column_slots = self.slot[i], self.slot[j]
        unknown_rows, unknown_columns = np.flatnonzero(row_slots == _NONE), np.flatnonzero(column_slots == _NONE)
        fresh = np.empty((0, 0), np.float32)
        if len(unknown_rows) and len(unknown_columns):
            fresh = self.gram.block(i[unknown_rows], j[unknown_columns], dtype)
        rest = self.storage, row_slots, column_slots, i, j, unknown_rows, unknown_columns, fresh, out
        self._in_parallel(_gather, len(i), len(i) * len(j), rest)
        return out

    def product(self, j: np.ndarray, coef: np.ndarray, dtype: Any, i: np.ndarray | None = None) -> np.ndarray:
        if dtype != np.float32 or i is not None or len(coef) != 1:
            return self.gram.product(j, coef, dtype, i)
        self.clock += 1
        slots = self.slot[j]
        kept = slots != _NONE
        self.last_use[slots[kept]] = self.clock
        out = np.zeros((1, self.shape[0]))
        self._add_kept(slots[kept], coef[0, kept], out[0])
        missing = np.flatnonzero(~kept)
        if len(missing):
            room = self._make_room(j[missing])
            stored, rest = missing[: len(room)], missing[len(room) :]
            self._add_new(j[stored], coef[:, stored], room, out)
            if len(rest):
                out += self.gram.product(j[rest], coef[:, rest], dtype)
        return out

    def _make_room(self, samples: np.ndarray) -> np.ndarray:
        """Slots for new rows: empty ones first, then those not used for longest; none that this product needs."""
        order = np.argsort(self.last_use, kind="stable")
        slots = order[self.last_use[order] < self.clock][: len(samples)]
        old = self.owner[slots]
        self.slot[old[old != _NONE]] = _NONE
        chosen = samples[: len(slots)]
        self.owner[slots], self.slot[chosen], self.last_use[slots] = chosen, slots, self.clock
        return slots

    def _add_kept(self, slots: np.ndarray, coef: np.ndarray, out: np.ndarray) -> None:
        if len(slots):
            rest = self.storage, slots, coef.astype(np.float32), out
            self._in_parallel(_add_rows_range, len(out), len(slots) * len(out), rest)

    def _in_parallel(self, task: Any, length: int, work: int, rest: tuple) -> None:
        threads = self.gram.n_threads if work > 1_000_000 else 1
        edges = np.linspace(0, length, threads + 1).astype(np.int64)
        run_parallel(task, [(a, b, *rest) for a, b in pairwise(edges)])

    def _add_new(self, samples: np.ndarray, coef: np.ndarray, slots: np.ndarray, out: np.ndarray) -> None:
        if len(samples):
            self.gram.sweep_and_store(samples, coef, slots, self.storage, out)


@jit
def _gather(  # type: ignore[no-untyped-def]
    start, stop, storage, row_slots, column_slots, rows, columns, unknown_rows, unknown_columns, fresh, out
):
    """Rows start:stop of a block: from kept rows, by symmetry from kept columns, or from `fresh` where both are new."""
    position = _count_below(unknown_rows, start)
    for t in range(start, stop):
        target = out[t]
        if row_slots[t] >= 0:
            row = storage[row_slots[t]]
            for k in range(columns.shape[0]):
                target[k] = row[columns[k]]
        else:
            for k in range(columns.shape[0]):
                if column_slots[k] >= 0:
                    target[k] = storage[column_slots[k], rows[t]]
            for k in range(unknown_columns.shape[0]):
                target[unknown_columns[k]] = fresh[position, k]
            position += 1


@jit_inner
def _count_below(ascending, value):  # type: ignore[no-untyped-def]
    """Number of entries below `value`."""
    count = 0
    while count < ascending.shape[0] and ascending[count] < value:
        count += 1
    return count


@jit
def _add_rows_range(start, stop, storage, slots, coef, out):  # type: ignore[no-untyped-def]
    """``out[start:stop] += coef @ storage[slots, start:stop]``: four rows a pass in float32, summed in float64."""
    width = 2048
    for first in range(start, stop, width):
        last = min(stop, first + width)
        total = out[first:last]
        k = 0
        while k + 4 <= slots.shape[0]:
            a, b = storage[slots[k], first:last], storage[slots[k + 1], first:last]
            c, d = storage[slots[k + 2], first:last], storage[slots[k + 3], first:last]
            va, vb, vc, vd = coef[k], coef[k + 1], coef[k + 2], coef[k + 3]
            for t in range(total.shape[0]):
                total[t] += np.float64(va * a[t] + vb * b[t] + vc * c[t] + vd * d[t])
            k += 4
        while k < slots.shape[0]:
            a, va = storage[slots[k], first:last], coef[k]
            for t in range(total.shape[0]):
                total[t] += np.float64(va * a[t])
            k += 1
