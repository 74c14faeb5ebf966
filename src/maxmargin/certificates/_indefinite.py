"""What a duality gap proves where the kernel matrix is semi-definite only up to a shift, or not at all.

With K + s I >= 0 and any feasible beta, D(beta*) <= P(beta) + s/2 ||beta* - beta||^2: the tangent of D at beta gives
P(beta) (see `evaluate`), and the curvature against it is at most s. No component of beta* - beta is larger than the
box is wide. The bracket is then one of the box QP's optimum, D(beta) <= D* <= P(beta) + s/2 sum_i width_i^2.

Where K has a negative eigenvalue, P is not convex, and a point that meets every condition of optimality may be as far
from the optimum as you like: nothing bounds it from below.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..kernels import Definiteness
from ..problems import BoxQP
from ._duality import Evidence, relative

_ROOM = 1 + 1e-9  # sums of up to 1e6 rounded non-negative terms are within it


class IndefiniteKernelWarning(ConvergenceWarning):
    """The kernel matrix is not positive semi-definite: the machine found is stationary, and not proven to be best."""


class IndefiniteKernelError(ValueError):
    """The kernel matrix is not positive semi-definite, where it has to be."""


def with_definiteness(evidence: Evidence, problem: BoxQP, definiteness: Definiteness) -> Evidence:
    """The evidence of a box QP, with what its kernel matrix is known to be taken into account."""
    if definiteness.basis == "known":
        return evidence
    widths = problem.upper - problem.lower
    if problem.sample is not None:  # two variables of a regressor share a row of K
        widths = np.bincount(problem.sample, weights=widths, minlength=problem.gram.shape[0])
    return of_widths(evidence, widths, definiteness)


def of_widths(evidence: Evidence, widths: np.ndarray, definiteness: Definiteness) -> Evidence:
    """The same for boxes that are so wide, one a row of K."""
    if definiteness.basis == "known":
        return evidence
    if definiteness.fails:
        return replace(evidence, dual=-np.inf, gap=np.inf, relative_gap=np.inf, definiteness="fails")
    if not np.isfinite(widths).all():
        definiteness = definiteness.without_bounds()
    basis = definiteness.basis
    if not definiteness.shift > 0:
        return replace(evidence, definiteness=basis)
    with np.errstate(over="ignore"):
        more = _ROOM * definiteness.shift / 2 * float(widths @ widths)
    primal = float(np.nextafter(evidence.primal + more, np.inf))
    gap = float(np.nextafter(evidence.gap + more, np.inf))
    return replace(
        evidence,
        primal=primal,
        gap=gap,
        relative_gap=relative(gap, primal, evidence.dual),
        definiteness=basis,
        rounding=evidence.rounding + more,
    )
