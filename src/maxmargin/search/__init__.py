"""Tuning by cross-validation: candidates, folds, scores, the winner; who trains them is said by the machines above."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._calibration import EXACT_ROWS, WINNERS_LEAD, Calibration, Isotonic
from ._coupling import CERTAIN_PAIR
from ._estimators import SearchClassifier, SearchRegressor, trains_winner
from ._folds import Fold, make_folds
from ._grid import Grid, automatic_count, check_values
from ._outcome import Outcome
from ._platt import Sigmoid
from ._rules import standard_error
from ._search import Search, SearchData
from ._state import SearchError, SearchState

__all__ = [
    "CERTAIN_PAIR",
    "EXACT_ROWS",
    "WINNERS_LEAD",
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
    "Sigmoid",
    "automatic_count",
    "check_values",
    "make_folds",
    "standard_error",
    "trains_winner",
]
