"""The proof that a fit carries: what is computed, what holds it, and what prints it are three modules."""

from ._cases import CASES, KKTCases, kkt_cases
from ._certificate import Certificate, ModelCertificate, Status
from ._crammer_singer import evaluate_crammer_singer
from ._duality import Evidence, best_intercept, evaluate, evaluate_hard_margin, is_feasible, kkt_violation
from ._guarantee import ESTIMATE, NOTHING, PROOF, Guarantee
from ._multinomial import evaluate_multinomial
from ._normal_equations import NormalEvidence, evaluate_normal_equations
from ._reported import Reported
from ._risk import RiskEvidence, evaluate_risk
from ._separability import NotSeparableError, SeparationProof
from ._tube import evaluate_tube

__all__ = [
    "CASES",
    "Certificate",
    "ESTIMATE",
    "Evidence",
    "Guarantee",
    "KKTCases",
    "ModelCertificate",
    "NOTHING",
    "NormalEvidence",
    "NotSeparableError",
    "PROOF",
    "Reported",
    "RiskEvidence",
    "SeparationProof",
    "Status",
    "best_intercept",
    "evaluate",
    "evaluate_crammer_singer",
    "evaluate_hard_margin",
    "evaluate_normal_equations",
    "evaluate_multinomial",
    "evaluate_risk",
    "evaluate_tube",
    "is_feasible",
    "kkt_cases",
    "kkt_violation",
]
