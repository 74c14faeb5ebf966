"""What a method of nearest neighbours can prove: that the neighbours it finds are the nearest ones.

Nothing is proven about its error. That the error of the nearest neighbour is at most twice the smallest one possible
(Cover and Hart, 1967) is a statement about the limit of infinitely many rows, not about a fit. An estimate is at hand,
the error when each training row is left out, for the price of one search of all rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import DistanceMetric, pairwise_distances
from sklearn.neighbors import VALID_METRICS

from ..certificates import Guarantee, Status
from .search import Index, UndefinedDistanceError

# Rows that are checked, and values of X that checking them may read.
_ROWS = 32
_VALUES = 20_000_000
# To what distances agree when they are recomputed: Euclidean ones relatively, only the order of the sum being another;
# others to a share of the largest one, because some of them cancel.
_AGREES, _AGREES_ROUGHLY = 1e-10, 1e-6

# Names of metrics that scikit-learn's trees know and its pairwise distances do not.
_OF_TREES = frozenset(VALID_METRICS["ball_tree"]) - frozenset(VALID_METRICS["brute"])


def _is_euclidean(metric: Any) -> bool:
    return isinstance(metric, str) and metric == "euclidean"


def all_distances(X: Any, i: int, metric: Any, parameters: dict) -> np.ndarray:
    """Distances of row i from every row, from differences for the Euclidean metric."""
    if isinstance(metric, DistanceMetric):
        return metric.pairwise(X[[i]], X).ravel()
    if metric == "precomputed":
        row = X[[i]]
        return np.where(row.toarray() > 0, row.toarray(), np.inf).ravel() if sp.issparse(row) else np.ravel(row)
    if metric == "braycurtis" and not sp.issparse(X):
        # scikit-learn's search divides by sum |x| + |z|, its pairwise distances, which are SciPy's, by sum |x + z|
        return DistanceMetric.get_metric("braycurtis").pairwise(X[[i]].astype(np.float64), X.astype(np.float64)).ravel()
    if metric in _OF_TREES:
        return DistanceMetric.get_metric(metric, **parameters).pairwise(*(np.float64(A) for A in (X[[i]], X))).ravel()
    if not _is_euclidean(metric):
        return pairwise_distances(X[[i]], X, metric=metric, **parameters).ravel()
    out = np.empty(X.shape[0])
    row = (X[[i]].toarray() if sp.issparse(X) else X[[i]]).astype(np.float64)
    # squares of values near the ends of float64 would leave it
    unit = 2.0 ** np.clip(np.frexp(np.abs(X.data if sp.issparse(X) else X).max(initial=0.0))[1], -1020, 1020)
    step = max(1, 2**18 // max(1, X.shape[1]))
    for start in range(0, len(out), step):
        block = X[start : start + step]
        difference = ((block.toarray() if sp.issparse(block) else block) - row) / unit
        out[start : start + step] = np.sqrt(np.einsum("ij,ij->i", difference, difference)) * unit
    return out


def check_search(index: Index, X: Any, k: int, metric: Any, parameters: dict) -> tuple[int, float]:
    """How many training rows were looked at, and the largest deviation of a distance from the true ones.

    It is NaN where the distance of two rows is: which are nearest is not defined then.
    """
    n, d = X.shape
    rows = np.linspace(0, n - 1, int(min(n, _ROWS, max(1, _VALUES // (n * d))))).astype(int)
    found, _ = index.kneighbors(X[rows], k)
    deviation, exact = 0.0, _is_euclidean(metric)
    for i, distances in zip(rows, found, strict=True):
        every = np.sort(all_distances(X, i, metric, parameters))
        true = every[:k]
        if np.isnan(every).any():  # sorted last, they would hide that some rows have no distance
            return len(rows), np.nan
        size = (
            np.maximum(true, np.finfo(np.float64).tiny) if exact else np.abs(every[np.isfinite(every)]).max(initial=0.0)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = np.where(true == distances, 0.0, np.abs(distances - true) / size)
        deviation = max(deviation, float(apart.max(initial=0.0)))
    return len(rows), deviation


def search_guarantee(
    index: Index, X: Any, k: int, metric: Any, parameters: dict, left_out: tuple[str, float] | None = None
) -> Guarantee:
    """That the search is exact, checked; with the name and value of an error of left-out rows, if there is one."""
    n = X.shape[0]
    if k > n:
        figures = {"training rows": float(n), "neighbours": float(k)}
        words = f"{n} training rows have no {k} neighbours: nothing can be predicted, and nothing is claimed."
        return Guarantee("exact search", figures, words, False, Status.STALLED)
    try:
        checked, deviation = check_search(index, X, k, metric, parameters)
    except UndefinedDistanceError:
        figures = {"training rows": float(n), "neighbours": float(k)}
        words = "some distances between training rows are NaN or beyond float64; nothing is claimed."
        return Guarantee("exact search", figures, words, False, Status.STALLED)
    holds = deviation <= (_AGREES if _is_euclidean(metric) else _AGREES_ROUGHLY)
    figures = {
        "training rows": float(n),
        "neighbours": float(k),
        "rows checked": float(checked),
        "largest deviation": deviation,
    }
    if np.isnan(deviation):
        words = "some distances between training rows are NaN, so that nearest is not defined; nothing is claimed."
        return Guarantee("exact search", figures, words, False, Status.STALLED)
    words = (
        f"for {checked} of {n} training rows, every distance was recomputed: the {k} found "
        f"{'are' if holds else 'are not'} the smallest. "
    )
    if left_out is not None:
        figures[left_out[0]] = left_out[1]
        words += (
            f"Each predicted without itself, their error is {left_out[1]:.4g}: an estimate for new rows, not a bound."
        )
    else:
        words += "Nothing is claimed about the error on new rows; verify(X, y) estimates it by leaving each row out."
    return Guarantee("exact search", figures, words, holds, Status.CONVERGED if holds else Status.REFUTED)
