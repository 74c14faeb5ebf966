"""Single points moved to another cluster while that lowers the normalised cut.

With links l_k = sum of the similarities of point i to cluster k, and d its degree, moving it from a to b changes

    cut(a) by 2 l_a - d,  vol(a) by -d,  cut(b) by d - 2 l_b,  vol(b) by d,

and of the normalised cut only the two terms of a and b. Every move lowers it, so that the moves come to an end; what is
reached is a cut that no single point can better.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...data import Rows, row_add
from ...engine import jit
from ._cuts import ncut

_PASSES = 100
# What a move has to lower the cut by: more than sums of so many terms may be off.
_LEAST = 1e-12


def polished(W: Any, labels: np.ndarray, k: int) -> tuple[np.ndarray, float]:
    """Labels that no move of a single point betters, and their normalised cut; no cluster is left without points."""
    before = ncut(W, labels, k)
    if k == 1:
        return labels, before
    member = sp.csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)), shape=(len(labels), k))
    links = W @ member
    links = np.ascontiguousarray((links.toarray() if sp.issparse(links) else np.asarray(links)).T)
    moved = labels.astype(np.int64)
    move_points(Rows(W).arrays, links, links.sum(axis=0), moved, np.bincount(moved, minlength=k), _PASSES)
    after = ncut(W, moved, k)
    return (moved, after) if after < before else (labels, before)


@jit
def move_points(rows, links, degree, labels, sizes, passes):  # type: ignore[no-untyped-def]
    """Pass over all points until none moves; changes links, labels and sizes. Returns the number of moves."""
    k, n = links.shape
    cut, volume = np.zeros(k), np.zeros(k)
    for i in range(n):
        volume[labels[i]] += degree[i]
        cut[labels[i]] += degree[i] - links[labels[i], i]
    moves = 0
    for _ in range(passes):
        earlier = moves
        for i in range(n):
            a, d = labels[i], degree[i]
            if sizes[a] == 1 or d == 0.0 or d - links[a, i] <= 0.0 or volume[a] - d <= 0.0:
                continue
            leaving = (cut[a] + 2 * links[a, i] - d) / (volume[a] - d) - cut[a] / volume[a]
            best, target = -_LEAST, -1
            for b in range(k):
                if b != a and links[b, i] > 0.0:
                    change = leaving + (cut[b] + d - 2 * links[b, i]) / (volume[b] + d) - cut[b] / volume[b]
                    if change < best:
                        best, target = change, b
            if target < 0:
                continue
            cut[a] += 2 * links[a, i] - d
            cut[target] += d - 2 * links[target, i]
            volume[a] -= d
            volume[target] += d
            sizes[a] -= 1
            sizes[target] += 1
            labels[i] = target
            row_add(rows, i, -1.0, links[a])
            row_add(rows, i, 1.0, links[target])
            moves += 1
        if moves == earlier:
            break
    return moves
