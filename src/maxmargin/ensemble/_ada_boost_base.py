"""What the boosted classifier and the boosted regressor share: their learners, one a round."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _num_samples, check_is_fitted, has_fit_parameter

from ..engine import Stopwatch
from ..estimators import Reported, TakesSparse, check_same_rows, keep_trace, weights_or_ones
from ..solvers import Trace
from ..tree import confirm_or_refute, is_deterministic, refit_and_compare, refuted
from ._ada_boost_proof import BoostingGuarantee
from ._ada_boost_rounds import NoEdgeError
from ._errors import UnmetSettingError
from ._members import Members, seeded_copy

_REDRAWS = 20


@dataclass(kw_only=True, eq=False, repr=False)
class BoostingParameters:
    """The parameters that boosting of classes and of values share."""

    estimator: Any = field(default=None, kw_only=False)
    n_estimators: int = 50
    learning_rate: float = 1.0
    random_state: Any = None
    resample: bool | str = "auto"
    trace: bool = False


class AdaBoostBase(BoostingParameters, Members, MetaEstimatorMixin, TakesSparse, Reported, BaseEstimator):
    """Learners with votes, as a sequence."""

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "resample": ["boolean", StrOptions({"auto"})],
        "random_state": ["random_state"],
        "trace": ["boolean"],
    }

    estimator_: Any
    estimators_: list[Any]
    estimator_weights_: np.ndarray
    estimator_errors_: np.ndarray
    certificate_: BoostingGuarantee
    classes_: np.ndarray
    _rows_seen: int
    _seed: int
    _learning_rate: float
    # parameters whose values at the time of the fit are kept
    _kept_settings: tuple[str, ...]

    @abstractmethod
    def _template(self) -> Any:
        """The learner that is copied for each round."""

    @abstractmethod
    def _proof_of(self, again: Any, X: Any, y: Any, sample_weight: Any) -> BoostingGuarantee:
        """The proof of the learners at hand; `again` is the same model fitted again, which knows what rows are like."""

    @abstractmethod
    def _votes_of(self, errors: np.ndarray) -> np.ndarray:
        """The votes that learners of these errors have."""

    def _weights(self, X: Any, sample_weight: Any) -> np.ndarray:
        weights = weights_or_ones(sample_weight, X)
        weights = np.ldexp(weights, -int(np.frexp(weights.max())[1]))  # exactly: the sum could be infinite
        return weights / weights.sum()

    def _resamples(self) -> bool:
        """Whether learners are trained on bags instead of with weights."""
        takes_weights = has_fit_parameter(self.estimator_, "sample_weight")
        if self.resample == "auto":
            return not takes_weights
        if not self.resample and not takes_weights:
            raise ValueError(
                f"{type(self.estimator_).__name__} doesn't support sample_weight; resample='auto' or True trains it on "
                f"rows drawn by weight."
            )
        return bool(self.resample)

    def _new_learner(self, random_state: np.random.RandomState) -> Any:
        """A copy of the base estimator with random states of its own."""
        return seeded_copy(self.estimator_, random_state)

    def _keep(self, learners: list[Any], votes: np.ndarray, errors: np.ndarray) -> None:
        """Learners with votes and errors; the rounds that were not made have vote 0 and error 1, as in scikit-learn."""
        self.estimators_ = learners
        self.estimator_weights_ = np.zeros(self.n_estimators)
        self.estimator_errors_ = np.ones(self.n_estimators)
        self.estimator_weights_[: len(votes)] = votes
        self.estimator_errors_[: len(errors)] = errors

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> BoostingGuarantee:
        """Boost again on the training rows, and compare all that is predicted from."""
        check_is_fitted(self)
        watch, claim, n = Stopwatch(), self.certificate_, _num_samples(X)
        check_same_rows((self._rows_seen, len(claim.margins)), n)
        try:
            settings = {"n_estimators": len(self.estimator_weights_), "random_state": int(self._seed)}
            settings |= {name: getattr(self, f"_{name}", getattr(self, name)) for name in self._kept_settings}
            template = clone(self).set_params(**settings)
            template._validate_params()
        except (AttributeError, TypeError, ValueError):
            return cast(BoostingGuarantee, refuted(claim, "the record of how it was boosted"))

        def fit() -> Any:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the fit has given them
                return clone(template).fit(X, y, sample_weight)

        try:
            again, where = refit_and_compare(
                self, fit, template._template(), lambda model: predictions(model._check_rows(X))
            )
        except NoEdgeError:
            return cast(BoostingGuarantee, refuted(claim, "the first learner"))
        except UnmetSettingError:
            return cast(BoostingGuarantee, refuted(claim, "the record of how it was boosted"))
        found = again.certificate_
        if where is None and not is_deterministic(again.estimator_):
            found, where = self._verify_learners(again, X, y, sample_weight)
        proof = confirm_or_refute(claim, found, where)
        return cast(BoostingGuarantee, replace(proof, seconds=watch.seconds()))

    def _verify_learners(self, again: Any, X: Any, y: Any, sample_weight: Any) -> tuple[BoostingGuarantee, str | None]:
        """The proof of what the learners say now, which other libraries made; whether their votes follow from it."""
        try:
            found = self._proof_of(again, X, y, sample_weight)
        except Exception:  # a learner that has been tampered with may fail in any way
            return again.certificate_, "what a learner says"
        votes = self._votes_of(found.errors)
        alone = len(votes) == 1 and self._votes[0] == 1.0
        same = alone or np.allclose(votes, self._votes, rtol=1e-6, atol=0.0)
        return found, None if same else "estimator_weights_"

    @property
    def _votes(self) -> np.ndarray:
        return self.estimator_weights_[: len(self.estimators_)]

    @property
    def feature_importances_(self) -> np.ndarray:
        """Importances of the columns for the learners, weighted with their votes."""
        check_is_fitted(self)
        votes = self._votes
        try:
            parts = [vote * learner.feature_importances_ for vote, learner in zip(votes, self, strict=True)]
        except AttributeError as error:
            raise AttributeError(
                f"Unable to compute feature importances since {type(self.estimator_).__name__} does not have a "
                f"feature_importances_ attribute"
            ) from error
        return sum(parts) / votes.sum()


def timed(learn: Callable[[np.ndarray], Any], watch: Stopwatch, times: list[float]) -> Callable[[np.ndarray], Any]:
    """The same, noting when each learner was trained."""

    def learn_and_note(weights: np.ndarray) -> Any:
        found = learn(weights)
        times.append(watch.seconds())
        return found

    return learn_and_note


def keep_rounds(model: Any, times: list[float]) -> None:
    """The course of boosting, if that was asked for: figures of the proof, round by round."""
    trace = Trace() if model.trace else None
    if trace is not None:
        proof = model.certificate_
        figures = {
            "error": proof.training_errors,
            "weighted_error": proof.errors,
            "exponential_loss": proof.chance_bounds if len(proof.chance_bounds) else proof.bounds,
        }
        # a learner that makes no error is the answer alone, whatever was before it
        alone = len(proof.errors) == 1 and model.estimator_errors_[0] == 0
        trace.extend("", times[-1:] if alone else times[: len(proof.errors)], figures)
    keep_trace(model, trace)


def predictions(X: Any) -> Callable[[Any], Any]:
    """What learners predict for rows."""
    return lambda learner: learner.predict(X)


def bag(weights: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
    """Rows drawn with replacement, as many as there are, with probabilities in proportion to the weights."""
    return random_state.choice(np.arange(len(weights)), size=len(weights), replace=True, p=weights / weights.sum())


def fit_on_bag(
    learner: Any, X: Any, y: np.ndarray, weights: np.ndarray, random_state: np.random.RandomState, labelled: bool
) -> Any:
    """Train on a bag; one with labels has two of them at least, where that is to be had."""
    for _ in range(_REDRAWS):
        drawn = bag(weights, random_state)
        bagged = y[drawn]
        if not labelled or (bagged != bagged[0]).any():
            break
    return learner.fit(_safe_indexing(X, drawn), bagged)
