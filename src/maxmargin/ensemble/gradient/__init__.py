"""Gradient boosting on trees of binned columns."""

from ... import engine as _engine  # noqa: F401  (first: see there)
from ._base import GradientBoosting as GradientBoosting
from ._booster import Limits as Limits
from ._classifier import HistGradientBoostingClassifier
from ._frame import KnownCategories as KnownCategories
from ._losses import Loss as Loss
from ._proof import Played as Played
from ._regressor import HistGradientBoostingRegressor
from ._series import Series as Series

__all__ = ["HistGradientBoostingClassifier", "HistGradientBoostingRegressor"]
