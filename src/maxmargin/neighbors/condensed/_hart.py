"""Hart's rule: the samples that one nearest neighbour needs to classify all of them.

Start with the first sample of each class in a given order; visit the samples in that order and add every one that
its nearest prototype misclassifies; stop after a full pass that adds none (Hart, 1968, The condensed nearest neighbor
rule). Each pass but the last adds at least one, so it ends.

Each pair of a sample and a prototype is looked at once. Samples are visited in blocks: prototypes that were added since
a block's last visit come to it together, in tiles, those that the block itself adds come one at a time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...engine import jit
from ..search import Search, empty_heaps, offer, squared_distance

_BLOCK = 256


@jit
def _visit(rows, order, start, stop, label, chosen, squares, index, added):  # type: ignore[no-untyped-def]
    """Visit a block in order and note in `added` who becomes a prototype; how many."""
    count = 0
    for t in range(start, stop):
        r = order[t]
        # A prototype beside a copy of it with another label stays wrong, and is not added again.
        if label[index[t, 0]] == label[r] or chosen[r]:
            continue
        chosen[r] = True
        added[count] = r
        count += 1
        for s in range(start, stop):
            offer(squares[s], index[s], squared_distance(rows, order[s], rows, r), r)
    return count


def condense(
    search: Search, label: np.ndarray, order: np.ndarray, passed: Callable[[int], None] | None = None
) -> tuple[np.ndarray, int]:
    """Prototypes in the order in which they were added, and the number of passes.

    Parameters
    ----------
    search : Search
        Of all samples among themselves.
    label : ndarray of int
        Of all samples.
    order : ndarray of int
        The samples that count, in the order of the visits.
    passed : callable, optional
        Told the number of prototypes after each pass.

    """
    _, first = np.unique(label[order], return_index=True)
    prototypes = order[np.sort(first)]
    chosen = np.zeros(len(label), dtype=bool)
    chosen[prototypes] = True
    squares, index = empty_heaps(len(order), 1)
    edges = range(0, len(order), _BLOCK)
    offered = dict.fromkeys(edges, 0)
    added = np.empty(_BLOCK, dtype=np.int64)
    passes, before = 0, -1
    while before != len(prototypes):
        passes, before = passes + 1, len(prototypes)
        for start in edges:
            stop = min(start + _BLOCK, len(order))
            new = prototypes[offered[start] :]
            if len(new):
                search.update(order[start:stop], new, squares[start:stop], index[start:stop])
            count = _visit(search.rows.arrays, order, start, stop, label, chosen, squares, index, added)
            prototypes = np.append(prototypes, added[:count])
            offered[start] = len(prototypes)
        if passed is not None:
            passed(len(prototypes))
    return prototypes, passes
