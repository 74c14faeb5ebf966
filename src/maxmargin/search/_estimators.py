"""Searches as estimators: how a tuned classifier and a tuned regressor predict."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..engine import interruptible
from ..estimators import check_every_class, encode_labels
from ._calibration import Calibration, fit_calibration, same_calibration
from ._folds import Fold, can_be_repeated, check_classes
from ._search import Search, SearchData
from ._state import SearchState


def trains_winner(search: Any) -> bool:
    """Whether there will be a machine to predict with; raises AttributeError if not, for ``available_if``."""
    if not search.refit:
        raise AttributeError(
            f"this {type(search).__name__} has refit=False: no machine was trained on all rows. Set refit=True, or "
            f"train one with best_params_."
        )
    return True


def _has_probabilities(search: Any) -> bool:
    if search.calibration is None:
        raise AttributeError(f'predict_proba needs calibration="sigmoid" or "isotonic"; this {search!r} has None.')
    return trains_winner(search)


class SearchClassifier(Search, ClassifierMixin, BaseEstimator):
    """Base of the classifiers that tune themselves; not for direct use.

    A subclass has the parameter `calibration`, or leaves it at None.

    Parameters
    ----------
    calibration : {"sigmoid", "isotonic"} or None, default="sigmoid"
        How decision values become probabilities, from those of the winner on rows that it had not seen. `predict` is
        always the most probable class.
    class_weight : dict, "balanced" or None, default=None
        C is multiplied by the weight of the class; "balanced" counts the training rows of each fold.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        As in scikit-learn.

    """

    _parameter_constraints: ClassVar[dict] = {
        **Search._parameter_constraints,
        "calibration": [StrOptions({"sigmoid", "isotonic"}), None],
    }

    calibration: str | None = None
    _values_are_of = "pairs"  # or "rest": what columns of `Outcome.values` belong to
    # Up to here the winner's folds are trained once more, to rounding errors, before their values calibrate.
    _exact_rows = 0

    def _encode(self, X: Any, y: np.ndarray, weights: np.ndarray | None) -> SearchData:
        classes, label = encode_labels(y)
        check_every_class(classes, label, weights)
        self.classes_ = classes
        return SearchData(X, y, weights, classes, label)

    def _check_folds(self, folds: list[Fold], data: SearchData) -> None:
        assert data.label is not None and data.classes is not None
        self._complete_folds = check_classes(folds, data.label, data.classes, data.weights)
        if self.calibration is not None and not self._complete_folds.any():
            raise ValueError(
                "no fold trains on every class, so that there is nothing to calibrate from; use "
                "sklearn.model_selection.StratifiedKFold, fewer folds or calibration=None."
            )

    # ---------------------------------------------------------------- probabilities

    def _keeps_values(self) -> bool:
        return self.calibration is not None

    def _calibrate(self, state: SearchState, data: SearchData) -> None:
        """Calibrate from the winner's out-of-fold values; folds that did not train on every class have other ones."""
        if self.calibration is None:
            return
        assert data.label is not None and data.classes is not None
        exact = len(data.y) <= self._exact_rows
        if exact:
            state.record.values.clear()
        if state.reopen(self.best_index_):
            self._train(state, data, exact)
        folds = np.flatnonzero(self._complete_folds).tolist()
        for place, error in state.failures.items():
            if place[0] == self.best_index_:  # it was trained before, without room for its values
                raise ValueError(f"the winner could not be trained again; {state.describe(*place, error)}") from error
        values = np.concatenate([state.record.values[self.best_index_, k] for k in folds])
        rows = np.concatenate([state.folds[k].test for k in folds])
        weights = None if data.weights is None else data.weights[rows]
        self.calibration_: Calibration = fit_calibration(
            values, data.label[rows], len(data.classes), self.calibration, weights, self._values_are_of
        )

    def _belongs_to(self, X: Any, y: Any, sample_weight: Any) -> bool:
        if not np.array_equal(self.classes_, self._winner().classes_):
            return False
        if self.calibration is None or not can_be_repeated(self.cv):
            return True
        fresh = clone(self).set_params(refit=False, race=False, verbose=False, warm_start=False)
        # the winner alone, in the same folds
        fresh.set_params(**{f"{name}s": [value] for name, value in self.best_params_.items()})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fresh.fit(X, y, sample_weight)
        return same_calibration(self.calibration_, fresh.calibration_, self._calibration_values(X))

    # ---------------------------------------------------------------- prediction

    @property
    def margin_width_(self) -> np.ndarray:
        """Distance of the margin boundaries of each binary problem of ``best_estimator_``."""
        check_is_fitted(self)
        trains_winner(self)
        return self.best_estimator_.margin_width_

    @available_if(trains_winner)
    @interruptible
    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values of ``best_estimator_``.

        Returns
        -------
        ndarray
            Shape (n_samples,) for two classes, positive for ``classes_[1]``; else one column a class.

        """
        return self._winner().decision_function(X)

    @available_if(trains_winner)
    @interruptible
    def predict(self, X: Any) -> np.ndarray:
        """Labels of the rows of X."""
        return self._winner().predict(X)

    @available_if(_has_probabilities)
    @interruptible
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, calibrated on rows that the machines had not seen."""
        self._winner()
        return self.calibration_.probabilities(self._calibration_values(X))

    @available_if(_has_probabilities)
    @interruptible
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities of the classes."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _calibration_values(self, X: Any) -> np.ndarray:
        """The values of the rows of X that ``Outcome.values`` has of test rows."""
        return self._winner().decision_function(X)


class SearchRegressor(Search, RegressorMixin, BaseEstimator):
    """Base of the regressors that tune themselves; not for direct use."""

    def _encode(self, X: Any, y: np.ndarray, weights: np.ndarray | None) -> SearchData:
        return SearchData(X, np.asarray(y, dtype=np.float64), weights)

    @available_if(trains_winner)
    @interruptible
    def predict(self, X: Any) -> np.ndarray:
        """Predicted targets of the rows of X."""
        return self._winner().predict(X)
