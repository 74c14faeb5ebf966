"""Compiled pass of the proof of k-means: plain tiles of rows against all centres in float64, no bounds."""

from __future__ import annotations

import numpy as np

from ...engine import jit
from ._row_passes import row_shifted_add
from ._two_nearest import centre_products

_TILE = 128


@jit
def look_pass(rows, every, start, stop, origin, norms, panels, lengths, weights, labels, slack, sums):  # type: ignore[no-untyped-def]
    """Inertia of the rows start..stop, how many would change, sum and greatest of their squares; adds to `sums`.

    ``panels`` holds the centres times -2 and ``lengths`` their squared lengths, infinite where a panel is padded.
    """
    chunks, width = lengths.shape
    tile, room = np.empty((_TILE, origin.shape[0])), np.empty(_TILE * width)
    own, least = np.empty(_TILE), np.empty(_TILE)
    inertia, would_change, square, largest, longest = 0.0, 0, 0.0, 0.0, 0.0
    for chunk in range(chunks):
        for j in range(width):
            longest = max(longest, lengths[chunk, j]) if lengths[chunk, j] < np.inf else longest
    for first in range(start, stop, _TILE):
        m = min(stop - first, _TILE)
        for t in range(m):
            least[t] = np.inf
        for chunk in range(chunks):
            products = centre_products(rows, every, first, first + m, origin, panels, chunk, tile, room)
            for j in range(width):
                row, length = products[j], lengths[chunk, j]
                for t in range(m):
                    value = row[t] + length
                    least[t] = value if value < least[t] else least[t]
            for t in range(m):
                j = labels[first + t] - chunk * width
                if 0 <= j < width:
                    own[t] = products[j, t] + lengths[chunk, j]
        for t in range(m):
            i = first + t
            error = slack * (np.sqrt(norms[i]) + np.sqrt(longest)) ** 2
            would_change += own[t] > least[t] + error
            inertia += weights[i] * max(norms[i] + own[t], 0.0)
            square += weights[i] * norms[i]
            largest = max(largest, norms[i])
            row_shifted_add(rows, i, origin, weights[i], sums[labels[i]])
    return inertia, would_change, square, largest
