"""What answers the question for nearest neighbours: tiles, a tree, or scikit-learn for other metrics.

Each has ``kneighbors(X, k)``: distances in float64 and indices of the k nearest training rows of each row of X, nearest
first; for ``X=None``, of each training row without itself. Tiles and trees give equal distances in the order of
the indices, and give the same answer to the last bit.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import BallTree, NearestNeighbors

from ...engine import run_portions
from ._distances import distances_of_pairs
from ._heap import in_order
from ._tiles import Columns, Search
from ._tree import Tree, descend_all
from ._undefined import check_found, check_parameters, check_rows

# Rows that scikit-learn's tree is asked for at a time.
_QUERY = 64
# Differences that scikit-learn computes in one call for another metric: about a fifth of a second.
_PORTION = 200_000_000


class Index(Protocol):
    """Training rows that can be searched."""

    method: str

    def kneighbors(self, X: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and indices of the k nearest training rows."""


def choose_algorithm(n: int, d: int, k: int) -> str:
    """What to start with for n dense rows of d features: "kd_tree" or "brute".

    A tree is cheap to build (d = 20, n = 100000: 0.07 s), and tells by itself from a few queries whether tiles are the
    better choice (`descend_all`), which depends on the data as much as on d: normal variables from d = 12 on, those of
    rank 3 not even for d = 40. So it is tried wherever it may win. Measured on one core, microseconds a query, tree and
    tiles: k = 5, d = 2, n = 300: 2.1, 2.7; n = 2000: 2.4, 5.3; n = 100000: 4, 87; d = 40 of rank 3: 14, 228;
    d = 3, n = 20000, k = 20: 9, 56; k = 200: 71, 176; k = 1000: 390, 668; k = 5000: 2390, 2320.
    """
    return "kd_tree" if d <= 40 and n >= 1000 and k <= n // 20 else "brute"


class TileIndex:
    """Search by tiles of inner products; dense and CSR, on either side."""

    method = "brute"

    def __init__(self, X: Any, n_threads: int) -> None:
        self.columns, self.n_threads = Columns(X), n_threads

    def kneighbors(self, X: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        squares, index = self._search(X).nearest(k)
        return self.columns.distances(squares), index

    def _search(self, X: Any) -> Search:
        rows = self.columns.rows if X is None else self.columns.queries(X)
        return Search(rows, self.columns, self.n_threads, own=X is None)


class TreeIndex(TileIndex):
    """Search by a tree, ours or scikit-learn's ball tree; rows for which it would look at too much go to the tiles."""

    def __init__(self, X: Any, n_threads: int, method: str, leaf_size: int) -> None:
        super().__init__(X, n_threads)
        self.method = method
        rows = self.columns.rows
        self._tree: Any = (
            Tree(rows, leaf_size, n_threads) if method == "kd_tree" else BallTree(rows.arrays[0], leaf_size)
        )

    def kneighbors(self, X: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        if X is not None and sp.issparse(X):
            return super().kneighbors(X, k)
        search = self._search(X)
        by_tree = descend_all if self.method == "kd_tree" else _by_ball_tree
        squares, index, left = by_tree(self._tree, search, k)
        if left.size:
            squares[left], index[left] = search.nearest(k, left)
        return self.columns.distances(squares), index


def _by_ball_tree(tree: BallTree, search: Search, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Squares and indices, and rows with ties at the last place, which scikit-learn breaks anyhow."""
    n, own = search.columns.rows.n, int(search.own)
    asked = min(n, k + own + 1)
    X = search.rows.arrays[0]
    portions = [(X[a : a + _QUERY],) for a in range(0, len(X), _QUERY)]
    found = run_portions(lambda part: tree.query(part, asked, return_distance=False), portions, search.n_threads)
    index = np.vstack(found) if found else np.empty((0, asked), np.int64)
    squares = np.empty(index.shape)
    distances_of_pairs(search.rows.arrays, search.columns.rows.arrays, index, squares)
    if own:
        squares[index == np.arange(n)[:, None]] = np.inf  # last in order
    squares, index = in_order(squares, index, asked)
    if asked < n:
        # What the tree has left out is no nearer than the next one, but for rounding errors in its sums and ours.
        slack = 1 + 1e-13 * (search.rows.d + 16)
        unsure = ~(squares[:, k] > squares[:, k - 1] * slack)
        if own:  # so many copies of a row that it was not found itself
            unsure |= np.isfinite(squares[:, -1])
    else:
        unsure = np.zeros(len(squares), dtype=bool)
    return squares[:, :k].copy(), index[:, :k].copy(), np.flatnonzero(unsure)


class OtherMetricIndex:
    """Any metric that scikit-learn knows, by scikit-learn; ties at the last place are broken as it happens to.

    It runs on our own threads: joblib's pool, made and ended with every call, can be left locked for ever by Ctrl-C.
    """

    def __init__(self, X: Any, n_threads: int, **parameters: Any) -> None:
        check_parameters(parameters["metric"], parameters.get("metric_params"))
        check_rows(parameters["metric"], X, trained=True)
        self._search = NearestNeighbors(**parameters, n_jobs=1).fit(_narrow(X))
        self.method, self.n_threads = self._search._fit_method, n_threads

    @property
    def effective_metric(self) -> tuple[Any, dict]:
        """The metric, after what Minkowski's exponent makes of it, and its parameters."""
        return self._search.effective_metric_, self._search.effective_metric_params_

    def kneighbors(self, X: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        own = X is None
        if not own:
            check_rows(self._search.metric, X, trained=False)
        X = self._search._fit_X if own else _narrow(X)
        step = max(1, _PORTION // max(1, self._search._fit_X.size))
        step = min(step, max(1, -(-X.shape[0] // self.n_threads)))
        portions = [(X[a : a + step],) for a in range(0, X.shape[0], step)]  # between which Ctrl-C is heard
        found = run_portions(lambda part: self._search.kneighbors(part, k + own), portions, self.n_threads)
        distances, index = (np.vstack(part) for part in zip(*found, strict=True))
        if own:
            distances, index = _without_itself(distances, index)
        check_found(self._search.metric, distances)
        return in_order(np.asarray(distances, dtype=np.float64), index, k)


def _without_itself(distances: np.ndarray, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row's neighbours but itself; one that so many copies hide that it was not found loses the last of them."""
    n, k = index.shape
    others = index != np.arange(n)[:, None]
    others[others.all(axis=1), -1] = False
    return distances[others].reshape(n, k - 1), index[others].reshape(n, k - 1)


def _narrow(X: Any) -> Any:
    """CSR with indices of 32 bits where they fit: some metrics know no others."""
    if not sp.issparse(X) or X.indices.dtype == np.int32 or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
