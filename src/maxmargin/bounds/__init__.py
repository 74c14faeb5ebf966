"""Theorems as functions: what can be promised before, or whatever, the data are."""

from ._averaged_sgd import AveragedSGDBound, averaged_sgd_bound
from ._cover import cover_count, cover_fraction
from ._perceptron import MistakeBound, mistake_bound, mistake_bound_of
from ._stability import BestRegularisation, best_regularisation, stability_bound

__all__ = [
    "AveragedSGDBound",
    "BestRegularisation",
    "MistakeBound",
    "averaged_sgd_bound",
    "best_regularisation",
    "cover_count",
    "cover_fraction",
    "mistake_bound",
    "mistake_bound_of",
    "stability_bound",
]
