"""Nearest neighbours of scikit-learn's names, found exactly, and prototypes for them."""

from .. import engine as _engine  # noqa: F401  (first: see there)

# Beside what users import (`__all__`), what explanation, tuning and model files build on.
from ._classifier import KNeighborsClassifier
from ._regressor import KNeighborsRegressor
from ._samplers import SyntheticOverSampler, UnderSampler
from ._weights import class_size_weights as class_size_weights, neighbour_weights as neighbour_weights
from .condensed import CondensedNearestNeighbors, prototype_index as prototype_index

__all__ = [
    "CondensedNearestNeighbors",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "SyntheticOverSampler",
    "UnderSampler",
]
