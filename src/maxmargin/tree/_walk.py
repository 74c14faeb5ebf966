"""From the root to a leaf, for many rows, compiled.

Eight rows go down side by side: each step of one of them waits for a node and a value to come from memory, and eight
can wait at the same time (three quarters of the time that four take). A leaf is its own child, so that no row has to be
told to stop.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..engine import jit_bare, jit_inner

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
        done = rows.size - rows.size % 8
        for i in range(0, done, 8):
            o, p, q, r = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
            s, t, u, v = rows[i + 4], rows[i + 5], rows[i + 6], rows[i + 7]
            a = b = c = d = e = f = g = h = np.uint64(0)
            for _ in range(depth):
                a_next, b_next = _step(nodes, X, o, a), _step(nodes, X, p, b)
                c_next, d_next = _step(nodes, X, q, c), _step(nodes, X, r, d)
                e_next, f_next = _step(nodes, X, s, e), _step(nodes, X, t, f)
                g_next, h_next = _step(nodes, X, u, g), _step(nodes, X, v, h)
                moved = (a_next ^ a) | (b_next ^ b) | (c_next ^ c) | (d_next ^ d)
                moved |= (e_next ^ e) | (f_next ^ f) | (g_next ^ g) | (h_next ^ h)
                if moved == np.uint64(0):
                    break
                a, b, c, d, e, f, g, h = a_next, b_next, c_next, d_next, e_next, f_next, g_next, h_next
            out[i], out[i + 1], out[i + 2], out[i + 3] = a, b, c, d
            out[i + 4], out[i + 5], out[i + 6], out[i + 7] = e, f, g, h
    for i in range(done, rows.size):
        out[i] = _walk_one(paths, X, rows[i])


@jit_inner
def _step(nodes: Any, X: Any, row: Any, here: Any) -> Any:
    """The child that a row goes to, or the leaf that it is in."""
    node = nodes[here]
    return np.uint64(node.left) + np.uint64(X[row, np.uint64(node.feature)] > node.threshold)


@jit_inner
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
