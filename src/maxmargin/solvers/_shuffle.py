"""The order in which coordinates are visited, drawn anew in compiled loops."""

from __future__ import annotations

import numpy as np

from ..engine import jit


@jit
def shuffle(order, count, random):  # type: ignore[no-untyped-def]
    """Fisher and Yates with Marsaglia's xorshift; the high half of a product in place of a remainder."""
    x = random[0]
    for t in range(count - 1, 0, -1):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        s = np.int64(((x >> np.uint64(32)) * np.uint64(t + 1)) >> np.uint64(32))
        order[t], order[s] = order[s], order[t]
    random[0] = x
