"""Rows that are not independent: equal ones, those of a group, those in the order of time.

A score on held-out rows speaks of new rows only if these are as far from the training rows as new ones will be. Equal
rows, and rows of one group (a patient, a machine), stay on one side of every split; of rows in the order of time the
last are held out, and folds train on what came before.
"""

from __future__ import annotations

import base64
import binascii
import heapq
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..tables import Column
from ._training import Split

RANDOM, TIME, GROUPS = "random", "time", "groups"
# Equal rows are ties between rows if there are this many times as many as chance makes of such columns.
_BEYOND_CHANCE = 3
_FEW_DIFFERENT = 20


@dataclass(frozen=True, eq=False)
class RowOrder:
    """What rows have to do with each other.

    Attributes
    ----------
    kind : {"random", "time", "groups"}
    column : str or None
        The one that tells the time or the group.
    units : ndarray of int or None
        A number for each row: rows with the same one stay together.
    times : ndarray of float or None
        When each row was.
    together : int
        Rows that are equal to another one.

    """

    kind: str = RANDOM
    column: str | None = None
    units: np.ndarray | None = None
    times: np.ndarray | None = None
    together: int = 0

    @property
    def plain(self) -> bool:
        """Whether rows are independent."""
        return self.units is None and self.times is None

    def take(self, rows: np.ndarray) -> RowOrder:
        """That of some rows."""
        units = None if self.units is None else self.units[rows]
        times = None if self.times is None else self.times[rows]
        return RowOrder(self.kind, self.column, units, times, self.together)


# ---------------------------------------------------------------- equal rows


def equal_rows(columns: list[Column] | sp.csr_array) -> tuple[np.ndarray | None, int]:
    """A number for each row, the same for equal ones, and how many rows are equal to another; None if they are few.

    Coarse columns make equal rows by chance: two columns of three values have nine different rows. Such rows are no
    copies. How many chance makes is seen when each column is shuffled by itself; beside a column of so many different
    values as a measure has, it makes none.
    """
    parts = [columns] if not isinstance(columns, list) else [_codes(column) for column in columns]
    marks = _row_marks(parts)
    if marks is None:
        return None, 0
    units, many, different = _alike(marks)
    if not many or different < _FEW_DIFFERENT:
        return None, 0
    if isinstance(columns, list) and not any(_is_fine(part) for part in parts):
        generator = np.random.default_rng(0)
        shuffled = _row_marks([generator.permutation(part) for part in parts])
        by_chance = 0 if shuffled is None else _alike(shuffled)[1]
        if many <= _BEYOND_CHANCE * by_chance:
            return None, 0
    return units, many


def _is_fine(part: np.ndarray) -> bool:
    """Whether a column has so many different values that equal rows are copies."""
    return len(np.unique(part)) >= max(_FEW_DIFFERENT, len(part) / 10)


def _alike(marks: np.ndarray) -> tuple[np.ndarray, int, int]:
    """Numbers of equal marks, how many rows share one, and how many different ones there are."""
    _, units, counts = np.unique(marks, return_inverse=True, return_counts=True)
    return units, int(counts[counts > 1].sum()), len(counts)


def _codes(column: Column) -> np.ndarray:
    """64 bits for each value, the same for equal ones."""
    if column.type in ("number", "bool"):
        values = column.numbers() + 0.0  # -0.0 becomes 0.0
        values[np.isnan(values)] = np.nan
        return values.view(np.uint64)
    if column.type == "date":
        values = column.instants()
        values[np.isnan(values)] = np.nan
        return values.view(np.uint64)
    seen: dict[str | None, int] = {}
    return np.array([seen.setdefault(text, len(seen)) for text in column.texts()], dtype=np.uint64)


def _row_marks(parts: list[Any]) -> np.ndarray | None:
    """A number of 64 bits for each row: equal rows have the same one, others with a chance of 2^-64 each."""
    if not parts:
        return None
    if sp.issparse(parts[0]):
        return _sparse_marks(parts[0])
    marks = np.zeros(len(parts[0]), dtype=np.uint64)
    for part in parts:
        marks = _mixed(marks ^ _mixed(part))
    return marks


def _mixed(values: np.ndarray) -> np.ndarray:
    """Bits well mixed (the last steps of splitmix64)."""
    with np.errstate(over="ignore"):
        values = values + np.uint64(0x9E3779B97F4A7C15)
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _sparse_marks(X: Any) -> np.ndarray:
    """Of sparse rows: the sum of a number for each cell that is not 0."""
    X = sp.csr_array(X)
    cells = _mixed(_mixed(X.indices.astype(np.uint64)) ^ (X.data.astype(np.float64) + 0.0).view(np.uint64))
    cells[X.data == 0] = 0
    with np.errstate(over="ignore"):
        sums = np.concatenate([[np.uint64(0)], np.cumsum(cells, dtype=np.uint64)])
        return sums[X.indptr[1:]] - sums[X.indptr[:-1]]


# ---------------------------------------------------------------- splits


