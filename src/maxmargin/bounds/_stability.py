"""Regularised risk minimisation generalises, because it is stable.

Bousquet and Elisseeff 2002; in this form Shalev-Shwartz and Ben-David 2014, corollaries 13.6 to 13.9. The learner
returns the w that minimises the mean loss on m samples plus lambda ||w||^2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ._checks import positive, whole


class BestRegularisation(NamedTuple):
    """What `best_regularisation` chose, and what it promises."""

    regularisation: float
    """The factor of ``||w||**2`` for which the bound is smallest."""
    excess: float
    """The largest expected distance of the risk from the best one."""


def stability_bound(lipschitz: float, regularisation: float, samples: int) -> float:
    """How much a regularised risk minimiser can depend on one sample: ``2 lipschitz**2 / (regularisation samples)``.

    Let the loss of a sample be convex in w and change by at most `lipschitz` times the change in w, and let w minimise
    the mean loss on the samples plus ``regularisation * ||w||**2``. Replacing one sample changes the loss on any
    sample by at most this much. Hence, with L the expected loss on a new sample, ::

        E L(w) <= min over v of [ L(v) + regularisation * ||v||**2 ]  +  stability_bound(...)

    Parameters
    ----------
    lipschitz : float
        Bound of the slope of the loss in w. For a loss with slope at most 1 in ``<w, x>``, such as the hinge loss, it
        is the length of the longest sample.
    regularisation : float
        The factor of ``||w||**2``. (Not of ``||w||**2 / 2``, and the loss is a mean, not a sum.)
    samples : int
        Number of samples.

    Returns
    -------
    float

    See Also
    --------
    best_regularisation : The factor that makes the sum of both terms smallest.

    Examples
    --------
    >>> from maxmargin.bounds import stability_bound
    >>> stability_bound(lipschitz=1.0, regularisation=0.1, samples=200)
    0.1
    """
    lipschitz, regularisation = positive("lipschitz", lipschitz), positive("regularisation", regularisation)
    return 2 * lipschitz**2 / (regularisation * whole("samples", samples))


def best_regularisation(lipschitz: float, radius: float, samples: int) -> BestRegularisation:
    """The regularisation with the best guarantee, and that guarantee.

    To compete with every v of length at most `radius`, the factor of ``||w||**2`` that makes
    ``regularisation * radius**2 + stability_bound(lipschitz, regularisation, samples)`` smallest is
    ``lipschitz / radius * sqrt(2 / samples)``, and then ::

        E L(w) <= min over ||v|| <= radius of L(v)  +  lipschitz * radius * sqrt(8 / samples)

    Parameters
    ----------
    lipschitz : float
        Bound of the slope of the loss in w.
    radius : float
        Bound of the length of the vectors to compete with.
    samples : int
        Number of samples.

    Returns
    -------
    BestRegularisation
        A tuple ``(regularisation, excess)``.

    See Also
    --------
    stability_bound : What the guarantee rests on.

    Examples
    --------
    >>> from maxmargin.bounds import best_regularisation
    >>> best_regularisation(lipschitz=1.0, radius=2.0, samples=200)
    BestRegularisation(regularisation=0.05, excess=0.4)
    """
    lipschitz, radius = positive("lipschitz", lipschitz), positive("radius", radius)
    samples = whole("samples", samples)
    return BestRegularisation(lipschitz / radius * math.sqrt(2 / samples), lipschitz * radius * math.sqrt(8 / samples))
