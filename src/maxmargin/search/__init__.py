"""Tuning by cross-validation: candidates, folds, scores, the winner; who trains them is said by the machines above."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._board import Board, Engine, SearchError
from ._estimators import SearchClassifier, SearchRegressor, trains_winner
from ._folds import Fold, make_folds
from ._grid import Grid, check_values, resolve_values
from ._outcome import Outcome
from ._rules import standard_error
from ._search import Search, SearchData

__all__ = [
    "Board",
    "Engine",
    "Fold",
    "Grid",
    "Outcome",
    "Search",
    "SearchClassifier",
    "SearchData",
    "SearchError",
    "SearchRegressor",
    "check_values",
    "make_folds",
    "resolve_values",
    "standard_error",
    "trains_winner",
]
