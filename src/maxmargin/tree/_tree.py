"""A grown tree as flat arrays, under scikit-learn's names, and the ways through it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..engine import cached_property, run_parallel, thread_count
from ._walk import NODE, Paths, walk

# Rows that a task walks at least: fewer are not worth a thread.
_ROWS = 2048


def dense_rows(X: Any, start: int, end: int) -> np.ndarray:
    """Some rows of X, which may be CSR."""
    return X[start:end].toarray() if sp.issparse(X) else X[start:end]


def nothing_missing(X: Any) -> bool:
    """Whether no value is NaN, by one sum (of finite values, which may overflow to infinity but not to NaN alone)."""
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isnan((X.data if sp.issparse(X) else X).sum(dtype=np.float64)):
            return True
    return not np.isnan(X.data if sp.issparse(X) else X).any()


@dataclass(frozen=True)
class Tree:
    """The nodes of a tree; node 0 is the root, and the right child of a node follows its left one.

    Attributes
    ----------
    children_left, children_right : ndarray of shape (node_count,)
        Numbers of the children, -1 for leaves.
    feature : ndarray of shape (node_count,)
        Column of the split, -2 for leaves.
    threshold : ndarray of shape (node_count,)
        Values up to it go left. -2 for leaves, NaN for splits by category, inf where only missing values go right.
    missing_go_to_left : ndarray of shape (node_count,)
        Whether missing values and unknown categories go left.
    impurity, n_node_samples, weighted_n_node_samples : ndarray of shape (node_count,)
        Of the training rows in the node.
    value : ndarray of shape (node_count, 1, n_classes), or (node_count, 1, 1)
        Shares of the classes, or the mean target.
    subset : ndarray of shape (node_count,)
        For splits by category the row of `subsets`, else -1.
    subsets : ndarray of shape (n_subsets, 4)
        Bit ``c % 64`` of word ``c // 64``: whether category c goes left.
    cut : ndarray of shape (node_count,)
        The last bin of the column below the threshold, -1 for leaves; of the bins that it was grown from.
    n_features, max_depth : int

    """

    children_left: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing_go_to_left: np.ndarray
    impurity: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray
    value: np.ndarray
    subset: np.ndarray
    subsets: np.ndarray
    cut: np.ndarray
    n_features: int
    max_depth: int
    n_outputs: int = field(default=1, init=False)

    @property
    def children_right(self) -> np.ndarray:
        return np.where(self.children_left < 0, -1, self.children_left + 1)

    @property
    def node_count(self) -> int:
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        return (self.node_count + 1) // 2

    @property
    def max_n_classes(self) -> int:
        return self.value.shape[2]

    @property
    def n_classes(self) -> np.ndarray:
        return np.array([self.value.shape[2]])

    @cached_property
    def paths(self) -> Paths:
        """What a walk needs of the nodes; a leaf is its own child."""
        return self._paths(self.threshold)

    def paths_by_code(self) -> Paths:
        """The same for rows of codes, in which nothing is missing, instead of rows of values."""
        return self._paths(self.cut)

    def _paths(self, threshold: np.ndarray) -> Paths:
        self._check_walks()
        nodes = np.zeros(self.node_count, dtype=NODE)
        leaf = self.children_left < 0
        nodes["threshold"] = np.where(leaf, np.inf, threshold)
        nodes["feature"] = np.where(leaf, 0, self.feature)
        nodes["left"] = np.where(leaf, np.arange(self.node_count), self.children_left)
        return Paths(nodes, self.missing_go_to_left, self.subset, self.subsets)

    def _check_walks(self) -> None:
        """Compiled walks do not look where they step: a tree that was changed is refused before they would be lost."""
        nodes, features = np.arange(self.node_count), self.feature
        left, inner = self.children_left, self.children_left >= 0
        arrays = (left, self.threshold, self.cut, self.missing_go_to_left, self.subset)
        whole = all(np.shape(array) == (self.node_count,) for array in arrays) and len(self.value) == self.node_count
        whole = whole and bool((left[inner] > nodes[inner]).all() and (left[inner] + 1 < self.node_count).all())
        whole = whole and bool(((features[inner] >= 0) & (features[inner] < self.n_features)).all())
        if not whole or not (self.subset < len(self.subsets)).all():
            raise ValueError("The nodes of this tree do not fit together: it was changed after its fit. Fit it again.")

    @cached_property
    def only_class(self) -> np.ndarray:
        """The class that alone has a share in a node, -1 if several have one (or there are no classes)."""
        shares = self.value[:, 0]
        if shares.shape[1] == 1:
            return np.full(self.node_count, -1, dtype=np.int32)
        best = shares.argmax(axis=1)
        return np.where(shares[np.arange(len(best)), best] == 1.0, best, -1).astype(np.int32)

    def __getstate__(self) -> dict:
        state = self.__dict__.copy()
        for name in ("paths", "only_class", "parents", "depths"):
            state.pop(name, None)  # computed again when they are asked for
        return state

    # ---------------------------------------------------------------- ways through it

    def check_width(self, X: Any) -> None:
        """Refuse rows with fewer columns than its nodes ask for."""
        if X.shape[1] < self.n_features:
            raise ValueError(f"X has {X.shape[1]} features, but this tree was grown on {self.n_features}.")

    def apply(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """The leaf that each row of X ends in."""
        n = X.shape[0]
        self.check_width(X)
        out, rows = np.empty(n, dtype=np.uint64), np.arange(_ROWS, dtype=np.uint64)
        parts = np.linspace(0, n, min(thread_count(n_jobs), max(1, n // _ROWS)) + 1).astype(int)
        plain = self.is_plain(X)

        def work(start: int, end: int) -> None:
            for first in range(start, end, _ROWS):
                last = min(first + _ROWS, end)
                block = dense_rows(X, first, last)
                walk(self.paths, block, rows[: last - first], self.max_depth, plain, out[first:last])

        run_parallel(work, list(pairwise(parts)))
        return out.astype(np.int64)

    def is_plain(self, X: Any) -> bool:
        """Whether the quicker walk will do: nothing is missing in X, and no split is by category."""
        return not len(self.subsets) and nothing_missing(X)

    def predict(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """The value of the leaf of each row, of shape (n_rows, n_classes)."""
        return self.value[:, 0].take(self.apply(X, n_jobs), axis=0)

    def decision_path(self, X: Any) -> sp.csr_matrix:
        """Which nodes each row passes, as a CSR matrix of ones."""
        leaves = self.apply(X)
        depth, parent = self.depths, self.parents
        ends = np.concatenate([[0], np.cumsum(depth[leaves] + 1)])
        nodes, at = np.empty(ends[-1], dtype=np.int64), ends[1:] - 1
        here, rows = leaves, np.arange(len(leaves))
        while len(rows):
            nodes[at[rows]] = here
            at[rows] -= 1
            rows, here = rows[here > 0], parent[here[here > 0]]
        shape = (len(leaves), self.node_count)
        return sp.csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, ends), shape=shape)

    # ---------------------------------------------------------------- facts about it

    @cached_property
    def parents(self) -> np.ndarray:
        """The node above each, -1 for the root."""
        out = np.full(self.node_count, -1)
        inner = np.flatnonzero(self.children_left >= 0)
        out[self.children_left[inner]] = out[self.children_left[inner] + 1] = inner
        return out

    @cached_property
    def depths(self) -> np.ndarray:
        """The number of splits above each node."""
        out = np.zeros(self.node_count, dtype=np.int64)
        level = np.zeros(1, dtype=np.int64)
        while len(level):
            children = self.children_left[level]
            parents = level[children >= 0]
            left = children[children >= 0]
            out[left] = out[left + 1] = out[parents] + 1
            level = np.concatenate([left, left + 1])
        return out

    def gains(self) -> np.ndarray:
        """By how much each split lowers the impurity of the tree, times the weight of all rows; 0 for leaves."""
        mass = self.weighted_n_node_samples * self.impurity
        left = self.children_left
        inner = left >= 0
        out = np.zeros(self.node_count)
        out[inner] = mass[inner] - mass[left[inner]] - mass[left[inner] + 1]
        return out

    def compute_feature_importances(self, normalize: bool = True) -> np.ndarray:
        """Sum of the gains of the splits on each column, as shares of all of them."""
        inner = self.children_left >= 0
        sums = np.bincount(self.feature[inner], self.gains()[inner], minlength=self.n_features)
        sums = sums / self.weighted_n_node_samples[0]
        return sums / sums.sum() if normalize and sums.sum() > 0 else sums

    def keep(self, kept: np.ndarray) -> Tree:
        """The tree with the children of some inner nodes only (a mask over the nodes, closed towards the root)."""
        left = np.where(kept, self.children_left, -1)
        stays = np.zeros(self.node_count, dtype=bool)
        stays[0] = True
        stays[left[left >= 0]] = stays[left[left >= 0] + 1] = True
        order = np.flatnonzero(stays)
        new = np.full(self.node_count, -1)
        new[order] = np.arange(len(order))
        left, leaf = left[order], left[order] < 0
        return replace(
            self,
            children_left=np.where(leaf, -1, new[left]),
            feature=np.where(leaf, -2, self.feature[order]),
            threshold=np.where(leaf, -2.0, self.threshold[order]),
            missing_go_to_left=self.missing_go_to_left[order] & ~leaf,
            impurity=self.impurity[order],
            n_node_samples=self.n_node_samples[order],
            weighted_n_node_samples=self.weighted_n_node_samples[order],
            value=self.value[order],
            subset=np.where(leaf, -1, self.subset[order]),
            cut=np.where(leaf, -1, self.cut[order]).astype(np.int16),
            max_depth=int(self.depths[order].max()),
        )
