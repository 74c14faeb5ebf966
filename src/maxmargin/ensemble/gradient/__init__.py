"""Gradient boosting on trees of binned columns."""

from ... import engine as _engine  # noqa: F401  (first: see there)
from ._base import GradientBoosting as GradientBoosting
from ._booster import Limits
from ._classifier import HistGradientBoostingClassifier
from ._contributions import row_contributions as row_contributions
from ._frame import KnownCategories as KnownCategories
from ._losses import Loss
from ._proof import Played as Played
from ._regressor import HistGradientBoostingRegressor
from ._series import Series

# As model files know them, beside those of other ensembles.
GradientLimits, GradientLoss, GradientTrees = Limits, Loss, Series

__all__ = ["HistGradientBoostingClassifier", "HistGradientBoostingRegressor"]