def hold_out(order: RowOrder, codes: np.ndarray | None, test: float, seed: int) -> np.ndarray:
    """True for rows that are held out: the last ones, or whole units; classes in proportion as far as units allow."""
    n = len(order.units if order.times is None else order.times)  # type: ignore[arg-type]
    wanted = round(test * n)
    held = np.zeros(n, dtype=bool)
    if not wanted:
        return held
    if order.times is not None:
        held[in_time(order.times)[n - wanted :]] = True
        first = order.times[held].min()
        held |= order.times == first  # rows of one moment stay together
        if held.all():
            held = order.times > first
        return held
    units = np.asarray(order.units)
    held[:] = _drawn(units, codes, test, seed)
    if codes is not None:  # a class that would be held out as a whole is learnt instead
        for k in np.flatnonzero(np.bincount(codes[~held], minlength=int(codes.max()) + 1) < 1).tolist():
            held &= ~np.isin(units, units[codes == k])
    return held


def _drawn(units: Any, codes: np.ndarray | None, test: float, seed: int) -> np.ndarray:
    """True for rows of units, drawn until each class has its share; a unit counts for the class of its first row."""
    _, first, numbers, sizes = np.unique(units, return_index=True, return_inverse=True, return_counts=True)
    of_class = np.zeros(len(sizes), dtype=np.int64) if codes is None else codes[first]
    shuffled = np.random.default_rng([seed, 22]).permutation(len(sizes))
    held = np.zeros(len(sizes), dtype=bool)
    for k in np.unique(of_class).tolist():
        mine = shuffled[of_class[shuffled] == k]
        ends = np.cumsum(sizes[mine])
        held[mine[ends - sizes[mine] / 2 <= test * ends[-1]]] = True  # the last one, if half of it fits
    if not held.any():
        held[shuffled[np.argmin(sizes[shuffled])]] = True
    if held.all():
        held[shuffled[np.argmax(sizes[shuffled])]] = False
    return held[numbers]


def in_time(times: np.ndarray) -> np.ndarray:
    """Rows from the earliest on; those of one moment in the order of the table."""
    return np.argsort(times, kind="stable")


def ordered_folds(
    order: RowOrder, codes: np.ndarray | None, folds: int, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds that train on what came before, or on whole units."""
    if order.times is not None:
        return _forward(order.times, codes, folds)
    fold_of = _dealt(order.units, codes, folds, seed)
    parts = [(np.flatnonzero(fold_of != k), np.flatnonzero(fold_of == k)) for k in range(folds)]
    return [(train, test) for train, test in parts if len(test) and len(train) and _two(codes, train)]


def _forward(times: np.ndarray, codes: np.ndarray | None, folds: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The second half in equal parts; each is a test of what was learnt from all rows before."""
    rows = in_time(times)
    sorted_times = times[rows]
    ends = np.linspace(len(rows) / 2, len(rows), folds + 1).round().astype(int)
    starts = np.unique(np.searchsorted(sorted_times, sorted_times[ends[:-1]]))
    ends = np.append(starts[1:], len(rows))
    parts = [(np.sort(rows[:a]), np.sort(rows[a:b])) for a, b in zip(starts, ends, strict=True)]
    return [(train, test) for train, test in parts if len(train) and len(test) and _two(codes, train)]


def _two(codes: np.ndarray | None, rows: np.ndarray) -> bool:
    """Whether rows to learn from have more than one class."""
    return codes is None or len(np.unique(codes[rows])) > 1


def _dealt(units: Any, codes: np.ndarray | None, hands: int, seed: int) -> np.ndarray:
    """The hand of each row: units of each class are shuffled and dealt, the largest first, to the smallest hand."""
    _, first, numbers, sizes = np.unique(units, return_index=True, return_inverse=True, return_counts=True)
    hand_of = np.empty(len(sizes), dtype=np.int64)
    generator = np.random.default_rng([seed, 21])
    shuffled = generator.permutation(len(sizes))
    of_class = np.zeros(len(sizes), dtype=np.int64) if codes is None else codes[first]
    total = [0] * hands
    for k in np.unique(of_class).tolist():
        mine = shuffled[of_class[shuffled] == k]
        mine = mine[np.argsort(-sizes[mine], kind="stable")]
        hand = [(0, total[h], h) for h in range(hands)]
        heapq.heapify(hand)
        for unit, size in zip(mine.tolist(), sizes[mine].tolist(), strict=True):
            rows, all_rows, h = heapq.heappop(hand)
            hand_of[unit] = h
            total[h] += size
            heapq.heappush(hand, (rows + size, all_rows + size, h))
    return hand_of[numbers]


# ---------------------------------------------------------------- a split in a file


def written_rows(split: Split) -> str:
    """Which rows are held out, as text for a file: a bit for each row of the table, packed."""
    total = len(split.train_rows) + len(split.test_rows) + split.dropped_rows
    held = np.zeros(total, dtype=bool)
    held[split.test_rows] = True
    return base64.b85encode(zlib.compress(np.packbits(held).tobytes(), 9)).decode()


def read_rows(text: str, total: int) -> np.ndarray | None:
    """True for rows that are held out; None for text that does not say so of a table of so many rows."""
    try:
        unpacked = zlib.decompressobj()
        found = unpacked.decompress(base64.b85decode(text), (total + 7) // 8 + 1)
    except (ValueError, binascii.Error, zlib.error):
        return None
    if not unpacked.eof or len(found) != (total + 7) // 8:
        return None
    return np.unpackbits(np.frombuffer(found, dtype=np.uint8), count=total).astype(bool)
