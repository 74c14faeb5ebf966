"""A hint to the memory: it changes nothing, and an index beyond the end does no harm."""

import numpy as np

from maxmargin.engine import jit
from maxmargin.engine._prefetch import prefetch


@jit
def _sum(a, ahead):
    total = 0.0
    for i in range(a.shape[0]):
        prefetch(a, i + ahead)
        total += a[i]
    return total


def test_prefetch_is_a_hint():
    for a in (np.arange(100.0), np.arange(100.0, dtype=np.float32), np.arange(100, dtype=np.int32)):
        assert _sum(a, 5) == 4950.0
        assert _sum(a, 10**9) == 4950.0
