"""What a certificate that was recomputed says of the one that was claimed, in words."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from ..certificates import ESTIMATE, FIGURE_WORDS, REPRODUCED, ModelCertificate, Status, not_reproduced

# From this relative gap on, the distance from the optimum is told in words: "within the tolerance" would hide it.
_FAR = 1e-2


def verdict(model: Any, found: Any, claimed: dict[str, Any]) -> tuple[bool, str]:
    """Whether what was recomputed bears out the model's certificate and the account of it, and why.

    Parameters
    ----------
    model : estimator
        Whose certificate it is.
    found : ModelCertificate or Guarantee
        What was recomputed.
    claimed : dict
        The figures in the account of the training.

    """
    if not isinstance(found, ModelCertificate):
        right = bool(found.holds) or found.kind == ESTIMATE
        return right and found.status is not Status.REFUTED, f"{found.name}: {found.statement}".rstrip(".")
    if found.status is Status.REFUTED:
        return False, f"the certificate is refuted: {_refutation(model, found)}"
    differing = _unlike_the_account(model, found, claimed)
    if differing:
        return False, f"the account of the training is refuted: {differing}"
    if found.status is Status.STATIONARY:
        return False, (
            "no bound: the kernel is not positive semi-definite. The figures are reproduced and the optimality "
            "conditions hold, but a better model may exist anywhere"
        )
    gap = f"the relative duality gap is {found.relative_gap:.2e}"
    if found.status is Status.STALLED and model.certificate_.status is Status.CONVERGED:
        return False, f"rounding errors are larger than the tolerance here: what was claimed cannot be confirmed; {gap}"
    if found.status is not Status.CONVERGED:
        return False, f"the fit had ended as {str(found.status)!r} and claimed no optimum; {gap}"
    return True, f"recomputed from the model and its training rows, {gap}{_within(model, found)}"


def _within(model: Any, found: ModelCertificate) -> str:
    """By which tolerance it is called converged, and how far that is from the optimum."""
    words = ", within the tolerance"
    tolerance = getattr(model, "tol", None)
    if tolerance is not None:
        words += f" (largest violation {found.kkt_violation:.2e}, tol={tolerance:g})"
    if found.relative_gap > _FAR:
        words += f". That is far from proven best: the optimum may be lower by {100 * found.relative_gap:.3g} %"
    if found.definiteness == "assumed":
        words += ". It takes the kernel for positive semi-definite, which was assumed and not shown"
    return words


def _refutation(model: Any, found: ModelCertificate) -> str:
    """Which figure is not reproduced; or that the figures are, and miss the tolerance."""
    if all(math.isnan(part.primal) for part in found.problems):
        return "the parts of the model do not fit together or to these rows, and nothing could be recomputed"
    for claim, part in zip(model.certificate_.problems, found.problems, strict=False):
        for name in not_reproduced(claim, part, violation_slack=REPRODUCED * max(1.0, abs(part.kkt_violation))):
            where = f" ({part.label})" if len(found.problems) > 1 else ""
            said, is_now = getattr(claim, name), getattr(part, name)
            return f"the {FIGURE_WORDS[name]}{where} is {is_now:.10g}, where {said:.10g} was claimed"
    tolerance = getattr(model, "tol", None)
    allowed = "" if tolerance is None else f" (tol={tolerance:g})"
    return (
        f"its figures are reproduced, but do not bear it out: relative duality gap {found.relative_gap:.2e}, largest "
        f"violation {found.kkt_violation:.2e}{allowed}; or predictions are not made by the variables that they are of"
    )


def _unlike_the_account(model: Any, found: ModelCertificate, claimed: dict[str, Any]) -> str:
    """A figure of the account that is not reproduced; empty if all are.

    The account speaks of the problem that was the worst when the model was fitted. Recomputed, another one can be the
    worst: where all gaps are rounding, rounding decides.
    """
    said = {name: claimed.get(name) for name in FIGURE_WORDS}
    figures = {name: float("nan") if value is None else float(value) for name, value in said.items()}
    fitted = model.certificate_
    part = found.problems[fitted.problems.index(fitted.worst)]
    claim = replace(part, **figures)
    for name in not_reproduced(claim, part, violation_slack=math.inf):
        return f"the {FIGURE_WORDS[name]} is {getattr(part, name):.10g}, where it says {figures[name]:.10g}"
    return ""
