"""A tree over dense rows of few features, for the Euclidean metric.

Rows are put in order by `partition`; each 32 or so of them are a leaf, each 16 leaves a node, each 16 nodes a node of
the next level. A box around the rows of each of them is all that a search needs (`descend`). Leaves and boxes are in
float32, unless neighbours are so close, compared with the size of the data, that float32 cannot tell them apart.
"""

from __future__ import annotations

import math

import numpy as np

from ...data import Rows
from ...engine import jit, run_portions
from ._descent import descend
from ._heap import empty_heaps, in_order
from ._partition import partition
from ._simd import LANES
from ._tiles import Search

# Sides of a leaf, in units of float32's error of the longest row, below which float64 is taken.
_CLOSE = 64
_LONGEST_FLOAT32 = 1e15
# Rows that are searched at a time, and pairs that this may come to.
_PORTION = 256
_PORTION_PAIRS = 100_000_000
# Rows that try the tree out, and the share of columns above which tiles are asked instead: a row of a leaf takes about
# 4 ns, a column of a tile 1 ns. Measured with normal variables on one core, k = 5, microseconds a query, tree, tiles,
# share: n = 20000, d = 8: 10, 24, 0.13; d = 10: 19, 26, 0.26; d = 12: 31, 27, 0.47; n = 100000, d = 5: 11, 113, 0.006;
# d = 10: 35, 90, 0.09; d = 12: 75, 95, 0.20; d = 15: 192, 110, 0.45; d = 30 of rank 8: 48, 173, 0.05.
_PILOT = 64
_TOO_MUCH = 0.25


