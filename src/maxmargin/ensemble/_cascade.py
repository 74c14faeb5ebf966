"""A cascade of boosted stages for rare positives."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d

from ..certificates import Status
from ..data import validate_data
from ..engine import Stopwatch
from ..estimators import Reported, check_same_rows, keep_trace, weights_or_ones
from ..solvers import Trace
from ..tree import confirm_or_refute, is_deterministic, refit_and_compare, refuted
from ._ada_boost_base import predictions
from ._ada_boost_classifier import AdaBoostClassifier, takes_sparse
from ._ada_boost_rounds import NoEdgeError
from ._cascade_proof import CascadeGuarantee, prove_cascade, walk
from ._cascade_stage import Stage, StageRows, train_stage
from ._members import drawn_seed, refuse_categories


@dataclass(kw_only=True, eq=False, repr=False)
class CascadeClassifier(ClassifierMixin, Reported, BaseEstimator):
    """A cascade of boosted stages, for two classes of which one is rare.

    Each stage is an :class:`AdaBoostClassifier` whose threshold is lowered until it lets nearly all positives pass; it
    is grown until it also rejects its share of the negatives. Only what passes reaches the next stage, in training and
    in prediction. Rates multiply: 10 stages that each pass 99.5 % of the positives and 50 % of the negatives pass 95 %
    and 0.1 %. As most rows are negative and leave early, a prediction costs a few learners instead of all.

    Parameters
    ----------
    estimator : {"stump", "box", "linear"}, classifier or None, default=None
        The weak learner of all stages, as in :class:`AdaBoostClassifier`.
    min_detection : float, default=0.995
        Share of the positives reaching a stage that has to pass it.
    max_false_positive_rate : float, default=0.5
        Share of the negatives reaching a stage that may pass it.
    max_stages : int, default=10
        Largest number of stages.
    target_false_positive_rate : float or None, default=None
        Stop as soon as no more than this share of all negatives passes all stages; None: only when none is left.
    n_estimators : int, default=100
        Largest number of learners in a stage. One that has not reached its rate by then is kept as it is,
        if it rejects anything, and the certificate says so.
    learning_rate : float, default=1.0
        Of the stages.
    validation_fraction : float, default=0.0
        Share of the rows that are not trained on, but used to set the thresholds. With 0, the training rows are used
        for both, and the rates on new rows are a little worse than those in the certificate.
    carry_votes : bool, default=False
        Whether a stage adds its votes to those of the stages before, instead of starting from zero. That is closer
        to one large ensemble, and better where evidence has to be added up over many columns.
    pos_label : label or None, default=None
        The positive class; None is the one with less weight.
    random_state : int, RandomState or None, default=None
        Of the rows that are held out, and of learners that draw.
    trace : bool, default=False
        Whether to keep the course of the fit in ``trace_``: after each stage the shares of all positives
        (``detection``) and of all negatives (``false_positive_rate``) that have passed so far, of the rows that
        thresholds are set on, the learners so far, and seconds.

    Attributes
    ----------
    stages_ : list of AdaBoostClassifier
        The stages.
    thresholds_ : ndarray of shape (n_stages,)
        What the votes for less those against the positive class must exceed to pass a stage.
    mean_stages_ : float
        Mean number of stages that a training row takes.
    cost_ : float
        Mean number of learners that a training row takes. All stages together have ``sum(map(len, stages_))``.
    positive_ : label
        The positive class.
    certificate_ : CascadeGuarantee
        Rates of the stages and of the whole; recomputed by ``certificate_.verify(X, y, sample_weight)``.
    trace_ : maxmargin.solvers.Trace
        The course of the fit, where ``trace=True``.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.ensemble import CascadeClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 3))
    >>> y = np.where((np.abs(X) > 1.2).all(axis=1), "rare", "common")
    >>> model = CascadeClassifier().fit(X, y)
    >>> str(model.positive_), model.certificate_.holds
    ('rare', True)
    >>> bool(model.cost_ < sum(map(len, model.stages_)) / 2)
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        "estimator": [HasMethods(["fit", "predict"]), StrOptions({"stump", "box", "linear"}), None],
        "min_detection": [Interval(Real, 0, 1, closed="right")],
        "max_false_positive_rate": [Interval(Real, 0, 1, closed="left")],
        "max_stages": [Interval(Integral, 1, None, closed="left")],
        "target_false_positive_rate": [Interval(Real, 0, 1, closed="both"), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "validation_fraction": [Interval(Real, 0, 1, closed="left")],
        "carry_votes": ["boolean"],
        "pos_label": "no_validation",
        "random_state": ["random_state"],
        "trace": ["boolean"],
    }

    _arguments = {"y": "y : array-like of shape (n_samples,)\n    Labels of two classes."}

    estimator: Any = field(default=None, kw_only=False)
    min_detection: float = 0.995
    max_false_positive_rate: float = 0.5
    max_stages: int = 10
    target_false_positive_rate: float | None = None
    n_estimators: int = 100
    learning_rate: float = 1.0
    validation_fraction: float = 0.0
    carry_votes: bool = False
    pos_label: Any = None
    random_state: Any = None
    trace: bool = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = takes_sparse(self.estimator)
        tags.classifier_tags.multi_class = False
        return tags

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CascadeClassifier:
        """Grow the cascade on rows X with two labels y."""
        watch = Stopwatch()
        self._validate_params()
        X, y = self._validate(X, y, reset=True)
        weights = self._weights(X, sample_weight)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise ValueError(f"CascadeClassifier needs two classes; y has one class only, {self.classes_[0]!r}.")
        self.positive_ = self._positive(y, weights)
        positive = y == self.positive_
        for name, mask in (("positives", positive), ("negatives", ~positive)):
            if not weights[mask].sum() > 0:
                raise ValueError(f"CascadeClassifier needs two classes; the {name} have no weight.")
        self._seed = drawn_seed(self.random_state)
        random_state = check_random_state(self._seed)
        self._tuned = self._hold_out(positive, weights, random_state)
        rows = StageRows.of(X, positive, weights)
        train = rows.kept((weights > 0) & ~self._tuned) if self._tuned.any() else rows.kept(weights > 0)
        tune = rows.kept((weights > 0) & self._tuned) if self._tuned.any() else train
        times: list[float] = []
        status, self._ending = self._grow(train, tune, random_state, lambda: times.append(watch.seconds()))
        self.thresholds_ = np.array([stage.threshold for stage in self._stages])
        self.stages_ = [stage.model for stage in self._stages]
        self._rows_seen, self._asked = len(y), (self.min_detection, self.max_false_positive_rate)
        self._carry = self.carry_votes
        proof = self._prove(X, positive, weights, status)
        self.mean_stages_, self.cost_ = proof.figures["mean stages"], proof.figures["mean learners"]
        self.certificate_ = replace(proof, seconds=watch.seconds(), _recompute=self._recertify)
        keep_trace(self, self._course(times) if self.trace else None)
        return self

    def _course(self, times: list[float]) -> Trace:
        trace = Trace()
        figures = {
            "detection": np.cumprod([stage.detection for stage in self._stages]),
            "false_positive_rate": np.cumprod([stage.false_positive_rate for stage in self._stages]),
            "learners": np.cumsum([len(stage) for stage in self._stages]),
        }
        trace.extend("", times, figures)
        return trace

    def _grow(
        self, train: StageRows, tune: StageRows, random_state: np.random.RandomState, grown: Callable[[], None]
    ) -> tuple[Status, str]:
        """Add stages while there is something to reject, calling `grown` after each; how it ended."""
        self._stages: list[Stage] = []
        short, passed = 0, 1.0
        target = 0.0 if self.target_false_positive_rate is None else self.target_false_positive_rate
        while len(self._stages) < self.max_stages:
            number = len(self._stages) + 1
            before = sum(2 * stage.factor for stage in self._stages) if self.carry_votes else 0.0
            model, rates = self._new_stage(random_state), (self.min_detection, self.max_false_positive_rate)
            try:
                stage = train_stage(model, train, tune, before, *rates)
            except NoEdgeError:
                if not self._stages:
                    raise
                return Status.STALLED, f"no learner of stage {number} has an edge"
            if self._stages and stage.false_positive_rate >= 1.0:
                return Status.STALLED, f"stage {number} would reject nothing"
            self._stages.append(stage)
            grown()
            short += stage.false_positive_rate > self.max_false_positive_rate
            passed *= stage.false_positive_rate
            same = tune is train
            train = train.after(stage, self.carry_votes)
            tune = train if same else tune.after(stage, self.carry_votes)
            if passed <= target:
                why = "no negative is left" if passed == 0 else f"{passed:.3g} of the negatives pass"
                return self._status(short), why
            if train.positive.all() or not train.positive.any():
                return Status.STALLED, f"only one class is left to train stage {number + 1} on"
        if passed > target and self.target_false_positive_rate is not None:
            why = f"{self.max_stages} stages were not enough for target_false_positive_rate={target:g}"
            return Status.BUDGET_EXHAUSTED, why
        return self._status(short), f"all {self.max_stages} stages were made"

    def _status(self, short: int) -> Status:
        """Stages that ran out of learners before they had rejected enough are a budget exhausted."""
        return Status.BUDGET_EXHAUSTED if short else Status.CONVERGED

    def _new_stage(self, random_state: np.random.RandomState) -> AdaBoostClassifier:
        learner = self.estimator if self.estimator is None or isinstance(self.estimator, str) else clone(self.estimator)
        seed = random_state.randint(np.iinfo(np.int32).max)
        return AdaBoostClassifier(
            learner, n_estimators=self.n_estimators, learning_rate=self.learning_rate, random_state=seed
        )

    def _validate(self, X: Any, y: Any, reset: bool) -> tuple[Any, np.ndarray]:
        if self._rules()["dtype"] is not None:
            refuse_categories(X, self)
        X, y = validate_data(self, X, y, reset=reset, **self._rules())
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        kind = type_of_target(y, input_name="y")
        if kind != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        return X, y

    def _rules(self) -> dict[str, Any]:
        return {"accept_sparse": "csr" if takes_sparse(self.estimator) else False, "dtype": [np.float64, np.float32]}

    def _weights(self, X: Any, sample_weight: Any) -> np.ndarray:
        return weights_or_ones(sample_weight, X)

    def _positive(self, y: np.ndarray, weights: np.ndarray) -> Any:
        if self.pos_label is not None:
            if self.pos_label not in self.classes_:
                raise ValueError(f"pos_label={self.pos_label!r} is not a class of y; those are {self.classes_!r}.")
            return self.pos_label
        first = weights[y == self.classes_[0]].sum()
        return self.classes_[0] if first < weights.sum() - first else self.classes_[1]

    def _hold_out(self, positive: np.ndarray, weights: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
        """Rows to set the thresholds on: the same share of both classes, at least one of each on either side."""
        held = np.zeros(len(positive), dtype=bool)
        if self.validation_fraction == 0:
            return held
        for mask in (positive, ~positive):
            rows = random_state.permutation(np.flatnonzero(mask & (weights > 0)))
            if len(rows) < 2:
                raise ValueError(
                    f"validation_fraction={self.validation_fraction} needs two rows of each class; one has "
                    f"{len(rows)}. validation_fraction=0 sets the thresholds on the training rows."
                )
            held[rows[: min(max(1, round(self.validation_fraction * len(rows))), len(rows) - 1)]] = True
        return held

    # ---------------------------------------------------------------- the proof

    def _prove(self, X: Any, positive: np.ndarray, weights: np.ndarray, status: Status) -> CascadeGuarantee:
        tuned = self._tuned if self._tuned.any() else None
        rows = StageRows.of(X, positive, weights)
        return prove_cascade(self._stages, rows, tuned, self._carry, self._asked, status, self._ending)

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> CascadeGuarantee:
        check_is_fitted(self)
        watch, claim, n = Stopwatch(), self.certificate_, _num_samples(X)
        check_same_rows((self._rows_seen, len(self._tuned)), n)
        try:
            template = clone(self).set_params(random_state=int(self._seed))
            named = self.pos_label is None or bool(self.pos_label == self.positive_)
            rounds = {len(stage.model.estimator_weights_) for stage in self._stages}
        except (AttributeError, TypeError, ValueError):
            return cast(CascadeGuarantee, refuted(claim, "the record of how it was boosted"))
        if not named:
            return cast(CascadeGuarantee, refuted(claim, "pos_label"))
        if rounds != {self.n_estimators}:  # a file may bring any number of rounds
            return cast(CascadeGuarantee, refuted(claim, "the number of rounds of a stage"))

        def fit() -> Any:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the fit has given them
                return clone(template).fit(X, y, sample_weight)

        learner = template._new_stage(check_random_state(0))._template()
        try:
            again, where = refit_and_compare(self, fit, learner, lambda model: predictions(model._check_rows(X)))
        except NoEdgeError:
            return cast(CascadeGuarantee, refuted(claim, "the first learner"))
        found = again.certificate_
        if where is None and not is_deterministic(learner):
            try:
                found = self._proof_of(again, X, y, sample_weight)
            except Exception:  # a learner that has been tampered with may fail in any way
                where = "what a learner says"
        proof = confirm_or_refute(claim, found, where)
        return cast(CascadeGuarantee, replace(proof, seconds=watch.seconds()))

    def _proof_of(self, again: Any, X: Any, y: Any, sample_weight: Any) -> CascadeGuarantee:
        """The proof of the stages at hand; `again` is the same model fitted again."""
        X, y = again._validate(X, y, reset=False)
        return self._prove(X, y == again.positive_, self._weights(X, sample_weight), self.certificate_.status)

    # ---------------------------------------------------------------- use

    def _check_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, **self._rules())

    def decision_function(self, X: Any) -> np.ndarray:
        """How far each row gets: above zero if it passes all stages, the lower the earlier it is rejected.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive for the second of `classes_`; where the positive class is the first one, signs are turned round.

        """
        X = self._check_rows(X)
        values = walk(self._stages, X, self._carry).values
        return values if self.positive_ == self.classes_[1] else -values

    def predict(self, X: Any) -> np.ndarray:
        """The positive class for rows that pass all stages, the other one for all others."""
        decision = self.decision_function(X)
        return self.classes_[(decision > 0).astype(np.intp)]

    def prediction_cost(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of stages and of learners that the prediction of each row takes.

        Returns
        -------
        stages, learners : ndarray of shape (n_samples,)

        """
        X = self._check_rows(X)
        way = walk(self._stages, X, self._carry)
        return way.stages, way.learners
