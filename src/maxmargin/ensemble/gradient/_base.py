"""What gradient boosting of classes and of values share: checked rows, the rounds, the proof, sums of trees."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_monotonic_cst, check_consistent_length, check_is_fitted

from ...certificates import GradientBoostingGuarantee
from ...data import validate_data
from ...engine import Stopwatch, raise_interrupt
from ...estimators import Reported, check_weights
from ...messages import InputError
from ._booster import Booster, Limits
from ._edges import column_edges
from ._frame import KnownCategories, categorical_mask
from ._losses import Loss
from ._packed import Codes, bin_counts, encode, pack
from ._parameters import CONSTRAINTS, GradientBoostingParameters, interaction_groups, limits_of
from ._proof import Played, prove, recertify
from ._series import Series
from ._stopping import Rows, Watch, should_stop

_SEEDS = np.iinfo(np.uint32).max
# Of more rows, "auto" stops early.
_MANY = 10_000


class GradientBoosting(GradientBoostingParameters, Reported, BaseEstimator, metaclass=ABCMeta):
    """Base of gradient boosting; not for direct use."""

    _parameter_constraints: ClassVar[dict] = CONSTRAINTS

    _arguments = {
        "X": "X : array-like or data frame of shape (n_samples, n_features)\n    NaN means missing.",
        "X_val": "X_val : array-like or data frame, optional\n    Rows for early stopping, instead of held-out ones.",
        "y_val": "y_val : array-like, optional\n    Their targets.",
        "sample_weight_val": "sample_weight_val : array-like, optional\n    Their weights.",
    }

    loss: str
    certificate_: GradientBoostingGuarantee
    n_trees_per_iteration_: int
    _series: Series
    _baseline: np.ndarray
    _loss: Loss
    _categories: KnownCategories | None
    _random_seed: int
    _draw_seed: int
    _held_share: Any
    _played: list[Played]
    _rows_seen: int
    _sums_told: np.ndarray | None = None
    _in_fit: bool = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    # ---------------------------------------------------------------- what classes and values do differently

    @abstractmethod
    def _encode_target(self, y: Any, *, reset: bool) -> np.ndarray:
        """The targets, or numbers of classes, as float64."""

    @abstractmethod
    def _loss_of(self) -> Loss:
        """The loss that the parameters name."""

    def _all_weights(self, weight: np.ndarray | None, y: np.ndarray) -> np.ndarray | None:
        """Weights of the rows with those of their classes."""
        return weight

    # ---------------------------------------------------------------- fitting

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Any:
        """Grow trees, each for what the ones before it have left."""
        watch = Stopwatch()
        self._validate_params()
        self.__dict__.pop("_sums_told", None)
        goes_on = self.warm_start and hasattr(self, "_series")
        before = dict(self.__dict__)
        try:
            X, y, weight = self._checked_all(X, y, sample_weight, reset=True)
            given = self._checked_validation(X_val, y_val, sample_weight_val)
            if goes_on:
                self._check_goes_on(X, before)
        except BaseException:  # what is refused leaves the model as it was
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        generator = check_random_state(self.random_state)
        if not goes_on:
            self._random_seed = int(generator.randint(_SEEDS, dtype="u8"))
            self._draw_seed = int(generator.randint(_SEEDS, dtype="u8"))
        elif self.max_iter < self.n_iter_:
            raise ValueError(
                f"max_iter={self.max_iter} must be larger than or equal to n_iter_={self.n_iter_} when warm_start==True"
            )
        limits = self._limits(X.shape[1])
        many = len(y) > _MANY or given is not None
        self.do_early_stopping_ = many if self.early_stopping == "auto" else bool(self.early_stopping)
        self._held_share = self.validation_fraction if self.do_early_stopping_ and given is None else None
        train, held = self._split(X, y, weight)
        held = given if given is not None else held
        if not goes_on:
            self._loss, self._rows_seen = self._loss_of(), len(y)
            self._baseline = self._loss.baseline(train[1], train[2])
            self._played, self.train_score_, self.validation_score_ = [], np.empty(0), np.empty(0)
            self.__dict__.pop("_series", None)
        earlier, self._in_fit = self.__dict__.get("_series"), True
        try:
            ending = self._boost(train, held, limits)
        except BaseException:  # a part of a fit is none
            self.__dict__.pop("_series", None)
            if earlier is not None:
                self._series = earlier
            raise
        finally:
            self.__dict__.pop("_in_fit", None)
        proof = prove(self, train, ending)
        self.certificate_ = replace(proof, seconds=watch.seconds(), _recompute=self._recertify)
        if self.verbose:
            print(f"{self.n_iter_} rounds ({ending}) in {watch.seconds():.3g} s")
        return self

    def _check_goes_on(self, X: np.ndarray, before: dict[str, Any]) -> None:
        """Refuse rows that the trees of the last fit are not about."""
        known = before["n_features_in_"]
        if X.shape[1] != known or self._loss_of() != self._loss:
            raise InputError(
                f"warm_start=True goes on with trees of {known} columns, and the loss and classes of the last fit; "
                f"X has {X.shape[1]} columns. Give the same rows, or warm_start=False.",
                argument="warm_start",
            )

    def _limits(self, d: int) -> Limits:
        """Limits of the trees, from parameters that fit the columns."""
        if self.monotonic_cst is not None and self.n_trees_per_iteration_ > 1:
            raise InputError(
                "monotonic constraints are not supported for multiclass classification.", argument="monotonic_cst"
            )
        monotonic = _check_monotonic_cst(self, self.monotonic_cst)
        if self.is_categorical_ is not None and monotonic[self.is_categorical_].any():
            raise InputError("Categorical features cannot have monotonic constraints.", argument="monotonic_cst")
        return limits_of(self, monotonic, self._check_interaction_cst(d))

    def _check_interaction_cst(self, n_features: int) -> list[set[int]] | None:
        return interaction_groups(self.interaction_cst, n_features)

    def _should_stop(self, scores: list[float]) -> bool:
        return should_stop(scores, self.n_iter_no_change, self.tol)

    def _checked_all(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        X = self._checked_rows(X, reset=reset)
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        target = self._encode_target(y, reset=reset)
        check_consistent_length(X, target)
        return X, target, self._all_weights(check_weights(sample_weight, X), target)

    def _checked_validation(self, X: Any, y: Any, weight: Any) -> tuple[np.ndarray, np.ndarray, Any] | None:
        if X is None and y is None:
            return None
        if y is None:
            raise ValueError("X_val is provided, but y_val was not provided.")
        if X is None:
            raise ValueError("y_val is provided, but X_val was not provided.")
        if self.early_stopping is False:
            raise ValueError(
                "X_val and y_val are passed to fit while at the same time early_stopping is False. When passing X_val "
                "and y_val to fit, early_stopping should be set to either 'auto' or True."
            )
        X = self._checked_rows(X, reset=False)
        target = self._encode_target(y, reset=False)
        check_consistent_length(X, target)
        return X, target, check_weights(weight, X)

    def _checked_rows(self, X: Any, *, reset: bool) -> np.ndarray:
        """X as numbers, with codes in the place of categories, NaN where missing."""
        if self._in_fit:
            return X
        numbers: dict = {"dtype": [np.float64, np.float32], "ensure_all_finite": False, "order": "C"}
        if reset:
            mask = categorical_mask(X, self.categorical_features)
            self._categories = None
            if mask is not None:
                self._categories = KnownCategories.found(X, mask, self.max_bins)
            self.is_categorical_ = mask
        if self._categories is None:
            return validate_data(self, X, reset=reset, **numbers)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return self._categories.encode(X)

    def _split(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> tuple[tuple, tuple | None]:
        """The training rows that have a weight, and those that are held out, if any are."""
        train: tuple = (X, y, weight)
        held = None
        if self._held_share is not None:
            labels = y if self._loss_of().kind >= 5 else None
            arrays = (X, y) if weight is None else train
            parts = train_test_split(
                *arrays, test_size=self._held_share, stratify=labels, random_state=self._random_seed
            )
            train, held = (*parts[::2], None)[:3], (*parts[1::2], None)[:3]
        if train[2] is not None and not train[2].all():  # rows without weight take no part
            present = train[2] > 0
            if not present.any():
                raise InputError("sample_weight is 0 for every training row that is not held out.")
            train = tuple(part[present] for part in train)
        return train, held

    def _codes(self, train: tuple) -> Codes:
        """The training rows as codes of bins."""
        X, _, weight = train
        d = X.shape[1]
        categories = np.zeros(d, dtype=np.int64) if self._categories is None else self._categories.counts(d)
        edges = column_edges(X, weight, categories > 0, self.max_bins, self._random_seed)
        return pack(encode(X, edges, categories), bin_counts(edges, categories), edges, categories > 0)

    def _boost(self, train: tuple, held: tuple | None, limits: Limits) -> str:
        """Make rounds until there are enough; why there are no more, in words."""
        X, y, weight = train
        raw = self._sums_of(X)
        watch = None
        if self.do_early_stopping_:
            out = None if held is None else Rows(held[0], held[1], held[2], self._sums_of(held[0]))
            watch = Watch(self, self._loss, Rows(X, y, weight, raw), out)
            watch.train_scores, watch.held_scores = list(self.train_score_), list(self.validation_score_)
            if not hasattr(self, "_series"):
                watch.look(None)
        start = self.n_iter_ if hasattr(self, "_series") else 0
        booster = Booster(self._codes(train), y, weight, self._loss, limits, raw)
        rounds = [self._series] if start else []
        ending, made = f"max_iter={self.max_iter}", start
        for number in range(start, self.max_iter):
            new = booster.round(self._draw_seed + number * self._loss.trees)
            rounds.append(new)
            made += 1
            if watch is not None:
                if not watch.by_loss and not watch.named:
                    self._series = Series.joined(rounds)
                    rounds = [self._series]
                watch.look(new)
            if self.verbose >= 2:
                print(f"[{made}/{self.max_iter}] {_told(watch)}")
            if watch is not None and watch.enough():
                ending = f"no better score for n_iter_no_change={self.n_iter_no_change} rounds"
                break
            raise_interrupt()
        self._series = Series.joined(rounds)
        if made > start:
            self._played.append(Played(made - start, limits, self.max_bins))
        if watch is not None:
            self.train_score_ = np.array(watch.train_scores)
            self.validation_score_ = np.array(watch.held_scores)
        return ending

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> GradientBoostingGuarantee:
        return recertify(self, X, y, sample_weight)

    # ---------------------------------------------------------------- sums of trees

    @property
    def n_iter_(self) -> int:
        """Rounds that were made."""
        check_is_fitted(self)
        return self._series.n_trees // self.n_trees_per_iteration_

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of each column in what all splits gain."""
        check_is_fitted(self)
        inner = self._series.left >= 0
        gains = np.bincount(self._series.feature[inner], self._series.gain[inner], minlength=self.n_features_in_)
        return gains / gains.sum() if gains.sum() > 0 else gains

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_series")

    def _sums_of(self, X: np.ndarray) -> np.ndarray:
        """The sums of the trees so far, of shape (trees of a round, rows)."""
        raw = np.empty((self._loss.trees, len(X)))
        raw[:] = self._baseline[:, None]
        if hasattr(self, "_series"):
            if self._series.feature.max(initial=-1) >= X.shape[1]:  # compiled walks do not look where they step
                raise ValueError("These trees split on columns that X has not: they were changed after the fit.")
            self._series.add_to(X, raw)
        return raw

    def _raw_predict(self, X: Any) -> np.ndarray:
        """The sums of the trees, of shape (rows, trees of a round)."""
        if self._sums_told is not None:
            return self._sums_told
        if not self._in_fit:
            check_is_fitted(self)
        return self._sums_of(self._checked_rows(X, reset=False)).T

    def _staged_raw_predict(self, X: Any) -> Iterator[np.ndarray]:
        """The same after each round."""
        check_is_fitted(self)
        X = self._checked_rows(X, reset=False)
        raw, K = np.empty((self._loss.trees, len(X))), self._loss.trees
        raw[:] = self._baseline[:, None]
        for t in range(self.n_iter_):
            self._series.part(t * K, (t + 1) * K).add_to(X, raw)
            yield raw.T.copy()


def _told(watch: Watch | None) -> str:
    """The last scores in words."""
    if watch is None:
        return ""
    parts = [f"train score {watch.train_scores[-1]:.6g}"]
    if watch.held_scores:
        parts.append(f"held-out score {watch.held_scores[-1]:.6g}")
    return ", ".join(parts)
