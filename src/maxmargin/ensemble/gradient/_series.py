"""The trees of gradient boosting, one after another in flat arrays, and the ways of rows through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...engine import cached_property, jit, jit_inner, run_portions, thread_count
from ...tree import nothing_missing
from ._rules import BY_SET, COLUMN, CUT, END, FIRST, GAIN, LEFT, MISSING, VALUE, Nodes

# Rows of a block, which stays in the cache while all trees look at it, and of a task.
_BLOCK, _ROWS = 512, 8192
_NODE = np.dtype([("threshold", np.float64), ("feature", np.int32), ("left", np.int32)])
# A step that asks whether the value is missing, and the bit of the column that says that it then goes right.
_PLAIN, _MISSING, _ANY = range(3)
_RIGHT = 1 << 30


class Walk(NamedTuple):
    """What walks need: nodes of sixteen bytes, of which a leaf is its own child, and apart from them what few need."""

    nodes: np.ndarray
    first: np.ndarray
    depth: np.ndarray
    subset: np.ndarray
    subsets: np.ndarray


@dataclass(frozen=True)
class Series:
    """Trees in the order in which they were grown, those of a round side by side.

    Attributes
    ----------
    first : ndarray of shape (n_trees + 1,)
        Where the nodes of each tree begin; the first of them is its root.
    left : ndarray of shape (n_nodes,)
        The left child, -1 for leaves; the right child follows it.
    feature, threshold : ndarray of shape (n_nodes,)
        The column of a split, -1 for leaves, and the largest value that goes left: inf where only missing values go
        right, NaN for splits by category and leaves.
    missing_left : ndarray of shape (n_nodes,)
        Whether missing values and unknown categories go left.
    value : ndarray of shape (n_nodes,)
        What a leaf adds to the sum; 0 for other nodes.
    gain : ndarray of shape (n_nodes,)
        Twice what the split lowers the quadratic model of the loss by; 0 for leaves.
    count : ndarray of shape (n_nodes,)
        Training rows.
    subset : ndarray of shape (n_nodes,)
        For splits by category the row of `subsets`, else -1.
    subsets : ndarray of shape (n_subsets, 4)
        Bit ``c % 64`` of word ``c // 64``: whether category c goes left.

    """

    first: np.ndarray
    left: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing_left: np.ndarray
    value: np.ndarray
    gain: np.ndarray
    count: np.ndarray
    subset: np.ndarray
    subsets: np.ndarray

    @classmethod
    def joined(cls, parts: Sequence[Series]) -> Series:
        """One series of the trees of several."""
        shift = np.cumsum([0, *(len(part.left) for part in parts[:-1])])
        below = np.cumsum([0, *(len(part.subsets) for part in parts[:-1])])
        return cls(
            first=np.concatenate([[0], *(part.first[1:] + s for part, s in zip(parts, shift, strict=True))]),
            left=np.concatenate([np.where(p.left < 0, -1, p.left + s) for p, s in zip(parts, shift, strict=True)]),
            subset=np.concatenate(
                [np.where(p.subset < 0, -1, p.subset + s) for p, s in zip(parts, below, strict=True)]
            ),
            **{
                name: np.concatenate([getattr(part, name) for part in parts])
                for name in ("feature", "threshold", "missing_left", "value", "gain", "count", "subsets")
            },
        )

    def part(self, start: int, end: int) -> Series:
        """Trees from one to before another."""
        a, b = int(self.first[start]), int(self.first[end])
        subset = self.subset[a:b]
        used = subset[subset >= 0]
        below = int(used.min()) if len(used) else 0
        return Series(
            first=self.first[start : end + 1] - a,
            left=np.where(self.left[a:b] < 0, -1, self.left[a:b] - a),
            subset=np.where(subset < 0, -1, subset - below),
            subsets=self.subsets[below : int(used.max()) + 1] if len(used) else self.subsets[:0],
            **{
                name: getattr(self, name)[a:b]
                for name in ("feature", "threshold", "missing_left", "value", "gain", "count")
            },
        )

    @property
    def n_trees(self) -> int:
        return len(self.first) - 1

    @cached_property
    def depths(self) -> np.ndarray:
        """The largest number of splits above a leaf, tree by tree."""
        return _depths(self.first, self.left)

    @cached_property
    def walk(self) -> Walk:
        """What a walk needs of the nodes."""
        self._check()
        leaf = self.left < 0
        nodes = np.zeros(len(self.left), dtype=_NODE)
        nodes["threshold"] = np.where(leaf, np.inf, self.threshold)
        right = np.where(self.missing_left | leaf, 0, _RIGHT)
        nodes["feature"] = np.where(leaf, 0, self.feature) | right
        nodes["left"] = np.where(leaf, np.arange(len(leaf)), self.left)
        return Walk(nodes, self.first, self.depths, self.subset, self.subsets)

    def _check(self) -> None:
        """Compiled walks do not look where they step: trees that were changed are refused before they would be lost."""
        nodes, inner = np.arange(len(self.left)), self.left >= 0
        end = np.repeat(self.first[1:], np.diff(self.first))
        whole = all(len(getattr(self, name)) == len(nodes) for name in ("feature", "threshold", "value", "subset"))
        whole = whole and len(end) == len(nodes) and len(self.missing_left) == len(nodes)
        whole = whole and bool((self.left[inner] > nodes[inner]).all() and (self.left[inner] + 1 < end[inner]).all())
        whole = whole and bool((self.feature[inner] >= 0).all() and (self.subset < len(self.subsets)).all())
        if not whole:
            raise ValueError(
                "The nodes of these trees do not fit together: they were changed after the fit. Fit again."
            )

    def __getstate__(self) -> dict:
        return {name: value for name, value in vars(self).items() if name not in ("walk", "depths")}

    # ---------------------------------------------------------------- ways through them

    def step_for(self, X: np.ndarray) -> int:
        """Which of the walks will do for rows."""
        if len(self.subsets):
            return _ANY
        return _PLAIN if nothing_missing(X) else _MISSING

    def leaves(self, X: np.ndarray, step: int) -> np.ndarray:
        """The leaf of each row, by its number among all nodes, int32 of shape (n_trees, rows)."""
        out = np.empty((self.n_trees, len(X)), dtype=np.int32)
        _leaves(self.walk, X, step, out)
        return out

    def add_to(self, X: np.ndarray, raw: np.ndarray) -> None:
        """Add what the trees say of rows to sums of shape (trees of a round, rows)."""
        walk, step, value, n = self.walk, self.step_for(X), self.value, len(X)

        def work(start: int, end: int) -> None:
            _sum(walk, value, X, step, start, end, raw)

        run_portions(work, [(start, min(start + _ROWS, n)) for start in range(0, n, _ROWS)], thread_count(None))


def series_of(nodes: Nodes, count: int, edges: list[np.ndarray], rate: float) -> Series:
    """One tree from the tables that it was grown in; its leaves have `rate` times their values."""
    whole, left = nodes.integers[:count], nodes.integers[:count, LEFT]
    inner, by_set = left >= 0, (left >= 0) & (whole[:, BY_SET] > 0)
    threshold = np.full(count, np.nan)
    for node in np.flatnonzero(inner & ~by_set):
        edge, cut = edges[whole[node, COLUMN]], whole[node, CUT]
        threshold[node] = edge[cut] if cut < len(edge) else np.inf
    value = np.where(inner, 0.0, nodes.numbers[:count, VALUE] * rate)
    return Series(
        first=np.array([0, count], dtype=np.int64),
        left=left.copy(),
        feature=np.where(inner, whole[:, COLUMN], -1),
        threshold=threshold,
        missing_left=inner & (whole[:, MISSING] > 0),
        value=value,
        gain=np.where(inner, nodes.numbers[:count, GAIN], 0.0),
        count=whole[:, END] - whole[:, FIRST],
        subset=np.where(by_set, np.cumsum(by_set) - 1, -1),
        subsets=nodes.subsets[:count][by_set[: len(nodes.subsets)]].copy()
        if by_set.any()
        else np.empty((0, 4), dtype=np.uint64),
    )


@jit
def _depths(first: Any, left: Any) -> Any:
    out, depth = np.zeros(first.size - 1, dtype=np.int64), np.zeros(left.size, dtype=np.int64)
    for t in range(out.size):
        for node in range(first[t], first[t + 1]):
            if left[node] >= 0:
                depth[left[node]] = depth[left[node] + 1] = depth[node] + 1
            out[t] = max(out[t], depth[node])
    return out


@jit_inner
def _plain_step(nodes: Any, X: Any, row: Any, here: Any) -> Any:
    node = nodes[here]
    column = np.uint64(node.feature) & np.uint64(_RIGHT - 1)
    return np.uint64(node.left) + np.uint64(X[row, column] > node.threshold)


@jit_inner
def _missing_step(nodes: Any, X: Any, row: Any, here: Any) -> Any:
    node = nodes[here]
    feature = np.uint64(node.feature)
    x = X[row, feature & np.uint64(_RIGHT - 1)]
    right = np.uint64(x > node.threshold) | (np.uint64(x != x) & (feature >> np.uint64(30)))
    return np.uint64(node.left) + right


@jit_inner
def _any_leaf(walk: Walk, X: Any, row: Any, here: Any) -> Any:
    """The leaf below a root, whatever the splits."""
    while True:
        node = walk.nodes[here]
        left = np.uint64(node.left)
        if left == here:
            return here
        feature, subset = np.uint64(node.feature), walk.subset[here]
        x = X[row, feature & np.uint64(_RIGHT - 1)]
        if x != x:
            right = feature >> np.uint64(30)
        elif subset >= 0:
            code = np.uint64(x)
            right = np.uint64(1) - (
                (walk.subsets[subset, code >> np.uint64(6)] >> (code & np.uint64(63))) & np.uint64(1)
            )
        else:
            right = np.uint64(x > node.threshold)
        here = left + right


@jit_inner
def _walk_tree(walk: Walk, tree: int, X: Any, start: int, end: int, step: int, out: Any) -> None:
    """The leaves of rows from one to another in a tree. Eight go down side by side: each waits for memory."""
    nodes, root, depth = walk.nodes, np.uint64(walk.first[tree]), walk.depth[tree]
    done = start
    if step != _ANY:
        done = start + (end - start) // 8 * 8
        for i in range(start, done, 8):
            row = np.uint64(i)
            o, p, q, r = row, row + np.uint64(1), row + np.uint64(2), row + np.uint64(3)
            s, t, u, v = row + np.uint64(4), row + np.uint64(5), row + np.uint64(6), row + np.uint64(7)
            a = b = c = d = e = f = g = h = root
            if step == _PLAIN:
                for _ in range(depth):
                    a, b = _plain_step(nodes, X, o, a), _plain_step(nodes, X, p, b)
                    c, d = _plain_step(nodes, X, q, c), _plain_step(nodes, X, r, d)
                    e, f = _plain_step(nodes, X, s, e), _plain_step(nodes, X, t, f)
                    g, h = _plain_step(nodes, X, u, g), _plain_step(nodes, X, v, h)
            else:
                for _ in range(depth):
                    a, b = _missing_step(nodes, X, o, a), _missing_step(nodes, X, p, b)
                    c, d = _missing_step(nodes, X, q, c), _missing_step(nodes, X, r, d)
                    e, f = _missing_step(nodes, X, s, e), _missing_step(nodes, X, t, f)
                    g, h = _missing_step(nodes, X, u, g), _missing_step(nodes, X, v, h)
            at = i - start
            out[at], out[at + 1], out[at + 2], out[at + 3] = a, b, c, d
            out[at + 4], out[at + 5], out[at + 6], out[at + 7] = e, f, g, h
    for i in range(done, end):
        if step == _ANY:
            out[i - start] = _any_leaf(walk, X, i, root)
        else:
            here = root
            for _ in range(depth):
                here = _missing_step(nodes, X, np.uint64(i), here)
            out[i - start] = here


@jit
def _leaves(walk: Walk, X: Any, step: int, out: Any) -> None:
    for t in range(out.shape[0]):
        _walk_tree(walk, t, X, 0, X.shape[0], step, out[t])


@jit
def _sum(walk: Walk, value: Any, X: Any, step: int, start: int, end: int, raw: Any) -> None:
    K, out = raw.shape[0], np.empty(_BLOCK, dtype=np.int32)
    for begin in range(start, end, _BLOCK):
        stop = min(begin + _BLOCK, end)
        for t in range(walk.first.size - 1):
            _walk_tree(walk, t, X, begin, stop, step, out)
            line = raw[t % K]
            for i in range(stop - begin):
                line[begin + i] += value[out[i]]
