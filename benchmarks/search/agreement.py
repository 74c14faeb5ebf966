"""Whether two searches say the same: scores of all cells, and who wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .contenders import Found

SAMPLES = 2  # test rows of a fold that may be decided otherwise


@dataclass(frozen=True)
class Agreement:
    """Of our search with a peer's.

    ``largest`` is the largest difference of a score in a fold: in test rows for a classifier, in R2 for a regressor.
    ``beyond`` counts those of more than two test rows, and is None for a regressor. ``winners`` is by how much the
    peer's mean score of its own winner is above that of ours: 0 if they are the same or tied.
    """

    compared: int
    largest: float
    beyond: int | None
    same_winner: bool
    winners: float

    def raw(self) -> dict[str, Any]:
        return dict(vars(self))


def agreement(ours: Found, theirs: Found, test_rows: np.ndarray, regression: bool) -> Agreement:
    """Compare; a score that only one of them has, or that is not finite, is as far off as can be."""
    difference = np.abs(ours.scores - theirs.scores)
    if not regression:
        difference = difference * test_rows  # the mean of so many rights and wrongs
    difference = np.where(np.isfinite(difference), difference, np.inf)
    means = theirs.scores.mean(axis=1)
    return Agreement(
        compared=difference.size,
        largest=float(difference.max()),
        beyond=None if regression else int(np.count_nonzero(difference > SAMPLES + 1e-6)),
        same_winner=ours.best == theirs.best,
        winners=float(means[theirs.best] - means[ours.best]),
    )
