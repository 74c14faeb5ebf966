"""Normalised cuts: their value, and the ways to cut a graph in two or more.

Ncut(A_1, ..., A_K) = sum_k cut(A_k, rest) / vol(A_k), with cut the similarity that goes out of a cluster and vol the
sum of the degrees in it (Shi and Malik, 2000; for two clusters cut/vol(A) + cut/vol(B)).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ._eigen import components, degrees, smallest

RULES = ("best_ncut", "median", "sign")


def ncut(W: Any, labels: np.ndarray, k: int) -> float:
    """The normalised cut of a labelling; clusters without any similarity cut nothing and add nothing."""
    member = sp.csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)), shape=(len(labels), k))
    between = member.T @ (W @ member)
    between = between.toarray() if sp.issparse(between) else np.asarray(between)
    volume = between.sum(axis=1)
    np.fill_diagonal(between, 0.0)  # what goes out is added up, not left over from a difference
    return float((between.sum(axis=1)[volume > 0] / volume[volume > 0]).sum())


def prefix_ncuts(W: Any, order: np.ndarray) -> np.ndarray:
    """Ncut of ``order[:t]`` against the rest, for t = 1 ... n - 1."""
    degree = degrees(W)[order]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    if sp.issparse(W):
        W = sp.coo_array(W)
        row, column = W.coords
        earlier = place[column] < place[row]
        back = np.bincount(place[row[earlier]], weights=W.data[earlier], minlength=len(order))
    else:
        back = np.tril(W[np.ix_(order, order)], -1).sum(axis=1)
    cut = np.maximum(np.cumsum(degree - 2 * back)[:-1], 0.0)
    volume = np.cumsum(degree)[:-1]
    other = degree.sum() - volume
    with np.errstate(divide="ignore", invalid="ignore"):
        values = cut / volume + cut / other
    return np.where((volume > 0) & (other > 0), values, np.inf)


def two_way(W: Any, v: np.ndarray, rule: str) -> np.ndarray:
    """Which points are on the upper side of the eigenvector v, by the sign, the median or the best Ncut."""
    if rule == "best_ncut":
        order = np.argsort(v, kind="stable")
        upper = np.zeros(len(v), dtype=bool)
        upper[order[1 + int(prefix_ncuts(W, order).argmin()) :]] = True
        return upper
    upper = v > (0.0 if rule == "sign" else np.median(v))
    if upper.all() or not upper.any():  # more than half of the entries are equal to the median
        return two_way(W, v, "best_ncut")
    return upper


def grouped(volumes: np.ndarray, k: int) -> np.ndarray:
    """Parts that nothing joins, in k groups of volumes as equal as a greedy rule makes them: heaviest first."""
    group, total = np.empty(len(volumes), np.int64), np.zeros(k)
    for part in np.argsort(-volumes, kind="stable"):
        group[part] = total.argmin()
        total[group[part]] += max(volumes[part], np.finfo(float).tiny)
    return group


def recursive(W: Any, labels: np.ndarray, k: int, vector: np.ndarray | None, rule: str, options: tuple) -> np.ndarray:
    """Split clusters in two until there are k, each time the one whose split adds least to the Ncut of the whole.

    `labels` numbers the clusters to begin with; `vector` is the second eigenvector of the whole graph, for the first
    split. `options` go to the eigenvalue solver.
    """
    labels = labels.copy()
    halves: dict[int, np.ndarray | None] = {}
    count = int(labels.max()) + 1
    while count < k:
        best: tuple[float, int] | None = None
        for number in range(count):
            if number not in halves:
                index = np.flatnonzero(labels == number)
                halves[number] = _split(W, index, vector if count == 1 else None, rule, options)
            upper = halves[number]
            if upper is not None:
                value = ncut(W, np.where(_spread(labels, number, upper), count, labels), count + 1)
                if best is None or value < best[0]:
                    best = value, number
        if best is None:  # single points all of them; k is at most their number, so this cannot be
            break
        number = best[1]
        upper = halves.pop(number)
        assert upper is not None
        labels[_spread(labels, number, upper)] = count
        count += 1
    return labels


def _spread(labels: np.ndarray, number: int, upper: np.ndarray) -> np.ndarray:
    mask = labels == number
    mask[mask] = upper
    return mask


def _split(W: Any, index: np.ndarray, vector: np.ndarray | None, rule: str, options: tuple) -> np.ndarray | None:
    """The upper half of a cluster, or None for a single point."""
    if len(index) < 2:
        return None
    inside = W[index][:, index] if sp.issparse(W) else W[np.ix_(index, index)]
    count, part = components(inside)
    if count > 1:
        return grouped(np.bincount(part, weights=degrees(inside)), 2)[part] == 1
    degree = degrees(inside)
    v = vector
    if v is None:
        u = smallest(inside, part, 2, *options).vectors[:, 1]
        v = u / np.sqrt(degree)
    return two_way(inside, v, rule)
