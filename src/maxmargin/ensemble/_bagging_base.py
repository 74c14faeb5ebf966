"""Bagging: the mean of learners that were each trained on a bag of rows drawn with replacement.

The variance of a mean of B predictions with variance s^2 and correlation r is r s^2 + (1 - r) s^2 / B, and its bias is
that of a single one (Breiman, Machine Learning 24, 1996): what helps is learners that are good, unstable and unlike.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..certificates import Guarantee, Status
from ..data import validate_data
from ..engine import Stopwatch, run_portions, thread_count, warn
from ..estimators import Reported, check_same_rows, check_weights
from ..tree import TreeEstimator, confirm_or_refute, first_difference, is_deterministic, refuted
from ._bag_rows import RowBags
from ._forest import Forest
from ._forest_bags import repetitions
from ._members import LARGEST_SEED, Members, drawn_seed, refuse_categories, seeded_copy
from ._out_of_bag import OutOfBag, distinct_fraction, out_of_bag_guarantee

Part = tuple[np.ndarray, np.ndarray]


@dataclass(kw_only=True, eq=False, repr=False)
class BaggingBase(Members, MetaEstimatorMixin, Reported, BaseEstimator):
    """What the bagged classifier and the bagged regressor share: bags, learners, and the evidence."""

    _parameter_constraints: ClassVar[dict] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [
            None,
            Interval(Integral, 1, 2**31 - 1, closed="both"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right")],
        "bootstrap": ["boolean", StrOptions({"disjoint"})],
        "bootstrap_features": ["boolean"],
        "oob_score": ["boolean"],
        "warm_start": ["boolean"],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    _loss: ClassVar[str]

    estimator: Any = field(default=None, kw_only=False)
    n_estimators: int = field(default=10, kw_only=False)
    max_samples: int | float | None = None
    max_features: int | float = 1.0
    bootstrap: bool | str = True
    bootstrap_features: bool = False
    oob_score: bool = False
    warm_start: bool = False
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_learner = get_tags(self._learner()).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = of_learner.sparse, of_learner.allow_nan
        return tags

    # ---------------------------------------------------------------- what differs

    @abstractmethod
    def _learner(self) -> Any:
        """The learner that is copied for each bag."""

    @abstractmethod
    def _checked_target(self, y: Any) -> np.ndarray:
        """The target that learners are trained on."""

    @abstractmethod
    def _says(self, learner: Any, X: Any) -> np.ndarray:
        """What a learner says of rows."""

    @abstractmethod
    def _out_of_bag(self, parts: Iterator[Part], target: np.ndarray) -> OutOfBag:
        """The losses out of bag, from each learner's unseen rows and what it says of them."""

    @abstractmethod
    def _keep_oob(self, found: OutOfBag, target: np.ndarray) -> None:
        """The attributes of ``oob_score=True``."""

    def _needs_all_classes(self) -> bool:
        """Whether a bag is to hold a row of every class."""
        return False

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train the learners, each on its bag.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Weights that the learners are given for the rows of their bags, which are drawn with the same odds. Whole
            numbers of up to 4, times any factor, are numbers of repetitions. Learners that take no weights have bags
            drawn by them.

        """
        watch = Stopwatch()
        self._validate_params()
        if isinstance(self._learner(), (TreeEstimator, Forest)):  # others may encode what they are given
            refuse_categories(X, self)
        self._refuse()
        X, target, weights = self._prepare(X, y, sample_weight)
        if self.oob_score and not self.bootstrap:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)  # of the last fit
        if self._grow(X, target, weights):
            guarantee = self._guarantee(X, target)
            self.certificate_ = replace(guarantee, seconds=watch.seconds(), _recompute=self._recertify)
        return self

    def _refuse(self) -> None:
        """Refuse what disjoint bags cannot honour."""
        if self.bootstrap != "disjoint":
            return
        if self.max_samples is not None:
            raise ValueError(
                f'max_samples={self.max_samples!r} has no meaning with bootstrap="disjoint", where every row is in one '
                "bag; use max_samples=None."
            )
        if self.warm_start:
            raise ValueError('bootstrap="disjoint" deals all rows out at once; use warm_start=False.')

    def _prepare(
        self, X: Any, y: Any, sample_weight: Any, deal: int | None = None
    ) -> tuple[Any, np.ndarray, np.ndarray | None]:
        """Checked rows and targets, and the weights that learners are given; what bags are drawn from is kept.

        `deal` is the seed of disjoint bags; it is drawn if there is none.
        """
        rules: dict = {"accept_sparse": ["csr", "csc"], "dtype": None, "ensure_all_finite": False}
        X, y = validate_data(self, X, y, multi_output=True, y_numeric=False, **rules)
        target, weights = self._checked_target(y), None
        if sample_weight is not None:
            weights = check_weights(sample_weight, X)
            if not self.bootstrap:
                warn(
                    f"When fitting {type(self).__name__} with sample_weight it is recommended to use bootstrap=True: "
                    "without replacement a row is in a bag once at most, however large its weight.",
                    stacklevel=3,
                )
        if weights is not None and (weights == 1).all():  # the same as none
            weights = None
        labels = target if self._needs_all_classes() else None
        inside = has_fit_parameter(self._learner(), "sample_weight")
        if self.bootstrap == "disjoint":
            return X, target, self._deal_out(X, target, weights, inside, deal)
        self._bags = RowBags.of(X, target, weights, self.max_samples, bool(self.bootstrap), labels, inside)
        drawn = weights is None or not self.bootstrap or repetitions(weights) is not None
        return X, target, weights if inside and not drawn else None

    def _deal_out(
        self, X: Any, target: np.ndarray, weights: np.ndarray | None, inside: bool, deal: int | None
    ) -> np.ndarray | None:
        """Disjoint bags; the weights, which only learners that take some can honour."""
        if weights is not None and not inside:
            raise ValueError(
                f"{type(self._learner()).__name__} takes no sample_weight, and disjoint bags hold every row once, "
                "whatever its weight; use bootstrap=True, or a learner that takes weights."
            )
        seed = drawn_seed(self.random_state) if deal is None else deal
        labels = target if hasattr(self, "classes_") else None
        self._bags = RowBags.disjoint(X, target, weights, self.n_estimators, seed, labels)
        if self._needs_all_classes():
            counts = np.bincount(target if weights is None else target[weights > 0], minlength=len(self.classes_))
            if counts.min() < self.n_estimators:
                raise ValueError(
                    f"class {self.classes_[counts.argmin()]} has {counts.min()} rows, too few for "
                    f"{self.n_estimators} disjoint bags with a row of every class each, which "
                    f"{type(self._learner()).__name__} needs."
                )
        return weights

    def _grow(self, X: Any, target: np.ndarray, weights: np.ndarray | None) -> bool:
        """Train the learners that are missing; False if none is."""
        generator = check_random_state(self.random_state)
        if not self.warm_start or not hasattr(self, "estimators_"):
            self.estimators_: list[Any] = []
            self.estimators_features_: list[np.ndarray] = []
            self._seeds: list[int] = []
        done = len(self.estimators_)
        if self.n_estimators < done:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={done} when "
                f"warm_start==True"
            )
        seeds = generator.randint(LARGEST_SEED, size=self.n_estimators)[done:]
        if len(seeds) == 0:
            warn("Warm-start fitting without increasing n_estimators does not fit new learners.", stacklevel=3)
            return False
        trained = self._train_all(X, target, weights, [int(seed) for seed in seeds], done)
        self.estimators_ += [learner for learner, _ in trained]
        self.estimators_features_ += [columns for _, columns in trained]
        self._seeds += [int(seed) for seed in seeds]
        return True

    def _train_all(
        self, X: Any, target: np.ndarray, weights: np.ndarray | None, seeds: list[int], first: int = 0
    ) -> list[tuple[Any, np.ndarray]]:
        """Learners of these seeds, each with its columns; `first` is the number of the first one."""
        self.estimator_ = self._learner()
        count = self._column_count()
        return Parallel(n_jobs=self.n_jobs, verbose=self.verbose)(
            delayed(_train)(self.estimator_, X, target, weights, self._bags, seed, k, count, self.bootstrap_features)
            for k, seed in enumerate(seeds, first)
        )

    def _column_count(self) -> int:
        d = self.n_features_in_
        if isinstance(self.max_features, Integral):
            if self.max_features > d:
                raise ValueError(f"max_features={self.max_features} must be <= n_features={d}")
            return int(self.max_features)
        return max(1, int(self.max_features * d))

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows in the bag of each learner, drawn again from its seed."""
        check_is_fitted(self)
        return [self._bags.rows(seed, k) for k, seed in enumerate(self._seeds)]

    # ---------------------------------------------------------------- the evidence

    def _guarantee(self, X: Any, target: np.ndarray) -> Guarantee:
        bags = self.estimators_samples_
        self.bag_fractions_ = np.array([distinct_fraction(bag, len(target)) for bag in bags])
        self.expected_bag_fraction_ = self._bags.expected_share()
        found = self._out_of_bag(self._parts(X, bags), target)
        self.oob_error_curve_ = found.curve
        if self.oob_score:
            if found.judged < len(target):
                warn(
                    "Some inputs do not have OOB scores. This probably means too few estimators were used to compute "
                    "any reliable oob estimates.",
                    stacklevel=3,
                )
            self._keep_oob(found, target)
        figures = (self._loss, len(bags), float(self.bag_fractions_.mean()), self.expected_bag_fraction_)
        classes = getattr(self, "classes_", None)
        return out_of_bag_guarantee(found, *figures, *(() if classes is None else (target, classes)))

    def _parts(self, X: Any, bags: list[np.ndarray]) -> Iterator[Part]:
        for learner, columns, bag in zip(self.estimators_, self.estimators_features_, bags, strict=True):
            unseen = np.setdiff1d(np.arange(X.shape[0]), bag)
            # a learner that has seen all rows is asked about one, lest it be given an empty table, and not heard
            said = self._says(learner, _part(X, unseen if len(unseen) else np.array([0]), columns))
            yield unseen, said[: len(unseen)]

    def _recertify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Guarantee:
        check_is_fitted(self)
        watch = Stopwatch()
        check_same_rows(self._bags.n, targets=None if y is None else len(y))
        again = clone(self).set_params(warm_start=False, oob_score=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the fit has given them
            X, target, weights = again._prepare(X, y, sample_weight, int(self._bags.deal))
            try:  # first what is drawn by numbers that a file may have brought
                where = first_difference(self, again) or again._difference(self, X, target, weights)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                where = "what a learner is"
        if where is not None:
            return replace(refuted(self.certificate_, where), seconds=watch.seconds())
        again.estimators_ = self.estimators_  # they are the same, or say the same
        found = again._guarantee(X, target)
        proof = confirm_or_refute(self.certificate_, found, first_difference(self, again, lambda learner: 0))
        return replace(proof, seconds=watch.seconds())

    def _difference(self, claimed: Any, X: Any, target: np.ndarray, weights: np.ndarray | None) -> str | None:
        """Train the learners of a claimed model again; the place of the first difference."""
        self._seeds = [int(seed) for seed in claimed._seeds]
        trained = self._train_all(X, target, weights, self._seeds)
        self.estimators_, self.estimators_features_ = ([pair[k] for pair in trained] for k in (0, 1))
        if len(claimed.estimators_) != len(self.estimators_):
            return "estimators_"
        for t, (learner, columns) in enumerate(trained):
            rows, theirs, bag = X[:, columns], claimed.estimators_[t], self._bags.rows(self._seeds[t], t)
            probe = partial(self._all_it_says, rows)
            where = first_difference(theirs, learner, probe, f"estimators_[{t}]")
            if where is None and not is_deterministic(learner):
                given = () if weights is None else (weights[bag],)
                where = _refutes_itself(theirs, f"estimators_[{t}]", rows[bag], target[bag], *given)
            elif where is not None and not is_deterministic(learner):
                second, _ = self._train_all(X, target, weights, self._seeds[t : t + 1], t)[0]
                where = None if first_difference(learner, second, probe, "it") else where  # another one after every fit
            if where is not None:
                return where
        return None

    def _all_it_says(self, X: Any, learner: Any) -> np.ndarray:
        """What a learner says of rows, and the decision values that it may have, side by side."""
        said = np.asarray(self._says(learner, X), dtype=np.float64).reshape(X.shape[0], -1)
        if not hasattr(learner, "decision_function"):
            return said
        return np.hstack([said, np.asarray(learner.decision_function(X), dtype=np.float64).reshape(X.shape[0], -1)])

    # ---------------------------------------------------------------- use

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, accept_sparse=["csr", "csc"], dtype=None, ensure_all_finite=False)

    def _sum_of(self, say: Any, X: Any) -> np.ndarray:
        """Sum over the learners of what ``say(learner, rows)`` gives for their columns."""
        X = self._rows(X)
        members = list(zip(self.estimators_, self.estimators_features_, strict=True))
        # on our own threads: a pool of joblib's that Ctrl-C finds being made or ended may stay locked for ever
        threads = 1 if self.n_jobs is None else thread_count(self.n_jobs)
        total: Any = 0
        for a in range(0, len(members), 4 * threads):  # few answers at a time are kept
            group = members[a : a + 4 * threads]
            total = sum(run_portions(lambda member, columns: say(member, X[:, columns]), group, threads), start=total)
        return total


