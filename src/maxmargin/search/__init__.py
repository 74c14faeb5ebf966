"""Tuning by cross-validation: candidates, folds, scores, the winner; who trains them is said by the machines above."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._calibration import EXACT_ROWS, Calibration, Isotonic
from ._estimators import SearchClassifier, SearchRegressor, trains_winner
from ._folds import Fold, make_folds
from ._grid import Grid, check_values, resolve_values
from ._outcome import Outcome
from ._rules import standard_error
from ._search import Search, SearchData
from ._state import SearchError, SearchState

__all__ = [
    "EXACT_ROWS",
    "Calibration",
    "Fold",
    "Grid",
    "Isotonic",
    "Outcome",
    "Search",
    "SearchClassifier",
    "SearchData",
    "SearchError",
    "SearchRegressor",
    "SearchState",
    "check_values",
    "make_folds",
    "resolve_values",
    "standard_error",
    "trains_winner",
]
