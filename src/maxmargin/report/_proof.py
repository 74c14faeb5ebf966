"""The certificate in words and figures, and whether it holds when it is recomputed."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

import numpy as np

from ..certificates import Guarantee, ModelCertificate, Status, rounded_down, rounded_up, sampled_words
from ..messages import jsonable
from ._subject import Rows
from ._words import plural, shortened, tiny

CONFIRMED, REFUTED, NOT_RECOMPUTED, ABSENT = "confirmed", "refuted", "not recomputed", "absent"
_MOST_PROBLEMS = 20
_FIGURES = 12  # significant ones of an objective that are shown


def recompute(certificate: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, str]:
    """The certificate made again from the model and rows, and what became of it; None and why if it cannot be."""
    if certificate is None:
        return None, "the model has no certificate"
    try:
        found = certificate.verify(X, y, sample_weight)
    except (TypeError, ValueError) as error:
        return None, shortened(error, 300)
    return found, ""


def agree(claim: Any, found: Any) -> bool:
    """Whether recomputed figures are those of the claim: other rows than those of the fit give others."""
    if found is None or found.status is Status.REFUTED:
        return False
    ours, theirs = (_comparable(proof) for proof in (claim, found))
    if isinstance(claim, ModelCertificate):
        # the dual objective that a sampled bound is below was found now; `verify` has held one against the other
        sampled = [k for k, part in enumerate(claim.problems) if part.confidence < 1]
        ours = {(k, what): value for (k, what), value in ours.items() if what == "primal" or k not in sampled}
    same = {name: theirs[name] for name in ours if name in theirs}  # some figures are only found when it is recomputed
    values = list(same.values()), [ours[name] for name in same]
    return len(same) == len(ours) and bool(np.isclose(*values, rtol=1e-6, atol=1e-9, equal_nan=True).all())


def _comparable(proof: Any) -> dict[Any, float]:
    if isinstance(proof, ModelCertificate):
        return {(k, what): getattr(part, what) for k, part in enumerate(proof.problems) for what in ("primal", "dual")}
    return {name: float(value) for name, value in proof.figures.items()}


def proof_section(claim: Any, found: Any, why_not: str, rows: Rows | None, bracket: bool = False) -> dict[str, Any]:
    """What is proven; `found` is the certificate recomputed on the training rows, None if it could not be.

    With `bracket` the two bounds come from different places: of a machine that is judged by its gap alone.
    """
    if claim is None:
        return {
            "kind": "none",
            "state": ABSENT,
            "title": "No certificate",
            "words": "This model carries no certificate that could be checked. All that is known of it is its result.",
            "checked": "",
            "problems": [],
            "figures": [],
        }
    state = NOT_RECOMPUTED if found is None else CONFIRMED if agree(claim, found) else REFUTED
    shown = claim if found is None else found
    section = _of_duality(shown, bracket) if isinstance(shown, ModelCertificate) else _of_guarantee(shown)
    return section | {"state": state, "status": str(shown.status), "checked": _checked(state, why_not, rows, claim)}


def _checked(state: str, why_not: str, rows: Rows | None, claim: Any) -> str:
    if state == CONFIRMED:
        many = "the training rows" if rows is None else f"the {plural(len(rows), 'training row')}"
        return f"Recomputed for this page in float64 from the model and {many}, by code that does not trust the solver."
    if state == REFUTED:
        return (
            "Recomputed for this page, the figures are not those that the fit claimed: either these are not the "
            "rows, targets and weights of the fit, or the model has been changed since."
        )
    reason = f" ({why_not.rstrip('.')})" if why_not else ""
    return f"These are the figures of the fit. They were not recomputed here, which takes the rows of the fit{reason}."


# What the lower bound rests on, where the kernel's formula does not say that its matrix is positive semi-definite.
_KERNEL_MATRIX = {
    "shown": "The bound rests on a positive semi-definite kernel matrix; a factorisation has shown that it is. ",
    "assumed": "The bound holds if the kernel matrix is positive semi-definite, which was assumed and not shown. ",
    "fails": "The kernel matrix is not positive semi-definite, and without that nothing bounds the objective. ",
}


def _of_duality(proof: ModelCertificate, bracket: bool) -> dict[str, Any]:
    worst, problems = proof.worst, proof.problems
    common, primal, dual = shared_figures(worst.primal, worst.dual)
    return {
        "kind": "duality",
        "title": "The exact optimum between two bounds" if bracket else "Duality gap",
        "bracket": bracket,
        "primal": jsonable(worst.primal),
        "dual": jsonable(worst.dual),
        "shared": common,
        "primal_rest": primal,
        "dual_rest": dual,
        "relative_gap": jsonable(worst.relative_gap),
        "kkt_violation": jsonable(proof.kkt_violation),
        "definiteness": proof.definiteness,
        "assumes": worst.assumes,
        "confidence": proof.confidence,
        "iterations": int(proof.iterations),
        "seconds": jsonable(float(proof.seconds)),
        "worst": worst.label if len(problems) > 1 else "",
        "words": _duality_words(proof, bracket),
        "figures": [],
        "problems": [
            {name: jsonable(getattr(part, name)) for name in ("label", "primal", "dual", "relative_gap", "status")}
            for part in sorted(problems, key=lambda p: -p.relative_gap)[: _MOST_PROBLEMS * (len(problems) > 1)]
        ],
        "problems_left_out": max(0, len(problems) - _MOST_PROBLEMS),
    }


def _duality_words(proof: ModelCertificate, bracket: bool) -> str:
    worst, many = proof.worst, len(proof.problems)
    which = (
        f"The model consists of {many} problems, each with a proof of its own; the worst is shown ({worst.label}). "
        if many > 1
        else ""
    )
    words = (
        f"{which}Training minimises an objective. This model reaches the upper figure; the lower one is a bound that "
        "no model with these parameters can beat on these rows, whatever method finds it. "
    )
    if proof.confidence < 1:
        words += f"It was sampled: it {sampled_words(proof.confidence)}. "
    elif bracket:
        words += "Whatever was approximated, the optimum of the exact machine lies between the two. "
    if worst.relative_gap == 0:
        words += "They are the same: this is the optimum. "
    elif math.isfinite(worst.relative_gap):
        gap = tiny(worst.relative_gap, bound=True).replace("<", "less than")
        words += f"They differ by {gap} of their size: the model is at most that far from the best one. "
    else:
        words += "There is no such bound for this fit: nothing is proven. "
    words += _KERNEL_MATRIX.get(proof.definiteness, "")
    if worst.assumes:
        words += f"The bound rests on the user's own functions: {worst.assumes}, which is assumed and not proven. "
    if proof.status is Status.STATIONARY:
        words += "The conditions of optimality hold to the tolerance: no small change of the multipliers is better. "
    elif proof.status is not Status.CONVERGED:
        words += f"The fit ended as “{proof.status}”, short of the tolerance that was asked for. "
    return words + "This is a statement about training, not about new rows: for those, see the result above."


def _of_guarantee(proof: Guarantee) -> dict[str, Any]:
    statement = (proof.statement[:1].upper() + proof.statement[1:]).replace("+-", "±")
    return {
        "kind": "guarantee",
        "title": proof.name[:1].upper() + proof.name[1:],
        "claim": proof.kind,
        "holds": bool(proof.holds),
        "words": statement if statement.endswith(".") else statement + ".",
        "figures": [{"name": name, "value": jsonable(float(value))} for name, value in proof.figures.items()],
        "iterations": int(proof.iterations),
        "seconds": jsonable(float(proof.seconds)),
        "worst": proof.label if len(proof.problems) > 1 else "",
        "problems": [
            {"label": part.label, "holds": bool(part.holds), "status": str(part.status)}
            for part in proof.problems[:_MOST_PROBLEMS]
        ],
        "problems_left_out": max(0, len(proof.problems) - _MOST_PROBLEMS),
    }


def shared_figures(upper: float, lower: float) -> tuple[str, str, str]:
    """What both numbers begin with, and how each goes on; with nothing in common the first part is empty."""
    if not (math.isfinite(upper) and math.isfinite(lower)):
        return "", rounded_up(upper, _FIGURES), rounded_down(lower, _FIGURES)
    size = max(abs(upper), abs(lower))
    if size == 0:
        high = low = f"{0:.{_FIGURES - 1}e}"
    elif not 1e-4 <= size < 1e12:
        high, low = f"{Decimal(rounded_up(upper, _FIGURES)):e}", f"{Decimal(rounded_down(lower, _FIGURES)):e}"
    else:
        # each to its own side: what is shown is still an upper and a lower bound
        step = Decimal(1).scaleb(-max(0, _FIGURES - 1 - math.floor(math.log10(size))))
        high = f"{Decimal(upper).quantize(step, ROUND_CEILING):f}"
        low = f"{Decimal(lower).quantize(step, ROUND_FLOOR):f}"
    if len(high) != len(low):
        return "", high.replace("-", "−"), low.replace("-", "−")
    same = next((k for k, (a, b) in enumerate(zip(high, low, strict=True)) if a != b), len(high))
    parts = high[:same], high[same:], low[same:]
    return tuple(part.replace("-", "−") for part in parts)  # type: ignore[return-value]


def proven_words(proof: dict[str, Any]) -> str:
    """What is proven, in a sentence."""
    if proof["kind"] == "none":
        return "Nothing is proven: this kind of model carries no certificate."
    if proof["state"] == REFUTED:
        return "Not proven: recomputed on these rows, the certificate has other figures than the fit claimed."
    again = " Recomputed for this page." if proof["state"] == CONFIRMED else ""
    if proof["kind"] == "guarantee":
        words = shortened(proof["words"], 320)
        start = {"estimate": "Estimated, not proven", "nothing": "Nothing is claimed"}.get(proof["claim"], "Not proven")
        return words if proof["holds"] else f"{start}: {words[:1].lower()}{words[1:]}"
    gap = proof["relative_gap"]
    if proof["definiteness"] == "fails":
        return "Nothing is proven: the kernel matrix is not positive semi-definite, and nothing bounds the objective."
    if gap is None:
        return "Nothing is proven: the fit has found no bound for its objective."
    best = (
        "is the optimum"
        if gap == 0
        else f"is within {tiny(gap, bound=True).removeprefix('<').strip()} of the best possible"
    )
    met = proof["status"] == str(Status.CONVERGED)
    kernel = ", if the kernel is positive semi-definite (assumed)" if proof["definiteness"] == "assumed" else ""
    kernel += ", if the functions of its loss and penalty are right (assumed)" if proof["assumes"] else ""
    start = "Proven" if met else f"The fit ended as “{proof['status']}”; proven is this"
    if proof["confidence"] < 1:
        start = f"The fit ended as “{proof['status']}”; sampled, this {sampled_words(proof['confidence'])}"
    return f"{start}: with these parameters, the objective of this model {best}, relative to its size{kernel}.{again}"
