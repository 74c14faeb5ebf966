"""The proof that a fit carries: what is computed, what holds it, and what prints it are three modules."""

from ._averaged import AveragedGuarantee, averaged_guarantee, gradient_bound, prior_radius, row_squares
from ._boosting import (
    BoostingSetting as BoostingSetting,
    BoostingTarget as BoostingTarget,
    BoostingTrees as BoostingTrees,
    GradientBoostingGuarantee as GradientBoostingGuarantee,
    boosting_guarantee as boosting_guarantee,
)
from ._boosting_losses import mean_loss as mean_loss
from ._bounded_sums import BoundedSum as BoundedSum
from ._bracket import LowerBound, by_row, evaluate_bracket, intercept_range, lower_bound, scaled_bound
from ._cases import (
    CASES,
    MARGIN_WORDS,
    ON_BOUNDARY,
    OUTSIDE,
    UNDECIDED,
    KKTCases,
    inside_cases,
    is_inside,
    joint_cases,
    kkt_cases,
    region_cases,
    rounded_multipliers,
    tube_cases,
    unconverged,
)
from ._certificate import DEFINITENESS, Certificate, ModelCertificate, Status
from ._claims import (
    ALL_WORDS as CLAIM_WORDS,
    REPRODUCED,
    WORDS as FIGURE_WORDS,
    all_finite,
    are_floats,
    figures,
    figures_reproduced,
    not_reproduced,
    values_agree as values_agree,
)
from ._coinciding import coinciding_weights, equations
from ._columns import columns_of
from ._crammer_singer import evaluate_crammer_singer
from ._duality import (
    Evidence,
    best_intercept,
    evaluate,
    evaluate_hard_margin,
    is_feasible,
    kkt_violation,
    violation_at,
)
from ._guarantee import ESTIMATE, NOTHING, PROOF, Guarantee, NotReproducibleError
from ._image import decision_sums, linear_errors, product_rounding as product_rounding, underflow
from ._indefinite import IndefiniteKernelError, IndefiniteKernelWarning, of_widths, with_definiteness
from ._kernel_crammer_singer import evaluate_kernel_crammer_singer
from ._kernel_logistic import evaluate_kernel_logistic
from ._kernel_ridge import evaluate_kernel_ridge, hold_to_rounding
from ._linear import confirmed, confirmed_by as confirmed_by, evaluate_linear, refuted
from ._linear_bounds import decision_errors
from ._linear_hard_margin import evaluate_linear_hard_margin
from ._multinomial import evaluate_multinomial
from ._normal_equations import NormalEvidence, evaluate_normal_equations
from ._optimal_values import optimal_values
from ._partial_multinomial import (
    MultinomialPart as MultinomialPart,
    evidence_of_classes as evidence_of_classes,
    multinomial_part as multinomial_part,
)
from ._partial_normal import (
    NormalPart as NormalPart,
    evidence_of_normal_parts as evidence_of_normal_parts,
    normal_part as normal_part,
)
from ._partial_risk import (
    RiskPart as RiskPart,
    balanced_rule as balanced_rule,
    evidence_of_parts as evidence_of_parts,
    risk_part as risk_part,
    rule_part as rule_part,
)
from ._print import KERNEL_MATRIX, rounded_down, rounded_up, rounding_of, sampled_words
from ._risk import RiskEvidence, evaluate_risk
from ._sampled import SampledBound, sampled_lower_bound
from ._screened import evaluate_screened, in_float64
from ._separability import NotSeparableError, SeparationProof, not_separable, row_keys
from ._slope_rule import SlopeRule
from ._tube import evaluate_tube

__all__ = [
    "AveragedGuarantee",
    "CASES",
    "MARGIN_WORDS",
    "CLAIM_WORDS",
    "Certificate",
    "DEFINITENESS",
    "ESTIMATE",
    "Evidence",
    "FIGURE_WORDS",
    "Guarantee",
    "NotReproducibleError",
    "KERNEL_MATRIX",
    "IndefiniteKernelError",
    "IndefiniteKernelWarning",
    "KKTCases",
    "LowerBound",
    "ModelCertificate",
    "NOTHING",
    "NormalEvidence",
    "NotSeparableError",
    "REPRODUCED",
    "PROOF",
    "RiskEvidence",
    "SampledBound",
    "SeparationProof",
    "SlopeRule",
    "Status",
    "all_finite",
    "averaged_guarantee",
    "gradient_bound",
    "prior_radius",
    "row_keys",
    "row_squares",
    "are_floats",
    "best_intercept",
    "by_row",
    "coinciding_weights",
    "columns_of",
    "confirmed",
    "equations",
    "decision_sums",
    "evaluate",
    "evaluate_bracket",
    "evaluate_crammer_singer",
    "evaluate_hard_margin",
    "evaluate_kernel_crammer_singer",
    "evaluate_kernel_logistic",
    "evaluate_kernel_ridge",
    "evaluate_linear",
    "evaluate_linear_hard_margin",
    "evaluate_normal_equations",
    "evaluate_multinomial",
    "evaluate_risk",
    "evaluate_screened",
    "evaluate_tube",
    "figures_reproduced",
    "figures",
    "in_float64",
    "intercept_range",
    "is_feasible",
    "inside_cases",
    "is_inside",
    "joint_cases",
    "kkt_cases",
    "region_cases",
    "rounded_multipliers",
    "tube_cases",
    "unconverged",
    "ON_BOUNDARY",
    "OUTSIDE",
    "UNDECIDED",
    "decision_errors",
    "optimal_values",
    "kkt_violation",
    "linear_errors",
    "lower_bound",
    "hold_to_rounding",
    "not_reproduced",
    "not_separable",
    "refuted",
    "rounded_down",
    "rounded_up",
    "rounding_of",
    "sampled_lower_bound",
    "scaled_bound",
    "sampled_words",
    "of_widths",
    "underflow",
    "with_definiteness",
    "violation_at",
]