def _part(X: Any, rows: np.ndarray, columns: np.ndarray) -> Any:
    return X[rows][:, columns]


def _train(
    learner: Any,
    X: Any,
    target: np.ndarray,
    weights: np.ndarray | None,
    bags: RowBags,
    seed: int,
    number: int,
    count: int,
    repeat_columns: bool,
) -> tuple[Any, np.ndarray]:
    """A copy of the learner trained on the bag of a seed, and the columns that it was given."""
    generator = np.random.RandomState(seed)
    d = X.shape[1]
    columns = np.arange(d)
    if repeat_columns:
        columns = generator.randint(0, d, count)
    elif count < d:
        columns = np.sort(generator.permutation(d)[:count])
    own = seeded_copy(learner, generator)
    rows = bags.rows(seed, number)
    if weights is None:
        own.fit(_part(X, rows, columns), target[rows])
    else:
        own.fit(_part(X, rows, columns), target[rows], sample_weight=weights[rows])
    return own, columns


def _refutes_itself(learner: Any, where: str, *rows: Any) -> str | None:
    """Whether a learner that has a certificate of its own is refuted by it, on the rows of its bag."""
    verify = getattr(getattr(learner, "certificate_", None), "verify", None)
    if verify is None or verify(*rows).status is not Status.REFUTED:
        return None
    return where
