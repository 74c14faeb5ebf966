"""What answers the question for nearest neighbours: tiles, a tree, or scikit-learn for other metrics.

Each has ``kneighbors(X, k)``: distances in float64 and indices of the k nearest training rows of each row of X, nearest
first; for ``X=None``, of each training row without itself. Tiles and trees give equal distances in the order of
the indices, and give the same answer to the last bit.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import BallTree, KDTree, NearestNeighbors

from ..engine import run_parallel
from ._distances import distances_of_pairs
from ._heap import in_order
from ._search import Columns, Search

# Rows of a query that are worth a thread.
_QUERY = 64


class Index(Protocol):
    """Training rows that can be searched."""

    method: str

    def kneighbors(self, X: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and indices of the k nearest training rows."""


def choose_algorithm(n: int, d: int, k: int) -> str:
    """The faster of "kd_tree" and "brute" for n dense rows of d features.

    A tree visits about 2**(d/2) leaves a query, and tiles pass over n columns at about 1 ns each. Measured with normal
    variables, k = 5, two cores, microseconds a query, tree and tiles: n = 100000, d = 2: 17, 68; d = 5: 48, 89;
    d = 10: 1000, 143; n = 2000, d = 5: 14, 5. Data of lower intrinsic dimension are kinder to the tree (d = 20 of
    rank 3: 74, 117), k near n is not.
    """
    return "kd_tree" if d <= 15 and n > 10_000 * 2 ** (d / 2) and k < n // 100 else "brute"


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
    """Search by one of scikit-learn's trees; ties at the last place, which a tree breaks anyhow, go to the tiles."""

    def __init__(self, X: Any, n_threads: int, method: str, leaf_size: int) -> None:
        super().__init__(X, n_threads)
        self.method = method
        self._tree = {"kd_tree": KDTree, "ball_tree": BallTree}[method](self.columns.rows.arrays[0], leaf_size)

    def kneighbors(self, X: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        if X is not None and sp.issparse(X):
            return super().kneighbors(X, k)
        search = self._search(X)
        n, own = self.columns.rows.n, int(search.own)
        asked = min(n, k + own + 1)
        index = self._query(search.rows.arrays[0], asked)
        squares = np.empty(index.shape)
        distances_of_pairs(search.rows.arrays, self.columns.rows.arrays, index, squares)
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
        squares, index = squares[:, :k].copy(), index[:, :k].copy()
        again = np.flatnonzero(unsure)
        if again.size:
            squares[again], index[again] = search.nearest(k, again)
        return self.columns.distances(squares), index

    def _query(self, X: np.ndarray, k: int) -> np.ndarray:
        parts = max(1, min(self.n_threads, len(X) // _QUERY))
        strips = [(X[len(X) * t // parts : len(X) * (t + 1) // parts],) for t in range(parts)]
        return np.vstack(run_parallel(lambda part: self._tree.query(part, k, return_distance=False), strips))


class OtherMetricIndex:
    """Any metric that scikit-learn knows, by scikit-learn; ties at the last place are broken as it happens to."""

    def __init__(self, X: Any, **parameters: Any) -> None:
        self._search = NearestNeighbors(**parameters).fit(_narrow(X))
        self.method = self._search._fit_method

    @property
    def effective_metric(self) -> tuple[Any, dict]:
        """The metric, after what Minkowski's exponent makes of it, and its parameters."""
        return self._search.effective_metric_, self._search.effective_metric_params_

    def kneighbors(self, X: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        distances, index = self._search.kneighbors(_narrow(X), k)
        return in_order(np.asarray(distances, dtype=np.float64), index, k)


def _narrow(X: Any) -> Any:
    """CSR with indices of 32 bits where they fit: some metrics know no others."""
    if not sp.issparse(X) or X.indices.dtype == np.int32 or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
