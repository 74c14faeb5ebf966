"""Nearest neighbours of scikit-learn's names, found exactly, and prototypes for them."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._classifier import KNeighborsClassifier
from ._condensed import CondensedNearestNeighbors
from ._regressor import KNeighborsRegressor

__all__ = ["CondensedNearestNeighbors", "KNeighborsClassifier", "KNeighborsRegressor"]
