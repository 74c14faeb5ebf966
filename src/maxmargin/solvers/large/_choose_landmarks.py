"""Landmarks of a machine: rows of its own matrix that explain it, chosen on a sample of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...kernels import Gram, factorised, pivots
from ._time_limit import TimeLimit

_ROWS, _ROWS_A_LANDMARK = 20_000, 10  # of the sample
_SPANNED = 1e-6  # rows of which less is left are rounding in float32, which features are in


@dataclass(frozen=True, eq=False)
class ChosenRows:
    """Rows that were chosen, and the share of the kernel's trace that they leave, estimated on a sample of rows."""

    rows: np.ndarray
    left: float


def choose_rows(
    gram: Gram,
    count: int,
    random: np.random.Generator,
    threads: int = 1,
    enough: float = 0.0,
    first: np.ndarray | None = None,
    limit: TimeLimit | None = None,
) -> ChosenRows:
    """Up to `count` rows of the matrix; fewer where what they leave of the trace is at most the share `enough`.

    `first` are landmarks of an earlier choice, which stay; the choice ends with what it has when time is over.
    """
    n = gram.shape[0]
    sample = np.sort(random.permutation(n)[: max(_ROWS, _ROWS_A_LANDMARK * count)])
    places = None
    if first is not None and len(first):
        first = first[factorised(gram.block(first, first, np.float64), _SPANNED)[1]]  # another kernel may join some
        sample, count = np.union1d(sample, first), max(count, len(first))
        places = np.searchsorted(sample, first)
    part = gram if len(sample) == n else gram.restricted(sample)
    over = None if limit is None else limit.is_over
    chosen, left = pivots(part, count, random, _SPANNED, threads, enough, places, over)
    if not len(chosen):  # all rows are zero in feature space: one is as good as any
        chosen = np.zeros(1, dtype=np.int64)
    return ChosenRows(sample[chosen], left)
