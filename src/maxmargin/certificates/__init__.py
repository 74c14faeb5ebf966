"""The proof that a fit carries: what is computed, what holds it, and what prints it are three modules."""

from ._cases import CASES, KKTCases, kkt_cases
from ._certificate import Certificate, ModelCertificate, Status
from ._duality import Evidence, best_intercept, evaluate, evaluate_hard_margin, is_feasible, kkt_violation
from ._separability import NotSeparableError, SeparationProof

__all__ = [
    "CASES",
    "Certificate",
    "Evidence",
    "KKTCases",
    "ModelCertificate",
    "NotSeparableError",
    "SeparationProof",
    "Status",
    "best_intercept",
    "evaluate",
    "evaluate_hard_margin",
    "is_feasible",
    "kkt_cases",
    "kkt_violation",
]
