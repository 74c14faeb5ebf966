"""The mean of stochastic subgradient steps (Shalev-Shwartz and Ben-David 2014, theorem 14.8)."""

from __future__ import annotations

import math
from typing import NamedTuple

from ._checks import positive, whole


class AveragedSGDBound(NamedTuple):
    """What `averaged_sgd_bound` promises."""

    step_size: float
    """The constant step size for which the bound holds."""
    gap: float
    """The largest expected distance of the value at the mean from the minimum."""


def averaged_sgd_bound(radius: float, lipschitz: float, steps: int) -> AveragedSGDBound:
    """How far the mean of the iterates of stochastic subgradient descent can be from the optimum.

    For a convex function F, start at w = 0 and take `steps` steps along subgradients, or random vectors whose mean
    is a subgradient, none longer than `lipschitz`. With the step size ``radius / (lipschitz * sqrt(steps))``, the mean
    of the iterates before each step satisfies ::

        E F(mean of w) - F(v) <= radius * lipschitz / sqrt(steps)     for every v with ||v|| <= radius

    Parameters
    ----------
    radius : float
        Bound of the length of the minimiser.
    lipschitz : float
        Bound of the length of the subgradients.
    steps : int
        Number of steps.

    Returns
    -------
    AveragedSGDBound
        A tuple ``(step_size, gap)``.

    Examples
    --------
    >>> from maxmargin.bounds import averaged_sgd_bound
    >>> averaged_sgd_bound(radius=3.0, lipschitz=2.0, steps=100)
    AveragedSGDBound(step_size=0.15, gap=0.6)
    """
    radius, lipschitz = positive("radius", radius), positive("lipschitz", lipschitz)
    root = math.sqrt(whole("steps", steps))
    return AveragedSGDBound(radius / (lipschitz * root), radius * lipschitz / root)