class Tree:
    """Boxes within boxes.

    Parameters
    ----------
    rows : Rows
        Dense.
    leaf_size : int
        Rows of a leaf, rounded up to a multiple of 16.
    threads : int

    """

    def __init__(self, rows: Rows, leaf_size: int, threads: int) -> None:
        self.shift = rows.mean
        self.width = -(-leaf_size // LANES) * LANES
        X = rows.arrays[0] - self.shift
        longest = float(np.abs(X).max(initial=0.0)) * math.sqrt(max(1, rows.d))
        if longest <= _LONGEST_FLOAT32:
            self._build(X.astype(np.float32), threads)
            if self._tells_apart(X, longest):
                return
        self._build(X, threads)

    def _build(self, points: np.ndarray, threads: int) -> None:
        n, d = points.shape
        ids = partition(points, self.width, threads)
        sizes = [-(-n // self.width)]  # leaves, their parents, ... up to the children of the root
        while sizes[-1] > LANES:
            sizes.append(-(-sizes[-1] // LANES))
        groups = [-(-size // LANES) for size in sizes]
        levels = np.cumsum([0, *groups])
        leaves = np.full((-(-n // LANES), d, LANES), np.inf, points.dtype)
        boxes = np.empty((levels[-1], d, 2, LANES), points.dtype)
        boxes[:, :, 0], boxes[:, :, 1] = np.inf, -np.inf
        errors, lowest = np.zeros(sizes[0]), np.zeros(sizes[0], np.int64)
        _fill_leaves(points, ids, self.width, leaves, errors, lowest, boxes)
        for below, level, size in zip(levels[:-2], levels[1:-1], sizes[1:], strict=True):
            _fill_level(boxes, below, level, size)
        # between a row and its copy in float32 there is at most the next number
        np.nextafter(boxes[:, :, 0], -np.inf, out=boxes[:, :, 0])
        np.nextafter(boxes[:, :, 1], np.inf, out=boxes[:, :, 1])
        # flat, as vectors of 16 are read from them
        self.arrays = (leaves.ravel(), boxes.ravel(), ids, self.width, levels[:-1], np.array(sizes), errors, lowest)

    def _tells_apart(self, X: np.ndarray, longest: float) -> bool:
        """Whether errors of float32 are small beside most leaves, those of equal rows apart."""
        _, boxes, ids, _, _, sizes, _, _ = self.arrays
        lower = boxes.reshape(-1, X.shape[1], 2, LANES)[: -(-sizes[0] // LANES)].astype(np.float64)
        sides = (lower[:, :, 1] - lower[:, :, 0]).max(axis=1).ravel()[: sizes[0]]
        first = np.arange(sizes[0]) * self.width
        last = np.minimum(first + self.width, len(ids)) - 1
        unequal = (X[ids[first]] != X[ids[last]]).any(axis=1)
        return not unequal.any() or float(np.median(sides[unequal])) > _CLOSE * self.unit * longest

    def reaches(self, rows: Rows) -> np.ndarray:
        """Rows that are not too long for the precision of the tree."""
        if self.arrays[0].dtype == np.float64:
            return np.arange(rows.n)
        return np.flatnonzero(np.abs(rows.arrays[0] - self.shift).max(axis=1, initial=0.0) <= _LONGEST_FLOAT32)

    @property
    def unit(self) -> float:
        """Relative error of the precision that leaves and boxes are in."""
        return float(np.finfo(self.arrays[0].dtype).eps)


@jit
def _fill_leaves(points, ids, width, leaves, errors, lowest, boxes):  # type: ignore[no-untyped-def]
    """Copy rows in order into leaves, with their boxes, errors and lowest indices."""
    n, d = points.shape
    facts = np.finfo(points.dtype)
    for leaf in range(errors.shape[0]):
        longest, first = 0.0, ids[leaf * width]
        box = boxes[leaf // LANES, :, :, leaf % LANES]
        for i in range(leaf * width, min(n, (leaf + 1) * width)):
            length = 0.0
            for k in range(d):
                value = points[i, k]
                leaves[i // LANES, k, i % LANES] = value
                length += np.float64(value) * np.float64(value)
                box[k, 0], box[k, 1] = min(box[k, 0], value), max(box[k, 1], value)
            longest, first = max(longest, length), min(first, ids[i])
        errors[leaf] = facts.eps * np.sqrt(longest) + d * facts.tiny
        lowest[leaf] = first


@jit
def _fill_level(boxes, below, level, size):  # type: ignore[no-untyped-def]
    """Boxes around those of the level below."""
    for node in range(size):
        for k in range(boxes.shape[1]):
            low, high = boxes[below + node, k, 0].min(), boxes[below + node, k, 1].max()
            boxes[level + node // LANES, k, 0, node % LANES] = low
            boxes[level + node // LANES, k, 1, node % LANES] = high


def descend_all(tree: Tree, search: Search, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Squares and indices of the k nearest columns of all rows, and the rows that are left to be searched otherwise."""
    rows, columns = search.rows, search.columns.rows
    order, pilot = _in_tree_order(tree, rows, search.n_threads)
    heaps = empty_heaps(len(order), k)
    terms = rows.d + 16
    tiny = float(np.finfo(tree.arrays[0].dtype).tiny)
    rounding = (2 * terms * float(np.finfo(np.float64).eps), terms * tree.unit, terms * tiny)
    step = int(max(1, min(_PORTION, _PORTION_PAIRS // max(1, columns.n))))

    def task(start: int, stop: int) -> int:
        return descend(
            rows.arrays, order, start, stop, columns.arrays, tree.shift, tree.arrays, rounding, search.own, heaps
        )[0]

    def run(start: int, stop: int) -> int:
        return sum(run_portions(task, [(a, min(a + step, stop)) for a in range(start, stop, step)], search.n_threads))

    leaves, done = run(0, pilot), pilot
    if leaves * tree.width <= _TOO_MUCH * columns.n * pilot:
        run(pilot, len(order))
        done = len(order)
    squares, index = empty_heaps(rows.n, k)
    squares[order[:done]], index[order[:done]] = in_order(heaps[0][:done], heaps[1][:done], k)
    left = np.ones(rows.n, dtype=bool)
    left[order[:done]] = False
    return squares, index, np.flatnonzero(left)


def _in_tree_order(tree: Tree, rows: Rows, threads: int) -> tuple[np.ndarray, int]:
    """Rows within reach, near ones one after another, which find the nodes that they need in the caches.

    In front of them are some from all over, if there are many; how many.
    """
    chosen = tree.reaches(rows)
    points = (rows.arrays[0][chosen] - tree.shift).astype(tree.arrays[0].dtype)
    order = chosen[partition(points, LANES, threads)]
    if len(order) <= 4 * _PILOT:
        return order, 0
    first = np.zeros(len(order), dtype=bool)
    first[:: -(-len(order) // _PILOT)] = True
    return np.concatenate([order[first], order[~first]]), int(first.sum())
