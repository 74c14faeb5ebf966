"""Optimality cases of a kernel machine: by the multipliers of a fit that has converged, solved on where it can be.

Multipliers of a fit to a violation of `tol` are those of the optimum but for a few samples next to the boundary. As
long as the kernel matrix fits the cache, such a fit is gone on with; multipliers, margins and slacks stay its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from ..certificates import KKTCases, Status, unconverged
from ..estimators import refuse_training
from ._joint import AGREE, SHARP_ENOUGH
from ._verify import Audit, audited

# The violation that a fit is gone on with to.
_SHARP = 1e-8
_PLACE = "Samples are told apart by where they lie in an approximate machine: those of the exact one may lie elsewhere."


def sharp_cases(machine: Any, X: Any, y: Any, sample_weight: Any) -> KKTCases:
    """The cases of a machine, or those of one that is nearer to the optimum, with its own margins."""
    own, audits = _checked_cases(machine, X, y, sample_weight)
    twin = _sharpened(machine, X, y, sample_weight, audits)
    return own if twin is None else _of_both(own, _checked_cases(twin, X, y, sample_weight)[0])


def _checked_cases(machine: Any, X: Any, y: Any, sample_weight: Any) -> tuple[KKTCases, list[Audit]]:
    """Cases, and what is recomputed of each problem; data on which the model is refuted are refused."""
    certificates, audits = audited(machine, X, y, sample_weight)
    if any(found.status is Status.REFUTED for found in certificates):
        refuse_training(machine, sample_weight)
    _, y, weight = machine._training_data(X, y, sample_weight)
    return machine._cases(audits, y, weight), audits


def noise(audit: Audit, coefficients: np.ndarray) -> np.ndarray:
    """What the last bits of the terms of a decision value leave of it, row by row, where it should be nothing."""
    assert audit.problem is not None and audit.values is not None
    scale = audit.problem.gram.accuracy().scale
    with np.errstate(over="ignore"):
        return 2.0**-49 * (scale * float(scale @ np.abs(coefficients)) + np.abs(audit.values))


def near(machine: Any, audit: Audit, rounding: np.ndarray) -> np.ndarray:
    """How far from the boundary a decision value may be that is on it: by rounding, and what is left of violation."""
    if is_approximate(audit):
        return rounding
    violation = audit.evidence.kkt_violation
    return rounding + (violation if violation <= SHARP_ENOUGH * _unit(machine, audit) else 0.0)


def is_approximate(audit: Audit) -> bool:
    """Whether a machine is judged by its gap alone, and its samples are told apart by where they lie."""
    return audit.tolerance == np.inf


def _unit(machine: Any, audit: Audit) -> float:
    """How far decision values can be apart, if that is less than 1."""
    return min(audit.tolerance / machine.tol, 1.0) if machine.tol > 0 else 1.0


def doubted(found: KKTCases, machine: Any, k: int, audit: Audit) -> KKTCases:
    """Cases of a fit that has not converged are stated where margin and multiplier agree; all others stand."""
    claim = machine.certificate_.problems[k]
    if is_approximate(audit):
        return replace(found, note=_PLACE)
    if claim.status is Status.CONVERGED:
        return found
    tolerance = np.inf if claim.status is Status.STATIONARY else audit.tolerance + audit.value_rounding
    return found.doubted(tolerance, unconverged(claim, AGREE))


def _sharpened(machine: Any, X: Any, y: Any, sample_weight: Any, audits: list[Audit]) -> Any:
    """The same machine, solved on; None if that is not worth while, or did not come off."""
    if any(is_approximate(audit) for audit in audits) or machine.certificate_.status is not Status.CONVERGED:
        return None
    sharp = [audit.evidence.kkt_violation <= SHARP_ENOUGH * _unit(machine, audit) for audit in audits]
    if all(sharp) or 8e-6 * machine.shape_fit_[0] ** 2 > machine.cache_size:
        return None
    return _twin(machine, X, y, sample_weight, warm_start=True)


def sharp_joint_cases(
    machine: Any, cases: Callable[..., KKTCases], data: tuple[Any, ...], X: Any, y: Any, sample_weight: Any
) -> KKTCases:
    """The same for the machine of all classes together."""
    own, claim = cases(machine, *data), machine.certificate_.problems[0]
    if claim.status is not Status.CONVERGED or claim.kkt_violation <= SHARP_ENOUGH:
        return own
    twin = _twin(machine, X, y, sample_weight, warm_start=False)
    return own if twin is None else _of_both(own, cases(twin, *data))


def _of_both(own: KKTCases, sharp: KKTCases) -> KKTCases:
    """The cases of the sharper one with all figures of the model itself."""
    return replace(sharp.seen_by(own.margin), multiplier=own.multiplier)


def _twin(machine: Any, X: Any, y: Any, sample_weight: Any, warm_start: bool) -> Any:
    twin = copy(machine)
    vars(twin).update(tol=_SHARP, gap_tol=None, max_iter=-1, warm_start=warm_start)
    vars(twin).update(verbose=False, callback=None, trace=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twin.fit(X, y, sample_weight=sample_weight)
    return twin if twin.certificate_.status is Status.CONVERGED else None
