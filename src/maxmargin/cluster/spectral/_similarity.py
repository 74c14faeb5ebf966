"""Similarity graphs of points: symmetric, without loops, dense or CSR in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.neighbors import NearestNeighbors, sort_graph_by_row_values

from ...data import check_array
from ...engine import memory_size, warn
from ...neighbors import KNeighborsRegressor

# Weights may differ so much from their mirror images, relative to the largest, before that is worth a warning.
_ASYMMETRY = 1e-10
_LOOKED_AT = 64  # rows at a time, of which a sparse matrix gives dense copies


def distinct_rows(X: Any, enough: int) -> int:
    """How many rows of X differ from each other; counting ends when there are enough."""
    seen: set[bytes] = set()
    for start in range(0, X.shape[0], _LOOKED_AT):
        block = X[start : start + _LOOKED_AT]
        for row in block.toarray() if sp.issparse(block) else block:
            seen.add((row + 0.0).tobytes())  # -0 is 0
            if len(seen) >= enough:
                return enough
    return len(seen)


# Matrices of all pairs that there are at a time: the graph, what the eigenvectors are made from, and one in passing.
_COPIES = 3


def _nearest(X: Any, others: int, n_jobs: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Distances and numbers of the nearest rows of each row, itself not among them; exact, ties by number."""
    search = KNeighborsRegressor(others, n_jobs=n_jobs)
    return search.fit(X, np.zeros(X.shape[0])).kneighbors()


def neighbour_bandwidth(X: Any, n_neighbors: int, n_jobs: int | None) -> float:
    """``gamma = 1 / sigma^2``, sigma the median distance of the points from their k-th neighbour, itself the first.

    Where half of the points have that many copies, the median of the distances that are not zero; 1 if none is.
    """
    others = max(1, min(n_neighbors, X.shape[0]) - 1)
    distance = _nearest(X, others, n_jobs)[0][:, -1]
    sigma = float(np.median(distance))
    if sigma == 0:
        sigma = float(np.median(distance[distance > 0])) if distance.any() else 1.0
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        gamma = float(1 / np.square(np.float64(sigma)))
    if not 0 < gamma < np.inf:
        raise ValueError(
            f"gamma='median' is 1 / d**2, d={sigma:.3g} the median distance of a neighbour, which float64 does not "
            f"hold. Scale X (StandardScaler)."
        )
    return gamma


def neighbour_graph(X: Any, n_neighbors: int, gamma: float | None, n_jobs: int | None) -> sp.csr_array:
    """The graph of the k nearest neighbours, ``(A + A') / 2``; weights 1, or of the RBF with the given gamma.

    As in scikit-learn, each point is the first of its own neighbours; the loop that it would be is left out.
    With RBF weights an edge in one direction counts in full: the similarity is a fact about both of its ends.
    """
    n = X.shape[0]
    others = min(n_neighbors, n) - 1
    if others == 0:
        return sp.csr_array((n, n))
    distance, index = _nearest(X, others, n_jobs)
    with np.errstate(over="ignore"):  # what is infinitely far is not similar
        values = np.ones(distance.size) if gamma is None else np.exp(-np.square(np.sqrt(gamma) * distance)).ravel()
    small = np.int32 if 2 * distance.size < 2**31 else np.int64  # what scikit-learn and the factorisation take
    start = np.arange(0, distance.size + 1, distance.shape[1], dtype=small)
    A = sp.csr_array((values, index.ravel().astype(small), start), shape=(n, n))
    W = sp.csr_array((A + A.T) / 2 if gamma is None else A.maximum(A.T))
    W.eliminate_zeros()  # a similarity that has underflowed joins nothing
    return W


def graph_of_distances(D: Any, n_neighbors: int, n_jobs: int | None) -> sp.csr_array:
    """The graph of the k nearest neighbours by given distances, ``(A + A') / 2`` with weights 1.

    Each row is a point's distances, of a sparse matrix those that are stored; its own, 0, is one of them.
    """
    if sp.issparse(D):  # in canonical form, hence by columns
        D = sort_graph_by_row_values(sp.csr_matrix(D), copy=True, warn_when_not_sorted=False)
    search = NearestNeighbors(n_neighbors=n_neighbors, metric="precomputed", n_jobs=n_jobs).fit(D)
    A = search.kneighbors_graph(D)
    return without_loops((A + A.T) / 2)


def full_graph(X: Any, affinity: Any, **parameters: Any) -> np.ndarray:
    """Similarities of all pairs by a kernel of scikit-learn's names or the user's function."""
    _refuse_too_many(X.shape[0], affinity)
    with np.errstate(over="ignore", invalid="ignore"):
        W = pairwise_kernels(X, metric=affinity, **parameters)
    if not np.isfinite(W).all():
        raise ValueError(
            f"affinity={affinity!r} has values that are not finite for these rows: X has values so large that products "
            f"of them overflow float64. Scale X (StandardScaler), or use affinity='nearest_neighbors'."
        )
    return checked_graph(W)


def _refuse_too_many(n: int, affinity: Any) -> None:
    """An error before the hour and not after it, where all pairs cannot be held."""
    there = memory_size()
    if _COPIES * 8 * n**2 > there:
        raise MemoryError(
            f"affinity={affinity!r} joins all pairs: {n} x {n} similarities are {8 * n**2 / 2**30:.1f} GiB, "
            f"{_COPIES} such matrices are needed at a time, and there are {there / 2**30:.1f} GiB of memory. Use "
            f"affinity='nearest_neighbors' or 'rbf_nearest_neighbors', which keep n_neighbors pairs of each point."
        )


def checked_graph(W: Any) -> Any:
    """A user's matrix of similarities: finite, not negative, made symmetric and rid of its diagonal."""
    W = check_array(W, accept_sparse="csr", dtype=np.float64, copy=True, ensure_min_samples=2)
    if W.shape[0] != W.shape[1]:
        raise ValueError(f"a matrix of similarities has to be square; got shape {W.shape}.")
    values = W.data if sp.issparse(W) else W
    if values.size and values.min() < 0:
        raise ValueError(f"similarities must not be negative; the smallest is {values.min():.3g}.")
    with np.errstate(over="ignore"):
        if not np.isfinite(2 * values.sum()):
            raise ValueError(
                f"similarities must add up to a finite number; the largest is {values.max():.3g}. Divide them by it."
            )
    mirrored = W.T.tocsr() if sp.issparse(W) else W.T
    if abs(W - mirrored).max() > _ASYMMETRY * (values.max() if values.size else 0.0):
        warn(
            "The matrix of similarities is not symmetric: the mean of it and its transpose is used.",
            UserWarning,
            stacklevel=5,
        )
    return without_loops((W + mirrored) / 2)


def without_loops(W: Any) -> Any:
    """The graph without the similarities of points with themselves, which no cut can cut."""
    if not sp.issparse(W):
        np.fill_diagonal(W, 0.0)
        return W
    W = sp.csr_array(W)
    W.setdiag(0.0)
    W.eliminate_zeros()
    return W
