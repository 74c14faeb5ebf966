"""Pictures of forests, bagging and boosting."""

from ._boosting import BoostingDisplay
from ._boosting_margins import BoostingMarginDisplay
from ._boosting_regions import BoostingRegionsDisplay
from ._cascade import CascadeDisplay
from ._importance import ImportanceDisplay
from ._out_of_bag import OutOfBagDisplay

__all__ = [
    "BoostingDisplay",
    "BoostingMarginDisplay",
    "BoostingRegionsDisplay",
    "CascadeDisplay",
    "ImportanceDisplay",
    "OutOfBagDisplay",
]
