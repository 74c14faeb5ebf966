"""The evidence of any linear problem, and whether a model's claims are confirmed by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from ._averaged import averaged_again
from ._certificate import Certificate, Status
from ._claims import figures, not_reproduced
from ._crammer_singer import evaluate_crammer_singer
from ._linear_hard_margin import evaluate_linear_hard_margin
from ._multinomial import evaluate_multinomial
from ._risk import RiskEvidence, evaluate_risk
from ._slope_rule import SlopeRule

# How exactly a claimed figure has to be reproduced, relative to the objectives.
_REPRODUCED = 1e-9
# Both evaluations round, the claimed one and this, each upwards and downwards.
_FACTOR = 4

_EVALUATE: dict[str, Callable[..., RiskEvidence]] = {
    "risk": evaluate_risk,
    "hard margin": lambda problem, theta, slopes, as_given: evaluate_linear_hard_margin(problem, theta, slopes),
    "crammer-singer": lambda problem, W, alpha, as_given: evaluate_crammer_singer(problem, W, alpha),
    "multinomial": lambda problem, theta, slopes, as_given: evaluate_multinomial(problem, theta),
}


def evaluate_linear(
    problem: Any, variables: np.ndarray, slopes: np.ndarray | SlopeRule | None = None, *, as_given: bool = False
) -> RiskEvidence:
    """Primal, dual, gap and violation of a linear problem at its variables, and slopes of the dual if there are any.

    Slopes `as_given` come from earlier evidence and are taken as they are: see `evaluate_risk`.
    """
    if isinstance(slopes, SlopeRule):
        if problem.kind != "risk" or not slopes.is_sound():
            slopes = None
        else:
            slopes = slopes.slopes(problem, problem.decision(variables))
    return _EVALUATE[problem.kind](problem, variables, slopes, as_given=as_given)


def confirmed(
    problem: Any, variables: np.ndarray, slopes: np.ndarray | SlopeRule | None, claim: Certificate, tolerance: float
) -> Certificate:
    """Figures recomputed from a model beside those claimed, which they have to reproduce.

    A status that claims less than convergence stands; one that claims it has to be confirmed.
    """
    no_intercept = not problem.fit_intercept
    if not np.isfinite(variables).all() or (no_intercept and np.any(problem.as_rows(variables)[..., -1] != 0)):
        return refuted(claim)
    given = slopes is not None and not isinstance(slopes, SlopeRule)
    if given and (len(slopes) != problem.n or not np.isfinite(slopes).all()):  # type: ignore[arg-type]
        slopes = None
    return confirmed_by(
        evaluate_linear(problem, variables, slopes, as_given=True), problem, variables, claim, tolerance
    )


def confirmed_by(
    evidence: RiskEvidence, problem: Any, variables: np.ndarray, claim: Certificate, tolerance: float
) -> Certificate:
    """The same by evidence that is at hand; `problem` may be None where nothing was said of averages."""
    converged = claim.status is Status.CONVERGED
    if not _reproduced(evidence, claim) or (converged and evidence.unbounded):
        return Certificate.of(evidence, Status.REFUTED, claim.iterations, claim.seconds, claim.label)
    if claim.averaged is not None:
        bound = averaged_again(problem, variables, claim.averaged)
        if bound is None:
            return Certificate.of(evidence, Status.REFUTED, claim.iterations, claim.seconds, claim.label)
    # the data have to show it themselves; rounding alone, which may be another at each time, must not decide
    met = evidence.relative_gap <= tolerance + _FACTOR * _rounding(evidence, claim)
    status = claim.status if met or not converged else Status.REFUTED
    found = Certificate.of(evidence, status, claim.iterations, claim.seconds, claim.label)
    return found if claim.averaged is None else replace(found, averaged=bound)


def refuted(claim: Certificate) -> Certificate:
    """What is left of a claim about a model that cannot be evaluated."""
    inf = float("inf")
    return Certificate(inf, -inf, inf, inf, inf, Status.REFUTED, claim.iterations, claim.seconds, claim.label)


def _rounding(evidence: RiskEvidence, claim: Certificate) -> float:
    """The relative rounding of one evaluation: of the gap that is claimed it is a part, on these data and no others."""
    return min(evidence.rounding, max(claim.relative_gap, 0.0)) if isfinite(evidence.rounding) else 0.0


def _reproduced(evidence: RiskEvidence, claim: Certificate) -> bool:
    """Whether the claimed figures are the recomputed ones, but for rounding.

    How exact they have to be is said here and not by the model's tolerance, which comes from the same place as the
    claim. A fit that was interrupted before it had a solution claims no figures.
    """
    if claim.status is Status.INTERRUPTED and np.isnan(claim.primal):
        return True
    found = Certificate.of(evidence, claim.status, claim.iterations, claim.seconds, claim.label)
    if any(not isfinite(was) and was != now for was, now in zip(figures(claim), figures(found), strict=True)):
        return False
    # a hard margin that was not reached has no primal figure, and what is infinite bounds no rounding
    scale = max((abs(value) for value in (evidence.primal, evidence.dual) if isfinite(value)), default=0.0)
    rounding = _FACTOR * _rounding(evidence, claim) * scale
    violation = max((value for value in (claim.kkt_violation, found.kkt_violation) if isfinite(value)), default=0.0)
    return not not_reproduced(
        claim,
        found,
        share=_REPRODUCED,
        rounding=rounding + 1e-300,
        violation_slack=1e-6 * violation + 1e-9 * max(1.0, scale) + 2 * evidence.violation_rounding,
    )
