"""AdaBoost for numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..certificates import Status
from ..data import validate_data
from ..engine import Stopwatch
from ..tree import DecisionTreeRegressor
from ._ada_boost_base import AdaBoostBase, fit_on_bag, keep_rounds, timed
from ._ada_boost_proof import BoostingGuarantee
from ._ada_boost_r2 import Learn, boost_r2, prove_r2
from ._boosted_trees import BoostedTrees
from ._early_stopping import MedianError, best_rounds, held_out
from ._members import drawn_seed, refuse_categories

_BLOCK = 2**21  # predictions that are sorted at a time


@dataclass(kw_only=True, eq=False, repr=False)
class AdaBoostRegressor(RegressorMixin, AdaBoostBase):
    """AdaBoost.R2: the weighted median of regressors, each trained where the ones before it were far off.

    A drop-in for :class:`sklearn.ensemble.AdaBoostRegressor`; with the same regressor and ``resample=True`` it draws
    the same bags and predicts the same numbers.

    Parameters
    ----------
    estimator : regressor or None, default=None
        What is boosted; None: :class:`maxmargin.tree.DecisionTreeRegressor` with ``max_depth=3``.
    n_estimators : int, default=50
        Largest number of rounds.
    learning_rate : float, default=1.0
        Factor of all votes.
    loss : {"linear", "square", "exponential"}, default="linear"
        How the error of a row counts, relative to the largest one.
    random_state : int, RandomState or None, default=None
        Of the bags, and of regressors that have a `random_state`.
    resample : bool or "auto", default="auto"
        Whether to train regressors on rows drawn by weight, as scikit-learn always does, instead of giving them the
        weights. "auto": only those that take no `sample_weight`.
    validation_fraction : float, default=0.0
        Share of the rows that is not trained on. Boosting ends when the squared error of the median on them has not
        fallen for `n_iter_no_change` rounds, and the regressors up to where it was lowest are kept.
    n_iter_no_change : int, default=10
        See `validation_fraction`.
    trace : bool, default=False
        Whether to keep the course of the fit in ``trace_``: training error, weighted error of the learner, exponential
        loss and seconds by round.

    Attributes
    ----------
    estimators_ : list of regressors
        One a round.
    estimator_weights_ : ndarray of shape (n_estimators,)
        Their votes; 0 for rounds that were not made.
    estimator_errors_ : ndarray of shape (n_estimators,)
        Their weighted mean losses; 1 for rounds that were not made.
    trace_ : maxmargin.solvers.Trace
        The course of the fit, where ``trace=True``.
    certificate_ : BoostingGuarantee
        On how many rows the regressors can be bad on the average, round by round; recomputed by
        ``certificate_.verify(X, y, sample_weight)``.
    feature_importances_ : ndarray of shape (n_features,)
        Importances for the regressors, weighted with their votes.
    validation_scores_ : ndarray of shape (rounds made,)
        With `validation_fraction`: the coefficient of determination on the held-out rows after each round, those not
        kept included. A round whose regressor makes
        no error, which ends boosting, has none.
    estimator_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    It ends early if a regressor makes no error, which is then the answer alone, or if the mean loss of one is 1/2 or
    more, which is left out.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.ensemble import AdaBoostRegressor
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = AdaBoostRegressor(random_state=0).fit(X, np.sin(X.ravel()))
    >>> model.score(X, np.sin(X.ravel())) > 0.95
    True
    >>> model.certificate_.holds
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        **AdaBoostBase._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict"]), None],
        "loss": [StrOptions({"linear", "square", "exponential"})],
        "validation_fraction": [Interval(Real, 0, 1, closed="left")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
    }

    _kept_settings = ("learning_rate", "loss", "validation_fraction", "n_iter_no_change")

    loss: str = "linear"
    validation_fraction: float = 0.0
    n_iter_no_change: int = 10

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AdaBoostRegressor:
        """Boost on rows X with targets y."""
        watch = Stopwatch()
        self._validate_params()
        self.estimator_ = self._template()
        X, y = self._validate(X, y, reset=True)
        start = self._weights(X, sample_weight)
        self._seed = drawn_seed(self.random_state)
        validation, start = self._held_out(X, y, start)
        learn = self._learn(X, y, start)
        times: list[float] = []
        if self.trace:
            learn = timed(learn, watch, times)
        run = boost_r2(learn, y, start.copy(), self.n_estimators, self.learning_rate, self.loss, validation)
        if validation is not None:
            self.validation_scores_ = validation.scores
            run = best_rounds(run, validation.best) if validation.errors else run
        self._keep(run.learners, run.votes, run.errors)
        for name in self._kept_settings:
            setattr(self, f"_{name}", getattr(self, name))
        self._ending, self._rows_seen = run.ending, len(y)
        proof = self._prove(X, y, start, run.status)
        self.certificate_ = replace(proof, seconds=watch.seconds(), _recompute=self._recertify)
        keep_rounds(self, times)
        return self

    def _held_out(self, X: Any, y: np.ndarray, start: np.ndarray) -> tuple[MedianError | None, np.ndarray]:
        """Who looks at the rows that are held out, if any are, and the weights of the others alone."""
        self.__dict__.pop("validation_scores_", None)  # of the last fit
        if self.validation_fraction == 0:
            return None, start
        one_class = np.zeros(len(y), dtype=np.intp)
        held = held_out(one_class, start > 0, float(self.validation_fraction), self._seed)
        rest = np.where(held, 0.0, start)
        targets = np.asarray(y[held], dtype=np.float64)
        error = MedianError(X[held], targets, start[held], _weighted_median, self.n_iter_no_change)
        return error, rest / rest.sum()

    def _learn(self, X: Any, y: np.ndarray, start: np.ndarray) -> Learn:
        """What makes the regressor of a round: from a bag, by our tree from bins made once, or with weights."""
        random_state = check_random_state(self._seed)
        resamples = self._resamples()
        tree = type(self.estimator_) is DecisionTreeRegressor and self.estimator_.node == "axis"
        ours = tree and not resamples and start.all()
        trees = BoostedTrees(X, y) if ours else None

        def learn(weights: np.ndarray) -> tuple[Any, np.ndarray]:
            learner = self._new_learner(random_state)
            if trees is not None:
                return trees.learn(learner, weights)
            if resamples:
                fit_on_bag(learner, X, y, weights, random_state, labelled=False)
            else:
                learner.fit(X, y, sample_weight=weights)
            return learner, learner.predict(X)

        return learn

    def _validate(self, X: Any, y: Any, reset: bool) -> tuple[Any, np.ndarray]:
        rules: dict[str, Any] = {"accept_sparse": ["csr", "csc"], "dtype": None, "allow_nd": True, "y_numeric": True}
        if isinstance(self.estimator_, DecisionTreeRegressor):
            refuse_categories(X, self)
        X, y = validate_data(self, X, y, reset=reset, **rules)
        return X, column_or_1d(y, warn=True)

    # ---------------------------------------------------------------- the proof

    def _prove(self, X: Any, y: np.ndarray, start: np.ndarray, status: Status) -> BoostingGuarantee:
        predictions = (learner.predict(X) for learner in self.estimators_)
        errors = self.estimator_errors_[: len(self.estimators_)]
        return prove_r2(predictions, y, start, self._votes, errors, self._loss, status, self._ending)

    def _proof_of(self, again: Any, X: Any, y: Any, sample_weight: Any) -> BoostingGuarantee:
        X, y = again._validate(X, y, reset=False)
        _, start = again._held_out(X, y, self._weights(X, sample_weight))
        return self._prove(X, y, start, self.certificate_.status)

    def _votes_of(self, errors: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return self._learning_rate * np.log((1.0 - errors) / errors)

    def _template(self) -> Any:
        return DecisionTreeRegressor(max_depth=3) if self.estimator is None else self.estimator

    # ---------------------------------------------------------------- use

    def _check_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse=["csr", "csc"], dtype=None, allow_nd=True, reset=False)

    def predict(self, X: Any) -> np.ndarray:
        """The median of what the regressors predict, weighted with their votes."""
        X = self._check_rows(X)
        return _weighted_median(np.array([learner.predict(X) for learner in self.estimators_]).T, self._votes)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Predictions after each round."""
        X = self._check_rows(X)
        columns: list[np.ndarray] = []
        for learner in self.estimators_:
            columns.append(learner.predict(X))
            yield _weighted_median(np.array(columns).T, self._votes[: len(columns)])

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The coefficient of determination after each round."""
        for predicted in self.staged_predict(X):
            yield r2_score(y, predicted, sample_weight=sample_weight)


def _weighted_median(values: np.ndarray, votes: np.ndarray) -> np.ndarray:
    """Of each row, the smallest value with half of the votes at or below it."""
    n, T = values.shape
    medians = np.empty(n, dtype=values.dtype)
    step = max(1, _BLOCK // T)
    for begin in range(0, n, step):
        part = values[begin : begin + step]
        order = np.argsort(part, axis=1)
        share = np.cumsum(votes[order], axis=1)
        place = (share >= 0.5 * share[:, -1:]).argmax(axis=1)
        rows = np.arange(len(part))
        medians[begin : begin + step] = part[rows, order[rows, place]]
    return medians
