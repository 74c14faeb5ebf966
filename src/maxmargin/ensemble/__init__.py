"""Weak learners made strong: bags, boosts and cascades."""

from .. import engine as _engine  # noqa: F401  (first: see there)

# Beside what users import (`__all__`), what explanations and model files build on.
from ._ada_boost_base import AdaBoostBase as AdaBoostBase
from ._ada_boost_classifier import AdaBoostClassifier
from ._ada_boost_proof import BoostingGuarantee
from ._ada_boost_regressor import AdaBoostRegressor
from ._bag_rows import RowBags as RowBags
from ._bagging import BaggingClassifier, BaggingRegressor
from ._box import DecisionBox
from ._cascade import CascadeClassifier
from ._cascade_proof import CascadeGuarantee
from ._cascade_stage import Stage as Stage
from ._forest import Forest as Forest
from ._forest_bags import Bags as Bags
from ._forest_classifier import RandomForestClassifier
from ._forest_regressor import RandomForestRegressor
from ._linear_weak import DecisionPlane
from ._members import member_importances as member_importances
from ._stump import DecisionStump
from .gradient import (
    GradientBoosting as GradientBoosting,
    GradientLimits as GradientLimits,
    GradientLoss as GradientLoss,
    GradientTrees as GradientTrees,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    KnownCategories as KnownCategories,
    Played as Played,
    row_contributions as row_contributions,
)
from .summed import (
    Asked as Asked,
    CodedRows as CodedRows,
    Question as Question,
    RawRows as RawRows,
    Scales as Scales,
    Splits as Splits,
    SummedBags as SummedBags,
    SumsOverRows as SumsOverRows,
    Survey as Survey,
    best_splits as best_splits,
    code_rows as code_rows,
    grow_forest as grow_forest,
    histograms_of as histograms_of,
    merged as merged,
    refuse_unsummed as refuse_unsummed,
    regrown as regrown,
)

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "BoostingGuarantee",
    "CascadeClassifier",
    "CascadeGuarantee",
    "DecisionBox",
    "DecisionPlane",
    "DecisionStump",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
