"""From a point inside the box to one on its bounds: the end of an interior point.

An interior point leaves every variable a little off its bound, where it would count as one that may rise and fall. The
multipliers y and z of the bounds tell them apart: their difference is r - nu at the optimum (r = p - K b, nu the
intercept of the group), negative at the lower bound and positive at the upper; and it is known to more digits than
r - nu where b is large.
"""

from __future__ import annotations

import math

import numpy as np

from ...problems import BoxQP
from ._projection import feasible

_DUST = 1e-10  # of the largest variable: as good as on the bound; of the largest multiplier: as good as free
_SHARE = 0.1  # of the tolerance: whoever is ahead or behind by more is set on a bound


def to_bounds(problem: BoxQP, b: np.ndarray, ahead: np.ndarray, tolerance: float) -> np.ndarray:
    """Variables that belong to a bound set on it; the others take over what that moved. `ahead` is y - z."""
    dust = _DUST * float(np.abs(b).max(initial=0.0))
    margin = max(_SHARE * tolerance, _DUST * float(np.abs(ahead).max(initial=0.0)))
    low = (ahead < -margin) | (b - problem.lower <= dust)
    high = (ahead > margin) | (problem.upper - b <= dust)
    beta = np.where(low & ~high, problem.lower, np.where(high & ~low, problem.upper, b))
    beta = np.clip(beta, problem.lower, problem.upper)
    for _ in range(3):
        for g, total in enumerate(problem.totals):
            _restore(problem, beta, np.arange(problem.n)[problem.members(g)], total)
    return feasible(problem, beta)


def _restore(problem: BoxQP, beta: np.ndarray, members: np.ndarray, total: float) -> None:
    """Bring the sum of a group back to its total, each free variable in proportion to its room."""
    missing = total - math.fsum(beta[members])
    room = np.minimum(beta[members] - problem.lower[members], problem.upper[members] - beta[members])
    free = members[room > 0]
    if missing == 0 or not len(free):
        return
    if len(free) > 1 and abs(missing) > 1e-15 * float(np.abs(beta[members]).max()):
        share = room[room > 0] / float(room.sum())
        beta[free] = np.clip(beta[free] + missing * share, problem.lower[free], problem.upper[free])
        missing = total - math.fsum(beta[members])
    freest = members[int(np.argmax(room))]
    beta[freest] = np.clip(beta[freest] + missing, problem.lower[freest], problem.upper[freest])
