"""What `verify` asks of a kernel model: that it is whole, and that its figures are those that it claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..certificates import REPRODUCED, Certificate, Evidence, Status, all_finite, not_reproduced, values_agree
from ..solvers import unproven


def refuted(claims: Sequence[Certificate]) -> list[Certificate]:
    """Every claim refuted: the model cannot have been fitted like this."""
    nothing = unproven(1)
    made = [Certificate.of(nothing, Status.REFUTED, c.iterations, c.seconds, c.label) for c in claims]
    return made or [Certificate.of(nothing, Status.REFUTED, 0, 0.0)]


def same_rows(kept: Any, X: Any) -> bool:
    """Whether the rows that a model predicts with are those of X, dense or sparse."""
    if kept.shape != X.shape:
        return False
    if sp.issparse(kept) != sp.issparse(X):
        kept, X = sp.csr_array(kept), sp.csr_array(X)
    difference = kept != X
    return not (difference.nnz if sp.issparse(difference) else difference.any())


def confirmed(
    claim: Certificate,
    evidence: Evidence,
    own: np.ndarray,
    expected: np.ndarray,
    met: bool,
    size: float,
    rounding: np.ndarray | float = 0.0,
) -> Certificate:
    """A certificate of recomputed figures beside the claim.

    `own` are the values that the model gives for its training rows, `expected` those of its coefficients; `met` says
    whether the tolerance is; `size` is that of decision values, and `rounding` what float64 may do to `own`.
    """
    found = Certificate.of(evidence, claim.status, claim.iterations, claim.seconds, claim.label)
    largest = max(size, float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)))
    faithful = values_agree(own, expected, REPRODUCED * largest + rounding)
    differing = not_reproduced(claim, found, rounding=2 * evidence.rounding, violation_slack=REPRODUCED * largest)
    status = claim.status
    if not faithful or differing or (claim.definiteness == "known" != evidence.definiteness):
        status = Status.REFUTED
    elif status is Status.CONVERGED and not (met and all_finite(claim) and evidence.definiteness != "fails"):
        status = Status.REFUTED
    elif status is Status.STATIONARY and (evidence.definiteness != "fails" or not np.isfinite(claim.primal)):
        status = Status.REFUTED
    return replace(found, status=status)
