"""What a fitted model proves, as the page shows it; its figures unrounded."""

from __future__ import annotations

from typing import Any

from ..certificates import Certificate, Guarantee, ModelCertificate


def describe(model: Any) -> dict[str, Any] | None:
    """The certificate of a model as words and numbers."""
    proof = getattr(model, "certificate_", None)
    if isinstance(proof, ModelCertificate):
        return {**_gap(proof.worst), "type": "gap", "problems": [_gap(part) for part in proof.problems]}
    if isinstance(proof, Certificate):
        return {**_gap(proof), "type": "gap", "problems": [_gap(proof)]}
    if isinstance(proof, Guarantee):
        return {
            "type": "guarantee",
            "name": proof.name,
            "figures": dict(proof.figures),
            "statement": proof.statement,
            "holds": proof.holds,
            "claims": proof.kind,
            "status": str(proof.status),
            "iterations": proof.iterations,
            "problems": [{"label": part.label, "statement": part.statement} for part in proof.problems],
        }
    return None


def _gap(proof: Certificate) -> dict[str, Any]:
    return {
        "label": proof.label,
        "primal": proof.primal,
        "dual": proof.dual,
        "gap": proof.gap,
        "relative_gap": proof.relative_gap,
        "kkt_violation": proof.kkt_violation,
        "status": str(proof.status),
        "iterations": proof.iterations,
        "definiteness": proof.definiteness,
    }
