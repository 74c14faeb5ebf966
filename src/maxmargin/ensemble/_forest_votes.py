"""What the trees of a forest say of rows, together: block by block of rows, tree by tree within a block.

A tree fits the cache of a core, and every row is added up in the order of the trees: the sums are the same to the last
bit whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine import jit, run_portions, thread_count
from ..tree import Paths, Tree, add_values, dense_rows, nothing_missing, walk

# Rows of a block: an eighth of all, for the threads, within these limits. A call costs ten microseconds of the
# interpreter, for which threads wait in turn: 50 000 rows and 100 trees take 0.34 s by blocks of 1024, 0.24 by 8192.
_FEWEST, _MOST = 1024, 8192


def blocks(n: int) -> list[tuple[int, int]]:
    """Where blocks of rows begin and end, whatever the number of threads."""
    rows = min(max(-(-n // 8), _FEWEST), _MOST)
    return [(start, min(start + rows, n)) for start in range(0, n, rows)]


def sum_of_values(
    trees: Sequence[Tree], values: Sequence[np.ndarray], only: Sequence[Any], X: Any, n_jobs: int | None = None
) -> np.ndarray:
    """Sum over the trees of the values of each row's leaves, of shape (n_rows, values of a leaf)."""
    sums = np.zeros((X.shape[0], values[0].shape[1]))
    plain = is_plain(trees, X)

    def work(start: int, end: int) -> None:
        rows, leaves = np.arange(end - start, dtype=np.uint64), np.empty(end - start, dtype=np.uint64)
        block = dense_rows(X, start, end)
        for tree, value, single in zip(trees, values, only, strict=True):
            walk(tree.paths, block, rows, tree.max_depth, plain, leaves)
            add_values(value, single, leaves, rows, sums[start:end])

    run_portions(work, blocks(X.shape[0]), thread_count(n_jobs))
    return sums


def is_plain(trees: Sequence[Tree], X: Any) -> bool:
    """Whether the quicker walk will do: nothing is missing in X, and no split is by category."""
    return not any(len(tree.subsets) for tree in trees) and nothing_missing(X)


class OutOfBagState:
    """Sums of votes, the number of trees that have voted, and the loss of each row so far."""

    def __init__(self, n: int, width: int) -> None:
        self.sums = np.zeros((n, width))
        self.counts = np.zeros(n, dtype=np.int64)
        self.losses = np.zeros(n)


def out_of_bag_errors(
    trees: Sequence[Tree],
    values: Sequence[np.ndarray],
    only: Sequence[Any],
    X: Any,
    target: np.ndarray,
    unseen: Sequence[np.ndarray],
    state: OutOfBagState,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Add what trees say of rows that they have not seen to `state`; the mean loss after each of them.

    `unseen` is for each tree a mask of the rows, packed to bits. X may be rows of codes, which take an eighth of the
    memory: half of the time.
    """
    paths = [tree.paths_by_code() if X.dtype == np.uint8 else tree.paths for tree in trees]
    depths = [tree.max_depth for tree in trees]
    losses, judged = out_of_bag_sums(
        paths, depths, is_plain(trees, X), values, only, X, target, unseen, state, n_jobs
    ).T
    return np.where(judged > 0, losses / np.maximum(judged, 1), np.nan)


def out_of_bag_sums(
    paths: Sequence[Paths],
    depths: Sequence[int],
    plain: bool,
    values: Sequence[np.ndarray],
    only: Sequence[Any],
    X: Any,
    target: np.ndarray,
    unseen: Sequence[np.ndarray],
    state: OutOfBagState,
    n_jobs: int | None = None,
) -> np.ndarray:
    """The sum of the losses and the number of the judged rows after each tree, of which the paths are given."""
    classes = 0 if target.dtype == np.float64 else values[0].shape[1]

    def work(start: int, end: int) -> np.ndarray:
        rows, leaves = np.empty(end - start, dtype=np.uint64), np.empty(end - start, dtype=np.uint64)
        found, block = np.empty((len(paths), 2)), dense_rows(X, start, end)
        sums, counts, losses = state.sums[start:end], state.counts[start:end], state.losses[start:end]
        for t, path in enumerate(paths):
            m = _unpack(unseen[t], start, end, rows)
            walk(path, block, rows[:m], depths[t], plain, leaves[:m])
            add_values(values[t], only[t], leaves[:m], rows[:m], sums)
            _update_losses(rows[:m], target[start:end], classes, sums, counts, losses, found[t])
        return found

    return np.sum(run_portions(work, blocks(X.shape[0]), thread_count(n_jobs)), axis=0)


@jit
def _unpack(bits: Any, start: int, end: int, rows: Any) -> int:
    """The rows from start to end whose bit is set, counted from start, and their number."""
    m = 0
    for i in range(start, end):
        if bits[i >> 3] >> (7 - (i & 7)) & 1:
            rows[m] = i - start
            m += 1
    return m


@jit
def _update_losses(rows: Any, target: Any, classes: int, sums: Any, counts: Any, losses: Any, found: Any) -> None:
    """Losses of rows of a block that another tree has voted for, zero-one or squared; sum and number of all of them."""
    for i in range(rows.size):
        row = rows[i]
        counts[row] += 1
        if classes:
            best = 0
            for k in range(1, classes):
                if sums[row, k] > sums[row, best]:
                    best = k
            losses[row] = best != target[row]
        else:
            losses[row] = (sums[row, 0] / counts[row] - target[row]) ** 2
    total, judged = 0.0, 0
    for i in range(losses.size):
        total += losses[i]
        judged += counts[i] > 0
    found[0] = total
    found[1] = judged
