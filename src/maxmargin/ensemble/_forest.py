"""Forests: trees grown from bags of rows, each split on the best of a few columns drawn at random (Breiman 2001).

The columns are binned once for all trees. Tree t has a seed of its own, drawn from `random_state`: it draws the bag and
then the columns, so that the forest does not depend on the number of threads. A bag is a weight for each row: how often
it was drawn.

    mean       p(k | x) = 1/T sum_t p_t(k | x)
    product    p(k | x) ~ exp(1/T sum_t log p_t(k | x)),  with p_t smoothed: (w_k + 1/K) / (w + 1) of a leaf's weights
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from dataclasses import fields, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ..certificates import Guarantee
from ..engine import Stopwatch, run_portions, thread_count, warn
from ..estimators import TakesMissing, check_same_rows
from ..tree import (
    Bins,
    Categories,
    Tree,
    TreeParameters,
    WeakLearners,
    build_tree,
    checked_columns,
    checked_target,
    checked_weights,
    columns_a_split,
    confirm_or_refute,
    first_difference,
    limits_of,
    prune,
    refuted,
)
from ._bag_rows import bag_numbers
from ._errors import UnmetSettingError
from ._fitted_forest import FittedForest
from ._forest_bags import Bags
from ._forest_parameters import FOREST_CONSTRAINTS, ForestParameters, refuse_contradictions
from ._forest_validation import Validation, split_rows
from ._forest_votes import OutOfBagState, out_of_bag_errors
from ._members import Members, drawn_seed
from ._out_of_bag import OutOfBag, nothing_estimated, out_of_bag_guarantee
from .summed import SummedBags, grown_again

# "auto": trees are grown in steps of so many, up to a last number.
_STEP, _MOST = 16, 1024
_SEEDS = np.iinfo(np.int32).max


def warn_unjudged(judged: np.ndarray) -> None:
    """Warn that some rows were in every bag."""
    if not judged.all():
        warn(
            f"Some inputs do not have OOB scores: {np.count_nonzero(~judged)} of {len(judged)} rows were in the bag of "
            "every tree. This probably means too few trees, or bags of too many draws, for reliable OOB estimates.",
            stacklevel=5,
        )


class Forest(ForestParameters, FittedForest, Members, TakesMissing, BaseEstimator, metaclass=ABCMeta):
    """Base of the forests; not for direct use."""

    _parameter_constraints: ClassVar[dict] = FOREST_CONSTRAINTS

    criterion: str
    certificate_: Guarantee
    _loss: str
    _member_type: Any
    _classes_count: int
    classes_: np.ndarray
    _categories: Categories | None
    _sample_weight: np.ndarray | None
    _foreign: int
    _held_seed: int
    _deal_seed: int
    _node_seed: int
    _learners: WeakLearners

    # ---------------------------------------------------------------- what classes and values do differently

    @abstractmethod
    def _encode_target(self, y: Any, *, reset: bool) -> np.ndarray:
        """The target as numbers of classes (int32) or as float64 values."""

    def _class_weights(self, target: np.ndarray, sample_weight: np.ndarray | None) -> np.ndarray | None:
        """The weight of the class of each row; None if there is none."""
        return None

    def _balance(self, weight: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Weights of the rows in a bag, once they are known."""
        return weight

    @abstractmethod
    def _set_out_of_bag(self, target: np.ndarray, state: OutOfBagState) -> None:
        """The attributes that ``oob_score`` asks for."""

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grow the trees."""
        watch = Stopwatch()
        self._validate_params()
        refuse_contradictions(self)
        self._refuse_summed()
        earlier = (self._bags, self._sample_weight) if self.warm_start and hasattr(self, "estimators_") else None
        self.__dict__.pop("validation_error_curve_", None)  # of the last fit
        X, target, bins, validation = self._prepare(X, y, sample_weight)
        self._foreign = 0
        if earlier is not None and first_difference(earlier, (self._bags, self._sample_weight)):
            self._foreign = len(self.estimators_)
        self._grow_all(self._rows_out_of_bag(X, bins) if earlier is None else X, target, bins, validation)
        self.certificate_ = replace(self.certificate_, seconds=watch.seconds(), _recompute=self._recertify)
        return self

    def _refuse_summed(self) -> None:
        """Refuse to go on from trees that were grown on a cluster: their bags are drawn by the numbers of the rows."""
        if self.warm_start and hasattr(self, "estimators_") and isinstance(self._bags, SummedBags):
            raise ValueError("warm_start=True cannot add trees to a forest of a cluster; use warm_start=False.")

    def _prepare(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        seed: int | None = None,
        node_seed: int | None = None,
        deal_seed: int | None = None,
    ) -> tuple[Any, np.ndarray, Bins, Validation | None]:
        """Checked rows and targets that have a weight, and their bins; what bags are drawn from and trees weigh by.

        And the rows that are held out, by a seed that is drawn if there is none; so are those of weak learners and
        of disjoint bags.
        """
        X = checked_columns(self, X, reset=True)
        target = checked_target(self, X, y, reset=True)
        weight = None if sample_weight is None else checked_weights(sample_weight, X)
        if weight is not None and (weight == 1).all():  # the same as none
            weight = sample_weight = None
        self._rows = None
        if weight is not None and not weight.all():  # rows without weight take no part
            self._rows = np.flatnonzero(weight)
            X, target, weight = X[self._rows], target[self._rows], weight[self._rows]
        validation = None
        if self.validation_fraction > 0:
            self._held_seed = drawn_seed(self.random_state) if seed is None else seed
            rows, held = split_rows(target, self.validation_fraction, self._held_seed, bool(self._classes_count))
            validation = Validation.of(X[held], target[held], None if weight is None else weight[held])
            self._rows = rows if self._rows is None else self._rows[rows]
            X, target, weight = X[rows], target[rows], None if weight is None else weight[rows]
        if self.node != "axis":  # from the rows that trees are grown from
            self._node_seed = drawn_seed(self.random_state) if node_seed is None else node_seed
            self._learners = WeakLearners.drawn(self.node, self.n_candidates, X, target, self._node_seed)
            X = self._learners.columns(X)
            validation = None if validation is None else replace(validation, X=self._learners.columns(validation.X))
        of_class = self._class_weights(target, weight)
        self._n_samples, self.n_outputs_ = X.shape[0], 1
        # a row is in one disjoint bag, whatever its weight
        self._bags = Bags.of(X, target, None if self.bootstrap == "disjoint" else weight, self.max_samples)
        self.__dict__.pop("_dealt", None)  # of the last fit
        if self.bootstrap == "disjoint":
            self._deal_seed = drawn_seed(self.random_state) if deal_seed is None else deal_seed
            labels = target if self._classes_count else None
            self._dealt = bag_numbers(self._bags, labels, self.n_estimators, self._deal_seed)
        elif weight is not None and self.bootstrap and self._bags.whole:  # rows are drawn that often
            weight = None
        self._sample_weight = of_class if weight is None else weight if of_class is None else weight * of_class
        self.max_features_ = min(X.shape[1], columns_a_split(self.max_features, X.shape[1]))
        mask = None if self._categories is None else self._categories.mask()
        return X, target, Bins.of(X, mask, self.n_jobs), validation

    def _rows_out_of_bag(self, X: Any, bins: Bins) -> Any:
        """The rows as codes, where they say it all; trees of an earlier fit know other bins."""
        return bins.codes_by_row if self._categories is None and not bins.binned.missing.any() else X

    def _member(self, seed: int, tree: Tree) -> Any:
        """The estimator around a grown tree."""
        settings = {parameter.name: getattr(self, parameter.name) for parameter in fields(TreeParameters)}
        member = self._member_type(**settings | {"criterion": self.criterion, "random_state": seed})
        member.tree_, member.n_outputs_ = tree, 1
        member.max_features_, member.n_features_in_ = self.max_features_, self.n_features_in_
        if self._classes_count:
            member.classes_, member.n_classes_ = np.arange(self._classes_count), self._classes_count
            member._classes_count = self._classes_count
        # without the categories of a data frame its rows are arrays, as in scikit-learn
        member._categories = self._categories
        if self._categories is not None:
            member.feature_names_in_ = self.feature_names_in_
        if self.node != "axis":
            member._learners = self._learners
        return member

    def _counts(self, seed: int, number: int) -> np.ndarray:
        """How often each row is in the bag of a tree, of which the seed and the number are given."""
        if self.bootstrap == "disjoint":
            return (self._dealt == number).astype(np.int64)
        return self._bags.counts(seed) if self.bootstrap else np.ones(self._n_samples, dtype=np.int64)

    def _grow_all(self, X: Any, target: np.ndarray, bins: Bins, validation: Validation | None) -> None:
        """Grow as many trees as asked for, or until their error has settled; X may be codes.

        The error is that on the rows that were held out, and out of bag where none were.
        """
        if not self.warm_start or not hasattr(self, "estimators_"):
            self.estimators_ = []
        old, auto = len(self.estimators_), self.n_estimators == "auto"
        wanted = _MOST if auto else self.n_estimators
        if wanted < old:
            raise ValueError(
                f"n_estimators={wanted} must be larger or equal to len(estimators_)={old} when warm_start==True"
            )
        if wanted == old:
            warn("Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=3)
        generator = check_random_state(self.random_state)
        generator.randint(_SEEDS, size=old)  # as many as the trees that are there have used
        state = OutOfBagState(len(target), max(1, self._classes_count))
        unseen = self._unseen(self.estimators_)
        curve = self._out_of_bag_errors(X, target, self.estimators_, unseen, state) if old else np.empty(0)
        settled = not auto
        while True:
            step = min(_STEP, wanted - len(self.estimators_)) if auto else wanted - len(self.estimators_)
            seeds = generator.randint(_SEEDS, size=step)
            first = len(self.estimators_)
            grown = self._grow(bins, target, [(int(seed), t, self) for t, seed in enumerate(seeds, first)])
            members, bits = [member for member, _ in grown], [mask for _, mask in grown]
            if grown:
                curve = np.concatenate([curve, self._out_of_bag_errors(X, target, members, bits, state)])
            self.estimators_ += members
            unseen += bits
            known = len(self.estimators_)
            if validation is not None:
                trees = [member.tree_ for member in members]
                validation.add(trees, *self._leaf_values(trees), self.n_jobs)
                settled = settled or validation.has_settled(2 * _STEP)
            else:
                settled = settled or self._has_settled(curve, state)
            if settled or known >= wanted:
                break
        followed = curve if validation is None else validation.curve
        if validation is not None:
            self.validation_error_curve_ = followed
        if not settled:
            where = "out-of-bag error" if validation is None else "error on held-out rows"
            warn(
                f'n_estimators="auto": the {where} had not settled after {known} trees; it fell by '
                f"{followed[known // 2 - 1] - followed[-1]:.3g} over the last half of them.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.oob_error_curve_ = curve
        self.certificate_ = self._guarantee(self._found(state, curve), target, unseen)
        if self.oob_score:
            self._set_out_of_bag(target, state)

    def _grow(self, bins: Bins, target: np.ndarray, seeds: list[tuple[int, int, Any]]) -> list[tuple[Any, np.ndarray]]:
        """Trees of these seeds, numbers and settings, each with the rows it has not seen (a mask packed to bits)."""
        done = 0

        def work(seed: int, number: int, settings: Any) -> tuple[Any, np.ndarray]:
            nonlocal done
            done += 1
            if self.verbose:
                print(f"tree {done} of {len(seeds)}")
            counts = self._counts(seed, number)
            weight = counts.astype(np.float64) if self._sample_weight is None else counts * self._sample_weight
            weight = self._balance(weight, target)
            limits = limits_of(settings, len(target), len(bins.low), weight, self._classes_count)
            # the draws of a tree that is fitted on this bag with this random_state
            draws = int(np.random.RandomState(seed).randint(_SEEDS))
            tree = prune(build_tree(bins, target, weight, limits, draws), settings.ccp_alpha)
            return self._member(seed, tree), np.packbits(counts == 0)

        return run_portions(work, seeds, thread_count(self.n_jobs), long=True)

    # ---------------------------------------------------------------- out of bag

    def _out_of_bag_errors(
        self, X: np.ndarray, target: np.ndarray, members: list, unseen: list, state: OutOfBagState
    ) -> np.ndarray:
        """The error out of bag after each of these trees, which are added to the state."""
        if not self.bootstrap:
            return np.full(len(members), np.nan)
        trees = [m.tree_ for m in members]
        return out_of_bag_errors(trees, *self._leaf_values(trees), X, target, unseen, state, self.n_jobs)

    def _found(self, state: OutOfBagState, curve: np.ndarray) -> OutOfBag:
        return OutOfBag(np.where(state.counts > 0, state.losses, np.nan), curve, state.counts)

    def _has_settled(self, curve: np.ndarray, state: OutOfBagState) -> bool:
        """Whether the error stayed within one standard error of its last value over the last half of the trees."""
        half = curve[len(curve) // 2 :]
        moved = np.abs(half - curve[-1]).max()
        return len(curve) >= 2 * _STEP and bool(moved <= self._found(state, curve).standard_error)

    def _unseen(self, members: list) -> list[np.ndarray]:
        """The rows that trees have not seen, from their seeds."""
        return run_portions(
            lambda t, m: np.packbits(self._counts(m.random_state, t) == 0),
            list(enumerate(members)),
            thread_count(self.n_jobs),
        )

    def _guarantee(self, found: OutOfBag, target: np.ndarray, unseen: list[np.ndarray]) -> Guarantee:
        n, members = self._n_samples, self.estimators_
        if not self.bootstrap:
            words = "Every tree has seen every row: nothing is claimed about the error on new rows."
            return nothing_estimated(len(members), words)
        if self._foreign:
            words = f"{self._foreign} trees are of an earlier fit on other rows or weights: nothing is claimed."
            return nothing_estimated(len(members), words)
        held = float(np.mean([1.0 - np.bitwise_count(bits).sum() / n for bits in unseen]))
        expected = 1 / len(members) if self.bootstrap == "disjoint" else self._bags.expected_share()
        figures = (self._loss, len(members), held, expected)
        labels = (target, self.classes_) if self._classes_count else ()
        return out_of_bag_guarantee(found, *figures, *labels)

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> Guarantee:
        watch = Stopwatch()
        if isinstance(self._bags, SummedBags):
            return grown_again(self, X, y, sample_weight)
        if self._foreign:
            raise ValueError(
                f"{self._foreign} trees are of an earlier fit on other rows, which cannot be verified here."
            )
        again = clone(self).set_params(warm_start=False, n_estimators=max(1, len(self.estimators_)))
        seeds = (getattr(self, name, None) for name in ("_held_seed", "_node_seed", "_deal_seed"))
        try:
            X, target, bins, validation = again._prepare(X, y, sample_weight, *seeds)
        except UnmetSettingError:  # these rows, with these settings, have never been fitted
            return replace(refuted(self.certificate_, "the settings of the fit"), seconds=watch.seconds())
        check_same_rows((self._n_samples, len(self._bags.order)), len(target), weighted=True)
        if where := first_difference(self, again):  # before anything is drawn by a number that a file may have brought
            return replace(refuted(self.certificate_, where), seconds=watch.seconds())
        try:
            recorded = [(member.random_state, t, member) for t, member in enumerate(self.estimators_)]
            grown = again._grow(bins, target, recorded)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return refuted(self.certificate_, "the record of how a tree was grown")
        again.estimators_, unseen = [member for member, _ in grown], [bits for _, bits in grown]
        state, again._foreign = OutOfBagState(len(target), max(1, again._classes_count)), 0
        again.oob_error_curve_ = again._out_of_bag_errors(
            again._rows_out_of_bag(X, bins), target, again.estimators_, unseen, state
        )
        if validation is not None:
            trees = [member.tree_ for member in again.estimators_]
            validation.add(trees, *again._leaf_values(trees), again.n_jobs)
            again.validation_error_curve_ = validation.curve
        found = again._guarantee(again._found(state, again.oob_error_curve_), target, unseen)
        proof = confirm_or_refute(self.certificate_, found, first_difference(self, again))
        return replace(proof, seconds=watch.seconds())
