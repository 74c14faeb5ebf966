"""Decision trees of scikit-learn's names, grown from columns that are binned once."""

from ._classifier import DecisionTreeClassifier
from ._regressor import DecisionTreeRegressor
from ._text import export_text

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor", "export_text"]
