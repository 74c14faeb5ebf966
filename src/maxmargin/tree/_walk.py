"""From the root to a leaf, for many rows, compiled.

Four rows go down side by side: each step of one of them waits for a node and a value to come from memory, and four can
wait at the same time. A leaf is its own child, so that no row has to be told to stop.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..engine import jit_bare

NODE = np.dtype([("threshold", np.float64), ("feature", np.int32), ("left", np.int32)])


class Paths(NamedTuple):
    """What a walk needs of a tree: its nodes, sixteen bytes each, and apart from them what few walks need."""

    nodes: np.ndarray
    missing_left: np.ndarray
    subset: np.ndarray
    subsets: np.ndarray


@jit_bare
def walk(paths: Paths, X: Any, rows: Any, depth: int, plain: bool, out: Any) -> None:
    """The leaves of some rows of X; `plain` says that none of their values is missing and no split is by category."""
    nodes, done = paths.nodes, 0
    if plain:
        done = rows.size - rows.size % 4
        for i in range(0, done, 4):
            a, b, c, d = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
            p, q, r, s = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
            for _ in range(depth):
                a_left, b_left = np.uint64(nodes[a].left), np.uint64(nodes[b].left)
                c_left, d_left = np.uint64(nodes[c].left), np.uint64(nodes[d].left)
                if a_left == a and b_left == b and c_left == c and d_left == d:
                    break
                a = a_left + np.uint64(X[p, np.uint64(nodes[a].feature)] > nodes[a].threshold)
                b = b_left + np.uint64(X[q, np.uint64(nodes[b].feature)] > nodes[b].threshold)
                c = c_left + np.uint64(X[r, np.uint64(nodes[c].feature)] > nodes[c].threshold)
                d = d_left + np.uint64(X[s, np.uint64(nodes[d].feature)] > nodes[d].threshold)
            out[i] = a
            out[i + 1] = b
            out[i + 2] = c
            out[i + 3] = d
    for i in range(done, rows.size):
        out[i] = _walk_one(paths, X, rows[i])


@jit_bare
def _walk_one(paths: Paths, X: Any, row: int) -> Any:
    here = np.int64(0)
    while True:
        node = paths.nodes[here]
        left = np.int64(node.left)
        if left == here:
            return here
        x, subset = X[row, node.feature], paths.subset[here]
        if x != x:
            right = not paths.missing_left[here]
        elif subset >= 0:
            code = np.uint64(x)
            word = paths.subsets[subset, code >> np.uint64(6)]
            right = (word >> (code & np.uint64(63))) & np.uint64(1) == 0
        else:
            right = x > node.threshold
        here = left + np.int64(right)


@jit_bare
def add_values(values: Any, only: Any, leaves: Any, rows: Any, sums: Any) -> None:
    """Add the values of leaves to some rows of `sums`.

    ``only[leaf]`` is the class that alone has a share in a leaf, or -1: most leaves of a tree that is not held back are
    such, and a table of one number a leaf stays in the cache where one of all shares does not.
    """
    for i in range(leaves.size):
        leaf, row = leaves[i], rows[i]
        if only[leaf] >= 0:
            sums[row, only[leaf]] += 1.0
        else:
            for k in range(values.shape[1]):
                sums[row, k] += values[leaf, k]
