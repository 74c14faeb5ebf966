"""One step of k-means on a mini-batch (Sculley, WWW 2010): a centre stays the mean of all points it was given."""

from __future__ import annotations

import numpy as np

from ._assignment import Assignment
from ._points import Points

# Centres with less than this share of the heaviest one's mass start anew at a row of the batch.
_TOO_LIGHT = 0.01


def mini_batch_step(
    batch: Points, centres: np.ndarray, masses: np.ndarray, random_state: np.random.RandomState, reassign: bool
) -> tuple[np.ndarray, np.ndarray]:
    """New centres (about the batch's origin) and the masses that they are the means of."""
    assignment = Assignment(batch, len(centres))
    assignment.update(centres)
    gained = batch.masses(assignment.labels, len(centres))
    total = masses + gained
    won = gained > 0
    new = centres.copy()
    new[won] = (centres[won] * masses[won, None] + assignment.sums[won]) / total[won, None]
    return _reassign(batch, new, total, random_state) if reassign else (new, total)


def _reassign(
    batch: Points, centres: np.ndarray, masses: np.ndarray, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Centres that hardly any point was given go to rows of the batch, at most half of them; as in scikit-learn."""
    light = masses < _TOO_LIGHT * masses.max()
    most = batch.n // 2
    if light.sum() > most:
        light[np.argsort(masses, kind="stable")[most:]] = False
    if light.any():
        centres, masses = centres.copy(), masses.copy()
        centres[light] = batch.at(random_state.choice(batch.n, replace=False, size=int(light.sum())))
        masses[light] = masses[~light].min()  # not zero, or they would move again at once
    return centres, masses
