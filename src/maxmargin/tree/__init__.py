"""Decision trees of scikit-learn's names, grown from columns that are binned once."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._classifier import DecisionTreeClassifier
from ._regressor import DecisionTreeRegressor
from ._text import export_text

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor", "export_text"]
