"""AdaBoost for classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.extmath import softmax
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..certificates import Status
from ..data import validate_data
from ..engine import Stopwatch
from ._ada_boost_base import AdaBoostBase, bag, fit_on_bag, keep_rounds, timed
from ._ada_boost_proof import BoostingGuarantee, prove
from ._ada_boost_rounds import BoostRun, Learn, StoppingRule, boost
from ._box import DecisionBox
from ._early_stopping import NoTrainingError, RunningVote, ValidationError, best_rounds, first_of, held_out
from ._linear_weak import DecisionPlane
from ._members import drawn_seed, refuse_categories
from ._stump import DecisionStump
from ._stump_votes import StumpVote
from ._weak_learner import WeakLearner, columnwise, counted, numbered

_BUILT_IN: dict[str, type[WeakLearner]] = {"stump": DecisionStump, "box": DecisionBox, "linear": DecisionPlane}


def takes_sparse(estimator: Any) -> bool:
    """Whether a learner, given as in `AdaBoostClassifier`, takes sparse rows."""
    if estimator is None or isinstance(estimator, str):
        return _BUILT_IN.get(estimator or "stump", DecisionStump)._accepts_sparse
    return bool(get_tags(estimator).input_tags.sparse)


@dataclass(kw_only=True, eq=False, repr=False)
class AdaBoostClassifier(ClassifierMixin, AdaBoostBase):
    """AdaBoost: a weighted vote of weak learners, each trained where the ones before it were wrong.

    A drop-in for :class:`sklearn.ensemble.AdaBoostClassifier`. With stumps it makes the same rounds: the columns are
    sorted once, and each round looks at all thresholds of all columns in one compiled pass. `certificate_` has the
    bound on the training error beside that error, round by round.

    Parameters
    ----------
    estimator : {"stump", "box", "linear"}, classifier or None, default=None
        The weak learner: :class:`DecisionStump` (also for None), :class:`DecisionBox`, :class:`DecisionPlane`, or any
        classifier.
    n_estimators : int, default=50
        Largest number of rounds.
    learning_rate : float, default=1.0
        Factor of all votes. At 2 or more, a round no longer lowers the bound on the training error.
    random_state : int, RandomState or None, default=None
        Seed for the bags, and for learners that have a `random_state`. The built-in ones draw nothing.
    resample : bool or "auto", default="auto"
        Whether to train learners on rows drawn by weight (with replacement, as many as there are), instead of giving
        them the weights. "auto": only those that take no `sample_weight`.
    stop_at_zero_error : bool, default=False
        End with the round after which the vote makes no error on the training rows.
    validation_fraction : float, default=0.0
        Share of the rows of each class that are not trained on. Boosting ends once `n_iter_no_change` rounds have not
        lowered the error on them, and the learners of the rounds up to the lowest error are kept. 0: no such rows.
    n_iter_no_change : int, default=10
        See `validation_fraction`.
    trace : bool, default=False
        Whether to keep the course of the fit in ``trace_``: training error, weighted error of the learner, exponential
        loss and seconds by round.

    Attributes
    ----------
    estimators_ : list of classifiers
        The learners, one for each round.
    estimator_weights_ : ndarray of shape (n_estimators,)
        Their votes, ln((1 - error)/error) + ln(n_classes - 1) times the learning rate; 0 for rounds that were not made.
    estimator_errors_ : ndarray of shape (n_estimators,)
        Their weighted errors; 1 for rounds that were not made.
    trace_ : maxmargin.solvers.Trace
        The course of the fit, where ``trace=True``.
    certificate_ : BoostingGuarantee
        Edges, the bound beside the training error of each round, margins; recomputed from the learners in float64, and
        again by ``certificate_.verify(X, y, sample_weight)``.
    feature_importances_ : ndarray of shape (n_features,)
        Importances for the learners, weighted with their votes.
    validation_scores_ : ndarray of shape (rounds made,)
        With `validation_fraction`: the accuracy on the held-out rows after each round, those not kept included. A round
        whose learner makes no error, which ends boosting, has none.
    estimator_, classes_, n_classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    It ends early if a learner makes no error, which is then the answer alone, or if one has no edge over guessing,
    which is left out. ``certificate_.status`` and its statement say which.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from maxmargin.ensemble import AdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=200).fit(X, y)
    >>> model.score(X, y)
    1.0
    >>> model.certificate_.holds, float(model.certificate_.bounds[-1]) < 0.01
    (True, True)

    """

    _parameter_constraints: ClassVar[dict] = {
        **AdaBoostBase._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict"]), StrOptions(set(_BUILT_IN)), None],
        "stop_at_zero_error": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="left")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
    }

    _kept_settings = ("learning_rate", "stop_at_zero_error", "validation_fraction", "n_iter_no_change")

    stop_at_zero_error: bool = False
    validation_fraction: float = 0.0
    n_iter_no_change: int = 10

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = takes_sparse(self.estimator)
        return tags

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AdaBoostClassifier:
        """Boost on rows X with labels y."""
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, enough: StoppingRule | None = None) -> AdaBoostClassifier:
        """The fit; `enough` may end it early."""
        clock = Stopwatch()
        self._validate_params()
        self._choose_learner()
        X, y = self._validate(X, y, reset=True)
        start = self._weights(X, sample_weight)
        self.classes_, label = numbered(y)
        self._seed = drawn_seed(self.random_state)
        validation, start = self._held_out(X, label, start)
        learn, weights = self._learning(X, y, label, start)
        times: list[float] = []
        if self.trace:
            learn = timed(learn, clock, times)
        rules: list[StoppingRule] = [one for one in (enough, self._training_rule(X, label, start), validation) if one]
        run = boost(learn, weights, self.n_estimators, self.learning_rate, len(self.classes_), first_of(rules))
        run = run if validation is None else self._best_of(run, validation)
        self._keep(run.learners, run.votes, run.errors)
        self._ending, self._rows_seen = run.ending, len(label)
        for name in self._kept_settings:
            setattr(self, f"_{name}", getattr(self, name))
        proof = self._prove(X, label, start, run.status)
        self.certificate_ = replace(proof, seconds=clock.seconds(), _recompute=self._recertify)
        keep_rounds(self, times)
        return self

    def _held_out(self, X: Any, label: np.ndarray, start: np.ndarray) -> tuple[ValidationError | None, np.ndarray]:
        """Who looks at the rows that are held out, if any are, and the weights of the others alone."""
        self.__dict__.pop("validation_scores_", None)  # of the last fit
        if self.validation_fraction == 0:
            return None, start
        held = held_out(label, start > 0, float(self.validation_fraction), self._seed)
        vote = RunningVote(label[held], start[held], len(self.classes_))
        rest = np.where(held, 0.0, start)
        return ValidationError(vote, X[held], self._says, self.n_iter_no_change), rest / rest.sum()

    def _training_rule(self, X: Any, label: np.ndarray, start: np.ndarray) -> NoTrainingError | None:
        if not self.stop_at_zero_error:
            return None
        rows, label, start = counted(X, label, start)
        return NoTrainingError(RunningVote(label, start, len(self.classes_)), rows, self._says)

    def _best_of(self, run: BoostRun, validation: ValidationError) -> BoostRun:
        """The rounds up to the lowest error on held-out rows; a learner without errors is the answer whatever it is."""
        self.validation_scores_ = 1.0 - np.array(validation.errors)
        if not validation.errors:  # the first learner makes no error, and boosting ends before it is asked
            return run
        return best_rounds(run, validation.best)

    def _says(self, learner: Any, X: Any) -> np.ndarray:
        """What a learner says of valid rows, as numbers of classes."""
        return learner._labels(X) if self._built_in else np.searchsorted(self.classes_, learner.predict(X))

    def _template(self) -> Any:
        given = "stump" if self.estimator is None else self.estimator
        return _BUILT_IN[given]() if isinstance(given, str) else given

    def _choose_learner(self) -> None:
        self.estimator_ = self._template()
        self._built_in = type(self.estimator_) in _BUILT_IN.values()

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return len(self.classes_)

    def _rules(self) -> dict[str, Any]:
        """What rows have to be like: numbers in a table for built-in learners; others know for themselves."""
        if not self._built_in:
            return {"dtype": None, "allow_nd": True, "accept_sparse": ["csr", "csc"]}
        sparse = ["csr", "csc"] if takes_sparse(self.estimator_) else False
        return {"dtype": [np.float64, np.float32], "accept_sparse": sparse}

    def _validate(self, X: Any, y: Any, reset: bool) -> tuple[Any, np.ndarray]:
        if self._built_in:
            refuse_categories(X, self)
        X, y = validate_data(self, X, y, reset=reset, **self._rules())
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        return X, y

    def _learning(self, X: Any, y: np.ndarray, label: np.ndarray, start: np.ndarray) -> tuple[Learn, np.ndarray]:
        """How a learner is trained, and the weights of the first round."""
        random_state = check_random_state(self._seed)
        resamples = self._resamples()
        _, label, _ = counted(X, label, start)
        X, y, weights = counted(X, y, start.copy())
        if self._built_in:
            self.estimator_._validate_params()
            prepared = self.estimator_._prepare(columnwise(X), label, self.classes_)
            if not resamples:
                return prepared.learn, weights

            def learn_counts(weights: np.ndarray) -> tuple[Any, np.ndarray]:
                counts = np.bincount(bag(weights, random_state), minlength=len(weights))
                return prepared.learn(counts / len(weights))

            return learn_counts, weights

        def learn(weights: np.ndarray) -> tuple[Any, np.ndarray]:
            learner = self._new_learner(random_state)
            if resamples:
                fit_on_bag(learner, X, y, weights, random_state, labelled=True)
            else:
                learner.fit(X, y, sample_weight=weights)
            return learner, (learner.predict(X) != y).astype(np.uint8)

        return learn, weights

    # ---------------------------------------------------------------- the proof

    def _said(self, X: Any) -> Iterator[np.ndarray]:
        """What each learner says of valid rows, as numbers of classes."""
        if (stumps := StumpVote.of(self.estimators_, self._votes)) is not None:
            yield from stumps.each(X)
            return
        for learner in self.estimators_:
            yield self._says(learner, X)

    def _prove(self, X: Any, label: np.ndarray, start: np.ndarray, status: Status) -> BoostingGuarantee:
        errors = self.estimator_errors_[: len(self.estimators_)]
        claims = (self._votes, errors, len(self.classes_), self._learning_rate)
        return prove(self._said(X), label, start, *claims, status, self._ending)

    def _proof_of(self, again: Any, X: Any, y: Any, sample_weight: Any) -> BoostingGuarantee:
        X, y = again._validate(X, y, reset=False)
        label = np.searchsorted(again.classes_, y)
        _, start = again._held_out(X, label, self._weights(X, sample_weight))
        return self._prove(X, label, start, self.certificate_.status)

    def _votes_of(self, errors: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return self._learning_rate * (np.log((1.0 - errors) / errors) + np.log(len(self.classes_) - 1.0))

    # ---------------------------------------------------------------- use

    def _check_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, **self._rules())

    def _polls(self, X: Any) -> np.ndarray:
        """Votes for each class, row by row."""
        if (stumps := StumpVote.of(self.estimators_, self._votes)) is not None:
            return stumps.polls(X, len(self.classes_))
        polls = np.zeros((X.shape[0], len(self.classes_)))
        rows = np.arange(X.shape[0])
        for vote, said in zip(self._votes, self._said(X), strict=True):
            polls[rows, said] += vote
        return polls

    def _decide(self, polls: np.ndarray, total: float) -> np.ndarray:
        """Decision values as scikit-learn scales them: a vote counts 1 for its class and -1/(K - 1) for the others."""
        K = len(self.classes_)
        if K == 1:
            return np.zeros((len(polls), 1))
        scores = (polls - (total - polls) * (1 / (K - 1))) / total
        return scores[:, 1] - scores[:, 0] if K == 2 else scores

    def _choose(self, decision: np.ndarray) -> np.ndarray:
        chosen = (decision > 0).astype(np.intp) if len(self.classes_) == 2 else np.argmax(decision, axis=1)
        return self.classes_[chosen]

    def _probabilities(self, decision: np.ndarray) -> np.ndarray:
        """Softmax of the decision values over K - 1 (Zhu et al. 2009, equation 15)."""
        K = len(self.classes_)
        if K == 1:
            return np.ones((len(decision), 1))
        scaled = np.column_stack([-decision, decision]) / 2 if K == 2 else decision / (K - 1)
        return softmax(scaled, copy=False)

    def decision_function(self, X: Any) -> np.ndarray:
        """Votes for the classes, scaled as in scikit-learn.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Between -2 and 2 for two classes, positive for the second; else one column a class, between -1/(K - 1) and
            1.

        """
        return self._decide(self._polls(self._check_rows(X)), float(self._votes.sum()))

    def predict(self, X: Any) -> np.ndarray:
        """The class with most votes."""
        return self._choose(self.decision_function(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes under SAMME's exponential loss."""
        return self._probabilities(self.decision_function(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities."""
        return np.log(self.predict_proba(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """Decision values after each round."""
        X = self._check_rows(X)
        polls, rows, total = np.zeros((X.shape[0], len(self.classes_))), np.arange(X.shape[0]), 0.0
        for vote, said in zip(self._votes, self._said(X), strict=True):
            polls[rows, said] += vote
            total += float(vote)
            yield self._decide(polls, total)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Labels after each round."""
        for decision in self.staged_decision_function(X):
            yield self._choose(decision)

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Probabilities after each round."""
        for decision in self.staged_decision_function(X):
            yield self._probabilities(decision)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after each round."""
        for labels in self.staged_predict(X):
            yield accuracy_score(y, labels, sample_weight=sample_weight)
