"""The way of a search: check, divide, train every candidate in every fold, pick, refit.

A subclass says what the candidates are (`_make_grid`), what machine a candidate is (`_machine`) and who trains them
(`_make_engine`); everything else is here.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.metrics import check_scoring as sklearn_scoring
from sklearn.utils._param_validation import Interval, StrOptions

from ..certificates import IndefiniteKernelWarning
from ..data import validate_data
from ..engine import warn
from ..estimators import Reported, check_weights
from ._board import Board, Engine
from ._fingerprint import fingerprint
from ._folds import Fold, make_folds
from ._grid import Grid
from ._monitor import SearchMonitor
from ._outcome import Record
from ._race import Race
from ._results import make_results
from ._rules import RULES, choose
from ._scoring import Judge, check_scoring

_NAMED = 3  # cells that a warning names before it only counts them


@dataclass(frozen=True, eq=False)
class SearchData:
    """Checked data of a search.

    Attributes
    ----------
    X : ndarray or CSR matrix
        float32 or float64.
    y : ndarray of shape (n_samples,)
        Labels as they were given, or targets in float64.
    weights : ndarray or None
        Weights of the samples, negative ones as 0; None if none were given.
    classes, label : ndarray or None
        The classes in order and the number of each sample's; None for targets.

    """

    X: Any
    y: np.ndarray
    weights: np.ndarray | None
    classes: np.ndarray | None = None
    label: np.ndarray | None = None


class Search(Reported, ABC):
    """Base of the machines that tune themselves; not for direct use.

    Parameters that every subclass has in its ``__init__``: Cs, cv, scoring, refit, rule, race, error_score, n_jobs,
    verbose, warm_start, weighted_score.
    """

    Cs: Any
    cv: Any
    scoring: Any
    refit: bool
    rule: str
    race: bool
    error_score: Any
    verbose: bool | int
    warm_start: bool
    weighted_score: bool

    _kept: tuple[str, Record] | None  # the last question, and what is finished of it

    _parameter_constraints: dict = {
        "Cs": [Integral, "array-like"],
        "cv": ["cv_object"],
        "refit": ["boolean"],
        "rule": [StrOptions(set(RULES))],
        "race": ["boolean"],
        "error_score": [StrOptions({"raise"}), Real],
        "memory": [Interval(Real, 0, None, closed="neither")],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "weighted_score": ["boolean"],
    }

    # ---------------------------------------------------------------- what a subclass says

    @abstractmethod
    def _make_grid(self, data: SearchData) -> Grid:
        """The candidates, automatic ones from the data."""

    @abstractmethod
    def _machine(self, **params: Any) -> Any:
        """The plain machine of a candidate, not fitted."""

    @abstractmethod
    def _make_engine(self, data: SearchData) -> Engine:
        """What trains the candidates."""

    def _refuse(self) -> None:
        """Raise for parameters that contradict each other."""
        return

    def _refit(self, params: dict[str, float], data: SearchData) -> Any:
        """The winner, trained on everything."""
        return self._machine(**params).fit(data.X, data.y, sample_weight=data.weights)

    def _validate_training(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """Checked X (float32 or float64, dense or CSR) and y."""
        rules: dict[str, Any] = {"dtype": [np.float64, np.float32], "order": "C", "accept_sparse": "csr"}
        return validate_data(self, X, y, y_numeric=not is_classifier(self), **rules)

    def _encode(self, X: Any, y: np.ndarray, weights: np.ndarray | None) -> SearchData:
        return SearchData(X, y, weights)

    def _check_folds(self, folds: list[Fold], data: SearchData) -> None:
        """Refuse folds that nothing can be trained on."""
        return

    def _keeps_values(self) -> bool:
        """Whether the winner's out-of-fold values are wanted."""
        return False

    def _after(self, board: Board, data: SearchData) -> None:
        """What else comes from the winner, whose number is ``best_index_``."""
        return

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
        """Find the best candidate by cross-validation, and train it on all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples as rows.
        y : array-like of shape (n_samples,)
            Labels, or targets.
        sample_weight : array-like of shape (n_samples,), optional
            C is multiplied by it, sample by sample; with `weighted_score` a sample counts as much in the scores.
        groups : array-like of shape (n_samples,), optional
            Given to the splitter: rows of a group stay together with `sklearn.model_selection.GroupKFold`.

        Returns
        -------
        self

        """
        self._validate_params()  # type: ignore[attr-defined]
        self._refuse()
        check_scoring(self.scoring)
        self._forget()
        data = self._checked(X, y, sample_weight)
        shown = X if hasattr(X, "shape") and not sp.issparse(X) else data.X
        folds = make_folds(self.cv, shown, data.y, groups, is_classifier(self))
        self._check_folds(folds, data)
        board = self._open_board(data, shown, folds, self._make_grid(data))
        self._run(board, data)
        self._pick(board)
        self._speak(board)
        self._after(board, data)
        if self.refit:
            self._train_winner(data)
        if not self.warm_start:
            self._kept = None
        return self

    def _forget(self) -> None:
        """Nothing of an earlier fit shall speak for this one."""
        for name in [n for n in vars(self) if n.endswith("_") and not n.startswith("_")]:
            delattr(self, name)

    def _checked(self, X: Any, y: Any, sample_weight: Any) -> SearchData:
        X, y = self._validate_training(X, y)
        return self._encode(X, y, check_weights(sample_weight, X))

    def _open_board(self, data: SearchData, shown: Any, folds: list[Fold], grid: Grid) -> Board:
        """The state to work on: of the last search if `warm_start` is set and it was about the same."""
        self.n_splits_ = len(folds)
        self.scorer_ = sklearn_scoring(self, self.scoring)
        record = self._record_of(data, folds, grid)
        weights = data.weights if self.weighted_score else None
        pairwise = self.__sklearn_tags__().input_tags.pairwise  # type: ignore[attr-defined]
        names = getattr(self, "feature_names_in_", None)
        judge = Judge(self.scoring, is_classifier(self), shown, data.y, weights, pairwise, names)
        monitor = SearchMonitor(self.verbose, grid, len(folds))
        race = Race(judge.bound, self.rule) if self.race else None
        return Board(grid, folds, judge, record, monitor, race, self.error_score, self._keeps_values())

    def _record_of(self, data: SearchData, folds: list[Fold], grid: Grid) -> Record:
        parameters = self.get_params(deep=False)  # type: ignore[attr-defined]
        question = fingerprint([data.X, data.y, data.weights], folds, grid, parameters)
        last = getattr(self, "_kept", None)
        if self.warm_start and last is not None and last[0] == question:
            return last[1]
        self._kept = question, Record.empty(len(grid), len(folds))
        return self._kept[1]

    def _run(self, board: Board, data: SearchData) -> None:
        """Train what is open. Whatever ends it, Ctrl-C too, what is finished stays in ``cv_results_``."""
        try:
            if board.anything_open():
                self._make_engine(data).run(board)
        finally:
            board.report(last=True)
            self._keep_table(board)

    def _keep_table(self, board: Board) -> None:
        error_score = self.error_score
        self.cv_results_ = make_results(board.grid, board.record, board.dropped, board.failed, error_score)

    def _pick(self, board: Board) -> None:
        """The winner among the candidates that are finished in every fold."""
        eligible = board.record.complete
        if not eligible.any():
            first = next((board.describe(*place, error) for place, error in board.failures.items()), "none was trained")
            raise ValueError(f"no candidate was trained in every fold, {len(board.failures)} fits failed; {first}")
        scores = board.record.scores
        self.best_index_ = choose(self.rule, board.grid, scores, eligible)
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.best_params_ = dict(board.grid.candidates[self.best_index_])

    def _train_winner(self, data: SearchData) -> None:
        begin = time.perf_counter()
        self.best_estimator_ = self._refit(self.best_params_, data)
        if hasattr(self, "feature_names_in_"):
            self.best_estimator_.feature_names_in_ = self.feature_names_in_
        self.refit_time_ = time.perf_counter() - begin

    # ---------------------------------------------------------------- what was not as asked

    def _speak(self, board: Board) -> None:
        """Warn of cells that failed, were dropped, or did not converge: a few by name, and how many."""
        if board.failures:
            texts = [board.describe(*place, error) for place, error in sorted(board.failures.items())]
            where = "; ".join(texts[:_NAMED]) + _and_more(texts)
            warn(
                f"{len(texts)} of {board.record.done.size} fits failed and their candidates cannot win: {where}. "
                f'error_score="raise" stops at the first.',
                FitFailedWarning,
                stacklevel=3,
            )
        dropped = np.flatnonzero(board.dropped)
        if dropped.size and board.race is not None:
            warn(
                f"race=True dropped {dropped.size} of {len(board.grid)} candidates before they had all their folds: "
                f"{board.race.reason()}. Their status in cv_results_ is 'dropped'.",
                UserWarning,
                stacklevel=3,
            )
        self._speak_of_convergence(board)

    def _speak_of_convergence(self, board: Board) -> None:
        table = self.cv_results_
        indefinite = [board.grid.name(k) for k, status in enumerate(table["status"]) if status == "stationary"]
        if indefinite:
            warn(
                f"the kernel matrices of {len(indefinite)} of {len(board.grid)} candidates are not positive "
                f"semi-definite: {'; '.join(indefinite[:_NAMED])}{_and_more(indefinite)}. Their machines meet the "
                f"conditions of optimality, but better ones may exist, and nothing is proven of them.",
                IndefiniteKernelWarning,
                stacklevel=4,
            )
        ended = {"converged", "stationary", "failed", "dropped", "unfinished"}
        short = [k for k, status in enumerate(table["status"]) if status not in ended]
        if not short:
            return
        texts = [f"{board.grid.name(k)} ({table['status'][k]}, gap {table['relative_gap'][k]:.1e})" for k in short]
        warn(
            f"{len(short)} of {len(board.grid)} candidates did not reach the tolerance in some fold: "
            f"{'; '.join(texts[:_NAMED])}{_and_more(texts)}. Scale the features (StandardScaler), raise max_iter or "
            f"tol, or leave out the largest values of C.",
            ConvergenceWarning,
            stacklevel=4,
        )


def _and_more(texts: list[str]) -> str:
    return f"; and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
