"""Theorems as functions: what can be promised before, or whatever, the data are."""

from ._averaged_sgd import AveragedSGDBound, averaged_sgd_bound
from ._cover import cover_count, cover_fraction
from ._ensembles import boosting_error_bound, boosting_rounds, bootstrap_inclusion, majority_vote_error
from ._leave_one_out import LeaveOneOut, squared_spans, xi_alpha_errors
from ._left_out import left_out_signs
from ._perceptron import MistakeBound, mistake_bound, mistake_bound_of
from ._stability import BestRegularisation, best_regularisation, stability_bound

__all__ = [
    "AveragedSGDBound",
    "BestRegularisation",
    "LeaveOneOut",
    "MistakeBound",
    "averaged_sgd_bound",
    "best_regularisation",
    "boosting_error_bound",
    "boosting_rounds",
    "bootstrap_inclusion",
    "cover_count",
    "cover_fraction",
    "left_out_signs",
    "majority_vote_error",
    "mistake_bound",
    "mistake_bound_of",
    "squared_spans",
    "stability_bound",
    "xi_alpha_errors",
]
