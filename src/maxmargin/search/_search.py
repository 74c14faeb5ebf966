"""The way of a search: check, divide, train every candidate in every fold, pick, refit.

A subclass says what the candidates are (`_make_grid`), what machine a candidate is (`_machine`) and how they are
trained (`_train`); everything else is here.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring as sklearn_scoring
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..certificates import Certificate, Status
from ..data import validate_data
from ..estimators import Reported, TakesSparse, check_weights
from ._fingerprint import fingerprint
from ._folds import Fold, make_folds
from ._grid import Grid
from ._monitor import SearchMonitor
from ._outcome import Record
from ._race import Race
from ._results import make_results
from ._rules import RULES, choose
from ._scoring import FoldScorer, check_scoring
from ._state import SearchState
from ._warnings import warn_of_cells


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


@dataclass(kw_only=True, eq=False, repr=False)
class SearchParameters:
    """The parameters that all searches share.

    Parameters
    ----------
    Cs : int or array-like, default=10
        Values of C, or how many automatic ones.
    cv : int, splitter, iterable or None, default=None
        How rows are divided, as in :func:`sklearn.model_selection.check_cv`; None is five folds, which keep the
        proportions of classes.
    scoring : str, callable or None, default=None
        One scorer of scikit-learn, or ``callable(estimator, X, y)``; None is accuracy of classes, and R2 of targets.
    refit : bool, default=True
        Train the winner on all rows; without, there is no prediction.
    rule : {"best", "one_standard_error"}, default="best"
        The winner is the candidate with the best mean, or the simplest one (smallest C, then gamma) within one standard
        error of it.
    race : bool, default=False
        Drop candidates that cannot win any more, which a warning and their status say. For scores with an upper bound
        (accuracy and others of scikit-learn by name) only those are dropped that could not win with that bound in
        every fold to come; for others, those more than three standard errors behind the leader after three folds.
    error_score : "raise" or float, default=numpy.nan
        What stands for a score where an error came instead; "raise" ends the search there.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.
    verbose : bool or int, default=False
        Show a live table of scores with the time left on standard error.
    warm_start : bool, default=False
        Resume: what an earlier search of the same data, folds, candidates and parameters has finished, also one that
        ended by Ctrl-C, is not repeated.
    weighted_score : bool, default=True
        Whether `sample_weight` counts in the scores too; a scorer that takes no weights is named in a warning.
    trace : bool, default=False
        Whether to keep the course of the winner's fit on all rows in ``trace_``. Fits in folds leave none.

    """

    Cs: Any = field(default=10, kw_only=False)
    cv: Any = None
    scoring: Any = None
    refit: bool = True
    rule: str = "best"
    race: bool = False
    error_score: Any = np.nan
    n_jobs: int | None = None
    verbose: bool | int = False
    warm_start: bool = False
    weighted_score: bool = True
    trace: bool = False


class Search(SearchParameters, TakesSparse, Reported, ABC):
    """Base of the machines that tune themselves; not for direct use.

    Attributes
    ----------
    cv_results_ : dict
        The keys of :class:`sklearn.model_selection.GridSearchCV`, and for each candidate the worst ``certificate`` of
        its folds, its ``relative_gap``, ``kkt_violation`` and ``status`` ("converged", "budget exhausted", "stalled",
        "dropped", "failed", "unfinished").
    best_params_, best_score_, best_index_
        The winner.
    best_estimator_ : estimator
        The machine of the winner, trained on all rows.
    certificate_ : ModelCertificate
        Its proof.
    n_splits_, scorer_, refit_time_
        Number of folds, the scorer, and seconds that training the winner took.
    trace_ : maxmargin.solvers.Trace
        The course of the winner's fit, where ``trace=True``.
    n_features_in_ : int
        As in scikit-learn.

    """

    _kept: tuple[str, Record] | None  # the last question, and what is finished of it

    _parameter_constraints: ClassVar[dict] = {
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
        "trace": ["boolean"],
    }

    # ---------------------------------------------------------------- what a subclass says

    @abstractmethod
    def _make_grid(self, data: SearchData) -> Grid:
        """The candidates, automatic ones from the data."""

    @abstractmethod
    def _machine(self, **params: Any) -> Any:
        """The plain machine of a candidate, not fitted."""

    @abstractmethod
    def _train(self, state: SearchState, data: SearchData, exact: bool = False) -> None:
        """Train what is open, to rounding errors if `exact` (and if the machines can be)."""

    def _refuse(self) -> None:
        """Raise for parameters that contradict each other."""
        return

    def _validate_training(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """Checked X (float32 or float64, dense or CSR) and y."""
        rules: dict[str, Any] = {"dtype": [np.float64, np.float32], "order": "C", "accept_sparse": "csr"}
        return validate_data(self, X, y, y_numeric=not is_classifier(self), **rules)

    def _encode(self, X: Any, y: np.ndarray, weights: np.ndarray | None) -> SearchData:
        return SearchData(X, y, weights)

    def _monitor_of(self, state: SearchState) -> Any:
        """Who is told how far the search is."""
        return SearchMonitor(self.verbose, state.grid, len(state.folds))

    def _check_folds(self, folds: list[Fold], data: SearchData) -> None:
        """Refuse folds that nothing can be trained on."""
        return

    def _keeps_values(self) -> bool:
        """Whether the winner's out-of-fold values are wanted."""
        return False

    def _about_gaps(self) -> dict[str, Any]:
        """What is said of candidates that miss the tolerance, and of which: arguments of `warn_of_cells`."""
        return {}

    def _calibrate(self, state: SearchState, data: SearchData) -> None:
        """What else comes from the out-of-fold values of the winner, whose number is ``best_index_``."""
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

        """
        self._validate_params()
        self._refuse()
        check_scoring(self.scoring)
        self._forget()
        data = self._checked(X, y, sample_weight)
        shown = X if hasattr(X, "shape") and not sp.issparse(X) else data.X
        folds = make_folds(self.cv, shown, data.y, groups, is_classifier(self))
        self._check_folds(folds, data)
        state = self._open_state(data, shown, folds, self._make_grid(data))
        self._run(state, data)
        self._pick(state)
        warn_of_cells(state, self.cv_results_, **self._about_gaps())
        self._calibrate(state, data)
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

    def _open_state(self, data: SearchData, shown: Any, folds: list[Fold], grid: Grid) -> SearchState:
        """The state to work on: of the last search if `warm_start` is set and it was about the same."""
        self.n_splits_ = len(folds)
        self.scorer_ = sklearn_scoring(self, self.scoring)
        record = self._record_of(data, folds, grid)
        scorer = FoldScorer(
            self.scoring,
            classifier=is_classifier(self),
            X=shown,
            y=data.y,
            weights=data.weights if self.weighted_score else None,
            pairwise=self.__sklearn_tags__().input_tags.pairwise,
            names=getattr(self, "feature_names_in_", None),
        )
        state = SearchState(
            grid,
            folds,
            scorer,
            record=record,
            race=Race(scorer.bound, self.rule) if self.race else None,
            error_score=self.error_score,
            keep_values=self._keeps_values(),
        )
        state.monitor = self._monitor_of(state)
        return state

    def _record_of(self, data: SearchData, folds: list[Fold], grid: Grid) -> Record:
        parameters = self.get_params(deep=False)  # type: ignore[attr-defined]
        question = fingerprint([data.X, data.y, data.weights], folds, grid, parameters)
        last = getattr(self, "_kept", None)
        if self.warm_start and last is not None and last[0] == question:
            return last[1]
        self._kept = question, Record.empty(len(grid), len(folds))
        return self._kept[1]

    def _run(self, state: SearchState, data: SearchData) -> None:
        """Train what is open. Whatever ends it, Ctrl-C too, what is finished stays in ``cv_results_``."""
        try:
            if state.anything_open():
                self._train(state, data)
        finally:
            state.report(last=True)
            self._keep_table(state)

    def _keep_table(self, state: SearchState) -> None:
        error_score = self.error_score
        self.cv_results_ = make_results(state.grid, state.record, state.dropped, state.failed, error_score)

    def _pick(self, state: SearchState) -> None:
        """The winner among the candidates that are finished in every fold."""
        eligible = state.record.complete
        if not eligible.any():
            first = next((state.describe(*place, error) for place, error in state.failures.items()), "none was trained")
            raise ValueError(f"no candidate was trained in every fold, {len(state.failures)} fits failed; {first}")
        scores = state.record.scores
        self.best_index_ = choose(self.rule, state.grid, scores, eligible)
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.best_params_ = dict(state.grid.candidates[self.best_index_])

    def _train_winner(self, data: SearchData) -> None:
        begin = time.perf_counter()
        winner = self._machine(**self.best_params_)
        if self.trace:
            winner.set_params(trace=True)
        self.best_estimator_ = winner.fit(data.X, data.y, sample_weight=data.weights)
        if hasattr(self, "feature_names_in_"):
            self.best_estimator_.feature_names_in_ = self.feature_names_in_
        self.refit_time_ = time.perf_counter() - begin

    # ---------------------------------------------------------------- the winner

    def _winner(self) -> Any:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    def _of_winner(self, name: str) -> Any:
        """A fitted attribute of the winner; AttributeError as long as there is none."""
        if "best_estimator_" not in vars(self):
            raise AttributeError(f"this {type(self).__name__} has no machine trained on all rows (yet).")
        return getattr(self.best_estimator_, name)

    @property
    def certificate_(self) -> Any:
        """The proof of the machine that was trained on all rows; `verify` makes the calibration again, too."""
        return replace(self._of_winner("certificate_"), _recompute=self._recertify)

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> list[Certificate]:
        """The winner's figures, and whether the search answers by the winner that it tells of."""
        found = self._of_winner("certificate_").verify(X, y, sample_weight).problems
        try:
            sound = self._answers_by_winner() and self._belongs_to(X, y, sample_weight)
        except Exception:  # what a model was made to hold fails in ways that cannot be foreseen
            sound = False
        return list(found) if sound else [replace(part, status=Status.REFUTED) for part in found]

    def _answers_by_winner(self) -> bool:
        """Whether the winner has the parameters that the search has chosen."""
        chosen = self._winner().get_params(deep=False)
        return all(chosen[name] == value for name, value in self.best_params_.items())

    def _belongs_to(self, X: Any, y: Any, sample_weight: Any) -> bool:
        """Whether what else predictions read is that of this search on these rows."""
        return True

    @property
    def n_iter_(self) -> Any:
        """Iterations of the machine that was trained on all rows."""
        return self._of_winner("n_iter_")

    @property
    def trace_(self) -> Any:
        """The course of the fit of the winner on all rows, where ``trace=True``."""
        return self._of_winner("trace_")

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score that the search was made with, on other rows."""
        if self.scoring is None:
            return super().score(X, y, sample_weight=sample_weight)  # type: ignore[misc]
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self.scorer_(self, X, y, **weights)
